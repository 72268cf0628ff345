//! What a map of the market asks for: the viewport and its clusters, and histograms.

use domain::facet::{FacetField, Facets, Histogram};
use domain::map::{ClusterCell, Clusters, MapBounds, MapProperty, Viewport};
use domain::{GeoPoint, Violation};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::query::Parameters;

const BOUNDS: &str = "bounds";
const ZOOM: &str = "zoom";
const FIELDS: &str = "fields";

const BOUNDS_EXPECTED: &str = "four numbers in degrees: west,south,east,north, with west at most east, south at most north, \
                               longitudes from -180 to 180 and latitudes from -90 to 90";
const ZOOM_EXPECTED: &str = "a number from 0 to 22";

/// Parses `bounds` and `zoom`. `None` if one of them is missing or invalid, which is a violation.
pub fn parse_viewport(parameters: &mut Parameters<'_>) -> Option<Viewport> {
    let bounds = parameters.parse_single(BOUNDS, BOUNDS_EXPECTED, bounds);
    let zoom = parameters.parse_single(ZOOM, ZOOM_EXPECTED, zoom);
    for (name, expected, found) in
        [(BOUNDS, BOUNDS_EXPECTED, bounds.is_some()), (ZOOM, ZOOM_EXPECTED, zoom.is_some())]
    {
        if !found && !parameters.has_violation(name) {
            let message = format!("This parameter is required: {expected}.");
            parameters.violations.push(Violation::malformed(name, message));
        }
    }
    Some(Viewport { bounds: bounds?, zoom: zoom? })
}

fn bounds(text: &str) -> Option<MapBounds> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    match numbers?.as_slice() {
        [west, south, east, north] => MapBounds::new(*west, *south, *east, *north),
        _ => None,
    }
}

/// Map libraries have zooms between two integers; the cells are those of the lower one.
fn zoom(text: &str) -> Option<u8> {
    let zoom: f64 = text.parse().ok()?;
    (0.0..=f64::from(Viewport::ZOOM_MAX)).contains(&zoom).then_some(zoom as u8)
}

/// The names of the fields that have histograms.
pub const FACET_FIELDS: &[(&str, FacetField)] = &[
    ("price", FacetField::Price),
    ("pricePerMeter", FacetField::PricePerMeter),
    ("surface", FacetField::Surface),
    ("landSurface", FacetField::LandSurface),
    ("rooms", FacetField::Rooms),
];

/// Parses `fields`, separated by commas or as a list; price and surface if there are none.
pub fn parse_facet_fields(parameters: &mut Parameters<'_>) -> Vec<FacetField> {
    let mut fields = Vec::new();
    for given in parameters.list(FIELDS) {
        for name in given.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match FACET_FIELDS.iter().find(|(known, _)| *known == name) {
                Some((_, field)) if fields.contains(field) => {}
                Some((_, field)) => fields.push(*field),
                None => {
                    let names: Vec<&str> = FACET_FIELDS.iter().map(|(name, _)| *name).collect();
                    parameters.reject(FIELDS, name, &format!("one of {}", names.join(", ")));
                }
            }
        }
    }
    if fields.is_empty() { vec![FacetField::Price, FacetField::Surface] } else { fields }
}

/// The properties of a viewport.
#[derive(Debug, Serialize)]
pub struct ClustersBody {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "totalItems")]
    total_items: usize,
    cells: Vec<CellBody>,
    properties: Vec<MapPropertyBody>,
    took: f64,
}

#[derive(Debug, Serialize)]
struct CellBody {
    longitude: f64,
    latitude: f64,
    count: usize,
    bounds: [f64; 4],
}

#[derive(Debug, Serialize)]
struct MapPropertyBody {
    id: String,
    longitude: f64,
    latitude: f64,
    price: Option<f64>,
    #[serde(rename = "pricePerMeter")]
    price_per_meter: Option<f64>,
    surface: Option<f64>,
    rooms: Option<i64>,
    #[serde(rename = "isExact")]
    is_exact: bool,
}

impl ClustersBody {
    /// `took_ms` is the time that the server took to count them.
    pub fn of(clusters: &Clusters, took_ms: f64) -> Self {
        Self {
            context: "/contexts/Clusters",
            kind: "Clusters",
            total_items: clusters.total,
            cells: clusters.cells.iter().filter_map(CellBody::of).collect(),
            properties: clusters.properties.iter().map(MapPropertyBody::of).collect(),
            took: rounded(took_ms, 1e3),
        }
    }
}

impl CellBody {
    fn of(cell: &ClusterCell) -> Option<Self> {
        let ClusterCell { position, count, bounds } = cell;
        let (longitude, latitude) = degrees(position.point()?);
        let bounds = [bounds.west(), bounds.south(), bounds.east(), bounds.north()].map(degree);
        Some(Self { longitude, latitude, count: *count, bounds })
    }
}

