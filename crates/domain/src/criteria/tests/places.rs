//! Conditions on the place: included and excluded places, circles, polygons.

use super::*;
use crate::kinds::GeoAccuracy;
use crate::place::{GeoPoint, GivenPlace, Insee, Placement, Zipcode};
use CriterionValue::{Places as Ids, Zipcodes};

fn point(lat: f64, lon: f64) -> GeoPoint {
    GeoPoint::new(lat, lon).unwrap()
}

fn insee(code: &str) -> Insee {
    Insee::parse(code).unwrap()
}

fn zipcodes(codes: &[&str]) -> CriterionValue {
    Zipcodes(codes.iter().map(|code| Zipcode::parse(code).unwrap()).collect())
}

/// Builds a property in a known commune.
fn placed(code: &str, zipcode: &str) -> Property {
    only(|advert| {
        let insee = insee(code);
        let (department, zipcode) = (insee.department(), Zipcode::parse(zipcode));
        advert.placement = Some(Placement { insee, department, zipcode, centre: None });
    })
}

/// Builds a property with coordinates only.
fn pinned(lat: f64, lon: f64) -> Property {
    only(|advert| advert.details.place.point = GeoPoint::new(lat, lon))
}

fn tours() -> Property {
    placed("37261", "37000")
}

fn square(south: f64, west: f64, side: f64) -> Polygon {
    let (north, east) = (south + side, west + side);
    Polygon::new(vec![point(south, west), point(south, east), point(north, east), point(north, west)])
        .unwrap()
}

