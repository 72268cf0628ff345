//! What may happen: writers that build sets of changes on what they last saw, erasures, restarts.

use std::collections::HashSet;

use domain::{Advert, Identity, Property, PropertyId};
use proptest::prelude::*;
use store::{ChangeSet, Expected, Step};
use testkit::build::{
    advert, at, property_id, search_id, short_text, site_reference, url_identity, web_address,
};

use super::reference::Model;
use crate::changes::{change, crawl, create_claiming, join, leave, remove, search, set};

/// Few, so that writers meet.
pub const HOMES: [u64; 4] = [1, 2, 3, 4];
const REFERENCES: u8 = 3;
const URLS: u8 = 3;

/// Ids that senders choose; those the store's user draws are above.
const CHOSEN_IDS: u64 = 4;

#[derive(Debug, Clone)]
pub enum Event {
    Write { writer: usize, actions: Vec<Action> },
    Erase { who: usize },
    Reopen,
}

#[derive(Debug, Clone)]
pub enum Action {
    Create { home: usize, claim: Claim, looks: Looks },
    Change { who: usize, looks: Looks },
    Crawl { who: usize, second: i64 },
    Move { who: usize, home: usize },
    Search { number: u64, removed: bool },
}

#[derive(Debug, Clone)]
pub enum Claim {
    Id(u64),
    Reference,
    Url,
}

/// What an advert looks like.
#[derive(Debug, Clone)]
pub struct Looks {
    reference: Option<u8>,
    url: Option<u8>,
    second: i64,
    expired: bool,
}

