//! Holds every change of a property against all saved searches, and records who has a match and who hears of what.
//!
//! Follows the log from its checkpoint, in order: a search that was saved before a change is asked, one that was saved after it
//! is not. Matches, what is owed for them and the checkpoint are one transaction, so that a crash at any instruction leaves
//! either all of it or nothing, and the same stretch of the log is evaluated again with the same outcome.

mod evaluate;
mod state;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use domain::{PropertyId, SearchId, SearchNumber, Timestamp};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use store::{Change, LogEntry, MatchBatch, Position, PropertyCause, StoredSearch};
use tokio_util::sync::CancellationToken;

use super::following::{Follower, Progress, follow};
use crate::matching::{MatchedBatch, Matching};
use crate::{App, Error, computed};
use evaluate::{Document, LogBatch};
use state::PercolatorState;

/// How many entries of the log are evaluated together. Whoever waits for a match waits for the whole look.
const ENTRIES_PER_LOOK: usize = 256;

/// How many documents one reader decodes at a time, while another does the next ones. Whoever takes adverts in has the same
/// readers, and waits behind them: half a millisecond.
const DOCUMENTS_PER_READ: usize = 16;

/// Readers that decode at the same time.
const READS_AT_ONCE: usize = 2;

/// How many searches are read at a time when the worker begins.
const SEARCHES_PER_READ: usize = 2_000;

/// How many matches are filed by search in one transaction: few enough that writers hardly wait for it.
const FILED_AT_ONCE: usize = 1_000;

/// Where nothing was to be recorded, the checkpoint is written this seldom: judging a stretch without matches again costs less
/// than a sync to disk for each look.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(1);

/// How often metrics drain of the searches that stand.
const TELL_EVERY: Duration = Duration::from_secs(5);

/// After so many looks some matches are filed even when the log has more.
const LOOKS_BETWEEN_FILING: u32 = 32;

/// The worker, and how far it has come.
pub struct Matcher {
    app: App,
    matching: Arc<Matching>,
    following: Option<Following>,
}

struct Following {
    state: PercolatorState,
    /// What was evaluated.
    position: Position,
    /// What the store knows to be evaluated.
    recorded: Position,
    recorded_at: Timestamp,
    told_at: Timestamp,
    looks_since_filing: u32,
}

/// Follows until told to stop.
pub async fn run(mut matcher: Matcher, stop: CancellationToken) {
    let head = matcher.app.store.head();
    follow(&mut matcher, head, &stop).await;
    if let Err(error) = matcher.keep_checkpoint().await {
        // What was evaluated without outcome is evaluated again at the next start.
        tracing::warn!(error = &error as &dyn std::error::Error, "the last checkpoint could not be kept");
    }
}

impl Follower for Matcher {
    const NAME: &'static str = "matcher";

    /// Reading a million searches takes seconds, and ends early when told to stop.
    async fn look(&mut self, stop: &CancellationToken) -> Result<Progress, Error> {
        if self.following.is_none() {
            tokio::select! {
                () = stop.cancelled() => return Ok(Progress::CaughtUp),
                following = self.begin() => self.following = Some(following?),
            }
        }
        self.run_once().await
    }
}

impl Matcher {
    /// A worker for the searches of a service; nothing when the service does not match.
    pub fn new(app: &App) -> Option<Self> {
        let matching = Arc::clone(app.matching.as_ref()?);
        Some(Self { app: app.background(), matching, following: None })
    }

    /// One look at the log: begins if that is still to do, then judges what is new.
    pub async fn run_once(&mut self) -> Result<Progress, Error> {
        let mut following = match self.following.take() {
            Some(following) => following,
            None => self.begin().await?,
        };
        // Whatever fails on the way leaves no half-told worker behind: it begins again from the checkpoint.
        let progress = self.evaluate(&mut following).await?;
        if let Some(progress) = progress {
            self.following = Some(following);
            return Ok(progress);
        }
        tracing::warn!("another process matches as well; beginning again from its checkpoint");
        Ok(Progress::CaughtUp)
    }

