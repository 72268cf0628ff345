//! The map as cells, for searches that name an area and no place.
//!
//! There are several grids, each twice as coarse as the one before. An area is filed in the finest grid in which it touches two
//! cells a side at most; a point lies in one cell of each grid.

use domain::{Circle, GeoPoint, Polygon};

use super::places::{Place, PlaceClass};

/// How many grids there are: the coarsest has cells as large as the map.
pub const GRIDS: usize = 16;

/// The side of the finest cells, in degrees: about a kilometre.
const FINEST: f64 = 0.01;

/// A metre, in degrees. Distances are worked out with far smaller errors.
const ROOM: f64 = 1e-5;

/// Larger circles are not looked up by cell: they are few, and their cells would hold nearly everybody anyway.
const RADIUS_KM_MAX: f64 = 2_000.0;

/// Everything between two parallels and two meridians, on a map that ends at the poles and at the meridian of 180 degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    south: f64,
    west: f64,
    north: f64,
    east: f64,
}

impl Frame {
    /// A frame that holds all of a circle; nothing where the circle goes beyond an edge of the map or is very large.
    pub fn of_circle(circle: &Circle) -> Option<Self> {
        let Circle { centre, radius_km } = *circle;
        if !(0.0..=RADIUS_KM_MAX).contains(&radius_km) {
            return None;
        }
        let reach = radius_km / GeoPoint::EARTH_RADIUS_KM;
        // The meridians that touch the circle do so nearer to the pole than its centre is.
        let beside = (reach.sin() / centre.lat().to_radians().cos()).asin().to_degrees();
        let reach = reach.to_degrees();
        Self {
            south: centre.lat() - reach,
            west: centre.lon() - beside,
            north: centre.lat() + reach,
            east: centre.lon() + beside,
        }
        .with_room()
        .filter(|frame| frame.south > -90.0 && frame.north < 90.0)
        // The meridian of 180 degrees has two names, and a point on it bears either.
        .filter(|frame| frame.west > -180.0 && frame.east < 180.0)
    }

    /// A frame that holds all of some polygons. These are drawn on a flat map: they end where it ends.
    pub fn of_polygons(polygons: &[Polygon]) -> Option<Self> {
        let mut corners = polygons.iter().flat_map(|polygon| polygon.corners());
        let first = corners.next()?;
        let mut frame = Self { south: first.lat(), west: first.lon(), north: first.lat(), east: first.lon() };
        for corner in corners {
            frame.south = frame.south.min(corner.lat());
            frame.north = frame.north.max(corner.lat());
            frame.west = frame.west.min(corner.lon());
            frame.east = frame.east.max(corner.lon());
        }
        frame.with_room()
    }

    /// Nothing for what is no frame: near a pole there is no meridian that touches a circle.
    fn with_room(self) -> Option<Self> {
        let Self { south, west, north, east } = self;
        let wider = Self { south: south - ROOM, west: west - ROOM, north: north + ROOM, east: east + ROOM };
        (wider.south <= wider.north && wider.west <= wider.east).then_some(wider)
    }

    /// The cells it touches: of the finest grid in which these are few.
    pub fn cells(&self) -> Vec<Place> {
        let side = (self.north - self.south).max(self.east - self.west);
        let grid = (0..GRIDS).find(|grid| edge(*grid) >= side).unwrap_or(GRIDS - 1);
        let (first_row, first_column) = row_and_column(grid, self.south, self.west);
        let (last_row, last_column) = row_and_column(grid, self.north, self.east);
        (first_row..=last_row)
            .flat_map(|row| (first_column..=last_column).map(move |column| place(grid, row, column)))
            .collect()
    }
}

/// The cell of a grid that a point lies in.
pub fn cell(grid: usize, point: GeoPoint) -> Place {
    let (row, column) = row_and_column(grid, point.lat(), point.lon());
    place(grid, row, column)
}

/// Which grid a cell belongs to.
pub fn grid(cell: Place) -> usize {
    (cell.key >> 40) as usize
}

