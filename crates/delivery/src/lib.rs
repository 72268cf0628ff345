//! Webhooks and e-mail: makes one attempt to send one message and returns the result.
//!
//! Besides `backup`, this is the only crate that opens outbound sockets, and every address chosen by a user goes through [`webhook`],
//! which enforces the address policy. It never retries, schedules or stores anything: `app` decides what follows
//! from a result. It depends only on `domain`.
//!
//! In reading order: `message` (messages and [`AttemptResult`]), [`signature`] (webhook signatures), [`webhook`]
//! (HTTPS sender), [`mail`] (SMTP sender).

pub mod mail;
mod message;
pub mod signature;
pub mod webhook;

pub use message::{
    AttemptResult, ConfirmationEmail, Email, EmailId, ListingSummary, Reach, SequenceHeaders, WebhookMessage,
};
