//! The timeline of an advert: its crawls in the order of their dates, whatever the order in which they were received.
//!
//! An advert is what its crawls say, taken in the order of their dates ([`Timeline::replay`]). A crawl that is received late is put in
//! its place, and the values, events and dates follow. So a year of crawls that is imported in one go, in any order, gives the same
//! advert as the same year lived through (ADR 0017).
//!
//! A timeline does not repeat the values of the advert. A crawl remembers which slots it gave, and a fingerprint for each value that
//! differs from the crawl before. The fingerprint of a value that the advert still has is not remembered but computed
//! ([`Crawl::current`]). So a crawl without changes is little more than its date, and a new advert has no fingerprints at all.

mod replay;
mod slot;
mod values;

use jiff::Timestamp;

use crate::advert::Advert;
use crate::advert_event::{AdvertEvent, EventSubject};
use crate::advert_fields::AdvertField;
use crate::draft::Lifecycle;
use crate::fingerprint::EMPTY;

pub(crate) use replay::Replayed;
pub use slot::{FieldPart, Slot, SlotSet};
pub(crate) use values::{Reading, Values, kind_code};

/// The maximum number of crawls that a timeline keeps: almost three years of daily crawls.
pub const CRAWLS_MAX: usize = 1_000;

/// The maximum number of events per advert: years of weekly changes. The creation is always kept, then the newest events.
pub const EVENTS_MAX: usize = 1_000;

/// The crawls of an advert and the history that its senders gave. Empty in adverts that an older release stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Timeline {
    /// Oldest first.
    pub crawls: Vec<Crawl>,
    /// The events that senders gave, without creations, oldest first. A price or surface without an old value is a point: the value
    /// at that date.
    pub given: Vec<AdvertEvent>,
    /// The earliest creation date that a sender gave.
    pub created_at: Option<Timestamp>,
}

/// What one request said about an advert, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crawl {
    /// Its place in the order of crawls.
    pub at: Timestamp,
    pub source: CrawlSource,
    /// When the advert was seen. `None` for the report of an expiry.
    pub crawled_at: Option<Timestamp>,
    /// The `updatedAt` of the request.
    pub updated_at: Option<Timestamp>,
    pub lifecycle: Lifecycle,
    /// The slots it gave.
    pub given: SlotSet,
    /// The given slots whose value differs from the one given before, and is the value of the advert now.
    pub current: SlotSet,
    /// The other given slots whose value differs from the one given before.
    pub values: Vec<(Slot, u64)>,
}

/// Where the date of a crawl comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrawlSource {
    /// From the request.
    Dated,
    /// The request has no date: its time of receipt.
    Received,
    /// Not one crawl: the sum of all crawls until then.
    Summary,
}

impl Crawl {
    /// Returns `true` if the other crawl says nothing that this one, which comes right before it, does not say.
    fn repeats(&self, other: &Self) -> bool {
        let says_nothing = other.current.is_empty() && other.values.is_empty();
        let alike = (self.given, self.lifecycle, self.updated_at, self.source)
            == (other.given, other.lifecycle, other.updated_at, other.source);
        says_nothing && alike && other.lifecycle == Lifecycle::Seen
    }
}

/// Where a crawl was put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inserted {
    /// At this position.
    At(usize),
    /// It is known already.
    Known,
    /// Into the summary, which contains its time.
    Summary,
}

impl Timeline {
    /// Starts the timeline of an advert that an older release stored: with a summary of what it has.
    pub(crate) fn of_older_record(advert: &Advert) -> Self {
        let values = Values::of_advert(advert);
        let known = values.known();
        let summary = Crawl {
            at: advert.expired_at.map_or(advert.last_crawled_at, |at| at.max(advert.last_crawled_at)),
            source: CrawlSource::Summary,
            crawled_at: Some(advert.last_crawled_at),
            updated_at: Some(advert.updated_at),
            lifecycle: match advert.expired_at {
                Some(at) => Lifecycle::Expired { at: Some(at) },
                None => Lifecycle::Live,
            },
            given: known,
            current: known,
            values: Vec::new(),
        };
        let history = advert.events.iter().filter(|event| event.subject != EventSubject::Created);
        Self { crawls: vec![summary], given: history.cloned().collect(), created_at: Some(advert.created_at) }
    }

    /// Writes out the fingerprints that are left to be computed from the advert.
    pub(crate) fn write_out(&mut self, advert: &Values) {
        for crawl in &mut self.crawls {
            let current = std::mem::take(&mut crawl.current);
            crawl.values.extend(current.iter().map(|slot| (slot, advert.get(slot))));
            crawl.values.sort_unstable();
        }
    }

    /// Leaves out the fingerprints that can be computed from the advert.
    pub(crate) fn leave_out(&mut self, advert: &Values) {
        let mut done = SlotSet::default();
        for crawl in self.crawls.iter_mut().rev() {
            crawl.values.retain(|(slot, fingerprint)| {
                let leave = !done.contains(*slot) && *fingerprint == advert.get(*slot);
                done.insert(*slot);
                if leave {
                    crawl.current.insert(*slot);
                }
                !leave
            });
        }
    }

