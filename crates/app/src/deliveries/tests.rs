//! What owners may see, repeat and end, on a store of its own and without anything leaving the house.

use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use delivery::Email;
use domain::criteria::{RawCriteria, RawCriterion};
use domain::search::{MatchChannel, SearchDraft};
use domain::{
    AdvertEvent, Alerts, EmailAddress, EventName, Fault, Filter, FieldUpdate, RetryDecision, Outcome, Property, RetryPolicy,
    SiteDirectory,
};
use places::Gazetteer;
use store::sqlite::SqliteStore;
use store::prelude::*;
use store::{Claim, EnqueueBatch, Notification, Settlement, InitialState};
use tempfile::TempDir;
use testkit::build::{self, amount, draft, short_text, site_reference, user_id};
use testkit::{ManualClock, SeededIds};

use super::*;
use crate::dispatch::{DispatchLimits, DispatchSettings, EndpointRefused, PayloadRenderer, Transport};
use crate::workers::following::Progress;
use crate::workers::matcher::Matcher;

/// Remembers what it was given, and says that all of it arrived.
#[derive(Default)]
struct Remembering(Mutex<Vec<WebhookMessage>>);

#[async_trait]
impl Transport for Remembering {
    async fn post(&self, post: &WebhookMessage) -> AttemptResult {
        self.0.lock().unwrap().push(post.clone());
        let (took, excerpt) = (Duration::from_millis(3), Vec::new());
        AttemptResult { outcome: Outcome::Delivered, status: Some(200), took, excerpt }
    }

    async fn email(&self, _letter: &Email) -> AttemptResult {
        unreachable!("nobody tries emails out")
    }

    fn judge(&self, _endpoint: &Endpoint) -> Result<String, EndpointRefused> {
        Ok("host".to_owned())
    }

    fn sends_email(&self) -> bool {
        false
    }
}

/// Writes no JSON, but what a test can read.
struct Plain;

impl PayloadRenderer for Plain {
    fn document(&self, _app: &App, _sites: &SiteDirectory, property: &Property) -> Option<Vec<u8>> {
        let derived = property.derive()?;
        let events = property.adverts[0].events.len();
        Some(format!("{}|{events}", derived.title?.as_str()).into_bytes())
    }

    fn match_body(&self, told: &Told<'_>) -> Vec<u8> {
        told.document.to_vec()
    }

    fn event_body(&self, name: EventName, event: &AdvertEvent, told: &Told<'_>) -> Vec<u8> {
        assert_eq!(event.name(), Some(name));
        [format!("{name:?}|").as_bytes(), told.document].concat()
    }
}

struct ListingSummary {
    app: App,
    store: Arc<SqliteStore>,
    clock: Arc<ManualClock>,
    transport: Arc<Remembering>,
    _folder: TempDir,
}

