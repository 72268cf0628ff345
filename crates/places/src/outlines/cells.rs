//! A grid over the outlines that finds the one a point lies in.
//!
//! Most cells are crossed by a few short runs of edges, and the others lie wholly in one outline or in none. For a crossed
//! cell, the grid knows which outlines contain its south-west corner. From there a path leads north to the latitude of the
//! point, then east to the point. Each time the path crosses the border of an outline, it enters or leaves it. The path never
//! leaves the cell, so only the edges of the cell can be crossed, and an edge between two communes is tested once for both.
//!
//! The result is that of the even-odd rule for each outline by itself, on the whole geometry. Two conventions settle the
//! cases of equality. The lines between cells run between two units, so no vertex lies on them. And a point is taken to lie
//! north-east of where it is by less than any distance, so it never lies on an edge.

use std::io;

use super::packed::{Arcs, Shapes};

/// The side of a cell in units: 128 steps of the data, 3 by 2.6 km. The lower 16 bits of a coordinate must identify every
/// vertex of an edge that touches the cell; the build script limits the length of an edge for this.
const CELL_UNITS: i64 = 4_096;

/// The distance of the lines between cells from whole units.
const HALF_UNIT: f64 = 0.5;

/// The outlines that can touch a cell: the bits of a mask. The data has at most 13.
const CANDIDATES_MAX: usize = u32::BITS as usize;

/// Stands for no outline, on the sea side of the coast.
const NONE: u32 = u32::MAX;

#[derive(Default)]
pub struct Cells {
    rows: Vec<Row>,
    cells: Vec<Cell>,
    crossed: Vec<CrossedCell>,
    runs: Vec<Run>,
    /// The cities whose outlines touch each crossed cell, in ascending order.
    candidates: Vec<u32>,
}

/// The cells of a row, from the first to the last that an edge touches.
#[derive(Clone, Copy)]
struct Row {
    first_column: u32,
    start: u32,
}

/// What a cell contains, in 32 bits: there are more cells than anything else.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Cell(u32);

enum Content {
    Outside,
    City(u32),
    Crossed(u32),
}

impl Cell {
    const OUTSIDE: Self = Self(u32::MAX);
    const CITY: u32 = 1 << 31;

    const fn content(self) -> Content {
        if self.0 == Self::OUTSIDE.0 {
            Content::Outside
        } else if self.0 & Self::CITY != 0 {
            Content::City(self.0 & !Self::CITY)
        } else {
            Content::Crossed(self.0)
        }
    }
}

#[derive(Clone, Copy)]
struct CrossedCell {
    first_run: u32,
    first_candidate: u32,
    /// The candidates that contain the south-west corner.
    corner: u32,
}

/// Consecutive edges of an arc in a cell.
#[derive(Clone, Copy)]
struct Run {
    first_vertex: u32,
    edges: u16,
    /// The candidates on both sides. On the sea side, the number of a bit that does not exist.
    sides: [u8; 2],
}

impl Run {
    fn mask(self) -> u32 {
        let bit = |side: u8| 1_u32.checked_shl(side.into()).unwrap_or(0);
        bit(self.sides[0]) ^ bit(self.sides[1])
    }
}

/// A run before the cells are known.
#[derive(Clone, Copy)]
struct FoundRun {
    row: u32,
    column: u32,
    arc: u32,
    first_vertex: u32,
    edges: u16,
    /// Whether it crosses the southern line of the cell an odd number of times.
    changes_corner: bool,
}

impl Cells {
    /// Builds the grid over the shapes of cities. `city` returns the city of a shape, or `None` if it is to be left out.
    pub fn new(arcs: &Arcs, shapes: &Shapes, city: impl Fn(usize) -> Option<u32>) -> io::Result<Self> {
        let sides = sides(arcs, shapes, city)?;
        let found = find_runs(arcs, &sides);
        let mut grid = Self::default();
        let order = grid.lay_out(&found);
        grid.fill(&sides, &order)?;
        grid.crossed.shrink_to_fit();
        grid.candidates.shrink_to_fit();
        Ok(grid)
    }

