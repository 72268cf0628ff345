//! A store in a temporary folder, and apps that start on it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use domain::{Clock, Identity, Property, PropertyId, Timestamp};
use engine::SearchRequest;
use places::Gazetteer;
use store::SqlStore;
use store::prelude::*;
use store::{ChangeSet, CommitOutcome, Expected, Position, PutCause, PutProperty, Step};
use tempfile::TempDir;
use testkit::build::{advert, advert_id, at, property, property_id};
use testkit::{ManualClock, SeededIds};

use super::{Indexer, Settings};
use crate::App;

pub const SNAPSHOT_EVERY: Duration = Duration::from_secs(600);

pub struct TestService {
    store: Arc<SqlStore>,
    pub clock: Arc<ManualClock>,
    folder: TempDir,
}

impl TestService {
    pub fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let store = Arc::new(test_database::open(folder.path()));
        Self { store, clock: Arc::new(ManualClock::at(at(5_000))), folder }
    }

    pub fn store(&self) -> &SqlStore {
        &self.store
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Opens the same data as another process would.
    pub fn open_store(&self) -> SqlStore {
        test_database::open(self.folder.path())
    }

    /// Returns an app as it is after a start.
    pub fn app(&self) -> App {
        static PLACES: LazyLock<Arc<Gazetteer>> = LazyLock::new(|| Arc::new(Gazetteer::embedded().unwrap()));
        let ids = Arc::new(SeededIds::new(1));
        App::new(self.store.clone(), self.clock.clone(), ids, Arc::clone(&PLACES)).with_index()
    }

    pub fn snapshots(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    pub fn snapshot_files(&self) -> Vec<PathBuf> {
        fs::read_dir(self.snapshots()).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    pub fn indexer(&self, app: &App) -> Indexer {
        let settings = Settings { folder: self.snapshots(), snapshot_interval: SNAPSHOT_EVERY, shared: None };
        Indexer::new(app, settings).unwrap()
    }

    pub async fn commit(&self, steps: impl IntoIterator<Item = Step>) -> Position {
        let changes = ChangeSet { recorded_at: self.now(), ..set(steps) };
        match self.store.commit(changes).await.unwrap() {
            CommitOutcome::Committed(position) => position,
            CommitOutcome::Conflict | CommitOutcome::TooManySearches => {
                panic!("unexpected conflict")
            }
        }
    }

    /// Starts an indexer, catches up and takes a snapshot.
    pub async fn take_snapshot(&self) {
        let app = self.app();
        let mut indexer = self.indexer(&app);
        indexer.run_once().await.unwrap();
        indexer.snapshot().await.unwrap();
    }

    /// Returns `true` if a start uses the snapshot.
    pub async fn restores_snapshot(&self) -> bool {
        self.indexer(&self.app()).snapshots.restore(&self.app()).await.unwrap().is_some()
    }

    /// Returns what is found after a start, from the snapshot or from the store. Works on a copy of the snapshot.
    pub async fn found_after_restart(&self) -> Vec<PropertyId> {
        let copied = TempDir::new().unwrap();
        if self.snapshots().exists() {
            copy(&self.snapshots(), copied.path());
        }
        let app = self.app();
        let settings =
            Settings { folder: copied.path().to_owned(), snapshot_interval: SNAPSHOT_EVERY, shared: None };
        let mut indexer = Indexer::new(&app, settings).unwrap();
        indexer.run_once().await.unwrap();
        indexer.snapshot().await.unwrap();
        found(&app)
    }

    /// Damages the record of a property.
    pub fn damage(&self, number: u64) {
        test_database::damage_property(self.folder.path(), property_id(number).as_bytes());
    }
}

pub fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

/// Returns all properties in the index, ordered by id.
pub fn found(app: &App) -> Vec<PropertyId> {
    let request = SearchRequest { take: usize::MAX, ..SearchRequest::default() };
    let mut found: Vec<_> = app
        .index_searcher()
        .unwrap()
        .search(&request, &engine::Budget::unlimited())
        .unwrap()
        .hits
        .into_iter()
        .map(|hit| hit.property)
        .collect();
    found.sort();
    found
}

pub fn numbers(numbers: impl IntoIterator<Item = u64>) -> Vec<PropertyId> {
    numbers.into_iter().map(property_id).collect()
}

pub fn set(steps: impl IntoIterator<Item = Step>) -> ChangeSet {
    ChangeSet { recorded_at: at(5_000), steps: steps.into_iter().collect(), grouped_at: None }
}

fn put(property: Property, expected: Expected, cause: PutCause) -> Step {
    let advert = property.adverts[0].id;
    Step::Put(PutProperty { property: property.into(), expected, advert, cause, grouping: None })
}

/// A new property with an advert of the same number.
pub fn create(number: u64) -> Step {
    let claim = Identity::Uuid(advert_id(number));
    let created = property(number, [advert(number).build()]);
    put(created, Expected::New, PutCause::Created { claim, events: Vec::new() })
}

/// A change of a property at its first revision.
pub fn change(property: &Property) -> Step {
    put(property.clone(), Expected::Revision(1), PutCause::Changed { events: Vec::new() })
}

pub fn remove(number: u64) -> Step {
    let (property, advert) = (property_id(number), advert_id(number));
    Step::Remove { property, expected: Expected::Revision(1), advert, merged_into: None }
}

/// Moves the advert of a property at `revision` to a new property. The old one is removed.
pub fn moved(from: u64, revision: u32, to: u64) -> [Step; 2] {
    let advert_id = advert_id(from);
    let created = property(to, [advert(from).build()]);
    let join = PutCause::Regrouped {
        moved: vec![advert_id],
        from: vec![property_id(from)],
        events: Vec::new(),
        automatic: false,
    };
    [
        put(created, Expected::New, join),
        Step::Remove {
            property: property_id(from),
            expected: Expected::Revision(revision),
            advert: advert_id,
            merged_into: Some(property_id(to)),
        },
    ]
}
