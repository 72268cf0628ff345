//! What a delivery tells of, and the documents that were sent for it.

use domain::{AdvertEvent, DeliveryChannel, EventName, MatchId, SearchNumber};
use store::{
    Claim, Contacts, DeliverySubject, DocumentKey, DueDelivery, Expected, Gather, Leases, MatchGroup,
    Notification, OutboxEntry, Position, PutCause, Store,
};
use testkit::build::{advert, advert_id, at, property, property_id};

use crate::backend::Backend;
use crate::changes::{change, commit, create, put, title_news};
use crate::deliveries::{
    BY_WEBHOOK, CREATION, everything, group, lane, record, retry, store_with, take_in, tell, waiting,
};

async fn due(store: &impl Store, search: SearchNumber, channel: DeliveryChannel) -> Vec<DueDelivery> {
    waiting(store, lane(search, channel), 99, Gather::DueOnly, 9_000).await.due
}

fn key(property: u64, version: u32, contacts: Contacts) -> DocumentKey {
    DocumentKey { property: property_id(property), version, contacts }
}

pub async fn a_delivery_says_what_it_tells_of<B: Backend>() {
    let (store, given) = store_with::<B>(2).await;
    let first = tell(&*store, 1, &[(BY_WEBHOOK, &given[..1]), (CREATION, &given[..1])]).await;
    let made = take_in(&*store, 6_000, 6_000).await;
    let matched = &due(&*store, given[0], DeliveryChannel::Match).await[0];
    let mut expected = DeliverySubject {
        property: property_id(1),
        version: 1,
        advert: advert_id(1),
        matching: MatchId::of(given[0], first.0),
        matched_at: at(5_000),
        event: None,
        kept: Vec::new(),
    };
    assert_eq!((matched.id, matched.notification, matched.position), (made[0], BY_WEBHOOK, first));
    assert_eq!(matched.about, Some(expected.clone()));
    let heard = &due(&*store, given[0], DeliveryChannel::Event).await[0];
    assert_eq!((heard.id, heard.notification, heard.position), (made[1], CREATION, first));
    expected.event = Some(AdvertEvent::created(advert(1).build().created_at));
    assert_eq!(heard.about, Some(expected));
}

pub async fn an_event_says_since_when_the_search_knows_the_property<B: Backend>() {
    let (store, given) = store_with::<B>(3).await;
    let [matches, hears, later] = [given[0], given[1], given[2]];
    let home = property(1, [advert(1).build()]);
    let first = commit(&*store, [create(&home, Expected::New)]).await;
    let events = [title_news(), vec![AdvertEvent::expiry(at(4_100), true)]].concat();
    let changed = |revision| {
        let cause = PutCause::Changed { events: events.clone() };
        put(&home, Expected::Revision(revision), advert_id(1), cause)
    };
    let mut positions = vec![first];
    for revision in 1..=3 {
        positions.push(commit(&*store, [changed(revision)]).await);
    }
    let heard_by = |who: &[SearchNumber]| {
        let expiry = Notification::Event(EventName::UpdateExpired, 1);
        vec![OutboxEntry { notification: expiry, searches: who.to_vec() }]
    };
    let told =
        |index: usize, second, matched: &[SearchNumber], linked: &[SearchNumber], who: &[SearchNumber]| {
            let version = u32::try_from(index).unwrap() + 1;
            MatchGroup {
                at: at(second),
                matched: matched.to_vec(),
                linked: linked.to_vec(),
                outbox: heard_by(who),
                ..group(positions[index], 1, version, &[])
            }
        };
    record(&*store, told(0, 100, &[matches], &[hears], &[])).await;
    record(&*store, told(1, 200, &[], &[hears, later], &given)).await;
    record(&*store, told(2, 300, &[hears], &[later], &given)).await;
    record(&*store, told(3, 400, &[], &[], &given)).await;
    take_in(&*store, 6_000, 6_000).await;
    // At every attempt the same, whatever has happened since: the first match if there was one by then, else the first word.
    for (search, expected) in [(matches, [100; 3]), (hears, [100, 300, 300]), (later, [200; 3])] {
        let due = due(&*store, search, DeliveryChannel::Event).await;
        let abouts: Vec<_> = due.iter().map(|due| due.about.clone().unwrap()).collect();
        let since: Vec<_> = abouts.iter().map(|about| about.matched_at.as_second()).collect();
        assert_eq!(since, expected, "{search:?}");
        assert_eq!(abouts.iter().map(|about| about.version).collect::<Vec<_>>(), [2, 3, 4]);
        for about in abouts {
            assert_eq!(about.matching, MatchId::of(search, first.0));
            assert_eq!(about.event.as_ref(), Some(&events[1]), "the one that the notification means");
        }
    }
}

