//! Links in e-mails act for the recipient they were sent to, and for no other.

use domain::SearchId;

use super::*;

fn email(address: &str) -> Option<EmailAddress> {
    EmailAddress::parse(address).ok()
}

/// Sends an e-mail about a new advert and returns what its link carries.
async fn link_of_next_email(
    service: &TestService,
    dispatcher: &mut Dispatcher,
    number: u64,
) -> (SearchId, String) {
    service.ingest(number, 100.0).await;
    service.run_matcher().await;
    run_until_idle(dispatcher).await;
    service.clock.advance_seconds(300);
    run_until_idle(dispatcher).await;
    let last = service.transport.emails().pop().unwrap();
    let path = last.unsubscribe.as_str().strip_prefix("https://vigie.example/unsubscribe/").unwrap();
    let (search, token) = path.split_once('/').unwrap();
    assert_eq!(token.len(), crate::unsubscribe::LINK_TOKEN_LENGTH);
    (search.parse().unwrap(), token.to_owned())
}

#[tokio::test]
async fn the_link_of_a_former_recipient_does_not_unsubscribe_the_current_one() {
    let service = TestService::new();
    let alerts = Alerts { enabled: true, email: email("former@b.example"), ..Alerts::default() };
    let search = service.save(alerts).await;
    let mut dispatcher = service.dispatcher();
    let (id, former) = link_of_next_email(&service, &mut dispatcher, 1).await;
    assert_eq!(id, search.search.id);
    let token = search.search.token.as_str();
    assert!(former.starts_with(token), "the link carries the token of the search");
    let opens = async |link: &str| service.app.search_by_link(id, link).await.unwrap().is_some();
    assert!(opens(&former).await && opens(token).await, "also the link of an older release");

    service.change(&search, |alerts| alerts.email = email("current@b.example")).await;
    let (_, current) = link_of_next_email(&service, &mut dispatcher, 2).await;
    assert_eq!(service.transport.emails()[1].to, email("current@b.example").unwrap());
    // A former recipient can also cut the link down to the form of an older release, or guess.
    let guessed = format!("{token}-{}", "0".repeat(32));
    for link in [former.as_str(), token, &guessed, &format!("{token}-"), &current[51..]] {
        assert!(!opens(link).await, "{link}");
        assert!(!service.app.unsubscribe(id, link).await.unwrap(), "{link}");
    }
    let address =
        async || service.app.search_of(user_id(1), id).await.unwrap().unwrap().search.draft.alerts.email;
    assert_eq!(address().await, email("current@b.example"));

    // The same links work again for the same recipient, and case does not matter.
    service.change(&search, |alerts| alerts.email = email("Former@B.example")).await;
    assert!(opens(&former).await && !opens(&current).await && !opens(token).await);
    // Another process reads the same key from the store.
    let elsewhere = App::new(
        service.store.clone(),
        service.clock.clone(),
        Arc::new(SeededIds::new(2)),
        Arc::new(Gazetteer::embedded().unwrap()),
    );
    assert!(elsewhere.unsubscribe(id, &former).await.unwrap());
    assert_eq!(address().await, None);
    // Nothing is left to turn off, by any link.
    assert!(service.app.unsubscribe(id, &former).await.unwrap());
    assert!(service.app.unsubscribe(id, &current).await.unwrap());
}

/// Waits until a question is recorded, which happens a moment after it was sent.
async fn question_recorded(service: &TestService, address: &str, asked_at: i64) {
    loop {
        let found = service.store.recipient_confirmation(user_id(1), email(address).unwrap()).await.unwrap();
        if found.is_some_and(|found| found.asked_at == at(asked_at)) {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn nothing_but_a_question_is_sent_before_the_recipient_confirms() {
    const DAY: i64 = 86_400;
    let service = TestService::with(DispatchLimits::default(), Confirmation::Required);
    let alerts = Alerts { enabled: true, email: email("new@b.example"), ..Alerts::default() };
    service.save(alerts.clone()).await;
    service.save(alerts).await;
    service.ingest(1, 100.0).await;
    service.run_matcher().await;
    let mut dispatcher = service.dispatcher();
    run_until_idle(&mut dispatcher).await;
    service.clock.advance_seconds(300);
    run_until_idle(&mut dispatcher).await;
    question_recorded(&service, "new@b.example", 1_000_300).await;
    let [question] = service.transport.questions().try_into().unwrap();
    assert_eq!(question.to, email("new@b.example").unwrap(), "one for both searches");
    assert_eq!(service.states().await, [DeliveryState::Pending; 2]);
    let waiting = service.app.awaiting_confirmation(&service.deliveries().await).await.unwrap();
    assert_eq!(waiting.len(), 2);

    // Deliveries wait for a week, and the question is not repeated meanwhile.
    service.clock.advance_seconds(7 * DAY - 1);
    service.ingest(2, 100.0).await;
    service.run_matcher().await;
    run_until_idle(&mut dispatcher).await;
    assert_eq!(service.states().await, [DeliveryState::Pending; 4]);
    assert_eq!(service.transport.questions().len(), 1);
    service.clock.advance_seconds(60);
    run_until_idle(&mut dispatcher).await;
    let late = DeliveryState::Cancelled(CancelReason::Unconfirmed);
    assert_eq!(service.states().await, [late, late, DeliveryState::Pending, DeliveryState::Pending]);
    let token = |question: &delivery::ConfirmationEmail| {
        question.link.as_str().strip_prefix("https://vigie.example/public/recipients/").unwrap().to_owned()
    };
    assert!(!service.app.confirm_recipient(&token(&question)).await.unwrap(), "the link has expired");
    assert_eq!(service.transport.emails().len(), 0);

    // The next delivery asks again.
    service.clock.advance_seconds(300);
    run_until_idle(&mut dispatcher).await;
    while service.transport.questions().len() < 2 {
        tokio::task::yield_now().await;
    }
    let second = service.transport.questions().pop().unwrap();
    question_recorded(&service, "new@b.example", second.at.as_second()).await;
    for wrong in ["", "0", &token(&question), &token(&second)[..63]] {
        assert!(!service.app.confirm_recipient(wrong).await.unwrap(), "{wrong}");
    }
    assert!(service.app.confirm_recipient(&token(&second)).await.unwrap());
    assert!(service.app.confirm_recipient(&token(&second)).await.unwrap(), "twice is harmless");
    service.clock.advance_seconds(31);
    run_until_idle(&mut dispatcher).await;
    assert_eq!(service.transport.emails().len(), 2);
    assert_eq!(service.states().await, [late, late, DeliveryState::Delivered, DeliveryState::Delivered]);

    // A confirmation is for one user and one address.
    let other = Alerts { enabled: true, email: email("other@b.example"), ..Alerts::default() };
    service.save(other).await;
    service.ingest(3, 100.0).await;
    service.run_matcher().await;
    run_until_idle(&mut dispatcher).await;
    service.clock.advance_seconds(300);
    run_until_idle(&mut dispatcher).await;
    let now = service.app.clock.now().as_second();
    question_recorded(&service, "other@b.example", now).await;
    assert_eq!(service.transport.emails().len(), 4, "both searches of the confirmed recipient");
    assert!(service.transport.emails().iter().all(|sent| sent.to == email("new@b.example").unwrap()));
}
