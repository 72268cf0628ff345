//! Cities, departments, regions, stations and points.

use domain::{City, Department, GeoPoint, GivenPlace, Region, Station, Zipcode};
use serde::Serialize;

use crate::iri;

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
    #[serde(flatten)]
    point: CityPoint,
}

/// The coordinates of a city. The key depends on the enclosing document.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
enum CityPoint {
    Locations(Option<PointBody>),
    /// Inside webhook payloads.
    Location(Option<PointBody>),
}

impl Default for CityPoint {
    fn default() -> Self {
        Self::Locations(None)
    }
}

impl CityBody {
    /// Returns the city as webhooks carry it.
    #[must_use]
    pub fn in_webhook(self) -> Self {
        let (CityPoint::Locations(point) | CityPoint::Location(point)) = self.point;
        Self { point: CityPoint::Location(point), ..self }
    }

    /// Builds a commune of the reference geography, with the zipcode of the property.
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
            point: CityPoint::Locations(city.centre.map(PointBody::of)),
        }
    }

    /// Builds a place that is not in the reference geography, from what the sender gave.
    pub fn of_given(place: &GivenPlace) -> Option<Self> {
        let GivenPlace { insee, zipcode, city_name, point: _, accuracy: _, country: _ } = place;
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

/// A station as a resource: what documents show of it, and where it is.
#[derive(Debug, Serialize)]
pub struct StationResource {
    #[serde(rename = "@context", skip_serializing_if = "Option::is_none")]
    context: Option<&'static str>,
    #[serde(rename = "@id")]
    iri: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(flatten)]
    station: StationBody,
    locations: PointBody,
}

impl StationResource {
    pub fn of(station: &Station) -> Self {
        Self {
            context: None,
            iri: iri::station(station.id),
            kind: "Station",
            station: StationBody::of(station),
            locations: PointBody::of(station.point),
        }
    }

    /// Adds `@context`, for a response that is not a collection.
    pub fn with_context(self) -> Self {
        Self { context: Some("/contexts/Station"), ..self }
    }
}

/// A city as a resource: the fields of a document's city and those of the nested form.
#[derive(Debug, Serialize)]
pub struct CityResource {
    #[serde(rename = "@context", skip_serializing_if = "Option::is_none")]
    context: Option<&'static str>,
    #[serde(rename = "@id")]
    iri: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    article: Option<String>,
    libelle: String,
    slug: String,
    population: u32,
    /// Only in the resource itself, not in lists of cities.
    #[serde(flatten)]
    outline: Option<OutlineLink>,
    #[serde(flatten)]
    city: CityBody,
}

/// The path of the outline of a place; null if it has none.
#[derive(Debug, Serialize)]
struct OutlineLink {
    outline: Option<String>,
}

impl CityResource {
    pub fn of(city: &City) -> Self {
        Self {
            context: None,
            iri: iri::city(city.id()),
            kind: "City",
            article: city.article.as_deref().map(str::to_owned),
            libelle: city.original_name().to_owned(),
            slug: slug(&city.name),
            population: city.population,
            outline: None,
            city: CityBody::of(city, None),
        }
    }

    /// Adds the path of the outline, or null if there is none.
    pub fn with_outline(self, outline: Option<String>) -> Self {
        Self { outline: Some(OutlineLink { outline }), ..self }
    }

    /// Adds `@context`, for a response that is not a collection.
    pub fn with_context(self) -> Self {
        Self { context: Some("/contexts/City"), ..self }
    }
}

/// A department as a resource, or nested in a search.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DepartmentResource {
    #[serde(rename = "@context", skip_serializing_if = "Option::is_none")]
    context: Option<&'static str>,
    #[serde(rename = "@id")]
    iri: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    id: u64,
    code: String,
    department_code: String,
    name: String,
    name_clean: String,
    chef_lieu: Option<String>,
    region: DivisionBody,
    /// Only in the resource itself, not in lists of departments and in searches.
    #[serde(flatten)]
    outline: Option<OutlineLink>,
}

