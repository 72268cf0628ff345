//! Change sets built on a stale state are refused and write nothing.

use std::collections::HashMap;

use domain::{Identity, PropertyId};
use store::prelude::*;
use store::{AdvertRef, Expected, LogEntry, Position, StoredProperty, StoredSearch};
use testkit::build::{
    advert, advert_id, at, property, property_id, saved_search, search_id, short_text, site_reference,
    url_identity,
};

use crate::backend::{Backend, Opened};
use crate::changes::{
    change, change_search, commit, crawl, create, create_claiming, create_search, join, leave, refuse,
    remove, remove_search, whole_log,
};

/// Reads all that a store returns for the numbers 1 to 9.
#[derive(Debug, PartialEq)]
struct Everything {
    log: Vec<LogEntry>,
    head: Position,
    properties: HashMap<PropertyId, StoredProperty>,
    stored: usize,
    located: Vec<Option<AdvertRef>>,
    unseen: Vec<AdvertRef>,
    counts: (u64, u64),
    searches: Vec<Option<StoredSearch>>,
}

async fn snapshot(store: &impl Store) -> Everything {
    let mut identities: Vec<_> = (1..10).map(|number| Identity::Uuid(advert_id(number))).collect();
    identities.extend((1..10).map(|number| site_reference("portail.fr", &format!("A-{number}"))));
    identities.extend((1..10).map(|number| url_identity(&format!("https://portail.fr/{number}"))));
    let mut stored = 0;
    for (number, version) in (1..10).flat_map(|number| (1..10).map(move |version| (number, version))) {
        stored += usize::from(store.property_at(property_id(number), version).await.unwrap().is_some());
    }
    let mut searches = Vec::new();
    for number in 1..10 {
        searches.push(store.search(search_id(number)).await.unwrap());
    }
    Everything {
        log: whole_log(store).await,
        head: *store.head().borrow(),
        properties: store.properties((1..10).map(property_id).collect()).await.unwrap(),
        stored,
        located: store.locate(identities).await.unwrap(),
        unseen: store.not_crawled_since(at(1_000_000), None, 100).await.unwrap().adverts,
        counts: store.counts().await.unwrap(),
        searches,
    }
}

/// A store with two properties: 1 at version 2, with adverts 1 and 2; 3 at version 1, with advert 3.
async fn two_properties<B: Backend>() -> Opened<B> {
    let store = Opened::<B>::fresh().await;
    let identified = |number: u64| {
        advert(number)
            .site("portail.fr")
            .reference(&format!("A-{number}"))
            .url(&format!("https://portail.fr/{number}"))
            .build()
    };
    commit(
        &*store,
        [
            create(&property(1, [identified(1)]), Expected::New),
            create(&property(1, [identified(1), identified(2)]), Expected::WrittenBefore),
            create(&property(3, [identified(3)]), Expected::New),
            create_search(&saved_search(1)),
            create_search(&saved_search(2)),
        ],
    )
    .await;
    store
}

/// Checks that each set is refused and writes nothing, before and after reopening.
async fn refuse_each<B: Backend>(store: Opened<B>, sets: Vec<Vec<store::Step>>) {
    let before = snapshot(&*store).await;
    for steps in sets {
        let shown = format!("{steps:?}");
        refuse(&*store, steps).await;
        assert_eq!(snapshot(&*store).await, before, "{shown}");
    }
    let store = store.reopened().await;
    assert_eq!(snapshot(&*store).await, before);
}

pub async fn change_of_a_stale_revision_conflicts<B: Backend>() {
    let store = two_properties::<B>().await;
    let other = property(1, [advert(1).title("Autre").build(), advert(2).build()]);
    let with_another = property(1, [advert(1).build(), advert(2).build(), advert(9).build()]);
    let mut sets = Vec::new();
    for version in [0, 1, 3, u32::MAX] {
        sets.push(vec![change(&other, Expected::Revision(version), advert_id(1))]);
        sets.push(vec![crawl(&other, Expected::Revision(version), advert_id(1))]);
        sets.push(vec![create(&with_another, Expected::Revision(version))]);
        sets.push(vec![leave(&other, Expected::Revision(version), advert_id(2))]);
        sets.push(vec![join(&with_another, Expected::Revision(version), property_id(3))]);
    }
    refuse_each(store, sets).await;
}

pub async fn new_property_conflicts_with_an_existing_one<B: Backend>() {
    let store = two_properties::<B>().await;
    let sets = vec![
        vec![create(&property(1, [advert(9).build()]), Expected::New)],
        vec![join(&property(3, [advert(1).build()]), Expected::New, property_id(1))],
        vec![remove(property_id(3), Expected::New, advert_id(3))],
    ];
    refuse_each(store, sets).await;
}

