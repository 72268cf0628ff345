//! The queue: lanes, claims, settlements, leases.

use std::time::Duration;

use domain::{
    Alerts, CancelReason, DeliveryChannel, DeliveryId, DeliveryState, EmailAddress, Endpoint, Outcome,
    PhaseTimings, ResponseHeader, RetryDecision, RetryPolicy, SearchNumber,
};
use store::prelude::*;
use store::{EnqueueBatch, Gather, InitialState, Lane, Leases, Notification, QueueDepth, Settlement};
use testkit::build::{at, saved_search, search_id};

use crate::backend::{Backend, Opened};
use crate::changes::{change_search, commit, remove_search};
use crate::delivery_fixtures::{
    BY_EMAIL, BY_WEBHOOK, CREATION, TIMEOUT, all_deliveries, attempt, attempts, claim, delivered,
    enqueue_all, failed, ids, lane, notify, peek, retry, row, store_with, webhooks,
};

const HOOK: DeliveryChannel = DeliveryChannel::Match;

async fn state(store: &impl Store, id: DeliveryId) -> (DeliveryState, i64) {
    let row = row(store, id).await;
    (row.state, row.state_at.as_second())
}

pub async fn lanes_are_listed_with_their_earliest_due_date<B: Backend>() {
    let (store, searches) = store_with::<B>(3).await;
    assert_eq!(store.lanes(None, 10).await.unwrap(), []);
    notify(&*store, 1, &[(BY_WEBHOOK, &searches), (BY_EMAIL, &searches[1..]), (CREATION, &searches[..1])])
        .await;
    enqueue_all(&*store, 6_000, 7_000).await;
    // More deliveries in the same lanes, due earlier in some and later in others.
    notify(&*store, 2, &[(BY_WEBHOOK, &searches[..1]), (BY_EMAIL, &searches[1..2])]).await;
    enqueue_all(&*store, 6_001, 6_500).await;
    notify(&*store, 3, &[(BY_WEBHOOK, &searches[1..2]), (CREATION, &searches[..1])]).await;
    enqueue_all(&*store, 6_002, 8_000).await;
    let mut expected = vec![
        (lane(searches[0], HOOK), 6_500),
        (lane(searches[0], DeliveryChannel::Event), 7_000),
        (lane(searches[1], HOOK), 7_000),
        (lane(searches[1], DeliveryChannel::Email), 6_500),
        (lane(searches[2], HOOK), 7_000),
        (lane(searches[2], DeliveryChannel::Email), 7_000),
    ];
    expected.sort();
    for limit in [1, 2, 5, 6, 7] {
        let mut walked: Vec<(Lane, i64)> = Vec::new();
        let mut after = None;
        loop {
            let found = store.lanes(after, limit).await.unwrap();
            walked.extend(found.iter().map(|found| (found.lane, found.due_at.as_second())));
            assert!(found.len() <= limit);
            if found.len() < limit {
                break;
            }
            after = found.last().map(|found| found.lane);
        }
        walked.sort();
        assert_eq!(walked, expected, "with limit {limit}");
    }
    // Lanes without pending deliveries are not listed.
    let ended = peek(&*store, lane(searches[2], HOOK), 9, Gather::DueOnly, 9_000).await;
    claim(&*store, 1, 9_000, &ids(&ended.due)).await;
    expected.retain(|(known, _)| *known != lane(searches[2], HOOK));
    let mut walked: Vec<_> = store.lanes(None, 99).await.unwrap();
    walked.sort_by_key(|found| found.lane);
    assert_eq!(walked.iter().map(|found| found.lane).collect::<Vec<_>>(), {
        expected.iter().map(|(lane, _)| *lane).collect::<Vec<_>>()
    });
}

/// Enqueues e-mails of one lane, due at these dates.
async fn emails<B: Backend>(due: &[i64]) -> (Opened<B>, Lane, Vec<DeliveryId>) {
    let (store, searches) = store_with::<B>(1).await;
    let mut enqueued = Vec::new();
    for (number, second) in (1..).zip(due) {
        notify(&*store, number, &[(BY_EMAIL, &searches)]).await;
        enqueued.extend(enqueue_all(&*store, 6_000, *second).await);
    }
    (store, lane(searches[0], DeliveryChannel::Email), enqueued)
}

