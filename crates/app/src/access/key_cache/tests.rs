//! Keys in memory, next to another process on the same folder.

use domain::{KeySettings, Scopes};
use tempfile::TempDir;
use testkit::{ManualClock, SeededIds, build};

use super::*;
use crate::App;

/// Two services on one folder: a server, and a command beside it.
fn two_processes() -> (App, App, TempDir) {
    let (server, folder) = crate::search::tests::app_without_workers();
    let store = Arc::new(test_database::open(folder.path()));
    let clock = Arc::new(ManualClock::at(build::at(5_000)));
    let ids = Arc::new(SeededIds::new(2));
    let command = App::new(store, clock, ids, Arc::clone(&server.places));
    (server, command, folder)
}

#[tokio::test]
async fn keys_of_another_process_work_at_once_and_stop_at_the_next_look() {
    let (server, command, _folder) = two_processes();
    let (key, text) = command.create_key("zoé", Scopes::all()).await.unwrap();
    assert_eq!(server.caller(&text).await.unwrap().unwrap().key, key.id);
    let (other, other_text) = command.create_key("yann", Scopes::all()).await.unwrap();
    assert_eq!(server.caller(&other_text).await.unwrap().unwrap().user.name, "yann");

    command.revoke_key(key.id).await.unwrap();
    server.refresh_keys().await.unwrap();
    assert!(server.known_caller(&text).is_none());
    assert!(server.caller(&text).await.unwrap().is_none());
    let limited = KeySettings { requests_per_minute: Some(7), ..KeySettings::default() };
    command.change_key(other.id, limited).await.unwrap();
    server.refresh_keys().await.unwrap();
    assert_eq!(server.known_caller(&other_text).unwrap().requests_per_minute, Some(7));
}

#[tokio::test]
async fn keys_of_this_process_change_at_once() {
    let (app, _folder) = crate::search::tests::app_without_workers();
    let (key, text) = app.create_key("zoé", Scopes::all()).await.unwrap();
    assert!(app.known_caller(&text).is_some());
    assert!(app.revoke_key(key.id).await.unwrap());
    assert!(app.known_caller(&text).is_none());
    assert!(app.caller(&text).await.unwrap().is_none());
}

#[tokio::test]
async fn unknown_keys_share_one_look() {
    let (server, command, _folder) = two_processes();
    server.refresh_keys().await.unwrap();
    let (key, text) = command.create_key("zoé", Scopes::all()).await.unwrap();
    command.revoke_key(key.id).await.unwrap();
    let begun = server.key_cache.begun.load(Ordering::SeqCst);
    let asked = (0..500).map(|_| server.caller(&text));
    for caller in futures_util::future::join_all(asked).await {
        assert!(caller.unwrap().is_none());
    }
    let looks = server.key_cache.begun.load(Ordering::SeqCst) - begun;
    assert!((1..=2).contains(&looks), "{looks} looks for 500 requests");
}

#[tokio::test]
async fn keys_are_not_trusted_for_ever() {
    let (server, _command, _folder) = two_processes();
    let (_, text) = server.create_key("zoé", Scopes::all()).await.unwrap();
    assert!(server.known_caller(&text).is_some());
    let long_ago = Instant::now().checked_sub(TRUSTED_FOR).unwrap();
    server.key_cache.known.write().unwrap().confirmed_at = Some(long_ago);
    assert!(server.known_caller(&text).is_none());
    assert!(server.caller(&text).await.unwrap().is_some(), "after another look");
}
