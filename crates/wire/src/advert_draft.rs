//! The body of an advert: parsed into an [`AdvertDraft`], and written from one.
//!
//! Field names are those of the Advert table. On an update, an absent field keeps its value; `null` or an empty list clears
//! it. Unknown fields are reported as ignored, not rejected.
//!
//! Parsing is lenient unless the client asks for strict: values are understood as feeds write them, and one that cannot be
//! used is left out with a warning, as if it were absent. A strict parser refuses it. Both refuse an advert without its two
//! types or without an identity.
//!
//! `parse(write(draft)) == draft`; a property test checks it.

mod nested;
mod parse;
mod price_history;
mod reader;
mod special_sale;
#[cfg(test)]
mod tests;
mod write;

use domain::draft::AdvertDraft;
use domain::{SiteDirectory, Timestamp, Violation};
use jiff::tz::TimeZone;

pub use parse::{field_names, parse};
pub use write::write;

const BLANK: &str = "This value should not be blank.";

/// A valid advert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedDraft {
    pub draft: AdvertDraft,
    /// Names of unknown fields.
    pub ignored: Vec<String>,
    /// Values that were left out or changed, with the reason. Always empty in strict mode.
    pub warnings: Vec<Violation>,
}

/// An invalid advert.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RejectedDraft {
    pub violations: Vec<Violation>,
    /// Names of unknown fields.
    pub ignored: Vec<String>,
    /// The reference and the URL as given, if they could be read: the sender recognises the advert by them.
    pub reference: Option<String>,
    pub url: Option<String>,
}

/// How values are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ParseMode {
    /// As feeds write them. An optional value that cannot be used is left out with a warning.
    #[default]
    Lenient,
    /// As the contract says, and texts verbatim. Every unusable value is a violation.
    Strict,
}

/// What the parser needs besides the body.
#[derive(Debug, Clone, Copy)]
pub struct ParseContext<'a> {
    /// Time zone of dates without an offset.
    pub zone: &'a TimeZone,
    pub now: Timestamp,
    /// Resolves `/sites/<id>` and site names.
    pub sites: &'a SiteDirectory,
    pub mode: ParseMode,
}
