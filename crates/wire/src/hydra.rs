//! The collection envelope: members, then page links and the search template.

mod template;
mod view;

use std::borrow::Cow;

use serde::Serialize;

pub use template::{Parameter, SearchTemplate};
pub use view::{Paging, View};

/// A page of a collection.
#[derive(Debug, Serialize)]
pub struct Collection<T, S = SearchTemplate> {
    #[serde(rename = "@context")]
    context: String,
    #[serde(rename = "@id")]
    id: Cow<'static, str>,
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "hydra:member")]
    member: Vec<T>,
    #[serde(rename = "hydra:totalItems")]
    total_items: u64,
    #[serde(rename = "hydra:view", skip_serializing_if = "Option::is_none")]
    view: Option<View>,
    #[serde(rename = "hydra:search")]
    search: S,
}

impl<T> Collection<T> {
    /// Builds a page of the collection at `path`.
    pub fn new(
        resource: &str,
        path: impl Into<Cow<'static, str>>,
        member: Vec<T>,
        total_items: u64,
        view: Option<View>,
        parameters: &[Parameter],
    ) -> Self {
        let path = path.into();
        let search = SearchTemplate::new(&path, parameters);
        Self::with_search(resource, path, member, total_items, view, search)
    }
}

impl<T, S> Collection<T, S> {
    /// Builds a page with a precomputed template, so that a long template is not rebuilt for every page.
    pub fn with_search(
        resource: &str,
        path: impl Into<Cow<'static, str>>,
        member: Vec<T>,
        total_items: u64,
        view: Option<View>,
        search: S,
    ) -> Self {
        Self {
            context: crate::iri::context(resource),
            id: path.into(),
            kind: "hydra:Collection",
            member,
            total_items,
            view,
            search,
        }
    }

    /// Returns the number of members on this page.
    pub fn member_count(&self) -> u64 {
        self.member.len() as u64
    }
}
