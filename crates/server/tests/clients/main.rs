//! Client programs against a real server, run as their users run them: the examples of the documentation, and tools of the field.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed, and says where")]

mod examples;
mod feeds;
mod fuzz;
mod generated;
mod hydra;
mod service;
