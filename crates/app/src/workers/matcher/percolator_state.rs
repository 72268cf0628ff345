//! All saved searches at one position of the log, in memory.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use domain::criteria::RawCriterion;
use domain::search::MatchChannel;
use domain::{
    Alerts, EventName, Property, RawCriteria, SearchId, SearchNumber, SiteCategoryId, SiteDirectory, SiteKey,
};
use engine::{PercolateResult, Percolator, PercolatorScratch};
use store::{Notification, StoredSearch};

use crate::App;

/// The percolator, and the notifications that each search is subscribed to.
#[derive(Default)]
pub struct PercolatorState {
    /// The searches that are switched on. What meets another one is not a match and uses none up.
    percolator: Percolator,
    /// Reused from one property to the next: it caches the spelling of words.
    scratch: PercolatorScratch,
    /// By search number.
    subscriptions: Vec<Subscriptions>,
    /// All searches: one that is switched off can still inherit what it was alerted for.
    numbers: HashMap<SearchId, SearchNumber>,
    sites: Arc<SiteDirectory>,
    /// Searches that are switched on and whose criteria depend on the categories of sites.
    by_category: BTreeMap<SearchNumber, RawCriteria>,
}

impl PercolatorState {
    pub fn new(sites: Arc<SiteDirectory>) -> Self {
        Self { sites, ..Self::default() }
    }

    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Estimates the memory of the saved searches.
    pub fn bytes(&self) -> usize {
        let one = size_of::<SearchId>() + size_of::<SearchNumber>() + 1;
        let raw_criteria = self
            .by_category
            .values()
            .map(|raw_criteria| raw_criteria.iter().count() * size_of::<RawCriterion>());
        self.percolator.bytes()
            + self.subscriptions.capacity() * size_of::<Subscriptions>()
            + self.numbers.capacity() * one
            + raw_criteria.sum::<usize>()
    }

    /// Adds or replaces a search.
    pub fn put(&mut self, app: &App, stored: &StoredSearch) {
        let (number, draft) = (stored.number, &stored.search.draft);
        self.numbers.insert(stored.search.id, number);
        self.by_category.remove(&number);
        let index = number.0 as usize;
        if self.subscriptions.len() <= index {
            self.subscriptions.resize(index + 1, Subscriptions::default());
        }
        self.subscriptions[index] = Subscriptions::of(&draft.alerts);
        if !draft.alerts.enabled {
            self.percolator.remove(number);
            return;
        }
        if draft.raw_criteria.depend_on_categories() {
            self.by_category.insert(number, draft.raw_criteria.clone());
        }
        self.register(app, number, &draft.raw_criteria);
    }

    pub fn remove(&mut self, search: SearchId) {
        let Some(number) = self.numbers.remove(&search) else { return };
        self.percolator.remove(number);
        self.by_category.remove(&number);
        self.subscriptions[number.0 as usize] = Subscriptions::default();
    }

    /// Returns the searches that are switched on and whose criteria a property satisfies.
    pub fn percolate(&mut self, property: &Property) -> PercolateResult {
        self.percolator.matches(property, &mut self.scratch)
    }

    /// Returns `true` if a search is subscribed to a notification.
    pub fn is_subscribed(&self, number: SearchNumber, notification: Notification) -> bool {
        self.subscriptions
            .get(number.0 as usize)
            .is_some_and(|subscriptions| subscriptions.contains(notification))
    }

    /// Updates the site directory, and recompiles the searches that depend on categories if these have changed.
    pub fn set_sites(&mut self, app: &App, sites: Arc<SiteDirectory>) {
        if sites.revision() == self.sites.revision() {
            return;
        }
        let recategorised = categorised(&sites) != categorised(&self.sites);
        self.sites = sites;
        if recategorised {
            for (number, raw_criteria) in std::mem::take(&mut self.by_category) {
                self.register(app, number, &raw_criteria);
                self.by_category.insert(number, raw_criteria);
            }
        }
    }

    fn register(&mut self, app: &App, number: SearchNumber, raw_criteria: &RawCriteria) {
        match app.with_references(&self.sites, |references| raw_criteria.criteria(references)) {
            Ok(criteria) => self.percolator.put(number, &criteria),
            Err(violations) => {
                // The criteria were valid when the search was saved. A rule added since must not make the search match everything.
                tracing::error!(
                    search = number.0,
                    ?violations,
                    "the criteria of a saved search are no longer valid; it matches nothing"
                );
                self.percolator.remove(number);
            }
        }
    }
}

fn categorised(sites: &SiteDirectory) -> Vec<(SiteCategoryId, &SiteKey)> {
    sites.sites().iter().filter_map(|site| Some((site.category?, &site.key))).collect()
}

/// The notifications that a search is subscribed to, as a bit set.
#[derive(Debug, Clone, Copy, Default)]
struct Subscriptions(u8);

impl Subscriptions {
    fn of(alerts: &Alerts) -> Self {
        let channels = alerts.match_channels().map(Notification::Match);
        let events = EventName::ALL.iter().filter(|event| alerts.subscribes_to(**event));
        let events = events.map(|event| Notification::Event(*event, 0));
        Self(channels.chain(events).fold(0, |bits, notification| bits | Self::bit(notification)))
    }

    fn contains(self, notification: Notification) -> bool {
        self.0 & Self::bit(notification) != 0
    }

    fn bit(notification: Notification) -> u8 {
        let bit = match notification {
            Notification::Match(MatchChannel::Endpoint) => 0,
            Notification::Match(MatchChannel::Email) => 1,
            Notification::Event(EventName::UpdatePrice, _) => 2,
            Notification::Event(EventName::UpdateSurface, _) => 3,
            Notification::Event(EventName::UpdatePictures, _) => 4,
            Notification::Event(EventName::UpdateExpired, _) => 5,
            Notification::Event(EventName::AdCreate, _) => 6,
            Notification::Event(EventName::AdUpdate, _) => 7,
        };
        1 << bit
    }
}
