//! Erasing an advert: all of it is removed, and nothing else is.

use domain::{AdvertId, Identity};
use store::prelude::*;
use store::{Change, Erased, Erasure, Expected, LogEntry, Position, PropertyCause, RemovalCause};
use testkit::build::{advert, advert_id, at, property, property_id, site_reference, url_identity};

use crate::backend::{Backend, Opened};
use crate::changes::{
    change, commit, crawl, create, create_claiming, current, document_and_version, join, leave, located,
    log_changes, remove, whole_log,
};

/// Fails if any readable document contains the advert, or any log entry has its events.
async fn assert_nothing_left_of(store: &impl Store, erased: AdvertId) {
    for number in 1..10 {
        let id = property_id(number);
        let now = current(store, id).await.map(|stored| stored.property);
        let mut documents = vec![now];
        for version in 1..20 {
            documents.push(store.property_at(id, version).await.unwrap());
        }
        for document in documents.into_iter().flatten() {
            assert!(document.advert(erased).is_none(), "{document:?}");
            assert!(!document.adverts.is_empty(), "a property without adverts is not returned");
        }
    }
    for LogEntry { position, change, .. } in whole_log(store).await {
        match change {
            Change::Property { advert, cause: PropertyCause::Advert { events }, .. } => {
                assert!(advert != erased, "{position:?} has {events:?}");
            }
            Change::Property { advert, cause: PropertyCause::Regrouped { events, moved, .. }, .. } => {
                assert!(advert != erased || events.is_empty(), "{position:?} has {events:?}");
                assert!(!moved.contains(&erased), "{position:?} has moved {erased}");
            }
            _ => {}
        }
    }
    assert_eq!(located(store, Identity::Uuid(erased)).await, None);
}

pub async fn erasure_removes_the_advert_from_every_version<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let (stays, goes) =
        (advert(1).title("Reste").build(), advert(2).site("portail.fr").reference("B").build());
    let goes_too = advert(2).site("portail.fr").reference("B").url("https://portail.fr/b").build();
    commit(
        &*store,
        [
            create(&property(1, [stays.clone()]), Expected::New),
            create(&property(1, [stays.clone(), goes]), Expected::WrittenBefore),
            change(&property(1, [stays.clone(), goes_too]), Expected::WrittenBefore, advert_id(2)),
        ],
    )
    .await;
    let erased = store.erase(advert_id(2), at(9_000)).await.unwrap();
    assert_eq!(
        erased,
        Some(Erased { property: property_id(1), property_removed: false, position: Position(4) })
    );

    assert_nothing_left_of(&*store, advert_id(2)).await;
    assert_eq!(located(&*store, site_reference("portail.fr", "B")).await, None);
    assert_eq!(located(&*store, url_identity("https://portail.fr/b")).await, None);
    let rest = property(1, [stays]);
    assert_eq!(document_and_version(&*store, rest.id).await, Some((rest.clone(), 4)));
    for version in 1..=4 {
        assert_eq!(store.property_at(rest.id, version).await.unwrap(), Some(rest.clone()));
    }
    let last = whole_log(&*store).await.pop().unwrap();
    let cause = PropertyCause::AdvertErased(Erasure::default());
    let change = Change::Property { property: rest.id, version: 4, advert: advert_id(2), cause };
    assert_eq!(last, LogEntry { position: Position(4), recorded_at: at(9_000), change });
    assert_eq!(*store.head().borrow(), Position(4), "the head wakes followers");
}

pub async fn erasing_the_last_advert_removes_the_property<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let target = property(1, [advert(1).url("https://portail.fr/1").build()]);
    commit(&*store, [create(&target, Expected::New)]).await;
    commit(&*store, [crawl(&target, Expected::Revision(1), advert_id(1))]).await;
    commit(&*store, [change(&target, Expected::Revision(2), advert_id(1))]).await;
    commit(&*store, [create(&property(2, [advert(2).build()]), Expected::New)]).await;
    let erased = store.erase(advert_id(1), at(9_000)).await.unwrap();
    assert_eq!(erased, Some(Erased { property: target.id, property_removed: true, position: Position(5) }));

    assert_nothing_left_of(&*store, advert_id(1)).await;
    assert_eq!(current(&*store, target.id).await, None);
    assert_eq!(store.counts().await.unwrap(), (1, 1));
    assert_eq!(store.not_crawled_since(at(1_000_000), None, 10).await.unwrap().adverts.len(), 1);
    assert_eq!(
        log_changes(&*store).await.pop(),
        Some(Change::PropertyRemoved {
            property: target.id,
            cause: RemovalCause::AdvertErased(Erasure::default())
        })
    );
}

