//! The results as tables.

use std::fmt::Write;
use std::time::Duration;

use super::steady::{HOSTS, Steady};
use super::sustained::Sustained;
use crate::table::{dash, table};

/// The targets, printed next to the results.
const PER_SECOND_TARGET: u32 = 3_000;
const P50_TARGET: Duration = Duration::from_millis(20);
const P99_TARGET: Duration = Duration::from_millis(100);
const ADDED_P99_TARGET: Duration = Duration::from_millis(250);

pub fn sustained(ours: &[Sustained], peers: &[Sustained], markdown: bool) -> String {
    let mut text = String::new();
    let row = |it: &Sustained, ratio: String| {
        vec![
            it.name.clone(),
            it.messages.to_string(),
            it.bytes.to_string(),
            it.in_flight.to_string(),
            format!("{:.1}", it.took.as_secs_f64()),
            format!("{:.0}", it.per_second()),
            ratio,
        ]
    };
    let first = ours.first().map_or(f64::NAN, Sustained::per_second);
    let mut rows: Vec<Vec<String>> = ours.iter().map(|it| row(it, dash())).collect();
    rows.extend(peers.iter().map(|peer| row(peer, format!("{:.2}", first / peer.per_second()))));
    let head = ["", "messages", "bytes each", "in flight", "seconds", "per second", "ours ×"];
    table(
        &mut text,
        &format!("Sustained throughput (target: {PER_SECOND_TARGET} per second)"),
        &head,
        &rows,
        markdown,
    );
    text
}

pub fn delays(healthy: &Steady, hanging: &Steady, markdown: bool) -> String {
    let mut text = String::new();
    let milliseconds = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1e3);
    let row = |name: String, steady: &Steady| {
        vec![
            name,
            format!("{:.0}", steady.adverts_per_second),
            steady.delay.len().to_string(),
            milliseconds(steady.delay.percentile(50)),
            milliseconds(steady.delay.percentile(99)),
            milliseconds(steady.delay.max()),
            milliseconds(steady.receipt.percentile(50)),
            milliseconds(steady.receipt.percentile(99)),
            steady.at_the_last.to_string(),
        ]
    };
    let rows = [
        row(format!("{} hosts, all healthy", HOSTS + 1), healthy),
        row(format!("{HOSTS} healthy, one hangs"), hanging),
    ];
    let head = [
        "",
        "adverts/s",
        "messages",
        "p50 ms",
        "p99 ms",
        "max ms",
        "receipt p50 ms",
        "receipt p99 ms",
        "at the last host",
    ];
    let title = format!(
        "From the receipt of an advert to the arrival of its webhook at one of {HOSTS} hosts (targets: p50 {} ms, p99 {} ms)",
        P50_TARGET.as_millis(),
        P99_TARGET.as_millis()
    );
    table(&mut text, &title, &head, &rows, markdown);
    let added = |percent| {
        let (with, without) = (hanging.delay.percentile(percent), healthy.delay.percentile(percent));
        (with.as_secs_f64() - without.as_secs_f64()) * 1e3
    };
    _ = writeln!(
        text,
        "The host that hangs adds {:.1} ms to the p50 of the others and {:.1} ms to their p99 (target: {} ms).",
        added(50),
        added(99),
        ADDED_P99_TARGET.as_millis()
    );
    text
}
