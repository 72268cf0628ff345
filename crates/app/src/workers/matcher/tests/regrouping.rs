//! Merges, splits and moves: who is alerted for them.

use domain::criteria::RawCriterion;
use domain::search::SearchDraft;
use domain::{
    AdvertDraft, AdvertId, Amount, Endpoint, EventName, FieldUpdate, Identity, Property, PropertyId,
    SearchNumber,
};
use store::prelude::*;
use store::{
    ChangeSet, CommitOutcome, Expected, Notification, Position, PutCause, PutProperty, Step, StoredProperty,
};
use testkit::build::{advert_id, at, draft, property_id, user_id};

use super::super::Matcher;
use super::{TestService, catch_up, criterion, search_draft};
use crate::App;

/// Returns all adverts of the properties that hold these.
pub async fn held_by(app: &App, adverts: &[AdvertId]) -> Vec<AdvertId> {
    let mut all = Vec::new();
    for stored in holders(app, adverts).await {
        all.extend(stored.property.adverts.iter().map(|advert| advert.id));
    }
    all
}

/// Returns the properties that hold adverts, each once.
async fn holders(app: &App, adverts: &[AdvertId]) -> Vec<StoredProperty> {
    let identities = adverts.iter().copied().map(Identity::Uuid).collect();
    let located = app.store().locate(identities).await.unwrap();
    let mut ids: Vec<PropertyId> = located.into_iter().flatten().map(|located| located.property).collect();
    ids.sort();
    ids.dedup();
    app.store().properties(ids).await.unwrap().into_values().collect()
}

/// Moves adverts to a property, as grouping does it. Those that do not exist or are there already stay.
pub async fn move_adverts(app: &App, adverts: &[AdvertId], to: PropertyId) {
    let known = app.store().properties(vec![to]).await.unwrap().remove(&to);
    let expected = known.as_ref().map_or(Expected::New, |stored| Expected::Revision(stored.revision));
    let mut joined = known.map_or(Property { id: to, adverts: Vec::new() }, |stored| stored.property);
    let (mut moved, mut from, mut leaving) = (Vec::new(), Vec::new(), Vec::new());
    for StoredProperty { mut property, revision, .. } in holders(app, adverts).await {
        if property.id == to {
            continue;
        }
        let source = property.id;
        let (moves, stays): (Vec<_>, Vec<_>) =
            property.adverts.drain(..).partition(|advert| adverts.contains(&advert.id));
        let advert = moves[0].id;
        moved.extend(moves.iter().map(|advert| advert.id));
        from.push(source);
        joined.adverts.extend(moves);
        let expected = Expected::Revision(revision);
        leaving.push(if stays.is_empty() {
            Step::Remove { property: source, expected, advert, merged_into: Some(to) }
        } else {
            property.adverts = stays;
            Step::Put(PutProperty {
                property: property.into(),
                expected,
                advert,
                cause: PutCause::Left,
                grouping: None,
            })
        });
    }
    let Some(advert) = moved.first().copied() else { return };
    let cause = PutCause::Regrouped { moved, from, events: Vec::new(), automatic: true };
    let mut steps =
        vec![Step::Put(PutProperty { property: joined.into(), expected, advert, cause, grouping: None })];
    steps.extend(leaving);
    let changes = ChangeSet { recorded_at: at(5_000), steps, grouped_at: None };
    assert!(matches!(app.store().commit(changes).await.unwrap(), CommitOutcome::Committed(_)));
}

/// An advert at a price. If `property` is `None`, it stays where it is.
pub fn priced(number: u64, property: Option<u64>, price: f64) -> AdvertDraft {
    let mut draft = draft(Identity::Uuid(advert_id(number)));
    draft.patch.price = FieldUpdate::Set(Amount::new(price));
    draft.property = property.map(property_id);
    draft
}

fn budget(max: f64) -> SearchDraft {
    search_draft(|draft| {
        criterion(&mut draft.raw_criteria, "budgetMax", RawCriterion::Number(max));
        draft.alerts.enabled = true;
        draft.alerts.endpoint = Endpoint::parse("https://hook.example/m").ok();
        draft.alerts.event_endpoint = Endpoint::parse("https://hook.example/e").ok();
        draft.alerts.events = [EventName::UpdatePrice].into();
    })
}

struct Scene {
    service: TestService,
    app: App,
    matcher: Matcher,
    /// A search with a budget of 100,000.
    search: SearchNumber,
}

impl Scene {
    async fn new() -> Self {
        let service = TestService::new();
        let app = service.app();
        let matcher = Matcher::new(&app).unwrap();
        let search = app.create_search(user_id(1), budget(100_000.0), 10).await.unwrap().unwrap().number;
        Self { service, app, matcher, search }
    }

    async fn ingest(&mut self, draft: AdvertDraft) {
        self.app.ingest(vec![draft]).await.unwrap();
        catch_up(&mut self.matcher).await;
    }

