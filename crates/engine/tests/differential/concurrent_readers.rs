//! Concurrent readers: each sees the index as it was after some batch, complete.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use domain::{Criteria, Property};
use engine::scan::ScanIndex;
use engine::{Budget, SearchRequest, SearchResult, Searcher};
use testkit::Random;

use crate::history::{HistoryGenerator, small_index};
use crate::market::Market;
use crate::query::Query;

const READERS: usize = 2;
const BATCHES: usize = 200;
const QUERIES: usize = 6;
const PROPERTIES: u64 = 60;

/// Sets a flag when a thread ends, even by a panic, so that the others do not wait for it.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn readers_see_complete_batches() {
    let mut random = Random::new(testkit::random::seed());
    let market = Market::draw(&mut random);
    let mut generator = HistoryGenerator::new(market, PROPERTIES);
    let mut batches = vec![generator.load(&mut random, PROPERTIES)];
    let present: Vec<_> = generator.present.values().cloned().collect();
    let present: Vec<&Property> = present.iter().map(|property| &**property).collect();
    // The first matches everything: its result shows every sequence number.
    let everything = SearchRequest { criteria: Criteria::default(), ..Query::match_all().request() };
    let drawn = (1..QUERIES).map(|_| SearchRequest {
        skip: 0,
        take: 30,
        ..Query::draw(&mut random, &present).request()
    });
    let queries: Vec<SearchRequest> = std::iter::once(everything).chain(drawn).collect();
    for _ in 1..BATCHES {
        let size = random.below(10);
        batches.push(generator.change(&mut random, size));
    }

    // The results of every request after every batch; the first entry is for the empty index.
    let mut scan = ScanIndex::default();
    let results =
        |scan: &ScanIndex| -> Vec<SearchResult> { queries.iter().map(|it| scan.search(it)).collect() };
    let mut expected = vec![(0, results(&scan))];
    for batch in &batches {
        batch.changes.iter().for_each(|change| scan.apply(change.clone()));
        expected.push((batch.position, results(&scan)));
    }
    let last = expected.len() - 1;

    let index = small_index();
    let (searches, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    // Returns the batch after which a searcher was taken, and checks its size.
    let batch_of = |searcher: &Searcher, earliest: usize| {
        let batch = expected.binary_search_by_key(&searcher.position(), |(position, _)| *position);
        let batch = batch.expect("a position at which a batch ended");
        assert!(batch >= earliest, "a later searcher is older than an earlier one");
        assert_eq!(searcher.len(), expected[batch].1[0].total, "at position {}", searcher.position());
        batch
    };
    // Checks only the size, as fast as possible: an inconsistent state between two searchers is visible very briefly.
    let watch = || {
        let _ended = SetOnDrop(&ended);
        let mut latest = 0;
        while !ended.load(Ordering::SeqCst) {
            latest = batch_of(&index.searcher(), latest);
        }
    };
    let read = |mut random: Random| {
        let _ended = SetOnDrop(&ended);
        let mut seen = BTreeSet::from([0]);
        let mut latest = 0;
        while latest < last && !ended.load(Ordering::SeqCst) {
            let searcher = index.searcher();
            latest = batch_of(&searcher, latest);
            seen.insert(latest);
            // The writer may apply batches in between: a searcher does not change.
            for number in [0, 1 + random.below(QUERIES as u64 - 1) as usize] {
                let (position, results) = &expected[latest];
                let found = searcher.search(&queries[number], &Budget::unlimited()).unwrap();
                assert_eq!(found, results[number], "at position {position}: {:?}", queries[number]);
                std::thread::yield_now();
            }
            searches.fetch_add(1, Ordering::SeqCst);
        }
        seen
    };

    let seen: BTreeSet<usize> = std::thread::scope(|scope| {
        scope.spawn(watch);
        let readers: Vec<_> = (0..READERS)
            .map(|_| {
                let random = Random::new(random.next_u64());
                scope.spawn(move || read(random))
            })
            .collect();
        let ended_flag = SetOnDrop(&ended);
        for batch in &batches {
            index.apply(batch.changes.clone(), batch.position);
            // One round more than readers can have started before this batch: at least one has seen it.
            let enough = searches.load(Ordering::SeqCst) + READERS + 1;
            while searches.load(Ordering::SeqCst) < enough && !ended.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
        }
        drop(ended_flag);
        readers.into_iter().flat_map(|reader| reader.join().expect("readers do not panic")).collect()
    });
    let every: BTreeSet<usize> = (1..=last).collect();
    assert!(
        seen.is_superset(&every),
        "no reader saw the index after batch {:?}",
        every.difference(&seen).next()
    );
}
