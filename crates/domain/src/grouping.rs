//! Decides which adverts describe the same property.
//!
//! Everything here is a pure function. A [`Signature`] is what of an advert is compared: a few facts and a sketch of its text, small
//! enough to be held in memory for every advert. [`compare()`] weighs the evidence for and against two adverts being of one property,
//! and can be vetoed. [`decide()`] chooses the property of an advert among candidates. A person's [`Verdict`] beats both.
//! [`doubtful_between()`] and [`doubtful_within()`] find the pairs that a person should look at.
//!
//! The modules, in reading order:

mod signature;

mod features;
mod heating;
mod pictures;
mod reading;
mod sketch;
mod tokens;
mod word_set;
mod words;

mod blocking;
mod compare;
mod evidence;
mod facts;
mod prices;
mod programmes;
mod publishers;
mod texts;
mod vetoes;

mod decide;
mod doubtful;
mod verdict;

#[cfg(test)]
mod tests;

pub use blocking::BlockingKey;
pub use compare::{
    CONTRADICTION_SCORE, Comparison, JOIN_SCORE, KEEP_SCORE, Rarity, Unweighted, compare, reaches,
};
pub use decide::{Candidate, Decision, Judged, Member, decide};
pub use doubtful::{DOUBTFUL_MARGIN, ScoredPair, doubtful_between, doubtful_within};
pub use evidence::{Evidence, EvidenceKind, Veto};
pub use signature::{CommuneFacts, SIGNATURE_VERSION, Signature};
pub use verdict::{PersonDecision, Verdict, Verdicts};
pub use vetoes::{price_ratio_max, surface_ratio_max};
