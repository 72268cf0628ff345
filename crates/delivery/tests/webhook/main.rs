//! Webhooks from end to end, over real sockets of this machine.

#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

mod certificates;
mod connections;
mod exchanges;
mod names;
mod receiver;
mod refusals;
mod support;
