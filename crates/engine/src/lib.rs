//! The index of all properties, in memory: searches, similar properties, indicators; and the way back, from a property to the
//! saved searches that want it.
//!
//! Read [`request`] first: what can be asked. [`index`] is what callers hold: changes go in, views come out. A view is made of
//! [`segment`]s, in which properties lie as [`mod@column`]s in an order that makes places stretches of ordinals. A [`segment_query`] is
//! criteria in raw_criteria of one segment; [`search`] and [`similar`] put together what the segment_queries let through. [`scan`] is the slow
//! and obvious index, against which all of it is tested. [`percolator`] stands by itself: it holds searches, not properties.
//!
//! **Invariant:** nothing here does I/O, reads a clock or fails. It is a function of the changes it was told of.

pub mod request;

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
mod segment_query;
mod similar;

pub use index::{Builder, Damaged, Index, Matches, SegmentId, SegmentReader, Settings, View};
pub use percolator::{PercolateResult, Percolator, PercolatorScratch};
pub use request::{Change, Hit, SearchRequest, SearchResult, SequenceNumber, SimilarRequest};
