//! The service as its clients meet it: the real server on a loopback socket, driven over HTTP and the command line.

#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]
// An advert with every field is a long `json!`.
#![recursion_limit = "256"]

mod harness;

mod access;
mod ingest;
mod lifecycle;
mod limits;
mod properties;
mod requests;
mod streams;
