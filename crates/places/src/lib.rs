//! The gazetteer: the reference geography in memory.
//!
//! A [`Gazetteer`] is built once, from the data embedded in the binary or from files in the same format, and is immutable
//! afterwards. It looks up places by code, id and zipcode, resolves the place of an advert to a commune, completes what a
//! user types, knows the outlines of places, draws the base map, and finds the stations within walking distance of a point.
//!
//! **Never here:** matching of adverts and searches (`engine`), HTTP, JSON, SQL, clocks, randomness, sockets. The same
//! data and the same arguments give the same result. Only [`files`] reads the file system, on request.
//!
//! **Neighbours.** The types of places are in `domain`. `app` calls [`Gazetteer::resolve`] for every new advert, `server`
//! serves the collections and autocomplete.
//!
//! The modules, in reading order. The gazetteer and its operations:

mod gazetteer;

pub mod collection;
pub mod complete;
mod outlines;
pub mod resolve;
mod stations;
mod tiles;

// Reading the data.
pub mod files;
mod geography;
mod table;
mod transit;

// Indices, and the parsing and comparison of names.
mod area_index;
mod grid;
mod name_index;
mod place_query;
mod prefix_index;
mod spelling;
mod spelling_index;
mod well_known;
mod zipcode_index;

pub use collection::{CityFilter, DivisionFilter, Order};
pub use complete::{Exclusions, Suggested, SuggestedKinds, Suggestion};
pub use files::SourceFile;
pub use gazetteer::Gazetteer;
pub use outlines::Outlines;
pub use resolve::{Certainty, PlaceWarning, Resolution};
pub use stations::{STATIONS_MAX, WALKING_DISTANCE_KM};
pub use table::DataError;
pub use tiles::TileId;
