//! The requests of the API. One module per chapter; to add one, add a row and its handler in the server's router.

mod account;
mod adverts;
mod deliveries;
mod parameters;
mod places;
mod properties;
mod searches;
mod service;
mod sites;
mod status;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use domain::Scope;

use crate::operation::{Access, Answer, Body, BodyLimit, Content, Operation, OperationId, Parameter};
use crate::schema::Kind;

/// All operations, chapter by chapter.
pub fn all() -> impl Iterator<Item = &'static Operation> {
    const CHAPTERS: [&[Operation]; 9] = [
        properties::OPERATIONS,
        searches::OPERATIONS,
        deliveries::OPERATIONS,
        adverts::OPERATIONS,
        places::OPERATIONS,
        sites::OPERATIONS,
        account::OPERATIONS,
        status::OPERATIONS,
        service::OPERATIONS,
    ];
    CHAPTERS.into_iter().flatten()
}

/// Returns the row of an operation. `None` only if the table lacks a row, which a test excludes.
pub fn find(id: OperationId) -> Option<&'static Operation> {
    all().find(|operation| operation.id == id)
}

/// Returns the operation that a request is for. A literal path counts more than one with variables.
pub fn of_request(method: &str, path: &str) -> Option<&'static Operation> {
    let fits = |operation: &&Operation| operation.method.name() == method && covers(operation.path, path);
    all().filter(fits).min_by_key(|operation| operation.variables().count())
}

fn covers(template: &str, path: &str) -> bool {
    let (mut expected, mut given) = (template.split('/'), path.split('/'));
    loop {
        match (expected.next(), given.next()) {
            (None, None) => return true,
            (Some(segment), Some(text)) if segment == text => {}
            (Some(segment), Some(text)) if segment.starts_with('{') && !text.is_empty() => {}
            _ => return false,
        }
    }
}

/// Returns the parameters of an operation as `hydra:search` lists them.
pub fn search_parameters(id: OperationId) -> &'static [wire::hydra::Parameter] {
    static LISTED: LazyLock<BTreeMap<OperationId, Vec<wire::hydra::Parameter>>> = LazyLock::new(|| {
        let listed = |parameter: Parameter| wire::hydra::Parameter {
            variable: parameter.name,
            property: parameter.field,
            required: parameter.required,
        };
        let of = |operation: &Operation| (operation.parameters)().into_iter().map(listed).collect();
        all().map(|operation| (operation.id, of(operation))).collect()
    });
    LISTED.get(&id).map_or(&[], Vec::as_slice)
}

const READ: Access = Access::Scope(Scope::Read);
const SEARCHES: Access = Access::Scope(Scope::Searches);
const INGEST: Access = Access::Scope(Scope::Ingest);
const ADMIN: Access = Access::Scope(Scope::Admin);

const fn none() -> Vec<Parameter> {
    Vec::new()
}

/// An answer with one object.
const fn one(status: u16, name: &'static str, meaning: &'static str) -> Answer {
    Answer { status, meaning, content: Content::Json(Kind::Object(name)), headers: &[] }
}

/// A page of a collection.
const fn page(name: &'static str, meaning: &'static str) -> Answer {
    Answer { status: 200, meaning, content: Content::Json(Kind::Collection(name)), headers: &[] }
}

/// An object that was created, whose path is in `Location`.
const fn created(name: &'static str, meaning: &'static str) -> Answer {
    Answer { status: 201, meaning, content: Content::Json(Kind::Object(name)), headers: &["Location"] }
}

const fn empty(meaning: &'static str) -> Answer {
    Answer { status: 204, meaning, content: Content::Empty, headers: &[] }
}

/// A redirect for a property that was merged into another one.
const fn moved(status: u16) -> Answer {
    Answer {
        status,
        meaning: "The property was merged into another one, whose path is in `Location`",
        content: Content::Json(Kind::Object("Error")),
        headers: &["Location"],
    }
}

const fn body(name: &'static str, limit: BodyLimit) -> Option<Body> {
    Some(Body { required: true, kind: Kind::Object(name), lines: false, limit })
}

/// Returns the limit of an operation's body. An operation without a row or a body takes as little as a control call.
pub fn body_limit(id: OperationId) -> BodyLimit {
    find(id).and_then(|operation| operation.body).map_or(BodyLimit::CONTROL, |body| body.limit)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_operation_has_one_row_and_one_route() {
        let mut routes = BTreeSet::new();
        for operation in all() {
            assert!(routes.insert((operation.path, operation.method)), "{} twice", operation.path);
            assert_eq!(all().filter(|other| other.id == operation.id).count(), 1, "{:?}", operation.id);
            assert!(!operation.summary.is_empty() && !operation.summary.ends_with('.'), "{}", operation.path);
            assert!(!operation.answers.is_empty(), "{}", operation.path);
        }
        for id in OperationId::ALL {
            assert!(find(*id).is_some(), "{id:?}");
        }
    }

    #[test]
    fn requests_lead_to_their_operation() {
        let id = |method, path| of_request(method, path).map(|operation| operation.id);
        assert_eq!(id("GET", "/documents/properties/by-url"), Some(OperationId::PropertyByUrl));
        assert_eq!(id("GET", "/documents/properties/x"), Some(OperationId::Property));
        assert_eq!(id("DELETE", "/searches/x"), Some(OperationId::DeleteSearch));
        assert_eq!(id("GET", "/searches/"), None);
        assert_eq!(id("PATCH", "/searches/x"), None);
    }

    #[test]
    fn parameters_are_unique_and_explained() {
        for operation in all() {
            let mut names = BTreeSet::new();
            for parameter in (operation.parameters)() {
                assert!(!parameter.meaning.is_empty(), "{}: {}", operation.path, parameter.name);
                assert!(names.insert(parameter.name.clone()), "{}: {}", operation.path, parameter.name);
            }
        }
    }
}
