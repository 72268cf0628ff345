//! Deliveries in the embedded store: erasure from the files, and damage.

use std::path::Path;

use domain::{DeliveryChannel, DeliveryId, SearchNumber};
use rusqlite::Connection;
use store::SqlStore;
use store::prelude::*;
use store::sqlite::FILE_NAME;
use store::{Claim, Contacts, DocumentKey, DueDelivery, Error, Gather, LanePeek, Leases};
use testkit::Random;
use testkit::build::{advert_id, at, property_id, saved_search, search_id};

use crate::changes::{commit, create_search};
use crate::delivery_fixtures::{
    BY_EMAIL, BY_WEBHOOK, all_deliveries, claim, enqueue_all, ids, lane, list, notify, peek,
};

const HOOK: DeliveryChannel = DeliveryChannel::Match;
const LETTER: DeliveryChannel = DeliveryChannel::Email;

fn open(folder: &Path) -> Connection {
    let connection = Connection::open(folder.join(FILE_NAME)).unwrap();
    connection.pragma_update(None, "synchronous", "OFF").unwrap();
    connection
}

async fn store_with(folder: &Path, searches: u64) -> (SqlStore, Vec<SearchNumber>) {
    let store = SqlStore::open(folder).unwrap();
    commit(&store, (1..=searches).map(|number| create_search(&saved_search(number)))).await;
    let mut numbers = Vec::new();
    for number in 1..=searches {
        numbers.push(store.search(search_id(number)).await.unwrap().unwrap().number);
    }
    (store, numbers)
}

fn key(property: u64) -> DocumentKey {
    DocumentKey { property: property_id(property), version: 1, contacts: Contacts::Shown }
}

async fn keep(store: &SqlStore, second: i64, documents: Vec<(DocumentKey, Vec<u8>)>) {
    let (at, lease_until) = (at(second), at(second + 60));
    store
        .claim(Claim {
            claim_id: 1,
            at,
            lease_until,
            deliveries: Vec::new(),
            contacts_hidden: Vec::new(),
            documents,
        })
        .await
        .unwrap();
}

async fn due(store: &SqlStore, search: SearchNumber, channel: DeliveryChannel) -> Vec<DueDelivery> {
    peek(store, lane(search, channel), 99, Gather::DueOnly, 9_000).await.due
}

/// Returns the files of the folder that contain the bytes.
fn files_with(folder: &Path, bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if std::fs::read(&path).unwrap().windows(bytes.len()).any(|window| window == bytes) {
            found.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    found
}

#[tokio::test]
async fn documents_of_an_erased_advert_are_in_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let (store, numbers) = store_with(folder.path(), 1).await;
    let mut random = Random::new(testkit::random::seed());
    let mut documents = Vec::new();
    for number in 1..=2 {
        notify(&store, number, &[(BY_WEBHOOK, &numbers)]).await;
        // Random, so that it is not compressed and can be found in the file.
        documents.push((0..700).map(|_| random.next_u64() as u8).collect::<Vec<u8>>());
    }
    let made = enqueue_all(&store, 6_000, 6_000).await;
    keep(&store, 6_000, vec![(key(1), documents[0].clone()), (key(2), documents[1].clone())]).await;
    let pieces: Vec<&[u8]> = documents.iter().map(|document| &document[300..340]).collect();
    assert_ne!(files_with(folder.path(), pieces[0]), [""; 0], "a stored document can be found");

    store.erase(advert_id(1), at(6_100)).await.unwrap().unwrap();
    assert_eq!(files_with(folder.path(), pieces[0]), [""; 0]);
    assert_ne!(files_with(folder.path(), pieces[1]), [""; 0], "the other one stays");
    // A dispatcher that had read it before claims now.
    keep(&store, 6_100, vec![(key(1), documents[0].clone())]).await;
    assert_eq!(files_with(folder.path(), pieces[0]), [""; 0]);
    let with_subject: Vec<_> =
        due(&store, numbers[0], HOOK).await.iter().map(|due| (due.id, due.subject.is_some())).collect();
    assert_eq!(with_subject, [(made[0], false), (made[1], true)]);
    drop(store);
    assert_eq!(files_with(folder.path(), pieces[0]), [""; 0]);

    // The record of the erasure is pruned like documents are.
    let store = SqlStore::open(folder.path()).unwrap();
    while store.prune_deliveries(at(7_000), 0, 1).await.unwrap().more {}
    let count = "SELECT count(*) FROM delivery_document";
    assert_eq!(open(folder.path()).query_row(count, [], |row| row.get::<_, u64>(0)).unwrap(), 0);
}

