//! `vigie backup` and `vigie restore`, next to a running server.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::serve::Serving;
use super::{Run, embedded_folder, run, vigie, without_settings};
use crate::deliveries::{TRUSTED, match_everything, receiver, with_dispatcher};
use crate::harness::TestServer;
use crate::harness::adverts::{advert, full};
use crate::harness::client::{Request, exchange, with_timeout};

fn back_up(data: &Path, target: &Path, more: &[&str]) -> Run {
    run(data, &[&["backup", target.to_str().unwrap()], more].concat())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The metrics of a server.
async fn metrics(address: std::net::SocketAddr) -> String {
    exchange(address, &Request::new("GET", "/metrics")).await.text().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn running_server_is_backed_up_and_restored_elsewhere() {
    let (server, folder) = (TestServer::start().await, TempDir::new().unwrap());
    let receipt = server.accept(&full("1")).await;
    let (backups, elsewhere) = (folder.path().join("backups"), folder.path().join("elsewhere"));
    let made = back_up(server.folder(), &backups, &["--json"]);
    let made: Value = serde_json::from_str(made.succeeded()).unwrap();
    let manifest = &made["manifest"];
    assert_eq!(manifest["logPosition"].as_u64(), Some(server.log_length().await as u64));
    assert_eq!((&manifest["properties"], &manifest["adverts"]), (&json!(1), &json!(1)));
    // Written after the backup, so it is not in it.
    server.accept(&advert("2", json!({"price": 100_000}))).await;

    let restored = run(&elsewhere, &["restore", backups.to_str().unwrap()]);
    assert!(restored.succeeded().contains("Deliveries are not held"), "{restored:?}");
    run(&elsewhere, &["verify"]).succeeded();
    let copy = Serving::start(&elsewhere);
    let path = format!("/documents{}", receipt["property"].as_str().unwrap());
    let get = Request::new("GET", &path).key(&server.keys.all);
    let document = with_timeout(async {
        loop {
            let response = exchange(copy.address, &get).await;
            if response.status == 200 {
                return response.json();
            }
        }
    })
    .await;
    assert_eq!(document, server.get(&path).await.ok());
    let again = run(&elsewhere, &["restore", backups.to_str().unwrap()]);
    assert!(again.failed().contains("is not empty"), "{again:?}");
    copy.stop("TERM").succeeded();
}

#[test]
fn wrong_input_is_named() {
    let (data, folder) = (embedded_folder(), TempDir::new().unwrap());
    let target = folder.path().to_str().unwrap();
    let file = folder.path().join("one.db");
    back_up(data.path(), &file, &[]).succeeded();
    for (arguments, message) in [
        (&["backup"][..], "name a target, or set backup.target"),
        (&["backup", "https://x"], "is not a backup target"),
        (&["backup", target, "--rate", "fast"], "--rate: \"fast\" is not a size"),
        (&["backup", target, "--keep", "0"], "at least one backup is kept"),
        (&["backup", file.to_str().unwrap()], "one.db exists already"),
        (&["backup", "s3://bucket/x"], "no credentials for s3://bucket/x"),
        (&["restore", target], "is not empty"),
    ] {
        let mut command = vigie();
        command.env_remove("AWS_ACCESS_KEY_ID").args(arguments).arg("--data").arg(data.path());
        let failed = Run::of(command.output().unwrap());
        assert!(failed.failed().contains(message), "{failed:?}");
    }
    let nowhere = folder.path().join("nowhere");
    let missing = back_up(&nowhere, folder.path(), &[]);
    assert!(missing.failed().contains("no Vigie database"), "{missing:?}");
    assert!(!nowhere.exists());
    let incomplete = run(&nowhere, &["restore", data.path().to_str().unwrap()]);
    assert!(incomplete.failed().contains("there is no complete backup in"), "{incomplete:?}");
}

#[test]
fn accepted_damage_is_named_in_both_forms() {
    let (data, folder) = (embedded_folder(), TempDir::new().unwrap());
    let connection = rusqlite::Connection::open(data.path().join(store::sqlite::FILE_NAME)).unwrap();
    let damage = "PRAGMA foreign_keys = OFF; INSERT INTO site (key, category_id) VALUES ('example', 77);";
    connection.execute_batch(damage).unwrap();
    let refused = back_up(data.path(), &folder.path().join("a.db"), &[]);
    assert!(refused.failed().contains("repair the database"), "{refused:?}");
    let text = back_up(data.path(), &folder.path().join("a.db"), &["--accept-damage"]);
    assert!(text.succeeded().contains("damaged\tsite\t"), "{text:?}");
    let made = back_up(data.path(), &folder.path().join("b.db"), &["--accept-damage", "--json"]);
    let made: Value = serde_json::from_str(made.succeeded()).unwrap();
    assert_eq!(
        (&made["findings"][0]["kind"], &made["manifest"]["damagedRecords"]),
        (&json!("site"), &json!(1))
    );
    let source = folder.path().join("a.db");
    let refused = run(&folder.path().join("new"), &["restore", source.to_str().unwrap()]);
    assert!(refused.failed().contains("the backup is damaged: site "), "{refused:?}");
    assert!(refused.err.contains("restore an older one"), "{refused:?}");
}

/// Variables that the documentation does not name change neither the endpoint nor the credentials.
#[test]
fn storage_of_the_settings_is_the_one_that_is_asked() {
    let data = embedded_folder();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let answering = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            request.extend(byte);
        }
        let answer = "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8(request).unwrap()
    });
    let mut command = vigie();
    command.args(["backup", "s3://bucket/x", "--data"]).arg(data.path()).envs([
        ("VIGIE_BACKUP__S3_ENDPOINT", format!("http://{address}/configured").as_str()),
        ("VIGIE_BACKUP__S3_ACCESS_KEY_ID", "key"),
        ("VIGIE_BACKUP__S3_SECRET_ACCESS_KEY", "secret"),
        ("AWS_ENDPOINT_URL_S3", &format!("http://{address}/other")),
        ("AWS_SESSION_TOKEN", "of another key"),
    ]);
    let failed = Run::of(command.output().unwrap());
    assert!(failed.failed().contains("cannot reach s3://bucket/x/vigie-"), "{failed:?}");
    let request = answering.join().unwrap().to_ascii_lowercase();
    assert!(request.starts_with("head /configured/bucket/x/vigie-"), "{request}");
    assert!(!request.contains("x-amz-security-token"), "{request}");
}

