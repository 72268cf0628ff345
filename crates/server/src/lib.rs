//! The edges of the service: HTTP, configuration, the command line, the process.
//!
//! [`http`] is the whole API on one page; handlers extract, call one use case of `app`, and present with `wire`.
//! [`serve`] owns the sockets and the shutdown, [`cli`] the commands, [`config`] the settings.
//!
//! **Invariant:** nothing here decides anything about adverts or opens the database itself, except to hand it to `app`.

// They panic when nobody reads any more: commands print through `cli::output`.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod background;
pub mod cli;
pub mod config;
pub mod feed;
pub mod http;
pub mod market;
pub mod metrics;
pub mod open;
mod open_files;
pub mod serve;
pub mod telemetry;
mod transport;