pub async fn documents_are_kept_as_they_were_first_sent<B: Backend>() {
    let (store, given) = store_with::<B>(1).await;
    tell(&*store, 1, &[(BY_WEBHOOK, &given), (CREATION, &given)]).await;
    let made = take_in(&*store, 6_000, 6_000).await;
    let (shown, hidden) = (key(1, 1, Contacts::Shown), key(1, 1, Contacts::Hidden));
    let keep = async |claim, second, deliveries: &[_], documents: &[(DocumentKey, &[u8])]| {
        let documents = documents.iter().map(|(key, document)| (*key, document.to_vec())).collect();
        let (at, lease_until, deliveries) = (at(second), at(second + 60), deliveries.to_vec());
        store
            .claim(Claim { claim, at, lease_until, deliveries, hidden: Vec::new(), documents })
            .await
            .unwrap()
    };
    let kept =
        async || store.sent_documents(vec![hidden, shown, key(1, 2, Contacts::Shown), shown]).await.unwrap();
    assert_eq!(kept().await, [None, None, None, None]);
    assert_eq!(keep(1, 6_000, &made[..1], &[(shown, b"first")]).await, made[..1]);
    let first = Some(b"first".to_vec());
    assert_eq!(kept().await, [None, first.clone(), None, first.clone()]);
    // Another one comes too late, also where nothing could be claimed.
    assert_eq!(keep(2, 6_000, &made[..1], &[(shown, b"second"), (hidden, b"")]).await, []);
    assert_eq!(kept().await, [Some(Vec::new()), first.clone(), None, first.clone()], "an empty one is one");
    let about = due(&*store, given[0], DeliveryChannel::Event).await.remove(0).about.unwrap();
    let mut contacts = about.kept;
    contacts.sort();
    assert_eq!(contacts, [Contacts::Shown, Contacts::Hidden]);
    let store = store.reopened().await;
    assert_eq!(store.sent_documents(vec![shown]).await.unwrap(), [first]);
    assert_eq!(store.sent_documents(Vec::new()).await.unwrap(), Vec::<Option<Vec<u8>>>::new());
}

pub async fn who_is_not_told_how_to_reach_the_advertiser_never_is<B: Backend>() {
    let (store, given) = store_with::<B>(1).await;
    tell(&*store, 1, &[(BY_WEBHOOK, &given)]).await;
    tell(&*store, 2, &[(BY_WEBHOOK, &given)]).await;
    let made = take_in(&*store, 6_000, 6_000).await;
    let sent_with = async || {
        let due = due(&*store, given[0], DeliveryChannel::Match).await;
        assert_eq!(due.iter().map(|due| due.number).collect::<Vec<_>>(), [1, 2], "whatever becomes of them");
        due.iter().map(|due| (due.due_at.as_second(), due.sent_with)).collect::<Vec<_>>()
    };
    let claim = async |claim, second, hidden: &[_]| {
        let (at, lease_until, deliveries) = (at(second), at(second + 60), made.clone());
        let (hidden, documents) = (hidden.to_vec(), Vec::new());
        store.claim(Claim { claim, at, lease_until, deliveries, hidden, documents }).await.unwrap()
    };
    assert_eq!(sent_with().await, [(6_000, None), (6_000, None)]);
    assert_eq!(claim(1, 6_000, &made[1..]).await, made);
    let again = |index: usize, due| retry(made[index], 1, 6_001, at(due));
    assert_eq!(store.settle(vec![again(0, 7_000), again(1, 7_100)]).await.unwrap(), 2);
    let as_sent = [Some(Contacts::Shown), Some(Contacts::Hidden)];
    assert_eq!(sent_with().await, [(7_000, as_sent[0]), (7_100, as_sent[1])]);
    // It can be hidden later, and is never shown again.
    assert_eq!(claim(2, 8_000, &[]).await, made);
    assert_eq!(store.reap_leases(Leases::All, at(8_001), 9).await.unwrap().len(), 2);
    assert_eq!(sent_with().await.iter().map(|(_, sent)| *sent).collect::<Vec<_>>(), as_sent);
    assert_eq!(claim(3, 8_100, &made[..1]).await, made);
    assert_eq!(store.reap_leases(Leases::All, at(8_101), 9).await.unwrap().len(), 2);
    let hidden = Some(Contacts::Hidden);
    assert_eq!(sent_with().await.iter().map(|(_, sent)| *sent).collect::<Vec<_>>(), [hidden, hidden]);
}

