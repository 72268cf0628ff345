//! The stations within walking distance of a point.

use std::sync::Arc;

use domain::{GeoPoint, Station, fold};

use crate::grid::Grid;

/// A walk of twelve to fifteen minutes. Adverts that mention a metro station mean less.
pub const WALKING_DISTANCE_KM: f64 = 1.0;

/// The maximum number of stations per property. The centre of Paris has more than twenty within walking distance.
pub const STATIONS_MAX: usize = 10;

/// Two sources may list the same station with slightly different coordinates.
const SAME_STATION_KM: f64 = 0.3;

pub(crate) struct Stations {
    stations: Vec<Arc<Station>>,
    grid: Grid,
}

impl Stations {
    pub fn new(stations: Vec<Arc<Station>>) -> Self {
        let grid = Grid::new((0..).zip(stations.iter().map(|station| station.point)));
        Self { stations, grid }
    }

    pub fn all(&self) -> &[Arc<Station>] {
        &self.stations
    }

    /// Returns the stations within walking distance, nearest first.
    pub fn near(&self, point: GeoPoint) -> Vec<Arc<Station>> {
        let mut near: Vec<&Arc<Station>> = Vec::new();
        for (_, index) in self.grid.within(point, WALKING_DISTANCE_KM) {
            let station = &self.stations[index as usize];
            match near.iter().position(|other| is_same(other, station)) {
                // Prefer the entry that has lines.
                Some(other) if near[other].lines.is_empty() => near[other] = station,
                Some(_) if station.lines.is_empty() => {}
                _ => near.push(station),
            }
        }
        // A replacement may be slightly farther away.
        let distance_km = |station: &Station| station.point.distance_km(point);
        near.sort_by(|a, b| distance_km(a).total_cmp(&distance_km(b)));
        near.into_iter().take(STATIONS_MAX).cloned().collect()
    }
}

/// Returns `true` if two entries are the same station, at least one of them without lines.
fn is_same(a: &Station, b: &Station) -> bool {
    (a.lines.is_empty() || b.lines.is_empty())
        && a.point.distance_km(b.point) <= SAME_STATION_KM
        && fold(&a.name) == fold(&b.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Line;

    fn station(id: u32, name: &str, lon: f64, lines: &[u32]) -> Arc<Station> {
        let lines = lines.iter().map(|id| {
            Arc::new(Line {
                id: *id,
                name: "Métro".into(),
                number: "1".into(),
                route_name: "A - B".into(),
                color: "#000000".into(),
            })
        });
        let point = GeoPoint::new(0.0, lon).unwrap();
        Arc::new(Station { id, name: name.into(), point, lines: lines.collect() })
    }

    #[test]
    fn stations_within_walking_distance_come_nearest_first() {
        // On the equator a thousandth of a degree is 111 metres.
        let stations = Stations::new(vec![
            station(1, "Loin", 0.0095, &[1]),
            station(2, "Près", 0.001, &[]),
            station(3, "Milieu", 0.004, &[1, 2]),
        ]);
        let near = |lon| {
            let point = GeoPoint::new(0.0, lon).unwrap();
            stations.near(point).iter().map(|station| station.id).collect::<Vec<_>>()
        };
        assert_eq!(near(0.0), [2, 3]);
        assert_eq!(near(0.005), [3, 2, 1]);
        assert_eq!(near(1.0), [0; 0]);
    }

    #[test]
    fn station_of_two_sources_is_listed_once_with_its_lines() {
        let stations = Stations::new(vec![
            station(1, "Chilly-Mazarin", 0.001, &[]),
            station(2, "Chilly Mazarin", 0.0015, &[4]),
            station(3, "Jean Jaurès", 0.002, &[5]),
            station(4, "Jean Jaurès", 0.0021, &[6]),
        ]);
        let ids: Vec<u32> =
            stations.near(GeoPoint::new(0.0, 0.0).unwrap()).iter().map(|station| station.id).collect();
        assert_eq!(ids, [2, 3, 4]);
    }

    #[test]
    fn number_of_stations_is_limited() {
        let crowd =
            (0..30).map(|id| station(id, &format!("Station {id}"), f64::from(id) * 1e-4, &[1])).collect();
        assert_eq!(Stations::new(crowd).near(GeoPoint::new(0.0, 0.0).unwrap()).len(), STATIONS_MAX);
    }
}
