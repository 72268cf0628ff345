//! Listing, replaying and pruning deliveries.

use domain::{CancelReason, DeliveryChannel, DeliveryId, DeliveryState, MatchId};
use store::prelude::*;
use store::{
    Claim, Contacts, DeliveryList, DeliveryRow, DocumentKey, Gather, Leases, Position, Replay, StateKind,
};
use testkit::build::{at, property_id, saved_search, search_id, user_id};

use crate::backend::{Backend, Opened};
use crate::changes::{RECORDED_AT_SECOND, commit, create_search, remove_search};
use crate::delivery_fixtures::{
    BY_EMAIL, BY_WEBHOOK, CREATION, all_deliveries, attempts, claim, delivered, enqueue_all, failed, lane,
    list, notify, peek, retry, row, store_with, webhooks,
};

/// Creates three searches, the last of another user, with deliveries by all channels and in all states, enqueued at 6 100, 6 200, …
async fn varied<B: Backend>() -> (Opened<B>, Vec<DeliveryRow>) {
    let (store, mut numbers) = store_with::<B>(2).await;
    let mut foreign = saved_search(3);
    foreign.owner = user_id(2);
    commit(&*store, [create_search(&foreign)]).await;
    numbers.push(store.search(search_id(3)).await.unwrap().unwrap().number);
    let mut made = Vec::new();
    for number in 1..=6 {
        let all = [(BY_WEBHOOK, &numbers[..]), (BY_EMAIL, &numbers[..]), (CREATION, &numbers[..])];
        notify(&*store, number, &all).await;
        let second = 6_000 + 100 * i64::try_from(number).unwrap();
        made.extend(enqueue_all(&*store, second, second).await);
    }
    let part = |offset: usize| made.iter().copied().skip(offset).step_by(5).collect::<Vec<_>>();
    claim(&*store, 1, 9_000, &[part(0), part(1), part(2)].concat()).await;
    store.settle(part(0).iter().map(|id| delivered(*id, 1, 9_000)).collect()).await.unwrap();
    store.settle(part(1).iter().map(|id| failed(*id, 1, 9_000)).collect()).await.unwrap();
    store.cancel(part(3), CancelReason::Disabled, at(9_000)).await.unwrap();
    let rows = all_deliveries(&*store).await;
    assert_eq!(rows.len(), 6 * 9);
    (store, rows)
}

fn is_selected(row: &DeliveryRow, selection: &DeliveryList) -> bool {
    selection.owner.is_none_or(|owner| row.owner == owner)
        && selection.search.is_none_or(|search| row.lane.search == search)
        && selection.state.is_none_or(|state| StateKind::of(row.state) == state)
        && selection.channel.is_none_or(|channel| row.lane.channel == channel)
        && selection.from.is_none_or(|from| row.created_at >= from)
        && selection.until.is_none_or(|until| row.created_at < until)
}

/// Each value as `Some`, and `None`.
fn options<T: Copy>(some: impl IntoIterator<Item = T>) -> Vec<Option<T>> {
    some.into_iter().map(Some).chain([None]).collect()
}

pub async fn deliveries_are_listed_by_every_filter<B: Backend>() {
    let (store, rows) = varied::<B>().await;
    let searches: Vec<_> = [0, 1, 2].map(|index| rows[index].lane.search).into_iter().collect();
    let (mut checked, mut found_some) = (0, 0);
    for owner in options([user_id(1), user_id(2), user_id(9)]) {
        for search in options(searches.iter().copied()) {
            for state in options(StateKind::ALL) {
                for channel in options(DeliveryChannel::ALL) {
                    for (from, until) in [(None, None), (Some(6_200), Some(6_400)), (Some(6_601), None)] {
                        let selection = DeliveryList {
                            owner,
                            search,
                            state,
                            channel,
                            from: from.map(at),
                            until: until.map(at),
                            ..list()
                        };
                        let page = store.list_deliveries(selection.clone()).await.unwrap();
                        let expected: Vec<_> =
                            rows.iter().rev().filter(|row| is_selected(row, &selection)).cloned().collect();
                        assert_eq!(page.total, expected.len() as u64, "{selection:?}");
                        assert_eq!(page.deliveries, expected, "{selection:?}");
                        checked += 1;
                        found_some += usize::from(page.total > 0);
                    }
                }
            }
        }
    }
    assert!(found_some > 200 && found_some < checked, "{found_some} of {checked} found something");
    // A range includes its start and excludes its end.
    let window = DeliveryList { from: Some(at(6_200)), until: Some(at(6_300)), ..list() };
    assert_eq!(store.list_deliveries(window).await.unwrap().total, 9);
}

