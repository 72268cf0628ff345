//! The sender against a receiver that does everything a receiver can do: what an attempt comes to, how often something was sent
//! for it, how much of what came was read, and that the next message is none the worse for it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed, and says where")]

mod bytes;
mod faults;
mod sender;
mod statuses;
