//! Differential tests: the index and the oracle give the same results on random data.
//!
//! A case is a history: a small market is loaded, changed batch by batch, and now and then restarted. After every batch, random
//! queries are drawn from the table of filters and run on the index and on the oracle, a full scan ([`engine::scan`]). Both must
//! return the same properties in the same order with the same total, by every method of the API. A searcher taken in the middle
//! of the history is queried again at its end.
//!
//! `VIGIE_DIFFERENTIAL_CASES` sets the number of cases; `VIGIE_TEST_SEED` repeats those of an earlier run. A failing case is
//! shrunk before it is reported. [`map`] tests what a map shows on a larger market, [`percolator`] and [`explain`] test the percolator and explanations with the same queries.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod case;
mod compare;
mod concurrent_readers;
mod coverage;
mod explain;
mod history;
mod map;
mod market;
mod percolator;
mod query;
mod values;

use std::sync::Arc;

use domain::Property;
use engine::Searcher;
use engine::scan::ScanIndex;
use testkit::Random;

use case::{Case, attempt};
use compare::compare;
use coverage::Coverage;
use history::{Batch, HistoryGenerator, small_index};
use market::Market;
use query::Query;

/// Takes ten seconds in a debug build and draws every filter hundreds of times.
const CASES_DEFAULT: u64 = 1_500;

/// The approximate number of queries of a case.
const QUERIES: usize = 24;

#[test]
fn index_agrees_with_full_scan() {
    let cases =
        std::env::var("VIGIE_DIFFERENTIAL_CASES").map_or(CASES_DEFAULT, |cases| cases.parse().unwrap());
    let seed = testkit::random::seed();
    let mut coverage = Coverage::default();
    for case in 0..cases {
        run_case(seed.wrapping_add(case), &mut coverage);
    }
    println!("{cases} cases: {}", coverage.summary());
    // A short run, such as the repetition of one case, does not cover everything.
    if cases >= CASES_DEFAULT {
        coverage.assert_complete();
    }
}

/// Runs one case from its seed.
fn run_case(seed: u64, coverage: &mut Coverage) {
    let mut random = Random::new(seed);
    let size = match random.below(12) {
        0 => random.below(3),
        1..8 => 1 + random.below(24),
        8..11 => 20 + random.below(70),
        _ => 100 + random.below(220),
    };
    let count = *random.pick(&[1, 2, 3, 4, 12]);
    let held_after = random.below(count) as usize + 1;
    let mut generator = HistoryGenerator::new(Market::draw(&mut random), size);
    let (mut index, mut scan) = (small_index(), ScanIndex::default());
    let mut batches: Vec<Batch> = Vec::new();
    let mut held: Option<Held> = None;
    for number in 0..count {
        let batch = if number == 0 {
            generator.load(&mut random, size)
        } else {
            let size = *random.pick(&[0, 1, 1, 2, 5, 12, size / 2]);
            generator.change(&mut random, size)
        };
        batches.push(batch.clone());
        index = attempt(|| batch.apply(index, &mut scan)).unwrap_or_else(|mismatch| {
            let query = Query::match_all();
            Case { batches: batches.clone(), taken_after: batches.len(), query }.fail(seed, &mismatch)
        });
        let properties: Vec<&Property> = generator.present.values().map(|property| &**property).collect();
        for _ in 0..QUERIES.div_ceil(count as usize) {
            let query = Query::draw(&mut random, &properties);
            check(seed, &batches, batches.len(), &index.searcher(), &scan, &query, coverage);
            if batches.len() == held_after && held.is_none() {
                held =
                    Some(Held { searcher: index.searcher(), scan: scan.clone(), after: held_after, query });
            }
        }
    }
    if let Some(Held { searcher, scan, after, query }) = held {
        check(seed, &batches, after, &searcher, &scan, &query, coverage);
    }
}

/// A searcher that is held while the index changes, with the state it must keep.
struct Held {
    searcher: Arc<Searcher>,
    scan: ScanIndex,
    after: usize,
    query: Query,
}

/// Runs one query on the index and on the oracle.
fn check(
    seed: u64,
    batches: &[Batch],
    taken_after: usize,
    searcher: &Arc<Searcher>,
    scan: &ScanIndex,
    query: &Query,
    coverage: &mut Coverage,
) {
    let position = batches[taken_after - 1].position;
    match attempt(|| compare(searcher, scan, position, query)).flatten() {
        Ok(agreement) => coverage.record(query, &agreement, scan.len()),
        Err(mismatch) => {
            Case { batches: batches.to_vec(), taken_after, query: query.clone() }.fail(seed, &mismatch)
        }
    }
}
