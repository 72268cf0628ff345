//! All saved searches as they stand at one position of the log.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use domain::criteria::Term;
use domain::search::Channel;
use domain::{
    Alerts, EventName, Property, SearchId, SearchNumber, SiteCategoryId, SiteDirectory, SiteKey, Terms,
};
use engine::{Percolated, Percolator, PercolatorScratch};
use store::{Notice, StoredSearch};

use crate::App;

#[derive(Default)]
pub struct Standing {
    percolator: Percolator,
    /// Kept from one property to the next: it remembers how words are spelled.
    scratch: PercolatorScratch,
    /// By number: which notices a search wants.
    wants: Vec<Wants>,
    numbers: HashMap<SearchId, SearchNumber>,
    sites: Arc<SiteDirectory>,
    /// Searches whose meaning changes with the categories of sites.
    by_category: BTreeMap<SearchNumber, Terms>,
}

impl Standing {
    pub fn new(sites: Arc<SiteDirectory>) -> Self {
        Self { sites, ..Self::default() }
    }

    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// About how much memory they take.
    pub fn bytes(&self) -> usize {
        let one = size_of::<SearchId>() + size_of::<SearchNumber>() + 1;
        let terms = self.by_category.values().map(|terms| terms.iter().count() * size_of::<Term>());
        self.percolator.bytes()
            + self.wants.capacity() * size_of::<Wants>()
            + self.numbers.capacity() * one
            + terms.sum::<usize>()
    }

    /// A search as it is from now on.
    pub fn put(&mut self, app: &App, stored: &StoredSearch) {
        let (number, wish) = (stored.number, &stored.search.wish);
        self.numbers.insert(stored.search.id, number);
        self.by_category.remove(&number);
        if wish.terms.depend_on_categories() {
            self.by_category.insert(number, wish.terms.clone());
        }
        let place = number.0 as usize;
        if self.wants.len() <= place {
            self.wants.resize(place + 1, Wants::default());
        }
        self.wants[place] = Wants::of(&wish.alerts);
        self.file(app, number, &wish.terms);
    }

    pub fn remove(&mut self, search: SearchId) {
        let Some(number) = self.numbers.remove(&search) else { return };
        self.percolator.remove(number);
        self.by_category.remove(&number);
        self.wants[number.0 as usize] = Wants::default();
    }

    /// The searches that a property meets.
    pub fn met_by(&mut self, property: &Property) -> Percolated {
        self.percolator.matches(property, &mut self.scratch)
    }

    pub fn wants(&self, number: SearchNumber, notice: Notice) -> bool {
        self.wants.get(number.0 as usize).is_some_and(|wants| wants.contain(notice))
    }

    /// From now on the sites are these.
    pub fn use_sites(&mut self, app: &App, sites: Arc<SiteDirectory>) {
        if sites.revision() == self.sites.revision() {
            return;
        }
        let regrouped = categorised(&sites) != categorised(&self.sites);
        self.sites = sites;
        if regrouped {
            for (number, terms) in std::mem::take(&mut self.by_category) {
                self.file(app, number, &terms);
                self.by_category.insert(number, terms);
            }
        }
    }

    fn file(&mut self, app: &App, number: SearchNumber, terms: &Terms) {
        match app.with_references(&self.sites, |references| terms.criteria(references)) {
            Ok(criteria) => self.percolator.put(number, &criteria),
            Err(violations) => {
                // They were judged when the search was saved; a rule that came since must not make it match everything.
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

/// Which notices a search wants, as bits.
#[derive(Debug, Clone, Copy, Default)]
struct Wants(u8);

impl Wants {
    fn of(alerts: &Alerts) -> Self {
        let channels = alerts.match_channels().map(Notice::Match);
        let events = EventName::ALL.iter().filter(|event| alerts.hear_of(**event));
        let events = events.map(|event| Notice::Event(*event, 0));
        Self(channels.chain(events).fold(0, |bits, notice| bits | Self::bit(notice)))
    }

    fn contain(self, notice: Notice) -> bool {
        self.0 & Self::bit(notice) != 0
    }

    fn bit(notice: Notice) -> u8 {
        let place = match notice {
            Notice::Match(Channel::Endpoint) => 0,
            Notice::Match(Channel::Email) => 1,
            Notice::Event(EventName::UpdatePrice, _) => 2,
            Notice::Event(EventName::UpdateSurface, _) => 3,
            Notice::Event(EventName::UpdatePictures, _) => 4,
            Notice::Event(EventName::UpdateExpired, _) => 5,
            Notice::Event(EventName::AdCreate, _) => 6,
            Notice::Event(EventName::AdUpdate, _) => 7,
        };
        1 << place
    }
}