impl DepartmentResource {
    pub fn of(department: &Department) -> Self {
        Self {
            context: None,
            iri: iri::department(department.id),
            kind: "Department",
            id: department.id,
            code: department.code.to_string(),
            department_code: department.code.to_string(),
            name: department.name.to_string(),
            name_clean: department.name_clean.to_string(),
            chef_lieu: department.capital.as_deref().map(str::to_owned),
            region: DivisionBody::of_region(&department.region),
            outline: None,
        }
    }

    /// Adds the path of the outline, or null if there is none.
    pub fn with_outline(self, outline: Option<String>) -> Self {
        Self { outline: Some(OutlineLink { outline }), ..self }
    }

    pub fn with_context(self) -> Self {
        Self { context: Some("/contexts/Department"), ..self }
    }
}

/// A region as a resource.
#[derive(Debug, Serialize)]
pub struct RegionResource {
    #[serde(rename = "@context", skip_serializing_if = "Option::is_none")]
    context: Option<&'static str>,
    #[serde(rename = "@id")]
    iri: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    slug: String,
    #[serde(flatten)]
    region: DivisionBody,
}

impl RegionResource {
    pub fn of(region: &Region) -> Self {
        Self {
            context: None,
            iri: format!("/regions/{}", region.id),
            kind: "Region",
            slug: slug(&region.name),
            region: DivisionBody::of_region(region),
        }
    }
}

impl RegionResource {
    pub fn with_context(self) -> Self {
        Self { context: Some("/contexts/Region"), ..self }
    }
}

/// A suggestion of the autocomplete: the resource, and keys that all suggestions have in common.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum LocationSuggestion {
    City {
        #[serde(flatten)]
        city: Box<CityResource>,
        code: String,
        #[serde(flatten)]
        common: SuggestionBody,
    },
    Department {
        #[serde(flatten)]
        department: Box<DepartmentResource>,
        locations: Option<PointBody>,
        #[serde(flatten)]
        common: SuggestionBody,
    },
    Station {
        #[serde(flatten)]
        station: Box<StationResource>,
        #[serde(flatten)]
        common: SuggestionBody,
    },
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SuggestionBody {
    #[serde(rename = "type")]
    kind: &'static str,
    /// The name with what tells it from others: `Tours (37000)`.
    display_name: String,
    /// The same as `locations`: existing clients read either one.
    location: Option<PointBody>,
}

/// Names of the kinds of suggestions.
pub const SUGGESTED_CITY: &str = "city";
pub const SUGGESTED_DEPARTMENT: &str = "department";
pub const SUGGESTED_STATION: &str = "station";

impl LocationSuggestion {
    pub fn city(city: &City) -> Self {
        let common = SuggestionBody {
            kind: SUGGESTED_CITY,
            display_name: city
                .main_zipcode()
                .map_or_else(|| city.name.to_string(), |zipcode| format!("{} ({zipcode})", city.name)),
            location: city.centre.map(PointBody::of),
        };
        Self::City { city: Box::new(CityResource::of(city)), code: city.insee.to_string(), common }
    }

    /// Builds the suggestion of a station, with the commune that it is in.
    pub fn station(station: &Station, city: Option<&City>) -> Self {
        let common = SuggestionBody {
            kind: SUGGESTED_STATION,
            display_name: city
                .map_or_else(|| station.name.to_string(), |city| format!("{} ({})", station.name, city.name)),
            location: Some(PointBody::of(station.point)),
        };
        Self::Station { station: Box::new(StationResource::of(station)), common }
    }

    /// Builds the suggestion of a department, located in its capital.
    pub fn department(department: &Department, capital: Option<GeoPoint>) -> Self {
        let location = capital.map(PointBody::of);
        let display_name = format!("{} ({})", department.name, department.code);
        let common = SuggestionBody { kind: SUGGESTED_DEPARTMENT, display_name, location };
        Self::Department {
            department: Box::new(DepartmentResource::of(department)),
            locations: location,
            common,
        }
    }
}

/// Returns a name as addresses of pages have it: `L'Haÿ-les-Roses` → `l-hay-les-roses`.
fn slug(name: &str) -> String {
    domain::fold(name).replace(' ', "-")
}

impl DivisionBody {
    fn of_region(region: &Region) -> Self {
        Self { code: region.code.to_string(), id: region.id, name: region.name.to_string() }
    }
}
