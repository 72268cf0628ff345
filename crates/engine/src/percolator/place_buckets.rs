//! Buckets by place: the buckets a search is stored in, and the buckets a property is matched against.
//!
//! A search for a few places is stored in the bucket of each. A search for many places (a city with its districts, the communes
//! of a valley) is stored once, in the bucket of that set. All searches for the same set share the bucket, and it is reached from
//! each of its places.
//!
//! A search for an area without named places is stored in cells of the map. There are several grids, each twice as coarse as the
//! one before. An area takes the finest grid in which it touches at most two cells a side; a point lies in one cell of each grid.

use std::sync::Arc;

use domain::criteria::PlaceSet;
use domain::{Circle, GeoPoint, Key, Polygon, PropertyAttribute};
use rustc_hash::FxHashMap;
use slab::Slab;

use super::bucket::{Bucket, KindMask, Prefilter};
use super::memory::{map_bytes, slab_bytes};

/// A part of the world. The places of a property follow from the property alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub kind: PlaceKind,
    pub key: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlaceKind {
    City,
    Department,
    Zipcode,
    /// A cell of one of the grids on the map.
    Cell,
    Anywhere,
}

impl Place {
    pub const ANYWHERE: Self = Self { kind: PlaceKind::Anywhere, key: 0 };
}

/// The attributes that name a place of a property; at most one place of each kind.
pub const PLACE_ATTRIBUTES: [(PlaceKind, PropertyAttribute); 3] = [
    (PlaceKind::City, PropertyAttribute::City),
    (PlaceKind::Department, PropertyAttribute::Department),
    (PlaceKind::Zipcode, PropertyAttribute::Zipcode),
];

/// Returns the places of a set, sorted and without duplicates.
pub fn sorted_places(set: &PlaceSet) -> Vec<Place> {
    let PlaceSet { cities, departments, zipcodes } = set;
    let place = |kind| move |key: &Key| Place { kind, key: key.get() };
    let cities = cities.iter().map(place(PlaceKind::City));
    let departments = departments.iter().map(place(PlaceKind::Department));
    cities.chain(departments).chain(zipcodes.iter().map(place(PlaceKind::Zipcode))).collect()
}

/// Up to this many places, a search is stored under each. Larger sets are mostly unique to a search: its bucket would be a random
/// access in memory, while the searches in the bucket of a place are read together.
const SEPARATE_PLACES_MAX: usize = 8;

#[derive(Debug, Default)]
pub struct PlaceBuckets {
    buckets: Slab<PlaceBucket>,
    by_place: FxHashMap<Place, u32>,
    by_set: FxHashMap<Arc<[Place]>, u32>,
    /// The buckets of sets, by each place of the set.
    sets_with: FxHashMap<Place, Vec<u32>>,
    /// The number of cells with a bucket, for each grid.
    cells_used: [u32; GRIDS],
}

#[derive(Debug)]
struct PlaceBucket {
    bucket: Bucket,
    key: BucketKey,
}

#[derive(Debug)]
enum BucketKey {
    Place(Place),
    Set(Arc<[Place]>),
}

impl PlaceBuckets {
    /// Stores a search and returns the keys of its buckets.
    pub fn insert(
        &mut self,
        places: &[Place],
        kinds: KindMask,
        prefilter: &Prefilter,
        handle: u32,
    ) -> Vec<u32> {
        // A set is reached from the named places of a property. Cells have no names, and an area has few of them.
        let named = places.iter().all(|place| place.kind != PlaceKind::Cell);
        let buckets = match named && places.len() > SEPARATE_PLACES_MAX {
            true => vec![self.bucket_of_set(places)],
            false => places.iter().map(|place| self.bucket_of_place(*place)).collect(),
        };
        for key in &buckets {
            if let Some(place_bucket) = self.buckets.get_mut(*key as usize) {
                place_bucket.bucket.insert(kinds, prefilter, handle);
            }
        }
        buckets
    }

    fn bucket_of_place(&mut self, place: Place) -> u32 {
        *self.by_place.entry(place).or_insert_with(|| {
            if place.kind == PlaceKind::Cell {
                self.cells_used[grid_of(place)] += 1;
            }
            let key = BucketKey::Place(place);
            self.buckets.insert(PlaceBucket { bucket: Bucket::default(), key }) as u32
        })
    }

