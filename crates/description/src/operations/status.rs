//! How the server fares, for operators.

use super::{ADMIN, body, none, one};
use crate::operation::{BodyLimit, Method, Operation, OperationId, Tag};

pub const OPERATIONS: &[Operation] = &[
    Operation {
        id: OperationId::Status,
        method: Method::Get,
        path: "/status",
        tag: Tag::Status,
        access: ADMIN,
        summary: "Read how the server fares, now and over the last day",
        description: "From the same figures as `/metrics`. Series begin with the process.",
        parameters: none,
        body: None,
        answers: &[one(200, "Status", "The figures")],
        errors: &[],
    },
    Operation {
        id: OperationId::RefusedAdverts,
        method: Method::Get,
        path: "/status/refused",
        tag: Tag::Status,
        access: ADMIN,
        summary: "Read why adverts were refused",
        description: "The last 1,000 refused adverts since the process started, grouped by reason, the most frequent first.",
        parameters: none,
        body: None,
        answers: &[one(200, "RefusedAdverts", "The reasons, with examples")],
        errors: &[],
    },
    Operation {
        id: OperationId::SetLogLevel,
        method: Method::Put,
        path: "/status/log-level",
        tag: Tag::Status,
        access: ADMIN,
        summary: "Change the log level until the next start",
        description: "",
        parameters: none,
        body: body("LogLevelChange", BodyLimit::CONTROL),
        answers: &[one(200, "LogLevel", "The level from now on")],
        errors: &[409],
    },
];
