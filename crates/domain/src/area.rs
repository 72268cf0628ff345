//! Circles and polygons.

use crate::place::GeoPoint;

/// All points within a distance of the centre, border included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Circle {
    pub centre: GeoPoint,
    pub radius_km: f64,
}

impl Circle {
    pub fn contains(&self, point: GeoPoint) -> bool {
        self.centre.distance_km(point) <= self.radius_km
    }
}

/// A polygon in the plane of longitude and latitude. It may intersect itself; the even-odd rule determines the inside.
#[derive(Debug, Clone, PartialEq)]
pub struct Polygon(Box<[GeoPoint]>);

impl Polygon {
    /// More than any drawn area needs, and few enough to test many points.
    pub const CORNERS_MAX: usize = 1_000;

    /// Creates a polygon from at least three corners. The last may repeat the first.
    pub fn new(corners: Vec<GeoPoint>) -> Option<Self> {
        (3..=Self::CORNERS_MAX).contains(&corners.len()).then(|| Self(corners.into()))
    }

    pub fn corners(&self) -> &[GeoPoint] {
        &self.0
    }

    /// Returns `true` if a point is inside: a ray to the east crosses the border an odd number of times. A point exactly on
    /// the border may be inside or outside, always with the same result.
    pub fn contains(&self, point: GeoPoint) -> bool {
        let mut inside = false;
        let mut previous = self.0[self.0.len() - 1];
        for &corner in &self.0 {
            if (corner.lat() > point.lat()) != (previous.lat() > point.lat()) {
                let along = (point.lat() - corner.lat()) / (previous.lat() - corner.lat());
                if point.lon() < corner.lon() + along * (previous.lon() - corner.lon()) {
                    inside = !inside;
                }
            }
            previous = corner;
        }
        inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(lat: f64, lon: f64) -> GeoPoint {
        GeoPoint::new(lat, lon).unwrap()
    }

    #[test]
    fn polygon_contains_the_points_inside_its_border() {
        let corners = [(0.0, 0.0), (0.0, 4.0), (4.0, 4.0), (4.0, 3.0), (1.0, 2.0), (4.0, 1.0), (4.0, 0.0)];
        let notched = Polygon::new(corners.map(|(lat, lon)| point(lat, lon)).to_vec()).unwrap();
        assert!(notched.contains(point(0.5, 2.0)));
        assert!(notched.contains(point(3.5, 0.5)));
        assert!(!notched.contains(point(3.5, 2.0)), "in the notch");
        assert!(!notched.contains(point(5.0, 2.0)));
        assert!(!notched.contains(point(-0.1, 2.0)));
        assert_eq!(Polygon::new(vec![point(0.0, 0.0), point(1.0, 1.0)]), None);
    }

    #[test]
    fn circle_includes_its_border() {
        let (centre, away) = (point(48.0, 2.0), point(48.0, 2.1));
        let radius_km = centre.distance_km(away);
        assert!(Circle { centre, radius_km }.contains(away));
        assert!(!Circle { centre, radius_km: radius_km - 1e-9 }.contains(away));
    }
}
