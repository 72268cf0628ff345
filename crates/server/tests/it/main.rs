//! Integration tests: a real server on a loopback socket, driven over HTTP and the command line.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed, and says where")]
// An advert with every field is a long `json!`.
#![recursion_limit = "256"]

mod harness;

mod access;
mod bodies;
mod cli;
mod compression;
mod connections;
mod contract;
mod cors;
mod damage;
mod deliveries;
mod examples;
mod fairness;
mod grouping;
mod grouping_corrections;
mod grouping_review;
mod hostile;
mod http_errors;
mod index;
mod ingest;
mod lifecycle;
mod limits;
mod map;
mod mcp;
mod messy_feed;
mod nodes;
mod places;
mod properties;
mod requests;
mod retention;
mod round_trip;
mod search;
mod search_errors;
mod search_explain;
mod search_pages;
mod search_preview;
mod search_streams;
mod searches;
mod sessions;
mod shared_index;
mod sites;
mod snapshots;
mod status;
mod streams;
mod usage;
mod wild_clients;
