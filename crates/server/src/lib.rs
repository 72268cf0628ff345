//! The outer layer of the service: HTTP, configuration, the command line, the process.
//!
//! [`http`] is the whole API on one page; a handler reads the request, calls one use case of `app`, and formats the response with
//! `wire`. [`mcp`] offers it to assistants. [`serve`] owns the sockets and the shutdown, with one
//! [`connection`] for each client, [`cli`] the commands, [`config`] the settings.
//!
//! **Invariant:** this crate makes no decision about adverts. It opens the database only to pass it to `app`.

// These macros panic when the output is closed: commands print through `cli::output`.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod allowance;
mod background;
pub mod cli;
pub mod config;
mod connection;
mod file_limit;
pub mod http;
mod json_size;
pub mod market;
mod mcp;
pub mod metrics;
pub mod ndjson;
pub mod open;
mod scheduled_backup;
pub mod serve;
mod shared_index;
mod status;
pub mod telemetry;
mod transport;
