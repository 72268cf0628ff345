//! Metrics of scheduled backups.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use domain::Timestamp;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Default)]
pub struct BackupMetrics {
    last_success: Gauge,
    seconds: Gauge<f64, AtomicU64>,
    bytes: Gauge<u64, AtomicU64>,
    damaged_records: Gauge<u64, AtomicU64>,
    failures: Counter,
    rotation_failures: Counter,
}

impl BackupMetrics {
    pub fn register(registry: &mut Registry) -> Self {
        let backup = Self::default();
        let Self { last_success, seconds, bytes, damaged_records, failures, rotation_failures } = &backup;
        registry.register(
            "backup_last_success_timestamp_seconds",
            "Date of the newest backup in the target that was verified and has no damage; 0 if there is none",
            last_success.clone(),
        );
        registry.register("backup_seconds", "Duration of the last scheduled backup", seconds.clone());
        registry.register("backup_bytes", "Size of the last scheduled backup", bytes.clone());
        registry.register(
            "backup_damaged_records",
            "Problems in the newest backup of the target",
            damaged_records.clone(),
        );
        registry.register("backup_failures", "Scheduled backups that failed", failures.clone());
        registry.register(
            "backup_rotation_failures",
            "Scheduled backups after which older ones could not be removed",
            rotation_failures.clone(),
        );
        backup
    }

    /// Records the date of the newest intact backup.
    pub fn set_last(&self, at: Timestamp) {
        self.last_success.set(at.as_second());
    }

    /// Records how many problems the newest backup has.
    pub fn set_damaged_records(&self, count: u64) {
        self.damaged_records.set(count);
    }

    pub fn succeeded(&self, duration: Duration, bytes: u64) {
        self.seconds.set(duration.as_secs_f64());
        self.bytes.set(bytes);
    }

    pub fn failed(&self) {
        self.failures.inc();
    }

    /// Counts a complete backup after which older ones could not be removed.
    pub fn rotation_failed(&self) {
        self.rotation_failures.inc();
    }
}
