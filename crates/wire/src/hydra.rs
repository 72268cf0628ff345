//! The collection envelope: members first, then page links and the search template around them.

mod template;
mod view;

use serde::Serialize;

pub use template::{Parameter, SearchTemplate};
pub use view::{Paging, View};

/// A page of a collection.
#[derive(Debug, Serialize)]
pub struct Collection<T> {
    #[serde(rename = "@context")]
    context: String,
    #[serde(rename = "@id")]
    id: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "hydra:member")]
    member: Vec<T>,
    #[serde(rename = "hydra:totalItems")]
    total_items: u64,
    #[serde(rename = "hydra:view", skip_serializing_if = "Option::is_none")]
    view: Option<View>,
    #[serde(rename = "hydra:search")]
    search: SearchTemplate,
}

impl<T> Collection<T> {
    /// A page of the collection at a path, of resources of one type.
    pub fn new(
        resource: &str,
        path: &'static str,
        member: Vec<T>,
        total_items: u64,
        view: Option<View>,
        parameters: &[Parameter],
    ) -> Self {
        Self {
            context: crate::iri::context(resource),
            id: path,
            kind: "hydra:Collection",
            member,
            total_items,
            view,
            search: SearchTemplate::new(path, parameters),
        }
    }
}
