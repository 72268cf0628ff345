//! A property as it was at a moment, as far as its own dates and events tell.
//!
//! Adverts created later are left out, what happened later is taken out of their histories, and prices, surfaces and expiries are
//! put back to what they were: those are the changes whose old values are kept. Everything else is as it is now. Dates are
//! believed as given, so that a history filled in later counts as if it had been told at the time.

use jiff::Timestamp;

use crate::advert::{Advert, AdvertField};
use crate::advert_event::{AdvertEvent, EventSubject};
use crate::criteria::Criteria;
use crate::matching;
use crate::property::Property;
use crate::value::Amount;

/// The property as it was at a moment, what happened in that very moment included; nothing when none of its adverts existed.
pub fn as_of(property: &Property, at: Timestamp) -> Option<Property> {
    let existing = property.adverts.iter().filter(|advert| advert.created_at <= at);
    let adverts: Vec<Advert> = existing.map(|advert| advert_as_of(advert, at)).collect();
    (!adverts.is_empty()).then_some(Property { id: property.id, adverts })
}

/// Whether a property came to meet criteria after a moment: it meets them as it is now, has been on offer since, and did not both meet
/// them and stay on offer from then on. One that has expired since counts, because it was told of before.
pub fn came_to_meet(criteria: &Criteria, property: &Property, since: Timestamp) -> bool {
    was_on_offer_after(property, since)
        && criteria.accepts(property)
        && (!met_at(criteria, property, since) || went_and_came_back(criteria, property, since))
}

fn met_at(criteria: &Criteria, property: &Property, at: Timestamp) -> bool {
    as_of(property, at).is_some_and(|before| matching::meets(criteria, &before))
}

/// Whether a property that met criteria at a moment did not for a while and then did again.
fn went_and_came_back(criteria: &Criteria, property: &Property, since: Timestamp) -> bool {
    let mut states = moments_after(property, since).into_iter().map(|at| met_at(criteria, property, at));
    states.any(|met| !met) && states.any(|met| met)
}

/// Prices that move more often than daily are noise, and each moment is a look at the whole property.
const MOMENTS_MAX: usize = 64;

/// The moments after another at which a property became what winding back tells apart, the oldest first.
fn moments_after(property: &Property, since: Timestamp) -> Vec<Timestamp> {
    let of = |advert: &Advert| -> Vec<Timestamp> {
        let events = advert.events.iter().filter(|event| is_wound_back(event)).map(|event| event.at);
        events.chain([advert.created_at]).chain(advert.expired_at).filter(|at| *at > since).collect()
    };
    let mut moments: Vec<Timestamp> = property.adverts.iter().flat_map(of).collect();
    moments.sort_unstable();
    moments.dedup();
    moments.truncate(MOMENTS_MAX);
    moments
}

fn is_wound_back(event: &AdvertEvent) -> bool {
    match event.subject {
        EventSubject::Expired | EventSubject::Field(AdvertField::Price | AdvertField::Surface) => true,
        EventSubject::Created | EventSubject::Field(_) | EventSubject::Foreign(_) => false,
    }
}

fn was_on_offer_after(property: &Property, moment: Timestamp) -> bool {
    property.adverts.iter().any(|advert| advert.expired_at.is_none_or(|expired_at| expired_at > moment))
}

fn advert_as_of(advert: &Advert, at: Timestamp) -> Advert {
    let mut before = advert.clone();
    before.events.retain(|event| event.at <= at);
    before.expired_at = expiry_as_of(advert, at);
    // Back from the newest: what is put back last is the oldest of what happened after.
    for event in advert.events.iter().rev().filter(|event| event.at > at) {
        match event.subject {
            EventSubject::Field(AdvertField::Price) => put_back(&mut before.details.price, event),
            EventSubject::Field(AdvertField::Surface) => put_back(&mut before.details.surface, event),
            EventSubject::Field(_)
            | EventSubject::Created
            | EventSubject::Expired
            | EventSubject::Foreign(_) => {}
        }
    }
    before
}

/// Undoes a change of an amount. One that carries no value, or one that cannot be read, as a history from elsewhere may, tells
/// nothing.
fn put_back(amount: &mut Option<Amount>, event: &AdvertEvent) {
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

/// Since when an advert was expired at a moment; nothing when it was not.
fn expiry_as_of(advert: &Advert, at: Timestamp) -> Option<Timestamp> {
    let expiries = || advert.events.iter().filter(|event| event.subject == EventSubject::Expired);
    let next = expiries().filter(|event| event.at > at).find_map(|event| flag(event.old_value.as_deref()));
    match next {
        Some(false) => None,
        Some(true) => {
            let earlier = expiries().rev().filter(|event| event.at <= at);
            let since = earlier.filter(|event| flag(event.new_value.as_deref()) == Some(true));
            // It had expired, be it that nobody knows when: then it was never seen on offer.
            Some(since.map(|event| event.at).next().unwrap_or(advert.created_at))
        }
        // Nothing has happened to it since, so that its date says it.
        None => advert.expired_at.filter(|expired_at| *expired_at <= at),
    }
}

fn flag(text: Option<&str>) -> Option<bool> {
    text.and_then(|text| text.parse().ok())
}

#[cfg(test)]
mod tests;