pub async fn deliveries_are_listed_in_pages<B: Backend>() {
    let (store, rows) = varied::<B>().await;
    let of_one = DeliveryList { search: Some(rows[0].lane.search), ..list() };
    for chosen in [list(), of_one] {
        let expected: Vec<_> = rows.iter().rev().filter(|row| is_selected(row, &chosen)).cloned().collect();
        for (skip, take) in [(0, 0), (0, 1), (1, 1), (3, 10), (17, 10), (50, 10), (60, 10), (u64::MAX, 1)] {
            let page = store.list_deliveries(DeliveryList { skip, take, ..chosen.clone() }).await.unwrap();
            let window = expected.iter().skip(usize::try_from(skip).unwrap_or(usize::MAX));
            let window: Vec<_> = window.take(usize::try_from(take).unwrap()).cloned().collect();
            assert_eq!((page.total, page.deliveries), (expected.len() as u64, window), "{skip}, {take}");
        }
    }
    for row in rows {
        let (alone, attempts) = store.delivery(row.id).await.unwrap().unwrap();
        assert_eq!(attempts.len(), usize::try_from(row.attempts).unwrap());
        assert_eq!(alone, row);
    }
}

pub async fn attempts_since_a_date_are_found_within_a_limit<B: Backend>() {
    let (store, rows) = varied::<B>().await;
    let since = |second: i64, limit: usize| store.attempts_since(user_id(1), at(second), limit);
    let attempted = |from: i64| {
        let is_new = move |row: &&DeliveryRow| row.owner == user_id(1) && row.created_at >= at(from);
        rows.iter().filter(is_new).map(|row| row.attempts as usize).sum::<usize>()
    };
    assert!(attempted(0) > attempted(6_400) && attempted(6_400) > 0);
    for from in [0, 6_400, 9_999] {
        let found = since(from, 1_000).await.unwrap();
        assert_eq!((found.attempts.len(), found.is_complete), (attempted(from), true));
    }
    // The limit counts deliveries without attempts, too.
    let own = rows.iter().filter(|row| row.owner == user_id(1)).count();
    let found = since(0, own).await.unwrap();
    assert_eq!((found.attempts.len(), found.is_complete), (attempted(0), true));
    let found = since(0, own - 1).await.unwrap();
    assert!(!found.is_complete && found.attempts.len() <= attempted(0));
    let found = since(0, 1).await.unwrap();
    assert!(!found.is_complete && found.attempts.len() <= 1);
}

pub async fn deleting_a_search_cancels_its_deliveries<B: Backend>() {
    let (store, before) = varied::<B>().await;
    let search = before[0].lane.search;
    assert_eq!(before[0].search, Some(search_id(1)));
    commit(&*store, [remove_search(search_id(1))]).await;
    let after = all_deliveries(&*store).await;
    let mut cancelled = 0;
    for (before, after) in before.iter().zip(&after) {
        let mut expected = before.clone();
        if before.lane.search == search {
            expected.search = None;
            if before.state == DeliveryState::Pending {
                expected.state = DeliveryState::Cancelled(CancelReason::SearchDeleted);
                expected.state_at = at(RECORDED_AT_SECOND);
                cancelled += 1;
            }
        }
        assert_eq!(after, &expected);
    }
    assert!(cancelled > 2, "{cancelled}");
    for state in StateKind::ALL {
        let selection = DeliveryList { state: Some(state), ..list() };
        let expected = after.iter().filter(|row| is_selected(row, &selection)).count() as u64;
        assert_eq!(store.list_deliveries(selection).await.unwrap().total, expected, "{state:?}");
    }
    // A leased delivery stays leased until it is settled.
    let under_way = after.iter().find(|row| row.lane.search == search && row.state == DeliveryState::Leased);
    assert!(under_way.is_some(), "{after:?}");
    assert!(store.lanes(None, 99).await.unwrap().iter().all(|found| found.lane.search != search));
}

