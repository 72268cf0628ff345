//! Backups of a store that is written to, and their restoration.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod fixtures;
mod folders;
mod interrupted;
mod restoring;
mod storage;
