//! What is owed is brought: once, an hour apart when it fails, with the same bytes, and to nobody who does not want it.

mod carrier;
mod edges;
mod stories;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use domain::search::Wish;
use domain::{
    Alerts, CancelReason, Contact, DeliveryChannel, DeliveryState, EmailAddress, Endpoint, EventName, Fault,
    Given, Identity, LongText, Outcome, Retries,
};
use places::Gazetteer;
use store::sqlite::SqliteStore;
use store::{DeliveryList, DeliveryRow, Store, StoredSearch};
use tempfile::TempDir;
use testkit::build::{advert_id, at, draft, property_id, short_text, user_id};
use testkit::{ManualClock, SeededIds};
use tokio_util::sync::CancellationToken;

use super::Dispatcher;
use crate::App;
use crate::deliveries::Replayed;
use crate::dispatch::{DispatchLimits, DispatchSettings};
use crate::workers::following::Progress;
use crate::workers::matcher::Matcher;
use carrier::{Answer, TestCarrier, TestScribe};

const HOUR: i64 = 3_600;

struct Home {
    store: Arc<SqliteStore>,
    clock: Arc<ManualClock>,
    carrier: Arc<TestCarrier>,
    app: App,
    _folder: TempDir,
}

impl Home {
    fn new() -> Self {
        static PLACES: LazyLock<Arc<Gazetteer>> = LazyLock::new(|| Arc::new(Gazetteer::embedded().unwrap()));
        let folder = TempDir::new().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        let clock = Arc::new(ManualClock::at(at(1_000_000)));
        let carrier = Arc::new(TestCarrier::default());
        let settings = DispatchSettings {
            retries: Retries { interval: Duration::from_secs(3_600) },
            gather: Duration::from_secs(300),
            keep: Duration::from_secs(30 * 86_400),
            public_url: "https://vigie.example".to_owned(),
            limits: DispatchLimits { per_host: 8, per_user: 16, in_all: 32, letters: 3 },
        };
        let app = App::new(store.clone(), clock.clone(), Arc::new(SeededIds::new(1)), Arc::clone(&PLACES))
            .with_matcher()
            .with_dispatch(Arc::new(TestScribe), carrier.clone(), settings);
        Self { store, clock, carrier, app, _folder: folder }
    }

    fn dispatcher(&self) -> Dispatcher {
        Dispatcher::new(&self.app).unwrap().unwrap()
    }

    async fn save(&self, alerts: Alerts) -> StoredSearch {
        let wish = Wish { title: short_text("Un bien"), terms: domain::Terms::default(), alerts };
        self.app.create_search(user_id(1), wish, 100).await.unwrap().unwrap()
    }

    async fn change(&self, search: &StoredSearch, change: impl FnOnce(&mut Alerts)) -> StoredSearch {
        let search = self.app.search_of(search.search.owner, search.search.id).await.unwrap().unwrap();
        let mut wish = search.search.wish.clone();
        change(&mut wish.alerts);
        self.app.update_search(&search, wish).await.unwrap().unwrap()
    }

    /// Takes an advert in, at a price.
    async fn advertise(&self, number: u64, price: f64) {
        let mut advert = draft(Identity::Uuid(advert_id(number)));
        advert.property = Some(property_id(number));
        advert.patch.price = Given::Value(domain::Amount::new(price));
        advert.patch.contact =
            Given::Value(Contact { phone: Some(short_text("0102030405")), ..Contact::default() });
        advert.patch.description = Given::Value(LongText::new(&format!("au prix de {price}")).unwrap());
        self.app.ingest(vec![advert]).await.unwrap();
    }

    async fn matched(&self) {
        let mut matcher = Matcher::new(&self.app).unwrap();
        while matcher.run_once().await.unwrap() == Progress::More {}
    }

    async fn deliveries(&self) -> Vec<DeliveryRow> {
        let asked = DeliveryList { take: 10_000, ..DeliveryList::default() };
        let mut page = self.store.deliveries(asked).await.unwrap();
        assert_eq!(page.total, page.deliveries.len() as u64);
        page.deliveries.reverse();
        page.deliveries
    }

    async fn states(&self) -> Vec<DeliveryState> {
        self.deliveries().await.into_iter().map(|row| row.state).collect()
    }
}

/// Does everything that can be done at this moment.
async fn work(dispatcher: &mut Dispatcher) {
    loop {
        let more = dispatcher.run_once().await.unwrap();
        dispatcher.settled().await;
        if !more && !dispatcher.schedule.has_turn(dispatcher.app.clock.now()) {
            return;
        }
    }
}

