//! Circles on the globe, for engines without geographic queries: grid cells select candidates, a dot product decides.

use std::ops::RangeInclusive;

use domain::GeoPoint;

/// A cell is 4.5 km high: a circle of 10 km covers about forty cells, and few of them reach far beyond it.
const CELLS_PER_DEGREE: f64 = 25.0;

/// Columns in a row of cells, numbered from the date line eastward.
const COLUMNS: i64 = 360 * CELLS_PER_DEGREE as i64;

/// Returns the cell of a point.
pub fn cell(point: GeoPoint) -> u64 {
    number(row(point.lat()), column(point.lon()))
}

/// Returns the point on the unit sphere. The dot product of two such points says how near they are, without trigonometry.
pub fn unit(point: GeoPoint) -> [f64; 3] {
    let (lat, lon) = (point.lat().to_radians(), point.lon().to_radians());
    [lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin()]
}

/// The latitudes and longitudes of a circle; no query comes near a pole or the date line.
pub fn bounds(centre: GeoPoint, radius_km: f64) -> [RangeInclusive<f64>; 2] {
    let angle = radius_km / GeoPoint::EARTH_RADIUS_KM;
    let north_south = angle.to_degrees();
    // The easternmost point of the rim lies a little towards the pole.
    let east_west = (angle.sin() / centre.lat().to_radians().cos()).asin().to_degrees();
    let around = |value: f64, reach: f64| value - reach..=value + reach;
    [around(centre.lat(), north_south), around(centre.lon(), east_west)]
}

#[derive(Debug, Clone)]
pub struct Circle {
    pub centre: [f64; 3],
    /// The dot product of the centre and a point on the rim.
    pub rim: f64,
    /// All cells that overlap the circle.
    pub cells: Vec<u64>,
}

impl Circle {
    pub fn new(centre: GeoPoint, radius_km: f64) -> Self {
        let [lat, lon] = bounds(centre, radius_km);
        let rows = row(*lat.start())..=row(*lat.end());
        let columns = column(*lon.start())..=column(*lon.end());
        let all = rows.flat_map(|row| columns.clone().map(move |column| (row, column)));
        let near = all.filter(|(row, column)| {
            nearest(centre, *row, *column).is_none_or(|point| point.distance_km(centre) <= radius_km * 1.001)
        });
        Self {
            centre: unit(centre),
            rim: (radius_km / GeoPoint::EARTH_RADIUS_KM).cos(),
            cells: near.map(|(row, column)| number(row, column)).collect(),
        }
    }
}

fn row(lat: f64) -> i64 {
    ((lat + 90.0) * CELLS_PER_DEGREE).floor() as i64
}

fn column(lon: f64) -> i64 {
    ((lon + 180.0) * CELLS_PER_DEGREE).floor() as i64
}

fn number(row: i64, column: i64) -> u64 {
    u64::try_from(row * COLUMNS + column).unwrap_or_default()
}

/// Returns the nearest point of a cell, or one so near to it that the difference does not matter.
fn nearest(point: GeoPoint, row: i64, column: i64) -> Option<GeoPoint> {
    let within = |value: f64, low: i64, origin: f64| {
        let low = low as f64 / CELLS_PER_DEGREE - origin;
        value.clamp(low, low + 1.0 / CELLS_PER_DEGREE)
    };
    GeoPoint::new(within(point.lat(), row, 90.0), within(point.lon(), column, 180.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circle_agrees_with_distance() {
        let centre = GeoPoint::new(48.8566, 2.3522).unwrap();
        let circle = Circle::new(centre, 10.0);
        for step in 0..40_000 {
            let (north, east) = (f64::from(step / 200) / 1_000.0 - 0.1, f64::from(step % 200) / 600.0 - 0.16);
            let point = GeoPoint::new(centre.lat() + north, centre.lon() + east).unwrap();
            let inside = point.distance_km(centre) <= 10.0;
            let ([a, b, c], [x, y, z]) = (circle.centre, unit(point));
            assert_eq!(a * x + b * y + c * z >= circle.rim, inside, "{point:?}");
            assert!(!inside || circle.cells.contains(&cell(point)), "{point:?}");
        }
    }
}