impl ListingSummary {
    fn new() -> Self {
        static PLACES: LazyLock<Arc<Gazetteer>> = LazyLock::new(|| Arc::new(Gazetteer::embedded().unwrap()));
        let folder = TempDir::new().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        let clock = Arc::new(ManualClock::at(build::at(5_000)));
        let (transport, ids) = (Arc::new(Remembering::default()), Arc::new(SeededIds::new(1)));
        let settings = DispatchSettings {
            retries: RetryPolicy { interval: Duration::from_secs(3_600) },
            gather: Duration::from_secs(300),
            keep: Duration::from_secs(86_400),
            public_url: "https://vigie.example".to_owned(),
            limits: DispatchLimits::default(),
        };
        let app = App::new(store.clone(), clock.clone(), ids, Arc::clone(&PLACES))
            .with_matcher()
            .with_dispatch(Arc::new(Plain), transport.clone(), settings);
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

    /// Takes in so many adverts, each of which is owed to the search's endpoint, and makes deliveries of them.
    async fn owe(&self, count: usize) -> Vec<DeliveryId> {
        let known = self.ids().await;
        let mut matcher = Matcher::new(&self.app).unwrap();
        for number in 0..count {
            let mut draft = draft(site_reference("portail.example", &format!("{}-{number}", known.len())));
            draft.patch.price = FieldUpdate::Set(Some(amount(200_000.0)));
            self.app.ingest(vec![draft]).await.unwrap();
        }
        while matcher.run_once().await.unwrap() == Progress::More {}
        let owed = self.store.read_outbox(usize::MAX).await.unwrap();
        let to_endpoint =
            |delivery: &store::NewDelivery| delivery.notification == Notification::Match(MatchChannel::Endpoint);
        let now = self.app.clock.now();
        let deliveries = owed.deliveries.into_iter().filter(to_endpoint);
        let deliveries = deliveries.map(|delivery| (delivery, InitialState::DueAt(now))).collect();
        let intake = EnqueueBatch { after: owed.after, until: owed.until, at: now, deliveries };
        assert!(self.store.enqueue(intake).await.unwrap());
        self.ids().await.into_iter().filter(|id| !known.contains(id)).collect()
    }

    async fn ids(&self) -> Vec<DeliveryId> {
        self.list().await.deliveries.iter().map(|row| row.id).collect()
    }

    async fn list(&self) -> DeliveryPage {
        let asked = DeliveryList { owner: Some(user_id(1)), take: u64::MAX, ..DeliveryList::default() };
        self.app.deliveries(asked).await.unwrap()
    }

    /// Attempts deliveries for the last time, in vain.
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
async fn a_delivery_is_its_owners_and_the_operators() {
    let home = ListingSummary::new();
    home.search().await;
    let [id] = home.owe(1).await[..] else { panic!("one is owed") };
    home.fail(&[id]).await;
    let (row, attempts) = home.app.delivery_of(Some(user_id(1)), id).await.unwrap().unwrap();
    assert_eq!((row.state, attempts.len(), attempts[0].status), (DeliveryState::Failed, 1, Some(503)));
    assert!(home.app.delivery_of(Some(user_id(2)), id).await.unwrap().is_none());
    assert!(home.app.delivery_of(None, id).await.unwrap().is_some());
    assert_eq!(home.app.replay_delivery(Some(user_id(2)), id).await.unwrap(), Replayed::Unknown);
    assert_eq!(home.state(id).await, DeliveryState::Failed);
}

#[tokio::test]
async fn what_came_to_an_end_can_be_sent_again_and_nothing_else() {
    let home = ListingSummary::new();
    let search = home.search().await;
    let [id] = home.owe(1).await[..] else { panic!("one is owed") };
    let replay = async || home.app.replay_delivery(Some(user_id(1)), id).await.unwrap();
    assert_eq!(replay().await, Replayed::UnderWay);
    home.fail(&[id]).await;
    assert_eq!(replay().await, Replayed::Done);
    assert_eq!(home.state(id).await, DeliveryState::Pending);
    assert_eq!(replay().await, Replayed::UnderWay);
    home.fail(&[id]).await;
    let (_, attempts) = home.app.delivery_of(None, id).await.unwrap().unwrap();
    assert_eq!(attempts.len(), 2, "what was before is kept");
    assert!(home.app.delete_search(user_id(1), search.search.id).await.unwrap());
    assert_eq!(replay().await, Replayed::SearchDeleted);
    let nobodys = DeliveryId::of(domain::SearchNumber(99), 1, domain::DeliveryEpoch::default());
    assert_eq!(home.app.replay_delivery(None, nobodys).await.unwrap(), Replayed::Unknown);
}

#[tokio::test]
async fn everything_that_failed_since_a_moment_is_sent_again() {
    let home = ListingSummary::new();
    let search = home.search().await;
    let early = home.owe(2).await;
    home.clock.advance(jiff::SignedDuration::from_hours(1));
    let since = home.app.clock.now();
    let late = home.owe(3).await;
    assert_eq!((early.len(), late.len()), (2, 3));
    home.fail(&early).await;
    home.fail(&late[1..]).await;
    assert_eq!(home.app.replay_failed(&search, since).await.unwrap(), Some(2));
    for id in &late {
        assert_eq!(home.state(*id).await, DeliveryState::Pending);
    }
    assert_eq!(home.state(early[0]).await, DeliveryState::Failed);
    assert_eq!(home.app.replay_failed(&search, since).await.unwrap(), Some(0));
    assert_eq!(home.app.replay_failed(&search, Timestamp::UNIX_EPOCH).await.unwrap(), Some(2));
}

#[tokio::test]
async fn a_secret_is_made_once_and_the_one_before_it_is_honoured_for_a_day() {
    let home = ListingSummary::new();
    let first = home.app.webhook_secrets(user_id(1)).await.unwrap();
    assert_eq!(home.app.webhook_secrets(user_id(1)).await.unwrap(), first);
    assert_ne!(home.app.webhook_secrets(user_id(2)).await.unwrap().current, first.current);
    home.clock.advance(jiff::SignedDuration::from_hours(1));
    let second = home.app.rotate_webhook_secret(user_id(1)).await.unwrap();
    assert_ne!(second.current, first.current);
    assert_eq!((second.replaced.len(), &second.replaced[0].secret), (1, &first.current));
    assert_eq!(
        (second.replaced[0].replaced_at, second.created_at),
        (home.app.clock.now(), home.app.clock.now())
    );
    assert_eq!(home.app.webhook_secrets(user_id(1)).await.unwrap(), second);
    let in_use = |at| second.signing_secrets(at).count();
    assert_eq!(in_use(second.created_at + jiff::SignedDuration::from_hours(23)), 2);
    assert_eq!(in_use(second.created_at + jiff::SignedDuration::from_hours(24)), 1);
    // Whoever rotates first of all has nothing to honour.
    assert_eq!(home.app.rotate_webhook_secret(user_id(3)).await.unwrap().replaced, []);
}

#[tokio::test]
async fn whoever_has_the_token_ends_letters_and_nothing_else() {
    let home = ListingSummary::new();
    let search = home.search().await;
    let (id, token) = (search.search.id, search.search.token.as_str());
    let now = async || home.app.search_of(user_id(1), id).await.unwrap().unwrap().search.draft.alerts;
    let wrong = format!("{}{}", &token[..49], if token.ends_with('0') { '1' } else { '0' });
    for wrong in [wrong.as_str(), "", &token[..49], &token.to_uppercase()] {
        // Digits alone have no upper case; such a token is drawn once in 10^10 times, and is right.
        if wrong != token {
            assert!(!home.app.unsubscribe(id, wrong).await.unwrap(), "{wrong}");
            assert!(!home.app.is_token_of(id, wrong).await.unwrap(), "{wrong}");
        }
    }
    assert!(!home.app.unsubscribe(build::search_id(9), token).await.unwrap());
    assert!(now().await.email.is_some());
    assert!(home.app.is_token_of(id, token).await.unwrap());
    for _ in 0..2 {
        assert!(home.app.unsubscribe(id, token).await.unwrap());
        let alerts = now().await;
        assert_eq!((alerts.email, alerts.enabled), (None, true));
        assert!(alerts.endpoint.is_some());
    }
    assert!(home.app.delete_search(user_id(1), id).await.unwrap());
    assert!(!home.app.unsubscribe(id, token).await.unwrap());
}

#[tokio::test]
async fn an_example_is_sent_once_signed_and_marked() {
    let home = ListingSummary::new();
    let endpoint = Endpoint::parse("https://hook.example/?a=b").unwrap();
    let events = EventName::ALL.iter().map(|name| Sample::Event(*name));
    for sample in events.chain([Sample::Match]) {
        let tested = home.app.test_webhook(user_id(1), endpoint.clone(), sample).await.unwrap().unwrap();
        let posts = std::mem::take(&mut *home.transport.0.lock().unwrap());
        let [post] = &posts[..] else { panic!("{posts:?}") };
        assert_eq!((&post.endpoint, &post.body), (&endpoint, &tested.body));
        let secrets = home.app.webhook_secrets(user_id(1)).await.unwrap();
        assert_eq!(post.secrets, [secrets.current]);
        assert_eq!(post.id.parts(), None, "no delivery has this id");
        let text = String::from_utf8(tested.body.to_vec()).unwrap();
        let (name, said) = match sample {
            Sample::Match => (String::new(), text.as_str()),
            Sample::Event(name) => (format!("{name:?}|"), text.split_once('|').unwrap().1),
        };
        assert!(text.starts_with(&name) && said.starts_with("EXEMPLE"), "{text}");
        let just_made = matches!(sample, Sample::Match | Sample::Event(EventName::AdCreate));
        assert!(said.ends_with(if just_made { "|1" } else { "|3" }), "{text}");
    }
    assert_eq!(home.list().await.total, 0);
}
