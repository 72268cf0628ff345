//! Places as clients read them: cities, stations, points.

use domain::{City, GeoPoint, GivenPlace, Station, Zipcode};
use serde::Serialize;

#[derive(Debug, Clone, Copy, Serialize)]
pub struct PointBody {
    lat: f64,
    lon: f64,
}

impl PointBody {
    pub fn of(point: GeoPoint) -> Self {
        Self { lat: point.lat(), lon: point.lon() }
    }
}

/// A country, a department or a region inside a city.
#[derive(Debug, Serialize)]
struct DivisionBody {
    code: String,
    id: u64,
    name: String,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CityBody {
    id: Option<u64>,
    city_parent_id: Option<u64>,
    name: Option<String>,
    original_name: Option<String>,
    insee: Option<String>,
    zipcode: Option<String>,
    country: Option<DivisionBody>,
    department: Option<DivisionBody>,
    region: Option<DivisionBody>,
    grouped_city_names: Vec<String>,
    grouped_city_zipcodes: Vec<String>,
    has_grouped_by_name: bool,
    has_grouped_by_zipcode: bool,
    open: bool,
    locations: Option<PointBody>,
}

impl CityBody {
    /// A commune of the reference geography, under the zipcode a property has in it.
    pub fn of(city: &City, zipcode: Option<&Zipcode>) -> Self {
        let division = |code: &str, id, name: &str| {
            Some(DivisionBody { code: code.to_owned(), id, name: name.to_owned() })
        };
        let (department, region, country) = (&city.department, &city.department.region, &city.country);
        Self {
            id: Some(city.id()),
            city_parent_id: city.parent_id(),
            name: Some(city.name.to_string()),
            original_name: Some(city.original_name().to_owned()),
            insee: Some(city.insee.to_string()),
            zipcode: zipcode.or(city.main_zipcode()).map(|zipcode| zipcode.to_string()),
            country: division(&country.code, country.id, &country.name),
            department: division(&department.code, department.id, &department.name),
            region: division(&region.code, region.id, &region.name),
            grouped_city_names: city.all_names().map(str::to_owned).collect(),
            grouped_city_zipcodes: city.zipcodes.iter().map(|zipcode| zipcode.to_string()).collect(),
            has_grouped_by_name: city.has_grouped_names(),
            has_grouped_by_zipcode: city.has_grouped_zipcodes(),
            open: city.is_open(),
            locations: city.centre.map(PointBody::of),
        }
    }

    /// A place the reference geography does not know: what the sender said of it, and nothing else.
    pub fn of_given(place: &GivenPlace) -> Option<Self> {
        let GivenPlace { insee, zipcode, city_name, point: _, accuracy: _ } = place;
        if insee.is_none() && zipcode.is_none() && city_name.is_none() {
            return None;
        }
        Some(Self {
            id: insee.as_ref().map(|insee| insee.id()),
            name: city_name.as_ref().map(|name| name.to_string()),
            original_name: city_name.as_ref().map(|name| name.to_string()),
            insee: insee.as_ref().map(|insee| insee.to_string()),
            zipcode: zipcode.as_ref().map(|zipcode| zipcode.to_string()),
            ..Self::default()
        })
    }
}

#[derive(Debug, Serialize)]
pub struct StationBody {
    id: u32,
    name: String,
    lines: Vec<LineBody>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LineBody {
    id: u32,
    name: String,
    number: String,
    route_name: String,
    color: String,
}

impl StationBody {
    pub fn of(station: &Station) -> Self {
        let Station { id, name, point: _, lines } = station;
        let line = |line: &std::sync::Arc<domain::Line>| LineBody {
            id: line.id,
            name: line.name.to_string(),
            number: line.number.to_string(),
            route_name: line.route_name.to_string(),
            color: line.color.to_string(),
        };
        Self { id: *id, name: name.to_string(), lines: lines.iter().map(line).collect() }
    }
}