#[tokio::test]
async fn damaged_outbox_entry_does_not_stop_others() {
    for damage in [
        "UPDATE outbox SET searches = substr(searches, 1, 3) WHERE position = 4 AND ordinal = 0",
        "UPDATE outbox SET searches = 'text' WHERE position = 4 AND ordinal = 0",
        "UPDATE outbox SET kind = 99 WHERE position = 4 AND ordinal = 0",
        "UPDATE outbox SET kind = 'text' WHERE position = 4 AND ordinal = 0",
        "UPDATE outbox SET event_index = 1 WHERE position = 4 AND ordinal = 0",
        "UPDATE outbox SET event_index = 70000 WHERE position = 4 AND ordinal = 0",
    ] {
        for limit in [1, 2, 100] {
            let folder = tempfile::tempdir().unwrap();
            let (store, numbers) = store_with(folder.path(), 2).await;
            for number in 1..=3 {
                notify(&store, number, &[(BY_WEBHOOK, &numbers), (BY_EMAIL, &numbers[1..])]).await;
            }
            assert_eq!(open(folder.path()).execute(damage, []).unwrap(), 1);
            let mut enqueued = Vec::new();
            loop {
                let outbox = store.read_outbox(limit).await.unwrap();
                enqueued.extend(outbox.deliveries.iter().map(|it| (it.position.0, it.lane().channel)));
                let deliveries = crate::delivery_fixtures::due_at(&outbox.deliveries, 6_000);
                let batch = store::EnqueueBatch {
                    after: outbox.after,
                    until: outbox.until,
                    at: at(6_000),
                    deliveries,
                };
                assert!(store.enqueue(batch).await.unwrap());
                if !outbox.more {
                    break;
                }
            }
            let expected =
                [(3, HOOK), (3, HOOK), (3, LETTER), (4, LETTER), (5, HOOK), (5, HOOK), (5, LETTER)];
            assert_eq!(enqueued, expected, "{damage}, with limit {limit}");
        }
    }
}

#[tokio::test]
async fn damaged_group_leaves_one_delivery_without_subject() {
    for damage in [
        "UPDATE match_group SET property_id = x'00' WHERE position = 3",
        "UPDATE match_group SET version = -1 WHERE position = 3",
        "UPDATE match_group SET advert = x'' WHERE position = 3",
        "UPDATE match_group SET at = 9223372036854775807 WHERE position = 3",
        "DELETE FROM match_group WHERE position = 3",
        "DELETE FROM property_version WHERE position = 3",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (store, numbers) = store_with(folder.path(), 1).await;
        for number in 1..=3 {
            notify(&store, number, &[(BY_WEBHOOK, &numbers)]).await;
        }
        enqueue_all(&store, 6_000, 6_000).await;
        let connection = open(folder.path());
        connection.pragma_update(None, "foreign_keys", "OFF").unwrap();
        assert_eq!(connection.execute(damage, []).unwrap(), 1);
        let due = due(&store, numbers[0], HOOK).await;
        let with_subject: Vec<_> = due.iter().map(|due| due.subject.is_some()).collect();
        assert_eq!(with_subject, [true, false, true], "{damage}");
        assert_eq!(claim(&store, 1, 6_000, &ids(&due)).await.len(), 3);
    }
}

/// Creates three deliveries in each of two lanes. Tests damage the second of the first lane.
async fn six(folder: &Path) -> (SqlStore, Vec<SearchNumber>, Vec<DeliveryId>) {
    let (store, numbers) = store_with(folder, 2).await;
    for number in 1..=3 {
        notify(&store, number, &[(BY_WEBHOOK, &numbers)]).await;
    }
    let made = enqueue_all(&store, 6_000, 6_000).await;
    (store, numbers, made)
}

#[tokio::test]
async fn damaged_delivery_does_not_stop_others() {
    for damage in [
        "UPDATE delivery SET kind = 99 WHERE sequence = 3",
        "UPDATE delivery SET event_index = 70000 WHERE sequence = 3",
        "UPDATE delivery SET owner = x'00' WHERE sequence = 3",
        "UPDATE delivery SET position = -1 WHERE sequence = 3",
        "UPDATE delivery SET failures = -1 WHERE sequence = 3",
        "UPDATE delivery SET due_at = -9223372036854775807 WHERE sequence = 3",
        "UPDATE delivery SET due_at = 9223372036854775807 WHERE sequence = 3",
        "UPDATE delivery SET due_at = 'text' WHERE sequence = 3",
        "UPDATE delivery SET lane = 7 WHERE sequence = 3",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (store, numbers, made) = six(folder.path()).await;
        assert_eq!(open(folder.path()).execute(damage, []).unwrap(), 1);
        let mut lanes: Vec<_> = store.lanes(None, 9).await.unwrap().iter().map(|found| found.lane).collect();
        lanes.retain(|found| *found == lane(numbers[1], HOOK));
        assert_eq!(lanes.len(), 1, "{damage}");
        for take in [2, 9] {
            let peek = |search| LanePeek { lane: lane(search, HOOK), take, gather: Gather::WithNew };
            let seen = store
                .peek_lanes(numbers.iter().map(|search| peek(*search)).collect(), at(6_000))
                .await
                .unwrap();
            assert_eq!(ids(&seen[0].due), [made[0], made[4]], "{damage}, {take}");
            assert_eq!(seen[1].due.len(), take.min(3), "{damage}");
        }
        // Other leases are reaped.
        claim(&store, 1, 6_000, &made).await;
        assert!(store.reap_leases(Leases::All, at(6_000), 9).await.unwrap().len() >= 5, "{damage}");
        assert_eq!(due(&store, numbers[1], HOOK).await.len(), 3);
    }
}

