//! Reference model of matching: evaluates every search on every change and remembers the matches.
//!
//! The matcher is compared with it. The model knows nothing about logs, versions or restarts.

use std::collections::{BTreeMap, BTreeSet};

use domain::matching::{concerns, newly_matches, notifiable_events};
use domain::search::MatchChannel;
use domain::{AdvertEvent, Alerts, Criteria, EventName, Property, PropertyId, SearchNumber};

/// All active searches and all matches so far.
#[derive(Debug, Default)]
pub struct MatchModel {
    searches: BTreeMap<SearchNumber, (Criteria, Alerts)>,
    matched: BTreeSet<(SearchNumber, PropertyId)>,
}

/// The effects of one change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeEffects {
    pub matched: Vec<SearchNumber>,
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
    }

    /// Applies a change of a property. `before` is `None` if it is new.
    pub fn change(
        &mut self,
        before: Option<&Property>,
        after: &Property,
        events: &[AdvertEvent],
    ) -> ChangeEffects {
        let mut effects = ChangeEffects::default();
        for (number, (criteria, alerts)) in &self.searches {
            if newly_matches(criteria, before, after) && self.matched.insert((*number, after.id)) {
                effects.matched.push(*number);
                effects.match_deliveries.extend(alerts.match_channels().map(|channel| (channel, *number)));
            }
            if concerns(criteria, before, Some(after)) {
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

    /// Returns every match of the remaining searches.
    pub fn matched(&self) -> &BTreeSet<(SearchNumber, PropertyId)> {
        &self.matched
    }
}
