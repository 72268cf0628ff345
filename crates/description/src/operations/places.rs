//! The reference geography.

use super::{READ, none, one, page, parameters};
use crate::codes;
use crate::operation::{Access, Answer, Content, Method, Operation, OperationId, Parameter, Tag};
use crate::schema::Kind;

/// The filters of cities, departments and regions by name.
fn names() -> Vec<Parameter> {
    let name = |name: &'static str| {
        Parameter::new(
            name,
            "name",
            Kind::Text,
            "Part of the name, best match first; case and accents do not matter",
        )
    };
    vec![
        name("name"),
        alias(name("libelle"), "name"),
        alias(name("label"), "name"),
        Parameter::new(
            "slug",
            "slug",
            Kind::Text,
            "The name in lower case with hyphens, such as `saint-denis`",
        ),
    ]
}

fn alias(parameter: Parameter, name: &'static str) -> Parameter {
    Parameter { alias_of: Some(name.into()), ..parameter }
}

fn codes_of(name: &'static str, field: &'static str) -> Parameter {
    Parameter::new(name, field, Kind::List(&Kind::Text), "With any of these codes")
}

/// The border of a place.
const OUTLINE: Answer = Answer {
    status: 200,
    meaning: "The border",
    content: Content::Other("application/geo+json", Some(Kind::Object("Outline"))),
    headers: &[],
};

fn list(own: Vec<Parameter>) -> Vec<Parameter> {
    let common = vec![
        parameters::order("order[name]", "name", "Sort by name").default("asc"),
        alias(parameters::order("sortByName", "name", "Sort by name"), "order[name]"),
        parameters::page(),
        parameters::items_per_page(),
    ];
    [names(), own, common].concat()
}