    /// Returns the city whose outline contains a position.
    pub fn city_at(&self, arcs: &Arcs, x: f64, y: f64) -> Option<u32> {
        let (x, y) = (x + HALF_UNIT, y + HALF_UNIT);
        if x < 0.0 || y < 0.0 {
            return None;
        }
        let (column, row) = ((x / CELL_UNITS as f64) as usize, (y / CELL_UNITS as f64) as usize);
        let (start, end) = (self.rows.get(row)?, self.rows.get(row + 1)?);
        let offset = column.checked_sub(start.first_column as usize)?;
        let cell = self.cells[start.start as usize..end.start as usize].get(offset)?;
        match cell.content() {
            Content::Outside => None,
            Content::City(city) => Some(city),
            Content::Crossed(index) => {
                let (column, row) = (column as i64, row as i64);
                let corner = Corner::of(column, row);
                let point = [x - (column * CELL_UNITS) as f64, y - (row * CELL_UNITS) as f64];
                let cell = self.crossed[index as usize];
                let next = self.crossed[index as usize + 1];
                let mut inside = cell.corner;
                for run in &self.runs[cell.first_run as usize..next.first_run as usize] {
                    if corner.path_crosses(arcs, run, point) {
                        inside ^= run.mask();
                    }
                }
                let candidate = cell.first_candidate + inside.trailing_zeros();
                (inside != 0).then(|| self.candidates[candidate as usize])
            }
        }
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&*self.rows)
            + size_of_val(&*self.cells)
            + size_of_val(&*self.crossed)
            + size_of_val(&*self.runs)
            + size_of_val(&*self.candidates)
    }

    /// Determines rows and cells, and returns the runs in the order of the cells. Until [`Cells::fill`], a cell holds the end
    /// of its runs.
    fn lay_out(&mut self, found: &[FoundRun]) -> Vec<FoundRun> {
        let rows = found.iter().map(|run| run.row as usize + 1).max().unwrap_or(0);
        let mut spans = vec![(u32::MAX, 0); rows];
        for run in found {
            let (first, end) = &mut spans[run.row as usize];
            (*first, *end) = ((*first).min(run.column), (*end).max(run.column + 1));
        }
        let mut start = 0;
        for (first, end) in spans {
            let width = end.saturating_sub(first);
            self.rows.push(Row { first_column: if width == 0 { 0 } else { first }, start });
            start += width;
        }
        self.rows.push(Row { first_column: 0, start });
        // A counting sort: the number of runs of each cell, then where they end, then their order.
        self.cells = vec![Cell(0); start as usize];
        let cell = |rows: &[Row], run: &FoundRun| {
            let row = rows[run.row as usize];
            (row.start + run.column - row.first_column) as usize
        };
        for run in found {
            self.cells[cell(&self.rows, run)].0 += 1;
        }
        let mut total = 0;
        for cell in &mut self.cells {
            total += cell.0;
            cell.0 = total;
        }
        let Some(first) = found.first() else { return Vec::new() };
        let mut ordered = vec![*first; found.len()];
        for run in found.iter().rev() {
            let cell = &mut self.cells[cell(&self.rows, run)];
            cell.0 -= 1;
            ordered[cell.0 as usize] = *run;
        }
        // Every cell now holds the start of its runs: the end of those before it.
        for index in 0..self.cells.len() {
            self.cells[index].0 = self.cells.get(index + 1).map_or(total, |next| next.0);
        }
        ordered
    }

    /// Follows the southern line of each row from west to east and records which outlines contain the corners.
    fn fill(&mut self, sides: &[[u32; 2]], found: &[FoundRun]) -> io::Result<()> {
        let mut start = 0;
        let mut candidates: Vec<u32> = Vec::new();
        self.runs.reserve_exact(found.len());
        for row in 0..self.rows.len() - 1 {
            let (first, end) = (self.rows[row], self.rows[row + 1]);
            // The cities that contain the corner, in ascending order.
            let mut inside: Vec<u32> = Vec::new();
            for cell in first.start..end.start {
                let here = &found[start..self.cells[cell as usize].0 as usize];
                start += here.len();
                if here.is_empty() {
                    let city = inside.first();
                    self.cells[cell as usize] = city.map_or(Cell::OUTSIDE, |city| Cell(city | Cell::CITY));
                    continue;
                }
                let touching =
                    here.iter().flat_map(|run| sides[run.arc as usize]).filter(|side| *side != NONE);
                candidates.clear();
                candidates.extend(inside.iter().copied().chain(touching));
                candidates.sort_unstable();
                candidates.dedup();
                if candidates.len() > CANDIDATES_MAX {
                    return Err(invalid("too many outlines touch a cell"));
                }
                let bit = |city: u32| candidates.binary_search(&city).map_or(u8::MAX, |index| index as u8);
                let corner = inside.iter().fold(0_u32, |mask, city| mask | 1 << bit(*city));
                self.cells[cell as usize] = Cell(self.crossed.len() as u32);
                self.crossed.push(CrossedCell {
                    first_run: self.runs.len() as u32,
                    first_candidate: self.candidates.len() as u32,
                    corner,
                });
                let mut next = corner;
                for found in here {
                    let sides = sides[found.arc as usize].map(bit);
                    let run = Run { first_vertex: found.first_vertex, edges: found.edges, sides };
                    if found.changes_corner {
                        next ^= run.mask();
                    }
                    self.runs.push(run);
                }
                inside.clear();
                inside.extend(
                    (0..).zip(&candidates).filter(|(bit, _)| next >> bit & 1 == 1).map(|(_, city)| *city),
                );
                self.candidates.extend_from_slice(&candidates);
            }
            if !inside.is_empty() {
                return Err(invalid("an outline is not closed"));
            }
        }
        let end = CrossedCell {
            first_run: self.runs.len() as u32,
            first_candidate: self.candidates.len() as u32,
            corner: 0,
        };
        self.crossed.push(end);
        Ok(())
    }
}

