//! Merges a draft into the stored advert. The result is the new advert, the kind of change, and the events.
//!
//! A draft becomes a crawl of the advert's [timeline](crate::timeline). The advert is what its crawls say in the order of their dates:
//!
//! - A field that a draft does not contain keeps its value. A field with an empty value is cleared. Fields with parts (publisher,
//!   ratings, place) keep the parts that the rest of the field confirms: `Values::apply` has the rules.
//! - The latest crawl wins. A crawl is dated by its `lastCrawledAt`, an expiry by its `expiredAt`, and both by the time of receipt
//!   if the draft has no such date. Crawls of the same time are ordered by `updatedAt`, then by arrival.
//! - A crawl that is older than the latest one fills the history, and the fields that no later crawl has given.
//! - A change is dated by the `updatedAt` of its crawl if it is later than the one kept, else by the crawl, and never before the event
//!   before it.
//! - A crawl makes an expired advert live again, unless the draft says that the advert is expired.
//! - The creation is the earliest given `createdAt`, or the first crawl if none was given, or an older event.
//! - A draft without changes records no event and only updates the timeline and `last_crawled_at`.

use jiff::Timestamp;

use crate::advert::Advert;
use crate::advert_event::{AdvertEvent, EventSubject};
use crate::advert_fields::{AdvertDetails, AdvertField};
use crate::draft::{AdvertDraft, Lifecycle};
use crate::fingerprint::amount;
use crate::ids::AdvertId;
use crate::kinds::{GeoAccuracy, PropertyType, TransactionType};
use crate::place::Placement;
use crate::price::PriceCheck;
use crate::timeline::{
    Crawl, CrawlSource, FieldPart, Inserted, Reading, Replayed, Slot, SlotSet, Timeline, Values, kind_code,
};

pub use crate::timeline::EVENTS_MAX;

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    pub advert: Advert,
    pub effect: Effect,
    /// The new events, in the order of the fields. Filled history is not included, because it is not new.
    pub events: Vec<AdvertEvent>,
}

/// The kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Created,
    /// A field, the lifecycle or the history changed.
    Updated,
    /// Only the crawl dates changed.
    Crawled,
    /// Nothing changed.
    Unchanged,
}

/// Creates an advert from a draft. `placement` is the commune of its place.
pub fn create(
    id: AdvertId,
    draft: AdvertDraft,
    placement: Option<Placement>,
    received_at: Timestamp,
) -> Merged {
    let blank = Advert {
        id,
        transaction_type: draft.transaction_type,
        property_type: draft.property_type,
        details: AdvertDetails::default(),
        placement: None,
        price_check: PriceCheck::Unchecked,
        created_at: received_at,
        updated_at: received_at,
        last_crawled_at: received_at,
        expired_at: None,
        events: Vec::new(),
        timeline: Timeline::default(),
    };
    let Merging { advert, .. } =
        Merging::new(blank, Timeline::default()).draft(draft, placement, received_at);
    let expiry = advert.events.iter().rfind(|event| event.subject == EventSubject::Expired);
    let expiry = expiry.filter(|_| advert.is_expired()).cloned();
    let events = std::iter::once(AdvertEvent::created(advert.created_at)).chain(expiry).collect();
    Merged { advert, effect: Effect::Created, events }
}

/// Merges a draft into the current advert. `placement` is the commune of the place that the draft gives.
pub fn update(
    current: &Advert,
    draft: AdvertDraft,
    placement: Option<Placement>,
    received_at: Timestamp,
) -> Merged {
    Merging::of(current).draft(draft, placement, received_at).compared_with(current)
}

/// Expires an advert without a draft. An expired advert stays unchanged.
pub fn expire(current: &Advert, at: Timestamp) -> Merged {
    if current.is_expired() {
        return Merged { advert: current.clone(), effect: Effect::Unchanged, events: Vec::new() };
    }
    let crawl = crawl_of(Lifecycle::Expired { at: None }, None, None, at);
    let mut merging = Merging::of(current);
    merging.insert(crawl, &Reading::nothing(), None);
    merging.replay(&Reading::nothing(), &AdvertDetails::default());
    merging.compared_with(current)
}

/// Dates a request.
fn crawl_of(
    lifecycle: Lifecycle,
    updated_at: Option<Timestamp>,
    last_crawled_at: Option<Timestamp>,
    received_at: Timestamp,
) -> Crawl {
    let (at, crawled_at) = match lifecycle {
        Lifecycle::Seen | Lifecycle::Live => (last_crawled_at, Some(last_crawled_at.unwrap_or(received_at))),
        // A report of an expiry is not a crawl, unless it has an explicit crawl date.
        Lifecycle::Expired { at } => (at.max(last_crawled_at), last_crawled_at),
    };
    Crawl {
        at: at.unwrap_or(received_at),
        source: if at.is_some() { CrawlSource::Dated } else { CrawlSource::Received },
        crawled_at,
        updated_at,
        lifecycle,
        given: SlotSet::default(),
        current: SlotSet::default(),
        values: Vec::new(),
    }
}

