//! Matches every change of a property against all saved searches, and records matches and notifications.
//!
//! Follows the log from its checkpoint, in order: a change is matched against the searches that were saved before it, and not
//! against those saved after it. Matches, outbox entries and the checkpoint are one transaction. After a crash, the batch is
//! either completely recorded or evaluated again with the same result.
//!
//! The saved searches are loaded once. A batch that cannot be recorded waits and is recorded later. If another matcher came first, the
//! batch is dropped, and the searches that changed since that one's checkpoint are read again; the others stay.

mod evaluate;
mod percolator_state;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use domain::{PropertyId, SearchId, SearchNumber, Timestamp};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use store::{Change, LogEntry, MatchBatch, Position, PropertyCause, StoredSearch, VersionLookup};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::follower::{Follower, Progress, follow};
use crate::matching::MatcherProgress;
use crate::{App, Error, run_blocking};
use evaluate::{LogBatch, MatchedBatch, PropertyVersion};
use percolator_state::PercolatorState;

/// How many entries of the log are evaluated together. A notification waits for its whole batch.
const ENTRIES_PER_BATCH: usize = 256;

/// How many property versions one reader decodes at a time, while another decodes the next ones. Ingestion uses the same readers,
/// and waits half a millisecond for them.
const VERSIONS_PER_READ: usize = 16;

/// How many readers decode in parallel.
const PARALLEL_READS: usize = 2;

/// How many searches are read at a time when the matcher starts.
const SEARCHES_PER_READ: usize = 2_000;

/// How many matches are indexed by search in one transaction: few enough that writers hardly wait for it.
const INDEX_BATCH: usize = 1_000;

/// How often the checkpoint is written if there are no matches to record: evaluating entries without matches again costs less than
/// a sync to disk for each batch.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(1);

/// How often the number and the memory of the saved searches are published.
const PUBLISH_INTERVAL: Duration = Duration::from_secs(5);

/// How long a server that stopped renewing it keeps the role of the matcher, and how often it is renewed or asked for.
const ROLE_LEASE: Duration = Duration::from_secs(5);
const ROLE_INTERVAL: Duration = Duration::from_secs(1);

/// After this many batches some matches are indexed by search even if the log has more entries.
const BATCHES_BETWEEN_INDEXING: u32 = 32;

/// The worker.
pub struct Matcher {
    app: App,
    progress: Arc<MatcherProgress>,
    /// `None` until the saved searches are loaded.
    loaded: Option<Loaded>,
    role: Role,
    /// The checkpoint of the process that matches, while this one does not.
    followed: Option<Position>,
}

/// Whether this process matches. Of the servers on one database, one does; the others take over when it is gone.
#[derive(Default)]
struct Role {
    /// A random number.
    holder: u64,
    /// When the role was last taken or asked for.
    asked_at: Option<Instant>,
    is_held: bool,
}

/// The saved searches, and how far the log is matched against them.
struct Loaded {
    state: PercolatorState,
    /// Everything up to here is evaluated.
    position: Position,
    /// The checkpoint in the store.
    checkpoint: Position,
    /// What was evaluated and is not recorded, because recording failed.
    unrecorded: Option<MatchedBatch>,
    checkpoint_at: Timestamp,
    published_at: Timestamp,
    batches_since_indexing: u32,
}

/// Follows the log until `stop` is cancelled.
pub async fn run(mut matcher: Matcher, stop: CancellationToken) {
    let app = matcher.app.clone();
    follow(&app, &mut matcher, &stop).await;
    if let Err(error) = matcher.save_checkpoint().await {
        // The next start evaluates the entries without matches again.
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "cannot save the matcher's checkpoint; the next start matches some entries again"
        );
    }
}

impl Follower for Matcher {
    const NAME: &'static str = "matcher";

    /// Loading a million searches takes seconds, and is abandoned if `stop` is cancelled.
    async fn poll_log(&mut self, stop: &CancellationToken) -> Result<Progress, Error> {
        if !self.has_role().await? {
            let checkpoint = self.app.store.matcher_checkpoint().await?;
            self.progress.follow(checkpoint);
            self.followed = Some(checkpoint);
            return Ok(Progress::CaughtUp);
        }
        self.followed = None;
        if self.loaded.is_none() {
            let loaded = {
                let mut loading = std::pin::pin!(self.load());
                loop {
                    tokio::select! {
                        () = stop.cancelled() => return Ok(Progress::CaughtUp),
                        loaded = &mut loading => break loaded?,
                        // Otherwise another server would take the role, and load as well.
                        () = self.renew_role_later() => {}
                    }
                }
            };
            self.loaded = Some(loaded);
        }
        self.run_once().await
    }

