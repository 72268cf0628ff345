//! Parses the filters of the property collection from a query.
//!
//! The filter table belongs to `domain`. This module has one parser per kind of filter, so a new row needs no code
//! here. Every invalid value becomes a violation of the [`Parameters`]; parsing never stops at the first one.

pub mod expressions;
pub mod features;
pub mod shapes;
mod template;

use domain::criteria::{BuiltCriteria, CriteriaBuilder, Direction, RawCriterion, References};
use domain::filter::{Codes, FilterTarget, Kind, PlaceKind};
use domain::{
    EnergyLetter, FILTERS, Filter, GeoPoint, Insee, Order, OrderBy, SortMode, Timestamp, Violation, Zipcode,
};
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::json::{parse_number, truncated};
use crate::query::{Parameters, is_unset, parse_flag, tree};
use crate::{accepted, date, iri, site};

pub use template::parameters_of;

/// What the parser needs besides the query.
pub struct ParseContext<'a> {
    pub references: References<'a>,
    /// Time zone of dates without an offset.
    pub zone: &'a TimeZone,
}

/// Parses every filter. The result is meaningless if the parameters have violations.
pub fn parse(parameters: &mut Parameters<'_>, context: &ParseContext<'_>) -> BuiltCriteria {
    let mut builder = CriteriaBuilder::default();
    for filter in FILTERS {
        if let Some(criterion) = parse_one(parameters, filter, context) {
            builder.put(filter, criterion.resolve(&context.references));
        }
    }
    let built = builder.build().unwrap_or_else(|violations| {
        parameters.violations.extend(violations);
        BuiltCriteria::default()
    });
    if built.lone_radius {
        parameters.ignore(RADIUS.to_owned());
    }
    built
}

/// The filter that has no effect without two others.
pub(crate) const RADIUS: &str = "radius";

/// Returns why a name is ignored, for a client that asked for strict handling. A radius is ignored without its centre; every other
/// name is unknown. `kind` says what the names are: parameters or attributes.
pub fn why_ignored(name: &str, kind: &str) -> String {
    match name {
        RADIUS => "A radius has no effect without its centre: give \"lat\" and \"lon\" as well.".to_owned(),
        _ => format!("This {kind} is not known."),
    }
}

/// Parses `order[…]`, which replaces the default order. Distances are measured from the point in the filters.
pub fn parse_order(parameters: &mut Parameters<'_>, finished: &BuiltCriteria) -> Order {
    let by = orders(parameters);
    if finished.origin.is_none() && by.iter().any(|(by, _)| *by == OrderBy::Distance) {
        let path = format!("order[{}]", order_name(OrderBy::Distance));
        let message = "Sorting by distance requires \"lat\" and \"lon\".";
        parameters.violations.push(Violation::missing(path, message));
    }
    Order { by, mode: finished.mode, origin: finished.origin }
}

/// The parameters of a list of similar properties, besides the page.
pub struct Similar {
    /// Only properties created since then.
    pub created_from: Option<Timestamp>,
    pub order: Order,
}

/// Parses `fromDate` and `order[…]` for the properties similar to one. Distances are measured from that property.
pub fn parse_similar(
    parameters: &mut Parameters<'_>,
    context: &ParseContext<'_>,
    origin: Option<GeoPoint>,
) -> Similar {
    let filter = FILTERS.iter().find(|filter| filter.kind == Kind::From(FilterTarget::Creation));
    let created_from = match filter.and_then(|filter| parse_one(parameters, filter, context)) {
        Some(RawCriterion::Timestamp(at)) => Some(at),
        _ => None,
    };
    Similar { created_from, order: Order { by: orders(parameters), origin, ..Order::default() } }
}

fn orders(parameters: &mut Parameters<'_>) -> Vec<(OrderBy, Direction)> {
    let offered: Vec<(&'static str, OrderBy)> =
        OrderBy::ALL.iter().map(|by| (order_name(*by), *by)).collect();
    let by = parameters.order_with_aliases(&offered, ORDER_ALIASES);
    if by.is_empty() { Order::default().by } else { by }
}

/// Parameters of their own for sort keys. The official assistant server sends them.
pub const ORDER_ALIASES: &[(&str, OrderBy)] = &[
    ("orderCreatedAt", OrderBy::CreatedAt),
    ("orderUpdatedAt", OrderBy::UpdatedAt),
    ("orderByCreatedAt", OrderBy::CreatedAt),
    ("orderByUpdatedAt", OrderBy::UpdatedAt),
    ("orderByPrice", OrderBy::Price),
    ("orderByPricePerMeter", OrderBy::PricePerMeter),
    ("orderBySurface", OrderBy::Surface),
];

/// Returns the names of all sort keys.
pub fn order_names() -> Vec<&'static str> {
    OrderBy::ALL.iter().map(|by| order_name(*by)).collect()
}

/// Returns the name of a sort key in `order[…]`.
pub const fn order_name(by: OrderBy) -> &'static str {
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

