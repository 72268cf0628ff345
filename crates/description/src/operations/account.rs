//! API keys, and what they were used for.

use super::{ADMIN, body, created, empty, none, one, page, parameters};
use crate::operation::{Access, BodyLimit, Method, Operation, OperationId, Parameter, Tag};
use crate::schema::Kind;

pub const OPERATIONS: &[Operation] = &[
    Operation {
        id: OperationId::Usage,
        method: Method::Get,
        path: "/usage",
        tag: Tag::Account,
        access: Access::AnyKey,
        summary: "Read what your keys were used for, by day",
        description: "Requests by operation, objects returned, webhooks and e-mails sent. Newest day first.",
        parameters: || {
            vec![
                Parameter::new("from", "day", Kind::Date, "On this day or later"),
                Parameter::new("to", "day", Kind::Date, "On this day or earlier"),
                Parameter::new("key", "key", Kind::Link("Key"), "Only of this key"),
                Parameter::new("all", "user", Kind::Boolean, "Of all users; needs the scope `admin`")
                    .default("false"),
                parameters::page(),
                parameters::items_per_page(),
            ]
        },
        body: None,
        answers: &[page("Usage", "A page of days")],
        errors: &[403],
    },
    Operation {
        id: OperationId::Keys,
        method: Method::Get,
        path: "/keys",
        tag: Tag::Account,
        access: ADMIN,
        summary: "List the API keys",
        description: "",
        parameters: || {
            vec![
                Parameter::new("user", "user", Kind::Text, "Only of the user with this name"),
                parameters::page(),
                parameters::items_per_page(),
            ]
        },
        body: None,
        answers: &[page("Key", "A page of keys")],
        errors: &[],
    },
    Operation {
        id: OperationId::CreateKey,
        method: Method::Post,
        path: "/keys",
        tag: Tag::Account,
        access: ADMIN,
        summary: "Create an API key",
        description: "The answer is the only one that contains the complete key.",
        parameters: none,
        body: body("KeyDraft", BodyLimit::SMALL),
        answers: &[created("Key", "The key")],
        errors: &[],
    },
    Operation {
        id: OperationId::Key,
        method: Method::Get,
        path: "/keys/{id}",
        tag: Tag::Account,
        access: ADMIN,
        summary: "Read an API key",
        description: "",
        parameters: none,
        body: None,
        answers: &[one(200, "Key", "The key, without its text")],
        errors: &[],
    },
    Operation {
        id: OperationId::ChangeKey,
        method: Method::Put,
        path: "/keys/{id}",
        tag: Tag::Account,
        access: ADMIN,
        summary: "Change label, expiry and limit of an API key",
        description: "A field that is absent keeps its value; `null` clears it.",
        parameters: none,
        body: body("KeyChange", BodyLimit::SMALL),
        answers: &[one(200, "Key", "The key as it is now")],
        errors: &[],
    },
    Operation {
        id: OperationId::RevokeKey,
        method: Method::Delete,
        path: "/keys/{id}",
        tag: Tag::Account,
        access: ADMIN,
        summary: "Revoke an API key",
        description: "",
        parameters: none,
        body: None,
        answers: &[empty("The key is refused from now on")],
        errors: &[],
    },
];
