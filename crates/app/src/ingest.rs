//! Ingesting adverts: look up, merge, group, commit, return receipts.
//!
//! [`plan`] computes the steps of a batch as a pure function of what the store contains; they are committed as a whole. If another
//! writer changed the same properties in the meantime, the store reports a conflict, and the batch is planned again. A receipt
//! is returned only for what is durable.
//!
//! A plan also decides which property an advert belongs to. It changes the state of grouping at once, and the change is undone if the
//! steps are not committed ([`crate::grouping`]). Batches that follow each other are planned one ahead ([`pipeline`]).

mod full_feed;
mod pipeline;
mod plan;

use std::sync::Arc;

use domain::{AdvertDraft, AdvertId, GivenPlace, PropertyId, Timestamp, Violation, merge};
use places::resolve::PlaceField;
use places::{Certainty, PlaceWarning};
use store::{
    ChangeSet, CommitOutcome, Erased, Expected, FoundProperties, Position, PutCause, PutProperty, Step,
};

use crate::grouping::Reservation;
use crate::{App, Error, run_blocking, run_to_end};
pub use full_feed::{FullFeed, FullFeedRefusal, MissingAdverts};
pub use pipeline::Ingesting;
pub(crate) use plan::approximate_bytes;
use plan::{Context, Handover, KnownProperty, Loaded, Missing, Obstacle, Placed, Plan, Relocated};

/// How often a batch is planned again after conflicts. Each conflict means that another writer made progress, so this many in a
/// row mean a hot spot that retrying does not cure.
pub(crate) const ATTEMPTS_MAX: usize = 50;

/// How many reads a plan may request. Identities and properties are two; a reference that belongs to another advert causes a few
/// more.
const READS_MAX: usize = 8;

/// From this many drafts on, it takes milliseconds to free them.
const DRAFTS_FREED_ASIDE: usize = 1_000;

/// The result of ingesting one draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receipt {
    Accepted {
        advert: AdvertId,
        property: PropertyId,
        outcome: Outcome,
        /// How certain the resolved place is. `None` if the draft has no place.
        certainty: Option<Certainty>,
        /// Values that were accepted but look wrong.
        warnings: Vec<Violation>,
    },
    Rejected {
        violations: Vec<Violation>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Created,
    Updated,
    Unchanged,
}

/// How drafts are ingested. The default is what a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IngestOptions {
    pub creation: Creation,
    pub commit: Commit,
}

/// Where the dates and events of a new advert come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Creation {
    /// What the draft leaves out is derived ([`merge::create`]).
    #[default]
    Derived,
    /// The draft is complete, because another service exported it ([`domain::restore`]).
    Verbatim,
}

/// Whether the result is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Commit {
    #[default]
    Store,
    /// Nothing is written. Each call sees the store as it is: an advert that two calls would create is new in both receipts, and
    /// each receipt of a new advert has an id that no advert will have.
    DryRun,
}

/// Drafts of which the adverts are looked up, and made if they are new.
pub struct PreparedDrafts {
    batch: DraftBatch,
    loaded: Loaded,
    /// The end of the log before the adverts were looked up.
    head: Position,
}

/// Drafts that are ingested together.
struct DraftBatch {
    drafts: Vec<AdvertDraft>,
    options: IngestOptions,
    received_at: Timestamp,
}

/// The drafts of a batch that are left to be ingested.
#[derive(Clone, Copy)]
struct DraftPart<'a> {
    drafts: &'a [AdvertDraft],
    options: IngestOptions,
    received_at: Timestamp,
}

/// The first drafts of a part, planned.
struct PlannedPart {
    receipts: Vec<Receipt>,
    handover: Handover,
    /// `None` if nothing has to be written.
    changes: Option<PlannedChanges>,
}

/// Changes to be committed. The state of grouping contains them already.
struct PlannedChanges {
    steps: Vec<Step>,
    reservation: Reservation,
    /// How many writes of other processes the plan knows.
    foreign_writes: u64,
}

/// The first drafts of a batch, ingested.
struct IngestedDrafts {
    receipts: Vec<Receipt>,
    relocated: Arc<Relocated>,
    /// The log position of their commit.
    position: Position,
}

