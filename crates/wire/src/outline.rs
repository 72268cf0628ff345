//! Outlines of places, as GeoJSON (RFC 7946).

use domain::{City, Department, GeoPoint, Outline};
use serde::Serialize;

/// Longitude and latitude, in this order.
type Position = [f64; 2];

/// The first ring is the outer one.
type Rings = Vec<Vec<Position>>;

/// The outline of a place: a GeoJSON feature.
#[derive(Debug, Serialize)]
pub struct OutlineFeature {
    #[serde(rename = "type")]
    kind: &'static str,
    id: u64,
    properties: OutlineProperties,
    geometry: Geometry,
}

#[derive(Debug, Serialize)]
struct OutlineProperties {
    id: u64,
    name: String,
    #[serde(flatten)]
    code: OutlineCode,
}

/// The code of the place. The key depends on the kind of place, as in their own resources.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
enum OutlineCode {
    Insee(String),
    Code(String),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", content = "coordinates")]
enum Geometry {
    Polygon(Rings),
    MultiPolygon(Vec<Rings>),
}

impl OutlineFeature {
    pub fn of_city(city: &City, outline: &Outline) -> Self {
        Self::new(city.id(), &city.name, OutlineCode::Insee(city.insee.to_string()), outline)
    }

    pub fn of_department(department: &Department, outline: &Outline) -> Self {
        let code = OutlineCode::Code(department.code.to_string());
        Self::new(department.id, &department.name, code, outline)
    }

    fn new(id: u64, name: &str, code: OutlineCode, outline: &Outline) -> Self {
        let properties = OutlineProperties { id, name: name.to_owned(), code };
        Self { kind: "Feature", id, properties, geometry: Geometry::of(outline) }
    }
}

impl Geometry {
    fn of(outline: &Outline) -> Self {
        let position = |point: &GeoPoint| [point.lon(), point.lat()];
        let ring = |points: &Vec<GeoPoint>| points.iter().map(position).collect();
        let mut polygons: Vec<Rings> = outline
            .polygons
            .iter()
            .map(|polygon| std::iter::once(&polygon.outer).chain(&polygon.holes).map(ring).collect())
            .collect();
        match polygons.pop() {
            Some(only) if polygons.is_empty() => Self::Polygon(only),
            last => {
                polygons.extend(last);
                Self::MultiPolygon(polygons)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::OutlinePolygon;

    fn ring(corners: &[(f64, f64)]) -> Vec<GeoPoint> {
        corners.iter().map(|(lon, lat)| GeoPoint::new(*lat, *lon).unwrap()).collect()
    }

    #[test]
    fn islands_make_a_multi_polygon_and_holes_follow_the_outer_ring() {
        let land = OutlinePolygon {
            outer: ring(&[(1.0, 45.0), (4.0, 45.0), (4.0, 48.0), (1.0, 45.0)]),
            holes: vec![ring(&[(3.0, 45.5), (3.0, 46.0), (3.5, 46.0), (3.0, 45.5)])],
        };
        let island = OutlinePolygon {
            outer: ring(&[(0.0, 45.0), (0.25, 45.0), (0.25, 45.5), (0.0, 45.0)]),
            holes: Vec::new(),
        };
        let show = |polygons| serde_json::to_string(&Geometry::of(&Outline { polygons })).unwrap();
        assert_eq!(
            show(vec![land.clone()]),
            "{\"type\":\"Polygon\",\"coordinates\":[[[1.0,45.0],[4.0,45.0],[4.0,48.0],[1.0,45.0]],\
             [[3.0,45.5],[3.0,46.0],[3.5,46.0],[3.0,45.5]]]}"
        );
        assert_eq!(
            show(vec![island, land]),
            "{\"type\":\"MultiPolygon\",\"coordinates\":[[[[0.0,45.0],[0.25,45.0],[0.25,45.5],[0.0,45.0]]],\
             [[[1.0,45.0],[4.0,45.0],[4.0,48.0],[1.0,45.0]],[[3.0,45.5],[3.0,46.0],[3.5,46.0],[3.0,45.5]]]]}"
        );
    }
}
