//! The objects of the API. One module per area; to add a field, add a row.

mod account;
mod adverts;
mod common;
mod deliveries;
mod explanations;
mod grouping;
mod ingest;
mod market_map;
mod places;
mod properties;
mod search_bodies;
mod searches;
mod sites;
mod status;

use std::sync::LazyLock;

use crate::schema::Resource;

static RESOURCES: LazyLock<Vec<Resource>> = LazyLock::new(|| {
    [
        properties::resources(),
        market_map::resources(),
        adverts::resources(),
        ingest::resources(),
        searches::resources(),
        search_bodies::resources(),
        explanations::resources(),
        deliveries::resources(),
        grouping::resources(),
        places::resources(),
        sites::resources(),
        account::resources(),
        status::resources(),
        common::resources(),
    ]
    .concat()
});

/// Returns all objects.
pub fn all() -> &'static [Resource] {
    &RESOURCES
}

/// Returns the object with a name.
pub fn find(name: &str) -> Option<&'static Resource> {
    all().iter().find(|resource| resource.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::schema::Kind;

    /// Calls `visit` with a kind and all kinds inside it.
    fn visit_kinds(kind: Kind, visit: &mut impl FnMut(Kind)) {
        visit(kind);
        match kind {
            Kind::List(item) | Kind::Map(item) => visit_kinds(*item, visit),
            Kind::AnyOf(kinds) => kinds.iter().for_each(|kind| visit_kinds(*kind, visit)),
            _ => {}
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names = BTreeSet::new();
        for resource in all() {
            assert!(names.insert(resource.name), "{} is listed twice", resource.name);
            let mut fields = BTreeSet::new();
            for field in &resource.fields {
                assert!(fields.insert(field.name), "{}.{} is listed twice", resource.name, field.name);
            }
        }
    }

    #[test]
    fn everything_has_a_meaning() {
        for resource in all() {
            assert!(!resource.meaning.is_empty(), "{}", resource.name);
            assert!(!resource.fields.is_empty(), "{}", resource.name);
            for field in &resource.fields {
                let whole = format!("{}.{}: {}", resource.name, field.name, field.meaning);
                assert!(field.meaning.len() > 3, "{whole}");
                assert!(!field.meaning.ends_with(' '), "{whole}");
                let sentences = field.meaning.matches(". ").count();
                assert_eq!(field.meaning.ends_with('.'), sentences > 0, "{whole}");
            }
        }
    }

    #[test]
    fn objects_inside_objects_have_tables() {
        for resource in all() {
            for field in &resource.fields {
                visit_kinds(field.kind, &mut |kind| match kind {
                    Kind::Object(name) | Kind::Collection(name) => {
                        assert!(find(name).is_some(), "{}.{}: {name}", resource.name, field.name);
                    }
                    _ => {}
                });
            }
        }
    }

    #[test]
    fn every_object_is_used_or_sent() {
        let mut used = BTreeSet::new();
        for field in all().iter().flat_map(|resource| &resource.fields) {
            visit_kinds(field.kind, &mut |kind| {
                if let Kind::Object(name) = kind {
                    used.insert(name);
                }
            });
        }
        // Sent or accepted as a whole, without a JSON-LD context.
        let whole = ["Collection", "Health", "Outline", "WebhookEvent"];
        for resource in all() {
            let is_body = resource.identity == crate::schema::Identity::Body;
            let is_whole = resource.identity.has_context() || is_body || whole.contains(&resource.name);
            assert!(is_whole || used.contains(resource.name), "{} is not used", resource.name);
        }
    }
}
