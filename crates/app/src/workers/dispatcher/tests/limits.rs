//! Limits over time: what is above them waits, and nothing is lost. Also: deleting a search with many pending deliveries.

use domain::{SearchId, SearchRef};
use store::{Claim, MatchBatch};

use super::*;

fn email_alerts(address: &str) -> Alerts {
    Alerts { enabled: true, email: EmailAddress::parse(address).ok(), ..Alerts::default() }
}

/// Ingests adverts in one request.
async fn ingest_all(service: &TestService, numbers: impl Iterator<Item = u64>) {
    let advert = |number| {
        let mut advert = draft(Identity::Uuid(advert_id(number)));
        advert.property = Some(property_id(number));
        advert
    };
    service.app.ingest(numbers.map(advert).collect()).await.unwrap();
    service.run_matcher().await;
}

/// Passes the batch window.
async fn wait_for_batch(service: &TestService, dispatcher: &mut Dispatcher) {
    run_until_idle(dispatcher).await;
    service.clock.advance_seconds(300);
    run_until_idle(dispatcher).await;
}

#[tokio::test]
async fn emails_above_the_limit_of_an_address_are_sent_together_later() {
    let service =
        TestService::with_limits(DispatchLimits { emails_per_address_hour: 2, ..DispatchLimits::default() });
    service.save(email_alerts("a@b.example")).await;
    let mut dispatcher = service.dispatcher();
    for number in 1..=2 {
        ingest_all(&service, number..=number).await;
        wait_for_batch(&service, &mut dispatcher).await;
    }
    assert_eq!(service.transport.emails().len(), 2);
    for numbers in [3..=3, 4..=20, 21..=45] {
        ingest_all(&service, numbers).await;
        wait_for_batch(&service, &mut dispatcher).await;
    }
    service.clock.advance_seconds(3_600 - 900 - 300 - 1);
    run_until_idle(&mut dispatcher).await;
    assert_eq!(service.transport.emails().len(), 2, "the first one was sent less than an hour ago");
    service.clock.advance_seconds(1);
    run_until_idle(&mut dispatcher).await;
    let emails = service.transport.emails();
    assert_eq!(emails.len(), 3, "one for all that waited");
    assert_eq!((emails[2].listings.len(), emails[2].others), (30, 13));
    assert_eq!(service.states().await, [DeliveryState::Delivered; 45]);
}

#[tokio::test]
async fn a_collected_email_that_failed_is_repeated_unchanged() {
    let service =
        TestService::with_limits(DispatchLimits { emails_per_address_hour: 1, ..DispatchLimits::default() });
    service.save(email_alerts("a@b.example")).await;
    let mut dispatcher = service.dispatcher();
    ingest_all(&service, 1..=1).await;
    wait_for_batch(&service, &mut dispatcher).await;
    ingest_all(&service, 2..=50).await;
    wait_for_batch(&service, &mut dispatcher).await;
    service.transport.always(Answer::Outcome(Outcome::Failed(Fault::Status)));
    service.clock.advance_seconds(HOUR);
    run_until_idle(&mut dispatcher).await;
    service.transport.always(Answer::Outcome(Outcome::Delivered));
    service.clock.advance_seconds(HOUR);
    run_until_idle(&mut dispatcher).await;
    let emails = service.transport.emails();
    assert_eq!(emails.len(), 3);
    assert_eq!((emails[1].id, emails[1].listings.len(), emails[1].others), (emails[2].id, 30, 19));
    assert_eq!(emails[2].others, 19);
    assert_eq!(service.states().await, [DeliveryState::Delivered; 50]);
}