    /// Adds events that a sender gave. Returns nothing new for those that are known.
    pub(crate) fn add_history(&mut self, history: Vec<AdvertEvent>) {
        for event in history {
            if event.subject == EventSubject::Created {
                self.add_creation(Some(event.at));
                continue;
            }
            let event = event.with_expiry_values();
            if !self.given.iter().any(|known| known.at == event.at && known.says_the_same(&event)) {
                self.given.push(event);
            }
        }
        self.given.sort_by_key(|event| event.at);
        let surplus = self.given.len().saturating_sub(EVENTS_MAX);
        self.given.drain(..surplus);
    }

    pub(crate) fn add_creation(&mut self, at: Option<Timestamp>) {
        self.created_at = self.created_at.into_iter().chain(at).min();
    }

    /// Inserts a crawl at the place of its date.
    pub(crate) fn insert(&mut self, mut crawl: Crawl, reading: &Reading) -> Inserted {
        crawl.given = reading.given;
        let newest = self.crawls.last().map(|last| last.at);
        match crawl.source {
            // A request without a date is the newest, even if an earlier one has a date in the future.
            CrawlSource::Received => crawl.at = newest.map_or(crawl.at, |at| at.max(crawl.at)),
            CrawlSource::Dated | CrawlSource::Summary => {}
        }
        // The date of an expiry says since when, not when the client looked. It does not make it older than a crawl whose time is not
        // known.
        if matches!(crawl.lifecycle, Lifecycle::Expired { .. }) && crawl.crawled_at.is_none() {
            let undated = self.crawls.iter().rev().find(|known| known.source != CrawlSource::Dated);
            crawl.at = undated.map_or(crawl.at, |known| known.at.max(crawl.at));
        }
        if self
            .crawls
            .first()
            .is_some_and(|first| first.source == CrawlSource::Summary && crawl.at < first.at)
        {
            self.fill_summary(reading);
            return Inserted::Summary;
        }
        let precedes = |known: &Crawl| {
            let updated_later =
                known.updated_at.zip(crawl.updated_at).is_some_and(|(known, new)| known > new);
            known.at < crawl.at || (known.at == crawl.at && !updated_later)
        };
        let position = self.crawls.iter().rposition(precedes).map_or(0, |last_before| last_before + 1);
        if self.is_known(&crawl, reading, position) {
            return Inserted::Known;
        }
        let before = self.given_before(position);
        crawl.values = differing(reading.given, &reading.values, &before);
        crawl.current = SlotSet::default();
        self.crawls.insert(position, crawl);
        self.adjust_after(position, &before, reading);
        Inserted::At(position)
    }

    /// Returns `true` if no crawl after `position` gave the slot.
    pub(crate) fn is_last_to_give(&self, position: usize, slot: Slot) -> bool {
        self.crawls[position + 1..].iter().all(|crawl| !crawl.given.contains(slot))
    }

    /// Keeps the timeline within its limit: leaves out every second crawl without changes, then sums up the oldest.
    pub(crate) fn limit(&mut self) {
        if self.crawls.len() <= CRAWLS_MAX {
            return;
        }
        let mut left_out_before = false;
        let mut kept: Vec<Crawl> = Vec::with_capacity(self.crawls.len());
        let mut crawls = std::mem::take(&mut self.crawls).into_iter().peekable();
        while let Some(crawl) = crawls.next() {
            let repeats = crawls.peek().is_some() && kept.last().is_some_and(|before| before.repeats(&crawl));
            left_out_before = repeats && !left_out_before;
            if !left_out_before {
                kept.push(crawl);
            }
        }
        self.crawls = kept;
        if self.crawls.len() > CRAWLS_MAX {
            self.sum_up(CRAWLS_MAX / 4);
        }
    }

    /// Replaces the oldest crawls by a summary. Their events become given history.
    fn sum_up(&mut self, count: usize) {
        let newer = self.crawls.split_off(count);
        let until = self.crawls.last().map(|crawl| crawl.at);
        let later = self.given.iter().position(|event| until.is_some_and(|until| event.at > until));
        let later = self.given.split_off(later.unwrap_or(self.given.len()));
        let replayed = self.replay();
        if let Some(at) = until {
            let known = replayed.values.known();
            let given = self.crawls.iter().flat_map(|crawl| crawl.given.iter()).chain(known.iter()).collect();
            let summary = Crawl {
                at,
                source: CrawlSource::Summary,
                crawled_at: Some(replayed.last_crawled_at),
                updated_at: Some(replayed.updated_at),
                lifecycle: match replayed.expired_at {
                    Some(at) => Lifecycle::Expired { at: Some(at) },
                    None => Lifecycle::Live,
                },
                given,
                current: SlotSet::default(),
                values: known.iter().map(|slot| (slot, replayed.values.get(slot))).collect(),
            };
            let last_given = self.given_before(count);
            self.crawls = vec![summary];
            self.add_creation(Some(replayed.created_at));
            self.given = replayed.events.into_iter().chain(later).collect();
            self.crawls.extend(newer);
            // The next crawls differ from the summary where they differed from the crawls it replaces, and where the rules or the
            // given history had changed a value since.
            self.rewrite_after(1, &last_given, &replayed.values, given);
        }
    }