pub async fn one_delivery_is_replayed_from_any_final_state<B: Backend>() {
    let (store, search, made) = webhooks::<B>(6).await;
    claim(&*store, 1, 6_000, &made[..4]).await;
    let ended = vec![delivered(made[0], 1, 6_000), failed(made[1], 1, 6_000)];
    store.settle([ended, vec![retry(made[2], 1, 6_000, at(9_600))]].concat()).await.unwrap();
    store.cancel(made[4..5].to_vec(), CancelReason::NoRecipient, at(6_000)).await.unwrap();
    // 0 delivered, 1 failed, 2 to be retried, 3 leased, 4 cancelled, 5 pending.
    let replay = async |id| store.replay(Replay::One(id), at(7_000), 10).await.unwrap();
    for id in [made[0], made[1], made[4]] {
        assert_eq!(replay(id).await, [id]);
        assert_eq!(replay(id).await, [], "it is already pending");
        let listed = row(&*store, id).await;
        assert_eq!((listed.state, listed.state_at), (DeliveryState::Pending, at(7_000)));
    }
    for id in [made[2], made[3], made[5]] {
        assert_eq!(replay(id).await, []);
    }
    assert_eq!(row(&*store, made[2]).await.state_at, at(9_600), "a retry keeps its due date");
    assert_eq!(
        store.settle(vec![delivered(made[3], 1, 7_001)]).await.unwrap(),
        1,
        "the lease is still valid"
    );
    // Earlier attempts are stored, and none of them counts.
    assert_eq!((row(&*store, made[0]).await.attempts, row(&*store, made[4]).await.attempts), (1, 0));
    let seen = peek(&*store, lane(search, DeliveryChannel::Match), 9, Gather::DueOnly, 7_000).await;
    let counts: Vec<_> = seen.due.iter().map(|due| (due.id, due.failures)).collect();
    assert_eq!(counts, [(made[5], 0), (made[0], 0), (made[1], 0), (made[4], 0)]);
    claim(&*store, 2, 7_000, &made[1..2]).await;
    store.settle(vec![delivered(made[1], 2, 7_000)]).await.unwrap();
    let began: Vec<_> = attempts(&*store, made[1]).await.iter().map(|it| it.started_at.as_second()).collect();
    assert_eq!(began, [6_000, 7_000]);
    assert_eq!(
        store.settle(vec![failed(made[0], 1, 7_000)]).await.unwrap(),
        0,
        "an old claim holds no lease"
    );
}

pub async fn failed_deliveries_since_a_date_are_replayed<B: Backend>() {
    let (store, numbers) = store_with::<B>(2).await;
    let mut made: Vec<DeliveryId> = Vec::new();
    for number in 1..=6 {
        let all = [(BY_WEBHOOK, &numbers[..]), (BY_EMAIL, &numbers[..1])];
        notify(&*store, number, &all).await;
        let second = 6_000 + 100 * i64::try_from(number).unwrap();
        made.extend(enqueue_all(&*store, second, second).await);
    }
    // For each property: a webhook to the first search, a webhook to the second, an e-mail to the first.
    let hook = |property: usize| made[3 * (property - 1)];
    let letter = |property: usize| made[3 * (property - 1) + 2];
    claim(&*store, 1, 9_000, &made[..15]).await;
    let all_failed: Vec<_> = made[..12].iter().map(|id| failed(*id, 1, 9_000)).collect();
    assert_eq!(store.settle(all_failed).await.unwrap(), 12);
    store.settle(vec![delivered(hook(5), 1, 9_000)]).await.unwrap();
    store.cancel(vec![hook(6)], CancelReason::Disabled, at(9_000)).await.unwrap();
    store.cancel(vec![letter(6)], CancelReason::NoRecipient, at(9_000)).await.unwrap();
    let replay = async |since, limit| {
        let replay = Replay::Failed { search: numbers[0], since: at(since), after: None };
        store.replay(replay, at(9_500), limit).await.unwrap()
    };
    let count = async |since| store.count_replayable(numbers[0], at(since)).await.unwrap();
    assert_eq!((count(0).await, count(6_300).await, count(6_601).await), (10, 6, 0));
    assert_eq!(store.count_replayable(domain::SearchNumber(999), at(0)).await.unwrap(), 0);
    assert_eq!(replay(6_601, 99).await, []);
    let expected = [hook(3), letter(3), hook(4), letter(4), hook(6), letter(6)];
    let rest = Replay::Failed { search: numbers[0], since: at(6_300), after: Some(hook(6)) };
    assert_eq!(
        store.replay(rest, at(9_500), 99).await.unwrap(),
        expected[5..],
        "only those after a delivery"
    );
    assert_eq!(replay(6_300, 2).await, expected[..2], "the oldest first");
    assert_eq!(replay(6_300, 99).await, expected[2..5]);
    assert_eq!(replay(6_300, 99).await, []);
    for id in expected {
        let listed = row(&*store, id).await;
        assert_eq!((listed.state, listed.state_at), (DeliveryState::Pending, at(9_500)));
    }
    for (id, state) in [
        (hook(2), DeliveryState::Failed),
        (made[1], DeliveryState::Failed),
        (hook(5), DeliveryState::Delivered),
        (letter(5), DeliveryState::Leased),
    ] {
        assert_eq!(row(&*store, id).await.state, state);
    }
    assert_eq!((count(0).await, count(6_300).await), (4, 0));
    assert_eq!(replay(0, 99).await.len(), 4, "those enqueued before that date");
}

/// Prunes in steps until there is no more, and returns the number of steps.
async fn prune(store: &impl Store, before: i64, limit: usize) -> usize {
    let mut after = 0;
    for rounds in 1..1_000 {
        let forgotten = store.prune_deliveries(at(before), after, limit).await.unwrap();
        if !forgotten.more {
            return rounds;
        }
        assert!(forgotten.until >= after);
        after = forgotten.until;
    }
    panic!("pruning does not end");
}

