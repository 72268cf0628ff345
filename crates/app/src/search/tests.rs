//! How long writers wait for the index.

use std::sync::LazyLock;

use places::Gazetteer;
use tempfile::TempDir;
use testkit::{ManualClock, SeededIds, build};

use super::*;

/// An app with an index that no worker feeds, on a store of its own.
pub fn app_without_workers() -> (App, TempDir) {
    static PLACES: LazyLock<Arc<Gazetteer>> = LazyLock::new(|| Arc::new(Gazetteer::embedded().unwrap()));
    let folder = TempDir::new().unwrap();
    let store = Arc::new(test_database::open(folder.path()));
    let clock = Arc::new(ManualClock::at(build::at(5_000)));
    let app = App::new(store, clock, Arc::new(SeededIds::new(1)), Arc::clone(&PLACES)).with_index();
    (app, folder)
}

fn handle(timeout: Duration) -> IndexHandle {
    IndexHandle { visibility_timeout: timeout, ..IndexHandle::default() }
}

fn status(index: &IndexHandle) -> IndexStatus {
    index.status(Position(2), build::at(5_000))
}

const LONG: Duration = Duration::from_secs(3_600);

#[tokio::test]
async fn writers_do_not_wait_while_the_index_is_being_built() {
    handle(LONG).wait_visible(Position(5)).await;
}

#[tokio::test]
async fn a_writer_waits_until_the_index_has_its_change() {
    let index = Arc::new(handle(LONG));
    index.open(&Arc::default(), Duration::ZERO);
    let mut writers = tokio::task::JoinSet::new();
    for position in [1, 2, 3] {
        let index = Arc::clone(&index);
        writers.spawn(async move {
            index.wait_visible(Position(position)).await;
            position
        });
    }
    for position in [1, 2, 3] {
        index.publish(Position(position), None);
        assert_eq!(writers.join_next().await.unwrap().unwrap(), position);
    }
    index.wait_visible(Position(2)).await;
    assert_eq!(status(&index).visibility_timeouts, 0);
}

#[tokio::test]
async fn a_stuck_index_delays_only_the_first_writer() {
    let index = handle(Duration::from_millis(1));
    index.open(&Arc::default(), Duration::ZERO);
    index.wait_visible(Position(1)).await;
    assert_eq!(status(&index).visibility_timeouts, 1);
    let index = IndexHandle { visibility_timeout: LONG, ..index };
    index.wait_visible(Position(2)).await;
    assert_eq!(status(&index).visibility_timeouts, 2);
    index.publish(Position(2), None);
    index.caught_up(build::at(5_000));
    assert!(!index.is_late.load(Ordering::Relaxed));
    index.wait_visible(Position(2)).await;
    assert_eq!(status(&index).visibility_timeouts, 2);
}

#[test]
fn the_index_is_behind_by_the_age_of_what_it_misses() {
    let index = handle(LONG);
    let behind = |head, second| index.status(Position(head), build::at(second)).behind.as_secs();
    assert_eq!(behind(5, 5_000), 0, "it is being built");
    index.publish(Position(5), None);
    index.caught_up(build::at(5_000));
    assert_eq!(behind(5, 6_000), 0);
    assert_eq!(behind(6, 5_090), 90);
    index.publish(Position(6), Some(build::at(4_000)));
    assert_eq!(behind(7, 5_100), 100, "it had everything after that change");
    index.publish(Position(7), Some(build::at(5_099)));
    assert_eq!(behind(8, 5_100), 1, "it keeps up without ever having everything");
    index.publish(Position(8), Some(build::at(5_100)));
    index.caught_up(build::at(5_101));
    assert_eq!(behind(8, 5_200), 0);
    assert_eq!(behind(9, 5_000), 0, "the clock was set back");
}
