//! Previews a search before it is saved.

use app::access::Caller;
use app::preview::{Count, Preview};
use app::search::CancelOnDrop;
use axum::Extension;
use axum::extract::{Request, State};
use axum::response::Response;
use description::OperationId;
use http::StatusCode;
use serde_json::value::RawValue;
use wire::preview::{CountBody, PreviewInput};
use wire::search::Purpose;

use super::Shared;
use super::body;
use super::error::{Problem, json};
use super::parameters::QueryText;
use super::searches::{criteria_of, read};

/// Number of documents: the default page size of the collection.
const ITEMS: usize = 10;

/// `POST /searches/preview`
pub async fn preview(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
    request: Request,
) -> Result<Response, Problem> {
    let body = body::json(&shared, OperationId::PreviewSearch, request).await?;
    let renderer = shared.app.document_renderer().await?;
    let (draft, ignored) = read(&shared, renderer.sites(), &query, &body, Purpose::Preview)?;
    let criteria = criteria_of(&shared, renderer.sites(), &draft.raw_criteria)?;
    // A preview costs as much as hundreds of searches: one at a time, on background threads, until the client disconnects.
    let turn = shared.app.preview_turn(caller.user.id).await?;
    let disconnected = CancelOnDrop::default();
    let previewing = {
        let (app, cancelled) = (shared.app.background(), disconnected.flag());
        async move { app.preview(turn, cancelled, criteria, app.clock().now(), ITEMS).await }
    };
    let Preview { now, last_7_days, last_30_days } = shared.background.run(previewing).await??;

    let ids = now.hits.iter().map(|hit| hit.property).collect();
    let mut properties = shared.app.properties(ids).await?;
    let document = |property: domain::Property| {
        // Apply the search's own option, as a delivery would.
        let hide_contact = draft.alerts.hide_contact;
        renderer.render(&if hide_contact { property.without_contacts() } else { property })
    };
    let found = now.hits.iter().filter_map(|hit| properties.remove(&hit.property));
    let documents: Vec<Box<RawValue>> = found.filter_map(document).collect();
    let body = wire::preview::preview(PreviewInput {
        total: now.total as u64,
        last_7_days: count(last_7_days),
        last_30_days: count(last_30_days),
        documents: documents.iter().map(|document| &**document).collect(),
        ignored: ignored.names(),
    });
    let response = json(StatusCode::OK, &body);
    Ok(ignored.on(response))
}

fn count(count: Count) -> CountBody {
    let Count { count, is_estimated } = count;
    CountBody { count: count as u64, estimated: is_estimated }
}
