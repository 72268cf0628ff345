//! The reference geography.

use super::{READ, none, one, page, parameters};
use crate::operation::{Access, Answer, Content, Method, Operation, OperationId, Parameter, Tag};
use crate::schema::Kind;

const NAME: Parameter =
    Parameter::new("name", "name", Kind::Text, "Part of the name; case and accents do not matter");

/// The border of a place.
const OUTLINE: Answer = Answer {
    status: 200,
    meaning: "The border",
    content: Content::Other("application/geo+json", Some(Kind::Object("Outline"))),
    headers: &[],
};

fn list(own: Vec<Parameter>) -> Vec<Parameter> {
    let common = vec![
        parameters::order("order[name]", "name", "Sort by name"),
        parameters::page(),
        parameters::items_per_page(),
    ];
    [vec![NAME], own, common].concat()
}

pub const OPERATIONS: &[Operation] = &[
    Operation {
        id: OperationId::Autocomplete,
        method: Method::Get,
        path: "/public/location-autocomplete",
        tag: Tag::Places,
        access: Access::Open,
        summary: "Suggest cities and departments for what somebody types",
        description: "By name or by the start of a zipcode, largest first; accents and typing errors are forgiven. The `@id` of a \
                      suggestion is what `includedCities` and `includedDepartments` take.",
        parameters: || {
            let query =
                |name: &'static str| Parameter::new(name, "name", Kind::Text, "What was typed so far");
            let alias = |name: &'static str| Parameter { alias_of: Some("query".into()), ..query(name) };
            vec![
                query("query").required(),
                alias("q"),
                alias("search"),
                Parameter::new(
                    "excludedCitiesIds[]",
                    "id",
                    Kind::List(&Kind::Link("City")),
                    "Not these cities",
                ),
                Parameter::new(
                    "excludedDepartmentsIds[]",
                    "id",
                    Kind::List(&Kind::Link("Department")),
                    "Not these departments",
                ),
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
                Parameter::new("zipcode[]", "zipcode", Kind::List(&Kind::Text), "With any of these zipcodes"),
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
        parameters: || {
            list(vec![Parameter::new("code[]", "code", Kind::List(&Kind::Text), "With any of these codes")])
        },
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
        id: OperationId::Regions,
        method: Method::Get,
        path: "/regions",
        tag: Tag::Places,
        access: READ,
        summary: "List regions",
        description: "",
        parameters: || list(Vec::new()),
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