    async fn regroup(&mut self, adverts: &[u64], to: u64) {
        let adverts: Vec<_> = adverts.iter().copied().map(advert_id).collect();
        move_adverts(&self.app, &adverts, property_id(to)).await;
        catch_up(&mut self.matcher).await;
    }

    /// The properties that matched, in order.
    async fn matched(&self) -> Vec<PropertyId> {
        let page = self.service.store.list_matches(self.search, 0, 100).await.unwrap();
        page.matches.into_iter().rev().map(|row| row.property).collect()
    }
}

#[tokio::test]
async fn a_merge_alerts_no_search_that_knew_one_of_the_homes() {
    let mut scene = Scene::new().await;
    scene.ingest(priced(1, Some(1), 90_000.0)).await;
    scene.ingest(priced(2, Some(2), 500_000.0)).await;
    assert_eq!(scene.matched().await, [property_id(1)]);
    // The survivor is another property than the one that was announced.
    scene.regroup(&[1], 2).await;
    scene.ingest(priced(2, None, 600_000.0)).await;
    scene.ingest(priced(1, None, 600_000.0)).await;
    scene.ingest(priced(1, None, 80_000.0)).await;
    scene.ingest(priced(2, None, 80_000.0)).await;
    assert_eq!(scene.matched().await, [property_id(1)], "also after it left the budget and came back");
    // And on: what was inherited is inherited again, also by a matcher that starts anew.
    scene.matcher = Matcher::new(&scene.app).unwrap();
    scene.ingest(priced(3, Some(3), 500_000.0)).await;
    scene.regroup(&[1, 2], 3).await;
    scene.ingest(priced(3, None, 70_000.0)).await;
    assert_eq!(scene.matched().await, [property_id(1)]);
}

#[tokio::test]
async fn a_split_alerts_only_searches_that_the_old_property_was_not_right_for() {
    let mut scene = Scene::new().await;
    let second = |draft: &mut AdvertDraft, second| draft.last_crawled_at = Some(at(second));
    let (mut cheap, mut dear) = (priced(1, Some(1), 90_000.0), priced(2, Some(1), 500_000.0));
    // The advert crawled last gives the price.
    second(&mut cheap, 100);
    second(&mut dear, 200);
    scene.app.ingest(vec![dear, cheap]).await.unwrap();
    catch_up(&mut scene.matcher).await;
    assert_eq!(scene.matched().await, [], "it is too dear");
    scene.regroup(&[1], 2).await;
    assert_eq!(scene.matched().await, [property_id(2)], "the new home is not");
    // The other way round: both parts of a home that was announced are known.
    let mut scene = Scene::new().await;
    scene.ingest(priced(1, Some(1), 90_000.0)).await;
    scene.ingest(priced(2, Some(1), 80_000.0)).await;
    scene.regroup(&[2], 2).await;
    scene.ingest(priced(2, None, 500_000.0)).await;
    scene.ingest(priced(2, None, 70_000.0)).await;
    assert_eq!(scene.matched().await, [property_id(1)]);
}

#[tokio::test]
async fn an_advert_that_changes_and_moves_is_news_to_those_who_know_either_property() {
    let mut scene = Scene::new().await;
    scene.ingest(priced(1, Some(1), 90_000.0)).await;
    scene.ingest(priced(2, Some(2), 500_000.0)).await;
    let before = scene.service.groups().await.len();
    // It becomes too dear, and moves to a property that is.
    scene.ingest(priced(1, Some(2), 400_000.0)).await;
    let groups = scene.service.groups().await;
    let [group] = &groups[before..] else { panic!("{groups:?}") };
    assert_eq!((group.property, &*group.matched), (property_id(2), &[][..]));
    assert_eq!(group.inherited, [scene.search]);
    let [entry] = &*group.outbox else { panic!("{group:?}") };
    assert_eq!(entry.notification, Notification::Event(EventName::UpdatePrice, 0));
    assert_eq!(entry.searches, [scene.search]);
    // The event refers to a match that can be read.
    let first_logged = Position(3);
    let found = scene.service.store.find_match(scene.search, first_logged).await.unwrap().unwrap();
    assert_eq!((found.property, found.version), (property_id(2), 2));
}

#[tokio::test]
async fn a_late_matcher_still_knows_the_alerts_of_an_erased_property() {
    let mut scene = Scene::new().await;
    scene.ingest(priced(1, Some(1), 90_000.0)).await;
    scene.ingest(priced(2, Some(1), 90_000.0)).await;
    assert_eq!(scene.matched().await, [property_id(1)]);
    // The property is split and loses its last advert before the matcher reads either.
    move_adverts(&scene.app, &[advert_id(2)], property_id(2)).await;
    let erased = scene.service.store.erase(advert_id(1), at(9_000)).await.unwrap().unwrap();
    assert!(erased.property_removed);
    catch_up(&mut scene.matcher).await;
    scene.ingest(priced(2, None, 500_000.0)).await;
    scene.ingest(priced(2, None, 80_000.0)).await;
    assert_eq!(scene.matched().await, [], "the match was erased, and the home is not announced again");
}