pub async fn change_of_a_removed_property_conflicts<B: Backend>() {
    let store = two_properties::<B>().await;
    commit(
        &*store,
        [
            join(&property(4, [advert(3).build()]), Expected::New, property_id(3)),
            remove(property_id(3), Expected::Revision(1), advert_id(3)),
        ],
    )
    .await;
    let sets = vec![
        vec![change(&property(3, [advert(3).build()]), Expected::Revision(1), advert_id(3))],
        vec![crawl(&property(3, [advert(3).build()]), Expected::Revision(1), advert_id(3))],
        vec![remove(property_id(3), Expected::Revision(1), advert_id(3))],
        vec![change(&property(8, [advert(9).build()]), Expected::Revision(1), advert_id(9))],
    ];
    refuse_each(store, sets).await;
}

pub async fn taken_identity_conflicts<B: Backend>() {
    let store = two_properties::<B>().await;
    let newcomer = property(9, [advert(9).build()]);
    let claim = |identity| vec![create_claiming(&newcomer, Expected::New, identity)];
    let sets = vec![
        claim(Identity::Uuid(advert_id(2))),
        claim(site_reference("portail.fr", "A-2")),
        claim(url_identity("https://portail.fr/2")),
        // An earlier step of the same set counts too.
        vec![
            create_claiming(&property(8, [advert(8).build()]), Expected::New, Identity::Uuid(advert_id(8))),
            create_claiming(&newcomer, Expected::New, Identity::Uuid(advert_id(8))),
        ],
    ];
    refuse_each(store, sets).await;
}

pub async fn released_identity_is_free_for_a_later_step<B: Backend>() {
    let store = two_properties::<B>().await;
    let mut renamed = property(3, [advert(3).site("portail.fr").reference("A-3").build()]);
    renamed.adverts[0].details.reference = Some(short_text("B-3"));
    let newcomer = property(9, [advert(9).site("portail.fr").reference("A-3").build()]);
    let steps = [
        change(&renamed, Expected::Revision(1), advert_id(3)),
        create_claiming(&newcomer, Expected::New, site_reference("portail.fr", "A-3")),
    ];
    commit(&*store, steps).await;
    let located = store.locate(vec![site_reference("portail.fr", "A-3")]).await.unwrap();
    assert_eq!(located[0].unwrap().advert, advert_id(9));
}

pub async fn taken_site_reference_conflicts<B: Backend>() {
    let store = two_properties::<B>().await;
    // The claimed identity is free, but another advert has the reference on the site.
    let newcomer = property(9, [advert(9).site("portail.fr").reference("A-2").build()]);
    let mut renamed = property(3, [advert(3).site("portail.fr").reference("A-3").build()]);
    renamed.adverts[0].details.reference = Some(short_text("A-1"));
    let sets = vec![
        vec![create(&newcomer, Expected::New)],
        vec![change(&renamed, Expected::Revision(1), advert_id(3))],
        vec![crawl(&renamed, Expected::Revision(1), advert_id(3))],
    ];
    refuse_each(store, sets).await;
}

pub async fn removal_of_a_stale_revision_conflicts<B: Backend>() {
    let store = two_properties::<B>().await;
    let moved = property(5, [advert(3).build()]);
    let sets = vec![
        vec![remove(property_id(3), Expected::Revision(2), advert_id(3))],
        // The join comes first and would succeed alone.
        vec![
            join(&moved, Expected::New, property_id(3)),
            remove(property_id(3), Expected::Revision(2), advert_id(3)),
        ],
    ];
    refuse_each(store, sets).await;
}

pub async fn change_sets_are_atomic<B: Backend>() {
    let store = two_properties::<B>().await;
    let good = || {
        vec![
            create(&property(5, [advert(5).url("https://portail.fr/5").build()]), Expected::New),
            change(
                &property(1, [advert(1).title("Autre").build(), advert(2).build()]),
                Expected::Revision(2),
                advert_id(1),
            ),
            crawl(&property(3, [advert(3).crawled_at(9_000).build()]), Expected::Revision(1), advert_id(3)),
            change_search(&saved_search(1), 1),
            remove_search(search_id(2)),
            create_search(&saved_search(3)),
        ]
    };
    let bad = create(&property(6, [advert(6).build()]), Expected::Revision(4));
    let sets = (0..=good().len())
        .map(|index| {
            let mut steps = good();
            steps.insert(index, bad.clone());
            steps
        })
        .collect();
    refuse_each(store, sets).await;

    let store = two_properties::<B>().await;
    commit(&*store, good()).await;
    assert_eq!(whole_log(&*store).await.len(), 11, "without the refused step, all of it is written");
}
