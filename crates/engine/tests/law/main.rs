//! The law of the index: it finds what a scan finds.
//!
//! A case is a history: a small market is loaded, changed batch by batch, now and then restarted. After every batch
//! questions are drawn from the table of filters and put to both, the index and the scan; they must give the same
//! properties in the same order with the same total, by every way of asking. A view taken in the middle is asked again at
//! the end.
//!
//! `VIGIE_LAW_CASES` sets how many cases are played, `VIGIE_TEST_SEED` repeats those of an earlier run. A case that fails is
//! made as small as it gets before it is told. [`mirror`] puts the same questions the other way round.

#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

mod ask;
mod case;
mod coverage;
mod explained;
mod history;
mod judge;
mod market;
mod mirror;
mod readers;
mod values;

use std::sync::Arc;

use domain::Property;
use engine::View;
use engine::scan::Scan;
use testkit::Random;

use ask::Ask;
use case::{Case, attempt};
use coverage::Coverage;
use history::{Batch, Historian, small_index};
use judge::judge;
use market::Market;

/// Ten seconds of work in a debug build, and enough for every filter to be drawn hundreds of times.
const CASES_DEFAULT: u64 = 1_500;

/// About how many questions a case asks.
const QUESTIONS: usize = 24;

#[test]
fn the_index_finds_what_a_scan_finds() {
    let cases = std::env::var("VIGIE_LAW_CASES").map_or(CASES_DEFAULT, |cases| cases.parse().unwrap());
    let seed = testkit::random::seed();
    let mut coverage = Coverage::default();
    for case in 0..cases {
        play(seed.wrapping_add(case), &mut coverage);
    }
    println!("{cases} cases: {}", coverage.told());
    // A short run, as the repeating of one case is, cannot have seen everything.
    if cases >= CASES_DEFAULT {
        coverage.assert_complete();
    }
}

/// Plays one case from its seed.
fn play(seed: u64, coverage: &mut Coverage) {
    let mut random = Random::new(seed);
    let size = match random.below(12) {
        0 => random.below(3),
        1..8 => 1 + random.below(24),
        8..11 => 20 + random.below(70),
        _ => 100 + random.below(220),
    };
    let count = *random.pick(&[1, 2, 3, 4, 12]);
    let held_after = random.below(count) as usize + 1;
    let mut historian = Historian::new(Market::draw(&mut random), size);
    let (mut index, mut scan) = (small_index(), Scan::default());
    let mut batches: Vec<Batch> = Vec::new();
    let mut held: Option<Held> = None;
    for number in 0..count {
        let batch = if number == 0 {
            historian.load(&mut random, size)
        } else {
            let size = *random.pick(&[0, 1, 1, 2, 5, 12, size / 2]);
            historian.change(&mut random, size)
        };
        batches.push(batch.clone());
        index = attempt(|| batch.apply(index, &mut scan)).unwrap_or_else(|dispute| {
            let ask = Ask::plain();
            Case { batches: batches.clone(), taken_after: batches.len(), ask }.fail(seed, &dispute)
        });
        let properties: Vec<&Property> = historian.present.values().map(|property| &**property).collect();
        for _ in 0..QUESTIONS.div_ceil(count as usize) {
            let ask = Ask::draw(&mut random, &properties);
            put(seed, &batches, batches.len(), &index.view(), &scan, &ask, coverage);
            if batches.len() == held_after && held.is_none() {
                held = Some(Held { view: index.view(), scan: scan.clone(), after: held_after, ask });
            }
        }
    }
    if let Some(Held { view, scan, after, ask }) = held {
        put(seed, &batches, after, &view, &scan, &ask, coverage);
    }
}

/// A view that somebody keeps while the index changes, with what it must go on answering.
struct Held {
    view: Arc<View>,
    scan: Scan,
    after: usize,
    ask: Ask,
}

/// Puts one request to both.
fn put(
    seed: u64,
    batches: &[Batch],
    taken_after: usize,
    view: &Arc<View>,
    scan: &Scan,
    ask: &Ask,
    coverage: &mut Coverage,
) {
    let position = batches[taken_after - 1].position;
    match attempt(|| judge(view, scan, position, ask)).flatten() {
        Ok(agreed) => coverage.note(ask, &agreed, scan.len()),
        Err(dispute) => {
            Case { batches: batches.to_vec(), taken_after, ask: ask.clone() }.fail(seed, &dispute)
        }
    }
}
