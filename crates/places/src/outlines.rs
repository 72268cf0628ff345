//! The outlines of communes, districts and departments: the commune a point lies in, and the outline of a place.
//!
//! The outlines are those of France and are always the embedded ones. They belong to the places of the geography with the
//! same code, if their country is France: another country may use the same codes.

mod cells;
mod packed;

use std::io;
use std::sync::{Arc, OnceLock};

use domain::place::code_as_number;
use domain::{City, Department, GeoPoint, Outline, OutlinePolygon};

use crate::files;
use crate::table::DataError;
use cells::Cells;
use packed::{Arcs, Shapes};

/// The country of the outlines (ISO 3166).
const FRANCE: u64 = 250;

/// The decimals of the degrees of an outline: 1 m, while the vertices are known to 10 m.
const DECIMALS: f64 = 1e5;

/// Stands for a place without an outline, and for an outline without a place.
const NONE: u32 = u32::MAX;

/// The outlines of the places of a geography.
pub struct Outlines {
    arcs: Arcs,
    shapes: Shapes,
    cells: Cells,
    /// The shape of each city.
    cities: Vec<u32>,
    /// The shape of each department.
    departments: Vec<u32>,
    /// The city of each shape. [`NONE`] for departments.
    shape_cities: Vec<u32>,
    /// The least and the greatest coordinates of each shape, once a map is drawn.
    boxes: OnceLock<Vec<[[i32; 2]; 2]>>,
}

/// The rectangle around an outline, as longitudes and latitudes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutlineBox {
    pub north_west: (f64, f64),
    pub south_east: (f64, f64),
}

impl Outlines {
    /// Unpacks the embedded outlines for the places of a geography, both lists ordered by id.
    pub fn load(cities: &[Arc<City>], departments: &[Arc<Department>]) -> Result<Self, DataError> {
        Self::unpack(cities, departments)
            .map_err(|source| DataError::Damaged { file: files::OUTLINES_NAME.into(), source })
    }

    fn unpack(cities: &[Arc<City>], departments: &[Arc<Department>]) -> io::Result<Self> {
        let (arcs, shapes) = packed::read(files::OUTLINES)?;
        let mut outlines = Self {
            shape_cities: vec![NONE; shapes.len()],
            cities: vec![NONE; cities.len()],
            departments: vec![NONE; departments.len()],
            cells: Cells::default(),
            boxes: OnceLock::new(),
            arcs,
            shapes,
        };
        outlines.assign(cities, departments);
        // The cities whose outlines cover the country once: communes, or their districts if they have any.
        let smallest = |shape: usize| {
            let city = outlines.shape_cities[shape];
            (city != NONE && cities[city as usize].districts.is_empty()).then_some(city)
        };
        outlines.cells = Cells::new(&outlines.arcs, &outlines.shapes, smallest)?;
        Ok(outlines)
    }

    /// Finds the place of every shape by its code.
    fn assign(&mut self, cities: &[Arc<City>], departments: &[Arc<Department>]) {
        let french = |city: &City| city.country.id == FRANCE;
        let french_departments: Vec<u64> = {
            let ids = cities.iter().filter(|city| french(city)).map(|city| city.department.id);
            let mut ids: Vec<u64> = ids.collect();
            ids.sort_unstable();
            ids.dedup();
            ids
        };
        // An array of its own, because a search in the list of cities would miss the cache at every step.
        let city_ids: Vec<u64> = cities.iter().map(|city| city.id()).collect();
        for (shape, code) in std::mem::take(&mut self.shapes.codes).iter().enumerate() {
            // At most a few ten thousand shapes and places.
            let shape_number = shape as u32;
            if shape < self.shapes.first_department {
                let found = code_as_number(code).and_then(|id| city_ids.binary_search(&id).ok());
                if let Some(city) = found.filter(|city| french(&cities[*city])) {
                    self.cities[city] = shape_number;
                    self.shape_cities[shape] = city as u32;
                }
            } else {
                let id = code_as_number(code).filter(|id| french_departments.binary_search(id).is_ok());
                let found = id.and_then(|id| departments.binary_search_by_key(&id, |it| it.id).ok());
                if let Some(department) = found {
                    self.departments[department] = shape_number;
                }
            }
        }
    }

    /// Returns the index of the commune a point lies in; of the district, in a commune that has districts.
    ///
    /// Every point of the country lies in exactly one, except for slivers of a few metres where the simplified borders cross
    /// each other: a point in two communes gets the one with the lower id.
    pub fn city_at(&self, point: GeoPoint) -> Option<u32> {
        let [x, y] = self.arcs.units_of(point);
        self.cells.city_at(&self.arcs, x, y)
    }

    /// Returns `true` if a city, by its index, has an outline.
    pub fn has_city(&self, index: u32) -> bool {
        shape(&self.cities, index).is_some()
    }

    /// Returns `true` if a department, by its index, has an outline.
    pub fn has_department(&self, index: u32) -> bool {
        shape(&self.departments, index).is_some()
    }

    /// Returns the outline of a city, by its index.
    pub fn of_city(&self, index: u32) -> Option<Outline> {
        shape(&self.cities, index).map(|shape| self.outline(shape))
    }

    /// Returns the outline of a department, by its index.
    pub fn of_department(&self, index: u32) -> Option<Outline> {
        shape(&self.departments, index).map(|shape| self.outline(shape))
    }

