//! `vigie import` from files and pipes.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::UNIX_EPOCH;

use serde_json::{Value, json};
use store::SqlStore;
use store::prelude::*;

use super::serve::Serving;
use super::{Run, data_folder, new_folder, run, vigie};
use crate::harness::adverts::{advert, minimal};
use crate::harness::client::{Request, exchange};

/// A feed with new, changed, blank, invalid, rejected and unchanged lines, and no line break at the end.
fn feed() -> String {
    let dated = |fields: Value| {
        let mut sent = advert("1", json!({"lastCrawledAt": "2026-01-01"}));
        crate::harness::adverts::merge(&mut sent, fields);
        sent
    };
    [
        dated(json!({})).to_string(),
        String::new(),
        dated(json!({"price": 5})).to_string(),
        "{broken".to_owned(),
        json!({"transactionType": 0}).to_string(),
        minimal("2").to_string(),
        dated(json!({"price": 5})).to_string(),
    ]
    .join("\n")
}

/// Returns the counts of a successful import.
pub fn summary(run: &Run) -> &str {
    run.succeeded().lines().next().unwrap().split_once("): ").unwrap().1
}

pub fn open(folder: &Path) -> (tokio::runtime::Runtime, SqlStore) {
    (tokio::runtime::Builder::new_current_thread().build().unwrap(), test_database::open(folder))
}

#[test]
fn import_reports_rejected_lines() {
    let folder = new_folder();
    let (file, rejects) = (folder.path().join("feed.ndjson"), folder.path().join("rejects.ndjson"));
    std::fs::write(&file, feed()).unwrap();
    let arguments = ["import", file.to_str().unwrap(), "--rejects", rejects.to_str().unwrap()];
    let imported = run(folder.path(), &arguments);
    assert_eq!(summary(&imported), "2 created, 1 updated, 1 unchanged, 2 rejected");
    assert!(imported.out.starts_with("Imported 6 adverts in "), "{}", imported.out);
    assert!(imported.err.contains("line 4 rejected: The line is not valid JSON: "), "{}", imported.err);
    assert!(imported.err.contains("line 5 rejected: propertyType: "), "{}", imported.err);
    let receipts: Vec<Value> = std::fs::read_to_string(&rejects)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let lines: Vec<(&Value, &Value)> =
        receipts.iter().map(|receipt| (&receipt["line"], &receipt["outcome"])).collect();
    assert_eq!(lines, [(&json!(4), &json!("rejected")), (&json!(5), &json!("rejected"))]);

    // A second import only records a new crawl of adverts without a date.
    let again = run(folder.path(), &["import", file.to_str().unwrap()]);
    assert_eq!(summary(&again), "0 created, 0 updated, 4 unchanged, 2 rejected");
    let (runtime, store) = open(folder.path());
    assert_eq!(runtime.block_on(store.counts()).unwrap(), (2, 2));
}

/// Runs an import that reads its feed from standard input.
pub fn import_piped(folder: &Path, name: &str, feed: &str) -> Run {
    let mut command = vigie();
    test_database::select(folder, command.args(["import", name]));
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // If the import failed, its input is closed; its exit status tells.
    let _ = child.stdin.take().unwrap().write_all(feed.as_bytes());
    Run::of(child.wait_with_output().unwrap())
}

#[test]
fn import_reads_standard_input() {
    let folder = new_folder();
    let imported = import_piped(folder.path(), "-", &feed());
    assert_eq!(summary(&imported), "2 created, 1 updated, 1 unchanged, 2 rejected");
}

#[test]
fn batch_is_finished_while_the_next_one_is_awaited() {
    let folder = new_folder();
    let mut child = test_database::select(folder.path(), vigie().args(["import", "-"]))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // More than a batch, and the beginning of another one.
    let line = |number: usize| format!("{}\n", advert(&number.to_string(), json!({})));
    let lines: String = std::iter::once("not an advert\n".to_owned()).chain((0..300).map(line)).collect();
    input.write_all(lines.as_bytes()).unwrap();
    let mut printed = String::new();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    errors.read_line(&mut printed).unwrap();
    assert!(printed.starts_with("line 1 rejected"), "{printed}");
    let (runtime, store) = open(folder.path());
    assert!(runtime.block_on(store.counts()).unwrap().1 >= 200, "the batch is stored");
    drop(input);
    assert!(child.wait().unwrap().success());
    assert_eq!(runtime.block_on(store.counts()).unwrap().1, 300);
}

#[test]
fn failed_commit_ends_an_import_that_waits_for_more() {
    let folder = new_folder();
    let mut command = vigie();
    command.args(["import", "-", "--data"]).arg(folder.path());
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    // The first import creates the database.
    assert!(command.spawn().unwrap().wait_with_output().unwrap().status.success());
    let database = rusqlite::Connection::open(folder.path().join(store::sqlite::FILE_NAME)).unwrap();
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON property_version BEGIN SELECT RAISE(ABORT, 'the disk is full'); END";
    database.execute_batch(refuse).unwrap();
    drop(database);

    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines: String =
        (0..300).map(|number| format!("{}\n", advert(&number.to_string(), json!({})))).collect();
    input.write_all(lines.as_bytes()).unwrap();
    // Ends with the import, although its input stays open.
    let ended = child.wait_with_output().unwrap();
    drop(input);
    assert!(!ended.status.success());
    let errors = String::from_utf8(ended.stderr).unwrap();
    assert!(errors.contains("the disk is full"), "{errors}");
}

