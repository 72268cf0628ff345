//! The reference geography: cities, departments, regions, and autocompletion of their names.

use std::collections::HashSet;

use axum::extract::State;
use axum::response::Response;
use description::OperationId;
use description::operations::search_parameters;
use domain::criteria::Direction;
use domain::place::code_as_number;
use domain::{City, Department, Insee, Zipcode};
use http::StatusCode;
use places::{CityFilter, DepartmentFilter, Exclusions, Order, Suggested, Suggestion};
use serde::Serialize;
use wire::hydra::{Collection, Paging, Parameter, View};
use wire::iri;
use wire::place::{CityResource, DepartmentResource, RegionResource};
use wire::query::Parameters;

use super::Shared;
use super::error::{Problem, json};
use super::parameters::QueryText;
use super::path::PathId;

/// Suggestions shown under a search box.
const SUGGESTIONS_DEFAULT: u64 = 10;

/// `GET /cities`
pub async fn cities(State(shared): State<Shared>, query: QueryText) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let filter = CityFilter {
        name: parameters.last("name").map(str::to_owned),
        insee: parameters.parse_list("insee", "an INSEE code", Insee::parse),
        zipcodes: parameters.parse_list("zipcode", "a zipcode", Zipcode::parse_five_digits),
        order: order(&mut parameters),
    };
    let paging = Paging::parse(&mut parameters, Paging::ITEMS_MAX);
    let ignored = query.finish(parameters, &["name"])?;
    let found = shared.app.places().cities_matching(&filter);
    let total = found.len() as u64;
    let members = paging.of(found.into_iter().map(|city| CityResource::of(city)));
    Ok(ignored.on(page(
        "City",
        "/cities",
        &query,
        paging,
        members,
        total,
        search_parameters(OperationId::Cities),
    )))
}

/// `GET /cities/{id}`
pub async fn city(State(shared): State<Shared>, PathId(id): PathId<String>) -> Result<Response, Problem> {
    let city = find_city(&shared, &id)?;
    let outline = shared.app.places().has_city_outline(city).then(|| iri::city_outline(city.id()));
    Ok(json(StatusCode::OK, &CityResource::of(city).with_context().with_outline(outline)))
}

pub fn find_city<'a>(shared: &'a Shared, id: &str) -> Result<&'a City, Problem> {
    let places = shared.app.places();
    let by_id = iri::parse_city(id).and_then(|id| places.city_by_id(id));
    // A former INSEE code leads to the commune that replaced it.
    let former = || Insee::parse(id).and_then(|insee| places.city(&insee));
    by_id.or_else(former).map(|city| &**city).ok_or_else(Problem::not_found)
}

/// `GET /departments`
pub async fn departments(State(shared): State<Shared>, query: QueryText) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let filter = DepartmentFilter {
        name: parameters.last("name").map(str::to_owned),
        codes: parameters
            .parse_list("code", "a department code", |code| code_as_number(code).map(|_| code.to_owned())),
        order: order(&mut parameters),
    };
    let paging = Paging::parse(&mut parameters, Paging::ITEMS_MAX);
    let ignored = query.finish(parameters, &["name"])?;
    let found = shared.app.places().departments_matching(&filter);
    let total = found.len() as u64;
    let members = paging.of(found.into_iter().map(|department| DepartmentResource::of(department)));
    Ok(ignored.on(page(
        "Department",
        "/departments",
        &query,
        paging,
        members,
        total,
        search_parameters(OperationId::Departments),
    )))
}

/// `GET /departments/{id}`
pub async fn department(
    State(shared): State<Shared>,
    PathId(id): PathId<String>,
) -> Result<Response, Problem> {
    let department = find_department(&shared, &id)?;
    let has_outline = shared.app.places().has_department_outline(department);
    let outline = has_outline.then(|| iri::department_outline(department.id));
    Ok(json(StatusCode::OK, &DepartmentResource::of(department).with_context().with_outline(outline)))
}

