//! Tiles of the base map, decoded again.

mod decode;

use std::collections::BTreeMap;

use domain::{GeoPoint, MapPosition};
use places::TileId;

use crate::gazetteer;
use decode::{Feature, Layer};

/// A tile may have this much beyond its border.
const BUFFER: i64 = 64;

fn tile(zoom: u8, x: u32, y: u32) -> BTreeMap<String, Layer> {
    let bytes = gazetteer().tile(TileId::new(zoom, x, y).unwrap());
    decode::tile(&bytes).into_iter().map(|layer| (layer.name.clone(), layer)).collect()
}

/// Returns the tile that shows a point.
fn tile_at(zoom: u8, lat: f64, lon: f64) -> BTreeMap<String, Layer> {
    let position = MapPosition::of(GeoPoint::new(lat, lon).unwrap());
    tile(zoom, (u64::from(position.x) >> (32 - zoom)) as u32, (u64::from(position.y) >> (32 - zoom)) as u32)
}

fn names(layer: &Layer) -> Vec<&str> {
    layer.features.iter().map(|feature| feature.text("name")).collect()
}

const PARIS: (f64, f64) = (48.8566, 2.3522);
const TOURS: (f64, f64) = (47.39853, 0.69599);

#[test]
fn layers_appear_with_their_zoom() {
    let layers = |zoom: u8| tile_at(zoom, PARIS.0, PARIS.1).into_keys().collect::<Vec<_>>();
    assert_eq!(layers(0), ["departments", "land"]);
    assert_eq!(layers(4), ["departments", "land"]);
    assert_eq!(layers(5), ["departments", "land", "places"]);
    assert_eq!(layers(7), ["departments", "land", "places"]);
    assert_eq!(layers(8), ["communes", "departments", "land", "places"]);
    assert_eq!(layers(10), ["communes", "departments", "land", "places"]);
    assert_eq!(layers(11), ["communes", "departments", "land", "places", "stations"]);
    assert_eq!(layers(12), ["communes", "departments", "land", "places", "stations"]);
    assert!(tile(5, 0, 0).is_empty(), "the Pacific");
}

#[test]
fn features_carry_names_and_codes() {
    let far = tile_at(5, TOURS.0, TOURS.1);
    let departments = &far["departments"];
    let named = departments.features.iter().find(|feature| feature.text("code") == "37").unwrap();
    assert_eq!((named.text("name"), named.id), ("Indre-et-Loire", Some(37)));
    assert!(names(&far["places"]).contains(&"Tours"));
    assert!(far["places"].features.iter().all(|place| place.number("population") >= 100_000));

    let close = tile_at(11, TOURS.0, TOURS.1);
    let tours = close["communes"].features.iter().find(|feature| feature.text("code") == "37261").unwrap();
    assert_eq!(tours.text("name"), "Tours");
    let tours = close["places"].features.iter().find(|feature| feature.text("name") == "Tours").unwrap();
    assert_eq!(tours.number("rank"), 3);
    assert!(close["stations"].features.iter().any(|station| station.text("kinds") == "train"));

    let paris = tile_at(11, PARIS.0, PARIS.1);
    assert!(names(&paris["communes"]).contains(&"Paris 4e"), "districts instead of their commune");
    assert!(!names(&paris["communes"]).contains(&"Paris"));
    assert!(names(&tile_at(10, PARIS.0, PARIS.1)["communes"]).contains(&"Paris"));
    assert!(paris["stations"].features.iter().any(|station| station.text("kinds").contains("metro")));
}

#[test]
fn geometry_is_valid_and_in_the_tile() {
    let mut checked = 0;
    for (lat, lon) in [PARIS, TOURS, (42.69, 9.45), (48.39, -4.49), (-21.1, 55.5), (42.46, 1.98)] {
        for zoom in [0, 3, 5, 6, 8, 10, 12, 14] {
            for (name, layer) in tile_at(zoom, lat, lon) {
                assert_eq!((layer.version, layer.extent), (2, 4_096), "{name}");
                assert!(!layer.features.is_empty(), "{name}");
                for feature in &layer.features {
                    check(&name, feature);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 5_000, "{checked}");
}

fn check(layer: &str, feature: &Feature) {
    if feature.kind == 1 {
        let [[at]] = &feature.rings.iter().map(Vec::as_slice).collect::<Vec<_>>()[..] else {
            panic!("{layer}: {feature:?} is not one point")
        };
        assert!(at.iter().all(|it| (0..4_096).contains(it)), "{layer}: {at:?}");
        return;
    }
    assert_eq!(feature.kind, 3, "{layer}");
    for (index, ring) in feature.rings.iter().enumerate() {
        assert!(ring.len() >= 3, "{layer}: {ring:?}");
        let inside = |it: &i64| (-BUFFER..=4_096 + BUFFER).contains(it);
        assert!(ring.iter().flatten().all(inside), "{layer}: {ring:?}");
        assert!(ring.windows(2).all(|edge| edge[0] != edge[1]), "{layer}: a vertex twice in {ring:?}");
        assert_ne!(ring.first(), ring.last(), "{layer}: closed twice");
        let area = doubled_area(ring);
        assert_ne!(area, 0, "{layer}");
        assert!(index > 0 || area > 0, "{layer}: the first ring is an outer one");
    }
}

fn doubled_area(ring: &[[i64; 2]]) -> i64 {
    let next = |index: usize| ring[(index + 1) % ring.len()];
    (0..ring.len()).map(|index| ring[index][0] * next(index)[1] - next(index)[0] * ring[index][1]).sum()
}

/// Both sides of a border have the same vertices, so that no gap shows between two communes or two tiles.
#[test]
fn communes_tile_the_land() {
    for (zoom, (lat, lon)) in [(8, TOURS), (10, TOURS), (12, PARIS)] {
        let layers = tile_at(zoom, lat, lon);
        let area = |name: &str| -> i64 {
            layers[name]
                .features
                .iter()
                .flat_map(|feature| &feature.rings)
                .map(|ring| doubled_area(ring))
                .sum()
        };
        let (communes, land) = (area("communes"), area("land"));
        let apart = (communes - land).abs();
        // Inland, both cover the whole tile: no more than rounding at the border remains.
        assert!(apart * 10_000 < land, "zoom {zoom}: communes {communes}, land {land}");
        let whole = 2 * (4_096 + 2 * BUFFER).pow(2);
        assert!((land - whole).abs() * 10_000 < whole, "zoom {zoom}: {land} of {whole}");
    }
}

/// The largest tiles stay small enough to load quickly.
#[test]
fn tiles_are_of_bounded_size() {
    let mut largest = (0, String::new());
    for zoom in 0..=14_u8 {
        for (lat, lon) in [PARIS, TOURS, (45.76, 4.83), (50.63, 3.06)] {
            let position = MapPosition::of(GeoPoint::new(lat, lon).unwrap());
            let at = |it: u32| (u64::from(it) >> (32 - zoom)) as u32;
            let (x, y) = (at(position.x), at(position.y));
            let bytes = gazetteer().tile(TileId::new(zoom, x, y).unwrap()).len();
            largest = largest.max((bytes, format!("{zoom}/{x}/{y}")));
        }
    }
    println!("largest: {largest:?}");
    assert!(largest.0 < 500_000, "{largest:?}");
}
