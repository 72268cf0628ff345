//! The subject of a delivery, and the documents that were sent for it.

use domain::{AdvertEvent, DeliveryChannel, EventName, MatchId, SearchNumber};
use store::prelude::*;
use store::{
    Claim, Contacts, DeliverySubject, DocumentKey, DueDelivery, Expected, Gather, Leases, MatchGroup,
    Notification, OutboxEntry, Position, PutCause,
};
use testkit::build::{advert, advert_id, at, property, property_id};

use crate::backend::Backend;
use crate::changes::{change, commit, create, join, merge_into, put, title_event};
use crate::delivery_fixtures::{
    BY_WEBHOOK, CREATION, all_deliveries, enqueue_all, group, lane, notify, peek, record, retry, store_with,
};

async fn due(store: &impl Store, search: SearchNumber, channel: DeliveryChannel) -> Vec<DueDelivery> {
    peek(store, lane(search, channel), 99, Gather::DueOnly, 9_000).await.due
}

fn key(property: u64, version: u32, contacts: Contacts) -> DocumentKey {
    DocumentKey { property: property_id(property), version, contacts }
}

pub async fn delivery_has_its_subject<B: Backend>() {
    let (store, numbers) = store_with::<B>(2).await;
    let first = notify(&*store, 1, &[(BY_WEBHOOK, &numbers[..1]), (CREATION, &numbers[..1])]).await;
    let enqueued = enqueue_all(&*store, 6_000, 6_000).await;
    let matched = &due(&*store, numbers[0], DeliveryChannel::Match).await[0];
    let mut expected = DeliverySubject {
        property: property_id(1),
        version: 1,
        advert: advert_id(1),
        match_id: MatchId::of(numbers[0], first.0),
        matched_at: at(5_000),
        event: None,
        stored_documents: Vec::new(),
    };
    assert_eq!((matched.id, matched.notification, matched.position), (enqueued[0], BY_WEBHOOK, first));
    assert_eq!(matched.subject, Some(expected.clone()));
    let of_event = &due(&*store, numbers[0], DeliveryChannel::Event).await[0];
    assert_eq!((of_event.id, of_event.notification, of_event.position), (enqueued[1], CREATION, first));
    expected.event = Some(AdvertEvent::created(advert(1).build().created_at));
    assert_eq!(of_event.subject, Some(expected));
}

pub async fn event_delivery_has_the_first_match_date<B: Backend>() {
    let (store, numbers) = store_with::<B>(3).await;
    let [matches, linked_search, later] = [numbers[0], numbers[1], numbers[2]];
    let target = property(1, [advert(1).build()]);
    let first = commit(&*store, [create(&target, Expected::New)]).await;
    let events = [title_event(), vec![AdvertEvent::expiry(at(4_100), true)]].concat();
    let changed = |revision| {
        let cause = PutCause::Changed { events: events.clone() };
        put(&target, Expected::Revision(revision), advert_id(1), cause)
    };
    let mut positions = vec![first];
    for revision in 1..=3 {
        positions.push(commit(&*store, [changed(revision)]).await);
    }
    let heard_by = |who: &[SearchNumber]| {
        let expiry = Notification::Event(EventName::UpdateExpired, 1);
        vec![OutboxEntry { notification: expiry, searches: who.to_vec() }]
    };
    let sent =
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
    record(&*store, sent(0, 100, &[matches], &[linked_search], &[])).await;
    record(&*store, sent(1, 200, &[], &[linked_search, later], &numbers)).await;
    record(&*store, sent(2, 300, &[linked_search], &[later], &numbers)).await;
    record(&*store, sent(3, 400, &[], &[], &numbers)).await;
    enqueue_all(&*store, 6_000, 6_000).await;
    // Every attempt has the same date, regardless of later changes: that of the first match by then, else of the first event.
    for (search, expected) in [(matches, [100; 3]), (linked_search, [100, 300, 300]), (later, [200; 3])] {
        let due = due(&*store, search, DeliveryChannel::Event).await;
        let subjects: Vec<_> = due.iter().map(|due| due.subject.clone().unwrap()).collect();
        let since: Vec<_> = subjects.iter().map(|subject| subject.matched_at.as_second()).collect();
        assert_eq!(since, expected, "{search:?}");
        assert_eq!(subjects.iter().map(|subject| subject.version).collect::<Vec<_>>(), [2, 3, 4]);
        for subject in subjects {
            assert_eq!(subject.match_id, MatchId::of(search, first.0));
            assert_eq!(subject.event.as_ref(), Some(&events[1]), "the event at the notification's index");
        }
    }
}

