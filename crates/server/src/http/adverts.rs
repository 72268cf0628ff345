//! Adverts in, and single adverts out.

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use domain::{AdvertId, SiteKey};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde_json::Value;
use wire::receipt::ReceiptCollection;

use super::Shared;
use super::body;
use super::error::{Problem, json};
use super::outer::Slot;
use super::path::PathId;
use super::stream;
use crate::feed::{self, Decoder};

/// The most adverts of one array: what fits into a body anyway, said as a number.
const ARRAY_MAX: usize = 10_000;

/// `POST /adverts`: one advert, an array of them, or a stream of lines.
pub async fn ingest(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    let (parts, content) = request.into_parts();
    body::refuse_encodings(&parts.headers)?;
    match BodyKind::of(&parts.headers)? {
        BodyKind::Json => ingest_json(&shared, &parts.headers, content).await,
        BodyKind::Lines => Ok(stream::ingest(&shared, parts.extensions.get::<Slot>().cloned(), content)),
    }
}

/// `GET /adverts/{uuid}`
pub async fn one(State(shared): State<Shared>, PathId(id): PathId<AdvertId>) -> Result<Response, Problem> {
    let (advert, property) = shared.app.advert(id).await?.ok_or_else(Problem::not_found)?;
    let zone = &shared.config.time_zone;
    let sites = shared.app.sites().await?;
    let category_of = |site: &SiteKey| sites.category_of(site).map(|category| category.name.to_string());
    Ok(json(StatusCode::OK, &wire::document::advert_resource(&advert, property, zone, &category_of)))
}

/// `DELETE /adverts/{uuid}`
pub async fn erase(State(shared): State<Shared>, PathId(id): PathId<AdvertId>) -> Result<Response, Problem> {
    let erasing = {
        let app = shared.app.clone();
        async move { app.erase(id).await }
    };
    // Not dropped half-way when the client goes: what is erased in the store must not stay in the cache.
    let erased = shared.tasks.spawn(erasing).await.map_err(|_| app::Error::Interrupted)??;
    erased.ok_or_else(Problem::not_found)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `POST /adverts/{uuid}/expire`
pub async fn expire(State(shared): State<Shared>, PathId(id): PathId<AdvertId>) -> Result<Response, Problem> {
    let receipt = shared.app.expire(id).await?.ok_or_else(Problem::not_found)?;
    shared.metrics.count(std::slice::from_ref(&receipt));
    let taken = feed::Taken { receipt, ignored: Vec::new() };
    Ok(json(StatusCode::OK, &taken.body().alone()))
}

#[derive(Debug, PartialEq, Eq)]
enum BodyKind {
    Json,
    Lines,
}

impl BodyKind {
    fn of(headers: &HeaderMap) -> Result<Self, Problem> {
        let (given, media_type) = body::media_type(headers);
        match media_type.as_str() {
            "application/json" | "application/ld+json" => Ok(Self::Json),
            "application/x-ndjson" => Ok(Self::Lines),
            _ => Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                format!(
                    "The content-type \"{given}\" is not supported. Supported MIME types are \"application/ld+json\", \
                     \"application/json\", \"application/x-ndjson\"."
                ),
            )),
        }
    }
}

async fn ingest_json(shared: &Shared, headers: &HeaderMap, content: Body) -> Result<Response, Problem> {
    let bytes = body::whole(headers, content, shared.config.limits.body_bytes_max).await?;
    let taking = {
        let shared = shared.clone();
        async move { take_in(&shared, bytes).await }
    };
    let (shape, taken) = shared.background.run(taking).await??;
    match shape {
        Shape::Array => {
            let receipts = taken.into_iter().map(feed::Taken::body).collect();
            Ok(json(StatusCode::OK, &ReceiptCollection::of(receipts)))
        }
        Shape::Single => {
            let taken = taken.into_iter().next().ok_or_else(Problem::not_found)?;
            single_receipt(taken)
        }
    }
}

/// Reads a body and takes in what it says.
async fn take_in(shared: &Shared, bytes: Bytes) -> Result<(Shape, Vec<feed::Taken>), Problem> {
    let decoder = shared.decoder().await?;
    let now = shared.app.clock().now();
    // Megabytes of JSON take a while; other senders go on meanwhile.
    let work = move || decode_body(&decoder, &bytes, now);
    let decoded = tokio::task::spawn_blocking(work).await;
    let (shape, decoded) = decoded.map_err(|_panicked| app::Error::Interrupted)??;
    let taken = feed::take_in(&shared.app, decoded).await?;
    taken.iter().for_each(|taken| shared.metrics.count(std::slice::from_ref(&taken.receipt)));
    Ok((shape, taken))
}

fn single_receipt(taken: feed::Taken) -> Result<Response, Problem> {
    use app::ingest::{Outcome, Receipt};
    let status = match &taken.receipt {
        Receipt::Rejected { violations } => return Err(Problem::violations(violations)),
        Receipt::Accepted { outcome: Outcome::Created, .. } => StatusCode::CREATED,
        Receipt::Accepted { outcome: Outcome::Updated | Outcome::Unchanged, .. } => StatusCode::OK,
    };
    let location = match &taken.receipt {
        Receipt::Accepted { advert, .. } => HeaderValue::from_str(&wire::iri::advert(*advert)).ok(),
        Receipt::Rejected { .. } => None,
    };
    let mut response = json(status, &taken.body().alone());
    if let Some(location) = location {
        if status == StatusCode::CREATED {
            response.headers_mut().insert(header::LOCATION, location.clone());
        }
        response.headers_mut().insert(header::CONTENT_LOCATION, location);
    }
    Ok(response)
}

enum Shape {
    Single,
    Array,
}

fn decode_body(
    decoder: &Decoder,
    bytes: &[u8],
    now: domain::Timestamp,
) -> Result<(Shape, Vec<feed::Decoded>), Problem> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| Problem::bad_request(format!("The body is not valid JSON: {error}.")))?;
    match value {
        Value::Array(values) if values.len() > ARRAY_MAX => Err(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!(
                "The array holds {} adverts, at most {ARRAY_MAX}; send a stream of lines instead.",
                values.len()
            ),
        )),
        Value::Array(values) => {
            Ok((Shape::Array, values.iter().map(|value| decoder.decode(value, now)).collect()))
        }
        value => Ok((Shape::Single, vec![decoder.decode(&value, now)])),
    }
}
