//! The matcher: examples here, random histories in [`history`].

mod history;
mod regrouping;
mod switching;

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use domain::criteria::{RawCriteria, RawCriterion};
use domain::search::{MatchChannel, SearchDraft};
use domain::{Alerts, Endpoint, EventName, FieldUpdate, Filter, Identity, PropertyId};
use places::Gazetteer;
use store::prelude::*;
use store::{Change, MatchGroup, Notification, Position, PropertyCause};
use store::{SqlStore, WriteFault};
use tempfile::TempDir;
use testkit::build::{advert_id, at, draft, property_id, short_text, user_id};
use testkit::{ManualClock, SeededIds};

use super::{Matcher, Progress};
use crate::App;
use crate::ingest::Receipt;

struct TestService {
    store: Arc<SqlStore>,
    clock: Arc<ManualClock>,
    folder: TempDir,
}

impl TestService {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let store = Arc::new(test_database::open(folder.path()));
        Self { store, clock: Arc::new(ManualClock::at(at(5_000))), folder }
    }

    fn app(&self) -> App {
        static PLACES: LazyLock<Arc<Gazetteer>> = LazyLock::new(|| Arc::new(Gazetteer::embedded().unwrap()));
        let ids = Arc::new(SeededIds::new(1));
        App::new(self.store.clone(), self.clock.clone(), ids, Arc::clone(&PLACES)).with_matcher()
    }

    /// Damages one record of the database.
    fn damage(&self, sql: &str) {
        assert_eq!(test_database::change(self.folder.path(), sql), 1, "{sql}");
    }

    async fn groups(&self) -> Vec<MatchGroup> {
        self.store.match_groups_after(Position::START, usize::MAX).await.unwrap()
    }
}

async fn catch_up(matcher: &mut Matcher) {
    while matcher.run_once().await.unwrap() == Progress::More {}
}

fn criterion(raw_criteria: &mut RawCriteria, name: &str, criterion: RawCriterion) {
    raw_criteria.put(Filter::named(name).unwrap(), criterion);
}

fn search_draft(change: impl FnOnce(&mut SearchDraft)) -> SearchDraft {
    let mut draft = SearchDraft {
        title: short_text("Un bien"),
        raw_criteria: RawCriteria::default(),
        alerts: Alerts { enabled: true, ..Alerts::default() },
    };
    criterion(&mut draft.raw_criteria, "withCoherentPrice", RawCriterion::Flag(false));
    change(&mut draft);
    draft
}

#[tokio::test]
async fn only_changes_after_saving_a_search_make_matches() {
    let service = TestService::new();
    let app = service.app();
    let mut matcher = Matcher::new(&app).unwrap();
    let price = |number: u64, price: f64| {
        let mut draft = draft(Identity::Uuid(advert_id(number)));
        draft.patch.price = FieldUpdate::Set(domain::Amount::new(price));
        draft.property = Some(property_id(number));
        draft
    };
    app.ingest(vec![price(1, 90_000.0), price(2, 300_000.0)]).await.unwrap();
    let wanted = search_draft(|draft| {
        criterion(&mut draft.raw_criteria, "budgetMax", RawCriterion::Number(100_000.0));
        draft.alerts.enabled = true;
        draft.alerts.endpoint = Endpoint::parse("https://hook.example/").ok();
        draft.alerts.event_endpoint = Endpoint::parse("https://hook.example/").ok();
        draft.alerts.events = BTreeSet::from([EventName::UpdatePrice]);
    });
    let search = app.create_search(user_id(1), wanted, 10).await.unwrap().unwrap();
    // The matcher runs afterwards, and processes the changes in order.
    app.ingest(vec![price(3, 80_000.0)]).await.unwrap();
    app.ingest(vec![price(2, 95_000.0), price(1, 91_000.0)]).await.unwrap();
    catch_up(&mut matcher).await;
    let groups = service.groups().await;
    let matched: Vec<PropertyId> =
        groups.iter().filter(|group| !group.matched.is_empty()).map(|group| group.property).collect();
    assert_eq!(matched, [property_id(3), property_id(2)], "not the property that already met the search");
    let linked: Vec<PropertyId> =
        groups.iter().filter(|group| !group.linked.is_empty()).map(|group| group.property).collect();
    assert_eq!(linked, [property_id(1)], "events of that property are sent all the same");
    let has_entry = |group: &MatchGroup, notification: Notification| {
        group
            .outbox
            .iter()
            .any(|entry| entry.notification == notification && entry.searches == [search.number])
    };
    assert!(has_entry(&groups[0], Notification::Match(MatchChannel::Endpoint)));
    assert!(has_entry(&groups[1], Notification::Match(MatchChannel::Endpoint)));
    assert!(has_entry(&groups[1], Notification::Event(EventName::UpdatePrice, 0)));
    assert!(has_entry(&groups[2], Notification::Event(EventName::UpdatePrice, 0)));

    // A property that stops matching and matches again makes no second match.
    app.ingest(vec![price(2, 500_000.0)]).await.unwrap();
    app.ingest(vec![price(2, 50_000.0)]).await.unwrap();
    catch_up(&mut matcher).await;
    assert_eq!(service.store.list_matches(search.number, 0, 10).await.unwrap().total, 2);
}