fn edge(grid: usize) -> f64 {
    FINEST * (1_u32 << grid) as f64
}

/// Never smaller for a point farther north or east, whatever is rounded on the way.
fn row_and_column(grid: usize, lat: f64, lon: f64) -> (i64, i64) {
    // Frames may reach a little over the edge of the map.
    let count = |degrees: f64| (degrees / edge(grid)).floor().max(0.0) as i64;
    (count(lat + 90.0), count(lon + 180.0))
}

fn place(grid: usize, row: i64, column: i64) -> Place {
    Place { class: PlaceClass::Cell, key: (grid as i64) << 40 | row << 20 | column }
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

    /// A point within about so many degrees, often at the very border.
    fn near(random: &mut Random, centre: GeoPoint, degrees: f64) -> GeoPoint {
        let narrowing = centre.lat().to_radians().cos().max(0.01);
        let (turn, part) = (between(random, 0.0, std::f64::consts::TAU), between(random, 0.9, 1.01));
        let lat = centre.lat() + degrees * part * turn.sin();
        let lon = centre.lon() + degrees * part * turn.cos() / narrowing;
        let lon = (lon + 540.0).rem_euclid(360.0) - 180.0;
        GeoPoint::new(lat.clamp(-90.0, 90.0), lon).unwrap()
    }

    #[test]
    fn every_point_of_a_circle_is_in_one_of_its_cells() {
        let mut random = Random::new(testkit::random::seed());
        let (mut framed, mut inside) = (0, 0);
        for _ in 0..20_000 {
            let centre = anywhere(&mut random);
            let radius_km = *random.pick(&[0.0, 0.001, 0.3, 2.0, 10.0, 50.0, 300.0, 1_999.0, 9_000.0]);
            let mut circle = Circle { centre, radius_km };
            let border = near(&mut random, centre, radius_km / 111.2);
            if random.once_in(4) {
                circle.radius_km = centre.distance_km(border);
            }
            let Some(frame) = Frame::of_circle(&circle) else { continue };
            framed += 1;
            let cells = frame.cells();
            assert!((1..=4).contains(&cells.len()), "{circle:?} {cells:?}");
            let mut points = vec![centre, border];
            points.extend((0..8).map(|_| near(&mut random, centre, circle.radius_km / 111.2)));
            for point in points.into_iter().filter(|point| circle.contains(*point)) {
                inside += 1;
                assert!(cells.contains(&cell(grid(cells[0]), point)), "{circle:?} {point:?}");
            }
        }
        assert!(framed > 8_000 && inside > framed * 4, "{framed} {inside}");
    }

    #[test]
    fn every_point_of_a_polygon_is_in_one_of_its_cells() {
        let mut random = Random::new(testkit::random::seed());
        let mut inside = 0;
        for _ in 0..5_000 {
            let centre = anywhere(&mut random);
            let degrees = *random.pick(&[0.001, 0.1, 1.0, 30.0, 170.0]);
            let corners = (0..3 + random.below(5)).map(|_| near(&mut random, centre, degrees));
            let polygons = [Polygon::new(corners.collect()).unwrap()];
            let cells = Frame::of_polygons(&polygons).unwrap().cells();
            for _ in 0..20 {
                let part = between(&mut random, 0.0, degrees);
                let point = near(&mut random, centre, part);
                if polygons[0].contains(point) {
                    inside += 1;
                    assert!(cells.contains(&cell(grid(cells[0]), point)), "{polygons:?} {point:?}");
                }
            }
        }
        assert!(inside > 5_000, "{inside}");
    }

    #[test]
    fn circles_over_the_edge_of_the_map_have_no_frame() {
        let frame = |lat, lon, radius_km| {
            Frame::of_circle(&Circle { centre: GeoPoint::new(lat, lon).unwrap(), radius_km })
        };
        assert!(frame(47.0, 2.0, 30.0).is_some());
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
            assert_eq!(frame(lat, lon, radius_km), None, "{lat} {lon} {radius_km}");
        }
    }
}
