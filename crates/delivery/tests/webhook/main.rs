//! Webhooks from end to end, over real sockets of this machine.

#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

mod certificates;
mod connections;
mod dns;
mod receiver;
mod responses;
mod ssrf;
mod support;