pub async fn erasure_covers_previous_properties<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let (neighbour, wanderer) = (advert(1).build(), advert(2).title("Nomade").build());
    // From a property with another advert, to one of its own that is then removed, to a third.
    commit(
        &*store,
        [
            create(&property(1, [neighbour.clone()]), Expected::New),
            create(&property(1, [neighbour.clone(), wanderer.clone()]), Expected::WrittenBefore),
            join(&property(2, [wanderer.clone()]), Expected::New, property_id(1)),
            leave(&property(1, [neighbour.clone()]), Expected::WrittenBefore, advert_id(2)),
        ],
    )
    .await;
    commit(
        &*store,
        [
            join(&property(3, [wanderer]), Expected::New, property_id(2)),
            remove(property_id(2), Expected::Revision(1), advert_id(2)),
        ],
    )
    .await;
    let store = store.reopened().await;
    let erased = store.erase(advert_id(2), at(9_000)).await.unwrap();
    assert_eq!(
        erased,
        Some(Erased { property: property_id(3), property_removed: true, position: Position(7) })
    );

    // Followers learn which older versions may contain it.
    let cause =
        RemovalCause::AdvertErased(Erasure { previous_properties: vec![property_id(1), property_id(2)] });
    let last = log_changes(&*store).await.pop();
    assert_eq!(last, Some(Change::PropertyRemoved { property: property_id(3), cause }));

    assert_nothing_left_of(&*store, advert_id(2)).await;
    let alone = property(1, [neighbour]);
    assert_eq!(document_and_version(&*store, alone.id).await, Some((alone.clone(), 3)));
    for version in 1..=3 {
        assert_eq!(store.property_at(alone.id, version).await.unwrap(), Some(alone.clone()));
    }
}

pub async fn erased_log_entries_stay_without_content<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let (stays, goes) = (advert(1).build(), advert(2).build());
    let both = property(1, [goes.clone(), stays]);
    commit(&*store, [create(&property(1, [goes]), Expected::New)]).await;
    commit(&*store, [create(&both, Expected::Revision(1))]).await;
    commit(&*store, [change(&both, Expected::Revision(2), advert_id(2))]).await;
    commit(&*store, [change(&both, Expected::Revision(3), advert_id(1))]).await;
    let before = whole_log(&*store).await;
    store.erase(advert_id(2), at(9_000)).await.unwrap();
    let after = whole_log(&*store).await;

    assert_eq!(after.len(), before.len() + 1);
    for (index, about_erased) in [true, false, true, false].into_iter().enumerate() {
        let expected = match about_erased {
            true => LogEntry { change: Change::Erased, ..before[index].clone() },
            false => before[index].clone(),
        };
        assert_eq!(after[index], expected);
    }
    // The remaining entries name versions that can be read.
    for version in [2, 4] {
        let document = store.property_at(property_id(1), version).await.unwrap().unwrap();
        assert!(document.advert(advert_id(1)).is_some());
    }
}

pub async fn erasing_an_unknown_advert_returns_none<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    commit(&*store, [create(&property(1, [advert(1).build()]), Expected::New)]).await;
    let before = whole_log(&*store).await;
    assert_eq!(store.erase(advert_id(2), at(9_000)).await.unwrap(), None);
    assert_eq!(whole_log(&*store).await, before);
    assert!(store.erase(advert_id(1), at(9_000)).await.unwrap().is_some());
    assert_eq!(store.erase(advert_id(1), at(9_000)).await.unwrap(), None, "it was erased before");
    assert_eq!(whole_log(&*store).await.len(), before.len() + 1);
}

pub async fn erased_advert_can_be_created_again<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let known = advert(1).site("portail.fr").reference("A").url("https://portail.fr/1").build();
    let target = property(1, [known]);
    let claims = [
        Identity::Uuid(advert_id(1)),
        site_reference("portail.fr", "A"),
        url_identity("https://portail.fr/1"),
    ];
    for claim in claims {
        commit(&*store, [create_claiming(&target, Expected::New, claim.clone())]).await;
        assert_eq!(located(&*store, claim).await, Some((advert_id(1), target.id)));
        let stored = current(&*store, target.id).await.unwrap();
        assert_eq!(stored.property, target);
        assert_eq!(store.property_at(target.id, stored.version).await.unwrap(), Some(target.clone()));
        store.erase(advert_id(1), at(9_000)).await.unwrap().unwrap();
        assert_nothing_left_of(&*store, advert_id(1)).await;
    }
}

pub async fn versions_grow_across_an_erasure<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let target = property(1, [advert(1).build()]);
    commit(&*store, [create(&target, Expected::New)]).await;
    commit(&*store, [change(&target, Expected::Revision(1), advert_id(1))]).await;
    store.erase(advert_id(1), at(9_000)).await.unwrap();
    let store = store.reopened().await;
    let again = property(1, [advert(2).build()]);
    commit(&*store, [create(&again, Expected::New)]).await;
    // A client that holds version 1 or 2 must not take the new document for that one.
    let version = current(&*store, target.id).await.unwrap().version;
    assert!(version > 2, "version {version} was reused");
}

pub async fn erasure_survives_reopening<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let both = property(1, [advert(1).build(), advert(2).build()]);
    commit(&*store, [create(&property(1, [advert(1).build()]), Expected::New)]).await;
    commit(&*store, [create(&both, Expected::Revision(1))]).await;
    store.erase(advert_id(1), at(9_000)).await.unwrap();
    let (log, rest) = (whole_log(&*store).await, current(&*store, both.id).await);
    let store = store.reopened().await;
    assert_nothing_left_of(&*store, advert_id(1)).await;
    assert_eq!(whole_log(&*store).await, log);
    assert_eq!(current(&*store, both.id).await, rest);
}
