//! `hydra:search` of the property collections, derived from the filter table.

use domain::filter::Kind;
use domain::{FILTERS, Filter};

use super::{ORDER_ALIASES, is_single_valued, names, order_name, order_names};
use crate::hydra::Parameter;

/// Returns every parameter of the property collection.
pub fn collection_parameters() -> Vec<Parameter> {
    FILTERS.iter().flat_map(parameters_of).chain(orders()).chain(pages()).collect()
}

/// Returns every filter, for operations that neither sort nor have pages.
pub fn filter_parameters() -> Vec<Parameter> {
    FILTERS.iter().flat_map(parameters_of).collect()
}

/// Returns every parameter of the list of similar properties.
pub fn similar_parameters() -> Vec<Parameter> {
    std::iter::once(Parameter::new("fromDate", "fromDate")).chain(orders()).chain(pages()).collect()
}

fn orders() -> impl Iterator<Item = Parameter> {
    let keys = order_names().into_iter().map(|name| Parameter::from_string(format!("order[{name}]"), name));
    let alias = |(name, by): &(&'static str, _)| Parameter::new(name, order_name(*by));
    keys.chain(ORDER_ALIASES.iter().map(alias))
}

fn pages() -> [Parameter; 2] {
    [Parameter::new("page", "page"), Parameter::new("itemsPerPage", "itemsPerPage")]
}

fn parameters_of(filter: &'static Filter) -> Vec<Parameter> {
    let endings: &[&str] = match filter.kind {
        Kind::Choice(_, codes) if is_single_valued(codes) => &[""],
        Kind::Choice(..)
        | Kind::Place(..)
        | Kind::Site(_)
        | Kind::SiteCategory(_)
        | Kind::ExcludedProperty
        | Kind::Features => &["[]"],
        Kind::Shapes => &["[shape][point][0]", "[shape][point][1]"],
        Kind::Expressions => {
            &["[group][entry][word]", "[group][entry][options][includes]", "[group][entry][options][strict]"]
        }
        Kind::Min(_)
        | Kind::Max(_)
        | Kind::From(_)
        | Kind::To(_)
        | Kind::Is(_)
        | Kind::Only(_)
        | Kind::Latitude
        | Kind::Longitude
        | Kind::Radius
        | Kind::SortMode => &[""],
    };
    let with_endings = |name: &'static str| {
        endings.iter().map(move |ending| Parameter::from_string(format!("{name}{ending}"), filter.name))
    };
    names(filter).flat_map(with_endings).collect()
}
