//! What the process supplies to the domain: the time and new identifiers.

use jiff::Timestamp;
use uuid::Uuid;

/// A clock. The server uses the system clock, tests use one that they advance by hand.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;
}

/// A source of unique identifiers.
pub trait IdSource: Send + Sync {
    fn fresh(&self) -> Uuid;
}

/// Rounds a timestamp down to a whole second. The API has whole seconds, so stored dates have whole seconds too: a filter
/// compares exactly what a client can see.
pub fn whole_second(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second() - i64::from(at.subsec_nanosecond() < 0)).unwrap_or(at)
}
