//! Verification names every kind of damage, everything else goes on meanwhile, and a repair makes the store whole again.

use std::path::Path;

use domain::grouping::{PersonDecision, Verdict};
use domain::{FieldUpdate, KeySettings, Scopes, SearchNumber, SiteCategoryName};
use rusqlite::Connection;
use store::SqlStore;
use store::prelude::*;
use store::sqlite::FILE_NAME;
use store::{
    Claim, Contacts, DeliveryList, DocumentKey, Expected, Finding, NewKey, Position, PutSite, RecordKind,
    Repair, RequestUsage, SearchList, Step, UsageBatch, UsageList, VerifyCursor,
};
use testkit::build::{advert, advert_id, at, key_id, property, property_id, saved_search, site, user_id};

use crate::changes::{change, change_search, commit, create, create_search, regroup, remove, whole_log};
use crate::delivery_fixtures::{BY_WEBHOOK, CREATION, claim, delivered, enqueue_all, notify};

/// A store with records of every kind: property 1 at version 2 with a delivered and a pending delivery, properties 2 and 3, property 4
/// whose advert moved to 5, two searches of which the first has a replaced version.
async fn full(folder: &Path) -> SqlStore {
    let store = SqlStore::open(folder).unwrap();
    let key = NewKey {
        id: key_id(1),
        secret_hash: [0; 32],
        user_name: "zoé".to_owned(),
        user_id_if_new: user_id(1),
        scopes: Scopes::all(),
        settings: KeySettings::default(),
        created_at: at(1),
    };
    store.create_key(key.clone()).await.unwrap();
    store.create_key(NewKey { id: key_id(2), ..key }).await.unwrap();
    let category = SiteCategoryName::parse("Portails").unwrap();
    store.create_site_category(category).await.unwrap().unwrap();
    let named = PutSite { key: site("portail.fr"), name: FieldUpdate::Keep, category: FieldUpdate::Keep };
    store.put_site(named).await.unwrap().unwrap();
    commit(&store, [create_search(&saved_search(1)), create_search(&saved_search(2))]).await;
    let both = [SearchNumber(1), SearchNumber(2)];
    notify(&store, 1, &[(BY_WEBHOOK, &both), (CREATION, &both)]).await; // 3
    notify(&store, 2, &[(BY_WEBHOOK, &both)]).await; // 4
    while store.index_matches(100).await.unwrap() {}
    let enqueued = enqueue_all(&store, 6_000, 6_000).await;
    let documents = vec![(
        DocumentKey { property: property_id(1), version: 1, contacts: Contacts::Shown },
        b"{}".to_vec(),
    )];
    let (deliveries, hidden) = (vec![enqueued[0]], Vec::new());
    let first = Claim {
        claim_id: 1,
        at: at(6_000),
        lease_until: at(6_060),
        deliveries,
        contacts_hidden: hidden,
        documents,
    };
    assert_eq!(store.claim(first).await.unwrap(), [enqueued[0]]);
    assert_eq!(claim(&store, 2, 6_000, &[enqueued[1]]).await, [enqueued[1]]);
    store.settle(vec![delivered(enqueued[0], 1, 6_001), delivered(enqueued[1], 2, 6_001)]).await.unwrap();
    let changed = property(1, [advert(1).title("Deux pièces").build()]);
    commit(&store, [change(&changed, Expected::Revision(1), advert_id(1))]).await; // 5
    commit(&store, [create(&property(3, [advert(3).build()]), Expected::New)]).await; // 6
    commit(&store, [create(&property(4, [advert(4).build()]), Expected::New)]).await; // 7
    let decision =
        PersonDecision { verdict: Verdict::Different, left: vec![advert_id(4)], right: vec![advert_id(3)] };
    let moved = property(5, [advert(4).build()]);
    commit(
        &store,
        [
            Step::PutDecision { decision, decided_by: "zoé".to_owned() },
            regroup(&moved, Expected::New, vec![advert_id(4)], vec![property_id(4)]), // 8
            remove(property_id(4), Expected::Revision(1), advert_id(4)),              // 9
        ],
    )
    .await;
    commit(&store, [change_search(&saved_search(1), 1)]).await; // 10
    let usage = RequestUsage {
        key: key_id(1),
        user: user_id(1),
        day: domain::Date::constant(2026, 3, 2),
        operation: "Searches".to_owned(),
        requests: 1,
        items: 1,
    };
    let requests = vec![usage.clone(), RequestUsage { key: key_id(2), ..usage }];
    store.add_usage(UsageBatch { requests, ..UsageBatch::default() }).await.unwrap();
    store
}

