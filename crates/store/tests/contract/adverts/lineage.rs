//! Merges and splits of properties.

use domain::grouping::{PersonDecision, Verdict};
use domain::{Identity, PropertyId};
use store::prelude::*;
use store::{Change, DecidedBy, Expected, LineageRow, PropertyCause, PutCause, RemovalCause, Step};
use testkit::build::{advert, advert_id, at, property, property_id};

use crate::backend::{Backend, Opened};
use crate::changes::{
    RECORDED_AT_SECOND, commit, create, current, leave, located, log_changes, merge_into, put, refuse,
    regroup, remove, title_event,
};

/// Creates properties with an advert of the same number each.
async fn create_all(store: &impl Store, numbers: impl IntoIterator<Item = u64>) {
    for number in numbers {
        commit(store, [create(&property(number, [advert(number).build()]), Expected::New)]).await;
    }
}

async fn revision(store: &impl Store, number: u64) -> Expected {
    let stored = current(store, property_id(number)).await;
    stored.map_or(Expected::New, |stored| Expected::Revision(stored.revision))
}

/// Merges a property into another, as a person or as automatic grouping.
async fn merge(store: &impl Store, from: u64, into: u64, person: Option<&str>) {
    let source = current(store, property_id(from)).await.unwrap();
    let target = current(store, property_id(into)).await;
    let mut merged = property(into, target.map(|stored| stored.property.adverts).unwrap_or_default());
    let moved: Vec<_> = source.property.adverts.iter().map(|advert| advert.id).collect();
    let decision = person.map(|label| Step::PutDecision {
        decision: PersonDecision {
            verdict: Verdict::Same,
            left: moved.clone(),
            right: merged.adverts.iter().map(|advert| advert.id).collect(),
        },
        decided_by: label.to_owned(),
    });
    merged.adverts.extend(source.property.adverts);
    let cause = PutCause::Regrouped {
        moved: moved.clone(),
        from: vec![property_id(from)],
        events: Vec::new(),
        automatic: person.is_none(),
    };
    let expected = revision(store, into).await;
    let steps = [
        put(&merged, expected, moved[0], cause),
        merge_into(property_id(from), Expected::Revision(source.revision), moved[0], property_id(into)),
    ];
    commit(store, steps.into_iter().chain(decision)).await;
}

fn row(from: u64, to: u64, adverts: &[u64], decided_by: DecidedBy) -> LineageRow {
    LineageRow {
        at: at(RECORDED_AT_SECOND),
        from: property_id(from),
        to: property_id(to),
        adverts: adverts.iter().copied().map(advert_id).collect(),
        decided_by,
    }
}

async fn survivors(store: &impl Store, numbers: [u64; 4]) -> [Option<PropertyId>; 4] {
    let mut found = [None; 4];
    for (number, found) in numbers.into_iter().zip(&mut found) {
        *found = store.survivor(property_id(number)).await.unwrap();
    }
    found
}

pub async fn merge_moves_all_adverts_in_one_step<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    create_all(&*store, 1..=3).await;
    let both = property(2, [advert(2).build(), advert(4).build()]);
    commit(&*store, [create(&both, Expected::Revision(1))]).await;
    let merged = property(1, [1, 3, 2, 4].map(|number| advert(number).build()));
    let moved: Vec<_> = [2, 3, 4].map(advert_id).to_vec();
    commit(
        &*store,
        [
            regroup(&merged, Expected::Revision(1), moved.clone(), vec![property_id(2), property_id(3)]),
            merge_into(property_id(2), Expected::Revision(2), advert_id(4), property_id(1)),
            merge_into(property_id(3), Expected::Revision(1), advert_id(4), property_id(1)),
        ],
    )
    .await;
    for number in 1..=4 {
        let found = located(&*store, Identity::Uuid(advert_id(number))).await;
        assert_eq!(found, Some((advert_id(number), property_id(1))));
    }
    assert_eq!(store.counts().await.unwrap(), (1, 4));
    let from = vec![(property_id(2), 2), (property_id(3), 1)];
    let cause = PropertyCause::Regrouped { events: title_event(), moved, from, automatic: false };
    let removed = |number| Change::PropertyRemoved {
        property: property_id(number),
        cause: RemovalCause::Merged { into: property_id(1) },
    };
    assert_eq!(
        log_changes(&*store).await[4..],
        [
            Change::Property { property: property_id(1), version: 2, advert: advert_id(4), cause },
            removed(2),
            removed(3)
        ]
    );
    // One row per source, with the adverts that came from there.
    assert_eq!(
        store.lineage(property_id(1)).await.unwrap(),
        [row(3, 1, &[3], DecidedBy::Sender), row(2, 1, &[2, 4], DecidedBy::Sender)]
    );
}