    async fn begin(&self) -> Result<Following, Error> {
        let position = self.app.store.matcher_checkpoint().await?;
        let mut state = PercolatorState::new(self.app.sites().await?);
        let mut after: Option<SearchNumber> = None;
        loop {
            let searches = self.app.store.searches_at(position, after, SEARCHES_PER_READ).await?;
            let Some(last) = searches.last() else { break };
            after = Some(last.number);
            let app = self.app.clone();
            state = computed(move || {
                searches.iter().for_each(|stored| state.put(&app, stored));
                state
            })
            .await?;
        }
        self.matching.note_searches(state.len(), state.bytes());
        self.matching.open(position);
        tracing::info!(searches = state.len(), position = position.0, "the matcher begins to follow the log");
        let now = self.app.clock.now();
        Ok(Following {
            state,
            position,
            recorded: position,
            recorded_at: now,
            told_at: now,
            looks_since_filing: 0,
        })
    }

    /// Nothing when somebody else is matching.
    async fn evaluate(&self, following: &mut Following) -> Result<Option<Progress>, Error> {
        let entries = self.app.store.log_after(following.position, ENTRIES_PER_LOOK).await?;
        let progress = if entries.len() < ENTRIES_PER_LOOK { Progress::CaughtUp } else { Progress::More };
        // After the entries were read: a site they made known is in it.
        let sites = self.app.sites().await?;
        if let Some(last) = entries.last().map(|entry| entry.position) {
            let stretch = self.read(entries, following).await?;
            let (app, mut state) = (self.app.clone(), std::mem::take(&mut following.state));
            let evaluated = computed(move || {
                state.use_sites(&app, sites);
                let evaluated = stretch.evaluate(&app, &mut state);
                (state, evaluated)
            });
            let (state, evaluated) = evaluated.await?;
            following.state = state;
            self.tell(following);
            following.position = last;
            if !self.record(following, evaluated).await? {
                return Ok(None);
            }
        }
        if let Err(error) = self.file(following, progress).await {
            // Matches are found without it, only slower.
            tracing::error!(error = &error as &dyn std::error::Error, "matches could not be filed by search");
        }
        Ok(Some(progress))
    }

    /// Everything it takes to evaluate a stretch of the log, read beforehand.
    async fn read(&self, entries: Vec<LogEntry>, following: &Following) -> Result<LogBatch, Error> {
        let mut searches: HashMap<(SearchId, u32), StoredSearch> = HashMap::new();
        let mut wanted: BTreeSet<(PropertyId, u32)> = BTreeSet::new();
        let mut known: BTreeSet<PropertyId> = BTreeSet::new();
        for entry in &entries {
            match &entry.change {
                Change::Search { search, version } => {
                    match self.app.store.search_at(*search, *version).await {
                        Ok(stored) => drop(stored.map(|stored| searches.insert((*search, *version), stored))),
                        // It must not keep all others from being matched.
                        Err(error @ store::Error::Corrupt { .. }) => {
                            let error = &error as &dyn std::error::Error;
                            tracing::error!(%search, error, "a damaged search is not matched");
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
                // A sighting changes nothing that anybody waits for.
                Change::Property { cause: PropertyCause::Crawl, .. } => {}
                Change::Property { property, version, .. } => {
                    wanted.insert((*property, *version));
                    if *version > 1 {
                        wanted.insert((*property, version - 1));
                        known.insert(*property);
                    }
                }
                Change::PropertyRemoved { .. } | Change::SearchRemoved { .. } | Change::Erased => {}
            }
        }
        // With nobody waiting there is nothing to read documents for.
        let idle = following.state.is_empty() && searches.is_empty();
        let (documents, matched) = if idle {
            (HashMap::new(), HashMap::new())
        } else {
            let (documents, matched) = tokio::join!(self.documents(wanted), self.matched(known));
            let (mut documents, (matched, unknown)) = (documents?, matched?);
            // A match must not be made twice, so that nothing is made of these.
            documents.retain(|(property, _), _| !unknown.contains(property));
            (documents, matched)
        };
        Ok(LogBatch { entries, searches, documents, matched })
    }

    /// Which searches have a match with which properties already, and of which properties nobody can tell any more.
    async fn matched(
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
                    tracing::error!(%property, error, "a property with damaged matches is not matched");
                    unknown.insert(property);
                }
                read => matched.extend(read?),
            }
        }
        Ok((matched, unknown))
    }

