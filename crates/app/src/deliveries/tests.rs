//! Listing, replaying, unsubscribing and testing, on a store of its own, with a transport that sends nothing.

use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use delivery::{ConfirmationEmail, Email, Reach};
use domain::criteria::{RawCriteria, RawCriterion};
use domain::search::{MatchChannel, SearchDraft};
use domain::{
    Alerts, EmailAddress, EventName, Fault, FieldUpdate, Filter, Outcome, PhaseTimings, RetryDecision,
    RetryPolicy,
};
use places::Gazetteer;
use store::SqlStore;
use store::prelude::*;
use store::{Claim, EnqueueBatch, InitialState, Notification, Settlement};
use tempfile::TempDir;
use testkit::build::{self, amount, draft, short_text, site_reference, user_id};
use testkit::{ManualClock, SeededIds};
use wire::webhook::MatchForm;

use super::*;
use crate::dispatch::{Confirmation, DispatchLimits, DispatchSettings, EndpointRefused, Transport};
use crate::workers::follower::Progress;
use crate::workers::matcher::Matcher;

/// Records messages, and answers with success.
#[derive(Default)]
struct RecordingTransport(Mutex<Vec<WebhookMessage>>);

#[async_trait]
impl Transport for RecordingTransport {
    async fn send_webhook(&self, message: &WebhookMessage) -> AttemptResult {
        self.0.lock().unwrap().push(message.clone());
        let (took, excerpt) = (Duration::from_millis(3), Vec::new());
        let (certificate, reach) = (None, Reach::Connected);
        let (headers, timings) = (Vec::new(), PhaseTimings::default());
        let (outcome, status) = (Outcome::Delivered, Some(200));
        AttemptResult { outcome, status, took, excerpt, headers, timings, certificate, reach }
    }

    async fn send_email(&self, _email: &Email) -> AttemptResult {
        unreachable!("the tester sends no e-mails")
    }

    async fn send_confirmation(&self, _email: &ConfirmationEmail) -> AttemptResult {
        unreachable!("no recipient is asked here")
    }

    fn check_endpoint(&self, _endpoint: &Endpoint) -> Result<String, EndpointRefused> {
        Ok("host".to_owned())
    }

    fn sends_email(&self) -> bool {
        false
    }
}

struct TestService {
    app: App,
    store: Arc<SqlStore>,
    clock: Arc<ManualClock>,
    transport: Arc<RecordingTransport>,
    _folder: TempDir,
}

impl TestService {
    fn new() -> Self {
        static PLACES: LazyLock<Arc<Gazetteer>> = LazyLock::new(|| Arc::new(Gazetteer::embedded().unwrap()));
        let folder = TempDir::new().unwrap();
        let store = Arc::new(test_database::open(folder.path()));
        let clock = Arc::new(ManualClock::at(build::at(5_000)));
        let (transport, ids) = (Arc::new(RecordingTransport::default()), Arc::new(SeededIds::new(1)));
        let settings = DispatchSettings {
            retries: RetryPolicy { interval: Duration::from_secs(3_600) },
            batch_window: Duration::from_secs(300),
            retention: Duration::from_secs(86_400),
            public_url: "https://vigie.example".to_owned(),
            match_form: MatchForm::default(),
            confirmation: Confirmation::default(),
            limits: DispatchLimits::default(),
        };
        let app = App::new(store.clone(), clock.clone(), ids, Arc::clone(&PLACES))
            .with_matcher()
            .with_dispatch(transport.clone(), settings);
        Self { app, store, clock, transport, _folder: folder }
    }

    async fn search(&self) -> StoredSearch {
        let mut raw_criteria = RawCriteria::default();
        raw_criteria.put(Filter::named("withCoherentPrice").unwrap(), RawCriterion::Flag(false));
        let alerts = Alerts {
            enabled: true,
            endpoint: Endpoint::parse("https://hook.example/matches").ok(),
            email: EmailAddress::parse("a@b.example").ok(),
            ..Alerts::default()
        };
        let draft = SearchDraft { title: short_text("Un bien"), raw_criteria, alerts };
        self.app.create_search(user_id(1), draft, 10).await.unwrap().unwrap()
    }

    /// Ingests `count` adverts that match the search, and enqueues their webhook deliveries.
    async fn enqueue(&self, count: usize) -> Vec<DeliveryId> {
        let known = self.ids().await;
        let mut matcher = Matcher::new(&self.app).unwrap();
        for number in 0..count {
            let mut draft = draft(site_reference("portail.example", &format!("{}-{number}", known.len())));
            draft.patch.price = FieldUpdate::Set(Some(amount(200_000.0)));
            self.app.ingest(vec![draft]).await.unwrap();
        }
        while matcher.run_once().await.unwrap() == Progress::More {}
        let outbox = self.store.read_outbox(usize::MAX).await.unwrap();
        let to_endpoint = |delivery: &store::NewDelivery| {
            delivery.notification == Notification::Match(MatchChannel::Endpoint)
        };
        let now = self.app.clock.now();
        let deliveries = outbox.deliveries.into_iter().filter(to_endpoint);
        let deliveries = deliveries.map(|delivery| (delivery, InitialState::DueAt(now))).collect();
        let batch = EnqueueBatch { after: outbox.after, until: outbox.until, at: now, deliveries };
        assert!(self.store.enqueue(batch).await.unwrap());
        self.ids().await.into_iter().filter(|id| !known.contains(id)).collect()
    }

