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
    // Nothing is left to turn off, for whoever asks.
    assert!(service.app.unsubscribe(id, &former).await.unwrap());
    assert!(service.app.unsubscribe(id, &current).await.unwrap());
}
