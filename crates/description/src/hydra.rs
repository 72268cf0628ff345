//! The Hydra documentation: classes with their properties and operations, and the entry point.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::operation::{Access, Content, Method, Operation};
use crate::operations;
use crate::resources;
use crate::schema::{Field, Identity, Kind, Resource};

/// Prefixes of the vocabularies that the documentation and the contexts use.
pub const HYDRA: &str = "http://www.w3.org/ns/hydra/core#";
pub const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
pub const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";
pub const XSD: &str = "http://www.w3.org/2001/XMLSchema#";
pub const OWL: &str = "http://www.w3.org/2002/07/owl#";
pub const SCHEMA: &str = "https://schema.org/";

/// Path of the documentation. Terms are its fragments.
pub const PATH: &str = "/docs.jsonld";

/// The class of the entry point, whose keys are the paths of collections.
pub const ENTRY_POINT: &str = "Entrypoint";

/// Returns the vocabulary of the service at `base`, an absolute address without a final slash.
pub fn vocabulary(base: &str) -> String {
    format!("{base}{PATH}#")
}

/// Returns the documentation.
pub fn documentation(base: &str) -> Value {
    // Bodies are described by the properties of what they create or change.
    let described = resources::all().iter().filter(|resource| resource.identity != Identity::Body);
    let names: BTreeSet<&'static str> = described.map(|resource| resource.class).collect();
    let mut classes: Vec<Value> = names.into_iter().map(class).collect();
    classes.push(entry_class());
    json!({
        "@context": {
            "@vocab": vocabulary(base),
            "hydra": HYDRA,
            "rdf": RDF,
            "rdfs": RDFS,
            "xsd": XSD,
            "owl": OWL,
            "schema": SCHEMA,
            "domain": {"@id": "rdfs:domain", "@type": "@id"},
            "range": {"@id": "rdfs:range", "@type": "@id"},
            "expects": {"@id": "hydra:expects", "@type": "@id"},
            "returns": {"@id": "hydra:returns", "@type": "@id"},
        },
        "@id": PATH,
        "@type": "hydra:ApiDocumentation",
        "hydra:title": "Vigie",
        "hydra:description": "Real-estate adverts: search and notification",
        "hydra:entrypoint": "/",
        "hydra:supportedClass": classes,
    })
}

/// Returns the entry point: the path of every collection.
pub fn entry_point() -> Value {
    let mut entry = json!({"@context": "/contexts/Entrypoint", "@id": "/", "@type": ENTRY_POINT});
    for (key, operation, _) in collections() {
        entry[key] = operation.path.into();
    }
    entry
}

/// Returns the collections that a client can start from, with their keys in the entry point and their members.
pub fn collections() -> impl Iterator<Item = (String, &'static Operation, &'static str)> {
    operations::all().filter(|operation| operation.method == Method::Get).filter_map(|operation| {
        let member = collection_of(operation)?;
        let is_start = operation.variables().next().is_none() && !operation.path.starts_with("/public/");
        is_start.then(|| (lower_first(member), operation, member))
    })
}

fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + letters.as_str())
}

/// Returns the name of the members if an operation answers with a collection.
fn collection_of(operation: &Operation) -> Option<&'static str> {
    operation.answers.iter().find_map(|answer| match answer.content {
        Content::Json(Kind::Collection(name)) => Some(name),
        _ => None,
    })
}

/// Returns a class, with the properties of all objects of that class.
fn class(name: &'static str) -> Value {
    let mut members: Vec<&Resource> =
        resources::all().iter().filter(|resource| resource.class == name).collect();
    // The object that has the name of the class describes it best.
    members.sort_by_key(|resource| resource.name != name);
    let operations: Vec<Value> = operations::all()
        .filter(|operation| members.iter().any(|resource| resource.path() == Some(operation.path)))
        .map(described)
        .collect();
    let mut known = BTreeSet::new();
    let fields = members.iter().flat_map(|resource| resource.fields.iter().map(|field| (*resource, field)));
    let properties: Vec<Value> = fields
        .filter(|(_, field)| known.insert(field.name))
        .map(|(resource, field)| property(resource, field))
        .collect();
    json!({
        "@id": format!("#{name}"),
        "@type": "hydra:Class",
        "rdfs:label": name,
        "hydra:title": name,
        "hydra:description": members.first().map_or("", |resource| resource.meaning),
        "hydra:supportedProperty": properties,
        "hydra:supportedOperation": operations,
    })
}

fn property(resource: &Resource, field: &Field) -> Value {
    let writable = writable_fields(resource).any(|name| name == field.name);
    json!({
        "@type": "hydra:SupportedProperty",
        "hydra:property": {
            "@id": format!("#{}/{}", resource.class, field.name),
            "@type": if matches!(field.kind, Kind::Link(_)) { "hydra:Link" } else { "rdf:Property" },
            "rdfs:label": field.name,
            "domain": format!("#{}", resource.class),
            "range": range(field.kind),
        },
        "hydra:title": field.name,
        "hydra:description": field.meaning,
        "hydra:required": writable && field.required && !field.nullable,
        "hydra:readable": true,
        "hydra:writeable": writable,
    })
}

/// Returns the fields that can be written: those in the body of an operation of this class or of its collection.
fn writable_fields(resource: &Resource) -> impl Iterator<Item = &'static str> {
    let path = resource.path().unwrap_or_default();
    let collection = path.rsplit_once("/{").map_or("", |(collection, _)| collection);
    let bodies = operations::all().filter(move |operation| {
        !path.is_empty() && (operation.path == path || operation.path == collection)
    });
    let bodies = bodies.filter_map(body_of).filter_map(resources::find);
    bodies.flat_map(|body| body.fields.iter().map(|field| field.name))
}

