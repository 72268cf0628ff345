//! The whole API on one page.

mod adverts;
mod auth;
mod base_map;
mod body;
mod budget;
mod bulk;
mod compression;
mod console;
mod cors;
pub(crate) mod deliveries;
mod delivery_health;
mod docs_page;
mod documentation;
mod documents;
mod doubtful_pairs;
mod error;
mod explain;
pub(crate) mod grouping;
mod health;
mod host;
mod indicators;
mod keys;
mod link;
mod market_map;
mod matches;
mod matches_by_day;
mod mcp;
mod metering;
mod middleware;
mod negotiate;
mod outlines;
mod parameters;
mod path;
mod pictures;
mod places;
mod preview;
mod properties;
mod recipients;
mod same_origin;
mod searches;
mod searching;
mod secrets;
mod session;
mod shares;
mod sites;
pub(crate) mod status;
mod stream;
mod tester;
mod unsubscribe;
mod usage;

use std::io;
use std::sync::{Arc, OnceLock};

use app::App;
use app::access::Caller;
use app::fair::{FairQueue, TurnLimits};
use axum::Router;
use axum::routing::{MethodRouter, delete, get, post, put};
use description::{Access, OperationId, Tag};
use domain::{Timestamp, UserId};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use wire::advert_draft::ParseMode;

use crate::background::Background;
use crate::config::Config;
use crate::metrics::Metrics;
use crate::ndjson::Decoder;
use crate::status::Status;
use crate::telemetry::LogControl;
pub(crate) use auth::API_KEY;
use auth::{RateLimits, TurnTaking};
use budget::BodyBudget;
pub(crate) use error::LD_JSON;
use error::Problem;
pub(crate) use middleware::own_headers;
use shares::{Holder, Shares, Slot};

/// State shared by all handlers.
#[derive(Clone)]
pub struct Shared(Arc<SharedParts>);

pub struct SharedParts {
    pub app: App,
    pub config: Config,
    pub metrics: Metrics,
    pub rate_limits: RateLimits,
    pub body_budget: BodyBudget,
    pub api_page: docs_page::ApiPage,
    pub console: console::Console,
    pub sign_in_limit: session::SignInLimit,
    pub pictures: pictures::Pictures,
    pub status: Status,
    pub started_at: Timestamp,
    /// Set by a process that writes a log of its own.
    pub log_control: OnceLock<LogControl>,
    pub tester_limits: tester::TesterLimits,
    /// The tiles of the base map.
    pub tiles: base_map::Tiles,
    /// The turns of requests: a user's requests beyond some number wait for each other.
    pub turns: FairQueue,
    /// The streams in progress, each of which also counts as a request.
    pub streams: Arc<Shares>,
    /// Low-priority threads, for work that searches must not wait for.
    pub background: Background,
    /// Tasks that outlive their handler, such as streams. A shutdown waits for them.
    pub tasks: TaskTracker,
    /// Cancelled when the process shuts down.
    pub stop: CancellationToken,
    /// Cancelled by a signal: load balancers should send no more requests. Those that come are answered until `stop` is cancelled.
    pub leaving: CancellationToken,
}

impl std::ops::Deref for Shared {
    type Target = SharedParts;

    fn deref(&self) -> &SharedParts {
        &self.0
    }
}

impl Shared {
    pub fn new(app: App, config: Config, stop: CancellationToken) -> io::Result<Self> {
        let rate_limits = RateLimits::new(config.rate_limit);
        let body_budget = BodyBudget::new(config.limits.body_bytes_total_max);
        let tester_limits = tester::TesterLimits::new(config.delivery.tester_per_host_hour);
        let sign_in_limit = session::SignInLimit::new(config.console.sign_ins_per_minute);
        let (metrics, tasks) = (Metrics::default(), TaskTracker::new());
        let (background, started_at) = (Background::start()?, app.clock().now());
        let limits = &config.limits;
        let turns = FairQueue::new(TurnLimits {
            running_max: limits.requests_max,
            running_per_user_max: auth::running_per_user_max(),
            // Those that wait are requests in progress, which have their own limit per user.
            waiting_max: limits.requests_max,
            waiting_per_user_max: limits.requests_max,
        });
        // Half of the requests, so that streams, which may take hours, always leave room for others.
        let streams = Shares::new(limits.requests_max / 2, limits.streams_per_user);
        let parts = SharedParts {
            app,
            config,
            metrics,
            rate_limits,
            body_budget,
            api_page: docs_page::ApiPage::new(),
            console: console::Console::new(),
            sign_in_limit,
            pictures: pictures::Pictures::new(),
            status: Status::default(),
            started_at,
            log_control: OnceLock::new(),
            turns,
            streams,
            tester_limits,
            tiles: base_map::Tiles::new(),
            background,
            tasks,
            stop,
            leaving: CancellationToken::new(),
        };
        Ok(Self(Arc::new(parts)))
    }

