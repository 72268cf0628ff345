//! The dispatcher on a real store with a fake transport: deliveries are sent once, retried hourly with the same bytes, and cancelled
//! when no longer wanted.

mod edge_cases;
mod limits;
mod recipients;
mod simulation;
mod transport;

use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use domain::criteria::{RawCriteria, RawCriterion};
use domain::search::SearchDraft;
use domain::{
    Alerts, CancelReason, Contact, DeliveryChannel, DeliveryState, EmailAddress, Endpoint, EventName, Fault,
    FieldUpdate, Filter, Identity, LongText, Outcome, RetryPolicy,
};
use places::Gazetteer;
use store::SqlStore;
use store::prelude::*;
use store::{DeliveryList, DeliveryRow, StoredSearch};
use tempfile::TempDir;
use testkit::build::{advert_id, at, draft, property_id, short_text, user_id};
use testkit::{ManualClock, SeededIds};
use tokio_util::sync::CancellationToken;
use wire::webhook::MatchForm;

use super::Dispatcher;
use crate::App;
use crate::deliveries::Replayed;
use crate::dispatch::{Confirmation, DispatchLimits, DispatchSettings};
use crate::workers::follower::Progress;
use crate::workers::matcher::Matcher;
use crate::workers::retention;
use transport::{Answer, FakeTransport, SentWebhook};

const HOUR: i64 = 3_600;

struct TestService {
    store: Arc<SqlStore>,
    clock: Arc<ManualClock>,
    transport: Arc<FakeTransport>,
    app: App,
    folder: TempDir,
}

impl TestService {
    fn new() -> Self {
        Self::with_limits(DispatchLimits {
            per_host: 8,
            per_user: 16,
            total: 32,
            emails: 3,
            ..DispatchLimits::default()
        })
    }

    fn with_limits(limits: DispatchLimits) -> Self {
        Self::with(limits, Confirmation::NotNeeded)
    }

    fn with(limits: DispatchLimits, confirmation: Confirmation) -> Self {
        Self::on(test_database::open, limits, confirmation)
    }

    fn on(open: fn(&Path) -> SqlStore, limits: DispatchLimits, confirmation: Confirmation) -> Self {
        static PLACES: LazyLock<Arc<Gazetteer>> = LazyLock::new(|| Arc::new(Gazetteer::embedded().unwrap()));
        let folder = TempDir::new().unwrap();
        let store = Arc::new(open(folder.path()));
        let clock = Arc::new(ManualClock::at(at(1_000_000)));
        let transport = Arc::new(FakeTransport::default());
        let settings = DispatchSettings {
            retries: RetryPolicy { interval: Duration::from_secs(3_600) },
            batch_window: Duration::from_secs(300),
            retention: Duration::from_secs(30 * 86_400),
            public_url: "https://vigie.example".to_owned(),
            match_form: MatchForm::default(),
            confirmation,
            limits,
        };
        let app = App::new(store.clone(), clock.clone(), Arc::new(SeededIds::new(1)), Arc::clone(&PLACES))
            .with_matcher()
            .with_dispatch(transport.clone(), settings);
        Self { store, clock, transport, app, folder }
    }

    fn dispatcher(&self) -> Dispatcher {
        Dispatcher::new(&self.app).unwrap().unwrap()
    }

    async fn save(&self, alerts: Alerts) -> StoredSearch {
        let mut raw_criteria = RawCriteria::default();
        let any_price = Filter::named("withCoherentPrice").unwrap();
        raw_criteria.put(any_price, RawCriterion::Flag(false));
        let draft = SearchDraft { title: short_text("Un bien"), raw_criteria, alerts };
        self.app.create_search(user_id(1), draft, 100).await.unwrap().unwrap()
    }

