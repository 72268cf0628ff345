//! Making deliveries of what the matcher recorded as owed.

use domain::{CancelReason, DeliveryChannel, Timestamp};
use store::{EnqueueBatch, NewDelivery, OutboxBatch, InitialState};

use super::{Dispatcher, later};
use crate::Error;

/// How many deliveries are made in one transaction: few enough that other writers hardly wait for it.
const TAKEN_IN_AT_ONCE: usize = 1_000;

impl Dispatcher {
    /// Answers whether there is more.
    pub(super) async fn take_in(&mut self, now: Timestamp) -> Result<bool, Error> {
        let OutboxBatch { after, until, deliveries, more } =
            self.app.store.read_outbox(TAKEN_IN_AT_ONCE).await?;
        if after == until {
            return Ok(false);
        }
        let deliveries: Vec<(NewDelivery, InitialState)> =
            deliveries.into_iter().map(|delivery| (delivery, self.start(&delivery, now))).collect();
        let lanes: Vec<_> = deliveries
            .iter()
            .filter_map(|(delivery, start)| match start {
                InitialState::DueAt(due_at) => Some((delivery.lane(), *due_at)),
                InitialState::Cancelled(_) => None,
            })
            .collect();
        self.dispatch.counters.note_cancelled(deliveries.len() - lanes.len());
        if !self.app.store.enqueue(EnqueueBatch { after, until, at: now, deliveries }).await? {
            tracing::warn!("another process brings what is owed as well");
            return Ok(true);
        }
        for (lane, due_at) in lanes {
            self.schedule.note(lane, due_at);
        }
        Ok(more)
    }

    /// Webhooks go at once; emails wait for more of the same.
    fn start(&self, delivery: &NewDelivery, now: Timestamp) -> InitialState {
        match delivery.notification.channel() {
            DeliveryChannel::Match | DeliveryChannel::Event => InitialState::DueAt(now),
            DeliveryChannel::Email if self.dispatch.transport.sends_email() => {
                InitialState::DueAt(later(now, self.dispatch.settings.gather))
            }
            DeliveryChannel::Email => InitialState::Cancelled(CancelReason::ChannelOff),
        }
    }
}
