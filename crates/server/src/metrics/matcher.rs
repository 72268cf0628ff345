//! How matching fares. Read when somebody asks, so that nothing has to be counted meanwhile.

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
    documents: Counter,
    walked: Counter,
    verified: Counter,
    matches: Counter,
    notifications: Counter,
}

impl MatcherMetrics {
    pub fn register(registry: &mut Registry) -> Self {
        let matcher = Self::default();
        let Self { position, searches, bytes, documents, walked, verified, matches, notifications } =
            &matcher;
        let gauges = [
            ("matcher_position", "How far the change log is matched", position),
            ("matcher_searches", "Saved searches that stand", searches),
            ("matcher_bytes", "Memory that saved searches take, roughly", bytes),
        ];
        for (name, help, gauge) in gauges {
            registry.register(name, help, gauge.clone());
        }
        let counters = [
            ("matcher_documents", "Properties held against all saved searches", documents),
            ("matcher_searches_walked", "Saved searches looked at for that", walked),
            ("matcher_searches_verified", "Those of them looked at closely", verified),
            ("matcher_matches", "Matches made", matches),
            ("matcher_notices", "Notices that became due", notifications),
        ];
        for (name, help, counter) in counters {
            registry.register(name, help, counter.clone());
        }
        matcher
    }

    pub fn set(&self, status: &MatcherStatus) {
        let MatcherStatus { position, searches, bytes, stats } = status;
        if let Some(position) = position {
            self.position.set(position.0);
        }
        self.searches.set(*searches);
        self.bytes.set(*bytes);
        let MatchStats { properties, candidates, evaluated, matches, notifications } = stats;
        let counters = [
            (&self.documents, properties),
            (&self.walked, candidates),
            (&self.verified, evaluated),
            (&self.matches, matches),
            (&self.notifications, notifications),
        ];
        for (counter, count) in counters {
            counter.inner().fetch_max(*count, Ordering::Relaxed);
        }
    }
}
