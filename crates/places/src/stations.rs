//! Stations: those within walking distance of a point, and those with a name.

use std::cmp::Reverse;
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
    /// The folded names, in the order of the stations. They are few: looking at each takes less than a tenth of a millisecond.
    names: Vec<String>,
    grid: Grid,
}

/// The part of a station's name that a query matches. Smaller is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Whole,
    Prefix,
    Word,
}

impl Stations {
    pub fn new(stations: Vec<Arc<Station>>) -> Self {
        let grid = Grid::new((0..).zip(stations.iter().map(|station| station.point)));
        let names = stations.iter().map(|station| fold(&station.name)).collect();
        Self { stations, names, grid }
    }

    pub fn all(&self) -> &[Arc<Station>] {
        &self.stations
    }

    /// Returns at most `limit` stations whose name, or a later word of it, starts with a folded query: whole names first, then those with
    /// the most lines. People write "gare de Tours" for the station Tours.
    pub fn complete(&self, query: &str, limit: usize) -> Vec<Arc<Station>> {
        let found = self.starting_with(query, limit);
        let after = ["gare de la ", "gare de ", "gare du ", "gare d ", "gare "];
        let shorter =
            after.iter().find_map(|words| query.strip_prefix(words)).filter(|rest| !rest.is_empty());
        match shorter {
            Some(shorter) if found.is_empty() => self.starting_with(shorter, limit),
            _ => found,
        }
    }

    fn starting_with(&self, query: &str, limit: usize) -> Vec<Arc<Station>> {
        if query.is_empty() {
            return Vec::new();
        }
        let ranked = self.names.iter().zip(&self.stations).filter_map(|(name, station)| {
            let rank = match name.strip_prefix(query) {
                Some("") => Rank::Whole,
                Some(_) => Rank::Prefix,
                None if name.match_indices(' ').any(|(at, _)| name[at + 1..].starts_with(query)) => {
                    Rank::Word
                }
                None => return None,
            };
            Some((rank, Reverse(station.lines.len()), name, station))
        });
        let mut ranked: Vec<_> = ranked.collect();
        ranked.sort_by_key(|(rank, lines, name, station)| (*rank, *lines, *name, station.id));
        let mut found: Vec<Arc<Station>> = Vec::new();
        for (.., station) in ranked {
            // The entry that has lines comes first.
            if found.len() < limit && !found.iter().any(|other| is_same(other, station)) {
                found.push(Arc::clone(station));
            }
        }
        found
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
    fn stations_are_found_by_the_start_of_a_word() {
        let stations = Stations::new(vec![
            station(1, "Gare de Lyon", 0.0, &[1, 2]),
            station(2, "Lyon", 1.0, &[]),
            station(3, "Lyon Part-Dieu", 2.0, &[]),
            station(4, "Vieux Lyon", 3.0, &[1]),
            station(5, "Lyon Vaise", 4.0, &[3]),
            station(6, "Lyon  Vaise", 4.001, &[]),
        ]);
        let found = |query, limit| stations.complete(query, limit).iter().map(|it| it.id).collect::<Vec<_>>();
        assert_eq!(found("lyon", 9), [2, 5, 3, 1, 4]);
        assert_eq!(found("lyon", 2), [2, 5]);
        assert_eq!(found("part d", 9), [3]);
        assert_eq!(found("gare de lyon", 9), [1]);
        assert_eq!(found("gare de lyon p", 9), [3]);
        assert_eq!((found("yon", 9), found("", 9), found("gare de ", 9)), (vec![], vec![], vec![1]));
    }

    #[test]
    fn number_of_stations_is_limited() {
        let crowd =
            (0..30).map(|id| station(id, &format!("Station {id}"), f64::from(id) * 1e-4, &[1])).collect();
        assert_eq!(Stations::new(crowd).near(GeoPoint::new(0.0, 0.0).unwrap()).len(), STATIONS_MAX);
    }
}
