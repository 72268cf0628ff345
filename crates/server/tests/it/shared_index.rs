//! Servers on one PostgreSQL database that share a snapshot of the index.

use serde_json::json;
use tempfile::TempDir;
use testkit::s3_server::{KEY_ID, S3Server, SECRET};

use crate::cli::{run_with, vigie};
use crate::harness::adverts::advert;
use crate::harness::client::{Request, with_timeout};
use crate::nodes::{Cluster, Node};

/// A snapshot is taken as soon as something has changed.
const AT_ONCE: (&str, &str) = ("VIGIE_SEARCH__SNAPSHOT_INTERVAL", "1ms");

/// Returns a metric of a server.
async fn metric(node: &Node, name: &str) -> String {
    let metrics = node.send(Request::new("GET", "/metrics")).await;
    let line = metrics.text().lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name} is missing: {}", metrics.text())).to_owned()
}

/// Asks again and again until the shared snapshot has everything up to a log position.
async fn wait_until_published(node: &Node, position: &str) {
    with_timeout(async {
        while metric(node, "vigie_index_published_position").await != position {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

async fn origin(node: &Node) -> &'static str {
    let origins = ["own_snapshot", "shared_snapshot", "database"];
    for origin in origins {
        if metric(node, &format!("vigie_index_origin{{origin=\"{origin}\"}}")).await == "1" {
            return origin;
        }
    }
    panic!("the index is not loaded");
}

/// Lets one server publish its snapshot and another one start from it.
async fn check(settings: &[(&str, &str)]) {
    let cluster = Cluster::new();
    let settings: Vec<_> = settings.iter().copied().chain([AT_ONCE]).collect();
    let first = cluster.start_with(&settings);
    let mut position = String::new();
    for number in 0..6 {
        let advert = advert(&number.to_string(), json!({"surface": 40 + 10 * number}));
        position = first.post("/adverts", &advert).await;
    }
    assert_eq!(first.properties_at(&position).await, 6);
    assert_eq!(origin(&first).await, "database");
    wait_until_published(&first, &position).await;

    let second = cluster.start_with(&settings);
    assert_eq!(second.properties_at(&position).await, 6);
    assert_eq!(origin(&second).await, "shared_snapshot");
    assert_eq!(metric(&second, "vigie_index_published_position").await, "0", "the first one publishes");
    for query in ["surfaceMin=60", "surfaceMax=50", "propertyTypes[]=0"] {
        let path = format!("/documents/properties?withCoherentPrice=false&{query}");
        let [one, other] = [first.get_at(&position, &path).await, second.get_at(&position, &path).await];
        assert_eq!(one.ok(), other.ok(), "{query}");
    }

    // It follows the log like any other.
    let receipt = first.send(Request::new("POST", "/adverts").json(&advert("0", json!({})))).await;
    let erased = receipt.ok()["@id"].as_str().unwrap().to_owned();
    let deleted = first.send(Request::new("DELETE", &erased)).await;
    assert_eq!(deleted.status, 204);
    let position = deleted.header("X-Log-Position").unwrap().to_owned();
    assert_eq!(first.properties_at(&position).await, 5);
    assert_eq!(second.properties_at(&position).await, 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_server_starts_from_a_snapshot_in_a_folder() {
    let folder = TempDir::new().unwrap();
    let shared = folder.path().join("shared");
    check(&[("VIGIE_INDEX__SHARED", shared.to_str().unwrap())]).await;
    // One folder for the database, of which other users see nothing.
    let folders: Vec<_> =
        std::fs::read_dir(&shared).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(folders.len(), 1);
    assert!(folders[0].to_str().unwrap().starts_with("index-"), "{folders:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_server_starts_from_a_snapshot_in_object_storage() {
    let storage = S3Server::start().await;
    check(&[
        ("VIGIE_INDEX__SHARED", "s3://market/vigie"),
        ("VIGIE_INDEX__S3_ENDPOINT", &storage.endpoint()),
        ("VIGIE_INDEX__S3_REGION", "eu-west-3"),
        ("VIGIE_INDEX__S3_ACCESS_KEY_ID", KEY_ID),
        ("VIGIE_INDEX__S3_SECRET_ACCESS_KEY", SECRET),
    ])
    .await;
    assert!(storage.keys().iter().all(|key| key.starts_with("vigie/index-")), "{:?}", storage.keys());
}

#[tokio::test(flavor = "multi_thread")]
async fn storage_that_cannot_be_used_does_not_keep_a_server_from_starting() {
    let (cluster, folder) = (Cluster::new(), TempDir::new().unwrap());
    // A file in place of a folder on the way.
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let node = cluster.start_with(&[("VIGIE_INDEX__SHARED", file.join("shared").to_str().unwrap()), AT_ONCE]);
    let position = node.post("/adverts", &advert("1", json!({}))).await;
    assert_eq!(node.properties_at(&position).await, 1);
    assert_eq!(origin(&node).await, "database");
    with_timeout(async {
        while metric(&node, "vigie_index_publish_failures_total").await == "0" {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let stopped = node.stop();
    assert!(stopped.contains("cannot share the snapshot of the index"), "{stopped}");
}

#[test]
fn wrong_settings_are_refused_at_the_start() {
    let folder = TempDir::new().unwrap();
    let refused = |settings: &[(&str, &str)]| {
        let mut command = vigie();
        command
            .env_remove("AWS_ACCESS_KEY_ID")
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder.path());
        run_with(command.envs(settings.iter().copied())).failed().to_owned()
    };
    let postgres = ("VIGIE_STORE__DATABASE", "postgres://127.0.0.1:1/vigie");
    let embedded = refused(&[("VIGIE_INDEX__SHARED", "shared")]);
    assert!(embedded.contains("index.shared") && embedded.contains("PostgreSQL"), "{embedded}");
    let wrong = refused(&[postgres, ("VIGIE_INDEX__SHARED", "https://storage.example/x")]);
    assert!(wrong.contains("\"https://storage.example/x\" is not a folder or s3://BUCKET/PREFIX"), "{wrong}");
    let none = refused(&[postgres, ("VIGIE_INDEX__SHARED", "s3://market/x")]);
    assert!(none.contains("index.shared") && none.contains("set index.s3_access_key_id"), "{none}");
    let plain = refused(&[
        postgres,
        ("VIGIE_INDEX__SHARED", "s3://market/x"),
        ("VIGIE_INDEX__S3_ENDPOINT", "http://storage.example"),
        ("VIGIE_INDEX__S3_ACCESS_KEY_ID", "key"),
        ("VIGIE_INDEX__S3_SECRET_ACCESS_KEY", "secret"),
    ]);
    assert!(plain.contains("index.s3_allow_http"), "{plain}");
}
