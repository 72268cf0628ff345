//! The sample feeds of the documentation are imported as their page says.

use std::process::Output;

use store::prelude::*;
use tempfile::TempDir;

use crate::service::{repository, vigie};

/// Imports a feed of the examples. Returns the last words of the summary, and the whole output.
fn import(data: &TempDir, arguments: &[&str]) -> (String, String) {
    let mut command = vigie();
    test_database::select(data.path(), command.arg("import").args(arguments));
    let Output { status, stdout, stderr } =
        command.current_dir(repository("examples/feeds")).output().unwrap();
    let (out, err) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
    assert!(status.success() && err.is_empty(), "{arguments:?}: {out}{err}");
    let summary = out.lines().next().unwrap().rsplit("): ").next().unwrap().to_owned();
    (summary, out)
}

#[test]
fn sample_feeds_are_imported() {
    let data = TempDir::new().unwrap();
    test_database::reserve(data.path());
    let csv = ["agence.csv", "--format", "csv", "--mapping", "agence.toml"];
    let (summary, report) = import(&data, &[&csv[..], &["--dry-run"]].concat());
    assert_eq!(summary, "8 created, 0 updated, 0 unchanged, 0 rejected");
    let unused = report.split("Columns used:").next().unwrap();
    assert!(unused.contains("Columns not used:\n        2  Interne (rappeler M. Petit)\n"), "{report}");
    assert_eq!(import(&data, &csv).0, "8 created, 0 updated, 0 unchanged, 0 rejected");
    assert_eq!(import(&data, &["adverts.ndjson"]).0, "5 created, 0 updated, 0 unchanged, 0 rejected");
    // The owner and the agency advertise one home.
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let store = test_database::open(data.path());
    assert_eq!(runtime.block_on(store.counts()).unwrap(), (12, 13));
    // A feed that comes again unchanged changes nothing.
    assert_eq!(import(&data, &["adverts.ndjson"]).0, "0 created, 0 updated, 5 unchanged, 0 rejected");
}
