//! The shapes clients see: what is read from a request body, what is written into an answer.
//!
//! **Invariant:** a JSON name is spelled in this crate and nowhere else, and nothing is decided here. Reading turns JSON
//! into a domain value or into violations that name what is wrong; writing turns domain values into JSON in which every
//! key of the contract is present.
//!
//! - Read: [`advert_draft`] (an advert as sent), [`query`] (query strings), [`filters`] (what is searched for), with [`json`] for
//!   single values and [`date`] for dates.
//! - Written: [`document`] (properties and adverts), [`matching`] (matches), [`webhook`] (what is sent to endpoints), [`delivery`]
//!   (what became of it, and what it is signed with), [`explanation`] (why a property meets a search),
//!   [`preview`] (what a search would find), [`place`], [`hydra`] (collections), [`indicator`], [`receipt`], [`error`].
//! - Both ways: [`search`] (saved searches), [`site`] (sites and their categories), [`iri`], [`names`].

pub mod advert_draft;
pub mod advert_draft_write;
pub mod date;
pub mod delivery;
pub mod document;
pub mod error;
pub mod explanation;
pub mod filters;
pub mod hydra;
pub mod indicator;
pub mod iri;
pub mod json;
pub mod matching;
pub mod names;
pub mod place;
pub mod preview;
pub mod query;
pub mod receipt;
pub mod search;
pub mod site;
pub mod webhook;
