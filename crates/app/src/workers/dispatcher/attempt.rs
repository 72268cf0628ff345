//! One attempt to send a claimed delivery, and what it means for the delivery.

use std::sync::Arc;
use std::time::Duration;

use delivery::AttemptResult;
use domain::{Fault, Outcome, RetryDecision, Timestamp};
use store::{Attempt, DueDelivery, Lane, Settlement};
use tokio_util::sync::CancellationToken;

use super::in_flight::InFlight;
use super::render::{OutboundMessage, Payload};
use super::schedule::AttemptEnd;
use crate::App;
use crate::dispatch::Dispatch;

/// How long a delivery that was claimed ahead waits for a permit. Whether its search still wants it, and where it goes, was decided
/// when it was claimed; that decision is no older than this when it is sent.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(1);

/// The new state of one delivery.
pub(super) struct SettledDelivery {
    pub lane: Lane,
    pub settlement: Settlement,
}

impl SettledDelivery {
    /// Releases a claimed delivery without an attempt. It stays due at the same time, and so keeps its position in its lane.
    pub fn released(due: &DueDelivery, claim: u64, at: Timestamp) -> Self {
        let next = RetryDecision::RetryAt(due.due_at);
        Self {
            lane: due.lane,
            settlement: Settlement { id: due.id, claim_id: claim, attempt: None, next, at },
        }
    }
}

/// The result of one attempt, which may concern several deliveries: an e-mail has many.
pub(super) struct SettledAttempt {
    pub settled: Vec<SettledDelivery>,
    /// Blocks the successors of its deliveries until the result is recorded: if no attempt was made, or if the database is shared.
    pub in_flight: Option<InFlight>,
}

/// Makes one attempt. If a permit takes too long, or the dispatcher is stopping, releases the deliveries instead: the search may
/// have changed by the time a permit is free.
pub(super) async fn attempt(
    app: App,
    dispatch: Arc<Dispatch>,
    message: OutboundMessage,
    claim: u64,
    stopping: CancellationToken,
) -> SettledAttempt {
    let OutboundMessage { due, payload, mut in_flight } = message;
    let permits = in_flight.permits.clone();
    let acquired = tokio::select! {
        biased;
        () = stopping.cancelled() => None,
        acquired = tokio::time::timeout(PERMIT_TIMEOUT, permits.acquire()) => acquired.ok(),
    };
    let started_at = app.clock.now();
    let Some(acquired) = acquired else {
        in_flight.end = if stopping.is_cancelled() { AttemptEnd::NotAttempted } else { AttemptEnd::TimedOut };
        let settled = due.iter().map(|due| SettledDelivery::released(due, claim, started_at)).collect();
        return SettledAttempt { settled, in_flight: Some(in_flight) };
    };
    let (result, target) = match payload {
        Payload::Webhook(mut message) => {
            message.at = started_at;
            (dispatch.transport.send_webhook(&message).await, message.endpoint.to_string())
        }
        Payload::Email(email) => (dispatch.transport.send_email(&email).await, email.to.to_string()),
    };
    let timed_out = result.outcome == Outcome::Failed(Fault::Timeout);
    in_flight.end = if timed_out { AttemptEnd::TimedOut } else { AttemptEnd::Completed };
    // Released before the outcome is recorded: the next attempt need not wait for the disk. In a shared database, the next one about the same
    // property could not be claimed before that.
    drop(acquired);
    let in_flight = app.shared_identity().is_some().then_some(in_flight);
    let at = app.clock.now();
    let AttemptResult { outcome, status, took, excerpt, headers, timings, certificate, reach: _ } = result;
    let settle = |due: &DueDelivery| {
        let next = dispatch.settings.retries.after(outcome, started_at, due.failures, due.interruptions);
        let attempt = Attempt {
            started_at,
            duration: took,
            outcome,
            status,
            target: Some(target.clone()),
            response_excerpt: excerpt.clone(),
            response_headers: headers.clone(),
            timings,
            certificate,
        };
        let settlement = Settlement { id: due.id, claim_id: claim, attempt: Some(attempt), next, at };
        SettledDelivery { lane: due.lane, settlement }
    };
    // One message, however many deliveries it has.
    if let (Outcome::Delivered, Some(first)) = (outcome, due.first()) {
        app.count_delivered(first.owner, first.lane.channel, at);
    }
    if let Outcome::Failed(fault) = outcome {
        let delivery = due.first().map(|due| due.id);
        tracing::debug!(?delivery, ?fault, status, "delivery attempt failed");
    }
    SettledAttempt { settled: due.iter().map(settle).collect(), in_flight }
}
