//! A store with rows in every table, written through the contract, and what it must go on with after a copy.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::access::parse_label;
use domain::grouping::{PersonDecision, Verdict};
use domain::{
    Date, DeliveryEpoch, DeliveryState, EmailAddress, FieldUpdate, KeySettings, SavedSearch, Scopes,
    SearchNumber, SessionId, SiteCategoryName, SiteName, WebhookSecret,
};
use store::prelude::*;
use store::{
    Claim, Contacts, DeliveryUsage, DocumentKey, Expected, MatchBatch, NewKey, NewSecret, Position, PutSite,
    RequestUsage, Session, SqlStore, Step, UsageBatch,
};
use testkit::build::{
    advert, advert_id, at, key_id, property, property_id, saved_search, search_id, site, user_id,
};

use crate::changes::{
    change, change_search, commit, create, create_search, leave, merge_into, regroup, remove_search,
};
use crate::delivery_fixtures::{
    BY_EMAIL, BY_WEBHOOK, all_deliveries, claim, delivered, enqueue_all, notify, retry,
};

/// Later than everything that happens here.
const LATER: i64 = 1_000_000;

/// Fills a new store.
pub async fn fill(store: &SqlStore) {
    departed(store).await;
    let searches = searches(store).await;
    deliveries(store, &searches).await;
    behind_the_matcher(store).await;
    accounts(store).await;
    sites(store).await;
    store.set_metadata("feed".to_owned(), Some("line 12\0\u{FFFD} é".to_owned())).await.unwrap();
    store.set_metadata("empty".to_owned(), Some(String::new())).await.unwrap();
}

/// A property that is off the market, and of whose log entries retention has deleted some.
async fn departed(store: &SqlStore) {
    let expired = property(90, [advert(90).expired_at(5_000).build()]);
    commit(store, [create(&property(90, [advert(90).build()]), Expected::New)]).await;
    commit(store, [change(&expired, Expected::Revision(1), advert_id(90))]).await;
    commit(store, [create(&property(91, [advert(91).build()]), Expected::New)]).await;
    match_all(store).await;
    while store.prune_log(at(LATER), Position(u64::MAX), 10).await.unwrap().more {}
}

fn search(number: u64, email: &str) -> SavedSearch {
    let mut search = saved_search(number);
    search.draft.alerts.email = Some(EmailAddress::parse(email).unwrap());
    search
}

async fn searches(store: &SqlStore) -> Vec<SearchNumber> {
    commit(store, (1..=4).map(|number| create_search(&search(number, "a@exemple.fr")))).await;
    let mut numbers = Vec::new();
    for number in 1..=3 {
        numbers.push(store.search(search_id(number)).await.unwrap().unwrap().number);
    }
    // The last number is in no row any more.
    commit(store, [remove_search(search_id(4))]).await;
    match_all(store).await;
    numbers
}

async fn match_all(store: &SqlStore) {
    let (after, until) = (store.matcher_checkpoint().await.unwrap(), *store.head().borrow());
    assert!(store.record_matches(MatchBatch { after, until, groups: Vec::new() }).await.unwrap());
    while store.index_matches(100).await.unwrap() {}
}

/// Deliveries in several states, some with attempts and one with a document.
async fn deliveries(store: &SqlStore, searches: &[SearchNumber]) {
    // Like servers do, with a number that no other store has.
    static EPOCHS: AtomicU64 = AtomicU64::new(77);
    let epoch = DeliveryEpoch::new(EPOCHS.fetch_add(1, Ordering::Relaxed));
    store.start_delivery_epoch(epoch).await.unwrap();
    for number in 1..=5 {
        notify(store, number, &[(BY_WEBHOOK, searches), (BY_EMAIL, &searches[..1])]).await;
    }
    while store.index_matches(100).await.unwrap() {}
    let made = enqueue_all(store, 6_000, 6_000).await;
    let documents = [(1, Contacts::Shown, &b"document"[..]), (2, Contacts::Hidden, b"")];
    let document = |(property, contacts, bytes): (u64, Contacts, &[u8])| {
        (DocumentKey { property: property_id(property), version: 1, contacts }, bytes.to_vec())
    };
    let claimed = Claim {
        claim_id: 1,
        at: at(6_001),
        lease_until: at(6_061),
        deliveries: vec![made[0]],
        contacts_hidden: vec![made[0]],
        documents: documents.map(document).to_vec(),
    };
    assert_eq!(store.claim(claimed).await.unwrap(), [made[0]]);
    assert_eq!(claim(store, 2, 6_001, &made[1..3]).await, made[1..3]);
    let settled = vec![delivered(made[0], 1, 6_002), retry(made[1], 2, 6_002, at(9_602))];
    assert_eq!(store.settle(settled).await.unwrap(), 2);
    // Pruned deliveries do not free their numbers.
    let before = all_deliveries(store).await.len();
    assert!(before > 10, "{before}");
}