pub async fn of_what_was_erased_nothing_is_told_any_more<B: Backend>() {
    let (store, given) = store_with::<B>(1).await;
    // One property with two adverts, told of for the sake of each; and one with a single advert.
    let first = tell(&*store, 1, &[(BY_WEBHOOK, &given), (CREATION, &given)]).await;
    let both = property(1, [advert(1).build(), advert(2).build()]);
    let second = commit(&*store, [create(&both, Expected::Revision(1))]).await;
    record(&*store, MatchGroup { advert: advert_id(2), ..group(second, 1, 2, &[(CREATION, &given)]) }).await;
    let third = tell(&*store, 3, &[(BY_WEBHOOK, &given)]).await;
    take_in(&*store, 6_000, 6_000).await;
    let documents =
        [(1, 1), (1, 2), (3, 1)].map(|(property, version)| key(property, version, Contacts::Shown));
    let claim = Claim {
        claim: 1,
        at: at(6_000),
        lease_until: at(6_060),
        deliveries: Vec::new(),
        hidden: Vec::new(),
        documents: documents.map(|key| (key, b"document".to_vec())).to_vec(),
    };
    store.claim(claim).await.unwrap();
    let told = async || {
        let mut told = Vec::new();
        for channel in [DeliveryChannel::Match, DeliveryChannel::Event] {
            for due in due(&*store, given[0], channel).await {
                told.push((due.position, channel, due.about.map(|about| about.kept.len())));
            }
        }
        told
    };
    let (hook, event) = (DeliveryChannel::Match, DeliveryChannel::Event);
    let at_first =
        [(first, hook, Some(1)), (third, hook, Some(1)), (first, event, Some(1)), (second, event, Some(1))];
    assert_eq!(told().await, at_first);

    // The advert that was there first is erased: what tells of the other one is written anew.
    store.erase(advert_id(1), at(6_100)).await.unwrap().unwrap();
    let expected =
        [(first, hook, None), (third, hook, Some(1)), (first, event, None), (second, event, Some(0))];
    assert_eq!(told().await, expected);
    let document = Some(b"document".to_vec());
    assert_eq!(store.sent_documents(documents.to_vec()).await.unwrap(), [None, None, document]);
    store.erase(advert_id(3), at(6_100)).await.unwrap().unwrap();
    assert_eq!(told().await[1], (third, hook, None));
    assert_eq!(store.sent_documents(documents.to_vec()).await.unwrap(), [None, None, None]);
    // They are listed all the same, and the match of the property that is left has its id.
    let abouts: Vec<_> = everything(&*store).await.iter().map(|row| row.about).collect();
    let left = Some((property_id(1), MatchId::of(given[0], first.0)));
    assert_eq!(abouts, [left, left, left, None]);
}

/// Whoever sends has read the property before the erasure and claims after it. What they wrote is not kept.
pub async fn a_document_written_before_an_erasure_is_not_kept_after_it<B: Backend>() {
    let (store, given) = store_with::<B>(1).await;
    tell(&*store, 1, &[(BY_WEBHOOK, &given)]).await;
    let both = property(1, [advert(1).build(), advert(2).build()]);
    commit(&*store, [create(&both, Expected::Revision(1))]).await;
    tell(&*store, 3, &[(BY_WEBHOOK, &given)]).await;
    take_in(&*store, 6_000, 6_000).await;
    let keep = async |second, property, version| {
        let claim = Claim {
            claim: 1,
            at: at(second),
            lease_until: at(second + 60),
            deliveries: Vec::new(),
            hidden: Vec::new(),
            documents: vec![(key(property, version, Contacts::Hidden), b"written".to_vec())],
        };
        store.claim(claim).await.unwrap();
        let kept = store.sent_documents(vec![key(property, version, Contacts::Hidden)]).await.unwrap();
        kept[0].is_some()
    };
    store.erase(advert_id(2), at(6_100)).await.unwrap().unwrap();
    // Its moment is when it began to read, which may be before the erasure or while that waited to be written.
    assert!(!keep(6_099, 1, 2).await);
    assert!(!keep(6_101, 1, 1).await);
    assert!(keep(6_101, 3, 1).await, "of the others nothing was erased");
    // After a while nobody can be writing what they read before.
    assert!(keep(6_100 + 3_600, 1, 1).await);
    assert!(keep(6_100 + 3_600, 1, 3).await);
    store.erase(advert_id(1), at(20_000)).await.unwrap().unwrap();
    assert_eq!(store.sent_documents(vec![key(1, 1, Contacts::Hidden)]).await.unwrap(), [None]);
    assert!(!keep(20_001, 1, 3).await, "and again at the next one");
}

/// An event that is not among the events of its entry cannot be told, and keeps nothing else from being told.
pub async fn a_notice_of_an_event_that_is_not_there_is_told_without_it<B: Backend>() {
    let (store, given) = store_with::<B>(1).await;
    let amiss = Notification::Event(EventName::UpdatePrice, u16::MAX);
    let position = tell(&*store, 1, &[(CREATION, &given), (amiss, &given)]).await;
    let home = property(1, [advert(1).build()]);
    let next = commit(&*store, [change(&home, Expected::Revision(1), advert_id(1))]).await;
    let retitled = Notification::Event(EventName::AdUpdate, 0);
    record(&*store, group(next, 1, 2, &[(retitled, &given)])).await;
    take_in(&*store, 6_000, 6_000).await;
    let due = due(&*store, given[0], DeliveryChannel::Event).await;
    let told: Vec<(Position, bool)> =
        due.iter().map(|due| (due.position, due.about.as_ref().unwrap().event.is_some())).collect();
    assert_eq!(told, [(position, true), (position, false), (next, true)]);
}