pub async fn due_deliveries_are_ordered_with_next_due_date<B: Backend>() {
    let (store, lane, enqueued) = emails::<B>(&[6_300, 6_100, 6_200, 6_100, 6_400]).await;
    let look = async |take, gather, second| {
        let seen = peek(&*store, lane, take, gather, second).await;
        assert_eq!(seen.lane, lane);
        let positions = seen.due.iter().map(|due| enqueued.iter().position(|id| *id == due.id).unwrap());
        (positions.collect::<Vec<_>>(), seen.next_due_at.map(|next| next.as_second()))
    };
    assert_eq!(look(9, Gather::DueOnly, 6_099).await, (vec![], Some(6_100)));
    assert_eq!(look(9, Gather::DueOnly, 6_100).await, (vec![1, 3], Some(6_200)));
    assert_eq!(look(1, Gather::DueOnly, 6_100).await, (vec![1], Some(6_100)), "the other one is due too");
    assert_eq!(look(0, Gather::DueOnly, 6_100).await, (vec![], Some(6_100)));
    assert_eq!(look(3, Gather::DueOnly, 6_350).await, (vec![1, 3, 2], Some(6_300)));
    assert_eq!(look(5, Gather::DueOnly, 9_000).await, (vec![1, 3, 2, 0, 4], None));
    // A due delivery takes new ones along; one that is not due takes none.
    assert_eq!(look(9, Gather::WithNew, 6_099).await, (vec![], Some(6_100)));
    assert_eq!(look(9, Gather::WithNew, 6_100).await, (vec![1, 3, 2, 0, 4], None));
    assert_eq!(look(3, Gather::WithNew, 6_100).await, (vec![1, 3, 2], Some(6_300)));
    // Lanes are returned in request order, empty ones included.
    let empty = Lane { channel: HOOK, ..lane };
    let peek = |lane| store::LanePeek { lane, take: 2, gather: Gather::DueOnly };
    let seen = store.peek_lanes(vec![peek(empty), peek(lane), peek(empty)], at(6_100)).await.unwrap();
    let counts: Vec<_> = seen.iter().map(|seen| (seen.lane, seen.due.len(), seen.next_due_at)).collect();
    assert_eq!(counts, [(empty, 0, None), (lane, 2, Some(at(6_200))), (empty, 0, None)]);
}

pub async fn attempted_batch_is_repeated_as_it_was<B: Backend>() {
    let (store, lane, enqueued) = emails::<B>(&[6_100, 6_100, 6_150, 6_200, 6_300, 6_400]).await;
    let look = async |second| {
        let seen = peek(&*store, lane, 10, Gather::WithNew, second).await;
        (ids(&seen.due), seen.next_due_at.map(|next| next.as_second()))
    };
    // The first two fail together, the third is interrupted, the fourth fails alone; retries are due at 7 000.
    assert_eq!(claim(&*store, 1, 6_100, &enqueued[..2]).await, enqueued[..2]);
    assert_eq!(
        claim(&*store, 2, 6_100, &enqueued[2..3]).await,
        enqueued[2..3],
        "a new delivery need not be due"
    );
    assert_eq!(store.reap_leases(Leases::Expired, at(6_160), 10).await.unwrap(), [lane; 3]);
    assert_eq!(claim(&*store, 3, 6_160, &enqueued[..2]).await, enqueued[..2]);
    assert_eq!(claim(&*store, 4, 6_160, &enqueued[3..4]).await, enqueued[3..4]);
    let again = |index: usize, claim| retry(enqueued[index], claim, 6_161, at(7_000));
    assert_eq!(store.settle(vec![again(0, 3), again(1, 3), again(3, 4)]).await.unwrap(), 3);
    // The interrupted one is due and takes no others along: a receiver may recognise the repeated message by its first delivery.
    assert_eq!(look(6_200).await, (enqueued[2..3].to_vec(), Some(6_300)));
    assert_eq!(claim(&*store, 5, 6_200, &enqueued[2..3]).await, enqueued[2..3]);
    assert_eq!(look(6_200).await, (vec![], Some(6_300)));
    // New deliveries do not wait for retries, and do not take them along.
    assert_eq!(look(6_300).await, (enqueued[4..].to_vec(), Some(7_000)));
    assert_eq!(look(7_000).await, (enqueued[4..].to_vec(), Some(7_000)));
    assert_eq!(claim(&*store, 6, 7_000, &enqueued[4..]).await, enqueued[4..]);
    assert_eq!(
        look(7_000).await,
        (enqueued[..2].to_vec(), Some(7_000)),
        "those that were attempted together"
    );
    assert_eq!(claim(&*store, 7, 7_000, &enqueued[..2]).await, enqueued[..2]);
    assert_eq!(look(7_000).await, (enqueued[3..4].to_vec(), None));
}