impl IngestedDrafts {
    /// Adds the drafts that follow these.
    fn add(&mut self, next: Self) {
        self.receipts.extend(next.receipts);
        let relocated = Arc::make_mut(&mut self.relocated);
        relocated.extend(Arc::unwrap_or_clone(next.relocated));
        self.position = next.position;
    }
}

impl DraftBatch {
    /// Returns the drafts from this one on.
    fn part(&self, first: usize) -> DraftPart<'_> {
        DraftPart { drafts: &self.drafts[first..], options: self.options, received_at: self.received_at }
    }
}

impl Drop for DraftBatch {
    /// Not on the way to the answer: an import commits the next batch after it.
    fn drop(&mut self) {
        let drafts = std::mem::take(&mut self.drafts);
        if drafts.len() >= DRAFTS_FREED_ASIDE && tokio::runtime::Handle::try_current().is_ok() {
            drop(tokio::task::spawn_blocking(move || drop(drafts)));
        }
    }
}

impl App {
    /// Ingests drafts in order. Returns the receipts in the same order, once all changes are durable and searches of this process
    /// see them.
    ///
    /// The batch is one transaction, unless its changes are too large to be held in memory; it is then committed in parts, in order.
    pub async fn ingest(&self, drafts: Vec<AdvertDraft>) -> Result<Vec<Receipt>, Error> {
        self.ingest_with(drafts, IngestOptions::default()).await
    }

    /// Does the same with options.
    pub async fn ingest_with(
        &self,
        drafts: Vec<AdvertDraft>,
        options: IngestOptions,
    ) -> Result<Vec<Receipt>, Error> {
        let PreparedDrafts { batch, loaded, head: _ } = self.prepare(drafts, options).await?;
        let app = self.clone();
        // The outcome of a commit has to reach the state of grouping.
        run_to_end(async move {
            let done = app.ingest_from(&batch, 0, Some(loaded)).await?;
            app.wait_visible(done.position).await;
            Ok(done.receipts)
        })
        .await
    }

    /// Does the part of ingesting that does not depend on batches that are being ingested: looks up the adverts, and makes those that are
    /// new.
    pub async fn prepare(
        &self,
        drafts: Vec<AdvertDraft>,
        options: IngestOptions,
    ) -> Result<PreparedDrafts, Error> {
        let received_at = domain::ports::whole_second(self.clock.now());
        let is_quick = drafts.len() <= 1;
        let head = *self.store.head().borrow();
        let mut loaded = self.look_up(&drafts).await?;
        let app = self.clone();
        let prepare = move || {
            app.with_context(received_at, options.creation, |context| loaded.create_ahead(&drafts, context));
            PreparedDrafts { batch: DraftBatch { drafts, options, received_at }, loaded, head }
        };
        // One advert takes less than the way to another thread and back.
        if is_quick { Ok(prepare()) } else { run_blocking(prepare).await }
    }

    /// Ingests the drafts of a batch from one on. `loaded` is what was read and made for them before.
    async fn ingest_from(
        &self,
        batch: &DraftBatch,
        first: usize,
        mut loaded: Option<Loaded>,
    ) -> Result<IngestedDrafts, Error> {
        let mut done = IngestedDrafts {
            receipts: Vec::with_capacity(batch.drafts.len() - first),
            relocated: Arc::default(),
            position: Position::START,
        };
        while first + done.receipts.len() < batch.drafts.len() {
            let part = batch.part(first + done.receipts.len());
            let ingested = self.ingest_part(part, loaded.take()).await?;
            done.add(ingested);
        }
        Ok(done)
    }

    /// Ingests the first drafts of a part, as many as fit but at least one.
    async fn ingest_part(
        &self,
        part: DraftPart<'_>,
        mut loaded: Option<Loaded>,
    ) -> Result<IngestedDrafts, Error> {
        // Begins with the first plan. Reading and making adverts need no turn.
        let mut turn = None;
        for attempt in 0..ATTEMPTS_MAX {
            let loaded = match loaded.take() {
                Some(loaded) => loaded,
                None => self.look_up_and_create(part).await?,
            };
            if turn.is_none() && part.options.commit != Commit::DryRun {
                turn = Some(self.store.grouping_turn().await?);
            }
            let Some(planned) = self.plan(part, loaded).await? else { continue };
            let PlannedPart { receipts, handover, changes } = planned;
            if let Some(position) = self.commit_planned(changes).await? {
                return Ok(IngestedDrafts { receipts, relocated: handover.relocated, position });
            }
            // The turn may be lost. Without one, processes that write all the time would be in the way of every attempt. The
            // first conflict is more likely one with another batch of this process.
            if attempt > 0 {
                turn = None;
            }
        }
        Err(Error::Contended)
    }

