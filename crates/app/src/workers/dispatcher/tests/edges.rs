//! What is easily overlooked: many searches at one host, switching off and on, contacts hidden late, clocks that are set.

use super::*;

#[tokio::test]
async fn many_searches_of_one_host_go_out_together() {
    let listing = ListingSummary::new();
    for _ in 0..20 {
        listing.save(to_endpoint()).await;
    }
    listing.advertise(1, 100.0).await;
    listing.matched().await;
    let mut dispatcher = listing.dispatcher();
    let mut rounds = 0;
    while listing.transport.posts().len() < 20 {
        dispatcher.run_once().await.unwrap();
        dispatcher.settled().await;
        rounds += 1;
    }
    assert!(rounds <= 6, "four at a time, and not one: {rounds} rounds");
}

#[tokio::test]
async fn of_one_property_nothing_is_told_while_what_came_before_is_under_way() {
    let listing = ListingSummary::new();
    let event_endpoint = Endpoint::parse("https://hook.example/e").ok();
    let events = [EventName::UpdatePrice].into();
    listing.save(Alerts { endpoint: None, event_endpoint, events, ..to_endpoint() }).await;
    let falling = (0..30).map(|step| 100.0 - f64::from(step));
    for price in falling.clone() {
        listing.advertise(1, price).await;
    }
    for price in [100.0, 95.0] {
        listing.advertise(2, price).await;
    }
    listing.matched().await;
    let release = listing.transport.hold();
    let mut dispatcher = listing.dispatcher();
    for _ in 0..10 {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    let told = || {
        listing.transport.posts().iter().map(|post| (post.text(), post.order.unwrap())).collect::<Vec<_>>()
    };
    let order = |sequence, property_version| delivery::SequenceHeaders { sequence, property_version };
    let mut expected = vec![
        ("UpdatePrice in au prix de 99".to_owned(), order(1, 2)),
        ("UpdatePrice in au prix de 95".to_owned(), order(30, 2)),
    ];
    assert_eq!(told(), expected, "what tells of another property does not wait, however much is before it");
    assert!(!dispatcher.run_once().await.unwrap(), "and nobody goes round in circles meanwhile");
    // One is over, and it was not taken: the next one goes out all the same.
    listing.transport.always(Answer::Is(Outcome::Failed(Fault::Status)));
    release.notify_waiters();
    work(&mut dispatcher).await;
    let rest = (2..).zip(falling.skip(2));
    expected.extend(rest.map(|(number, price)| {
        (format!("UpdatePrice in au prix de {price}"), order(number, number as u32 + 1))
    }));
    assert_eq!(told(), expected);
}

#[tokio::test]
async fn what_was_queued_when_a_search_was_switched_off_stays_unsent_when_it_is_on_again() {
    let listing = ListingSummary::new();
    let search = listing.save(to_endpoint()).await;
    listing.advertise(1, 100.0).await;
    listing.matched().await;
    listing.transport.always(Answer::Is(Outcome::Failed(Fault::Status)));
    let mut dispatcher = listing.dispatcher();
    work(&mut dispatcher).await;
    assert_eq!(listing.states().await, [DeliveryState::Pending]);
    listing.change(&search, |alerts| alerts.enabled = false).await;
    assert_eq!(listing.states().await, [DeliveryState::Cancelled(CancelReason::Disabled)], "at once");
    listing.change(&search, |alerts| alerts.enabled = true).await;
    listing.clock.advance_seconds(2 * HOUR);
    work(&mut dispatcher).await;
    assert_eq!(listing.transport.posts().len(), 1);
}

#[tokio::test]
async fn what_goes_nowhere_is_not_sent_again_and_says_so() {
    let listing = ListingSummary::new();
    let search = listing.save(to_endpoint()).await;
    listing.advertise(1, 100.0).await;
    listing.matched().await;
    let mut dispatcher = listing.dispatcher();
    dispatcher.take_in(at(1_000_000)).await.unwrap();
    let off = listing.change(&search, |alerts| alerts.enabled = false).await;
    listing.clock.advance_seconds(1);
    assert_eq!(listing.app.replay_failed(&off, at(0)).await.unwrap(), None);
    let [row] = listing.deliveries().await.try_into().unwrap();
    let replay = async || listing.app.replay_delivery(None, row.id).await.unwrap();
    assert_eq!(replay().await, Replayed::Silent(CancelReason::Disabled));
    listing.change(&off, |alerts| (alerts.enabled, alerts.endpoint) = (true, None)).await;
    assert_eq!(replay().await, Replayed::Silent(CancelReason::NoRecipient));
    work(&mut dispatcher).await;
    assert_eq!(listing.states().await, [DeliveryState::Cancelled(CancelReason::Disabled)]);
    assert!(listing.transport.posts().is_empty());
    let on = listing.change(&off, |alerts| *alerts = to_endpoint()).await;
    assert_eq!(listing.app.replay_failed(&on, at(0)).await.unwrap(), Some(1));
    work(&mut dispatcher).await;
    assert_eq!(listing.states().await, [DeliveryState::Delivered]);
}

#[tokio::test]
async fn an_event_that_a_search_has_ceased_to_hear_of_is_not_sent_any_more() {
    let listing = ListingSummary::new();
    let event_endpoint = Endpoint::parse("https://hook.example/e").ok();
    let events = [EventName::AdCreate, EventName::UpdatePrice].into();
    let search = listing.save(Alerts { endpoint: None, event_endpoint, events, ..to_endpoint() }).await;
    listing.advertise(1, 100.0).await;
    listing.advertise(1, 90.0).await;
    listing.matched().await;
    listing.transport.always(Answer::Is(Outcome::Failed(Fault::Status)));
    let mut dispatcher = listing.dispatcher();
    work(&mut dispatcher).await;
    listing.change(&search, |alerts| alerts.events = [EventName::UpdatePrice].into()).await;
    listing.clock.advance_seconds(HOUR);
    listing.transport.always(Answer::Is(Outcome::Delivered));
    work(&mut dispatcher).await;
    let unheard = DeliveryState::Cancelled(CancelReason::NoRecipient);
    assert_eq!(listing.states().await, [unheard, DeliveryState::Delivered]);
    assert_eq!(listing.transport.posts().len(), 3);
}

#[tokio::test]
async fn contacts_once_hidden_stay_hidden_and_are_hidden_at_once_when_asked() {
    let listing = ListingSummary::new();
    let search = listing.save(Alerts { hide_contact: true, ..to_endpoint() }).await;
    listing.advertise(1, 100.0).await;
    listing.matched().await;
    listing.transport.always(Answer::Is(Outcome::Failed(Fault::Status)));
    let mut dispatcher = listing.dispatcher();
    work(&mut dispatcher).await;
    listing.change(&search, |alerts| alerts.hide_contact = false).await;
    listing.advertise(2, 100.0).await;
    listing.matched().await;
    work(&mut dispatcher).await;
    listing.change(&search, |alerts| alerts.hide_contact = true).await;
    listing.clock.advance_seconds(HOUR);
    work(&mut dispatcher).await;
    let posts = listing.transport.posts();
    let told: Vec<_> = posts.iter().map(|post| post.text().ends_with("hidden")).collect();
    assert_eq!(told.len(), 4);
    assert_eq!(posts[0].body, posts.iter().skip(1).find(|post| post.id == posts[0].id).unwrap().body);
    assert_eq!(told, [true, false, true, true]);
}

#[tokio::test]
async fn what_is_under_way_is_not_sent_again_because_the_clock_was_set() {
    let listing = ListingSummary::new();
    listing.save(to_endpoint()).await;
    listing.advertise(1, 100.0).await;
    listing.matched().await;
    let release = listing.transport.hold();
    let mut dispatcher = listing.dispatcher();
    while listing.transport.posts().is_empty() {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    listing.clock.advance_seconds(86_400);
    for _ in 0..5 {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    release.notify_one();
    dispatcher.settled().await;
    work(&mut dispatcher).await;
    assert_eq!(listing.transport.posts().len(), 1);
    assert_eq!(listing.states().await, [DeliveryState::Delivered]);
}

#[tokio::test]
async fn every_match_is_in_one_letter_or_the_next() {
    let listing = ListingSummary::new();
    listing
        .save(Alerts { enabled: true, email: EmailAddress::parse("a@b.example").ok(), ..Alerts::default() })
        .await;
    for number in 0..35 {
        listing.advertise(number, 100.0).await;
    }
    listing.matched().await;
    let mut dispatcher = listing.dispatcher();
    work(&mut dispatcher).await;
    listing.clock.advance_seconds(300);
    work(&mut dispatcher).await;
    let sizes: Vec<_> = listing.transport.emails().iter().map(|email| email.listings.len()).collect();
    assert_eq!(sizes, [delivery::Email::LISTINGS_MAX, 35 - delivery::Email::LISTINGS_MAX]);
    assert_eq!(listing.states().await, [DeliveryState::Delivered; 35]);
}

#[tokio::test]
async fn what_was_claimed_ahead_is_not_sent_once_its_search_is_off_or_the_worker_stops() {
    let listing = ListingSummary::new();
    let search = listing.save(to_endpoint()).await;
    for number in 0..8 {
        listing.advertise(number, 100.0).await;
    }
    listing.matched().await;
    let release = listing.transport.hold();
    let mut dispatcher = listing.dispatcher();
    while listing.transport.posts().len() < 4 {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    let leased = |states: &[DeliveryState]| states.iter().filter(|it| **it == DeliveryState::Leased).count();
    assert_eq!(leased(&listing.states().await), 8, "four under way and four claimed ahead");
    listing.change(&search, |alerts| alerts.enabled = false).await;
    let cancelled = |states: &[DeliveryState]| {
        states.iter().filter(|it| **it == DeliveryState::Cancelled(CancelReason::Disabled)).count()
    };
    // They wait a second for their turn, and are given up then.
    while cancelled(&listing.states().await) < 4 {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    assert_eq!(listing.transport.posts().len(), 4);
    release.notify_waiters();
    dispatcher.settled().await;

    // The same when the worker stops: nothing more is begun, and nothing is lost.
    let search = listing.change(&search, |alerts| alerts.enabled = true).await;
    for number in 10..18 {
        listing.advertise(number, 100.0).await;
    }
    listing.matched().await;
    let release = listing.transport.hold();
    while listing.transport.posts().len() < 8 {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    let finishing = tokio::task::JoinSet::from_iter([dispatcher.finish()]);
    tokio::task::yield_now().await;
    while leased(&listing.states().await) > 0 {
        release.notify_waiters();
        tokio::task::yield_now().await;
    }
    finishing.join_all().await;
    assert_eq!(listing.transport.posts().len(), 8, "of search {}", search.number.0);
    let pending = listing.states().await.iter().filter(|it| **it == DeliveryState::Pending).count();
    assert_eq!(pending, 4);
}
