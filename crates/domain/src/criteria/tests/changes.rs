//! Conditions on a single change of price or surface.

use super::*;
use crate::advert_event::PercentVariation;
use crate::advert_fields::AdvertField;

fn change(field: AdvertField, second: i64, percent: Option<f64>) -> AdvertEvent {
    AdvertEvent {
        percent_variation: percent.and_then(PercentVariation::new),
        ..AdvertEvent::field(at(second), field)
    }
}

fn price(second: i64, percent: f64) -> AdvertEvent {
    change(AdvertField::Price, second, Some(percent))
}

fn surface(second: i64, percent: f64) -> AdvertEvent {
    change(AdvertField::Surface, second, Some(percent))
}

fn changed(events: impl IntoIterator<Item = AdvertEvent>) -> Advert {
    advert(|advert| advert.events.extend(events))
}

#[test]
fn all_conditions_hold_on_a_single_change() {
    let it = property([changed([price(110, -5.0), price(120, -1.0)])]);
    let (fall, late) =
        (("eventPriceVariationMax", Number(-3.0)), ("eventPriceVariationFromCreatedAt", time(115)));
    check(&it, std::slice::from_ref(&fall), true);
    check(&it, std::slice::from_ref(&late), true);
    check(&it, &[fall.clone(), late.clone()], false);
    check(&it, &[fall.clone(), ("eventPriceVariationToCreatedAt", time(110))], true);
    let apart = property([changed([price(110, -5.0)]), changed([price(120, -1.0)])]);
    check(&apart, &[fall, late], false);
}

#[test]
fn bounds_of_a_change_are_included() {
    let it = property([changed([price(110, -2.81)])]);
    let between = |least: f64, most: f64| {
        [("eventPriceVariationMin", Number(least)), ("eventPriceVariationMax", Number(most))]
    };
    check(&it, &between(-2.81, -2.81), true);
    check(&it, &between(-2.8, 0.0), false);
    check(&it, &between(-9.0, -2.82), false);
    check(&it, &[("eventPriceVariationFromCreatedAt", time(110))], true);
    check(&it, &[("eventPriceVariationToCreatedAt", time(110))], true);
    check(&it, &[("eventPriceVariationFromCreatedAt", time(111))], false);
    check(&it, &[("eventPriceVariationToCreatedAt", time(109))], false);
}

#[test]
fn price_and_surface_changes_are_separate() {
    let it = property([changed([price(110, -5.0)]), changed([surface(120, 10.0)])]);
    check(&it, &[("eventPriceVariationMax", Number(-3.0)), ("eventSurfaceVariationMin", Number(5.0))], true);
    check(&it, &[("eventPriceVariationMin", Number(5.0))], false);
    check(&it, &[("eventSurfaceVariationMax", Number(-3.0))], false);
    check(&it, &[("eventPriceVariationFromCreatedAt", time(115))], false);
    check(&it, &[("eventSurfaceVariationFromCreatedAt", time(115))], true);
}

#[test]
fn other_events_are_not_price_changes() {
    let others = [
        AdvertEvent::created(at(110)),
        AdvertEvent::expiry(at(110), true),
        change(AdvertField::Title, 110, Some(-5.0)),
        change(AdvertField::PriceExcludingFees, 110, Some(-5.0)),
    ];
    let it = property([changed(others)]);
    check(&it, &[("eventPriceVariationMax", Number(0.0))], false);
    check(&it, &[("eventPriceVariationFromCreatedAt", time(0))], false);
    check(&it, &[("eventSurfaceVariationFromCreatedAt", time(0))], false);
}

#[test]
fn change_without_percentage_satisfies_only_dates() {
    let it = property([changed([change(AdvertField::Price, 110, None)])]);
    check(&it, &[("eventPriceVariationFromCreatedAt", time(110))], true);
    check(&it, &[("eventPriceVariationMin", Number(-1e12))], false);
    check(&it, &[("eventPriceVariationMax", Number(1e12))], false);
}

#[test]
fn zero_separates_decreases_from_increases() {
    let at_most_zero = [("eventPriceVariationMax", Number(0.0))];
    check(&property([changed([price(110, -5.0)])]), &at_most_zero, true);
    check(&property([changed([price(110, 0.0)])]), &at_most_zero, true);
    check(&property([changed([price(110, 5.0)])]), &at_most_zero, false);
    check(&property([changed([price(110, 5.0)])]), &[("eventPriceVariationMin", Number(0.0))], true);
}

#[test]
fn expired_false_considers_only_changes_of_live_adverts() {
    let mut gone = changed([price(110, -5.0)]);
    gone.expired_at = Some(at(400));
    let it = property([gone, changed([price(120, 5.0)])]);
    let fall = ("eventPriceVariationMax", Number(-3.0));
    check(&it, std::slice::from_ref(&fall), true);
    check(&it, &[fall, ("expired", Flag(false))], false);
    check(&it, &[("eventPriceVariationMin", Number(3.0)), ("expired", Flag(false))], true);
}

#[test]
fn change_and_advert_conditions_may_hold_on_different_adverts() {
    let it = property([
        changed([price(110, -5.0)]),
        advert(|advert| advert.details.construction_year = Some(1900)),
    ]);
    check(&it, &[("eventPriceVariationMax", Number(-3.0)), ("constructionYearMax", Number(1900.0))], true);
}
