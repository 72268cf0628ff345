//! Webhooks end to end, over loopback sockets.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod certificates;
mod connections;
mod dns;
mod receiver;
mod responses;
mod ssrf;
mod support;
mod timings;
