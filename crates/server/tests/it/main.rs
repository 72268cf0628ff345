//! The service as its clients meet it: the real server on a loopback socket, driven over HTTP and the command line.

// An advert with every field is a long `json!`.
#![recursion_limit = "256"]
#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

mod harness;

mod access;
mod ingest;
mod lifecycle;
mod limits;
mod properties;
mod requests;
mod sites;
mod streams;
