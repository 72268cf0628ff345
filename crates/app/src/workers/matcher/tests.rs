//! The matcher compared with a model, through restarts and concurrent matchers.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use domain::criteria::{Entry, Presence, RawCriteria, RawCriterion};
use domain::draft::Lifecycle;
use domain::search::{MatchChannel, SearchDraft};
use domain::{
    Alerts, EmailAddress, Endpoint, EventName, FieldUpdate, Filter, Identity, Phrase, PropertyId, SearchId,
    SearchNumber, Strictness,
};
use places::Gazetteer;
use store::prelude::*;
use store::sqlite::{FILE_NAME, SqliteStore};
use store::{Change, MatchGroup, Notification, Position, PropertyCause, StoredSearch};
use tempfile::TempDir;
use testkit::build::{advert_id, at, draft, property_id, short_text, user_id};
use testkit::match_model::{ChangeEffects, MatchModel};
use testkit::{ManualClock, Random, SeededIds};

use super::{Matcher, Progress};
use crate::App;

/// About three seconds in a debug build.
const RUNS: u64 = 40;

const ADVERTS: u64 = 12;
const SEARCHES_MAX: u32 = 1_000;

struct TestService {
    store: Arc<SqliteStore>,
    clock: Arc<ManualClock>,
    folder: TempDir,
}

impl TestService {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        Self { store, clock: Arc::new(ManualClock::at(at(5_000))), folder }
    }

    fn app(&self) -> App {
        static PLACES: LazyLock<Arc<Gazetteer>> = LazyLock::new(|| Arc::new(Gazetteer::embedded().unwrap()));
        let ids = Arc::new(SeededIds::new(1));
        App::new(self.store.clone(), self.clock.clone(), ids, Arc::clone(&PLACES)).with_matcher()
    }

    /// Damages one record of the database.
    fn damage(&self, sql: &str) {
        let connection = rusqlite::Connection::open(self.folder.path().join(FILE_NAME)).unwrap();
        assert_eq!(connection.execute(sql, []).unwrap(), 1, "{sql}");
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
        alerts: Alerts::default(),
    };
    criterion(&mut draft.raw_criteria, "withCoherentPrice", RawCriterion::Flag(false));
    change(&mut draft);
    draft
}

fn random_search_draft(random: &mut Random) -> SearchDraft {
    search_draft(|draft| {
        let raw_criteria = &mut draft.raw_criteria;
        if random.once_in(2) {
            criterion(
                raw_criteria,
                "budgetMax",
                RawCriterion::Number(100_000.0 * (1 + random.below(4)) as f64),
            );
        }
        if random.once_in(3) {
            criterion(raw_criteria, "budgetMin", RawCriterion::Number(100_000.0));
        }
        if random.once_in(3) {
            let phrase = Phrase::new("terrasse", Strictness::Inflected).unwrap();
            let presence = *random.pick(&[Presence::Present, Presence::Absent]);
            criterion(
                raw_criteria,
                "expressions",
                RawCriterion::Expressions(vec![vec![Entry { phrase, presence }]]),
            );
        }
        if random.once_in(4) {
            criterion(
                raw_criteria,
                "excludedProperties",
                RawCriterion::Properties(vec![property_id(random.below(ADVERTS))]),
            );
        }
        let alerts = &mut draft.alerts;
        alerts.enabled = !random.once_in(3);
        alerts.endpoint = Endpoint::parse("https://hook.example/m").ok().filter(|_| !random.once_in(3));
        alerts.email = EmailAddress::parse("a@b.example").ok().filter(|_| random.once_in(3));
        alerts.event_endpoint = Endpoint::parse("https://hook.example/e").ok().filter(|_| !random.once_in(3));
        alerts.events = EventName::ALL.iter().copied().filter(|_| random.once_in(2)).collect();
    })
}

/// Every version of every search, recorded from outside.
#[derive(Default)]
struct History {
    searches: BTreeMap<SearchId, StoredSearch>,
    versions: HashMap<(SearchId, u32), StoredSearch>,
}

impl History {
    fn record(&mut self, stored: StoredSearch) {
        self.versions.insert((stored.search.id, stored.version), stored.clone());
        self.searches.insert(stored.search.id, stored);
    }

    async fn act(&mut self, app: &App, random: &mut Random) {
        let owner = user_id(1 + random.below(2));
        let pick_search = |history: &Self, random: &mut Random| {
            let all: Vec<_> = history.searches.values().cloned().collect();
            (!all.is_empty()).then(|| random.pick(&all).clone())
        };
        match random.below(12) {
            0 | 1 => {
                let made = app.create_search(owner, random_search_draft(random), SEARCHES_MAX).await.unwrap();
                self.record(made.unwrap());
            }
            2 => {
                if let Some(known) = pick_search(self, random) {
                    let changed = app.update_search(&known, random_search_draft(random)).await.unwrap();
                    self.record(changed.unwrap());
                }
            }
            3 => {
                if let Some(known) = pick_search(self, random).filter(|_| random.once_in(2)) {
                    assert!(app.delete_search(known.search.owner, known.search.id).await.unwrap());
                    self.searches.remove(&known.search.id);
                }
            }
            _ => {
                let drafts = (0..1 + random.below(3)).map(|_| random_draft(random)).collect();
                app.ingest(drafts).await.unwrap();
            }
        }
    }

