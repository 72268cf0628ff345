//! Search latency during writes: one thread runs the mix, first alone and then while another thread updates the index.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use domain::Property;
use engine::{Change, Index, SequenceNumber};

use super::dataset::Dataset;
use super::query::{self, Kind};
use super::vigie::request;
use crate::pace;

/// Batches of changes per second.
const PER_SECOND: u64 = 20;

/// Queries per kind, repeated.
const QUERIES: usize = 500;

/// Measures both for the given duration and describes the results.
pub fn measure(
    dataset: &Dataset,
    index: &Arc<Index>,
    changes_per_second: u64,
    long: Duration,
) -> anyhow::Result<String> {
    let mut kinds = Vec::new();
    for kind in Kind::ALL.into_iter().filter(|kind| kind.is_in_mix()) {
        let queries = query::draw(dataset, kind, QUERIES);
        kinds.push(queries.iter().map(request).collect::<anyhow::Result<Vec<_>>>()?);
    }
    let mix: Vec<engine::SearchRequest> =
        (0..QUERIES).flat_map(|number| kinds.iter().map(move |kind| kind[number].clone())).collect();
    let alone = times(index, &mix, long);
    let stop = AtomicBool::new(false);
    let (busy, written) = std::thread::scope(|scope| {
        let merging = scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                if !index.maintain() {
                    pace::wait_for(Duration::from_millis(100), Instant::now());
                }
            }
        });
        let writing = scope.spawn(|| write(dataset, index, changes_per_second, &stop));
        let busy = times(index, &mix, long);
        stop.store(true, Ordering::Relaxed);
        let written = writing.join().unwrap_or_default();
        let _ = merging.join();
        (busy, written)
    });
    let percentile =
        |times: &[f64], percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    let line = |times: &[f64]| {
        format!("median {:.1} µs, p99 {:.0} µs", percentile(times, 50), percentile(times, 99))
    };
    Ok(format!(
        "The mix on one thread: alone {}; with {:.0} changed properties per second {}: p99 ratio {:.2}, {} segments at the end\n",
        line(&alone),
        written as f64 / long.as_secs_f64(),
        line(&busy),
        percentile(&busy, 99) / percentile(&alone, 99),
        index.searcher().segment_readers().len(),
    ))
}

/// Returns the latencies in microseconds, ascending.
fn times(index: &Index, mix: &[engine::SearchRequest], long: Duration) -> Vec<f64> {
    let begun = Instant::now();
    let mut times = Vec::new();
    for query in mix.iter().cycle() {
        if begun.elapsed() >= long {
            break;
        }
        let started = Instant::now();
        let _ = std::hint::black_box(index.searcher().search(query, &engine::Budget::unlimited()));
        times.push(started.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    times
}

/// Updates properties at a steady rate, as the indexer does, until `stop` is set. Returns their number.
fn write(dataset: &Dataset, index: &Index, per_second: u64, stop: &AtomicBool) -> u64 {
    let mut properties = dataset.properties();
    let begun = Instant::now();
    let mut written = 0;
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let position = 1_000_000_000 + number;
        let put = |property: Property| Change::Put(property.into(), SequenceNumber(position));
        let changes: Vec<Change> =
            properties.by_ref().take((per_second / PER_SECOND) as usize).map(put).collect();
        written += changes.len() as u64;
        index.apply(changes, position);
        pace::wait_for(pace::due(number, PER_SECOND), begun);
    }
    written
}
