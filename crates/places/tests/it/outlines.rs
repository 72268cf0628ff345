//! Outlines: the commune of a point, compared with a plain scan of the published file, and the outlines of places.

mod oracle;

use domain::{GeoPoint, GivenPlace, Outline};
use places::Certainty;
use testkit::random::{self, Random};

use crate::{gazetteer, given, insee};
use oracle::{Oracle, Region};

/// Random points of each kind. The oracle scans all outlines for each.
const POINTS: usize = 10_000;

/// Points inside each outline.
const POINTS_PER_OUTLINE: usize = 3;

fn point(lat: f64, lon: f64) -> GeoPoint {
    GeoPoint::new(lat, lon).expect("a point on the globe")
}

/// Compares the commune of a point with that of the oracle. Returns whether there is one.
fn check(oracle: &Oracle, point: GeoPoint) -> bool {
    let expected = oracle.cities_at(point);
    // Where borders cross each other, a point may lie in two communes.
    let expected = expected.into_iter().min_by_key(|code| insee(code).id());
    let found = gazetteer().city_at(point).map(|city| city.insee.as_str());
    assert_eq!(found, expected, "{point:?}");
    found.is_some()
}

#[test]
fn commune_of_a_point_is_that_of_a_full_scan() {
    let mut random = Random::new(random::seed());
    let oracle = Oracle::get();
    // Mainland and Corsica, Guadeloupe, Martinique, Guyane, La Réunion, Mayotte, with the sea around them.
    let boxes = [
        (41.2, 51.2, -5.3, 9.7),
        (15.8, 16.6, -61.9, -60.9),
        (14.3, 15.0, -61.3, -60.7),
        (2.0, 6.0, -54.7, -51.5),
        (-21.5, -20.8, 55.1, 55.9),
        (-13.1, -12.6, 45.0, 45.4),
    ];
    let mut on_land = 0;
    for (index, (south, north, west, east)) in boxes.into_iter().enumerate() {
        for _ in 0..if index == 0 { POINTS } else { POINTS / 10 } {
            on_land +=
                usize::from(check(oracle, point(random.uniform(south, north), random.uniform(west, east))));
        }
    }
    assert!((POINTS / 3..POINTS * 4 / 3).contains(&on_land), "{on_land} points on land");
}

#[test]
fn commune_of_a_point_near_a_border_is_that_of_a_full_scan() {
    let mut random = Random::new(random::seed());
    let oracle = Oracle::get();
    for _ in 0..POINTS {
        let city = random.pick(&oracle.cities);
        let ring = random.pick(&city.rings);
        let [lon, lat] = *random.pick(ring);
        // From 100 m down to 1 cm.
        let distance = 10_f64.powf(random.uniform(-7.0, -3.0));
        let mut offset = || random.uniform(-distance, distance);
        check(oracle, point(lat + offset(), lon + offset()));
    }
}

#[test]
fn points_inside_an_outline_resolve_to_its_place() {
    let mut random = Random::new(random::seed());
    let (mut points, mut wrong) = (0, Vec::new());
    let oracle = Oracle::get();
    for region in oracle.cities.iter().chain(&oracle.cities_with_districts) {
        for _ in 0..POINTS_PER_OUTLINE {
            let point = region.random_point(&mut random);
            let resolution = gazetteer().resolve(&GivenPlace { point: Some(point), ..GivenPlace::default() });
            assert_eq!(
                (resolution.certainty, &*resolution.warnings),
                (Certainty::Inside, &[][..]),
                "{point:?}"
            );
            let found = gazetteer().city(&resolution.placement.unwrap().insee).unwrap();
            points += 1;
            let codes = [Some(&found.insee), found.parent.as_ref()];
            if !codes.into_iter().flatten().any(|code| code.as_str() == region.code) {
                wrong.push((region.code.as_str(), point));
            }
        }
    }
    assert_eq!(points, (34_875 + 45) * POINTS_PER_OUTLINE);
    println!("{} of {points} points in another commune", wrong.len());
    // Only the slivers where borders cross each other, far below the 1 % that would be acceptable.
    assert!(wrong.len() * 10_000 <= points, "{wrong:?}");
}

#[test]
fn centre_inside_its_own_outline_resolves_to_its_place() {
    let oracle = Oracle::get();
    let mut inside = 0;
    for region in &oracle.cities {
        let centre = gazetteer().city(&insee(&region.code)).unwrap().centre.unwrap();
        if region.contains(centre) {
            assert_eq!(gazetteer().city_at(centre).unwrap().insee.as_str(), region.code);
            inside += 1;
        }
    }
    assert!(inside * 1_000 >= oracle.cities.len() * 998, "{inside}");
    for region in &oracle.cities_with_districts {
        let city = gazetteer().city(&insee(&region.code)).unwrap();
        let district = gazetteer().city_at(city.centre.unwrap()).unwrap();
        assert_eq!(district.parent.as_ref(), Some(&city.insee));
    }
}

#[test]
fn every_place_of_the_101_departments_has_an_outline() {
    let without: Vec<&str> = gazetteer()
        .cities()
        .iter()
        .filter(|city| gazetteer().city_outline(city).is_none())
        .map(|city| city.insee.as_str())
        .collect();
    assert_eq!(without.len(), 94);
    assert!(without.iter().all(|code| code.starts_with("97") || code.starts_with("98")), "{without:?}");
    let departments = gazetteer().departments();
    let without = departments.iter().filter(|it| gazetteer().department_outline(it).is_none());
    let without: Vec<&str> = without.map(|department| &*department.code).collect();
    assert_eq!(without, ["975", "977", "978", "984", "986", "987", "988", "989"]);
}

