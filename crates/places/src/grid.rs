//! A grid index of points for distance queries.

use domain::GeoPoint;

/// The size of a cell in degrees: about 5.5 by 4 km at 45° north, a few communes or a dozen metro stations.
const CELL_DEGREES: f64 = 0.05;

/// A lower bound of the length of a degree of latitude, so that the search window is never too small.
const DEGREE_KM: f64 = 111.0;

/// The initial radius of a nearest-neighbour search: most of the country is this close to the centre of a commune.
const FIRST_RADIUS_KM: f64 = 4.0;

pub(crate) struct Grid {
    /// Row and column of the cell, and the index of the item; sorted, so that the items of adjacent cells are adjacent.
    cells: Vec<(i16, i16, u32)>,
    points: Vec<GeoPoint>,
    items: Vec<u32>,
}

impl Grid {
    pub fn new(located: impl Iterator<Item = (u32, GeoPoint)>) -> Self {
        let (mut cells, mut points, mut items) = (Vec::new(), Vec::new(), Vec::new());
        for (index, (item, point)) in (0..).zip(located) {
            cells.push((cell(point.lat()), cell(point.lon()), index));
            points.push(point);
            items.push(item);
        }
        cells.sort_unstable();
        Self { cells, points, items }
    }

    /// Returns the items within a distance with their distances, nearest first, then in the order of insertion.
    pub fn within(&self, point: GeoPoint, radius_km: f64) -> Vec<(f64, u32)> {
        let height = radius_km / DEGREE_KM;
        // The width of the window is computed at its edge nearest to a pole, where a degree of longitude is shortest.
        let edge = (point.lat().abs() + height).min(90.0).to_radians().cos();
        let width = if edge > 1e-3 { (height / edge).min(180.0) } else { 180.0 };
        let mut found = Vec::new();
        for row in cell(point.lat() - height)..=cell(point.lat() + height) {
            // A window across the date line has a part on each side.
            for turn in [-360.0, 0.0, 360.0] {
                let west = (point.lon() - width + turn).max(-180.0);
                let east = (point.lon() + width + turn).min(180.0);
                if west <= east {
                    self.collect(row, cell(west), cell(east), point, radius_km, &mut found);
                }
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        found.dedup();
        found.into_iter().map(|(distance, index)| (distance, self.items[index as usize])).collect()
    }

    fn collect(
        &self,
        row: i16,
        west: i16,
        east: i16,
        point: GeoPoint,
        radius_km: f64,
        found: &mut Vec<(f64, u32)>,
    ) {
        let from = self.cells.partition_point(|cell| (cell.0, cell.1) < (row, west));
        let run = self.cells[from..].iter().take_while(|cell| cell.0 == row && cell.1 <= east);
        for (_, _, index) in run {
            let distance = self.points[*index as usize].distance_km(point);
            if distance <= radius_km {
                found.push((distance, *index));
            }
        }
    }

    /// Returns the nearest item within a distance.
    pub fn nearest(&self, point: GeoPoint, radius_km: f64) -> Option<(f64, u32)> {
        let mut radius = FIRST_RADIUS_KM.min(radius_km);
        loop {
            if let Some(first) = self.within(point, radius).into_iter().next() {
                return Some(first);
            }
            if radius >= radius_km {
                return None;
            }
            radius = (radius * 2.0).min(radius_km);
        }
    }
}

fn cell(degrees: f64) -> i16 {
    // At most 180 / 0.05 = 3,600 in each direction.
    (degrees / CELL_DEGREES).floor() as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(lat: f64, lon: f64) -> GeoPoint {
        GeoPoint::new(lat, lon).unwrap()
    }

    /// A lattice of points over the globe, the poles and the date line included.
    fn lattice() -> Vec<GeoPoint> {
        let mut points = Vec::new();
        for lat in (-90..=90).step_by(6) {
            for lon in (-180..=180).step_by(7) {
                points.push(point(f64::from(lat), f64::from(lon)));
            }
        }
        points.push(point(-17.0, 179.99));
        points
    }

    #[test]
    fn grid_returns_the_result_of_a_full_scan() {
        let points = lattice();
        let grid = Grid::new((0..).zip(points.iter().copied()));
        for centre in [
            (0.0, 0.0),
            (48.85, 2.35),
            (-17.0, -179.99),
            (89.5, 10.0),
            (-90.0, 0.0),
            (60.0, 179.0),
            (45.0, -180.0),
        ] {
            let centre = point(centre.0, centre.1);
            for radius_km in [10.0, 400.0, 900.0, 2_500.0] {
                let mut expected: Vec<(f64, u32)> = (0..)
                    .zip(&points)
                    .map(|(index, other)| (other.distance_km(centre), index))
                    .filter(|(distance, _)| *distance <= radius_km)
                    .collect();
                expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                assert_eq!(grid.within(centre, radius_km), expected, "{centre:?} {radius_km}");
                assert_eq!(grid.nearest(centre, radius_km), expected.first().copied());
            }
        }
    }
}
