//! `hydra:search` of the collections of properties, derived from the table of filters.

use domain::filter::Kind;
use domain::{FILTERS, Filter};

use super::{names, order_names, takes_one};
use crate::hydra::Parameter;

/// Every parameter of the property collection, as clients write it.
pub fn collection_parameters() -> Vec<Parameter> {
    FILTERS.iter().flat_map(spellings).chain(orders()).chain(pages()).collect()
}

/// Those of the list of similar properties.
pub fn similar_parameters() -> Vec<Parameter> {
    std::iter::once(Parameter::new("fromDate", "fromDate")).chain(orders()).chain(pages()).collect()
}

fn orders() -> impl Iterator<Item = Parameter> {
    order_names().into_iter().map(|name| Parameter::made(format!("order[{name}]"), name))
}

fn pages() -> [Parameter; 2] {
    [Parameter::new("page", "page"), Parameter::new("itemsPerPage", "itemsPerPage")]
}

fn spellings(filter: &'static Filter) -> Vec<Parameter> {
    let endings: &[&str] = match filter.kind {
        Kind::Choice(_, codes) if takes_one(codes) => &[""],
        Kind::Choice(..)
        | Kind::Place(..)
        | Kind::Site(_)
        | Kind::SiteCategory(_)
        | Kind::ExcludedProperty => &["[]"],
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
    let spelled = |name: &'static str| {
        endings.iter().map(move |ending| Parameter::made(format!("{name}{ending}"), filter.name))
    };
    names(filter).flat_map(spelled).collect()
}
