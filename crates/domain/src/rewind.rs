//! Reconstructs the state of a property at an earlier time from its dates and events.
//!
//! Adverts created later are dropped, later events are removed, and prices, surfaces and expiries are restored: those are
//! the changes whose old values are stored. Everything else keeps its current value. Dates are trusted, so a history that
//! was back-filled later counts from its own dates.

use jiff::Timestamp;

use crate::advert::Advert;
use crate::advert_event::{AdvertEvent, EventSubject};
use crate::advert_fields::AdvertField;
use crate::criteria::{AdvertScope, Criteria};
use crate::matching;
use crate::property::Property;
use crate::value::Amount;

/// Returns the property as of `at`, including events at exactly that time. `None` if none of its adverts existed yet.
pub fn as_of(property: &Property, at: Timestamp) -> Option<Property> {
    let existing = property.adverts.iter().filter(|advert| advert.created_at <= at);
    let adverts: Vec<Advert> = existing.map(|advert| advert_as_of(advert, at)).collect();
    (!adverts.is_empty()).then_some(Property { id: property.id, adverts })
}

/// Returns `true` if a property became a match after `since`: it satisfies the criteria now, was available after `since`,
/// and did not match without interruption from `since` on. A property that expired meanwhile counts, because its match
/// was reported before it expired: all its adverts are considered, although none is on offer any more.
pub fn newly_matched_since(criteria: &Criteria, property: &Property, since: Timestamp) -> bool {
    was_available_after(property, since)
        && satisfies(criteria, property)
        && (!matched_at(criteria, property, since) || was_interrupted(criteria, property, since))
}

fn satisfies(criteria: &Criteria, property: &Property) -> bool {
    match matching::is_available(property) || criteria.advert_scope == AdvertScope::All {
        true => criteria.accepts(property),
        false => Criteria { advert_scope: AdvertScope::All, ..criteria.clone() }.accepts(property),
    }
}

fn matched_at(criteria: &Criteria, property: &Property, at: Timestamp) -> bool {
    as_of(property, at).is_some_and(|before| matching::matches(criteria, &before))
}

/// Returns `true` if a property stopped matching after `since` and then matched again.
fn was_interrupted(criteria: &Criteria, property: &Property, since: Timestamp) -> bool {
    let mut states =
        change_times_after(property, since).into_iter().map(|at| matched_at(criteria, property, at));
    states.any(|matched| !matched) && states.any(|matched| matched)
}

/// Limits the work per property: each time costs one evaluation of the whole property, and more frequent changes of price
/// are noise.
const CHANGE_TIMES_MAX: usize = 64;

/// Returns the times after `since` at which a restorable value changed, oldest first.
fn change_times_after(property: &Property, since: Timestamp) -> Vec<Timestamp> {
    let of = |advert: &Advert| -> Vec<Timestamp> {
        let events = advert.events.iter().filter(|event| is_restorable(event)).map(|event| event.at);
        events.chain([advert.created_at]).chain(advert.expired_at).filter(|at| *at > since).collect()
    };
    let mut times: Vec<Timestamp> = property.adverts.iter().flat_map(of).collect();
    times.sort_unstable();
    times.dedup();
    times.truncate(CHANGE_TIMES_MAX);
    times
}

fn is_restorable(event: &AdvertEvent) -> bool {
    match event.subject {
        EventSubject::Expired | EventSubject::Field(AdvertField::Price | AdvertField::Surface) => true,
        EventSubject::Created | EventSubject::Field(_) | EventSubject::Foreign(_) => false,
    }
}

fn was_available_after(property: &Property, since: Timestamp) -> bool {
    property.adverts.iter().any(|advert| advert.expired_at.is_none_or(|expired_at| expired_at > since))
}

fn advert_as_of(advert: &Advert, at: Timestamp) -> Advert {
    let mut before = advert.without_timeline();
    before.events.retain(|event| event.at <= at);
    before.expired_at = expiry_as_of(advert, at);
    // Newest first, so that the oldest later event, whose old value is the one at `at`, is applied last.
    for event in advert.events.iter().rev().filter(|event| event.at > at) {
        match event.subject {
            EventSubject::Field(AdvertField::Price) => undo_amount_change(&mut before.details.price, event),
            EventSubject::Field(AdvertField::Surface) => {
                undo_amount_change(&mut before.details.surface, event)
            }
            EventSubject::Field(_)
            | EventSubject::Created
            | EventSubject::Expired
            | EventSubject::Foreign(_) => {}
        }
    }
    before
}

/// Undoes a change of an amount. An event without values or with an unreadable value, as in some back-filled histories, is
/// ignored.
fn undo_amount_change(amount: &mut Option<Amount>, event: &AdvertEvent) {
    match (event.old_value.as_deref(), event.new_value.as_deref()) {
        (Some(old), _) => {
            if let Some(old) = old.trim().parse().ok().and_then(Amount::new) {
                *amount = Some(old);
            }
        }
        (None, Some(_)) => *amount = None,
        (None, None) => {}
    }
}

/// Returns the time at which an advert had expired as of `at`. `None` if it was live.
fn expiry_as_of(advert: &Advert, at: Timestamp) -> Option<Timestamp> {
    let expiries = || advert.events.iter().filter(|event| event.subject == EventSubject::Expired);
    let next = expiries().filter(|event| event.at > at).find_map(|event| flag(event.old_value.as_deref()));
    match next {
        Some(false) => None,
        Some(true) => {
            let earlier = expiries().rev().filter(|event| event.at <= at);
            let since = earlier.filter(|event| flag(event.new_value.as_deref()) == Some(true));
            // It had expired at an unknown time: treat it as expired since its creation.
            Some(since.map(|event| event.at).next().unwrap_or(advert.created_at))
        }
        // No later expiry event, so the current date is valid.
        None => advert.expired_at.filter(|expired_at| *expired_at <= at),
    }
}

fn flag(text: Option<&str>) -> Option<bool> {
    text.and_then(|text| text.parse().ok())
}

#[cfg(test)]
mod tests;
