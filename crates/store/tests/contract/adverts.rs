//! Properties with their adverts.

pub mod conflicts;
pub mod erasure;
pub mod grouping;
pub mod lineage;
pub mod locate;
pub mod moves;
pub mod scan;
pub mod versions;
