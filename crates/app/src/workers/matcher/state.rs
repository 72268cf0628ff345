//! All saved searches as they stand at one position of the log.

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

#[derive(Default)]
pub struct PercolatorState {
    percolator: Percolator,
    /// Kept from one property to the next: it remembers how words are spelled.
    scratch: PercolatorScratch,
    /// By number: which outbox a search wants.
    wants: Vec<Wants>,
    numbers: HashMap<SearchId, SearchNumber>,
    sites: Arc<SiteDirectory>,
    /// Searches whose meaning changes with the categories of sites.
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

    /// DeliverySubject how much memory they take.
    pub fn bytes(&self) -> usize {
        let one = size_of::<SearchId>() + size_of::<SearchNumber>() + 1;
        let raw_criteria = self
            .by_category
            .values()
            .map(|raw_criteria| raw_criteria.iter().count() * size_of::<RawCriterion>());
        self.percolator.bytes()
            + self.wants.capacity() * size_of::<Wants>()
            + self.numbers.capacity() * one
            + raw_criteria.sum::<usize>()
    }

    /// A search as it is from now on.
    pub fn put(&mut self, app: &App, stored: &StoredSearch) {
        let (number, draft) = (stored.number, &stored.search.draft);
        self.numbers.insert(stored.search.id, number);
        self.by_category.remove(&number);
        if draft.raw_criteria.depend_on_categories() {
            self.by_category.insert(number, draft.raw_criteria.clone());
        }
        let place = number.0 as usize;
        if self.wants.len() <= place {
            self.wants.resize(place + 1, Wants::default());
        }
        self.wants[place] = Wants::of(&draft.alerts);
        self.file(app, number, &draft.raw_criteria);
    }

    pub fn remove(&mut self, search: SearchId) {
        let Some(number) = self.numbers.remove(&search) else { return };
        self.percolator.remove(number);
        self.by_category.remove(&number);
        self.wants[number.0 as usize] = Wants::default();
    }

    /// The searches that a property meets.
    pub fn met_by(&mut self, property: &Property) -> PercolateResult {
        self.percolator.matches(property, &mut self.scratch)
    }

    pub fn wants(&self, number: SearchNumber, notification: Notification) -> bool {
        self.wants.get(number.0 as usize).is_some_and(|wants| wants.contain(notification))
    }

    /// From now on the sites are these.
    pub fn use_sites(&mut self, app: &App, sites: Arc<SiteDirectory>) {
        if sites.revision() == self.sites.revision() {
            return;
        }
        let regrouped = categorised(&sites) != categorised(&self.sites);
        self.sites = sites;
        if regrouped {
            for (number, raw_criteria) in std::mem::take(&mut self.by_category) {
                self.file(app, number, &raw_criteria);
                self.by_category.insert(number, raw_criteria);
            }
        }
    }

    fn file(&mut self, app: &App, number: SearchNumber, raw_criteria: &RawCriteria) {
        match app.with_references(&self.sites, |references| raw_criteria.criteria(references)) {
            Ok(criteria) => self.percolator.put(number, &criteria),
            Err(violations) => {
                // They were evaluated when the search was saved; a rule that came since must not make it match everything.
                tracing::error!(
                    search = number.0,
                    ?violations,
                    "a saved search breaks a rule and matches nothing"
                );
                self.percolator.remove(number);
            }
        }
    }
}

fn categorised(sites: &SiteDirectory) -> Vec<(SiteCategoryId, &SiteKey)> {
    sites.sites().iter().filter_map(|site| Some((site.category?, &site.key))).collect()
}

/// Which outbox a search wants, as bits.
#[derive(Debug, Clone, Copy, Default)]
struct Wants(u8);

impl Wants {
    fn of(alerts: &Alerts) -> Self {
        let channels = alerts.match_channels().map(Notification::Match);
        let events = EventName::ALL.iter().filter(|event| alerts.subscribes_to(**event));
        let events = events.map(|event| Notification::Event(*event, 0));
        Self(channels.chain(events).fold(0, |bits, notification| bits | Self::bit(notification)))
    }

    fn contain(self, notification: Notification) -> bool {
        self.0 & Self::bit(notification) != 0
    }

    fn bit(notification: Notification) -> u8 {
        let place = match notification {
            Notification::Match(MatchChannel::Endpoint) => 0,
            Notification::Match(MatchChannel::Email) => 1,
            Notification::Event(EventName::UpdatePrice, _) => 2,
            Notification::Event(EventName::UpdateSurface, _) => 3,
            Notification::Event(EventName::UpdatePictures, _) => 4,
            Notification::Event(EventName::UpdateExpired, _) => 5,
            Notification::Event(EventName::AdCreate, _) => 6,
            Notification::Event(EventName::AdUpdate, _) => 7,
        };
        1 << place
    }
}