    async fn change(&self, search: &StoredSearch, change: impl FnOnce(&mut Alerts)) -> StoredSearch {
        let search = self.app.search_of(search.search.owner, search.search.id).await.unwrap().unwrap();
        let mut draft = search.search.draft.clone();
        change(&mut draft.alerts);
        self.app.update_search(&search, draft).await.unwrap().unwrap()
    }

    /// Ingests an advert with a price.
    async fn ingest(&self, number: u64, price: f64) {
        let mut advert = draft(Identity::Uuid(advert_id(number)));
        advert.property = Some(property_id(number));
        advert.patch.price = FieldUpdate::Set(domain::Amount::new(price));
        advert.patch.contact =
            FieldUpdate::Set(Contact { phone: Some(short_text("0102030405")), ..Contact::default() });
        advert.patch.description = FieldUpdate::Set(LongText::new(&format!("au prix de {price}")).unwrap());
        self.app.ingest(vec![advert]).await.unwrap();
    }

    async fn run_matcher(&self) {
        let mut matcher = Matcher::new(&self.app).unwrap();
        while matcher.run_once().await.unwrap() == Progress::More {}
    }

    /// Deletes what is old.
    async fn prune(&self) {
        let settings = retention::Settings {
            log: Some(Duration::from_secs(1)),
            matches: Some(Duration::from_secs(1)),
            expired_properties: None,
            pace: retention::Pace::Immediate,
        };
        retention::run_once(&self.app, settings, &CancellationToken::new()).await.unwrap();
    }

    async fn deliveries(&self) -> Vec<DeliveryRow> {
        let list = DeliveryList { take: 10_000, ..DeliveryList::default() };
        let mut page = self.store.list_deliveries(list).await.unwrap();
        assert_eq!(page.total, page.deliveries.len() as u64);
        page.deliveries.reverse();
        page.deliveries
    }

    async fn states(&self) -> Vec<DeliveryState> {
        self.deliveries().await.into_iter().map(|row| row.state).collect()
    }
}

/// Runs rounds until nothing more is due.
async fn run_until_idle(dispatcher: &mut Dispatcher) {
    loop {
        let more = dispatcher.run_once().await.unwrap();
        dispatcher.wait_idle().await;
        if !more && !dispatcher.schedule.has_ready(dispatcher.app.clock.now()) {
            return;
        }
    }
}

fn webhook_alerts() -> Alerts {
    Alerts { enabled: true, endpoint: Endpoint::parse("https://hook.example/m").ok(), ..Alerts::default() }
}

#[tokio::test]
async fn a_match_and_each_event_are_sent_once() {
    let service = TestService::new();
    let events = Alerts {
        event_endpoint: Endpoint::parse("https://hook.example/e").ok(),
        events: [EventName::AdCreate, EventName::UpdatePrice].into(),
        ..webhook_alerts()
    };
    let search = service.save(events).await;
    service.ingest(1, 100.0).await;
    service.ingest(1, 90.0).await;
    service.run_matcher().await;
    let mut dispatcher = service.dispatcher();
    run_until_idle(&mut dispatcher).await;
    run_until_idle(&mut dispatcher).await;
    let webhooks = service.transport.webhooks();
    let sent_to = |path: &str| {
        webhooks.iter().filter(|webhook| webhook.path == path).map(SentWebhook::summary).collect::<Vec<_>>()
    };
    assert_eq!(sent_to("/m"), ["match: au prix de 100"]);
    assert_eq!(
        sent_to("/e"),
        ["property.ad.create: au prix de 100", "ad.update.price: au prix de 90"],
        "in order"
    );
    assert_eq!(service.states().await, [DeliveryState::Delivered; 3]);
    assert!(webhooks.iter().all(|webhook| webhook.secrets == 1));
    let search = service.app.search_of(user_id(1), search.search.id).await.unwrap().unwrap();
    assert_eq!(search.last_alert_at, Some(at(1_000_000)));
}

