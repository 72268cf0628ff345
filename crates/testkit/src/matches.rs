//! Matching as one would do it by hand: every search is asked about every change, and what was matched is remembered.
//!
//! The model to hold a matcher against. It knows nothing of logs, numbers of versions or restarts.

use std::collections::{BTreeMap, BTreeSet};

use domain::matching::{notifiable_events, newly_matches, concerns};
use domain::search::MatchChannel;
use domain::{AdvertEvent, Alerts, Criteria, EventName, Property, PropertyId, SearchNumber};

/// All searches that stand, and all matches that were made.
#[derive(Debug, Default)]
pub struct MatchModel {
    standing: BTreeMap<SearchNumber, (Criteria, Alerts)>,
    matched: BTreeSet<(SearchNumber, PropertyId)>,
}

/// What one change means.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Consequences {
    pub matched: Vec<SearchNumber>,
    pub matches_owed: Vec<(MatchChannel, SearchNumber)>,
    /// Which search hears of which event, by its place among the news.
    pub events_owed: Vec<(EventName, usize, SearchNumber)>,
}

impl Consequences {
    /// What is left of it for searches that still stand: what a deleted one had is nobody's business, and whether it was still
    /// recorded depends on who was faster.
    #[must_use]
    pub fn for_those_that_stand(mut self, model: &MatchModel) -> Option<Self> {
        let stands = |number: &SearchNumber| model.standing.contains_key(number);
        self.matched.retain(stands);
        self.matches_owed.retain(|(_, number)| stands(number));
        self.events_owed.retain(|(_, _, number)| stands(number));
        (self != Self::default()).then_some(self)
    }
}

impl MatchModel {
    /// A search is like this from now on.
    pub fn put(&mut self, number: SearchNumber, criteria: Criteria, alerts: Alerts) {
        self.standing.insert(number, (criteria, alerts));
    }

    pub fn remove(&mut self, number: SearchNumber) {
        self.standing.remove(&number);
        self.matched.retain(|(search, _)| *search != number);
    }

    /// A property changed; `before` is nothing when it is new.
    pub fn change(
        &mut self,
        before: Option<&Property>,
        after: &Property,
        news: &[AdvertEvent],
    ) -> Consequences {
        let mut consequences = Consequences::default();
        for (number, (criteria, alerts)) in &self.standing {
            if newly_matches(criteria, before, after) && self.matched.insert((*number, after.id)) {
                consequences.matched.push(*number);
                consequences.matches_owed.extend(alerts.match_channels().map(|channel| (channel, *number)));
            }
            if concerns(criteria, before, Some(after)) {
                for (name, place) in notifiable_events(news) {
                    if alerts.subscribes_to(name) {
                        consequences.events_owed.push((name, place, *number));
                    }
                }
            }
        }
        consequences.matches_owed.sort_unstable();
        consequences.events_owed.sort_unstable();
        consequences
    }

    /// Every match of a search that still stands.
    pub fn matched(&self) -> &BTreeSet<(SearchNumber, PropertyId)> {
        &self.matched
    }
}
