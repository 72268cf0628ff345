//! Expires adverts that no crawler has seen for a while.
//!
//! Runs every few minutes, and looks at every advert once, in small steps. It has no state to lose in a crash: the next run finds the
//! adverts that are still overdue, and expiring an expired advert does nothing.

use std::time::Duration;

use domain::AdvertId;
use futures_util::stream::{self, StreamExt};

use crate::{App, Error};

/// How many adverts one step looks at: about a millisecond of reading.
const ADVERTS_PER_STEP: usize = 1_000;

const PARALLEL: usize = 64;

/// What a run did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExpiryRun {
    pub expired: usize,
    /// How many adverts it looked at.
    pub examined: usize,
    /// Adverts that are overdue and whose property cannot be read.
    pub damaged: usize,
}

/// Expires every live advert last seen longer ago than `age`. Returns how many.
pub async fn run_once(app: &App, age: Duration) -> Result<usize, Error> {
    Ok(run(app, age, ADVERTS_PER_STEP).await?.expired)
}

/// Does the same, in steps of a size.
pub async fn run(app: &App, age: Duration, step: usize) -> Result<ExpiryRun, Error> {
    let mut run = ExpiryRun::default();
    let mut after: Option<AdvertId> = None;
    loop {
        let Ok(oldest) = app.clock.now().checked_sub(age) else { return Ok(run) };
        let page = app.store.not_crawled_since(oldest, after, step).await?;
        run.examined += page.examined;
        // In parallel, so that they share syncs to disk.
        let overdue = stream::iter(page.adverts);
        let mut outcomes = overdue.map(|located| app.expire(located.advert)).buffer_unordered(PARALLEL);
        while let Some(outcome) = outcomes.next().await {
            match outcome {
                Ok(receipt) => run.expired += usize::from(receipt.is_some()),
                // The store has named it. It must not keep the others from expiring.
                Err(Error::Store(store::Error::Corrupt { .. })) => run.damaged += 1,
                Err(error) => return Err(error),
            }
        }
        after = page.rest;
        if after.is_none() {
            return Ok(run);
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{AdvertDraft, Identity};
    use testkit::build::{advert_id, at, draft, property_id};

    use super::*;
    use crate::search::tests::app_without_workers;

    const ADVERTS: u64 = 40;

    /// Every third advert was seen lately.
    fn seen(number: u64) -> AdvertDraft {
        let second = if number.is_multiple_of(3) { 4_500 } else { 1_000 };
        let identity = Identity::Uuid(advert_id(number));
        AdvertDraft {
            last_crawled_at: Some(at(second)),
            property: Some(property_id(number)),
            ..draft(identity)
        }
    }

    #[tokio::test]
    async fn every_advert_is_read_once_and_damage_stops_nothing() {
        let (app, folder) = app_without_workers();
        app.ingest((0..ADVERTS).map(seen).collect()).await.unwrap();
        test_database::damage_property(folder.path(), property_id(1).as_bytes());
        let age = Duration::try_from(app.clock.now().duration_since(at(4_000))).unwrap();
        let first = run(&app, age, 7).await.unwrap();
        let overdue = (0..ADVERTS).filter(|number| number % 3 != 0).count();
        assert_eq!(first, ExpiryRun { expired: overdue - 1, examined: 40, damaged: 1 });
        let again = run(&app, age, 7).await.unwrap();
        assert_eq!(again, ExpiryRun { expired: 0, examined: 40, damaged: 1 });
    }
}