/// Returns the cities on both sides of each arc.
fn sides(arcs: &Arcs, shapes: &Shapes, city: impl Fn(usize) -> Option<u32>) -> io::Result<Vec<[u32; 2]>> {
    let mut sides = vec![[NONE; 2]; arcs.len()];
    for shape in 0..shapes.len() {
        let Some(city) = city(shape) else { continue };
        for reference in shapes.rings(shape).flat_map(|ring| ring.arcs) {
            match &mut sides[reference.arc()] {
                [side @ NONE, _] | [_, side @ NONE] => *side = city,
                [_, _] => return Err(invalid("an arc belongs to three outlines")),
            }
        }
    }
    Ok(sides)
}

/// Finds the runs of edges in each cell.
fn find_runs(arcs: &Arcs, sides: &[[u32; 2]]) -> Vec<FoundRun> {
    let mut runs: Vec<FoundRun> = Vec::with_capacity(arcs.len() * 4);
    // The runs that the last edge belongs to, and those of this edge.
    let (mut open, mut touched): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for (arc, sides) in sides.iter().enumerate() {
        if *sides == [NONE; 2] {
            continue;
        }
        open.clear();
        let mut vertices = (arcs.range(arc).start as u32..).zip(arcs.vertices_of(arc));
        let Some((mut first_vertex, mut a)) = vertices.next() else { continue };
        for (vertex, b) in vertices {
            touched.clear();
            touched_cells(a, b, |column, row| {
                let follows = |index: &usize| {
                    let run = &runs[*index];
                    (run.column, run.row) == (column, row) && run.edges < u16::MAX
                };
                let index = open.iter().copied().find(follows).unwrap_or_else(|| {
                    let (arc, edges) = (arc as u32, 0);
                    runs.push(FoundRun { row, column, arc, first_vertex, edges, changes_corner: false });
                    runs.len() - 1
                });
                runs[index].edges += 1;
                runs[index].changes_corner ^= crosses_southern_line(a, b, column, row);
                touched.push(index);
            });
            std::mem::swap(&mut open, &mut touched);
            (first_vertex, a) = (vertex, b);
        }
    }
    runs
}

