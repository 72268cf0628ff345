//! What is owed is brought: once, an hour apart when it fails, with the same bytes, and to nobody who does not want it.

mod edges;
mod stories;
mod transport;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use domain::search::SearchDraft;
use domain::{
    Alerts, CancelReason, Contact, DeliveryChannel, DeliveryState, EmailAddress, Endpoint, EventName, Fault,
    FieldUpdate, Identity, LongText, Outcome, RetryPolicy,
};
use places::Gazetteer;
use store::sqlite::SqliteStore;
use store::prelude::*;
use store::{DeliveryList, DeliveryRow, StoredSearch};
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
use transport::{Answer, TestCarrier, TestScribe};

const HOUR: i64 = 3_600;

struct ListingSummary {
    store: Arc<SqliteStore>,
    clock: Arc<ManualClock>,
    transport: Arc<TestCarrier>,
    app: App,
    _folder: TempDir,
}

impl ListingSummary {
    fn new() -> Self {
        static PLACES: LazyLock<Arc<Gazetteer>> = LazyLock::new(|| Arc::new(Gazetteer::embedded().unwrap()));
        let folder = TempDir::new().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        let clock = Arc::new(ManualClock::at(at(1_000_000)));
        let transport = Arc::new(TestCarrier::default());
        let settings = DispatchSettings {
            retries: RetryPolicy { interval: Duration::from_secs(3_600) },
            gather: Duration::from_secs(300),
            keep: Duration::from_secs(30 * 86_400),
            public_url: "https://vigie.example".to_owned(),
            limits: DispatchLimits { per_host: 8, per_user: 16, in_all: 32, emails: 3 },
        };
        let app = App::new(store.clone(), clock.clone(), Arc::new(SeededIds::new(1)), Arc::clone(&PLACES))
            .with_matcher()
            .with_dispatch(Arc::new(TestScribe), transport.clone(), settings);
        Self { store, clock, transport, app, _folder: folder }
    }

    fn dispatcher(&self) -> Dispatcher {
        Dispatcher::new(&self.app).unwrap().unwrap()
    }

    async fn save(&self, alerts: Alerts) -> StoredSearch {
        let draft = SearchDraft {
            title: short_text("Un bien"),
            raw_criteria: domain::RawCriteria::default(),
            alerts,
        };
        self.app.create_search(user_id(1), draft, 100).await.unwrap().unwrap()
    }

    async fn change(&self, search: &StoredSearch, change: impl FnOnce(&mut Alerts)) -> StoredSearch {
        let search = self.app.search_of(search.search.owner, search.search.id).await.unwrap().unwrap();
        let mut draft = search.search.draft.clone();
        change(&mut draft.alerts);
        self.app.update_search(&search, draft).await.unwrap().unwrap()
    }

    /// Takes an advert in, at a price.
    async fn advertise(&self, number: u64, price: f64) {
        let mut advert = draft(Identity::Uuid(advert_id(number)));
        advert.property = Some(property_id(number));
        advert.patch.price = FieldUpdate::Set(domain::Amount::new(price));
        advert.patch.contact =
            FieldUpdate::Set(Contact { phone: Some(short_text("0102030405")), ..Contact::default() });
        advert.patch.description = FieldUpdate::Set(LongText::new(&format!("au prix de {price}")).unwrap());
        self.app.ingest(vec![advert]).await.unwrap();
    }

    async fn matched(&self) {
        let mut matcher = Matcher::new(&self.app).unwrap();
        while matcher.run_once().await.unwrap() == Progress::More {}
    }