fn to_endpoint() -> Alerts {
    Alerts { enabled: true, endpoint: Endpoint::parse("https://hook.example/m").ok(), ..Alerts::default() }
}

#[tokio::test]
async fn a_match_and_each_event_are_brought_once() {
    let home = Home::new();
    let events = Alerts {
        event_endpoint: Endpoint::parse("https://hook.example/e").ok(),
        events: [EventName::AdCreate, EventName::UpdatePrice].into(),
        ..to_endpoint()
    };
    let search = home.save(events).await;
    home.advertise(1, 100.0).await;
    home.advertise(1, 90.0).await;
    home.matched().await;
    let mut dispatcher = home.dispatcher();
    work(&mut dispatcher).await;
    work(&mut dispatcher).await;
    let posts = home.carrier.posts();
    let told: Vec<_> = posts.iter().map(|post| (post.path.as_str(), post.text())).collect();
    let of = |path: &str| {
        told.iter().filter(|(found, _)| *found == path).map(|(_, text)| text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(of("/m"), ["match of au prix de 100"]);
    assert_eq!(of("/e"), ["AdCreate in au prix de 100", "UpdatePrice in au prix de 90"], "in order");
    assert_eq!(home.states().await, [DeliveryState::Delivered; 3]);
    assert!(posts.iter().all(|post| post.secrets == 1));
    let search = home.app.search_of(user_id(1), search.search.id).await.unwrap().unwrap();
    assert_eq!(search.last_alert_at, Some(at(1_000_000)));
}

#[tokio::test]
async fn what_fails_is_tried_six_times_an_hour_apart_with_the_same_bytes_and_can_be_sent_again() {
    let home = Home::new();
    home.save(to_endpoint()).await;
    home.advertise(1, 100.0).await;
    home.matched().await;
    home.carrier.always(Answer::Is(Outcome::Failed(Fault::Status)));
    let mut dispatcher = home.dispatcher();
    for attempt in 1..=6 {
        work(&mut dispatcher).await;
        assert_eq!(home.carrier.posts().len(), attempt);
        // The property goes on changing; a new worker goes on where the last one was.
        home.advertise(1, 100.0 + attempt as f64).await;
        if attempt % 2 == 0 {
            dispatcher.finish().await;
            dispatcher = home.dispatcher();
        }
        home.clock.advance_seconds(HOUR - 1);
        work(&mut dispatcher).await;
        assert_eq!(home.carrier.posts().len(), attempt, "not before its hour");
        home.clock.advance_seconds(1);
    }
    work(&mut dispatcher).await;
    let posts = home.carrier.posts();
    assert_eq!(posts.len(), 6);
    assert!(posts.iter().all(|post| post.id == posts[0].id && post.body == posts[0].body));
    let began: Vec<_> = posts.iter().map(|post| post.at.as_second()).collect();
    assert!(began.windows(2).all(|pair| pair[1] - pair[0] == HOUR), "{began:?}");
    let [row] = home.deliveries().await.try_into().unwrap();
    assert_eq!((row.state, row.attempts), (DeliveryState::Failed, 6));

    home.carrier.always(Answer::Is(Outcome::Delivered));
    assert_eq!(home.app.replay_delivery(Some(user_id(1)), row.id).await.unwrap(), Replayed::Done);
    work(&mut dispatcher).await;
    let posts = home.carrier.posts();
    assert_eq!(posts.len(), 7);
    assert_eq!(posts[6].body, posts[0].body);
    let (row, attempts) = home.store.delivery(row.id).await.unwrap().unwrap();
    assert_eq!((row.state, attempts.len()), (DeliveryState::Delivered, 7));
    assert_eq!(attempts[0].target.as_deref(), Some("https://hook.example/m"));
}

#[tokio::test]
async fn an_attempt_that_nobody_saw_the_end_of_is_made_again_with_the_same_bytes() {
    let home = Home::new();
    home.save(to_endpoint()).await;
    home.advertise(1, 100.0).await;
    home.matched().await;
    home.carrier.always(Answer::TakenThenSilence);
    let mut dispatcher = home.dispatcher();
    while home.carrier.posts().is_empty() {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    // The process dies here: the receiver has it, and nobody knows.
    drop(dispatcher);
    assert_eq!(home.states().await, [DeliveryState::Leased]);
    home.carrier.always(Answer::Is(Outcome::Delivered));
    let mut dispatcher = home.dispatcher();
    work(&mut dispatcher).await;
    let posts = home.carrier.posts();
    assert_eq!(posts.len(), 2);
    assert_eq!((posts[0].id, &posts[0].body), (posts[1].id, &posts[1].body));
    let [row] = home.deliveries().await.try_into().unwrap();
    assert_eq!((row.state, row.attempts), (DeliveryState::Delivered, 2));
}

#[tokio::test]
async fn a_lease_that_ran_out_is_somebody_else_s_and_the_late_one_changes_nothing() {
    let home = Home::new();
    home.save(to_endpoint()).await;
    home.advertise(1, 100.0).await;
    home.matched().await;
    let release = home.carrier.hold();
    let mut late = home.dispatcher();
    while home.carrier.posts().is_empty() {
        late.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    home.clock.advance_seconds(61);
    home.carrier.always(Answer::Is(Outcome::Failed(Fault::Status)));
    let mut other = home.dispatcher();
    other.begun = true;
    work(&mut other).await;
    assert_eq!(home.carrier.posts().len(), 2);
    let before = home.deliveries().await;
    release.notify_one();
    late.settled().await;
    assert_eq!(home.deliveries().await, before, "it had lost its lease");
    assert_eq!(before[0].state, DeliveryState::Pending);
}

#[tokio::test]
async fn what_is_switched_off_or_deleted_or_has_nowhere_to_go_is_given_up() {
    let home = Home::new();
    let off = home.save(to_endpoint()).await;
    let gone = home.save(to_endpoint()).await;
    let nowhere = home.save(to_endpoint()).await;
    let letters =
        Alerts { enabled: true, email: EmailAddress::parse("a@b.example").ok(), ..Alerts::default() };
    home.save(letters).await;
    home.carrier.no_letters();
    home.advertise(1, 100.0).await;
    home.matched().await;
    home.change(&off, |alerts| alerts.enabled = false).await;
    home.change(&nowhere, |alerts| alerts.endpoint = None).await;
    let mut dispatcher = home.dispatcher();
    dispatcher.take_in(at(1_000_000)).await.unwrap();
    assert!(home.app.delete_search(user_id(1), gone.search.id).await.unwrap());
    let cancelled = DeliveryState::Cancelled;
    let of = |states: Vec<DeliveryState>, reason| states.contains(&cancelled(reason));
    assert!(of(home.states().await, CancelReason::SearchDeleted), "seen at once");
    work(&mut dispatcher).await;
    assert!(home.carrier.posts().is_empty());
    let states = home.states().await;
    assert_eq!(states.len(), 4);
    for reason in [
        CancelReason::Disabled,
        CancelReason::SearchDeleted,
        CancelReason::NoRecipient,
        CancelReason::ChannelOff,
    ] {
        assert!(of(states.clone(), reason), "{reason:?} in {states:?}");
    }

    // What was cancelled while it was off can be had afterwards.
    let off = home.change(&off, |alerts| alerts.enabled = true).await;
    assert_eq!(home.app.replay_failed(&off, at(0)).await.unwrap(), Some(1));
    work(&mut dispatcher).await;
    assert_eq!(home.carrier.posts().len(), 1);
}

#[tokio::test]
async fn one_that_hangs_is_in_nobody_s_way() {
    let home = Home::new();
    home.save(Alerts { endpoint: Endpoint::parse("https://hang.example/").ok(), ..to_endpoint() }).await;
    home.save(to_endpoint()).await;
    for number in 0..30 {
        home.advertise(number, 100.0).await;
    }
    home.matched().await;
    home.carrier.hang_on("hang.example:443");
    let mut dispatcher = home.dispatcher();
    while home.carrier.posts().iter().filter(|post| post.path == "/m").count() < 30 {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    let hanging = home.carrier.posts().iter().filter(|post| post.path == "/").count();
    assert_eq!(hanging, 4, "as many as one user may have at one host");
}

#[tokio::test]
async fn contacts_are_hidden_where_that_is_asked_for_and_what_was_erased_is_not_sent() {
    let home = Home::new();
    home.save(Alerts { hide_contact: true, ..to_endpoint() }).await;
    home.advertise(1, 100.0).await;
    home.advertise(2, 100.0).await;
    home.matched().await;
    home.carrier.always(Answer::Is(Outcome::Failed(Fault::Timeout)));
    let mut dispatcher = home.dispatcher();
    work(&mut dispatcher).await;
    assert_eq!(home.carrier.posts().len(), 2);
    home.app.erase(advert_id(2), |_| ()).await.unwrap();
    home.clock.advance_seconds(HOUR);
    work(&mut dispatcher).await;
    let posts = home.carrier.posts();
    assert_eq!(posts.len(), 3, "the erased one is not sent again");
    assert_eq!(posts[2].text(), "match of au prix de 100, hidden");
    assert_eq!(home.states().await, [DeliveryState::Pending, DeliveryState::Cancelled(CancelReason::Erased)]);
}

#[tokio::test]
async fn matches_of_a_search_are_gathered_into_one_letter() {
    let home = Home::new();
    home.save(Alerts { enabled: true, email: EmailAddress::parse("a@b.example").ok(), ..Alerts::default() })
        .await;
    home.advertise(1, 100.0).await;
    home.matched().await;
    let mut dispatcher = home.dispatcher();
    work(&mut dispatcher).await;
    home.clock.advance_seconds(200);
    home.advertise(2, 200.0).await;
    home.matched().await;
    work(&mut dispatcher).await;
    assert!(home.carrier.letters().is_empty(), "they are still gathered");
    home.clock.advance_seconds(100);
    home.carrier.always(Answer::Is(Outcome::Failed(Fault::Status)));
    work(&mut dispatcher).await;
    let [first] = home.carrier.letters().try_into().unwrap();
    assert_eq!(first.homes.len(), 2);
    assert!(first.unsubscribe.as_str().starts_with("https://vigie.example/unsubscribe/"));

    // One that failed goes out again as it was; what came since goes out by itself.
    home.advertise(3, 300.0).await;
    home.matched().await;
    work(&mut dispatcher).await;
    home.clock.advance_seconds(HOUR);
    home.carrier.always(Answer::Is(Outcome::Delivered));
    work(&mut dispatcher).await;
    let letters = home.carrier.letters();
    let sizes: Vec<_> = letters.iter().map(|letter| letter.homes.len()).collect();
    assert_eq!(sizes.len(), 3);
    let again = letters.iter().skip(1).find(|letter| letter.id == first.id).unwrap();
    assert_eq!(again.homes.len(), 2);
    assert_eq!(home.states().await, [DeliveryState::Delivered; 3]);

    // One that brings anything else has another name, or mail programs would not show it.
    let of_first = home.deliveries().await.remove(0).id;
    assert_eq!(home.app.replay_delivery(None, of_first).await.unwrap(), Replayed::Done);
    work(&mut dispatcher).await;
    let again = home.carrier.letters().pop().unwrap();
    assert_eq!(again.homes.len(), 1);
    assert!(letters.iter().all(|letter| letter.id != again.id));
    assert!(home.deliveries().await.iter().all(|row| row.lane.channel == DeliveryChannel::Email));
}

#[tokio::test]
async fn what_is_old_is_forgotten_and_what_waits_is_not() {
    let home = Home::new();
    home.save(to_endpoint()).await;
    home.advertise(1, 100.0).await;
    home.matched().await;
    let mut dispatcher = home.dispatcher();
    work(&mut dispatcher).await;
    home.carrier.always(Answer::Is(Outcome::Failed(Fault::Status)));
    home.advertise(2, 100.0).await;
    home.matched().await;
    work(&mut dispatcher).await;
    home.clock.advance_seconds(30 * 86_400);
    home.app.forget_old_deliveries(&CancellationToken::new()).await.unwrap();
    assert_eq!(home.states().await.len(), 2, "to the day");
    home.clock.advance_seconds(1);
    home.app.forget_old_deliveries(&CancellationToken::new()).await.unwrap();
    assert_eq!(home.states().await, [DeliveryState::Pending]);
}

#[tokio::test]
async fn when_told_to_stop_it_finishes_what_is_under_way_and_begins_nothing_more() {
    let home = Home::new();
    home.save(to_endpoint()).await;
    home.advertise(1, 100.0).await;
    home.matched().await;
    let release = home.carrier.hold();
    let stop = CancellationToken::new();
    let running = tokio::task::JoinSet::from_iter([super::run(home.dispatcher(), stop.clone())]);
    home.carrier.carried(1).await;
    stop.cancel();
    home.advertise(2, 100.0).await;
    home.matched().await;
    release.notify_one();
    running.join_all().await;
    assert_eq!(home.carrier.posts().len(), 1);
    assert_eq!(home.states().await, [DeliveryState::Delivered]);
    // What came meanwhile is not lost.
    home.carrier.always(Answer::Is(Outcome::Delivered));
    work(&mut home.dispatcher()).await;
    assert_eq!(home.states().await, [DeliveryState::Delivered; 2]);
}
