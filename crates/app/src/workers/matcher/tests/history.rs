//! Random histories: the matcher agrees with the model through restarts and concurrent matchers, and no search is alerted twice for
//! one home.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use domain::criteria::{Entry, Presence, RawCriterion};
use domain::draft::Lifecycle;
use domain::matching::is_available;
use domain::search::SearchDraft;
use domain::{
    CancelReason, Clock, EmailAddress, Endpoint, EventName, FieldUpdate, GeoPoint, GivenPlace, Identity,
    Insee, Phrase, PropertyId, SearchId, SearchNumber, Strictness,
};
use store::SqlStore;
use store::prelude::*;
use store::{
    Change, EnqueueBatch, Erased, InitialState, LogEntry, MatchGroup, Notification, Position, PropertyCause,
    PrunedRows, RemovalCause, StoredSearch, VerifyCursor, VersionLookup,
};
use testkit::Random;
use testkit::build::{advert_id, at, draft, property_id, short_text, user_id};
use testkit::match_model::{ChangeEffects, MatchModel};

use super::super::Matcher;
use super::regrouping::{held_by, move_adverts};
use super::{TestService, catch_up, criterion, search_draft};
use crate::App;
use crate::workers::retention;
use tokio_util::sync::CancellationToken;

/// Some seconds in a debug build.
const RUNS: u64 = 20;

const ADVERTS: u64 = 12;

/// A point close to the centre of the commune 37261.
const TOURS: (f64, f64) = (47.39, 0.69);

const SEARCHES_MAX: u32 = 1_000;

/// Splits make properties with numbers from here on.
const FIRST_SPLIT: u64 = 100;

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
        if random.once_in(3) {
            criterion(raw_criteria, "constructionYearMin", RawCriterion::Number(2_000.0));
        }
        if random.once_in(6) {
            for (name, number) in [("lat", TOURS.0), ("lon", TOURS.1), ("radius", 5.0)] {
                criterion(raw_criteria, name, RawCriterion::Number(number));
            }
        }
        let alerts = &mut draft.alerts;
        alerts.enabled = !random.once_in(3);
        alerts.endpoint = Endpoint::parse("https://hook.example/m").ok().filter(|_| !random.once_in(3));
        alerts.email = EmailAddress::parse("a@b.example").ok().filter(|_| random.once_in(3));
        alerts.event_endpoint = Endpoint::parse("https://hook.example/e").ok().filter(|_| !random.once_in(3));
        alerts.events = EventName::ALL.iter().copied().filter(|_| random.once_in(2)).collect();
    })
}

