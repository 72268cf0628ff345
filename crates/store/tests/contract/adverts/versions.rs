//! Documents and their versions.

use domain::Identity;
use store::prelude::*;
use store::{ChangeSet, CommitOutcome, Expected, NewKey};
use testkit::build::{advert, advert_id, at, key_id, property, property_id, short_text, user_id};

use crate::backend::{Backend, Opened};
use crate::changes::{change, commit, crawl, create, document_and_version, located, set, whole_log};

pub async fn created_property_has_version_one<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let target = property(1, [advert(1).title("Studio").build()]);
    commit(&*store, [create(&target, Expected::New)]).await;
    assert_eq!(document_and_version(&*store, target.id).await, Some((target.clone(), 1)));
    assert_eq!(store.property_at(target.id, 1).await.unwrap(), Some(target));
}

pub async fn change_adds_a_version_and_keeps_the_previous_one<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let first = property(1, [advert(1).title("Studio").build()]);
    let mut second = first.clone();
    second.adverts[0].details.title = Some(short_text("Studio, prix en baisse"));
    let mut third = second.clone();
    third.adverts.push(advert(2).title("Studio centre").build());
    commit(&*store, [create(&first, Expected::New)]).await;
    commit(&*store, [change(&second, Expected::Revision(1), advert_id(1))]).await;
    commit(&*store, [create(&third, Expected::Revision(2))]).await;

    assert_eq!(document_and_version(&*store, first.id).await, Some((third.clone(), 3)));
    for (version, document) in (1..).zip([first, second, third]) {
        assert_eq!(store.property_at(document.id, version).await.unwrap(), Some(document));
    }
    for version in [0, 4] {
        assert_eq!(store.property_at(property_id(1), version).await.unwrap(), None);
    }
    assert_eq!(store.property_at(property_id(2), 1).await.unwrap(), None);
}

pub async fn crawl_replaces_the_document_of_the_same_version<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let seen = property(1, [advert(1).crawled_at(100).build()]);
    let seen_again = property(1, [advert(1).crawled_at(900).build()]);
    commit(&*store, [create(&seen, Expected::New)]).await;
    commit(&*store, [crawl(&seen_again, Expected::Revision(1), advert_id(1))]).await;

    assert_eq!(document_and_version(&*store, seen.id).await, Some((seen_again.clone(), 1)));
    assert_eq!(store.property_at(seen.id, 1).await.unwrap(), Some(seen_again));
    assert_eq!(store.property_at(seen.id, 2).await.unwrap(), None);
    assert_eq!(store.not_crawled_since(at(900), None, 10).await.unwrap().adverts, []);
    assert_eq!(store.not_crawled_since(at(901), None, 10).await.unwrap().adverts.len(), 1);

    // A writer that missed the crawl would restore the older date.
    let unaware =
        ChangeSet { recorded_at: at(1_000), ..set([change(&seen, Expected::Revision(1), advert_id(1))]) };
    assert_eq!(store.commit(unaware).await.unwrap(), CommitOutcome::Conflict);
}

pub async fn steps_of_a_set_see_earlier_steps<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let first = property(1, [advert(1).build()]);
    let second = property(1, [advert(1).build(), advert(2).build()]);
    let third = property(1, [advert(1).build(), advert(2).crawled_at(2_000).build()]);
    let position = commit(
        &*store,
        [
            create(&first, Expected::New),
            create(&second, Expected::WrittenBefore),
            crawl(&third, Expected::WrittenBefore, advert_id(2)),
        ],
    )
    .await;
    assert_eq!(position.0, 3, "a commit returns the position of its last entry");
    assert_eq!(document_and_version(&*store, first.id).await, Some((third, 2)));
    assert_eq!(store.property_at(first.id, 1).await.unwrap(), Some(first));
}

pub async fn missing_properties_are_left_out<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    for number in [1, 2] {
        commit(&*store, [create(&property(number, [advert(number).build()]), Expected::New)]).await;
    }
    let selection = vec![property_id(2), property_id(7), property_id(1), property_id(2)];
    let mut found: Vec<_> = store.properties(selection).await.unwrap().into_keys().collect();
    found.sort();
    assert_eq!(found, [property_id(1), property_id(2)]);
}

pub async fn properties_and_adverts_are_counted<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    assert_eq!(store.counts().await.unwrap(), (0, 0));
    let both = property(1, [advert(1).build(), advert(2).build()]);
    commit(&*store, [create(&property(1, [advert(1).build()]), Expected::New)]).await;
    commit(&*store, [create(&both, Expected::Revision(1))]).await;
    commit(&*store, [create(&property(2, [advert(3).expired_at(50).build()]), Expected::New)]).await;
    assert_eq!(store.counts().await.unwrap(), (2, 3));
    store.erase(advert_id(3), at(60)).await.unwrap();
    store.erase(advert_id(2), at(60)).await.unwrap();
    assert_eq!(store.counts().await.unwrap(), (1, 1));
}

pub async fn data_survives_reopening<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let first = property(1, [advert(1).url("https://portail.fr/1").build()]);
    let second = property(1, [advert(1).url("https://portail.fr/2").build()]);
    commit(&*store, [create(&first, Expected::New)]).await;
    let head = commit(&*store, [change(&second, Expected::Revision(1), advert_id(1))]).await;
    let key = store
        .create_key(NewKey {
            id: key_id(1),
            secret_hash: [7; 32],
            user_name: "zoé".to_owned(),
            user_id_if_new: user_id(1),
            scopes: domain::Scopes::all(),
            settings: domain::KeySettings::default(),
            created_at: at(10),
        })
        .await
        .unwrap();
    store.set_metadata("import".to_owned(), Some("half".to_owned())).await.unwrap();
    let log = whole_log(&*store).await;

    let store = store.reopened().await;
    assert_eq!(document_and_version(&*store, first.id).await, Some((second, 2)));
    assert_eq!(store.property_at(first.id, 1).await.unwrap(), Some(first));
    assert_eq!(located(&*store, Identity::Uuid(advert_id(1))).await, Some((advert_id(1), property_id(1))));
    assert_eq!(whole_log(&*store).await, log);
    assert_eq!(*store.head().borrow(), head);
    assert_eq!(store.keys().await.unwrap(), [key]);
    assert_eq!(store.metadata("import".to_owned()).await.unwrap().as_deref(), Some("half"));
    // The log continues where it stopped.
    let third = property(2, [advert(2).build()]);
    assert_eq!(commit(&*store, [create(&third, Expected::New)]).await, head.next());
}