    async fn ids(&self) -> Vec<DeliveryId> {
        self.list().await.deliveries.iter().map(|row| row.id).collect()
    }

    async fn list(&self) -> DeliveryPage {
        let list = DeliveryList { owner: Some(user_id(1)), take: u64::MAX, ..DeliveryList::default() };
        self.app.deliveries(list).await.unwrap()
    }

    /// Records a last, failed attempt of deliveries.
    async fn fail(&self, deliveries: &[DeliveryId]) {
        let at = self.app.clock.now();
        let lease_until = at + jiff::SignedDuration::from_secs(60);
        let claim = Claim {
            claim_id: 7,
            at,
            lease_until,
            deliveries: deliveries.to_vec(),
            contacts_hidden: Vec::new(),
            documents: Vec::new(),
        };
        assert_eq!(self.store.claim(claim).await.unwrap().len(), deliveries.len());
        let settlement = |id: &DeliveryId| Settlement {
            id: *id,
            claim_id: 7,
            attempt: Some(Attempt {
                started_at: at,
                duration: Duration::from_millis(20),
                outcome: Outcome::Failed(Fault::Status),
                status: Some(503),
                target: Some("https://hook.example/matches".to_owned()),
                response_excerpt: b"busy".to_vec(),
                response_headers: Vec::new(),
                timings: PhaseTimings::default(),
                certificate: None,
            }),
            next: RetryDecision::Failed,
            at,
        };
        self.store.settle(deliveries.iter().map(settlement).collect()).await.unwrap();
    }

    async fn state(&self, id: DeliveryId) -> DeliveryState {
        self.app.delivery_of(None, id).await.unwrap().unwrap().0.state
    }
}

#[tokio::test]
async fn only_the_owner_and_the_operator_see_a_delivery() {
    let service = TestService::new();
    service.search().await;
    let [id] = service.enqueue(1).await[..] else { panic!("one delivery") };
    service.fail(&[id]).await;
    let (row, attempts) = service.app.delivery_of(Some(user_id(1)), id).await.unwrap().unwrap();
    assert_eq!((row.state, attempts.len(), attempts[0].status), (DeliveryState::Failed, 1, Some(503)));
    assert!(service.app.delivery_of(Some(user_id(2)), id).await.unwrap().is_none());
    assert!(service.app.delivery_of(None, id).await.unwrap().is_some());
    assert_eq!(service.app.replay_delivery(Some(user_id(2)), id).await.unwrap(), Replayed::Unknown);
    assert_eq!(service.state(id).await, DeliveryState::Failed);
}

#[tokio::test]
async fn only_completed_deliveries_can_be_replayed() {
    let service = TestService::new();
    let search = service.search().await;
    let [id] = service.enqueue(1).await[..] else { panic!("one delivery") };
    let replay = async || service.app.replay_delivery(Some(user_id(1)), id).await.unwrap();
    assert_eq!(replay().await, Replayed::InProgress);
    service.fail(&[id]).await;
    assert_eq!(replay().await, Replayed::Done);
    assert_eq!(service.state(id).await, DeliveryState::Pending);
    assert_eq!(replay().await, Replayed::InProgress);
    service.fail(&[id]).await;
    let (_, attempts) = service.app.delivery_of(None, id).await.unwrap().unwrap();
    assert_eq!(attempts.len(), 2, "earlier attempts are kept");
    assert!(service.app.delete_search(user_id(1), domain::SearchRef::Id(search.search.id)).await.unwrap());
    assert_eq!(replay().await, Replayed::SearchDeleted);
    let unknown = DeliveryId::of(domain::SearchNumber(99), 1, domain::DeliveryEpoch::default());
    assert_eq!(service.app.replay_delivery(None, unknown).await.unwrap(), Replayed::Unknown);
}

#[tokio::test]
async fn all_failed_deliveries_since_a_time_are_replayed() {
    let service = TestService::new();
    let search = service.search().await;
    let early = service.enqueue(2).await;
    service.clock.advance(jiff::SignedDuration::from_hours(1));
    let since = service.app.clock.now();
    let late = service.enqueue(3).await;
    assert_eq!((early.len(), late.len()), (2, 3));
    service.fail(&early).await;
    service.fail(&late[1..]).await;
    assert_eq!(service.app.replay_failed(&search, since).await.unwrap(), Some(2));
    for id in &late {
        assert_eq!(service.state(*id).await, DeliveryState::Pending);
    }
    assert_eq!(service.state(early[0]).await, DeliveryState::Failed);
    assert_eq!(service.app.replay_failed(&search, since).await.unwrap(), Some(0));
    assert_eq!(service.app.replay_failed(&search, Timestamp::UNIX_EPOCH).await.unwrap(), Some(2));
}