/// The damaged delivery is the only one of its lane that waits.
#[tokio::test]
async fn damaged_date_stops_neither_scans_nor_reaping() {
    for due_at in ["'text'", "x'01'", "1.5", "-9223372036854775807", "9223372036854775807"] {
        let folder = tempfile::tempdir().unwrap();
        let (store, numbers, made) = six(folder.path()).await;
        let sql = format!("UPDATE delivery SET due_at = {due_at} WHERE sequence = 3");
        assert_eq!(open(folder.path()).execute(&sql, []).unwrap(), 1);
        claim(&store, 1, 6_000, &[made[0], made[4]]).await;
        let lanes: Vec<_> = store.lanes(None, 9).await.unwrap().iter().map(|found| found.lane).collect();
        assert!(lanes.contains(&lane(numbers[1], HOOK)), "{due_at}: {lanes:?}");
        assert_eq!(store.reap_leases(Leases::All, at(6_000), 9).await.unwrap().len(), 2, "{due_at}");
    }
}

#[tokio::test]
async fn damaged_lane_does_not_look_like_the_last_one() {
    let folder = tempfile::tempdir().unwrap();
    let (store, numbers, _) = six(folder.path()).await;
    // Between the two lanes.
    let damaged = format!("UPDATE delivery SET lane = {} WHERE sequence = 3", numbers[0].0 * 4 + 3);
    assert_eq!(open(folder.path()).execute(&damaged, []).unwrap(), 1);
    let lanes: Vec<_> = store.lanes(None, 2).await.unwrap().iter().map(|found| found.lane).collect();
    assert_eq!(lanes, [lane(numbers[0], HOOK), lane(numbers[1], HOOK)]);
}

#[tokio::test]
async fn damaged_delivery_is_left_out_of_lists() {
    for damage in [
        "UPDATE delivery SET kind = 99 WHERE sequence = 3",
        "UPDATE delivery SET state = 7 WHERE sequence = 3",
        "UPDATE delivery SET created_at = 9223372036854775807 WHERE sequence = 3",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (store, _, made) = six(folder.path()).await;
        assert_eq!(open(folder.path()).execute(damage, []).unwrap(), 1);
        let answer = store.delivery(made[2]).await;
        assert!(matches!(answer, Err(Error::Corrupt { .. })), "{damage}: {answer:?}");
        let page = store.list_deliveries(list()).await.unwrap();
        assert_eq!((page.total, page.deliveries.len()), (6, 5), "{damage}");
        assert!(page.deliveries.iter().all(|delivery| delivery.id != made[2]));
        assert!(store.delivery(made[1]).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn damaged_document_is_never_returned() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _, _) = six(folder.path()).await;
    let document = br#"{"@type":"Property","title":"Appartement au calme, sur cour"}"#.to_vec();
    keep(&store, 6_000, (1..=2).map(|number| (key(number), document.clone())).collect()).await;
    let connection = open(folder.path());
    let of_first = "WHERE property_id = ?1";
    let id = property_id(1);
    let sql = format!("SELECT document FROM delivery_document {of_first}");
    let record: Vec<u8> = connection.query_row(&sql, [id.as_bytes()], |row| row.get(0)).unwrap();
    let mut refused = 0;
    for index in 0..record.len() {
        let mut damaged = record.clone();
        damaged[index] ^= 0x11;
        let sql = format!("UPDATE delivery_document SET document = ?2 {of_first}");
        connection.execute(&sql, rusqlite::params![id.as_bytes(), damaged]).unwrap();
        let served = store.sent_documents(vec![key(1), key(2)]).await.unwrap();
        assert_eq!(served[1].as_ref(), Some(&document));
        match &served[0] {
            None => refused += 1,
            // A byte that only affects decompression may change without changing the result.
            Some(served) => assert_eq!(served, &document, "byte {index}"),
        }
    }
    assert!(refused > record.len() / 2, "{refused} of {}", record.len());
    assert_eq!(all_deliveries(&store).await.len(), 6);
}
