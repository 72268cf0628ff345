//! `vigie migrate`, from a folder to PostgreSQL and back.

use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use super::serve::Serving;
use super::{Run, embedded_folder, run, run_with, vigie};
use crate::harness::adverts::advert;
use crate::harness::client::{Request, exchange, with_timeout};

fn migrate(from: &str, to: &str) -> Run {
    run_with(vigie().args(["migrate", "--from", from, "--to", to]))
}

fn database() -> String {
    let server = local_postgres::shared();
    server.url(&server.create_database())
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Imports adverts into a folder. Returns a key that may read them.
fn import(data: &Path, folder: &Path) -> String {
    let feed = folder.join("feed.ndjson");
    let lines: Vec<String> = (0..5)
        .map(|number| advert(&number.to_string(), json!({"surface": 40 + 20 * number})).to_string())
        .collect();
    std::fs::write(&feed, lines.join("\n")).unwrap();
    run(data, &["import", text(&feed)]).succeeded();
    let key = run(data, &["keys", "create", "--user", "zoé", "--scopes", "read"]);
    key.succeeded().trim().to_owned()
}

/// Waits until a server shows all adverts.
async fn shows_all(serving: &Serving, key: &str) {
    let list = Request::new("GET", "/documents/properties?withCoherentPrice=false").key(key);
    with_timeout(async {
        loop {
            let response = exchange(serving.address, &list).await;
            if response.status == 200 && response.json()["hydra:totalItems"] == 5 {
                return;
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn folder_moves_to_postgresql_and_back() {
    let (folder, url) = (TempDir::new().unwrap(), database());
    let (data, back) = (folder.path().join("data"), folder.path().join("back"));
    let key = import(&data, folder.path());
    let moved = migrate(text(&data), &url);
    let summary = moved.succeeded();
    assert!(summary.contains("\nadvert\t5\n") && summary.contains("\napi_key\t1\n"), "{summary}");
    assert!(summary.contains("Migrated ") && summary.ends_with(" all compared.\n"), "{summary}");

    let node = TempDir::new().unwrap();
    let serving = Serving::start_with(node.path(), &[("VIGIE_STORE__DATABASE", &url)]);
    shows_all(&serving, &key).await;
    let refused = migrate(&url, text(&back));
    assert!(refused.failed().contains("other Vigie processes use PostgreSQL database"), "{refused:?}");
    serving.stop("TERM").succeeded();

    migrate(&url, text(&back)).succeeded();
    let serving = Serving::start(&back);
    shows_all(&serving, &key).await;
    let refused = migrate(text(&back), &database());
    assert!(refused.failed().contains("another vigie server is running on"), "{refused:?}");
    serving.stop("TERM").succeeded();
    run(&back, &["verify"]).succeeded();
}

#[test]
fn wrong_input_is_named() {
    let (data, folder) = (embedded_folder(), TempDir::new().unwrap());
    let (data, nowhere) = (text(data.path()), folder.path().join("nowhere"));
    let filled = folder.path().join("filled");
    run(&filled, &["keys", "create", "--user", "a"]).failed();
    drop(store::SqlStore::open(&filled).unwrap());
    run(&filled, &["keys", "create", "--user", "a"]).succeeded();
    for (from, to, message) in [
        (text(&nowhere), data, "there is no Vigie database in"),
        (data, data, "the source and the target are the same database"),
        (data, text(&filled), "is not empty: it has rows in user (1), api_key (1)"),
        (data, "mysql://u:hush@host/db", "--to: is neither a folder nor a postgres:// address"),
        (data, "postgres://u:hush@host/db?sslmode=perhaps", "sslmode"),
    ] {
        let failed = migrate(from, to);
        assert!(failed.failed().contains(message), "{failed:?}");
        assert!(!failed.err.contains("hush"), "{failed:?}");
    }
    assert!(!nowhere.exists());
}

#[test]
fn half_migrated_database_is_refused() {
    let (data, url) = (embedded_folder(), database());
    migrate(text(data.path()), &url).succeeded();
    let name = url.rsplit_once('/').unwrap().1.split_once('?').unwrap().0;
    let mark = r#"INSERT INTO metadata VALUES ('unfinished_migration', '{"origin": "/srv/vigie"}')"#;
    local_postgres::shared().execute(name, mark);
    let node = TempDir::new().unwrap();
    for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["keys", "list"], &["verify"]] {
        let refused =
            run_with(vigie().args(command).arg("--data").arg(node.path()).args(["--database", &url]));
        let message = refused.failed();
        assert!(message.contains("is half migrated from") && message.contains("vigie migrate"), "{message}");
    }
}
