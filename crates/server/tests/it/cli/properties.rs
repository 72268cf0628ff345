//! `vigie properties` and `vigie regroup`: arguments, and commands without effect.

use tempfile::TempDir;

use super::{Run, data_folder, run, vigie};
use crate::harness::TestServer;
use crate::harness::adverts::minimal;

const UNKNOWN: &str = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";

#[tokio::test(flavor = "multi_thread")]
async fn wrong_references_are_rejected() {
    let server = TestServer::start().await;
    let receipt = server.accept(&minimal("1")).await;
    let advert = receipt["uuid"].as_str().unwrap();
    let property = receipt["property"].as_str().unwrap();
    for (wrong, message) in [
        (&["properties", "merge", "x", UNKNOWN][..], "\"x\" is not a property id"),
        (&["properties", "merge", property, advert, "/adverts/1"], "\"/adverts/1\" is not a property id"),
        (&["properties", "split", property, property], "is not an advert id"),
        (&["properties", "show", "x"], "\"x\" is not a property id"),
        (&["properties", "show", UNKNOWN], "does not exist"),
        (&["properties", "compare", advert, advert], "give two different adverts"),
        (
            &["properties", "compare", advert, UNKNOWN],
            "advert 0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b does not exist",
        ),
    ] {
        let failed = run(server.folder(), wrong);
        assert!(failed.failed().contains(message), "{failed:?}");
    }
    for incomplete in [&["properties", "merge", property][..], &["properties", "split", property]] {
        assert_eq!(run(server.folder(), incomplete).code, Some(2), "{incomplete:?}");
    }
}

#[test]
fn commands_need_a_database() {
    let folder = TempDir::new().unwrap();
    for command in [&["properties", "show", UNKNOWN][..], &["regroup", "--yes"], &["regroup", "--dry-run"]] {
        assert!(run(folder.path(), command).failed().contains("no Vigie database in"), "{command:?}");
    }
}

#[test]
fn regrouping_needs_a_confirmation() {
    let folder = data_folder();
    run(folder.path(), &["keys", "create", "--user", "a"]).succeeded();
    assert!(run(folder.path(), &["regroup"]).failed().contains("confirm with --yes, or try --dry-run"));
    let empty = "judged 0 adverts. 0 properties would become 0; 0 adverts would move to another property.\n";
    let dry = run(folder.path(), &["regroup", "--dry-run"]);
    assert_eq!(dry.succeeded(), format!("Dry run, nothing stored: {empty}"));
}

#[test]
fn setting_of_grouping_is_shown() {
    let checked =
        Run::of(vigie().args(["check-config"]).env("VIGIE_GROUPING__AUTOMATIC", "false").output().unwrap());
    let line = "grouping.automatic = \"false\"  # variable VIGIE_GROUPING__AUTOMATIC";
    assert!(checked.succeeded().lines().any(|printed| printed == line), "{checked:?}");
}
