//! The base map as vector tiles: land, departments, communes, names and stations.
//!
//! Tiles are those of web maps, with y from north to south, in the format of Mapbox vector tiles 2.1. Neighbours share their
//! borders as arcs. An arc is simplified as a whole, for the zoom and not for the tile, so that the polygons on both sides, and the tiles
//! on both sides, still meet.

mod encode;
mod geometry;

use domain::{GeoPoint, MapPosition, fold};

use crate::gazetteer::Gazetteer;
use crate::outlines::OutlineBox;
use encode::{GeometryKind, Layer, Value};
use geometry::Frame;

/// The address of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TileId {
    zoom: u8,
    x: u32,
    y: u32,
}

impl TileId {
    /// Maps enlarge the tiles of this zoom: a unit is less than half a metre, while borders are known to ten metres.
    pub const ZOOM_MAX: u8 = 14;

    /// Returns `None` if there is no such tile.
    pub fn new(zoom: u8, x: u32, y: u32) -> Option<Self> {
        let side = 1_u32 << zoom.min(Self::ZOOM_MAX);
        (zoom <= Self::ZOOM_MAX && x < side && y < side).then_some(Self { zoom, x, y })
    }
}

/// The zooms from which a layer is in the tiles.
const COMMUNES_ZOOM: u8 = 8;
const PLACES_ZOOM: u8 = 5;
const STATIONS_ZOOM: u8 = 11;

/// From this zoom on, the districts of a commune are shown instead of it.
const DISTRICTS_ZOOM: u8 = 11;

/// The populations of the ranks of places: rank 1 has at least the first, rank 2 the second, and so on.
const RANKS: [u32; 9] = [500_000, 200_000, 100_000, 50_000, 20_000, 10_000, 5_000, 2_000, 500];

/// The last rank whose places are named at the first zoom. Each zoom adds a rank.
const FIRST_RANKS: usize = 3;

impl Gazetteer {
    /// Returns a tile of the base map; empty if nothing is there.
    pub fn tile(&self, tile: TileId) -> Vec<u8> {
        let frame = Frame::new(tile.zoom, tile.x, tile.y);
        let departments = self.department_layers(&frame);
        let mut layers = departments.to_vec();
        if tile.zoom >= COMMUNES_ZOOM {
            layers.push(self.commune_layer(&frame, tile.zoom));
        }
        if tile.zoom >= PLACES_ZOOM {
            layers.push(self.place_layer(&frame, tile.zoom));
        }
        if tile.zoom >= STATIONS_ZOOM {
            layers.push(self.station_layer(&frame));
        }
        encode::tile(&layers)
    }

    /// Returns the layers `land` and `departments`.
    fn department_layers(&self, frame: &Frame) -> [Layer; 2] {
        let (mut land, mut departments) = (Layer::new("land"), Layer::new("departments"));
        for (index, department) in (0..).zip(self.departments()) {
            if !self.outlines().department_box(index).is_some_and(|it| meets(frame, &it)) {
                continue;
            }
            let rings = self.outlines().department_rings(index, |arc| frame.simplified(&arc));
            let polygons = Frame::polygons(rings);
            if polygons.is_empty() {
                continue;
            }
            land.add(None, GeometryKind::Polygon, encode::polygons(&polygons), &[]);
            let tags = [("name", Value::text(&department.name)), ("code", Value::text(&department.code))];
            departments.add(Some(department.id), GeometryKind::Polygon, encode::polygons(&polygons), &tags);
        }
        [land, departments]
    }

    fn commune_layer(&self, frame: &Frame, zoom: u8) -> Layer {
        let mut layer = Layer::new("communes");
        for (index, city) in (0..).zip(self.cities()) {
            let is_shown =
                if zoom >= DISTRICTS_ZOOM { city.districts.is_empty() } else { city.parent.is_none() };
            if !is_shown || !self.outlines().city_box(index).is_some_and(|it| meets(frame, &it)) {
                continue;
            }
            let rings = self.outlines().city_rings(index, |arc| frame.simplified(&arc));
            let polygons = Frame::polygons(rings);
            if !polygons.is_empty() {
                let tags = [("name", Value::text(&city.name)), ("code", Value::text(city.insee.as_str()))];
                layer.add(Some(city.id()), GeometryKind::Polygon, encode::polygons(&polygons), &tags);
            }
        }
        layer
    }

    /// Returns the names of communes: the largest at first, from zoom 12 on all, with their districts.
    fn place_layer(&self, frame: &Frame, zoom: u8) -> Layer {
        let mut layer = Layer::new("places");
        let ranks = usize::from(zoom - PLACES_ZOOM) + FIRST_RANKS;
        for city in self.cities() {
            let rank = rank(city.population);
            if rank > ranks || city.parent.is_some() && zoom <= DISTRICTS_ZOOM {
                continue;
            }
            let Some(at) = city.centre.and_then(|centre| frame.point(centre)) else { continue };
            let tags = [
                ("name", Value::text(&city.name)),
                ("code", Value::text(city.insee.as_str())),
                ("population", Value::Number(u64::from(city.population))),
                ("rank", Value::Number(rank as u64)),
            ];
            layer.add(Some(city.id()), GeometryKind::Point, encode::point(at), &tags);
        }
        layer
    }

    fn station_layer(&self, frame: &Frame) -> Layer {
        let mut layer = Layer::new("stations");
        for station in self.stations() {
            let Some(at) = frame.point(station.point) else { continue };
            // The name of a line begins with its kind: "Métro 1", "RER A".
            let kind = |name: &str| name.split_whitespace().next().map(fold);
            let mut kinds: Vec<String> = station.lines.iter().filter_map(|line| kind(&line.name)).collect();
            kinds.sort_unstable();
            kinds.dedup();
            // The stations of trains come without lines.
            let kinds = if kinds.is_empty() { "train".to_owned() } else { kinds.join(",") };
            let tags = [("name", Value::text(&station.name)), ("kinds", Value::text(&kinds))];
            layer.add(Some(u64::from(station.id)), GeometryKind::Point, encode::point(at), &tags);
        }
        layer
    }
}

/// Returns the rank of a place: 1 for the largest, 10 for the smallest.
fn rank(population: u32) -> usize {
    RANKS.iter().filter(|least| population < **least).count() + 1
}

fn meets(frame: &Frame, outline: &OutlineBox) -> bool {
    let corner = |(lon, lat)| GeoPoint::new(lat, lon).map(MapPosition::of);
    match (corner(outline.north_west), corner(outline.south_east)) {
        (Some(north_west), Some(south_east)) => frame.meets(north_west, south_east),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_exist_within_their_zoom() {
        assert!(TileId::new(0, 0, 0).is_some());
        assert!(TileId::new(14, 16_383, 16_383).is_some());
        for (zoom, x, y) in [(0, 1, 0), (3, 0, 8), (14, 16_384, 0), (15, 0, 0), (255, 0, 0)] {
            assert_eq!(TileId::new(zoom, x, y), None, "{zoom}/{x}/{y}");
        }
    }

    #[test]
    fn larger_places_have_lower_ranks() {
        assert_eq!([2_100_000, 500_000, 499_999, 500, 499, 0].map(rank), [1, 1, 2, 9, 10, 10]);
    }
}
