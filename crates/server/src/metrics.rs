//! Metrics in the OpenMetrics text format.

mod backup;
mod dispatcher;
mod faults;
mod grouping;
mod index;
mod matcher;
mod retention;

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use self::backup::BackupMetrics;
use dispatcher::DispatcherMetrics;
use faults::FaultMetrics;
use grouping::GroupingMetrics;
use index::IndexMetrics;
use matcher::MatcherMetrics;
use retention::RetentionMetrics;

pub use crate::connection::CloseReason;

pub struct Metrics {
    registry: Registry,
    pub requests: Family<RequestLabels, Counter>,
    pub request_seconds: Family<RouteLabels, Histogram>,
    pub adverts: Family<OutcomeLabels, Counter>,
    pub connections: Gauge,
    pub connections_closed: Family<CloseLabels, Counter>,
    pub requests_in_flight: Gauge,
    pub body_bytes: Gauge<u64, AtomicU64>,
    pub waiting_work: Gauge,
    pub log_position: Gauge<u64, AtomicU64>,
    pub grouping: GroupingMetrics,
    pub index: IndexMetrics,
    pub matcher: MatcherMetrics,
    pub dispatcher: DispatcherMetrics,
    pub faults: FaultMetrics,
    pub retention: RetentionMetrics,
    pub backup: BackupMetrics,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct RequestLabels {
    pub method: String,
    /// The route's pattern, not the path: paths contain ids, and each would create a new series.
    pub route: String,
    pub status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct RouteLabels {
    pub method: String,
    pub route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct CloseLabels {
    pub reason: CloseReason,
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
        // From 0.1 ms to about 18 s.
        let buckets = || Histogram::new(exponential_buckets(0.000_1, 3.0, 12));
        let request_seconds = Family::new_with_constructor(buckets as fn() -> Histogram);
        let adverts = Family::default();
        let (connections, requests_in_flight, log_position) =
            (Gauge::default(), Gauge::default(), Gauge::default());
        let (connections_closed, body_bytes) = (Family::default(), Gauge::default());
        let waiting_work: Gauge = Gauge::default();
        registry.register(
            "build",
            "Version of the running binary",
            Info::new([("version", env!("CARGO_PKG_VERSION"))]),
        );
        registry.register("http_requests", "HTTP requests answered", requests.clone());
        registry.register(
            "http_request_seconds",
            "Time from request headers to response headers",
            request_seconds.clone(),
        );
        registry.register("adverts", "Adverts received, by outcome", adverts.clone());
        registry.register("http_connections", "Open HTTP connections", connections.clone());
        registry.register(
            "http_connections_closed",
            "HTTP connections closed, by reason",
            connections_closed.clone(),
        );
        registry.register(
            "http_body_bytes",
            "Memory reserved for bodies of requests in progress",
            body_bytes.clone(),
        );
        registry.register("http_requests_in_flight", "HTTP requests in progress", requests_in_flight.clone());
        registry.register(
            "waiting_work",
            "Expensive queries, lists and previews that wait for their turn",
            waiting_work.clone(),
        );
        registry.register("log_position", "Last position of the change log", log_position.clone());
        let grouping = GroupingMetrics::register(&mut registry);
        let index = IndexMetrics::register(&mut registry);
        let matcher = MatcherMetrics::register(&mut registry);
        let dispatcher = DispatcherMetrics::register(&mut registry);
        let faults = FaultMetrics::register(&mut registry);
        let retention = RetentionMetrics::register(&mut registry);
        let backup = BackupMetrics::register(&mut registry);
        Self {
            registry,
            requests,
            request_seconds,
            adverts,
            connections,
            connections_closed,
            requests_in_flight,
            body_bytes,
            waiting_work,
            log_position,
            grouping,
            index,
            matcher,
            dispatcher,
            faults,
            retention,
            backup,
        }
    }
}

impl Metrics {
    /// Counts a connection that was closed.
    pub fn count_closed(&self, reason: CloseReason) {
        self.connections_closed.get_or_create(&CloseLabels { reason }).inc();
    }

    /// Counts the receipts by outcome.
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

    /// Encodes all metrics as text.
    pub fn print(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = prometheus_client::encoding::text::encode(&mut text, &self.registry);
        text
    }
}