pub async fn only_due_or_new_deliveries_are_claimed<B: Backend>() {
    let (store, _, enqueued) = webhooks::<B>(7).await;
    assert_eq!(claim(&*store, 1, 5_000, &enqueued[..2]).await, enqueued[..2], "new ones need not be due");
    assert_eq!(claim(&*store, 2, 6_000, &enqueued[..3]).await, enqueued[2..3], "another claim holds two");
    assert_eq!(state(&*store, enqueued[0]).await, (DeliveryState::Leased, 5_060));
    assert_eq!(state(&*store, enqueued[2]).await, (DeliveryState::Leased, 6_060));
    let results = vec![
        retry(enqueued[0], 1, 6_000, at(9_600)),
        delivered(enqueued[1], 1, 6_000),
        failed(enqueued[2], 2, 6_000),
    ];
    assert_eq!(store.settle(results).await.unwrap(), 3);
    store.cancel(enqueued[3..4].to_vec(), CancelReason::Disabled, at(6_001)).await.unwrap();
    // The retry is not due; the others have ended.
    assert_eq!(claim(&*store, 3, 9_599, &enqueued).await, enqueued[4..]);
    assert_eq!(claim(&*store, 4, 9_600, &enqueued).await, enqueued[..1]);
    // Of two concurrent claims, each delivery goes to one.
    let (store, _, enqueued) = webhooks::<B>(6).await;
    let (one, other) =
        tokio::join!(claim(&*store, 5, 6_000, &enqueued[..4]), claim(&*store, 6, 6_000, &enqueued[2..]));
    let mut both = [one, other].concat();
    both.sort();
    let mut all = enqueued.clone();
    all.sort();
    assert_eq!(both, all);
}

pub async fn settlement_requires_its_own_lease<B: Backend>() {
    let (store, _, enqueued) = webhooks::<B>(2).await;
    let id = enqueued[0];
    assert_eq!(claim(&*store, 1, 6_000, &[id]).await, [id]);
    // Another claim, an unknown one, and one whose lease has ended.
    for settled in [delivered(id, 2, 6_000), delivered(enqueued[1], 1, 6_000)] {
        assert_eq!(store.settle(vec![settled]).await.unwrap(), 0);
    }
    assert_eq!(store.reap_leases(Leases::Expired, at(6_060), 10).await.unwrap().len(), 1);
    assert_eq!(store.settle(vec![delivered(id, 1, 6_000)]).await.unwrap(), 0);
    assert_eq!(claim(&*store, 3, 6_061, &[id]).await, [id]);
    assert_eq!(store.settle(vec![failed(id, 1, 6_000)]).await.unwrap(), 0, "another claim holds it");
    assert_eq!(state(&*store, id).await, (DeliveryState::Leased, 6_121));
    assert_eq!(state(&*store, enqueued[1]).await, (DeliveryState::Pending, 6_000));
    // Two settlements in one call count once.
    assert_eq!(store.settle(vec![delivered(id, 3, 6_062), failed(id, 3, 6_063)]).await.unwrap(), 1);
    assert_eq!(store.settle(vec![failed(id, 3, 6_064)]).await.unwrap(), 0);
    assert_eq!(state(&*store, id).await, (DeliveryState::Delivered, 6_063));
    let outcomes: Vec<_> = attempts(&*store, id).await.iter().map(|attempt| attempt.outcome).collect();
    assert_eq!(outcomes, [Outcome::Interrupted, Outcome::Delivered]);
    assert_eq!(attempts(&*store, enqueued[1]).await, []);
}