pub async fn merged_property_keeps_its_deliveries<B: Backend>() {
    let (store, numbers) = store_with::<B>(1).await;
    let position = notify(&*store, 1, &[(BY_WEBHOOK, &numbers)]).await;
    enqueue_all(&*store, 6_000, 6_000).await;
    let merged = property(2, [advert(1).build()]);
    commit(
        &*store,
        [
            join(&merged, Expected::New, property_id(1)),
            merge_into(property_id(1), Expected::Revision(1), advert_id(1), property_id(2)),
        ],
    )
    .await;
    let due = due(&*store, numbers[0], DeliveryChannel::Match).await;
    let subject = due[0].subject.clone().unwrap();
    assert_eq!((subject.property, subject.version), (property_id(1), 1), "it is sent as it was");
    assert_eq!(subject.match_id, MatchId::of(numbers[0], position.0));
    let found = store.find_match(numbers[0], position).await.unwrap().unwrap();
    assert_eq!((found.property, found.version), (property_id(1), 1));
    assert!(store.property_at(property_id(1), 1).await.unwrap().is_some());
}

pub async fn event_of_a_move_is_delivered<B: Backend>() {
    let (store, numbers) = store_with::<B>(2).await;
    notify(&*store, 1, &[]).await;
    let joined = property(2, [advert(1).build()]);
    let removed = merge_into(property_id(1), Expected::Revision(1), advert_id(1), property_id(2));
    let last = commit(&*store, [join(&joined, Expected::New, property_id(1)), removed]).await;
    let position = Position(last.0 - 1);
    // The first search inherited the property, the second one only receives the event.
    let title = Notification::Event(EventName::AdUpdate, 0);
    let moved = MatchGroup {
        inherited: numbers[..1].to_vec(),
        linked: numbers[1..].to_vec(),
        ..group(position, 2, 1, &[(title, &numbers)])
    };
    record(&*store, moved).await;
    enqueue_all(&*store, 6_000, 6_000).await;
    for number in numbers {
        let due = due(&*store, number, DeliveryChannel::Event).await;
        let subject = due[0].subject.clone().unwrap();
        assert_eq!(subject.event.as_ref(), title_event().first());
        assert_eq!(subject.match_id, MatchId::of(number, position.0));
        assert!(store.find_match(number, position).await.unwrap().is_some(), "the event refers to it");
    }
    // The advert that moved is erased, and its event with it.
    store.erase(advert_id(1), at(9_000)).await.unwrap();
    assert_eq!(store.match_groups_after(Position::START, 10).await.unwrap(), []);
}

pub async fn documents_are_stored_as_first_sent<B: Backend>() {
    let (store, numbers) = store_with::<B>(1).await;
    notify(&*store, 1, &[(BY_WEBHOOK, &numbers), (CREATION, &numbers)]).await;
    let enqueued = enqueue_all(&*store, 6_000, 6_000).await;
    let (shown, hidden) = (key(1, 1, Contacts::Shown), key(1, 1, Contacts::Hidden));
    let keep = async |claim, second, deliveries: &[_], documents: &[(DocumentKey, &[u8])]| {
        let documents = documents.iter().map(|(key, document)| (*key, document.to_vec())).collect();
        let (at, lease_until, deliveries) = (at(second), at(second + 60), deliveries.to_vec());
        store
            .claim(Claim {
                claim_id: claim,
                at,
                lease_until,
                deliveries,
                contacts_hidden: Vec::new(),
                documents,
            })
            .await
            .unwrap()
    };
    let kept =
        async || store.sent_documents(vec![hidden, shown, key(1, 2, Contacts::Shown), shown]).await.unwrap();
    assert_eq!(kept().await, [None, None, None, None]);
    assert_eq!(keep(1, 6_000, &enqueued[..1], &[(shown, b"first")]).await, enqueued[..1]);
    let first = Some(b"first".to_vec());
    assert_eq!(kept().await, [None, first.clone(), None, first.clone()]);
    // A later document is not stored, even if nothing could be claimed.
    assert_eq!(keep(2, 6_000, &enqueued[..1], &[(shown, b"second"), (hidden, b"")]).await, []);
    assert_eq!(
        kept().await,
        [Some(Vec::new()), first.clone(), None, first.clone()],
        "an empty document counts"
    );
    let subject = due(&*store, numbers[0], DeliveryChannel::Event).await.remove(0).subject.unwrap();
    let mut contacts = subject.stored_documents;
    contacts.sort();
    assert_eq!(contacts, [Contacts::Shown, Contacts::Hidden]);
    let store = store.reopened().await;
    assert_eq!(store.sent_documents(vec![shown]).await.unwrap(), [first]);
    assert_eq!(store.sent_documents(Vec::new()).await.unwrap(), Vec::<Option<Vec<u8>>>::new());
}

