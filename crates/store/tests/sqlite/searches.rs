//! Saved searches and matches in the embedded store: remaining rows, query plans, damage.

use std::path::Path;

use domain::{SearchNumber, SearchRef, Timestamp};
use rusqlite::{Connection, params};
use store::SqlStore;
use store::prelude::*;
use store::sqlite::FILE_NAME;
use store::{
    Error, Expected, MatchBatch, MatchGroup, Notification, OutboxEntry, Position, RecordKind, SearchList,
};
use testkit::build::{advert, advert_id, at, property, property_id, saved_search, search_id, user_id};

use crate::changes::{change_search, commit, create, create_search, remove_search};

fn open(folder: &Path) -> Connection {
    let connection = Connection::open(folder.join(FILE_NAME)).unwrap();
    connection.pragma_update(None, "synchronous", "OFF").unwrap();
    connection
}

fn rows(connection: &Connection, table: &str) -> u64 {
    connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

fn group(position: u64, property: u64, searches: &[SearchNumber]) -> MatchGroup {
    MatchGroup {
        position: Position(position),
        at: at(5_000),
        property: property_id(property),
        version: 1,
        advert: advert_id(property),
        matched: searches.to_vec(),
        linked: searches.to_vec(),
        inherited: Vec::new(),
        outbox: vec![OutboxEntry {
            notification: Notification::Match(domain::search::MatchChannel::Email),
            searches: searches.to_vec(),
        }],
    }
}

/// Creates three searches at 1 to 3 and two properties at 4 and 5, each matched by all three. The matches of the first property are
/// indexed.
async fn matched(folder: &Path) -> (SqlStore, Vec<SearchNumber>) {
    let store = SqlStore::open(folder).unwrap();
    commit(&store, (1..=3).map(|number| create_search(&saved_search(number)))).await;
    let mut numbers = Vec::new();
    for number in 1..=3 {
        numbers.push(store.search(search_id(number)).await.unwrap().unwrap().number);
    }
    for number in 1..=2 {
        commit(&store, [create(&property(number, [advert(number).build()]), Expected::New)]).await;
        let (after, until) = (store.matcher_checkpoint().await.unwrap(), Position(3 + number));
        let groups = vec![group(until.0, number, &numbers)];
        assert!(store.record_matches(MatchBatch { after, until, groups }).await.unwrap());
        if number == 1 {
            assert!(!store.index_matches(100).await.unwrap());
        }
    }
    (store, numbers)
}

#[tokio::test]
async fn rows_that_no_query_reads_are_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = matched(folder.path()).await;
    let connection = open(folder.path());
    let count = |table| rows(&connection, table);
    assert_eq!([count("match_group"), count("outbox"), count("search_match")], [2, 2, 3]);

    // Versions that were replaced before the matcher's checkpoint reached them.
    for version in 1..=3 {
        commit(&store, [change_search(&saved_search(2), version)]).await; // 6, 7, 8
    }
    assert_eq!(count("search_version"), 3);
    let pass = async |after, until| {
        let batch = MatchBatch { after: Position(after), until: Position(until), groups: Vec::new() };
        assert!(store.record_matches(batch).await.unwrap());
    };
    pass(5, 7).await;
    assert_eq!(count("search_version"), 1);

    // The rows of a deleted search, once the checkpoint is past the deletion and all matches are indexed.
    let alert = "INSERT INTO search_alert (number, last_alert_at) VALUES (2, 7000)";
    connection.execute(alert, []).unwrap();
    commit(&store, [remove_search(search_id(2))]).await; // 9
    assert_eq!([count("search_version"), count("search_alert"), count("deleted_search")], [0, 0, 1]);
    while store.index_matches(1).await.unwrap() {}
    assert_eq!(
        [count("search_match"), count("deleted_search")],
        [6, 1],
        "the matcher may still record matches of it"
    );
    pass(7, 9).await;
    while store.index_matches(1).await.unwrap() {}
    assert_eq!([count("search_match"), count("deleted_search")], [4, 0]);

    // The rows of an erased property.
    for number in 1..=2 {
        store.erase(advert_id(number), at(9_000)).await.unwrap().unwrap(); // 10, 11
    }
    assert_eq!([count("match_group"), count("outbox"), count("search_match")], [0, 0, 0]);
    assert_eq!(count("erased_property"), 2);
    pass(9, 11).await;
    assert_eq!(count("erased_property"), 0);

    commit(&store, [remove_search(search_id(1)), remove_search(search_id(3))]).await;
    assert_eq!([count("search"), count("search_count")], [0, 0]);
}

