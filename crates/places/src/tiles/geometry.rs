//! Outlines in the units of a tile: projected, simplified and clipped.

use domain::{GeoPoint, MapPosition};

/// A vertex in units of a tile, from its north-west corner.
pub type Vertex = [i32; 2];

/// The side of a tile in units.
pub const EXTENT: i32 = 4_096;
const EXTENT_BITS: u32 = 12;

/// What a tile has beyond its border, so that lines along the cut are not seen.
pub const BUFFER: i32 = 64;

/// How far a simplified border may lie from the real one. A map shows eight units as one pixel.
const TOLERANCE: f64 = 3.0;

/// A closed border whose last vertex is not repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ring {
    pub vertices: Vec<Vertex>,
    /// A hole belongs to the last ring before it that is none.
    pub is_hole: bool,
}

/// Where a tile lies on the map.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// The position of the north-west corner.
    x: i64,
    y: i64,
    /// Positions per unit, as a power of two.
    shift: u32,
}

impl Frame {
    pub const fn new(zoom: u8, x: u32, y: u32) -> Self {
        let side_bits = 32 - zoom as u32;
        Self { x: (x as i64) << side_bits, y: (y as i64) << side_bits, shift: side_bits - EXTENT_BITS }
    }

    fn vertex(&self, position: MapPosition) -> Vertex {
        // A shift rounds down on both sides of zero. At zoom 14 the world has 2²⁶ units.
        let unit = |position: u32, origin: i64| ((i64::from(position) - origin) >> self.shift) as i32;
        [unit(position.x, self.x), unit(position.y, self.y)]
    }

    /// Returns a point if it is in the tile. A point on the border of two tiles is in one of them.
    pub fn point(&self, point: GeoPoint) -> Option<Vertex> {
        let vertex = self.vertex(MapPosition::of(point));
        vertex.iter().all(|it| (0..EXTENT).contains(it)).then_some(vertex)
    }

    /// Returns `true` if a rectangle may be seen in the tile.
    pub fn meets(&self, north_west: MapPosition, south_east: MapPosition) -> bool {
        let (from, to) = (self.vertex(north_west), self.vertex(south_east));
        (0..2).all(|axis| from[axis] <= EXTENT + BUFFER && to[axis] >= -BUFFER)
    }

    /// Projects an arc and leaves out the vertices that make no difference at this zoom. Both ends stay, because other arcs
    /// continue there.
    pub fn simplified(&self, points: &[GeoPoint]) -> Vec<Vertex> {
        let mut vertices: Vec<Vertex> =
            points.iter().map(|point| self.vertex(MapPosition::of(*point))).collect();
        vertices.dedup();
        let Some(last) = vertices.len().checked_sub(1) else { return vertices };
        let mut kept = vec![false; vertices.len()];
        (kept[0], kept[last]) = (true, true);
        let mut pending = vec![(0, last)];
        // Douglas and Peucker: keep the vertex farthest from the line, if it is far enough, and look at both halves.
        while let Some((from, to)) = pending.pop() {
            let farthest = (from + 1..to)
                .map(|index| (distance(vertices[index], vertices[from], vertices[to]), index))
                .max_by(|one, other| one.0.total_cmp(&other.0));
            if let Some((_, index)) = farthest.filter(|(distance, _)| *distance > TOLERANCE) {
                kept[index] = true;
                pending.extend([(from, index), (index, to)]);
            }
        }
        let mut index = 0;
        vertices.retain(|_| {
            index += 1;
            kept[index - 1]
        });
        vertices
    }

    /// Clips rings to the tile. Rings that have no area in it are left out, and a hole with the ring around it.
    pub fn polygons(rings: Vec<(Vec<Vertex>, bool)>) -> Vec<Ring> {
        let mut polygons: Vec<Ring> = Vec::new();
        let mut has_outer = false;
        for (vertices, is_hole) in rings {
            let mut vertices = clip(vertices);
            let area = doubled_area(&vertices);
            if !is_hole {
                has_outer = area != 0;
            }
            if area != 0 && has_outer {
                // Outer rings have a positive area in coordinates with y to the south, holes a negative one.
                if (area > 0) == is_hole {
                    vertices.reverse();
                }
                polygons.push(Ring { vertices, is_hole });
            }
        }
        polygons
    }
}

/// Returns the distance of a vertex from the line between two others.
fn distance(vertex: Vertex, from: Vertex, to: Vertex) -> f64 {
    let difference = |one: Vertex, other: Vertex| {
        (f64::from(one[0]) - f64::from(other[0]), f64::from(one[1]) - f64::from(other[1]))
    };
    let ((x, y), (along_x, along_y)) = (difference(vertex, from), difference(to, from));
    let squared = along_x * along_x + along_y * along_y;
    // An arc that returns to its start is a whole island.
    let part = if squared == 0.0 { 0.0 } else { ((x * along_x + y * along_y) / squared).clamp(0.0, 1.0) };
    (x - part * along_x).hypot(y - part * along_y)
}

