//! Readers while somebody writes: each sees the index as it was after some batch, whole.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use domain::{Criteria, Property};
use engine::scan::Scan;
use engine::{SearchRequest, SearchResult, View};
use testkit::Random;

use crate::ask::Ask;
use crate::history::{Historian, small_index};
use crate::market::Market;

const READERS: usize = 2;
const BATCHES: usize = 200;
const QUESTIONS: usize = 6;
const PROPERTIES: u64 = 60;

/// Says that somebody is gone, however it went: nobody must wait for it.
struct Leaving<'a>(&'a AtomicBool);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn every_reader_sees_the_index_as_it_was_after_some_batch() {
    let mut random = Random::new(testkit::random::seed());
    let market = Market::draw(&mut random);
    let mut historian = Historian::new(market, PROPERTIES);
    let mut batches = vec![historian.load(&mut random, PROPERTIES)];
    let present: Vec<_> = historian.present.values().cloned().collect();
    let present: Vec<&Property> = present.iter().map(|property| &**property).collect();
    // The first asks for everything: its answer shows every sequence_number.
    let everything = SearchRequest { criteria: Criteria::default(), ..Ask::plain().request() };
    let drawn = (1..QUESTIONS).map(|_| SearchRequest {
        skip: 0,
        take: 30,
        ..Ask::draw(&mut random, &present).request()
    });
    let questions: Vec<SearchRequest> = std::iter::once(everything).chain(drawn).collect();
    for _ in 1..BATCHES {
        let size = random.below(10);
        batches.push(historian.change(&mut random, size));
    }

    // What every request is answered after every batch; the first entry is the empty index.
    let mut scan = Scan::default();
    let answers = |scan: &Scan| -> Vec<SearchResult> { questions.iter().map(|it| scan.search(it)).collect() };
    let mut expected = vec![(0, answers(&scan))];
    for batch in &batches {
        batch.changes().into_iter().for_each(|change| scan.apply(change));
        expected.push((batch.position, answers(&scan)));
    }
    let last = expected.len() - 1;

    let index = small_index();
    let (searches, left) = (AtomicUsize::new(0), AtomicBool::new(false));
    // The batch after which a view was taken, if its size is right.
    let moment = |view: &View, earliest: usize| {
        let moment = expected.binary_search_by_key(&view.position(), |(position, _)| *position);
        let moment = moment.expect("a position at which a batch ended");
        assert!(moment >= earliest, "a later view shows an earlier index");
        assert_eq!(view.len(), expected[moment].1[0].total, "at position {}", view.position());
        moment
    };
    // Looks at the size alone, as fast as it goes: what is visible by mistake between two views is visible for a moment only.
    let watch = || {
        let _leaving = Leaving(&left);
        let mut latest = 0;
        while !left.load(Ordering::SeqCst) {
            latest = moment(&index.view(), latest);
        }
    };
    let read = |mut random: Random| {
        let _leaving = Leaving(&left);
        let mut seen = BTreeSet::from([0]);
        let mut latest = 0;
        while latest < last && !left.load(Ordering::SeqCst) {
            let view = index.view();
            latest = moment(&view, latest);
            seen.insert(latest);
            // With a pause in which much may be written: a view does not change while it is held.
            for number in [0, 1 + random.below(QUESTIONS as u64 - 1) as usize] {
                let (position, answers) = &expected[latest];
                let found = view.search(&questions[number]);
                assert_eq!(found, answers[number], "at position {position}: {:?}", questions[number]);
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
        let leaving = Leaving(&left);
        for batch in &batches {
            index.apply(batch.changes(), batch.position);
            // One round more than readers can have begun before this batch: somebody has seen it.
            let enough = searches.load(Ordering::SeqCst) + READERS + 1;
            while searches.load(Ordering::SeqCst) < enough && !left.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
        }
        drop(leaving);
        readers
            .into_iter()
            .flat_map(|reader| reader.join().expect("a reader that saw what it should"))
            .collect()
    });
    let every: BTreeSet<usize> = (1..=last).collect();
    assert!(
        seen.is_superset(&every),
        "nobody saw the index after batch {:?}",
        every.difference(&seen).next()
    );
}
