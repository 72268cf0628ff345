//! Runs the queries and measures their latency.

use std::time::{Duration, Instant};

use anyhow::Context;

use super::Engine;
use super::dataset::Dataset;
use super::query::{self, Kind, Query, TopHits};

/// Results to compare per kind. These queries also warm up the engines.
const COMPARED: usize = 50;

/// The extent of a run.
pub struct Run {
    /// Per kind.
    pub queries: usize,
    /// The time limit per engine and kind.
    pub budget: Duration,
    pub kinds: Vec<Kind>,
}

/// The results for one kind of queries.
pub struct KindResult {
    pub kind: Kind,
    pub engines: Vec<EngineResult>,
    /// The mean total of the compared results.
    pub mean_total: f64,
    pub compared: usize,
}

/// The results of one engine for one kind of queries.
pub struct EngineResult {
    pub name: String,
    /// Latencies, ascending.
    pub times: Vec<Duration>,
    /// Compared results that differ from those of the first engine.
    pub other_totals: usize,
    pub other_ids: usize,
}

impl EngineResult {
    pub fn mean(&self) -> Duration {
        let count = u32::try_from(self.times.len()).unwrap_or(u32::MAX).max(1);
        self.times.iter().sum::<Duration>() / count
    }

    /// Returns the smallest latency that at least `percent` per cent do not exceed.
    pub fn percentile(&self, percent: usize) -> Duration {
        let position = (self.times.len() * percent).div_ceil(100).max(1) - 1;
        self.times.get(position).copied().unwrap_or_default()
    }
}

/// Runs all queries in all engines, kind by kind, so that a temporary load on the machine affects all engines alike.
pub fn measure(
    run: &Run,
    dataset: &Dataset,
    engines: &mut [Box<dyn Engine>],
) -> anyhow::Result<Vec<KindResult>> {
    let mut results = Vec::new();
    for kind in run.kinds.iter().copied() {
        let queries = query::draw(dataset, kind, run.queries);
        let compared = &queries[..COMPARED.min(queries.len())];
        let mut expected: Option<Vec<TopHits>> = None;
        let mut found = Vec::new();
        for engine in engines.iter_mut() {
            let answers = search_all(engine.as_mut(), compared)?;
            let expected = expected.get_or_insert_with(|| answers.clone());
            let differing = |differs: fn(&TopHits, &TopHits) -> bool| {
                answers.iter().zip(expected.iter()).filter(|(one, other)| differs(one, other)).count()
            };
            found.push(EngineResult {
                name: engine.name().to_owned(),
                other_totals: differing(|one, other| one.total != other.total),
                other_ids: differing(|one, other| one.ids != other.ids),
                times: times(engine.as_mut(), &queries, run.budget)?,
            });
            eprintln!("{}: {}", kind.title(), engine.name());
        }
        let totals: u64 = expected.iter().flatten().map(|answer| answer.total).sum();
        let mean_total = totals as f64 / compared.len().max(1) as f64;
        results.push(KindResult { kind, engines: found, mean_total, compared: compared.len() });
    }
    Ok(results)
}

fn search_all(engine: &mut dyn Engine, queries: &[Query]) -> anyhow::Result<Vec<TopHits>> {
    queries.iter().map(|query| search_one(engine, query)).collect()
}

fn times(engine: &mut dyn Engine, queries: &[Query], budget: Duration) -> anyhow::Result<Vec<Duration>> {
    let begun = Instant::now();
    let mut times = Vec::with_capacity(queries.len());
    for query in queries {
        let started = Instant::now();
        std::hint::black_box(search_one(engine, query)?);
        times.push(started.elapsed());
        if begun.elapsed() >= budget {
            break;
        }
    }
    times.sort_unstable();
    Ok(times)
}

fn search_one(engine: &mut dyn Engine, query: &Query) -> anyhow::Result<TopHits> {
    engine.search(query).with_context(|| format!("{} on {query:?}", engine.name()))
}
