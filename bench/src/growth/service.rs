//! The service without a server, on a simulated clock, with receivers that accept everything.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use anyhow::Context;
use app::App;
use app::dispatch::{Confirmation, DispatchLimits, DispatchSettings, EndpointRefused, Transport};
use app::system::RandomIds;
use app::workers::dispatcher::Dispatcher;
use app::workers::follower::Progress;
use app::workers::matcher::Matcher;
use app::workers::retention::{self, Settings};
use async_trait::async_trait;
use delivery::{AttemptResult, ConfirmationEmail, Email, Reach, WebhookMessage};
use domain::criteria::{RawCriteria, RawCriterion};
use domain::search::SearchDraft;
use domain::{
    AdvertDraft, Alerts, Clock, Endpoint, EventName, Filter, Outcome, PhaseTimings, RetryPolicy, Scopes,
    ShortText, Timestamp,
};
use places::Gazetteer;
use rusqlite::Connection;
use store::SqlStore;
use store::sqlite::FILE_NAME;
use tokio_util::sync::CancellationToken;
use wire::webhook::MatchForm;

/// Adverts per commit.
const PER_COMMIT: usize = 500;

/// The lowest budget, and how many of them there are, each a tenth higher than the one before.
const BUDGET_MIN: f64 = 60_000.0;
const BUDGETS: u64 = 24;

#[derive(Debug)]
struct SimulatedClock(AtomicI64);

impl Clock for SimulatedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(self.0.load(Ordering::Relaxed)).unwrap_or_default()
    }
}

struct Accepting;

fn accepted() -> AttemptResult {
    AttemptResult {
        outcome: Outcome::Delivered,
        status: Some(200),
        took: Duration::from_millis(40),
        excerpt: b"ok".to_vec(),
        headers: Vec::new(),
        timings: PhaseTimings::default(),
        certificate: None,
        reach: Reach::Connected,
    }
}

#[async_trait]
impl Transport for Accepting {
    async fn send_webhook(&self, _: &WebhookMessage) -> AttemptResult {
        accepted()
    }

    async fn send_email(&self, _: &Email) -> AttemptResult {
        accepted()
    }

    async fn send_confirmation(&self, _: &ConfirmationEmail) -> AttemptResult {
        accepted()
    }

    fn check_endpoint(&self, _: &Endpoint) -> Result<String, EndpointRefused> {
        Ok("receiver.example".to_owned())
    }

    fn sends_email(&self) -> bool {
        false
    }
}

pub struct Service {
    app: App,
    clock: Arc<SimulatedClock>,
    matcher: Matcher,
    dispatcher: Dispatcher,
    database: PathBuf,
}

impl Service {
    pub fn open(folder: &Path, delivery_retention: Duration) -> anyhow::Result<Self> {
        let start: Timestamp = "2026-01-01T06:00:00Z".parse()?;
        let clock = Arc::new(SimulatedClock(AtomicI64::new(start.as_millisecond())));
        let settings = DispatchSettings {
            retries: RetryPolicy { interval: Duration::from_secs(3_600) },
            batch_window: Duration::from_secs(300),
            retention: delivery_retention,
            public_url: "https://vigie.example".to_owned(),
            match_form: MatchForm::default(),
            confirmation: Confirmation::NotNeeded,
            limits: DispatchLimits::default(),
        };
        let store = Arc::new(SqlStore::open(folder)?);
        let places = Arc::new(Gazetteer::embedded()?);
        let app = App::new(store, clock.clone(), Arc::new(RandomIds), places)
            .with_matcher()
            .with_dispatch(Arc::new(Accepting), settings);
        let matcher = Matcher::new(&app).context("the app has a matcher")?;
        let dispatcher = Dispatcher::new(&app)?.context("the app has a dispatcher")?;
        Ok(Self { app, clock, matcher, dispatcher, database: folder.join(FILE_NAME) })
    }