async fn findings(store: &SqlStore) -> Vec<Finding> {
    let (mut found, mut next) = (Vec::new(), Some(VerifyCursor::default()));
    while let Some(cursor) = next {
        let page = store.verify(cursor).await.unwrap();
        found.extend(page.findings);
        next = page.rest;
    }
    found
}

fn damage(folder: &Path, sql: &str) {
    let connection = Connection::open(folder.join(FILE_NAME)).unwrap();
    assert!(connection.execute(sql, []).unwrap() > 0, "{sql}");
}

/// Reads everything there is. No damage of one record may make these calls fail.
async fn read_everything(store: &SqlStore) {
    store.find_properties((1..=5).map(property_id).collect()).await.unwrap();
    store.properties_at((1..=5).map(|number| (property_id(number), 1)).collect()).await.unwrap();
    for part in store.scan_parts(2).await.unwrap() {
        store.scan(part, 100).await.unwrap();
    }
    assert_eq!(store.log_after(Position::START, 100).await.unwrap().len(), 10);
    store.not_crawled_since(at(1_000_000), None, 100).await.unwrap();
    store.scan_signatures(None, 100).await.unwrap();
    store.person_decisions(0).await.unwrap();
    store.lineage(property_id(5)).await.unwrap();
    let list =
        SearchList { owner: user_id(1), title: None, enabled: None, by_title: None, skip: 0, take: 10 };
    store.list_searches(list).await.unwrap();
    store.searches_at(Position(9), None, 10).await.unwrap();
    store.searches_by_number(vec![SearchNumber(1), SearchNumber(2)]).await.unwrap();
    store.match_groups_after(Position::START, 100).await.unwrap();
    for number in 1..=2 {
        store.list_matches(SearchNumber(number), 0, 100).await.unwrap();
        store.find_match(SearchNumber(number), Position(3)).await.unwrap();
    }
    store.index_matches(100).await.unwrap();
    store.read_outbox(100).await.unwrap();
    store.lanes(None, 100).await.unwrap();
    let page = store.list_deliveries(DeliveryList { take: 100, ..DeliveryList::default() }).await.unwrap();
    for delivery in page.deliveries {
        store.delivery(delivery.id).await.unwrap();
    }
    store.site_directory(None).await.unwrap();
    store.keys().await.unwrap();
    store.list_usage(UsageList { take: 100, ..UsageList::default() }).await.unwrap();
    // And other things can still be written.
    let outcome = commit(store, [create(&property(9, [advert(9).build()]), Expected::New)]).await;
    assert!(
        store.erase(advert_id(9), at(9_000)).await.unwrap().is_some_and(|erased| erased.position > outcome)
    );
}

#[tokio::test]
async fn intact_store_has_no_findings() {
    let folder = tempfile::tempdir().unwrap();
    let store = full(folder.path()).await;
    assert_eq!(findings(&store).await, []);
    read_everything(&store).await;
    assert_eq!(findings(&store).await, [], "after a creation and an erasure");
    assert_eq!(store.damage(), []);
}