    fn bucket_of_set(&mut self, places: &[Place]) -> u32 {
        if let Some(bucket) = self.by_set.get(places) {
            return *bucket;
        }
        let set: Arc<[Place]> = places.into();
        let key = BucketKey::Set(set.clone());
        let bucket = self.buckets.insert(PlaceBucket { bucket: Bucket::default(), key }) as u32;
        for place in places {
            self.sets_with.entry(*place).or_default().push(bucket);
        }
        self.by_set.insert(set, bucket);
        bucket
    }

    /// Removes a search from a bucket, and the bucket if it is empty then.
    pub fn remove(&mut self, bucket: u32, kinds: KindMask, handle: u32) {
        let Some(place_bucket) = self.buckets.get_mut(bucket as usize) else { return };
        let was_there = place_bucket.bucket.remove(kinds, handle);
        debug_assert!(was_there, "search {handle} is not in bucket {bucket}");
        if !place_bucket.bucket.is_empty() {
            return;
        }
        match self.buckets.remove(bucket as usize).key {
            BucketKey::Place(place) => {
                self.by_place.remove(&place);
                if place.kind == PlaceKind::Cell {
                    self.cells_used[grid_of(place)] -= 1;
                }
            }
            BucketKey::Set(set) => {
                self.by_set.remove(&set);
                for place in set.iter() {
                    let Some(sets) = self.sets_with.get_mut(place) else { continue };
                    sets.retain(|other| *other != bucket);
                    if sets.is_empty() {
                        self.sets_with.remove(place);
                    }
                }
            }
        }
    }

    /// Visits every bucket whose searches may match a property with these named places at this point, each once. `sets` is a
    /// buffer.
    pub fn visit<'a>(
        &'a self,
        named: &[Place],
        point: Option<GeoPoint>,
        sets: &mut Vec<u32>,
        mut visit: impl FnMut(&'a Bucket),
    ) {
        let mut visit_place = |place: Place| {
            let bucket = self.by_place.get(&place).and_then(|bucket| self.buckets.get(*bucket as usize));
            bucket.into_iter().for_each(|bucket| visit(&bucket.bucket));
        };
        visit_place(Place::ANYWHERE);
        named.iter().for_each(|place| visit_place(*place));
        if let Some(point) = point {
            let used = self.cells_used.iter().enumerate().filter(|(_, cells)| **cells > 0);
            used.for_each(|(grid, _)| visit_place(cell_at(grid, point)));
        }
        sets.clear();
        named.iter().for_each(|place| sets.extend(self.sets_with.get(place).into_iter().flatten()));
        sets.sort_unstable();
        sets.dedup();
        let buckets = sets.iter().filter_map(|bucket| self.buckets.get(*bucket as usize));
        buckets.for_each(|bucket| visit(&bucket.bucket));
    }

    pub fn bytes(&self) -> usize {
        let buckets: usize = self.buckets.iter().map(|(_, bucket)| bucket.bucket.bytes()).sum();
        let sets = self.by_set.keys().map(|set| size_of_val(&**set) + 2 * size_of::<usize>()).sum::<usize>();
        let members = self.sets_with.values().map(|sets| sets.capacity() * size_of::<u32>()).sum::<usize>();
        let maps = map_bytes(&self.by_place) + map_bytes(&self.by_set) + map_bytes(&self.sets_with);
        buckets + slab_bytes(&self.buckets) + sets + members + maps
    }
}

/// The number of grids. The cells of the coarsest are as large as the map.
const GRIDS: usize = 16;

/// The side of the finest cells, in degrees: about a kilometre.
const FINEST_CELL_DEGREES: f64 = 0.01;

/// A metre, in degrees. The errors of distance computations are far smaller.
const MARGIN_DEGREES: f64 = 1e-5;

/// Larger circles are not stored in cells: they are few, and their cells would contain nearly every property anyway.
const RADIUS_KM_MAX: f64 = 2_000.0;

/// The area between two parallels and two meridians, on a map that ends at the poles and at the meridian of 180 degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundingBox {
    south: f64,
    west: f64,
    north: f64,
    east: f64,
}

