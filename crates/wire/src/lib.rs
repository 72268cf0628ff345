//! JSON and query strings: parses requests into domain values and writes domain values into responses.
//!
//! This is the only crate that spells a JSON key, a query parameter or a resource path. Parsing returns a domain
//! value or the complete list of violations; writing always includes every key of the contract. It never decides
//! anything: rules belong to `domain`. It does no I/O. `app` and `server` use it; it depends only on `domain`.
//!
//! In reading order:
//!
//! - Building blocks: [`names`] (fields, events, states), [`iri`] (resource paths), [`date`], [`json`] (single values of a
//!   body), [`lenient`] (values as feeds write them), [`query`] (query strings), [`hydra`] (collections), [`error`] (error bodies),
//!   [`accepted`] (what a message offers in place of a refused value).
//! - Parsed: [`filters`] (search criteria in a query), [`advert_draft`] (the body of an advert), [`exported`] (the lines of an
//!   export), [`search`] (saved searches), [`site`] (sites and site categories), [`key`] (API keys). The last three are written as
//!   well, and so is the body of an advert.
//! - Written: [`document`] (properties and adverts), [`place`], [`outline`] (GeoJSON), [`matching`] (matches), [`webhook`] (webhook payloads),
//!   [`delivery`] (deliveries, attempts and signing secrets), [`explanation`] (why a property meets a search), [`grouping`]
//!   (why adverts are one property; the corrections are parsed as well), [`preview`] (the preview of a search), [`indicator`]
//!   (prices per square metre), [`map`] (clusters and histograms), [`receipt`] (the result of an ingested advert), [`usage`].

pub mod accepted;
pub mod advert_draft;
pub mod date;
pub mod delivery;
pub mod delivery_health;
pub mod document;
pub mod error;
pub mod explanation;
pub mod exported;
pub mod filters;
pub mod grouping;
pub mod hydra;
pub mod indicator;
pub mod iri;
pub mod json;
pub mod key;
pub mod lenient;
pub mod map;
pub mod matches_by_day;
pub mod matching;
pub mod names;
pub mod outline;
pub mod place;
pub mod preview;
pub mod query;
pub mod receipt;
pub mod search;
pub mod session;
pub mod site;
pub mod status;
pub mod usage;
pub mod webhook;
