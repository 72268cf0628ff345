//! Places: points, cities, departments, regions, stations.

use crate::schema::{Field, Identity, Kind, Resource};

pub fn resources() -> Vec<Resource> {
    vec![Resource {
        name: "Point",
        meaning: "Coordinates (WGS 84)",
        identity: Identity::Part,
        fields: vec![
            Field::new("lat", Kind::Number, "Latitude in degrees"),
            Field::new("lon", Kind::Number, "Longitude in degrees"),
        ],
    }]
}