    fn position(&self) -> Option<Position> {
        self.followed.or_else(|| self.loaded.as_ref().map(|loaded| loaded.position))
    }
}

impl Matcher {
    /// Returns a matcher, or `None` if the app has none.
    pub fn new(app: &App) -> Option<Self> {
        let progress = Arc::clone(app.matcher.as_ref()?);
        let mut random = [0; 8];
        // Without randomness, two servers may match at the same time; their checkpoint keeps matches correct all the same.
        let _ = getrandom::fill(&mut random);
        let role = Role { holder: u64::from_be_bytes(random) >> 1, ..Role::default() };
        Some(Self { app: app.clone(), progress, loaded: None, role, followed: None })
    }

    /// Returns `true` if this process matches, and takes the role if it is free.
    async fn has_role(&mut self) -> Result<bool, Error> {
        let is_due = self.role.asked_at.is_none_or(|at| at.elapsed() >= ROLE_INTERVAL);
        if self.app.shared_identity().is_none() {
            return Ok(true);
        }
        if is_due {
            let had = self.role.is_held;
            // A failure leaves the role undecided: the next call asks again.
            self.role.is_held = false;
            self.role.is_held = self.app.store.take_role(Self::NAME, self.role.holder, ROLE_LEASE).await?;
            self.role.asked_at = Some(Instant::now());
            if self.role.is_held != had {
                tracing::info!(is_matching = self.role.is_held, "the role of the matcher has changed hands");
            }
            // The searches in memory are those of the time when the role was lost.
            if self.role.is_held
                && !had
                && let Some(mut loaded) = self.loaded.take()
            {
                self.continue_from_checkpoint(&mut loaded).await?;
                self.loaded = Some(loaded);
            }
        }
        Ok(self.role.is_held)
    }

    /// Waits until the role is due to be renewed, and renews it. Never returns if there is nothing to renew.
    async fn renew_role_later(&self) {
        if self.app.shared_identity().is_none() {
            return std::future::pending().await;
        }
        let _ = tokio::time::timeout(ROLE_INTERVAL, std::future::pending::<()>()).await;
        // If that fails, the next look at the role says so.
        let _ = self.app.store.take_role(Self::NAME, self.role.holder, ROLE_LEASE).await;
    }

    /// Loads the saved searches if necessary, then matches the next batch of the log.
    pub async fn run_once(&mut self) -> Result<Progress, Error> {
        let mut loaded = match self.loaded.take() {
            Some(loaded) => loaded,
            None => self.load().await?,
        };
        let progress = self.match_batch(&mut loaded).await;
        match progress {
            // The state is lost if its evaluation panicked. The next call loads it again, from the checkpoint.
            Err(Error::Interrupted) => {}
            // Another matcher is so far ahead that retention has deleted what this one misses. Its checkpoint is later.
            Err(Error::Store(store::Error::LogPruned { oldest, .. })) => {
                tracing::warn!(
                    oldest,
                    "the log no longer has what the matcher misses; loading the saved searches again"
                );
                return Ok(Progress::More);
            }
            _ => self.loaded = Some(loaded),
        }
        progress
    }

    async fn load(&self) -> Result<Loaded, Error> {
        let position = self.app.store.matcher_checkpoint().await?;
        let mut state = PercolatorState::new(self.app.sites().await?);
        let mut after: Option<SearchNumber> = None;
        loop {
            let searches = self.app.store.searches_at(position, after, SEARCHES_PER_READ).await?;
            let Some(last) = searches.last() else { break };
            after = Some(last.number);
            let app = self.app.clone();
            state = run_blocking(move || {
                searches.iter().for_each(|stored| state.put(&app, stored));
                state
            })
            .await?;
        }
        self.progress.set_searches(state.len(), state.bytes());
        self.progress.searches_loaded(state.len());
        self.progress.start(position);
        tracing::info!(
            searches = state.len(),
            position = position.0,
            "the matcher has loaded the saved searches"
        );
        let now = self.app.clock.now();
        Ok(Loaded {
            state,
            position,
            checkpoint: position,
            unrecorded: None,
            checkpoint_at: now,
            published_at: now,
            batches_since_indexing: 0,
        })
    }