#[tokio::test]
async fn a_crawl_that_changes_the_attributes_makes_a_version() {
    let service = TestService::new();
    let app = service.app();
    let mut matcher = Matcher::new(&app).unwrap();
    // One property on two portals at two prices: the one crawled last counts.
    let seen = |number: u64, second: i64, price: Option<f64>| {
        let mut draft = draft(Identity::Uuid(advert_id(number)));
        draft.property = Some(property_id(1));
        draft.last_crawled_at = Some(at(second));
        if let Some(price) = price {
            draft.patch.price = FieldUpdate::Set(domain::Amount::new(price));
        }
        draft
    };
    app.ingest(vec![seen(1, 100, Some(90_000.0)), seen(2, 200, Some(110_000.0))]).await.unwrap();
    let wanted = search_draft(|draft| {
        criterion(&mut draft.raw_criteria, "budgetMax", RawCriterion::Number(100_000.0))
    });
    let search = app.create_search(user_id(1), wanted, 10).await.unwrap().unwrap();
    let matches = async || service.store.list_matches(search.number, 0, 10).await.unwrap().total;
    let last =
        async || service.store.log_after(Position::START, usize::MAX).await.unwrap().pop().unwrap().change;

    // Crawled again where it is dearer: no attribute changes.
    app.ingest(vec![seen(2, 300, None)]).await.unwrap();
    catch_up(&mut matcher).await;
    assert!(matches!(last().await, Change::Property { version: 2, cause: PropertyCause::Crawl, .. }));
    assert_eq!(matches().await, 0);
    // Crawled again where it is cheaper: the price changes.
    app.ingest(vec![seen(1, 400, None)]).await.unwrap();
    catch_up(&mut matcher).await;
    let Change::Property { version: 3, cause: PropertyCause::Advert { events }, .. } = last().await else {
        panic!("a new version");
    };
    assert!(events.is_empty(), "no advert has changed");
    assert_eq!(matches().await, 1);
}

#[tokio::test]
async fn damaged_records_do_not_stop_the_matcher() {
    let service = TestService::new();
    let app = service.app();
    let priced = |number: u64, price: f64| {
        let mut draft = draft(Identity::Uuid(advert_id(number)));
        draft.property = Some(property_id(number));
        draft.patch.price = FieldUpdate::Set(domain::Amount::new(price));
        draft
    };
    let mut numbers = Vec::new();
    for _ in 0..3 {
        let wanted = search_draft(|draft| {
            criterion(&mut draft.raw_criteria, "budgetMax", RawCriterion::Number(100_000.0))
        });
        numbers.push(app.create_search(user_id(1), wanted, 10).await.unwrap().unwrap().number);
    }
    let mut matcher = Matcher::new(&app).unwrap();
    app.ingest(vec![priced(1, 90_000.0)]).await.unwrap();
    catch_up(&mut matcher).await;

    // Damages a search, a record of matches and a version of a property before a restart.
    service.damage("UPDATE search SET record = x'01ff' WHERE number = 2");
    service.damage("UPDATE match_group SET matched = x'01ff'");
    app.ingest(vec![priced(2, 200_000.0)]).await.unwrap();
    service.damage("UPDATE property_version SET record = x'01ff' WHERE record_id = (SELECT max(record_id) FROM property_version)");
    // The change cannot be computed. Only the advert of the damaged property is refused.
    let drafts = vec![priced(1, 70_000.0), priced(2, 80_000.0), priced(3, 60_000.0)];
    let receipts = app.ingest(drafts).await.unwrap();
    let is_accepted = |receipt: &Receipt| matches!(receipt, Receipt::Accepted { .. });
    assert_eq!(receipts.iter().map(is_accepted).collect::<Vec<_>>(), [true, false, true]);
    let mut matcher = Matcher::new(&app).unwrap();
    catch_up(&mut matcher).await;
    let groups = service.store.match_groups_after(Position(5), usize::MAX).await.unwrap();
    let made: Vec<_> = groups.iter().map(|group| (group.property, group.matched.clone())).collect();
    assert_eq!(made, [(property_id(3), vec![numbers[0], numbers[2]])]);
}

