//! Asks the questions and takes the time.

use std::time::{Duration, Instant};

use anyhow::Context;

use super::Engine;
use super::dataset::Dataset;
use super::question::{self, Answer, Kind, Question};

/// How many answers of each kind are compared. It warms the engines up as well.
const COMPARED: usize = 50;

/// How much is asked.
pub struct Run {
    /// Of each kind.
    pub questions: usize,
    /// An engine stops answering questions of a kind when this is over.
    pub budget: Duration,
    pub kinds: Vec<Kind>,
}

/// What came of one kind of questions.
pub struct KindResult {
    pub kind: Kind,
    pub engines: Vec<EngineResult>,
    /// How many properties an answer counts, on average over the questions compared.
    pub mean_total: f64,
    pub compared: usize,
}

/// What came of one engine and one kind of questions.
pub struct EngineResult {
    pub name: String,
    /// Of every question answered in time, the shortest first.
    pub times: Vec<Duration>,
    /// Among the questions compared, answers that were not those of the first engine.
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
        let questions = question::draw(dataset, kind, run.questions);
        let compared = &questions[..COMPARED.min(questions.len())];
        let mut expected: Option<Vec<Answer>> = None;
        let mut found = Vec::new();
        for engine in engines.iter_mut() {
            let answers = answer_all(engine.as_mut(), compared)?;
            let expected = expected.get_or_insert_with(|| answers.clone());
            let differing = |differs: fn(&Answer, &Answer) -> bool| {
                answers.iter().zip(expected.iter()).filter(|(one, other)| differs(one, other)).count()
            };
            found.push(EngineResult {
                name: engine.name().to_owned(),
                other_totals: differing(|one, other| one.total != other.total),
                other_ids: differing(|one, other| one.ids != other.ids),
                times: times(engine.as_mut(), &questions, run.budget)?,
            });
            eprintln!("{}: {}", kind.title(), engine.name());
        }
        let totals: u64 = expected.iter().flatten().map(|answer| answer.total).sum();
        let mean_total = totals as f64 / compared.len().max(1) as f64;
        results.push(KindResult { kind, engines: found, mean_total, compared: compared.len() });
    }
    Ok(results)
}

fn answer_all(engine: &mut dyn Engine, questions: &[Question]) -> anyhow::Result<Vec<Answer>> {
    questions.iter().map(|question| ask(engine, question)).collect()
}

fn times(engine: &mut dyn Engine, questions: &[Question], budget: Duration) -> anyhow::Result<Vec<Duration>> {
    let begun = Instant::now();
    let mut times = Vec::with_capacity(questions.len());
    for question in questions {
        let started = Instant::now();
        std::hint::black_box(ask(engine, question)?);
        times.push(started.elapsed());
        if begun.elapsed() >= budget {
            break;
        }
    }
    times.sort_unstable();
    Ok(times)
}

fn ask(engine: &mut dyn Engine, question: &Question) -> anyhow::Result<Answer> {
    engine.answer(question).with_context(|| format!("{} on {question:?}", engine.name()))
}
