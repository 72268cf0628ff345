//! Damage is detected and reported, damaged data is never returned, and nothing else stops because of it.

use std::path::Path;

use domain::SearchId;
use rusqlite::{Connection, params};
use store::SqlStore;
use store::prelude::*;
use store::sqlite::FILE_NAME;
use store::{Change, Error, Expected, Position, RecordKind};
use testkit::Random;
use testkit::build::{advert, advert_id, property, property_id, saved_search, search_id};

use crate::changes::{change, commit, create, create_search, current};

#[tokio::test]
async fn damaged_record_is_reported_and_never_returned() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(folder.path()).unwrap();
    let damaged = property(1, [advert(1).title("Appartement").description("Au calme, sur cour.").build()]);
    let sound = property(2, [advert(2).build()]);
    commit(&store, [create(&damaged, Expected::New), create(&sound, Expected::New)]).await;

    let connection = Connection::open(folder.path().join(FILE_NAME)).unwrap();
    connection.pragma_update(None, "synchronous", "OFF").unwrap();
    let id = damaged.id.as_bytes().as_slice();
    let record: Vec<u8> = connection
        .query_row("SELECT record FROM property_version WHERE property_id = ?1", [id], |row| row.get(0))
        .unwrap();
    let write = |record: &[u8]| {
        let sql = "UPDATE property_version SET record = ?1 WHERE property_id = ?2";
        assert_eq!(connection.execute(sql, params![record, id]).unwrap(), 1);
    };

    let mut random = Random::new(testkit::random::seed());
    let mut refused = 0;
    for index in 0..record.len() {
        let mut bytes = record.clone();
        bytes[index] ^= u8::try_from(1 + random.below(255)).unwrap();
        write(&bytes);
        let answers = [
            store.properties(vec![damaged.id]).await.map(|mut found| found.remove(&damaged.id)),
            store.property_at(damaged.id, 1).await.map(|found| {
                found.map(|property| store::StoredProperty { property, version: 1, revision: 1 })
            }),
        ];
        for answer in answers {
            match answer {
                Err(Error::Corrupt { what, .. }) => {
                    assert!(what.contains(&damaged.id.to_string()), "{what}");
                    refused += 1;
                }
                // A byte that only affects decompression may change without changing the result.
                Ok(Some(served)) => assert_eq!(served.property, damaged, "byte {index}"),
                other => panic!("byte {index}: {other:?}"),
            }
        }
    }
    assert!(refused > record.len(), "only {refused} of {} reads were refused", 2 * record.len());

    // A scan returns all other properties.
    write(&record[..record.len() / 2]);
    let part = store.scan_parts(1).await.unwrap().pop().unwrap();
    let piece = store.scan(part, 10).await.unwrap();
    assert_eq!(piece.damaged, [damaged.id]);
    assert_eq!(piece.properties.len(), 1);
    assert_eq!(piece.properties[0].property, sound);

    // Other properties are not affected, and restoring the record restores the property.
    let found = store.find_properties(vec![damaged.id, sound.id, property_id(9)]).await.unwrap();
    assert_eq!((found.intact.len(), &found.intact[&sound.id].property), (1, &sound));
    assert_eq!(found.damaged, [damaged.id]);
    write(&record);
    assert_eq!(current(&store, damaged.id).await.unwrap().property, damaged);
}

#[tokio::test]
async fn damaged_log_entries_are_skipped_and_name_what_they_can() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(folder.path()).unwrap();
    let target = property(1, [advert(1).build()]);
    commit(&store, [create(&target, Expected::New)]).await;
    commit(&store, [change(&target, Expected::Revision(1), advert_id(1))]).await;
    commit(&store, [create_search(&saved_search(1))]).await;
    let whole = store.log_after(Position::START, 10).await.unwrap();
    let connection = open(folder.path());
    let (property, search) = (Some(target.id), Some(search_id(1)));
    let both = Some(SearchId::from_bytes(*target.id.as_bytes()));
    for (damage, at, change) in [
        ("UPDATE log SET kind = 99 WHERE position = 2", 1, Change::Damaged { property, search: both }),
        (
            "UPDATE log SET payload = x'5b5b' WHERE position = 2",
            1,
            Change::Damaged { property, search: None },
        ),
        ("UPDATE log SET payload = NULL WHERE position = 1", 0, Change::Damaged { property, search: None }),
        (
            "UPDATE log SET subject = x'01' WHERE position = 1",
            0,
            Change::Damaged { property: None, search: None },
        ),
        ("UPDATE log SET version = 'x' WHERE position = 3", 2, Change::Damaged { property: None, search }),
    ] {
        connection.execute("SAVEPOINT before", []).unwrap();
        let saved: Vec<(i64, Vec<rusqlite::types::Value>)> = log_rows(&connection);
        assert_eq!(connection.execute(damage, []).unwrap(), 1);
        connection.execute("RELEASE before", []).unwrap();
        let mut expected = whole.clone();
        expected[at].change = change;
        assert_eq!(store.log_after(Position::START, 10).await.unwrap(), expected, "{damage}");
        for (position, values) in saved {
            let sql =
                "UPDATE log SET kind = ?, recorded_at = ?, subject = ?, version = ?, advert = ?, payload = ?
                       WHERE position = ?";
            let values = values.into_iter().chain([position.into()]);
            connection.execute(sql, rusqlite::params_from_iter(values)).unwrap();
        }
    }
    assert_eq!(store.log_after(Position::START, 10).await.unwrap(), whole);
    assert_eq!(store.damage(), [(RecordKind::LogEntry, 3)], "each entry is counted once");
}

fn log_rows(connection: &Connection) -> Vec<(i64, Vec<rusqlite::types::Value>)> {
    let sql = "SELECT position, kind, recorded_at, subject, version, advert, payload FROM log";
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| {
        Ok((row.get(0)?, (1..7).map(|column| row.get(column)).collect::<Result<_, _>>()?))
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

/// A changed byte of a payload is always noticed.
#[tokio::test]
async fn payloads_of_the_log_have_a_checksum() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(folder.path()).unwrap();
    commit(&store, [create(&property(1, [advert(1).build()]), Expected::New)]).await;
    let connection = open(folder.path());
    let payload: Vec<u8> =
        connection.query_row("SELECT payload FROM log WHERE position = 1", [], |row| row.get(0)).unwrap();
    let write = |payload: &[u8]| {
        connection.execute("UPDATE log SET payload = ?1 WHERE position = 1", [payload]).unwrap();
    };
    let is_damaged = async || {
        let entry = store.log_after(Position::START, 1).await.unwrap().remove(0);
        matches!(entry.change, Change::Damaged { .. })
    };
    for bit in 0..payload.len() * 8 {
        let mut damaged = payload.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        write(&damaged);
        assert!(is_damaged().await, "bit {bit}");
    }
    // An entry of an earlier release has no checksum and is still read.
    write(&payload[5..]);
    assert!(!is_damaged().await);
}

fn open(folder: &Path) -> Connection {
    let connection = Connection::open(folder.join(FILE_NAME)).unwrap();
    connection.pragma_update(None, "synchronous", "OFF").unwrap();
    connection
}
