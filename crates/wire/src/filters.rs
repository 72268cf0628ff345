//! The filters of the property collection, out of a query.
//!
//! The table of filters is the domain's; here is one reader for each kind of filter, so that a new row is read without
//! another line. Whatever is wrong becomes a violation of the [`Parameters`]; nothing stops at the first.

pub mod expressions;
pub mod shapes;
mod template;

use domain::criteria::{CriteriaBuilder, Direction, BuiltCriteria, RawCriterion, References};
use domain::filter::{Codes, Kind, PlaceKind, FilterTarget};
use domain::{
    EnergyLetter, FILTERS, Filter, GeoPoint, Insee, Order, OrderBy, SortMode, Timestamp, Violation, Zipcode,
};
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::json::{numeric, shown};
use crate::query::{Parameters, flag, is_nothing, tree};
use crate::{date, iri, site};

pub use template::{collection_parameters, similar_parameters};

/// What it takes to understand references and dates.
pub struct ParseContext<'a> {
    pub references: References<'a>,
    /// Of dates without an offset.
    pub zone: &'a TimeZone,
}

/// Reads every filter. What is answered is of no use when the parameters have violations.
pub fn read(parameters: &mut Parameters<'_>, context: &ParseContext<'_>) -> BuiltCriteria {
    let mut draft = CriteriaBuilder::default();
    for filter in FILTERS {
        if let Some(criterion) = read_one(parameters, filter, context) {
            draft.put(filter, criterion.resolve(&context.references));
        }
    }
    draft.build().unwrap_or_else(|violations| {
        parameters.violations.extend(violations);
        BuiltCriteria::default()
    })
}

/// Reads `order[…]`: what is given replaces the default. Distances are measured from the point that the filters name.
pub fn read_order(parameters: &mut Parameters<'_>, finished: &BuiltCriteria) -> Order {
    let by = orders(parameters);
    if finished.origin.is_none() && by.iter().any(|(by, _)| *by == OrderBy::Distance) {
        let path = format!("order[{}]", order_name(OrderBy::Distance));
        let message = "The distance is measured from \"lat\" and \"lon\", which are not both given.";
        parameters.violations.push(Violation::missing(path, message));
    }
    Order { by, mode: finished.mode, origin: finished.origin }
}

/// What is asked of a list of similar properties beside its page.
pub struct Similar {
    /// Only what was created since.
    pub created_from: Option<Timestamp>,
    pub order: Order,
}

/// Reads `fromDate` and `order[…]` for a list of properties similar to one. Distances are measured from that one.
pub fn read_similar(
    parameters: &mut Parameters<'_>,
    context: &ParseContext<'_>,
    origin: Option<GeoPoint>,
) -> Similar {
    let filter = FILTERS.iter().find(|filter| filter.kind == Kind::From(FilterTarget::Creation));
    let created_from = match filter.and_then(|filter| read_one(parameters, filter, context)) {
        Some(RawCriterion::Timestamp(at)) => Some(at),
        _ => None,
    };
    Similar { created_from, order: Order { by: orders(parameters), origin, ..Order::default() } }
}

fn orders(parameters: &mut Parameters<'_>) -> Vec<(OrderBy, Direction)> {
    let offered: Vec<(&'static str, OrderBy)> =
        OrderBy::ALL.iter().map(|by| (order_name(*by), *by)).collect();
    let by = parameters.order(&offered);
    if by.is_empty() { Order::default().by } else { by }
}

/// The names of all orders.
pub fn order_names() -> Vec<&'static str> {
    OrderBy::ALL.iter().map(|by| order_name(*by)).collect()
}

const fn order_name(by: OrderBy) -> &'static str {
    match by {
        OrderBy::CreatedAt => "createdAt",
        OrderBy::UpdatedAt => "updatedAt",
        OrderBy::LastCrawledAt => "lastCrawledAt",
        OrderBy::ExpiredAt => "expiredAt",
        OrderBy::Price => "price",
        OrderBy::PricePerMeter => "pricePerMeter",
        OrderBy::Surface => "surface",
        OrderBy::Distance => "distance",
    }
}

