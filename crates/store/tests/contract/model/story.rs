//! Random events: writers that build change sets on what they last read, erasures, restarts.

use std::collections::HashSet;

use domain::grouping::{PersonDecision, Verdict};
use domain::{Advert, AdvertId, Identity, Property, PropertyId, SavedSearch};
use proptest::prelude::*;
use store::{AdvertGrouping, ChangeSet, CommitOutcome, Expected, PutCause, PutProperty, Step};
use testkit::build::{
    advert, at, property_id, saved_search, search_id, short_text, site_reference, url_identity, user_id,
    web_address,
};

use super::reference::Model;
use crate::changes::{
    change, change_search, crawl, create_claiming, create_search_below, leave, merge_into, put, remove, set,
    title_event,
};

/// Few, so that writers collide.
pub const PROPERTIES: [u64; 4] = [1, 2, 3, 4];
const REFERENCES: u8 = 3;
const URLS: u8 = 3;

pub const SEARCHES: u64 = 6;
pub const OWNERS: std::ops::Range<u64> = 1..3;

/// Two of them differ only in case and accents.
const TITLES: [&str; 5] = ["Maison à Annecy", "maison a annecy", "Studio", "Étude", "Chalet, vue lac"];

/// Ids chosen by senders; generated ids are higher.
const CHOSEN_IDS: u64 = 4;

#[derive(Debug, Clone)]
pub enum Event {
    Write {
        writer: usize,
        actions: Vec<Action>,
    },
    Erase {
        pick: usize,
    },
    /// A matcher prepares a batch of at most this many entries after the checkpoint.
    Match {
        matcher: usize,
        entries: u64,
        chance: u64,
    },
    /// The matcher records the batch it last prepared, even if it is stale.
    Record {
        matcher: usize,
    },
    Index {
        limit: usize,
    },
    Reopen,
}

