//! Stations near well-known places.

use domain::GeoPoint;
use places::WALKING_DISTANCE_KM;

use crate::gazetteer;

fn near(lat: f64, lon: f64) -> Vec<String> {
    let point = GeoPoint::new(lat, lon).expect("on the globe");
    gazetteer().stations_near(point).iter().map(|station| station.name.to_string()).collect()
}

#[test]
fn metro_station_is_listed_with_its_lines() {
    // Place de la Concorde
    let point = GeoPoint::new(48.8660, 2.3226).unwrap();
    let stations = gazetteer().stations_near(point);
    assert_eq!(&*stations[0].name, "Concorde");
    let numbers: Vec<&str> = stations[0].lines.iter().map(|line| &*line.number).collect();
    assert_eq!(numbers, ["1", "8", "12"]);
    assert_eq!(&*stations[0].lines[0].color, "#ffbe00");
    assert_eq!(stations.len(), places::STATIONS_MAX);
}

#[test]
fn railway_stations_and_other_metros_are_listed() {
    assert_eq!(near(44.91069, 2.36445)[0], "Ytrac");
    // Place Bellecour, Lyon
    assert!(near(45.7578, 4.8320)[0].contains("Bellecour"), "{:?}", near(45.7578, 4.8320));
}

#[test]
fn remote_point_has_no_stations() {
    assert_eq!(near(44.75, 6.2), [""; 0]);
    assert_eq!(near(0.0, 0.0), [""; 0]);
}

#[test]
fn stations_are_those_of_a_full_scan() {
    for origin in gazetteer().stations().iter().step_by(37) {
        let near = gazetteer().stations_near(origin.point);
        let distances: Vec<f64> =
            near.iter().map(|station| station.point.distance_km(origin.point)).collect();
        assert!(distances.is_sorted(), "{}", origin.name);
        let all = gazetteer()
            .stations()
            .iter()
            .filter(|station| station.point.distance_km(origin.point) <= WALKING_DISTANCE_KM)
            .count();
        assert!(near.len() <= all && !near.is_empty());
        assert!(origin.point.distance_km(near[0].point) < 0.3, "{}", origin.name);
    }
}