#[tokio::test]
async fn last_alert_is_precise_to_the_millisecond() {
    let folder = tempfile::tempdir().unwrap();
    let (store, numbers) = matched(folder.path()).await;
    let alert = "INSERT INTO search_alert (number, last_alert_at) VALUES (?1, ?2)";
    open(folder.path()).execute(alert, params![numbers[1].0, 1_700_000_000_123_i64]).unwrap();
    let expected = Some(Timestamp::from_millisecond(1_700_000_000_123).unwrap());
    assert_eq!(store.search(search_id(2)).await.unwrap().unwrap().last_alert_at, expected);
    assert_eq!(store.search(search_id(1)).await.unwrap().unwrap().last_alert_at, None);
    // It does not belong to a version.
    commit(&store, [change_search(&saved_search(2), 1)]).await;
    let alerts = store.searches_at(Position(5), None, 10).await.unwrap();
    assert_eq!(alerts.iter().map(|stored| stored.last_alert_at).collect::<Vec<_>>(), [None, expected, None]);
}

#[tokio::test]
async fn damaged_search_is_reported_and_never_returned() {
    let folder = tempfile::tempdir().unwrap();
    let (store, numbers) = matched(folder.path()).await;
    commit(&store, [change_search(&saved_search(2), 1)]).await;
    let connection = open(folder.path());
    let list =
        SearchList { owner: user_id(1), title: None, enabled: None, by_title: None, skip: 0, take: 10 };
    for table in ["search", "search_version"] {
        let record: Vec<u8> = connection
            .query_row(&format!("SELECT record FROM {table} WHERE number = 2"), [], |row| row.get(0))
            .unwrap();
        let write = |record: &[u8]| {
            let sql = format!("UPDATE {table} SET record = ?1 WHERE number = 2");
            assert_eq!(connection.execute(&sql, [record]).unwrap(), 1);
        };
        for index in 0..record.len() {
            let mut damaged = record.clone();
            damaged[index] ^= 0x11;
            write(&damaged);
            let results = match table {
                "search" => vec![
                    store.search(search_id(2)).await.map(|_| ()),
                    store.search_by_number(numbers[1]).await.map(|_| ()),
                ],
                _ => {
                    // Reading all of them returns the others.
                    let current = store.searches_at(Position(5), None, 10).await.unwrap();
                    let current: Vec<_> = current.iter().map(|stored| stored.number).collect();
                    assert_eq!(current, [numbers[0], numbers[2]]);
                    vec![store.search_at(search_id(2), 1).await.map(|_| ())]
                }
            };
            for result in results {
                match result {
                    Err(Error::Corrupt { what, .. }) => {
                        assert!(what.contains(&search_id(2).to_string()), "{what}");
                    }
                    other => panic!("byte {index} of {table}: {other:?}"),
                }
            }
        }
        assert!(store.search(search_id(1)).await.unwrap().is_some(), "other searches are not affected");
        if table == "search" {
            let page = store.list_searches(list.clone()).await.unwrap();
            let listed: Vec<_> = page.searches.iter().map(|stored| stored.number).collect();
            assert_eq!((page.total, listed), (3, vec![numbers[2], numbers[0]]), "the others are listed");
        }
        write(&record);
    }
    assert_eq!(store.list_searches(list.clone()).await.unwrap().searches.len(), 3);

    // Its owner can delete it, by its id or by its token.
    let token = store.search(search_id(2)).await.unwrap().unwrap().search.token;
    connection
        .execute("UPDATE search SET record = CAST(record || x'00' AS BLOB) WHERE number = 2", [])
        .unwrap();
    for name in [SearchRef::Id(search_id(2)), SearchRef::Token(token)] {
        assert_eq!(store.search_id(user_id(1), name.clone()).await.unwrap(), Some(search_id(2)));
        assert_eq!(store.search_id(user_id(2), name).await.unwrap(), None, "not of another user");
    }
    commit(&store, [remove_search(search_id(2))]).await;
    assert_eq!(store.list_searches(list).await.unwrap().total, 2);
}

