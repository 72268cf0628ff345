//! Reference model of matching: evaluates every search on every change and remembers the matches.
//!
//! The matcher is compared with it. The model knows nothing about logs, versions or restarts. It knows merges, splits and moves
//! as `domain::matching` defines them.

use std::collections::{BTreeMap, BTreeSet};

use domain::matching::{concerns, newly_matches, notifiable_events};
use domain::search::MatchChannel;
use domain::{AdvertEvent, Alerts, Criteria, EventName, Property, PropertyId, SearchNumber};

/// All searches that exist, and all matches so far.
#[derive(Debug, Default)]
pub struct MatchModel {
    searches: BTreeMap<SearchNumber, (Criteria, Alerts)>,
    matched: BTreeSet<(SearchNumber, PropertyId)>,
    /// Matches, and what properties inherited from those they come from.
    alerted: BTreeSet<(SearchNumber, PropertyId)>,
}

/// The effects of one change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeEffects {
    pub matched: Vec<SearchNumber>,
    /// Searches that were alerted for a property that this one comes from, and not for this one.
    pub inherited: Vec<SearchNumber>,
    pub match_deliveries: Vec<(MatchChannel, SearchNumber)>,
    /// The events to deliver: event name, index in the events of the change, and search.
    pub event_deliveries: Vec<(EventName, usize, SearchNumber)>,
}

impl ChangeEffects {
    /// Keeps the effects on searches that still exist, or returns `None` if there are none. Whether the effects on
    /// a deleted search were recorded depends on timing.
    #[must_use]
    pub fn retain_active(mut self, model: &MatchModel) -> Option<Self> {
        let is_active = |number: &SearchNumber| model.searches.contains_key(number);
        self.matched.retain(is_active);
        self.inherited.retain(is_active);
        self.match_deliveries.retain(|(_, number)| is_active(number));
        self.event_deliveries.retain(|(_, _, number)| is_active(number));
        (self != Self::default()).then_some(self)
    }
}

impl MatchModel {
    /// Adds or replaces a search.
    pub fn put(&mut self, number: SearchNumber, criteria: Criteria, alerts: Alerts) {
        self.searches.insert(number, (criteria, alerts));
    }

    pub fn remove(&mut self, number: SearchNumber) {
        self.searches.remove(&number);
        self.matched.retain(|(search, _)| *search != number);
        self.alerted.retain(|(search, _)| *search != number);
    }

    /// Forgets the matches of a property that was erased, or that has been off the market for long.
    pub fn erase(&mut self, property: PropertyId) {
        self.matched.retain(|(_, matched)| *matched != property);
        self.alerted.retain(|(_, alerted)| *alerted != property);
    }

    /// Applies a change of a property. `before` is `None` if it is new.
    pub fn change(
        &mut self,
        before: Option<&Property>,
        after: &Property,
        events: &[AdvertEvent],
    ) -> ChangeEffects {
        self.regroup(before, &[], after, events)
    }

    /// Applies a merge, a split or a move: adverts of other properties are in this one now. `from` are those properties as they
    /// were before; `None` if nothing is left of that version.
    pub fn regroup(
        &mut self,
        before: Option<&Property>,
        from: &[(PropertyId, Option<Property>)],
        after: &Property,
        events: &[AdvertEvent],
    ) -> ChangeEffects {
        let sources = from.iter().filter_map(|(_, version)| version.as_ref());
        let before: Vec<&Property> = before.into_iter().chain(sources).collect();
        let mut effects = ChangeEffects::default();
        for (number, (criteria, alerts)) in &self.searches {
            let was_alerted = from.iter().any(|(source, _)| self.alerted.contains(&(*number, *source)));
            if was_alerted && self.alerted.insert((*number, after.id)) {
                effects.inherited.push(*number);
            }
            // A search that is switched off keeps what it inherits, and uses up nothing.
            if !alerts.enabled {
                continue;
            }
            if newly_matches(criteria, before.iter().copied(), after)
                && self.alerted.insert((*number, after.id))
            {
                self.matched.insert((*number, after.id));
                effects.matched.push(*number);
                effects.match_deliveries.extend(alerts.match_channels().map(|channel| (channel, *number)));
            }
            if concerns(criteria, before.iter().copied(), after) {
                for (name, index) in notifiable_events(events) {
                    if alerts.subscribes_to(name) {
                        effects.event_deliveries.push((name, index, *number));
                    }
                }
            }
        }
        effects.match_deliveries.sort_unstable();
        effects.event_deliveries.sort_unstable();
        effects
    }

    /// Returns every match of the remaining searches, and what properties inherited.
    pub fn alerted(&self) -> &BTreeSet<(SearchNumber, PropertyId)> {
        &self.alerted
    }

    /// Returns every match of the remaining searches.
    pub fn matched(&self) -> &BTreeSet<(SearchNumber, PropertyId)> {
        &self.matched
    }
}
