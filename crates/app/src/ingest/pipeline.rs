//! Ingesting batches that follow each other: the next one is planned while one is committed.
//!
//! A plan has to know what the batch before changes ([`Handover`]), not that this is durable. Its own changes are given to the store
//! once those of the batch before are durable. If these were refused, because another writer was faster, the plan is dropped, and both
//! batches are planned again, in order.

use tokio::task::JoinHandle;

use super::plan::{Handover, Loaded, Relocated};
use super::{Commit, DraftBatch, IngestedDrafts, PlannedPart, PreparedDrafts, Receipt};
use crate::{App, Error, run_to_end};
use store::{GroupingTurn, Position};

/// A batch that is planned, and being committed. If it is dropped, the commit goes on.
pub struct Ingesting {
    batch: DraftBatch,
    receipts: Vec<Receipt>,
    handover: Handover,
    /// What the batch before has changed: the next one may have been prepared before that.
    relocated_before: Relocated,
    progress: Progress,
}

enum Progress {
    /// Ends with `None` if the changes were refused.
    Committing(JoinHandle<Result<Option<Position>, Error>>),
    Committed(Position),
}

/// The plan of a batch, and the turn in which it was made.
struct PlannedAhead {
    part: PlannedPart,
    turn: Option<GroupingTurn>,
}

impl App {
    /// Begins to ingest a batch: plans it while the one before is committed, and returns once its own commit has begun. Also returns
    /// the receipts of the batch before, which is durable then.
    ///
    /// At most one more batch may have been prepared meanwhile.
    pub async fn ingest_next(
        &self,
        prepared: PreparedDrafts,
        before: Option<Ingesting>,
    ) -> Result<(Ingesting, Option<Vec<Receipt>>), Error> {
        let app = self.clone();
        // The outcome of a commit has to reach the state of grouping.
        run_to_end(async move { app.follow(prepared, before).await }).await
    }

    /// Waits until the last batch is ingested.
    pub async fn finish_ingesting(&self, last: Ingesting) -> Result<Vec<Receipt>, Error> {
        let app = self.clone();
        run_to_end(async move { Ok(app.finish(last, None).await?.0.receipts) }).await
    }

    async fn follow(
        &self,
        prepared: PreparedDrafts,
        before: Option<Ingesting>,
    ) -> Result<(Ingesting, Option<Vec<Receipt>>), Error> {
        let PreparedDrafts { batch, mut loaded } = prepared;
        let Some(before) = before else {
            let planned = self.plan_ahead(&batch, loaded).await?;
            return Ok((self.begin(batch, planned, Relocated::default()).await?, None));
        };
        loaded.relocate(&before.relocated_before);
        loaded.take_over(&before.handover);
        let planned = self.plan_ahead(&batch, loaded).await?;
        let (done, planned) = self.finish(before, planned).await?;
        Ok((self.begin(batch, planned, done.relocated).await?, Some(done.receipts)))
    }

    /// Plans a batch. Returns `None` if it cannot be planned before the batch before is committed.
    async fn plan_ahead(&self, batch: &DraftBatch, loaded: Loaded) -> Result<Option<PlannedAhead>, Error> {
        let turn = match batch.options.commit {
            Commit::Store => Some(self.store.grouping_turn().await?),
            Commit::DryRun => None,
        };
        Ok(self.plan(batch.part(0), loaded).await?.map(|part| PlannedAhead { part, turn }))
    }

