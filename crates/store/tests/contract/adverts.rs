//! Properties with their adverts.

pub mod conflicts;
pub mod erasure;
pub mod locate;
pub mod moves;
pub mod scan;
pub mod versions;
