//! Folders written by earlier releases.

use std::path::Path;

use domain::{
    DeliveryChannel, DeliveryId, DeliveryState, KeySettings, Outcome, PhaseTimings, Scopes, SearchNumber,
    UserId,
};
use rusqlite::Connection;
use store::SqlStore;
use store::prelude::*;
use store::sqlite::FILE_NAME;
use store::{
    Attempt, Contacts, DocumentKey, Error, Expected, Gather, Leases, NewKey, Position, QueueDepth, Replay,
    SearchLookup, StateKind, UsageList,
};
use testkit::build::{
    advert, advert_id, at, key_id, property, property_id, saved_search, search_id, user_id,
};

use crate::changes::{commit, create, create_search, current, whole_log};
use crate::delivery_fixtures::{
    BY_EMAIL, BY_WEBHOOK, CREATION, TIMEOUT, all_deliveries, attempts, claim, delivered, enqueue_all, group,
    lane, list, notify, peek, record,
};

/// Reverts migration 11.
const BEFORE_ATTEMPT_DETAILS: &str = "
    ALTER TABLE delivery_attempt DROP COLUMN response_headers;
    ALTER TABLE delivery_attempt DROP COLUMN name_ms;
    ALTER TABLE delivery_attempt DROP COLUMN connect_ms;
    ALTER TABLE delivery_attempt DROP COLUMN tls_ms;
    ALTER TABLE delivery_attempt DROP COLUMN first_byte_ms;";

/// Reverts migrations 9 and 10.
const BEFORE_RETENTION: &str = "
    DROP TABLE session;
    DROP TABLE departed_property;";

/// Reverts migration 8.
const BEFORE_EGRESS: &str = "
    ALTER TABLE delivery_attempt DROP COLUMN certificate;
    DROP TABLE changed_recipient;
    DROP TABLE recipient_confirmation;
    ALTER TABLE deleted_search DROP COLUMN deleted_at;";

/// Reverts migration 7.
const BEFORE_USAGE: &str = "
    DROP INDEX search_by_token;
    DROP TABLE daily_usage;
    DROP TABLE operation_usage;
    ALTER TABLE api_key DROP COLUMN label;
    ALTER TABLE api_key DROP COLUMN expires_at;
    ALTER TABLE api_key DROP COLUMN requests_per_minute;
    ALTER TABLE api_key DROP COLUMN last_used_at;";

/// Reverts migration 6.
const BEFORE_GROUPING: &str = "
    DROP TABLE property_lineage;
    DROP TABLE person_decision;
    DROP INDEX property_by_merged_into;
    ALTER TABLE property DROP COLUMN merged_into;
    ALTER TABLE advert DROP COLUMN signature;
    ALTER TABLE advert DROP COLUMN is_named;
    ALTER TABLE match_group DROP COLUMN inherited;
    ALTER TABLE erased_property DROP COLUMN alerted;";

/// Reverts migration 5 for the tables that were there before deliveries.
const BEFORE_PLAIN_NAMES: &str = "
    ALTER TABLE advert_previous_property RENAME TO advert_former_home;
    ALTER TABLE metadata RENAME COLUMN value TO text;
    ALTER TABLE metadata RENAME TO note;
    ALTER TABLE search_version RENAME COLUMN replaced_position TO replaced_at;
    ALTER TABLE search_match RENAME TO match_of_search;
    ALTER TABLE deleted_search RENAME COLUMN position TO removed_at;
    ALTER TABLE deleted_search RENAME TO removed_search;
    ALTER TABLE matcher RENAME COLUMN checkpoint TO matched_until;
    ALTER TABLE matcher RENAME COLUMN indexed_until TO filed_until;
    ALTER TABLE outbox RENAME COLUMN event_index TO place;
    ALTER TABLE outbox RENAME TO notice;";

/// Reverts migration 4.
const BEFORE_DELIVERIES: &str = "
    DROP TABLE delivery;
    DROP TABLE delivery_attempt;
    DROP TABLE delivery_document;
    DROP TABLE outbox_cursor;
    DROP TABLE delivery_lane;
    DROP TABLE delivery_epoch;
    DROP TABLE webhook_secret;
    PRAGMA user_version = 3;";

