//! What becomes of an advert when a draft of it arrives: the merged advert, what kind of change it was, and the events
//! the comparison makes.
//!
//! The rules, in one place:
//!
//! - A field the draft does not mention keeps its value; a field given as unknown is cleared.
//! - The last draft received wins. Dates only ever widen: `created_at` moves back, the others forward.
//! - A draft is a sighting. It brings an expired advert back, unless it says that the advert is expired or was seen
//!   before the expiry.
//! - A draft that changes nothing makes no event and only moves `last_crawled_at`.

use jiff::Timestamp;

use crate::advert::{Advert, AdvertDetails, AdvertField};
use crate::advert_event::{AdvertEvent, EventSubject};
use crate::draft::{AdvertDraft, Lifecycle};
use crate::ids::AdvertId;
use crate::place::Placement;

/// The most events kept on one advert: years of weekly changes. The creation is always kept, then the newest.
pub const EVENTS_MAX: usize = 1_000;

/// The advert after a draft, and what the draft did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    pub advert: Advert,
    pub effect: Effect,
    /// What happened just now, in the order of the fields. Back-filled history is not events and is not in here.
    pub events: Vec<AdvertEvent>,
}

/// What kind of change a draft made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Created,
    /// A field, the lifecycle or the history changed.
    Updated,
    /// Only the dates of the sighting moved.
    Crawled,
    /// Nothing at all.
    Nothing,
}

/// Makes a new advert of a draft.
pub fn create(
    id: AdvertId,
    draft: AdvertDraft,
    placement: Option<Placement>,
    received_at: Timestamp,
) -> Merged {
    let AdvertDraft {
        identity: _,
        property: _,
        transaction_type,
        property_type,
        patch,
        created_at,
        updated_at,
        last_crawled_at,
        lifecycle,
        history,
    } = draft;
    let known_since =
        history.iter().find(|event| event.subject == EventSubject::Created).map(|event| event.at);
    let created_at = created_at.or(known_since).unwrap_or(received_at);
    let mut advert = Advert {
        id,
        transaction_type,
        property_type,
        details: AdvertDetails::default().patched(patch),
        placement,
        created_at,
        updated_at: updated_at.unwrap_or(received_at).max(created_at),
        last_crawled_at: last_crawled_at.unwrap_or(received_at),
        expired_at: None,
        events: Vec::new(),
    };
    let mut events = vec![AdvertEvent::created(created_at)];
    match lifecycle {
        Lifecycle::Seen | Lifecycle::Live => {}
        Lifecycle::Expired { at } => {
            let at = at.unwrap_or(received_at);
            advert.expired_at = Some(at);
            events.push(AdvertEvent::expiry(at, true));
        }
    }
    record(&mut advert, &events, history);
    // The history may reach further back than the date given, and the creation moves with it.
    events[0].at = advert.created_at;
    Merged { advert, effect: Effect::Created, events }
}

