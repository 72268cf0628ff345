//! Webhooks and e-mails: what was sent, sending it again, the signing secret, and the tester.

use super::{SEARCHES, none, one, page, parameters};
use crate::codes;
use crate::operation::{Answer, Body, BodyLimit, Content, Method, Operation, OperationId, Parameter, Tag};
use crate::schema::Kind;

pub const OPERATIONS: &[Operation] = &[
    Operation {
        id: OperationId::Deliveries,
        method: Method::Get,
        path: "/deliveries",
        tag: Tag::Deliveries,
        access: SEARCHES,
        summary: "List your deliveries",
        description: "Newest first.",
        parameters: || {
            vec![
                Parameter::new("search", "search", Kind::Link("Search"), "Only of this search"),
                Parameter::new("state", "state", Kind::Choice(codes::DELIVERY_STATES), "Only in this state"),
                Parameter::new("channel", "channel", Kind::Choice(codes::CHANNELS), "Only of this channel"),
                Parameter::new("fromDate", "createdAt", Kind::Date, "Created on or after"),
                Parameter::new("toDate", "createdAt", Kind::Date, "Created on or before"),
                parameters::page(),
                parameters::items_per_page(),
            ]
        },
        body: None,
        answers: &[page("Delivery", "A page of deliveries")],
        errors: &[],
    },
    Operation {
        id: OperationId::Delivery,
        method: Method::Get,
        path: "/deliveries/{id}",
        tag: Tag::Deliveries,
        access: SEARCHES,
        summary: "Read a delivery and its attempts",
        description: "",
        parameters: none,
        body: None,
        answers: &[one(200, "DeliveryWithAttempts", "The delivery")],
        errors: &[],
    },
    Operation {
        id: OperationId::DeliveryRequest,
        method: Method::Get,
        path: "/deliveries/{id}/request",
        tag: Tag::Deliveries,
        access: SEARCHES,
        summary: "Read the request of a webhook",
        description: "Rendered again from what is stored, with the same bytes as every attempt, unless contacts were hidden or data was \
                      erased since. The signature is made with the present secret.",
        parameters: || {
            vec![Parameter::new(
                "attempt",
                "attempts",
                Kind::Integer,
                "Of the attempt with this number; the last one by default",
            )]
        },
        body: None,
        answers: &[one(200, "DeliveryRequest", "The request")],
        errors: &[409],
    },
    Operation {
        id: OperationId::DeliveryHealth,
        method: Method::Get,
        path: "/deliveries/health",
        tag: Tag::Deliveries,
        access: SEARCHES,
        summary: "Read how your receivers fare",
        description: "Attempts, successes and times by host and hour.",
        parameters: || {
            vec![
                Parameter::new("since", "createdAt", Kind::Date, "Of deliveries created on or after")
                    .required(),
            ]
        },
        body: None,
        answers: &[one(200, "DeliveryHealth", "The figures")],
        errors: &[],
    },
    Operation {
        id: OperationId::ReplayDelivery,
        method: Method::Post,
        path: "/deliveries/{id}/replay",
        tag: Tag::Deliveries,
        access: SEARCHES,
        summary: "Send a delivery again",
        description: "With the same `webhook-id` and the same content.",
        parameters: none,
        body: Some(Body {
            required: false,
            kind: Kind::Map(&Kind::Any),
            lines: false,
            limit: BodyLimit::CONTROL,
        }),
        answers: &[one(202, "DeliveryWithAttempts", "The delivery is pending")],
        errors: &[409],
    },
    Operation {
        id: OperationId::ReplayCount,
        method: Method::Get,
        path: "/searches/{id}/replay",
        tag: Tag::Deliveries,
        access: SEARCHES,
        summary: "Count the deliveries of a search that a replay would send again",
        description: "",
        parameters: || {
            vec![Parameter::new("since", "createdAt", Kind::Date, "Deliveries created since then").required()]
        },
        body: None,
        answers: &[one(200, "ReplayCount", "How many they are")],
        errors: &[409],
    },
    Operation {
        id: OperationId::ReplaySearch,
        method: Method::Post,
        path: "/searches/{id}/replay",
        tag: Tag::Deliveries,
        access: SEARCHES,
        summary: "Send all failed deliveries of a search again",
        description: "The date is required, in the query or in the body, so that nothing is sent again by mistake.",
        parameters: || {
            vec![Parameter::new("since", "createdAt", Kind::Date, "Deliveries created since then")]
        },
        body: Some(Body {
            required: false,
            kind: Kind::Object("ReplayDraft"),
            lines: false,
            limit: BodyLimit::CONTROL,
        }),
        answers: &[one(202, "Replay", "How many deliveries are pending again")],
        errors: &[409],
    },
    Operation {
        id: OperationId::WebhookSecret,
        method: Method::Get,
        path: "/webhook-secret",
        tag: Tag::Deliveries,
        access: SEARCHES,
        summary: "Read the secret that signs your webhooks",
        description: "",
        parameters: none,
        body: None,
        answers: &[one(200, "WebhookSecret", "The secret")],
        errors: &[],
    },
    Operation {
        id: OperationId::RotateWebhookSecret,
        method: Method::Post,
        path: "/webhook-secret/rotate",
        tag: Tag::Deliveries,
        access: SEARCHES,
        summary: "Replace the secret that signs your webhooks",
        description: "For a day webhooks carry a signature with each of the two secrets.",
        parameters: none,
        body: Some(Body {
            required: false,
            kind: Kind::Map(&Kind::Any),
            lines: false,
            limit: BodyLimit::CONTROL,
        }),
        answers: &[one(200, "WebhookSecret", "The new secret")],
        errors: &[],
    },
    Operation {
        id: OperationId::TestWebhook,
        method: Method::Get,
        path: "/webhook-tester",
        tag: Tag::Deliveries,
        access: SEARCHES,
        summary: "Send a sample webhook at once",
        description: "One attempt, signed like any webhook, with sample data that is marked as such.",
        parameters: || {
            let event = |name: &'static str| {
                Parameter::new(
                    name,
                    "event",
                    Kind::Choice(codes::DELIVERY_SUBJECTS),
                    "What the sample is about",
                )
            };
            vec![
                Parameter::new("endpoint", "endpoint", Kind::Url, "The address to send to; https").required(),
                event("eventType").required(),
                Parameter { alias_of: Some("eventType".into()), ..event("type") },
            ]
        },
        body: None,
        answers: &[Answer {
            status: 200,
            meaning: "What was sent; the receiver answered 200",
            content: Content::Json(Kind::AnyOf(&[
                Kind::Object("WebhookMatch"),
                Kind::Object("WebhookEvent"),
            ])),
            headers: &[],
        }],
        errors: &[422, 502],
    },
];
