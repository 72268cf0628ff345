//! What tests share: adverts and properties to speak of, a clock moved by hand, identifiers and randomness that repeat,
//! and somebody to send webhooks and letters to.
//!
//! **Invariant:** only ever a dev-dependency, and it knows nothing but `domain`, so that every crate can use it.
//! Builders panic on a value that is none: a test with a mistake in it should stop where the mistake is.

pub mod addresses;
pub mod arbitrary;
pub mod build;
pub mod clock;
pub mod ids;
#[cfg(feature = "receiver")]
pub mod mail_server;
pub mod matches;
#[cfg(feature = "receiver")]
pub mod name_server;
pub mod python;
pub mod random;
#[cfg(feature = "receiver")]
pub mod receiver;

pub use clock::ManualClock;
pub use ids::SeededIds;
pub use random::Random;