#[test]
fn import_reads_a_named_pipe() {
    // As a shell does for `<(zcat feed.gz)`.
    let folder = new_folder();
    let imported = import_piped(folder.path(), "/dev/stdin", &feed());
    assert_eq!(summary(&imported), "2 created, 1 updated, 1 unchanged, 2 rejected");
}

#[test]
fn empty_feed_is_imported() {
    let folder = new_folder();
    for feed in ["", "\n\n"] {
        assert_eq!(
            summary(&import_piped(folder.path(), "-", feed)),
            "0 created, 0 updated, 0 unchanged, 0 rejected"
        );
    }
}

#[test]
fn unreadable_feed_is_an_error() {
    let folder = new_folder();
    let here = folder.path().to_str().unwrap();
    assert!(run(folder.path(), &["import", "/nowhere/feed"]).failed().contains("cannot open /nowhere/feed"));
    assert!(run(folder.path(), &["import", here]).failed().contains(&format!("{here} is a folder")));
    let refused = run(folder.path(), &["import", "-", "--rejects", "/nowhere/rejects"]);
    assert!(refused.failed().contains("cannot write to /nowhere/rejects"), "{refused:?}");
}

#[test]
fn only_the_first_rejected_lines_are_printed() {
    let folder = new_folder();
    let imported = import_piped(folder.path(), "-", &"{}\n".repeat(2_000));
    assert_eq!(summary(&imported), "0 created, 0 updated, 0 unchanged, 2000 rejected");
    assert_eq!(imported.err.lines().count(), 10, "{}", imported.err);
}

#[tokio::test]
async fn running_server_sees_imported_adverts_at_once() {
    let folder = data_folder();
    let key = run(folder.path(), &["keys", "create", "--user", "a"]).succeeded().trim().to_owned();
    let server = Serving::start(folder.path());
    let sent = advert("1", json!({"url": "https://a.example/1"}));
    import_piped(folder.path(), "-", &sent.to_string()).succeeded();
    let path = "/documents/properties/by-url?url=https://a.example/1";
    exchange(server.address, &Request::new("GET", path).key(&key)).await.ok();
    server.stop("TERM").succeeded();
}

/// Returns the name of the checkpoint of an import.
fn checkpoint_name(file: &Path) -> String {
    let metadata = file.metadata().unwrap();
    let modified = metadata.modified().unwrap().duration_since(UNIX_EPOCH).unwrap();
    format!("import {} {} {}", file.canonicalize().unwrap().display(), metadata.len(), modified.as_millis())
}

/// Writes a feed of new adverts, with crawl dates, so that a repeated line changes nothing.
fn large_feed(folder: &Path, adverts: usize) -> PathBuf {
    let line = |number: usize| {
        let fields = json!({"lastCrawledAt": "2026-01-01", "price": number + 1});
        format!("{}\n", advert(&number.to_string(), fields))
    };
    let file = folder.join("large.ndjson");
    std::fs::write(&file, (0..adverts).map(line).collect::<String>()).unwrap();
    file
}

/// Starts an import and kills it after its first checkpoint. Returns `false` if it finished before that.
fn interrupt(folder: &Path, file: &Path) -> bool {
    let (runtime, store) = open(folder);
    let mut child =
        test_database::select(folder, vigie().arg("import").arg(file)).stdout(Stdio::null()).spawn().unwrap();
    let name = checkpoint_name(file);
    loop {
        if runtime.block_on(store.metadata(name.clone())).unwrap().is_some() {
            child.kill().unwrap();
            return child.wait().unwrap().code().is_none();
        }
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::yield_now();
    }
}

#[test]
fn killed_import_resumes_at_its_checkpoint() {
    // On a fast machine a small feed is imported before the first checkpoint; then try a larger one.
    for adverts in [20_000, 80_000, 320_000] {
        let folder = new_folder();
        let file = large_feed(folder.path(), adverts);
        if !interrupt(folder.path(), &file) {
            continue;
        }
        let rejects = folder.path().join("rejects.ndjson");
        std::fs::write(&rejects, "receipts of the first run\n").unwrap();
        let arguments = ["import", file.to_str().unwrap(), "--rejects", rejects.to_str().unwrap()];
        let resumed = run(folder.path(), &arguments);
        assert_eq!(std::fs::read_to_string(&rejects).unwrap(), "receipts of the first run\n");
        let rest = resumed.err.strip_prefix("Resuming at line ").unwrap_or_else(|| panic!("{resumed:?}"));
        let line: usize = rest.split(',').next().unwrap().parse().unwrap();
        assert!((2..=adverts).contains(&line), "{line}");
        // Lines ingested after the checkpoint are read again but not ingested twice.
        let total: usize = resumed.succeeded().split(' ').nth(1).unwrap().parse().unwrap();
        assert_eq!(total, adverts + 1 - line);
        let (runtime, store) = open(folder.path());
        assert_eq!(runtime.block_on(store.counts()).unwrap(), (adverts as u64, adverts as u64));
        let log = runtime.block_on(store.log_after(store::Position::START, usize::MAX)).unwrap();
        assert_eq!(log.len(), adverts, "an advert is in the log twice");
        // After a complete import, the next one starts at the first line.
        drop((runtime, store));
        let again = run(folder.path(), &["import", file.to_str().unwrap()]);
        assert_eq!(again.err, "");
        assert!(summary(&again).starts_with("0 created, 0 updated, "), "{again:?}");
        return;
    }
    panic!("no import could be interrupted");
}