#[tokio::test]
async fn a_failed_delivery_is_retried_hourly_six_times_and_can_be_replayed() {
    let service = TestService::new();
    service.save(webhook_alerts()).await;
    service.ingest(1, 100.0).await;
    service.run_matcher().await;
    service.transport.always(Answer::Outcome(Outcome::Failed(Fault::Status)));
    let mut dispatcher = service.dispatcher();
    for attempt in 1..=6 {
        run_until_idle(&mut dispatcher).await;
        assert_eq!(service.transport.webhooks().len(), attempt);
        // The property keeps changing, and a new dispatcher continues where the last one ended.
        service.ingest(1, 100.0 + attempt as f64).await;
        if attempt % 2 == 0 {
            dispatcher.finish().await;
            dispatcher = service.dispatcher();
        }
        service.clock.advance_seconds(HOUR - 1);
        run_until_idle(&mut dispatcher).await;
        assert_eq!(service.transport.webhooks().len(), attempt, "not before an hour has passed");
        service.clock.advance_seconds(1);
    }
    run_until_idle(&mut dispatcher).await;
    let webhooks = service.transport.webhooks();
    assert_eq!(webhooks.len(), 6);
    assert!(webhooks.iter().all(|webhook| webhook.id == webhooks[0].id && webhook.body == webhooks[0].body));
    let began: Vec<_> = webhooks.iter().map(|webhook| webhook.at.as_second()).collect();
    assert!(began.windows(2).all(|pair| pair[1] - pair[0] == HOUR), "{began:?}");
    let [row] = service.deliveries().await.try_into().unwrap();
    assert_eq!((row.state, row.attempts), (DeliveryState::Failed, 6));

    service.transport.always(Answer::Outcome(Outcome::Delivered));
    assert_eq!(service.app.replay_delivery(Some(user_id(1)), row.id).await.unwrap(), Replayed::Done);
    run_until_idle(&mut dispatcher).await;
    let webhooks = service.transport.webhooks();
    assert_eq!(webhooks.len(), 7);
    assert_eq!(webhooks[6].body, webhooks[0].body);
    let (row, attempts) = service.store.delivery(row.id).await.unwrap().unwrap();
    assert_eq!((row.state, attempts.len()), (DeliveryState::Delivered, 7));
    assert_eq!(attempts[0].target.as_deref(), Some("https://hook.example/m"));
}