/// What happened, recorded from outside, and what the model makes of it.
#[derive(Default)]
struct History {
    searches: BTreeMap<SearchId, StoredSearch>,
    versions: HashMap<(SearchId, u32), StoredSearch>,
    splits: u64,
    model: MatchModel,
    /// By log position.
    effects: BTreeMap<u64, (PropertyId, ChangeEffects)>,
    /// How far the model has read the log.
    position: Position,
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
        match random.below(18) {
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
                    let name = domain::SearchRef::Id(known.search.id);
                    assert!(app.delete_search(known.search.owner, name).await.unwrap());
                    self.searches.remove(&known.search.id);
                }
            }
            4..7 => self.regroup(app, random).await,
            // Switches a search on or off, and changes nothing else.
            7..10 => {
                if let Some(known) = pick_search(self, random) {
                    let mut draft = known.search.draft.clone();
                    draft.alerts.enabled ^= true;
                    self.record(app.update_search(&known, draft).await.unwrap().unwrap());
                }
            }
            _ => {
                let drafts = (0..1 + random.below(3)).map(|_| random_draft(random)).collect();
                app.ingest(drafts).await.unwrap();
            }
        }
    }

    /// Lets some adverts expire, so that properties leave the market.
    async fn end_some_offers(&mut self, app: &App, random: &mut Random) {
        let expired = |number| {
            let mut draft = draft(Identity::Uuid(advert_id(number)));
            draft.lifecycle = Lifecycle::Expired { at: None };
            draft
        };
        let drafts = (0..ADVERTS).filter(|_| random.once_in(3)).map(expired).collect();
        app.ingest(drafts).await.unwrap();
    }

    /// Adds entries that concern no property: retention keeps the last one.
    async fn end_with_a_search(&mut self, app: &App) {
        let made = app.create_search(user_id(9), search_draft(|_| {}), SEARCHES_MAX).await.unwrap().unwrap();
        let (id, owner) = (made.search.id, made.search.owner);
        self.record(made);
        assert!(app.delete_search(owner, domain::SearchRef::Id(id)).await.unwrap());
        self.searches.remove(&id);
    }

    /// Merges properties, splits one, or moves an advert.
    async fn regroup(&mut self, app: &App, random: &mut Random) {
        let mut adverts: Vec<_> =
            (0..1 + random.below(2)).map(|_| advert_id(random.below(ADVERTS))).collect();
        if random.once_in(2) {
            adverts = held_by(app, &adverts).await;
        }
        let (known, number) = (random.below(ADVERTS), FIRST_SPLIT + self.splits);
        let to = match random.below(3) {
            0 => property_id(known),
            1 => held_by_advert(app, known).await.unwrap_or(property_id(known)),
            _ => {
                self.splits += 1;
                property_id(number)
            }
        };
        move_adverts(app, &adverts, to).await;
    }

    /// Lets the model read the rest of the log.
    async fn advance(&mut self, app: &App) {
        let sites = app.sites().await.unwrap();
        for entry in app.store().log_after(self.position, usize::MAX).await.unwrap() {
            self.position = entry.position;
            match &entry.change {
                Change::Search { search, version } => {
                    let stored = &self.versions[&(*search, *version)];
                    let draft = &stored.search.draft;
                    let criteria = app.with_references(&sites, |to| draft.raw_criteria.criteria(to)).unwrap();
                    self.model.put(stored.number, criteria, draft.alerts.clone());
                }
                Change::SearchRemoved { search } => self.model.remove(self.versions[&(*search, 1)].number),
                Change::Property { property, version, cause, .. } => {
                    let at =
                        async |key: (PropertyId, u32)| app.store().property_at(key.0, key.1).await.unwrap();
                    let mut sources = Vec::new();
                    let events = match cause {
                        PropertyCause::Advert { events } => events.as_slice(),
                        PropertyCause::Regrouped { events, from, .. } => {
                            for source in from {
                                sources.push((source.0, at(*source).await));
                            }
                            events.as_slice()
                        }
                        PropertyCause::Crawl => continue,
                        PropertyCause::AdvertLeft | PropertyCause::AdvertErased(_) => &[],
                    };
                    let before = at((*property, version - 1)).await;
                    let after = at((*property, *version)).await.unwrap();
                    let change = self.model.regroup(before.as_ref(), &sources, &after, events);
                    self.effects.insert(entry.position.0, (*property, change));
                }
                Change::PropertyRemoved { .. } | Change::Erased | Change::Damaged { .. } => {}
            }
        }
    }

    /// Erases an advert. The model must have read the log. Returns the properties whose matches go with it.
    async fn erase(&mut self, app: &App, random: &mut Random) -> Vec<PropertyId> {
        let erased = erase(app, random).await;
        for property in &erased {
            self.model.erase(*property);
            self.effects.retain(|_, (changed, _)| changed != property);
        }
        erased
    }
}

async fn held_by_advert(app: &App, number: u64) -> Option<PropertyId> {
    let located = app.store().locate(vec![Identity::Uuid(advert_id(number))]).await.unwrap();
    located[0].map(|located| located.property)
}

