//! What the demo does with the webhooks it receives: verifies them and prints the first ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use app::App;
use domain::{UserId, WebhookSecret};
use http::StatusCode;
use tokio_util::sync::CancellationToken;

use crate::cli::output;
use crate::cli::receiver::{Handle, MATCH, Message, describe};

/// Number of matches, and of events, printed one by one. After that, a summary every [`SUMMARY_INTERVAL`] keeps the earlier
/// output readable.
const PRINTED: u64 = 6;
const SUMMARY_INTERVAL: Duration = Duration::from_secs(10);

/// Verifies and counts messages.
pub struct MessageHandler {
    app: App,
    /// The user whose secrets sign the messages.
    owner: UserId,
    matches: AtomicU64,
    events: AtomicU64,
    rejected: AtomicU64,
}

impl MessageHandler {
    pub const fn new(app: App, owner: UserId) -> Self {
        let [matches, events, rejected] = [const { AtomicU64::new(0) }; 3];
        Self { app, owner, matches, events, rejected }
    }
}

impl Handle for MessageHandler {
    async fn receive(&self, message: Message) -> StatusCode {
        let now = self.app.clock().now();
        let Ok(secrets) = self.app.webhook_secrets(self.owner).await else {
            return StatusCode::INTERNAL_SERVER_ERROR;
        };
        let secrets: Vec<WebhookSecret> = secrets.signing_secrets(now).cloned().collect();
        if message.verify(&secrets, now).is_err() {
            self.rejected.fetch_add(1, Ordering::Relaxed);
            output::print_line("  webhook  rejected: invalid signature");
            return StatusCode::UNAUTHORIZED;
        }
        let description = describe(&message.body);
        let counter = if description.starts_with(MATCH) { &self.matches } else { &self.events };
        if counter.fetch_add(1, Ordering::Relaxed) < PRINTED {
            let length = message.body.len();
            output::print_line(&format!("  webhook  {description}  (signature verified, {length} bytes)"));
        }
        StatusCode::OK
    }
}

/// Prints how many messages were received, from time to time.
pub async fn summarise(handler: Arc<MessageHandler>, stop: CancellationToken) {
    let mut ticks = tokio::time::interval(SUMMARY_INTERVAL);
    let mut printed = 2 * PRINTED;
    loop {
        tokio::select! { () = stop.cancelled() => return, _ = ticks.tick() => {} }
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (matches, events, rejected) =
            (read(&handler.matches), read(&handler.events), read(&handler.rejected));
        if matches + events > printed {
            output::print_line(&format!(
                "  webhooks {matches} matches and {events} events so far, {rejected} rejected"
            ));
            printed = matches + events;
        }
    }
}
