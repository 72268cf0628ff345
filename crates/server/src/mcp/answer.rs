//! What a model reads of an answer: a sentence, then the values as compact JSON. Unknown values are left out, and lists hold
//! summaries, because a page of whole documents would fill the memory of a model.

use domain::{PropertyType, TransactionType};
use serde_json::{Map, Value, json};

use super::schema::{property_type, transaction_type};

/// Limit on the length of one property document. About fifteen thousand tokens.
const DOCUMENT_BYTES_MAX: usize = 60_000;

/// Number of adverts that remain of a document beyond that limit.
const ADVERTS_KEPT: usize = 5;

/// Number of characters that remain of a description then.
const DESCRIPTION_KEPT: usize = 600;

const MEMBERS: &str = "hydra:member";

/// Members of documents that mean nothing to a model, or must not leave the client: the token unsubscribes without a key.
const HIDDEN: &[&str] = &["@context", "@type", "user", "token"];

pub fn properties(body: &Value) -> Vec<String> {
    page(body, "Properties", summary)
}

pub fn searches(body: &Value) -> Vec<String> {
    page(body, "Saved searches", trimmed)
}

pub fn matches(body: &Value) -> Vec<String> {
    page(body, "Matches", |found| {
        let property = summary(&found["propertyDocument"]);
        json!({"id": found["@id"], "matchedAt": found["createdAt"], "property": property})
    })
}

pub fn places(body: &Value) -> Vec<String> {
    page(body, "Places", |place| {
        let names = ["@id", "@type", "name", "displayName", "code", "zipcode", "zipcodes", "insee"];
        let mut place = picked(place, &names, &place["department"]["name"], "department");
        place.retain(|_, value| !is_unknown(value));
        place.into()
    })
}

pub fn property(body: &Value) -> Vec<String> {
    let mut document = trimmed_deep(body);
    let adverts = body["adverts"].as_array().map_or(0, Vec::len);
    let mut sentence = format!("Property {}; adverts: {adverts}.", text(&body["uuid"]));
    let is_too_long = |document: &Value| document.to_string().len() > DOCUMENT_BYTES_MAX;
    if is_too_long(&document) {
        without_pictures(&mut document);
        sentence += " Pictures are left out, because the document is long.";
    }
    if is_too_long(&document) {
        shorten_adverts(&mut document);
        sentence +=
            &format!(" Of its adverts {ADVERTS_KEPT} are shown, without events and with short descriptions.");
    }
    vec![sentence, document.to_string()]
}

pub fn search(body: &Value) -> Vec<String> {
    let state = if body["notificationEnabled"] == true { "on" } else { "off" };
    let sentence = format!("Saved search {}; notifications are {state}.", text(&body["@id"]));
    vec![sentence, trimmed(body).to_string()]
}

pub fn preview(body: &Value) -> Vec<String> {
    let period = |name: &str| {
        let estimated = if body[name]["estimated"] == true { "about " } else { "" };
        format!("{estimated}{}", body[name]["count"])
    };
    let sentence = format!(
        "Properties found now: {}. It would have announced {} in the last 7 days and {} in the last 30 days. The first properties:",
        body["propertiesNow"],
        period("matchesLast7Days"),
        period("matchesLast30Days")
    );
    vec![sentence, Value::from(members(body).iter().map(summary).collect::<Vec<_>>()).to_string()]
}

pub fn explanation(body: &Value) -> Vec<String> {
    let mut details = trimmed_deep(body);
    if let Some(details) = details.as_object_mut() {
        details.remove("summary");
    }
    vec![text(&body["summary"]).to_owned(), details.to_string()]
}

pub fn price_per_meter(body: &Value) -> Vec<String> {
    let indicator = members(body).first().unwrap_or(body);
    let amount =
        |name: &str| indicator[name].as_f64().map_or("unknown".to_owned(), |euros| format!("{euros:.0} €"));
    let sentence =
        format!("Price per square metre: average {}, median {}.", amount("average"), amount("median"));
    vec![sentence, trimmed_deep(indicator).to_string()]
}

pub fn deleted(_body: &Value) -> Vec<String> {
    vec!["Deleted.".to_owned()]
}

pub fn webhook_sent(_body: &Value) -> Vec<String> {
    vec!["The receiver answered 200.".to_owned()]
}