/// Clips a ring to the tile and its buffer, one side after the other (Sutherland and Hodgman).
fn clip(mut ring: Vec<Vertex>) -> Vec<Vertex> {
    let (least, most) = (-BUFFER, EXTENT + BUFFER);
    for (axis, limit, sign) in [(0, least, 1), (0, most, -1), (1, least, 1), (1, most, -1)] {
        let inside = |vertex: &Vertex| (vertex[axis] - limit) * sign >= 0;
        if ring.iter().all(inside) {
            continue;
        }
        let mut clipped = Vec::with_capacity(ring.len());
        for (index, vertex) in ring.iter().enumerate() {
            let previous = ring[(index + ring.len() - 1) % ring.len()];
            if inside(vertex) != inside(&previous) {
                clipped.push(crossing(previous, *vertex, axis, limit));
            }
            if inside(vertex) {
                clipped.push(*vertex);
            }
        }
        ring = clipped;
    }
    ring.dedup();
    while ring.len() > 1 && ring.first() == ring.last() {
        ring.pop();
    }
    ring
}

/// Returns where the line between two vertices reaches a limit of one axis.
fn crossing(from: Vertex, to: Vertex, axis: usize, limit: i32) -> Vertex {
    let other = 1 - axis;
    let part = f64::from(limit - from[axis]) / f64::from(to[axis] - from[axis]);
    let mut vertex = [limit; 2];
    vertex[other] = (f64::from(from[other]) + part * f64::from(to[other] - from[other])).round() as i32;
    vertex
}

/// Returns twice the area inside a ring: positive if it turns from x to y.
pub fn doubled_area(ring: &[Vertex]) -> i64 {
    let edges = (0..ring.len()).map(|index| (ring[index], ring[(index + 1) % ring.len()]));
    edges.map(|(a, b)| i64::from(a[0]) * i64::from(b[1]) - i64::from(b[0]) * i64::from(a[1])).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(vertices: &[Vertex]) -> (Vec<Vertex>, bool) {
        (vertices.to_vec(), false)
    }

    #[test]
    fn rings_are_clipped_to_the_tile_and_its_buffer() {
        let (least, most) = (-BUFFER, EXTENT + BUFFER);
        let around = ring(&[[-9_000, -9_000], [9_000, -9_000], [9_000, 9_000], [-9_000, 9_000]]);
        let clipped = Frame::polygons(vec![around]);
        assert_eq!(doubled_area(&clipped[0].vertices), 2 * i64::from(most - least).pow(2));
        let corner = ring(&[[-100, 10], [100, 10], [100, 30]]);
        let clipped = Frame::polygons(vec![corner]);
        assert!(clipped[0].vertices.iter().all(|vertex| vertex[0] >= least), "{clipped:?}");
        let outside = ring(&[[-300, 10], [-200, 10], [-200, 30]]);
        assert_eq!(Frame::polygons(vec![outside]), []);
    }

    #[test]
    fn a_hole_goes_with_the_ring_around_it() {
        let hole = (ring(&[[20, 20], [20, 30], [30, 30]]).0, true);
        let line = ring(&[[10, 10], [20, 10], [30, 10]]);
        assert_eq!(Frame::polygons(vec![line, hole.clone()]), [], "nothing around it is left");
        let around = ring(&[[10, 10], [10, 90], [90, 90]]);
        let polygons = Frame::polygons(vec![around, hole]);
        assert!(doubled_area(&polygons[0].vertices) > 0 && doubled_area(&polygons[1].vertices) < 0);
    }

    #[test]
    fn simplified_arcs_keep_their_ends_and_stay_near() {
        // At zoom 14 there are more vertices than at zoom 5.
        let points: Vec<GeoPoint> = (0..200)
            .map(|step| {
                let step = f64::from(step);
                GeoPoint::new(47.0 + (step / 9.0).sin() * 0.01, 0.5 + step * 0.001).unwrap()
            })
            .collect();
        let near = Frame::new(14, 8_214, 5_736).simplified(&points);
        let far = Frame::new(5, 16, 11).simplified(&points);
        assert!(far.len() < near.len() && near.len() <= points.len(), "{} {}", far.len(), near.len());
        let frame = Frame::new(5, 16, 11);
        let ends = [points[0], points[199]].map(|point| frame.vertex(MapPosition::of(point)));
        assert_eq!([far[0], far[far.len() - 1]], ends);
        for point in points {
            let vertex = frame.vertex(MapPosition::of(point));
            let least =
                far.windows(2).map(|edge| distance(vertex, edge[0], edge[1])).fold(f64::MAX, f64::min);
            assert!(least <= TOLERANCE, "{vertex:?} is {least} away");
        }
    }
}
