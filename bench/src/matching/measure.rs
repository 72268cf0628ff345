//! Measures the engines.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use domain::Property;

use super::Engine;
use super::vigie::{Churn, Vigie};
use crate::latencies::Latencies;

/// Results of a peer to compare, if its time limit allows.
const COMPARED: usize = 300;

/// Properties matched before the measurement.
const WARM_UP: usize = 20;

/// Vigie matches all properties repeatedly for this long, because one round is too short to measure.
const ROUNDS: Duration = Duration::from_secs(4);

/// The results of matching.
pub struct Matched {
    /// The matching searches of each property, ascending.
    pub sets: Vec<Vec<u32>>,
    /// Candidate rows read.
    pub walked: u64,
    /// Candidates fully evaluated.
    pub verified: u64,
}

/// The results of Vigie.
pub struct OurResult {
    pub matched: Matched,
    pub times: OurTimes,
    pub loading: Latencies,
    pub churn: Churn,
    pub bytes: usize,
    pub memory: Memory,
}

pub struct OurTimes {
    /// The mean over all rounds for each property.
    pub means: Vec<Duration>,
    pub all: Latencies,
    pub rounds: u32,
}

/// The results of a peer.
pub struct PeerResult {
    pub name: String,
    /// Times of the first properties, as many as fit into the time limit.
    pub times: Latencies,
    /// The mean time of Vigie for the same properties.
    pub ours: Duration,
    pub compared: usize,
}

/// Resident memory of this process, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Memory(pub u64);

impl Memory {
    /// Reads the current value; 0 if the system does not provide it.
    pub fn now() -> Self {
        let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
        Self(kilobytes.unwrap_or(0) * 1024)
    }

    pub fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

/// Matches every property once, without measuring.
pub fn match_all(vigie: &mut Vigie, properties: &[Property]) -> Matched {
    let mut matched = Matched { sets: Vec::with_capacity(properties.len()), walked: 0, verified: 0 };
    for property in properties {
        let found = vigie.percolate(property);
        matched.walked += found.scanned as u64;
        matched.verified += found.evaluated as u64;
        matched.sets.push(found.searches.into_iter().map(|number| number.0).collect());
    }
    matched
}

pub fn vigie(vigie: &mut Vigie, properties: &[Property]) -> OurTimes {
    let begun = Instant::now();
    let mut sums = vec![Duration::ZERO; properties.len()];
    let (mut all, mut rounds) = (Vec::new(), 0);
    while rounds == 0 || begun.elapsed() < ROUNDS {
        for (property, sum) in properties.iter().zip(&mut sums) {
            let started = Instant::now();
            std::hint::black_box(vigie.percolate(property));
            let took = started.elapsed();
            *sum += took;
            all.push(took);
        }
        rounds += 1;
    }
    OurTimes { means: sums.into_iter().map(|sum| sum / rounds).collect(), all: Latencies::of(all), rounds }
}

/// Measures a peer and compares its results with those of Vigie.
pub fn peer(
    engine: &mut dyn Engine,
    properties: &[Property],
    ours: &OurResult,
    budget: Duration,
) -> anyhow::Result<PeerResult> {
    let begun = Instant::now();
    for property in properties.iter().take(WARM_UP) {
        if begun.elapsed() < budget / 10 {
            engine.matches(property)?;
        }
    }
    let begun = Instant::now();
    let mut times = Vec::new();
    for (property, expected) in properties.iter().zip(&ours.matched.sets) {
        let started = Instant::now();
        let mut found = engine.matches(property).with_context(|| engine.name().to_owned())?;
        times.push(started.elapsed());
        if times.len() <= COMPARED {
            found.sort_unstable();
            ensure!(found == *expected, "{}", difference(engine.name(), property, &found, expected));
        }
        let budget = if times.len() < COMPARED { 2 * budget } else { budget };
        if begun.elapsed() >= budget {
            break;
        }
    }
    let same = &ours.times.means[..times.len()];
    let mean = same.iter().sum::<Duration>() / u32::try_from(same.len()).unwrap_or(u32::MAX).max(1);
    Ok(PeerResult {
        name: engine.name().to_owned(),
        compared: times.len().min(COMPARED),
        times: Latencies::of(times),
        ours: mean,
    })
}

fn difference(name: &str, property: &Property, found: &[u32], expected: &[u32]) -> String {
    let only = |one: &[u32], other: &[u32]| {
        one.iter().copied().filter(|number| !other.contains(number)).take(10).collect::<Vec<_>>()
    };
    format!(
        "{name} disagrees with Vigie on property {}: additional searches {:?}, missing searches {:?}",
        property.id,
        only(found, expected),
        only(expected, found)
    )
}