/// An advert while a request is merged into it.
struct Merging {
    advert: Advert,
    timeline: Timeline,
    known: Values,
    is_newest: bool,
}

impl Merging {
    fn of(current: &Advert) -> Self {
        let timeline = if current.timeline.crawls.is_empty() {
            Timeline::of_older_record(current)
        } else {
            current.timeline.clone()
        };
        Self::new(current.clone(), timeline)
    }

    fn new(mut advert: Advert, mut timeline: Timeline) -> Self {
        let known = if timeline.crawls.is_empty() { Values::UNKNOWN } else { Values::of_advert(&advert) };
        timeline.write_out(&known);
        advert.timeline = Timeline::default();
        Self { advert, timeline, known, is_newest: false }
    }

    fn draft(mut self, draft: AdvertDraft, placement: Option<Placement>, received_at: Timestamp) -> Self {
        let reading = Reading::of_draft(&draft, placement.as_ref());
        let AdvertDraft {
            identity: _,
            property: _,
            transaction_type: _,
            property_type: _,
            patch,
            created_at,
            updated_at,
            last_crawled_at,
            lifecycle,
            history,
            price_check: _,
        } = draft;
        let given = AdvertDetails::default().patched(patch);
        self.timeline.add_creation(created_at);
        self.timeline.add_history(history);
        let revival = self.revival(lifecycle, last_crawled_at, received_at);
        self.insert(crawl_of(lifecycle, updated_at, last_crawled_at, received_at), &reading, placement);
        if let Some(crawl) = revival {
            self.insert(crawl, &Reading::nothing(), None);
        }
        self.replay(&reading, &given);
        self
    }

    /// Returns an additional crawl if a request says that the advert is live, and is older than the report of an expiry that has no
    /// date. The request knew of that report, so it revives the advert, but its values stay as old as they are.
    fn revival(
        &self,
        lifecycle: Lifecycle,
        last_crawled_at: Option<Timestamp>,
        received_at: Timestamp,
    ) -> Option<Crawl> {
        let last = self.timeline.crawls.last()?;
        let expired_without_date =
            last.source == CrawlSource::Received && matches!(last.lifecycle, Lifecycle::Expired { .. });
        let is_older = last_crawled_at.is_some_and(|at| at < last.at);
        let revived = lifecycle == Lifecycle::Live && expired_without_date && is_older;
        revived.then(|| Crawl { crawled_at: None, ..crawl_of(lifecycle, None, None, received_at) })
    }

    fn insert(&mut self, crawl: Crawl, reading: &Reading, placement: Option<Placement>) {
        let place = Slot::Field(AdvertField::Place);
        let open_place = self.timeline.crawls.iter().all(|crawl| !crawl.given.contains(place));
        let decides_place = match self.timeline.insert(crawl, reading) {
            Inserted::At(position) => {
                self.is_newest = position + 1 == self.timeline.crawls.len();
                self.timeline.is_last_to_give(position, place)
            }
            Inserted::Known => false,
            Inserted::Summary => open_place,
        };
        // A country that is sent alone may take the known place out of its commune.
        let country = Slot::FieldPart(FieldPart::Country);
        let gives_country_only = reading.given.contains(country) && !reading.given.contains(place);
        if decides_place && reading.given.contains(place) || self.is_newest && gives_country_only {
            self.advert.placement = placement;
        }
        self.timeline.limit();
    }