pub async fn attempts_are_stored_in_order_and_failures_counted<B: Backend>() {
    let (store, search, enqueued) = webhooks::<B>(1).await;
    let id = enqueued[0];
    let mut expected = Vec::new();
    let header = |number: u64| ResponseHeader {
        // Repeated names, and every character that a text may have.
        name: "set-cookie".to_owned(),
        value: format!("{number}: \"é\\\n\0\u{feff}"),
    };
    for number in 0..u64::from(RetryPolicy::MAX) + 1 {
        let second = 6_000 + i64::try_from(number).unwrap() * 3_600;
        let seen = peek(&*store, lane(search, HOOK), 9, Gather::DueOnly, second).await;
        let due = &seen.due[0];
        assert_eq!((due.id, u64::from(due.failures), due.interruptions), (id, number, 0));
        assert_eq!(claim(&*store, number, second, &[id]).await, [id]);
        let mut failed_attempt = attempt(second, TIMEOUT);
        failed_attempt.status = (number > 2).then_some(503);
        failed_attempt.target = (number > 1).then(|| "https://hook.example/".to_owned());
        failed_attempt.response_excerpt = vec![0xff; usize::try_from(number).unwrap()];
        failed_attempt.response_headers = (0..number).map(header).collect();
        let phase = |from: u64| (number >= from).then(|| Duration::from_millis((number - from) * 1_000));
        failed_attempt.timings =
            PhaseTimings { name: phase(4), connect: phase(3), tls: phase(2), first_byte: phase(1) };
        expected.push(failed_attempt.clone());
        let next = RetryPolicy { interval: Duration::from_secs(3_600) };
        let next = next.after(TIMEOUT, at(second), due.failures, due.interruptions);
        let settled =
            Settlement { id, claim_id: number, attempt: Some(failed_attempt), next, at: at(second + 9) };
        assert_eq!(store.settle(vec![settled]).await.unwrap(), 1);
        assert_eq!(attempts(&*store, id).await, expected);
        assert_eq!(u64::from(row(&*store, id).await.attempts), number + 1);
    }
    assert_eq!(state(&*store, id).await, (DeliveryState::Failed, 6_000 + 5 * 3_600 + 9));
    assert_eq!(store.lanes(None, 9).await.unwrap(), []);
    // A lease that is returned without an attempt records none.
    let (store, search, enqueued) = webhooks::<B>(1).await;
    claim(&*store, 1, 6_000, &enqueued).await;
    let (id, next) = (enqueued[0], RetryDecision::RetryAt(at(6_500)));
    let released = Settlement { id, claim_id: 1, attempt: None, next, at: at(6_001) };
    assert_eq!(store.settle(vec![released]).await.unwrap(), 1);
    assert_eq!(state(&*store, id).await, (DeliveryState::Pending, 6_500));
    let seen = peek(&*store, lane(search, HOOK), 9, Gather::DueOnly, 6_500).await;
    assert_eq!((seen.due[0].failures, seen.due[0].interruptions), (0, 0));
    assert_eq!(attempts(&*store, id).await, []);
}

