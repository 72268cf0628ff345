//! Damage is detected and reported; damaged data is never returned.

use rusqlite::{Connection, params};
use store::prelude::*;
use store::sqlite::{FILE_NAME, SqliteStore};
use store::{Error, Expected};
use testkit::Random;
use testkit::build::{advert, advert_id, at, property};

use crate::changes::{change, commit, create, current};

#[tokio::test]
async fn damaged_record_is_reported_and_never_returned() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
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

    // Other properties are not affected, an erasure is refused, and restoring the record restores the property.
    assert_eq!(current(&store, sound.id).await.unwrap().property, sound);
    assert!(matches!(store.erase(advert_id(1), at(9_000)).await, Err(Error::Corrupt { .. })));
    write(&record);
    assert_eq!(current(&store, damaged.id).await.unwrap().property, damaged);
}

#[tokio::test]
async fn damaged_log_entry_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
    let target = property(1, [advert(1).build()]);
    commit(&store, [create(&target, Expected::New)]).await;
    commit(&store, [change(&target, Expected::Revision(1), advert_id(1))]).await;
    let connection = Connection::open(folder.path().join(FILE_NAME)).unwrap();
    connection.execute("UPDATE log SET kind = 99 WHERE position = 2", []).unwrap();
    match store.log_after(store::Position::START, 10).await {
        Err(Error::Corrupt { what, .. }) => assert_eq!(what, "log entry 2"),
        other => panic!("{other:?}"),
    }
    assert_eq!(store.log_after(store::Position::START, 1).await.unwrap().len(), 1);
}