/// Reverts migrations 3 and 2.
const BEFORE_SITES: &str = "
    DROP TABLE matcher;
    DROP TABLE erased_property;
    DROP TABLE match_of_search;
    DROP TABLE notice;
    DROP TABLE match_group;
    DROP TABLE removed_search;
    DROP TABLE search_alert;
    DROP TABLE search_version;
    DROP TABLE search_count;
    DROP TABLE search;
    CREATE TABLE search (id BLOB PRIMARY KEY, owner BLOB NOT NULL, version INTEGER NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;
    DROP INDEX advert_by_site;
    DROP TABLE site;
    DROP TABLE site_category;
    DROP TABLE site_revision;
    PRAGMA user_version = 1;";

fn execute(folder: &Path, batches: &[&str]) {
    let connection = Connection::open(folder.join(FILE_NAME)).unwrap();
    for batch in batches {
        connection.execute_batch(batch).unwrap();
    }
}

#[tokio::test]
async fn sites_of_existing_adverts_are_added() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(folder.path()).unwrap();
    for (number, site) in (1..).zip(["portail.fr", "agence.fr", "portail.fr"]) {
        commit(&store, [create(&property(number, [advert(number).site(site).build()]), Expected::New)]).await;
    }
    commit(&store, [create(&property(4, [advert(4).build()]), Expected::New)]).await;
    drop(store);
    execute(
        folder.path(),
        &[
            BEFORE_ATTEMPT_DETAILS,
            BEFORE_RETENTION,
            BEFORE_EGRESS,
            BEFORE_USAGE,
            BEFORE_GROUPING,
            BEFORE_PLAIN_NAMES,
            BEFORE_DELIVERIES,
            BEFORE_SITES,
        ],
    );

    let store = SqlStore::open(folder.path()).unwrap();
    let directory = store.site_directory(None).await.unwrap().unwrap();
    let sites: Vec<_> = directory.sites().iter().map(|site| (site.id.get(), site.key.as_str())).collect();
    assert_eq!(sites, [(1, "agence.fr"), (2, "portail.fr")]);
    assert_eq!(store.counts().await.unwrap(), (4, 4));
    // There were no searches before, so the matcher has missed nothing.
    assert_eq!(store.matcher_checkpoint().await.unwrap(), Position(4));
    assert!(!store.index_matches(10).await.unwrap());
}

#[tokio::test]
async fn outbox_from_before_deliveries_is_kept_and_not_sent() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(folder.path()).unwrap();
    commit(&store, (1..=2).map(|number| create_search(&saved_search(number)))).await;
    let mut searches = Vec::new();
    for number in 1..=2 {
        searches.push(store.search(search_id(number)).await.unwrap().unwrap().number);
    }
    for number in 1..=3 {
        let entries = [(BY_WEBHOOK, &searches[..]), (BY_EMAIL, &searches[..1]), (CREATION, &searches)];
        notify(&store, number, &entries).await;
    }
    // The matcher has not read this one yet.
    let late = commit(&store, [create(&property(4, [advert(4).build()]), Expected::New)]).await;
    assert_eq!(store.read_outbox(100).await.unwrap().deliveries.len(), 15);
    let before = store.match_groups_after(Position::START, 100).await.unwrap();
    drop(store);
    let reverted = [
        BEFORE_ATTEMPT_DETAILS,
        BEFORE_RETENTION,
        BEFORE_EGRESS,
        BEFORE_USAGE,
        BEFORE_GROUPING,
        BEFORE_PLAIN_NAMES,
        BEFORE_DELIVERIES,
    ];
    execute(folder.path(), &reverted);

    let store = SqlStore::open(folder.path()).unwrap();
    assert_eq!(store.match_groups_after(Position::START, 100).await.unwrap(), before);
    assert_eq!(store.list_matches(searches[0], 0, 10).await.unwrap().total, 3);
    assert_eq!(store.counts().await.unwrap(), (4, 4));
    assert!(store.search(search_id(2)).await.unwrap().is_some());
    let outbox = store.read_outbox(100).await.unwrap();
    assert_eq!((outbox.deliveries.len(), outbox.more, outbox.after == outbox.until), (0, false, true));
    assert_eq!(store.queue_depth().await.unwrap(), QueueDepth::default());
    assert_eq!(store.webhook_secrets(UserId::from_bytes([1; 16])).await.unwrap(), None);
    assert_eq!(enqueue_all(&store, 6_000, 6_000).await, []);

    // Later matches are sent, those of older log entries included.
    record(&store, group(late, 4, 1, &[(BY_WEBHOOK, &searches)])).await;
    notify(&store, 5, &[(BY_WEBHOOK, &searches[..1])]).await;
    assert_eq!(enqueue_all(&store, 6_000, 6_000).await.len(), 3);
    let due = peek(&store, lane(searches[0], DeliveryChannel::Match), 9, Gather::DueOnly, 6_000).await.due;
    assert_eq!(due.iter().map(|due| due.position).collect::<Vec<_>>(), [late, Position(late.0 + 1)]);
    // A folder that is up to date is not migrated again.
    let ids: Vec<_> = all_deliveries(&store).await.iter().map(|row| row.id).collect();
    drop(store);
    let store = SqlStore::open(folder.path()).unwrap();
    assert_eq!(all_deliveries(&store).await.iter().map(|row| row.id).collect::<Vec<_>>(), ids);
}