/// Damages each kind of record in turn, in a store that is open and in one that is opened again.
#[tokio::test]
async fn every_kind_of_damage_is_named_stops_nothing_and_is_repaired() {
    use RecordKind as Kind;
    let current = "(SELECT max(record_id) FROM property_version WHERE property_id = (SELECT subject FROM log WHERE position = 3))";
    let cases: &[(Kind, String)] = &[
        (Kind::Property, format!("UPDATE property_version SET record = x'01ff' WHERE record_id = {current}")),
        (Kind::Property, "UPDATE advert SET last_crawled_at = 7 WHERE rowid_of = 0".replace("rowid_of = 0", "id = (SELECT advert FROM log WHERE position = 4)")),
        (Kind::Property, "DELETE FROM advert WHERE id = (SELECT advert FROM log WHERE position = 4)".to_owned()),
        (Kind::PropertyVersion, "UPDATE property_version SET record = x'00' WHERE position = 3".to_owned()),
        (Kind::Advert, "UPDATE advert SET property_id = x'01' WHERE id = (SELECT advert FROM log WHERE position = 4)".to_owned()),
        (Kind::Advert, "INSERT INTO advert (id, property_id, last_crawled_at, expired) VALUES (randomblob(16), randomblob(16), 1, 0)".to_owned()),
        (Kind::LogEntry, "UPDATE log SET payload = x'5b5b' WHERE position = 4".to_owned()),
        (Kind::LogEntry, "UPDATE log SET kind = 99 WHERE position = 8".to_owned()),
        (Kind::LogEntry, "UPDATE log SET recorded_at = 9223372036854775807 WHERE position = 10".to_owned()),
        (Kind::Search, "UPDATE search SET record = x'01ff' WHERE number = 2".to_owned()),
        (Kind::Search, "UPDATE search SET enabled = 1 - enabled WHERE number = 2".to_owned()),
        (Kind::SearchVersion, "UPDATE search_version SET record = x'01'".to_owned()),
        (Kind::SearchCount, "UPDATE search_count SET searches = 7".to_owned()),
        (Kind::MatchGroup, "UPDATE match_group SET matched = x'01ff' WHERE position = 3".to_owned()),
        (Kind::MatchGroup, "UPDATE match_group SET at = 9223372036854775807 WHERE position = 4".to_owned()),
        (Kind::MatchGroup, "UPDATE match_group SET version = 9 WHERE position = 4".to_owned()),
        (Kind::SearchMatch, "DELETE FROM search_match WHERE number = 1 AND position = 3".to_owned()),
        (Kind::SearchMatch, "INSERT INTO search_match (number, position) VALUES (1, 5)".to_owned()),
        (Kind::OutboxEntry, "UPDATE outbox SET searches = x'01ff' WHERE position = 3 AND ordinal = 1".to_owned()),
        (Kind::Delivery, "UPDATE delivery SET kind = 99 WHERE sequence = 3".to_owned()),
        (Kind::Delivery, "UPDATE delivery SET state = 77 WHERE sequence = 1".to_owned()),
        (Kind::DeliveryAttempt, "UPDATE delivery_attempt SET outcome = 99 WHERE sequence = 1".to_owned()),
        (Kind::DeliveryAttempt, "UPDATE delivery_attempt SET certificate = 99 WHERE sequence = 1".to_owned()),
        (Kind::DeliveryAttempt, "UPDATE delivery_attempt SET response_headers = '[\"server\"]' WHERE sequence = 2".to_owned()),
        (Kind::DeliveryAttempt, "UPDATE delivery_attempt SET tls_ms = -1 WHERE sequence = 1".to_owned()),
        (Kind::DeliveryDocument, "UPDATE delivery_document SET document = x'01ff' WHERE version > 0".to_owned()),
        (Kind::Site, "UPDATE site SET name = CAST(x'ff' AS TEXT)".to_owned()),
        (Kind::SiteCategory, "UPDATE site_category SET name = CAST(x'ff' AS TEXT)".to_owned()),
        (Kind::Key, "UPDATE api_key SET secret_hash = x'01' WHERE id = (SELECT max(id) FROM api_key)".to_owned()),
        (Kind::Usage, "UPDATE daily_usage SET requests = 'many' WHERE key_id = (SELECT max(id) FROM api_key)".to_owned()),
        (Kind::Decision, "UPDATE person_decision SET verdict = 9".to_owned()),
        (Kind::Lineage, "UPDATE property_lineage SET adverts = x'01'".to_owned()),
        (Kind::Checkpoint, "UPDATE matcher SET checkpoint = 1000000".to_owned()),
    ];
    for (kind, sql) in cases {
        for restart in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let mut store = full(folder.path()).await;
            damage(folder.path(), sql);
            if restart {
                drop(store);
                store = SqlStore::open(folder.path()).unwrap();
            }
            let found = findings(&store).await;
            assert!(!found.is_empty(), "{sql}");
            assert!(found.iter().all(|finding| finding.kind == *kind), "{sql}: {found:?}");
            read_everything(&store).await;
            assert!(findings(&store).await.iter().any(|finding| finding.kind == *kind), "{sql}: still there");
            let mut by_hand = false;
            for finding in found {
                let repair = store.repair(finding.clone(), at(9_000)).await.unwrap();
                by_hand |= matches!(repair, Repair::Manual(_));
                assert!(repair != Repair::NotNeeded, "{sql}: {finding:?}");
            }
            let expected = [Kind::SiteCategory, Kind::Key, Kind::Usage, Kind::Checkpoint].contains(kind);
            assert_eq!(by_hand, expected, "{sql}");
            // What was removed may be missing elsewhere.
            for finding in findings(&store).await {
                store.repair(finding, at(9_000)).await.unwrap();
            }
            if !by_hand {
                assert_eq!(findings(&store).await, [], "{sql}");
            }
            whole_log(&store).await;
        }
    }
}

