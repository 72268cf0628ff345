//! Matching as one would do it by hand: every search is asked about every change, and what was matched is remembered.
//!
//! The model to hold a matcher against. It knows nothing of logs, numbers of versions or restarts.

use std::collections::{BTreeMap, BTreeSet};

use domain::matching::{announcements, comes_to_meet, concerns};
use domain::search::Channel;
use domain::{AdvertEvent, Alerts, Criteria, EventName, Property, PropertyId, SearchNumber};

/// All searches that stand, and all matches that were made.
#[derive(Debug, Default)]
pub struct MatchModel {
    searches: BTreeMap<SearchNumber, (Criteria, Alerts)>,
    matched: BTreeSet<(SearchNumber, PropertyId)>,
}

/// What one change means.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeEffects {
    pub matched: Vec<SearchNumber>,
    pub match_deliveries: Vec<(Channel, SearchNumber)>,
    /// Which search hears of which event, by its index among the events.
    pub event_deliveries: Vec<(EventName, usize, SearchNumber)>,
}

impl ChangeEffects {
    /// What is left of it for searches that still stand: what a deleted one had is nobody's business, and whether it was still
    /// recorded depends on who was faster.
    #[must_use]
    pub fn retain_active(mut self, model: &MatchModel) -> Option<Self> {
        let is_active = |number: &SearchNumber| model.searches.contains_key(number);
        self.matched.retain(is_active);
        self.match_deliveries.retain(|(_, number)| is_active(number));
        self.event_deliveries.retain(|(_, _, number)| is_active(number));
        (self != Self::default()).then_some(self)
    }
}

impl MatchModel {
    /// A search is like this from now on.
    pub fn put(&mut self, number: SearchNumber, criteria: Criteria, alerts: Alerts) {
        self.searches.insert(number, (criteria, alerts));
    }

    pub fn remove(&mut self, number: SearchNumber) {
        self.searches.remove(&number);
        self.matched.retain(|(search, _)| *search != number);
    }

    /// A property changed; `before` is nothing when it is new.
    pub fn change(
        &mut self,
        before: Option<&Property>,
        after: &Property,
        events: &[AdvertEvent],
    ) -> ChangeEffects {
        let mut effects = ChangeEffects::default();
        for (number, (criteria, alerts)) in &self.searches {
            if comes_to_meet(criteria, before, after) && self.matched.insert((*number, after.id)) {
                effects.matched.push(*number);
                effects.match_deliveries.extend(alerts.match_channels().map(|channel| (channel, *number)));
            }
            if concerns(criteria, before, Some(after)) {
                for (name, index) in announcements(events) {
                    if alerts.hear_of(name) {
                        effects.event_deliveries.push((name, index, *number));
                    }
                }
            }
        }
        effects.match_deliveries.sort_unstable();
        effects.event_deliveries.sort_unstable();
        effects
    }

    /// Every match of a search that still stands.
    pub fn matched(&self) -> &BTreeSet<(SearchNumber, PropertyId)> {
        &self.matched
    }
}
