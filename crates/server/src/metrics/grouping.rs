//! Metrics of grouping. Values are copied from its status at each scrape.

use std::sync::atomic::AtomicU64;

use app::grouping::GroupingStatus;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Default)]
pub struct GroupingMetrics {
    adverts: Gauge<u64, AtomicU64>,
    bytes: Gauge<u64, AtomicU64>,
}

impl GroupingMetrics {
    pub fn register(registry: &mut Registry) -> Self {
        let Self { adverts, bytes } = Self::default();
        registry.register(
            "grouping_adverts",
            "Adverts with a signature in memory; 0 until they are loaded",
            adverts.clone(),
        );
        registry.register("grouping_bytes", "Memory of the signatures and the usual prices", bytes.clone());
        Self { adverts, bytes }
    }

    pub fn set(&self, status: GroupingStatus) {
        self.adverts.set(status.adverts as u64);
        self.bytes.set(status.bytes as u64);
    }
}