/// A service with three searches for cheap properties, and drafts of such properties.
async fn cheap_searches(app: &App) -> Vec<domain::SearchNumber> {
    let mut numbers = Vec::new();
    for _ in 0..3 {
        let wanted = search_draft(|draft| {
            criterion(&mut draft.raw_criteria, "budgetMax", RawCriterion::Number(100_000.0))
        });
        numbers.push(app.create_search(user_id(1), wanted, 10).await.unwrap().unwrap().number);
    }
    numbers
}

fn cheap(number: u64) -> domain::AdvertDraft {
    let mut draft = draft(Identity::Uuid(advert_id(number)));
    draft.property = Some(property_id(number));
    draft.patch.price = FieldUpdate::Set(domain::Amount::new(50_000.0));
    draft
}

#[tokio::test]
async fn damaged_log_entry_is_skipped() {
    let service = TestService::new();
    let app = service.app();
    let numbers = cheap_searches(&app).await;
    for number in 1..=3 {
        app.ingest(vec![cheap(number)]).await.unwrap();
    }
    // The change of property 2, and the creation of the third search.
    service.damage("UPDATE log SET payload = x'5b' WHERE position = 5");
    service.damage("UPDATE log SET kind = 99 WHERE position = 3");
    let mut matcher = Matcher::new(&app).unwrap();
    catch_up(&mut matcher).await;
    let groups = service.groups().await;
    let made: Vec<_> = groups.iter().map(|group| (group.property, group.matched.clone())).collect();
    assert_eq!(made, [(property_id(1), numbers.clone()), (property_id(3), numbers)]);
    assert_eq!(service.store.damage(), [(store::RecordKind::LogEntry, 2)]);
}

#[tokio::test]
async fn failures_reload_no_search_and_lose_no_match() {
    let service = TestService::new();
    let app = service.app();
    let numbers = cheap_searches(&app).await;
    let mut matcher = Matcher::new(&app).unwrap();
    catch_up(&mut matcher).await;
    let loaded = || app.matcher_status().unwrap().searches_loaded;
    let before = loaded();
    for (number, fault) in (1..).zip([WriteFault::Full, WriteFault::Write, WriteFault::PanickingCall]) {
        app.ingest(vec![cheap(number)]).await.unwrap();
        service.store.inject(fault);
        assert!(matcher.run_once().await.is_err(), "{fault:?}");
        // A search saved meanwhile does not match what was evaluated before.
        app.create_search(user_id(1), search_draft(|_| {}), 100).await.unwrap().unwrap();
        catch_up(&mut matcher).await;
    }
    assert_eq!(loaded(), before, "searches read again");
    let groups = service.groups().await;
    let made: Vec<_> = groups.iter().map(|group| (group.property, group.matched[..3].to_vec())).collect();
    assert_eq!(made, (1..=3).map(|number| (property_id(number), numbers.clone())).collect::<Vec<_>>());
    assert_eq!(groups[0].matched.len(), 3);
    // Counted once, although each batch was evaluated twice.
    let matches: usize = groups.iter().map(|group| group.matched.len()).sum();
    assert_eq!(app.matcher_status().unwrap().stats.matches, matches as u64);
}

#[tokio::test]
async fn lost_race_reloads_no_search_and_records_nothing_twice() {
    let service = TestService::new();
    let (app, other) = (service.app(), service.app());
    let numbers = cheap_searches(&app).await;
    let (mut matcher, mut rival) = (Matcher::new(&app).unwrap(), Matcher::new(&other).unwrap());
    catch_up(&mut matcher).await;
    catch_up(&mut rival).await;
    let loaded = |app: &App| app.matcher_status().unwrap().searches_loaded;
    let before = (loaded(&app), loaded(&other));
    for number in 1..=6 {
        app.ingest(vec![cheap(number)]).await.unwrap();
        // Each is the first one in turn; the other finds the same entries recorded.
        let (first, second) =
            if number % 2 == 0 { (&mut matcher, &mut rival) } else { (&mut rival, &mut matcher) };
        catch_up(first).await;
        if number % 3 == 0 {
            catch_up(second).await;
        }
    }
    catch_up(&mut matcher).await;
    catch_up(&mut rival).await;
    assert_eq!((loaded(&app), loaded(&other)), before, "searches read again");
    let groups = service.groups().await;
    let made: Vec<_> = groups.iter().map(|group| (group.property, group.matched.clone())).collect();
    assert_eq!(made, (1..=6).map(|number| (property_id(number), numbers.clone())).collect::<Vec<_>>());
}
