//! Everything a receiver can do to us, six times over: each attempt ends by its name, the next is an hour later to the second, after
//! the sixth it has failed, and it can be sent again. All receivers at once, by one worker.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed, and says where")]

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use app::App;
use app::deliveries::Replayed;
use app::dispatch::{DispatchLimits, DispatchSettings, EndpointRefused, PayloadRenderer, Told, Transport};
use app::workers::dispatcher::Dispatcher;
use app::workers::following::Progress;
use app::workers::matcher::Matcher;
use async_trait::async_trait;
use delivery::webhook::{AddressPolicy, Deadlines, Settings, Webhooks};
use delivery::{AttemptResult, Email, WebhookMessage};
use domain::search::SearchDraft;
use domain::{
    AdvertEvent, Alerts, Amount, DeliveryState, Endpoint, EventName, Fault, FieldUpdate, Identity, Outcome,
    Property, RetryPolicy, SearchNumber, SiteDirectory,
};
use places::Gazetteer;
use store::sqlite::SqliteStore;
use store::prelude::*;
use store::{DeliveryList, DeliveryRow};
use tempfile::TempDir;
use testkit::build::{advert_id, at, draft, property_id, short_text, user_id};
use testkit::receiver::{Authority, InjectedFault, Receiver, ReceiverConfig, Script};
use testkit::{ManualClock, SeededIds};

const HOUR: i64 = 3_600;

/// How long tricks about time are waited for.
const SOON: Duration = Duration::from_secs(2);
/// Long enough never to be what ends an attempt here.
const LATE: Duration = Duration::from_secs(60);

/// The real sender, patient where time is not what a trick is about: this machine may be busy.
struct TwoSenders {
    impatient: Webhooks,
    patient: Webhooks,
    about_time: Vec<String>,
}

fn sender(authority: &Authority, deadline: Duration) -> Webhooks {
    let deadlines = Deadlines { dns: deadline, connect: deadline, tls: deadline, total: deadline };
    let extra_ca_pem = Some(authority.pem().into_bytes());
    let (addresses, user_agent) = (AddressPolicy::DangerAllowPrivate, "Vigie/test".to_owned());
    Webhooks::new(Settings { addresses, extra_ca_pem, deadlines, user_agent, ..Settings::default() }).unwrap()
}

#[async_trait]
impl Transport for TwoSenders {
    async fn post(&self, post: &WebhookMessage) -> AttemptResult {
        let impatient = self.about_time.iter().any(|url| url == post.endpoint.as_str());
        if impatient { self.impatient.send(post).await } else { self.patient.send(post).await }
    }

    async fn email(&self, _: &Email) -> AttemptResult {
        unreachable!("there are no emails here")
    }

    fn judge(&self, endpoint: &Endpoint) -> Result<String, EndpointRefused> {
        let judged = self.patient.check(endpoint);
        judged.map(|host| host.to_string()).map_err(|refused| EndpointRefused(refused.to_string()))
    }

    fn sends_email(&self) -> bool {
        false
    }
}

/// What is sent matters to nobody here.
struct Plain;

impl PayloadRenderer for Plain {
    fn document(&self, _: &App, _: &SiteDirectory, property: &Property) -> Option<Vec<u8>> {
        Some(format!("\"{}\"", property.id).into_bytes())
    }

    fn match_body(&self, told: &Told<'_>) -> Vec<u8> {
        told.document.to_vec()
    }

    fn event_body(&self, _: EventName, _: &AdvertEvent, told: &Told<'_>) -> Vec<u8> {
        told.document.to_vec()
    }
}

async fn work(dispatcher: &mut Dispatcher) {
    loop {
        let more = dispatcher.run_once().await.unwrap();
        dispatcher.settled().await;
        if !more {
            return;
        }
    }
}

