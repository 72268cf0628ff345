//! Turns the outbox entries that the matcher wrote into deliveries.

use domain::{CancelReason, DeliveryChannel, Timestamp};
use store::{EnqueueBatch, InitialState, NewDelivery, OutboxBatch};

use super::{Dispatcher, later};
use crate::Error;

/// How many deliveries one transaction creates: few enough that other writers hardly wait for it.
const ENQUEUE_BATCH: usize = 1_000;

impl Dispatcher {
    /// Enqueues a batch. Returns `true` if the outbox has more.
    pub(super) async fn enqueue(&mut self, now: Timestamp) -> Result<bool, Error> {
        let OutboxBatch { after, until, deliveries, more } =
            self.app.store.read_outbox(ENQUEUE_BATCH).await?;
        if after == until {
            return Ok(false);
        }
        let deliveries: Vec<(NewDelivery, InitialState)> =
            deliveries.into_iter().map(|delivery| (delivery, self.initial_state(&delivery, now))).collect();
        let lanes: Vec<_> = deliveries
            .iter()
            .filter_map(|(delivery, state)| match state {
                InitialState::DueAt(due_at) => Some((delivery.lane(), *due_at)),
                InitialState::Cancelled(_) => None,
            })
            .collect();
        self.dispatch.counters.record_cancelled(deliveries.len() - lanes.len());
        if !self.app.store.enqueue(EnqueueBatch { after, until, at: now, deliveries }).await? {
            if self.app.store.shared_identity().is_none() {
                tracing::warn!("another process also dispatches deliveries from this data folder");
            }
            return Ok(true);
        }
        for (lane, due_at) in lanes {
            self.schedule.add(lane, due_at);
        }
        Ok(more)
    }

    /// Webhooks are due at once. E-mails wait for more matches of the same search.
    fn initial_state(&self, delivery: &NewDelivery, now: Timestamp) -> InitialState {
        match delivery.notification.channel() {
            DeliveryChannel::Match | DeliveryChannel::Event => InitialState::DueAt(now),
            DeliveryChannel::Email if self.dispatch.transport.sends_email() => {
                InitialState::DueAt(later(now, self.dispatch.settings.batch_window))
            }
            DeliveryChannel::Email => InitialState::Cancelled(CancelReason::ChannelOff),
        }
    }
}