    async fn match_batch(&self, loaded: &mut Loaded) -> Result<Progress, Error> {
        if !self.record(loaded).await? {
            return Ok(Progress::More);
        }
        let entries = self.app.store.log_after(loaded.position, ENTRIES_PER_BATCH).await?;
        let progress = if entries.len() < ENTRIES_PER_BATCH { Progress::CaughtUp } else { Progress::More };
        // After reading the entries, so that the directory contains the sites they introduce.
        let sites = self.app.sites().await?;
        if let Some(last) = entries.last().map(|entry| entry.position) {
            let batch = self.read_records(entries, loaded).await?;
            let (app, mut state) = (self.app.clone(), std::mem::take(&mut loaded.state));
            let evaluated = run_blocking(move || {
                state.set_sites(&app, sites);
                let matched = batch.evaluate(&app, &mut state);
                (state, matched)
            });
            let (state, matched) = evaluated.await?;
            loaded.state = state;
            self.publish_size(loaded);
            loaded.position = last;
            loaded.unrecorded = Some(matched);
            if !self.record(loaded).await? {
                return Ok(Progress::More);
            }
        }
        if let Err(error) = self.index_matches(loaded, progress).await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "cannot index matches by search; listing matches is slower until it succeeds"
            );
        }
        // Other servers know by the checkpoint how far this one is.
        let is_due =
            self.app.clock.now().duration_since(loaded.checkpoint_at).unsigned_abs() >= CHECKPOINT_INTERVAL;
        if progress == Progress::CaughtUp && is_due && self.app.shared_identity().is_some() {
            self.save_checkpoint_of(loaded).await?;
            loaded.checkpoint_at = self.app.clock.now();
        }
        Ok(progress)
    }

    /// Reads the records that a batch of the log refers to.
    async fn read_records(&self, entries: Vec<LogEntry>, loaded: &Loaded) -> Result<LogBatch, Error> {
        let mut searches: HashMap<(SearchId, u32), StoredSearch> = HashMap::new();
        let mut versions: BTreeSet<(PropertyId, u32)> = BTreeSet::new();
        let mut changed: BTreeSet<PropertyId> = BTreeSet::new();
        for entry in &entries {
            match &entry.change {
                Change::Search { search, version } => {
                    let stored = unless_damaged(self.app.store.search_at(*search, *version).await)?;
                    searches.extend(stored.flatten().map(|stored| ((*search, *version), stored)));
                }
                // The entry may have been about this search: its current version is the best guess.
                Change::Damaged { search: Some(search), .. } => {
                    let stored = unless_damaged(self.app.store.search(*search).await)?;
                    searches.extend(stored.flatten().map(|stored| ((*search, UNKNOWN_VERSION), stored)));
                }
                // A change that cannot be read is not matched.
                Change::Damaged { search: None, .. } => {}
                // A crawl without changes affects no search.
                Change::Property { cause: PropertyCause::Crawl, .. } => {}
                Change::Property { property, version, cause, .. } => {
                    // What adverts come from is compared with the property, and its alerts are inherited.
                    if let PropertyCause::Regrouped { from, .. } = cause {
                        versions.extend(from);
                        changed.extend(from.iter().map(|(property, _)| *property));
                    }
                    versions.insert((*property, *version));
                    if *version > 1 {
                        versions.insert((*property, version - 1));
                        changed.insert(*property);
                    }
                }
                Change::PropertyRemoved { .. } | Change::SearchRemoved { .. } | Change::Erased => {}
            }
        }
        // Without searches there is nothing to match.
        let is_idle = loaded.state.is_empty() && searches.is_empty();
        let (versions, matched) = if is_idle {
            (HashMap::new(), HashMap::new())
        } else {
            let (versions, matched) =
                tokio::join!(self.read_all_versions(versions), self.matched_searches(changed));
            let (mut versions, (matched, unknown)) = (versions?, matched?);
            // No property is matched whose earlier matches are unknown, nor one that comes from it: a search must not match it twice.
            for ((property, _), version) in &mut versions {
                if unknown.contains(property) {
                    *version = PropertyVersion::Damaged;
                }
            }
            (versions, matched)
        };
        Ok(LogBatch { entries, searches, versions, matched })
    }

    /// Returns which searches already have a match with which properties, and the properties whose matches cannot be read.
    async fn matched_searches(
        &self,
        properties: BTreeSet<PropertyId>,
    ) -> Result<(HashMap<PropertyId, Vec<SearchNumber>>, BTreeSet<PropertyId>), Error> {
        let store = &self.app.store;
        match store.matched_searches(properties.iter().copied().collect()).await {
            Err(store::Error::Corrupt { .. }) => {}
            read => return Ok((read?, BTreeSet::new())),
        }
        let (mut matched, mut unknown) = (HashMap::new(), BTreeSet::new());
        for property in properties {
            match store.matched_searches(vec![property]).await {
                Err(error @ store::Error::Corrupt { .. }) => {
                    let error = &error as &dyn std::error::Error;
                    tracing::error!(%property, error, "the stored matches of a property are damaged; the property is not matched");
                    unknown.insert(property);
                }
                read => matched.extend(read?),
            }
        }
        Ok((matched, unknown))
    }

    async fn read_all_versions(
        &self,
        keys: BTreeSet<(PropertyId, u32)>,
    ) -> Result<HashMap<(PropertyId, u32), PropertyVersion>, Error> {
        let keys: Vec<_> = keys.into_iter().collect();
        let reads = keys.chunks(VERSIONS_PER_READ).map(|keys| self.read_versions(keys.to_vec()));
        let chunks: Vec<_> =
            stream::iter(reads.collect::<Vec<_>>()).buffer_unordered(PARALLEL_READS).try_collect().await?;
        Ok(chunks.into_iter().flatten().collect())
    }

    /// Reads versions of properties. A damaged record must not stop the matcher.
    async fn read_versions(
        &self,
        keys: Vec<(PropertyId, u32)>,
    ) -> Result<Vec<((PropertyId, u32), PropertyVersion)>, Error> {
        let read = self.app.store.properties_at(keys.clone()).await?;
        let version = |(key, lookup)| match lookup {
            VersionLookup::Intact(property) => Some((key, PropertyVersion::Intact(property))),
            VersionLookup::NotFound => None,
            VersionLookup::Damaged => Some((key, PropertyVersion::Damaged)),
        };
        Ok(keys.into_iter().zip(read).filter_map(version).collect())
    }

    /// Records what was evaluated, and the checkpoint. If that fails, the next call tries again. Returns `false` if another matcher
    /// came first: then the state is that of its checkpoint.
    async fn record(&self, loaded: &mut Loaded) -> Result<bool, Error> {
        let Some(MatchedBatch { groups, has_erasure, stats }) = &loaded.unrecorded else { return Ok(true) };
        let now = self.app.clock.now();
        let is_due = now.duration_since(loaded.checkpoint_at).unsigned_abs() >= CHECKPOINT_INTERVAL;
        if !groups.is_empty() || *has_erasure || is_due {
            let (after, until) = (loaded.checkpoint, loaded.position);
            if !self.app.store.record_matches(MatchBatch { after, until, groups: groups.clone() }).await? {
                if self.app.shared_identity().is_some() {
                    tracing::info!("another server has matched meanwhile; continuing from its checkpoint");
                } else {
                    tracing::warn!(
                        "another process also runs a matcher on this data folder; continuing from its checkpoint"
                    );
                }
                self.continue_from_checkpoint(loaded).await?;
                return Ok(false);
            }
            loaded.checkpoint = until;
            loaded.checkpoint_at = now;
        }
        self.progress.record_batch(*stats, loaded.position);
        loaded.unrecorded = None;
        Ok(true)
    }

    /// Brings the searches in memory to the checkpoint of another matcher, before or after the own position. Reads only those that
    /// changed in between. What was evaluated is dropped: it was compared with matches that the other may have recorded meanwhile.
    async fn continue_from_checkpoint(&self, loaded: &mut Loaded) -> Result<(), Error> {
        let checkpoint = self.app.store.matcher_checkpoint().await?;
        let (mut after, until) = (loaded.position.min(checkpoint), loaded.position.max(checkpoint));
        let mut changed: BTreeSet<SearchId> = BTreeSet::new();
        while after < until {
            let entries = self.app.store.log_after(after, ENTRIES_PER_BATCH).await?;
            let Some(last) = entries.last() else { break };
            after = last.position;
            let within = entries.iter().filter(|entry| entry.position <= until);
            changed.extend(within.filter_map(|entry| match &entry.change {
                Change::Search { search, .. }
                | Change::SearchRemoved { search }
                | Change::Damaged { search: Some(search), .. } => Some(*search),
                Change::Property { .. }
                | Change::PropertyRemoved { .. }
                | Change::Erased
                | Change::Damaged { search: None, .. } => None,
            }));
        }
        // Everything is read before anything is changed, so that a failure leaves the state as it is.
        let mut searches = Vec::with_capacity(changed.len());
        for id in changed {
            searches.push((id, self.search_as_of(id, checkpoint).await?));
        }
        self.progress.searches_loaded(searches.len());
        for (id, stored) in searches {
            match stored {
                Some(stored) => loaded.state.put(&self.app, &stored),
                None => loaded.state.remove(id),
            }
        }
        loaded.position = checkpoint;
        loaded.checkpoint = checkpoint;
        loaded.unrecorded = None;
        Ok(())
    }

    /// Returns a search as it was at a position; `None` if it did not exist, was deleted since, or cannot be read.
    async fn search_as_of(&self, id: SearchId, position: Position) -> Result<Option<StoredSearch>, Error> {
        let Some(current) = unless_damaged(self.app.store.search(id).await)?.flatten() else {
            return Ok(None);
        };
        let before = SearchNumber(current.number.0.saturating_sub(1));
        let mut found = self.app.store.searches_at(position, Some(before), 1).await?;
        Ok(found.pop().filter(|stored| stored.search.id == id))
    }

    /// Publishes the number and the memory of the saved searches now and then. Adding up the memory of many takes a while.
    fn publish_size(&self, loaded: &mut Loaded) {
        let now = self.app.clock.now();
        if now.duration_since(loaded.published_at).unsigned_abs() >= PUBLISH_INTERVAL {
            loaded.published_at = now;
            self.progress.set_searches(loaded.state.len(), loaded.state.bytes());
        }
    }

    /// Indexes matches by search while the log has no more entries, and now and then while it has.
    async fn index_matches(&self, loaded: &mut Loaded, progress: Progress) -> Result<(), Error> {
        loaded.batches_since_indexing += 1;
        if progress == Progress::CaughtUp || loaded.batches_since_indexing >= BATCHES_BETWEEN_INDEXING {
            loaded.batches_since_indexing = 0;
            let mut head = self.app.store.head();
            head.borrow_and_update();
            let role_is_due = || self.role.asked_at.is_some_and(|at| at.elapsed() >= ROLE_INTERVAL);
            while self.app.store.index_matches(INDEX_BATCH).await?
                && !head.has_changed().unwrap_or(true)
                && !role_is_due()
            {}
        }
        Ok(())
    }

    async fn save_checkpoint(&mut self) -> Result<(), Error> {
        let Some(mut loaded) = self.loaded.take() else { return Ok(()) };
        let saved = self.save_checkpoint_of(&mut loaded).await;
        self.loaded = Some(loaded);
        saved
    }

    async fn save_checkpoint_of(&self, loaded: &mut Loaded) -> Result<(), Error> {
        let is_ours = self.record(loaded).await?;
        if is_ours && loaded.checkpoint < loaded.position {
            let (after, until) = (loaded.checkpoint, loaded.position);
            // Another matcher that came first has saved its own.
            if self.app.store.record_matches(MatchBatch { after, until, groups: Vec::new() }).await? {
                loaded.checkpoint = until;
            }
        }
        Ok(())
    }
}

/// The key of a search that a damaged log entry may be about. Real versions start at 1.
const UNKNOWN_VERSION: u32 = 0;

/// Leaves a damaged record out. The store has named it.
fn unless_damaged<T>(read: Result<T, store::Error>) -> Result<Option<T>, Error> {
    match read {
        Err(store::Error::Corrupt { .. }) => Ok(None),
        read => Ok(Some(read?)),
    }
}

#[cfg(test)]
mod tests;