/// Returns the name of the object in the body of an operation.
fn body_of(operation: &Operation) -> Option<&'static str> {
    object_in(operation.body.as_ref()?.kind)
}

fn object_in(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Object(name) => Some(name),
        Kind::AnyOf(kinds) => kinds.iter().find_map(|kind| object_in(*kind)),
        Kind::List(item) => object_in(*item),
        _ => None,
    }
}

/// Returns the class of a value.
fn range(kind: Kind) -> Value {
    let name = match kind {
        Kind::Text | Kind::Uuid | Kind::Email | Kind::Choice(_) | Kind::Constant(_) | Kind::Date => {
            "xsd:string"
        }
        Kind::Integer | Kind::Code(_) => "xsd:integer",
        Kind::Number => "xsd:decimal",
        Kind::Boolean => "xsd:boolean",
        Kind::DateTime => "xsd:dateTime",
        Kind::Url => "xsd:anyURI",
        Kind::Link(target) | Kind::Object(target) | Kind::Collection(target) => {
            let class = resources::find(target).map(|resource| format!("#{}", resource.class));
            return class.map_or_else(|| "rdfs:Resource".into(), Into::into);
        }
        Kind::List(item) => return range(*item),
        Kind::AnyOf(kinds) => {
            return kinds.first().map_or_else(|| "rdfs:Resource".into(), |kind| range(*kind));
        }
        Kind::Map(_) | Kind::Any => "rdf:JSON",
    };
    name.into()
}

fn described(operation: &Operation) -> Value {
    let action = match operation.method {
        Method::Get => "schema:FindAction",
        Method::Post => "schema:CreateAction",
        Method::Put => "schema:ReplaceAction",
        Method::Delete => "schema:DeleteAction",
    };
    let returns =
        operation.answers.first().map_or(Value::from("owl:Nothing"), |answer| match answer.content {
            Content::Json(Kind::Collection(_)) => "hydra:Collection".into(),
            Content::Json(kind) => class_in(kind).map_or("rdf:JSON".into(), |name| format!("#{name}").into()),
            Content::Empty | Content::Lines(_) | Content::Other(..) | Content::Negotiated(_) => {
                "owl:Nothing".into()
            }
        });
    let mut described = json!({
        "@type": ["hydra:Operation", action],
        "hydra:method": operation.method.name(),
        "hydra:title": operation.summary,
        "rdfs:label": operation.summary,
        "hydra:description": access(operation),
        "returns": returns,
    });
    if let Some(name) = class_of_body(operation) {
        described["expects"] = format!("#{name}").into();
    }
    described
}

/// Returns the class that a body creates or changes. Bodies themselves are no classes.
fn class_of_body(operation: &Operation) -> Option<&'static str> {
    body_of(operation)?;
    operation.answers.iter().find_map(|answer| match answer.content {
        Content::Json(kind) => class_in(kind),
        _ => None,
    })
}

fn class_in(kind: Kind) -> Option<&'static str> {
    object_in(kind).and_then(resources::find).map(|resource| resource.class)
}

fn access(operation: &Operation) -> String {
    match operation.access {
        Access::Open => "Needs no key".to_owned(),
        Access::AnyKey => "Needs a key".to_owned(),
        Access::Scope(scope) => format!("Needs a key with the scope {}", scope.word()),
    }
}

fn entry_class() -> Value {
    let properties: Vec<Value> = collections()
        .map(|(key, operation, member)| {
            let on_path: Vec<Value> =
                operations::all().filter(|other| other.path == operation.path).map(described).collect();
            json!({
                "@type": "hydra:SupportedProperty",
                "hydra:property": {
                    "@id": format!("#{ENTRY_POINT}/{key}"),
                    "@type": "hydra:Link",
                    "rdfs:label": format!("The collection of {member} resources"),
                    "domain": format!("#{ENTRY_POINT}"),
                    "rdfs:range": [
                        {"@id": "hydra:Collection"},
                        {"owl:equivalentClass": {
                            "owl:onProperty": {"@id": "hydra:member"},
                            "owl:allValuesFrom": {"@id": format!("#{member}")},
                        }},
                    ],
                    "hydra:supportedOperation": on_path,
                },
                "hydra:title": format!("The collection of {member} resources"),
                "hydra:readable": true,
                "hydra:writeable": false,
            })
        })
        .collect();
    json!({
        "@id": format!("#{ENTRY_POINT}"),
        "@type": "hydra:Class",
        "rdfs:label": ENTRY_POINT,
        "hydra:title": "The entry point of the API",
        "hydra:supportedProperty": properties,
        "hydra:supportedOperation": {
            "@type": "hydra:Operation",
            "hydra:method": "GET",
            "hydra:title": "Read the entry point",
            "rdfs:label": "Read the entry point",
            "returns": format!("#{ENTRY_POINT}"),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_point_leads_to_every_collection() {
        let entry = entry_point();
        assert_eq!(entry["propertyDocument"], "/documents/properties");
        assert_eq!(entry["search"], "/searches");
        assert_eq!(entry["city"], "/cities");
        assert!(entry.get("location").is_none(), "suggestions are no collection");
    }

    #[test]
    fn every_class_that_is_named_is_described() {
        let documentation = documentation("https://vigie.example");
        let classes = documentation["hydra:supportedClass"].as_array().unwrap();
        let ids: Vec<&str> = classes.iter().map(|class| class["@id"].as_str().unwrap()).collect();
        for class in classes {
            for property in class["hydra:supportedProperty"].as_array().unwrap() {
                let Some(range) = property["hydra:property"]["range"].as_str() else { continue };
                assert!(!range.starts_with('#') || ids.contains(&range), "{range} in {}", class["@id"]);
            }
        }
    }
}
