//! The index as operators see it: readiness, metrics, snapshots.

use std::sync::Arc;

use app::App;
use app::system::{RandomIds, SystemClock};
use axum::body::Body;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use server::config::{Config, Sources};
use server::http::{self, Shared};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::harness::adverts::minimal;
use crate::harness::{TestServer, gazetteer};

#[tokio::test]
async fn server_is_not_ready_until_the_index_is_built() {
    let folder = TempDir::new().unwrap();
    let store = Arc::new(test_database::open(folder.path()));
    // No indexer runs.
    let app = App::new(store, Arc::new(SystemClock), Arc::new(RandomIds), gazetteer()).with_index();
    let config = Config::load(Sources::defaults()).unwrap();
    let router = http::router(&Shared::new(app, config, CancellationToken::new()).unwrap());
    let service = TowerToHyperService::new(router);
    let status = async |path: &str| {
        let request =
            axum::http::Request::get(path).header("host", "vigie.test").body(Body::empty()).unwrap();
        let response = service.call(request).await.unwrap();
        (response.status().as_u16(), response.headers().contains_key("retry-after"))
    };
    assert_eq!(status("/healthz").await, (200, false));
    assert_eq!(status("/readyz").await, (503, true));
    assert_eq!(status("/metrics").await, (200, false));
}

#[tokio::test]
async fn adverts_are_indexed_and_in_the_final_snapshot() {
    let mut server = TestServer::start().await;
    server.accept(&minimal("1")).await;
    assert_eq!(server.app.index_searcher().unwrap().len(), 1);
    server.post_lines(format!("{}\n{}\n", minimal("2"), minimal("3"))).await;
    assert_eq!(server.app.index_searcher().unwrap().len(), 3);
    server.post("/adverts", &serde_json::json!([minimal("4"), minimal("5")])).await;
    assert_eq!(server.app.index_searcher().unwrap().len(), 5);
    let response = server.get("/metrics").await;
    let metrics = response.text();
    for line in [
        "vigie_index_ready 1",
        "vigie_index_position 5",
        "vigie_index_properties 5",
        "vigie_index_visibility_timeouts_total 0",
        "vigie_log_position 5",
    ] {
        assert!(metrics.lines().any(|printed| printed == line), "{line} is not in {metrics}");
    }

    server.shut_down().await;
    assert!(server.index_folder().join("manifest").exists());
    let snapshot = server.app.index_status().unwrap().snapshot.unwrap();
    assert_eq!(snapshot.position, store::Position(5));
}
