//! Searches that are switched off and on: what they use up.

use domain::PropertyId;
use domain::criteria::RawCriterion;
use domain::search::SearchDraft;
use store::StoredSearch;
use store::prelude::*;
use testkit::build::{advert_id, property_id, user_id};

use super::super::Matcher;
use super::regrouping::{move_adverts, priced};
use super::{TestService, catch_up, criterion, search_draft};
use crate::App;

struct Scene {
    service: TestService,
    app: App,
    matcher: Matcher,
    /// A search with a budget of 100,000 that is switched off.
    search: StoredSearch,
}

impl Scene {
    async fn new() -> Self {
        let service = TestService::new();
        let app = service.app();
        let matcher = Matcher::new(&app).unwrap();
        let draft = search_draft(|draft| {
            criterion(&mut draft.raw_criteria, "budgetMax", RawCriterion::Number(100_000.0));
            draft.alerts.enabled = false;
        });
        let search = app.create_search(user_id(1), draft, 10).await.unwrap().unwrap();
        Self { service, app, matcher, search }
    }

    /// Sends an advert of the property with the same number.
    async fn price(&mut self, number: u64, price: f64) {
        self.app.ingest(vec![priced(number, Some(number), price)]).await.unwrap();
        catch_up(&mut self.matcher).await;
    }

    async fn switch(&mut self) {
        let mut draft: SearchDraft = self.search.search.draft.clone();
        draft.alerts.enabled ^= true;
        self.search = self.app.update_search(&self.search, draft).await.unwrap().unwrap();
        catch_up(&mut self.matcher).await;
    }

    async fn merge(&mut self, number: u64, into: u64) {
        move_adverts(&self.app, &[advert_id(number)], property_id(into)).await;
        catch_up(&mut self.matcher).await;
    }

    /// The properties that matched, in order.
    async fn matched(&self) -> Vec<PropertyId> {
        let page = self.service.store.list_matches(self.search.number, 0, 100).await.unwrap();
        page.matches.into_iter().rev().map(|row| row.property).collect()
    }
}

#[tokio::test]
async fn search_that_is_off_uses_up_no_match() {
    let mut scene = Scene::new().await;
    scene.price(1, 90_000.0).await;
    scene.price(2, 80_000.0).await;
    assert_eq!(scene.matched().await, []);
    scene.switch().await;
    assert_eq!(scene.matched().await, [], "the stock is not announced");
    scene.price(1, 85_000.0).await;
    assert_eq!(scene.matched().await, [], "it met the search before and after the change");
    scene.price(1, 200_000.0).await;
    scene.price(1, 90_000.0).await;
    assert_eq!(scene.matched().await, [property_id(1)]);

    // What was announced is announced once, however often the search is switched.
    scene.switch().await;
    scene.price(1, 200_000.0).await;
    scene.price(2, 200_000.0).await;
    scene.switch().await;
    scene.price(1, 70_000.0).await;
    assert_eq!(scene.matched().await, [property_id(1)]);
    // Also by a matcher that starts anew.
    scene.matcher = Matcher::new(&scene.app).unwrap();
    scene.price(2, 70_000.0).await;
    assert_eq!(scene.matched().await, [property_id(1), property_id(2)]);
}

#[tokio::test]
async fn merge_inherits_only_what_was_announced() {
    let mut scene = Scene::new().await;
    // It meets the search while that is off, and is merged into another home that does not.
    scene.price(1, 90_000.0).await;
    scene.price(2, 500_000.0).await;
    scene.merge(1, 2).await;
    scene.switch().await;
    let groups = scene.service.groups().await;
    assert!(groups.is_empty(), "nothing was announced, hence nothing is inherited: {groups:?}");
    // Each stays where it is.
    let at = |price: f64| move |number: u64| priced(number, None, price);
    scene.app.ingest([1, 2].map(at(500_000.0)).to_vec()).await.unwrap();
    scene.app.ingest([1, 2].map(at(90_000.0)).to_vec()).await.unwrap();
    catch_up(&mut scene.matcher).await;
    assert_eq!(scene.matched().await, [property_id(2)]);

    // What was announced is inherited while the search is off.
    scene.switch().await;
    scene.price(3, 500_000.0).await;
    move_adverts(&scene.app, &[advert_id(1), advert_id(2)], property_id(3)).await;
    scene.switch().await;
    scene.app.ingest([1, 2].map(at(500_000.0)).to_vec()).await.unwrap();
    scene.app.ingest([1, 2, 3].map(at(80_000.0)).to_vec()).await.unwrap();
    catch_up(&mut scene.matcher).await;
    assert_eq!(scene.matched().await, [property_id(2)]);
}