#[derive(Debug, Clone)]
pub enum Action {
    Create { target: usize, claim: Claim, content: Content },
    Change { pick: usize, content: Content },
    Crawl { pick: usize, second: i64 },
    Move { pick: usize, target: usize, whole: bool, decider: Decider },
    CreateSearch { number: u64, owner: u64, title: usize, enabled: bool, limit: u32 },
    ChangeSearch { number: u64, owner: u64, title: usize, enabled: bool },
    RemoveSearch { number: u64, owner: u64 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decider {
    Sender,
    Grouping,
    Person,
}

#[derive(Debug, Clone)]
pub enum Claim {
    Id(u64),
    Reference,
    Url,
}

/// The content of an advert.
#[derive(Debug, Clone)]
pub struct Content {
    reference: Option<u8>,
    url: Option<u8>,
    second: i64,
    expired: bool,
}

pub fn event(writers: usize, matchers: usize) -> impl Strategy<Value = Event> {
    let actions = prop::collection::vec(action(), 1..4);
    prop_oneof![
        6 => (0..matchers, 1..12_u64, any::<u64>())
            .prop_map(|(matcher, entries, chance)| Event::Match { matcher, entries, chance }),
        6 => (0..matchers).prop_map(|matcher| Event::Record { matcher }),
        3 => (0..5_usize).prop_map(|limit| Event::Index { limit }),
        16 => (0..writers, actions).prop_map(|(writer, actions)| Event::Write { writer, actions }),
        2 => any::<usize>().prop_map(|pick| Event::Erase { pick }),
        1 => Just(Event::Reopen),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    let claim = prop_oneof![
        2 => (0..CHOSEN_IDS).prop_map(Claim::Id),
        1 => Just(Claim::Reference),
        1 => Just(Claim::Url),
    ];
    let decider = prop::sample::select(vec![Decider::Sender, Decider::Grouping, Decider::Person]);
    let target = || 0..PROPERTIES.len();
    let draft = || (0..TITLES.len(), any::<bool>());
    let search = || (0..SEARCHES, OWNERS);
    prop_oneof![
        3 => (target(), claim, content()).prop_map(|(target, claim, content)| Action::Create { target, claim, content }),
        3 => (any::<usize>(), content()).prop_map(|(pick, content)| Action::Change { pick, content }),
        2 => (any::<usize>(), 1_000_i64..1_010).prop_map(|(pick, second)| Action::Crawl { pick, second }),
        4 => (any::<usize>(), target(), any::<bool>(), decider)
            .prop_map(|(pick, target, whole, decider)| Action::Move { pick, target, whole, decider }),
        3 => (search(), draft(), 1..5_u32).prop_map(|((number, owner), (title, enabled), limit)| {
            Action::CreateSearch { number, owner, title, enabled, limit }
        }),
        2 => (search(), draft()).prop_map(|((number, owner), (title, enabled))| {
            Action::ChangeSearch { number, owner, title, enabled }
        }),
        1 => search().prop_map(|(number, owner)| Action::RemoveSearch { number, owner }),
    ]
}

fn content() -> impl Strategy<Value = Content> {
    let identities = (prop::option::of(0..REFERENCES), prop::option::of(0..URLS));
    (identities, 1_000_i64..1_010, any::<bool>()).prop_map(|((reference, url), second, expired)| Content {
        reference,
        url,
        second,
        expired,
    })
}

pub const SITE: &str = "portail.fr";

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

impl Content {
    fn apply_to(&self, advert: &mut Advert) {
        advert.details.site = Some(testkit::build::site(SITE));
        advert.details.reference = self.reference.map(|number| short_text(&reference_text(number)));
        advert.details.url = self.url.map(|number| web_address(&url_text(number)));
        advert.last_crawled_at = at(self.second);
        advert.expired_at = self.expired.then(|| at(self.second));
    }

    /// Stores a signature with the advert, or keeps what is stored.
    fn group(&self, step: Step) -> Step {
        let Step::Put(put) = step else { return step };
        let signature = self.url.map(|number| vec![number; 3]);
        let grouping = AdvertGrouping { signature, is_named: self.expired };
        Step::Put(PutProperty { grouping: (self.second % 3 > 0).then_some(grouping), ..put })
    }
}

/// A writer and the state it last read.
#[derive(Debug, Clone, Default)]
pub struct Writer {
    last_read: Model,
}

impl Writer {
    pub fn read(&mut self, model: &Model) {
        self.last_read = model.clone();
    }

    /// Builds a set that applies the actions to the state the writer last read.
    pub fn build(&self, actions: &[Action], generated_ids: &mut u64) -> ChangeSet {
        let mut draft = Draft {
            last_read: self.last_read.clone(),
            written: HashSet::new(),
            is_refused: false,
            changes: set([]),
        };
        for action in actions {
            // A step that the writer expects to be refused is the last one of the set: nothing can build on it.
            if !draft.is_refused {
                draft.act(action, generated_ids);
            }
        }
        draft.changes
    }
}

fn search_draft(number: u64, owner: u64, title: usize, enabled: bool) -> SavedSearch {
    let mut search = saved_search(number);
    search.owner = user_id(owner);
    search.draft.title = short_text(TITLES[title]);
    search.draft.alerts.enabled = enabled;
    search
}

struct Draft {
    last_read: Model,
    written: HashSet<PropertyId>,
    is_refused: bool,
    changes: ChangeSet,
}

impl Draft {
    fn act(&mut self, action: &Action, generated_ids: &mut u64) {
        match action {
            Action::Create { target, claim, content } => {
                self.create(PROPERTIES[*target], claim, content, generated_ids)
            }
            Action::Change { pick, content } => {
                let Some((mut target, mut known)) = self.choose(*pick) else { return };
                content.apply_to(&mut known);
                let id = known.id;
                target.put(known);
                self.add(target.id, |expected| content.group(change(&target, expected, id)));
            }
            Action::Crawl { pick, second } => {
                let Some((mut target, mut known)) = self.choose(*pick) else { return };
                known.last_crawled_at = at(*second);
                let id = known.id;
                target.put(known);
                self.add(target.id, |expected| crawl(&target, expected, id));
            }
            Action::Move { pick, target, whole, decider } => {
                self.relocate(*pick, property_id(PROPERTIES[*target]), *whole, *decider);
            }
            Action::CreateSearch { number, owner, title, enabled, limit } => {
                let wished = search_draft(*number, *owner, *title, *enabled);
                self.record([create_search_below(&wished, *limit)], []);
            }
            Action::ChangeSearch { number, owner, title, enabled } => {
                let known = self.last_read.searches.current(search_id(*number));
                let version = known.map_or(1, |(version, _)| version);
                self.record([change_search(&search_draft(*number, *owner, *title, *enabled), version)], []);
            }
            Action::RemoveSearch { number, owner } => {
                let (search, owner) = (search_id(*number), user_id(*owner));
                self.record([Step::RemoveSearch { search, owner }], []);
            }
        }
    }

    fn create(&mut self, target: u64, claim: &Claim, content: &Content, generated_ids: &mut u64) {
        let (number, claim) = match (claim, content.reference, content.url) {
            (Claim::Reference, Some(reference), _) => {
                (None, Some(site_reference(SITE, &reference_text(reference))))
            }
            (Claim::Url, _, Some(url)) => (None, Some(url_identity(&url_text(url)))),
            (Claim::Id(number), ..) => (Some(*number), None),
            // Without an identity it gets a generated id, like the first two.
            _ => (None, None),
        };
        let number = number.unwrap_or_else(|| {
            *generated_ids += 1;
            100 + *generated_ids
        });
        let mut new = advert(number).build();
        content.apply_to(&mut new);
        let claim = claim.unwrap_or(Identity::Uuid(new.id));
        let id = property_id(target);
        let mut target = self.current_property(id);
        target.adverts.push(new);
        self.add(id, |expected| content.group(create_claiming(&target, expected, claim)));
    }

    /// Moves an advert, or all adverts of its property, to another property.
    fn relocate(&mut self, pick: usize, to: PropertyId, whole: bool, decider: Decider) {
        let Some((mut from, moving)) = self.choose(pick) else { return };
        if from.id == to {
            return;
        }
        let mut joined = self.current_property(to);
        let (stays, moves): (Vec<_>, Vec<_>) =
            from.adverts.drain(..).partition(|known| !whole && known.id != moving.id);
        from.adverts = stays;
        let moved: Vec<AdvertId> = moves.iter().map(|advert| advert.id).collect();
        joined.adverts.extend(moves);
        // Both steps build on the same state: between them the adverts are in both properties.
        let (left, came_from) = (self.expected(from.id), from.id);
        let leaving = match (from.adverts.is_empty(), decider) {
            (true, Decider::Sender) => remove(came_from, left, moving.id),
            (true, Decider::Grouping | Decider::Person) => merge_into(came_from, left, moving.id, to),
            (false, _) => leave(&from, left, moving.id),
        };
        let cause = PutCause::Regrouped {
            moved: moved.clone(),
            from: vec![came_from],
            events: title_event(),
            automatic: decider == Decider::Grouping,
        };
        let joining = put(&joined, self.expected(to), moving.id, cause);
        if decider == Decider::Person {
            let verdict = if whole { Verdict::Same } else { Verdict::Different };
            let right = joined.adverts.iter().map(|advert| advert.id).collect();
            let decision = PersonDecision { verdict, left: moved, right };
            self.record([Step::PutDecision { decision, decided_by: "curator".to_owned() }], []);
        }
        self.record([joining, leaving], [came_from, to]);
    }

    fn add(&mut self, target: PropertyId, step: impl FnOnce(Expected) -> Step) {
        let step = step(self.expected(target));
        self.record([step], [target]);
    }

    /// Adds steps to the set, and applies them to the writer's state.
    fn record<const STEPS: usize, const PROPERTIES: usize>(
        &mut self,
        steps: [Step; STEPS],
        targets: [PropertyId; PROPERTIES],
    ) {
        let expected_outcome = self.last_read.commit(&set(steps.clone()));
        self.is_refused = !matches!(expected_outcome, CommitOutcome::Committed(_));
        self.written.extend(targets);
        self.changes.steps.extend(steps);
    }

    fn expected(&self, target: PropertyId) -> Expected {
        match self.last_read.property(target) {
            _ if self.written.contains(&target) => Expected::WrittenBefore,
            Some(stored) => Expected::Revision(stored.revision),
            None => Expected::New,
        }
    }

    fn current_property(&self, id: PropertyId) -> Property {
        self.last_read
            .property(id)
            .map_or_else(|| Property { id, adverts: Vec::new() }, |stored| stored.property)
    }

    fn choose(&self, pick: usize) -> Option<(Property, Advert)> {
        let count = self.last_read.adverts().count().max(1);
        let (target, known) = self.last_read.adverts().nth(pick % count)?;
        Some((self.current_property(target), known.clone()))
    }
}
