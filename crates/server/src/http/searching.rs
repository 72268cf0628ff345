//! Parsing the filters of a query, for all handlers that search.

use domain::SiteDirectory;
use domain::criteria::BuiltCriteria;
use wire::filters::{self, ParseContext};
use wire::query::Parameters;

use super::Shared;

/// Parses all filters of a query.
pub fn read_filters(
    shared: &Shared,
    sites: &SiteDirectory,
    parameters: &mut Parameters<'_>,
) -> BuiltCriteria {
    with_context(shared, sites, |context| filters::parse(parameters, context))
}

/// Calls `read` with the context that references and dates are parsed in.
pub fn with_context<T>(
    shared: &Shared,
    sites: &SiteDirectory,
    read: impl FnOnce(&ParseContext<'_>) -> T,
) -> T {
    let zone = &shared.config.time_zone;
    shared.app.with_references(sites, |references| read(&ParseContext { references: *references, zone }))
}