pub const OPERATIONS: &[Operation] = &[
    Operation {
        id: OperationId::Autocomplete,
        method: Method::Get,
        path: "/public/location-autocomplete",
        tag: Tag::Places,
        access: Access::Open,
        summary: "Suggest cities, departments and stations for what a user types",
        description: "By name or by the start of a zipcode, largest first; accents and typing errors are forgiven. The `@id` of a \
                      suggestion is what `includedCities` and `includedDepartments` take. Stations are suggested only if `type` asks for \
                      them, by the start of a word of their name; use their point with `lat`, `lon` and `radius`.",
        parameters: || {
            let query =
                |name: &'static str| Parameter::new(name, "name", Kind::Text, "What was typed so far");
            let cities = |name: &'static str| {
                Parameter::new(name, "id", Kind::List(&Kind::Link("City")), "Not these cities")
            };
            let departments = |name: &'static str| {
                Parameter::new(name, "id", Kind::List(&Kind::Link("Department")), "Not these departments")
            };
            let types = Kind::List(&Kind::Choice(codes::SUGGESTIONS));
            vec![
                query("query").required(),
                alias(query("q"), "query"),
                alias(query("search"), "query"),
                Parameter::new("type", "type", types, "Only these kinds; cities and departments by default"),
                cities("excludedCitiesIds[]"),
                alias(cities("excludeCities[]"), "excludedCitiesIds[]"),
                departments("excludedDepartmentsIds[]"),
                alias(departments("excludeDepartments[]"), "excludedDepartmentsIds[]"),
                Parameter::new(
                    "itemsPerPage",
                    "itemsPerPage",
                    Kind::Integer,
                    "Suggestions at most; 30 at most",
                )
                .default("10"),
            ]
        },
        body: None,
        answers: &[page("Location", "The suggestions")],
        errors: &[],
    },
    Operation {
        id: OperationId::Cities,
        method: Method::Get,
        path: "/cities",
        tag: Tag::Places,
        access: READ,
        summary: "List cities",
        description: "Communes, and the districts of Paris, Lyon and Marseille.",
        parameters: || {
            list(vec![
                Parameter::new("insee[]", "insee", Kind::List(&Kind::Text), "With any of these INSEE codes"),
                alias(codes_of("code[]", "insee"), "insee[]"),
                alias(codes_of("inseeCode", "insee"), "insee[]"),
                alias(codes_of("inseeCodes[]", "insee"), "insee[]"),
                Parameter::new("zipcode[]", "zipcode", Kind::List(&Kind::Text), "With any of these zipcodes"),
                alias(codes_of("zipcodes[]", "zipcode"), "zipcode[]"),
                Parameter::new(
                    "excludeGroupedCities",
                    "excludeGroupedCities",
                    Kind::Boolean,
                    "Without cities that have districts: the districts only",
                ),
                Parameter::new("polygon", "locations", Kind::Text, "Whose centre is in this polygon"),
            ])
        },
        body: None,
        answers: &[page("City", "A page of cities")],
        errors: &[],
    },
    Operation {
        id: OperationId::City,
        method: Method::Get,
        path: "/cities/{id}",
        tag: Tag::Places,
        access: READ,
        summary: "Read a city",
        description: "By id or INSEE code. A former INSEE code leads to the commune that replaced it.",
        parameters: none,
        body: None,
        answers: &[one(200, "City", "The city")],
        errors: &[],
    },
    Operation {
        id: OperationId::CityOutline,
        method: Method::Get,
        path: "/cities/{id}/outline",
        tag: Tag::Places,
        access: READ,
        summary: "Read the border of a city",
        description: "",
        parameters: none,
        body: None,
        answers: &[OUTLINE],
        errors: &[],
    },
    Operation {
        id: OperationId::Departments,
        method: Method::Get,
        path: "/departments",
        tag: Tag::Places,
        access: READ,
        summary: "List departments",
        description: "",
        parameters: || list(vec![codes_of("code[]", "code")]),
        body: None,
        answers: &[page("Department", "A page of departments")],
        errors: &[],
    },
    Operation {
        id: OperationId::Department,
        method: Method::Get,
        path: "/departments/{id}",
        tag: Tag::Places,
        access: READ,
        summary: "Read a department",
        description: "By id or code.",
        parameters: none,
        body: None,
        answers: &[one(200, "Department", "The department")],
        errors: &[],
    },
    Operation {
        id: OperationId::DepartmentOutline,
        method: Method::Get,
        path: "/departments/{id}/outline",
        tag: Tag::Places,
        access: READ,
        summary: "Read the border of a department",
        description: "",
        parameters: none,
        body: None,
        answers: &[OUTLINE],
        errors: &[],
    },
    Operation {
        id: OperationId::Station,
        method: Method::Get,
        path: "/stations/{id}",
        tag: Tag::Places,
        access: READ,
        summary: "Read a station",
        description: "",
        parameters: none,
        body: None,
        answers: &[one(200, "StationWithPoint", "The station")],
        errors: &[],
    },
    Operation {
        id: OperationId::MapTile,
        method: Method::Get,
        path: "/map/{z}/{x}/{y}",
        tag: Tag::Places,
        access: Access::Open,
        summary: "Read a tile of the base map",
        description: "A vector tile in the scheme of web maps, from zoom 0 to 14. Layers: `land` and `departments`, `communes` from zoom 8, \
                      `places` from zoom 5 by population, `stations` from zoom 11. A tile without anything is empty. It may be cached for \
                      a day.",
        parameters: none,
        body: None,
        answers: &[
            Answer {
                status: 200,
                meaning: "The tile",
                content: Content::Other("application/vnd.mapbox-vector-tile", None),
                headers: &[],
            },
            Answer {
                status: 304,
                meaning: "The client has the present version",
                content: Content::Empty,
                headers: &[],
            },
        ],
        errors: &[400],
    },
    Operation {
        id: OperationId::Regions,
        method: Method::Get,
        path: "/regions",
        tag: Tag::Places,
        access: READ,
        summary: "List regions",
        description: "",
        parameters: || list(vec![codes_of("code[]", "code")]),
        body: None,
        answers: &[page("Region", "A page of regions")],
        errors: &[],
    },
    Operation {
        id: OperationId::Region,
        method: Method::Get,
        path: "/regions/{id}",
        tag: Tag::Places,
        access: READ,
        summary: "Read a region",
        description: "",
        parameters: none,
        body: None,
        answers: &[one(200, "Region", "The region")],
        errors: &[],
    },
];