pub async fn last_alert_date_never_decreases<B: Backend>() {
    let (store, searches) = store_with::<B>(2).await;
    for number in 1..=4 {
        notify(&*store, number, &[(BY_WEBHOOK, &searches), (BY_EMAIL, &searches[..1])]).await;
    }
    let enqueued = enqueue_all(&*store, 6_000, 6_000).await;
    assert_eq!(claim(&*store, 1, 6_000, &enqueued).await.len(), 12);
    let last = async || {
        let alert = async |number| store.search(search_id(number)).await.unwrap().map(|it| it.last_alert_at);
        [alert(1).await, alert(2).await].map(|alert| alert.map(|at| at.map(|at| at.as_second())))
    };
    // Each property makes [webhook 1, webhook 2, e-mail 1]; `at` is a second after the attempt.
    store.settle(vec![failed(enqueued[0], 1, 8_000), retry(enqueued[1], 1, 8_000, at(9_000))]).await.unwrap();
    assert_eq!(last().await, [Some(None), Some(None)], "a failed delivery is not an alert");
    store.settle(vec![delivered(enqueued[2], 1, 7_000), delivered(enqueued[3], 1, 6_900)]).await.unwrap();
    assert_eq!(last().await, [Some(Some(7_001)), Some(None)]);
    store.settle(vec![delivered(enqueued[5], 1, 6_500)]).await.unwrap();
    store.settle(vec![delivered(enqueued[6], 2, 7_500), delivered(enqueued[4], 1, 6_100)]).await.unwrap();
    assert_eq!(
        last().await,
        [Some(Some(7_001)), Some(Some(6_101))],
        "a settlement of another claim does not count"
    );
    store.settle(vec![delivered(enqueued[6], 1, 7_500)]).await.unwrap();
    assert_eq!(last().await, [Some(Some(7_501)), Some(Some(6_101))]);
    // Nothing is kept of a deleted search, and a new search under its id has no alert.
    commit(&*store, [remove_search(search_id(2))]).await;
    assert_eq!(store.settle(vec![delivered(enqueued[7], 1, 8_000)]).await.unwrap(), 1);
    assert_eq!(last().await, [Some(Some(7_501)), None]);
    commit(&*store, [crate::changes::create_search(&testkit::build::saved_search(2))]).await;
    assert_eq!(last().await, [Some(Some(7_501)), Some(None)]);
}

pub async fn only_pending_deliveries_are_cancelled<B: Backend>() {
    let (store, search, enqueued) = webhooks::<B>(7).await;
    claim(&*store, 1, 6_000, &enqueued[..3]).await;
    store.settle(vec![delivered(enqueued[1], 1, 6_000), failed(enqueued[2], 1, 6_000)]).await.unwrap();
    store.cancel(enqueued[..4].to_vec(), CancelReason::NoRecipient, at(6_100)).await.unwrap();
    store.cancel(enqueued[3..5].to_vec(), CancelReason::Erased, at(6_200)).await.unwrap();
    let expected = [
        (DeliveryState::Leased, 6_060),
        (DeliveryState::Delivered, 6_001),
        (DeliveryState::Failed, 6_001),
        (DeliveryState::Cancelled(CancelReason::NoRecipient), 6_100),
        (DeliveryState::Cancelled(CancelReason::Erased), 6_200),
        (DeliveryState::Pending, 6_000),
        (DeliveryState::Pending, 6_000),
    ];
    for (id, expected) in enqueued.iter().zip(expected) {
        assert_eq!(state(&*store, *id).await, expected);
    }
    let seen = peek(&*store, lane(search, HOOK), 9, Gather::DueOnly, 9_000).await;
    assert_eq!(ids(&seen.due), enqueued[5..]);
    // Every reason is stored.
    for (id, reason) in enqueued[5..].iter().zip([CancelReason::ChannelOff, CancelReason::SearchDeleted]) {
        store.cancel(vec![*id], reason, at(6_300)).await.unwrap();
        assert_eq!(state(&*store, *id).await, (DeliveryState::Cancelled(reason), 6_300));
    }
}