impl MapPropertyBody {
    fn of(property: &MapProperty) -> Self {
        let MapProperty { id, point, is_exact, price, price_per_meter, surface, rooms } = *property;
        Self {
            id: id.to_string(),
            longitude: point.lon(),
            latitude: point.lat(),
            price,
            price_per_meter,
            surface,
            // A number of rooms is a 32-bit integer.
            rooms: rooms.map(|rooms| rooms as i64),
            is_exact,
        }
    }
}

fn degrees(point: GeoPoint) -> (f64, f64) {
    (degree(point.lon()), degree(point.lat()))
}

/// Rounds to seven decimals: a centimetre.
fn degree(degrees: f64) -> f64 {
    rounded(degrees, 1e7)
}

fn rounded(number: f64, parts: f64) -> f64 {
    (number * parts).round() / parts
}

/// Histograms of the properties that match the filters.
#[derive(Debug, Serialize)]
pub struct FacetsBody {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "totalItems")]
    total_items: usize,
    facets: FacetMap,
}

/// Histograms by the name of their field, in the order of the request.
#[derive(Debug)]
struct FacetMap(Vec<(&'static str, HistogramBody)>);

impl Serialize for FacetMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, histogram) in &self.0 {
            map.serialize_entry(name, histogram)?;
        }
        map.end()
    }
}

#[derive(Debug, Serialize)]
struct HistogramBody {
    buckets: Vec<BucketBody>,
    below: usize,
    above: usize,
    unknown: usize,
}

#[derive(Debug, Serialize)]
struct BucketBody {
    from: f64,
    to: f64,
    count: usize,
}

impl FacetsBody {
    pub fn of(facets: &Facets) -> Self {
        let histograms = facets.histograms.iter().filter_map(|(field, histogram)| {
            let (name, _) = FACET_FIELDS.iter().find(|(_, known)| known == field)?;
            Some((*name, HistogramBody::of(*field, histogram)))
        });
        Self {
            context: "/contexts/Facets",
            kind: "Facets",
            total_items: facets.total,
            facets: FacetMap(histograms.collect()),
        }
    }
}

impl HistogramBody {
    fn of(field: FacetField, histogram: &Histogram) -> Self {
        let Histogram { buckets, below, above, unknown } = histogram;
        let edges = field.edges();
        let bucket =
            |(edges, count): (&[f64], &usize)| BucketBody { from: edges[0], to: edges[1], count: *count };
        Self {
            buckets: edges.windows(2).zip(buckets).map(bucket).collect(),
            below: *below,
            above: *above,
            unknown: *unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::RawQuery;

    fn violations(query: &str) -> Vec<(String, String)> {
        let raw = RawQuery::parse(query).unwrap();
        let mut parameters = Parameters::new(&raw);
        let viewport = parse_viewport(&mut parameters);
        assert_eq!(viewport.is_none(), !parameters.violations.is_empty(), "{query}");
        parameters.violations.into_iter().map(|it| (it.path.to_string(), it.message.to_string())).collect()
    }

    #[test]
    fn viewport_needs_bounds_and_zoom() {
        assert_eq!(violations("bounds=-5.5,41,10,51.5&zoom=5.9"), []);
        let missing = violations("");
        assert_eq!(missing.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["bounds", "zoom"]);
        assert!(missing[0].1.starts_with("This parameter is required: four numbers"), "{missing:?}");
        for wrong in
            ["1,2,3", "a,b,c,d", "10,41,-5,51", "-5,51,10,41", "-181,41,10,51", "NaN,0,1,1", "1,2,3,4,5"]
        {
            let found = violations(&format!("bounds={wrong}&zoom=5"));
            assert_eq!(found.len(), 1, "{wrong}");
            assert!(found[0].1.contains("west,south,east,north"), "{found:?}");
        }
        for wrong in ["-1", "23", "x", "NaN"] {
            let found = violations(&format!("bounds=0,0,1,1&zoom={wrong}"));
            assert_eq!(found, [("zoom".to_owned(), format!("\"{wrong}\" is not a number from 0 to 22."))]);
        }
    }

    #[test]
    fn facet_fields_are_listed_or_separated_by_commas() {
        let check = |query: &str, expected: &[FacetField], violations: usize| {
            let raw = RawQuery::parse(query).unwrap();
            let mut parameters = Parameters::new(&raw);
            assert_eq!(parse_facet_fields(&mut parameters), expected, "{query}");
            assert_eq!(parameters.violations.len(), violations, "{query}");
        };
        check("", &[FacetField::Price, FacetField::Surface], 0);
        check("fields=rooms,price,rooms", &[FacetField::Rooms, FacetField::Price], 0);
        check(
            "fields[]=surface&fields[]=pricePerMeter",
            &[FacetField::Surface, FacetField::PricePerMeter],
            0,
        );
        check("fields=price,colour", &[FacetField::Price], 1);
    }
}
