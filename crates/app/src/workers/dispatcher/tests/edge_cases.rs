//! Edge cases: many searches at one host, searches switched off and on, contacts hidden late, changes of the clock.

use super::*;

#[tokio::test]
async fn many_searches_of_one_host_are_sent_in_parallel() {
    let service = TestService::new();
    for _ in 0..20 {
        service.save(webhook_alerts()).await;
    }
    service.ingest(1, 100.0).await;
    service.run_matcher().await;
    let mut dispatcher = service.dispatcher();
    let mut rounds = 0;
    while service.transport.webhooks().len() < 20 {
        dispatcher.run_once().await.unwrap();
        dispatcher.wait_idle().await;
        rounds += 1;
    }
    assert!(rounds <= 6, "four at a time: {rounds} rounds");
}

#[tokio::test]
async fn changes_of_a_property_are_sent_in_order() {
    let service = TestService::new();
    let event_endpoint = Endpoint::parse("https://hook.example/e").ok();
    let events = [EventName::UpdatePrice].into();
    service.save(Alerts { endpoint: None, event_endpoint, events, ..webhook_alerts() }).await;
    let falling = (0..30).map(|step| 100.0 - f64::from(step));
    for price in falling.clone() {
        service.ingest(1, price).await;
    }
    for price in [100.0, 95.0] {
        service.ingest(2, price).await;
    }
    service.run_matcher().await;
    let release = service.transport.hold();
    let mut dispatcher = service.dispatcher();
    for _ in 0..10 {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    let sent = || {
        let webhooks = service.transport.webhooks();
        webhooks.iter().map(|webhook| (webhook.summary(), webhook.order.unwrap())).collect::<Vec<_>>()
    };
    let order = |sequence, property_version| delivery::SequenceHeaders { sequence, property_version };
    let mut expected = vec![
        ("ad.update.price: au prix de 99".to_owned(), order(1, 2)),
        ("ad.update.price: au prix de 95".to_owned(), order(30, 2)),
    ];
    assert_eq!(sent(), expected, "another property does not wait");
    assert!(!dispatcher.run_once().await.unwrap(), "no busy loop in the meantime");
    // The attempts end, and the next ones fail: the others are sent all the same.
    service.transport.always(Answer::Outcome(Outcome::Failed(Fault::Status)));
    release.notify_waiters();
    run_until_idle(&mut dispatcher).await;
    let rest = (2..).zip(falling.skip(2));
    expected.extend(rest.map(|(number, price)| {
        (format!("ad.update.price: au prix de {price}"), order(number, number as u32 + 1))
    }));
    assert_eq!(sent(), expected);
}

#[tokio::test]
async fn deliveries_cancelled_by_switching_off_stay_cancelled() {
    let service = TestService::new();
    let search = service.save(webhook_alerts()).await;
    service.ingest(1, 100.0).await;
    service.run_matcher().await;
    service.transport.always(Answer::Outcome(Outcome::Failed(Fault::Status)));
    let mut dispatcher = service.dispatcher();
    run_until_idle(&mut dispatcher).await;
    assert_eq!(service.states().await, [DeliveryState::Pending]);
    service.change(&search, |alerts| alerts.enabled = false).await;
    assert_eq!(service.states().await, [DeliveryState::Cancelled(CancelReason::Disabled)], "at once");
    service.change(&search, |alerts| alerts.enabled = true).await;
    service.clock.advance_seconds(2 * HOUR);
    run_until_idle(&mut dispatcher).await;
    assert_eq!(service.transport.webhooks().len(), 1);
}

#[tokio::test]
async fn replaying_without_a_recipient_is_refused() {
    let service = TestService::new();
    let search = service.save(webhook_alerts()).await;
    service.ingest(1, 100.0).await;
    service.run_matcher().await;
    let mut dispatcher = service.dispatcher();
    dispatcher.enqueue(at(1_000_000)).await.unwrap();
    let off = service.change(&search, |alerts| alerts.enabled = false).await;
    service.clock.advance_seconds(1);
    assert_eq!(service.app.replay_failed(&off, at(0)).await.unwrap(), None);
    let [row] = service.deliveries().await.try_into().unwrap();
    let replay = async || service.app.replay_delivery(None, row.id).await.unwrap();
    assert_eq!(replay().await, Replayed::ChannelInactive(CancelReason::Disabled));
    service.change(&off, |alerts| (alerts.enabled, alerts.endpoint) = (true, None)).await;
    assert_eq!(replay().await, Replayed::ChannelInactive(CancelReason::NoRecipient));
    run_until_idle(&mut dispatcher).await;
    assert_eq!(service.states().await, [DeliveryState::Cancelled(CancelReason::Disabled)]);
    assert!(service.transport.webhooks().is_empty());
    let on = service.change(&off, |alerts| *alerts = webhook_alerts()).await;
    assert_eq!(service.app.replay_failed(&on, at(0)).await.unwrap(), Some(1));
    run_until_idle(&mut dispatcher).await;
    assert_eq!(service.states().await, [DeliveryState::Delivered]);
}

#[tokio::test]
async fn an_unsubscribed_event_is_cancelled() {
    let service = TestService::new();
    let event_endpoint = Endpoint::parse("https://hook.example/e").ok();
    let events = [EventName::AdCreate, EventName::UpdatePrice].into();
    let search = service.save(Alerts { endpoint: None, event_endpoint, events, ..webhook_alerts() }).await;
    service.ingest(1, 100.0).await;
    service.ingest(1, 90.0).await;
    service.run_matcher().await;
    service.transport.always(Answer::Outcome(Outcome::Failed(Fault::Status)));
    let mut dispatcher = service.dispatcher();
    run_until_idle(&mut dispatcher).await;
    service.change(&search, |alerts| alerts.events = [EventName::UpdatePrice].into()).await;
    service.clock.advance_seconds(HOUR);
    service.transport.always(Answer::Outcome(Outcome::Delivered));
    run_until_idle(&mut dispatcher).await;
    let unsubscribed = DeliveryState::Cancelled(CancelReason::NoRecipient);
    assert_eq!(service.states().await, [unsubscribed, DeliveryState::Delivered]);
    assert_eq!(service.transport.webhooks().len(), 3);
}

#[tokio::test]
async fn contacts_once_hidden_stay_hidden() {
    let service = TestService::new();
    let search = service.save(Alerts { hide_contact: true, ..webhook_alerts() }).await;
    service.ingest(1, 100.0).await;
    service.run_matcher().await;
    service.transport.always(Answer::Outcome(Outcome::Failed(Fault::Status)));
    let mut dispatcher = service.dispatcher();
    run_until_idle(&mut dispatcher).await;
    service.change(&search, |alerts| alerts.hide_contact = false).await;
    service.ingest(2, 100.0).await;
    service.run_matcher().await;
    run_until_idle(&mut dispatcher).await;
    service.change(&search, |alerts| alerts.hide_contact = true).await;
    service.clock.advance_seconds(HOUR);
    run_until_idle(&mut dispatcher).await;
    let webhooks = service.transport.webhooks();
    let hidden: Vec<_> = webhooks.iter().map(SentWebhook::hides_contacts).collect();
    assert_eq!(hidden.len(), 4);
    assert_eq!(
        webhooks[0].body,
        webhooks.iter().skip(1).find(|webhook| webhook.id == webhooks[0].id).unwrap().body
    );
    assert_eq!(hidden, [true, false, true, true]);
}

#[tokio::test]
async fn setting_the_clock_does_not_repeat_attempts_in_flight() {
    let service = TestService::new();
    service.save(webhook_alerts()).await;
    service.ingest(1, 100.0).await;
    service.run_matcher().await;
    let release = service.transport.hold();
    let mut dispatcher = service.dispatcher();
    while service.transport.webhooks().is_empty() {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    service.clock.advance_seconds(86_400);
    for _ in 0..5 {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    release.notify_one();
    dispatcher.wait_idle().await;
    run_until_idle(&mut dispatcher).await;
    assert_eq!(service.transport.webhooks().len(), 1);
    assert_eq!(service.states().await, [DeliveryState::Delivered]);
}

#[tokio::test]
async fn matches_beyond_one_email_are_in_the_next() {
    let service = TestService::new();
    service
        .save(Alerts { enabled: true, email: EmailAddress::parse("a@b.example").ok(), ..Alerts::default() })
        .await;
    for number in 0..35 {
        service.ingest(number, 100.0).await;
    }
    service.run_matcher().await;
    let mut dispatcher = service.dispatcher();
    run_until_idle(&mut dispatcher).await;
    service.clock.advance_seconds(300);
    run_until_idle(&mut dispatcher).await;
    let sizes: Vec<_> = service.transport.emails().iter().map(|email| email.listings.len()).collect();
    assert_eq!(sizes, [delivery::Email::LISTINGS_MAX, 35 - delivery::Email::LISTINGS_MAX]);
    assert_eq!(service.states().await, [DeliveryState::Delivered; 35]);
}

#[tokio::test]
async fn deliveries_claimed_ahead_are_released_when_the_search_is_off_or_the_dispatcher_stops() {
    let service = TestService::new();
    let search = service.save(webhook_alerts()).await;
    for number in 0..8 {
        service.ingest(number, 100.0).await;
    }
    service.run_matcher().await;
    let release = service.transport.hold();
    let mut dispatcher = service.dispatcher();
    while service.transport.webhooks().len() < 4 {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    let leased = |states: &[DeliveryState]| states.iter().filter(|it| **it == DeliveryState::Leased).count();
    assert_eq!(leased(&service.states().await), 8, "four in flight and four claimed ahead");
    service.change(&search, |alerts| alerts.enabled = false).await;
    let cancelled = |states: &[DeliveryState]| {
        states.iter().filter(|it| **it == DeliveryState::Cancelled(CancelReason::Disabled)).count()
    };
    // They wait a second for a permit, and are cancelled then.
    while cancelled(&service.states().await) < 4 {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    assert_eq!(service.transport.webhooks().len(), 4);
    release.notify_waiters();
    dispatcher.wait_idle().await;

    // The same when the dispatcher stops: no attempt starts, and no delivery is lost.
    let search = service.change(&search, |alerts| alerts.enabled = true).await;
    for number in 10..18 {
        service.ingest(number, 100.0).await;
    }
    service.run_matcher().await;
    let release = service.transport.hold();
    while service.transport.webhooks().len() < 8 {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    let finishing = tokio::task::JoinSet::from_iter([dispatcher.finish()]);
    tokio::task::yield_now().await;
    while leased(&service.states().await) > 0 {
        release.notify_waiters();
        tokio::task::yield_now().await;
    }
    finishing.join_all().await;
    assert_eq!(service.transport.webhooks().len(), 8, "of search {}", search.number.0);
    let pending = service.states().await.iter().filter(|it| **it == DeliveryState::Pending).count();
    assert_eq!(pending, 4);
}