#[tokio::test]
async fn repaired_property_falls_back_to_its_newest_intact_version() {
    let folder = tempfile::tempdir().unwrap();
    let store = full(folder.path()).await;
    damage(folder.path(), "UPDATE property_version SET record = x'01ff' WHERE position = 5");
    let found = findings(&store).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].kind, found[0].id.clone()), (RecordKind::Property, property_id(1).to_string()));
    let before = whole_log(&store).await.len();
    let repair = store.repair(found[0].clone(), at(9_000)).await.unwrap();
    assert!(matches!(repair, Repair::Repaired(_)), "{repair:?}");
    let stored = store.properties(vec![property_id(1)]).await.unwrap().remove(&property_id(1)).unwrap();
    assert_eq!(stored.property, property(1, [advert(1).build()]), "the first version");
    assert_eq!((stored.version, stored.revision), (2, 3));
    assert_eq!(whole_log(&store).await.len(), before + 1, "followers learn of it");
    assert_eq!(
        store.repair(found[0].clone(), at(9_000)).await.unwrap(),
        Repair::Repaired("wrote the rows of its adverts again")
    );
    // It can be written again.
    let changed = property(1, [advert(1).title("Trois pièces").build()]);
    commit(&store, [change(&changed, Expected::Revision(3), advert_id(1))]).await;
    assert_eq!(findings(&store).await, []);
}

#[tokio::test]
async fn property_without_an_intact_version_is_removed_and_its_adverts_can_be_sent_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = full(folder.path()).await;
    damage(folder.path(), "UPDATE property_version SET record = x'01ff' WHERE position = 6");
    let found = findings(&store).await;
    store.repair(found[0].clone(), at(9_000)).await.unwrap();
    assert!(store.properties(vec![property_id(3)]).await.unwrap().is_empty());
    assert_eq!(store.locate(vec![domain::Identity::Uuid(advert_id(3))]).await.unwrap(), [None]);
    commit(&store, [create(&property(3, [advert(3).build()]), Expected::New)]).await;
    assert!(store.properties(vec![property_id(3)]).await.unwrap().contains_key(&property_id(3)));
}

#[tokio::test]
async fn erasure_of_an_advert_of_a_damaged_property_leaves_no_trace_and_keeps_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(folder.path()).unwrap();
    let (one, two) = (advert(1).title("Un").build(), advert(2).title("Deux").build());
    commit(&store, [create(&property(1, [one.clone()]), Expected::New)]).await;
    commit(&store, [create(&property(1, [one.clone(), two.clone()]), Expected::Revision(1))]).await;
    let changed = property(1, [one, advert(2).title("Deux pièces").build()]);
    commit(&store, [change(&changed, Expected::Revision(2), advert_id(2))]).await;
    damage(
        folder.path(),
        "UPDATE property_version SET record = CAST(record || x'00' AS BLOB) WHERE position = 3",
    );
    let erased = store.erase(advert_id(1), at(9_000)).await.unwrap().unwrap();
    assert!(!erased.property_removed);
    let stored = store.properties(vec![property_id(1)]).await.unwrap().remove(&property_id(1)).unwrap();
    assert_eq!(stored.property, property(1, [two]), "as it was in the newest intact version");
    let empty = "SELECT count(*) FROM property_version WHERE length(record) = 0";
    let connection = Connection::open(folder.path().join(FILE_NAME)).unwrap();
    let empty: u64 = connection.query_row(empty, [], |row| row.get(0)).unwrap();
    assert_eq!(empty, 2, "the version of the erased advert alone, and the damaged one");
    assert_eq!(findings(&store).await, []);
}

#[tokio::test]
async fn property_without_its_record_is_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let store = full(folder.path()).await;
    damage(folder.path(), "DELETE FROM property_version WHERE position = 5");
    let found = findings(&store).await;
    let kinds: Vec<_> = found.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [RecordKind::Property, RecordKind::Advert, RecordKind::LogEntry], "{found:?}");
    read_everything(&store).await;
    assert_eq!(store.find_properties(vec![property_id(1)]).await.unwrap().damaged, [property_id(1)]);
    store.repair(found[0].clone(), at(9_000)).await.unwrap();
    assert_eq!(findings(&store).await, []);
    let stored = store.properties(vec![property_id(1)]).await.unwrap().remove(&property_id(1)).unwrap();
    assert_eq!((stored.property, stored.version), (property(1, [advert(1).build()]), 2));
}

/// The numbers of the deliveries are larger than any code of an attempt.
#[tokio::test]
async fn attempts_of_many_deliveries_are_sound() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(folder.path()).unwrap();
    commit(&store, [create_search(&saved_search(1))]).await;
    for number in 1..=20 {
        notify(&store, number, &[(BY_WEBHOOK, &[SearchNumber(1)])]).await;
    }
    let enqueued = enqueue_all(&store, 6_000, 6_000).await;
    assert_eq!(claim(&store, 1, 6_000, &enqueued).await.len(), 20);
    store.settle(enqueued.iter().map(|id| delivered(*id, 1, 6_001)).collect()).await.unwrap();
    while store.index_matches(100).await.unwrap() {}
    assert_eq!(findings(&store).await, []);
}