/// What is kept until the matcher has passed it.
async fn behind_the_matcher(store: &SqlStore) {
    let merged = property(1, [advert(1).build(), advert(2).build()]);
    commit(
        store,
        [
            regroup(&merged, Expected::Revision(1), vec![advert_id(2)], vec![property_id(2)]),
            merge_into(property_id(2), Expected::Revision(1), advert_id(2), property_id(1)),
        ],
    )
    .await;
    let (alone, left) = (property(6, [advert(2).build()]), property(1, [advert(1).build()]));
    commit(
        store,
        [
            regroup(&alone, Expected::New, vec![advert_id(2)], vec![property_id(1)]),
            leave(&left, Expected::Revision(2), advert_id(2)),
        ],
    )
    .await;
    store.erase(advert_id(3), at(7_000)).await.unwrap().unwrap();
    store.put_signatures(vec![(advert_id(1), vec![7, 0, 255]), (advert_id(4), Vec::new())]).await.unwrap();
    commit(store, [change_search(&search(1, "b@exemple.fr"), 1), remove_search(search_id(3))]).await;
    let ids = |numbers: &[u64]| numbers.iter().copied().map(advert_id).collect();
    for verdict in [Verdict::Different, Verdict::Same] {
        let decision = PersonDecision { verdict, left: ids(&[1, 4]), right: ids(&[5]) };
        commit(store, [Step::PutDecision { decision, decided_by: "zoé".to_owned() }]).await;
    }
}

async fn accounts(store: &SqlStore) {
    let settings = KeySettings {
        label: parse_label("Site de l'agence").unwrap(),
        expires_at: Some(at(900_000)),
        requests_per_minute: Some(0),
    };
    for (number, name) in [(1, "zoé"), (2, "yann")] {
        let (id, user_id_if_new, created_at) = (key_id(number), user_id(number), at(100));
        let (secret_hash, user_name) = ([u8::try_from(number).unwrap(); 32], name.to_owned());
        let (scopes, settings) = (Scopes::all(), settings.clone());
        let key = NewKey { id, secret_hash, user_name, user_id_if_new, scopes, settings, created_at };
        store.create_key(key).await.unwrap();
    }
    assert!(store.revoke_key(key_id(2), at(200)).await.unwrap());
    let (id, key) = (SessionId::parse(&format!("{:022}", 1)).unwrap(), key_id(1));
    let session = Session { id, secret_hash: [5; 32], key, created_at: at(100), expires_at: at(900_000) };
    store.create_session(session).await.unwrap();
    let (day, user) = (Date::new(2026, 3, 2).unwrap(), user_id(1));
    let operation = "GET /documents/properties".to_owned();
    let usage = UsageBatch {
        requests: vec![RequestUsage { key: key_id(1), user, day, operation, requests: 3, items: 40 }],
        deliveries: vec![DeliveryUsage { user, day, webhooks: 2, emails: 1 }],
        last_uses: vec![(key_id(1), at(150))],
    };
    store.add_usage(usage).await.unwrap();
    for byte in [1, 2] {
        let secret = WebhookSecret::new([byte; WebhookSecret::BYTES]);
        store.put_webhook_secret(user, secret, NewSecret::Rotation, at(i64::from(byte))).await.unwrap();
    }
    let address = EmailAddress::parse("zoe@exemple.fr").unwrap();
    store.put_question(user, address, [1; 32], at(1_000)).await.unwrap();
}

async fn sites(store: &SqlStore) {
    let named = |name| SiteCategoryName::parse(name).unwrap();
    let category = store.create_site_category(named("Agences")).await.unwrap().unwrap();
    let deleted = store.create_site_category(named("Notaires")).await.unwrap().unwrap();
    let put = |key: &str, category| PutSite {
        key: site(key),
        name: FieldUpdate::Set(Some(SiteName::trusted("Exemple"))),
        category: FieldUpdate::Set(category),
    };
    store.put_site(put("exemple.fr", Some(category.id))).await.unwrap().unwrap();
    assert!(store.delete_site_category(deleted.id).await.unwrap());
    assert_eq!((category.id.get(), deleted.id.get()), (1, 2));
}

/// Checks that a copy of a filled store goes on where the original stopped.
pub async fn check_that_it_goes_on(store: &SqlStore) {
    let head = *store.head().borrow();
    let next = commit(store, [create(&property(50, [advert(50).build()]), Expected::New)]).await;
    assert_eq!(next, head.next(), "the log continues without a gap");
    commit(store, [create_search(&search(9, "c@exemple.fr"))]).await;
    let number = store.search(search_id(9)).await.unwrap().unwrap().number;
    assert_eq!(number, SearchNumber(5), "the number of a deleted search is not given again");
    let category = store.create_site_category(SiteCategoryName::parse("Autres").unwrap()).await.unwrap();
    assert_eq!(category.unwrap().id.get(), 3);
    let decisions: Vec<u64> =
        store.person_decisions(0).await.unwrap().into_iter().map(|(number, _)| number).collect();
    assert_eq!(decisions, [1, 2]);
    let secrets = store.webhook_secrets(user_id(1)).await.unwrap().unwrap();
    assert_eq!(secrets.replaced.len(), 1);
    assert!(store.key(key_id(1)).await.unwrap().is_some());

    // The same ids as before, and a pending delivery can be claimed. New ones come after the old ones.
    let before = all_deliveries(store).await;
    let pending = before.iter().find(|row| row.state == DeliveryState::Pending).unwrap();
    assert_eq!(claim(store, 9, 20_000, &[pending.id]).await, [pending.id]);
    match_all(store).await;
    notify(store, 60, &[(BY_WEBHOOK, &[number])]).await;
    let made = enqueue_all(store, 21_000, 21_000).await;
    assert_eq!(made.len(), 1);
    assert_eq!(all_deliveries(store).await.len(), before.len() + 1);
}