    async fn documents(
        &self,
        wanted: BTreeSet<(PropertyId, u32)>,
    ) -> Result<HashMap<(PropertyId, u32), Document>, Error> {
        let wanted: Vec<_> = wanted.into_iter().collect();
        let reads = wanted.chunks(DOCUMENTS_PER_READ).map(|wanted| self.versions(wanted.to_vec()));
        let parts: Vec<_> =
            stream::iter(reads.collect::<Vec<_>>()).buffer_unordered(READS_AT_ONCE).try_collect().await?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// Versions of properties. One whose record is damaged must not keep all others from being matched.
    async fn versions(
        &self,
        wanted: Vec<(PropertyId, u32)>,
    ) -> Result<Vec<((PropertyId, u32), Document)>, Error> {
        let store = &self.app.store;
        let mut found = Vec::with_capacity(wanted.len());
        match store.properties_at(wanted.clone()).await {
            Err(store::Error::Corrupt { .. }) => {}
            read => {
                let read = wanted.into_iter().zip(read?);
                found.extend(read.filter_map(|(key, property)| Some((key, Document::Sound(property?)))));
                return Ok(found);
            }
        }
        for (property, version) in wanted {
            let document = match store.property_at(property, version).await {
                Err(error @ store::Error::Corrupt { .. }) => {
                    let error = &error as &dyn std::error::Error;
                    tracing::error!(%property, version, error, "a damaged property is not matched");
                    Some(Document::Damaged)
                }
                read => read?.map(Document::Sound),
            };
            found.extend(document.map(|document| ((property, version), document)));
        }
        Ok(found)
    }

    /// `false` when somebody else is matching.
    async fn record(&self, following: &mut Following, evaluated: MatchedBatch) -> Result<bool, Error> {
        let MatchedBatch { groups, stats } = evaluated;
        let now = self.app.clock.now();
        let due = now.duration_since(following.recorded_at).unsigned_abs() >= CHECKPOINT_EVERY;
        if !groups.is_empty() || due {
            let batch = MatchBatch { after: following.recorded, until: following.position, groups };
            if !self.app.store.record_matches(batch).await? {
                return Ok(false);
            }
            following.recorded = following.position;
            following.recorded_at = now;
        }
        self.matching.note(stats, following.position);
        Ok(true)
    }

    /// Tells how many searches stand. Adding up their memory takes a while where there are many.
    fn tell(&self, following: &mut Following) {
        let now = self.app.clock.now();
        if now.duration_since(following.told_at).unsigned_abs() >= TELL_EVERY {
            following.told_at = now;
            self.matching.note_searches(following.state.len(), following.state.bytes());
        }
    }

    /// Files matches by search while there is nothing better to do, and now and then when there is.
    async fn file(&self, following: &mut Following, progress: Progress) -> Result<(), Error> {
        following.looks_since_filing += 1;
        if progress == Progress::CaughtUp || following.looks_since_filing >= LOOKS_BETWEEN_FILING {
            following.looks_since_filing = 0;
            let mut head = self.app.store.head();
            head.borrow_and_update();
            while self.app.store.index_matches(FILED_AT_ONCE).await? && !head.has_changed().unwrap_or(true) {}
        }
        Ok(())
    }

    async fn keep_checkpoint(&mut self) -> Result<(), Error> {
        let Some(following) = &mut self.following else { return Ok(()) };
        if following.recorded < following.position {
            let (after, until) = (following.recorded, following.position);
            self.app.store.record_matches(MatchBatch { after, until, groups: Vec::new() }).await?;
            following.recorded = until;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