    /// Commits what a plan changes. Returns the position of it in the log, or `None` after a conflict; what the plan did to the state of
    /// grouping is then undone.
    async fn commit_planned(&self, changes: Option<PlannedChanges>) -> Result<Option<Position>, Error> {
        let Some(PlannedChanges { steps, reservation, foreign_writes }) = changes else {
            // An unchanged advert may have been written by a concurrent request that the index has not seen yet.
            return Ok(Some(*self.store.head().borrow()));
        };
        let changes = ChangeSet { recorded_at: self.clock.now(), steps, grouped_at: Some(foreign_writes) };
        match self.store.commit(changes).await {
            Ok(CommitOutcome::Committed(position)) => {
                self.settle(reservation).await;
                Ok(Some(position))
            }
            Ok(CommitOutcome::Conflict | CommitOutcome::TooManySearches) => {
                self.withdraw(reservation).await?;
                Ok(None)
            }
            Err(error) => {
                // Its own failure would hide the reason.
                let _ = self.withdraw(reservation).await;
                Err(error.into())
            }
        }
    }

    /// Marks an advert as expired. Returns `None` if it does not exist.
    pub async fn expire(&self, advert: AdvertId) -> Result<Option<Receipt>, Error> {
        let turn = self.store.grouping_turn().await?;
        for _ in 0..ATTEMPTS_MAX {
            let now = self.clock.now();
            let located = self.store.locate(vec![domain::Identity::Uuid(advert)]).await?.pop().flatten();
            let Some(located) = located else { return Ok(None) };
            let Some(stored) = self.store.properties(vec![located.property]).await?.remove(&located.property)
            else {
                continue;
            };
            let mut property = stored.property;
            let Some(current) = property.advert(advert) else { continue };
            let merged = merge::expire(current, domain::ports::whole_second(now));
            let receipt = |outcome| Receipt::Accepted {
                advert,
                property: located.property,
                outcome,
                certainty: None,
                warnings: Vec::new(),
            };
            if merged.effect == merge::Effect::Unchanged {
                drop(turn);
                let position = *self.store.head().borrow();
                self.wait_visible(position).await;
                return Ok(Some(receipt(Outcome::Unchanged)));
            }
            property.put(merged.advert);
            let put = PutProperty {
                property: property.into(),
                expected: Expected::Revision(stored.revision),
                advert,
                cause: PutCause::Changed { events: merged.events },
                grouping: None,
            };
            let changes = ChangeSet { recorded_at: now, steps: vec![Step::Put(put)], grouped_at: None };
            match self.store.commit(changes).await? {
                CommitOutcome::Committed(position) => {
                    self.record_expired(&[advert]).await;
                    drop(turn);
                    self.wait_visible(position).await;
                    return Ok(Some(receipt(Outcome::Updated)));
                }
                CommitOutcome::Conflict | CommitOutcome::TooManySearches => {}
            }
        }
        Err(Error::Contended)
    }

    /// Erases an advert and everything stored about it, and waits until searches do not find it any more. Returns `None` if it does
    /// not exist.
    pub async fn erase(&self, advert: AdvertId) -> Result<Option<Erased>, Error> {
        let turn = self.store.grouping_turn().await?;
        let erased = self.store.erase(advert, self.clock.now()).await?;
        drop(turn);
        if let Some(erased) = &erased {
            // The index sees the erasure a little later; the cached document must not be sent even once more.
            self.executor.evict_document(erased.property);
            self.record_erased(advert).await;
            self.wait_visible(erased.position).await;
        }
        Ok(erased)
    }

    /// Drops what this process holds of properties that retention has erased.
    pub(crate) async fn forget_erased(
        &self,
        properties: Vec<(PropertyId, Vec<AdvertId>)>,
        position: Position,
    ) {
        for (property, adverts) in properties {
            self.executor.evict_document(property);
            for advert in adverts {
                self.record_erased(advert).await;
            }
        }
        self.wait_visible(position).await;
    }

