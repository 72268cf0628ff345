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

use crate::{App, Error, run_to_end};
pub use full_feed::{FullFeed, FullFeedRefusal, MissingAdverts};
pub(crate) use plan::approximate_bytes;
use plan::{Context, Loaded, Missing, Obstacle, Placed, Plan};

/// How often a batch is planned again after conflicts. Each conflict means that another writer made progress, so this many in a
/// row mean a hot spot that retrying does not cure.
pub(crate) const ATTEMPTS_MAX: usize = 50;

/// How many reads a plan may request. Identities and properties are two; a reference that belongs to another advert causes a few
/// more.
const READS_MAX: usize = 8;

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
        let app = self.clone();
        // The outcome of a commit has to reach the state of grouping.
        run_to_end(async move { app.ingest_in_parts(&drafts, options).await }).await
    }

    async fn ingest_in_parts(
        &self,
        drafts: &[AdvertDraft],
        options: IngestOptions,
    ) -> Result<Vec<Receipt>, Error> {
        let mut receipts = Vec::with_capacity(drafts.len());
        let mut position = Position::START;
        while receipts.len() < drafts.len() {
            let (part, committed) = self.ingest_part(&drafts[receipts.len()..], options).await?;
            receipts.extend(part);
            position = committed;
        }
        self.wait_visible(position).await;
        Ok(receipts)
    }

    /// Ingests the first drafts, as many as fit but at least one. Also returns the log position of the commit.
    async fn ingest_part(
        &self,
        drafts: &[AdvertDraft],
        options: IngestOptions,
    ) -> Result<(Vec<Receipt>, Position), Error> {
        let received_at = domain::ports::whole_second(self.clock.now());
        for _ in 0..ATTEMPTS_MAX {
            let Some(planned) = self.plan(drafts, received_at, options.creation).await? else {
                continue;
            };
            let (Plan { steps, receipts, reservation }, foreign_writes) = planned;
            if steps.is_empty() || options.commit == Commit::DryRun {
                self.withdraw(reservation).await?;
                // An unchanged advert may have been written by a concurrent request that the index has not seen yet.
                let position = *self.store.head().borrow();
                return Ok((receipts, position));
            }
            let changes =
                ChangeSet { recorded_at: self.clock.now(), steps, grouped_at: Some(foreign_writes) };
            match self.store.commit(changes).await {
                Ok(CommitOutcome::Committed(position)) => {
                    self.settle(reservation).await;
                    return Ok((receipts, position));
                }
                Ok(CommitOutcome::Conflict | CommitOutcome::TooManySearches) => {
                    self.withdraw(reservation).await?;
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
                let position = *self.store.head().borrow();
                self.wait_visible(position).await;
                return Ok(Some(receipt(Outcome::Unchanged)));
            }
            property.put(merged.advert);
            let put = PutProperty {
                property,
                expected: Expected::Revision(stored.revision),
                advert,
                cause: PutCause::Changed { events: merged.events },
                grouping: None,
            };
            let changes = ChangeSet { recorded_at: now, steps: vec![Step::Put(put)], grouped_at: None };
            match self.store.commit(changes).await? {
                CommitOutcome::Committed(position) => {
                    self.record_expired(&[advert]).await;
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
        let erased = self.store.erase(advert, self.clock.now()).await?;
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
    async fn plan(
        &self,
        drafts: &[AdvertDraft],
        received_at: Timestamp,
        creation: Creation,
    ) -> Result<Option<(Plan, u64)>, Error> {
        let mut loaded = Loaded::default();
        for _ in 0..READS_MAX {
            let mut settled = self.grouping.settled();
            let planned = {
                let mut grouping = self.lock_grouping().await?;
                let context = Context {
                    received_at,
                    creation,
                    ids: &*self.ids,
                    locator: &|place| self.place(place),
                    signer: &|advert| self.signature(advert),
                    automatic: self.grouping.settings.automatic,
                };
                let planned = plan::plan(drafts, &mut loaded, &context, &mut grouping);
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
