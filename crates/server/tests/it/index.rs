//! The index as operators meet it.

use std::sync::Arc;

use app::App;
use app::system::{RandomIds, SystemClock};
use axum::body::Body;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use server::config::{Config, Sources};
use server::http::{self, Shared};
use store::sqlite::SqliteStore;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::harness::adverts::least;
use crate::harness::{TestServer, gazetteer};

#[tokio::test]
async fn until_the_index_has_caught_up_the_server_is_alive_but_not_ready() {
    let folder = TempDir::new().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    // Nobody feeds this index.
    let app = App::new(store, Arc::new(SystemClock), Arc::new(RandomIds), gazetteer()).with_index();
    let config = Config::load(Sources::defaults()).unwrap();
    let router = http::router(&Shared::new(app, config, CancellationToken::new()).unwrap());
    let service = TowerToHyperService::new(router);
    let status = async |path: &str| {
        let request =
            axum::http::Request::get(path).header("host", "vigie.test").body(Body::empty()).unwrap();
        let answer = service.call(request).await.unwrap();
        (answer.status().as_u16(), answer.headers().contains_key("retry-after"))
    };
    assert_eq!(status("/healthz").await, (200, false));
    assert_eq!(status("/readyz").await, (503, true));
    assert_eq!(status("/metrics").await, (200, false));
}

#[tokio::test]
async fn what_is_sent_is_in_the_index_and_in_its_last_snapshot() {
    let mut server = TestServer::start().await;
    server.accept(&least("1")).await;
    assert_eq!(server.app.view().unwrap().len(), 1);
    server.post_lines(format!("{}\n{}\n", least("2"), least("3"))).await;
    assert_eq!(server.app.view().unwrap().len(), 3);
    server.post("/adverts", &serde_json::json!([least("4"), least("5")])).await;
    assert_eq!(server.app.view().unwrap().len(), 5);
    let answer = server.get("/metrics").await;
    let metrics = answer.text();
    for line in [
        "vigie_index_ready 1",
        "vigie_index_position 5",
        "vigie_index_properties 5",
        "vigie_index_late_answers_total 0",
        "vigie_log_position 5",
    ] {
        assert!(metrics.lines().any(|told| told == line), "{line} is not in {metrics}");
    }

    server.shut_down().await;
    assert!(server.folder().join("index/manifest").exists());
    let snapshot = server.app.index_status().unwrap().snapshot.unwrap();
    assert_eq!(snapshot.position, store::Position(5));
}
