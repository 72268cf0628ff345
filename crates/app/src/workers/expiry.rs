//! Expires adverts that have not been seen for long.
//!
//! Woken by the clock, every few minutes. Survives a crash by having no state: what is still overdue is found again, and an
//! advert that expired already is left alone.

use std::time::Duration;

use futures_util::stream::{self, StreamExt};

use crate::{App, Error};

/// How many adverts one look takes on, so that a long absence of the crawler does not become one huge pass.
const ADVERTS_PER_LOOK: usize = 500;

const AT_ONCE: usize = 64;

/// Expires every live advert last seen longer ago than `age`; answers how many.
pub async fn run_once(app: &App, age: Duration) -> Result<usize, Error> {
    let mut expired = 0;
    loop {
        let Ok(moment) = app.clock.now().checked_sub(age) else { return Ok(expired) };
        let unseen = app.store.not_crawled_since(moment, ADVERTS_PER_LOOK).await?;
        if unseen.is_empty() {
            return Ok(expired);
        }
        // Side by side, so that they share syncs to disk.
        let mut outcomes =
            stream::iter(unseen).map(|located| app.expire(located.advert)).buffer_unordered(AT_ONCE);
        while let Some(outcome) = outcomes.next().await {
            expired += usize::from(outcome?.is_some());
        }
    }
}