    /// Takes a slot for a stream of a caller.
    fn stream_slot(&self, caller: &Caller) -> Result<Slot, Problem> {
        let taken = self.streams.take(Holder::User(caller.user.id));
        taken.map_err(|refused| refused.of_stream(&self.streams))
    }

    /// Runs work that reads or counts many rows: in turns of its user, which leaves the rest of the background threads to
    /// other work such as sending, and in the background, where searches do not wait for it. The turn is held until the
    /// work ends, even if the client disconnects.
    async fn in_list_turn<Work, Output>(
        &self,
        user: UserId,
        work: impl FnOnce(App) -> Work,
    ) -> Result<Output, Problem>
    where
        Work: Future<Output = Result<Output, app::Error>> + Send + 'static,
        Output: Send + 'static,
    {
        let app = self.app.background();
        let turn = app.list_turn(user).await?;
        let work = work(app);
        let holding = async move {
            let output = work.await;
            drop(turn);
            output
        };
        Ok(self.background.run(holding).await??)
    }

    async fn decoder(&self, mode: ParseMode) -> Result<Decoder, app::Error> {
        Ok(Decoder {
            zone: self.config.time_zone.clone(),
            line_bytes_max: self.config.limits.line_bytes_max,
            sites: self.app.sites().await?,
            mode,
        })
    }
}

/// The routes of all operations in the description, each with its handler behind its access check.
pub fn router(shared: &Shared) -> Router {
    let (mut api, mut open) = (Router::new(), Router::new());
    for operation in description::operations::all() {
        let methods = match operation.access {
            Access::Open => handler(operation.id),
            Access::AnyKey => auth::guard(shared, None, turn_taking(operation.id), handler(operation.id)),
            Access::Scope(scope) => {
                auth::guard(shared, Some(scope), turn_taking(operation.id), handler(operation.id))
            }
        };
        match operation.tag {
            // These choose their media types themselves.
            Tag::Documentation | Tag::Operations | Tag::Pages => open = open.route(operation.path, methods),
            _ => api = api.route(operation.path, methods),
        }
    }
    let api = negotiate::layer(api);
    // Not an operation: it speaks another protocol, and its tools call the API in this process.
    let mcp = mcp::route(shared, middleware::layer(api.clone(), shared).with_state(shared.clone()));
    let whole = api.merge(open).merge(console_files()).route("/mcp", mcp);
    middleware::layer(whole, shared).with_state(shared.clone())
}

/// The files of the console. They are no operations: their names change with every build.
fn console_files() -> Router<Shared> {
    Router::new()
        .route("/console", get(console::index))
        .route("/console/", get(console::index))
        .route("/console/{*path}", get(console::file))
}

/// Returns whether requests for an operation take turns with others of the same user.
fn turn_taking(operation: OperationId) -> TurnTaking {
    use OperationId as Id;
    match operation {
        // These wait for their clients, or for another server.
        Id::SendAdverts | Id::ExportProperties | Id::TestWebhook | Id::AdvertPicture => TurnTaking::Unlimited,
        // These have turns of their own.
        Id::PreviewSearch
        | Id::Searches
        | Id::MatchesByDay
        | Id::SearchMatches
        | Id::SearchMatchesByDay
        | Id::Deliveries
        | Id::DeliveryHealth
        | Id::DoubtfulPairs
        | Id::ReplayCount
        | Id::Usage => TurnTaking::Unlimited,
        _ => TurnTaking::Limited,
    }
}

