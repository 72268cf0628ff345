//! The two things the world decides and the domain only asks for: the time, and a fresh identifier.

use jiff::Timestamp;
use uuid::Uuid;

/// Tells the time. The process has one that reads the machine's; tests have one they move by hand.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;
}

/// Hands out identifiers that were never given before.
pub trait IdSource: Send + Sync {
    fn fresh(&self) -> Uuid;
}

/// The second a moment lies in. Dates are sent in whole seconds, so they are kept in whole seconds: a filter compares
/// exactly what a client can see.
pub fn whole_second(moment: Timestamp) -> Timestamp {
    Timestamp::from_second(moment.as_second() - i64::from(moment.subsec_nanosecond() < 0)).unwrap_or(moment)
}
