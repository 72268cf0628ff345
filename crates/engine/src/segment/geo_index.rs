//! Maps locations to ranges of ordinals.
//!
//! Rows are sorted by transaction, department, commune and cell of a grid. So a commune is one range of ordinals for each
//! transaction, a department is one, and a circle is a few. Rows are only checked one by one in cells that the border of the
//! circle crosses.

use domain::criteria::PlaceSet;
use domain::{GeoPoint, Polygon};

use super::doc_range::{DocRange, Residual, joined, union};
use crate::circle::{CircleFilter, Coverage};

/// Cells are a fiftieth of a degree: about 2.2 km from south to north.
const CELLS_PER_DEGREE: f64 = 50.0;
const CELLS_PER_ROW: u32 = 360 * 50 + 1;

/// The cell of rows without coordinates.
pub(crate) const NO_CELL: u32 = u32::MAX;

/// Larger circles are checked row by row: they are rare in practice and have a million cells.
const CELL_RADIUS_KM_MAX: f64 = 1_000.0;

/// A generous bound on floating-point errors: a tenth of a metre.
const MARGIN_KM: f64 = 0.000_1;
const MARGIN_DEGREES: f64 = 0.000_001;

/// A kilometre from south to north, in degrees.
const DEGREES_PER_KM: f64 = 1.0 / 111.195_08;

