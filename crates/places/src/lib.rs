//! The reference geography, in memory: what the places are, which one somebody means, what is near a point.
//!
//! A [`Gazetteer`] is built once, from the data embedded in the binary or from files of the same shape, and then only
//! read. It is for looking places up, resolving what an advert says about where it is, completing what a person types,
//! and finding the stations in walking distance.
//!
//! It is not for matching adverts against searches (`engine`), nor does it know HTTP, JSON or SQL. **Invariant:** the
//! same data and the same question give the same answer; nothing here reads a clock, draws randomness or opens a
//! socket. Only [`files`] touches the file system, when asked to.
//!
//! The modules in the order to read them:

mod gazetteer;
pub mod resolve;

pub mod collection;
pub mod complete;
mod stations;

pub mod files;
mod geography;
mod table;
mod transit;

mod grid;
mod labels;
mod postal;
mod spelling;
mod place_query;

pub use collection::{CityFilter, DepartmentFilter, Order};
pub use complete::{Exclusions, Suggested, Suggestion};
pub use files::SourceFile;
pub use gazetteer::Gazetteer;
pub use resolve::{Certainty, PlaceWarning, Resolution};
pub use stations::{STATIONS_MAX, WALKING_DISTANCE_KM};
pub use table::DataError;
