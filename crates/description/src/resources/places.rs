//! Places: points, cities, departments, regions, stations, outlines.

use crate::codes;
use crate::schema::{Field, Kind, Resource};

pub fn resources() -> Vec<Resource> {
    let mut places = vec![
        Resource::at(
            "City",
            "/cities/{id}",
            "A commune, or a district of Paris, Lyon or Marseille",
            [city_head(), city_fields(), vec![city_point("locations"), outline()]].concat(),
        ),
        Resource::part(
            "CityInProperty",
            "The commune of a property. If it is not in the reference geography, only what the sender gave is known.",
            [city_fields(), vec![city_point("locations")]].concat(),
        )
        .of_class("City"),
        Resource::part(
            "CityInWebhook",
            "The commune of a property inside a webhook",
            [city_fields(), vec![city_point("location")]].concat(),
        )
        .of_class("City"),
        department(),
        location(),
    ];
    places.extend(in_searches());
    places.extend(others());
    places.extend(outlines());
    places
}

#[rustfmt::skip]
fn city_head() -> Vec<Field> {
    vec![
        Field::new("article", Kind::Text, "The article that the name begins with, such as Le").or_null(),
        Field::new("libelle", Kind::Text, "The official name"),
        slug(),
        Field::new("population", Kind::Integer, "The number of inhabitants"),
    ]
}

#[rustfmt::skip]
fn city_fields() -> Vec<Field> {
    vec![
        Field::new("id", Kind::Integer, "The id: the INSEE code as a number (2A is 201, 2B is 202)").or_null(),
        Field::new("cityParentId", Kind::Integer, "The id of the city that a district belongs to").or_null(),
        Field::new("name", Kind::Text, "The name").or_null(),
        Field::new("originalName", Kind::Text, "The official name").or_null(),
        Field::new("insee", Kind::Text, "The INSEE code").or_null(),
        Field::new("zipcode", Kind::Text, "The zipcode: that of the property, else the main one of the commune").or_null(),
        Field::new("country", Kind::Object("Division"), "The country. Its id is the ISO 3166 number.").or_null(),
        Field::new("department", Kind::Object("Division"), "The department").or_null(),
        Field::new("region", Kind::Object("Division"), "The region").or_null(),
        Field::new("groupedCityNames", Kind::List(&Kind::Text), "All names of the commune: its own, then those of its districts and former communes"),
        Field::new("groupedCityZipcodes", Kind::List(&Kind::Text), "All zipcodes of the commune"),
        Field::new("hasGroupedByName", Kind::Boolean, "Whether the commune has several names"),
        Field::new("hasGroupedByZipcode", Kind::Boolean, "Whether the commune has several zipcodes"),
        Field::new("open", Kind::Boolean, "Whether it is inhabited"),
    ]
}

fn city_point(name: &'static str) -> Field {
    Field::new(name, Kind::Object("Point"), "The centre of the commune").or_null()
}

fn slug() -> Field {
    let meaning = "The name in lower case without accents, with hyphens, as in the addresses of pages";
    Field::new("slug", Kind::Text, meaning)
}

fn outline() -> Field {
    let meaning = "The path of the outline as GeoJSON, or null if there is none. Absent in lists.";
    Field::new("outline", Kind::Link("Outline"), meaning).or_null().optional()
}

#[rustfmt::skip]
fn department_fields() -> Vec<Field> {
    vec![
        Field::new("id", Kind::Integer, "The id: the code as a number (2A is 201, 2B is 202)"),
        Field::new("code", Kind::Text, "The code, such as 37 or 2A"),
        Field::new("departmentCode", Kind::Text, "The same as code"),
        Field::new("name", Kind::Text, "The name"),
        Field::new("nameClean", Kind::Text, "The name in lower case without accents"),
        Field::new("chefLieu", Kind::Text, "The name of its capital").or_null(),
        Field::new("region", Kind::Object("Division"), "The region"),
    ]
}

fn department() -> Resource {
    let fields = [department_fields(), vec![outline()]].concat();
    Resource::at("Department", "/departments/{id}", "A department", fields)
}

/// What cities and departments have in common as suggestions.
#[rustfmt::skip]
fn suggestion_fields() -> Vec<Field> {
    vec![
        Field::new("type", Kind::Choice(codes::SUGGESTIONS), "What is suggested"),
        Field::new("displayName", Kind::Text, "The name with its zipcode, code or commune, such as Tours (37000)"),
        Field::new("location", Kind::Object("Point"), "The same as locations; of a department, the centre of its capital").or_null(),
    ]
}

fn station_fields() -> Vec<Field> {
    vec![
        Field::new("id", Kind::Integer, "The id"),
        Field::new("name", Kind::Text, "The name"),
        Field::new("lines", Kind::List(&Kind::Object("Line")), "The lines that stop there"),
    ]
}