impl BoundingBox {
    /// Returns a box that contains a circle; `None` if the circle crosses an edge of the map or is very large.
    pub fn of_circle(circle: &Circle) -> Option<Self> {
        let Circle { centre, radius_km } = *circle;
        if !(0.0..=RADIUS_KM_MAX).contains(&radius_km) {
            return None;
        }
        let angle = radius_km / GeoPoint::EARTH_RADIUS_KM;
        // The meridians that touch the circle do so nearer to the pole than its centre is.
        let half_width = (angle.sin() / centre.lat().to_radians().cos()).asin().to_degrees();
        let half_height = angle.to_degrees();
        Self {
            south: centre.lat() - half_height,
            west: centre.lon() - half_width,
            north: centre.lat() + half_height,
            east: centre.lon() + half_width,
        }
        .with_margin()
        .filter(|area| area.south > -90.0 && area.north < 90.0)
        // A point on the meridian of 180 degrees can have either sign.
        .filter(|area| area.west > -180.0 && area.east < 180.0)
    }

    /// Returns a box that contains some polygons. Polygons are drawn on a flat map: they end where it ends.
    pub fn of_polygons(polygons: &[Polygon]) -> Option<Self> {
        let mut corners = polygons.iter().flat_map(|polygon| polygon.corners());
        let first = corners.next()?;
        let mut area = Self { south: first.lat(), west: first.lon(), north: first.lat(), east: first.lon() };
        for corner in corners {
            area.south = area.south.min(corner.lat());
            area.north = area.north.max(corner.lat());
            area.west = area.west.min(corner.lon());
            area.east = area.east.max(corner.lon());
        }
        area.with_margin()
    }

    /// Returns `None` if a coordinate is not a number: near a pole no meridian touches a circle.
    fn with_margin(self) -> Option<Self> {
        let Self { south, west, north, east } = self;
        let wider = Self {
            south: south - MARGIN_DEGREES,
            west: west - MARGIN_DEGREES,
            north: north + MARGIN_DEGREES,
            east: east + MARGIN_DEGREES,
        };
        (wider.south <= wider.north && wider.west <= wider.east).then_some(wider)
    }

    /// Returns the cells it touches, in the finest grid in which they are few.
    pub fn cells(&self) -> Vec<Place> {
        let side = (self.north - self.south).max(self.east - self.west);
        let grid = (0..GRIDS).find(|grid| cell_degrees(*grid) >= side).unwrap_or(GRIDS - 1);
        let (first_row, first_column) = row_and_column(grid, self.south, self.west);
        let (last_row, last_column) = row_and_column(grid, self.north, self.east);
        (first_row..=last_row)
            .flat_map(|row| (first_column..=last_column).map(move |column| cell(grid, row, column)))
            .collect()
    }
}

/// Returns the cell of a grid that contains a point.
fn cell_at(grid: usize, point: GeoPoint) -> Place {
    let (row, column) = row_and_column(grid, point.lat(), point.lon());
    cell(grid, row, column)
}

/// Returns the grid that a cell belongs to.
fn grid_of(cell: Place) -> usize {
    (cell.key >> 40) as usize
}

fn cell_degrees(grid: usize) -> f64 {
    FINEST_CELL_DEGREES * (1_u32 << grid) as f64
}

/// Monotonic despite rounding: never smaller for a point farther north or east.
fn row_and_column(grid: usize, lat: f64, lon: f64) -> (i64, i64) {
    // A bounding box may extend a little over the edge of the map.
    let count = |degrees: f64| (degrees / cell_degrees(grid)).floor().max(0.0) as i64;
    (count(lat + 90.0), count(lon + 180.0))
}

fn cell(grid: usize, row: i64, column: i64) -> Place {
    Place { kind: PlaceKind::Cell, key: (grid as i64) << 40 | row << 20 | column }
}

#[cfg(test)]
mod tests {
    use testkit::Random;

    use super::*;

    fn between(random: &mut Random, low: f64, high: f64) -> f64 {
        low + (high - low) * (random.next_u64() as f64 / u64::MAX as f64)
    }