pub async fn hidden_contacts_stay_hidden<B: Backend>() {
    let (store, numbers) = store_with::<B>(1).await;
    notify(&*store, 1, &[(BY_WEBHOOK, &numbers)]).await;
    notify(&*store, 2, &[(BY_WEBHOOK, &numbers)]).await;
    let enqueued = enqueue_all(&*store, 6_000, 6_000).await;
    let sent_contacts = async || {
        let due = due(&*store, numbers[0], DeliveryChannel::Match).await;
        assert_eq!(
            due.iter().map(|due| due.lane_sequence).collect::<Vec<_>>(),
            [1, 2],
            "sequence numbers do not change"
        );
        due.iter().map(|due| (due.due_at.as_second(), due.sent_contacts)).collect::<Vec<_>>()
    };
    let claim = async |claim, second, hidden: &[_]| {
        let (at, lease_until, deliveries) = (at(second), at(second + 60), enqueued.clone());
        let (hidden, documents) = (hidden.to_vec(), Vec::new());
        store
            .claim(Claim { claim_id: claim, at, lease_until, deliveries, contacts_hidden: hidden, documents })
            .await
            .unwrap()
    };
    assert_eq!(sent_contacts().await, [(6_000, None), (6_000, None)]);
    assert_eq!(claim(1, 6_000, &enqueued[1..]).await, enqueued);
    let again = |index: usize, due| retry(enqueued[index], 1, 6_001, at(due));
    assert_eq!(store.settle(vec![again(0, 7_000), again(1, 7_100)]).await.unwrap(), 2);
    let as_sent = [Some(Contacts::Shown), Some(Contacts::Hidden)];
    assert_eq!(sent_contacts().await, [(7_000, as_sent[0]), (7_100, as_sent[1])]);
    // Contacts can be hidden later, and are never shown again.
    assert_eq!(claim(2, 8_000, &[]).await, enqueued);
    assert_eq!(store.reap_leases(Leases::All, at(8_001), 9).await.unwrap().len(), 2);
    assert_eq!(sent_contacts().await.iter().map(|(_, sent)| *sent).collect::<Vec<_>>(), as_sent);
    assert_eq!(claim(3, 8_100, &enqueued[..1]).await, enqueued);
    assert_eq!(store.reap_leases(Leases::All, at(8_101), 9).await.unwrap().len(), 2);
    let hidden = Some(Contacts::Hidden);
    assert_eq!(sent_contacts().await.iter().map(|(_, sent)| *sent).collect::<Vec<_>>(), [hidden, hidden]);
}

