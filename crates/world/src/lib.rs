//! A plausible French property market, generated from a seed: for tests, benchmarks and the demo.
//!
//! A [`World`] has a seed, a list of towns and [`Settings`]. It generates a **stock** of properties, each advertised on one to
//! five invented portals ([`World::properties`]), and a **timeline** of events after the start ([`World::timeline`]). Both yield
//! [`domain::AdvertDraft`], the input of ingest. A third output is a market with the cases that are hard to group
//! ([`World::hard_market`]), whose adverts carry their true home; [`grouping_report()`] compares it with the properties that a
//! receiver formed.
//!
//! **Invariant:** the same seed, towns and settings give the same world on every machine and after every upgrade. This crate does
//! no I/O, reads no clock, knows no JSON (except in [`messy_feed`]), and has its own random numbers ([`Random`] says why). A property is computed from its
//! index alone when it is needed, so a world of millions takes no memory.
//!
//! All sites, agencies and people are invented: sites and e-mail addresses are under `.example`, telephone numbers in the ranges
//! reserved for fiction. Only the towns and their price levels are real.
//!
//! Neighbours: the caller supplies the towns, from its geography or from [`sample`]. `testkit`, the benchmarks and the demo of the
//! server use this crate (ADR 0005).
//!
//! The modules, in reading order:

mod world;

mod home;
mod listing;
mod text;

mod import;
mod sample_search;
mod timeline;

mod grouping_report;
mod hard_cases;

mod market;
mod prices;
mod random;
mod towns;

pub mod messy_feed;
pub mod sample;

pub use grouping_report::{
    GroupingReport, KindCounts, PairExample, WrongPairs, differing_pairs, grouping_report,
};
pub use hard_cases::{CaseKind, LabelledAdvert};
pub use home::{energy_letter, gas_letter};
pub use import::{Import, second_version};
pub use market::portal_domains;
pub use prices::PriceLevel;
pub use random::Random;
pub use sample_search::{Budget, SampleSearch};
pub use timeline::{MarketEvent, MarketEventKind, Timeline};
pub use towns::Town;
pub use world::{GeneratedProperty, Grouping, NoTowns, Settings, World};
