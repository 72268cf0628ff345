//! Compares all reads of the store with the model.

use std::collections::{HashMap, HashSet};

use domain::criteria::Direction;
use domain::{AdvertId, Identity, SearchNumber};
use store::prelude::*;
use store::{Position, SearchList};
use testkit::build::{at, property_id, search_id, user_id};

use super::reference::Model;
use super::story::{OWNERS, PROPERTIES, SEARCHES, SITE, reference_identities, url_identities};
use crate::adverts::scan::scan_all;
use crate::changes::whole_log;

pub async fn compare(store: &impl Store, model: &mut Model) {
    assert_eq!(whole_log(store).await, model.log());
    assert_eq!(*store.head().borrow(), Position(model.log().len() as u64));

    let now = store.properties(PROPERTIES.map(testkit::build::property_id).to_vec()).await.unwrap();
    assert_eq!(now, model.properties());
    let scanned = scan_all(store, 2, 3).await;
    assert_eq!(scanned.len(), now.len(), "each is returned once");
    assert_eq!(
        scanned.into_iter().map(|stored| (stored.property.id, stored)).collect::<HashMap<_, _>>(),
        now
    );
    for target in PROPERTIES.map(testkit::build::property_id) {
        for version in 0..=model.last_version(target) + 1 {
            let stored = store.property_at(target, version).await.unwrap();
            assert_eq!(stored.as_ref(), model.property_at(target, version), "{target} at {version}");
        }
    }

    let mut identities: Vec<Identity> = reference_identities().chain(url_identities()).collect();
    identities.extend(model.adverts_ever().map(Identity::Uuid));
    let expected: Vec<_> = identities.iter().map(|identity| model.locate(identity)).collect();
    assert_eq!(store.locate(identities).await.unwrap(), expected);
    assert_eq!(store.counts().await.unwrap(), model.counts());
    for timestamp in [at(1_005), at(1_000_000)] {
        assert_eq!(overdue(store, timestamp).await, model.not_crawled_since(timestamp));
    }
    let site = testkit::build::site(SITE);
    assert_eq!(store.live_adverts_of_site(site.clone()).await.unwrap(), model.live_adverts_of_site(&site));
    compare_grouping(store, model).await;
    compare_searches(store, model).await;
    compare_matches(store, model).await;
}

/// Reads overdue adverts in small pieces.
async fn overdue(store: &impl Store, timestamp: domain::Timestamp) -> Vec<store::AdvertRef> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = store.not_crawled_since(timestamp, after, 3).await.unwrap();
        found.extend(page.adverts);
        after = page.rest;
        if after.is_none() {
            return found;
        }
    }
}

async fn compare_grouping(store: &impl Store, model: &Model) {
    let expected = model.signatures();
    let (mut scanned, mut after) = (Vec::new(), None);
    loop {
        let page = store.scan_signatures(after, 2).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.located.advert);
        scanned.extend(page);
    }
    assert_eq!(scanned, expected);
    let ids: Vec<_> = model.adverts_ever().collect();
    let known = |id: &AdvertId| expected.iter().find(|row| row.located.advert == *id).cloned();
    assert_eq!(store.signatures(ids.clone()).await.unwrap(), ids.iter().map(known).collect::<Vec<_>>());
    for target in PROPERTIES.map(testkit::build::property_id) {
        assert_eq!(store.survivor(target).await.unwrap(), model.survivor(target), "{target}");
        assert_eq!(store.lineage(target).await.unwrap(), model.lineage(target), "{target}");
    }
    for after in [0, 1, 3] {
        let later = model.decisions().iter().filter(|(number, _)| *number > after);
        assert_eq!(store.person_decisions(after).await.unwrap(), later.cloned().collect::<Vec<_>>());
    }
}