/// Reads what is said for one filter, under any of its names; nothing when it is not given or cannot be understood.
pub fn read_one(
    parameters: &mut Parameters<'_>,
    filter: &'static Filter,
    context: &ParseContext<'_>,
) -> Option<RawCriterion> {
    let (zone, sites) = (context.zone, context.references.sites);
    match filter.kind {
        Kind::Min(_) | Kind::Max(_) | Kind::Latitude | Kind::Longitude | Kind::Radius => {
            one(parameters, filter, "a number", numeric).map(RawCriterion::Number)
        }
        Kind::From(_) => {
            one(parameters, filter, "a date", |text| date::first_second(text, zone)).map(RawCriterion::Timestamp)
        }
        Kind::To(_) => {
            one(parameters, filter, "a date", |text| date::last_second(text, zone)).map(RawCriterion::Timestamp)
        }
        Kind::Is(_) => one(parameters, filter, "true or false", flag).map(RawCriterion::Flag),
        Kind::Only(_) => {
            let read = one(parameters, filter, "true or false", flag);
            // Here null is an answer: whoever says it asks for nothing, the default included.
            let null = || names(filter).any(|name| parameters.says_null(name)).then_some(false);
            read.or_else(null).map(RawCriterion::Flag)
        }
        Kind::Choice(_, codes) => {
            let chosen = list(parameters, filter, &choices(codes), |text| code(codes, text));
            chosen.map(RawCriterion::Codes)
        }
        Kind::Place(_, PlaceKind::City) => {
            list(parameters, filter, "a reference to a city", iri::parse_city).map(RawCriterion::Cities)
        }
        Kind::Place(_, PlaceKind::Insee) => {
            list(parameters, filter, "an INSEE code", Insee::parse).map(RawCriterion::Communes)
        }
        Kind::Place(_, PlaceKind::Department) => {
            list(parameters, filter, "a reference to a department", iri::parse_department)
                .map(RawCriterion::Departments)
        }
        Kind::Place(_, PlaceKind::Zipcode) => {
            list(parameters, filter, "a zipcode", Zipcode::parse_five_digits).map(RawCriterion::Zipcodes)
        }
        Kind::Site(_) => {
            // Those nobody knows are left out: an empty list that is given is not the same as none.
            let read = |text: &str| site::in_query(text, sites);
            let found = list(parameters, filter, "a reference to a site", read)?;
            Some(RawCriterion::Sites(found.into_iter().flatten().collect()))
        }
        Kind::SiteCategory(_) => {
            let read = |text: &str| site::category_in_query(text, sites);
            let found = list(parameters, filter, "a reference to a category of sites", read)?;
            Some(RawCriterion::SiteCategories(found.into_iter().flatten().collect()))
        }
        Kind::ExcludedProperty => list(parameters, filter, "a reference to a property", iri::parse_property)
            .map(RawCriterion::Properties),
        Kind::SortMode => {
            one(parameters, filter, "property or advert", sort_mode).map(RawCriterion::SortMode)
        }
        Kind::Shapes => {
            let value = nested(parameters, filter)?;
            let mut violations = Vec::new();
            let polygons = shapes::read(filter.name, &value, &mut violations);
            parameters.violations.append(&mut violations);
            (!polygons.is_empty()).then_some(RawCriterion::Polygons(polygons))
        }
        Kind::Expressions => {
            let value = nested(parameters, filter)?;
            let read = expressions::read(filter.name, &value);
            parameters.violations.extend(read.violations);
            read.ignored.into_iter().for_each(|path| parameters.ignore(path));
            (!read.groups.is_empty()).then_some(RawCriterion::Expressions(read.groups))
        }
    }
}

/// Every name of a filter, its own first.
pub(crate) fn names(filter: &'static Filter) -> impl Iterator<Item = &'static str> {
    std::iter::once(filter.name).chain(filter.aliases.iter().copied())
}

/// A single value, under the first of the names that gives one.
fn one<T>(
    parameters: &mut Parameters<'_>,
    filter: &'static Filter,
    expected: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    // Every name is asked for, so that none of them is reported as unknown.
    let given: Vec<_> =
        names(filter).filter_map(|name| parameters.one(name).map(|value| (name, value))).collect();
    let (name, value) = *given.first()?;
    let found = read(value);
    if found.is_none() {
        parameters.refuse(name, value, expected);
    }
    found
}

/// The values under all names together; nothing when there is none.
fn list<T>(
    parameters: &mut Parameters<'_>,
    filter: &'static Filter,
    expected: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Option<Vec<T>> {
    let mut found = Vec::new();
    for name in names(filter) {
        found.extend(parameters.read_list(name, expected, &read));
    }
    (!found.is_empty()).then_some(found)
}

/// What stands under a name with keys inside keys; nothing when all of it is empty.
fn nested(parameters: &mut Parameters<'_>, filter: &'static Filter) -> Option<Value> {
    let mut value = Value::Null;
    for name in names(filter) {
        let given = parameters.pairs(name).filter(|pair| match pair.keys.len() {
            0 | 1 => !is_nothing(&pair.value),
            _ => true,
        });
        match tree(given) {
            Ok(found) if found.as_object().is_some_and(|members| !members.is_empty()) => value = found,
            Ok(_) => {}
            Err(violation) => parameters.violations.push(violation),
        }
    }
    (!value.is_null()).then_some(value)
}

fn sort_mode(text: &str) -> Option<SortMode> {
    match text.to_ascii_lowercase().as_str() {
        "property" => Some(SortMode::Property),
        "advert" => Some(SortMode::Advert),
        _ => None,
    }
}

/// A code of an enumeration as clients write it: a number, or a letter where the enumeration has letters.
fn code(codes: Codes, text: &str) -> Option<u8> {
    match codes {
        Codes::EnergyLetter => EnergyLetter::from_text(text).map(|letter| letter as u8),
        Codes::PropertyType
        | Codes::PublisherType
        | Codes::TransactionType
        | Codes::FeesResponsibility
        | Codes::Accuracy => text.parse().ok().filter(|code| codes.all().contains(code)),
    }
}

fn choices(codes: Codes) -> String {
    let choice = |code: &u8| match codes {
        Codes::EnergyLetter => EnergyLetter::ALL[usize::from(*code)].letter().to_string(),
        _ => code.to_string(),
    };
    format!("one of {}", codes.all().iter().map(choice).collect::<Vec<_>>().join(", "))
}

/// Whether one value of an enumeration is all that makes sense, so that it is written as a number and not as a list.
pub(crate) const fn takes_one(codes: Codes) -> bool {
    match codes {
        Codes::TransactionType | Codes::FeesResponsibility | Codes::Accuracy => true,
        Codes::PropertyType | Codes::PublisherType | Codes::EnergyLetter => false,
    }
}

/// Says in one line what cannot be read, in the words of [`Parameters::refuse`], for values that are not texts.
pub(crate) fn refusal(path: impl Into<String>, value: &Value, expected: &str) -> Violation {
    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Violation::malformed(path, format!("\"{}\" is not {expected}.", shown(&value)))
}

#[cfg(test)]
mod tests;
