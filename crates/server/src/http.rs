//! The whole API on one page.

mod adverts;
mod auth;
mod body;
mod bulk;
mod compression;
mod cors;
pub(crate) mod deliveries;
mod docs_page;
mod documentation;
mod documents;
mod error;
mod explain;
pub(crate) mod grouping;
mod health;
mod indicators;
mod keys;
mod link;
mod matches;
mod mcp;
mod metering;
mod middleware;
mod negotiate;
mod outlines;
mod parameters;
mod path;
mod places;
mod preview;
mod properties;
mod recipients;
mod searches;
mod searching;
mod secrets;
mod sites;
mod stream;
mod tester;
mod unsubscribe;
mod usage;

use std::io;
use std::sync::Arc;

use app::App;
use axum::Router;
use axum::routing::{MethodRouter, delete, get, post, put};
use description::{Access, OperationId, Tag};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use wire::advert_draft::ParseMode;

use crate::background::Background;
use crate::config::Config;
use crate::metrics::Metrics;
use crate::ndjson::Decoder;
pub(crate) use auth::API_KEY;
use auth::RateLimits;

/// State shared by all handlers.
#[derive(Clone)]
pub struct Shared(Arc<SharedParts>);

pub struct SharedParts {
    pub app: App,
    pub config: Config,
    pub metrics: Metrics,
    pub rate_limits: RateLimits,
    pub api_page: docs_page::ApiPage,
    pub tester_limits: tester::TesterLimits,
    /// One permit: listings of deliveries, which may count many rows, run one at a time.
    pub listing: Arc<Semaphore>,
    /// Low-priority threads, for work that searches must not wait for.
    pub background: Background,
    /// Tasks that outlive their handler, such as streams. A shutdown waits for them.
    pub tasks: TaskTracker,
    /// Cancelled when the process shuts down.
    pub stop: CancellationToken,
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
        let tester_limits = tester::TesterLimits::new(config.delivery.tester_per_host_hour);
        let (metrics, tasks) = (Metrics::default(), TaskTracker::new());
        let background = Background::start()?;
        let parts = SharedParts {
            app,
            config,
            metrics,
            rate_limits,
            api_page: docs_page::ApiPage::new(),
            tester_limits,
            listing: Arc::new(Semaphore::new(1)),
            background,
            tasks,
            stop,
        };
        Ok(Self(Arc::new(parts)))
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
            Access::AnyKey => auth::guard(shared, None, handler(operation.id)),
            Access::Scope(scope) => auth::guard(shared, Some(scope), handler(operation.id)),
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
    middleware::layer(api.merge(open).route("/mcp", mcp), shared).with_state(shared.clone())
}

/// Returns the handler of an operation.
fn handler(operation: OperationId) -> MethodRouter<Shared> {
    use OperationId as Id;
    // For routes without parameters.
    let plain = parameters::none;
    match operation {
        Id::ListProperties => get(properties::list),
        Id::ExportProperties => get(bulk::stream),
        Id::PropertyByUrl => get(documents::by_url),
        Id::Property => plain(get(documents::one)),
        Id::PropertyRedirect => plain(get(documents::redirect)),
        Id::SimilarProperties => get(properties::similar),
        Id::PricePerMeter => get(indicators::price_per_meter),
        Id::Grouping => get(grouping::explain),
        Id::MergeProperties => plain(post(grouping::merge)),
        Id::SplitProperty => plain(post(grouping::split)),
        Id::Searches => get(searches::list),
        Id::CreateSearch => post(searches::create),
        Id::PreviewSearch => post(preview::preview),
        Id::Search => plain(get(searches::one)),
        Id::UpdateSearch => put(searches::update),
        Id::UpdateSearchByPost => post(searches::update),
        Id::DeleteSearch => plain(delete(searches::delete)),
        Id::ExplainSearch => get(explain::one),
        Id::SearchMatches => get(matches::list),
        Id::Match => plain(get(matches::one)),
        Id::Deliveries => get(deliveries::list),
        Id::Delivery => plain(get(deliveries::one)),
        Id::ReplayDelivery => post(deliveries::replay),
        Id::ReplaySearch => post(deliveries::replay_search),
        Id::WebhookSecret => plain(get(secrets::one)),
        Id::RotateWebhookSecret => post(secrets::rotate),
        Id::TestWebhook => get(tester::send),
        Id::SendAdverts => plain(post(adverts::ingest)),
        Id::Advert => plain(get(adverts::one)),
        Id::EraseAdvert => plain(delete(adverts::erase)),
        Id::ExpireAdvert => plain(post(adverts::expire)),
        Id::Autocomplete => get(places::autocomplete),
        Id::Cities => get(places::cities),
        Id::City => plain(get(places::city)),
        Id::CityOutline => plain(get(outlines::city)),
        Id::Departments => get(places::departments),
        Id::Department => plain(get(places::department)),
        Id::DepartmentOutline => plain(get(outlines::department)),
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