pub fn event(writers: usize) -> impl Strategy<Value = Event> {
    let actions = prop::collection::vec(action(), 1..4);
    prop_oneof![
        16 => (0..writers, actions).prop_map(|(writer, actions)| Event::Write { writer, actions }),
        2 => any::<usize>().prop_map(|who| Event::Erase { who }),
        1 => Just(Event::Reopen),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    let claim = prop_oneof![
        2 => (0..CHOSEN_IDS).prop_map(Claim::Id),
        1 => Just(Claim::Reference),
        1 => Just(Claim::Url),
    ];
    let home = || 0..HOMES.len();
    prop_oneof![
        3 => (home(), claim, looks()).prop_map(|(home, claim, looks)| Action::Create { home, claim, looks }),
        3 => (any::<usize>(), looks()).prop_map(|(who, looks)| Action::Change { who, looks }),
        2 => (any::<usize>(), 1_000_i64..1_010).prop_map(|(who, second)| Action::Crawl { who, second }),
        3 => (any::<usize>(), home()).prop_map(|(who, home)| Action::Move { who, home }),
        1 => (0..3_u64, any::<bool>()).prop_map(|(number, removed)| Action::Search { number, removed }),
    ]
}

fn looks() -> impl Strategy<Value = Looks> {
    let identities = (prop::option::of(0..REFERENCES), prop::option::of(0..URLS));
    (identities, 1_000_i64..1_010, any::<bool>()).prop_map(|((reference, url), second, expired)| Looks {
        reference,
        url,
        second,
        expired,
    })
}

const SITE: &str = "portail.fr";

fn reference_text(number: u8) -> String {
    format!("A-{number}")
}

fn url_text(number: u8) -> String {
    format!("https://portail.fr/{number}")
}

pub fn reference_identities() -> impl Iterator<Item = Identity> {
    (0..REFERENCES).map(|number| site_reference(SITE, &reference_text(number)))
}

pub fn url_identities() -> impl Iterator<Item = Identity> {
    (0..URLS).map(|number| url_identity(&url_text(number)))
}

impl Looks {
    fn dress(&self, advert: &mut Advert) {
        advert.details.site = Some(testkit::build::site(SITE));
        advert.details.reference = self.reference.map(|number| short_text(&reference_text(number)));
        advert.details.url = self.url.map(|number| web_address(&url_text(number)));
        advert.last_crawled_at = at(self.second);
        advert.expired_at = self.expired.then(|| at(self.second));
    }
}

/// Somebody who writes, and what they believe.
#[derive(Debug, Clone, Default)]
pub struct Writer {
    belief: Model,
}

impl Writer {
    pub fn look(&mut self, model: &Model) {
        self.belief = model.clone();
    }

    /// The set that carries out the actions, if what the writer believes is still so.
    pub fn build(&self, actions: &[Action], newcomers: &mut u64) -> ChangeSet {
        let mut draft =
            Draft { belief: self.belief.clone(), written: HashSet::new(), in_vain: false, changes: set([]) };
        for action in actions {
            // A step believed to be in vain is tried all the same, as the last one: nothing can be built on it.
            if !draft.in_vain {
                draft.act(action, newcomers);
            }
        }
        draft.changes
    }
}

struct Draft {
    belief: Model,
    written: HashSet<PropertyId>,
    in_vain: bool,
    changes: ChangeSet,
}

impl Draft {
    fn act(&mut self, action: &Action, newcomers: &mut u64) {
        match action {
            Action::Create { home, claim, looks } => self.create(HOMES[*home], claim, looks, newcomers),
            Action::Change { who, looks } => {
                let Some((mut home, mut known)) = self.choose(*who) else { return };
                looks.dress(&mut known);
                let id = known.id;
                home.put(known);
                self.add(home.id, |expected| change(&home, expected, id));
            }
            Action::Crawl { who, second } => {
                let Some((mut home, mut known)) = self.choose(*who) else { return };
                known.last_crawled_at = at(*second);
                let id = known.id;
                home.put(known);
                self.add(home.id, |expected| crawl(&home, expected, id));
            }
            Action::Move { who, home } => self.relocate(*who, property_id(HOMES[*home])),
            Action::Search { number, removed } => {
                self.changes.steps.push(search(search_id(*number), (!removed).then_some("x")));
            }
        }
    }

    fn create(&mut self, home: u64, claim: &Claim, looks: &Looks, newcomers: &mut u64) {
        let (number, claim) = match (claim, looks.reference, looks.url) {
            (Claim::Reference, Some(reference), _) => {
                (None, Some(site_reference(SITE, &reference_text(reference))))
            }
            (Claim::Url, _, Some(url)) => (None, Some(url_identity(&url_text(url)))),
            (Claim::Id(number), ..) => (Some(*number), None),
            // Nothing to be found by: it gets an id of its own, like the first two.
            _ => (None, None),
        };
        let number = number.unwrap_or_else(|| {
            *newcomers += 1;
            100 + *newcomers
        });
        let mut new = advert(number).build();
        looks.dress(&mut new);
        let claim = claim.unwrap_or(Identity::Uuid(new.id));
        let id = property_id(home);
        let mut home = self.home(id);
        home.adverts.push(new);
        self.add(id, |expected| create_claiming(&home, expected, claim));
    }

    fn relocate(&mut self, who: usize, to: PropertyId) {
        let Some((mut from, moving)) = self.choose(who) else { return };
        if from.id == to {
            return;
        }
        let mut joined = self.home(to);
        joined.adverts.push(moving.clone());
        from.adverts.retain(|known| known.id != moving.id);
        // Both halves are built on the same belief: between them the advert is in neither property.
        let (left, came_from) = (self.expected(from.id), from.id);
        let leaving = match from.adverts.is_empty() {
            true => remove(came_from, left, moving.id),
            false => leave(&from, left, moving.id),
        };
        let joining = join(&joined, self.expected(to), came_from);
        self.record([leaving, joining], [came_from, to]);
    }

    fn add(&mut self, home: PropertyId, step: impl FnOnce(Expected) -> Step) {
        let step = step(self.expected(home));
        self.record([step], [home]);
    }

    /// Adds steps to the set. What the writer believes after them includes them.
    fn record<const STEPS: usize, const HOMES: usize>(
        &mut self,
        steps: [Step; STEPS],
        homes: [PropertyId; HOMES],
    ) {
        self.in_vain = self.belief.commit(&set(steps.clone())) == store::CommitOutcome::Conflict;
        self.written.extend(homes);
        self.changes.steps.extend(steps);
    }

    fn expected(&self, home: PropertyId) -> Expected {
        match self.belief.property(home) {
            _ if self.written.contains(&home) => Expected::WrittenBefore,
            Some(stored) => Expected::Revision(stored.revision),
            None => Expected::New,
        }
    }

    fn home(&self, id: PropertyId) -> Property {
        self.belief
            .property(id)
            .map_or_else(|| Property { id, adverts: Vec::new() }, |stored| stored.property)
    }

    fn choose(&self, who: usize) -> Option<(Property, Advert)> {
        let count = self.belief.adverts().count().max(1);
        let (home, known) = self.belief.adverts().nth(who % count)?;
        Some((self.home(home), known.clone()))
    }
}
