//! Hostile receivers: each attempt ends with the expected outcome, the next one is exactly an hour later, the delivery fails after the
//! sixth, and can be replayed. One dispatcher serves all receivers at once.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test and names the line")]

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use app::App;
use app::deliveries::Replayed;
use app::dispatch::{Confirmation, DispatchLimits, DispatchSettings, EndpointRefused, Transport};
use app::workers::dispatcher::Dispatcher;
use app::workers::follower::Progress;
use app::workers::matcher::Matcher;
use async_trait::async_trait;
use delivery::webhook::{AddressPolicy, Deadlines, Settings, Webhooks};
use delivery::{AttemptResult, ConfirmationEmail, Email, WebhookMessage};
use domain::search::SearchDraft;
use domain::{
    Alerts, Amount, DeliveryState, Endpoint, Fault, FieldUpdate, Identity, Outcome, RetryPolicy, SearchNumber,
};
use places::Gazetteer;
use store::SqlStore;
use store::prelude::*;
use store::{DeliveryList, DeliveryRow};
use tempfile::TempDir;
use testkit::build::{advert_id, at, draft, property_id, short_text, user_id};
use testkit::receiver::{Authority, InjectedFault, Receiver, ReceiverConfig, Script};
use testkit::{ManualClock, SeededIds};
use wire::webhook::MatchForm;

const HOUR: i64 = 3_600;

/// The timeout for faults that provoke one.
const SHORT: Duration = Duration::from_secs(2);
/// A timeout that no attempt reaches.
const LONG: Duration = Duration::from_secs(60);

/// The real sender, with a short timeout only for faults that provoke one: the machine may be busy.
struct TwoSenders {
    impatient: Webhooks,
    patient: Webhooks,
    timeout_urls: Vec<String>,
}

fn sender(authority: &Authority, deadline: Duration) -> Webhooks {
    let deadlines = Deadlines { dns: deadline, connect: deadline, tls: deadline, total: deadline };
    let extra_ca_pem = Some(authority.pem().into_bytes());
    let (addresses, user_agent) = (AddressPolicy::DangerAllowPrivate, "Vigie/test".to_owned());
    Webhooks::new(Settings { addresses, extra_ca_pem, deadlines, user_agent, ..Settings::default() }).unwrap()
}

#[async_trait]
impl Transport for TwoSenders {
    async fn send_webhook(&self, message: &WebhookMessage) -> AttemptResult {
        let times_out = self.timeout_urls.iter().any(|url| url == message.endpoint.as_str());
        if times_out { self.impatient.send(message).await } else { self.patient.send(message).await }
    }

    async fn send_email(&self, _: &Email) -> AttemptResult {
        unreachable!("this test sends no e-mails")
    }

    async fn send_confirmation(&self, _email: &ConfirmationEmail) -> AttemptResult {
        unreachable!("no recipient is asked here")
    }

    fn check_endpoint(&self, endpoint: &Endpoint) -> Result<String, EndpointRefused> {
        let host = self.patient.check(endpoint);
        host.map(|host| host.to_string()).map_err(|refused| EndpointRefused(refused.to_string()))
    }

    fn sends_email(&self) -> bool {
        false
    }
}

async fn run_until_idle(dispatcher: &mut Dispatcher) {
    loop {
        let more = dispatcher.run_once().await.unwrap();
        dispatcher.wait_idle().await;
        if !more {
            return;
        }
    }
}

