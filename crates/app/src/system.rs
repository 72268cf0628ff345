//! The system clock and the random id source. All other code uses them through the traits of `domain`.

use domain::{Clock, IdSource, Timestamp};
use uuid::Uuid;

/// The system clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the implementation of the clock")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// Time-ordered random identifiers, so that rows created together are stored together.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomIds;

impl IdSource for RandomIds {
    #[expect(clippy::disallowed_methods, reason = "the implementation of the id source")]
    fn fresh(&self) -> Uuid {
        Uuid::now_v7()
    }
}