#[tokio::test]
async fn damaged_list_of_searches_is_detected_and_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let (store, numbers) = matched(folder.path()).await;
    // A search that is in no list makes the query read all of them.
    commit(&store, [create_search(&saved_search(4))]).await;
    let bystander = store.search(search_id(4)).await.unwrap().unwrap().number;
    let connection = open(folder.path());
    for (table, column) in [("match_group", "matched"), ("match_group", "linked"), ("outbox", "searches")] {
        let sql = format!("SELECT {column} FROM {table} WHERE position = 5");
        let list: Vec<u8> = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
        let write = |list: &[u8]| {
            let sql = format!("UPDATE {table} SET {column} = ?1 WHERE position = 5");
            assert_eq!(connection.execute(&sql, [list]).unwrap(), 1);
        };
        let mut versions: Vec<Vec<u8>> = (0..list.len()).map(|length| list[..length].to_vec()).collect();
        versions.extend((0..list.len() * 8).map(|bit| {
            let mut damaged = list.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            damaged
        }));
        for damaged in versions {
            write(&damaged);
            let groups = store.match_groups_after(Position::START, 10).await.unwrap();
            let outboxes: Vec<_> = groups.iter().map(|group| group.outbox.len()).collect();
            let expected = if column == "searches" { vec![1, 0] } else { vec![1] };
            assert_eq!(outboxes, expected, "{column}: {damaged:?}");
            if column == "matched" {
                // What was matched before is unknown: a caller must not take it for nothing.
                let unknown = store.matched_searches(vec![property_id(2)]).await;
                assert!(matches!(unknown, Err(Error::Corrupt { .. })), "{damaged:?}");
                assert_eq!(store.list_matches(numbers[0], 0, 10).await.unwrap().total, 1);
            }
            if column != "searches" {
                assert_eq!(store.find_match(bystander, Position(5)).await.unwrap(), None);
            }
        }
        write(&list);
    }
    let met = store.damage();
    assert_eq!(met, [(RecordKind::MatchGroup, 1), (RecordKind::OutboxEntry, 1)], "each is counted once");
    // Matches before the damage were always listed, and all of them are now.
    assert_eq!(store.match_groups_after(Position::START, 10).await.unwrap().len(), 2);
    assert!(!store.index_matches(10).await.unwrap());
    assert_eq!(store.list_matches(numbers[0], 0, 10).await.unwrap().total, 2);
}

#[tokio::test]
async fn damaged_list_stops_neither_indexing_nor_erasure() {
    let folder = tempfile::tempdir().unwrap();
    let (store, numbers) = matched(folder.path()).await;
    open(folder.path()).execute("UPDATE match_group SET matched = x'01' WHERE position = 5", []).unwrap();
    commit(&store, [create(&property(3, [advert(3).build()]), Expected::New)]).await; // 6
    let groups = vec![group(6, 3, &numbers)];
    let batch = MatchBatch { after: Position(5), until: Position(6), groups };
    assert!(store.record_matches(batch).await.unwrap());
    assert!(!store.index_matches(100).await.unwrap());
    let page = store.list_matches(numbers[0], 0, 10).await.unwrap();
    let listed: Vec<_> = page.matches.iter().map(|row| row.property).collect();
    assert_eq!((page.total, listed), (2, vec![property_id(3), property_id(1)]));
    for number in 1..=3 {
        store.erase(advert_id(number), at(9_000)).await.unwrap().unwrap();
    }
    let connection = open(folder.path());
    assert_eq!(["match_group", "outbox", "search_match"].map(|table| rows(&connection, table)), [0, 0, 0]);
}