async fn rows(store: &SqlStore) -> Vec<DeliveryRow> {
    let list = DeliveryList { take: 1_000, ..DeliveryList::default() };
    store.list_deliveries(list).await.unwrap().deliveries
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_hostile_receiver_gets_six_attempts_an_hour_apart_and_a_replay() {
    let authority = Authority::new();
    let mut receivers = Vec::new();
    for fault in InjectedFault::ALL {
        let plan = ReceiverConfig::new(Script::always(*fault));
        receivers.push((*fault, Receiver::start(&authority, plan).await.unwrap()));
    }
    let url = |receiver: &Receiver| receiver.url("/hook");
    let times_out = |fault: InjectedFault| fault.expected() == Outcome::Failed(Fault::Timeout);
    let transport = TwoSenders {
        impatient: sender(&authority, SHORT),
        patient: sender(&authority, LONG),
        timeout_urls: receivers
            .iter()
            .filter(|(fault, _)| times_out(*fault))
            .map(|(_, receiver)| url(receiver))
            .collect(),
    };
    let folder = TempDir::new().unwrap();
    let store = Arc::new(test_database::open(folder.path()));
    let clock = Arc::new(ManualClock::at(at(1_000_000)));
    let settings = DispatchSettings {
        retries: RetryPolicy { interval: Duration::from_secs(HOUR as u64) },
        batch_window: SHORT,
        retention: LONG,
        public_url: String::new(),
        match_form: MatchForm::default(),
        confirmation: Confirmation::default(),
        limits: DispatchLimits {
            per_host: 2,
            per_user: 1_000,
            total: 1_000,
            emails: 3,
            ..DispatchLimits::default()
        },
    };
    let places = Arc::new(Gazetteer::embedded().unwrap());
    let app = App::new(store.clone(), clock.clone(), Arc::new(SeededIds::new(1)), places)
        .with_matcher()
        .with_dispatch(Arc::new(transport), settings);

    let mut faults: HashMap<SearchNumber, InjectedFault> = HashMap::new();
    for (fault, receiver) in &receivers {
        let endpoint = Endpoint::parse(&url(receiver)).ok();
        let alerts = Alerts { enabled: true, endpoint, ..Alerts::default() };
        let draft = SearchDraft {
            title: short_text(fault.name()),
            raw_criteria: domain::RawCriteria::default(),
            alerts,
        };
        let saved = app.create_search(user_id(1), draft, 1_000).await.unwrap().unwrap();
        faults.insert(saved.number, *fault);
    }
    let mut advert = draft(Identity::Uuid(advert_id(1)));
    advert.property = Some(property_id(1));
    advert.patch.price = FieldUpdate::Set(Amount::new(250_000.0));
    app.ingest(vec![advert]).await.unwrap();
    let mut matcher = Matcher::new(&app).unwrap();
    while matcher.run_once().await.unwrap() == Progress::More {}

    let mut dispatcher = Dispatcher::new(&app).unwrap().unwrap();
    for attempt in 1..=6 {
        run_until_idle(&mut dispatcher).await;
        for row in rows(&store).await {
            let fault = faults[&row.lane.search];
            let delivered = fault.expected() == Outcome::Delivered;
            let attempts = if delivered { 1 } else { attempt };
            assert_eq!(row.attempts, attempts, "{fault:?}");
            let expected = match (delivered, attempt) {
                (true, _) => DeliveryState::Delivered,
                (false, 6) => DeliveryState::Failed,
                (false, _) => DeliveryState::Pending,
            };
            assert_eq!(row.state, expected, "{fault:?}");
        }
        clock.advance_seconds(HOUR - 1);
        run_until_idle(&mut dispatcher).await;
        let early = rows(&store).await.iter().filter(|row| row.attempts > attempt).count();
        assert_eq!(early, 0, "a second before the hour");
        clock.advance_seconds(1);
    }

    let found = rows(&store).await;
    assert_eq!(found.len(), InjectedFault::ALL.len());
    for row in &found {
        let fault = faults[&row.lane.search];
        let (_, attempts) = store.delivery(row.id).await.unwrap().unwrap();
        for attempt in &attempts {
            assert!(fault.allows(attempt.outcome), "{fault:?}: {attempt:?}");
        }
        let began: Vec<_> = attempts.iter().map(|attempt| attempt.started_at.as_second()).collect();
        assert!(began.windows(2).all(|pair| pair[1] - pair[0] == HOUR), "{fault:?}: {began:?}");
        if row.state == DeliveryState::Failed {
            assert_eq!(app.replay_delivery(Some(user_id(1)), row.id).await.unwrap(), Replayed::Done);
        }
    }
    run_until_idle(&mut dispatcher).await;
    for row in rows(&store).await {
        let delivered = faults[&row.lane.search].expected() == Outcome::Delivered;
        assert_eq!(row.attempts, if delivered { 1 } else { 7 }, "replayed");
    }
}
