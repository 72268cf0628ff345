//! The sender against a hostile receiver: the outcome of each attempt, the number of requests sent, the bytes read,
//! and that the next message is not affected.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

mod bytes;
mod certificates;
mod faults;
mod sender;
mod statuses;
