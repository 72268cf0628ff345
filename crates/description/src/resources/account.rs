//! Keys and their usage.

use super::search_bodies::NUMBER;
use crate::codes;
use crate::schema::{Field, Kind, Resource};

const SCOPES: Kind = Kind::AnyOf(&[Kind::List(&Kind::Choice(codes::SCOPES)), Kind::Text]);

#[rustfmt::skip]
pub fn resources() -> Vec<Resource> {
    vec![
        Resource::at("Key", "/keys/{id}", "An API key. The key itself is shown once, when it is created.", vec![
            Field::new("id", Kind::Text, "The id, which is no secret"),
            Field::new("user", Kind::Text, "The name of its user. The keys of one user share saved searches."),
            Field::new("label", Kind::Text, "What the key is for").or_null(),
            Field::new("scopes", Kind::List(&Kind::Choice(codes::SCOPES)), "What the key may do"),
            Field::new("requestsPerMinute", Kind::Integer, "The limit of this key; 0 is no limit, null the general one").or_null(),
            Field::new("createdAt", Kind::DateTime, "When it was created"),
            Field::new("expiresAt", Kind::DateTime, "From when on it is invalid; null if it does not expire").or_null(),
            Field::new("lastUsedAt", Kind::DateTime, "When it was last used, a few seconds behind; null if it never was").or_null(),
            Field::new("revokedAt", Kind::DateTime, "When it was revoked; null if it is valid").or_null(),
            Field::new("key", Kind::Text, "The key itself. Only in the answer that creates it.").optional(),
        ]),
        Resource::body("KeyDraft", "A key to create", [
            vec![
                Field::new("user", Kind::Text, "The name of its user, at most 100 characters; created if there is none with this name"),
                Field::new("scopes", SCOPES, "What the key may do; read and searches if absent").or_null().optional(),
            ],
            settings(),
        ].concat()),
        Resource::body("KeyChange", "A change of a key. An absent field keeps its value; null clears it.", settings()),
        Resource::at("Session", "/console/session", "A session: what a person who signed in with a key may do", vec![
            Field::new("user", Kind::Text, "The name of the user"),
            Field::new("label", Kind::Text, "The label of the key").or_null(),
            Field::new("scopes", Kind::List(&Kind::Choice(codes::SCOPES)), "What the key may do now"),
            Field::new("expiresAt", Kind::DateTime, "When the session ends, unless the key is revoked before"),
        ]),
        Resource::body("SignIn", "A key to exchange for a session", vec![
            Field::new("key", Kind::Text, "The complete API key"),
        ]),
        Resource::at("Usage", "/usage", "What a key used on one day. Deliveries, which no key asked for, have a member of their own.", vec![
            Field::new("day", Kind::Date, "The day, in the time zone of the service"),
            Field::new("key", Kind::Link("Key"), "The key; null for deliveries").or_null(),
            Field::new("label", Kind::Text, "The label of the key").or_null(),
            Field::new("user", Kind::Text, "The name of the user"),
            Field::new("requests", Kind::Integer, "The number of requests that passed the checks of key, scope and limit"),
            Field::new("items", Kind::Integer, "The number of members, lines, receipts and single resources in the answers"),
            Field::new("webhooks", Kind::Integer, "The number of webhooks that were delivered"),
            Field::new("emails", Kind::Integer, "The number of e-mails that were delivered"),
            Field::new("operations", Kind::List(&Kind::Object("OperationUsage")), "The requests by operation"),
        ]),
        Resource::part("OperationUsage", "The requests for one operation", vec![
            Field::new("@type", Kind::Constant("OperationUsage"), "The type"),
            Field::new("operation", Kind::Text, "The method and the path, such as GET /documents/properties"),
            Field::new("requests", Kind::Integer, "The number of requests"),
            Field::new("items", Kind::Integer, "The number of items in the answers"),
        ]),
    ]
}

/// What an operator sets for a key.
#[rustfmt::skip]
fn settings() -> Vec<Field> {
    vec![
        Field::new("label", Kind::Text, "What the key is for, at most 100 characters").or_null().optional(),
        Field::new("expiresAt", Kind::Date, "From when on it is invalid; a date without a time is the end of that day").or_null().optional(),
        Field::new("requestsPerMinute", NUMBER, "The limit of this key; 0 is no limit, null the general one").or_null().optional(),
    ]
}
