//! Saved searches: [`parse()`] reads a body, [`search`] writes one.
//!
//! The criteria of a saved search are the rows of the filter table that do not depend on a date. Each one is parsed
//! and written by its kind, so a new row needs no code here. A written search can be sent back and has the same
//! meaning.

mod criterion;
mod parse;
mod reference;
mod suggest;
mod write;

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use domain::criteria::References;
use domain::filter::{Filter, FilterTarget, Kind};
use domain::search::is_criterion;
use domain::{City, Department, Endpoint, FILTERS, Insee, PropertyAttribute};

pub use parse::{ParsedSearch, Purpose, endpoint_error_message, parse};
pub use write::{ALWAYS_SHOWN, SearchInput, search};

/// Looks up the places that references point to.
#[derive(Clone, Copy)]
pub struct Places<'a> {
    /// By id. A former id resolves to the commune that replaced it.
    pub city: &'a dyn Fn(u64) -> Option<Arc<City>>,
    /// By INSEE code.
    pub commune: &'a dyn Fn(&Insee) -> Option<Arc<City>>,
    pub department: &'a dyn Fn(u64) -> Option<Arc<Department>>,
}

/// What the parser needs besides the body.
#[derive(Clone, Copy)]
pub struct ParseContext<'a> {
    pub references: References<'a>,
    pub places: Places<'a>,
    /// Returns an error message if webhooks may not be sent to the endpoint.
    pub check_endpoint: &'a dyn Fn(&Endpoint) -> Result<(), String>,
}

/// Members of a response that cannot be changed. They are ignored in a request, so a client can send back what it
/// read.
const READ_ONLY: &[&str] =
    &["@context", "@id", "@type", "user", "token", "createdAt", "updatedAt", "lastAlertAt", IGNORED];

/// The unknown fields of a request, in its response only.
const IGNORED: &str = "ignored";

/// Settings of a search that are not criteria.
const TITLE: &str = "title";
const ENABLED: &str = "notificationEnabled";
const HIDE_CONTACT: &str = "hidePropertyContact";
const EMAIL: &str = "notificationRecipient";
const ENDPOINT: &str = "endpointRecipient";
const EVENT_ENDPOINT: &str = "eventEndpoint";
const EVENTS: &str = "subscribedEvents";

/// The names of all settings.
pub const SETTINGS: &[&str] = &[TITLE, ENABLED, HIDE_CONTACT, EMAIL, ENDPOINT, EVENT_ENDPOINT, EVENTS];

/// Returns the filters that are criteria of a saved search.
pub fn criteria() -> impl Iterator<Item = &'static Filter> {
    FILTERS.iter().filter(|filter| is_criterion(filter))
}

/// Returns whether a criterion is required: without it the search would match everything.
fn is_required(filter: &Filter) -> bool {
    matches!(
        filter.kind,
        Kind::Choice(
            FilterTarget::Property(PropertyAttribute::TransactionType | PropertyAttribute::PropertyType),
            _
        )
    )
}

/// Returns the default of a boolean criterion, if it has one.
fn default_flag(filter: &Filter) -> Option<bool> {
    let coherent = Kind::Only(FilterTarget::Property(PropertyAttribute::CoherentPrice));
    (filter.kind == coherent).then_some(true)
}

/// Returns whether a name is known in the body of a search.
fn is_known(name: &str) -> bool {
    static KNOWN: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
        let criteria = criteria().flat_map(crate::filters::names);
        READ_ONLY.iter().chain(SETTINGS).copied().chain(criteria).collect()
    });
    KNOWN.contains(name)
}

#[cfg(test)]
mod tests;
