//! The reference geography: cities, departments, regions, and autocompletion of their names.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use description::OperationId;
use description::operations::search_parameters;
use domain::criteria::Direction;
use domain::place::code_as_number;
use domain::{City, Department, Insee, Station, Zipcode};
use http::StatusCode;
use places::{CityFilter, DivisionFilter, Exclusions, Order, Suggested, SuggestedKinds, Suggestion};
use serde::Serialize;
use wire::accepted;
use wire::filters::shapes;
use wire::hydra::{Collection, Paging, Parameter, View};
use wire::iri;
use wire::place::{
    CityResource, DepartmentResource, LocationSuggestion, RegionResource, SUGGESTED_CITY,
    SUGGESTED_DEPARTMENT, SUGGESTED_STATION, StationResource,
};
use wire::query::Parameters;

use super::Shared;
use super::error::{Problem, json};
use super::metering;
use super::parameters::QueryText;
use super::path::PathId;

/// Suggestions shown under a search box.
const SUGGESTIONS_DEFAULT: u64 = 10;

/// One in so many suggestions may be a station, if stations are asked for, even if there are enough places.
const STATION_SHARE: usize = 4;

/// `GET /cities`
pub async fn cities(State(shared): State<Shared>, query: QueryText) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let filter = CityFilter {
        name: name(&mut parameters),
        slug: parameters.last("slug").map(str::to_owned),
        insee: lists(
            &mut parameters,
            ["insee", "code", "inseeCode", "inseeCodes"],
            accepted::INSEE,
            Insee::parse,
        ),
        zipcodes: lists(
            &mut parameters,
            ["zipcode", "zipcodes"],
            accepted::ZIPCODE,
            Zipcode::parse_five_digits,
        ),
        without_grouped: parameters.flag("excludeGroupedCities").unwrap_or_default(),
        polygons: shapes::parse_one_or_many(&mut parameters, "polygon"),
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
    let filter = division_filter(&mut parameters, "a department code, such as 37 or 2A");
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
    let filter = division_filter(&mut parameters, "a region code, such as 24");
    let paging = Paging::parse(&mut parameters, Paging::ITEMS_MAX);
    let ignored = query.finish(parameters, &["name"])?;
    let found = shared.app.places().regions_matching(&filter);
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
    let (cities, departments) =
        (["excludedCitiesIds", "excludeCities"], ["excludedDepartmentsIds", "excludeDepartments"]);
    let departments = lists(&mut parameters, departments, accepted::DEPARTMENT, iri::parse_department);
    let kinds = kinds(&mut parameters);
    let exclusions = Exclusions {
        cities: lists(&mut parameters, cities, accepted::CITY, iri::parse_city).into_iter().collect(),
        departments: departments.into_iter().collect(),
        kinds: kinds.places.unwrap_or_default(),
    };
    let items = parameters.count("itemsPerPage", 1).unwrap_or(SUGGESTIONS_DEFAULT).min(Paging::ITEMS_MAX);
    let ignored = query.finish(parameters, &[])?;
    let Some(text) = spellings.into_iter().flatten().next() else {
        return Err(Problem::bad_request("The parameter \"query\" is required."));
    };
    // Suggestions, not a page of a collection: there is no second page, and the total is the number returned.
    let items = usize::try_from(items).unwrap_or_default();
    let stations = shared.app.places().complete_stations(text, kinds.stations_max(items));
    let found = match kinds.places {
        Some(_) => shared.app.places().complete(text, items, &exclusions),
        None => Vec::new(),
    };
    // Stations come between the places that match exactly and those with typing errors. Without any, the order is that of the places.
    let comes_first = |suggestion: &&Suggestion| stations.is_empty() || suggestion.edits == 0;
    let (mut exact, misspelt): (Vec<_>, Vec<_>) = found.iter().partition(comes_first);
    exact.truncate(items - stations.len().min(items / STATION_SHARE));
    let place = |suggestion: &Suggestion| suggestion_body(&shared, suggestion);
    let station = |station: &Arc<Station>| {
        LocationSuggestion::station(station, shared.app.places().city_at(station.point).map(|city| &**city))
    };
    let members = exact.into_iter().map(place).chain(stations.iter().map(station));
    let members: Vec<LocationSuggestion> =
        members.chain(misspelt.into_iter().map(place)).take(items).collect();
    let (path, total) = ("/public/location-autocomplete", members.len() as u64);
    let collection =
        Collection::new("Location", path, members, total, None, search_parameters(OperationId::Autocomplete));
    Ok(ignored.on(json(StatusCode::OK, &collection)))
}