/// Calls `touch` with column and row of every cell that an edge touches, and perhaps with a neighbour of one: a cell may have
/// an edge too many, because the tests of a path are exact, but never one too few.
fn touched_cells(a: [i64; 2], b: [i64; 2], mut touch: impl FnMut(u32, u32)) {
    let cells = |units: i64| (units / CELL_UNITS) as u32;
    let ([west, east], [south, north]) = ([a[0].min(b[0]), a[0].max(b[0])], [a[1].min(b[1]), a[1].max(b[1])]);
    let (first_row, last_row) = (cells(south), cells(north));
    if first_row == last_row || cells(west) == cells(east) {
        for row in first_row..=last_row {
            (cells(west)..=cells(east)).for_each(|column| touch(column, row));
        }
        return;
    }
    let longitude_at = |latitude: f64| {
        let along = (latitude - a[1] as f64) / (b[1] - a[1]) as f64;
        a[0] as f64 + along * (b[0] - a[0]) as f64
    };
    for row in first_row..=last_row {
        let line = |row: u32| (i64::from(row) * CELL_UNITS) as f64 - HALF_UNIT;
        let ends = [line(row).max(south as f64), line(row + 1).min(north as f64)].map(longitude_at);
        // One unit more on both sides, because the longitudes are rounded.
        let from = (ends[0].min(ends[1]) as i64 - 1).max(west);
        let to = (ends[0].max(ends[1]) as i64 + 1).min(east);
        (cells(from)..=cells(to)).for_each(|column| touch(column, row));
    }
}

/// The south-west corner of a cell: the lower 16 bits of the whole units just north-east of it.
#[derive(Clone, Copy)]
struct Corner([u16; 2]);

impl Corner {
    const fn of(column: i64, row: i64) -> Self {
        Self([(column * CELL_UNITS) as u16, (row * CELL_UNITS) as u16])
    }

    /// Returns `true` if the path from the corner to the point, relative to it, crosses a run an odd number of times.
    fn path_crosses(self, arcs: &Arcs, run: &Run, point: [f64; 2]) -> bool {
        let first = run.first_vertex as usize;
        let vertices = &arcs.lower_bits()[first..=first + usize::from(run.edges)];
        let relative = |vertex: [u16; 2]| [0, 1].map(|axis| vertex[axis].wrapping_sub(self.0[axis]) as i16);
        // A vertex lies half a unit north of its whole units: it is north of the point if they are more than this.
        let south = (point[1] - HALF_UNIT).floor() as i16;
        let mut odd = false;
        let mut a = relative(vertices[0]);
        for vertex in &vertices[1..] {
            let b = relative(*vertex);
            // Most edges lie on one side of both parts of the path.
            if (a[0] < 0) != (b[0] < 0) || (a[1] > south) != (b[1] > south) {
                let exact = |vertex: [i16; 2]| vertex.map(|units| f64::from(units) + HALF_UNIT);
                odd ^= crosses_path(exact(a), exact(b), point);
            }
            a = b;
        }
        odd
    }
}

/// Returns `true` if an edge crosses the path from the corner (0, 0) north, then east to the point.
fn crosses_path(a: [f64; 2], b: [f64; 2], point: [f64; 2]) -> bool {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    // Positive on the left of the edge, at the corner, where the path turns, and at the point.
    let at_corner = dy * a[0] - dx * a[1];
    let at_turn = at_corner + dx * point[1];
    let at_point = at_turn - dy * point[0];
    let crosses_north = (a[0] < 0.0) != (b[0] < 0.0) && is_left(at_corner, dx) != is_left(at_turn, dx);
    let crosses_east =
        (a[1] > point[1]) != (b[1] > point[1]) && is_left(at_turn, dx) != is_left(at_point, -dy);
    crosses_north != crosses_east
}

/// Returns `true` if an edge crosses the line from the corner of a cell east to the corner of the next cell.
fn crosses_southern_line(a: [i64; 2], b: [i64; 2], column: u32, row: u32) -> bool {
    let line = i64::from(row) * CELL_UNITS;
    // The line is half a unit south of this, so a vertex is never on it.
    if (a[1] >= line) == (b[1] >= line) {
        return false;
    }
    let west = i64::from(column) * CELL_UNITS;
    let relative =
        |vertex: [i64; 2]| [vertex[0] - west, vertex[1] - line].map(|units| units as f64 + HALF_UNIT);
    let (a, b) = (relative(a), relative(b));
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let at_corner = dy * a[0] - dx * a[1];
    let at_next = at_corner - dy * CELL_UNITS as f64;
    is_left(at_corner, dx) != is_left(at_next, dx)
}