async fn rows(store: &SqliteStore) -> Vec<DeliveryRow> {
    let asked = DeliveryList { take: 1_000, ..DeliveryList::default() };
    store.list_deliveries(asked).await.unwrap().deliveries
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn six_attempts_an_hour_apart_whatever_the_receiver_does_then_failed_and_sent_again_on_request() {
    let authority = Authority::new();
    let mut receivers = Vec::new();
    for trick in InjectedFault::ALL {
        let plan = ReceiverConfig::new(Script::always(*trick));
        receivers.push((*trick, Receiver::start(&authority, plan).await.unwrap()));
    }
    let url = |receiver: &Receiver| receiver.url("/hook");
    let about_time = |trick: InjectedFault| trick.expected() == Outcome::Failed(Fault::Timeout);
    let transport = TwoSenders {
        impatient: sender(&authority, SOON),
        patient: sender(&authority, LATE),
        about_time: receivers
            .iter()
            .filter(|(trick, _)| about_time(*trick))
            .map(|(_, receiver)| url(receiver))
            .collect(),
    };
    let folder = TempDir::new().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let clock = Arc::new(ManualClock::at(at(1_000_000)));
    let settings = DispatchSettings {
        retries: RetryPolicy { interval: Duration::from_secs(HOUR as u64) },
        gather: SOON,
        keep: LATE,
        public_url: String::new(),
        limits: DispatchLimits { per_host: 2, per_user: 1_000, in_all: 1_000, emails: 3 },
    };
    let places = Arc::new(Gazetteer::embedded().unwrap());
    let app = App::new(store.clone(), clock.clone(), Arc::new(SeededIds::new(1)), places)
        .with_matcher()
        .with_dispatch(Arc::new(Plain), Arc::new(transport), settings);

    let mut tricks: HashMap<SearchNumber, InjectedFault> = HashMap::new();
    for (trick, receiver) in &receivers {
        let endpoint = Endpoint::parse(&url(receiver)).ok();
        let alerts = Alerts { enabled: true, endpoint, ..Alerts::default() };
        let draft = SearchDraft {
            title: short_text(trick.name()),
            raw_criteria: domain::RawCriteria::default(),
            alerts,
        };
        let saved = app.create_search(user_id(1), draft, 1_000).await.unwrap().unwrap();
        tricks.insert(saved.number, *trick);
    }
    let mut advert = draft(Identity::Uuid(advert_id(1)));
    advert.property = Some(property_id(1));
    advert.patch.price = FieldUpdate::Set(Amount::new(250_000.0));
    app.ingest(vec![advert]).await.unwrap();
    let mut matcher = Matcher::new(&app).unwrap();
    while matcher.run_once().await.unwrap() == Progress::More {}

    let mut dispatcher = Dispatcher::new(&app).unwrap().unwrap();
    for attempt in 1..=6 {
        work(&mut dispatcher).await;
        for row in rows(&store).await {
            let trick = tricks[&row.lane.search];
            let delivered = trick.expected() == Outcome::Delivered;
            let attempts = if delivered { 1 } else { attempt };
            assert_eq!(row.attempts, attempts, "{trick:?}");
            let expected = match (delivered, attempt) {
                (true, _) => DeliveryState::Delivered,
                (false, 6) => DeliveryState::Failed,
                (false, _) => DeliveryState::Pending,
            };
            assert_eq!(row.state, expected, "{trick:?}");
        }
        clock.advance_seconds(HOUR - 1);
        work(&mut dispatcher).await;
        let early = rows(&store).await.iter().filter(|row| row.attempts > attempt).count();
        assert_eq!(early, 0, "a second before its hour");
        clock.advance_seconds(1);
    }

    let found = rows(&store).await;
    assert_eq!(found.len(), InjectedFault::ALL.len());
    for row in &found {
        let trick = tricks[&row.lane.search];
        let (_, attempts) = store.delivery(row.id).await.unwrap().unwrap();
        for attempt in &attempts {
            assert!(trick.allows(attempt.outcome), "{trick:?}: {attempt:?}");
        }
        let began: Vec<_> = attempts.iter().map(|attempt| attempt.started_at.as_second()).collect();
        assert!(began.windows(2).all(|pair| pair[1] - pair[0] == HOUR), "{trick:?}: {began:?}");
        if row.state == DeliveryState::Failed {
            assert_eq!(app.replay_delivery(Some(user_id(1)), row.id).await.unwrap(), Replayed::Done);
        }
    }
    work(&mut dispatcher).await;
    for row in rows(&store).await {
        let delivered = tricks[&row.lane.search].expected() == Outcome::Delivered;
        assert_eq!(row.attempts, if delivered { 1 } else { 7 }, "sent again");
    }
}
