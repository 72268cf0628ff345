//! Expires the adverts that a full feed no longer lists.
//!
//! A full feed names every live advert of a site, so an advert that is missing from it is gone. A feed that was cut, or that belongs
//! to another site, would expire most of a site by mistake. That is why the caller states which share of the known adverts may be
//! missing, and nothing expires if it is more.

use std::collections::HashSet;

use domain::{AdvertId, PropertyId, SiteKey, Timestamp, merge};
use store::{AdvertRef, ChangeSet, CommitOutcome, Expected, Position, PutCause, PutProperty, Step};

use super::{ATTEMPTS_MAX, approximate_bytes};
use crate::{App, Error};

/// What a full feed of a site listed.
#[derive(Debug, Clone)]
pub struct FullFeed {
    pub site: SiteKey,
    /// The adverts that the feed listed, in any order.
    pub listed: Vec<AdvertId>,
    /// Those among them that were not known before.
    pub created: Vec<AdvertId>,
    /// When the feed was written. It says nothing about adverts that were crawled later.
    pub at: Timestamp,
}

/// The adverts of a site that a full feed does not list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MissingAdverts {
    /// Grouped by property.
    pub missing: Vec<AdvertRef>,
    /// The number of live adverts of the site that were known before the feed.
    pub known: usize,
}

/// Why a full feed expires nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FullFeedRefusal {
    #[error("the feed lists no advert")]
    Empty,
    #[error("{missing} of {known} known adverts are missing from the feed, more than the accepted share")]
    TooManyMissing { missing: usize, known: usize },
}

impl MissingAdverts {
    /// Refuses a feed that misses more than a share of the known adverts.
    pub fn check(&self, share_max: f64) -> Result<(), FullFeedRefusal> {
        let (missing, known) = (self.missing.len(), self.known);
        if missing as f64 > known as f64 * share_max {
            return Err(FullFeedRefusal::TooManyMissing { missing, known });
        }
        Ok(())
    }
}

/// The approximate size that one commit may reach: about 40,000 adverts. While it runs, other writers wait, and other processes give
/// up after half a minute.
const COMMIT_BYTES_MAX: usize = 128 * 1024 * 1024;

/// How many properties are read at a time.
const PROPERTIES_PER_READ: usize = 500;

impl App {
    /// Compares a full feed with the live adverts of its site. Refuses an empty feed.
    pub async fn missing_adverts(
        &self,
        feed: FullFeed,
    ) -> Result<Result<MissingAdverts, FullFeedRefusal>, Error> {
        let FullFeed { site, listed, created, at } = feed;
        if listed.is_empty() {
            return Ok(Err(FullFeedRefusal::Empty));
        }
        let (listed, created): (HashSet<AdvertId>, HashSet<AdvertId>) =
            (listed.into_iter().collect(), created.into_iter().collect());
        let mut result = MissingAdverts::default();
        for live in self.store.live_adverts_of_site(site).await? {
            let id = live.located.advert;
            if created.contains(&id) {
                continue;
            }
            result.known += 1;
            if !listed.contains(&id) && live.last_crawled_at <= at {
                result.missing.push(live.located);
            }
        }
        result.missing.sort_unstable_by_key(|located| (located.property, located.advert));
        Ok(Ok(result))
    }

    /// Expires adverts at a date, and waits until searches see it. Skips those that expired, moved or were crawled after the date in
    /// the meantime. Returns how many expired.
    ///
    /// All of them are one commit, unless they are too large to be held in memory; then several, in order. If one of these fails, the
    /// next full feed expires the rest.
    pub async fn expire_missing(&self, adverts: &[AdvertRef], at: Timestamp) -> Result<usize, Error> {
        self.expire_in_parts(adverts, at, COMMIT_BYTES_MAX).await
    }

    async fn expire_in_parts(
        &self,
        mut adverts: &[AdvertRef],
        at: Timestamp,
        bytes_max: usize,
    ) -> Result<usize, Error> {
        let (mut expired, mut position) = (0, Position::START);
        while !adverts.is_empty() {
            let committed = self.expire_part(adverts, at, bytes_max).await?;
            expired += committed.expired;
            position = committed.position.unwrap_or(position);
            adverts = &adverts[committed.taken..];
        }
        self.wait_visible(position).await;
        Ok(expired)
    }

