//! The full scan.

use std::collections::HashSet;

use domain::Property;
use store::prelude::*;
use store::{Change, Expected, StoredProperty};
use testkit::build::{advert, advert_id, at, property, property_id};

use crate::backend::{Backend, Opened};
use crate::changes::{change, commit, crawl, create, current, remove, whole_log};

/// Scans all parts, one page after the other.
pub async fn scan_all(store: &impl Store, parts: usize, limit: usize) -> Vec<StoredProperty> {
    let mut all = Vec::new();
    for part in store.scan_parts(parts).await.unwrap() {
        let mut next = Some(part);
        while let Some(part) = next {
            let piece = store.scan(part, limit).await.unwrap();
            assert!(piece.properties.len() <= limit);
            assert_eq!(piece.damaged, []);
            all.extend(piece.properties);
            next = piece.rest;
        }
    }
    all
}

fn single_property(number: u64) -> Property {
    property(number, [advert(number).build()])
}

fn numbers(found: &[StoredProperty]) -> Vec<Property> {
    let mut found: Vec<_> = found.iter().map(|stored| stored.property.clone()).collect();
    found.sort_by_key(|property| property.id);
    found
}

pub async fn scan_returns_every_property_once<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    assert_eq!(scan_all(&*store, 2, 10).await, []);
    commit(&*store, (1..=3).map(|number| create(&single_property(number), Expected::New))).await;
    let changed = property(1, [advert(1).title("Studio").build()]);
    let seen = property(2, [advert(2).crawled_at(4_000).build()]);
    commit(&*store, [change(&changed, Expected::Revision(1), advert_id(1))]).await;
    commit(&*store, [crawl(&seen, Expected::Revision(1), advert_id(2))]).await;

    let mut found = scan_all(&*store, 2, 10).await;
    found.sort_by_key(|stored| stored.property.id);
    for (stored, expected) in found.iter().zip([changed, seen, single_property(3)]) {
        assert_eq!(stored.property, expected);
        // Version and revision are the current ones.
        assert_eq!(current(&*store, expected.id).await.as_ref(), Some(stored));
    }
    assert_eq!(found.len(), 3);
}

pub async fn scan_result_is_independent_of_parts_and_limits<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    commit(&*store, (1..=20).map(|number| create(&single_property(number), Expected::New))).await;
    let all: Vec<_> = (1..=20).map(single_property).collect();
    for parts in [1, 2, 3, 7, 20, 100] {
        assert!(store.scan_parts(parts).await.unwrap().len() <= parts);
        for limit in [1, 3, 19, 20, 1_000] {
            assert_eq!(
                numbers(&scan_all(&*store, parts, limit).await),
                all,
                "{parts} parts, {limit} a piece"
            );
        }
    }
}

pub async fn scan_skips_removed_properties<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    commit(&*store, (1..=4).map(|number| create(&single_property(number), Expected::New))).await;
    store.erase(advert_id(2), at(9_000)).await.unwrap();
    commit(&*store, [remove(property_id(3), Expected::Revision(1), advert_id(3))]).await;
    assert_eq!(numbers(&scan_all(&*store, 2, 10).await), [single_property(1), single_property(4)]);
}

pub async fn concurrent_writes_are_scanned_or_logged<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let before =
        commit(&*store, (1..=10).map(|number| create(&single_property(number), Expected::New))).await;
    let mut searches = HashSet::new();
    let mut writes = 0;
    for part in store.scan_parts(2).await.unwrap() {
        let mut next = Some(part);
        while let Some(part) = next {
            let piece = store.scan(part, 2).await.unwrap();
            searches.extend(piece.properties.iter().map(|stored| stored.property.id));
            next = piece.rest;
            // A property that the scan may have returned already, and a new one.
            writes += 1;
            let again = property(writes, [advert(writes).title("Studio").build()]);
            commit(&*store, [change(&again, Expected::Revision(1), advert_id(writes))]).await;
            commit(&*store, [create(&single_property(100 + writes), Expected::New)]).await;
        }
    }
    for entry in whole_log(&*store).await.into_iter().filter(|entry| entry.position > before) {
        let Change::Property { property, .. } = entry.change else { panic!("{entry:?}") };
        searches.insert(property);
    }
    let everything = (1..=10).chain((1..=writes).map(|write| 100 + write)).map(property_id);
    assert_eq!(searches, everything.collect());
}