/// Writes a folder as the release with schema version 4 left it.
fn folder_of_version_4() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    execute(
        folder.path(),
        &[
            include_str!("../../migrations/0001_foundation.sql"),
            include_str!("../../migrations/0002_sites.sql"),
            include_str!("../../migrations/0003_searches.sql"),
            include_str!("../../migrations/0004_deliveries.sql"),
            include_str!("../compat/v4/rows.sql"),
            // "Vigi" in ASCII.
            "PRAGMA application_id = 1449748329; PRAGMA user_version = 4;",
        ],
    );
    folder
}

fn delivery_id(search: u32, epoch: &str, sequence: u32) -> DeliveryId {
    format!("{search:08x}-00{epoch}-8001-8000-{sequence:012x}").parse().unwrap()
}

/// The rows are those of a real folder: four searches, of which the second was changed and the fourth deleted; properties 1 to 4 matched
/// and indexed up to the third; 21 deliveries of the first epoch and two of the second, which end inside an outbox entry; an advert that
/// moved from property 5 to 6; property 7, erased.
#[tokio::test]
async fn version_4_reads_under_the_new_names() {
    let folder = folder_of_version_4();
    let store = SqlStore::open(folder.path()).unwrap();
    assert_eq!(whole_log(&store).await.len(), 15);
    assert_eq!(store.counts().await.unwrap(), (6, 5));
    assert_eq!(store.metadata("import:feed".to_owned()).await.unwrap().as_deref(), Some("120 7"));
    assert!(store.webhook_secrets(user_id(1)).await.unwrap().is_some());

    // Searches, at the matcher's checkpoint and now.
    assert_eq!(store.matcher_checkpoint().await.unwrap(), Position(8));
    let numbers: Vec<_> = (1..=4).map(domain::SearchNumber).collect();
    let lookups = store.searches_by_number(numbers.clone()).await.unwrap();
    assert!(matches!(&lookups[1], SearchLookup::Found(stored) if stored.version == 2));
    assert_eq!(lookups[3], SearchLookup::NotFound);
    assert_eq!(store.search_at(search_id(2), 1).await.unwrap().unwrap().version, 1);
    let at_checkpoint = store.searches_at(Position(8), None, 10).await.unwrap();
    assert_eq!(at_checkpoint.iter().map(|stored| stored.version).collect::<Vec<_>>(), [1, 1, 1]);
    assert_eq!(at_checkpoint[0].last_alert_at, Some(at(6_102)));

    for stored in &at_checkpoint {
        let token = stored.search.token.clone();
        let found = store.search_by_token(stored.search.owner, token).await.unwrap();
        assert_eq!(found.map(|found| found.search.id), Some(stored.search.id));
    }

    // Matches, indexed and not.
    for number in &numbers[..3] {
        let page = store.list_matches(*number, 0, 10).await.unwrap();
        let properties: Vec<_> = page.matches.iter().map(|row| row.property).collect();
        assert_eq!((page.total, properties), (4, [4, 3, 2, 1].map(property_id).to_vec()));
    }
    assert_eq!(store.list_matches(numbers[3], 0, 10).await.unwrap().total, 0);
    assert_eq!(store.match_groups_after(Position::START, 10).await.unwrap().len(), 4);

    // Deliveries keep their ids, states, attempts and documents.
    let rows = all_deliveries(&store).await;
    assert_eq!(rows.len(), 23);
    let expected = [
        (delivery_id(1, "4d", 1), StateKind::Delivered, 1, 1),
        (delivery_id(2, "4d", 2), StateKind::Failed, 1, 1),
        (delivery_id(3, "4d", 3), StateKind::Pending, 1, 1),
        (delivery_id(4, "4d", 4), StateKind::Leased, 1, 0),
        (delivery_id(1, "4d", 5), StateKind::Cancelled, 1, 0),
    ];
    for (row, (id, state, lane_sequence, attempt_count)) in rows.iter().zip(expected) {
        let found = (row.id, StateKind::of(row.state), row.lane_sequence, row.attempts);
        assert_eq!(found, (id, state, lane_sequence, attempt_count));
    }
    assert_eq!(rows[21].id, delivery_id(1, "4e", 22));
    let attempt = attempts(&store, rows[1].id).await.remove(0);
    assert_eq!((attempt.started_at, attempt.duration.as_millis()), (at(6_102), 120));
    assert_eq!((attempt.outcome, &*attempt.response_excerpt), (TIMEOUT, &b"thanks"[..]));
    let key = DocumentKey { property: property_id(1), version: 1, contacts: Contacts::Hidden };
    assert_eq!(store.sent_documents(vec![key]).await.unwrap(), [Some(b"a document".to_vec())]);
    let mut failed = list();
    failed.owner = Some(user_id(1));
    failed.state = Some(StateKind::Failed);
    assert_eq!(store.list_deliveries(failed).await.unwrap().total, 1);
}

