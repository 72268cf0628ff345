//! Where on the map which ordinals are.
//!
//! Rows are sorted by transaction, department, commune and cell of a grid, so that a commune is one doc_range of ordinals, a
//! department is one, and what lies in a circle is a few. Nothing needs to be looked up row by row but where the border of the
//! circle passes through a cell.

use domain::criteria::PlaceSet;
use domain::{GeoPoint, Polygon};

use super::doc_range::{DocRange, Residual, either, joined};
use crate::circle::{Coverage, NearCircle};

/// Cells are a fiftieth of a degree: about 2.2 km from south to north.
const CELLS_PER_DEGREE: f64 = 50.0;
const CELLS_PER_ROW: u32 = 360 * 50 + 1;

/// The cell of what is nowhere.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Circles beyond this are checked row by row: nobody draws such a circle, and it has a million cells.
const CELLED_RADIUS_KM_MAX: f64 = 1_000.0;

/// What floating-point rounding can move a point by, with much to spare: a tenth of a metre.
const MARGIN_KM: f64 = 0.000_1;
const MARGIN_DEGREES: f64 = 0.000_001;

/// A kilometre from south to north, in degrees.
const DEGREES_PER_KM: f64 = 1.0 / 111.195_08;

/// What a row is sorted by.
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
    /// Communes in the order of ordinals, one for each transaction.
    cities: Vec<CityRun>,
    /// The places of `cities` in the order of their keys.
    cities_by_key: Vec<u32>,
    /// Which communes have rows of a zipcode; in order.
    zipcodes: Vec<(i64, u32)>,
    /// Cells in the order of ordinals.
    cells: Vec<CellRun>,
    /// The places of `cells` in the order of their cells.
    cells_by_number: Vec<u32>,
    /// Where the first ordinals of each transaction are, in the order of their codes.
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

/// The cell of a point.
pub fn cell_of(point: Option<GeoPoint>) -> u32 {
    let Some(point) = point else { return NOWHERE };
    row_of(point.lat()) * CELLS_PER_ROW + column_of(point.lon())
}

fn row_of(lat: f64) -> u32 {
    ((lat + 90.0) * CELLS_PER_DEGREE) as u32
}

fn column_of(lon: f64) -> u32 {
    ((lon + 180.0) * CELLS_PER_DEGREE) as u32
}

