//! Enqueuing the outbox: each delivery once, in order, in batches of any size.

use domain::{CancelReason, DeliveryChannel, DeliveryEpoch, DeliveryId, DeliveryState, EventName};
use store::prelude::*;
use store::{EnqueueBatch, InitialState, Notification, OutboxBatch};
use testkit::build::{advert_id, at, property_id, search_id, user_id};

use crate::backend::Backend;
use crate::changes::{commit, remove_search};
use crate::delivery_fixtures::{
    BY_EMAIL, BY_WEBHOOK, CREATION, all_deliveries, claim, due_at, enqueue_all, lane, notify, store_with,
};

pub async fn outbox_is_enqueued_once<B: Backend>() {
    let (store, searches) = store_with::<B>(3).await;
    let nothing = store.read_outbox(10).await.unwrap();
    assert_eq!((nothing.deliveries.len(), nothing.more), (0, false));
    assert_eq!(nothing.after, nothing.until);
    let price = Notification::Event(EventName::UpdatePrice, 1);
    let first = notify(&*store, 1, &[(BY_WEBHOOK, &searches[..2]), (BY_EMAIL, &searches[1..2])]).await;
    let second = notify(&*store, 2, &[(CREATION, &searches), (price, &searches[2..])]).await;
    let outbox = store.read_outbox(100).await.unwrap();
    assert!(!outbox.more);
    assert!(outbox.deliveries.iter().all(|delivery| delivery.owner == user_id(1)));
    let taken: Vec<_> =
        outbox.deliveries.iter().map(|it| (it.position, it.notification, it.search)).collect();
    let expected = [
        (first, BY_WEBHOOK, searches[0]),
        (first, BY_WEBHOOK, searches[1]),
        (first, BY_EMAIL, searches[1]),
        (second, CREATION, searches[0]),
        (second, CREATION, searches[1]),
        (second, CREATION, searches[2]),
        (second, price, searches[2]),
    ];
    assert_eq!(taken, expected);
    assert_eq!(store.read_outbox(100).await.unwrap(), outbox, "reading changes nothing");

    let mut deliveries = due_at(&outbox.deliveries, 7_000);
    deliveries[2].1 = InitialState::Cancelled(CancelReason::ChannelOff);
    let batch = EnqueueBatch { after: outbox.after, until: outbox.until, at: at(6_000), deliveries };
    assert!(store.enqueue(batch.clone()).await.unwrap());
    assert!(!store.enqueue(batch).await.unwrap(), "it was enqueued before");
    let store = store.reopened().await;
    let left = store.read_outbox(100).await.unwrap();
    assert_eq!(
        (left.deliveries.len(), left.more, left.after, left.until),
        (0, false, outbox.until, outbox.until)
    );

    let rows = all_deliveries(&*store).await;
    let made: Vec<_> = rows.iter().map(|row| (row.notification, row.lane.search)).collect();
    assert_eq!(
        made,
        expected.map(|(_, notification, search)| (notification, search)),
        "in the order they came to be outbox"
    );
    let numbers: Vec<_> = rows.iter().map(|row| row.lane_sequence).collect();
    assert_eq!(numbers, [1, 1, 1, 1, 1, 1, 2], "each lane has its own sequence");
    let channels: Vec<_> = rows.iter().map(|row| row.lane.channel).collect();
    let (hook, event, email) = (DeliveryChannel::Match, DeliveryChannel::Event, DeliveryChannel::Email);
    assert_eq!(channels, [hook, hook, email, event, event, event, event]);
    for (index, row) in rows.iter().enumerate() {
        assert_eq!((row.owner, row.created_at, row.attempts), (user_id(1), at(6_000), 0));
        let state = match index {
            2 => (DeliveryState::Cancelled(CancelReason::ChannelOff), at(6_000)),
            _ => (DeliveryState::Pending, at(7_000)),
        };
        assert_eq!((row.state, row.state_at), state);
    }
}