pub async fn only_old_ended_deliveries_are_pruned<B: Backend>() {
    for limit in [1, 2, 3, 100] {
        let (store, search, made) = webhooks::<B>(9).await;
        // 0 is pending, 1 is leased, 2 ended late; the others ended at 6 001 and 7 001.
        claim(&*store, 1, 6_000, &made[1..9]).await;
        let settled = vec![
            delivered(made[2], 1, 9_000),
            delivered(made[3], 1, 6_000),
            failed(made[4], 1, 6_000),
            delivered(made[5], 1, 7_000),
            retry(made[6], 1, 6_000, at(9_000)),
            failed(made[7], 1, 6_000),
        ];
        assert_eq!(store.settle(settled).await.unwrap(), 6);
        let left = async || all_deliveries(&*store).await.iter().map(|row| row.id).collect::<Vec<_>>();
        prune(&*store, 6_000, limit).await;
        assert_eq!(left().await, made, "later deliveries are never pruned");
        assert!(prune(&*store, 6_001, limit).await < 20);
        assert_eq!(left().await, made, "it ended at that date");
        prune(&*store, 6_002, limit).await;
        let stored = [0, 1, 2, 5, 6, 8].map(|index| made[index]);
        assert_eq!(left().await, stored, "with limit {limit}");
        assert_eq!(store.delivery(made[3]).await.unwrap(), None);
        // Pending deliveries stay, and sequence numbers are not reused.
        prune(&*store, 1_000_000, limit).await;
        assert_eq!(left().await, [0, 1, 6, 8].map(|index| made[index]));
        assert_eq!(store.reap_leases(Leases::All, at(9_000), 9).await.unwrap().len(), 2);
        let seen = peek(&*store, lane(search, DeliveryChannel::Match), 99, Gather::DueOnly, 9_000).await;
        assert_eq!(seen.due.len(), 4);
        notify(&*store, 20, &[(BY_WEBHOOK, &[search])]).await;
        let new = enqueue_all(&*store, 9_000, 9_000).await;
        assert!(!made.contains(&new[0]), "ids are never reused");
        assert_eq!(row(&*store, new[0]).await.lane_sequence, 10, "lane sequence numbers are never reused");
        assert_eq!(attempts(&*store, new[0]).await, []);
    }
}

pub async fn documents_are_pruned_by_date<B: Backend>() {
    let (store, _, _) = webhooks::<B>(3).await;
    let key = |number: u64, contacts| DocumentKey { property: property_id(number), version: 1, contacts };
    for number in 1..=3 {
        let second = 6_000 + i64::try_from(number).unwrap();
        let stored =
            [Contacts::Shown, Contacts::Hidden].map(|contacts| (key(number, contacts), b"{}".to_vec()));
        let (at, lease_until, documents) = (at(second), at(second + 60), stored.to_vec());
        store
            .claim(Claim {
                claim_id: number,
                at,
                lease_until,
                deliveries: Vec::new(),
                contacts_hidden: Vec::new(),
                documents,
            })
            .await
            .unwrap();
    }
    let left = async || {
        let keys = [1, 2, 3].map(|number| key(number, Contacts::Shown)).to_vec();
        let stored = store.sent_documents(keys).await.unwrap();
        stored.iter().map(Option::is_some).collect::<Vec<_>>()
    };
    prune(&*store, 6_001, 1).await;
    assert_eq!(left().await, [true, true, true]);
    assert!(store.prune_deliveries(at(6_003), 0, 1).await.unwrap().more, "there are three more");
    prune(&*store, 6_003, 1).await;
    assert_eq!(left().await, [false, false, true]);
    prune(&*store, 10_000, 100).await;
    assert_eq!(left().await, [false; 3]);
    assert_eq!(
        all_deliveries(&*store).await.len(),
        3,
        "pending deliveries stay, and their documents are rendered again"
    );
}

pub async fn listed_delivery_names_its_match<B: Backend>() {
    let (store, numbers) = store_with::<B>(1).await;
    let first: Position = notify(&*store, 1, &[(BY_WEBHOOK, &numbers)]).await;
    let made = enqueue_all(&*store, 6_000, 6_000).await;
    let listed = row(&*store, made[0]).await;
    assert_eq!(listed.subject, Some((property_id(1), MatchId::of(numbers[0], first.0))));
    assert_eq!((listed.search, listed.lane), (Some(search_id(1)), lane(numbers[0], DeliveryChannel::Match)));
    assert!(
        store
            .find_match(numbers[0], first)
            .await
            .unwrap()
            .is_some_and(|row| row.id == listed.subject.unwrap().1)
    );
}
