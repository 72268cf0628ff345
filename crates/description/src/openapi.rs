//! The OpenAPI 3.1 document, made from the tables.

mod errors;
mod info;
mod schemas;
mod webhooks;

use serde_json::{Map, Value, json};

use crate::examples;
use crate::operation::{Access, Answer, Body, Content, Operation, Parameter, Tag};
use crate::operations;
use crate::schema::Kind;

pub use errors::statuses as error_statuses;
pub use info::TAGS;
pub use schemas::schema;

/// Media types in which an answer in JSON can be asked for.
const JSON_TYPES: [&str; 2] = ["application/ld+json", "application/json"];

/// Returns the document. `version` is that of the service.
pub fn document(version: &str) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for operation in operations::all() {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method.name().to_ascii_lowercase()] = describe(operation);
    }
    json!({
        "openapi": "3.1.0",
        "info": info::info(version),
        "servers": [{"url": "/", "description": "This server"}],
        "tags": info::tags(),
        "paths": paths,
        "webhooks": webhooks::webhooks(),
        "components": {
            "securitySchemes": {
                "ApiKey": {"type": "apiKey", "in": "header", "name": "X-API-KEY"},
                "Session": {"type": "apiKey", "in": "cookie", "name": "vigie-session"},
            },
            "headers": errors::headers(),
            "responses": errors::responses(),
            "schemas": schemas::all(),
        },
    })
}

fn describe(operation: &Operation) -> Value {
    let variables = operation.variables().map(|name| {
        let (kind, meaning) = info::variable(operation.path, name);
        json!({"name": name, "in": "path", "required": true, "description": meaning, "schema": schema(kind, false)})
    });
    let parameters: Vec<Value> = variables.chain((operation.parameters)().iter().map(parameter)).collect();
    let mut described = json!({
        "operationId": operation.id.name(),
        "tags": [info::tag_name(operation.tag)],
        "summary": operation.summary,
        "parameters": parameters,
        "responses": responses(operation),
    });
    if let Some(text) = description(operation) {
        described["description"] = text.into();
    }
    described["security"] = match operation.access {
        Access::Open => json!([]),
        Access::AnyKey => json!([{"ApiKey": []}, {"Session": []}]),
        Access::Scope(scope) => json!([{"ApiKey": [scope.word()]}, {"Session": [scope.word()]}]),
    };
    if let Some(body) = &operation.body {
        described["requestBody"] = request_body(operation, body);
    }
    described
}

fn description(operation: &Operation) -> Option<String> {
    let scope = match operation.access {
        Access::Scope(scope) => format!("Needs a key with the scope `{}`.", scope.word()),
        Access::AnyKey => "Needs a key.".to_owned(),
        Access::Open => "Needs no key.".to_owned(),
    };
    Some(
        [operation.description, &scope]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("\n\n"),
    )
}

fn parameter(parameter: &Parameter) -> Value {
    let meaning = match &parameter.alias_of {
        Some(name) => format!("Another name of `{name}`"),
        None => parameter.meaning.to_string(),
    };
    let mut schema = schema(parameter.kind, false);
    // A client that sent the default orders would sort by them, although another order was asked for.
    if let Some(default) = parameter.default.filter(|_| !parameter.name.starts_with("order[")) {
        // Texts of numbers and booleans are those values.
        schema["default"] = serde_json::from_str(default).unwrap_or_else(|_| default.into());
    }
    let mut described = json!({
        "name": concrete(&parameter.name),
        "in": "query",
        "description": meaning,
        "required": parameter.required,
        "schema": schema,
    });
    if let Some(name) = &parameter.alias_of {
        described["x-alias-of"] = concrete(name).into();
    }
    described
}

/// Replaces the variables in nested names by the first index: OpenAPI cannot describe names that vary.
fn concrete(name: &str) -> String {
    ["[group]", "[entry]", "[shape]", "[point]"]
        .iter()
        .fold(name.to_owned(), |name, key| name.replace(key, "[0]"))
}

fn request_body(operation: &Operation, body: &Body) -> Value {
    let mut content = Map::new();
    for media_type in JSON_TYPES {
        content.insert(media_type.to_owned(), json!({"schema": schema(body.kind, false)}));
    }
    if let Some(example) = examples::request(operation.id) {
        content["application/json"]["example"] = example;
    }
    if body.lines {
        let line = json!({"type": "string", "description": "One JSON object per line"});
        content.insert("application/x-ndjson".to_owned(), json!({"schema": line}));
    }
    let mut limit = format!("{}.", body.limit.sentence());
    if body.lines {
        limit.push_str(" A stream of lines has no limit.");
    }
    json!({"required": body.required, "description": limit, "content": content})
}

fn responses(operation: &Operation) -> Value {
    let mut responses = Map::new();
    for answer in operation.answers {
        responses.insert(answer.status.to_string(), response(operation, answer));
    }
    for status in errors::statuses(operation) {
        let reference = match operation.tag {
            // People read these, so their errors are pages too.
            Tag::Pages if status == 404 => json!({
                "description": "The link is not valid",
                "content": {"text/html": {"schema": {"type": "string"}}},
            }),
            _ => json!({"$ref": format!("#/components/responses/{}", errors::name(status))}),
        };
        responses.entry(status.to_string()).or_insert(reference);
    }
    Value::Object(responses)
}

fn response(operation: &Operation, answer: &Answer) -> Value {
    let mut described = json!({"description": answer.meaning, "headers": errors::references(answer.headers)});
    let content = match answer.content {
        Content::Empty => return described,
        Content::Json(kind) => JSON_TYPES
            .into_iter()
            .map(|media_type| (media_type.to_owned(), json!({"schema": schema(kind, false)})))
            .collect::<Map<_, _>>(),
        Content::Lines(name) => {
            let line = json!({"type": "string", "description": format!("One `{name}` per line")});
            Map::from_iter([("application/x-ndjson".to_owned(), json!({"schema": line}))])
        }
        Content::Negotiated(offers) => offers
            .iter()
            .map(|(media_type, kind)| ((*media_type).to_owned(), json!({"schema": text_or(*kind)})))
            .collect(),
        Content::Other(media_type, kind) => {
            let schema = text_or(kind);
            let mut content = Map::from_iter([(media_type.to_owned(), json!({"schema": schema}))]);
            if media_type == "application/geo+json" {
                content.insert("application/json".to_owned(), json!({"schema": schema}));
            }
            content
        }
    };
    described["content"] = Value::Object(content);
    let lines = operation.body.as_ref().is_some_and(|body| body.lines);
    if lines && answer.status == 200 {
        let line = json!({"type": "string", "description": "One `AdvertReceipt` per line"});
        described["content"]["application/x-ndjson"] = json!({"schema": line});
    }
    if let Some(example) = examples::answer(operation.id, answer.status) {
        for media_type in ["application/ld+json", "application/geo+json"] {
            if described["content"].get(media_type).is_some() {
                described["content"][media_type]["example"] = example.clone();
            }
        }
    }
    described
}

/// Returns the schema of a body that is text unless it is JSON.
fn text_or(kind: Option<Kind>) -> Value {
    kind.map_or_else(|| json!({"type": "string"}), |kind| schema(kind, false))
}

#[cfg(test)]
mod tests;