    /// Expires the first adverts, as many as fit into a commit but at least those of one property.
    async fn expire_part(
        &self,
        adverts: &[AdvertRef],
        at: Timestamp,
        bytes_max: usize,
    ) -> Result<Committed, Error> {
        let _turn = self.store.grouping_turn().await?;
        for _ in 0..ATTEMPTS_MAX {
            let (steps, taken) = self.expiry_steps(adverts, at, bytes_max).await?;
            let expired = steps.len();
            if steps.is_empty() {
                return Ok(Committed { taken, expired, position: None });
            }
            let adverts: Vec<AdvertId> = steps
                .iter()
                .filter_map(|step| match step {
                    Step::Put(put) => Some(put.advert),
                    _ => None,
                })
                .collect();
            let changes = ChangeSet { recorded_at: self.clock.now(), steps, grouped_at: None };
            match self.store.commit(changes).await? {
                CommitOutcome::Committed(position) => {
                    self.record_expired(&adverts).await;
                    return Ok(Committed { taken, expired, position: Some(position) });
                }
                CommitOutcome::Conflict | CommitOutcome::TooManySearches => {}
            }
        }
        Err(Error::Contended)
    }

    /// Returns the steps that expire the first adverts, and how many adverts they stand for.
    async fn expiry_steps(
        &self,
        adverts: &[AdvertRef],
        at: Timestamp,
        bytes_max: usize,
    ) -> Result<(Vec<Step>, usize), Error> {
        let groups: Vec<&[AdvertRef]> =
            adverts.chunk_by(|first, second| first.property == second.property).collect();
        let (mut steps, mut taken, mut bytes) = (Vec::new(), 0, 0);
        for groups in groups.chunks(PROPERTIES_PER_READ) {
            let ids: Vec<PropertyId> =
                groups.iter().filter_map(|group| group.first()).map(|located| located.property).collect();
            // An advert of a damaged property does not expire, and does not keep the others from it.
            let mut stored = self.store.find_properties(ids).await?.intact;
            for group in groups {
                taken += group.len();
                let Some(stored) = group.first().and_then(|located| stored.remove(&located.property)) else {
                    continue;
                };
                let mut property = stored.property;
                let mut expected = Expected::Revision(stored.revision);
                for AdvertRef { advert, property: _ } in *group {
                    let live =
                        |advert: &&domain::Advert| !advert.is_expired() && advert.last_crawled_at <= at;
                    let Some(current) = property.advert(*advert).filter(live) else { continue };
                    let merged = merge::expire(current, at);
                    property.put(merged.advert);
                    bytes += approximate_bytes(&property);
                    let cause = PutCause::Changed { events: merged.events };
                    steps.push(Step::Put(PutProperty {
                        property: property.clone().into(),
                        expected: std::mem::replace(&mut expected, Expected::WrittenBefore),
                        advert: *advert,
                        cause,
                        grouping: None,
                    }));
                }
                if bytes >= bytes_max {
                    return Ok((steps, taken));
                }
            }
        }
        Ok((steps, taken))
    }
}

/// The first adverts of a list, after their commit.
struct Committed {
    taken: usize,
    expired: usize,
    /// `None` if nothing had to be written.
    position: Option<Position>,
}

#[cfg(test)]
mod tests {
    use domain::{AdvertDraft, FieldUpdate, Identity};
    use store::{Change, PropertyCause};
    use tempfile::TempDir;
    use testkit::build::{advert_id, at, draft, property_id, site};

    use super::*;
    use crate::search::tests::app_without_workers;

    const SITE: &str = "portail.fr";

    fn of_site(number: u64, name: &str) -> AdvertDraft {
        let mut draft = draft(Identity::Uuid(advert_id(number)));
        draft.patch.site = FieldUpdate::Set(Some(site(name)));
        // Two adverts per property.
        draft.property = Some(property_id(number / 2));
        draft.last_crawled_at = Some(at(1_000));
        draft
    }

    /// A service that knows adverts 0 to 9 of the site, and one of another site.
    async fn app() -> (App, TempDir) {
        let (app, folder) = app_without_workers();
        let mut drafts: Vec<AdvertDraft> = (0..10).map(|number| of_site(number, SITE)).collect();
        drafts.push(of_site(20, "autre.fr"));
        app.ingest(drafts).await.unwrap();
        (app, folder)
    }

    fn feed(listed: impl IntoIterator<Item = u64>) -> FullFeed {
        FullFeed {
            site: site(SITE),
            listed: listed.into_iter().map(advert_id).collect(),
            created: Vec::new(),
            at: at(2_000),
        }
    }

