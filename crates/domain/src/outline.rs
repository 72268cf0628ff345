//! The outline of a place: the polygons that its border encloses.

use crate::place::GeoPoint;

/// The outline of a commune or a department.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// More than one if the place has islands or exclaves.
    pub polygons: Vec<OutlinePolygon>,
}

/// One polygon of an outline. A ring ends with its first point. The outer ring runs counter-clockwise and the holes run
/// clockwise, as GeoJSON (RFC 7946) requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlinePolygon {
    pub outer: Vec<GeoPoint>,
    pub holes: Vec<Vec<GeoPoint>>,
}
