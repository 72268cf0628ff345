//! JSON-LD contexts: what each key of an answer means, as terms of the service's vocabulary.
//!
//! An object inside another one gets the terms of its own class by a context that is scoped to the key that holds it, so that `name` of a
//! contact and `name` of a city are different terms. A page of a list has the context of its members.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::hydra::{self, ENTRY_POINT, HYDRA, XSD};
use crate::resources;
use crate::schema::{Field, Identity, Kind};

/// Returns the context of a class. `base` is the absolute address of the service, without a final slash.
pub fn context(name: &str, base: &str) -> Option<Value> {
    let mut sent = resources::all().iter().filter(|resource| resource.identity.has_context());
    let class = sent.find(|resource| resource.class == name).map(|resource| resource.class);
    if class.is_none() && name != ENTRY_POINT {
        return None;
    }
    let vocabulary = hydra::vocabulary(base);
    let mut context = Map::new();
    context.insert("@version".to_owned(), json!(1.1));
    context.insert("@vocab".to_owned(), vocabulary.as_str().into());
    context.insert("hydra".to_owned(), HYDRA.into());
    context.insert("xsd".to_owned(), XSD.into());
    context.extend(page_terms(&vocabulary));
    match class {
        Some(class) => context.extend(terms(class, &mut Vec::new())),
        None => context.extend(entry_point_terms()),
    }
    Some(json!({"@context": context}))
}

/// Returns the terms of the envelope of a page. Its other keys need none: they have the prefix of Hydra.
fn page_terms(vocabulary: &str) -> Vec<(String, Value)> {
    let link = |name: &str| json!({"@id": format!("hydra:{name}"), "@type": "@id"});
    let mut terms: Vec<(String, Value)> = ["first", "last", "previous", "next"]
        .iter()
        .map(|name| (format!("hydra:{name}"), link(name)))
        .collect();
    // The names inside a template are those of Hydra, except the fields that parameters are about: these are terms of the members.
    let search = json!({
        "@id": "hydra:search",
        "@context": {
            "@vocab": HYDRA,
            "hydra:variableRepresentation": {"@id": "hydra:variableRepresentation", "@type": "@vocab"},
            "variable": "hydra:variable",
            "required": "hydra:required",
            "property": {"@id": "hydra:property", "@type": "@vocab", "@context": {"@vocab": vocabulary}},
        },
    });
    terms.push(("hydra:search".to_owned(), search));
    terms
}

/// Returns a term for each collection of the entry point.
fn entry_point_terms() -> impl Iterator<Item = (String, Value)> {
    hydra::collections().map(|(key, ..)| {
        let term = json!({"@id": format!("{ENTRY_POINT}/{key}"), "@type": "@id"});
        (key, term)
    })
}

/// Returns the terms of all objects of a class. `outer` are the classes around it.
fn terms(class: &'static str, outer: &mut Vec<&'static str>) -> Map<String, Value> {
    let objects = resources::all()
        .iter()
        .filter(|resource| resource.class == class && resource.identity != Identity::Body);
    let mut fields: BTreeMap<&'static str, Vec<Kind>> = BTreeMap::new();
    for field in objects.flat_map(|resource| &resource.fields).filter(|field| has_term(field)) {
        fields.entry(field.name).or_default().push(field.kind);
    }
    outer.push(class);
    let terms = fields.into_iter().map(|(name, kinds)| (name.to_owned(), term(class, name, &kinds, outer)));
    let terms = terms.collect();
    outer.pop();
    terms
}

/// Returns whether a key needs a term: keywords and keys with a prefix mean the same everywhere.
fn has_term(field: &Field) -> bool {
    !field.name.starts_with('@') && !field.name.contains(':')
}

/// Returns the definition of a term. The kinds are those of the key in all objects of the class.
fn term(class: &str, name: &str, kinds: &[Kind], outer: &mut Vec<&'static str>) -> Value {
    let id = format!("{class}/{name}");
    let mut inner = Map::new();
    for object in kinds.iter().flat_map(|kind| objects_in(*kind)) {
        // An object inside one of its own class has the same terms already.
        if let Some(resource) = resources::find(object)
            && !outer.contains(&resource.class)
        {
            inner.extend(terms(resource.class, outer));
        }
    }
    let mut definition = json!({"@id": id});
    if !inner.is_empty() {
        definition["@context"] = Value::Object(inner);
    }
    match kinds.first().map(|kind| type_of(*kind)) {
        Some(Type::Plain) if definition.as_object().is_some_and(|it| it.len() == 1) => return id.into(),
        Some(Type::Plain) | None => {}
        Some(Type::Of(name)) => definition["@type"] = name.into(),
        // Lists of lists keep their order and their levels.
        Some(Type::Nested) => definition["@container"] = "@list".into(),
    }
    definition
}