    fn anywhere(random: &mut Random) -> GeoPoint {
        let edges = [(90.0, 0.0), (-90.0, 12.0), (0.0, 180.0), (0.0, -180.0), (89.9, 179.9), (47.0, 0.0)];
        let (lat, lon) = match random.below(4) {
            0 => *random.pick(&edges),
            1 => (between(random, 40.0, 52.0), between(random, -5.0, 10.0)),
            _ => (between(random, -90.0, 90.0), between(random, -180.0, 180.0)),
        };
        GeoPoint::new(lat, lon).unwrap()
    }

    /// A point at most about `degrees` away, often close to that distance.
    fn near(random: &mut Random, centre: GeoPoint, degrees: f64) -> GeoPoint {
        let narrowing = centre.lat().to_radians().cos().max(0.01);
        let (turn, part) = (between(random, 0.0, std::f64::consts::TAU), between(random, 0.9, 1.01));
        let lat = centre.lat() + degrees * part * turn.sin();
        let lon = centre.lon() + degrees * part * turn.cos() / narrowing;
        let lon = (lon + 540.0).rem_euclid(360.0) - 180.0;
        GeoPoint::new(lat.clamp(-90.0, 90.0), lon).unwrap()
    }

    #[test]
    fn cells_of_a_circle_cover_it() {
        let mut random = Random::new(testkit::random::seed());
        let (mut boxed, mut inside) = (0, 0);
        for _ in 0..20_000 {
            let centre = anywhere(&mut random);
            let radius_km = *random.pick(&[0.0, 0.001, 0.3, 2.0, 10.0, 50.0, 300.0, 1_999.0, 9_000.0]);
            let mut circle = Circle { centre, radius_km };
            let border = near(&mut random, centre, radius_km / 111.2);
            if random.once_in(4) {
                circle.radius_km = centre.distance_km(border);
            }
            let Some(area) = BoundingBox::of_circle(&circle) else { continue };
            boxed += 1;
            let cells = area.cells();
            assert!((1..=4).contains(&cells.len()), "{circle:?} {cells:?}");
            let mut points = vec![centre, border];
            points.extend((0..8).map(|_| near(&mut random, centre, circle.radius_km / 111.2)));
            for point in points.into_iter().filter(|point| circle.contains(*point)) {
                inside += 1;
                assert!(cells.contains(&cell_at(grid_of(cells[0]), point)), "{circle:?} {point:?}");
            }
        }
        assert!(boxed > 8_000 && inside > boxed * 4, "{boxed} {inside}");
    }

    #[test]
    fn cells_of_a_polygon_cover_it() {
        let mut random = Random::new(testkit::random::seed());
        let mut inside = 0;
        for _ in 0..5_000 {
            let centre = anywhere(&mut random);
            let degrees = *random.pick(&[0.001, 0.1, 1.0, 30.0, 170.0]);
            let corners = (0..3 + random.below(5)).map(|_| near(&mut random, centre, degrees));
            let polygons = [Polygon::new(corners.collect()).unwrap()];
            let cells = BoundingBox::of_polygons(&polygons).unwrap().cells();
            for _ in 0..20 {
                let part = between(&mut random, 0.0, degrees);
                let point = near(&mut random, centre, part);
                if polygons[0].contains(point) {
                    inside += 1;
                    assert!(cells.contains(&cell_at(grid_of(cells[0]), point)), "{polygons:?} {point:?}");
                }
            }
        }
        assert!(inside > 5_000, "{inside}");
    }

    #[test]
    fn circle_over_the_edge_of_the_map_has_no_bounding_box() {
        let area = |lat, lon, radius_km| {
            BoundingBox::of_circle(&Circle { centre: GeoPoint::new(lat, lon).unwrap(), radius_km })
        };
        assert!(area(47.0, 2.0, 30.0).is_some());
        for (lat, lon, radius_km) in [
            (90.0, 0.0, 1.0),
            (89.9, 0.0, 20.0),
            (-89.9, 0.0, 20.0),
            (0.0, 180.0, 0.001),
            (0.0, -179.99, 5.0),
            (47.0, 2.0, 20_040.0),
            (47.0, 2.0, f64::NAN),
            (47.0, 2.0, -1.0),
        ] {
            assert_eq!(area(lat, lon, radius_km), None, "{lat} {lon} {radius_km}");
        }
    }
}