fn suggestion_body(shared: &Shared, suggestion: &Suggestion) -> LocationSuggestion {
    match &suggestion.place {
        Suggested::City(city) => LocationSuggestion::city(city),
        Suggested::Department(department) => {
            let capital =
                department.capital_insee.as_ref().and_then(|insee| shared.app.places().city(insee)?.centre);
            LocationSuggestion::department(department, capital)
        }
    }
}

/// What to suggest.
struct Kinds {
    /// `None` if only stations are.
    places: Option<SuggestedKinds>,
    stations: bool,
}

impl Kinds {
    /// Returns how many stations to look for.
    const fn stations_max(&self, items: usize) -> usize {
        if self.stations { items } else { 0 }
    }
}

/// Parses `type`: any of the kinds. Stations only on request: a client that knows only places cannot use them.
fn kinds(parameters: &mut Parameters<'_>) -> Kinds {
    let expected = format!("{SUGGESTED_CITY}, {SUGGESTED_DEPARTMENT} or {SUGGESTED_STATION}");
    let given = parameters.parse_list("type", &expected, |text| match text.to_ascii_lowercase().as_str() {
        SUGGESTED_CITY | "cities" => Some(SUGGESTED_CITY),
        SUGGESTED_DEPARTMENT | "departments" => Some(SUGGESTED_DEPARTMENT),
        SUGGESTED_STATION | "stations" => Some(SUGGESTED_STATION),
        _ => None,
    });
    let wants = |kind| given.contains(&kind);
    let places = match (wants(SUGGESTED_CITY), wants(SUGGESTED_DEPARTMENT)) {
        (true, false) => Some(SuggestedKinds::Cities),
        (false, true) => Some(SuggestedKinds::Departments),
        (false, false) if wants(SUGGESTED_STATION) => None,
        (true, true) | (false, false) => Some(SuggestedKinds::All),
    };
    Kinds { places, stations: wants(SUGGESTED_STATION) }
}

/// `GET /stations/{id}`
pub async fn station(State(shared): State<Shared>, PathId(id): PathId<u32>) -> Result<Response, Problem> {
    let station = shared.app.places().station_by_id(id).ok_or_else(Problem::not_found)?;
    Ok(json(StatusCode::OK, &StationResource::of(station).with_context()))
}

/// Parses the values under all names of a parameter.
fn lists<T, const N: usize>(
    parameters: &mut Parameters<'_>,
    names: [&'static str; N],
    expected: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Vec<T> {
    names.into_iter().flat_map(|name| parameters.parse_list(name, expected, &read)).collect()
}

/// Returns the part of a name to look for, under the first name that has one.
fn name(parameters: &mut Parameters<'_>) -> Option<String> {
    let given = ["name", "libelle", "label"].map(|name| parameters.last(name));
    given.into_iter().flatten().next().map(str::to_owned)
}

fn division_filter(parameters: &mut Parameters<'_>, expected: &str) -> DivisionFilter {
    DivisionFilter {
        name: name(parameters),
        slug: parameters.last("slug").map(str::to_owned),
        codes: parameters.parse_list("code", expected, |code| code_as_number(code).map(|_| code.to_owned())),
        order: order(parameters),
    }
}

fn order(parameters: &mut Parameters<'_>) -> Order {
    match parameters.order_with_aliases(&[("name", ())], &[("sortByName", ())]).first() {
        None => Order::BestMatch,
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
    metering::page(&Collection::new(resource, path, members, total, view, parameters))
}
