//! Several dispatchers keep the order in which a search hears of one property.

use store::Expected;
use store::prelude::*;
use testkit::build::{advert, property};

use crate::backend::Postgres;
use crate::changes::{commit, create};
use crate::delivery_fixtures::{
    BY_WEBHOOK, claim, delivered, enqueue_all, group, notify, record, store_with,
};

#[tokio::test]
async fn a_delivery_waits_for_an_earlier_one_that_another_process_attempts() {
    let (store, searches) = store_with::<Postgres>(1).await;
    let outbox = [(BY_WEBHOOK, searches.as_slice())];
    notify(&*store, 1, &outbox).await;
    // Another change of the first property, and one of another property.
    let position = commit(&*store, [create(&property(2, [advert(2).build()]), Expected::New)]).await;
    record(&*store, group(position, 1, 1, &outbox)).await;
    notify(&*store, 3, &outbox).await;
    let enqueued = enqueue_all(&*store, 6_000, 6_000).await;
    let [first, second, other] = enqueued[..] else { panic!("{enqueued:?}") };

    assert_eq!(claim(&*store, 1, 6_000, &[first]).await, [first]);
    assert_eq!(claim(&*store, 2, 6_000, &[second, other]).await, [other], "the second one waits");
    assert_eq!(store.settle(vec![delivered(first, 1, 6_001)]).await.unwrap(), 1);
    assert_eq!(claim(&*store, 3, 6_002, &[second]).await, [second]);
}