#[test]
fn point_outside_every_outline_resolves_to_the_nearest_centre() {
    let check = |lat, lon, code: &str| {
        let resolution =
            gazetteer().resolve(&GivenPlace { point: GeoPoint::new(lat, lon), ..GivenPlace::default() });
        assert_eq!(gazetteer().city_at(point(lat, lon)), None, "{code}");
        let found = resolution.placement.map(|placement| placement.insee.to_string());
        assert_eq!((found.as_deref(), resolution.certainty), (Some(code), Certainty::Nearest));
    };
    // On the sea off Nice, in the Étang de Berre, in Llívia (a part of Spain), and in Nouméa, which has no outline.
    check(43.685, 7.25, "06088");
    check(43.47, 5.13, "13014");
    check(42.465, 1.98, "66072");
    check(-22.27, 166.45, "98818");
}

#[test]
fn point_of_a_house_selects_the_district_whose_outline_contains_it() {
    // The Parc Montsouris in the 14th district: the nearest centre is that of Gentilly, outside Paris.
    let montsouris = point(48.8222, 2.3430);
    assert_eq!(gazetteer().nearest_city(montsouris, 30.0).unwrap().insee.as_str(), "94037");
    let house = GivenPlace {
        point: Some(montsouris),
        accuracy: Some(domain::GeoAccuracy::HouseNumber),
        ..given("75056", "", "")
    };
    let resolution = gazetteer().resolve(&house);
    assert_eq!(resolution.placement.unwrap().insee.as_str(), "75114");
    assert_eq!((resolution.certainty, &*resolution.warnings), (Certainty::Likely, &[][..]));
}

#[test]
fn point_far_from_the_centre_is_elsewhere_only_outside_the_outline() {
    let oracle = Oracle::get();
    let mut far = 0;
    for region in &oracle.cities {
        let city = gazetteer().city(&insee(&region.code)).unwrap();
        for ring in &region.rings {
            for [lon, lat] in ring.iter().step_by(10) {
                // Just inside, if the middle of two vertices is.
                let middle = point((lat + ring[0][1]) / 2.0, (lon + ring[0][0]) / 2.0);
                let distance_km = city.centre.unwrap().distance_km(middle);
                if distance_km > places::resolve::FAR_KM && region.contains(middle) {
                    let place = GivenPlace { point: Some(middle), ..given(&region.code, "", "") };
                    let resolution = gazetteer().resolve(&place);
                    assert_eq!((resolution.certainty, &*resolution.warnings), (Certainty::Exact, &[][..]));
                    far += 1;
                }
            }
        }
    }
    assert!(far > 100, "{far} points are far from the centre of their commune");
    // Saint-Élie and Maripasoula: 60 km from the centre of the one, inside the other.
    let other = GivenPlace { point: GeoPoint::new(3.4, -53.9), ..given("97358", "", "") };
    assert_eq!(gazetteer().resolve(&other).warnings.len(), 1);
}

/// Returns twice the area of a ring in square degrees, positive if it runs counter-clockwise.
fn doubled_area(ring: &[GeoPoint]) -> f64 {
    let terms = ring.windows(2).map(|edge| edge[0].lon() * edge[1].lat() - edge[1].lon() * edge[0].lat());
    terms.sum()
}

fn check_outline(outline: &Outline, region: &Region) {
    let code = &region.code;
    let mut vertices = 0;
    for polygon in &outline.polygons {
        assert!(doubled_area(&polygon.outer) > 0.0, "{code}");
        assert!(polygon.holes.iter().all(|hole| doubled_area(hole) < 0.0), "{code}");
        for ring in std::iter::once(&polygon.outer).chain(&polygon.holes) {
            assert!(ring.len() >= 4 && ring.first() == ring.last(), "{code}");
            vertices += ring.len();
        }
    }
    assert_eq!(vertices, region.rings.iter().map(Vec::len).sum::<usize>(), "{code}");
    // Both files list the rings in the same order; a ring may start elsewhere only if it is turned.
    let rings = outline.polygons.iter().flat_map(|it| std::iter::once(&it.outer).chain(&it.holes));
    for (ring, expected) in rings.zip(&region.rings) {
        let mut expected: Vec<[f64; 2]> = expected.clone();
        if (expected[1][0] - ring[1].lon()).abs() > 2e-5 || (expected[1][1] - ring[1].lat()).abs() > 2e-5 {
            expected.reverse();
        }
        for (found, [lon, lat]) in ring.iter().zip(expected) {
            // Rounded to five decimals, and to a 32nd of a step.
            assert!((found.lon() - lon).abs() < 1.1e-5 && (found.lat() - lat).abs() < 1.1e-5, "{code}");
        }
    }
}

#[test]
fn outlines_are_those_of_the_published_file_turned_as_geojson_requires() {
    let oracle = Oracle::get();
    for region in oracle.cities.iter().chain(&oracle.cities_with_districts) {
        let city = gazetteer().city(&insee(&region.code)).unwrap();
        check_outline(&gazetteer().city_outline(city).unwrap(), region);
    }
    assert_eq!(oracle.departments.len(), 101);
    for region in &oracle.departments {
        let id = domain::place::code_as_number(&region.code).unwrap();
        let department = gazetteer().department_by_id(id).unwrap();
        check_outline(&gazetteer().department_outline(department).unwrap(), region);
    }
}
