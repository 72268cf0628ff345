//! What tests share: adverts and properties to speak of, a clock moved by hand, identifiers and randomness that repeat,
//! and somebody to send webhooks and letters to.
//!
//! **Invariant:** only ever a dev-dependency, and it knows nothing but `domain`, so that every crate can use it.
//! Builders panic on a value that is none: a test with a mistake in it should stop where the mistake is.

pub mod arbitrary;
pub mod build;
pub mod clock;
#[cfg(feature = "receiver")]
pub mod dns_server;
pub mod ids;
#[cfg(feature = "receiver")]
pub mod mail_server;
pub mod match_model;
pub mod python;
pub mod random;
#[cfg(feature = "receiver")]
pub mod receiver;
pub mod ssrf;

pub use clock::ManualClock;
pub use ids::SeededIds;
pub use random::Random;
