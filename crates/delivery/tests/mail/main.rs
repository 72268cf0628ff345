//! Letters, read by a mail program's parser and taken by a mail server that others wrote.

#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

mod build;
mod injection;
mod server;
mod smtp;
