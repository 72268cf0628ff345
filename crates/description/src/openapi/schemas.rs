//! JSON Schemas of the objects.

use serde_json::{Map, Value, json};

use crate::resources;
use crate::schema::{Field, Identity, Kind, Resource};

/// Returns the schemas of all objects, and of the collections that operations answer with.
pub fn all() -> Value {
    let mut schemas: Map<String, Value> =
        resources::all().iter().map(|resource| (resource.name.to_owned(), object(resource))).collect();
    for resource in resources::all().iter().filter(|resource| resource.identity.has_context()) {
        schemas.insert(collection_name(resource.name), collection(resource));
    }
    Value::Object(schemas)
}

fn collection_name(member: &str) -> String {
    format!("{member}Collection")
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// Returns the schema of a value.
pub fn schema(kind: Kind, nullable: bool) -> Value {
    let text = |format: &str| json!({"type": "string", "format": format});
    let plain = match kind {
        Kind::Text => json!({"type": "string"}),
        Kind::Integer => json!({"type": "integer"}),
        Kind::Number => json!({"type": "number"}),
        Kind::Boolean => json!({"type": "boolean"}),
        Kind::DateTime => text("date-time"),
        Kind::Date => json!({
            "type": "string",
            "description": "`YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS`, or ISO 8601",
            "examples": ["2026-03-02"],
        }),
        Kind::Uuid => text("uuid"),
        Kind::Url => text("uri"),
        Kind::Email => text("email"),
        Kind::Link(target) => json!({"type": "string", "description": format!("Path of a {target}")}),
        Kind::Code(codes) => {
            let meanings: Vec<String> =
                codes.iter().map(|code| format!("{} {}", code.code, code.meaning)).collect();
            json!({
                "type": "integer",
                "enum": codes.iter().map(|code| code.code).collect::<Vec<_>>(),
                "description": meanings.join(", "),
            })
        }
        Kind::Choice(choices) => {
            let meanings = choices.iter().filter(|choice| !choice.meaning.is_empty());
            let meanings: Vec<String> =
                meanings.map(|choice| format!("- `{}`: {}", choice.text, choice.meaning)).collect();
            let texts: Vec<&str> = choices.iter().map(|choice| choice.text).collect();
            json!({"type": "string", "enum": texts, "description": meanings.join("\n")})
        }
        Kind::Constant(text) => json!({"const": text}),
        Kind::List(item) => json!({"type": "array", "items": schema(*item, false)}),
        Kind::Object(name) => reference(name),
        Kind::Map(value) => json!({"type": "object", "additionalProperties": schema(*value, false)}),
        Kind::Collection(name) => reference(&collection_name(name)),
        Kind::AnyOf(kinds) => {
            json!({"anyOf": kinds.iter().map(|kind| schema(*kind, false)).collect::<Vec<_>>()})
        }
        Kind::Any => json!({}),
    };
    if nullable { or_null(plain) } else { plain }
}

fn or_null(mut schema: Value) -> Value {
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        values.push(Value::Null);
    }
    if let Some(kind) = schema.get_mut("type") {
        *kind = json!([kind, "null"]);
        return schema;
    }
    // Any value, which includes `null`; else a reference or a choice of kinds.
    let is_any = schema.as_object().is_some_and(Map::is_empty);
    if is_any { schema } else { json!({"anyOf": [schema, {"type": "null"}]}) }
}

fn object(resource: &Resource) -> Value {
    let mut properties = Map::new();
    let mut required: Vec<&str> = Vec::new();
    for (name, schema, is_required) in identity(resource) {
        properties.insert(name.to_owned(), schema);
        if is_required {
            required.push(name);
        }
    }
    for field in &resource.fields {
        properties.insert(field.name.to_owned(), described(field));
        if field.required {
            required.push(field.name);
        }
    }
    let mut schema = json!({"type": "object", "description": resource.meaning, "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// Returns the JSON-LD keys of an object, with their schemas and whether they are always there.
fn identity(resource: &Resource) -> Vec<(&'static str, Value, bool)> {
    let context = json!({"type": "string", "description": "Path of the JSON-LD context"});
    let kind = json!({"type": "string", "description": "Name of the type"});
    let id = |path: &str| json!({"type": "string", "description": format!("`{path}`")});
    match resource.identity {
        Identity::Resource { path } => {
            vec![("@context", context, false), ("@id", id(path), true), ("@type", kind, true)]
        }
        Identity::Answer => vec![("@context", context, false), ("@type", kind, true)],
        Identity::Part | Identity::Body => Vec::new(),
    }
}

fn described(field: &Field) -> Value {
    let mut schema = schema(field.kind, field.nullable);
    let own = schema.get("description").and_then(Value::as_str).filter(|own| !own.is_empty());
    let text = match own {
        Some(own) if own.starts_with("- ") => format!("{}\n\n{own}", field.meaning),
        Some(own) => format!("{} ({own})", field.meaning),
        None => field.meaning.to_owned(),
    };
    schema["description"] = text.into();
    schema
}

fn collection(member: &Resource) -> Value {
    json!({
        "type": "object",
        "description": format!("A page of `{}`", member.name),
        "properties": {
            "@context": {"type": "string", "description": "Path of the JSON-LD context"},
            "@id": {"type": "string", "description": "Path of the collection"},
            "@type": {"const": "hydra:Collection"},
            "hydra:member": {"type": "array", "items": reference(member.name)},
            "hydra:totalItems": {"type": "integer", "minimum": 0, "description": "How many there are in all"},
            "hydra:view": reference("View"),
            "hydra:search": reference("SearchTemplate"),
        },
        "required": ["@context", "@id", "@type", "hydra:member", "hydra:totalItems"],
    })
}