/// Merges a draft into what is known of its advert.
pub fn update(
    known: &Advert,
    draft: AdvertDraft,
    placement: Option<Placement>,
    received_at: Timestamp,
) -> Merged {
    let AdvertDraft {
        identity: _,
        property: _,
        transaction_type,
        property_type,
        patch,
        created_at,
        updated_at,
        last_crawled_at,
        lifecycle,
        history,
    } = draft;
    let seen_at = last_crawled_at.unwrap_or(received_at);
    let changed_at = updated_at.filter(|at| *at >= known.updated_at).unwrap_or(received_at);

    let mut advert = known.clone();
    advert.transaction_type = transaction_type;
    advert.property_type = property_type;
    advert.details = known.details.patched(patch);
    advert.placement = placement;
    let mut events = changes(known, &advert, changed_at);

    match (lifecycle, known.expired_at) {
        (Lifecycle::Seen | Lifecycle::Live, None) => {}
        // Without a date the sighting is this request, which came after the expiry, be it in the same second.
        (Lifecycle::Seen, Some(since)) if last_crawled_at.is_some_and(|at| at < since) => {}
        (Lifecycle::Seen | Lifecycle::Live, Some(_)) => {
            advert.expired_at = None;
            events.push(AdvertEvent::expiry(changed_at, false));
        }
        (Lifecycle::Expired { at }, None) => {
            let at = at.unwrap_or(received_at);
            advert.expired_at = Some(at);
            events.push(AdvertEvent::expiry(at, true));
        }
        // Already expired: a date that was not known before is worth having; the event moves there and is not repeated.
        (Lifecycle::Expired { at }, Some(since)) => {
            let at = at.unwrap_or(since);
            advert.expired_at = Some(at);
            let expiry = AdvertEvent::expiry(since, true);
            if let Some(event) = advert.events.iter_mut().rev().find(|event| **event == expiry) {
                event.at = at;
            }
        }
    }

    advert.created_at = created_at.map_or(known.created_at, |at| at.min(known.created_at));
    let moved_to = if events.is_empty() { updated_at } else { Some(changed_at) };
    advert.updated_at = moved_to.map_or(known.updated_at, |at| at.max(known.updated_at));
    // Whoever reports that an advert is gone did not see it: only an explicit date counts as a crawl then.
    let crawled_at = match lifecycle {
        Lifecycle::Seen | Lifecycle::Live => Some(seen_at),
        Lifecycle::Expired { .. } => last_crawled_at,
    };
    advert.last_crawled_at = crawled_at.map_or(known.last_crawled_at, |at| at.max(known.last_crawled_at));
    record(&mut advert, &events, history);

    let effect = effect_of(known, &advert);
    Merged { advert, effect, events }
}

/// Marks an advert as gone without a sighting; nothing happens to one that already is.
pub fn expire(known: &Advert, at: Timestamp) -> Merged {
    if known.is_expired() {
        return Merged { advert: known.clone(), effect: Effect::Nothing, events: Vec::new() };
    }
    let mut advert = known.clone();
    let events = vec![AdvertEvent::expiry(at, true)];
    advert.expired_at = Some(at);
    advert.updated_at = at.max(known.updated_at);
    record(&mut advert, &events, Vec::new());
    Merged { advert, effect: Effect::Updated, events }
}

/// The events between two versions: one per field that changed.
fn changes(older: &Advert, newer: &Advert, at: Timestamp) -> Vec<AdvertEvent> {
    let mut fields = Vec::new();
    if older.transaction_type != newer.transaction_type {
        fields.push(AdvertField::TransactionType);
    }
    if older.property_type != newer.property_type {
        fields.push(AdvertField::PropertyType);
    }
    fields.extend(older.details.differing(&newer.details));
    // Copies and originals are the same pictures: one change, one event.
    if fields.contains(&AdvertField::Pictures) {
        fields.retain(|field| *field != AdvertField::PicturesRemote);
    }
    let event = |field| match field {
        AdvertField::Price => AdvertEvent::amount(at, field, older.details.price, newer.details.price),
        AdvertField::Surface => AdvertEvent::amount(at, field, older.details.surface, newer.details.surface),
        other => AdvertEvent::field(at, other),
    };
    fields.into_iter().map(event).collect()
}

/// Enters events and back-filled history into the advert's events: oldest first, no repeats, the creation in front.
fn record(advert: &mut Advert, new_events: &[AdvertEvent], history: Vec<AdvertEvent>) {
    let mut events = std::mem::take(&mut advert.events);
    events.extend(new_events.iter().cloned());
    for event in history {
        if !events.contains(&event) {
            events.push(event);
        }
    }
    let earliest = events.iter().map(|event| event.at).min();
    advert.created_at = earliest.map_or(advert.created_at, |at| at.min(advert.created_at));
    events.retain(|event| event.subject != EventSubject::Created);
    events.sort_by_key(|event| event.at);
    let surplus = (events.len() + 1).saturating_sub(EVENTS_MAX);
    advert.events = std::iter::once(AdvertEvent::created(advert.created_at))
        .chain(events.into_iter().skip(surplus))
        .collect();
}

fn effect_of(known: &Advert, merged: &Advert) -> Effect {
    if known == merged {
        return Effect::Nothing;
    }
    let mut sighted = known.clone();
    sighted.last_crawled_at = merged.last_crawled_at;
    sighted.updated_at = merged.updated_at;
    if sighted == *merged { Effect::Crawled } else { Effect::Updated }
}

#[cfg(test)]
mod tests;
