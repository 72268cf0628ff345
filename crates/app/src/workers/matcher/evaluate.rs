//! Evaluates a batch of log entries against the saved searches: a pure function of what was read beforehand.

use std::collections::HashMap;

use domain::matching::{is_available, notifiable_events};
use domain::search::MatchChannel;
use domain::{Property, PropertyId, SearchId, SearchNumber};
use store::{Change, LogEntry, MatchGroup, Notification, OutboxEntry, PropertyCause, StoredSearch};

use super::percolator_state::PercolatorState;
use crate::App;
use crate::matching::MatchStats;

/// Entries of the log, with all records they refer to.
pub struct LogBatch {
    pub entries: Vec<LogEntry>,
    pub searches: HashMap<(SearchId, u32), StoredSearch>,
    pub versions: HashMap<(PropertyId, u32), PropertyVersion>,
    /// Searches that already have a match with a property.
    pub matched: HashMap<PropertyId, Vec<SearchNumber>>,
}

/// A version of a property.
pub enum PropertyVersion {
    Intact(Property),
    /// The stored record cannot be decoded.
    Damaged,
}

/// The matches and notifications of a batch.
#[derive(Debug, Default)]
pub struct MatchedBatch {
    pub groups: Vec<MatchGroup>,
    pub stats: MatchStats,
}

impl LogBatch {
    /// Evaluates the entries in order. An entry about a search changes `state` for the entries after it.
    pub fn evaluate(mut self, app: &App, state: &mut PercolatorState) -> MatchedBatch {
        let mut batch = MatchedBatch::default();
        for entry in std::mem::take(&mut self.entries) {
            match &entry.change {
                Change::Search { search, version } => {
                    match self.searches.get(&(*search, *version)) {
                        Some(stored) => state.put(app, stored),
                        // Damaged, or removed later in the log. Its previous version does not match any more either.
                        None => state.remove(*search),
                    }
                }
                Change::SearchRemoved { search } => state.remove(*search),
                Change::Property { cause: PropertyCause::Crawl, .. } => {}
                Change::Property { .. } if state.is_empty() => {}
                Change::Property { .. } => {
                    let group = self.evaluate_property(&entry, state, &mut batch.stats);
                    batch.groups.extend(group);
                }
                Change::PropertyRemoved { .. } | Change::Erased => {}
            }
        }
        batch
    }

    fn evaluate_property(
        &mut self,
        entry: &LogEntry,
        state: &mut PercolatorState,
        stats: &mut MatchStats,
    ) -> Option<MatchGroup> {
        let Change::Property { property, version, advert, cause } = &entry.change else { return None };
        // An erased version matches nothing, and if one of the two versions is damaged the change is unknown.
        let PropertyVersion::Intact(after) = self.versions.get(&(*property, *version))? else { return None };
        let before = match self.versions.get(&(*property, version.saturating_sub(1))) {
            Some(PropertyVersion::Intact(before)) => Some(before),
            Some(PropertyVersion::Damaged) => return None,
            None => None,
        };
        let mut percolate = |property: &Property| {
            let result = state.percolate(property);
            stats.properties += 1;
            stats.candidates += result.scanned as u64;
            stats.evaluated += result.evaluated as u64;
            result.searches
        };
        let searches_after = percolate(after);
        let searches_before = before.map(percolate).unwrap_or_default();
        let already_matched = self.matched.entry(*property).or_default();
        already_matched.sort_unstable();

        // A property that was not available before the change did not match.
        let matched_before: &[SearchNumber] = match before {
            Some(before) if is_available(before) => &searches_before,
            Some(_) | None => &[],
        };
        let matched = if is_available(after) {
            without(without(searches_after.iter().copied(), matched_before), already_matched).collect()
        } else {
            Vec::new()
        };
        let mut outbox = Vec::new();
        for channel in [MatchChannel::Endpoint, MatchChannel::Email] {
            notify(&mut outbox, state, Notification::Match(channel), &matched);
        }
        let events = match cause {
            PropertyCause::Advert { events } | PropertyCause::Regrouped { events, .. } => events.as_slice(),
            PropertyCause::Crawl | PropertyCause::AdvertLeft | PropertyCause::AdvertErased(_) => &[],
        };
        let notifiable_events = notifiable_events(events);
        if !notifiable_events.is_empty() {
            let concerned = union(&searches_before, &searches_after);
            for (name, index) in notifiable_events {
                let index = u16::try_from(index).unwrap_or(u16::MAX);
                notify(&mut outbox, state, Notification::Event(name, index), &concerned);
            }
        }
        // A search that receives an event without a match is linked to the property, so that the event can refer to it.
        let notified = outbox.iter().filter(|entry| matches!(entry.notification, Notification::Event(..)));
        let notified = notified.fold(Vec::new(), |all, entry| union(&all, &entry.searches));
        let linked: Vec<_> = without(without(notified.into_iter(), already_matched), &matched).collect();
        *already_matched = union(already_matched, &matched);
        if matched.is_empty() && outbox.is_empty() {
            return None;
        }
        stats.matches += matched.len() as u64;
        stats.notifications += outbox.iter().map(|entry| entry.searches.len() as u64).sum::<u64>();
        Some(MatchGroup {
            position: entry.position,
            at: entry.recorded_at,
            property: *property,
            version: *version,
            advert: *advert,
            matched,
            linked,
            inherited: Vec::new(),
            outbox,
        })
    }
}

/// Adds an outbox entry for those of the searches that are subscribed to a notification.
fn notify(
    outbox: &mut Vec<OutboxEntry>,
    state: &PercolatorState,
    notification: Notification,
    searches: &[SearchNumber],
) {
    let searches: Vec<_> =
        searches.iter().copied().filter(|number| state.is_subscribed(*number, notification)).collect();
    if !searches.is_empty() {
        outbox.push(OutboxEntry { notification, searches });
    }
}

/// Returns the numbers that are not in `others`. Both are ascending.
fn without<'a>(
    numbers: impl Iterator<Item = SearchNumber> + 'a,
    others: &'a [SearchNumber],
) -> impl Iterator<Item = SearchNumber> + 'a {
    let mut rest = others;
    numbers.filter(move |number| {
        while rest.first().is_some_and(|other| other < number) {
            rest = &rest[1..];
        }
        rest.first() != Some(number)
    })
}

/// Returns the union of two ascending lists, ascending.
fn union(one: &[SearchNumber], other: &[SearchNumber]) -> Vec<SearchNumber> {
    let mut all = Vec::with_capacity(one.len().max(other.len()));
    all.extend(without(one.iter().copied(), other));
    all.extend_from_slice(other);
    all.sort_unstable();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(numbers: &[u32]) -> Vec<SearchNumber> {
        numbers.iter().map(|number| SearchNumber(*number)).collect()
    }

    #[test]
    fn union_and_difference_of_ascending_numbers() {
        let (one, other) = (numbers(&[1, 3, 5, 9]), numbers(&[2, 3, 9, 12]));
        assert_eq!(union(&one, &other), numbers(&[1, 2, 3, 5, 9, 12]));
        assert_eq!(without(one.iter().copied(), &other).collect::<Vec<_>>(), numbers(&[1, 5]));
        assert_eq!(union(&[], &other), other);
        assert_eq!(without(other.iter().copied(), &[]).collect::<Vec<_>>(), other);
    }
}
