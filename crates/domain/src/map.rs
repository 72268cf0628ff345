//! The web map: where a point lies on it, and how a viewport is divided into the cells of clusters.
//!
//! The map is the square world of web maps (spherical Mercator). At zoom 0 it is 512 pixels wide, and each zoom doubles it, as in the
//! map libraries that draw vector tiles.

use crate::ids::PropertyId;
use crate::place::GeoPoint;

/// A position on the map, in parts of 2³² of its side: x from west to east, y from north to south. A part is a centimetre or less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MapPosition {
    pub x: u32,
    pub y: u32,
}

/// The number of parts of a side, as a power of two.
const SIDE_BITS: u32 = 32;
const SIDE: f64 = (1_u64 << SIDE_BITS) as f64;

impl MapPosition {
    /// Returns the position of a point. The map ends at about 85 degrees; points nearer to a pole lie on its border.
    pub fn of(point: GeoPoint) -> Self {
        let sine = point.lat().to_radians().sin();
        let north = (1.0 - sine.atanh() / std::f64::consts::PI) / 2.0;
        // A cast from a float saturates: at a pole, and at the 180th meridian, the position is on the border.
        Self { x: ((point.lon() + 180.0) / 360.0 * SIDE) as u32, y: (north * SIDE) as u32 }
    }

    /// Returns the point in the middle of a position.
    pub fn point(self) -> Option<GeoPoint> {
        let (lon, lat) = degrees(f64::from(self.x) + 0.5, f64::from(self.y) + 0.5);
        GeoPoint::new(lat, lon)
    }
}

/// Returns longitude and latitude of a place on the map, given in parts of its side.
fn degrees(x: f64, y: f64) -> (f64, f64) {
    let lat = (std::f64::consts::PI * (1.0 - 2.0 * y / SIDE)).sinh().atan();
    (x / SIDE * 360.0 - 180.0, lat.to_degrees())
}

/// A rectangle of longitudes and latitudes, borders included. It does not cross the 180th meridian.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapBounds {
    south_west: GeoPoint,
    north_east: GeoPoint,
}

impl MapBounds {
    /// Returns `None` if the corners are not on the globe or in the wrong order.
    pub fn new(west: f64, south: f64, east: f64, north: f64) -> Option<Self> {
        let (south_west, north_east) = (GeoPoint::new(south, west)?, GeoPoint::new(north, east)?);
        (west <= east && south <= north).then_some(Self { south_west, north_east })
    }

    pub fn contains(&self, point: GeoPoint) -> bool {
        self.contains_coordinates(point.lat(), point.lon())
    }

    /// The same for coordinates that may be NaN, which are in no rectangle.
    pub fn contains_coordinates(&self, lat: f64, lon: f64) -> bool {
        lat >= self.south_west.lat()
            && lat <= self.north_east.lat()
            && lon >= self.south_west.lon()
            && lon <= self.north_east.lon()
    }

    /// Returns the positions of the north-west and the south-east corner.
    pub fn positions(&self) -> (MapPosition, MapPosition) {
        let (south_west, north_east) = (MapPosition::of(self.south_west), MapPosition::of(self.north_east));
        (MapPosition { x: south_west.x, y: north_east.y }, MapPosition { x: north_east.x, y: south_west.y })
    }

    pub const fn west(&self) -> f64 {
        self.south_west.lon()
    }

    pub const fn south(&self) -> f64 {
        self.south_west.lat()
    }

    pub const fn east(&self) -> f64 {
        self.north_east.lon()
    }

    pub const fn north(&self) -> f64 {
        self.north_east.lat()
    }
}

/// What a map shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    pub bounds: MapBounds,
    /// 0 to [`Viewport::ZOOM_MAX`].
    pub zoom: u8,
}

/// At most this many properties of a viewport are listed one by one instead of by cell.
const LISTED_MAX: usize = 200;

/// From this zoom on, homes do not overlap on the map: more are listed one by one.
const CLOSE_ZOOM: u8 = 15;
const LISTED_CLOSE_MAX: usize = 2_000;

impl Viewport {
    /// The largest zoom: a cell of 64 pixels is about 60 centimetres wide in France.
    pub const ZOOM_MAX: u8 = 22;

    /// Returns how many properties a map shows one by one. If there are more, they are counted by cell.
    pub fn listed_max(&self) -> usize {
        if self.zoom >= CLOSE_ZOOM { LISTED_CLOSE_MAX } else { LISTED_MAX }
    }
}

/// The cells of a viewport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterGrid {
    /// A position shifted by this many bits is a column or a row of cells.
    shift: u32,
    first: MapPosition,
    columns: u32,
    rows: u32,
}

/// Eight cells of 64 pixels to the 512 pixels that the map has at zoom 0.
const CELLS_BITS_AT_ZOOM_0: u32 = 3;

/// Twice the cells of the largest screens (7,680 by 4,320 pixels).
const CELLS_MAX: u64 = 1 << 14;

impl ClusterGrid {
    /// Divides a viewport into cells of 64 pixels. If that gives more than any screen shows, the cells are as many times larger, by a
    /// power of two, as it takes.
    pub fn new(viewport: &Viewport) -> Self {
        let (north_west, south_east) = viewport.bounds.positions();
        let mut shift = SIDE_BITS - CELLS_BITS_AT_ZOOM_0 - u32::from(viewport.zoom.min(Viewport::ZOOM_MAX));
        loop {
            let first = MapPosition { x: north_west.x >> shift, y: north_west.y >> shift };
            let columns = (south_east.x >> shift) - first.x + 1;
            let rows = (south_east.y >> shift).saturating_sub(first.y) + 1;
            if u64::from(columns) * u64::from(rows) <= CELLS_MAX {
                return Self { shift, first, columns, rows };
            }
            shift += 1;
        }
    }