pub async fn merged_id_leads_to_the_last_survivor<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    create_all(&*store, 1..=4).await;
    merge(&*store, 3, 2, None).await;
    assert_eq!(survivors(&*store, [1, 2, 3, 4]).await, [None, None, Some(property_id(2)), None]);
    merge(&*store, 2, 1, None).await;
    let store = store.reopened().await;
    assert_eq!(
        survivors(&*store, [1, 2, 3, 4]).await,
        [None, Some(property_id(1)), Some(property_id(1)), None]
    );
    assert_eq!(store.survivor(property_id(9)).await.unwrap(), None);
    // A property that is gone leads nowhere.
    for number in 1..=3 {
        store.erase(advert_id(number), at(9_000)).await.unwrap();
    }
    assert_eq!(survivors(&*store, [1, 2, 3, 4]).await, [None; 4]);
}

pub async fn recreated_id_leads_to_itself<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    create_all(&*store, 1..=2).await;
    merge(&*store, 2, 1, None).await;
    let again = property(2, [advert(5).build()]);
    commit(&*store, [create(&again, Expected::New)]).await;
    assert_eq!(survivors(&*store, [1, 2, 3, 4]).await, [None; 4]);
    // And back: the other way round.
    merge(&*store, 1, 2, None).await;
    assert_eq!(survivors(&*store, [1, 2, 3, 4]).await, [Some(property_id(2)), None, None, None]);
}

pub async fn lineage_names_who_decided<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    create_all(&*store, 1..=3).await;
    merge(&*store, 3, 2, None).await;
    merge(&*store, 2, 1, Some("curator")).await;
    let split = property(4, [advert(2).build()]);
    let rest = property(1, [1, 3].map(|number| advert(number).build()));
    commit(
        &*store,
        [
            regroup(&split, Expected::New, vec![advert_id(2)], vec![property_id(1)]),
            leave(&rest, revision(&*store, 1).await, advert_id(2)),
        ],
    )
    .await;
    let by_grouping = row(3, 2, &[3], DecidedBy::Grouping);
    let by_person = row(2, 1, &[2, 3], DecidedBy::Person("curator".to_owned()));
    let by_sender = row(1, 4, &[2], DecidedBy::Sender);
    let lineage = async |number| store.lineage(property_id(number)).await.unwrap();
    // A survivor has the rows of the properties merged into it.
    assert_eq!(lineage(1).await, [by_sender.clone(), by_person.clone(), by_grouping.clone()]);
    assert_eq!(lineage(2).await, [by_person, by_grouping.clone()]);
    assert_eq!(lineage(3).await, [by_grouping]);
    assert_eq!(lineage(4).await, [by_sender]);
}

pub async fn move_from_a_missing_property_conflicts<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    create_all(&*store, 1..=2).await;
    let merged = property(1, [1, 2].map(|number| advert(number).build()));
    let moved = |from| regroup(&merged, Expected::Revision(1), vec![advert_id(2)], vec![property_id(from)]);
    refuse(&*store, [moved(9)]).await;
    // The source is removed after the move, never before.
    refuse(&*store, [remove(property_id(2), Expected::Revision(1), advert_id(2)), moved(2)]).await;
    assert_eq!(store.lineage(property_id(1)).await.unwrap(), []);
    assert_eq!(store.counts().await.unwrap(), (2, 2));
}

pub async fn erased_cause_of_a_merge_leaves_its_entry<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    create_all(&*store, 1..=2).await;
    let merged = property(1, [1, 2].map(|number| advert(number).build()));
    commit(
        &*store,
        [
            regroup(&merged, Expected::Revision(1), vec![advert_id(2)], vec![property_id(2)]),
            merge_into(property_id(2), Expected::Revision(1), advert_id(2), property_id(1)),
        ],
    )
    .await;
    store.erase(advert_id(2), at(9_000)).await.unwrap();
    // A follower that has not read it yet learns that the property comes from the other one.
    let cause = PropertyCause::Regrouped {
        events: Vec::new(),
        moved: Vec::new(),
        from: vec![(property_id(2), 1)],
        automatic: false,
    };
    assert_eq!(
        log_changes(&*store).await[2],
        Change::Property { property: property_id(1), version: 2, advert: advert_id(2), cause }
    );
}