    /// Makes the advert what the timeline says. Its values come from the advert itself or from the request, which gives `given`.
    fn replay(&mut self, reading: &Reading, given: &AdvertDetails) {
        let Replayed { values, created_at, updated_at, last_crawled_at, expired_at, events } =
            self.timeline.replay();
        let advert = &mut self.advert;
        advert.created_at = created_at;
        advert.updated_at = updated_at;
        advert.last_crawled_at = last_crawled_at;
        advert.expired_at = expired_at;
        let surplus = (events.len() + 1).saturating_sub(EVENTS_MAX);
        let created = AdvertEvent::created(created_at);
        advert.events = std::iter::once(created).chain(events.into_iter().skip(surplus)).collect();
        let kind = |field| kind_code(values.get(Slot::Field(field)));
        if let Some(known) = kind(AdvertField::TransactionType).and_then(TransactionType::from_code) {
            advert.transaction_type = known;
        }
        if let Some(known) = kind(AdvertField::PropertyType).and_then(PropertyType::from_code) {
            advert.property_type = known;
        }
        let unknown = AdvertDetails::default();
        for slot in Slot::all().filter(|slot| values.get(*slot) != self.known.get(*slot)) {
            let value = values.get(slot);
            let is_given = reading.given.contains(slot) && reading.values.get(slot) == value;
            let from = if is_given { given } else { &unknown };
            match slot {
                // The given history may contain a later value than any crawl.
                Slot::Field(AdvertField::Price) => advert.details.price = amount(value),
                Slot::Field(AdvertField::Surface) => advert.details.surface = amount(value),
                // They are merged by their parts.
                Slot::Field(
                    AdvertField::Publisher
                    | AdvertField::Energy
                    | AdvertField::GreenHouseGas
                    | AdvertField::Place,
                ) => {}
                Slot::Field(field) => advert.details.take_field(field, from),
                // A late crawl may confirm the point that an accuracy, sent alone, describes.
                Slot::FieldPart(FieldPart::Accuracy) => {
                    advert.details.place.accuracy = kind_code(value).and_then(GeoAccuracy::from_code);
                }
                Slot::FieldPart(part) => take_part(&mut advert.details, part, from),
            }
        }
        // Of the place, the advert has the parts; which commune they mean is what its placement says.
        let merged = values.with_commune_of(advert);
        debug_assert_eq!(merged, Values::of_advert(advert));
        let mut timeline = std::mem::take(&mut self.timeline);
        timeline.leave_out(&merged);
        advert.timeline = timeline;
    }

    fn compared_with(self, current: &Advert) -> Merged {
        let Self { advert, is_newest, .. } = self;
        let effect = effect_of(current, &advert);
        let events = if is_newest { new_events(current, &advert) } else { Vec::new() };
        Merged { advert, effect, events }
    }
}

/// Takes a part of a field from another version.
fn take_part(details: &mut AdvertDetails, part: FieldPart, from: &AdvertDetails) {
    match part {
        FieldPart::PublisherName => details.publisher.name.clone_from(&from.publisher.name),
        FieldPart::PublisherType => details.publisher.kind = from.publisher.kind,
        FieldPart::EnergyLetter => details.energy.category = from.energy.category,
        FieldPart::EnergyValue => details.energy.value = from.energy.value,
        FieldPart::GasLetter => details.green_house_gas.category = from.green_house_gas.category,
        FieldPart::GasValue => details.green_house_gas.value = from.green_house_gas.value,
        FieldPart::Insee => details.place.insee.clone_from(&from.place.insee),
        FieldPart::Zipcode => details.place.zipcode.clone_from(&from.place.zipcode),
        FieldPart::CityName => details.place.city_name.clone_from(&from.place.city_name),
        FieldPart::Point => details.place.point = from.place.point,
        FieldPart::Accuracy => details.place.accuracy = from.place.accuracy,
        FieldPart::Country => details.place.country = from.place.country,
    }
}

/// Returns the events of the fields that differ between two versions, as the newer version shows them. The history that came with a
/// crawl may contain many; the last of each field is new.
fn new_events(older: &Advert, newer: &Advert) -> Vec<AdvertEvent> {
    let kinds = [
        (AdvertField::TransactionType, older.transaction_type != newer.transaction_type),
        (AdvertField::PropertyType, older.property_type != newer.property_type),
    ];
    let kinds = kinds.into_iter().filter(|(_, differs)| *differs).map(|(field, _)| field);
    let fields = kinds.chain(older.details.differing(&newer.details)).map(EventSubject::Field);
    let lifecycle = (older.is_expired() != newer.is_expired()).then_some(EventSubject::Expired);
    let count = |events: &[AdvertEvent], event| events.iter().filter(|known| *known == event).count();
    let event_of = |subject: EventSubject| {
        let last = newer.events.iter().rfind(|event| event.subject == subject)?;
        (count(&newer.events, last) > count(&older.events, last)).then(|| last.clone())
    };
    fields.chain(lifecycle).filter_map(event_of).collect()
}

fn effect_of(current: &Advert, merged: &Advert) -> Effect {
    if current == merged {
        return Effect::Unchanged;
    }
    let Advert {
        id,
        transaction_type,
        property_type,
        details,
        placement,
        price_check,
        created_at,
        updated_at: _,
        last_crawled_at: _,
        expired_at,
        events,
        timeline: _,
    } = current;
    let only_crawled = *id == merged.id
        && *transaction_type == merged.transaction_type
        && *property_type == merged.property_type
        && *details == merged.details
        && *placement == merged.placement
        && *price_check == merged.price_check
        && *created_at == merged.created_at
        && *expired_at == merged.expired_at
        && *events == merged.events;
    if only_crawled { Effect::Crawled } else { Effect::Updated }
}

#[cfg(test)]
mod tests;
