//! Metrics of the matcher. Values are copied from the matcher's status at each scrape.

use std::sync::atomic::{AtomicU64, Ordering};

use app::matching::{MatchStats, MatcherStatus};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Default)]
pub struct MatcherMetrics {
    position: Gauge<u64, AtomicU64>,
    searches: Gauge<u64, AtomicU64>,
    bytes: Gauge<u64, AtomicU64>,
    properties: Counter,
    candidates: Counter,
    candidates_evaluated: Counter,
    matches: Counter,
    notifications: Counter,
    searches_loaded: Counter,
}

impl MatcherMetrics {
    pub fn register(registry: &mut Registry) -> Self {
        let matcher = Self::default();
        let Self {
            position,
            searches,
            bytes,
            properties,
            candidates,
            candidates_evaluated,
            matches,
            notifications,
            searches_loaded,
        } = &matcher;
        let gauges = [
            ("matcher_position", "Change log position the matcher has reached", position),
            ("matcher_searches", "Saved searches in the percolator", searches),
            ("matcher_bytes", "Approximate memory used by saved searches", bytes),
        ];
        for (name, help, gauge) in gauges {
            registry.register(name, help, gauge.clone());
        }
        let counters = [
            ("matcher_properties", "Properties matched against all saved searches", properties),
            ("matcher_candidates", "Saved searches selected as candidates", candidates),
            ("matcher_candidates_evaluated", "Candidates fully evaluated", candidates_evaluated),
            ("matcher_matches", "Matches found", matches),
            ("matcher_notifications", "Notifications created", notifications),
            ("matcher_searches_loaded", "Saved searches read to start the matcher", searches_loaded),
        ];
        for (name, help, counter) in counters {
            registry.register(name, help, counter.clone());
        }
        matcher
    }

    pub fn set(&self, status: &MatcherStatus) {
        let MatcherStatus { position, searches, bytes, stats, searches_loaded } = status;
        if let Some(position) = position {
            self.position.set(position.0);
        }
        self.searches.set(*searches);
        self.bytes.set(*bytes);
        let MatchStats { properties, candidates, evaluated, matches, notifications } = stats;
        let counters = [
            (&self.properties, properties),
            (&self.candidates, candidates),
            (&self.candidates_evaluated, evaluated),
            (&self.matches, matches),
            (&self.notifications, notifications),
            (&self.searches_loaded, searches_loaded),
        ];
        for (counter, count) in counters {
            counter.inner().fetch_max(*count, Ordering::Relaxed);
        }
    }
}