#[tokio::test]
async fn a_replaced_secret_stays_in_use_for_a_day() {
    let service = TestService::new();
    let first = service.app.webhook_secrets(user_id(1)).await.unwrap();
    assert_eq!(service.app.webhook_secrets(user_id(1)).await.unwrap(), first);
    assert_ne!(service.app.webhook_secrets(user_id(2)).await.unwrap().current, first.current);
    service.clock.advance(jiff::SignedDuration::from_hours(1));
    let second = service.app.rotate_webhook_secret(user_id(1)).await.unwrap();
    assert_ne!(second.current, first.current);
    assert_eq!((second.replaced.len(), &second.replaced[0].secret), (1, &first.current));
    assert_eq!(
        (second.replaced[0].replaced_at, second.created_at),
        (service.app.clock.now(), service.app.clock.now())
    );
    assert_eq!(service.app.webhook_secrets(user_id(1)).await.unwrap(), second);
    let signing_secrets = |at| second.signing_secrets(at).count();
    assert_eq!(signing_secrets(second.created_at + jiff::SignedDuration::from_hours(23)), 2);
    assert_eq!(signing_secrets(second.created_at + jiff::SignedDuration::from_hours(24)), 1);
    // A rotation without an earlier secret replaces nothing.
    assert_eq!(service.app.rotate_webhook_secret(user_id(3)).await.unwrap().replaced, []);
}

#[tokio::test]
async fn the_token_turns_off_emails_only() {
    let service = TestService::new();
    let search = service.search().await;
    let (id, token) = (search.search.id, search.search.token.as_str());
    let now = async || service.app.search_of(user_id(1), id).await.unwrap().unwrap().search.draft.alerts;
    let wrong = format!("{}{}", &token[..49], if token.ends_with('0') { '1' } else { '0' });
    for wrong in [wrong.as_str(), "", &token[..49], &token.to_uppercase()] {
        // A token of digits only has no upper case, and would be valid; the chance is 1 in 10^10.
        if wrong != token {
            assert!(!service.app.unsubscribe(id, wrong).await.unwrap(), "{wrong}");
            assert!(service.app.search_by_link(id, wrong).await.unwrap().is_none(), "{wrong}");
        }
    }
    assert!(!service.app.unsubscribe(build::search_id(9), token).await.unwrap());
    assert!(now().await.email.is_some());
    assert!(service.app.search_by_link(id, token).await.unwrap().is_some());
    for _ in 0..2 {
        assert!(service.app.unsubscribe(id, token).await.unwrap());
        let alerts = now().await;
        assert_eq!((alerts.email, alerts.enabled), (None, true));
        assert!(alerts.endpoint.is_some());
    }
    assert!(service.app.delete_search(user_id(1), domain::SearchRef::Id(id)).await.unwrap());
    assert!(!service.app.unsubscribe(id, token).await.unwrap());
}

#[tokio::test]
async fn a_sample_is_sent_once_signed_and_marked() {
    let service = TestService::new();
    let endpoint = Endpoint::parse("https://hook.example/?a=b").unwrap();
    let events = EventName::ALL.iter().map(|name| Sample::Event(*name));
    for sample in events.chain([Sample::Match]) {
        let tested = service.app.test_webhook(user_id(1), endpoint.clone(), sample).await.unwrap().unwrap();
        let sent = std::mem::take(&mut *service.transport.0.lock().unwrap());
        let [message] = &sent[..] else { panic!("{sent:?}") };
        assert_eq!((&message.endpoint, &message.body), (&endpoint, &tested.body));
        let secrets = service.app.webhook_secrets(user_id(1)).await.unwrap();
        assert_eq!(message.secrets, [secrets.current]);
        assert_eq!(message.id.parts(), None, "no delivery has this id");
        let body: serde_json::Value = serde_json::from_slice(&tested.body).unwrap();
        let matched = match sample {
            Sample::Match => &body,
            Sample::Event(name) => {
                assert_eq!(body["event"], wire::names::event_name(name));
                &body["match"]
            }
        };
        let document = &matched["propertyDocument"];
        assert!(document["title"].as_str().unwrap().starts_with("EXEMPLE"), "{body}");
        let is_new = matches!(sample, Sample::Match | Sample::Event(EventName::AdCreate));
        let events = document["adverts"][0]["events"].as_array().unwrap();
        assert_eq!(events.len(), if is_new { 1 } else { 3 }, "{body}");
    }
    assert_eq!(service.list().await.total, 0);
}
