//! The texts of the document that belong to no single operation.

use serde_json::{Value, json};

use crate::operation::Tag;
use crate::schema::Kind;

const INTRODUCTION: &str = "\
Vigie holds real-estate adverts, groups the adverts of one home into a property, answers searches over them, and tells clients \
when something they wait for appears.

**Key.** Send your API key in the header `X-API-KEY`. A key has scopes: `read` for properties and reference data, `searches` for \
saved searches and deliveries, `ingest` for sending adverts, `admin` for operators.

**Pages.** A collection has its objects in `hydra:member` and their number in `hydra:totalItems`, which is exact. `hydra:view` has \
the links to other pages, and `hydra:search` lists the parameters.

**Values.** Amounts are in euros, surfaces in square metres, dates in ISO 8601 with an offset. An unknown value is `null`, an \
unknown list is empty.

**Parameters.** Lists are written `x[]=a&x[]=b`, `x[0]=a&x[1]=b` or `x=a&x=b`. Parameters that the service does not know are \
ignored and named in `X-Ignored-Parameters`; with `Prefer: handling=strict` they are an error.

**Several servers.** Every answer says in `X-Log-Position` which changes searches of that server see. Another server may be a moment \
behind: send the number as `X-Min-Log-Position`, and it waits until it has seen these changes, or answers 503 with `Retry-After` if that \
takes too long.

**Errors.** Every error says what is wrong in `hydra:description`, and again in `detail` (RFC 9457). If several things are wrong, \
`violations` lists all of them.";

pub fn info(version: &str) -> Value {
    json!({
        "title": "Vigie",
        "version": version,
        "summary": "Real-estate adverts: search and notification",
        "description": INTRODUCTION,
    })
}

/// The chapters in their order, with name and meaning.
pub const TAGS: &[(Tag, &str, &str)] = &[
    (Tag::Properties, "Properties", "Search and read property documents"),
    (Tag::Searches, "Searches", "Saved searches, their matches and previews"),
    (Tag::Deliveries, "Deliveries", "Webhooks and e-mails: what was sent, and sending it again"),
    (Tag::Adverts, "Adverts", "Send adverts, and read, expire and erase them"),
    (Tag::Grouping, "Grouping", "Why adverts are one property, and corrections"),
    (Tag::Places, "Places", "Cities, departments, regions, and their borders"),
    (Tag::Sites, "Sites", "Sites that adverts come from, and their categories"),
    (Tag::Account, "Account", "Keys and usage"),
    (Tag::Status, "Status", "How the server fares, for operators with the scope `admin`"),
    (Tag::Documentation, "Documentation", "The description of the API"),
    (Tag::Operations, "Operations", "Health and metrics, for operators"),
    (Tag::Pages, "Pages", "Pages for recipients of e-mails"),
];

pub fn tags() -> Value {
    TAGS.iter().map(|(_, name, meaning)| json!({"name": name, "description": meaning})).collect()
}

pub fn tag_name(tag: Tag) -> &'static str {
    TAGS.iter().find(|(listed, ..)| *listed == tag).map_or("", |(_, name, _)| name)
}

/// Returns the kind and the meaning of a variable in a path.
pub fn variable(path: &str, name: &str) -> (Kind, &'static str) {
    let first = path.split('/').nth(1).unwrap_or_default();
    match (first, name) {
        ("documents" | "properties", _) => (Kind::Uuid, "uuid of a property"),
        ("adverts", "n") => (Kind::Integer, "Number of the picture, from 0"),
        ("adverts", _) => (Kind::Uuid, "uuid of an advert"),
        ("searches", _) => (Kind::Text, "uuid or token of a search"),
        ("deliveries", _) => (Kind::Uuid, "uuid of a delivery"),
        ("matches", _) => (Kind::Uuid, "uuid of a match"),
        ("keys", _) => (Kind::Text, "id of a key"),
        ("cities", _) => (Kind::Text, "id or INSEE code of a city"),
        ("departments", _) => (Kind::Text, "id or code of a department"),
        ("regions", _) => (Kind::Text, "id or code of a region"),
        ("map", "z") => (Kind::Integer, "The zoom, from 0 to 14"),
        ("map", "x") => (Kind::Integer, "The column, from west to east"),
        ("map", "y") => (Kind::Integer, "The row, from north to south"),
        ("sites", _) => (Kind::Integer, "id of a site"),
        ("site_categories", _) => (Kind::Integer, "id of a category"),
        ("docs", _) => (Kind::Text, "Name of the file"),
        ("contexts", _) => (Kind::Text, "Name of a type, such as `PropertyDocument`"),
        ("unsubscribe", "search") => (Kind::Uuid, "uuid of a search"),
        _ => (Kind::Text, "Token from the link in an e-mail"),
    }
}
