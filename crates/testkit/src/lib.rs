//! Test support: builders, generators, a manual clock, and servers to send webhooks and e-mails to.
//!
//! Only ever a dev-dependency. It depends only on `domain`, so that every crate can use it. Builders panic on
//! invalid values: a mistake in a test should fail where it is made.
//!
//! In reading order:
//!
//! - Values: [`build`] (adverts, properties, searches), [`arbitrary`] (property-test strategies), [`ssrf`] (endpoints that must
//!   be refused), [`match_model`] (reference model of matching).
//! - Determinism: [`clock`], [`ids`], [`random`].
//! - Peers, with the feature `receiver`: `receiver` (hostile webhook receiver), `mail_server`, `dns_server`; [`python`] and
//!   [`node`] run third-party libraries. With the feature `s3`: `s3_server` (object storage).

pub mod arbitrary;
pub mod build;
pub mod clock;
#[cfg(feature = "receiver")]
pub mod dns_server;
pub mod ids;
#[cfg(feature = "receiver")]
pub mod mail_server;
pub mod match_model;
pub mod node;
pub mod python;
pub mod random;
#[cfg(feature = "receiver")]
pub mod receiver;
#[cfg(feature = "s3")]
pub mod s3_server;
pub mod ssrf;

pub use clock::ManualClock;
pub use ids::SeededIds;
pub use random::Random;
