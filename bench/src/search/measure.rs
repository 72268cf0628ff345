//! Asks the queries and takes the time.

use std::time::{Duration, Instant};

use anyhow::Context;

use super::Engine;
use super::dataset::Dataset;
use super::query::{self, Kind, Query, TopHits};

/// How many answers of each kind are compared. It warms the engines up as well.
const COMPARED: usize = 50;

/// How much is asked.
pub struct Run {
    /// Of each kind.
    pub queries: usize,
    /// An engine stops answering queries of a kind when this is over.
    pub budget: Duration,
    pub kinds: Vec<Kind>,
}

/// What came of one kind of queries.
pub struct KindResult {
    pub kind: Kind,
    pub engines: Vec<EngineResult>,
    /// How many properties an answer counts, on average over the queries compared.
    pub mean_total: f64,
    pub compared: usize,
}

/// What came of one engine and one kind of queries.
pub struct EngineResult {
    pub name: String,
    /// Of every query answered in time, the shortest first.
    pub times: Vec<Duration>,
    /// Among the queries compared, answers that were not those of the first engine.
    pub other_totals: usize,
    pub other_ids: usize,
}

impl EngineResult {
    pub fn mean(&self) -> Duration {
        let count = u32::try_from(self.times.len()).unwrap_or(u32::MAX).max(1);
        self.times.iter().sum::<Duration>() / count
    }

    /// The time that so many in a hundred do not exceed.
    pub fn percentile(&self, percent: usize) -> Duration {
        let position = (self.times.len() * percent).div_ceil(100).max(1) - 1;
        self.times.get(position).copied().unwrap_or_default()
    }
}

/// Asks every engine everything. Kind by kind, so that what disturbs the machine for a while disturbs all of them.
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
            let answers = answer_all(engine.as_mut(), compared)?;
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

fn answer_all(engine: &mut dyn Engine, queries: &[Query]) -> anyhow::Result<Vec<TopHits>> {
    queries.iter().map(|query| ask(engine, query)).collect()
}

fn times(engine: &mut dyn Engine, queries: &[Query], budget: Duration) -> anyhow::Result<Vec<Duration>> {
    let begun = Instant::now();
    let mut times = Vec::with_capacity(queries.len());
    for query in queries {
        let started = Instant::now();
        std::hint::black_box(ask(engine, query)?);
        times.push(started.elapsed());
        if begun.elapsed() >= budget {
            break;
        }
    }
    times.sort_unstable();
    Ok(times)
}

fn ask(engine: &mut dyn Engine, query: &Query) -> anyhow::Result<TopHits> {
    engine.search(query).with_context(|| format!("{} on {query:?}", engine.name()))
}