    /// Plans the first drafts of a part, reading what the plan requests. Returns `None` if concurrent writes keep making the reads
    /// inconsistent; the caller starts over.
    async fn plan(&self, part: DraftPart<'_>, mut loaded: Loaded) -> Result<Option<PlannedPart>, Error> {
        let DraftPart { drafts, options, received_at } = part;
        for _ in 0..READS_MAX {
            let mut settled = self.grouping.settled();
            let planned = {
                let mut grouping = self.lock_grouping().await?;
                let planned = self.with_context(received_at, options.creation, |context| {
                    plan::plan(drafts, &mut loaded, context, &mut grouping)
                });
                planned.map(|plan| (plan, grouping.foreign_writes))
            };
            match planned {
                Ok((Plan { steps, receipts, reservation, handover }, foreign_writes)) => {
                    if steps.is_empty() || options.commit == Commit::DryRun {
                        self.withdraw(reservation).await?;
                        let handover = Handover::default();
                        return Ok(Some(PlannedPart { receipts, handover, changes: None }));
                    }
                    let changes = Some(PlannedChanges { steps, reservation, foreign_writes });
                    return Ok(Some(PlannedPart { receipts, handover, changes }));
                }
                Err(Obstacle::Missing(missing)) => self.load(&mut loaded, missing).await?,
                Err(Obstacle::Pending(property)) => {
                    self.wait_until_settled(property, &mut settled).await?;
                    // The property is written by now, or it is gone.
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    fn with_context<T>(
        &self,
        received_at: Timestamp,
        creation: Creation,
        work: impl FnOnce(&Context<'_>) -> T,
    ) -> T {
        work(&Context {
            received_at,
            creation,
            ids: &*self.ids,
            locator: &|place| self.place(place),
            signer: &|advert| self.signature(advert),
            automatic: self.grouping.settings.automatic,
        })
    }

    /// Resolves a place with the reference geography. Its remarks become warnings.
    fn place(&self, given: &GivenPlace) -> Placed {
        if given.is_empty() {
            return Placed::default();
        }
        let resolution = self.places.resolve(given);
        let warning = |remark: &PlaceWarning| {
            let path = match remark.field() {
                PlaceField::Insee => "insee",
                PlaceField::Zipcode => "zipcode",
                PlaceField::Name => "cityName",
                PlaceField::Point => "locations",
                PlaceField::Country => "country",
            };
            if remark.is_contradiction() {
                Violation::contradiction(path, remark)
            } else {
                Violation::invalid(path, remark)
            }
        };
        Placed {
            placement: resolution.placement,
            certainty: Some(resolution.certainty),
            warnings: resolution.warnings.iter().map(warning).collect(),
        }
    }

    /// Looks up which adverts the drafts are about.
    async fn look_up(&self, drafts: &[AdvertDraft]) -> Result<Loaded, Error> {
        let mut loaded = Loaded::default();
        let missing = Missing { identities: plan::identities(drafts), properties: Vec::new() };
        self.load(&mut loaded, missing).await?;
        Ok(loaded)
    }

    /// Does the same, and makes the adverts that are new.
    async fn look_up_and_create(&self, part: DraftPart<'_>) -> Result<Loaded, Error> {
        let mut loaded = self.look_up(part.drafts).await?;
        self.with_context(part.received_at, part.options.creation, |context| {
            loaded.create_ahead(part.drafts, context);
        });
        Ok(loaded)
    }

    async fn load(&self, loaded: &mut Loaded, missing: Missing) -> Result<(), Error> {
        let Missing { identities, mut properties } = missing;
        // Several drafts may join one property.
        properties.sort_unstable();
        properties.dedup();
        if !identities.is_empty() {
            let found = self.store.locate(identities.clone()).await?;
            for (identity, located) in identities.into_iter().zip(found) {
                loaded.locate(identity, located);
            }
        }
        if !properties.is_empty() {
            let FoundProperties { mut intact, damaged } =
                self.store.find_properties(properties.clone()).await?;
            let known = |id| (id, intact.remove(&id).map(KnownProperty::from));
            loaded.properties.extend(properties.into_iter().map(known));
            loaded.damaged.extend(damaged);
        }
        Ok(())
    }
}