#[tokio::test]
async fn the_emails_of_a_user_are_limited_per_day() {
    let service =
        TestService::with_limits(DispatchLimits { emails_per_user_day: 1, ..DispatchLimits::default() });
    service.save(email_alerts("a@b.example")).await;
    service.save(email_alerts("c@d.example")).await;
    let mut dispatcher = service.dispatcher();
    ingest_all(&service, 1..=1).await;
    wait_for_batch(&service, &mut dispatcher).await;
    assert_eq!(service.transport.emails().len(), 1);
    service.clock.advance_seconds(24 * HOUR - 1);
    run_until_idle(&mut dispatcher).await;
    assert_eq!(service.transport.emails().len(), 1);
    service.clock.advance_seconds(1);
    run_until_idle(&mut dispatcher).await;
    let mut to: Vec<String> =
        service.transport.emails().iter().map(|email| email.to.as_str().to_owned()).collect();
    to.sort();
    assert_eq!(to, ["a@b.example", "c@d.example"]);
}

#[tokio::test]
async fn attempts_to_a_domain_are_limited_per_minute() {
    let limits = DispatchLimits { per_host_minute: 3, ..DispatchLimits::default() };
    let service = TestService::with_limits(limits);
    for endpoint in ["https://a.hook.fr/shared", "https://b.hook.fr/shared", "https://other.fr/own"] {
        service.save(Alerts { endpoint: Endpoint::parse(endpoint).ok(), ..webhook_alerts() }).await;
    }
    ingest_all(&service, 1..=4).await;
    let mut dispatcher = service.dispatcher();
    let sent = |path: &str| service.transport.webhooks().iter().filter(|sent| sent.path == path).count();
    // Each domain has its own minute. All names below a domain share one.
    for (shared, own) in [(3, 3), (6, 4), (8, 4)] {
        run_until_idle(&mut dispatcher).await;
        assert_eq!((sent("/shared"), sent("/own")), (shared, own));
        service.clock.advance_seconds(59);
        run_until_idle(&mut dispatcher).await;
        assert_eq!((sent("/shared"), sent("/own")), (shared, own), "the minute is not over");
        service.clock.advance_seconds(1);
    }
    assert_eq!(service.states().await, [DeliveryState::Delivered; 12]);
}

#[tokio::test]
async fn a_search_with_many_pending_deliveries_is_deleted_in_pieces() {
    const COUNT: u64 = 1_200;
    let service = TestService::new();
    let search = service.save(email_alerts("a@b.example")).await;
    ingest_all(&service, 1..=COUNT).await;
    let mut dispatcher = service.dispatcher();
    run_until_idle(&mut dispatcher).await;
    let pending = async || {
        let states = service.states().await;
        let deleted = DeliveryState::Cancelled(CancelReason::SearchDeleted);
        assert!(states.iter().all(|state| [DeliveryState::Pending, deleted].contains(state)));
        states.iter().filter(|state| **state == DeliveryState::Pending).count()
    };
    assert_eq!(pending().await, 1_200);
    let id: SearchId = search.search.id;
    assert!(service.app.delete_search(user_id(1), SearchRef::Id(id)).await.unwrap());
    let left = pending().await;
    assert_eq!(left, 700, "one transaction cancels a part");

    // What is left is neither claimed nor sent.
    let now = service.app.clock.now();
    let deliveries: Vec<_> = service.deliveries().await.iter().map(|row| row.id).collect();
    let claim = Claim {
        claim_id: 1,
        at: now,
        lease_until: now,
        deliveries,
        contacts_hidden: Vec::new(),
        documents: Vec::new(),
    };
    assert_eq!(service.store.claim(claim).await.unwrap(), []);

    // The matcher passes the deletion and indexes the matches first.
    let (after, until) = (service.store.matcher_checkpoint().await.unwrap(), *service.store.head().borrow());
    assert!(service.store.record_matches(MatchBatch { after, until, groups: Vec::new() }).await.unwrap());
    let mut last = pending().await;
    while service.store.index_matches(100).await.unwrap() {
        let next = pending().await;
        assert!(last - next <= 100, "{last} {next}");
        last = next;
    }
    assert_eq!(pending().await, 0);
    service.clock.advance_seconds(301);
    run_until_idle(&mut dispatcher).await;
    assert_eq!(service.transport.emails().len(), 0);
}