#[tokio::test]
async fn version_4_continues_under_the_new_names() {
    let folder = folder_of_version_4();
    let store = SqlStore::open(folder.path()).unwrap();
    let numbers: Vec<_> = (1..=4).map(domain::SearchNumber).collect();

    // The outbox continues inside the entry where it stopped; the fourth search is gone.
    let made = enqueue_all(&store, 6_400, 6_400).await;
    assert_eq!(made, [delivery_id(3, "4e", 24), delivery_id(1, "4e", 25)]);
    let rows = all_deliveries(&store).await;
    assert_eq!(rows[23..].iter().map(|row| row.lane_sequence).collect::<Vec<_>>(), [4, 4]);

    // The lease of the old process expires. Its delivery is settled like any other.
    let lanes = store.reap_leases(Leases::Expired, at(9_000), 10).await.unwrap();
    assert_eq!(lanes, [lane(numbers[3], DeliveryChannel::Match)]);
    assert_eq!(attempts(&store, rows[3].id).await[0].outcome, Outcome::Interrupted);
    let hook = lane(numbers[2], DeliveryChannel::Match);
    let due = peek(&store, hook, 9, Gather::DueOnly, 9_000).await;
    assert_eq!((due.due.len(), due.next_due_at), (3, Some(at(9_703))));
    let first = due.due[0].id;
    assert_eq!(claim(&store, 9, 9_000, &[first]).await, [first]);
    assert_eq!(store.settle(vec![delivered(first, 9, 9_001)]).await.unwrap(), 1);
    let replayed = store.replay(Replay::One(rows[0].id), at(9_100), 1).await.unwrap();
    assert_eq!(replayed, [rows[0].id]);

    // The matcher continues at its checkpoint, and leaves the erased property out.
    record(&store, group(Position(9), 5, 1, &[(BY_WEBHOOK, &numbers[..1])])).await;
    record(&store, group(Position(14), 7, 1, &[(BY_WEBHOOK, &numbers[..1])])).await;
    while store.index_matches(2).await.unwrap() {}
    assert_eq!(store.list_matches(numbers[0], 0, 10).await.unwrap().total, 5);
    let connection = Connection::open(folder.path().join(FILE_NAME)).unwrap();
    let count = |table: &str| -> i64 {
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    };
    // The rows of the deleted search are gone by now.
    assert_eq!((count("search_match"), count("deleted_search"), count("search_version")), (4 * 3 + 1, 0, 0));

    // An erasure finds the property that the advert left.
    let erased = store.erase(advert_id(5), at(9_200)).await.unwrap().unwrap();
    assert_eq!((erased.property, erased.property_removed), (property_id(6), true));
    let older = store.property_at(property_id(5), 1).await.unwrap().unwrap();
    assert_eq!(older.adverts.len(), 1);
    assert!(current(&store, property_id(6)).await.is_none());
    assert_eq!(count("advert_previous_property"), 0);

    // All of it is there after a restart.
    let before = all_deliveries(&store).await;
    drop(store);
    let store = SqlStore::open(folder.path()).unwrap();
    assert_eq!(all_deliveries(&store).await, before);
    assert_eq!(store.delivery(first).await.unwrap().unwrap().0.state, DeliveryState::Delivered);
}