    async fn deliveries(&self) -> Vec<DeliveryRow> {
        let asked = DeliveryList { take: 10_000, ..DeliveryList::default() };
        let mut page = self.store.list_deliveries(asked).await.unwrap();
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
    let listing = ListingSummary::new();
    let events = Alerts {
        event_endpoint: Endpoint::parse("https://hook.example/e").ok(),
        events: [EventName::AdCreate, EventName::UpdatePrice].into(),
        ..to_endpoint()
    };
    let search = listing.save(events).await;
    listing.advertise(1, 100.0).await;
    listing.advertise(1, 90.0).await;
    listing.matched().await;
    let mut dispatcher = listing.dispatcher();
    work(&mut dispatcher).await;
    work(&mut dispatcher).await;
    let posts = listing.transport.posts();
    let told: Vec<_> = posts.iter().map(|post| (post.path.as_str(), post.text())).collect();
    let of = |path: &str| {
        told.iter().filter(|(found, _)| *found == path).map(|(_, text)| text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(of("/m"), ["match of au prix de 100"]);
    assert_eq!(of("/e"), ["AdCreate in au prix de 100", "UpdatePrice in au prix de 90"], "in order");
    assert_eq!(listing.states().await, [DeliveryState::Delivered; 3]);
    assert!(posts.iter().all(|post| post.secrets == 1));
    let search = listing.app.search_of(user_id(1), search.search.id).await.unwrap().unwrap();
    assert_eq!(search.last_alert_at, Some(at(1_000_000)));
}

#[tokio::test]
async fn what_fails_is_tried_six_times_an_hour_apart_with_the_same_bytes_and_can_be_sent_again() {
    let listing = ListingSummary::new();
    listing.save(to_endpoint()).await;
    listing.advertise(1, 100.0).await;
    listing.matched().await;
    listing.transport.always(Answer::Is(Outcome::Failed(Fault::Status)));
    let mut dispatcher = listing.dispatcher();
    for attempt in 1..=6 {
        work(&mut dispatcher).await;
        assert_eq!(listing.transport.posts().len(), attempt);
        // The property goes on changing; a new worker goes on where the last one was.
        listing.advertise(1, 100.0 + attempt as f64).await;
        if attempt % 2 == 0 {
            dispatcher.finish().await;
            dispatcher = listing.dispatcher();
        }
        listing.clock.advance_seconds(HOUR - 1);
        work(&mut dispatcher).await;
        assert_eq!(listing.transport.posts().len(), attempt, "not before its hour");
        listing.clock.advance_seconds(1);
    }
    work(&mut dispatcher).await;
    let posts = listing.transport.posts();
    assert_eq!(posts.len(), 6);
    assert!(posts.iter().all(|post| post.id == posts[0].id && post.body == posts[0].body));
    let began: Vec<_> = posts.iter().map(|post| post.at.as_second()).collect();
    assert!(began.windows(2).all(|pair| pair[1] - pair[0] == HOUR), "{began:?}");
    let [row] = listing.deliveries().await.try_into().unwrap();
    assert_eq!((row.state, row.attempts), (DeliveryState::Failed, 6));

    listing.transport.always(Answer::Is(Outcome::Delivered));
    assert_eq!(listing.app.replay_delivery(Some(user_id(1)), row.id).await.unwrap(), Replayed::Done);
    work(&mut dispatcher).await;
    let posts = listing.transport.posts();
    assert_eq!(posts.len(), 7);
    assert_eq!(posts[6].body, posts[0].body);
    let (row, attempts) = listing.store.delivery(row.id).await.unwrap().unwrap();
    assert_eq!((row.state, attempts.len()), (DeliveryState::Delivered, 7));
    assert_eq!(attempts[0].target.as_deref(), Some("https://hook.example/m"));
}

#[tokio::test]
async fn an_attempt_that_nobody_saw_the_end_of_is_made_again_with_the_same_bytes() {
    let listing = ListingSummary::new();
    listing.save(to_endpoint()).await;
    listing.advertise(1, 100.0).await;
    listing.matched().await;
    listing.transport.always(Answer::TakenThenSilence);
    let mut dispatcher = listing.dispatcher();
    while listing.transport.posts().is_empty() {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    // The process dies here: the receiver has it, and nobody knows.
    drop(dispatcher);
    assert_eq!(listing.states().await, [DeliveryState::Leased]);
    listing.transport.always(Answer::Is(Outcome::Delivered));
    let mut dispatcher = listing.dispatcher();
    work(&mut dispatcher).await;
    let posts = listing.transport.posts();
    assert_eq!(posts.len(), 2);
    assert_eq!((posts[0].id, &posts[0].body), (posts[1].id, &posts[1].body));
    let [row] = listing.deliveries().await.try_into().unwrap();
    assert_eq!((row.state, row.attempts), (DeliveryState::Delivered, 2));
}

#[tokio::test]
async fn a_lease_that_ran_out_is_somebody_else_s_and_the_late_one_changes_nothing() {
    let listing = ListingSummary::new();
    listing.save(to_endpoint()).await;
    listing.advertise(1, 100.0).await;
    listing.matched().await;
    let release = listing.transport.hold();
    let mut late = listing.dispatcher();
    while listing.transport.posts().is_empty() {
        late.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    listing.clock.advance_seconds(61);
    listing.transport.always(Answer::Is(Outcome::Failed(Fault::Status)));
    let mut other = listing.dispatcher();
    other.begun = true;
    work(&mut other).await;
    assert_eq!(listing.transport.posts().len(), 2);
    let before = listing.deliveries().await;
    release.notify_one();
    late.settled().await;
    assert_eq!(listing.deliveries().await, before, "it had lost its lease");
    assert_eq!(before[0].state, DeliveryState::Pending);
}

#[tokio::test]
async fn what_is_switched_off_or_deleted_or_has_nowhere_to_go_is_given_up() {
    let listing = ListingSummary::new();
    let off = listing.save(to_endpoint()).await;
    let gone = listing.save(to_endpoint()).await;
    let nowhere = listing.save(to_endpoint()).await;
    let emails =
        Alerts { enabled: true, email: EmailAddress::parse("a@b.example").ok(), ..Alerts::default() };
    listing.save(emails).await;
    listing.transport.no_letters();
    listing.advertise(1, 100.0).await;
    listing.matched().await;
    listing.change(&off, |alerts| alerts.enabled = false).await;
    listing.change(&nowhere, |alerts| alerts.endpoint = None).await;
    let mut dispatcher = listing.dispatcher();
    dispatcher.take_in(at(1_000_000)).await.unwrap();
    assert!(listing.app.delete_search(user_id(1), gone.search.id).await.unwrap());
    let cancelled = DeliveryState::Cancelled;
    let of = |states: Vec<DeliveryState>, reason| states.contains(&cancelled(reason));
    assert!(of(listing.states().await, CancelReason::SearchDeleted), "seen at once");
    work(&mut dispatcher).await;
    assert!(listing.transport.posts().is_empty());
    let states = listing.states().await;
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
    let off = listing.change(&off, |alerts| alerts.enabled = true).await;
    assert_eq!(listing.app.replay_failed(&off, at(0)).await.unwrap(), Some(1));
    work(&mut dispatcher).await;
    assert_eq!(listing.transport.posts().len(), 1);
}

#[tokio::test]
async fn one_that_hangs_is_in_nobody_s_way() {
    let listing = ListingSummary::new();
    listing.save(Alerts { endpoint: Endpoint::parse("https://hang.example/").ok(), ..to_endpoint() }).await;
    listing.save(to_endpoint()).await;
    for number in 0..30 {
        listing.advertise(number, 100.0).await;
    }
    listing.matched().await;
    listing.transport.hang_on("hang.example:443");
    let mut dispatcher = listing.dispatcher();
    while listing.transport.posts().iter().filter(|post| post.path == "/m").count() < 30 {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    let hanging = listing.transport.posts().iter().filter(|post| post.path == "/").count();
    assert_eq!(hanging, 4, "as many as one user may have at one host");
}

#[tokio::test]
async fn contacts_are_hidden_where_that_is_asked_for_and_what_was_erased_is_not_sent() {
    let listing = ListingSummary::new();
    listing.save(Alerts { hide_contact: true, ..to_endpoint() }).await;
    listing.advertise(1, 100.0).await;
    listing.advertise(2, 100.0).await;
    listing.matched().await;
    listing.transport.always(Answer::Is(Outcome::Failed(Fault::Timeout)));
    let mut dispatcher = listing.dispatcher();
    work(&mut dispatcher).await;
    assert_eq!(listing.transport.posts().len(), 2);
    listing.app.erase(advert_id(2), |_| ()).await.unwrap();
    listing.clock.advance_seconds(HOUR);
    work(&mut dispatcher).await;
    let posts = listing.transport.posts();
    assert_eq!(posts.len(), 3, "the erased one is not sent again");
    assert_eq!(posts[2].text(), "match of au prix de 100, hidden");
    assert_eq!(
        listing.states().await,
        [DeliveryState::Pending, DeliveryState::Cancelled(CancelReason::Erased)]
    );
}

#[tokio::test]
async fn matches_of_a_search_are_gathered_into_one_letter() {
    let listing = ListingSummary::new();
    listing
        .save(Alerts { enabled: true, email: EmailAddress::parse("a@b.example").ok(), ..Alerts::default() })
        .await;
    listing.advertise(1, 100.0).await;
    listing.matched().await;
    let mut dispatcher = listing.dispatcher();
    work(&mut dispatcher).await;
    listing.clock.advance_seconds(200);
    listing.advertise(2, 200.0).await;
    listing.matched().await;
    work(&mut dispatcher).await;
    assert!(listing.transport.emails().is_empty(), "they are still gathered");
    listing.clock.advance_seconds(100);
    listing.transport.always(Answer::Is(Outcome::Failed(Fault::Status)));
    work(&mut dispatcher).await;
    let [first] = listing.transport.emails().try_into().unwrap();
    assert_eq!(first.listings.len(), 2);
    assert!(first.unsubscribe.as_str().starts_with("https://vigie.example/unsubscribe/"));

    // One that failed goes out again as it was; what came since goes out by itself.
    listing.advertise(3, 300.0).await;
    listing.matched().await;
    work(&mut dispatcher).await;
    listing.clock.advance_seconds(HOUR);
    listing.transport.always(Answer::Is(Outcome::Delivered));
    work(&mut dispatcher).await;
    let emails = listing.transport.emails();
    let sizes: Vec<_> = emails.iter().map(|email| email.listings.len()).collect();
    assert_eq!(sizes.len(), 3);
    let again = emails.iter().skip(1).find(|email| email.id == first.id).unwrap();
    assert_eq!(again.listings.len(), 2);
    assert_eq!(listing.states().await, [DeliveryState::Delivered; 3]);

    // One that brings anything else has another name, or mail programs would not show it.
    let of_first = listing.deliveries().await.remove(0).id;
    assert_eq!(listing.app.replay_delivery(None, of_first).await.unwrap(), Replayed::Done);
    work(&mut dispatcher).await;
    let again = listing.transport.emails().pop().unwrap();
    assert_eq!(again.listings.len(), 1);
    assert!(emails.iter().all(|email| email.id != again.id));
    assert!(listing.deliveries().await.iter().all(|row| row.lane.channel == DeliveryChannel::Email));
}

#[tokio::test]
async fn what_is_old_is_forgotten_and_what_waits_is_not() {
    let listing = ListingSummary::new();
    listing.save(to_endpoint()).await;
    listing.advertise(1, 100.0).await;
    listing.matched().await;
    let mut dispatcher = listing.dispatcher();
    work(&mut dispatcher).await;
    listing.transport.always(Answer::Is(Outcome::Failed(Fault::Status)));
    listing.advertise(2, 100.0).await;
    listing.matched().await;
    work(&mut dispatcher).await;
    listing.clock.advance_seconds(30 * 86_400);
    listing.app.forget_old_deliveries(&CancellationToken::new()).await.unwrap();
    assert_eq!(listing.states().await.len(), 2, "to the day");
    listing.clock.advance_seconds(1);
    listing.app.forget_old_deliveries(&CancellationToken::new()).await.unwrap();
    assert_eq!(listing.states().await, [DeliveryState::Pending]);
}

#[tokio::test]
async fn when_told_to_stop_it_finishes_what_is_under_way_and_begins_nothing_more() {
    let listing = ListingSummary::new();
    listing.save(to_endpoint()).await;
    listing.advertise(1, 100.0).await;
    listing.matched().await;
    let release = listing.transport.hold();
    let stop = CancellationToken::new();
    let running = tokio::task::JoinSet::from_iter([super::run(listing.dispatcher(), stop.clone())]);
    listing.transport.carried(1).await;
    stop.cancel();
    listing.advertise(2, 100.0).await;
    listing.matched().await;
    release.notify_one();
    running.join_all().await;
    assert_eq!(listing.transport.posts().len(), 1);
    assert_eq!(listing.states().await, [DeliveryState::Delivered]);
    // What came meanwhile is not lost.
    listing.transport.always(Answer::Is(Outcome::Delivered));
    work(&mut listing.dispatcher()).await;
    assert_eq!(listing.states().await, [DeliveryState::Delivered; 2]);
}
