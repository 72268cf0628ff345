//! Adverts that move from one property to another.

use domain::Identity;
use store::prelude::*;
use store::{Change, Expected, PropertyCause, RemovalCause, StoredProperty};
use testkit::build::{advert, advert_id, property, property_id};

use crate::backend::{Backend, Opened};
use crate::changes::{
    commit, create, creation, current, document_and_version, join, leave, located, log_changes, remove,
    title_event,
};

pub async fn moved_advert_leaves_one_property_and_joins_another<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let (one, two, three) = (advert(1).build(), advert(2).build(), advert(3).build());
    commit(
        &*store,
        [
            create(&property(1, [one.clone()]), Expected::New),
            create(&property(1, [one.clone(), two.clone()]), Expected::WrittenBefore),
            create(&property(2, [three.clone()]), Expected::New),
        ],
    )
    .await;
    let (left, joined) = (property(1, [one.clone()]), property(2, [three, two.clone()]));
    commit(
        &*store,
        [
            join(&joined, Expected::Revision(1), property_id(1)),
            leave(&left, Expected::Revision(2), advert_id(2)),
        ],
    )
    .await;

    assert_eq!(document_and_version(&*store, left.id).await, Some((left.clone(), 3)));
    assert_eq!(document_and_version(&*store, joined.id).await, Some((joined, 2)));
    assert_eq!(located(&*store, Identity::Uuid(advert_id(2))).await, Some((advert_id(2), property_id(2))));
    assert_eq!(
        store.property_at(left.id, 2).await.unwrap(),
        Some(property(1, [one, two])),
        "it is still in the version it was in"
    );
    let entry =
        |property, version, cause| Change::Property { property, version, advert: advert_id(2), cause };
    assert_eq!(
        log_changes(&*store).await[3..],
        [
            entry(
                property_id(2),
                2,
                PropertyCause::Regrouped {
                    events: title_event(),
                    moved: vec![advert_id(2)],
                    from: vec![(property_id(1), 2)],
                    automatic: false
                }
            ),
            entry(property_id(1), 3, PropertyCause::AdvertLeft),
        ]
    );
}

pub async fn property_without_adverts_is_removed<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let old_home = property(1, [advert(1).build()]);
    commit(&*store, [create(&old_home, Expected::New)]).await;
    commit(
        &*store,
        [
            join(&property(2, [advert(1).build()]), Expected::New, property_id(1)),
            remove(property_id(1), Expected::Revision(1), advert_id(1)),
        ],
    )
    .await;
    assert_eq!(current(&*store, property_id(1)).await, None);
    assert_eq!(store.property_at(property_id(1), 1).await.unwrap(), Some(old_home));
    assert_eq!(located(&*store, Identity::Uuid(advert_id(1))).await, Some((advert_id(1), property_id(2))));
    assert_eq!(store.counts().await.unwrap(), (1, 1));
    assert_eq!(
        log_changes(&*store).await[2],
        Change::PropertyRemoved { property: property_id(1), cause: RemovalCause::AdvertLeft }
    );
}

pub async fn recreated_property_continues_its_versions<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let first = property(1, [advert(1).build()]);
    commit(&*store, [create(&first, Expected::New)]).await;
    commit(
        &*store,
        [
            join(&property(2, [advert(1).build()]), Expected::New, property_id(1)),
            remove(property_id(1), Expected::Revision(1), advert_id(1)),
        ],
    )
    .await;
    let again = property(1, [advert(2).build()]);
    commit(&*store, [create(&again, Expected::New)]).await;

    assert_eq!(document_and_version(&*store, again.id).await, Some((again.clone(), 3)));
    assert_eq!(store.property_at(again.id, 1).await.unwrap(), Some(first));
    assert_eq!(store.property_at(again.id, 2).await.unwrap(), None, "the previous version number is unused");
    let events = creation(&again.adverts[0]);
    assert_eq!(
        log_changes(&*store).await[3],
        Change::Property {
            property: again.id,
            version: 3,
            advert: advert_id(2),
            cause: PropertyCause::Advert { events }
        }
    );
}

pub async fn advert_moves_back_and_forth<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let wanderer = property(1, [advert(1).build()]);
    commit(&*store, [create(&wanderer, Expected::New)]).await;
    for round in 0..4_u32 {
        let (from, to) = if round % 2 == 0 { (1, 2) } else { (2, 1) };
        let StoredProperty { version, revision, .. } = current(&*store, property_id(from)).await.unwrap();
        // Each removal skips a version number.
        assert_eq!(version, round / 2 * 2 + 1, "round {round}");
        commit(
            &*store,
            [
                join(&property(to, [advert(1).build()]), Expected::New, property_id(from)),
                remove(property_id(from), Expected::Revision(revision), advert_id(1)),
            ],
        )
        .await;
        assert_eq!(
            located(&*store, Identity::Uuid(advert_id(1))).await,
            Some((advert_id(1), property_id(to)))
        );
    }
    assert_eq!(current(&*store, property_id(1)).await.unwrap().version, 5);
    assert_eq!(store.counts().await.unwrap(), (1, 1));
}
