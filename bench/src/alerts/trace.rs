//! Maps adverts to their log entries, and log entries to the recorded matches.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::time::Duration;

use domain::AdvertId;
use store::{Change, LogEntry, Position, Store};

use super::feed::Sending;
use super::watch::Seen;
use crate::latencies::Latencies;

/// Entries per read.
const PER_READ: usize = 2_000;

/// The log entries and matches of the requests.
pub struct Trace {
    /// The entries that each request created.
    entries: Vec<Vec<Position>>,
    /// The result of each entry that has any.
    outcomes: HashMap<Position, Recorded>,
    /// Entries with matches that no request created.
    lost: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Recorded {
    matches: usize,
    notifications: usize,
}

impl Trace {
    /// Reads everything after a position. An entry belongs to the first request with its advert that was not acknowledged before the
    /// entry was written. Even a crawl without a change may create an entry, because it updates which advert was seen last.
    pub async fn read(store: &dyn Store, start: Position, sent: &[Sending]) -> anyhow::Result<Self> {
        let mut sendings: HashMap<AdvertId, Vec<usize>> = HashMap::new();
        for (number, sending) in sent.iter().enumerate() {
            for advert in sending.receipts.iter().filter_map(|receipt| receipt.advert) {
                sendings.entry(advert).or_default().push(number);
            }
        }
        let mut entries: Vec<Vec<Position>> = vec![Vec::new(); sent.len()];
        let mut position = start;
        loop {
            let read = store.log_after(position, PER_READ).await?;
            let Some(last) = read.last() else { break };
            position = last.position;
            for entry in &read {
                let of_advert =
                    advert_of(entry).and_then(|advert| sendings.get(&advert)).into_iter().flatten();
                let mut made =
                    of_advert.filter(|number| sent[**number].acknowledged_by_clock >= entry.recorded_at);
                if let Some(sending) = made.next() {
                    entries[*sending].push(entry.position);
                }
            }
        }
        let mut lost = 0;
        let traced: HashSet<Position> = entries.iter().flatten().copied().collect();
        let mut outcomes = HashMap::new();
        let mut position = start;
        loop {
            let groups = store.match_groups_after(position, PER_READ).await?;
            let Some(last) = groups.last() else { break };
            position = last.position;
            for group in groups {
                let notifications = group.outbox.iter().map(|entry| entry.searches.len()).sum();
                lost += usize::from(!traced.contains(&group.position) && !group.matched.is_empty());
                outcomes.insert(group.position, Recorded { matches: group.matched.len(), notifications });
            }
        }
        Ok(Self { entries, outcomes, lost })
    }

    pub fn report(&self, sent: &[Sending], seen: &Seen, warm_up: Duration, target: Duration) -> String {
        let (mut since_receipt, mut since_sending) = (Vec::new(), Vec::new());
        let (mut adverts, mut sum) = (0, Recorded::default());
        let mut receipts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut answered = Vec::new();
        let measured = || sent.iter().zip(&self.entries).filter(|(sending, _)| sending.due >= warm_up);
        for (sending, entries) in measured() {
            adverts += sending.receipts.len();
            answered.push(sending.acknowledged_at - sending.sent_at);
            for receipt in &sending.receipts {
                *receipts.entry(&receipt.outcome).or_default() += 1;
            }
            for position in entries {
                let Some(recorded) = self.outcomes.get(position).filter(|recorded| recorded.matches > 0)
                else {
                    continue;
                };
                sum.matches += recorded.matches;
                sum.notifications += recorded.notifications;
                let Some(recorded_at) = seen.at(*position) else { continue };
                since_receipt.push(recorded_at.saturating_duration_since(sending.acknowledged_at));
                since_sending.push(recorded_at.saturating_duration_since(sending.sent_at));
            }
        }
        let seconds = seconds(measured().map(|(sending, _)| sending));
        let before = since_receipt.iter().filter(|time| time.is_zero()).count();
        let (receipt, sending, answered) =
            (Latencies::of(since_receipt), Latencies::of(since_sending), Latencies::of(answered));
        let mut text = String::new();
        let per_second = |count: usize| count as f64 / seconds;
        let outcomes: Vec<String> =
            receipts.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        _ = writeln!(
            text,
            "{:.0} adverts per second were acknowledged for {seconds:.0} s ({}); request time {}",
            per_second(adverts),
            outcomes.join(", "),
            percentiles(&answered)
        );
        _ = writeln!(
            text,
            "{:.0} matches per second were recorded for {:.0} adverts per second, with {:.0} notifications per second",
            per_second(sum.matches),
            per_second(receipt.len()),
            per_second(sum.notifications)
        );
        _ = writeln!(
            text,
            "from the receipt of an advert to its recorded matches: {} (target: p99 under {} ms); {:.0} % were recorded before the receipt \
             arrived",
            percentiles(&receipt),
            target.as_millis(),
            100.0 * before as f64 / receipt.len().max(1) as f64
        );
        if self.lost > 0 {
            _ = writeln!(text, "{} adverts with matches could not be traced and are not included", self.lost);
        }
        _ = writeln!(text, "from sending an advert to its recorded matches: {}", percentiles(&sending));
        text
    }
}

/// Returns the seconds from the first request to the last receipt.
fn seconds<'a>(sent: impl Iterator<Item = &'a Sending> + Clone) -> f64 {
    let first = sent.clone().map(|sending| sending.sent_at).min();
    let last = sent.map(|sending| sending.acknowledged_at).max();
    first.zip(last).map_or(f64::NAN, |(first, last)| (last - first).as_secs_f64())
}

fn percentiles(times: &Latencies) -> String {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    format!(
        "p50 {:.1} ms, p99 {:.1} ms, max {:.1} ms",
        milliseconds(times.percentile(50)),
        milliseconds(times.percentile(99)),
        milliseconds(times.max())
    )
}

/// Returns the advert that created an entry.
fn advert_of(entry: &LogEntry) -> Option<AdvertId> {
    match &entry.change {
        Change::Property { advert, .. } => Some(*advert),
        Change::PropertyRemoved { .. }
        | Change::Search { .. }
        | Change::SearchRemoved { .. }
        | Change::Erased
        | Change::Damaged { .. } => None,
    }
}

/// Returns the last position of the log, including entries of other processes.
pub async fn head(store: &dyn Store, after: Position) -> anyhow::Result<Position> {
    let mut position = after;
    while let Some(last) = store.log_after(position, PER_READ).await?.last() {
        position = last.position;
    }
    Ok(position)
}
