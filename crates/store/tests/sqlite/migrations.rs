//! Folders that an earlier release wrote.

use domain::{DeliveryChannel, UserId};
use rusqlite::Connection;
use store::sqlite::{FILE_NAME, SqliteStore};
use store::{Expected, Gather, Position, QueueDepth, Store};
use testkit::build::{advert, property, saved_search, search_id};

use crate::changes::{commit, create, create_search};
use crate::deliveries::{
    BY_EMAIL, BY_WEBHOOK, CREATION, everything, group, lane, record, take_in, tell, waiting,
};

/// Takes a folder back to what it was before there were deliveries.
const BEFORE_DELIVERIES: &str = "
    DROP TABLE delivery;
    DROP TABLE delivery_attempt;
    DROP TABLE delivery_document;
    DROP TABLE delivery_intake;
    DROP TABLE delivery_lane;
    DROP TABLE delivery_mark;
    DROP TABLE webhook_secret;
    PRAGMA user_version = 3;";

/// And then to what it was before there were sites.
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

#[tokio::test]
async fn the_sites_of_adverts_from_before_there_were_sites_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
    for (number, site) in (1..).zip(["portail.fr", "agence.fr", "portail.fr"]) {
        commit(&store, [create(&property(number, [advert(number).site(site).build()]), Expected::New)]).await;
    }
    commit(&store, [create(&property(4, [advert(4).build()]), Expected::New)]).await;
    drop(store);
    let connection = Connection::open(folder.path().join(FILE_NAME)).unwrap();
    connection.execute_batch(BEFORE_DELIVERIES).unwrap();
    connection.execute_batch(BEFORE_SITES).unwrap();
    drop(connection);

    let store = SqliteStore::open(folder.path()).unwrap();
    let directory = store.site_directory(None).await.unwrap().unwrap();
    let known: Vec<_> = directory.sites().iter().map(|site| (site.id.get(), site.key.as_str())).collect();
    assert_eq!(known, [(1, "agence.fr"), (2, "portail.fr")]);
    assert_eq!(store.counts().await.unwrap(), (4, 4));
    // There were no searches before, so there is nothing that the matcher could have missed.
    assert_eq!(store.matcher_checkpoint().await.unwrap(), Position(4));
    assert!(!store.index_matches(10).await.unwrap());
}

#[tokio::test]
async fn what_was_owed_before_there_were_deliveries_is_kept_and_not_sent() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
    commit(&store, (1..=2).map(|number| create_search(&saved_search(number)))).await;
    let mut given = Vec::new();
    for number in 1..=2 {
        given.push(store.search(search_id(number)).await.unwrap().unwrap().number);
    }
    for number in 1..=3 {
        tell(&store, number, &[(BY_WEBHOOK, &given), (BY_EMAIL, &given[..1]), (CREATION, &given)]).await;
    }
    // The matcher has not come to this one yet.
    let late = commit(&store, [create(&property(4, [advert(4).build()]), Expected::New)]).await;
    assert_eq!(store.read_outbox(100).await.unwrap().deliveries.len(), 15);
    let before = store.match_groups_after(Position::START, 100).await.unwrap();
    drop(store);
    let connection = Connection::open(folder.path().join(FILE_NAME)).unwrap();
    connection.execute_batch(BEFORE_DELIVERIES).unwrap();
    drop(connection);

    let store = SqliteStore::open(folder.path()).unwrap();
    assert_eq!(store.match_groups_after(Position::START, 100).await.unwrap(), before);
    assert_eq!(store.matches_of(given[0], 0, 10).await.unwrap().total, 3);
    assert_eq!(store.counts().await.unwrap(), (4, 4));
    assert!(store.search(search_id(2)).await.unwrap().is_some());
    let owed = store.read_outbox(100).await.unwrap();
    assert_eq!((owed.deliveries.len(), owed.more, owed.after == owed.until), (0, false, true));
    assert_eq!(store.queue_depth().await.unwrap(), QueueDepth::default());
    assert_eq!(store.webhook_secrets(UserId::from_bytes([1; 16])).await.unwrap(), None);
    assert_eq!(take_in(&store, 6_000, 6_000).await, []);

    // What the matcher makes from now on is sent, also of an entry from before.
    record(&store, group(late, 4, 1, &[(BY_WEBHOOK, &given)])).await;
    tell(&store, 5, &[(BY_WEBHOOK, &given[..1])]).await;
    assert_eq!(take_in(&store, 6_000, 6_000).await.len(), 3);
    let due = waiting(&store, lane(given[0], DeliveryChannel::Match), 9, Gather::DueOnly, 6_000).await.due;
    assert_eq!(due.iter().map(|due| due.position).collect::<Vec<_>>(), [late, Position(late.0 + 1)]);
    // A folder that was opened once is not brought up to date again.
    let ids: Vec<_> = everything(&store).await.iter().map(|row| row.id).collect();
    drop(store);
    let store = SqliteStore::open(folder.path()).unwrap();
    assert_eq!(everything(&store).await.iter().map(|row| row.id).collect::<Vec<_>>(), ids);
}
