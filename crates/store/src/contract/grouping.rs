//! Grouping: signatures of adverts, merges and splits of properties, and decisions of people.

use domain::{AdvertId, PropertyId, Timestamp};

use super::adverts::AdvertRef;
use super::position::Position;

/// What grouping stores with an advert.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AdvertGrouping {
    /// An encoded `domain::grouping::Signature`. The store does not interpret its bytes. `None` if the advert is compared with no
    /// other.
    pub signature: Option<Vec<u8>>,
    /// Whether the sender named the property of the advert.
    pub is_named: bool,
}

/// An advert, its property and its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureRow {
    pub located: AdvertRef,
    /// `None` also if it was never computed.
    pub signature: Option<Vec<u8>>,
    pub is_named: bool,
    pub is_expired: bool,
}

/// A turn with grouping ([`LogStore::grouping_turn`](super::LogStore::grouping_turn)). Dropping it leaves the turn.
#[must_use]
pub struct GroupingTurn(Option<Box<dyn FnOnce() + Send + Sync>>);

impl GroupingTurn {
    /// A turn of the only process there is.
    pub const fn alone() -> Self {
        Self(None)
    }

    pub(crate) fn new(leave: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(leave)))
    }
}

impl Drop for GroupingTurn {
    fn drop(&mut self) {
        if let Some(leave) = self.0.take() {
            leave();
        }
    }
}

/// Adverts that moved from one property to another: a merge, a split or a single move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineageRow {
    pub at: Timestamp,
    pub from: PropertyId,
    pub to: PropertyId,
    /// In the order of the step that moved them, without those erased since.
    pub adverts: Vec<AdvertId>,
    pub decided_by: DecidedBy,
}

/// Who decided that adverts move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecidedBy {
    /// The sender named another property.
    Sender,
    /// Automatic grouping.
    Grouping,
    /// A person, by the label of the deciding key.
    Person(String),
}

/// The writes of other processes, as far as this store has noticed them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ForeignWrites {
    /// How often this store noticed commits of others since it was opened.
    pub count: u64,
    /// The end of the log when it last did.
    pub until: Position,
}
