//! What grouping stores with adverts, and the decisions of people.

use domain::AdvertId;
use domain::grouping::{PersonDecision, Verdict};
use store::prelude::*;
use store::{AdvertGrouping, AdvertRef, Expected, LineageRow, PutProperty, SignatureRow, Step};
use testkit::build::{advert, advert_id, at, property, property_id};

use crate::backend::{Backend, Opened};
use crate::changes::{change, commit, create, leave, regroup, whole_log};

fn grouped(step: Step, grouping: AdvertGrouping) -> Step {
    let Step::Put(put) = step else { panic!("only a property has adverts") };
    Step::Put(PutProperty { grouping: Some(grouping), ..put })
}

fn row(advert: u64, property: u64, signature: Option<&[u8]>, is_named: bool) -> SignatureRow {
    SignatureRow {
        located: AdvertRef { advert: advert_id(advert), property: property_id(property) },
        signature: signature.map(<[u8]>::to_vec),
        is_named,
        is_expired: false,
    }
}

fn decision(verdict: Verdict, left: &[u64], right: &[u64]) -> PersonDecision {
    let ids = |numbers: &[u64]| -> Vec<AdvertId> { numbers.iter().copied().map(advert_id).collect() };
    PersonDecision { verdict, left: ids(left), right: ids(right) }
}

fn decide(decision: &PersonDecision) -> Step {
    Step::PutDecision { decision: decision.clone(), decided_by: "curator".to_owned() }
}

pub async fn signatures_are_kept_until_replaced<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let (one, two) = (property(1, [advert(1).build()]), property(2, [advert(2).build()]));
    let named = AdvertGrouping { signature: Some(vec![1, 2]), is_named: true };
    commit(&*store, [grouped(create(&one, Expected::New), named), create(&two, Expected::New)]).await;
    commit(&*store, [change(&one, Expected::Revision(1), advert_id(1))]).await;
    let ids = vec![advert_id(2), advert_id(9), advert_id(1)];
    assert_eq!(
        store.signatures(ids.clone()).await.unwrap(),
        [Some(row(2, 2, None, false)), None, Some(row(1, 1, Some(&[1, 2]), true))],
        "a change without a signature keeps the stored one"
    );
    // A move keeps it as well, and a change may delete it.
    let both = property(2, [advert(2).build(), advert(1).build()]);
    let moved = regroup(&both, Expected::Revision(1), vec![advert_id(1)], vec![property_id(1)]);
    let none = AdvertGrouping { signature: None, is_named: false };
    commit(&*store, [moved, crate::changes::remove(property_id(1), Expected::Revision(2), advert_id(1))])
        .await;
    assert_eq!(store.signatures(ids.clone()).await.unwrap()[2], Some(row(1, 2, Some(&[1, 2]), true)));
    commit(&*store, [grouped(change(&both, Expected::Revision(2), advert_id(1)), none)]).await;
    assert_eq!(store.signatures(ids).await.unwrap()[2], Some(row(1, 2, None, false)));
}

pub async fn signatures_are_back_filled_without_a_log_entry<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    for number in [3, 1, 2] {
        commit(&*store, [create(&property(number, [advert(number).build()]), Expected::New)]).await;
    }
    let before = whole_log(&*store).await;
    let signatures = vec![(advert_id(1), vec![7]), (advert_id(3), Vec::new()), (advert_id(9), vec![9])];
    store.put_signatures(signatures).await.unwrap();
    let store = store.reopened().await;
    assert_eq!(whole_log(&*store).await, before);
    let all = [row(1, 1, Some(&[7]), false), row(2, 2, None, false), row(3, 3, Some(&[]), false)];
    assert_eq!(store.scan_signatures(None, 10).await.unwrap(), all);
    assert_eq!(store.scan_signatures(None, 2).await.unwrap(), all[..2]);
    assert_eq!(store.scan_signatures(Some(advert_id(1)), 10).await.unwrap(), all[1..]);
    assert_eq!(store.scan_signatures(Some(advert_id(3)), 10).await.unwrap(), []);
}

