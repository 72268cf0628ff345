//! The objects of the API. One module per area; to add a field, add a row.

mod common;
mod places;

use std::sync::LazyLock;

use crate::schema::Resource;

static RESOURCES: LazyLock<Vec<Resource>> =
    LazyLock::new(|| [common::resources(), places::resources()].concat());

/// Returns all objects.
pub fn all() -> &'static [Resource] {
    &RESOURCES
}

/// Returns the object with a name.
pub fn find(name: &str) -> Option<&'static Resource> {
    all().iter().find(|resource| resource.name == name)
}