pub fn find_department<'a>(shared: &'a Shared, id: &str) -> Result<&'a Department, Problem> {
    let found = iri::parse_department(id).and_then(|id| shared.app.places().department_by_id(id));
    found.map(|department| &**department).ok_or_else(Problem::not_found)
}

/// `GET /regions`
pub async fn regions(State(shared): State<Shared>, query: QueryText) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let (name, order) = (parameters.last("name"), order(&mut parameters));
    let paging = Paging::parse(&mut parameters, Paging::ITEMS_MAX);
    let ignored = query.finish(parameters, &["name"])?;
    let found = shared.app.places().regions_matching(name, order);
    let total = found.len() as u64;
    let members = paging.of(found.into_iter().map(|region| RegionResource::of(region)));
    Ok(ignored.on(page(
        "Region",
        "/regions",
        &query,
        paging,
        members,
        total,
        search_parameters(OperationId::Regions),
    )))
}

/// `GET /regions/{id}`
pub async fn region(State(shared): State<Shared>, PathId(id): PathId<String>) -> Result<Response, Problem> {
    let id = code_as_number(&id).ok_or_else(Problem::not_found)?;
    let region = shared.app.places().region_by_id(id).ok_or_else(Problem::not_found)?;
    Ok(json(StatusCode::OK, &RegionResource::of(region).with_context()))
}

/// `GET /public/location-autocomplete`: needs no key.
pub async fn autocomplete(State(shared): State<Shared>, query: QueryText) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let spellings = ["query", "q", "search"].map(|name| parameters.last(name));
    let exclusions = Exclusions {
        cities: ids(&mut parameters, "excludedCitiesIds", "a city id", iri::parse_city),
        departments: ids(&mut parameters, "excludedDepartmentsIds", "a department id", iri::parse_department),
    };
    let items = parameters.count("itemsPerPage", 1).unwrap_or(SUGGESTIONS_DEFAULT).min(Paging::ITEMS_MAX);
    let ignored = query.finish(parameters, &[])?;
    let Some(text) = spellings.into_iter().flatten().next() else {
        return Err(Problem::bad_request("The parameter \"query\" is required."));
    };
    // Suggestions, not a page of a collection: there is no second page, and the total is the number returned.
    let found = shared.app.places().complete(text, usize::try_from(items).unwrap_or_default(), &exclusions);
    let members: Vec<SuggestionBody> = found.iter().map(SuggestionBody::of).collect();
    let (path, total) = ("/public/location-autocomplete", members.len() as u64);
    let collection =
        Collection::new("Location", path, members, total, None, search_parameters(OperationId::Autocomplete));
    Ok(ignored.on(json(StatusCode::OK, &collection)))
}

#[derive(Serialize)]
#[serde(untagged)]
enum SuggestionBody {
    City(Box<CityResource>),
    Department(Box<DepartmentResource>),
}

impl SuggestionBody {
    fn of(suggestion: &Suggestion) -> Self {
        match &suggestion.place {
            Suggested::City(city) => Self::City(Box::new(CityResource::of(city))),
            Suggested::Department(department) => {
                Self::Department(Box::new(DepartmentResource::of(department)))
            }
        }
    }
}

fn ids(
    parameters: &mut Parameters<'_>,
    name: &'static str,
    expected: &str,
    read: impl Fn(&str) -> Option<u64>,
) -> HashSet<u64> {
    parameters.parse_list(name, expected, read).into_iter().collect()
}

fn order(parameters: &mut Parameters<'_>) -> Order {
    match parameters.order(&[("name", ())]).first() {
        None => Order::Id,
        Some(((), Direction::Ascending)) => Order::NameAscending,
        Some(((), Direction::Descending)) => Order::NameDescending,
    }
}

fn page<T: Serialize>(
    resource: &str,
    path: &'static str,
    query: &QueryText,
    paging: Paging,
    members: Vec<T>,
    total: u64,
    parameters: &[Parameter],
) -> Response {
    let view = View::new(path, &query.raw, paging, total);
    json(StatusCode::OK, &Collection::new(resource, path, members, total, view, parameters))
}