pub async fn newest_adverts_are_read_backwards<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    assert_eq!(store.newest_adverts(None, 10).await.unwrap(), []);
    for number in [3, 1, 2] {
        commit(&*store, [create(&property(number, [advert(number).build()]), Expected::New)]).await;
    }
    let all = [3, 2, 1].map(advert_id);
    assert_eq!(store.newest_adverts(None, 10).await.unwrap(), all);
    assert_eq!(store.newest_adverts(None, 2).await.unwrap(), all[..2]);
    assert_eq!(store.newest_adverts(Some(advert_id(2)), 10).await.unwrap(), all[2..]);
    assert_eq!(store.newest_adverts(Some(advert_id(9)), 1).await.unwrap(), all[..1], "it need not exist");
    assert_eq!(store.newest_adverts(Some(advert_id(1)), 10).await.unwrap(), []);
    let greatest = AdvertId::from_bytes([u8::MAX; 16]);
    let last = property(4, [domain::Advert { id: greatest, ..advert(4).build() }]);
    commit(&*store, [create(&last, Expected::New)]).await;
    assert_eq!(store.newest_adverts(None, 1).await.unwrap(), [greatest]);
}

pub async fn decisions_are_read_in_order<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let decisions = [
        decision(Verdict::Same, &[1, 2], &[3]),
        decision(Verdict::Different, &[3], &[1]),
        decision(Verdict::Same, &[4], &[5, 6]),
    ];
    commit(&*store, [decide(&decisions[0]), decide(&decisions[1])]).await;
    commit(&*store, [decide(&decisions[2])]).await;
    assert_eq!(whole_log(&*store).await, []);
    let store = store.reopened().await;
    let read = store.person_decisions(0).await.unwrap();
    assert_eq!(read.iter().map(|(_, decision)| decision.clone()).collect::<Vec<_>>(), decisions);
    assert!(read.is_sorted_by_key(|(number, _)| *number));
    assert_eq!(store.person_decisions(read[0].0).await.unwrap(), read[1..]);
    assert_eq!(store.person_decisions(read[2].0).await.unwrap(), []);
}

pub async fn erasure_covers_decisions_and_lineage<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let adverts = || [1, 2, 3].map(|number| advert(number).build()).to_vec();
    let [one, two, three] = [0, 1, 2].map(|index| adverts()[index].clone());
    commit(
        &*store,
        [
            create(&property(1, [one.clone()]), Expected::New),
            create(&property(1, [one.clone(), two.clone()]), Expected::WrittenBefore),
            create(&property(1, [one.clone(), two.clone(), three.clone()]), Expected::WrittenBefore),
        ],
    )
    .await;
    let split = decision(Verdict::Different, &[1], &[2, 3]);
    commit(
        &*store,
        [
            decide(&split),
            decide(&decision(Verdict::Same, &[2], &[3])),
            regroup(
                &property(2, [two, three]),
                Expected::New,
                vec![advert_id(2), advert_id(3)],
                vec![property_id(1)],
            ),
            leave(&property(1, [one]), Expected::Revision(3), advert_id(3)),
        ],
    )
    .await;
    store.erase(advert_id(3), at(9_000)).await.unwrap();
    let left = store.person_decisions(0).await.unwrap();
    assert_eq!(
        left.iter().map(|(_, decision)| decision.clone()).collect::<Vec<_>>(),
        [decision(Verdict::Different, &[1], &[2])],
        "a decision with an empty side is gone"
    );
    let adverts = |rows: Vec<LineageRow>| rows.into_iter().map(|row| row.adverts).collect::<Vec<_>>();
    assert_eq!(adverts(store.lineage(property_id(1)).await.unwrap()), [[advert_id(2)]]);
    assert_eq!(store.signatures(vec![advert_id(3)]).await.unwrap(), [None]);
    store.erase(advert_id(2), at(9_000)).await.unwrap();
    assert_eq!(store.lineage(property_id(1)).await.unwrap(), []);
    assert_eq!(store.person_decisions(0).await.unwrap(), []);
    // The number of a deleted decision is not given again.
    commit(&*store, [decide(&split)]).await;
    let numbers: Vec<_> =
        store.person_decisions(0).await.unwrap().iter().map(|(number, _)| *number).collect();
    assert!(numbers.len() == 1 && numbers[0] > left[0].0 + 1, "{numbers:?} after {left:?}");
}
