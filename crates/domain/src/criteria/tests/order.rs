//! The order of search results.

use super::*;
use crate::place::{GeoPoint, Insee, Placement};
use Direction::{Ascending, Descending};

/// Builds a property whose id is ordered like `number`.
fn numbered(number: u8, change: impl FnOnce(&mut Advert)) -> Property {
    Property { id: property_id(number), ..only(change) }
}

fn priced(number: u8, price: Option<f64>) -> Property {
    numbered(number, |advert| advert.details.price = price.and_then(Amount::new))
}

fn by(by: &[(OrderBy, Direction)]) -> Order {
    Order { by: by.to_vec(), ..Order::default() }
}

/// Checks the order of the properties, whatever their original order.
#[track_caller]
fn check_order(order: &Order, criteria: &Criteria, properties: &[Property], expected: &[u8]) {
    let mut forwards: Vec<&Property> = properties.iter().collect();
    let mut backwards: Vec<&Property> = properties.iter().rev().collect();
    for properties in [&mut forwards, &mut backwards] {
        properties.sort_by_cached_key(|property| order.rank(criteria, property));
        let shown: Vec<PropertyId> = properties.iter().map(|property| property.id).collect();
        let expected: Vec<PropertyId> = expected.iter().copied().map(property_id).collect();
        assert_eq!(shown, expected, "{order:?}");
    }
}

fn check_plain(order: &Order, properties: &[Property], expected: &[u8]) {
    check_order(order, &Criteria::default(), properties, expected);
}

#[test]
fn both_directions_follow_the_values() {
    let properties = [priced(1, Some(2.0)), priced(2, Some(1.5)), priced(3, Some(10.0))];
    check_plain(&by(&[(OrderBy::Price, Ascending)]), &properties, &[2, 1, 3]);
    check_plain(&by(&[(OrderBy::Price, Descending)]), &properties, &[3, 1, 2]);
}

#[test]
fn missing_values_come_last_in_both_directions() {
    let properties = [priced(1, None), priced(2, Some(1.0)), priced(3, Some(2.0)), priced(4, None)];
    check_plain(&by(&[(OrderBy::Price, Ascending)]), &properties, &[2, 3, 1, 4]);
    check_plain(&by(&[(OrderBy::Price, Descending)]), &properties, &[3, 2, 1, 4]);
    let live_and_gone = [numbered(1, |_| {}), numbered(2, |advert| advert.expired_at = Some(at(400)))];
    check_plain(&by(&[(OrderBy::ExpiredAt, Ascending)]), &live_and_gone, &[2, 1]);
    check_plain(&by(&[(OrderBy::ExpiredAt, Descending)]), &live_and_gone, &[2, 1]);
    check_plain(&by(&[(OrderBy::LastCrawledAt, Descending)]), &live_and_gone, &[1, 2]);
}

#[test]
fn ties_are_broken_by_ascending_id() {
    let properties = [priced(3, Some(1.0)), priced(1, Some(1.0)), priced(2, Some(1.0))];
    check_plain(&by(&[(OrderBy::Price, Ascending)]), &properties, &[1, 2, 3]);
    check_plain(&by(&[(OrderBy::Price, Descending)]), &properties, &[1, 2, 3]);
    check_plain(&by(&[]), &properties, &[1, 2, 3]);
}

#[test]
fn first_different_value_decides() {
    let listing = |number: u8, price: f64, surface: f64| {
        numbered(number, |advert| {
            advert.details.price = Amount::new(price);
            advert.details.surface = Amount::new(surface);
        })
    };
    let properties = [listing(1, 2.0, 10.0), listing(2, 1.0, 10.0), listing(3, 1.0, 20.0)];
    let (price, surface) = (OrderBy::Price, OrderBy::Surface);
    check_plain(&by(&[(price, Ascending), (surface, Descending)]), &properties, &[3, 2, 1]);
    check_plain(&by(&[(price, Ascending), (surface, Ascending)]), &properties, &[2, 3, 1]);
    check_plain(&by(&[(surface, Ascending), (price, Descending)]), &properties, &[1, 2, 3]);
}

#[test]
fn default_order_is_newest_then_highest_price_per_meter() {
    let listing = |number: u8, created: i64, price: f64| {
        numbered(number, |advert| {
            advert.created_at = at(created);
            advert.details.price = Amount::new(price);
        })
    };
    let properties = [listing(1, 10, 100.0), listing(2, 20, 100.0), listing(3, 20, 200.0)];
    check_plain(&Order::default(), &properties, &[3, 2, 1]);
}