    pub fn len(&self) -> usize {
        self.columns as usize * self.rows as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the cell of a position in the viewport: its index, row by row from the north-west.
    pub fn cell_of(&self, position: MapPosition) -> usize {
        // Positions in the viewport have a cell, but for the rounding of the last bit of a sine.
        let column = (position.x >> self.shift).saturating_sub(self.first.x).min(self.columns - 1);
        let row = (position.y >> self.shift).saturating_sub(self.first.y).min(self.rows - 1);
        row as usize * self.columns as usize + column as usize
    }

    /// Returns the rectangle of a cell.
    pub fn bounds(&self, cell: usize) -> Option<MapBounds> {
        let columns = self.columns as usize;
        let column = u64::from(self.first.x) + (cell % columns) as u64;
        let row = u64::from(self.first.y) + (cell / columns) as u64;
        let corner =
            |column: u64, row: u64| degrees((column << self.shift) as f64, (row << self.shift) as f64);
        let ((west, north), (east, south)) = (corner(column, row), corner(column + 1, row + 1));
        MapBounds::new(west, south, east, north)
    }
}

/// The properties of a viewport: counted by cell, or one by one where a cell has only one and where they are few.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Clusters {
    /// All matching properties with a point in the viewport.
    pub total: usize,
    /// From north-west to south-east.
    pub cells: Vec<ClusterCell>,
    /// In the order of ids.
    pub properties: Vec<MapProperty>,
}

/// The properties of one cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusterCell {
    /// The mean of their positions.
    pub position: MapPosition,
    pub count: usize,
    pub bounds: MapBounds,
}

/// A property as a map shows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapProperty {
    pub id: PropertyId,
    pub point: GeoPoint,
    /// Whether an advert gives the point. Otherwise it is the centre of the commune.
    pub is_exact: bool,
    pub price: Option<f64>,
    pub price_per_meter: Option<f64>,
    pub surface: Option<f64>,
    pub rooms: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(lat: f64, lon: f64) -> GeoPoint {
        GeoPoint::new(lat, lon).unwrap()
    }

    #[test]
    fn positions_and_points_agree_to_a_centimetre() {
        for (lat, lon) in [(48.8566, 2.3522), (-21.1, 55.5), (0.0, 0.0), (85.0, -180.0), (-85.0, 179.999)] {
            let back = MapPosition::of(point(lat, lon)).point().unwrap();
            assert!(back.distance_km(point(lat, lon)) < 0.000_02, "{lat} {lon}: {back:?}");
        }
        assert_eq!(MapPosition::of(point(90.0, 180.0)), MapPosition { x: u32::MAX, y: 0 });
        assert_eq!(MapPosition::of(point(-90.0, -180.0)), MapPosition { x: 0, y: u32::MAX });
        // The published tile of Paris at zoom 8: 129, 88.
        let paris = MapPosition::of(point(48.8566, 2.3522));
        assert_eq!((paris.x >> 24, paris.y >> 24), (129, 88));
    }

    #[test]
    fn bounds_include_their_borders() {
        let bounds = MapBounds::new(2.0, 48.0, 3.0, 49.0).unwrap();
        assert!(bounds.contains(point(48.0, 3.0)) && bounds.contains(point(49.0, 2.0)));
        assert!(!bounds.contains(point(47.999_999, 2.5)) && !bounds.contains(point(48.5, 3.000_001)));
        assert!(!bounds.contains_coordinates(f64::NAN, 2.5));
        assert_eq!(MapBounds::new(3.0, 48.0, 2.0, 49.0), None);
        assert_eq!(MapBounds::new(2.0, 49.0, 3.0, 48.0), None);
        assert_eq!(MapBounds::new(-181.0, 48.0, 3.0, 49.0), None);
    }

    #[test]
    fn cells_are_64_pixels_wide_and_cover_the_viewport() {
        let bounds = MapBounds::new(-5.0, 41.0, 10.0, 51.5).unwrap();
        let grid = ClusterGrid::new(&Viewport { bounds, zoom: 5 });
        let first = grid.bounds(0).unwrap();
        let pixels_per_degree = 512.0 * 32.0 / 360.0;
        assert!(((first.east() - first.west()) * pixels_per_degree - 64.0).abs() < 1e-9);
        assert!(first.west() <= -5.0 && first.east() > -5.0 && first.north() >= 51.5);
        let last = grid.bounds(grid.len() - 1).unwrap();
        assert!(last.east() > 10.0 && last.south() <= 41.0);
        let paris = point(48.8566, 2.3522);
        let cell = grid.bounds(grid.cell_of(MapPosition::of(paris))).unwrap();
        assert!(cell.contains(paris));
    }

    #[test]
    fn wide_viewports_have_a_bounded_number_of_cells() {
        for zoom in 0..=Viewport::ZOOM_MAX {
            let world = MapBounds::new(-180.0, -90.0, 180.0, 90.0).unwrap();
            let grid = ClusterGrid::new(&Viewport { bounds: world, zoom });
            assert!(grid.len() as u64 <= CELLS_MAX, "{zoom}: {grid:?}");
            assert!(grid.bounds(grid.len() - 1).is_some());
        }
    }
}