    /// Evaluates the whole log with the model.
    async fn model(&self, app: &App) -> (MatchModel, BTreeMap<u64, ChangeEffects>) {
        let mut model = MatchModel::default();
        let mut effects = BTreeMap::new();
        let sites = app.sites().await.unwrap();
        for entry in app.store().log_after(Position::START, usize::MAX).await.unwrap() {
            match &entry.change {
                Change::Search { search, version } => {
                    let stored = &self.versions[&(*search, *version)];
                    let draft = &stored.search.draft;
                    let criteria = app.with_references(&sites, |to| draft.raw_criteria.criteria(to)).unwrap();
                    model.put(stored.number, criteria, draft.alerts.clone());
                }
                Change::SearchRemoved { search } => model.remove(self.versions[&(*search, 1)].number),
                Change::Property { property, version, cause, .. } => {
                    let events = match cause {
                        PropertyCause::Advert { events } | PropertyCause::Regrouped { events, .. } => {
                            events.as_slice()
                        }
                        PropertyCause::Crawl => continue,
                        PropertyCause::AdvertLeft | PropertyCause::AdvertErased(_) => &[],
                    };
                    let at = async |version| app.store().property_at(*property, version).await.unwrap();
                    let (before, after) = (at(version - 1).await, at(*version).await);
                    let change = model.change(before.as_ref(), &after.unwrap(), events);
                    effects.insert(entry.position.0, change);
                }
                Change::PropertyRemoved { .. } | Change::Erased => {}
            }
        }
        let effects = current(&model, effects);
        (model, effects)
    }
}

fn random_draft(random: &mut Random) -> domain::AdvertDraft {
    let number = random.below(ADVERTS);
    let mut draft = draft(Identity::Uuid(advert_id(number)));
    // Few properties, so that adverts share them, and now and then move.
    draft.property = Some(property_id(if random.once_in(8) { random.below(ADVERTS) } else { number / 2 }));
    match random.below(6) {
        0 => {}
        1 => draft.lifecycle = *random.pick(&[Lifecycle::Expired { at: None }, Lifecycle::Live]),
        2 => {
            let text = *random.pick(&["Avec terrasse", "Sans balcon"]);
            draft.patch.title = FieldUpdate::Set(Some(short_text(text)));
        }
        _ => {
            let price = 50_000.0 * (1 + random.below(9)) as f64;
            draft.patch.price = FieldUpdate::Set(domain::Amount::new(price));
        }
    }
    draft.last_crawled_at = random.once_in(2).then(|| at(5_000 + random.below(1_000) as i64));
    draft
}

/// The effects for searches that still exist, by position.
fn current(
    model: &MatchModel,
    all: impl IntoIterator<Item = (u64, ChangeEffects)>,
) -> BTreeMap<u64, ChangeEffects> {
    let left = |(position, all): (u64, ChangeEffects)| Some((position, all.retain_active(model)?));
    all.into_iter().filter_map(left).collect()
}

fn effects(group: &MatchGroup) -> ChangeEffects {
    let mut effects = ChangeEffects { matched: group.matched.clone(), ..ChangeEffects::default() };
    for outbox in &group.outbox {
        for search in &outbox.searches {
            match outbox.notification {
                Notification::Match(channel) => effects.match_deliveries.push((channel, *search)),
                Notification::Event(name, index) => {
                    effects.event_deliveries.push((name, usize::from(index), *search))
                }
            }
        }
    }
    effects.match_deliveries.sort_unstable();
    effects.event_deliveries.sort_unstable();
    effects
}

#[tokio::test]
async fn every_match_is_made_once_despite_interruptions() {
    let seed = testkit::random::seed();
    let mut matches = 0;
    for run in 0..RUNS {
        let mut random = Random::new(seed.wrapping_add(run));
        let service = TestService::new();
        let app = service.app();
        let mut history = History::default();
        let mut matcher = Matcher::new(&app).unwrap();
        let mut rival = Matcher::new(&service.app()).unwrap();
        for _ in 0..60 {
            history.act(&app, &mut random).await;
            service.clock.advance_seconds(random.below(2) as i64);
            match random.below(8) {
                0 => catch_up(&mut matcher).await,
                1 => drop(matcher.run_once().await.unwrap()),
                // Crashes; another matcher starts from the checkpoint.
                2 => matcher = Matcher::new(&app).unwrap(),
                3 => drop(rival.run_once().await.unwrap()),
                _ => {}
            }
        }
        // If the rival was faster, the first call only detects that.
        catch_up(&mut matcher).await;
        catch_up(&mut matcher).await;
        let (model, expected) = history.model(&app).await;
        let groups = service.groups().await;
        let found = current(&model, groups.iter().map(|group| (group.position.0, effects(group))));
        assert_eq!(found, expected, "seed {}", seed.wrapping_add(run));
        let mut listed: BTreeSet<(SearchNumber, PropertyId)> = BTreeSet::new();
        for stored in history.searches.values() {
            let page = service.store.list_matches(stored.number, 0, 10_000).await.unwrap();
            assert_eq!(page.total, page.matches.len() as u64);
            for row in page.matches {
                assert!(listed.insert((stored.number, row.property)), "twice: {row:?}");
            }
        }
        assert_eq!(&listed, model.matched());
        matches += listed.len();
    }
    assert!(matches > RUNS as usize, "the generated data exercises too little");
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
    let unreadable = app.ingest(vec![priced(2, 80_000.0)]).await;
    assert!(unreadable.is_err(), "the change cannot be computed");
    app.ingest(vec![priced(1, 70_000.0), priced(3, 60_000.0)]).await.unwrap();
    let mut matcher = Matcher::new(&app).unwrap();
    catch_up(&mut matcher).await;
    let groups = service.store.match_groups_after(Position(5), usize::MAX).await.unwrap();
    let made: Vec<_> = groups.iter().map(|group| (group.property, group.matched.clone())).collect();
    assert_eq!(made, [(property_id(3), vec![numbers[0], numbers[2]])]);
}