async fn compare_searches(store: &impl Store, model: &mut Model) {
    for number in 0..SEARCHES {
        let id = search_id(number);
        let stored = store.search(id).await.unwrap();
        if let Some(stored) = &stored {
            model.searches.learn_number(id, stored.number);
        }
        assert_eq!(stored, model.searches.stored(id));
        for version in 0..5 {
            let expected = model.searches.at_version(id, version, model.matches.until);
            assert_eq!(store.search_at(id, version).await.unwrap(), expected, "{id} at {version}");
        }
    }
    assert_eq!(store.count_searches().await.unwrap(), model.searches.all().len() as u64);
    for number in model.searches.numbers_ever() {
        let stored = store.search_by_number(number).await.unwrap();
        assert_eq!(stored, model.searches.all().into_iter().find(|stored| stored.number == number));
    }
    for position in model.matches.until.0..=model.head().0 {
        let expected = model.searches.at_position(Position(position));
        let (mut read, mut after) = (Vec::new(), None);
        loop {
            let piece = store.searches_at(Position(position), after, 2).await.unwrap();
            assert!(piece.len() <= 2);
            let Some(last) = piece.last() else { break };
            after = Some(last.number);
            read.extend(piece);
        }
        assert_eq!(read, expected, "at {position}");
    }
    // One selection per step: there are many steps.
    const CHOICES: [(Option<&str>, Option<bool>); 6] = [
        (None, None),
        (None, Some(true)),
        (None, Some(false)),
        (Some("ANNEC"), None),
        (Some("étud"), Some(true)),
        (Some("nulle part"), None),
    ];
    let (title, enabled) = CHOICES[model.head().0 as usize % CHOICES.len()];
    for owner in OWNERS.map(user_id) {
        for by_title in [None, Some(Direction::Ascending), Some(Direction::Descending)] {
            let mut selection =
                SearchList { owner, title: title.map(str::to_owned), enabled, by_title, skip: 0, take: 2 };
            let expected = model.searches.list(&selection);
            let mut read = Vec::new();
            loop {
                selection.skip = read.len() as u64;
                let page = store.list_searches(selection.clone()).await.unwrap();
                assert_eq!(page.total, expected.len() as u64, "{selection:?}");
                if page.searches.is_empty() {
                    break;
                }
                read.extend(page.searches);
            }
            assert_eq!(read, expected, "{selection:?}");
        }
    }
}

async fn compare_matches(store: &impl Store, model: &Model) {
    let matches = &model.matches;
    assert_eq!(store.matcher_checkpoint().await.unwrap(), matches.until);
    for limit in [1, 100] {
        let after = Position(matches.until.0 / 2);
        let expected: Vec<_> =
            matches.groups.iter().filter(|group| group.position > after).take(limit).cloned().collect();
        assert_eq!(store.match_groups_after(after, limit).await.unwrap(), expected);
    }
    let targets = PROPERTIES.map(property_id).to_vec();
    assert_eq!(store.matched_searches(targets).await.unwrap(), matches.by_property());
    let live: HashSet<SearchNumber> = model.searches.all().iter().map(|stored| stored.number).collect();
    for number in model.searches.numbers_ever() {
        let mut expected = matches.of(number);
        let mut linked = matches.links_of(number);
        if !live.contains(&number) {
            (expected, linked) = (Vec::new(), HashMap::new());
        }
        for (skip, take) in
            [(0, u64::MAX), (0, 0), (0, 1), (1, 1), (1, 2), (2, u64::MAX), (3, 4), (u64::MAX, 1)]
        {
            let page = store.list_matches(number, skip, take).await.unwrap();
            assert_eq!(page.total, expected.len() as u64);
            let window = expected.iter().skip(skip.min(1_000) as usize).take(take.min(1_000) as usize);
            assert_eq!(page.matches, window.cloned().collect::<Vec<_>>(), "{number:?}, {skip} and {take}");
        }
        // The first positions of properties, and an arbitrary one.
        let firsts = matches.first_logged.values().copied().chain([Position(model.head().0 / 2)]);
        for position in firsts {
            let found = store.find_match(number, position).await.unwrap();
            assert_eq!(found.as_ref(), linked.get(&position), "{number:?} with {position:?}");
        }
    }
}