#[tokio::test]
async fn other_damage_to_matches_is_left_out() {
    for (damage, left) in [
        ("UPDATE outbox SET kind = 99 WHERE position = 4", vec![0, 1]),
        ("UPDATE outbox SET event_index = 1 WHERE position = 4", vec![0, 1]),
        ("UPDATE outbox SET kind = 11 WHERE position = 4", vec![0, 1]),
        ("UPDATE match_group SET at = 9223372036854775807 WHERE position = 4", vec![1]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = matched(folder.path()).await;
        open(folder.path()).execute(damage, []).unwrap();
        let groups = store.match_groups_after(Position::START, 10).await.unwrap();
        let outboxes: Vec<_> = groups.iter().map(|group| group.outbox.len()).collect();
        assert_eq!(outboxes, left, "{damage}");
    }
    let folder = tempfile::tempdir().unwrap();
    let (store, numbers) = matched(folder.path()).await;
    open(folder.path()).execute("DELETE FROM match_group WHERE position = 4", []).unwrap();
    let page = store.list_matches(numbers[0], 0, 10).await.unwrap();
    assert_eq!((page.total, page.matches.len()), (2, 1), "an indexed match without its group is left out");
}

/// Queries of every request and every creation must not scan a table. SQLite explains their plans.
#[tokio::test]
async fn lists_use_an_index_and_need_no_sorting() {
    let folder = tempfile::tempdir().unwrap();
    let (_store, _) = matched(folder.path()).await;
    let connection = open(folder.path());
    let plan = |sql: &str| {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        // Parameters stay unbound.
        let steps = statement.raw_query().mapped(|row| row.get::<_, String>(3));
        steps.collect::<Result<Vec<_>, _>>().unwrap().join("; ")
    };
    let selection = "FROM search WHERE owner = x'00' AND (?1 IS NULL OR enabled = ?1)
                  AND (?2 IS NULL OR instr(title_key, ?2) > 0)";
    for (order, index) in [
        ("number DESC", "search_by_owner"),
        ("title_key, number", "search_by_title"),
        ("title_key DESC, number DESC", "search_by_title"),
    ] {
        let plan = plan(&format!("SELECT number {selection} ORDER BY {order} LIMIT 10 OFFSET 20"));
        assert_eq!(plan, format!("SEARCH search USING COVERING INDEX {index} (owner=?)"));
    }
    for (sql, expected) in [
        (
            "SELECT position FROM search_match WHERE number = 1 ORDER BY position DESC LIMIT 3 OFFSET 2",
            "SEARCH search_match USING PRIMARY KEY (number=?)",
        ),
        (
            "SELECT 1 FROM search_match WHERE number = 1 AND position >= 2 AND position < 3 LIMIT 4",
            "SEARCH search_match USING PRIMARY KEY (number=? AND position>? AND position<?)",
        ),
        (
            "SELECT position, at FROM match_group WHERE position >= 2 ORDER BY position LIMIT 1",
            "SEARCH match_group USING INTEGER PRIMARY KEY (rowid>?)",
        ),
        (
            "SELECT matched FROM match_group WHERE property_id = x'00' ORDER BY position",
            "SEARCH match_group USING INDEX match_group_of (property_id=?)",
        ),
        (
            "DELETE FROM search_version WHERE replaced_position <= 7",
            "SEARCH search_version USING INTEGER PRIMARY KEY (rowid<?)",
        ),
        (
            "SELECT version FROM search_version WHERE number = 1 AND position <= 2 ORDER BY version DESC LIMIT 1",
            "SEARCH search_version USING INDEX search_version_of (number=?)",
        ),
    ] {
        assert_eq!(plan(sql), expected, "{sql}");
    }
}