/// Returns a text, or nothing.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn members(body: &Value) -> &[Value] {
    body[MEMBERS].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn page(body: &Value, things: &str, shorten: impl Fn(&Value) -> Value) -> Vec<String> {
    let shown: Vec<Value> = members(body).iter().map(shorten).collect();
    let more = match body["hydra:view"]["hydra:next"].is_string() {
        true => "; use page for more",
        false => "",
    };
    let total = &body["hydra:totalItems"];
    vec![format!("{things}: {total}; shown: {}{more}.", shown.len()), Value::from(shown).to_string()]
}

/// Returns the key values of a property document.
fn summary(document: &Value) -> Value {
    const KEPT: &[&str] = &[
        "title",
        "price",
        "pricePerMeter",
        "surface",
        "landSurface",
        "room",
        "bedroom",
        "furnished",
        "expired",
        "createdAt",
        "updatedAt",
    ];
    let mut summary = picked(document, KEPT, &document["city"]["name"], "city");
    let code = |name: &str| document[name].as_u64().and_then(|code| u8::try_from(code).ok());
    let kind = code("propertyType").and_then(PropertyType::from_code).map(property_type);
    let transaction = code("transactionType").and_then(TransactionType::from_code).map(transaction_type);
    summary.insert("id".to_owned(), document["uuid"].clone());
    summary.insert("propertyType".to_owned(), kind.into());
    summary.insert("transactionType".to_owned(), transaction.into());
    summary.insert("zipcode".to_owned(), document["city"]["zipcode"].clone());
    let adverts = document["adverts"].as_array().map(Vec::as_slice).unwrap_or_default();
    summary.insert("adverts".to_owned(), adverts.len().into());
    let live = adverts.iter().find(|advert| advert["expired"] != true && advert["url"].is_string());
    summary.insert("url".to_owned(), live.map_or(Value::Null, |advert| advert["url"].clone()));
    summary.retain(|_, value| !is_unknown(value));
    summary.into()
}

/// Returns some members of an object, and one more value under a name of its own.
fn picked(object: &Value, names: &[&str], value: &Value, name: &str) -> Map<String, Value> {
    let mut kept: Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), object[*name].clone())).collect();
    kept.insert(name.to_owned(), value.clone());
    kept
}

fn is_unknown(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Returns a document without unknown values. Places and sites inside it are reduced to id and name.
fn trimmed(value: &Value) -> Value {
    let Value::Object(members) = value else { return value.clone() };
    let shown = members.iter().filter(|(name, _)| !HIDDEN.contains(&name.as_str()));
    let trimmed = shown.map(|(name, value)| (name.clone(), reference(value)));
    trimmed.filter(|(_, value)| !is_unknown(value)).collect::<Map<_, _>>().into()
}

fn reference(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(reference).collect::<Vec<_>>().into(),
        Value::Object(members) if members.contains_key("@id") => match members.get("name") {
            Some(name) => json!({"@id": members["@id"], "name": name}),
            None => members["@id"].clone(),
        },
        other => trimmed_deep(other),
    }
}

/// Returns a value without unknown values, at every level.
fn trimmed_deep(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(trimmed_deep).collect::<Vec<_>>().into(),
        Value::Object(members) => {
            let shown = members.iter().filter(|(name, _)| !HIDDEN.contains(&name.as_str()));
            let trimmed = shown.map(|(name, value)| (name.clone(), trimmed_deep(value)));
            trimmed.filter(|(_, value)| !is_unknown(value)).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

fn without_pictures(document: &mut Value) {
    let remove = |value: &mut Value| {
        if let Some(members) = value.as_object_mut() {
            members.retain(|name, _| !matches!(name.as_str(), "pictures" | "picturesRemote"));
        }
    };
    remove(document);
    document["adverts"].as_array_mut().into_iter().flatten().for_each(remove);
}

fn shorten_adverts(document: &mut Value) {
    shorten_description(document);
    let Some(adverts) = document["adverts"].as_array_mut() else { return };
    adverts.truncate(ADVERTS_KEPT);
    for advert in adverts {
        shorten_description(advert);
        if let Some(members) = advert.as_object_mut() {
            members.retain(|name, _| !matches!(name.as_str(), "events" | "features"));
        }
    }
}

fn shorten_description(value: &mut Value) {
    if let Some(Value::String(description)) = value.get_mut("description")
        && let Some((end, _)) = description.char_indices().nth(DESCRIPTION_KEPT)
    {
        description.truncate(end);
        description.push('…');
    }
}
