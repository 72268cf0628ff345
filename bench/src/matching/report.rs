//! The results as tables and lists.

use std::fmt::Write;
use std::time::Duration;

use domain::Property;

use super::draw::DESCRIPTION;
use super::measure::{OurResult, PeerResult};
use super::vigie::NAME;
use crate::latencies::Latencies;
use crate::search::dataset::Dataset;
use crate::table::{dash, microseconds, per_second, table, times};

/// The targets by number of searches, printed next to the results.
const PER_SECOND_TARGETS: [(u32, u32); 2] = [(100_000, 25_000), (1_000_000, 3_000)];
const BYTES_TARGET: u32 = 300;
const ADD_TARGET_MICROSECONDS: u32 = 100;

/// Describes the properties and the searches.
pub fn describe(dataset: &Dataset, properties: &[Property]) -> String {
    let adverts: usize = properties.iter().map(|property| property.adverts.len()).sum();
    format!(
        "{} properties (seed {}), {:.2} adverts each.\nSaved searches: {DESCRIPTION}.",
        properties.len(),
        dataset.world().seed(),
        adverts as f64 / properties.len().max(1) as f64,
    )
}

pub fn tables(count: u32, ours: &OurResult, peers: &[PeerResult], markdown: bool) -> String {
    let mut text = String::new();
    let row = |name: &str, properties: usize, latencies: &Latencies, ratio: String| {
        vec![
            name.to_owned(),
            properties.to_string(),
            per_second(latencies.mean().as_secs_f64()),
            microseconds(latencies.mean()),
            microseconds(latencies.percentile(50)),
            microseconds(latencies.percentile(99)),
            ratio,
        ]
    };
    let mut rows = vec![row(NAME, ours.matched.sets.len(), &ours.times.all, dash())];
    rows.extend(
        peers
            .iter()
            .map(|peer| row(&peer.name, peer.times.len(), &peer.times, times(peer.times.mean(), peer.ours))),
    );
    let head = ["", "properties", "per second", "mean µs", "median µs", "p99 µs", "mean ×"];
    table(&mut text, &format!("{count} saved searches"), &head, &rows, markdown);
    sentences(&mut text, count, ours);
    agreement(&mut text, peers);
    text
}

fn sentences(text: &mut String, count: u32, ours: &OurResult) {
    let OurResult { matched, times, loading, churn, bytes, memory } = ours;
    let bullet = |text: &mut String, line: String| _ = writeln!(text, "- {line}");
    if let Some((_, target)) = PER_SECOND_TARGETS.iter().find(|(searches, _)| *searches == count) {
        let reached = per_second(times.all.mean().as_secs_f64());
        bullet(
            text,
            format!(
                "{NAME}: {reached} properties per second on one core, over {} rounds (target: {target} or more)",
                times.rounds
            ),
        );
    }
    let mut sizes: Vec<usize> = matched.sets.iter().map(Vec::len).collect();
    sizes.sort_unstable();
    let per_property = |sum: u64| sum as f64 / sizes.len().max(1) as f64;
    bullet(
        text,
        format!(
            "matches per property: mean {:.0}, median {}, max {}; {} properties without a match",
            per_property(sizes.iter().sum::<usize>() as u64),
            sizes.get(sizes.len() / 2).copied().unwrap_or_default(),
            sizes.last().copied().unwrap_or_default(),
            sizes.iter().filter(|size| **size == 0).count(),
        ),
    );
    bullet(
        text,
        format!(
            "candidates per property: {:.0} read from columns, {:.1} fully evaluated",
            per_property(matched.walked),
            per_property(matched.verified)
        ),
    );
    let per_search = |bytes: u64| bytes as f64 / f64::from(count.max(1));
    bullet(
        text,
        format!(
            "{:.0} bytes per search without its stored text (target: {BYTES_TARGET} or less){}",
            per_search(*bytes as u64),
            grown(*bytes as u64, memory.0)
                .map(|grown| format!("; the process grew by {:.0} per search", per_search(grown)))
                .unwrap_or_default(),
        ),
    );
    bullet(text, format!("adding all, one at a time: {}", summary(loading)));
    bullet(
        text,
        format!(
            "adding one to all others: {} (target: under {ADD_TARGET_MICROSECONDS} µs)",
            summary(&churn.add)
        ),
    );
    bullet(text, format!("removing one: {}", summary(&churn.remove)));
}

/// Returns the growth of the process if it is meaningful: a small index may fit into memory that was freed before.
fn grown(bytes: u64, grown: u64) -> Option<u64> {
    (grown > bytes / 2).then_some(grown)
}

fn summary(times: &Latencies) -> String {
    format!(
        "mean {} µs, p99 {} µs, max {} µs",
        fine(times.mean()),
        fine(times.percentile(99)),
        fine(times.max())
    )
}

/// Prints small values with two decimals.
fn fine(time: Duration) -> String {
    if time < Duration::from_micros(10) {
        format!("{:.2}", time.as_secs_f64() * 1e6)
    } else {
        microseconds(time)
    }
}

/// A peer that disagreed has failed the run.
fn agreement(text: &mut String, peers: &[PeerResult]) {
    if peers.is_empty() {
        return;
    }
    let compared = peers.iter().map(|peer| format!("{} on {}", peer.name, peer.compared));
    let compared: Vec<String> = compared.collect();
    _ = writeln!(text, "- same results as {NAME} for all compared properties: {}", compared.join(", "));
}
