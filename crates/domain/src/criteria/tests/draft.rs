//! From single filters to criteria: zeros that mean nothing, contradictions, and what goes to the order.

use super::*;
use crate::place::GeoPoint;
use crate::violation::ViolationKind;

/// The names of the filters that are complained of.
#[track_caller]
fn check_refused(given: &[(&str, Given)], expected: &[(&str, ViolationKind)]) {
    let violations = finished(given).unwrap_err();
    let found: Vec<_> =
        violations.iter().map(|violation| (violation.path.as_str(), violation.kind)).collect();
    assert_eq!(found, expected, "{given:?}");
}

#[test]
fn nothing_given_asks_for_a_believable_price_only() {
    let Finished { criteria, mode, origin } = finished(&[]).unwrap();
    assert_eq!(criteria.property.len(), 1);
    assert_eq!(Criteria { property: Vec::new(), ..criteria }, Criteria::default());
    assert_eq!((mode, origin), (SortMode::Property, None));
    assert_eq!(finished(&[ANY_PRICE]).unwrap(), Finished::default());
}

#[test]
fn an_upper_bound_of_zero_asks_for_nothing() {
    let it = only(|advert| advert.details.room = Some(3));
    check(&it, &[("roomMax", Number(0.0))], true);
    check(&it, &[("roomMax", Number(-0.0))], true);
    check(&it, &[("roomMin", Number(2.0)), ("roomMax", Number(0.0))], true);
    check(&it, &[("roomMin", Number(4.0)), ("roomMax", Number(0.0))], false);
    check(&it, &[("constructionYearMax", Number(0.0))], true);
    assert_eq!(criteria(&[("roomMax", Number(0.0))]), criteria(&[]));
}

#[test]
fn an_upper_bound_of_zero_is_meant_when_the_lower_one_is_zero_too() {
    let rooms = |count: i32| only(|advert| advert.details.room = Some(count));
    let zero = [("roomMin", Number(0.0)), ("roomMax", Number(0.0))];
    check(&rooms(0), &zero, true);
    check(&rooms(3), &zero, false);
    check(&rooms(0), &[("roomMin", Number(-1.0)), ("roomMax", Number(0.0))], true);
    check(&rooms(3), &[("roomMin", Number(-1.0)), ("roomMax", Number(0.0))], false);
}

#[test]
fn the_first_second_is_no_zero() {
    let it = only(|_| {});
    check(&it, &[("toDate", moment(0))], false);
    check_refused(
        &[("fromDate", moment(1)), ("toDate", moment(0))],
        &[("fromDate", ViolationKind::Contradiction)],
    );
}

#[test]
fn a_lower_bound_above_the_upper_one_is_refused() {
    use ViolationKind::Contradiction;
    check_refused(&[("roomMin", Number(3.0)), ("roomMax", Number(2.0))], &[("roomMin", Contradiction)]);
    check_refused(
        &[("fromUpdatedAt", moment(3)), ("toUpdatedAt", moment(2))],
        &[("fromUpdatedAt", Contradiction)],
    );
    check_refused(
        &[("eventPriceVariationMin", Number(5.0)), ("eventPriceVariationMax", Number(0.0))],
        &[("eventPriceVariationMin", Contradiction)],
    );
    let by_advert = ("sortMode", Given::SortMode(SortMode::Advert));
    check_refused(
        &[by_advert, ("fromDate", moment(3)), ("toDate", moment(2))],
        &[("fromDate", Contradiction)],
    );
    assert!(finished(&[("roomMin", Number(2.0)), ("roomMax", Number(2.0))]).is_ok());
}

#[test]
fn bounds_of_every_row_find_their_counterpart() {
    use crate::filter::{FILTERS, Kind};
    for lower in FILTERS {
        let upper = FILTERS.iter().find(|upper| match (lower.kind, upper.kind) {
            (Kind::Least(subject), Kind::Most(other)) | (Kind::From(subject), Kind::To(other)) => {
                subject == other
            }
            _ => false,
        });
        let Some(upper) = upper else { continue };
        let (less, more) = match lower.kind {
            Kind::Least(_) => (Number(5.0), Number(6.0)),
            _ => (moment(5), moment(6)),
        };
        assert!(
            finished(&[(lower.name, less.clone()), (upper.name, more.clone())]).is_ok(),
            "{}",
            lower.name
        );
        check_refused(
            &[(lower.name, more), (upper.name, less)],
            &[(lower.name, ViolationKind::Contradiction)],
        );
    }
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    use ViolationKind::{Contradiction, Invalid};
    check_refused(
        &[
            ("roomMin", Number(3.0)),
            ("roomMax", Number(2.0)),
            ("budgetMin", Number(3.0)),
            ("budgetMax", Number(2.0)),
            ("lat", Number(90.5)),
            ("lon", Number(-180.5)),
            ("radius", Number(-1.0)),
        ],
        &[
            ("budgetMin", Contradiction),
            ("roomMin", Contradiction),
            ("lat", Invalid),
            ("lon", Invalid),
            ("radius", Invalid),
        ],
    );
}

#[test]
fn coordinates_and_radius_are_on_the_globe() {
    use ViolationKind::Invalid;
    for wrong in [f64::NAN, f64::INFINITY, -1.0, 20_041.0] {
        check_refused(&[("radius", Number(wrong))], &[("radius", Invalid)]);
    }
    for wrong in [f64::NAN, 90.001, -90.001] {
        check_refused(&[("lat", Number(wrong)), ("lon", Number(0.0))], &[("lat", Invalid)]);
    }
    check_refused(&[("lon", Number(180.001))], &[("lon", Invalid)]);
    let edge = [("lat", Number(-90.0)), ("lon", Number(180.0)), ("radius", Number(20_040.0))];
    assert_eq!(finished(&edge).unwrap().origin, GeoPoint::new(-90.0, 180.0));
}

#[test]
fn the_origin_takes_both_coordinates() {
    let (lat, lon) = (("lat", Number(47.4)), ("lon", Number(0.7)));
    assert_eq!(finished(&[lat.clone(), lon.clone()]).unwrap().origin, GeoPoint::new(47.4, 0.7));
    assert_eq!(finished(&[lat]).unwrap().origin, None);
    assert_eq!(finished(&[lon]).unwrap().origin, None);
}

#[test]
fn the_sort_mode_goes_to_the_order() {
    let mode = |mode: SortMode| finished(&[("sortMode", Given::SortMode(mode))]).unwrap().mode;
    assert_eq!(mode(SortMode::Advert), SortMode::Advert);
    assert_eq!(mode(SortMode::Property), SortMode::Property);
}

#[test]
fn of_a_filter_given_twice_the_last_value_counts() {
    let it = only(|advert| advert.details.room = Some(3));
    check(&it, &[("roomMin", Number(4.0)), ("roomMin", Number(3.0))], true);
    check(&it, &[("roomMin", Number(3.0)), ("roomMin", Number(4.0))], false);
    check(&it, &[("isExpired", Flag(true)), ("expired", Flag(false))], true);
    check(&it, &[("expired", Flag(false)), ("isExpired", Flag(true))], false);
}
