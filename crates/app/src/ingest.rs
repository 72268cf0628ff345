//! Ingesting adverts: look up, merge, group, commit, return receipts.
//!
//! [`plan`] computes the steps of a batch as a pure function of what the store contains; they are committed as a whole. If another
//! writer changed the same properties in the meantime, the store reports a conflict, and the batch is planned again. A receipt
//! is returned only for what is durable.
//!
//! A plan also decides which property an advert belongs to. It changes the state of grouping at once, and the change is undone if the
//! steps are not committed ([`crate::grouping`]).

mod full_feed;
mod plan;

use domain::{AdvertDraft, AdvertId, GivenPlace, PropertyId, Timestamp, Violation, merge};
use places::resolve::PlaceField;
use places::{Certainty, PlaceWarning};
use store::{
    ChangeSet, CommitOutcome, Erased, Expected, FoundProperties, Position, PutCause, PutProperty, Step,
};

use crate::{App, Error, run_blocking, run_to_end};
pub use full_feed::{FullFeed, FullFeedRefusal, MissingAdverts};
pub use plan::Relocated;
pub(crate) use plan::approximate_bytes;
use plan::{Context, Loaded, Missing, Obstacle, Placed, Plan};

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
    drafts: Vec<AdvertDraft>,
    options: IngestOptions,
    received_at: Timestamp,
    loaded: Loaded,
}

/// Drafts that are ingested together.
struct DraftBatch<'a> {
    drafts: &'a [AdvertDraft],
    options: IngestOptions,
    received_at: Timestamp,
}

/// The first drafts of a batch, ingested.
struct IngestedBatch {
    receipts: Vec<Receipt>,
    relocated: Relocated,
    /// The log position of their commit.
    position: Position,
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
        let prepared = self.prepare(drafts, options).await?;
        let (receipts, _) = self.ingest_prepared(prepared, Relocated::default()).await?;
        Ok(receipts)
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
        let mut loaded = self.look_up(&drafts).await?;
        let app = self.clone();
        let prepare = move || {
            app.with_context(received_at, options.creation, |context| loaded.create_ahead(&drafts, context));
            PreparedDrafts { drafts, options, received_at, loaded }
        };
        // One advert takes less than the way to another thread and back.
        if is_quick { Ok(prepare()) } else { run_blocking(prepare).await }
    }

    /// Ingests prepared drafts. `relocated` is what the batch before returned, if that was ingested after these were prepared: without
    /// it, a batch with adverts of the one before is planned twice.
    pub async fn ingest_prepared(
        &self,
        prepared: PreparedDrafts,
        relocated: Relocated,
    ) -> Result<(Vec<Receipt>, Relocated), Error> {
        let app = self.clone();
        // The outcome of a commit has to reach the state of grouping.
        run_to_end(async move { app.ingest_in_parts(prepared, &relocated).await }).await
    }

    async fn ingest_in_parts(
        &self,
        prepared: PreparedDrafts,
        relocated: &Relocated,
    ) -> Result<(Vec<Receipt>, Relocated), Error> {
        let PreparedDrafts { drafts, options, received_at, mut loaded } = prepared;
        loaded.relocate(relocated);
        let mut loaded = Some(loaded);
        let mut receipts = Vec::with_capacity(drafts.len());
        let mut relocated = Relocated::default();
        let mut position = Position::START;
        while receipts.len() < drafts.len() {
            let part = DraftBatch { drafts: &drafts[receipts.len()..], options, received_at };
            let done = self.ingest_part(&part, loaded.take()).await?;
            receipts.extend(done.receipts);
            relocated.extend(done.relocated);
            position = done.position;
        }
        if drafts.len() >= DRAFTS_FREED_ASIDE {
            // Not before the answer: an import commits the next batch after it.
            drop(tokio::task::spawn_blocking(move || drop(drafts)));
        }
        self.wait_visible(position).await;
        Ok((receipts, relocated))
    }

    /// Ingests the first drafts, as many as fit but at least one. `prepared` is what was read and made for them before.
    async fn ingest_part(
        &self,
        part: &DraftBatch<'_>,
        mut prepared: Option<Loaded>,
    ) -> Result<IngestedBatch, Error> {
        // Begins with the first plan. Reading and making adverts need no turn.
        let mut turn = None;
        for attempt in 0..ATTEMPTS_MAX {
            let loaded = match prepared.take() {
                Some(loaded) => loaded,
                None => {
                    let mut loaded = self.look_up(part.drafts).await?;
                    self.with_context(part.received_at, part.options.creation, |context| {
                        loaded.create_ahead(part.drafts, context);
                    });
                    loaded
                }
            };
            if turn.is_none() && part.options.commit != Commit::DryRun {
                turn = Some(self.store.grouping_turn().await?);
            }
            let Some(planned) = self.plan(part, loaded).await? else { continue };
            let (Plan { steps, receipts, reservation, relocated }, foreign_writes) = planned;
            if steps.is_empty() || part.options.commit == Commit::DryRun {
                self.withdraw(reservation).await?;
                // An unchanged advert may have been written by a concurrent request that the index has not seen yet.
                let position = *self.store.head().borrow();
                return Ok(IngestedBatch { receipts, relocated: Relocated::default(), position });
            }
            let changes =
                ChangeSet { recorded_at: self.clock.now(), steps, grouped_at: Some(foreign_writes) };
            match self.store.commit(changes).await {
                Ok(CommitOutcome::Committed(position)) => {
                    self.settle(reservation).await;
                    return Ok(IngestedBatch { receipts, relocated, position });
                }
                Ok(CommitOutcome::Conflict | CommitOutcome::TooManySearches) => {
                    self.withdraw(reservation).await?;
                    // The turn may be lost. Without one, processes that write all the time would be in the way of every attempt. The
                    // first conflict is more likely one with another batch of this process.
                    if attempt > 0 {
                        turn = None;
                    }
                }
                Err(error) => {
                    // Its own failure would hide the reason.
                    let _ = self.withdraw(reservation).await;
                    return Err(error.into());
                }
            }
        }
        Err(Error::Contended)
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

    /// Plans a batch, reading what the plan requests. Also returns how many writes of other processes the plan knows. Returns `None`
    /// if concurrent writes keep making the reads inconsistent; the caller starts over.
    async fn plan(&self, part: &DraftBatch<'_>, mut loaded: Loaded) -> Result<Option<(Plan, u64)>, Error> {
        let DraftBatch { drafts, options, received_at } = *part;
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
                Ok(plan) => return Ok(Some(plan)),
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

    async fn load(&self, loaded: &mut Loaded, missing: Missing) -> Result<(), Error> {
        let Missing { identities, mut properties } = missing;
        // Several drafts may join one property.
        properties.sort_unstable();
        properties.dedup();
        if !identities.is_empty() {
            let found = self.store.locate(identities.clone()).await?;
            loaded.located.extend(identities.into_iter().zip(found));
        }
        if !properties.is_empty() {
            let FoundProperties { mut intact, damaged } =
                self.store.find_properties(properties.clone()).await?;
            loaded.properties.extend(properties.into_iter().map(|id| (id, intact.remove(&id))));
            loaded.damaged.extend(damaged);
        }
        Ok(())
    }
}
