//! Expires adverts that no crawler has seen for a while.
//!
//! Runs every few minutes. It has no state to lose in a crash: the next run finds the adverts that are still overdue, and
//! expiring an expired advert does nothing.

use std::time::Duration;

use futures_util::stream::{self, StreamExt};

use crate::{App, Error};

/// How many adverts one query returns, so that a long outage of the crawler does not become one huge pass.
const ADVERTS_PER_QUERY: usize = 500;

const PARALLEL: usize = 64;

/// Expires every live advert last seen longer ago than `age`. Returns how many.
pub async fn run_once(app: &App, age: Duration) -> Result<usize, Error> {
    let mut expired = 0;
    loop {
        let Ok(oldest) = app.clock.now().checked_sub(age) else { return Ok(expired) };
        let overdue = app.store.not_crawled_since(oldest, ADVERTS_PER_QUERY).await?;
        if overdue.is_empty() {
            return Ok(expired);
        }
        // In parallel, so that they share syncs to disk.
        let mut outcomes =
            stream::iter(overdue).map(|located| app.expire(located.advert)).buffer_unordered(PARALLEL);
        while let Some(outcome) = outcomes.next().await {
            expired += usize::from(outcome?.is_some());
        }
    }
}
