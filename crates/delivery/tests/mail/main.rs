//! E-mails, parsed by a mail library and received by a third-party mail server.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod build;
mod injection;
mod server;
mod smtp;
