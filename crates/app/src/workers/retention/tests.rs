//! A round on a real store: paced, held back by followers, and counted.

use std::sync::Arc;

use domain::{Clock, FieldUpdate, Identity};
use places::Gazetteer;
use store::MatchBatch;
use store::{SqlStore, WriteFault};
use tempfile::TempDir;
use testkit::build::{advert_id, at, draft, property_id};
use testkit::{ManualClock, SeededIds};

use super::*;

const DAY: Duration = Duration::from_secs(86_400);

fn settings() -> Settings {
    Settings { log: Some(DAY), matches: Some(DAY), expired_properties: None, pace: Pace::Immediate }
}

struct TestService {
    store: Arc<SqlStore>,
    app: App,
    clock: Arc<ManualClock>,
    _folder: TempDir,
}

impl TestService {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let store = Arc::new(test_database::open(folder.path()));
        let clock = Arc::new(ManualClock::at(at(1_000_000)));
        let ids = Arc::new(SeededIds::new(1));
        let app = App::new(store.clone(), clock.clone(), ids, Arc::new(Gazetteer::embedded().unwrap()));
        Self { store, app, clock, _folder: folder }
    }

    /// Changes the price of an advert this many times, and moves the matcher's checkpoint to the end.
    async fn change(&self, number: u64, times: u32) {
        for price in 1..=times {
            let mut draft = draft(Identity::Uuid(advert_id(number)));
            draft.property = Some(property_id(number));
            draft.patch.price = FieldUpdate::Set(domain::Amount::new(100_000.0 + f64::from(price)));
            self.app.ingest(vec![draft]).await.unwrap();
        }
        let (after, until) =
            (self.app.store.matcher_checkpoint().await.unwrap(), *self.app.store.head().borrow());
        let batch = MatchBatch { after, until, groups: Vec::new() };
        assert!(self.app.store.record_matches(batch).await.unwrap());
    }

    async fn run(&self, settings: Settings) -> PrunedRows {
        run_once(&self.app, settings, &CancellationToken::new()).await.unwrap()
    }
}

#[tokio::test]
async fn a_round_deletes_in_steps_and_reports() {
    let service = TestService::new();
    let entries = u32::try_from(ENTRIES_PER_STEP).unwrap() * 2 + 50;
    service.change(1, entries).await;
    assert_eq!(service.run(settings()).await, PrunedRows::default(), "all of it is young");
    assert_eq!(service.app.retention_status().size.oldest_position, Position(1));
    service.clock.advance_seconds(86_401);
    let deleted = service.run(settings()).await;
    assert_eq!(deleted.log_entries, u64::from(entries) - 1);
    assert_eq!(deleted.versions, u64::from(entries) - 2);
    let RetentionStatus { deleted: total, size, completed_at } = service.app.retention_status();
    assert_eq!((total, completed_at), (deleted, Some(service.clock.now())));
    assert_eq!(size.oldest_position, Position(u64::from(entries)));
    // PostgreSQL does not say how much room is free in its files.
    assert_eq!(size.free_bytes > 0, !test_database::is_postgres(), "{size:?}");
    assert!(size.database_bytes > size.free_bytes, "{size:?}");
    assert_eq!(service.run(settings()).await, PrunedRows::default());
}

#[tokio::test]
async fn settings_that_are_off_keep_everything() {
    let service = TestService::new();
    service.change(1, 10).await;
    service.clock.advance_seconds(1_000_000_000);
    let off = Settings { log: None, ..settings() };
    assert_eq!(service.run(off).await, PrunedRows::default());
    assert!(service.app.retention_status().completed_at.is_some());
}

#[tokio::test]
async fn a_follower_that_is_behind_holds_the_log_back() {
    let service = TestService::new();
    service.change(1, 10).await;
    service.clock.advance_seconds(86_401);
    let workers = &service.app.workers;
    workers.started("indexer", service.clock.now());
    assert_eq!(service.run(settings()).await.log_entries, 0, "it is loading");
    workers.worked("indexer", Some(Position(4)), service.clock.now());
    assert_eq!(service.run(settings()).await.log_entries, 3, "up to the entry before the one it is at");
    workers.worked("indexer", Some(Position(10)), service.clock.now());
    assert_eq!(service.run(settings()).await.log_entries, 6);
}

#[tokio::test]
async fn a_round_ends_when_it_is_stopped() {
    let service = TestService::new();
    service.change(1, 20).await;
    service.clock.advance_seconds(86_401);
    let stop = CancellationToken::new();
    stop.cancel();
    assert_eq!(run_once(&service.app, settings(), &stop).await.unwrap(), PrunedRows::default());
    assert_eq!(service.app.retention_status().completed_at, None, "the round is not complete");
}

#[tokio::test]
async fn a_failed_step_deletes_nothing_and_the_next_round_goes_on() {
    let service = TestService::new();
    service.change(1, 20).await;
    service.clock.advance_seconds(86_401);
    for fault in [WriteFault::Full, WriteFault::Write, WriteFault::PanickingCall] {
        service.store.inject(fault);
        let stop = CancellationToken::new();
        assert!(run_once(&service.app, settings(), &stop).await.is_err(), "{fault:?}");
        assert_eq!(service.app.store.store_size().await.unwrap().oldest_position, Position(1), "{fault:?}");
    }
    let failures: Vec<_> = service.app.worker_health().iter().map(|it| (it.name, it.failures)).collect();
    assert_eq!(failures, [("retention", 3)]);
    assert_eq!(service.run(settings()).await.log_entries, 19);
}

/// Without anything else to do, a round in the background ends as well: pauses are short while the writer is idle.
#[tokio::test]
async fn a_paced_round_deletes_the_same() {
    let service = TestService::new();
    let entries = u32::try_from(ENTRIES_PER_STEP).unwrap() + 10;
    service.change(1, entries).await;
    service.clock.advance_seconds(86_401);
    let deleted = service.run(Settings { pace: Pace::Background, ..settings() }).await;
    assert_eq!(deleted.log_entries, u64::from(entries) - 1);
}
