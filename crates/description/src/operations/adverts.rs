//! Sending adverts, and reading, expiring and erasing single ones.

use super::{INGEST, READ, empty, none, one};
use crate::operation::{Answer, Body, BodyLimit, Content, Method, Operation, OperationId, Tag};
use crate::schema::Kind;

pub const OPERATIONS: &[Operation] = &[
    Operation {
        id: OperationId::SendAdverts,
        method: Method::Post,
        path: "/adverts",
        tag: Tag::Adverts,
        access: INGEST,
        summary: "Send one advert, an array of adverts, or a stream of lines",
        description: "An advert is created or updated, identified by `uuid`, else by `site` and `reference`, else by `url`. Values \
                      are understood as the trade writes them; what cannot be used is left out with a warning. With \
                      `Prefer: handling=strict` it is refused instead. A receipt is sent once the advert is durable.",
        parameters: none,
        body: Some(Body {
            required: true,
            kind: Kind::AnyOf(&[Kind::Object("AdvertDraft"), Kind::List(&Kind::Object("AdvertDraft"))]),
            lines: true,
            limit: BodyLimit::Configured,
        }),
        answers: &[
            Answer {
                status: 200,
                meaning: "One advert was updated or unchanged; or the receipts of an array, in its order; or one line per line",
                content: Content::Json(Kind::AnyOf(&[
                    Kind::Object("AdvertReceipt"),
                    Kind::Collection("AdvertReceipt"),
                ])),
                headers: &[],
            },
            one(201, "AdvertReceipt", "One advert was created"),
        ],
        errors: &[409],
    },
    Operation {
        id: OperationId::Advert,
        method: Method::Get,
        path: "/adverts/{uuid}",
        tag: Tag::Adverts,
        access: READ,
        summary: "Read an advert as it was sent",
        description: "",
        parameters: none,
        body: None,
        answers: &[one(200, "Advert", "The advert")],
        errors: &[],
    },
    Operation {
        id: OperationId::AdvertPicture,
        method: Method::Get,
        path: "/adverts/{uuid}/pictures/{n}",
        tag: Tag::Adverts,
        access: READ,
        summary: "Read a picture of an advert",
        description: "Fetched from the server that the advert names, over TLS, with the checks of a webhook; the viewer's address is \
                      not given to it. JPEG, PNG, WebP, AVIF or GIF of at most 10 MiB. A failure is remembered for five minutes.",
        parameters: none,
        body: None,
        answers: &[Answer {
            status: 200,
            meaning: "The picture, under its own media type",
            content: Content::Other("image/*", None),
            headers: &[],
        }],
        errors: &[502],
    },
    Operation {
        id: OperationId::EraseAdvert,
        method: Method::Delete,
        path: "/adverts/{uuid}",
        tag: Tag::Adverts,
        access: INGEST,
        summary: "Erase an advert",
        description: "For data that must not be kept. An advert that is no longer published should expire instead.",
        parameters: none,
        body: None,
        answers: &[empty("The advert is gone")],
        errors: &[],
    },
    Operation {
        id: OperationId::ExpireAdvert,
        method: Method::Post,
        path: "/adverts/{uuid}/expire",
        tag: Tag::Adverts,
        access: INGEST,
        summary: "Mark an advert as no longer published",
        description: "",
        parameters: none,
        body: None,
        answers: &[one(200, "AdvertReceipt", "The advert is expired")],
        errors: &[],
    },
];
