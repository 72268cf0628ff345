//! The index of all properties, in memory: searches, similar properties, indicators.
//!
//! Read [`question`] first: what can be asked. [`index`] is what callers hold: changes go in, views come out. A view is made of
//! [`segment`]s, in which properties lie as [`mod@column`]s in an order that makes places stretches of ordinals. A [`sieve`] is
//! criteria in terms of one segment; [`search`] and [`similar`] put together what the sieves let through. [`scan`] is the slow
//! and obvious index, against which all of it is tested.
//!
//! **Invariant:** nothing here does I/O, reads a clock or fails. It is a function of the changes it was told of.

pub mod question;

pub mod index;
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
pub use question::{Change, Found, Hit, Question, SimilarQuestion, Stamp};
