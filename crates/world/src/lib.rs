//! A plausible French property market, generated from a seed: for tests, benchmarks and the demo.
//!
//! A [`World`] is made of a seed, the towns it lies in and a few [`Settings`]. It has a **stock** of properties, each
//! carried by one to five invented portals ([`World::properties`]), and a **timeline** of what happens to them
//! afterwards ([`World::timeline`]). Everything comes as [`domain::AdvertDraft`], which is what ingest takes.
//!
//! **Invariant:** the same seed, towns and settings give the same world on every machine and after every upgrade.
//! Nothing here does I/O, reads a clock, or knows JSON; chance is home-made ([`Random`] says why). Properties are
//! computed when asked for, each from its number alone, so that a world of millions takes no memory.
//!
//! Nobody in it exists: sites and e-mail addresses are under `.example`, telephone numbers in the ranges reserved for
//! fiction. Only the towns and their price levels are real.
//!
//! The neighbours: towns come from whoever has the geography (or from [`sample`]); `testkit`, the benchmarks and the
//! server's demo use it, nothing else does (ADR 0005).
//!
//! The modules in the order to read them:

mod world;

mod home;
mod listing;
mod text;

mod import;
mod sample_search;
mod timeline;

mod market;
mod prices;
mod random;
mod towns;

pub mod sample;

pub use home::{energy_letter, gas_letter};
pub use import::{Import, second_version};
pub use market::portal_domains;
pub use prices::PriceLevel;
pub use random::Random;
pub use sample_search::{Budget, SampleSearch};
pub use timeline::{MarketEvent, MarketEventKind, Timeline};
pub use towns::Town;
pub use world::{GeneratedProperty, Grouping, NoTowns, Settings, World};
