//! Replays a timeline: the advert as its crawls and the given history say, in the order of their dates.

use jiff::Timestamp;

use super::slot::{FieldPart, SLOT_COUNT, Slot, SlotSet};
use super::values::Values;
use super::{Crawl, CrawlSource, Timeline};
use crate::advert_event::{AdvertEvent, EventSubject};
use crate::advert_fields::AdvertField;
use crate::draft::Lifecycle;
use crate::fingerprint::{EMPTY, Fingerprint, amount};
use crate::value::Amount;

/// The advert that a timeline describes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Replayed {
    pub values: Values,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub last_crawled_at: Timestamp,
    pub expired_at: Option<Timestamp>,
    /// Without the creation, oldest first.
    pub events: Vec<AdvertEvent>,
}

impl Timeline {
    /// Replays the timeline. Its fingerprints must be written out.
    pub(crate) fn replay(&self) -> Replayed {
        let mut replay = Replay::new(self);
        let mut history = self.given.iter().peekable();
        for crawl in &self.crawls {
            // A given event of the same second comes first: it explains what the crawl saw.
            while let Some(event) = history.next_if(|event| event.at <= crawl.at) {
                replay.given_event(event);
            }
            replay.crawl(crawl);
        }
        for event in history {
            replay.given_event(event);
        }
        replay.finish()
    }
}

struct Replay<'a> {
    timeline: &'a Timeline,
    /// What is known.
    values: Values,
    /// The last given value of each slot, from which crawls state their differences.
    last_given: Values,
    /// The slots of the last crawl, and when each of the other slots was given last.
    slots: SlotSet,
    slots_at: Timestamp,
    given_at: [Timestamp; SLOT_COUNT],
    /// Whether a given event has changed a value since the last crawl.
    disturbed: bool,
    /// The values that given events passed through within one second.
    passed: Vec<(Slot, u64)>,
    passed_at: Timestamp,
    first_crawl: Option<&'a Crawl>,
    updated_at: Timestamp,
    last_crawled_at: Option<Timestamp>,
    expiry: Option<Expiry>,
    events: Vec<AdvertEvent>,
    /// The date of the latest event.
    latest: Timestamp,
}

struct Expiry {
    at: Timestamp,
    /// Its event, and the date of the event before.
    event: Option<(usize, Timestamp)>,
}

impl<'a> Replay<'a> {
    fn new(timeline: &'a Timeline) -> Self {
        Self {
            timeline,
            values: Values::UNKNOWN,
            last_given: Values::UNKNOWN,
            slots: SlotSet::default(),
            slots_at: Timestamp::MIN,
            given_at: [Timestamp::MIN; SLOT_COUNT],
            disturbed: false,
            passed: Vec::new(),
            passed_at: Timestamp::MIN,
            first_crawl: None,
            updated_at: timeline.created_at.unwrap_or(Timestamp::MIN),
            last_crawled_at: None,
            expiry: None,
            events: Vec::new(),
            latest: Timestamp::MIN,
        }
    }

    /// Adds an event that a sender gave. A new price or surface is a value at that date.
    fn given_event(&mut self, event: &AdvertEvent) {
        let slot = match &event.subject {
            EventSubject::Field(field @ (AdvertField::Price | AdvertField::Surface)) => Some(*field),
            EventSubject::Created
            | EventSubject::Expired
            | EventSubject::Field(_)
            | EventSubject::Foreign(_) => None,
        };
        let Some(field) = slot else { return self.add(event.clone()) };
        let slot = Slot::Field(field);
        let number = |text: &str| text.trim().parse().ok().and_then(Amount::new);
        let before = self.values.get(slot);
        let old = event.old_value.as_deref().map(number);
        let passed = old.map_or(before, |old| old.fingerprint());
        match (&event.old_value, event.new_value.as_deref().map(number)) {
            // A point.
            (None, Some(Some(point))) => {
                let value = Some(point).fingerprint();
                self.change(event.at, slot, [passed, value]);
                let starts = before == EMPTY && self.is_start(event.at);
                if before != value && !starts && !is_rounding(before, value) {
                    self.add(AdvertEvent::amount(event.at, field, amount(before), Some(point)));
                }
            }
            (Some(_), Some(Some(new))) => {
                self.change(event.at, slot, [passed, Some(new).fingerprint()]);
                self.add(event.clone());
            }
            (Some(_), None) => {
                self.change(event.at, slot, [passed, EMPTY]);
                self.add(event.clone());
            }
            (_, Some(None)) | (None, None) => self.add(event.clone()),
        }
    }