pub async fn ids_carry_their_epoch<B: Backend>() {
    let (store, searches) = store_with::<B>(1).await;
    let mut made = Vec::new();
    let marks = [None, Some(7), Some(8), Some(9)];
    for (number, mark) in (1..).zip(marks) {
        if let Some(mark) = mark {
            store.start_delivery_epoch(DeliveryEpoch::new(mark)).await.unwrap();
        }
        // An epoch without deliveries leaves no trace.
        if mark != Some(8) {
            notify(&*store, number, &[(BY_WEBHOOK, &searches)]).await;
            made.extend(enqueue_all(&*store, 6_000, 6_000).await);
        }
    }
    let store = store.reopened().await;
    assert_eq!(all_deliveries(&*store).await.iter().map(|row| row.id).collect::<Vec<_>>(), made);
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

pub async fn batch_may_end_inside_an_entry<B: Backend>() {
    let (store, searches) = store_with::<B>(5).await;
    let whole =
        [(1, BY_WEBHOOK, &searches[..]), (2, CREATION, &searches[1..4]), (3, BY_EMAIL, &searches[2..])];
    let mut expected = Vec::new();
    for (number, notification, recipients) in whole {
        let position = notify(&*store, number, &[(notification, recipients)]).await;
        expected.extend(recipients.iter().map(|search| (position, notification, *search)));
    }
    for limit in [1, 2, 3, 4, 5, 7, 100] {
        // Reading does not advance the cursor.
        let outbox = store.read_outbox(limit).await.unwrap();
        assert_eq!(outbox.deliveries.len(), limit.min(expected.len()));
        assert_eq!(outbox.more, limit < expected.len(), "{limit}");
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
    assert_eq!(all_deliveries(&*store).await.len(), expected.len());
    // Later entries are enqueued as well.
    notify(&*store, 4, &[(BY_EMAIL, &searches[..1])]).await;
    assert_eq!(enqueue_all(&*store, 6_001, 6_001).await.len(), 1);
}

pub async fn concurrent_enqueue_succeeds_once<B: Backend>() {
    let (store, searches) = store_with::<B>(3).await;
    notify(&*store, 1, &[(BY_WEBHOOK, &searches)]).await;
    let read = async |limit| {
        let OutboxBatch { after, until, deliveries, .. } = store.read_outbox(limit).await.unwrap();
        EnqueueBatch { after, until, at: at(6_000), deliveries: due_at(&deliveries, 6_000) }
    };
    let (one, other) = tokio::join!(store.enqueue(read(2).await), store.enqueue(read(100).await));
    assert_eq!(u8::from(one.unwrap()) + u8::from(other.unwrap()), 1);
    // A batch that was read before another process enqueued part of it is refused.
    let made = all_deliveries(&*store).await.len();
    assert!(made == 2 || made == 3, "{made}");
    enqueue_all(&*store, 6_001, 6_001).await;
    let lanes: Vec<_> = all_deliveries(&*store).await.iter().map(|row| row.lane).collect();
    assert_eq!(lanes, [0, 1, 2].map(|index| lane(searches[index], DeliveryChannel::Match)));
    let late = read(100).await;
    notify(&*store, 2, &[(BY_WEBHOOK, &searches[..1])]).await;
    assert_eq!(enqueue_all(&*store, 6_002, 6_002).await.len(), 1);
    assert!(!store.enqueue(late).await.unwrap());
    assert_eq!(all_deliveries(&*store).await.len(), 4);
}

pub async fn deleted_searches_and_erased_properties_are_left_out<B: Backend>() {
    let (store, searches) = store_with::<B>(4).await;
    notify(&*store, 1, &[(BY_WEBHOOK, &searches[..2]), (BY_EMAIL, &searches[..1])]).await;
    let erased = notify(&*store, 2, &[(BY_WEBHOOK, &searches)]).await;
    let last = notify(&*store, 3, &[(BY_WEBHOOK, &searches)]).await;
    commit(&*store, [remove_search(search_id(1)), remove_search(search_id(4))]).await;
    store.erase(advert_id(2), at(5_500)).await.unwrap().unwrap();
    let outbox = store.read_outbox(100).await.unwrap();
    assert!(outbox.deliveries.iter().all(|delivery| delivery.position != erased));
    let recipients: Vec<_> = outbox.deliveries.iter().map(|delivery| delivery.search).collect();
    assert_eq!(recipients, [searches[1], searches[1], searches[2]]);
    // With any limit, the cursor passes those that are left out.
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
    assert_eq!(made, recipients);
    let rows = all_deliveries(&*store).await;
    assert_eq!(rows.iter().map(|row| row.subject.unwrap().0).collect::<Vec<_>>(), [1, 3, 3].map(property_id));
    assert!(rows.iter().all(|row| row.subject.unwrap().1.parts().is_some_and(|(_, at)| at <= last.0)));
}
