//! Recipients of e-mails that are asked first.

use domain::EmailAddress;
use store::RecipientConfirmation;
use store::prelude::*;
use testkit::build::{at, user_id};

use crate::backend::{Backend, Opened};

fn address(text: &str) -> EmailAddress {
    EmailAddress::parse(text).unwrap()
}

pub async fn recipient_is_asked_and_confirms<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let (user, zoe) = (user_id(1), address("zoe@exemple.fr"));
    assert_eq!(store.recipient_confirmation(user, zoe.clone()).await.unwrap(), None);
    store.put_question(user, zoe.clone(), [1; 32], at(1_000)).await.unwrap();
    store.put_question(user_id(2), zoe.clone(), [9; 32], at(1_001)).await.unwrap();
    let asked = RecipientConfirmation { user, asked_at: at(1_000), confirmed_at: None };
    assert_eq!(store.recipient_confirmation(user, address("Zoe@Exemple.fr")).await.unwrap(), Some(asked));
    assert_eq!(store.confirmation_by_token([1; 32]).await.unwrap(), Some(asked));

    // Asked again: the first token is no longer valid.
    store.put_question(user, zoe.clone(), [2; 32], at(2_000)).await.unwrap();
    assert_eq!(store.confirmation_by_token([1; 32]).await.unwrap(), None);
    store.confirm_recipient([1; 32], at(2_001)).await.unwrap();
    assert_eq!(store.confirmation_by_token([2; 32]).await.unwrap().unwrap().confirmed_at, None);

    store.confirm_recipient([2; 32], at(3_000)).await.unwrap();
    store.confirm_recipient([2; 32], at(4_000)).await.unwrap();
    store.put_question(user, zoe.clone(), [3; 32], at(5_000)).await.unwrap();
    let confirmed = RecipientConfirmation { user, asked_at: at(2_000), confirmed_at: Some(at(3_000)) };
    let store = store.reopened().await;
    assert_eq!(store.recipient_confirmation(user, zoe.clone()).await.unwrap(), Some(confirmed));
    let other = store.recipient_confirmation(user_id(2), zoe).await.unwrap().unwrap();
    assert_eq!(other.confirmed_at, None, "another user has to ask by itself");
}