fn circle(lat: f64, lon: f64, radius: f64) -> [(&'static str, CriterionValue); 3] {
    [("lat", Number(lat)), ("lon", Number(lon)), ("radius", Number(radius))]
}

#[test]
fn each_kind_of_place_matches() {
    check(&tours(), &[("includedCities", Ids(vec![37_261]))], true);
    check(&tours(), &[("includedCities", Ids(vec![37_050, 37_261]))], true);
    check(&tours(), &[("includedCities", Ids(vec![37_050]))], false);
    check(&tours(), &[("includedInseeCodes", Ids(vec![37_261]))], true);
    check(&tours(), &[("includedZipcodesInsee", Ids(vec![37_050]))], false);
    check(&tours(), &[("includedDepartments", Ids(vec![37]))], true);
    check(&tours(), &[("includedDepartments", Ids(vec![75]))], false);
    check(&tours(), &[("includedZipcodes", zipcodes(&["37000"]))], true);
    check(&placed("2A004", "20000"), &[("includedDepartments", Ids(vec![201]))], true);
    check(&placed("2A004", "20000"), &[("includedDepartments", Ids(vec![202]))], false);
}

#[test]
fn ids_of_different_kinds_are_separate() {
    check(&tours(), &[("includedDepartments", Ids(vec![37_261]))], false);
    check(&tours(), &[("includedCities", Ids(vec![37]))], false);
    check(&tours(), &[("includedCities", Ids(vec![37_000]))], false);
}

#[test]
fn city_is_given_with_its_districts() {
    let paris = || Ids((75_101..=75_120).chain([75_056]).collect());
    check(&placed("75111", "75011"), &[("includedCities", paris())], true);
    check(&placed("75056", "75001"), &[("includedCities", paris())], true);
    check(&placed("75111", "75011"), &[("includedCities", Ids(vec![75_112]))], false);
    check(&placed("75111", "75011"), &[("excludedCities", paris())], false);
    check(&placed("75111", "75011"), &[("includedDepartments", Ids(vec![75]))], true);
}

#[test]
fn zipcode_matches_exactly() {
    let elsewhere_in_tours = placed("37261", "37100");
    check(&elsewhere_in_tours, &[("includedZipcodes", zipcodes(&["37000"]))], false);
    check(&elsewhere_in_tours, &[("includedZipcodes", zipcodes(&["37000", "37100"]))], true);
    check(&elsewhere_in_tours, &[("excludedZipcodes", zipcodes(&["37000"]))], true);
    check(&tours(), &[("excludedZipcodes", zipcodes(&["37000"]))], false);
}

#[test]
fn included_places_are_alternatives() {
    let city = ("includedCities", Ids(vec![37_050]));
    let department = ("includedDepartments", Ids(vec![75]));
    let code = ("includedInseeCodes", Ids(vec![13_001]));
    let zipcode = ("includedZipcodes", zipcodes(&["37000"]));
    check(&tours(), &[city.clone(), department.clone(), code.clone(), zipcode.clone()], true);
    check(&tours(), &[city.clone(), department.clone(), code.clone()], false);
    check(&placed("37050", "37170"), &[city.clone(), zipcode.clone()], true);
    check(&placed("75111", "75011"), &[city.clone(), department, zipcode], true);
    check(&placed("13001", "13100"), &[city, code], true);
}

#[test]
fn empty_list_of_places_matches_nothing() {
    check(&tours(), &[("includedCities", Ids(vec![]))], false);
    check(&tours(), &[("includedCities", Ids(vec![])), ("includedDepartments", Ids(vec![37]))], true);
    check(&tours(), &[("excludedCities", Ids(vec![]))], true);
}

#[test]
fn exclusions_are_subtracted() {
    let department = ("includedDepartments", Ids(vec![37]));
    check(&tours(), &[department.clone(), ("excludedCities", Ids(vec![37_261]))], false);
    check(&tours(), &[department.clone(), ("excludedInseeCodes", Ids(vec![37_261]))], false);
    check(&tours(), &[department.clone(), ("excludedZipcodes", zipcodes(&["37000"]))], false);
    check(&tours(), &[department, ("excludedCities", Ids(vec![37_050]))], true);
    check(&tours(), &[("includedCities", Ids(vec![37_261])), ("excludedCities", Ids(vec![37_261]))], false);
}

#[test]
fn centre_of_a_commune_is_in_no_circle_and_no_polygon() {
    let near_tours = circle(47.39, 0.69, 5.0);
    let around = [("geoShapes", CriterionValue::Polygons(vec![square(47.0, 0.0, 1.0)]))];
    let located = [("withLocation", Flag(true))];
    let in_tours = |given: Option<GeoPoint>| {
        only(|advert| {
            let centre = Some(point(47.39, 0.69));
            let insee = insee("37261");
            advert.placement = Some(Placement { insee, department: Some(37), zipcode: None, centre });
            advert.details.place.point = given;
            advert.details.place.accuracy = given.map(|_| GeoAccuracy::Neighbourhood);
        })
    };
    let (shown, pinned) = (in_tours(None), in_tours(Some(point(47.39, 0.69))));
    for given in [&near_tours[..], &around, &located] {
        check(&shown, given, false);
        // Coordinates that an advert gives are its own, however accurate.
        check(&pinned, given, true);
    }
    for it in [&shown, &pinned] {
        check(it, &[("geoAccuracy", Codes(vec![2]))], true);
        check(it, &[("includedCities", Ids(vec![37_261]))], true);
    }
}

#[test]
fn unknown_place_is_neither_included_nor_excluded() {
    let nowhere = only(|_| {});
    check(&nowhere, &[("includedCities", Ids(vec![37_261]))], false);
    check(&nowhere, &[("includedDepartments", Ids(vec![37]))], false);
    check(&nowhere, &[("excludedCities", Ids(vec![37_261]))], true);
    check(&nowhere, &[("excludedZipcodes", zipcodes(&["37000"]))], true);
}

#[test]
fn unresolved_place_matches_by_its_given_codes() {
    let abroad = only(|advert| {
        let (insee, zipcode) = (Some(insee("8019")), Zipcode::parse("08001"));
        advert.details.place = GivenPlace { insee, zipcode, ..GivenPlace::default() };
    });
    check(&abroad, &[("includedCities", Ids(vec![8_019]))], true);
    check(&abroad, &[("includedZipcodes", zipcodes(&["08001"]))], true);
    check(&abroad, &[("includedDepartments", Ids(vec![8]))], false);
}

#[test]
fn circle_includes_its_border() {
    let (centre, away) = (point(47.4, 0.7), point(47.4, 0.8));
    let distance = centre.distance_km(away);
    check(&pinned(47.4, 0.8), &circle(47.4, 0.7, distance), true);
    check(&pinned(47.4, 0.8), &circle(47.4, 0.7, distance - 1e-6), false);
    check(&pinned(47.4, 0.7), &circle(47.4, 0.7, 0.2), true);
    check(&pinned(0.0, -179.99), &circle(0.0, 179.99, 3.0), true);
    check(&pinned(-90.0, 0.0), &circle(90.0, 0.0, 20_040.0), true);
}

#[test]
fn property_without_coordinates_is_outside_every_area() {
    check(&tours(), &circle(47.4, 0.7, 20_040.0), false);
    check(&tours(), &[("geoShapes", CriterionValue::Polygons(vec![square(-80.0, -170.0, 160.0)]))], false);
    check(&tours(), &[("geoShapes", CriterionValue::Polygons(vec![]))], true);
}

#[test]
fn coordinates_without_a_radius_filter_nothing() {
    check(&pinned(10.0, 10.0), &[("lat", Number(47.4)), ("lon", Number(0.7))], true);
    check(&tours(), &[("lat", Number(47.4)), ("lon", Number(0.7))], true);
    check(&pinned(10.0, 10.0), &circle(47.4, 0.7, 0.0), true);
    check(&pinned(10.0, 10.0), &[("radius", Number(1.0))], true);
    check(&pinned(10.0, 10.0), &[("lat", Number(47.4)), ("radius", Number(1.0))], true);
}

#[test]
fn any_polygon_matches() {
    let (here, there) = (square(47.0, 0.0, 1.0), square(10.0, 10.0, 1.0));
    check(&pinned(47.5, 0.5), &[("geoShapes", CriterionValue::Polygons(vec![here.clone()]))], true);
    check(&pinned(47.5, 0.5), &[("geoShapes", CriterionValue::Polygons(vec![there.clone()]))], false);
    check(&pinned(47.5, 0.5), &[("geoShapes", CriterionValue::Polygons(vec![there, here]))], true);
}

#[test]
fn places_circle_and_polygons_are_combined() {
    let mut it = tours();
    it.adverts[0].details.place.point = GeoPoint::new(47.4, 0.7);
    let everything = |city: u64, radius: f64, south: f64| {
        let shapes = CriterionValue::Polygons(vec![square(south, 0.0, 1.0)]);
        let [lat, lon, radius] = circle(47.41, 0.7, radius);
        [("includedCities", Ids(vec![city])), lat, lon, radius, ("geoShapes", shapes)]
    };
    check(&it, &everything(37_261, 5.0, 47.0), true);
    check(&it, &everything(37_050, 5.0, 47.0), false);
    check(&it, &everything(37_261, 0.5, 47.0), false);
    check(&it, &everything(37_261, 5.0, 48.0), false);
}

#[test]
fn coordinates_of_an_advert_replace_the_centre_of_its_commune() {
    let mut it = tours();
    it.adverts[0].placement.as_mut().unwrap().centre = GeoPoint::new(47.4, 0.7);
    check(&it, &[("geoAccuracy", Codes(vec![2]))], true);
    check(&it, &[("geoAccuracy", Codes(vec![1]))], false);
    it.adverts[0].details.place = GivenPlace {
        point: GeoPoint::new(48.0, 0.7),
        accuracy: Some(GeoAccuracy::HouseNumber),
        ..GivenPlace::default()
    };
    check(&it, &circle(47.4, 0.7, 0.1), false);
    check(&it, &circle(48.0, 0.7, 0.1), true);
    check(&it, &[("geoAccuracy", Codes(vec![1]))], true);
    check(&it, &[("includedCities", Ids(vec![37_261]))], true);
}
