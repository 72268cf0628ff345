//! Locating adverts by identity.

use domain::Identity;
use store::prelude::*;
use store::{AdvertRef, Expected, LiveAdvert};
use testkit::build::{
    advert, advert_id, at, property, property_id, site, site_reference, url_identity, web_address,
};

use crate::backend::{Backend, Opened};
use crate::changes::{change, commit, create, located};

pub async fn adverts_are_located_by_each_identity<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let known = advert(1).site("portail.fr").reference("A-1").url("https://portail.fr/1").build();
    commit(&*store, [create(&property(1, [known]), Expected::New)]).await;

    let expected = Some((advert_id(1), property_id(1)));
    for identity in [
        Identity::Uuid(advert_id(1)),
        site_reference("www.Portail.fr", "A-1"),
        url_identity("HTTPS://portail.fr:443/1#photo"),
    ] {
        assert_eq!(located(&*store, identity.clone()).await, expected, "{identity:?}");
    }
}

pub async fn unknown_identities_return_none_in_request_order<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let known = advert(1).site("portail.fr").reference("A-1").url("https://portail.fr/1").build();
    // Neither a site nor a reference alone identifies an advert.
    let halves = [advert(2).site("portail.fr").build(), advert(3).reference("A-1").build()];
    commit(&*store, [create(&property(1, [known]), Expected::New)]).await;
    for (number, half) in (2..).zip(halves) {
        commit(&*store, [create(&property(number, [half]), Expected::New)]).await;
    }
    let selection = vec![
        Identity::Uuid(advert_id(9)),
        url_identity("https://portail.fr/1"),
        site_reference("portail.fr", "a-1"),
        site_reference("autre.fr", "A-1"),
        Identity::Uuid(advert_id(1)),
        url_identity("https://portail.fr/1?page=2"),
    ];
    let found = Some(AdvertRef { advert: advert_id(1), property: property_id(1) });
    assert_eq!(store.locate(selection).await.unwrap(), [None, found, None, None, found, None]);
    assert_eq!(store.locate(Vec::new()).await.unwrap(), []);
}

pub async fn oldest_advert_wins_a_shared_url<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    for number in [1, 2] {
        let known = advert(number).url("https://portail.fr/1").build();
        commit(&*store, [create(&property(number, [known]), Expected::New)]).await;
    }
    let found = located(&*store, url_identity("https://portail.fr/1")).await;
    assert_eq!(found, Some((advert_id(1), property_id(1))));
}

pub async fn changed_identities_replace_old_ones<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let known = advert(1).site("portail.fr").reference("A-1").url("https://portail.fr/1").build();
    let mut target = property(1, [known]);
    commit(&*store, [create(&target, Expected::New)]).await;

    let details = &mut target.adverts[0].details;
    details.reference = None;
    details.url = Some(web_address("https://portail.fr/2"));
    commit(&*store, [change(&target, Expected::Revision(1), advert_id(1))]).await;

    let expected = Some((advert_id(1), property_id(1)));
    assert_eq!(located(&*store, site_reference("portail.fr", "A-1")).await, None);
    assert_eq!(located(&*store, url_identity("https://portail.fr/1")).await, None);
    assert_eq!(located(&*store, url_identity("https://portail.fr/2")).await, expected);
    assert_eq!(located(&*store, Identity::Uuid(advert_id(1))).await, expected);
}

pub async fn overdue_adverts_are_found_in_pieces<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let adverts = [
        advert(1).crawled_at(300).build(),
        advert(2).crawled_at(100).build(),
        advert(3).crawled_at(50).expired_at(60).build(),
        advert(4).crawled_at(200).build(),
    ];
    for known in adverts {
        let number = u64::from(known.id.as_bytes()[15]);
        commit(&*store, [create(&property(number, [known]), Expected::New)]).await;
    }
    let unseen = async |second, limit| {
        let (mut found, mut after, mut examined) = (Vec::new(), None, 0);
        loop {
            let page = store.not_crawled_since(at(second), after, limit).await.unwrap();
            assert!(page.examined <= limit);
            examined += page.examined;
            found.extend(page.adverts.into_iter().map(|located| (located.advert, located.property)));
            after = page.rest;
            if after.is_none() {
                assert_eq!(examined, 4, "every advert is looked at once");
                return found;
            }
        }
    };
    let [second, fourth] = [2, 4].map(|number| (advert_id(number), property_id(number)));
    for limit in [1, 2, 3, 4, 10] {
        assert_eq!(unseen(300, limit).await, [second, fourth]);
        assert_eq!(unseen(100, limit).await, []);
        assert_eq!(unseen(101, limit).await, [second]);
    }
}

pub async fn live_adverts_of_a_site_are_listed_by_id<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let adverts = [
        // With and without a reference: both belong to the site.
        advert(3).site("portail.fr").reference("A-3").crawled_at(300).build(),
        advert(1).site("portail.fr").crawled_at(100).build(),
        advert(2).site("portail.fr").reference("A-2").crawled_at(200).expired_at(250).build(),
        advert(4).site("autre.fr").reference("A-3").build(),
        advert(5).build(),
    ];
    for known in adverts {
        let number = u64::from(known.id.as_bytes()[15]);
        commit(&*store, [create(&property(number, [known]), Expected::New)]).await;
    }
    let live = async |name| {
        let found = store.live_adverts_of_site(site(name)).await.unwrap();
        let fields = |live: LiveAdvert| (live.located.advert, live.located.property, live.last_crawled_at);
        found.into_iter().map(fields).collect::<Vec<_>>()
    };
    let [first, third] = [1, 3].map(|number| (advert_id(number), property_id(number)));
    assert_eq!(live("portail.fr").await, [(first.0, first.1, at(100)), (third.0, third.1, at(300))]);
    assert_eq!(live("autre.fr").await.len(), 1);
    assert_eq!(live("inconnu.fr").await, []);
}
