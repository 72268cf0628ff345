//! What is owed, by what the matcher recorded, held against the deliveries in the folder and against the receiver's ledger.

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
use store::sqlite::SqliteStore;
use store::{DeliveryList, Notification, Position, Store};

/// Which search is owed what of which property, and how often.
type Owed = BTreeMap<(SearchNumber, Notification, PropertyId), u64>;

/// What came of all deliveries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Account {
    pub deliveries: u64,
    pub arrivals: u64,
    pub refusals: u64,
    /// Arrivals of what had been taken before.
    pub repeats: u64,
    /// Attempts that nobody saw the end of.
    pub interrupted: u64,
    /// Attempts that took too long, or whose connection ended.
    pub broken: u64,
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { deliveries, arrivals, refusals, repeats, interrupted, broken } = self;
        write!(
            f,
            "{deliveries} deliveries, {arrivals} arrivals, {refusals} refused, {interrupted} attempts interrupted, {broken} broken off, \
             {repeats} repeats; lost 0, unexpected 0, other bytes 0"
        )
    }
}

/// Matches what no server has matched yet, and tells how many deliveries are owed in all. Nobody else may run on the folder.
pub async fn match_all(folder: &Path) -> u64 {
    let store = Arc::new(SqliteStore::open(folder).unwrap());
    let places = Arc::new(Gazetteer::embedded().unwrap());
    let app = App::new(store.clone(), Arc::new(SystemClock), Arc::new(RandomIds), places).with_matcher();
    let mut matcher = Matcher::new(&app).unwrap();
    while matcher.run_once().await.unwrap() == Progress::More {}
    owed(&*store).await.values().sum()
}

async fn owed(store: &dyn Store) -> Owed {
    let mut owed = Owed::new();
    for group in store.match_groups_after(Position::START, usize::MAX).await.unwrap() {
        for notification in &group.outbox {
            for search in &notification.searches {
                *owed.entry((*search, notification.notification, group.property)).or_default() += 1;
            }
        }
    }
    owed
}

/// What the ledger has of one delivery.
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
        let id: DeliveryId = id.parse().unwrap_or_else(|_| panic!("{id} is no id of ours"));
        let entry =
            entries.entry(id).or_insert_with(|| Entry { digest: digest.to_owned(), taken: 0, refused: 0 });
        assert_eq!(entry.digest, digest, "{id} came with other bytes");
        match behaviour {
            "status-200" => entry.taken += 1,
            "status-500" => entry.refused += 1,
            other => panic!("nobody asked for {other}"),
        }
    }
    entries
}

/// Looks at everything when everything is over. Nobody else may run on the folder.
pub async fn verify(folder: &Path, ledger: &Path) -> Account {
    let store = SqliteStore::open(folder).unwrap();
    let mut entries = read_ledger(ledger);
    // Every message tells something else, or it tells of the same thing twice.
    let digests: HashSet<&str> = entries.values().map(|entry| entry.digest.as_str()).collect();
    assert_eq!(digests.len(), entries.len(), "two deliveries say the same");

    let all = DeliveryList { take: u64::MAX, ..DeliveryList::default() };
    let rows = store.deliveries(all).await.unwrap().deliveries;
    let mut queued = Owed::new();
    let mut account = Account { deliveries: rows.len() as u64, ..Account::default() };
    for row in rows {
        let (property, _) = row.about.unwrap_or_else(|| panic!("{row:?} tells of nothing"));
        *queued.entry((row.lane.search, row.notification, property)).or_default() += 1;
        assert_eq!(row.state, DeliveryState::Delivered, "{row:?}");
        let entry = entries.remove(&row.id).unwrap_or_else(|| panic!("{row:?} has never arrived"));
        assert!(entry.taken > 0, "{row:?} was only ever refused: {entry:?}");
        account.arrivals += u64::from(entry.taken + entry.refused);
        account.refusals += u64::from(entry.refused);
        account.repeats += u64::from(entry.taken - 1);
        if row.attempts == 1 {
            assert_eq!((entry.taken, entry.refused), (1, 0), "{row:?} arrived more often than it was sent");
            continue;
        }
        let (_, attempts) = store.delivery(row.id).await.unwrap().unwrap();
        let count = |wanted: fn(Outcome) -> bool| {
            attempts.iter().filter(|attempt| wanted(attempt.outcome)).count() as u32
        };
        let interrupted = count(|outcome| outcome == Outcome::Interrupted);
        let refused = count(|outcome| outcome == Outcome::Failed(Fault::Status));
        assert_eq!(count(|outcome| outcome == Outcome::Delivered), 1, "{attempts:?}");
        // Deadlines pass on a machine that is busy enough.
        let broken = row.attempts - 1 - refused - interrupted;
        // What was answered is on record, or there is a kill to blame.
        assert!(refused <= entry.refused, "{attempts:?} {entry:?}");
        let unrecorded = entry.taken - 1 + entry.refused - refused;
        assert!(unrecorded <= interrupted + broken, "{attempts:?} {entry:?}");
        account.interrupted += u64::from(interrupted);
        account.broken += u64::from(broken);
    }
    assert!(entries.is_empty(), "arrived, and owed to nobody: {entries:?}");
    assert!(queued == owed(&store).await, "what is owed and what was queued differ");
    account
}