    fn fill_summary(&mut self, reading: &Reading) {
        let Some(summary) = self.crawls.first() else { return };
        // A field is filled as a whole: its parts belong together.
        let is_open = |field: AdvertField| {
            let parts =
                FieldPart::ALL.iter().filter(|part| part.field() == field).map(|part| Slot::FieldPart(*part));
            !parts.chain([Slot::Field(field)]).any(|slot| summary.given.contains(slot))
        };
        let given: SlotSet = reading
            .given
            .iter()
            .filter(|slot| match slot {
                Slot::Field(field) => is_open(*field),
                Slot::FieldPart(part) => is_open(part.field()),
            })
            .collect();
        let before = Values::UNKNOWN;
        let filling = Reading { given, values: reading.values.clone() };
        let values = differing(given, &reading.values, &before);
        if let Some(summary) = self.crawls.first_mut() {
            for slot in given.iter() {
                summary.given.insert(slot);
            }
            summary.values.extend(values);
            summary.values.sort_unstable();
        }
        self.adjust_after(0, &before, &filling);
    }

    /// Returns the last given value of each slot before `position`.
    fn given_before(&self, position: usize) -> Values {
        let mut values = Values::UNKNOWN;
        for (slot, fingerprint) in self.crawls[..position].iter().flat_map(|crawl| &crawl.values) {
            values.set(*slot, *fingerprint);
        }
        values
    }

    /// Corrects the differences of the crawls after a new one: the next crawl that gave the same slot was compared with the crawl
    /// before the new one.
    fn adjust_after(&mut self, position: usize, before: &Values, reading: &Reading) {
        self.rewrite_after(position + 1, before, &reading.values, reading.given);
    }

    /// Rewrites the differences of the crawls from `start` on, for slots whose last given value was `old` and is now `new`.
    fn rewrite_after(&mut self, start: usize, old: &Values, new: &Values, slots: SlotSet) {
        let mut open = slots;
        for crawl in &mut self.crawls[start..] {
            if open.is_empty() {
                return;
            }
            for slot in open.iter().filter(|slot| crawl.given.contains(*slot)) {
                open.remove(slot);
                let known = crawl.values.iter().position(|(changed, _)| *changed == slot);
                let value = known.map_or(old.get(slot), |index| crawl.values[index].1);
                if let Some(index) = known {
                    crawl.values.remove(index);
                }
                if value != new.get(slot) {
                    crawl.values.push((slot, value));
                    crawl.values.sort_unstable();
                }
            }
        }
    }

    /// Returns `true` if a crawl before `position` says the same at the same time, or if an expiry without a date only repeats the
    /// last one.
    fn is_known(&self, crawl: &Crawl, reading: &Reading, position: usize) -> bool {
        let is_same = |index: usize, known: &Crawl| {
            let mut values = self.given_before(index + 1);
            for slot in Slot::all().filter(|slot| !known.given.contains(*slot)) {
                values.set(slot, EMPTY);
            }
            known.given == reading.given && values == reading.values
        };
        let same_time = self.crawls[..position].iter().enumerate().rev();
        // Without dates, only an immediate repetition says nothing new: the last request received wins.
        let nearest = if crawl.source == CrawlSource::Received { 1 } else { usize::MAX };
        let mut same_time = same_time.take(nearest).take_while(|(_, known)| known.at == crawl.at);
        let repeated = same_time.any(|(index, known)| {
            let dates = (known.updated_at, known.crawled_at, known.lifecycle)
                == (crawl.updated_at, crawl.crawled_at, crawl.lifecycle);
            dates && is_same(index, known)
        });
        let expired_again = || {
            let reports = |crawl: &Crawl| {
                matches!(crawl.lifecycle, Lifecycle::Expired { .. }) && crawl.crawled_at.is_none()
            };
            let last = self.crawls.last().filter(|last| matches!(last.lifecycle, Lifecycle::Expired { .. }));
            let state = self.given_before(self.crawls.len());
            let undated = crawl.lifecycle == Lifecycle::Expired { at: None } && crawl.updated_at.is_none();
            undated
                && reports(crawl)
                && last.is_some()
                && reading.given.iter().all(|slot| reading.values.get(slot) == state.get(slot))
        };
        repeated || expired_again()
    }
}

/// Returns the given slots whose values differ from those before.
fn differing(given: SlotSet, values: &Values, before: &Values) -> Vec<(Slot, u64)> {
    let differs = given.iter().filter(|slot| values.get(*slot) != before.get(*slot));
    differs.map(|slot| (slot, values.get(slot))).collect()
}
