//! The index of all properties, in memory: searches, similar properties, indicators; and the way back, from a property to the
//! saved searches that want it.
//!
//! Read [`question`] first: what can be asked. [`index`] is what callers hold: changes go in, views come out. A view is made of
//! [`segment`]s, in which properties lie as [`mod@column`]s in an order that makes places stretches of ordinals. A [`sieve`] is
//! criteria in terms of one segment; [`search`] and [`similar`] put together what the sieves let through. [`scan`] is the slow
//! and obvious index, against which all of it is tested. [`percolator`] stands by itself: it holds searches, not properties.
//!
//! **Invariant:** nothing here does I/O, reads a clock or fails. It is a function of the changes it was told of.

pub mod question;

pub mod index;
pub mod percolator;
pub mod scan;

mod bits;
mod circle;
mod column;
mod compare;
mod row;
mod scratch;
mod search;
mod segment;
mod sieve;
mod similar;

pub use index::{Builder, Damaged, Index, Matches, Part, SegmentId, Settings, View};
pub use percolator::{Percolated, Percolator, PercolatorScratch};
pub use question::{Change, Found, Hit, Question, SimilarQuestion, Stamp};
