//! Tests points and grid cells against a circle, mostly with arithmetic on a flat map instead of exact distances.

use domain::{Circle, GeoPoint};

#[derive(Debug, Clone)]
pub struct CircleFilter {
    pub circle: Circle,
    /// Squared distances in degrees of latitude: nearer points are certainly inside, farther ones certainly outside.
    inside: f64,
    outside: f64,
    /// The length of a degree of longitude at the centre, in degrees of latitude.
    longitude_scale: f64,
}

/// How much of a cell an area covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    None,
    Part,
    Whole,
}

/// Outside these limits a flat map is too inaccurate to be useful. Below ten metres rounding errors dominate.
const FLAT_RADIUS_KM_MIN: f64 = 0.01;
const FLAT_RADIUS_KM_MAX: f64 = 200.0;
const FLAT_LATITUDE_MAX: f64 = 75.0;

/// Points farther apart than this are not rejected by the flat map, which wraps around at half a turn of the globe.
const FLAT_LONGITUDES_APART_MAX: f64 = 90.0;

impl CircleFilter {
    pub fn new(circle: Circle) -> Self {
        let lat = circle.centre.lat().to_radians();
        let reach = circle.radius_km / GeoPoint::EARTH_RADIUS_KM;
        // The relative error of a flat distance is the rate at which parallels shrink from the centre to the border. Twice that,
        // plus the curvature, is a safe bound.
        let error = 2.0 * reach * lat.tan().abs() + reach * reach + 1e-6;
        let degrees = reach.to_degrees();
        let flat = (FLAT_RADIUS_KM_MIN..=FLAT_RADIUS_KM_MAX).contains(&circle.radius_km)
            && circle.centre.lat().abs() <= FLAT_LATITUDE_MAX;
        let (inside, outside) = match flat {
            true => ((degrees * (1.0 - error)).max(0.0).powi(2), (degrees * (1.0 + error)).powi(2)),
            false => (-1.0, f64::INFINITY),
        };
        Self { circle, inside, outside, longitude_scale: lat.cos() }
    }

    /// Returns `true` if a point is inside. A point without coordinates is not.
    pub fn contains(&self, (lat, lon): (f64, f64)) -> bool {
        let square = self.squared_distance(lat, lon);
        if square < self.inside {
            return true;
        }
        if square > self.outside && (lon - self.circle.centre.lon()).abs() < FLAT_LONGITUDES_APART_MAX {
            return false;
        }
        GeoPoint::new(lat, lon).is_some_and(|point| self.circle.contains(point))
    }

    /// Returns how much of a cell is inside. On the flat map the farthest point of a cell is a corner, and the nearest is the
    /// centre clamped to the cell: what certainly holds for them holds for every point of the cell.
    pub fn coverage(&self, (south, west): (f64, f64), (north, east): (f64, f64)) -> Coverage {
        let centre = self.circle.centre;
        let far = |from: f64, to: f64, centre: f64| if centre - from > to - centre { from } else { to };
        let farthest = self.squared_distance(far(south, north, centre.lat()), far(west, east, centre.lon()));
        if farthest < self.inside {
            return Coverage::Whole;
        }
        let nearest = self.squared_distance(centre.lat().clamp(south, north), centre.lon().clamp(west, east));
        if nearest > self.outside { Coverage::None } else { Coverage::Part }
    }

    fn squared_distance(&self, lat: f64, lon: f64) -> f64 {
        let (north, east) =
            (lat - self.circle.centre.lat(), (lon - self.circle.centre.lon()) * self.longitude_scale);
        north * north + east * east
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every point of a grid, including points near the border, for circles of all sizes at all latitudes.
    #[test]
    fn flat_map_agrees_with_the_globe() {
        for radius_km in [0.005, 0.02, 0.2, 3.0, 10.0, 75.0, 199.0, 900.0] {
            for lat in [-74.0, -21.0, 0.0, 43.3, 51.0, 74.9, 80.0] {
                let centre = GeoPoint::new(lat, 2.35).unwrap();
                let circle = Circle { centre, radius_km };
                let filter = CircleFilter::new(circle);
                let step = radius_km / 111.0 / 20.0;
                let cell = (step * 3.0, step * 3.0 / lat.to_radians().cos());
                for north in -30..=30 {
                    for east in -30..=30 {
                        let at = (
                            lat + f64::from(north) * step,
                            2.35 + f64::from(east) * step / lat.to_radians().cos(),
                        );
                        let Some(point) = GeoPoint::new(at.0, at.1) else { continue };
                        assert_eq!(filter.contains(at), circle.contains(point), "{circle:?} {at:?}");
                        let opposite = (at.0 + cell.0, at.1 + cell.1);
                        let inside = [0.0, 0.3, 1.0].map(|part| {
                            let point = GeoPoint::new(at.0 + part * cell.0, at.1 + (1.0 - part) * cell.1);
                            point.is_some_and(|point| circle.contains(point))
                        });
                        match filter.coverage(at, opposite) {
                            Coverage::Whole => assert_eq!(inside, [true; 3], "{circle:?} {at:?}"),
                            Coverage::None => assert_eq!(inside, [false; 3], "{circle:?} {at:?}"),
                            Coverage::Part => {}
                        }
                    }
                }
            }
        }
    }
}