    /// Begins to commit a batch, once nothing else is being committed.
    async fn begin(
        &self,
        batch: DraftBatch,
        planned: Option<PlannedAhead>,
        relocated_before: Relocated,
    ) -> Result<Ingesting, Error> {
        let Some(PlannedAhead { part: PlannedPart { mut receipts, handover, changes }, turn }) = planned
        else {
            let IngestedDrafts { receipts, relocated, position } = self.ingest_from(&batch, 0, None).await?;
            let (handover, progress) = (Handover::of(relocated), Progress::Committed(position));
            return Ok(Ingesting { batch, receipts, handover, relocated_before, progress });
        };
        if receipts.len() == batch.drafts.len() {
            let app = self.clone();
            #[expect(
                clippy::disallowed_methods,
                reason = "the next call waits for it, and a panic is an error"
            )]
            let commit = tokio::spawn(async move {
                let committed = app.commit_planned(changes).await;
                drop(turn);
                committed
            });
            let progress = Progress::Committing(commit);
            return Ok(Ingesting { batch, receipts, handover, relocated_before, progress });
        }
        // Too large for one commit.
        let mut relocated = handover.relocated;
        if self.commit_planned(changes).await?.is_none() {
            receipts.clear();
            relocated.clear();
        }
        drop(turn);
        let rest = self.ingest_from(&batch, receipts.len(), None).await?;
        receipts.extend(rest.receipts);
        relocated.extend(rest.relocated);
        let (handover, progress) = (Handover::of(relocated), Progress::Committed(rest.position));
        Ok(Ingesting { batch, receipts, handover, relocated_before, progress })
    }

    /// Waits until a batch is durable and visible. Returns the plan of the next one, if that is still good.
    async fn finish(
        &self,
        ingesting: Ingesting,
        next: Option<PlannedAhead>,
    ) -> Result<(IngestedDrafts, Option<PlannedAhead>), Error> {
        let Ingesting { batch, receipts, handover, relocated_before: _, progress } = ingesting;
        let committed = match progress {
            Progress::Committed(position) => Ok(Some(position)),
            Progress::Committing(commit) => commit.await.map_err(|_| Error::Interrupted).flatten(),
        };
        if let Ok(Some(position)) = committed {
            self.wait_visible(position).await;
            return Ok((IngestedDrafts { receipts, relocated: handover.relocated, position }, next));
        }
        let withdrawn = match next {
            Some(PlannedAhead { part, turn }) => {
                // The batch below may have to wait for another process.
                drop(turn);
                self.withdraw_planned(part).await
            }
            None => Ok(()),
        };
        // Why a commit failed says more than what failed after it.
        committed?;
        withdrawn?;
        let done = self.ingest_from(&batch, 0, None).await?;
        self.wait_visible(done.position).await;
        Ok((done, None))
    }

    async fn withdraw_planned(&self, planned: PlannedPart) -> Result<(), Error> {
        match planned.changes {
            Some(changes) => self.withdraw(changes.reservation).await,
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{AdvertDraft, FieldUpdate, Identity};
    use testkit::build::{advert_id, amount, draft, property_id};

    use super::*;
    use crate::ingest::IngestOptions;
    use crate::search::tests::app_without_workers;

    /// An advert of one of two properties, with a price.
    fn priced(number: u64, price: f64) -> AdvertDraft {
        let mut draft = draft(Identity::Uuid(advert_id(number)));
        draft.property = Some(property_id(number % 2));
        draft.patch.price = FieldUpdate::Set(Some(amount(price)));
        draft
    }

    #[tokio::test]
    async fn plan_that_begins_from_an_uncommitted_one_is_not_refused() {
        let (app, _folder) = app_without_workers();
        let prepare = async |numbers: [u64; 3], price| {
            let drafts = numbers.map(|number| priced(number, price)).to_vec();
            app.prepare(drafts, IngestOptions::default()).await.unwrap()
        };
        // Several steps for one property, then changes and a new advert of both.
        let mut batches = [prepare([1, 2, 3], 100_000.0).await, prepare([3, 4, 1], 90_000.0).await];
        let mut handover = Handover::default();
        let mut planned = Vec::new();
        for PreparedDrafts { batch, loaded } in &mut batches {
            let mut loaded = std::mem::take(loaded);
            loaded.take_over(&handover);
            let part = app.plan(batch.part(0), loaded).await.unwrap().unwrap();
            handover = part.handover;
            planned.push((part.receipts, part.changes));
        }
        let outcomes = |receipts: &[Receipt]| {
            let outcome = |receipt: &Receipt| match receipt {
                Receipt::Accepted { outcome, .. } => *outcome,
                Receipt::Rejected { violations } => panic!("{violations:?}"),
            };
            receipts.iter().map(outcome).collect::<Vec<_>>()
        };
        use crate::ingest::Outcome::{Created, Updated};
        assert_eq!(outcomes(&planned[0].0), [Created; 3]);
        assert_eq!(outcomes(&planned[1].0), [Updated, Created, Updated]);
        for (_, changes) in planned {
            assert!(app.commit_planned(changes).await.unwrap().is_some());
        }
        let property = app.property(property_id(1)).await.unwrap().unwrap();
        let prices: Vec<_> = property.adverts.iter().map(|advert| advert.details.price).collect();
        assert_eq!(prices, [Some(amount(90_000.0)); 2]);
    }
}