/// A suggestion has the fields of a city, of a department or of a station.
fn location() -> Resource {
    let always = ["id", "name"];
    let mut fields: Vec<Field> = Vec::new();
    let city = [city_head(), city_fields(), vec![city_point("locations")]].concat();
    for field in
        city.into_iter().chain(department_fields()).chain(station_fields()).chain(suggestion_fields())
    {
        if fields.iter().all(|known| known.name != field.name) {
            fields.push(if always.contains(&field.name) { field } else { field.optional() });
        }
    }
    let meaning = "A suggestion: a city, a department or a station, with the fields of that resource";
    Resource::at("Location", "/{places}/{id}", meaning, fields).typed(&["City", "Department", "Station"])
}

/// The places that a search names. Their target may have been deleted since.
#[rustfmt::skip]
fn in_searches() -> Vec<Resource> {
    let city = Resource::at("CityInSearch", "/cities/{id}", "A city that a search names. Everything but the path is null if it no longer exists.", vec![
        Field::new("article", Kind::Text, "The article that the name begins with, such as Le").or_null(),
        Field::new("insee", Kind::Text, "The INSEE code").or_null(),
        Field::new("libelle", Kind::Text, "The official name").or_null(),
        Field::new("name", Kind::Text, "The name").or_null(),
        Field::new("zipcode", Kind::Text, "The main zipcode").or_null(),
    ]);
    let department = Resource::at("DepartmentInSearch", "/departments/{id}", "A department that a search names. Everything but the path is null or absent if it no longer exists.", vec![
        Field::new("id", Kind::Integer, "The id").optional(),
        Field::new("code", Kind::Text, "The code, such as 37 or 2A").optional(),
        Field::new("departmentCode", Kind::Text, "The same as code").or_null(),
        Field::new("name", Kind::Text, "The name").or_null(),
        Field::new("nameClean", Kind::Text, "The name in lower case without accents").or_null(),
        Field::new("chefLieu", Kind::Text, "The name of its capital").or_null(),
        Field::new("region", Kind::Object("Division"), "The region").optional(),
    ]);
    vec![city.of_class("City"), department.of_class("Department")]
}

#[rustfmt::skip]
fn others() -> Vec<Resource> {
    let division = || vec![
        Field::new("code", Kind::Text, "The code"),
        Field::new("id", Kind::Integer, "The id: the code as a number"),
        Field::new("name", Kind::Text, "The name"),
    ];
    vec![
        Resource::at("Region", "/regions/{id}", "A region", [vec![slug()], division()].concat()),
        Resource::part("Division", "A country, region or department, inside another place", division()),
        Resource::part("Point", "Coordinates (WGS 84)", vec![
            Field::new("lat", Kind::Number, "Latitude in degrees"),
            Field::new("lon", Kind::Number, "Longitude in degrees"),
        ]),
        Resource::part("Station", "A station of a train, metro or tram", station_fields()),
        Resource::at("StationWithPoint", "/stations/{id}", "A station, and where it is", [
            station_fields(),
            vec![Field::new("locations", Kind::Object("Point"), "Where it is")],
        ].concat()).of_class("Station"),
        Resource::part("Line", "A line of public transport", vec![
            Field::new("id", Kind::Integer, "The id"),
            Field::new("name", Kind::Text, "The name, such as Tram T4"),
            Field::new("number", Kind::Text, "The number, such as T4 or 7bis"),
            Field::new("routeName", Kind::Text, "The places that the line connects"),
            Field::new("color", Kind::Text, "The colour on maps, such as #dc9600"),
        ]),
    ]
}

const POSITION: Kind = Kind::List(&Kind::Number);
const POLYGON: Kind = Kind::List(&Kind::List(&POSITION));

#[rustfmt::skip]
fn outlines() -> Vec<Resource> {
    vec![
        Resource::part("Outline", "The outline of a city or department: a GeoJSON feature", vec![
            Field::new("type", Kind::Constant("Feature"), "The GeoJSON type"),
            Field::new("id", Kind::Integer, "The id of the place"),
            Field::new("properties", Kind::Object("OutlineProperties"), "What the outline is of"),
            Field::new("geometry", Kind::Object("Geometry"), "The border"),
        ]),
        Resource::part("OutlineProperties", "What an outline is of", vec![
            Field::new("id", Kind::Integer, "The id of the place"),
            Field::new("name", Kind::Text, "The name of the place"),
            Field::new("insee", Kind::Text, "The INSEE code of a city").optional(),
            Field::new("code", Kind::Text, "The code of a department").optional(),
        ]),
        Resource::part("Geometry", "A GeoJSON geometry", vec![
            Field::new("type", Kind::Choice(codes::GEOMETRIES), "One area or several"),
            Field::new("coordinates", Kind::AnyOf(&[POLYGON, Kind::List(&POLYGON)]), "Rings of points, the outer ring first. Each point is a longitude and a latitude in degrees."),
        ]),
    ]
}