/// Erases an advert. Returns the properties whose matches go with it.
async fn erase(app: &App, random: &mut Random) -> Vec<PropertyId> {
    let advert = advert_id(random.below(ADVERTS));
    let Some(Erased { property, property_removed, position }) =
        app.store().erase(advert, app.clock().now()).await.unwrap()
    else {
        return Vec::new();
    };
    let entry = app.store().log_after(Position(position.0 - 1), 1).await.unwrap().remove(0);
    let (Change::Property { cause: PropertyCause::AdvertErased(erasure), .. }
    | Change::PropertyRemoved { cause: RemovalCause::AdvertErased(erasure), .. }) = entry.change
    else {
        panic!("{entry:?}");
    };
    let mut gone: Vec<_> = property_removed.then_some(property).into_iter().collect();
    for previous in erasure.previous_properties {
        let versions = (0..200).map(|version| (previous, version)).collect();
        if app.store().properties_at(versions).await.unwrap().iter().all(|it| *it == VersionLookup::NotFound)
        {
            gone.push(previous);
        }
    }
    gone
}

fn random_draft(random: &mut Random) -> domain::AdvertDraft {
    let number = random.below(ADVERTS);
    let mut draft = draft(Identity::Uuid(advert_id(number)));
    // Few properties, so that adverts share them, and now and then move. Without one the advert stays where it is.
    draft.property = match random.below(8) {
        0 => Some(property_id(random.below(ADVERTS))),
        1..4 => Some(property_id(number / 2)),
        _ => None,
    };
    match random.below(8) {
        0 => {}
        6 => {
            let year = *random.pick(&[1_950, 2_010]);
            draft.patch.construction_year = FieldUpdate::Set(Some(year));
        }
        // In Tours, with or without coordinates.
        7 => {
            let point = GeoPoint::new(TOURS.0, TOURS.1).filter(|_| random.once_in(2));
            let place = GivenPlace { insee: Insee::parse("37261"), point, ..GivenPlace::default() };
            draft.patch.place = FieldUpdate::Set(place);
        }
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
    let mut effects = ChangeEffects {
        matched: group.matched.clone(),
        inherited: group.inherited.clone(),
        ..ChangeEffects::default()
    };
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

/// What retention deletes during a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deletes {
    Nothing,
    /// Log entries, versions and the outbox, at any time.
    Log,
    /// Matches of properties that are off the market, too.
    Matches,
}

/// Turns the outbox into deliveries that are cancelled at once, and deletes those.
async fn drain_outbox(service: &TestService) {
    loop {
        let outbox = service.store.read_outbox(100).await.unwrap();
        let cancelled = InitialState::Cancelled(CancelReason::ChannelOff);
        let deliveries = outbox.deliveries.iter().map(|delivery| (*delivery, cancelled)).collect();
        let at = service.clock.now();
        let batch = EnqueueBatch { after: outbox.after, until: outbox.until, at, deliveries };
        assert!(service.store.enqueue(batch).await.unwrap());
        if !outbox.more {
            break;
        }
    }
    let mut after = 0;
    loop {
        let pruned = service.store.prune_deliveries(at(1_000_000_000), after, 100).await.unwrap();
        if !pruned.more {
            break;
        }
        after = pruned.until;
    }
}

async fn delete_old(service: &TestService, app: &App, deletes: Deletes) -> PrunedRows {
    let second = Some(Duration::from_secs(1));
    let settings = retention::Settings {
        log: second,
        matches: second.filter(|_| deletes == Deletes::Matches),
        expired_properties: None,
        pace: retention::Pace::Immediate,
    };
    service.clock.advance_seconds(3);
    retention::run_once(app, settings, &CancellationToken::new()).await.unwrap()
}

/// Returns the properties that are not on offer, neither by themselves nor as part of another one.
async fn departed(app: &App, model: &MatchModel) -> Vec<PropertyId> {
    let mut departed = Vec::new();
    for (_, property) in model.alerted() {
        let survivor = app.store().survivor(*property).await.unwrap().unwrap_or(*property);
        let current = app.properties(vec![survivor]).await.unwrap();
        if current.get(&survivor).is_none_or(|property| !is_available(property)) {
            departed.push(*property);
        }
    }
    departed
}

async fn assert_sound(store: &SqlStore, seed: u64) {
    let mut cursor = Some(VerifyCursor::default());
    while let Some(next) = cursor {
        let page = store.verify(next).await.unwrap();
        assert_eq!(page.findings, [], "seed {seed}");
        cursor = page.rest;
    }
}

#[tokio::test]
async fn every_match_is_made_once_despite_interruptions() {
    every_match_is_made_once(Deletes::Nothing).await;
}

#[tokio::test]
async fn every_match_is_made_once_although_the_log_is_deleted() {
    let deleted = every_match_is_made_once(Deletes::Log).await;
    assert!(deleted.log_entries.min(deleted.versions) > 5 * RUNS, "{deleted:?}");
    assert!(deleted.outbox_entries > RUNS && deleted.match_groups > 0, "{deleted:?}");
}

#[tokio::test]
async fn every_match_is_made_once_until_its_property_is_forgotten() {
    let deleted = every_match_is_made_once(Deletes::Matches).await;
    assert!(deleted.search_matches.min(deleted.log_entries) > RUNS / 2, "{deleted:?}");
}

async fn every_match_is_made_once(deletes: Deletes) -> PrunedRows {
    let seed = testkit::random::seed();
    let (mut matches, mut inherited) = (0, 0);
    let mut deleted = PrunedRows::default();
    for run in 0..RUNS {
        // Groups as they were recorded, before retention deleted them.
        let mut recorded: BTreeMap<u64, (PropertyId, ChangeEffects)> = BTreeMap::new();
        let mut random = Random::new(seed.wrapping_add(run));
        let service = TestService::new();
        let app = service.app();
        let mut history = History::default();
        let mut matcher = Matcher::new(&app).unwrap();
        let mut rival = Matcher::new(&service.app()).unwrap();
        for _ in 0..60 {
            history.act(&app, &mut random).await;
            service.clock.advance_seconds(random.below(2) as i64);
            match random.below(16) {
                0 | 1 => catch_up(&mut matcher).await,
                2 | 3 => drop(matcher.run_once().await.unwrap()),
                // Crashes; another matcher starts from the checkpoint.
                4 | 5 => matcher = Matcher::new(&app).unwrap(),
                6 | 7 => drop(rival.run_once().await.unwrap()),
                // What a late matcher makes of erased adverts depends on time, so it reads the log first.
                8 => {
                    catch_up(&mut matcher).await;
                    catch_up(&mut matcher).await;
                    matcher.save_checkpoint().await.unwrap();
                    history.advance(&app).await;
                    for property in history.erase(&app, &mut random).await {
                        recorded.retain(|_, (changed, _)| *changed != property);
                    }
                }
                // The model reads the log before it is deleted. The matchers go on from where they are.
                9..12 if deletes != Deletes::Nothing => {
                    if deletes == Deletes::Matches {
                        history.end_some_offers(&app, &mut random).await;
                        history.end_with_a_search(&app).await;
                        catch_up(&mut matcher).await;
                        catch_up(&mut matcher).await;
                        matcher.save_checkpoint().await.unwrap();
                    }
                    history.advance(&app).await;
                    for group in &service.groups().await {
                        // Retention takes notifications away from a group, and never adds any.
                        let effects = || (group.property, effects(group));
                        recorded.entry(group.position.0).or_insert_with(effects);
                    }
                    drain_outbox(&service).await;
                    let departed = departed(&app, &history.model).await;
                    deleted.add(delete_old(&service, &app, deletes).await);
                    if deletes == Deletes::Matches {
                        departed.into_iter().for_each(|property| history.model.erase(property));
                    }
                    assert_sound(&service.store, seed.wrapping_add(run)).await;
                }
                _ => {}
            }
        }
        // If the rival was faster, the first call only detects that.
        catch_up(&mut matcher).await;
        catch_up(&mut matcher).await;
        history.advance(&app).await;
        let History { model, effects: expected, searches, .. } = history;
        let expected =
            current(&model, expected.into_iter().map(|(position, (_, effects))| (position, effects)));
        let groups = service.groups().await;
        for group in &groups {
            recorded.entry(group.position.0).or_insert_with(|| (group.property, effects(group)));
        }
        let recorded = recorded.into_iter().map(|(position, (_, effects))| (position, effects));
        assert_eq!(current(&model, recorded), expected, "seed {}", seed.wrapping_add(run));
        let mut listed: BTreeSet<(SearchNumber, PropertyId)> = BTreeSet::new();
        for stored in searches.values() {
            let page = service.store.list_matches(stored.number, 0, 10_000).await.unwrap();
            assert_eq!(page.total, page.matches.len() as u64);
            for row in page.matches {
                assert!(listed.insert((stored.number, row.property)), "twice: {row:?}");
            }
        }
        assert_eq!(&listed, model.matched());
        matches += listed.len();
        inherited += groups.iter().map(|group| group.inherited.len()).sum::<usize>();
    }
    assert!(matches.min(inherited) > RUNS as usize / 2, "the generated data exercises too little");
    deleted
}

/// Erasures come at any time here, also before the matcher has read what the advert did.
#[tokio::test]
async fn no_search_is_alerted_twice_for_one_home() {
    let seed = testkit::random::seed();
    let mut alerts = 0;
    for run in 0..RUNS {
        let mut random = Random::new(seed.wrapping_add(run));
        let service = TestService::new();
        let app = service.app();
        let mut history = History::default();
        let mut matcher = Matcher::new(&app).unwrap();
        let mut alerted_at: BTreeMap<Position, (PropertyId, Vec<SearchNumber>)> = BTreeMap::new();
        let mut gone: BTreeSet<(Position, PropertyId)> = BTreeSet::new();
        for _ in 0..60 {
            history.act(&app, &mut random).await;
            match random.below(8) {
                0 | 1 => drop(matcher.run_once().await.unwrap()),
                2 => matcher = Matcher::new(&app).unwrap(),
                3 => {
                    let groups = service.groups().await;
                    alerted_at.extend(
                        groups.into_iter().map(|group| (group.position, (group.property, group.matched))),
                    );
                    let erased = erase(&app, &mut random).await;
                    let erased_at = *service.store.head().borrow();
                    gone.extend(erased.into_iter().map(|property| (erased_at, property)));
                }
                _ => {}
            }
        }
        catch_up(&mut matcher).await;
        let groups = service.groups().await;
        alerted_at.extend(groups.into_iter().map(|group| (group.position, (group.property, group.matched))));
        alerts += alerted_at.values().map(|(_, searches)| searches.len()).sum::<usize>();
        let log = service.store.log_after(Position::START, usize::MAX).await.unwrap();
        assert_alerted_once(&log, &alerted_at, &gone, seed.wrapping_add(run));
    }
    assert!(alerts > RUNS as usize, "the generated data exercises too little");
}

/// Follows the homes through the log: a property comes from those whose adverts it took over.
fn assert_alerted_once(
    log: &[LogEntry],
    alerted_at: &BTreeMap<Position, (PropertyId, Vec<SearchNumber>)>,
    gone: &BTreeSet<(Position, PropertyId)>,
    seed: u64,
) {
    // Nothing is left of a property that an erased advert had left, so its alerts are forgotten.
    let is_forgotten = |source: PropertyId| {
        let removed = |at: Position| {
            log.iter().any(|LogEntry { position, change, .. }| {
                *position == at
                    && matches!(change, Change::PropertyRemoved { property, .. } if *property == source)
            })
        };
        gone.iter().any(|(position, property)| *property == source && !removed(*position))
    };
    let mut alerted: HashMap<PropertyId, BTreeSet<SearchNumber>> = HashMap::new();
    for LogEntry { position, change, .. } in log {
        if let Change::Property { property, cause: PropertyCause::Regrouped { from, .. }, .. } = change {
            for (source, _) in from.iter().filter(|(source, _)| !is_forgotten(*source)) {
                let inherited = alerted.get(source).cloned().unwrap_or_default();
                alerted.entry(*property).or_default().extend(inherited);
            }
        }
        // Matches are erased with the property. One that is created again under the same id is another home.
        alerted.retain(|property, _| !gone.contains(&(*position, *property)));
        if let Some((property, searches)) = alerted_at.get(position) {
            for search in searches {
                let is_first = alerted.entry(*property).or_default().insert(*search);
                assert!(is_first, "{search:?} twice, for {property} at {position:?}; seed {seed}");
            }
        }
    }
}
