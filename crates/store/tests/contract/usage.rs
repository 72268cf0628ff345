//! Usage by key and day.

use domain::{Date, KeySettings, Scopes};
use store::prelude::*;
use store::{
    DailyUsage, DeliveryUsage, NewKey, OperationUsage, RequestUsage, UsageBatch, UsageList, UsagePage, User,
};
use testkit::build::{at, key_id, user_id};

use crate::backend::{Backend, Opened};

const LIST: &str = "GET /documents/properties";
const SEND: &str = "POST /adverts";

fn day(day: i8) -> Date {
    Date::new(2026, 3, day).unwrap()
}

fn requests(key: u64, on: i8, operation: &str, requests: u64, items: u64) -> RequestUsage {
    let (key, user, operation) = (key_id(key), user_id(key / 10), operation.to_owned());
    RequestUsage { key, user, day: day(on), operation, requests, items }
}

fn deliveries(user: u64, on: i8, webhooks: u64, emails: u64) -> DeliveryUsage {
    DeliveryUsage { user: user_id(user), day: day(on), webhooks, emails }
}

/// Users 1 and 2 with the keys 10, 11 and 20.
async fn with_keys<B: Backend>() -> Opened<B> {
    let store = Opened::<B>::fresh().await;
    for number in [10, 11, 20] {
        let key = NewKey {
            id: key_id(number),
            secret_hash: [0; 32],
            user_name: format!("user {}", number / 10),
            user_id_if_new: user_id(number / 10),
            scopes: Scopes::all(),
            settings: KeySettings {
                label: domain::access::parse_label(&format!("key {number}")).unwrap(),
                ..KeySettings::default()
            },
            created_at: at(1),
        };
        store.create_key(key).await.unwrap();
    }
    store
}

async fn add(store: &impl Store, requests: Vec<RequestUsage>, deliveries: Vec<DeliveryUsage>) {
    store.add_usage(UsageBatch { requests, deliveries, last_uses: Vec::new() }).await.unwrap();
}

fn all() -> UsageList {
    UsageList { take: 100, ..UsageList::default() }
}

/// The days and the numbers of the keys; 0 for deliveries.
fn listed(page: &UsagePage) -> Vec<(i8, u64)> {
    let number = |usage: &DailyUsage| {
        let key = usage.key.as_ref().map(|(key, _)| key.clone());
        [10, 11, 20].into_iter().find(|number| key == Some(key_id(*number))).unwrap_or(0)
    };
    page.days.iter().map(|usage| (usage.day.day(), number(usage))).collect()
}

pub async fn counts_are_added_up_by_key_and_day<B: Backend>() {
    let store = with_keys::<B>().await;
    add(
        &*store,
        vec![requests(10, 2, LIST, 2, 60), requests(10, 2, SEND, 1, 5)],
        vec![deliveries(1, 2, 3, 0)],
    )
    .await;
    add(&*store, vec![requests(10, 2, LIST, 1, 7)], vec![deliveries(1, 2, 1, 2)]).await;
    add(&*store, Vec::new(), Vec::new()).await;
    let store = store.reopened().await;
    let page = store.list_usage(all()).await.unwrap();
    let user = User { id: user_id(1), name: "user 1".to_owned() };
    let operation = |operation: &str, requests, items| OperationUsage {
        operation: operation.to_owned(),
        requests,
        items,
    };
    let by_key = DailyUsage {
        day: day(2),
        user: user.clone(),
        key: Some((key_id(10), domain::access::parse_label("key 10").unwrap())),
        requests: 4,
        items: 72,
        webhooks: 0,
        emails: 0,
        operations: vec![operation(LIST, 3, 67), operation(SEND, 1, 5)],
    };
    let of_user = DailyUsage {
        day: day(2),
        user,
        key: None,
        requests: 0,
        items: 0,
        webhooks: 4,
        emails: 2,
        operations: Vec::new(),
    };
    assert_eq!(page, UsagePage { total: 2, days: vec![by_key, of_user] });
}

pub async fn usage_is_listed_by_every_filter<B: Backend>() {
    let store = with_keys::<B>().await;
    let rows = [(10, 1), (10, 3), (11, 2), (20, 3)];
    let rows = rows.iter().map(|(key, on)| requests(*key, *on, LIST, 1, 1)).collect();
    add(&*store, rows, vec![deliveries(1, 2, 1, 0), deliveries(2, 1, 0, 1)]).await;
    let check = async |list: UsageList, expected: &[(i8, u64)]| {
        let page = store.list_usage(list.clone()).await.unwrap();
        assert_eq!((page.total, &*listed(&page)), (expected.len() as u64, expected), "{list:?}");
    };
    let of_first = UsageList { user: Some(user_id(1)), ..all() };
    check(of_first.clone(), &[(3, 10), (2, 11), (2, 0), (1, 10)]).await;
    check(UsageList { user: Some(user_id(2)), ..all() }, &[(3, 20), (1, 0)]).await;
    check(UsageList { user: Some(user_id(3)), ..all() }, &[]).await;
    check(UsageList { key: Some(key_id(10)), ..all() }, &[(3, 10), (1, 10)]).await;
    check(UsageList { key: Some(key_id(20)), ..of_first.clone() }, &[]).await;
    check(UsageList { from: Some(day(2)), ..of_first.clone() }, &[(3, 10), (2, 11), (2, 0)]).await;
    check(UsageList { from: Some(day(2)), to: Some(day(2)), ..all() }, &[(2, 11), (2, 0)]).await;

    let everything = listed(&store.list_usage(all()).await.unwrap());
    assert_eq!(everything.len(), 6);
    for skip in 0..7 {
        let page = store.list_usage(UsageList { skip, take: 1, ..all() }).await.unwrap();
        let expected: Vec<_> =
            everything.iter().copied().skip(usize::try_from(skip).unwrap()).take(1).collect();
        assert_eq!((page.total, listed(&page)), (6, expected));
    }
}

pub async fn last_use_never_goes_back<B: Backend>() {
    let store = with_keys::<B>().await;
    let used = async |key: u64, second: i64| {
        let last_uses = vec![(key_id(key), at(second))];
        store.add_usage(UsageBatch { last_uses, ..UsageBatch::default() }).await.unwrap();
    };
    used(10, 50).await;
    used(10, 40).await;
    used(11, 60).await;
    used(11, 70).await;
    // Not the id of a key.
    used(99, 70).await;
    let keys = store.keys().await.unwrap();
    let last: Vec<_> = keys.iter().map(|key| key.last_used_at).collect();
    assert_eq!(last, [Some(at(50)), Some(at(70)), None]);
}

pub async fn only_older_days_are_pruned<B: Backend>() {
    let store = with_keys::<B>().await;
    let rows = (1..=4).map(|on| requests(10, on, LIST, 1, 1)).collect();
    add(&*store, rows, (1..=4).map(|on| deliveries(1, on, 1, 1)).collect()).await;
    store.prune_usage(day(3)).await.unwrap();
    let page = store.list_usage(all()).await.unwrap();
    assert_eq!(listed(&page), [(4, 10), (4, 0), (3, 10), (3, 0)]);
    assert!(page.days.iter().all(|usage| usage.operations.len() == usize::from(usage.key.is_some())));
    store.prune_usage(day(3)).await.unwrap();
    // A day that is counted again starts at zero.
    add(&*store, vec![requests(10, 1, LIST, 5, 0)], Vec::new()).await;
    let page = store.list_usage(UsageList { to: Some(day(1)), ..all() }).await.unwrap();
    assert_eq!(page.days[0].operations[0].requests, 5);
}
