//! Users and API keys.

use domain::access::parse_label;
use domain::{KeySettings, Scope, Scopes, SessionId};
use store::prelude::*;
use store::{Key, NewKey, Session, User};
use testkit::build::{at, key_id, user_id};

use crate::backend::{Backend, Opened};

fn new_key(number: u64, user_name: &str) -> NewKey {
    NewKey {
        id: key_id(number),
        secret_hash: [u8::try_from(number).unwrap(); 32],
        user_name: user_name.to_owned(),
        user_id_if_new: user_id(number),
        scopes: [Scope::Read, Scope::Ingest].into_iter().collect(),
        settings: KeySettings::default(),
        created_at: at(100),
    }
}

pub async fn key_is_stored_with_its_user<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let expected = Key {
        id: key_id(1),
        secret_hash: [1; 32],
        user: User { id: user_id(1), name: "Zoé".to_owned() },
        scopes: [Scope::Read, Scope::Ingest].into_iter().collect(),
        settings: KeySettings::default(),
        created_at: at(100),
        revoked_at: None,
        last_used_at: None,
    };
    assert_eq!(store.create_key(new_key(1, "Zoé")).await.unwrap(), expected);
    assert_eq!(store.key(key_id(1)).await.unwrap(), Some(expected.clone()));
    assert_eq!(store.keys().await.unwrap(), std::slice::from_ref(&expected));

    let without_scopes = NewKey { scopes: Scopes::default(), ..new_key(2, "Zoé") };
    assert_eq!(store.create_key(without_scopes).await.unwrap().scopes, Scopes::default());
    let store = store.reopened().await;
    assert_eq!(store.key(key_id(1)).await.unwrap(), Some(expected));
}

pub async fn keys_of_one_user_name_share_the_user<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let first = store.create_key(new_key(1, "zoé")).await.unwrap();
    let second = store.create_key(new_key(2, "zoé")).await.unwrap();
    let other = store.create_key(new_key(3, "yann")).await.unwrap();
    assert_eq!((first.user.id, second.user.id, other.user.id), (user_id(1), user_id(1), user_id(3)));
    let listed: Vec<_> = store.keys().await.unwrap().into_iter().map(|key| key.id).collect();
    assert_eq!(listed, [key_id(1), key_id(2), key_id(3)]);
}

pub async fn key_ids_are_unique<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let first = store.create_key(new_key(1, "zoé")).await.unwrap();
    let again = NewKey { user_name: "yann".to_owned(), user_id_if_new: user_id(2), ..new_key(1, "") };
    assert!(store.create_key(again).await.is_err());
    assert_eq!(store.keys().await.unwrap(), [first]);
    // The user of the refused key was not created either.
    let later = NewKey { user_id_if_new: user_id(7), ..new_key(3, "yann") };
    assert_eq!(store.create_key(later).await.unwrap().user.id, user_id(7));
}

pub async fn revoking_again_keeps_the_first_date<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    for number in [1, 2] {
        store.create_key(new_key(number, "zoé")).await.unwrap();
    }
    assert!(store.revoke_key(key_id(1), at(200)).await.unwrap());
    assert!(store.revoke_key(key_id(1), at(300)).await.unwrap());
    let store = store.reopened().await;
    let revoked: Vec<_> = store.keys().await.unwrap().into_iter().map(|key| key.revoked_at).collect();
    assert_eq!(revoked, [Some(at(200)), None]);
}

pub async fn unknown_key_is_neither_found_nor_revoked<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    store.create_key(new_key(1, "zoé")).await.unwrap();
    assert_eq!(store.key(key_id(2)).await.unwrap(), None);
    assert!(!store.revoke_key(key_id(2), at(200)).await.unwrap());
    assert_eq!(store.key(key_id(1)).await.unwrap().unwrap().revoked_at, None);
}

pub async fn settings_of_a_key_are_kept_and_replaced<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let label = parse_label("Site de l'agence").unwrap();
    let settings = KeySettings { label, expires_at: Some(at(900)), requests_per_minute: Some(0) };
    let key = store.create_key(NewKey { settings: settings.clone(), ..new_key(1, "zoé") }).await.unwrap();
    assert_eq!(key.settings, settings);
    let other = store.create_key(new_key(2, "zoé")).await.unwrap();

    let changed = KeySettings { label: None, expires_at: None, requests_per_minute: Some(u32::MAX) };
    let expected = Key { settings: changed.clone(), ..key };
    assert_eq!(store.change_key(key_id(1), changed.clone()).await.unwrap().as_ref(), Some(&expected));
    assert_eq!(store.change_key(key_id(3), changed).await.unwrap(), None);
    let store = store.reopened().await;
    assert_eq!(store.keys().await.unwrap(), [expected, other]);
}

fn session(number: u64, created_at: i64, expires_at: i64) -> Session {
    Session {
        id: SessionId::parse(&format!("{number:022}")).unwrap(),
        secret_hash: [u8::try_from(number).unwrap(); 32],
        key: key_id(1),
        created_at: at(created_at),
        expires_at: at(expires_at),
    }
}

pub async fn sessions_are_kept_until_they_are_deleted_or_expired<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    store.create_key(new_key(1, "zoé")).await.unwrap();
    let (first, second, third) = (session(1, 100, 200), session(2, 150, 400), session(3, 199, 300));
    for session in [&first, &second, &third] {
        store.create_session(session.clone()).await.unwrap();
    }
    let store = store.reopened().await;
    assert_eq!(store.sessions().await.unwrap(), [first.clone(), second.clone(), third.clone()]);
    store.delete_sessions(vec![second.id.clone(), session(9, 0, 0).id]).await.unwrap();
    assert_eq!(store.sessions().await.unwrap(), [first, third.clone()]);
    // The first has expired when this one begins.
    let fourth = session(4, 200, 500);
    store.create_session(fourth.clone()).await.unwrap();
    assert_eq!(store.sessions().await.unwrap(), [third, fourth]);
}
