//! Making deliveries of what is owed: each once, in order, in pieces of any size.

use domain::{CancelReason, DeliveryChannel, DeliveryEpoch, DeliveryId, DeliveryState, EventName};
use store::{EnqueueBatch, Notification, OutboxBatch, Start, Store};
use testkit::build::{advert_id, at, property_id, search_id, user_id};

use crate::backend::Backend;
use crate::changes::{commit, remove_search};
use crate::deliveries::{
    BY_EMAIL, BY_WEBHOOK, CREATION, claim, due_at, everything, lane, store_with, take_in, tell,
};

pub async fn what_is_owed_is_taken_apart_and_queued_once<B: Backend>() {
    let (store, given) = store_with::<B>(3).await;
    let nothing = store.read_outbox(10).await.unwrap();
    assert_eq!((nothing.deliveries.len(), nothing.more), (0, false));
    assert_eq!(nothing.after, nothing.until);
    let price = Notification::Event(EventName::UpdatePrice, 1);
    let first = tell(&*store, 1, &[(BY_WEBHOOK, &given[..2]), (BY_EMAIL, &given[1..2])]).await;
    let second = tell(&*store, 2, &[(CREATION, &given), (price, &given[2..])]).await;
    let owed = store.read_outbox(100).await.unwrap();
    assert!(!owed.more);
    assert!(owed.deliveries.iter().all(|delivery| delivery.owner == user_id(1)));
    let taken: Vec<_> = owed.deliveries.iter().map(|it| (it.position, it.notification, it.search)).collect();
    let expected = [
        (first, BY_WEBHOOK, given[0]),
        (first, BY_WEBHOOK, given[1]),
        (first, BY_EMAIL, given[1]),
        (second, CREATION, given[0]),
        (second, CREATION, given[1]),
        (second, CREATION, given[2]),
        (second, price, given[2]),
    ];
    assert_eq!(taken, expected);
    assert_eq!(store.read_outbox(100).await.unwrap(), owed, "asking changes nothing");

    let mut deliveries = due_at(&owed.deliveries, 7_000);
    deliveries[2].1 = Start::Cancelled(CancelReason::ChannelOff);
    let batch = EnqueueBatch { after: owed.after, until: owed.until, at: at(6_000), deliveries };
    assert!(store.enqueue(batch.clone()).await.unwrap());
    assert!(!store.enqueue(batch).await.unwrap(), "it is done already");
    let store = store.reopened().await;
    let left = store.read_outbox(100).await.unwrap();
    assert_eq!(
        (left.deliveries.len(), left.more, left.after, left.until),
        (0, false, owed.until, owed.until)
    );

    let rows = everything(&*store).await;
    let made: Vec<_> = rows.iter().map(|row| (row.notification, row.lane.search)).collect();
    assert_eq!(
        made,
        expected.map(|(_, notification, search)| (notification, search)),
        "in the order they came to be owed"
    );
    let numbers: Vec<_> = rows.iter().map(|row| row.number).collect();
    assert_eq!(numbers, [1, 1, 1, 1, 1, 1, 2], "each lane is counted by itself");
    let channels: Vec<_> = rows.iter().map(|row| row.lane.channel).collect();
    let (hook, event, letter) = (DeliveryChannel::Match, DeliveryChannel::Event, DeliveryChannel::Email);
    assert_eq!(channels, [hook, hook, letter, event, event, event, event]);
    for (index, row) in rows.iter().enumerate() {
        assert_eq!((row.owner, row.created_at, row.attempts), (user_id(1), at(6_000), 0));
        let state = match index {
            2 => (DeliveryState::Cancelled(CancelReason::ChannelOff), at(6_000)),
            _ => (DeliveryState::Pending, at(7_000)),
        };
        assert_eq!((row.state, row.state_at), state);
    }
}

pub async fn ids_have_the_mark_of_their_time<B: Backend>() {
    let (store, given) = store_with::<B>(1).await;
    let mut made = Vec::new();
    let marks = [None, Some(7), Some(8), Some(9)];
    for (number, mark) in (1..).zip(marks) {
        if let Some(mark) = mark {
            store.start_delivery_epoch(DeliveryEpoch::new(mark)).await.unwrap();
        }
        // One that nothing is made under leaves no trace.
        if mark != Some(8) {
            tell(&*store, number, &[(BY_WEBHOOK, &given)]).await;
            made.extend(take_in(&*store, 6_000, 6_000).await);
        }
    }
    let store = store.reopened().await;
    assert_eq!(everything(&*store).await.iter().map(|row| row.id).collect::<Vec<_>>(), made);
    for (id, mark) in made.iter().zip([None, Some(7), Some(9)]) {
        let (search, sequence) = id.parts().unwrap();
        assert!(mark.is_none_or(|mark| *id == DeliveryId::of(search, sequence, DeliveryEpoch::new(mark))));
        assert_eq!(store.delivery(*id).await.unwrap().unwrap().0.id, *id);
        let of_another_copy = DeliveryId::of(search, sequence, DeliveryEpoch::new(8));
        assert_eq!(store.delivery(of_another_copy).await.unwrap(), None);
        assert_eq!(claim(&*store, 1, 6_000, &[of_another_copy]).await, []);
    }
    assert_eq!(claim(&*store, 2, 6_000, &made).await, made);
}