/// Returns the side of an edge. On the edge itself, `shift` decides: how the value changes when the position moves slightly,
/// corners and turns to the north, points to the east.
fn is_left(value: f64, shift: f64) -> bool {
    value > 0.0 || (value == 0.0 && shift > 0.0)
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::super::packed::tests::shapes_of;
    use super::*;
    use testkit::random::{self, Random};

    /// Returns the first ring that contains a point, by the even-odd rule, in whole numbers.
    fn scan(rings: &[Vec<[i64; 2]>], [x, y]: [i64; 2]) -> Option<u32> {
        let is_crossed = |edge: &[[i64; 2]]| {
            let ([ax, ay], [bx, by]) = (edge[0], edge[1]);
            // The edge is east of the point: x < ax + (y - ay) / (by - ay) * (bx - ax)
            let side = (x - ax) * (by - ay) - (y - ay) * (bx - ax);
            (ay > y) != (by > y) && side * (by - ay).signum() < 0
        };
        let contains =
            |ring: &Vec<[i64; 2]>| ring.windows(2).filter(|edge| is_crossed(edge)).count() % 2 == 1;
        (0..).zip(rings).find(|(_, ring)| contains(ring)).map(|(index, _)| index)
    }

    /// Draws corners from few columns and rows, so that points lie on vertices and edges all the time.
    fn random_ring(random: &mut Random, scale: i64) -> Vec<[i64; 2]> {
        let mut coordinate = || i64::from(random.between(0, 24)) * scale;
        let mut ring: Vec<[i64; 2]> = (0..7).map(|_| [coordinate(), coordinate()]).collect();
        ring.push(ring[0]);
        ring
    }

    #[test]
    fn points_on_vertices_and_edges_give_the_result_of_a_full_scan() {
        let mut random = Random::new(random::seed());
        let (mut inside, mut total) = (0, 0);
        for case in 0..400 {
            // Up to 24 × 777 units: four cells and a half. With 512, lines between cells are half a unit off the corners.
            let scale = [512, 777, 64, 1][case % 4];
            let rings: Vec<Vec<[i64; 2]>> = (0..4).map(|_| random_ring(&mut random, scale)).collect();
            let (arcs, shapes) = shapes_of(&rings);
            let cells = Cells::new(&arcs, &shapes, |shape| Some(shape as u32)).unwrap();
            for _ in 0..400 {
                let mut coordinate = || i64::from(random.between(-1, 50)) * scale / 2;
                let point = [coordinate(), coordinate()];
                let found = cells.city_at(&arcs, point[0] as f64, point[1] as f64);
                assert_eq!(found, scan(&rings, point), "{point:?} in {rings:?}");
                (inside, total) = (inside + u32::from(found.is_some()), total + 1);
            }
        }
        assert!((total / 4..total * 3 / 4).contains(&inside), "{inside} of {total}");
    }

    #[test]
    fn cells_far_from_any_edge_are_found() {
        // A square of 40 by 40 cells with edges of at most 16,384 units, at a distance from the origin.
        let (near, far) = (200_000, 363_840);
        let side = |from: [i64; 2], to: [i64; 2]| {
            (0..10).map(move |step| [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * step / 10))
        };
        let corners = [[near, near], [far, near], [far, far], [near, far], [near, near]];
        let mut ring: Vec<[i64; 2]> = corners.windows(2).flat_map(|it| side(it[0], it[1])).collect();
        ring.push([near, near]);
        let (arcs, shapes) = shapes_of(&[ring]);
        let cells = Cells::new(&arcs, &shapes, |_| Some(7)).unwrap();
        let at = |x: i64, y: i64| cells.city_at(&arcs, x as f64, y as f64);
        assert_eq!(at(280_000, 280_000), Some(7));
        for (x, y) in [(near - 1, 280_000), (far, 280_000), (280_000, near - 1), (280_000, far), (-5, -5)] {
            assert_eq!(at(x, y), None, "{x} {y}");
        }
        for (x, y) in [(near, near), (far - 1, far - 1), (near, far - 1)] {
            assert_eq!(at(x, y), Some(7), "{x} {y}");
        }
        assert_eq!(cells.city_at(&arcs, 1e300, 1e300), None);
    }
}
