//! One attempt in flight, from the moment its delivery is claimed.

use tokio::sync::mpsc;

use super::schedule::{AttemptEnd, OrderKey, Permits, Route};

/// Occupies room in the [`Schedule`](super::schedule::Schedule) until it is dropped, even if the attempt panics.
pub(super) struct InFlight {
    route: Route,
    pub(super) permits: Permits,
    /// How the attempt ended. [`AttemptEnd::NotAttempted`] until it is set.
    pub(super) end: AttemptEnd,
    ended: mpsc::UnboundedSender<EndedAttempt>,
}

/// An attempt that is no longer in flight.
pub(super) struct EndedAttempt {
    pub route: Route,
    pub end: AttemptEnd,
}

impl InFlight {
    pub fn new(route: Route, permits: Permits, ended: mpsc::UnboundedSender<EndedAttempt>) -> Self {
        Self { route, permits, end: AttemptEnd::NotAttempted, ended }
    }

    /// Returns the lane and property whose order it keeps; `None` if the order does not matter.
    pub const fn order(&self) -> Option<OrderKey> {
        self.route.order
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        // Fails only if the dispatcher is gone.
        let _ = self.ended.send(EndedAttempt { route: self.route.clone(), end: self.end });
    }
}