    pub fn places(&self) -> &Gazetteer {
        self.app.places()
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn next_day(&self) {
        self.clock.0.fetch_add(86_400_000, Ordering::Relaxed);
    }

    /// Saves searches for a narrow budget each, with webhooks for matches, new prices and expiries.
    pub async fn save_searches(&self, count: u32, seed: u64) -> anyhow::Result<()> {
        let (key, _) = self.app.create_key("bench", Scopes::all()).await?;
        for number in 0..u64::from(count) {
            let budget = BUDGET_MIN * 1.1_f64.powf(((seed + number) % BUDGETS) as f64);
            let mut raw_criteria = RawCriteria::default();
            for (name, number) in [("budgetMin", budget), ("budgetMax", budget * 1.1)] {
                let filter = Filter::named(name).context("a filter")?;
                raw_criteria.put(filter, RawCriterion::Number(number.round()));
            }
            let endpoint = Endpoint::parse("https://receiver.example/hook").ok();
            let alerts = Alerts {
                enabled: true,
                endpoint: endpoint.clone(),
                event_endpoint: endpoint,
                events: [EventName::UpdatePrice, EventName::UpdateExpired].into(),
                ..Alerts::default()
            };
            let title = ShortText::new(&format!("search {number}"))?.context("a title")?;
            let draft = SearchDraft { title, raw_criteria, alerts };
            self.app.create_search(key.user.id, draft, u32::MAX).await?.context("no limit of searches")?;
        }
        Ok(())
    }

    /// Ingests adverts, and matches them.
    pub async fn ingest(&mut self, drafts: Vec<AdvertDraft>) -> anyhow::Result<()> {
        for drafts in drafts.chunks(PER_COMMIT) {
            self.app.ingest(drafts.to_vec()).await?;
        }
        while self.matcher.run_once().await? == Progress::More {}
        Ok(())
    }

    /// Sends everything that is due.
    pub async fn dispatch(&mut self) -> anyhow::Result<()> {
        loop {
            let more = self.dispatcher.run_once().await?;
            self.dispatcher.wait_idle().await;
            let depth = self.app.store().queue_depth().await?;
            if !more && depth.pending + depth.leased == 0 {
                return Ok(());
            }
        }
    }

    pub async fn delete_old(&self, settings: Settings) -> anyhow::Result<()> {
        retention::run_once(&self.app, settings, &CancellationToken::new()).await?;
        Ok(())
    }

    pub fn rows(&self, on_offer: usize) -> anyhow::Result<Rows> {
        let connection = Connection::open(&self.database)?;
        let one = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, u64>(0));
        let mut tables = [0; TABLES.len()];
        for (count, table) in tables.iter_mut().zip(TABLES) {
            *count = one(&format!("SELECT count(*) FROM {table}"))?;
        }
        let page = one("PRAGMA page_size")?;
        let bytes = one("PRAGMA page_count")? * page;
        let used_bytes = bytes - one("PRAGMA freelist_count")? * page;
        Ok(Rows { on_offer, tables, used_bytes, bytes })
    }
}

const TABLES: [&str; 10] = [
    "log",
    "property",
    "property_version",
    "match_group",
    "search_match",
    "outbox",
    "delivery",
    "delivery_attempt",
    "delivery_document",
    "departed_property",
];

/// The database at one moment.
#[derive(Debug, Clone)]
pub struct Rows {
    pub on_offer: usize,
    tables: [u64; TABLES.len()],
    /// Without free pages.
    pub used_bytes: u64,
    pub bytes: u64,
}

impl Rows {
    pub const HEAD: [&str; 14] = [
        "month",
        "on offer",
        "log",
        "property",
        "property_version",
        "match_group",
        "search_match",
        "outbox",
        "delivery",
        "delivery_attempt",
        "delivery_document",
        "departed_property",
        "used MB",
        "file MB",
    ];

    pub fn line(&self, month: u32) -> Vec<String> {
        let megabytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1e6);
        let mut line = vec![month.to_string(), self.on_offer.to_string()];
        line.extend(self.tables.iter().map(u64::to_string));
        line.extend([megabytes(self.used_bytes), megabytes(self.bytes)]);
        line
    }

    /// Returns the rows of each table.
    #[cfg(test)]
    pub fn by_table(&self) -> impl Iterator<Item = (&'static str, u64)> {
        TABLES.into_iter().zip(self.tables)
    }
}