pub async fn silenced_channel_cancels_its_pending_deliveries<B: Backend>() {
    let (store, searches) = store_with::<B>(2).await;
    let all: [(Notification, &[SearchNumber]); 3] =
        [(BY_WEBHOOK, &searches), (BY_EMAIL, &searches), (CREATION, &searches)];
    notify(&*store, 1, &all).await;
    enqueue_all(&*store, 6_000, 6_000).await;
    let states = async |search: SearchNumber| {
        let rows = all_deliveries(&*store).await.into_iter().filter(|row| row.lane.search == search);
        let mut states: Vec<_> = rows.map(|row| (row.lane.channel, row.state)).collect();
        states.sort_by_key(|(channel, _)| *channel);
        states
    };
    let cancelled = DeliveryState::Cancelled;
    let mut search = saved_search(1);
    search.draft.alerts = Alerts {
        enabled: true,
        endpoint: Some(Endpoint::parse("https://hook.example/").unwrap()),
        email: Some(EmailAddress::parse("someone@mail.example").unwrap()),
        ..Alerts::default()
    };

    // The leased delivery continues; the event has no recipient.
    let under_way = peek(&*store, lane(searches[0], HOOK), 9, Gather::DueOnly, 6_000).await;
    claim(&*store, 1, 6_000, &ids(&under_way.due)).await;
    commit(&*store, [change_search(&search, 1)]).await;
    let (by_hook, by_email) =
        ((HOOK, DeliveryState::Leased), (DeliveryChannel::Email, DeliveryState::Pending));
    let of_event = (DeliveryChannel::Event, cancelled(CancelReason::NoRecipient));
    let mut expected = [by_hook, by_email, of_event];
    expected.sort_by_key(|(channel, _)| *channel);
    assert_eq!(states(searches[0]).await, expected);

    search.draft.alerts.enabled = false;
    commit(&*store, [change_search(&search, 2)]).await;
    let by_email = (DeliveryChannel::Email, cancelled(CancelReason::Disabled));
    let mut expected = [by_hook, by_email, of_event];
    expected.sort_by_key(|(channel, _)| *channel);
    assert_eq!(states(searches[0]).await, expected);

    // After notifications are switched on again, they stay cancelled; other searches are not affected.
    search.draft.alerts.enabled = true;
    commit(&*store, [change_search(&search, 3)]).await;
    assert_eq!(states(searches[0]).await, expected);
    assert!(states(searches[1]).await.iter().all(|(_, state)| *state == DeliveryState::Pending));
}

pub async fn expired_leases_are_reaped<B: Backend>() {
    let (store, search, enqueued) = webhooks::<B>(5).await;
    let lane = lane(search, HOOK);
    claim(&*store, 1, 6_000, &enqueued[..2]).await;
    claim(&*store, 2, 6_100, &enqueued[2..4]).await;
    assert_eq!(store.reap_leases(Leases::Expired, at(6_059), 10).await.unwrap(), []);
    assert_eq!(store.reap_leases(Leases::Expired, at(6_060), 1).await.unwrap(), [lane], "at most `limit`");
    assert_eq!(store.reap_leases(Leases::Expired, at(6_060), 10).await.unwrap(), [lane]);
    assert_eq!(store.reap_leases(Leases::Expired, at(6_060), 10).await.unwrap(), []);
    for id in &enqueued[..2] {
        assert_eq!(state(&*store, *id).await, (DeliveryState::Pending, 6_000), "due at its place");
        let outcomes: Vec<_> = attempts(&*store, *id).await.iter().map(|attempt| attempt.outcome).collect();
        assert_eq!(outcomes, [Outcome::Interrupted]);
    }
    let seen = peek(&*store, lane, 9, Gather::DueOnly, 6_060).await;
    let counts: Vec<_> = seen.due.iter().map(|due| (due.id, due.failures, due.interruptions)).collect();
    assert_eq!(counts, [(enqueued[0], 0, 1), (enqueued[1], 0, 1), (enqueued[4], 0, 0)], "none is overtaken");
    // With `Leases::All`, leases that have not expired end too, after a restart.
    let store = store.reopened().await;
    assert_eq!(store.reap_leases(Leases::All, at(6_061), 10).await.unwrap(), [lane; 2]);
    assert_eq!(store.queue_depth().await.unwrap(), {
        QueueDepth { pending: 5, leased: 0, oldest_due_at: Some(at(6_000)) }
    });
}