impl GeoIndex {
    /// Of rows in order, each with its zipcode.
    pub fn of(spots: &[SortKey], zipcode: impl Fn(usize) -> i64) -> Self {
        let mut geo_index = Self { rows: spots.len() as u32, ..Self::default() };
        let mut previous: Option<SortKey> = None;
        for (row, sort_key) in spots.iter().enumerate() {
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
        geo_index.cities_by_key = ordered(geo_index.cities.len(), |place| geo_index.cities[place].city);
        geo_index.cells_by_number =
            ordered(geo_index.cells.len(), |place| i64::from(geo_index.cells[place].cell));
        geo_index
    }

    /// The ordinals of one transaction.
    pub fn of_transaction(&self, transaction: i64) -> Option<DocRange> {
        let place = self.transactions.iter().position(|(code, _)| *code == transaction)?;
        let end = self.transactions.get(place + 1).map_or(self.rows, |(_, start)| *start);
        Some(DocRange::sure(self.transactions[place].1, end))
    }

    /// The ordinals of each transaction there is.
    pub fn transactions(&self) -> impl Iterator<Item = DocRange> {
        self.transactions.iter().filter_map(|(code, _)| self.of_transaction(*code))
    }

    pub fn places(&self, places: &PlaceSet) -> Vec<DocRange> {
        let mut sure = Vec::new();
        for city in &places.cities {
            sure.extend(self.runs_of(city.get()).map(|run| self.city(run)));
        }
        for department in &places.departments {
            sure.extend(self.department(department.get()));
        }
        let sure = if places.departments.is_empty() { joined(sure) } else { flattened(sure) };
        if places.zipcodes.is_empty() {
            return sure;
        }
        let mut doubtful = Vec::new();
        for zipcode in &places.zipcodes {
            let first = self.zipcodes.partition_point(|(key, _)| *key < zipcode.get());
            let runs = self.zipcodes[first..].iter().take_while(|(key, _)| *key == zipcode.get());
            doubtful.extend(runs.map(|(_, run)| self.city(*run as usize)));
        }
        let doubtful: Vec<DocRange> = flattened(doubtful)
            .into_iter()
            .map(|doc_range| DocRange { residual: Residual::ZIPCODE, ..doc_range })
            .collect();
        either(sure, &doubtful)
    }

    fn runs_of(&self, city: i64) -> impl Iterator<Item = usize> {
        let first = self.cities_by_key.partition_point(|place| self.cities[*place as usize].city < city);
        let places = self.cities_by_key[first..].iter().map(|place| *place as usize);
        places.take_while(move |place| self.cities[*place].city == city)
    }

    fn city(&self, run: usize) -> DocRange {
        DocRange::sure(self.cities[run].start, self.cities.get(run + 1).map_or(self.rows, |next| next.start))
    }

    /// One doc_range for each transaction.
    fn department(&self, department: i64) -> impl Iterator<Item = DocRange> {
        self.transactions().filter_map(move |whole| {
            let first = self.cities.partition_point(|run| run.start < whole.from);
            let end = self.cities.partition_point(|run| run.start < whole.to);
            let cities = &self.cities[first..end];
            let from = cities.partition_point(|run| run.department < department);
            let to = cities.partition_point(|run| run.department <= department);
            (from < to)
                .then(|| DocRange::sure(cities[from].start, cities.get(to).map_or(whole.to, |run| run.start)))
        })
    }

    /// Where a circle reaches, in residual along its border.
    pub fn circle(&self, circle: &NearCircle, within: &[DocRange]) -> Vec<DocRange> {
        let Some(frame) = Frame::round(circle) else {
            return vec![DocRange { residual: Residual::CIRCLE, ..DocRange::sure(0, self.rows) }];
        };
        self.cells(
            &frame,
            within,
            |south_west, north_east| circle.covers(south_west, north_east),
            Residual::CIRCLE,
        )
    }

    /// Where polygons reach, in residual along their borders.
    pub fn polygons(&self, polygons: &[Polygon], within: &[DocRange]) -> Vec<DocRange> {
        let mut found = Vec::new();
        for polygon in polygons {
            let frame = Frame::around(polygon);
            let doc_ranges =
                self.cells(&frame, within, |sw, ne| polygon_in_cell(polygon, sw, ne), Residual::POLYGONS);
            found = either_doubtful(found, &doc_ranges);
        }
        found
    }

    fn cells(
        &self,
        frame: &Frame,
        within: &[DocRange],
        judge: impl Fn((f64, f64), (f64, f64)) -> Coverage,
        residual: Residual,
    ) -> Vec<DocRange> {
        let (first, last) = match within {
            [] => return Vec::new(),
            [first, .., last] => (first.from, last.to),
            [only] => (only.from, only.to),
        };
        let mut found = Vec::new();
        let cell_at = |place: &u32| self.cells[*place as usize].cell;
        for row in row_of(frame.south)..=row_of(frame.north) {
            let (west, east) =
                (row * CELLS_PER_ROW + column_of(frame.west), row * CELLS_PER_ROW + column_of(frame.east));
            let start = self.cells_by_number.partition_point(|place| cell_at(place) < west);
            let mut judged = (NOWHERE, Coverage::None);
            for place in self.cells_by_number[start..].iter().take_while(|place| cell_at(place) <= east) {
                let run = self.cells[*place as usize];
                let to = self.cells.get(*place as usize + 1).map_or(self.rows, |next| next.start);
                if to <= first || run.start >= last {
                    continue;
                }
                if judged.0 != run.cell {
                    let south = f64::from(run.cell / CELLS_PER_ROW) / CELLS_PER_DEGREE - 90.0;
                    let west = f64::from(run.cell % CELLS_PER_ROW) / CELLS_PER_DEGREE - 180.0;
                    let (north, east) = (south + 1.0 / CELLS_PER_DEGREE, west + 1.0 / CELLS_PER_DEGREE);
                    judged = (run.cell, judge((south, west), (north, east)));
                }
                match judged.1 {
                    Coverage::None => {}
                    Coverage::Whole => found.push(DocRange::sure(run.start, to)),
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

/// The places of so many things in the order of their keys.
fn ordered(count: usize, key: impl Fn(usize) -> i64) -> Vec<u32> {
    let mut places: Vec<u32> = (0..count as u32).collect();
    places.sort_by_key(|place| key(*place as usize));
    places
}

/// Joins doc_ranges that may overlap and of which none is in residual.
fn flattened(mut doc_ranges: Vec<DocRange>) -> Vec<DocRange> {
    doc_ranges.sort_unstable_by_key(|doc_range| doc_range.from);
    let mut flat: Vec<DocRange> = Vec::with_capacity(doc_ranges.len());
    for doc_range in doc_ranges {
        match flat.last_mut() {
            Some(last) if last.to >= doc_range.from => last.to = last.to.max(doc_range.to),
            _ => flat.push(doc_range),
        }
    }
    flat
}

/// What is in either; sure where either is sure.
fn either_doubtful(left: Vec<DocRange>, right: &[DocRange]) -> Vec<DocRange> {
    let part = |doc_ranges: &[DocRange], sure: bool| -> Vec<DocRange> {
        doc_ranges
            .iter()
            .copied()
            .filter(|doc_range| (doc_range.residual == Residual::NONE) == sure)
            .collect()
    };
    let sure = flattened([part(&left, true), part(right, true)].concat());
    let doubtful = either(part(&left, false), &part(right, false));
    either(sure, &doubtful)
}

/// The cells to look at.
struct Frame {
    south: f64,
    north: f64,
    west: f64,
    east: f64,
}

impl Frame {
    /// Round a circle; nothing when it reaches a pole or the 180th meridian, or is huge.
    fn round(circle: &NearCircle) -> Option<Self> {
        let circle = circle.circle;
        if circle.radius_km > CELLED_RADIUS_KM_MAX {
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

    fn around(polygon: &Polygon) -> Self {
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

fn polygon_in_cell(polygon: &Polygon, (south, west): (f64, f64), (north, east): (f64, f64)) -> Coverage {
    let corners = polygon.corners();
    let mut previous = corners[corners.len() - 1];
    for corner in corners {
        // Where no side of the polygon comes near the cell, all of the cell is on one side of the border.
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
