//! The body of an advert: parsed into an [`AdvertDraft`], and written from one.
//!
//! Field names are those of the Advert table. On an update, an absent field keeps its value; `null`, an empty text or an
//! empty list clears it. Unknown fields are reported as ignored, not rejected.
//!
//! `parse(write(draft)) == draft`; a property test checks it.

mod nested;
mod parse;
mod price_history;
#[cfg(test)]
mod tests;
mod write;

use domain::draft::AdvertDraft;
use domain::{SiteDirectory, Timestamp, Violation};
use jiff::tz::TimeZone;

pub use parse::parse;
pub use write::write;

const BLANK: &str = "This value should not be blank.";

/// A valid advert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedDraft {
    pub draft: AdvertDraft,
    /// Names of unknown fields.
    pub ignored: Vec<String>,
}

/// An invalid advert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedDraft {
    pub violations: Vec<Violation>,
    /// Names of unknown fields.
    pub ignored: Vec<String>,
}

/// What the parser needs besides the body.
#[derive(Debug, Clone, Copy)]
pub struct ParseContext<'a> {
    /// Time zone of dates without an offset.
    pub zone: &'a TimeZone,
    pub now: Timestamp,
    /// Resolves `/sites/<id>` and site names.
    pub sites: &'a SiteDirectory,
}
