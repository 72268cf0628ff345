//! The search engine, in memory: an index of all properties, and a percolator of all saved searches.
//!
//! Modules in reading order:
//!
//! - [`request`]: requests to the index and their results.
//! - [`budget`]: how much work a query may do.
//! - [`index`]: what callers hold. It applies changes and publishes a [`Searcher`], a point-in-time view.
//! - `searcher`, `segment_reader`: a searcher is a list of segments, each with the set of its live rows.
//! - `segment`: an immutable part of the index. Properties are stored in columns, sorted so that a place is a range of ordinals.
//! - `segment_query`: criteria compiled for one segment.
//! - `search`, `similar`, `clusters`, `facets`: execute requests over all segments.
//! - [`scan`]: the oracle of the differential tests, which scans all properties.
//! - [`percolator`]: the opposite direction, from one property to the saved searches that match it. It does not use the index.
//! - [`grouping_index`]: the signatures of all adverts, to find those of the same property. It does not use the index either.
//!
//! **Invariant:** nothing here does I/O, reads a clock or fails, except that a query stops when its budget is spent. The state is a
//! function of the changes applied.

pub mod budget;
pub mod request;

pub mod grouping_index;
pub mod index;
pub mod percolator;
pub mod scan;

mod bits;
mod circle;
mod clusters;
mod column;
mod compare;
mod facets;
mod row;
mod scratch;
mod search;
mod searcher;
mod segment;
mod segment_query;
mod segment_reader;
mod settings;
mod similar;

pub use budget::{Budget, Stopped, WorkKind};
pub use grouping_index::{GroupingEntry, GroupingIndex};
pub use index::{Index, IndexBuilder};
pub use percolator::{PercolateResult, Percolator, PercolatorScratch};
pub use request::{
    Change, ClusterRequest, FacetRequest, Hit, SearchRequest, SearchResult, SequenceNumber, SimilarRequest,
};
pub use searcher::{Matches, Searcher};
pub use segment::codec::CorruptSegment;
pub use segment_reader::{SegmentId, SegmentReader};
pub use settings::IndexSettings;