/// Kills a backup in the middle. What is left is no backup, and the next one removes it.
#[tokio::test]
async fn killed_backup_leaves_no_final_name() {
    let (data, folder) = (embedded_folder(), TempDir::new().unwrap());
    let mut command = vigie();
    // At this rate it takes days.
    command.args(["backup", folder.path().to_str().unwrap(), "--rate", "1", "--data"]).arg(data.path());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = async {
        while names(folder.path()).is_empty() {
            assert_eq!(child.try_wait().unwrap(), None, "it ended");
            tokio::task::yield_now().await;
        }
    };
    with_timeout(begun).await;
    child.kill().unwrap();
    child.wait().unwrap();
    let left = names(folder.path());
    assert!(left.iter().all(|name| name.contains(".partial")), "{left:?}");
    let elsewhere = TempDir::new().unwrap();
    let none = run(elsewhere.path(), &["restore", folder.path().to_str().unwrap()]);
    assert!(none.failed().contains("there is no complete backup"), "{none:?}");
    back_up(data.path(), folder.path(), &[]).succeeded();
    let complete = names(folder.path());
    assert_eq!(complete.len(), 2, "{complete:?}");
    assert!(complete.iter().all(|name| !name.contains(".partial")), "{complete:?}");
}

/// A signal ends a backup cleanly.
#[tokio::test]
async fn interrupted_backup_removes_its_file() {
    let (data, folder) = (embedded_folder(), TempDir::new().unwrap());
    let mut command = vigie();
    command.args(["backup", folder.path().to_str().unwrap(), "--rate", "1", "--data"]).arg(data.path());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    with_timeout(async {
        while names(folder.path()).is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    Command::new("kill").arg(child.id().to_string()).status().unwrap();
    let ended = Run::of(child.wait_with_output().unwrap());
    assert!(ended.failed().contains("cancelled"), "{ended:?}");
    assert_eq!(names(folder.path()), [] as [&str; 0]);
}

/// The disk ends in the middle of the copy, as far as the process can tell: no file may have more than 64 KiB.
#[test]
fn full_disk_ends_a_backup_and_leaves_nothing() {
    let (data, folder) = (embedded_folder(), TempDir::new().unwrap());
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" backup \"$1\" --data \"$2\"";
    let mut command = without_settings(Command::new("bash"));
    command.args(["-c", script, env!("CARGO_BIN_EXE_vigie")]).arg(folder.path()).arg(data.path());
    let failed = Run::of(command.output().unwrap());
    assert!(failed.failed().contains("cannot copy the database: the store cannot write"), "{failed:?}");
    assert_eq!(names(folder.path()), [] as [&str; 0]);
}

async fn wait_until_held(address: std::net::SocketAddr) {
    // A whole line: the help of the metric begins with the same words.
    let held =
        async { while !metrics(address).await.lines().any(|line| line == "vigie_deliveries_held 1") {} };
    with_timeout(held).await;
}

/// Waits until one delivery of a server has a state.
async fn wait_for_one(server: &TestServer, state: &str) {
    let path = format!("/deliveries?state={state}");
    with_timeout(async { while server.get(&path).await.ok()["hydra:totalItems"] != 1 {} }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn held_deliveries_wait_until_they_are_released() {
    let (server, receiver) = (with_dispatcher().await, receiver().await);
    match_everything(&server, json!({"endpointRecipient": receiver.url("/matches")})).await;
    run(server.folder(), &["deliveries", "hold"]).succeeded();
    wait_until_held(server.address).await;
    server.accept(&full("1")).await;
    wait_for_one(&server, "pending").await;
    let listed = run(server.folder(), &["deliveries", "list"]);
    assert!(listed.err.contains("Deliveries are held since"), "{listed:?}");
    assert_eq!(receiver.count(), 0);
    let released = run(server.folder(), &["deliveries", "release"]);
    assert!(released.err.contains("the 1 that wait"), "{released:?}");
    receiver.wait_for(1).await;
}

/// A restored copy sends nothing until its operator says so, and then only what the original has not sent.
#[tokio::test(flavor = "multi_thread")]
async fn restored_copy_holds_its_deliveries() {
    let (server, receiver, folder) = (with_dispatcher().await, receiver().await, TempDir::new().unwrap());
    match_everything(&server, json!({"endpointRecipient": receiver.url("/matches")})).await;
    server.accept(&full("1")).await;
    // Recorded, so that the copy does not send it again.
    wait_for_one(&server, "delivered").await;

    let (backups, elsewhere) = (folder.path().join("backups"), folder.path().join("elsewhere"));
    back_up(server.folder(), &backups, &[]).succeeded();
    let restored = run(&elsewhere, &["restore", backups.to_str().unwrap(), "--hold-deliveries"]);
    assert!(restored.succeeded().contains("Deliveries are held"), "{restored:?}");
    let authority = TRUSTED.file.path().join("ca.pem");
    let settings = [
        ("VIGIE_DELIVERY__DANGER_ALLOW_PRIVATE_ADDRESSES", "true"),
        ("VIGIE_DELIVERY__EXTRA_CA_FILE", authority.to_str().unwrap()),
    ];
    let copy = Serving::start_with(&elsewhere, &settings);
    wait_until_held(copy.address).await;
    // Another property, so that it matches.
    let advert = advert("3", json!({"price": 100_000}));
    let post = Request::new("POST", "/adverts").key(&server.keys.all).json(&advert);
    assert_eq!(exchange(copy.address, &post).await.status, 201);
    let list = Request::new("GET", "/deliveries?state=pending").key(&server.keys.all);
    with_timeout(async { while exchange(copy.address, &list).await.ok()["hydra:totalItems"] != 1 {} }).await;
    assert_eq!(receiver.count(), 1, "nothing is sent while deliveries are held");
    let released = run(&elsewhere, &["deliveries", "release"]);
    assert!(released.err.contains("the 1 that wait"), "{released:?}");
    receiver.wait_for(2).await;
    copy.stop("TERM").succeeded();
    let twice = run(&elsewhere, &["deliveries", "release"]);
    assert_eq!((twice.succeeded(), twice.err.as_str()), ("", "Deliveries were not held.\n"));
}