pub async fn repeated_interruptions_fail_a_delivery<B: Backend>() {
    let (store, search, enqueued) = webhooks::<B>(1).await;
    for number in 0..=u64::from(RetryPolicy::INTERRUPTIONS_MAX) {
        let seen = peek(&*store, lane(search, HOOK), 9, Gather::DueOnly, 6_000).await;
        assert_eq!(u64::from(seen.due[0].interruptions), number);
        assert_eq!(claim(&*store, number, 6_000, &enqueued).await, enqueued);
        assert_eq!(store.reap_leases(Leases::All, at(6_000), 9).await.unwrap().len(), 1);
    }
    assert_eq!(state(&*store, enqueued[0]).await, (DeliveryState::Failed, 6_000));
    assert_eq!(row(&*store, enqueued[0]).await.attempts, RetryPolicy::INTERRUPTIONS_MAX + 1);
    assert_eq!(store.lanes(None, 9).await.unwrap(), []);
}

pub async fn queue_depth_counts_pending_and_leased<B: Backend>() {
    let (store, searches) = store_with::<B>(2).await;
    assert_eq!(store.queue_depth().await.unwrap(), QueueDepth::default());
    for number in 1..=3 {
        notify(&*store, number, &[(BY_WEBHOOK, &searches)]).await;
        let outbox = store.read_outbox(99).await.unwrap();
        let due = InitialState::DueAt(at(6_000 - i64::try_from(number).unwrap()));
        let deliveries = outbox.deliveries.iter().map(|delivery| (*delivery, due)).collect();
        let batch = EnqueueBatch { after: outbox.after, until: outbox.until, at: at(5_000), deliveries };
        assert!(store.enqueue(batch).await.unwrap());
    }
    let enqueued: Vec<_> = all_deliveries(&*store).await.iter().map(|row| row.id).collect();
    let depth = async || {
        let QueueDepth { pending, leased, oldest_due_at } = store.queue_depth().await.unwrap();
        (pending, leased, oldest_due_at.map(|oldest| oldest.as_second()))
    };
    assert_eq!(depth().await, (6, 0, Some(5_997)));
    claim(&*store, 1, 6_000, &enqueued[3..]).await;
    assert_eq!(depth().await, (3, 3, Some(5_998)));
    store
        .settle(vec![delivered(enqueued[3], 1, 6_000), retry(enqueued[4], 1, 6_000, at(6_600))])
        .await
        .unwrap();
    store.cancel(enqueued[..3].to_vec(), CancelReason::Disabled, at(6_000)).await.unwrap();
    assert_eq!(depth().await, (1, 1, Some(6_600)));
}

pub async fn foreign_ids_are_ignored<B: Backend>() {
    let (store, search, enqueued) = webhooks::<B>(2).await;
    // The sequence number with another search, the same delivery of another database, and an id that is not a delivery's.
    let other_search = {
        let mut bytes = *enqueued[0].as_bytes();
        bytes[3] ^= 1;
        DeliveryId::from_bytes(bytes)
    };
    let (elsewhere, other, foreign) = webhooks::<B>(2).await;
    assert_eq!(search, other);
    for stranger in [other_search, foreign[0], DeliveryId::from_bytes([7; 16])] {
        assert_ne!(stranger, enqueued[0]);
        assert_eq!(store.delivery(stranger).await.unwrap(), None);
        assert_eq!(claim(&*store, 1, 6_000, &[stranger]).await, []);
        store.cancel(vec![stranger], CancelReason::Disabled, at(6_000)).await.unwrap();
        assert_eq!(state(&*store, enqueued[0]).await, (DeliveryState::Pending, 6_000));
        assert_eq!(claim(&*store, 2, 6_000, &enqueued[..1]).await, enqueued[..1]);
        assert_eq!(store.settle(vec![failed(stranger, 2, 6_000)]).await.unwrap(), 0);
        assert_eq!(store.settle(vec![failed(enqueued[0], 2, 6_000)]).await.unwrap(), 1);
        assert_eq!(store.replay(store::Replay::One(stranger), at(6_000), 9).await.unwrap(), []);
        assert_eq!(store.replay(store::Replay::One(enqueued[0]), at(6_000), 9).await.unwrap(), enqueued[..1]);
    }
    assert_eq!(all_deliveries(&*elsewhere).await.len(), 2);
}
