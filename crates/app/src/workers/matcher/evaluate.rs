//! Evaluates a batch of log entries against the saved searches: a pure function of what was read beforehand.

use std::collections::HashMap;

use domain::matching::{is_available, notifiable_events};
use domain::search::MatchChannel;
use domain::{Property, PropertyId, SearchId, SearchNumber};
use store::{
    Change, LogEntry, MatchGroup, Notification, OutboxEntry, PropertyCause, RemovalCause, StoredSearch,
};

use super::UNKNOWN_VERSION;
use super::percolator_state::PercolatorState;
use crate::App;
use crate::matching::MatchStats;

/// Entries of the log, with all records they refer to.
pub struct LogBatch {
    pub entries: Vec<LogEntry>,
    pub searches: HashMap<(SearchId, u32), StoredSearch>,
    pub versions: HashMap<(PropertyId, u32), PropertyVersion>,
    /// Searches that were already alerted for a property, or for one that it comes from, in ascending order.
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
    /// Whether a property was erased. The store keeps what is known about it until the checkpoint is past that.
    pub has_erasure: bool,
    pub stats: MatchStats,
}

/// What a change means to searches.
#[derive(Default)]
struct ChangeMatches {
    matched: Vec<SearchNumber>,
    linked: Vec<SearchNumber>,
    outbox: Vec<OutboxEntry>,
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
                // A property that is created again under this id is new to every search.
                Change::PropertyRemoved { property, cause: RemovalCause::AdvertErased(_) } => {
                    self.matched.remove(property);
                    batch.has_erasure = true;
                }
                Change::PropertyRemoved { .. } | Change::Erased => {}
                // Whatever it was, the checkpoint must pass it: it may have been an erasure.
                Change::Damaged { search, .. } => {
                    if let Some(search) = search {
                        match self.searches.get(&(*search, UNKNOWN_VERSION)) {
                            Some(stored) => state.put(app, stored),
                            None => state.remove(*search),
                        }
                    }
                    batch.has_erasure = true;
                }
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
        // Also if the versions cannot be compared: the property comes from the others all the same.
        let inherited = match cause {
            PropertyCause::Regrouped { from, .. } => self.inherit(*property, from),
            _ => Vec::new(),
        };
        let found = self.compare(*property, *version, cause, state, stats).unwrap_or_default();
        let ChangeMatches { matched, linked, outbox } = found;
        stats.matches += matched.len() as u64;
        stats.notifications += outbox.iter().map(|entry| entry.searches.len() as u64).sum::<u64>();
        if matched.is_empty() && inherited.is_empty() && outbox.is_empty() {
            return None;
        }
        Some(MatchGroup {
            position: entry.position,
            at: entry.recorded_at,
            property: *property,
            version: *version,
            advert: *advert,
            matched,
            linked,
            inherited,
            outbox,
        })
    }

    /// Makes the alerts of properties those of another one. Returns the searches that were not alerted for that one before.
    fn inherit(&mut self, property: PropertyId, from: &[(PropertyId, u32)]) -> Vec<SearchNumber> {
        let sources = from.iter().filter_map(|(source, _)| self.matched.get(source));
        let alerted = sources.fold(Vec::new(), |all, searches| union(&all, searches));
        let already_alerted = self.matched.entry(property).or_default();
        let inherited: Vec<_> = without(alerted.into_iter(), already_alerted).collect();
        *already_alerted = union(already_alerted, &inherited);
        inherited
    }

    /// Returns the versions that a change started from; `None` if one of them is damaged, so that the change is unknown. Erased ones
    /// are left out.
    fn versions_before(
        &self,
        property: PropertyId,
        version: u32,
        cause: &PropertyCause,
    ) -> Option<Vec<&Property>> {
        let from = match cause {
            PropertyCause::Regrouped { from, .. } => from.as_slice(),
            _ => &[],
        };
        let own = (property, version.saturating_sub(1));
        let mut versions = Vec::new();
        for key in [own].iter().chain(from) {
            match self.versions.get(key) {
                Some(PropertyVersion::Intact(before)) => versions.push(before),
                Some(PropertyVersion::Damaged) => return None,
                None => {}
            }
        }
        Some(versions)
    }

    /// Compares a property with its versions before a change. Returns `None` if one of them cannot be read, or if the property was
    /// erased since.
    fn compare(
        &mut self,
        property: PropertyId,
        version: u32,
        cause: &PropertyCause,
        state: &mut PercolatorState,
        stats: &mut MatchStats,
    ) -> Option<ChangeMatches> {
        let PropertyVersion::Intact(after) = self.versions.get(&(property, version))? else { return None };
        let before = self.versions_before(property, version, cause)?;
        let mut percolate = |property: &Property| {
            // What is not on offer matches no search.
            if !is_available(property) {
                return Vec::new();
            }
            let result = state.percolate(property);
            stats.properties += 1;
            stats.candidates += result.scanned as u64;
            stats.evaluated += result.evaluated as u64;
            result.searches
        };
        let searches_after = percolate(after);
        let searches_before =
            before.into_iter().fold(Vec::new(), |all, before| union(&all, &percolate(before)));
        let already_matched = self.matched.entry(property).or_default();
        let started = without(searches_after.iter().copied(), &searches_before);
        let matched: Vec<_> = without(started, already_matched).collect();
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
        Some(ChangeMatches { matched, linked, outbox })
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