/// The sort key of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SortKey {
    pub transaction: i64,
    pub department: i64,
    pub city: i64,
    pub cell: u32,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct GeoIndex {
    rows: u32,
    /// The communes of each transaction, in the order of ordinals.
    cities: Vec<CityRun>,
    /// Indexes into `cities`, in the order of their keys.
    cities_by_key: Vec<u32>,
    /// Pairs of a zipcode and a commune that has rows with it; sorted.
    zipcodes: Vec<(i64, u32)>,
    /// Cells in the order of ordinals.
    cells: Vec<CellRun>,
    /// Indexes into `cells`, in the order of their cells.
    cells_by_number: Vec<u32>,
    /// The code and the first ordinal of each transaction, in the order of the codes.
    transactions: Vec<(i64, u32)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CityRun {
    start: u32,
    department: i64,
    city: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CellRun {
    start: u32,
    cell: u32,
}

/// Returns the cell of a point.
pub fn cell_of(point: Option<GeoPoint>) -> u32 {
    let Some(point) = point else { return NO_CELL };
    row_of(point.lat()) * CELLS_PER_ROW + column_of(point.lon())
}

fn row_of(lat: f64) -> u32 {
    ((lat + 90.0) * CELLS_PER_DEGREE) as u32
}

fn column_of(lon: f64) -> u32 {
    ((lon + 180.0) * CELLS_PER_DEGREE) as u32
}

impl GeoIndex {
    /// Indexes rows, given their sort keys in order and their zipcodes.
    pub fn new(sort_keys: &[SortKey], zipcode: impl Fn(usize) -> i64) -> Self {
        let mut geo_index = Self { rows: sort_keys.len() as u32, ..Self::default() };
        let mut previous: Option<SortKey> = None;
        for (row, sort_key) in sort_keys.iter().enumerate() {
            let start = row as u32;
            let same = |part: fn(&SortKey) -> (i64, i64, i64)| {
                previous.as_ref().is_some_and(|last| part(last) == part(sort_key))
            };
            if !same(|sort_key| (sort_key.transaction, 0, 0)) {
                geo_index.transactions.push((sort_key.transaction, start));
            }
            if !same(|sort_key| (sort_key.transaction, sort_key.department, sort_key.city)) {
                geo_index.cities.push(CityRun {
                    start,
                    department: sort_key.department,
                    city: sort_key.city,
                });
            }
            if previous != Some(*sort_key) {
                geo_index.cells.push(CellRun { start, cell: sort_key.cell });
            }
            previous = Some(*sort_key);
            let city = geo_index.cities.len() as u32 - 1;
            let pair = (zipcode(row), city);
            if geo_index.zipcodes.last() != Some(&pair) {
                geo_index.zipcodes.push(pair);
            }
        }
        geo_index.zipcodes.sort_unstable();
        geo_index.zipcodes.dedup();
        geo_index.cities_by_key =
            sorted_indexes(geo_index.cities.len(), |index| geo_index.cities[index].city);
        geo_index.cells_by_number =
            sorted_indexes(geo_index.cells.len(), |index| i64::from(geo_index.cells[index].cell));
        geo_index
    }

    /// Returns the ordinals of one transaction.
    pub fn transaction(&self, transaction: i64) -> Option<DocRange> {
        let index = self.transactions.iter().position(|(code, _)| *code == transaction)?;
        let end = self.transactions.get(index + 1).map_or(self.rows, |(_, start)| *start);
        Some(DocRange::exact(self.transactions[index].1, end))
    }

    /// Returns the ordinals of each transaction that has rows.
    pub fn transactions(&self) -> impl Iterator<Item = DocRange> {
        self.transactions.iter().filter_map(|(code, _)| self.transaction(*code))
    }

    /// Returns the ordinals in any of the places. Those found by zipcode have [`Residual::ZIPCODE`].
    pub fn places(&self, places: &PlaceSet) -> Vec<DocRange> {
        let mut exact = Vec::new();
        for city in &places.cities {
            exact.extend(self.runs_of(city.get()).map(|run| self.city(run)));
        }
        for department in &places.departments {
            exact.extend(self.department(department.get()));
        }
        let exact = if places.departments.is_empty() { joined(exact) } else { flattened(exact) };
        if places.zipcodes.is_empty() {
            return exact;
        }
        let mut inexact = Vec::new();
        for zipcode in &places.zipcodes {
            let first = self.zipcodes.partition_point(|(key, _)| *key < zipcode.get());
            let runs = self.zipcodes[first..].iter().take_while(|(key, _)| *key == zipcode.get());
            inexact.extend(runs.map(|(_, run)| self.city(*run as usize)));
        }
        let inexact: Vec<DocRange> = flattened(inexact)
            .into_iter()
            .map(|range| DocRange { residual: Residual::ZIPCODE, ..range })
            .collect();
        union(exact, &inexact)
    }

    fn runs_of(&self, city: i64) -> impl Iterator<Item = usize> {
        let first = self.cities_by_key.partition_point(|index| self.cities[*index as usize].city < city);
        let indexes = self.cities_by_key[first..].iter().map(|index| *index as usize);
        indexes.take_while(move |index| self.cities[*index].city == city)
    }

    fn city(&self, run: usize) -> DocRange {
        DocRange::exact(self.cities[run].start, self.cities.get(run + 1).map_or(self.rows, |next| next.start))
    }

    /// Returns one range for each transaction.
    fn department(&self, department: i64) -> impl Iterator<Item = DocRange> {
        self.transactions().filter_map(move |whole| {
            let first = self.cities.partition_point(|run| run.start < whole.from);
            let end = self.cities.partition_point(|run| run.start < whole.to);
            let cities = &self.cities[first..end];
            let from = cities.partition_point(|run| run.department < department);
            let to = cities.partition_point(|run| run.department <= department);
            (from < to).then(|| {
                DocRange::exact(cities[from].start, cities.get(to).map_or(whole.to, |run| run.start))
            })
        })
    }

    /// Returns the ordinals that a circle can contain, with [`Residual::CIRCLE`] along its border.
    pub fn circle(&self, circle: &CircleFilter, within: &[DocRange]) -> Vec<DocRange> {
        let Some(area) = BoundingBox::of_circle(circle) else {
            return vec![DocRange { residual: Residual::CIRCLE, ..DocRange::exact(0, self.rows) }];
        };
        self.cells(
            &area,
            within,
            |south_west, north_east| circle.coverage(south_west, north_east),
            Residual::CIRCLE,
        )
    }

    /// Returns the ordinals that polygons can contain, with [`Residual::POLYGONS`] along their borders.
    pub fn polygons(&self, polygons: &[Polygon], within: &[DocRange]) -> Vec<DocRange> {
        let mut found = Vec::new();
        for polygon in polygons {
            let area = BoundingBox::of_polygon(polygon);
            let ranges =
                self.cells(&area, within, |sw, ne| polygon_coverage(polygon, sw, ne), Residual::POLYGONS);
            found = union_by_precision(found, &ranges);
        }
        found
    }

    fn cells(
        &self,
        area: &BoundingBox,
        within: &[DocRange],
        coverage: impl Fn((f64, f64), (f64, f64)) -> Coverage,
        residual: Residual,
    ) -> Vec<DocRange> {
        let (from, end) = match within {
            [] => return Vec::new(),
            [first, .., last] => (first.from, last.to),
            [only] => (only.from, only.to),
        };
        let mut found = Vec::new();
        let cell_at = |index: &u32| self.cells[*index as usize].cell;
        for row in row_of(area.south)..=row_of(area.north) {
            let (west, east) =
                (row * CELLS_PER_ROW + column_of(area.west), row * CELLS_PER_ROW + column_of(area.east));
            let start = self.cells_by_number.partition_point(|index| cell_at(index) < west);
            let mut last = (NO_CELL, Coverage::None);
            for index in self.cells_by_number[start..].iter().take_while(|index| cell_at(index) <= east) {
                let run = self.cells[*index as usize];
                let to = self.cells.get(*index as usize + 1).map_or(self.rows, |next| next.start);
                if to <= from || run.start >= end {
                    continue;
                }
                if last.0 != run.cell {
                    let south = f64::from(run.cell / CELLS_PER_ROW) / CELLS_PER_DEGREE - 90.0;
                    let west = f64::from(run.cell % CELLS_PER_ROW) / CELLS_PER_DEGREE - 180.0;
                    let (north, east) = (south + 1.0 / CELLS_PER_DEGREE, west + 1.0 / CELLS_PER_DEGREE);
                    last = (run.cell, coverage((south, west), (north, east)));
                }
                match last.1 {
                    Coverage::None => {}
                    Coverage::Whole => found.push(DocRange::exact(run.start, to)),
                    Coverage::Part => found.push(DocRange { from: run.start, to, residual }),
                }
            }
        }
        joined(found)
    }

    pub fn bytes(&self) -> usize {
        self.cities.len() * size_of::<CityRun>()
            + self.cells.len() * size_of::<CellRun>()
            + (self.cities_by_key.len() + self.cells_by_number.len()) * 4
            + self.zipcodes.len() * 16
    }
}

/// Returns the indexes `0..count` in the order of their keys.
fn sorted_indexes(count: usize, key: impl Fn(usize) -> i64) -> Vec<u32> {
    let mut indexes: Vec<u32> = (0..count as u32).collect();
    indexes.sort_by_key(|index| key(*index as usize));
    indexes
}

/// Joins ranges that may overlap and have no residual.
fn flattened(mut ranges: Vec<DocRange>) -> Vec<DocRange> {
    ranges.sort_unstable_by_key(|range| range.from);
    let mut flat: Vec<DocRange> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match flat.last_mut() {
            Some(last) if last.to >= range.from => last.to = last.to.max(range.to),
            _ => flat.push(range),
        }
    }
    flat
}

/// Returns the union, exact where either is exact.
fn union_by_precision(left: Vec<DocRange>, right: &[DocRange]) -> Vec<DocRange> {
    let part = |ranges: &[DocRange], exact: bool| -> Vec<DocRange> {
        ranges.iter().copied().filter(|range| (range.residual == Residual::NONE) == exact).collect()
    };
    let exact = flattened([part(&left, true), part(right, true)].concat());
    let inexact = union(part(&left, false), &part(right, false));
    union(exact, &inexact)
}

/// The area in which cells have to be tested.
struct BoundingBox {
    south: f64,
    north: f64,
    west: f64,
    east: f64,
}

impl BoundingBox {
    /// Returns `None` if the circle reaches a pole or the 180th meridian, or is huge.
    fn of_circle(circle: &CircleFilter) -> Option<Self> {
        let circle = circle.circle;
        if circle.radius_km > CELL_RADIUS_KM_MAX {
            return None;
        }
        let reach = (circle.radius_km + MARGIN_KM) * DEGREES_PER_KM * 1.000_1 + MARGIN_DEGREES;
        let (south, north) = (circle.centre.lat() - reach, circle.centre.lat() + reach);
        if south < -89.0 || north > 89.0 {
            return None;
        }
        // The circle is widest a little towards the pole from its centre.
        let sine = reach.to_radians().sin() / circle.centre.lat().to_radians().cos();
        let wide = sine.clamp(-1.0, 1.0).asin().to_degrees() * 1.000_1 + MARGIN_DEGREES;
        let (west, east) = (circle.centre.lon() - wide, circle.centre.lon() + wide);
        (sine < 1.0 && west >= -180.0 && east <= 180.0).then_some(Self { south, north, west, east })
    }

    fn of_polygon(polygon: &Polygon) -> Self {
        let lats = || polygon.corners().iter().map(|corner| corner.lat());
        let lons = || polygon.corners().iter().map(|corner| corner.lon());
        Self {
            south: (lats().fold(f64::MAX, f64::min) - MARGIN_DEGREES).max(-90.0),
            north: (lats().fold(f64::MIN, f64::max) + MARGIN_DEGREES).min(90.0),
            west: (lons().fold(f64::MAX, f64::min) - MARGIN_DEGREES).max(-180.0),
            east: (lons().fold(f64::MIN, f64::max) + MARGIN_DEGREES).min(180.0),
        }
    }
}

fn polygon_coverage(polygon: &Polygon, (south, west): (f64, f64), (north, east): (f64, f64)) -> Coverage {
    let corners = polygon.corners();
    let mut previous = corners[corners.len() - 1];
    for corner in corners {
        // If no side of the polygon comes near the cell, the whole cell is on one side of the border.
        let apart = previous.lat().max(corner.lat()) < south - MARGIN_DEGREES
            || previous.lat().min(corner.lat()) > north + MARGIN_DEGREES
            || previous.lon().max(corner.lon()) < west - MARGIN_DEGREES
            || previous.lon().min(corner.lon()) > east + MARGIN_DEGREES;
        if !apart {
            return Coverage::Part;
        }
        previous = *corner;
    }
    let middle = GeoPoint::new(f64::midpoint(south, north), f64::midpoint(west, east));
    if middle.is_some_and(|middle| polygon.contains(middle)) { Coverage::Whole } else { Coverage::None }
}
