//! Metrics of the property index. Values are copied from the index status at each scrape.

use std::sync::atomic::AtomicU64;

use app::search::{IndexOrigin, IndexStatus};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Default)]
pub struct IndexMetrics {
    ready: Gauge,
    position: Gauge<u64, AtomicU64>,
    properties: Gauge<u64, AtomicU64>,
    behind_seconds: Gauge<f64, AtomicU64>,
    visibility_timeouts: Counter,
    build_seconds: Gauge<f64, AtomicU64>,
    snapshot_position: Gauge<u64, AtomicU64>,
    snapshot_bytes: Gauge<u64, AtomicU64>,
    snapshot_timestamp_seconds: Gauge,
    origin: Family<OriginLabels, Gauge>,
    published_position: Gauge<u64, AtomicU64>,
    publish_failures: Counter,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OriginLabels {
    origin: &'static str,
}

impl IndexMetrics {
    pub fn register(registry: &mut Registry) -> Self {
        let index = Self::default();
        let Self {
            ready,
            position,
            properties,
            behind_seconds,
            visibility_timeouts,
            build_seconds,
            snapshot_position,
            snapshot_bytes,
            snapshot_timestamp_seconds,
            origin,
            published_position,
            publish_failures,
        } = &index;
        registry.register(
            "index_ready",
            "1 if the index is built and searches are served, else 0",
            ready.clone(),
        );
        registry.register("index_position", "Change log position the index has reached", position.clone());
        registry.register("index_properties", "Properties in the index", properties.clone());
        registry.register(
            "index_behind_seconds",
            "Age of the first change that the index does not contain; 0 if it contains all",
            behind_seconds.clone(),
        );
        registry.register(
            "index_visibility_timeouts",
            "Writes acknowledged before they were visible in the index",
            visibility_timeouts.clone(),
        );
        registry.register(
            "index_build_seconds",
            "Time from process start until searches were served",
            build_seconds.clone(),
        );
        registry.register(
            "index_snapshot_position",
            "Change log position of the last snapshot written by this process",
            snapshot_position.clone(),
        );
        registry.register("index_snapshot_bytes", "Size of the last snapshot", snapshot_bytes.clone());
        registry.register(
            "index_snapshot_timestamp_seconds",
            "Time the last snapshot was written, as a Unix timestamp",
            snapshot_timestamp_seconds.clone(),
        );
        registry.register(
            "index_origin",
            "1 for what the index was loaded from: own_snapshot, shared_snapshot or database",
            origin.clone(),
        );
        registry.register(
            "index_published_position",
            "Change log position of the shared snapshot, while this process publishes it; else 0",
            published_position.clone(),
        );
        registry.register(
            "index_publish_failures",
            "Failed attempts to share a snapshot of the index",
            publish_failures.clone(),
        );
        index
    }

    pub fn set(&self, status: &IndexStatus) {
        let IndexStatus {
            is_ready,
            position,
            properties,
            behind,
            visibility_timeouts,
            build,
            snapshot,
            origin,
            published,
            publish_failures,
        } = status;
        self.ready.set(i64::from(*is_ready));
        self.position.set(position.0);
        self.properties.set(*properties as u64);
        self.behind_seconds.set(behind.as_secs_f64());
        self.visibility_timeouts
            .inner()
            .fetch_max(*visibility_timeouts, std::sync::atomic::Ordering::Relaxed);
        for (known, label) in [
            (IndexOrigin::OwnSnapshot, "own_snapshot"),
            (IndexOrigin::SharedSnapshot, "shared_snapshot"),
            (IndexOrigin::Store, "database"),
        ] {
            let labels = OriginLabels { origin: label };
            self.origin.get_or_create(&labels).set(i64::from(*origin == Some(known)));
        }
        self.published_position.set(published.map_or(0, |position| position.0));
        self.publish_failures.inner().fetch_max(*publish_failures, std::sync::atomic::Ordering::Relaxed);
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
