//! A naive model of matches, and a matcher that invents them.

use std::collections::{BTreeMap, HashMap};

use domain::search::MatchChannel;
use domain::{EventName, MatchId, PropertyId, SearchNumber};
use store::{
    Change, LogEntry, MatchBatch, MatchGroup, MatchRow, Notification, OutboxEntry, Position, RemovalCause,
};
use testkit::Random;

use super::reference::Model;

#[derive(Debug, Clone, Default)]
pub struct Matches {
    pub until: Position,
    pub groups: Vec<MatchGroup>,
    /// Erased properties that the checkpoint is not past, with the searches alerted for them.
    pub erased: Vec<(Position, PropertyId, Vec<SearchNumber>)>,
    /// The first log position of each property.
    pub first_logged: BTreeMap<PropertyId, Position>,
}

impl Matches {
    /// Returns the matches of a search, the newest first.
    pub fn of(&self, number: SearchNumber) -> Vec<MatchRow> {
        let matched = self.groups.iter().rev().filter(|group| group.matched.contains(&number));
        matched.map(|group| self.row(group, number)).collect()
    }

    /// Returns the links of a search, by the first log position of the property.
    pub fn links_of(&self, number: SearchNumber) -> HashMap<Position, MatchRow> {
        let mut links = HashMap::new();
        // The first of its kind wins, and a match takes precedence over a link.
        let linked = |group: &MatchGroup| [group.linked.clone(), group.inherited.clone()].concat();
        for lists in [|group: &MatchGroup| group.matched.clone(), linked] {
            for group in self.groups.iter().filter(|group| lists(group).contains(&number)) {
                let first_position = self.first_logged[&group.property];
                links.entry(first_position).or_insert_with(|| self.row(group, number));
            }
        }
        links
    }

    fn row(&self, group: &MatchGroup, search: SearchNumber) -> MatchRow {
        MatchRow {
            id: MatchId::of(search, self.first_logged[&group.property].0),
            search,
            property: group.property,
            version: group.version,
            at: group.at,
        }
    }

    pub fn by_property(&self) -> HashMap<PropertyId, Vec<SearchNumber>> {
        let mut found: HashMap<PropertyId, Vec<SearchNumber>> = HashMap::new();
        for group in &self.groups {
            if !group.matched.is_empty() || !group.inherited.is_empty() {
                found.entry(group.property).or_default().extend(group.matched.iter().chain(&group.inherited));
            }
        }
        for (_, property, alerted) in self.erased.iter().filter(|(.., alerted)| !alerted.is_empty()) {
            found.entry(*property).or_default().extend(alerted);
        }
        for numbers in found.values_mut() {
            numbers.sort_unstable();
            numbers.dedup();
        }
        found
    }
}

impl Model {
    /// Invents a batch for the next log entries. Only the rule that a property matches a search once is respected.
    pub fn invent_batch(&self, entries: u64, chance: u64) -> MatchBatch {
        let mut random = Random::new(chance);
        let after = self.matches.until;
        let until = Position(self.head().0.min(after.0 + entries));
        let mut matched_already = self.matches.by_property();
        let numbers = self.searches.numbers_ever();
        let mut groups = Vec::new();
        for LogEntry { position, recorded_at, change } in self.log() {
            let Change::Property { property, version, advert, .. } = change else { continue };
            if *position <= after || *position > until {
                continue;
            }
            let mut some =
                || -> Vec<SearchNumber> { numbers.iter().copied().filter(|_| random.once_in(2)).collect() };
            let already = matched_already.entry(*property).or_default();
            let mut matched = some();
            matched.retain(|number| !already.contains(number));
            already.extend(&matched);
            let mut linked = some();
            linked.retain(|number| !matched.contains(number));
            let inherited = some();
            let outbox = [
                Notification::Match(MatchChannel::Endpoint),
                Notification::Match(MatchChannel::Email),
                Notification::Event(EventName::UpdatePrice, 0),
                Notification::Event(EventName::AdUpdate, u16::MAX),
            ];
            let outbox = outbox
                .map(|notification| OutboxEntry { notification, searches: some() })
                .into_iter()
                .filter(|entry| !entry.searches.is_empty())
                .collect();
            groups.push(MatchGroup {
                position: *position,
                at: *recorded_at,
                property: *property,
                version: *version,
                advert: *advert,
                matched,
                linked,
                inherited,
                outbox,
            });
        }
        MatchBatch { after, until, groups }
    }

    pub fn record(&mut self, batch: &MatchBatch) -> bool {
        if batch.after != self.matches.until {
            return false;
        }
        let erased_since = |group: &MatchGroup| {
            self.log().iter().any(|entry| {
                let erased = matches!(&entry.change, Change::PropertyRemoved {
                    property,
                    cause: RemovalCause::AdvertErased(_),
                } if *property == group.property);
                erased && entry.position > group.position
            })
        };
        let is_empty = |group: &MatchGroup| {
            let lists = [&group.matched, &group.linked, &group.inherited];
            lists.iter().all(|list| list.is_empty()) && group.outbox.is_empty()
        };
        let stored: Vec<_> =
            batch.groups.iter().filter(|group| !is_empty(group) && !erased_since(group)).cloned().collect();
        self.matches.groups.extend(stored);
        self.matches.until = batch.until;
        self.matches.erased.retain(|(position, ..)| *position > batch.until);
        true
    }
}
