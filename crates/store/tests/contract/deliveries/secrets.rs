//! Webhook secrets.

use domain::{ReplacedSecret, WebhookSecret, WebhookSecrets};
use store::NewSecret;
use store::prelude::*;
use testkit::build::{at, user_id};

use crate::backend::{Backend, Opened};

fn secret(byte: u8) -> WebhookSecret {
    WebhookSecret::new([byte; WebhookSecret::BYTES])
}

pub async fn first_secret_is_kept<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    assert_eq!(store.webhook_secrets(user_id(1)).await.unwrap(), None);
    let put = async |byte, second| {
        store.put_webhook_secret(user_id(1), secret(byte), NewSecret::First, at(second)).await.unwrap()
    };
    // Of two concurrent first secrets, one is stored, and both calls return it.
    let (one, other) = tokio::join!(put(1, 1_000), put(2, 1_000));
    assert_eq!(one, other);
    assert!(one.current == secret(1) || one.current == secret(2));
    assert_eq!((one.created_at, one.replaced.clone()), (at(1_000), vec![]));
    assert_eq!(put(3, 2_000).await, one);
    assert_eq!(store.webhook_secrets(user_id(1)).await.unwrap(), Some(one.clone()));
    assert_eq!(store.webhook_secrets(user_id(2)).await.unwrap(), None, "other users are not affected");
    let store = store.reopened().await;
    assert_eq!(store.webhook_secrets(user_id(1)).await.unwrap(), Some(one));
}

/// `replaced` lists the bytes of the previous secrets and when each was replaced, the newest first.
fn expected(current: u8, second: i64, replaced: &[(u8, i64)]) -> WebhookSecrets {
    let before =
        |(byte, second): &(u8, i64)| ReplacedSecret { secret: secret(*byte), replaced_at: at(*second) };
    WebhookSecrets {
        current: secret(current),
        created_at: at(second),
        replaced: replaced.iter().map(before).collect(),
    }
}

async fn rotate<B: Backend>(store: &Opened<B>, user: u64, byte: u8, second: i64) -> WebhookSecrets {
    store.put_webhook_secret(user_id(user), secret(byte), NewSecret::Rotation, at(second)).await.unwrap()
}

pub async fn rotation_keeps_previous_secrets<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    assert_eq!(rotate(&store, 1, 1, 1_000).await, expected(1, 1_000, &[]), "there was no previous secret");
    assert_eq!(rotate(&store, 2, 9, 1_500).await, expected(9, 1_500, &[]));
    assert_eq!(rotate(&store, 1, 2, 2_000).await, expected(2, 2_000, &[(1, 2_000)]));
    let third = expected(3, 3_000, &[(2, 3_000), (1, 2_000)]);
    assert_eq!(rotate(&store, 1, 3, 3_000).await, third, "the first is still within the overlap");
    let first = store.put_webhook_secret(user_id(1), secret(4), NewSecret::First, at(4_000)).await.unwrap();
    assert_eq!(first, third);
    let store = store.reopened().await;
    assert_eq!(store.webhook_secrets(user_id(1)).await.unwrap(), Some(third));
    assert_eq!(store.webhook_secrets(user_id(2)).await.unwrap(), Some(expected(9, 1_500, &[])));
}

pub async fn expired_and_excess_secrets_are_deleted<B: Backend>() {
    const DAY: i64 = 86_400;
    let store = Opened::<B>::fresh().await;
    for (user, byte) in [(1, 1), (2, 101)] {
        rotate(&store, user, byte, 0).await;
        rotate(&store, user, byte + 1, 10).await;
        rotate(&store, user, byte + 2, 20).await;
    }
    // One has expired, the other has a second left.
    let fourth = rotate(&store, 1, 4, DAY + 19).await;
    assert_eq!(fourth, expected(4, DAY + 19, &[(3, DAY + 19), (2, 20)]));
    let fifth = rotate(&store, 1, 5, DAY + 20).await;
    assert_eq!(fifth, expected(5, DAY + 20, &[(4, DAY + 20), (3, DAY + 19)]));
    // At most four are kept.
    for byte in 6..=9 {
        rotate(&store, 1, byte, DAY + i64::from(byte) * 100).await;
    }
    let replaced = [(8, DAY + 900), (7, DAY + 800), (6, DAY + 700), (5, DAY + 600)];
    assert_eq!(store.webhook_secrets(user_id(1)).await.unwrap(), Some(expected(9, DAY + 900, &replaced)));
    // Other users are not affected.
    let other = expected(103, 20, &[(102, 20), (101, 10)]);
    assert_eq!(store.webhook_secrets(user_id(2)).await.unwrap(), Some(other));
    let later = rotate(&store, 1, 10, 9 * DAY).await;
    assert_eq!(later, expected(10, 9 * DAY, &[(9, 9 * DAY)]));
}
