//! What operators watch, in the OpenMetrics text format.

mod dispatcher;
mod index;
mod matcher;

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use dispatcher::DispatcherMetrics;
use index::IndexMetrics;
use matcher::MatcherMetrics;

pub struct Metrics {
    registry: Registry,
    pub requests: Family<RequestLabels, Counter>,
    pub request_seconds: Family<RouteLabels, Histogram>,
    pub adverts: Family<OutcomeLabels, Counter>,
    pub connections: Gauge,
    pub requests_under_way: Gauge,
    pub log_position: Gauge<u64, AtomicU64>,
    pub index: IndexMetrics,
    pub matcher: MatcherMetrics,
    pub dispatcher: DispatcherMetrics,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct RequestLabels {
    pub method: String,
    /// The route's pattern, never the path: paths hold ids and would make a series each.
    pub route: String,
    pub status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct RouteLabels {
    pub method: String,
    pub route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct OutcomeLabels {
    pub outcome: AdvertOutcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EncodeLabelValue)]
pub enum AdvertOutcome {
    Created,
    Updated,
    Unchanged,
    Rejected,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("vigie");
        let requests = Family::default();
        // From a tenth of a millisecond to half a minute.
        let buckets = || Histogram::new(exponential_buckets(0.000_1, 3.0, 12));
        let request_seconds = Family::new_with_constructor(buckets as fn() -> Histogram);
        let adverts = Family::default();
        let (connections, requests_under_way, log_position) =
            (Gauge::default(), Gauge::default(), Gauge::default());
        registry.register(
            "build",
            "The running release",
            Info::new([("version", env!("CARGO_PKG_VERSION"))]),
        );
        registry.register("http_requests", "Requests answered", requests.clone());
        registry.register("http_request_seconds", "From headers to answer", request_seconds.clone());
        registry.register("adverts", "Adverts taken in, by outcome", adverts.clone());
        registry.register("http_connections", "Connections open", connections.clone());
        registry.register("http_requests_under_way", "Requests being worked on", requests_under_way.clone());
        registry.register("log_position", "Last position of the change log", log_position.clone());
        let index = IndexMetrics::register(&mut registry);
        let matcher = MatcherMetrics::register(&mut registry);
        let dispatcher = DispatcherMetrics::register(&mut registry);
        Self {
            registry,
            requests,
            request_seconds,
            adverts,
            connections,
            requests_under_way,
            log_position,
            index,
            matcher,
            dispatcher,
        }
    }
}

impl Metrics {
    pub fn count(&self, receipts: &[app::ingest::Receipt]) {
        use app::ingest::{Outcome, Receipt};
        for receipt in receipts {
            let outcome = match receipt {
                Receipt::Accepted { outcome: Outcome::Created, .. } => AdvertOutcome::Created,
                Receipt::Accepted { outcome: Outcome::Updated, .. } => AdvertOutcome::Updated,
                Receipt::Accepted { outcome: Outcome::Unchanged, .. } => AdvertOutcome::Unchanged,
                Receipt::Rejected { .. } => AdvertOutcome::Rejected,
            };
            self.adverts.get_or_create(&OutcomeLabels { outcome }).inc();
        }
    }

    pub fn print(&self) -> String {
        let mut text = String::new();
        // Writing into a string cannot fail.
        let _ = prometheus_client::encoding::text::encode(&mut text, &self.registry);
        text
    }
}
