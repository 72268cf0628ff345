//! Metrics of deliveries. Values are copied from the dispatcher's status at each scrape.

use std::sync::atomic::{AtomicU64, Ordering};

use app::dispatch::DispatchStatus;
use domain::{DeliveryChannel, Outcome, Timestamp};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use store::QueueDepth;

#[derive(Default)]
pub struct DispatcherMetrics {
    pending: Gauge<u64, AtomicU64>,
    leased: Gauge<u64, AtomicU64>,
    oldest_due_seconds: Gauge<f64, AtomicU64>,
    in_flight: Gauge<u64, AtomicU64>,
    held: Gauge<u64, AtomicU64>,
    attempts: Family<AttemptLabels, Counter>,
    delivered: Counter,
    failed: Counter,
    cancelled: Counter,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AttemptLabels {
    channel: &'static str,
    outcome: &'static str,
}

impl DispatcherMetrics {
    pub fn register(registry: &mut Registry) -> Self {
        let dispatcher = Self::default();
        let Self {
            pending,
            leased,
            oldest_due_seconds,
            in_flight,
            held,
            attempts,
            delivered,
            failed,
            cancelled,
        } = &dispatcher;
        let gauges = [
            (
                "deliveries_pending",
                "Deliveries waiting to be sent, including those waiting for a retry",
                pending,
            ),
            ("deliveries_leased", "Deliveries being sent", leased),
            ("deliveries_in_flight", "Delivery attempts in progress in this process", in_flight),
            ("deliveries_held", "1 if an operator holds all deliveries", held),
        ];
        for (name, help, gauge) in gauges {
            registry.register(name, help, gauge.clone());
        }
        registry.register(
            "deliveries_oldest_due_seconds",
            "Time since the oldest due delivery became due; 0 if none is due",
            oldest_due_seconds.clone(),
        );
        registry.register("delivery_attempts", "Delivery attempts, by channel and outcome", attempts.clone());
        let counters = [
            ("deliveries_delivered", "Deliveries accepted by the receiver", delivered),
            ("deliveries_failed", "Deliveries given up after the last attempt", failed),
            ("deliveries_cancelled", "Deliveries cancelled before they were sent", cancelled),
        ];
        for (name, help, counter) in counters {
            registry.register(name, help, counter.clone());
        }
        dispatcher
    }

    pub fn set(&self, status: &DispatchStatus, now: Timestamp) {
        let DispatchStatus { depth, in_flight, is_held, attempts, failed, cancelled } = status;
        let QueueDepth { pending, leased, oldest_due_at } = depth;
        self.pending.set(*pending);
        self.leased.set(*leased);
        let waited = oldest_due_at.map_or(0.0, |due| now.duration_since(due).as_secs_f64());
        self.oldest_due_seconds.set(waited.max(0.0));
        self.in_flight.set(*in_flight);
        self.held.set(u64::from(*is_held));
        for (channel, outcome, count) in attempts {
            let labels = AttemptLabels::of(*channel, *outcome);
            advance(&self.attempts.get_or_create(&labels), *count);
        }
        let delivered = attempts.iter().filter(|(_, outcome, _)| *outcome == Outcome::Delivered);
        advance(&self.delivered, delivered.map(|(_, _, count)| count).sum());
        advance(&self.failed, *failed);
        advance(&self.cancelled, *cancelled);
    }
}

impl AttemptLabels {
    fn of(channel: DeliveryChannel, outcome: Outcome) -> Self {
        Self { channel: wire::names::delivery_channel(channel), outcome: wire::names::outcome(outcome) }
    }
}

/// Sets a counter to `count` unless it is ahead: two concurrent scrapes must not move it backwards.
fn advance(counter: &Counter, count: u64) {
    counter.inner().fetch_max(count, Ordering::Relaxed);
}
