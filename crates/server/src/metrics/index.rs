//! How the index fares. Read when somebody asks, so that nothing has to be counted meanwhile.

use std::sync::atomic::AtomicU64;

use app::search::IndexStatus;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Default)]
pub struct IndexMetrics {
    ready: Gauge,
    position: Gauge<u64, AtomicU64>,
    properties: Gauge<u64, AtomicU64>,
    late_answers: Counter,
    build_seconds: Gauge<f64, AtomicU64>,
    snapshot_position: Gauge<u64, AtomicU64>,
    snapshot_bytes: Gauge<u64, AtomicU64>,
    snapshot_timestamp_seconds: Gauge,
}

impl IndexMetrics {
    pub fn register(registry: &mut Registry) -> Self {
        let index = Self::default();
        let Self {
            ready,
            position,
            properties,
            late_answers,
            build_seconds,
            snapshot_position,
            snapshot_bytes,
            snapshot_timestamp_seconds,
        } = &index;
        registry.register("index_ready", "1 once searches are answered", ready.clone());
        registry.register(
            "index_position",
            "How far the index has followed the change log",
            position.clone(),
        );
        registry.register("index_properties", "Properties in the index", properties.clone());
        registry.register(
            "index_late_answers",
            "Writers answered before the index had what they wrote",
            late_answers.clone(),
        );
        registry.register(
            "index_build_seconds",
            "From the start until searches were answered",
            build_seconds.clone(),
        );
        registry.register(
            "index_snapshot_position",
            "Position of the last snapshot taken by this process",
            snapshot_position.clone(),
        );
        registry.register("index_snapshot_bytes", "Size of that snapshot", snapshot_bytes.clone());
        registry.register(
            "index_snapshot_timestamp_seconds",
            "When it was written",
            snapshot_timestamp_seconds.clone(),
        );
        index
    }

    pub fn set(&self, status: &IndexStatus) {
        let IndexStatus { is_ready, position, properties, late_answers, build, snapshot } = status;
        self.ready.set(i64::from(*is_ready));
        self.position.set(position.0);
        self.properties.set(*properties as u64);
        self.late_answers.inner().fetch_max(*late_answers, std::sync::atomic::Ordering::Relaxed);
        if let Some(build) = build {
            self.build_seconds.set(build.as_secs_f64());
        }
        if let Some(snapshot) = snapshot {
            self.snapshot_position.set(snapshot.position.0);
            self.snapshot_bytes.set(snapshot.bytes);
            self.snapshot_timestamp_seconds.set(snapshot.at.as_second());
        }
    }
}
