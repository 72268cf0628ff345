//! The whole API on one page.

mod adverts;
mod auth;
mod body;
mod bulk;
pub(crate) mod deliveries;
mod docs_page;
mod documents;
mod error;
mod explain;
pub(crate) mod grouping;
mod health;
mod indicators;
mod matches;
mod middleware;
mod negotiate;
mod outlines;
mod parameters;
mod path;
mod places;
mod preview;
mod properties;
mod searches;
mod searching;
mod secrets;
mod sites;
mod stream;
mod tester;
mod unsubscribe;

use std::io;
use std::sync::Arc;

use app::App;
use axum::Router;
use axum::routing::{MethodRouter, delete, get, post, put};
use domain::Scope;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use wire::advert_draft::ParseMode;

use crate::background::Background;
use crate::config::Config;
use crate::metrics::Metrics;
use crate::ndjson::Decoder;
use auth::RateLimits;

/// State shared by all handlers.
#[derive(Clone)]
pub struct Shared(Arc<SharedParts>);

pub struct SharedParts {
    pub app: App,
    pub config: Config,
    pub metrics: Metrics,
    pub rate_limits: Option<RateLimits>,
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
        let (metrics, tasks) = (Metrics::default(), TaskTracker::new());
        let background = Background::start()?;
        let parts = SharedParts {
            app,
            config,
            metrics,
            rate_limits,
            api_page: docs_page::ApiPage::new(
                docs_page::OPENAPI_SAMPLE.into(),
                docs_page::HYDRA_SAMPLE.into(),
            ),
            tester_limits: tester::TesterLimits::default(),
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

/// Every path, with its scope and handler.
pub fn router(shared: &Shared) -> Router {
    let needs = |scope: Scope, methods: MethodRouter<Shared>| auth::guard(shared, scope, methods);
    // The same, for routes without parameters.
    let plain = |scope: Scope, methods: MethodRouter<Shared>| needs(scope, parameters::none(methods));
    let api = Router::new()
        .route("/documents/properties", needs(Scope::Read, get(properties::list)))
        .route("/documents/properties.ndjson", needs(Scope::Read, get(bulk::stream)))
        .route("/documents/properties/by-url", needs(Scope::Read, get(documents::by_url)))
        .route("/documents/properties/{id}", plain(Scope::Read, get(documents::one)))
        .route("/documents/properties/{id}/similar-properties", needs(Scope::Read, get(properties::similar)))
        .route("/documents/properties/{id}/grouping", needs(Scope::Read, get(grouping::explain)))
        .route("/properties/merge", plain(Scope::Admin, post(grouping::merge)))
        .route("/properties/{id}/split", plain(Scope::Admin, post(grouping::split)))
        .route("/indicators/price_per_meter", needs(Scope::Read, get(indicators::price_per_meter)))
        .route("/cities", needs(Scope::Read, get(places::cities)))
        .route("/cities/{id}", plain(Scope::Read, get(places::city)))
        .route("/cities/{id}/outline", plain(Scope::Read, get(outlines::city)))
        .route("/departments", needs(Scope::Read, get(places::departments)))
        .route("/departments/{id}", plain(Scope::Read, get(places::department)))
        .route("/departments/{id}/outline", plain(Scope::Read, get(outlines::department)))
        .route("/regions", needs(Scope::Read, get(places::regions)))
        .route("/regions/{id}", plain(Scope::Read, get(places::region)))
        .route("/public/location-autocomplete", get(places::autocomplete))
        .route("/adverts", plain(Scope::Ingest, post(adverts::ingest)))
        .route(
            "/adverts/{uuid}",
            plain(Scope::Read, get(adverts::one)).merge(plain(Scope::Ingest, delete(adverts::erase))),
        )
        .route("/adverts/{uuid}/expire", plain(Scope::Ingest, post(adverts::expire)))
        .route("/searches", needs(Scope::Searches, get(searches::list).post(searches::create)))
        .route("/searches/preview", needs(Scope::Searches, post(preview::preview)))
        .route(
            "/searches/{id}",
            plain(Scope::Searches, get(searches::one).delete(searches::delete))
                .merge(needs(Scope::Searches, put(searches::update))),
        )
        .route("/searches/{id}/explain", needs(Scope::Searches, get(explain::one)))
        .route("/searches/{id}/matches", needs(Scope::Searches, get(matches::list)))
        .route("/searches/{id}/replay", needs(Scope::Searches, post(deliveries::replay_search)))
        .route("/deliveries", needs(Scope::Searches, get(deliveries::list)))
        .route("/deliveries/{id}", plain(Scope::Searches, get(deliveries::one)))
        .route("/deliveries/{id}/replay", needs(Scope::Searches, post(deliveries::replay)))
        .route("/webhook-secret", plain(Scope::Searches, get(secrets::one)))
        .route("/webhook-secret/rotate", needs(Scope::Searches, post(secrets::rotate)))
        .route("/webhook-tester", needs(Scope::Searches, get(tester::send)))
        .route("/matches/{id}", plain(Scope::Searches, get(matches::one)))
        .route("/sites", needs(Scope::Read, get(sites::list)))
        .route(
            "/sites/{id}",
            plain(Scope::Read, get(sites::one)).merge(plain(Scope::Admin, put(sites::change))),
        )
        .route(
            "/site_categories",
            needs(Scope::Read, get(sites::categories))
                .merge(plain(Scope::Admin, post(sites::create_category))),
        )
        .route(
            "/site_categories/{id}",
            plain(Scope::Read, get(sites::category)).merge(plain(
                Scope::Admin,
                put(sites::rename_category).merge(delete(sites::delete_category)),
            )),
        );
    let api = negotiate::layer(api);
    let open = Router::new()
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics))
        .route("/", get(docs_page::entry_point))
        .route("/docs", get(docs_page::page))
        .route("/docs/{file}", get(docs_page::file))
        .route("/docs.json", get(docs_page::openapi))
        .route("/docs.jsonld", get(docs_page::hydra))
        // Opened from an e-mail, in a browser: no key, and HTML instead of JSON.
        .route("/unsubscribe/{search}/{token}", get(unsubscribe::page).post(unsubscribe::unsubscribe));
    middleware::layer(api.merge(open), shared).with_state(shared.clone())
}

#[cfg(test)]
mod tests;
