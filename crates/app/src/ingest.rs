//! Adverts in: find what is known, merge, group, commit, answer.
//!
//! A batch is planned purely ([`plan`]) from what the store knows, and committed whole. If somebody else changed the same
//! properties meanwhile, the store refuses, and the batch is planned again on what is there now. A receipt is given only
//! for what is durable.

mod plan;

use domain::{AdvertDraft, AdvertId, GivenPlace, PropertyId, Timestamp, Violation, merge};
use places::resolve::PlaceField;
use places::{Certainty, PlaceWarning};
use store::{ChangeSet, CommitOutcome, Erased, Expected, Position, PutCause, PutProperty, Step};

use crate::{App, Error};
use plan::{Knowledge, Placed, Plan};

/// How often a batch is planned again after conflicts. Each conflict means that somebody else got something done, so this
/// many in a row mean a hot spot that waiting will not cure.
const ATTEMPTS_MAX: usize = 50;

/// How many reads a plan may ask for. Whereabouts and properties are two; a reference given to another advert makes a few
/// more.
const READS_MAX: usize = 8;

/// What became of one draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receipt {
    Accepted {
        advert: AdvertId,
        property: PropertyId,
        outcome: Outcome,
        /// How sure the place is that was given; nothing when none was.
        certainty: Option<Certainty>,
        /// What was accepted but looks wrong.
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

impl App {
    /// Takes drafts in, in order, and answers in the same order once all of them are durable and, on this node, found.
    ///
    /// A batch is committed whole, unless what it changes is too large to be held at once; then in parts, in order.
    pub async fn ingest(&self, drafts: Vec<AdvertDraft>) -> Result<Vec<Receipt>, Error> {
        let mut receipts = Vec::with_capacity(drafts.len());
        let mut position = Position::START;
        while receipts.len() < drafts.len() {
            let (part, committed) = self.ingest_part(&drafts[receipts.len()..]).await?;
            receipts.extend(part);
            position = committed;
        }
        self.visible(position).await;
        Ok(receipts)
    }

    /// Takes in the first drafts, as many as fit; at least one. Says up to where the log speaks of them.
    async fn ingest_part(&self, drafts: &[AdvertDraft]) -> Result<(Vec<Receipt>, Position), Error> {
        let received_at = domain::ports::whole_second(self.clock.now());
        for _ in 0..ATTEMPTS_MAX {
            let Some(Plan { steps, receipts }) = self.plan(drafts, received_at).await? else { continue };
            if steps.is_empty() {
                // What did not change may have been written a moment ago by somebody else.
                let position = *self.store.head().borrow();
                return Ok((receipts, position));
            }
            let changes = ChangeSet { recorded_at: self.clock.now(), steps };
            match self.store.commit(changes).await? {
                CommitOutcome::Committed(position) => return Ok((receipts, position)),
                CommitOutcome::Conflict | CommitOutcome::TooManySearches => {}
            }
        }
        Err(Error::Contended)
    }

    /// Marks an advert as gone. `None` when there is no such advert.
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
            let Some(known) = property.advert(advert) else { continue };
            let merged = merge::expire(known, domain::ports::whole_second(now));
            let receipt = |outcome| Receipt::Accepted {
                advert,
                property: located.property,
                outcome,
                certainty: None,
                warnings: Vec::new(),
            };
            if merged.effect == merge::Effect::Unchanged {
                let position = *self.store.head().borrow();
                self.visible(position).await;
                return Ok(Some(receipt(Outcome::Unchanged)));
            }
            property.put(merged.advert);
            let put = PutProperty {
                property,
                expected: Expected::Revision(stored.revision),
                advert,
                cause: PutCause::Changed { events: merged.events },
            };
            let changes = ChangeSet { recorded_at: now, steps: vec![Step::Put(put)] };
            match self.store.commit(changes).await? {
                CommitOutcome::Committed(position) => {
                    self.visible(position).await;
                    return Ok(Some(receipt(Outcome::Updated)));
                }
                CommitOutcome::Conflict | CommitOutcome::TooManySearches => {}
            }
        }
        Err(Error::Contended)
    }

    /// Erases an advert with everything that was kept of it, tells of it, and waits until it is found no more. `None` when there
    /// is no such advert.
    pub async fn erase(&self, advert: AdvertId, tell: impl FnOnce(&Erased)) -> Result<Option<Erased>, Error> {
        let erased = self.store.erase(advert, self.clock.now()).await?;
        if let Some(erased) = &erased {
            tell(erased);
            self.visible(erased.position).await;
        }
        Ok(erased)
    }

    /// Plans a batch, reading what the plan asks for. `None` when what is read keeps contradicting itself because somebody
    /// else is writing; a fresh look settles that.
    async fn plan(&self, drafts: &[AdvertDraft], received_at: Timestamp) -> Result<Option<Plan>, Error> {
        let mut knowledge = Knowledge::default();
        for _ in 0..READS_MAX {
            match plan::plan(drafts, &knowledge, received_at, &*self.ids, &|place| self.place(place)) {
                Ok(plan) => return Ok(Some(plan)),
                Err(missing) => self.learn(&mut knowledge, missing).await?,
            }
        }
        Ok(None)
    }

    /// Where the reference geography puts a place, and what it finds odd about it.
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

    async fn learn(&self, knowledge: &mut Knowledge, missing: plan::Missing) -> Result<(), Error> {
        let plan::Missing { identities, properties } = missing;
        if !identities.is_empty() {
            let found = self.store.locate(identities.clone()).await?;
            knowledge.located.extend(identities.into_iter().zip(found));
        }
        if !properties.is_empty() {
            let mut found = self.store.properties(properties.clone()).await?;
            knowledge.properties.extend(properties.into_iter().map(|id| (id, found.remove(&id))));
        }
        Ok(())
    }
}