#[test]
fn distance_is_measured_from_the_origin() {
    let pinned = |number: u8, lat: f64| {
        numbered(number, |advert| advert.details.place.point = GeoPoint::new(lat, 2.0))
    };
    // Shown at the centre of its commune, which is the origin.
    let unpinned = numbered(2, |advert| {
        let (insee, centre) = (Insee::parse("45234").unwrap(), GeoPoint::new(48.0, 2.0));
        advert.placement = Some(Placement { insee, department: Some(45), zipcode: None, centre });
    });
    let properties = [pinned(1, 47.0), unpinned, pinned(3, 49.5), pinned(4, 48.1)];
    let from = |direction: Direction| Order {
        origin: GeoPoint::new(48.0, 2.0),
        ..by(&[(OrderBy::Distance, direction)])
    };
    check_plain(&from(Ascending), &properties, &[4, 1, 3, 2]);
    check_plain(&from(Descending), &properties, &[3, 1, 4, 2]);
    check_plain(&by(&[(OrderBy::Distance, Ascending)]), &properties, &[1, 2, 3, 4]);
}

#[test]
fn advert_mode_uses_the_creation_of_accepted_adverts() {
    let created = |number: u8, seconds: &[(i64, i32)]| {
        let adverts = seconds.iter().map(|&(second, year)| {
            advert(|advert| {
                advert.created_at = at(second);
                advert.details.construction_year = Some(year);
            })
        });
        Property { id: property_id(number), ..property(adverts) }
    };
    // Creation dates: of the properties 10, 20, 30; of the latest adverts 100, 90, 80; of those built in 1900, 10, 90, 30.
    let properties = [
        created(1, &[(10, 1900), (100, 2000)]),
        created(2, &[(20, 2000), (90, 1900)]),
        created(3, &[(30, 1900), (80, 2000)]),
    ];
    let order =
        |mode: SortMode, direction: Direction| Order { mode, ..by(&[(OrderBy::CreatedAt, direction)]) };
    let old = criteria(&[ANY_PRICE, ("constructionYearMax", Number(1900.0))]);
    check_plain(&order(SortMode::Property, Descending), &properties, &[3, 2, 1]);
    check_plain(&order(SortMode::Advert, Descending), &properties, &[1, 2, 3]);
    check_plain(&order(SortMode::Advert, Ascending), &properties, &[1, 2, 3]);
    check_order(&order(SortMode::Advert, Descending), &old, &properties, &[2, 3, 1]);
    check_order(&order(SortMode::Advert, Ascending), &old, &properties, &[1, 3, 2]);
    check_order(&order(SortMode::Property, Descending), &old, &properties, &[3, 2, 1]);
}

#[test]
fn advert_mode_applies_the_window_and_the_scope() {
    let created = |number: u8, live: i64, gone: i64| {
        let live = advert(|advert| advert.created_at = at(live));
        let gone = advert(|advert| {
            advert.created_at = at(gone);
            advert.expired_at = Some(at(400));
        });
        Property { id: property_id(number), ..property([live, gone]) }
    };
    let properties = [created(1, 50, 60), created(2, 40, 90)];
    let newest = Order { mode: SortMode::Advert, ..by(&[(OrderBy::CreatedAt, Descending)]) };
    let by_advert = ("sortMode", CriterionValue::SortMode(SortMode::Advert));
    check_order(&newest, &criteria(std::slice::from_ref(&by_advert)), &properties, &[2, 1]);
    check_order(&newest, &criteria(&[("expired", Flag(false))]), &properties, &[1, 2]);
    check_order(&newest, &criteria(&[by_advert, ("toDate", time(70))]), &properties, &[1, 2]);
}

#[test]
fn other_dates_are_those_of_the_property_in_both_modes() {
    let changed = |number: u8, second: i64| numbered(number, |advert| advert.updated_at = at(second));
    let properties = [changed(1, 250), changed(2, 240)];
    for mode in [SortMode::Property, SortMode::Advert] {
        check_plain(&Order { mode, ..by(&[(OrderBy::UpdatedAt, Ascending)]) }, &properties, &[2, 1]);
    }
}