#[tokio::test]
async fn an_interrupted_attempt_is_repeated_with_the_same_bytes() {
    let service = TestService::new();
    service.save(webhook_alerts()).await;
    service.ingest(1, 100.0).await;
    service.run_matcher().await;
    service.transport.always(Answer::Never);
    let mut dispatcher = service.dispatcher();
    while service.transport.webhooks().is_empty() {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    // The process crashes here: the receiver has the message, and the outcome is not recorded.
    drop(dispatcher);
    assert_eq!(service.states().await, [DeliveryState::Leased]);
    if test_database::is_postgres() {
        // Another server may have the lease there, so it has to end.
        service.clock.advance_seconds(61);
    }
    service.transport.always(Answer::Outcome(Outcome::Delivered));
    let mut dispatcher = service.dispatcher();
    run_until_idle(&mut dispatcher).await;
    let webhooks = service.transport.webhooks();
    assert_eq!(webhooks.len(), 2);
    assert_eq!((webhooks[0].id, &webhooks[0].body), (webhooks[1].id, &webhooks[1].body));
    let [row] = service.deliveries().await.try_into().unwrap();
    assert_eq!((row.state, row.attempts), (DeliveryState::Delivered, 2));
}

#[tokio::test]
async fn a_result_after_the_lease_has_expired_is_ignored() {
    let service = TestService::new();
    service.save(webhook_alerts()).await;
    service.ingest(1, 100.0).await;
    service.run_matcher().await;
    let release = service.transport.hold();
    let mut late = service.dispatcher();
    while service.transport.webhooks().is_empty() {
        late.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    service.clock.advance_seconds(61);
    service.transport.always(Answer::Outcome(Outcome::Failed(Fault::Status)));
    let mut other = service.dispatcher();
    other.is_started = true;
    run_until_idle(&mut other).await;
    assert_eq!(service.transport.webhooks().len(), 2);
    let before = service.deliveries().await;
    release.notify_one();
    late.wait_idle().await;
    assert_eq!(service.deliveries().await, before, "its lease had expired");
    assert_eq!(before[0].state, DeliveryState::Pending);
}

/// Another server attempts the first delivery about a property, and there are more than one round reads.
#[tokio::test]
async fn what_another_server_attempts_is_left_alone() {
    let (limits, confirmation) = (DispatchLimits::default(), Confirmation::NotNeeded);
    let service = TestService::on(test_database::open_shared, limits, confirmation);
    let endpoint = Endpoint::parse("https://hook.example/e").ok();
    let events =
        Alerts { event_endpoint: endpoint, events: [EventName::UpdatePrice].into(), ..webhook_alerts() };
    service.save(events).await;
    for price in 0..40 {
        service.ingest(1, 100.0 + f64::from(price)).await;
    }
    service.run_matcher().await;
    service.transport.always(Answer::Never);
    let mut one = service.dispatcher();
    while service.transport.webhooks().len() < 2 {
        one.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    service.transport.always(Answer::Outcome(Outcome::Delivered));
    let mut other = service.dispatcher();
    let idle = tokio::time::timeout(Duration::from_secs(60), run_until_idle(&mut other)).await;
    assert!(idle.is_ok(), "it asks again and again");
    assert_eq!(service.transport.webhooks().len(), 2, "the match, and the first change of the price");

    // The first server does not come back.
    drop(one);
    service.clock.advance_seconds(61);
    run_until_idle(&mut other).await;
    assert!(service.states().await.iter().all(|state| *state == DeliveryState::Delivered));
    assert_eq!(service.transport.webhooks().len(), 2 + 40, "the first two a second time");
}

#[tokio::test]
async fn deliveries_without_a_recipient_are_cancelled() {
    let service = TestService::new();
    let off = service.save(webhook_alerts()).await;
    let gone = service.save(webhook_alerts()).await;
    let nowhere = service.save(webhook_alerts()).await;
    let emails =
        Alerts { enabled: true, email: EmailAddress::parse("a@b.example").ok(), ..Alerts::default() };
    service.save(emails).await;
    service.transport.turn_off_email();
    service.ingest(1, 100.0).await;
    service.run_matcher().await;
    service.change(&off, |alerts| alerts.enabled = false).await;
    service.change(&nowhere, |alerts| alerts.endpoint = None).await;
    let mut dispatcher = service.dispatcher();
    dispatcher.enqueue(at(1_000_000)).await.unwrap();
    assert!(service.app.delete_search(user_id(1), domain::SearchRef::Id(gone.search.id)).await.unwrap());
    let cancelled = DeliveryState::Cancelled;
    let has = |states: Vec<DeliveryState>, reason| states.contains(&cancelled(reason));
    assert!(has(service.states().await, CancelReason::SearchDeleted), "cancelled at once");
    run_until_idle(&mut dispatcher).await;
    assert!(service.transport.webhooks().is_empty());
    let states = service.states().await;
    assert_eq!(states.len(), 4);
    for reason in [
        CancelReason::Disabled,
        CancelReason::SearchDeleted,
        CancelReason::NoRecipient,
        CancelReason::ChannelOff,
    ] {
        assert!(has(states.clone(), reason), "{reason:?} in {states:?}");
    }

    // A delivery that was cancelled while the search was off can be replayed.
    let off = service.change(&off, |alerts| alerts.enabled = true).await;
    assert_eq!(service.app.replay_failed(&off, at(0)).await.unwrap(), Some(1));
    run_until_idle(&mut dispatcher).await;
    assert_eq!(service.transport.webhooks().len(), 1);
}

#[tokio::test]
async fn a_receiver_that_hangs_does_not_delay_others() {
    let service = TestService::new();
    service
        .save(Alerts { endpoint: Endpoint::parse("https://hang.example/").ok(), ..webhook_alerts() })
        .await;
    service.save(webhook_alerts()).await;
    for number in 0..30 {
        service.ingest(number, 100.0).await;
    }
    service.run_matcher().await;
    service.transport.hang_on("hang.example:443");
    let mut dispatcher = service.dispatcher();
    while service.transport.webhooks().iter().filter(|webhook| webhook.path == "/m").count() < 30 {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
    let hanging = service.transport.webhooks().iter().filter(|webhook| webhook.path == "/").count();
    assert_eq!(hanging, 4, "the limit of one user at one host");
}

#[tokio::test]
async fn contacts_are_hidden_on_request_and_erased_properties_are_not_sent() {
    let service = TestService::new();
    service.save(Alerts { hide_contact: true, ..webhook_alerts() }).await;
    service.ingest(1, 100.0).await;
    service.ingest(2, 100.0).await;
    service.run_matcher().await;
    service.transport.always(Answer::Outcome(Outcome::Failed(Fault::Timeout)));
    let mut dispatcher = service.dispatcher();
    run_until_idle(&mut dispatcher).await;
    assert_eq!(service.transport.webhooks().len(), 2);
    service.app.erase(advert_id(2)).await.unwrap();
    service.clock.advance_seconds(HOUR);
    run_until_idle(&mut dispatcher).await;
    let webhooks = service.transport.webhooks();
    assert_eq!(webhooks.len(), 3, "the erased property is not sent again");
    assert_eq!(webhooks[2].summary(), "match: au prix de 100");
    assert!(webhooks.iter().all(SentWebhook::hides_contacts));
    assert_eq!(
        service.states().await,
        [DeliveryState::Pending, DeliveryState::Cancelled(CancelReason::Erased)]
    );
}

#[tokio::test]
async fn deliveries_that_cannot_be_read_are_cancelled_and_the_others_are_sent() {
    let service = TestService::new();
    service.save(webhook_alerts()).await;
    for number in 1..=3 {
        service.ingest(number, 100.0).await;
    }
    service.run_matcher().await;
    let folder = service.folder.path();
    test_database::execute(folder, "CREATE TABLE kept AS SELECT record_id, record FROM property_version");
    test_database::damage_property(folder, property_id(1).as_bytes());
    // What the second one is about cannot be read either.
    let sql = "UPDATE match_group SET at = 9223372036854775807 WHERE position = 3";
    assert_eq!(test_database::change(folder, sql), 1);
    let mut dispatcher = service.dispatcher();
    run_until_idle(&mut dispatcher).await;
    let damaged = DeliveryState::Cancelled(CancelReason::Damaged);
    assert_eq!(service.states().await, [damaged, damaged, DeliveryState::Delivered]);
    // It can be replayed once it is repaired.
    let repair = "UPDATE property_version SET record = (SELECT record FROM kept WHERE kept.record_id = property_version.record_id)";
    assert_eq!(test_database::change(folder, repair), 3);
    let first = service.deliveries().await[0].id;
    assert_eq!(service.app.replay_delivery(None, first).await.unwrap(), crate::deliveries::Replayed::Done);
    run_until_idle(&mut dispatcher).await;
    assert_eq!(service.states().await[0], DeliveryState::Delivered);
}

#[tokio::test]
async fn matches_of_a_search_are_batched_into_one_email() {
    let service = TestService::new();
    service
        .save(Alerts { enabled: true, email: EmailAddress::parse("a@b.example").ok(), ..Alerts::default() })
        .await;
    service.ingest(1, 100.0).await;
    service.run_matcher().await;
    let mut dispatcher = service.dispatcher();
    run_until_idle(&mut dispatcher).await;
    service.clock.advance_seconds(200);
    service.ingest(2, 200.0).await;
    service.run_matcher().await;
    run_until_idle(&mut dispatcher).await;
    assert!(service.transport.emails().is_empty(), "the batch window is still open");
    service.clock.advance_seconds(100);
    service.transport.always(Answer::Outcome(Outcome::Failed(Fault::Status)));
    run_until_idle(&mut dispatcher).await;
    let [first] = service.transport.emails().try_into().unwrap();
    assert_eq!(first.listings.len(), 2);
    assert!(first.unsubscribe.as_str().starts_with("https://vigie.example/unsubscribe/"));

    // A failed e-mail is sent again unchanged; newer matches are in another one.
    service.ingest(3, 300.0).await;
    service.run_matcher().await;
    run_until_idle(&mut dispatcher).await;
    service.clock.advance_seconds(HOUR);
    service.transport.always(Answer::Outcome(Outcome::Delivered));
    run_until_idle(&mut dispatcher).await;
    let emails = service.transport.emails();
    let sizes: Vec<_> = emails.iter().map(|email| email.listings.len()).collect();
    assert_eq!(sizes.len(), 3);
    let again = emails.iter().skip(1).find(|email| email.id == first.id).unwrap();
    assert_eq!(again.listings.len(), 2);
    assert_eq!(service.states().await, [DeliveryState::Delivered; 3]);

    // An e-mail with other contents has another id, or mail programs would not show it.
    let first_delivery = service.deliveries().await.remove(0).id;
    assert_eq!(service.app.replay_delivery(None, first_delivery).await.unwrap(), Replayed::Done);
    run_until_idle(&mut dispatcher).await;
    let again = service.transport.emails().pop().unwrap();
    assert_eq!(again.listings.len(), 1);
    assert!(emails.iter().all(|email| email.id != again.id));
    assert!(service.deliveries().await.iter().all(|row| row.lane.channel == DeliveryChannel::Email));
}

#[tokio::test]
async fn old_deliveries_are_pruned_unless_they_are_pending() {
    let service = TestService::new();
    service.save(webhook_alerts()).await;
    service.ingest(1, 100.0).await;
    service.run_matcher().await;
    let mut dispatcher = service.dispatcher();
    run_until_idle(&mut dispatcher).await;
    service.transport.always(Answer::Outcome(Outcome::Failed(Fault::Status)));
    service.ingest(2, 100.0).await;
    service.run_matcher().await;
    run_until_idle(&mut dispatcher).await;
    service.clock.advance_seconds(30 * 86_400);
    service.prune().await;
    assert_eq!(service.states().await.len(), 2, "exactly at the retention period");
    service.clock.advance_seconds(1);
    service.prune().await;
    assert_eq!(service.states().await, [DeliveryState::Pending]);
}

#[tokio::test]
async fn stopping_waits_for_attempts_in_flight_and_starts_no_more() {
    let service = TestService::new();
    service.save(webhook_alerts()).await;
    service.ingest(1, 100.0).await;
    service.run_matcher().await;
    let release = service.transport.hold();
    let stop = CancellationToken::new();
    let running = tokio::task::JoinSet::from_iter([super::run(service.dispatcher(), stop.clone())]);
    service.transport.wait_for_webhooks(1).await;
    stop.cancel();
    service.ingest(2, 100.0).await;
    service.run_matcher().await;
    release.notify_one();
    running.join_all().await;
    assert_eq!(service.transport.webhooks().len(), 1);
    assert_eq!(service.states().await, [DeliveryState::Delivered]);
    // The match made in the meantime is not lost.
    service.transport.always(Answer::Outcome(Outcome::Delivered));
    run_until_idle(&mut service.dispatcher()).await;
    assert_eq!(service.states().await, [DeliveryState::Delivered; 2]);
}
