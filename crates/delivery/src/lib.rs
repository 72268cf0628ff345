//! Webhooks and e-mail.
//!
//! [`webhook`] makes one attempt to bring one message to one endpoint, and [`mail`] one attempt to send one email. Both answer
//! with what happened; what follows from it is decided elsewhere.
//!
//! **Invariant:** this is the only crate that opens outbound sockets, and everything whose address a user chose goes through
//! [`webhook`], where the address policy is. Nothing here knows the store.

pub mod mail;
mod message;
pub mod signature;
pub mod webhook;

pub use message::{Email, EmailId, Exchange, ListingSummary, Order, WebhookMessage};
