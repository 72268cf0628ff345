//! Saved searches, both ways.
//!
//! The criteria of a search are those rows of the table of filters that speak of no moment; each is read and written by its
//! kind, so that a new row is a new criterion without another line. What is written can be sent again and means the same.

mod criterion;
mod read;
mod reference;
mod write;

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use domain::criteria::References;
use domain::filter::{Filter, Kind, FilterTarget};
use domain::search::is_criterion;
use domain::{City, Department, Endpoint, FILTERS, Insee, PropertyAttribute};

pub use read::{Purpose, Read, no_endpoint, read};
pub use write::{SearchParts, search};

/// The places there are: what a reference in a body has to lead to, and what is shown of it.
#[derive(Clone, Copy)]
pub struct Places<'a> {
    /// By id; one no longer in use leads to the commune that replaced it.
    pub city: &'a dyn Fn(u64) -> Option<Arc<City>>,
    /// The same by the code of the statistics office.
    pub commune: &'a dyn Fn(&Insee) -> Option<Arc<City>>,
    pub department: &'a dyn Fn(u64) -> Option<Arc<Department>>,
}

/// What it takes to understand the references of a body.
#[derive(Clone, Copy)]
pub struct ParseContext<'a> {
    pub references: References<'a>,
    pub places: Places<'a>,
    /// Says why nothing is ever sent to an address, if that is so.
    pub judge: &'a dyn Fn(&Endpoint) -> Result<(), String>,
}

/// What a read shows and a write cannot change: passed over, so that what was read can be sent back.
const READ_ONLY: &[&str] =
    &["@context", "@id", "@type", "user", "token", "createdAt", "updatedAt", "lastAlertAt"];

/// What is no criterion: the title, and who hears of what.
const TITLE: &str = "title";
const ENABLED: &str = "notificationEnabled";
const HIDE_CONTACT: &str = "hidePropertyContact";
const EMAIL: &str = "notificationRecipient";
const ENDPOINT: &str = "endpointRecipient";
const EVENT_ENDPOINT: &str = "eventEndpoint";
const EVENTS: &str = "subscribedEvents";

/// The rows of the table that are criteria of a search.
pub fn criteria() -> impl Iterator<Item = &'static Filter> {
    FILTERS.iter().filter(|filter| is_criterion(filter))
}

/// Whether a body must say it: a search for anything at all would be answered with everything.
fn is_required(filter: &Filter) -> bool {
    matches!(
        filter.kind,
        Kind::Choice(
            FilterTarget::Property(PropertyAttribute::TransactionType | PropertyAttribute::PropertyType),
            _
        )
    )
}

/// What a criterion is when nobody says anything, if that is not nothing.
fn default_flag(filter: &Filter) -> Option<bool> {
    let coherent = Kind::Only(FilterTarget::Property(PropertyAttribute::CoherentPrice));
    (filter.kind == coherent).then_some(true)
}

/// Whether a name means something in a body.
fn is_known(name: &str) -> bool {
    static KNOWN: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
        let settings = [TITLE, ENABLED, HIDE_CONTACT, EMAIL, ENDPOINT, EVENT_ENDPOINT, EVENTS];
        let criteria = criteria().flat_map(crate::filters::names);
        READ_ONLY.iter().copied().chain(settings).chain(criteria).collect()
    });
    KNOWN.contains(name)
}

#[cfg(test)]
mod tests;