/// An older release compares the same number and refuses the folder in the same way.
#[test]
fn later_schema_is_refused() {
    let folder = folder_of_version_4();
    drop(SqlStore::open(folder.path()).unwrap());
    let version = |connection: &Connection| -> u32 {
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    assert_eq!(version(&Connection::open(folder.path().join(FILE_NAME)).unwrap()), 11);
    execute(folder.path(), &["PRAGMA user_version = 12;"]);
    let refused = SqlStore::open(folder.path()).err();
    assert!(matches!(refused, Some(Error::TooNew { found: 12, known: 11 })), "{refused:?}");
}

#[tokio::test]
async fn keys_and_searches_from_before_usage_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(folder.path()).unwrap();
    let search = saved_search(1);
    commit(&store, [create_search(&search)]).await;
    let key = NewKey {
        id: key_id(1),
        secret_hash: [3; 32],
        user_name: "zoé".to_owned(),
        user_id_if_new: user_id(1),
        scopes: Scopes::all(),
        settings: KeySettings::default(),
        created_at: at(10),
    };
    let key = store.create_key(key).await.unwrap();
    drop(store);
    execute(
        folder.path(),
        &[BEFORE_ATTEMPT_DETAILS, BEFORE_RETENTION, BEFORE_EGRESS, BEFORE_USAGE, "PRAGMA user_version = 6;"],
    );

    let store = SqlStore::open(folder.path()).unwrap();
    assert_eq!(store.keys().await.unwrap(), [key]);
    assert_eq!(store.list_usage(UsageList { take: 9, ..UsageList::default() }).await.unwrap().total, 0);
    // The search is found by its token, although nothing was written since.
    let found = store.search_by_token(search.owner, search.token.clone()).await.unwrap();
    assert_eq!(found.map(|found| found.search), Some(search));
}

/// Writes a folder with one delivered delivery. Returns its id, its search, and its attempt as an older release wrote it: without headers
/// and timings.
async fn folder_with_an_attempt() -> (tempfile::TempDir, DeliveryId, SearchNumber, Attempt) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(folder.path()).unwrap();
    commit(&store, [create_search(&saved_search(1))]).await;
    let search = store.search(search_id(1)).await.unwrap().unwrap().number;
    notify(&store, 1, &[(BY_WEBHOOK, &[search])]).await;
    let [id] = enqueue_all(&store, 6_000, 6_000).await.try_into().unwrap();
    claim(&store, 1, 6_000, &[id]).await;
    store.settle(vec![delivered(id, 1, 6_001)]).await.unwrap();
    let [attempt] = attempts(&store, id).await.try_into().unwrap();
    assert!(!attempt.response_headers.is_empty() && attempt.timings.first_byte.is_some());
    let older = Attempt { response_headers: Vec::new(), timings: PhaseTimings::default(), ..attempt };
    (folder, id, search, older)
}

#[tokio::test]
async fn attempts_and_recipients_from_before_certificates_are_kept() {
    let (folder, id, search, attempt) = folder_with_an_attempt().await;
    let reverted = [BEFORE_ATTEMPT_DETAILS, BEFORE_RETENTION, BEFORE_EGRESS, "PRAGMA user_version = 7;"];
    execute(folder.path(), &reverted);

    let store = SqlStore::open(folder.path()).unwrap();
    assert_eq!(attempts(&store, id).await, [attempt]);
    assert!(!store.recipient_was_changed(search).await.unwrap(), "links of older e-mails go on working");
}

#[tokio::test]
async fn attempts_from_before_headers_and_timings_are_kept() {
    let (folder, id, _, attempt) = folder_with_an_attempt().await;
    execute(folder.path(), &[BEFORE_ATTEMPT_DETAILS, "PRAGMA user_version = 10;"]);

    let store = SqlStore::open(folder.path()).unwrap();
    assert_eq!(attempts(&store, id).await, [attempt]);
    // The next attempt has both.
    store.replay(Replay::One(id), at(6_100), 1).await.unwrap();
    claim(&store, 2, 6_100, &[id]).await;
    store.settle(vec![delivered(id, 2, 6_101)]).await.unwrap();
    let second = attempts(&store, id).await.remove(1);
    assert!(!second.response_headers.is_empty() && second.timings.first_byte.is_some());
}