    /// Returns `true` if the advert starts at this time: nothing is older.
    fn is_start(&self, at: Timestamp) -> bool {
        let given = self.timeline.created_at;
        self.first_crawl.is_none()
            && self.events.is_empty()
            && given.is_none_or(|created_at| created_at >= at)
    }

    fn change(&mut self, at: Timestamp, slot: Slot, [old, new]: [u64; 2]) {
        if at != self.passed_at {
            self.passed.clear();
            self.passed_at = at;
        }
        self.passed.extend([(slot, old), (slot, new)]);
        self.values.set(slot, new);
        self.disturbed = true;
    }

    /// Returns the slots of a crawl without those whose value the given history had within the same second. A document that is sent
    /// back contains several changes of that second, and each of its crawls shows one of them.
    fn unexplained(&self, crawl: &Crawl) -> SlotSet {
        let mut given = crawl.given;
        if crawl.at == self.passed_at {
            for (slot, value) in &self.passed {
                if self.last_given.get(*slot) == *value {
                    given.remove(*slot);
                }
            }
        }
        given
    }

    fn crawl(&mut self, crawl: &'a Crawl) {
        self.last_crawled_at = self.last_crawled_at.max(crawl.crawled_at);
        if self.first_crawl.is_some() && self.says_nothing_new(crawl) {
            self.slots_at = crawl.at;
            return;
        }
        for slot in self.slots.iter() {
            self.given_at[slot.index()] = self.slots_at;
        }
        for (slot, value) in &crawl.values {
            self.last_given.set(*slot, *value);
        }
        let is_first = self.first_crawl.is_none();
        self.first_crawl.get_or_insert(crawl);
        if crawl.source == CrawlSource::Summary {
            self.summary(crawl);
        } else {
            self.observe(crawl, is_first);
        }
        (self.slots, self.slots_at, self.disturbed) = (crawl.given, crawl.at, false);
    }

    /// Returns `true` if a crawl gives the same slots as the one before, with the same values and dates.
    fn says_nothing_new(&self, crawl: &Crawl) -> bool {
        crawl.values.is_empty()
            && crawl.given == self.slots
            && !self.disturbed
            && self.expiry.is_none()
            && crawl.updated_at.is_none_or(|at| at <= self.updated_at)
            && !matches!(crawl.lifecycle, Lifecycle::Expired { .. })
    }

    fn summary(&mut self, crawl: &Crawl) {
        self.values = self.last_given.clone();
        self.updated_at = self.updated_at.max(crawl.updated_at.unwrap_or(crawl.at));
        self.expiry = match crawl.lifecycle {
            Lifecycle::Seen | Lifecycle::Live => None,
            Lifecycle::Expired { at } => Some(Expiry { at: at.unwrap_or(crawl.at), event: None }),
        };
    }

    fn observe(&mut self, crawl: &Crawl, is_first: bool) {
        // A date that is not later than the one kept is stale: the change was made after it.
        let date = crawl.updated_at.filter(|at| is_first || *at > self.updated_at).unwrap_or(crawl.at);
        let before = self.values.clone();
        self.values.apply(self.unexplained(crawl), &self.last_given);
        let mut has_changed = is_first;
        for field in self.changed_fields(&before, is_first) {
            has_changed = true;
            let at = date.max(self.latest);
            let (old, new) = (before.get(Slot::Field(field)), self.values.get(Slot::Field(field)));
            let event = match field {
                AdvertField::Price | AdvertField::Surface => {
                    AdvertEvent::amount(at, field, amount(old), amount(new))
                }
                other => AdvertEvent::field(at, other),
            };
            self.derive(event, crawl.at, self.given_since(field));
        }
        has_changed |= self.follow_lifecycle(crawl, date);
        let moved_to = if has_changed { Some(date) } else { crawl.updated_at };
        self.updated_at = moved_to.map_or(self.updated_at, |at| at.max(self.updated_at));
    }

    /// Returns the fields whose change is an event, in table order.
    fn changed_fields(&self, before: &Values, is_first: bool) -> Vec<AdvertField> {
        if is_first && *before == Values::UNKNOWN {
            return Vec::new();
        }
        let changed = |slot: Slot| {
            let (old, new) = (before.get(slot), self.values.get(slot));
            // The first crawl creates the advert. Only a price from the given history can have changed until then.
            old != new && !(is_first && old == EMPTY) && !(slot.is_amount() && is_rounding(old, new))
        };
        let has_parts = |field| FieldPart::ALL.iter().any(|part| part.field() == field);
        let field_changed = |field: &AdvertField| {
            let mut parts = FieldPart::ALL.iter().filter(|part| part.field() == *field);
            (!has_parts(*field) && changed(Slot::Field(*field)))
                || parts.any(|part| changed(Slot::FieldPart(*part)))
        };
        let mut fields: Vec<AdvertField> = AdvertField::ALL.iter().copied().filter(field_changed).collect();
        // Copies and originals are the same pictures, so a change of both is one event.
        if fields.contains(&AdvertField::Pictures) {
            fields.retain(|field| *field != AdvertField::PicturesRemote);
        }
        fields
    }