/// Parses one filter under any of its names. `None` if it is absent or invalid.
pub fn parse_one(
    parameters: &mut Parameters<'_>,
    filter: &'static Filter,
    context: &ParseContext<'_>,
) -> Option<RawCriterion> {
    let (zone, sites) = (context.zone, context.references.sites);
    match filter.kind {
        Kind::Min(_) | Kind::Max(_) | Kind::Latitude | Kind::Longitude | Kind::Radius => {
            one(parameters, filter, "a number", parse_number).map(RawCriterion::Number)
        }
        Kind::From(_) => one(parameters, filter, date::EXPECTED, |text| date::first_second(text, zone))
            .map(RawCriterion::Timestamp),
        Kind::To(_) => one(parameters, filter, date::EXPECTED, |text| date::last_second(text, zone))
            .map(RawCriterion::Timestamp),
        Kind::Is(_) => one(parameters, filter, "true or false", parse_flag).map(RawCriterion::Flag),
        Kind::Only(_) => {
            let read = one(parameters, filter, "true or false", parse_flag);
            // `null` disables the default of this filter.
            let null = || names(filter).any(|name| parameters.is_null(name)).then_some(false);
            read.or_else(null).map(RawCriterion::Flag)
        }
        Kind::Choice(_, codes) => {
            let chosen = list(parameters, filter, &format!("one of {}", accepted::choices(codes)), |text| {
                code(codes, text)
            });
            chosen.map(RawCriterion::Codes)
        }
        Kind::Place(_, PlaceKind::City) => {
            list(parameters, filter, accepted::CITY, iri::parse_city).map(RawCriterion::Cities)
        }
        Kind::Place(_, PlaceKind::Insee) => {
            list(parameters, filter, accepted::INSEE, Insee::parse).map(RawCriterion::Communes)
        }
        Kind::Place(_, PlaceKind::Department) => {
            list(parameters, filter, accepted::DEPARTMENT, iri::parse_department)
                .map(RawCriterion::Departments)
        }
        Kind::Place(_, PlaceKind::Zipcode) => {
            list(parameters, filter, accepted::ZIPCODE, Zipcode::parse_five_digits)
                .map(RawCriterion::Zipcodes)
        }
        Kind::Site(_) => {
            // Unknown sites are left out. A list that becomes empty still matches nothing, unlike an absent list.
            let read = |text: &str| site::parse_site_parameter(text, sites);
            let found = list(parameters, filter, accepted::SITE, read)?;
            Some(RawCriterion::Sites(found.into_iter().flatten().collect()))
        }
        Kind::SiteCategory(_) => {
            let read = |text: &str| site::parse_category_parameter(text, sites);
            let found = list(parameters, filter, accepted::SITE_CATEGORY, read)?;
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
            let polygons = shapes::parse(filter.name, &value, &mut violations);
            parameters.violations.append(&mut violations);
            (!polygons.is_empty()).then_some(RawCriterion::Polygons(polygons))
        }
        Kind::Expressions => {
            let value = nested(parameters, filter)?;
            let read = expressions::parse(filter.name, &value);
            parameters.violations.extend(read.violations);
            read.ignored.into_iter().for_each(|path| parameters.ignore(path));
            (!read.groups.is_empty()).then_some(RawCriterion::Expressions(read.groups))
        }
        Kind::Features => {
            let mut phrases = Vec::new();
            for name in names(filter) {
                let values = parameters.list(name);
                if let Err(violation) = features::check_count(name, values.len()) {
                    parameters.violations.push(violation);
                    continue;
                }
                for value in values {
                    match features::parse(name, value) {
                        Ok(phrase) => phrases.push(phrase),
                        Err(violation) => parameters.violations.push(violation),
                    }
                }
            }
            (!phrases.is_empty()).then_some(RawCriterion::Features(phrases))
        }
    }
}

/// Returns every name of a filter, the main one first.
pub(crate) fn names(filter: &'static Filter) -> impl Iterator<Item = &'static str> {
    std::iter::once(filter.name).chain(filter.aliases.iter().copied())
}

/// Parses a single value under the first name that has one.
fn one<T>(
    parameters: &mut Parameters<'_>,
    filter: &'static Filter,
    expected: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    // Read every name, so that none is reported as unknown.
    let given: Vec<_> =
        names(filter).filter_map(|name| parameters.last(name).map(|value| (name, value))).collect();
    let (name, value) = *given.first()?;
    let found = read(value);
    if found.is_none() {
        parameters.reject(name, value, expected);
    }
    found
}

/// Parses the values under all names. `None` if there are none.
fn list<T>(
    parameters: &mut Parameters<'_>,
    filter: &'static Filter,
    expected: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Option<Vec<T>> {
    let mut found = Vec::new();
    for name in names(filter) {
        found.extend(parameters.parse_list(name, expected, &read));
    }
    (!found.is_empty()).then_some(found)
}

/// Returns the nested value of a filter. `None` if it is empty.
fn nested(parameters: &mut Parameters<'_>, filter: &'static Filter) -> Option<Value> {
    nested_value(parameters, names(filter))
}

/// Returns the nested value of a parameter under its last name that has one.
fn nested_value(parameters: &mut Parameters<'_>, names: impl Iterator<Item = &'static str>) -> Option<Value> {
    let mut value = Value::Null;
    for name in names {
        let given = parameters.pairs(name).filter(|pair| match pair.keys.len() {
            0 | 1 => !is_unset(&pair.value),
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

/// Parses the code of an enumeration: a number, or a letter for energy ratings.
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

/// Returns whether an enumeration filter takes one value, so that it is written as a number and not as a list.
pub const fn is_single_valued(codes: Codes) -> bool {
    match codes {
        Codes::TransactionType | Codes::FeesResponsibility | Codes::Accuracy => true,
        Codes::PropertyType | Codes::PublisherType | Codes::EnergyLetter => false,
    }
}

/// Returns the violation for an invalid value, worded as in [`Parameters::reject`], for values that are not
/// strings.
pub(crate) fn malformed_value(path: impl Into<String>, value: &Value, expected: &str) -> Violation {
    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Violation::malformed(path, format!("\"{}\" is not {expected}.", truncated(&value)))
}

#[cfg(test)]
mod tests;