enum Type {
    Plain,
    Of(&'static str),
    Nested,
}

fn type_of(kind: Kind) -> Type {
    match kind {
        Kind::Link(_) => Type::Of("@id"),
        Kind::DateTime => Type::Of("xsd:dateTime"),
        Kind::Url => Type::Of("xsd:anyURI"),
        // The keys of a map are data and not terms.
        Kind::Map(_) | Kind::Any => Type::Of("@json"),
        Kind::List(item) => match *item {
            Kind::List(_) if objects_in(kind).is_empty() => Type::Of("@json"),
            Kind::List(_) => Type::Nested,
            item => type_of(item),
        },
        _ => Type::Plain,
    }
}

/// Returns the names of the objects in a value.
fn objects_in(kind: Kind) -> Vec<&'static str> {
    match kind {
        Kind::Object(name) => vec![name],
        Kind::List(item) => objects_in(*item),
        Kind::AnyOf(kinds) => kinds.iter().flat_map(|kind| objects_in(*kind)).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Resource;

    const BASE: &str = "https://vigie.example";

    /// Asserts that each key of an object has a term, and so has each key of the objects inside it.
    fn assert_terms(resource: &Resource, scopes: &mut Vec<Map<String, Value>>, path: &str) {
        for field in resource.fields.iter().filter(|field| has_term(field)) {
            let path = format!("{path}.{}", field.name);
            let term = scopes.iter().rev().find_map(|terms| terms.get(field.name)).cloned();
            let Some(term) = term else { panic!("{path} has no term") };
            let id = term.as_str().or_else(|| term["@id"].as_str()).unwrap();
            assert_eq!(id, format!("{}/{}", resource.class, field.name), "{path}");
            scopes.push(term["@context"].as_object().cloned().unwrap_or_default());
            for inside in objects_in(field.kind).into_iter().filter_map(resources::find) {
                // A match inside a match has no second one inside it.
                if inside.name != resource.name {
                    assert_terms(inside, scopes, &path);
                }
            }
            scopes.pop();
        }
    }

    #[test]
    fn every_key_has_a_term() {
        let mut count = 0;
        for resource in resources::all().iter().filter(|resource| resource.identity.has_context()) {
            let context = context(resource.class, BASE).unwrap();
            let terms = context["@context"].as_object().unwrap().clone();
            assert_terms(resource, &mut vec![terms], resource.name);
            count += 1;
        }
        assert!(count > 20);
    }

    #[test]
    fn terms_say_what_their_values_are() {
        let context = context("PropertyDocument", BASE).unwrap();
        let terms = &context["@context"];
        assert_eq!(terms["@vocab"], "https://vigie.example/docs.jsonld#");
        assert_eq!(terms["price"], "PropertyDocument/price");
        assert_eq!(terms["property"], json!({"@id": "PropertyDocument/property", "@type": "@id"}));
        assert_eq!(terms["createdAt"]["@type"], "xsd:dateTime");
        assert_eq!(terms["pictures"]["@type"], "xsd:anyURI");
        assert_eq!(terms["city"]["@context"]["name"], "City/name");
        assert_eq!(terms["adverts"]["@context"]["contact"]["@context"]["name"], "Contact/name");
        assert_eq!(terms["hydra:search"]["@context"]["property"]["@id"], "hydra:property");
        assert_eq!(terms["hydra:next"]["@type"], "@id");
    }

    #[test]
    fn lists_of_lists_keep_their_levels() {
        let context = context("Search", BASE).unwrap();
        let expressions = &context["@context"]["expressions"];
        assert_eq!(expressions["@container"], "@list");
        assert_eq!(expressions["@context"]["word"], "Expression/word");
        assert_eq!(context["@context"]["geoShapes"]["@type"], "@json");
    }

    #[test]
    fn only_what_is_sent_as_a_whole_has_a_context() {
        for known in ["Error", "ConstraintViolationList", "Location", "Entrypoint", "Replay", "Delivery"] {
            assert!(context(known, BASE).is_some(), "{known}");
        }
        for unknown in ["", "Contact", "SearchDraft", "DeliveryWithAttempts", "Outline", "search"] {
            assert!(context(unknown, BASE).is_none(), "{unknown}");
        }
        let entry = context("Entrypoint", BASE).unwrap();
        assert_eq!(
            entry["@context"]["propertyDocument"],
            json!({"@id": "Entrypoint/propertyDocument", "@type": "@id"})
        );
    }
}
