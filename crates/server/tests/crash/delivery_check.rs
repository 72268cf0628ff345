//! Compares the notifications the matcher recorded with the deliveries in the folder and with the receiver's ledger.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use app::App;
use app::system::{RandomIds, SystemClock};
use app::workers::follower::Progress;
use app::workers::matcher::Matcher;
use domain::{DeliveryId, DeliveryState, Fault, Outcome, PropertyId, SearchNumber};
use places::Gazetteer;
use store::prelude::*;
use store::{DeliveryList, Notification, Position, SqlStore};

use crate::place::Place;

/// Number of notifications by search, kind and property.
type Notifications = BTreeMap<(SearchNumber, Notification, PropertyId), u64>;

/// Totals over all deliveries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Account {
    pub deliveries: u64,
    pub arrivals: u64,
    pub refusals: u64,
    /// Arrivals of messages that had been accepted before.
    pub repeats: u64,
    /// Attempts without a recorded outcome.
    pub interrupted: u64,
    /// Attempts that timed out or lost their connection.
    pub broken: u64,
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { deliveries, arrivals, refusals, repeats, interrupted, broken } = self;
        write!(
            f,
            "{deliveries} deliveries, {arrivals} arrivals, {refusals} rejected, {interrupted} attempts interrupted, {broken} aborted, \
             {repeats} repeats; lost 0, unexpected 0, changed 0"
        )
    }
}

/// Matches the rest of the log. Returns the total number of notifications. No server may run on the folder.
pub async fn match_all(place: &Place) -> u64 {
    let store = Arc::new(place.open());
    let places = Arc::new(Gazetteer::embedded().unwrap());
    let app = App::new(store.clone(), Arc::new(SystemClock), Arc::new(RandomIds), places).with_matcher();
    let mut matcher = Matcher::new(&app).unwrap();
    while matcher.run_once().await.unwrap() == Progress::More {}
    notifications(&*store).await.values().sum()
}

async fn notifications(store: &dyn Store) -> Notifications {
    let mut notifications = Notifications::new();
    for group in store.match_groups_after(Position::START, usize::MAX).await.unwrap() {
        for entry in &group.outbox {
            for search in &entry.searches {
                *notifications.entry((*search, entry.notification, group.property)).or_default() += 1;
            }
        }
    }
    notifications
}

/// Ledger entries of one delivery.
#[derive(Debug)]
struct Entry {
    digest: String,
    taken: u32,
    refused: u32,
}

fn read_ledger(path: &Path) -> HashMap<DeliveryId, Entry> {
    let mut entries: HashMap<DeliveryId, Entry> = HashMap::new();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let [id, digest, behaviour] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let id: DeliveryId = id.parse().unwrap_or_else(|_| panic!("{id} is not a delivery id"));
        let entry =
            entries.entry(id).or_insert_with(|| Entry { digest: digest.to_owned(), taken: 0, refused: 0 });
        assert_eq!(entry.digest, digest, "{id} arrived with other bytes");
        match behaviour {
            "status-200" => entry.taken += 1,
            "status-500" => entry.refused += 1,
            other => panic!("unexpected behaviour {other}"),
        }
    }
    entries
}

/// Returns `true` if no delivery is due, waits for another attempt or has one in progress.
pub async fn is_all_recorded(store: &SqlStore) -> bool {
    // One look at both: a delivery whose lease ends between two looks would be in neither.
    store.queue_depth().await.is_ok_and(|depth| depth.pending + depth.leased == 0)
}

/// Verifies all deliveries at the end of a test. No server may run on the folder.
pub async fn verify(place: &Place, ledger: &Path) -> Account {
    let store = place.open();
    let mut entries = read_ledger(ledger);
    // Every message has different content; equal digests would mean a duplicate.
    let digests: HashSet<&str> = entries.values().map(|entry| entry.digest.as_str()).collect();
    assert_eq!(digests.len(), entries.len(), "two deliveries have the same content");

    let all = DeliveryList { take: u64::MAX, ..DeliveryList::default() };
    let rows = store.list_deliveries(all).await.unwrap().deliveries;
    let mut queued = Notifications::new();
    let mut account = Account { deliveries: rows.len() as u64, ..Account::default() };
    for row in rows {
        let (property, _) = row.subject.unwrap_or_else(|| panic!("{row:?} has no subject"));
        *queued.entry((row.lane.search, row.notification, property)).or_default() += 1;
        assert_eq!(row.state, DeliveryState::Delivered, "{row:?}");
        let entry = entries.remove(&row.id).unwrap_or_else(|| panic!("{row:?} never arrived"));
        assert!(entry.taken > 0, "{row:?} was never accepted: {entry:?}");
        account.arrivals += u64::from(entry.taken + entry.refused);
        account.refusals += u64::from(entry.refused);
        account.repeats += u64::from(entry.taken - 1);
        if row.attempts == 1 {
            assert_eq!((entry.taken, entry.refused), (1, 0), "{row:?} arrived more often than it was sent");
            continue;
        }
        let (_, attempts) = store.delivery(row.id).await.unwrap().unwrap();
        let count = |is_counted: fn(Outcome) -> bool| {
            attempts.iter().filter(|attempt| is_counted(attempt.outcome)).count() as u32
        };
        let interrupted = count(|outcome| outcome == Outcome::Interrupted);
        let refused = count(|outcome| outcome == Outcome::Failed(Fault::Status));
        assert_eq!(count(|outcome| outcome == Outcome::Delivered), 1, "{attempts:?}");
        // On a busy machine attempts may time out.
        let broken = row.attempts - 1 - refused - interrupted;
        // Every response is recorded, unless a kill or a timeout came in between.
        assert!(refused <= entry.refused, "{attempts:?} {entry:?}");
        let unrecorded = entry.taken - 1 + entry.refused - refused;
        assert!(unrecorded <= interrupted + broken, "{attempts:?} {entry:?}");
        account.interrupted += u64::from(interrupted);
        account.broken += u64::from(broken);
    }
    assert!(entries.is_empty(), "messages without a delivery arrived: {entries:?}");
    assert!(queued == notifications(&store).await, "outbox and deliveries differ");
    account
}
