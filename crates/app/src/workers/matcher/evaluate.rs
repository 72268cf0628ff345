//! What a stretch of the log means to the searches that stand: pure, from what was read beforehand.

use std::collections::HashMap;

use domain::matching::{notifiable_events, is_available};
use domain::search::MatchChannel;
use domain::{Property, PropertyId, SearchId, SearchNumber};
use store::{Change, LogEntry, MatchGroup, Notification, OutboxEntry, PropertyCause, StoredSearch};

use super::state::PercolatorState;
use crate::App;
use crate::matching::{MatchStats, MatchedBatch};

/// Entries of the log, with everything they speak of.
pub struct LogBatch {
    pub entries: Vec<LogEntry>,
    pub searches: HashMap<(SearchId, u32), StoredSearch>,
    pub documents: HashMap<(PropertyId, u32), Document>,
    /// Searches that have a match with a property already.
    pub matched: HashMap<PropertyId, Vec<SearchNumber>>,
}

/// A version of a property.
pub enum Document {
    Sound(Property),
    /// There was one, and nobody knows any more what it said.
    Damaged,
}

impl LogBatch {
    /// Goes through the entries in order: what a search is changes on the way.
    pub fn evaluate(mut self, app: &App, state: &mut PercolatorState) -> MatchedBatch {
        let mut evaluated = MatchedBatch::default();
        for entry in std::mem::take(&mut self.entries) {
            match &entry.change {
                Change::Search { search, version } => {
                    match self.searches.get(&(*search, *version)) {
                        Some(stored) => state.put(app, stored),
                        // Damaged, or removed further on in the log: what it said before does not count either.
                        None => state.remove(*search),
                    }
                }
                Change::SearchRemoved { search } => state.remove(*search),
                Change::Property { cause: PropertyCause::Crawl, .. } => {}
                Change::Property { .. } if state.is_empty() => {}
                Change::Property { .. } => {
                    let group = self.evaluate_property(&entry, state, &mut evaluated.stats);
                    evaluated.groups.extend(group);
                }
                Change::PropertyRemoved { .. } | Change::Erased => {}
            }
        }
        evaluated
    }

    fn evaluate_property(
        &mut self,
        entry: &LogEntry,
        state: &mut PercolatorState,
        stats: &mut MatchStats,
    ) -> Option<MatchGroup> {
        let Change::Property { property, version, advert, cause } = &entry.change else { return None };
        // What was erased since says nothing any more, and where one of the two is damaged nobody can tell what changed.
        let Document::Sound(after) = self.documents.get(&(*property, *version))? else { return None };
        let before = match self.documents.get(&(*property, version.saturating_sub(1))) {
            Some(Document::Sound(before)) => Some(before),
            Some(Document::Damaged) => return None,
            None => None,
        };
        let mut meeting = |document: &Property| {
            let found = state.met_by(document);
            stats.documents += 1;
            stats.walked += found.scanned as u64;
            stats.verified += found.evaluated as u64;
            found.searches
        };
        let meet_after = meeting(after);
        let met_before = before.map(meeting).unwrap_or_default();
        let already = self.matched.entry(*property).or_default();
        already.sort_unstable();

        let met_on_offer: &[SearchNumber] = match before {
            Some(before) if is_available(before) => &met_before,
            Some(_) | None => &[],
        };
        let matched = if is_available(after) {
            without(without(meet_after.iter().copied(), met_on_offer), already).collect()
        } else {
            Vec::new()
        };
        let mut outbox = Vec::new();
        for channel in [MatchChannel::Endpoint, MatchChannel::Email] {
            owe(&mut outbox, state, Notification::Match(channel), &matched);
        }
        let events = match cause {
            PropertyCause::Advert { events } => events.as_slice(),
            PropertyCause::Crawl | PropertyCause::AdvertLeft | PropertyCause::AdvertErased(_) => &[],
        };
        let notifiable_events = notifiable_events(events);
        if !notifiable_events.is_empty() {
            let concerned = union(&met_before, &meet_after);
            for (name, place) in notifiable_events {
                let place = u16::try_from(place).unwrap_or(u16::MAX);
                owe(&mut outbox, state, Notification::Event(name, place), &concerned);
            }
        }
        let told = outbox.iter().filter(|group| matches!(group.notification, Notification::Event(..)));
        let told = told.fold(Vec::new(), |told, group| union(&told, &group.searches));
        let linked: Vec<_> = without(without(told.into_iter(), already), &matched).collect();
        *already = union(already, &matched);
        if matched.is_empty() && outbox.is_empty() {
            return None;
        }
        stats.matches += matched.len() as u64;
        stats.notifications += outbox.iter().map(|group| group.searches.len() as u64).sum::<u64>();
        Some(MatchGroup {
            position: entry.position,
            at: entry.recorded_at,
            property: *property,
            version: *version,
            advert: *advert,
            matched,
            linked,
            outbox,
        })
    }
}

/// Adds what is owed to those of the searches that want it.
fn owe(
    outbox: &mut Vec<OutboxEntry>,
    state: &PercolatorState,
    notification: Notification,
    searches: &[SearchNumber],
) {
    let searches: Vec<_> =
        searches.iter().copied().filter(|number| state.wants(*number, notification)).collect();
    if !searches.is_empty() {
        outbox.push(OutboxEntry { notification, searches });
    }
}

/// Those that are not among others; both ascending.
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

/// Those of either, once each; both ascending.
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
    fn ascending_numbers_combine_as_sets_do() {
        let (one, other) = (numbers(&[1, 3, 5, 9]), numbers(&[2, 3, 9, 12]));
        assert_eq!(union(&one, &other), numbers(&[1, 2, 3, 5, 9, 12]));
        assert_eq!(without(one.iter().copied(), &other).collect::<Vec<_>>(), numbers(&[1, 5]));
        assert_eq!(union(&[], &other), other);
        assert_eq!(without(other.iter().copied(), &[]).collect::<Vec<_>>(), other);
    }
}
