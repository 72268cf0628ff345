//! States that a test over a socket cannot hold: before the index has processed anything.

use app::App;
use axum::Extension;
use axum::extract::{FromRequestParts, State};
use axum::response::IntoResponse;
use http::{Request, StatusCode, header};
use tempfile::TempDir;

use super::parameters::QueryText;
use super::*;
use crate::config::Sources;
use crate::open;

/// Opens the service on a new folder, without followers of the log.
fn without_followers() -> (Shared, TempDir) {
    let folder = TempDir::new().unwrap();
    let data = Some(folder.path().display().to_string());
    let config = Config::load(Sources::defaults().flag("--data", "store.data", data)).unwrap();
    let app: App = open::app(&config).unwrap().with_index().with_matcher();
    (Shared::new(app, config, CancellationToken::new()).unwrap(), folder)
}

async fn query() -> QueryText {
    let (mut parts, ()) = Request::get("/").body(()).unwrap().into_parts();
    QueryText::from_request_parts(&mut parts, &()).await.unwrap()
}

#[tokio::test]
async fn search_is_unavailable_until_the_index_is_built() {
    let (shared, _folder) = without_followers();
    let (_, key) = shared.app.create_key("tester", domain::Scopes::all()).await.unwrap();
    let caller = Extension(shared.app.caller(&key).await.unwrap().unwrap());
    for response in [
        properties::list(State(shared.clone()), caller.clone(), query().await).await.into_response(),
        bulk::stream(State(shared.clone()), caller.clone(), None, None, query().await).await.into_response(),
        indicators::price_per_meter(State(shared.clone()), caller, query().await).await.into_response(),
        health::ready(State(shared.clone())).await,
    ] {
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(response.headers().contains_key(header::RETRY_AFTER));
    }
    assert_eq!(health::alive(State(shared)).await.status(), StatusCode::OK);
}
