//! Damaged records are found and repaired, like in the embedded database.

use store::prelude::*;
use store::{Expected, Finding, Repair, VerifyCursor};
use testkit::build::{advert, advert_id, at, property};

use crate::backend::{Backend, Postgres};
use crate::changes::{change, commit, create, create_search};
use crate::delivery_fixtures::{BY_WEBHOOK, enqueue_all, group, record};
use testkit::build::{saved_search, search_id};

async fn verify(store: &impl Store) -> Vec<Finding> {
    let (mut findings, mut next) = (Vec::new(), Some(VerifyCursor::default()));
    while let Some(cursor) = next {
        let page = store.verify(cursor).await.unwrap();
        findings.extend(page.findings);
        next = page.rest;
    }
    findings
}

#[tokio::test]
async fn each_kind_of_damage_is_found_and_repaired() {
    for damage in [
        "UPDATE log SET payload = '\\x00' WHERE position = 2",
        "UPDATE property_version SET record = '\\x0102' WHERE version = 2",
        "UPDATE property_version SET record = '\\x0102' WHERE version = 1",
        "DELETE FROM property_version WHERE version = 2",
        "UPDATE match_group SET matched = '\\xffff'",
        "UPDATE outbox SET searches = '\\xffff'",
        "UPDATE search SET record = '\\x0102'",
        "UPDATE search_count SET searches = 7",
        "DELETE FROM search_match",
    ] {
        let database = Postgres::fresh().await;
        let store = database.open().await;
        let whole = property(1, [advert(1).build()]);
        commit(&store, [create_search(&saved_search(1))]).await;
        commit(&store, [create(&whole, Expected::New)]).await;
        let position = commit(&store, [change(&whole, Expected::Revision(1), advert_id(1))]).await;
        let number = store.search(search_id(1)).await.unwrap().unwrap().number;
        record(&store, group(position, 1, 2, &[(BY_WEBHOOK, &[number])])).await;
        while store.index_matches(10).await.unwrap() {}
        enqueue_all(&store, 6_000, 6_000).await;
        assert_eq!(verify(&store).await, [], "before {damage}");

        database.execute(damage);
        let findings = verify(&store).await;
        assert!(!findings.is_empty(), "{damage} is not found");
        // A repair may bring something to light that the damage hid.
        let mut repaired = 0;
        for _ in 0..3 {
            for finding in verify(&store).await {
                let repair = store.repair(finding.clone(), at(9_000)).await;
                let repair = repair.unwrap_or_else(|error| panic!("{damage}: {finding:?}: {error:?}"));
                repaired += usize::from(matches!(repair, Repair::Repaired(_)));
            }
        }
        assert!(repaired > 0, "nothing was repaired after {damage}: {findings:?}");
        // What is left needs a person.
        for finding in verify(&store).await {
            let repair = store.repair(finding.clone(), at(9_001)).await.unwrap();
            assert!(matches!(repair, Repair::Manual(_)), "after {damage}: {finding:?}: {repair:?}");
        }
    }
}
