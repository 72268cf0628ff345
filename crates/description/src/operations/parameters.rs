//! Parameters that several operations share.

use std::borrow::Cow;

use domain::filter::{Codes, Filter, FilterTarget, Kind as FilterKind};
use domain::{FILTERS, OrderBy};

use crate::codes;
use crate::operation::Parameter;
use crate::schema::Kind;

pub fn page() -> Parameter {
    Parameter::new("page", "page", Kind::Integer, "Number of the page, from 1").default("1")
}

/// The page size of collections whose default is the maximum.
pub fn items_per_page() -> Parameter {
    Parameter::new("itemsPerPage", "itemsPerPage", Kind::Integer, ITEMS).default("30")
}

const ITEMS: &str = "Objects per page; more than 30 means 30, and 0 asks for the total only";

/// Sorting by a name.
pub fn order(name: &'static str, field: &'static str, meaning: &'static str) -> Parameter {
    Parameter::new(name, field, Kind::Choice(codes::DIRECTIONS), meaning)
}

/// Every filter of the property collection, under all its names.
pub fn filters() -> Vec<Parameter> {
    FILTERS.iter().flat_map(filter).collect()
}

/// Filters, orders and pages of the property collection.
pub fn property_collection() -> Vec<Parameter> {
    [filters(), orders(), pages()].concat()
}

/// `fromDate`, orders and pages.
pub fn similar_properties() -> Vec<Parameter> {
    let from = FILTERS.iter().filter(|filter| filter.kind == FilterKind::From(FilterTarget::Creation));
    [from.flat_map(filter).collect(), orders(), pages()].concat()
}

fn pages() -> Vec<Parameter> {
    vec![page(), Parameter::new("itemsPerPage", "itemsPerPage", Kind::Integer, ITEMS).default("10")]
}

fn orders() -> Vec<Parameter> {
    let order = |by: &OrderBy| {
        let name = wire::filters::order_name(*by);
        Parameter {
            name: Cow::Owned(format!("order[{name}]")),
            field: name,
            kind: Kind::Choice(codes::DIRECTIONS),
            meaning: Cow::Borrowed(order_meaning(*by)),
            required: false,
            default: matches!(by, OrderBy::CreatedAt | OrderBy::PricePerMeter).then_some("desc"),
            alias_of: None,
        }
    };
    let alias = |(name, by): &(&'static str, OrderBy)| Parameter {
        name: Cow::Borrowed(*name),
        alias_of: Some(order(by).name),
        default: None,
        ..order(by)
    };
    OrderBy::ALL.iter().map(order).chain(wire::filters::ORDER_ALIASES.iter().map(alias)).collect()
}

const fn order_meaning(by: OrderBy) -> &'static str {
    match by {
        OrderBy::CreatedAt => {
            "Sort by creation; several orders apply as given, and any order replaces the defaults"
        }
        OrderBy::UpdatedAt => "Sort by the last change",
        OrderBy::LastCrawledAt => "Sort by the last crawl",
        OrderBy::ExpiredAt => "Sort by expiry",
        OrderBy::Price => "Sort by price",
        OrderBy::PricePerMeter => "Sort by price per square metre",
        OrderBy::Surface => "Sort by surface",
        OrderBy::Distance => "Sort by the distance from lat and lon",
    }
}

/// Returns the parameters of a filter: one for each of its names and, for nested values, for each of their keys.
fn filter(filter: &'static Filter) -> Vec<Parameter> {
    let described = |parameter: wire::hydra::Parameter| {
        let stem = parameter.variable.split('[').next().unwrap_or_default();
        let alias =
            (stem != filter.name).then(|| Cow::Owned(parameter.variable.replacen(stem, filter.name, 1)));
        Parameter {
            kind: value(filter, &parameter.variable),
            meaning: Cow::Borrowed(filter.description),
            required: false,
            default: default(filter),
            alias_of: alias,
            field: parameter.property,
            name: parameter.variable,
        }
    };
    wire::filters::parameters_of(filter).into_iter().map(described).collect()
}

fn default(filter: &Filter) -> Option<&'static str> {
    match filter.name {
        "withCoherentPrice" => Some("true"),
        "sortMode" => Some("property"),
        _ => None,
    }
}

/// Returns the kind of a filter's value in a query.
fn value(filter: &Filter, variable: &str) -> Kind {
    match filter.kind {
        FilterKind::Min(_)
        | FilterKind::Max(_)
        | FilterKind::Latitude
        | FilterKind::Longitude
        | FilterKind::Radius
        | FilterKind::Shapes => Kind::Number,
        FilterKind::From(_) | FilterKind::To(_) => Kind::Date,
        FilterKind::Is(_) | FilterKind::Only(_) => Kind::Boolean,
        FilterKind::Choice(_, codes) => choice(codes),
        FilterKind::Place(_, kind) => place(kind),
        FilterKind::Site(_) => Kind::List(&Kind::Text),
        FilterKind::SiteCategory(_) => Kind::List(&Kind::Link("SiteCategory")),
        FilterKind::ExcludedProperty => Kind::List(&Kind::Link("Property")),
        FilterKind::SortMode => Kind::Choice(codes::SORT_MODES),
        FilterKind::Expressions if variable.ends_with("[word]") => Kind::Text,
        FilterKind::Expressions => Kind::Boolean,
        FilterKind::Features => Kind::List(&Kind::Text),
    }
}

const fn choice(codes: Codes) -> Kind {
    match codes {
        Codes::PropertyType => Kind::List(&Kind::Code(codes::PROPERTY_TYPES)),
        Codes::PublisherType => Kind::List(&Kind::Code(codes::PUBLISHER_TYPES)),
        Codes::TransactionType => Kind::Code(codes::TRANSACTION_TYPES),
        Codes::FeesResponsibility => Kind::Code(codes::FEES_RESPONSIBILITIES),
        Codes::Accuracy => Kind::Code(codes::ACCURACIES),
        Codes::EnergyLetter => Kind::List(&Kind::Choice(codes::ENERGY_LETTERS)),
    }
}

const fn place(kind: domain::filter::PlaceKind) -> Kind {
    match kind {
        domain::filter::PlaceKind::City => Kind::List(&Kind::Link("City")),
        domain::filter::PlaceKind::Department => Kind::List(&Kind::Link("Department")),
        domain::filter::PlaceKind::Insee | domain::filter::PlaceKind::Zipcode => Kind::List(&Kind::Text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collection_has_every_filter_order_and_page() {
        let parameters = property_collection();
        let has = |name: &str| parameters.iter().any(|parameter| parameter.name == name);
        for expected in [
            "budgetMin",
            "propertyTypes[]",
            "transactionType",
            "isExpired",
            "includedCities[]",
            "order[distance]",
            "page",
            "geoShapes[shape][point][0]",
            "expressions[group][entry][options][strict]",
            "itemsPerPage",
        ] {
            assert!(has(expected), "{expected}");
        }
        for filter in FILTERS {
            assert!(parameters.iter().any(|parameter| parameter.field == filter.name), "{}", filter.name);
        }
    }

    #[test]
    fn aliases_name_what_they_stand_for() {
        let all = filters();
        let alias = all.iter().find(|parameter| parameter.name == "isExpired");
        assert_eq!(alias.and_then(|parameter| parameter.alias_of.as_deref()), Some("expired"));
        for parameter in &all {
            if let Some(name) = &parameter.alias_of {
                assert!(all.iter().any(|other| other.name == *name), "{name}");
            }
        }
    }
}
