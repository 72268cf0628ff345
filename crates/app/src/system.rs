//! The real clock and the real source of identifiers. Everything else asks for them through `domain`'s traits.

use domain::{Clock, IdSource, Timestamp};
use uuid::Uuid;

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock everybody else asks")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// Time-ordered random identifiers: rows made together lie together in the database.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomIds;

impl IdSource for RandomIds {
    #[expect(clippy::disallowed_methods, reason = "this is the source everybody else asks")]
    fn fresh(&self) -> Uuid {
        Uuid::now_v7()
    }
}
