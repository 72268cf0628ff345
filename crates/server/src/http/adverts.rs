//! Ingest of adverts, and single adverts.

mod decode;

use app::access::Caller;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use description::OperationId;
use domain::{AdvertId, SiteKey};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use wire::advert_draft::ParseMode;
use wire::receipt::ReceiptCollection;

use super::Shared;
use super::body::{self, ReceivedBody};
use super::budget::Owner;
use super::error::{Problem, json};
use super::metering::{Meter, with_items};
use super::middleware::RequestPermit;
use super::parameters::wants_strict;
use super::path::PathId;
use super::{status, stream};
use crate::ndjson;
use decode::{DecodedBody, Shape, decode_body};

/// `POST /adverts`: one advert, an array of adverts, or an NDJSON stream. `Prefer: handling=strict` refuses every value that is
/// not exactly as the contract says.
pub async fn ingest(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    let (parts, content) = request.into_parts();
    body::refuse_encodings(&parts.headers)?;
    let mode = if wants_strict(&parts.headers) { ParseMode::Strict } else { ParseMode::Lenient };
    match BodyKind::of(&parts.headers)? {
        BodyKind::Json => ingest_json(&shared, &parts, content, mode).await,
        BodyKind::Ndjson => {
            let caller = parts.extensions.get::<Caller>().ok_or_else(Problem::internal)?;
            let slot = shared.stream_slot(caller)?;
            let permit = parts.extensions.get::<RequestPermit>().cloned();
            let meter = parts.extensions.get::<Meter>().cloned();
            let owner = Owner::of(&parts.extensions);
            Ok(stream::ingest(&shared, stream::Sender { held: (slot, permit), meter, owner }, content, mode))
        }
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
    // In a task of its own, so that a client that disconnects cannot interrupt it between the store and the cache.
    let erased = shared.tasks.spawn(erasing).await.map_err(|_| app::Error::Interrupted)??;
    erased.ok_or_else(Problem::not_found)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `POST /adverts/{uuid}/expire`
pub async fn expire(State(shared): State<Shared>, PathId(id): PathId<AdvertId>) -> Result<Response, Problem> {
    let receipt = shared.app.expire(id).await?.ok_or_else(Problem::not_found)?;
    shared.metrics.count(std::slice::from_ref(&receipt));
    let expired = ndjson::Ingested { receipt, ignored: Vec::new(), site: None, reference: None, url: None };
    Ok(json(StatusCode::OK, &expired.body().with_context()))
}

#[derive(Debug, PartialEq, Eq)]
enum BodyKind {
    Json,
    Ndjson,
}

impl BodyKind {
    fn of(headers: &HeaderMap) -> Result<Self, Problem> {
        let (given, media_type) = body::media_type(headers);
        match media_type.as_str() {
            "application/json" | "application/ld+json" => Ok(Self::Json),
            "application/x-ndjson" => Ok(Self::Ndjson),
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

async fn ingest_json(
    shared: &Shared,
    parts: &Parts,
    content: Body,
    mode: ParseMode,
) -> Result<Response, Problem> {
    let limit = body::limit(shared, OperationId::SendAdverts);
    let received = body::whole(shared, parts, content, limit).await?;
    let ingest = {
        let shared = shared.clone();
        async move { decode_and_ingest(&shared, received, mode).await }
    };
    let (shape, ingested) = shared.background.run(ingest).await??;
    match shape {
        Shape::Array => {
            let count = ingested.len() as u64;
            let receipts = ingested.into_iter().map(ndjson::Ingested::body).collect();
            Ok(with_items(json(StatusCode::OK, &ReceiptCollection::of(receipts)), count))
        }
        Shape::Single => {
            let ingested = ingested.into_iter().next().ok_or_else(Problem::not_found)?;
            single_receipt(ingested).map(|response| with_items(response, 1))
        }
    }
}

/// Decodes a JSON body and ingests its adverts.
async fn decode_and_ingest(
    shared: &Shared,
    received: ReceivedBody,
    mode: ParseMode,
) -> Result<(Shape, Vec<ndjson::Ingested>), Problem> {
    let decoder = shared.decoder(mode).await?;
    let now = shared.app.clock().now();
    // Decoding megabytes of JSON takes a while: do it on a blocking thread.
    let work = move || decode_body(&decoder, received, now);
    let decoded = tokio::task::spawn_blocking(work).await;
    // The reservation is kept until the adverts are ingested.
    let (DecodedBody { shape, decoded }, _reservation) =
        decoded.map_err(|_panicked| app::Error::Interrupted)??;
    let ingested = ndjson::ingest(&shared.app.background(), decoded).await?;
    ingested.iter().for_each(|one| status::count_advert(shared, one));
    Ok((shape, ingested))
}

fn single_receipt(ingested: ndjson::Ingested) -> Result<Response, Problem> {
    use app::ingest::{Outcome, Receipt};
    let status = match &ingested.receipt {
        Receipt::Rejected { violations } => return Err(Problem::violations(violations)),
        Receipt::Accepted { outcome: Outcome::Created, .. } => StatusCode::CREATED,
        Receipt::Accepted { outcome: Outcome::Updated | Outcome::Unchanged, .. } => StatusCode::OK,
    };
    let location = match &ingested.receipt {
        Receipt::Accepted { advert, .. } => HeaderValue::from_str(&wire::iri::advert(*advert)).ok(),
        Receipt::Rejected { .. } => None,
    };
    let mut response = json(status, &ingested.body().with_context());
    if let Some(location) = location {
        if status == StatusCode::CREATED {
            response.headers_mut().insert(header::LOCATION, location.clone());
        }
        response.headers_mut().insert(header::CONTENT_LOCATION, location);
    }
    Ok(response)
}