/// Returns the handler of an operation.
fn handler(operation: OperationId) -> MethodRouter<Shared> {
    use OperationId as Id;
    // For routes without parameters.
    let plain = parameters::none;
    match operation {
        Id::ListProperties => get(properties::list),
        Id::ExportProperties => get(bulk::stream),
        Id::Clusters => get(market_map::clusters),
        Id::Facets => get(market_map::facets),
        Id::PropertyByUrl => get(documents::by_url),
        Id::Property => plain(get(documents::one)),
        Id::PropertyRedirect => plain(get(documents::redirect)),
        Id::SimilarProperties => get(properties::similar),
        Id::PricePerMeter => get(indicators::price_per_meter),
        Id::Grouping => get(grouping::explain),
        Id::MergeProperties => plain(post(grouping::merge)),
        Id::SplitProperty => plain(post(grouping::split)),
        Id::DoubtfulPairs => get(doubtful_pairs::list),
        Id::DecideGrouping => plain(post(doubtful_pairs::decide)),
        Id::Searches => get(searches::list),
        Id::CreateSearch => post(searches::create),
        Id::PreviewSearch => post(preview::preview),
        Id::Search => plain(get(searches::one)),
        Id::UpdateSearch => put(searches::update),
        Id::UpdateSearchByPost => post(searches::update),
        Id::DeleteSearch => plain(delete(searches::delete)),
        Id::ExplainSearch => get(explain::one),
        Id::MatchesByDay => get(matches_by_day::list),
        Id::SearchMatches => get(matches::list),
        Id::SearchMatchesByDay => get(matches_by_day::one),
        Id::Match => plain(get(matches::one)),
        Id::Deliveries => get(deliveries::list),
        Id::Delivery => plain(get(deliveries::one)),
        Id::DeliveryRequest => get(delivery_health::request),
        Id::DeliveryHealth => get(delivery_health::health),
        Id::ReplayDelivery => post(deliveries::replay),
        Id::ReplayCount => get(deliveries::count_replayable),
        Id::ReplaySearch => post(deliveries::replay_search),
        Id::WebhookSecret => plain(get(secrets::one)),
        Id::RotateWebhookSecret => post(secrets::rotate),
        Id::TestWebhook => get(tester::send),
        Id::SendAdverts => plain(post(adverts::ingest)),
        Id::Advert => plain(get(adverts::one)),
        Id::AdvertPicture => plain(get(pictures::one)),
        Id::EraseAdvert => plain(delete(adverts::erase)),
        Id::ExpireAdvert => plain(post(adverts::expire)),
        Id::Autocomplete => get(places::autocomplete),
        Id::Cities => get(places::cities),
        Id::City => plain(get(places::city)),
        Id::CityOutline => plain(get(outlines::city)),
        Id::Departments => get(places::departments),
        Id::Department => plain(get(places::department)),
        Id::DepartmentOutline => plain(get(outlines::department)),
        Id::MapTile => plain(get(base_map::tile)),
        Id::Station => plain(get(places::station)),
        Id::Regions => get(places::regions),
        Id::Region => plain(get(places::region)),
        Id::Sites => get(sites::list),
        Id::Site => plain(get(sites::one)),
        Id::ChangeSite => plain(put(sites::change)),
        Id::SiteCategories => get(sites::categories),
        Id::CreateSiteCategory => plain(post(sites::create_category)),
        Id::SiteCategory => plain(get(sites::category)),
        Id::RenameSiteCategory => plain(put(sites::rename_category)),
        Id::DeleteSiteCategory => plain(delete(sites::delete_category)),
        Id::Keys => get(keys::list),
        Id::CreateKey => plain(post(keys::create)),
        Id::Key => plain(get(keys::one)),
        Id::ChangeKey => plain(put(keys::change)),
        Id::RevokeKey => plain(delete(keys::revoke)),
        Id::Usage => get(usage::list),
        Id::Status => plain(get(status::one)),
        Id::RefusedAdverts => plain(get(status::refused)),
        Id::SetLogLevel => plain(put(status::set_log_level)),
        Id::SignIn => plain(post(session::begin)),
        Id::Session => plain(get(session::one)),
        Id::SignOut => plain(delete(session::end)),
        Id::EntryPoint => get(documentation::entry_point),
        Id::ApiPage => get(docs_page::page),
        Id::ApiPageFile => get(docs_page::file),
        Id::HydraDocumentation => get(documentation::hydra),
        Id::OpenApi => get(docs_page::open_api),
        Id::Context => get(documentation::context),
        Id::Alive => get(health::alive),
        Id::Ready => get(health::ready),
        Id::Metrics => get(health::metrics),
        Id::RecipientPage => get(recipients::page),
        Id::ConfirmRecipient => post(recipients::confirm),
        Id::UnsubscribePage => get(unsubscribe::page),
        Id::Unsubscribe => post(unsubscribe::unsubscribe),
    }
}

#[cfg(test)]
mod tests;
