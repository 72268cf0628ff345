//! What rules out that two adverts are of one property.

use super::evidence::Veto;
use super::facts::{SurfaceRelation, energies_differ, floors_differ, lands_differ};
use super::prices::PriceRelation;
use super::publishers::{are_live_on_one_site, are_two_mandates, is_one_mandate};
use super::reading::mark_kind;
use super::signature::{Flag, List, Signature};
use crate::closeness::percent_apart;
use crate::kinds::PropertyType;

/// Prices that differ by more are of two homes.
const PRICE_PERCENT_MAX: f32 = 40.0;

/// Surfaces that differ by more are of two homes: a veranda or the floor under a sloping roof is less.
const SURFACE_PERCENT_MAX: f32 = 30.0;

/// Homes with one price may have two surfaces further apart: with a basement, or without.
const ONE_PRICE_PERCENT: f32 = 2.0;

/// Prices that differ by more than fees do, together with surfaces that differ by more than measurements do, are of two homes.
const BOTH_PERCENT_MAX: (f32, f32) = (10.0, 4.0);

/// Returns the largest ratio of two prices without a veto.
pub fn price_ratio_max() -> f32 {
    1.0 + PRICE_PERCENT_MAX / 100.0
}

/// Returns the largest ratio of two surfaces without a veto, for prices that differ by at least so many per cent, or are not both
/// known. `None` if there is no such ratio.
pub fn surface_ratio_max(price_percent: Option<f32>) -> Option<f32> {
    let (price_max, surface_max) = BOTH_PERCENT_MAX;
    let percent = match price_percent {
        Some(..=ONE_PRICE_PERCENT) => return None,
        Some(percent) if percent > price_max => surface_max,
        Some(_) | None => SURFACE_PERCENT_MAX,
    };
    Some(1.0 + percent / 100.0)
}

/// Returns by how many per cent two amounts differ, if both are known.
pub fn percent_between(one: Option<f32>, other: Option<f32>) -> Option<f32> {
    one.zip(other).and_then(|(one, other)| percent_apart(one, other))
}

/// Returns `true` if two prices or two surfaces that differ by so many per cent, as far as they are known, rule out that the adverts are
/// of one property.
pub fn are_far_apart(price: Option<f32>, surface: Option<f32>) -> bool {
    let (price_max, surface_max) = BOTH_PERCENT_MAX;
    let is_one_price = price.is_some_and(|percent| percent <= ONE_PRICE_PERCENT);
    let (price, surface) = (price.unwrap_or_default(), surface.unwrap_or_default());
    price > PRICE_PERCENT_MAX
        || surface > SURFACE_PERCENT_MAX && !is_one_price
        || price > price_max && surface > surface_max
}

/// Returns `true` if adverts of these types may be of one property. What is a house on one site is a building on another, and a house in
/// a town is a flat.
pub fn are_comparable_types(one: PropertyType, other: PropertyType) -> bool {
    use PropertyType::{Apartment, Building, House, Office, Shop};
    let is_pair = |pair: [PropertyType; 2]| pair.contains(&one) && pair.contains(&other);
    one == other || is_pair([Apartment, House]) || is_pair([House, Building]) || is_pair([Office, Shop])
}

/// Returns `true` if an advert of one commune may be of a property in the other. An advert that only says "Paris" may be of any of its
/// districts.
fn are_comparable_places(one: &Signature, other: &Signature) -> bool {
    let (one, other) = (one.commune, other.commune);
    one.commune == other.commune || one.city == other.commune || one.commune == other.city
}

/// Returns the first reason that applies.
pub fn veto(
    one: &Signature,
    other: &Signature,
    price: PriceRelation,
    surface: SurfaceRelation,
) -> Option<Veto> {
    if one.transaction_type != other.transaction_type
        || !are_comparable_types(one.property_type, other.property_type)
        || !are_comparable_places(one, other)
    {
        return Some(Veto::NotComparable);
    }
    if are_marks_in_conflict(one, other) {
        return Some(Veto::UnitMarks);
    }
    if one.flag(Flag::Programme) != other.flag(Flag::Programme) {
        return Some(Veto::Programme);
    }
    // An advert that is published again on its site keeps its price and its facts. Spaces and plots are sold in series.
    let is_series = matches!(one.property_type, PropertyType::Parking | PropertyType::Land);
    let is_other = matches!(price, PriceRelation::Apart(_))
        || surface.differs()
        || lands_differ(one, other)
        || floors_differ(one, other)
        || energies_differ(one, other);
    if are_live_on_one_site(one, other) && (is_series || is_other) && !is_one_mandate(one, other) {
        return Some(Veto::BothLiveOnOneSite);
    }
    if is_series && are_two_mandates(one, other) {
        return Some(Veto::TwoMandates);
    }
    let price = percent_between(one.price(), other.price());
    let surface = percent_between(one.surface(), other.surface());
    are_far_apart(price, surface).then_some(Veto::FarApart)
}

/// Returns `true` if both texts number a unit of one kind, and have no number of that kind in common.
fn are_marks_in_conflict(one: &Signature, other: &Signature) -> bool {
    let (marks, others) = (one.list(List::Marks), other.list(List::Marks));
    marks.iter().any(|mark| {
        let of_kind = |known: &&u32| mark_kind(**known) == mark_kind(*mark);
        let is_shared = |known: &u32| others.contains(known);
        others.iter().any(|known| of_kind(&known)) && !marks.iter().filter(of_kind).any(is_shared)
    })
}
