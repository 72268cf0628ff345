//! Merges a draft into the stored advert. The result is the new advert, the kind of change, and the events.
//!
//! The rules:
//!
//! - A field that the draft does not contain keeps its value. A field with an empty value is cleared.
//! - The last draft received wins. Dates only widen: `created_at` moves back, the others move forward.
//! - A draft counts as a crawl. It makes an expired advert live again, unless the draft says that the advert is expired or
//!   was crawled before the expiry.
//! - A draft without changes records no event and only updates `last_crawled_at`.

use jiff::Timestamp;

use crate::advert::Advert;
use crate::advert_event::{AdvertEvent, EventSubject};
use crate::advert_fields::{AdvertDetails, AdvertField};
use crate::draft::{AdvertDraft, Lifecycle};
use crate::ids::AdvertId;
use crate::place::Placement;

/// The maximum number of events per advert: years of weekly changes. The creation is always kept, then the newest events.
pub const EVENTS_MAX: usize = 1_000;

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    pub advert: Advert,
    pub effect: Effect,
    /// The new events, in the order of the fields. Back-filled history is not included, because it is not new.
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

/// Creates an advert from a draft.
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
    let history_start =
        history.iter().find(|event| event.subject == EventSubject::Created).map(|event| event.at);
    let created_at = created_at.or(history_start).unwrap_or(received_at);
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
    // The history may start before the given creation date, which then moves back.
    events[0].at = advert.created_at;
    Merged { advert, effect: Effect::Created, events }
}

/// Merges a draft into the current advert.
pub fn update(
    current: &Advert,
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
    let crawl_time = last_crawled_at.unwrap_or(received_at);
    let changed_at = updated_at.filter(|at| *at >= current.updated_at).unwrap_or(received_at);

    let mut advert = current.clone();
    advert.transaction_type = transaction_type;
    advert.property_type = property_type;
    advert.details = current.details.patched(patch);
    advert.placement = placement;
    let mut events = changes(current, &advert, changed_at);

    match (lifecycle, current.expired_at) {
        (Lifecycle::Seen | Lifecycle::Live, None) => {}
        // Without a date, the crawl is this request, which is later than the expiry even within the same second.
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
        // Already expired: the draft may supply a better date. The existing event moves there; no new event is recorded.
        (Lifecycle::Expired { at }, Some(since)) => {
            let at = at.unwrap_or(since);
            advert.expired_at = Some(at);
            let expiry = AdvertEvent::expiry(since, true);
            if let Some(event) = advert.events.iter_mut().rev().find(|event| **event == expiry) {
                event.at = at;
            }
        }
    }

    advert.created_at = created_at.map_or(current.created_at, |at| at.min(current.created_at));
    let moved_to = if events.is_empty() { updated_at } else { Some(changed_at) };
    advert.updated_at = moved_to.map_or(current.updated_at, |at| at.max(current.updated_at));
    // A report of an expiry is not a crawl, unless it has an explicit crawl date.
    let crawled_at = match lifecycle {
        Lifecycle::Seen | Lifecycle::Live => Some(crawl_time),
        Lifecycle::Expired { .. } => last_crawled_at,
    };
    advert.last_crawled_at = crawled_at.map_or(current.last_crawled_at, |at| at.max(current.last_crawled_at));
    record(&mut advert, &events, history);

    let effect = effect_of(current, &advert);
    Merged { advert, effect, events }
}

/// Expires an advert without a draft. An expired advert stays unchanged.
pub fn expire(current: &Advert, at: Timestamp) -> Merged {
    if current.is_expired() {
        return Merged { advert: current.clone(), effect: Effect::Unchanged, events: Vec::new() };
    }
    let mut advert = current.clone();
    let events = vec![AdvertEvent::expiry(at, true)];
    advert.expired_at = Some(at);
    advert.updated_at = at.max(current.updated_at);
    record(&mut advert, &events, Vec::new());
    Merged { advert, effect: Effect::Updated, events }
}

/// Returns one event for each field that differs between two versions.
fn changes(older: &Advert, newer: &Advert, at: Timestamp) -> Vec<AdvertEvent> {
    let mut fields = Vec::new();
    if older.transaction_type != newer.transaction_type {
        fields.push(AdvertField::TransactionType);
    }
    if older.property_type != newer.property_type {
        fields.push(AdvertField::PropertyType);
    }
    fields.extend(older.details.differing(&newer.details));
    // Copies and originals are the same pictures, so a change of both is one event.
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

/// Adds new events and back-filled history to the events of an advert: oldest first, without duplicates, the creation first.
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

fn effect_of(current: &Advert, merged: &Advert) -> Effect {
    if current == merged {
        return Effect::Unchanged;
    }
    let mut crawled = current.clone();
    crawled.last_crawled_at = merged.last_crawled_at;
    crawled.updated_at = merged.updated_at;
    if crawled == *merged { Effect::Crawled } else { Effect::Updated }
}

#[cfg(test)]
mod tests;
