//! Metrics of damage and of workers that stand still. Values are copied at each scrape.

use std::sync::atomic::{AtomicU64, Ordering};

use app::App;
use app::workers::health::WorkerHealth;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Default)]
pub struct FaultMetrics {
    damaged_records: Family<KindLabels, Gauge<u64, AtomicU64>>,
    workers_stalled: Family<WorkerLabels, Gauge<u64, AtomicU64>>,
    worker_failures: Family<WorkerLabels, Counter>,
    store_failed: Gauge<u64, AtomicU64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabels {
    kind: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WorkerLabels {
    worker: &'static str,
}

impl FaultMetrics {
    pub fn register(registry: &mut Registry) -> Self {
        let faults = Self::default();
        let Self { damaged_records, workers_stalled, worker_failures, store_failed } = &faults;
        registry.register(
            "damaged_records",
            "Different damaged records met since the start, by kind",
            damaged_records.clone(),
        );
        registry.register(
            "worker_stalled",
            "1 if a worker stands still or has ended",
            workers_stalled.clone(),
        );
        registry.register(
            "worker_failures",
            "Failures of a worker, which it retries",
            worker_failures.clone(),
        );
        registry.register("store_failed", "1 if the database accepts no more writes", store_failed.clone());
        faults
    }

    pub fn set(&self, app: &App) {
        for (kind, count) in app.damaged_records() {
            self.damaged_records.get_or_create(&KindLabels { kind: kind.name() }).set(count);
        }
        for WorkerHealth { name, is_stalled, failures } in app.worker_health() {
            let labels = WorkerLabels { worker: name };
            self.workers_stalled.get_or_create(&labels).set(u64::from(is_stalled));
            self.worker_failures.get_or_create(&labels).inner().fetch_max(failures, Ordering::Relaxed);
        }
        self.store_failed.set(u64::from(app.store_failure().is_some()));
    }
}
