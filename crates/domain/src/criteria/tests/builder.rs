//! Building criteria: zero as "unset", contradictions, and values for the order.

use super::*;
use crate::place::GeoPoint;
use crate::violation::ViolationKind;

/// Checks the paths and kinds of the violations.
#[track_caller]
fn check_rejected(given: &[(&str, CriterionValue)], expected: &[(&str, ViolationKind)]) {
    let violations = built(given).unwrap_err();
    let found: Vec<_> =
        violations.iter().map(|violation| (violation.path.as_str(), violation.kind)).collect();
    assert_eq!(found, expected, "{given:?}");
}

#[test]
fn default_requires_only_a_plausible_price() {
    let BuiltCriteria { criteria, mode, origin, lone_radius } = built(&[]).unwrap();
    assert!(!lone_radius);
    assert_eq!(criteria.property.len(), 1);
    assert_eq!(Criteria { property: Vec::new(), ..criteria }, Criteria::default());
    assert_eq!((mode, origin), (SortMode::Property, None));
    assert_eq!(built(&[ANY_PRICE]).unwrap(), BuiltCriteria::default());
}

#[test]
fn upper_bound_of_zero_means_no_bound() {
    let it = only(|advert| advert.details.room = Some(3));
    check(&it, &[("roomMax", Number(0.0))], true);
    check(&it, &[("roomMax", Number(-0.0))], true);
    check(&it, &[("roomMin", Number(2.0)), ("roomMax", Number(0.0))], true);
    check(&it, &[("roomMin", Number(4.0)), ("roomMax", Number(0.0))], false);
    check(&it, &[("roomMin", Number(0.0)), ("roomMax", Number(0.0))], true);
    check(&it, &[("constructionYearMax", Number(0.0))], true);
    assert_eq!(criteria(&[("roomMax", Number(0.0))]), criteria(&[]));
}

#[test]
fn upper_bound_of_zero_applies_with_a_negative_lower_bound() {
    let rooms = |count: i32| only(|advert| advert.details.room = Some(count));
    check(&rooms(0), &[("roomMin", Number(-1.0)), ("roomMax", Number(0.0))], true);
    check(&rooms(3), &[("roomMin", Number(-1.0)), ("roomMax", Number(0.0))], false);
}

#[test]
fn epoch_is_a_real_date_bound() {
    let it = only(|_| {});
    check(&it, &[("toDate", time(0))], false);
    check_rejected(
        &[("fromDate", time(1)), ("toDate", time(0))],
        &[("fromDate", ViolationKind::Contradiction)],
    );
}

#[test]
fn lower_bound_above_the_upper_bound_is_rejected() {
    use ViolationKind::Contradiction;
    check_rejected(&[("roomMin", Number(3.0)), ("roomMax", Number(2.0))], &[("roomMin", Contradiction)]);
    check_rejected(
        &[("fromUpdatedAt", time(3)), ("toUpdatedAt", time(2))],
        &[("fromUpdatedAt", Contradiction)],
    );
    check_rejected(
        &[("eventPriceVariationMin", Number(5.0)), ("eventPriceVariationMax", Number(0.0))],
        &[("eventPriceVariationMin", Contradiction)],
    );
    let by_advert = ("sortMode", CriterionValue::SortMode(SortMode::Advert));
    check_rejected(&[by_advert, ("fromDate", time(3)), ("toDate", time(2))], &[("fromDate", Contradiction)]);
    assert!(built(&[("roomMin", Number(2.0)), ("roomMax", Number(2.0))]).is_ok());
}

#[test]
fn every_lower_bound_has_an_upper_bound() {
    use crate::filter::{FILTERS, Kind};
    for lower in FILTERS {
        let upper = FILTERS.iter().find(|upper| match (lower.kind, upper.kind) {
            (Kind::Min(subject), Kind::Max(other)) | (Kind::From(subject), Kind::To(other)) => {
                subject == other
            }
            _ => false,
        });
        let Some(upper) = upper else { continue };
        let (less, more) = match lower.kind {
            Kind::Min(_) => (Number(5.0), Number(6.0)),
            _ => (time(5), time(6)),
        };
        assert!(built(&[(lower.name, less.clone()), (upper.name, more.clone())]).is_ok(), "{}", lower.name);
        check_rejected(
            &[(lower.name, more), (upper.name, less)],
            &[(lower.name, ViolationKind::Contradiction)],
        );
    }
}

#[test]
fn all_violations_are_reported() {
    use ViolationKind::{Contradiction, Invalid};
    check_rejected(
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
fn coordinates_and_radius_are_limited() {
    use ViolationKind::Invalid;
    for wrong in [f64::NAN, f64::INFINITY, -1.0, 20_041.0] {
        check_rejected(&[("radius", Number(wrong))], &[("radius", Invalid)]);
    }
    for wrong in [f64::NAN, 90.001, -90.001] {
        check_rejected(&[("lat", Number(wrong)), ("lon", Number(0.0))], &[("lat", Invalid)]);
    }
    check_rejected(&[("lon", Number(180.001))], &[("lon", Invalid)]);
    let edge = [("lat", Number(-90.0)), ("lon", Number(180.0)), ("radius", Number(20_040.0))];
    assert_eq!(built(&edge).unwrap().origin, GeoPoint::new(-90.0, 180.0));
}

#[test]
fn origin_needs_both_coordinates() {
    let (lat, lon) = (("lat", Number(47.4)), ("lon", Number(0.7)));
    assert_eq!(built(&[lat.clone(), lon.clone()]).unwrap().origin, GeoPoint::new(47.4, 0.7));
    assert_eq!(built(&[lat]).unwrap().origin, None);
    assert_eq!(built(&[lon]).unwrap().origin, None);
}

#[test]
fn sort_mode_is_returned() {
    let mode = |mode: SortMode| built(&[("sortMode", CriterionValue::SortMode(mode))]).unwrap().mode;
    assert_eq!(mode(SortMode::Advert), SortMode::Advert);
    assert_eq!(mode(SortMode::Property), SortMode::Property);
}

#[test]
fn last_value_of_a_filter_wins() {
    let it = only(|advert| advert.details.room = Some(3));
    check(&it, &[("roomMin", Number(4.0)), ("roomMin", Number(3.0))], true);
    check(&it, &[("roomMin", Number(3.0)), ("roomMin", Number(4.0))], false);
    check(&it, &[("isExpired", Flag(true)), ("expired", Flag(false))], true);
    check(&it, &[("expired", Flag(false)), ("isExpired", Flag(true))], false);
}
