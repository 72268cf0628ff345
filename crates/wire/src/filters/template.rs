//! The names of a filter in a query, derived from the filter table.

use domain::Filter;
use domain::filter::Kind;

use super::{is_single_valued, names};
use crate::hydra::Parameter;

/// Returns the parameters of a filter: one for each of its names and, for nested values, for each of their keys.
pub fn parameters_of(filter: &'static Filter) -> Vec<Parameter> {
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
