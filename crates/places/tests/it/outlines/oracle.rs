//! The oracle: the published TopoJSON in degrees, and the even-odd rule over all edges.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::sync::OnceLock;

use domain::GeoPoint;
use flate2::read::GzDecoder;
use serde_json::Value;
use serde_json::value::RawValue;
use testkit::random::Random;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/outlines/communes.topojson.gz");

/// The codes of Paris, Lyon and Marseille, which districts cover.
const WITH_DISTRICTS: [&str; 3] = ["75056", "69123", "13055"];

pub struct Oracle {
    /// Communes without districts, and districts.
    pub cities: Vec<Region>,
    pub cities_with_districts: Vec<Region>,
    pub departments: Vec<Region>,
}

pub struct Region {
    pub code: String,
    /// All rings, as longitude and latitude. The last vertex is the first.
    pub rings: Vec<Vec<[f64; 2]>>,
    /// West, south, east, north.
    bounds: [f64; 4],
}

type Object = HashMap<String, Box<RawValue>>;

impl Oracle {
    pub fn get() -> &'static Self {
        static ORACLE: OnceLock<Oracle> = OnceLock::new();
        ORACLE.get_or_init(Self::read)
    }

    fn read() -> Self {
        let mut text = String::new();
        GzDecoder::new(fs::File::open(FILE).expect("the file exists"))
            .read_to_string(&mut text)
            .expect("valid TopoJSON");
        let file: Object = serde_json::from_str(&text).expect("valid TopoJSON");
        let transform: HashMap<String, [f64; 2]> = parse(&file["transform"]);
        let (scale, translate) = (transform["scale"], transform["translate"]);
        let arcs: Vec<Vec<[f64; 2]>> = parse(&file["arcs"]);
        let degrees = |arc: &Vec<[f64; 2]>| -> Vec<[f64; 2]> {
            let mut at = [0.0, 0.0];
            let vertices = arc.iter().map(|step| {
                at = [at[0] + step[0], at[1] + step[1]];
                // About 150 vertices lie between two steps. The service keeps them to a 32nd of a step, which is 0.7 m.
                let steps = at.map(|steps| (steps * 32.0).round() / 32.0);
                [steps[0] * scale[0] + translate[0], steps[1] * scale[1] + translate[1]]
            });
            vertices.collect()
        };
        let arcs: Vec<Vec<[f64; 2]>> = arcs.iter().map(degrees).collect();
        let layers: Object = parse(&file["objects"]);
        let layer = |name: &str| -> Vec<Region> {
            let layer: Object = parse(&layers[name]);
            let geometries: Vec<Value> = parse(&layer["geometries"]);
            geometries.iter().map(|geometry| Region::read(geometry, &arcs)).collect()
        };
        let (cities_with_districts, mut cities): (Vec<Region>, Vec<Region>) =
            layer("communes").into_iter().partition(|it| WITH_DISTRICTS.contains(&it.code.as_str()));
        cities.extend(layer("districts"));
        Self { cities, cities_with_districts, departments: layer("departments") }
    }

    /// Returns the codes of all cities that contain a point.
    pub fn cities_at(&self, point: GeoPoint) -> Vec<&str> {
        self.cities
            .iter()
            .filter(|region| region.contains(point))
            .map(|region| region.code.as_str())
            .collect()
    }
}

fn parse<'a, T: serde::Deserialize<'a>>(text: &'a RawValue) -> T {
    serde_json::from_str(text.get()).expect("valid TopoJSON")
}

impl Region {
    fn read(geometry: &Value, arcs: &[Vec<[f64; 2]>]) -> Self {
        let properties = &geometry["properties"];
        let code = properties.get("insee").unwrap_or(&properties["code"]).as_str().expect("valid TopoJSON");
        let list = |value: &Value| value.as_array().expect("valid TopoJSON").clone();
        let polygons = match geometry["type"].as_str().expect("valid TopoJSON") {
            "Polygon" => vec![geometry["arcs"].clone()],
            _ => list(&geometry["arcs"]),
        };
        let ring = |references: &Value| {
            let mut vertices: Vec<[f64; 2]> = Vec::new();
            for reference in list(references) {
                let reference = reference.as_i64().expect("valid TopoJSON");
                vertices.pop();
                if reference < 0 {
                    vertices.extend(arcs[!reference as usize].iter().rev());
                } else {
                    vertices.extend(&arcs[reference as usize]);
                }
            }
            vertices
        };
        let rings: Vec<Vec<[f64; 2]>> =
            polygons.iter().flat_map(list).map(|references| ring(&references)).collect();
        let mut bounds = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
        for [lon, lat] in rings.iter().flatten() {
            bounds = [bounds[0].min(*lon), bounds[1].min(*lat), bounds[2].max(*lon), bounds[3].max(*lat)];
        }
        Self { code: code.to_owned(), rings, bounds }
    }

    /// Returns `true` if a ray to the east crosses the rings an odd number of times.
    pub fn contains(&self, point: GeoPoint) -> bool {
        let [west, south, east, north] = self.bounds;
        let (lat, lon) = (point.lat(), point.lon());
        if !(south..=north).contains(&lat) || !(west..=east).contains(&lon) {
            return false;
        }
        let crossed = |edge: &[[f64; 2]]| {
            let ([a_lon, a_lat], [b_lon, b_lat]) = (edge[0], edge[1]);
            (a_lat > lat) != (b_lat > lat) && lon < a_lon + (lat - a_lat) / (b_lat - a_lat) * (b_lon - a_lon)
        };
        self.rings.iter().flat_map(|ring| ring.windows(2)).filter(|edge| crossed(edge)).count() % 2 == 1
    }

    /// Draws a point inside, evenly.
    pub fn random_point(&self, random: &mut Random) -> GeoPoint {
        let [west, south, east, north] = self.bounds;
        loop {
            let point = GeoPoint::new(random.uniform(south, north), random.uniform(west, east))
                .expect("a point of the outline");
            if self.contains(point) {
                return point;
            }
        }
    }
}
