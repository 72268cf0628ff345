//! Metrics of retention, and of the size of the store. Values are copied at each scrape.

use std::sync::atomic::{AtomicU64, Ordering};

use app::App;
use app::workers::retention::RetentionStatus;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Default)]
pub struct RetentionMetrics {
    deleted_rows: Family<TableLabels, Counter>,
    completed_at: Gauge<f64, AtomicU64>,
    oldest_position: Gauge<u64, AtomicU64>,
    store_bytes: Family<PartLabels, Gauge<u64, AtomicU64>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TableLabels {
    table: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PartLabels {
    part: &'static str,
}

impl RetentionMetrics {
    pub fn register(registry: &mut Registry) -> Self {
        let retention = Self::default();
        let Self { deleted_rows, completed_at, oldest_position, store_bytes } = &retention;
        registry.register(
            "retention_deleted_rows",
            "Rows that retention has deleted, by table",
            deleted_rows.clone(),
        );
        registry.register(
            "retention_completed_timestamp_seconds",
            "When a round of retention last came to its end; 0 before the first",
            completed_at.clone(),
        );
        registry.register(
            "log_oldest_position",
            "First position that the change log still has, after the last round of retention",
            oldest_position.clone(),
        );
        registry.register(
            "store_bytes",
            "Bytes of the database, of the free part of it, and of the write-ahead log, after the last round of retention",
            store_bytes.clone(),
        );
        retention
    }

    pub fn set(&self, app: &App) {
        let RetentionStatus { deleted, size, completed_at } = app.retention_status();
        for (table, rows) in deleted.by_table() {
            let counter = self.deleted_rows.get_or_create(&TableLabels { table });
            counter.inner().fetch_max(rows, Ordering::Relaxed);
        }
        self.completed_at.set(completed_at.map_or(0.0, |at| at.as_second() as f64));
        self.oldest_position.set(size.oldest_position.0);
        for (part, bytes) in
            [("database", size.database_bytes), ("free", size.free_bytes), ("wal", size.wal_bytes)]
        {
            self.store_bytes.get_or_create(&PartLabels { part }).set(bytes);
        }
    }
}