    /// Returns the size of the outlines in memory.
    pub fn bytes(&self) -> usize {
        let Self { arcs, shapes, cells, cities, departments, shape_cities, boxes } = self;
        let indices = cities.len() + departments.len() + shape_cities.len();
        arcs.bytes()
            + shapes.bytes()
            + cells.bytes()
            + indices * size_of::<u32>()
            + boxes.get().map_or(0, |boxes| size_of_val(&**boxes))
    }

    /// Returns the rectangle around a city, by its index.
    pub(crate) fn city_box(&self, index: u32) -> Option<OutlineBox> {
        shape(&self.cities, index).map(|shape| self.outline_box(shape))
    }

    /// Returns the rectangle around a department, by its index.
    pub(crate) fn department_box(&self, index: u32) -> Option<OutlineBox> {
        shape(&self.departments, index).map(|shape| self.outline_box(shape))
    }

    /// Returns the rings of a city, by its index, and which of them are holes. `convert` gets each arc in the same direction for
    /// all outlines that share it.
    pub(crate) fn city_rings<V>(
        &self,
        index: u32,
        convert: impl FnMut(Vec<GeoPoint>) -> Vec<V>,
    ) -> Vec<(Vec<V>, bool)> {
        shape(&self.cities, index).map_or_else(Vec::new, |shape| self.converted(shape, convert))
    }

    /// The same for a department.
    pub(crate) fn department_rings<V>(
        &self,
        index: u32,
        convert: impl FnMut(Vec<GeoPoint>) -> Vec<V>,
    ) -> Vec<(Vec<V>, bool)> {
        shape(&self.departments, index).map_or_else(Vec::new, |shape| self.converted(shape, convert))
    }

    fn outline_box(&self, shape: u32) -> OutlineBox {
        let boxes =
            self.boxes.get_or_init(|| (0..self.shapes.len()).map(|shape| self.extremes(shape)).collect());
        let [least, most] = boxes[shape as usize].map(|corner| corner.map(i64::from));
        OutlineBox {
            north_west: self.arcs.degrees_of([least[0], most[1]]),
            south_east: self.arcs.degrees_of([most[0], least[1]]),
        }
    }

    /// Returns the least and the greatest coordinates of a shape.
    fn extremes(&self, shape: usize) -> [[i32; 2]; 2] {
        let (mut least, mut most) = ([i32::MAX; 2], [i32::MIN; 2]);
        for reference in self.shapes.rings(shape).flat_map(|ring| ring.arcs) {
            for vertex in self.arcs.vertices_of(reference.arc()) {
                for axis in [0, 1] {
                    // The country has some ten million units from west to east.
                    let coordinate = vertex[axis] as i32;
                    least[axis] = least[axis].min(coordinate);
                    most[axis] = most[axis].max(coordinate);
                }
            }
        }
        [least, most]
    }

    fn converted<V>(
        &self,
        shape: u32,
        mut convert: impl FnMut(Vec<GeoPoint>) -> Vec<V>,
    ) -> Vec<(Vec<V>, bool)> {
        let mut rings = Vec::new();
        for ring in self.shapes.rings(shape as usize) {
            let mut vertices: Vec<V> = Vec::new();
            for reference in ring.arcs {
                // An arc starts with the last vertex of the one before.
                vertices.pop();
                let point = |vertex| {
                    let (lon, lat) = self.arcs.degrees_of(vertex);
                    GeoPoint::new(lat, lon)
                };
                let first = vertices.len();
                vertices.extend(convert(self.arcs.vertices_of(reference.arc()).filter_map(point).collect()));
                if reference.is_reversed() {
                    vertices[first..].reverse();
                }
            }
            // A ring ends where it started.
            vertices.pop();
            rings.push((vertices, ring.is_hole));
        }
        rings
    }

    fn outline(&self, shape: u32) -> Outline {
        let mut polygons: Vec<OutlinePolygon> = Vec::new();
        for ring in self.shapes.rings(shape as usize) {
            let points = self.ring(ring.arcs, ring.is_hole);
            match polygons.last_mut() {
                Some(polygon) if ring.is_hole => polygon.holes.push(points),
                _ => polygons.push(OutlinePolygon { outer: points, holes: Vec::new() }),
            }
        }
        Outline { polygons }
    }

    /// Joins the arcs of a ring and turns it the right way.
    fn ring(&self, references: &[packed::ArcReference], is_hole: bool) -> Vec<GeoPoint> {
        let mut vertices: Vec<[i64; 2]> = Vec::new();
        for reference in references {
            // An arc starts with the last vertex of the one before.
            vertices.pop();
            let first = vertices.len();
            vertices.extend(self.arcs.vertices_of(reference.arc()));
            if reference.is_reversed() {
                vertices[first..].reverse();
            }
        }
        let doubled_area: i64 =
            vertices.windows(2).map(|edge| edge[0][0] * edge[1][1] - edge[1][0] * edge[0][1]).sum();
        if (doubled_area > 0) == is_hole {
            vertices.reverse();
        }
        let rounded = |degrees: f64| (degrees * DECIMALS).round() / DECIMALS;
        let point = |vertex| {
            let (lon, lat) = self.arcs.degrees_of(vertex);
            GeoPoint::new(rounded(lat), rounded(lon))
        };
        vertices.into_iter().filter_map(point).collect()
    }
}

/// Returns the shape of a place, by its index.
fn shape(shapes: &[u32], index: u32) -> Option<u32> {
    shapes.get(index as usize).copied().filter(|shape| *shape != NONE)
}