    async fn missing(app: &App, feed: FullFeed) -> MissingAdverts {
        app.missing_adverts(feed).await.unwrap().unwrap()
    }

    async fn expired(app: &App) -> Vec<AdvertId> {
        let mut expired = Vec::new();
        for number in (0..10).chain([20]) {
            let (advert, _) = app.advert(advert_id(number)).await.unwrap().unwrap();
            expired.extend(advert.is_expired().then_some(advert.id));
        }
        expired
    }

    #[tokio::test]
    async fn unlisted_adverts_of_the_site_expire_in_one_commit() {
        let (app, _folder) = app().await;
        let before = app.log_position();
        let found = missing(&app, feed([0, 1, 2, 3, 4, 5, 99])).await;
        assert_eq!((found.missing.len(), found.known), (4, 10));
        assert_eq!(app.expire_missing(&found.missing, at(2_000)).await.unwrap(), 4);
        assert_eq!(expired(&app).await, [6, 7, 8, 9].map(advert_id));
        let (advert, _) = app.advert(advert_id(6)).await.unwrap().unwrap();
        assert_eq!((advert.expired_at, advert.last_crawled_at), (Some(at(2_000)), at(1_000)));
        // One entry per advert, with its event, recorded together.
        let log = app.store().log_after(before, 100).await.unwrap();
        assert_eq!(log.len(), 4);
        assert!(log.iter().all(|entry| entry.recorded_at == log[0].recorded_at));
        for entry in &log {
            let Change::Property { cause: PropertyCause::Advert { events }, .. } = &entry.change else {
                panic!("{entry:?}")
            };
            assert_eq!(events, &[domain::AdvertEvent::expiry(at(2_000), true)]);
        }
        // The same feed again expires nothing more.
        let again = missing(&app, feed([0, 1, 2, 3, 4, 5])).await;
        assert_eq!((again.missing.len(), again.known), (0, 6));
    }

    #[tokio::test]
    async fn large_expiries_are_committed_in_parts() {
        let (app, _folder) = app().await;
        let found = missing(&app, feed([3])).await;
        assert_eq!(app.expire_in_parts(&found.missing, at(2_000), 1).await.unwrap(), 9);
        let expected: Vec<AdvertId> = (0..10).filter(|number| *number != 3).map(advert_id).collect();
        assert_eq!(expired(&app).await, expected);
    }

    #[tokio::test]
    async fn empty_and_much_shorter_feeds_are_refused() {
        let (app, _folder) = app().await;
        assert_eq!(app.missing_adverts(feed([])).await.unwrap(), Err(FullFeedRefusal::Empty));
        let half = missing(&app, feed(0..5)).await;
        assert_eq!(half.check(0.5), Ok(()));
        let shorter = missing(&app, feed(0..4)).await;
        let refusal = FullFeedRefusal::TooManyMissing { missing: 6, known: 10 };
        assert_eq!(shorter.check(0.5), Err(refusal));
        assert_eq!(shorter.check(1.0), Ok(()));
    }

    #[tokio::test]
    async fn new_adverts_do_not_hide_that_all_known_ones_are_missing() {
        let (app, _folder) = app().await;
        let created: Vec<AdvertId> = (100..200).map(advert_id).collect();
        app.ingest((100..200).map(|number| of_site(number, SITE)).collect()).await.unwrap();
        let renumbered = FullFeed { created, ..feed(100..200) };
        let found = missing(&app, renumbered).await;
        assert_eq!((found.missing.len(), found.known), (10, 10));
        assert!(found.check(0.5).is_err());
    }

    #[tokio::test]
    async fn adverts_crawled_after_the_feed_stay() {
        let (app, _folder) = app().await;
        let later = AdvertDraft { last_crawled_at: Some(at(3_000)), ..of_site(9, SITE) };
        app.ingest(vec![later.clone()]).await.unwrap();
        let found = missing(&app, feed(0..8)).await;
        assert_eq!(found.missing.iter().map(|located| located.advert).collect::<Vec<_>>(), [advert_id(8)]);
        // Crawled between the comparison and the commit.
        let later = AdvertDraft { last_crawled_at: Some(at(3_000)), ..of_site(8, SITE) };
        app.ingest(vec![later]).await.unwrap();
        assert_eq!(app.expire_missing(&found.missing, at(2_000)).await.unwrap(), 0);
        assert_eq!(expired(&app).await, []);
    }
}