    /// Returns the time of the crawl that gave a field last.
    fn given_since(&self, field: AdvertField) -> Timestamp {
        let parts =
            FieldPart::ALL.iter().filter(|part| part.field() == field).map(|part| Slot::FieldPart(*part));
        let slots = parts.chain([Slot::Field(field)]);
        slots.map(|slot| self.given_at[slot.index()]).max().unwrap_or(Timestamp::MIN)
    }

    /// Follows the lifecycle. Returns `true` if the advert expired or returned.
    fn follow_lifecycle(&mut self, crawl: &Crawl, date: Timestamp) -> bool {
        match (crawl.lifecycle, &mut self.expiry) {
            (Lifecycle::Seen | Lifecycle::Live, None) => false,
            (Lifecycle::Seen | Lifecycle::Live, Some(expiry)) => {
                let since = expiry.at;
                self.expiry = None;
                self.derive(AdvertEvent::expiry(date.max(self.latest), false), crawl.at, since);
                true
            }
            (Lifecycle::Expired { at }, None) => {
                let at = at.unwrap_or(date);
                let (index, before) = (self.events.len(), self.latest);
                let is_new = self.derive(AdvertEvent::expiry(at.max(before), true), crawl.at, self.slots_at);
                self.expiry = Some(Expiry { at, event: is_new.then_some((index, before)) });
                true
            }
            // Already expired: the crawl may supply a better date. The event moves there.
            (Lifecycle::Expired { at: Some(at) }, Some(expiry)) => {
                expiry.at = at;
                if let Some((index, before)) = expiry.event {
                    self.events[index].at = at.max(before);
                    self.latest = self.latest.max(self.events[index].at);
                }
                false
            }
            (Lifecycle::Expired { at: None }, Some(_)) => false,
        }
    }

    /// Adds an event derived from a crawl. If a sender gave the same change, between the two crawls that show it or at the same
    /// time, that one has the better date. Returns `true` if the event was added.
    fn derive(&mut self, event: AdvertEvent, crawled_at: Timestamp, since: Timestamp) -> bool {
        let until = crawled_at.max(event.at);
        let is_given = self.timeline.given.iter().any(|given| {
            let between = given.at > since && given.at <= until;
            (between || given.at == event.at) && given.says_the_same(&event)
        });
        if !is_given {
            self.add(event);
        }
        !is_given
    }

    fn add(&mut self, event: AdvertEvent) {
        self.latest = self.latest.max(event.at);
        self.events.push(event);
    }

    fn finish(self) -> Replayed {
        let start = self.first_crawl.map(|crawl| match crawl.lifecycle {
            Lifecycle::Expired { at: Some(at) } => at.min(crawl.updated_at.unwrap_or(at)).min(crawl.at),
            Lifecycle::Seen | Lifecycle::Live | Lifecycle::Expired { at: None } => {
                crawl.updated_at.map_or(crawl.at, |at| at.min(crawl.at))
            }
        });
        let history =
            self.timeline.given.iter().map(|event| event.at).chain(self.events.iter().map(|e| e.at));
        let guess = self.timeline.created_at.or(start);
        let created_at = history.chain(guess).min().unwrap_or(Timestamp::UNIX_EPOCH);
        let mut events = self.events;
        events.sort_by_key(|event| event.at);
        Replayed {
            values: self.values,
            created_at,
            updated_at: self.updated_at.max(created_at),
            last_crawled_at: self.last_crawled_at.or(self.first_crawl.map(|c| c.at)).unwrap_or(created_at),
            expired_at: self.expiry.map(|expiry| expiry.at),
            events,
        }
    }
}

/// Returns `true` if a new amount only has more decimals: rounded to the decimals of the old one, it is the old one.
pub(crate) fn is_rounding(old: u64, new: u64) -> bool {
    let (Some(old), Some(new)) = (amount(old), amount(new)) else { return false };
    let text = old.to_string();
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    // More digits than a float holds reliably next to the amounts of a market.
    const DECIMALS_MAX: usize = 6;
    let scale = 10_f64.powi(decimals.min(DECIMALS_MAX) as i32);
    let rounded = |amount: Amount| (amount.get() * scale).round();
    old != new && decimals <= DECIMALS_MAX && rounded(old) == rounded(new)
}