pub async fn erased_subject_is_none<B: Backend>() {
    let (store, numbers) = store_with::<B>(1).await;
    // One property with two adverts and a notification about each, and one with a single advert.
    let first = notify(&*store, 1, &[(BY_WEBHOOK, &numbers), (CREATION, &numbers)]).await;
    let both = property(1, [advert(1).build(), advert(2).build()]);
    let second = commit(&*store, [create(&both, Expected::Revision(1))]).await;
    record(&*store, MatchGroup { advert: advert_id(2), ..group(second, 1, 2, &[(CREATION, &numbers)]) })
        .await;
    let third = notify(&*store, 3, &[(BY_WEBHOOK, &numbers)]).await;
    enqueue_all(&*store, 6_000, 6_000).await;
    let documents =
        [(1, 1), (1, 2), (3, 1)].map(|(property, version)| key(property, version, Contacts::Shown));
    let claim = Claim {
        claim_id: 1,
        at: at(6_000),
        lease_until: at(6_060),
        deliveries: Vec::new(),
        contacts_hidden: Vec::new(),
        documents: documents.map(|key| (key, b"document".to_vec())).to_vec(),
    };
    store.claim(claim).await.unwrap();
    let sent = async || {
        let mut sent = Vec::new();
        for channel in [DeliveryChannel::Match, DeliveryChannel::Event] {
            for due in due(&*store, numbers[0], channel).await {
                sent.push((due.position, channel, due.subject.map(|subject| subject.stored_documents.len())));
            }
        }
        sent
    };
    let (hook, event) = (DeliveryChannel::Match, DeliveryChannel::Event);
    let at_first =
        [(first, hook, Some(1)), (third, hook, Some(1)), (first, event, Some(1)), (second, event, Some(1))];
    assert_eq!(sent().await, at_first);

    // The first advert is erased: the document about the other one is rendered again.
    store.erase(advert_id(1), at(6_100)).await.unwrap().unwrap();
    let expected =
        [(first, hook, None), (third, hook, Some(1)), (first, event, None), (second, event, Some(0))];
    assert_eq!(sent().await, expected);
    let document = Some(b"document".to_vec());
    assert_eq!(store.sent_documents(documents.to_vec()).await.unwrap(), [None, None, document]);
    store.erase(advert_id(3), at(6_100)).await.unwrap().unwrap();
    assert_eq!(sent().await[1], (third, hook, None));
    assert_eq!(store.sent_documents(documents.to_vec()).await.unwrap(), [None, None, None]);
    // They are still listed, and the match of the remaining property keeps its id.
    let subjects: Vec<_> = all_deliveries(&*store).await.iter().map(|row| row.subject).collect();
    let left = Some((property_id(1), MatchId::of(numbers[0], first.0)));
    assert_eq!(subjects, [left, left, left, None]);
}

/// The dispatcher has read the property before the erasure and claims after it. Its document is not stored.
pub async fn document_rendered_before_an_erasure_is_not_stored<B: Backend>() {
    let (store, numbers) = store_with::<B>(1).await;
    notify(&*store, 1, &[(BY_WEBHOOK, &numbers)]).await;
    let both = property(1, [advert(1).build(), advert(2).build()]);
    commit(&*store, [create(&both, Expected::Revision(1))]).await;
    notify(&*store, 3, &[(BY_WEBHOOK, &numbers)]).await;
    enqueue_all(&*store, 6_000, 6_000).await;
    let keep = async |second, property, version| {
        let claim = Claim {
            claim_id: 1,
            at: at(second),
            lease_until: at(second + 60),
            deliveries: Vec::new(),
            contacts_hidden: Vec::new(),
            documents: vec![(key(property, version, Contacts::Hidden), b"written".to_vec())],
        };
        store.claim(claim).await.unwrap();
        let kept = store.sent_documents(vec![key(property, version, Contacts::Hidden)]).await.unwrap();
        kept[0].is_some()
    };
    store.erase(advert_id(2), at(6_100)).await.unwrap().unwrap();
    // The claim's date is when the dispatcher started to read, before the erasure or while that waited to be written.
    assert!(!keep(6_099, 1, 2).await);
    assert!(!keep(6_101, 1, 1).await);
    assert!(keep(6_101, 3, 1).await, "nothing was erased from the other property");
    // After the grace period no dispatcher can hold what it read before.
    assert!(keep(6_100 + 3_600, 1, 1).await);
    assert!(keep(6_100 + 3_600, 1, 3).await);
    store.erase(advert_id(1), at(20_000)).await.unwrap().unwrap();
    assert_eq!(store.sent_documents(vec![key(1, 1, Contacts::Hidden)]).await.unwrap(), [None]);
    assert!(!keep(20_001, 1, 3).await, "and again after the next erasure");
}

/// An event index out of range leaves the subject without event, and does not affect other deliveries.
pub async fn missing_event_leaves_the_subject_without_event<B: Backend>() {
    let (store, numbers) = store_with::<B>(1).await;
    let amiss = Notification::Event(EventName::UpdatePrice, u16::MAX);
    let position = notify(&*store, 1, &[(CREATION, &numbers), (amiss, &numbers)]).await;
    let target = property(1, [advert(1).build()]);
    let next = commit(&*store, [change(&target, Expected::Revision(1), advert_id(1))]).await;
    let retitled = Notification::Event(EventName::AdUpdate, 0);
    record(&*store, group(next, 1, 2, &[(retitled, &numbers)])).await;
    enqueue_all(&*store, 6_000, 6_000).await;
    let due = due(&*store, numbers[0], DeliveryChannel::Event).await;
    let sent: Vec<(Position, bool)> =
        due.iter().map(|due| (due.position, due.subject.as_ref().unwrap().event.is_some())).collect();
    assert_eq!(sent, [(position, true), (position, false), (next, true)]);
}
