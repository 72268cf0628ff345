//! Grouping: which adverts are one property, why, and how people correct it.
//!
//! Ingestion decides about each new or changed advert with the rules of [`domain::grouping`]. [`state`] holds what these rules need
//! about the whole stock: the signatures of all adverts, the verdicts of people, and the usual prices. [`correct`] merges and splits
//! properties as people say, [`explain`] tells why adverts are one property or not, [`doubtful`] finds the pairs that people should
//! decide, [`regroup`] judges the whole stock again.

mod correct;
mod doubtful;
mod explain;
mod regroup;
mod state;

pub use correct::{CorrectionRefusal, MergeOutcome, PairAction, PairDecision, SplitOutcome};
pub use doubtful::{DoubtfulPair, DoubtfulPairs};
pub use explain::{AdvertComparison, GroupedAdvert, GroupedBy, GroupingExplanation};
pub use regroup::{RegroupChange, RegroupOptions, RegroupProgress, RegroupReport};
pub use state::GroupingStatus;
pub(crate) use state::{Grouping, GroupingState, Reservation, encode as encode_row};
pub use store::{DecidedBy, LineageRow};

/// The settings of grouping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupingSettings {
    /// Whether adverts are grouped by evidence. Otherwise each is a property of its own, unless its sender names one.
    pub automatic: bool,
}

impl Default for GroupingSettings {
    fn default() -> Self {
        Self { automatic: true }
    }
}