pub async fn a_piece_may_end_in_the_middle_of_a_notice<B: Backend>() {
    let (store, given) = store_with::<B>(5).await;
    let whole = [(1, BY_WEBHOOK, &given[..]), (2, CREATION, &given[1..4]), (3, BY_EMAIL, &given[2..])];
    let mut expected = Vec::new();
    for (number, notification, who) in whole {
        let position = tell(&*store, number, &[(notification, who)]).await;
        expected.extend(who.iter().map(|search| (position, notification, *search)));
    }
    for limit in [1, 2, 3, 4, 5, 7, 100] {
        // What is only read is still owed.
        let owed = store.read_outbox(limit).await.unwrap();
        assert_eq!(owed.deliveries.len(), limit.min(expected.len()));
        assert_eq!(owed.more, limit < expected.len(), "{limit}");
    }
    let mut made = Vec::new();
    for limit in [2, 1, 4, 1, 3].into_iter().cycle() {
        let OutboxBatch { after, until, deliveries, more } = store.read_outbox(limit).await.unwrap();
        made.extend(
            deliveries.iter().map(|delivery| (delivery.position, delivery.notification, delivery.search)),
        );
        let batch = EnqueueBatch { after, until, at: at(6_000), deliveries: due_at(&deliveries, 6_000) };
        assert!(store.enqueue(batch).await.unwrap());
        if !more {
            break;
        }
    }
    assert_eq!(made, expected);
    assert_eq!(everything(&*store).await.len(), expected.len());
    // What comes later is made as well.
    tell(&*store, 4, &[(BY_EMAIL, &given[..1])]).await;
    assert_eq!(take_in(&*store, 6_001, 6_001).await.len(), 1);
}

pub async fn of_two_that_take_in_one_succeeds<B: Backend>() {
    let (store, given) = store_with::<B>(3).await;
    tell(&*store, 1, &[(BY_WEBHOOK, &given)]).await;
    let read = async |limit| {
        let OutboxBatch { after, until, deliveries, .. } = store.read_outbox(limit).await.unwrap();
        EnqueueBatch { after, until, at: at(6_000), deliveries: due_at(&deliveries, 6_000) }
    };
    let (one, other) = tokio::join!(store.enqueue(read(2).await), store.enqueue(read(100).await));
    assert_eq!(u8::from(one.unwrap()) + u8::from(other.unwrap()), 1);
    // One that has read before somebody else made only a part of it has read too much.
    let made = everything(&*store).await.len();
    assert!(made == 2 || made == 3, "{made}");
    take_in(&*store, 6_001, 6_001).await;
    let lanes: Vec<_> = everything(&*store).await.iter().map(|row| row.lane).collect();
    assert_eq!(lanes, [0, 1, 2].map(|index| lane(given[index], DeliveryChannel::Match)));
    let late = read(100).await;
    tell(&*store, 2, &[(BY_WEBHOOK, &given[..1])]).await;
    assert_eq!(take_in(&*store, 6_002, 6_002).await.len(), 1);
    assert!(!store.enqueue(late).await.unwrap());
    assert_eq!(everything(&*store).await.len(), 4);
}

pub async fn what_is_owed_for_a_deleted_search_or_an_erased_property_is_left_out<B: Backend>() {
    let (store, given) = store_with::<B>(4).await;
    tell(&*store, 1, &[(BY_WEBHOOK, &given[..2]), (BY_EMAIL, &given[..1])]).await;
    let erased = tell(&*store, 2, &[(BY_WEBHOOK, &given)]).await;
    let last = tell(&*store, 3, &[(BY_WEBHOOK, &given)]).await;
    commit(&*store, [remove_search(search_id(1)), remove_search(search_id(4))]).await;
    store.erase(advert_id(2), at(5_500)).await.unwrap().unwrap();
    let owed = store.read_outbox(100).await.unwrap();
    assert!(owed.deliveries.iter().all(|delivery| delivery.position != erased));
    let who: Vec<_> = owed.deliveries.iter().map(|delivery| delivery.search).collect();
    assert_eq!(who, [given[1], given[1], given[2]]);
    // However small the pieces: those that are left out are passed over.
    let mut made = Vec::new();
    for _ in 0..20 {
        let OutboxBatch { after, until, deliveries, more } = store.read_outbox(1).await.unwrap();
        made.extend(deliveries.iter().map(|delivery| delivery.search));
        let batch = EnqueueBatch { after, until, at: at(6_000), deliveries: due_at(&deliveries, 6_000) };
        assert!(store.enqueue(batch).await.unwrap());
        if !more {
            break;
        }
    }
    assert_eq!(made, who);
    let rows = everything(&*store).await;
    assert_eq!(rows.iter().map(|row| row.about.unwrap().0).collect::<Vec<_>>(), [1, 3, 3].map(property_id));
    assert!(rows.iter().all(|row| row.about.unwrap().1.parts().is_some_and(|(_, at)| at <= last.0)));
}
