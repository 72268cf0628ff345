//! Ingesting batches that follow each other: the next one is planned while one is committed.
//!
//! A plan has to know what the batch before changes ([`Handover`]), not that this is durable. Its own changes are given to the store
//! once those of the batch before are durable. If these were refused, because another writer was faster, the plan is dropped, and both
//! batches are planned again, in order.
//!
//! On PostgreSQL, a plan that begins late in the turn of the process waits for the next turn, and so for the batch before.

use std::sync::Arc;

use store::{GroupingTurn, Position};
use tokio::task::JoinHandle;

use super::plan::{Handover, Loaded, Relocated};
use super::{Commit, DraftBatch, IngestedDrafts, PlannedPart, PreparedDrafts, Receipt};
use crate::{App, Error, run_to_end};

/// A batch that is planned, and being committed. If it is dropped, the commit goes on, but is not tried again if it is refused.
pub struct Ingesting {
    batch: DraftBatch,
    /// `None` once they were returned.
    receipts: Option<Vec<Receipt>>,
    handover: Handover,
    /// What the batch before has changed: the next one may have been prepared before that.
    relocated_before: Arc<Relocated>,
    progress: Progress,
}

/// The result of a commit: `None` if it was refused.
type Committed = Result<Option<Position>, Error>;

enum Progress {
    Committing(JoinHandle<Committed>),
    Ended(Committed),
}

impl Progress {
    async fn end(&mut self) {
        if let Self::Committing(commit) = self {
            *self = Self::Ended(commit.await.map_err(|_| Error::Interrupted).flatten());
        }
    }
}

/// The plan of a batch, and the turn in which it was made.
struct PlannedAhead {
    part: PlannedPart,
    turn: Option<GroupingTurn>,
}

impl Ingesting {
    /// Waits until the commit has ended, well or not, and may be dropped before. [`App::finish_ingesting`] does the rest.
    pub async fn end(&mut self) {
        self.progress.end().await;
    }
}

impl App {
    /// Begins to ingest a batch: plans it while the one before is committed, and returns once its own commit has begun. Also returns
    /// the receipts of the batch before, which is durable then, unless they were returned already.
    ///
    /// At most one more batch may have been prepared meanwhile: what is handed over are the changes of the last two.
    pub async fn ingest_next(
        &self,
        prepared: PreparedDrafts,
        before: Option<Ingesting>,
    ) -> Result<(Ingesting, Option<Vec<Receipt>>), Error> {
        let app = self.clone();
        // The outcome of a commit has to reach the state of grouping.
        run_to_end(async move { app.follow(prepared, before).await }).await
    }

    /// Waits until a batch is durable, and returns its receipts, unless they were returned already. If there is no next one yet, others may
    /// write before it comes, so it reads the properties again.
    pub async fn finish_ingesting(
        &self,
        ingesting: Ingesting,
    ) -> Result<(Ingesting, Option<Vec<Receipt>>), Error> {
        let app = self.clone();
        run_to_end(async move {
            let (mut done, _) = app.finish(ingesting, None).await?;
            let receipts = done.receipts.take();
            done.handover = Handover::of(done.handover.relocated);
            Ok((done, receipts))
        })
        .await
    }

    async fn follow(
        &self,
        prepared: PreparedDrafts,
        before: Option<Ingesting>,
    ) -> Result<(Ingesting, Option<Vec<Receipt>>), Error> {
        let PreparedDrafts { batch, mut loaded, head } = prepared;
        let Some(before) = before else {
            let planned = self.plan_ahead(&batch, loaded).await?;
            return Ok((self.begin(batch, planned, Arc::default()).await?, None));
        };
        let is_visible = matches!(before.progress, Progress::Ended(Ok(Some(position))) if position <= head);
        if !is_visible {
            loaded.relocate(Arc::clone(&before.relocated_before));
            loaded.take_over(&before.handover);
        }
        let planned = match loaded.is_uncertain() {
            true => Ok(None),
            false => self.plan_ahead(&batch, loaded).await,
        };
        let planned = match planned {
            Ok(planned) => planned,
            Err(error) => {
                // The batch before may still have to be committed again, and if it cannot be, that is the reason.
                self.finish(before, None).await?;
                return Err(error);
            }
        };
        let (Ingesting { handover, receipts, .. }, planned) = self.finish(before, planned).await?;
        Ok((self.begin(batch, planned, handover.relocated).await?, receipts))
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
        relocated_before: Arc<Relocated>,
    ) -> Result<Ingesting, Error> {
        let Some(PlannedAhead { part: PlannedPart { receipts, handover, changes }, turn }) = planned else {
            let done = self.ingest_from(&batch, 0, None).await?;
            return Ok(Ingesting::ended(batch, done, relocated_before));
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
            let (receipts, progress) = (Some(receipts), Progress::Committing(commit));
            return Ok(Ingesting { batch, receipts, handover, relocated_before, progress });
        }
        // Too large for one commit.
        let committed = self.commit_planned(changes).await?;
        drop(turn);
        let done = match committed {
            Some(position) => {
                let mut done = IngestedDrafts { receipts, relocated: handover.relocated, position };
                done.add(self.ingest_from(&batch, done.receipts.len(), None).await?);
                done
            }
            None => self.ingest_from(&batch, 0, None).await?,
        };
        Ok(Ingesting::ended(batch, done, relocated_before))
    }

    /// Waits until a batch is durable and visible. Returns the plan of the next one, if that is still good.
    async fn finish(
        &self,
        mut ingesting: Ingesting,
        next: Option<PlannedAhead>,
    ) -> Result<(Ingesting, Option<PlannedAhead>), Error> {
        ingesting.end().await;
        if let Progress::Ended(Ok(Some(position))) = ingesting.progress {
            self.wait_visible(position).await;
            return Ok((ingesting, next));
        }
        let withdrawn = match next {
            Some(PlannedAhead { part, turn }) => {
                // The batch below may have to wait for another process.
                drop(turn);
                self.withdraw_planned(part).await
            }
            None => Ok(()),
        };
        let Ingesting { batch, relocated_before, progress, .. } = ingesting;
        if let Progress::Ended(Err(error)) = progress {
            // Says more than what failed after it.
            return Err(error);
        }
        withdrawn?;
        let done = self.ingest_from(&batch, 0, None).await?;
        self.wait_visible(done.position).await;
        Ok((Ingesting::ended(batch, done, relocated_before), None))
    }

    async fn withdraw_planned(&self, planned: PlannedPart) -> Result<(), Error> {
        match planned.changes {
            Some(changes) => self.withdraw(changes.reservation).await,
            None => Ok(()),
        }
    }
}

impl Ingesting {
    fn ended(batch: DraftBatch, done: IngestedDrafts, relocated_before: Arc<Relocated>) -> Self {
        let IngestedDrafts { receipts, relocated, position } = done;
        Self {
            batch,
            receipts: Some(receipts),
            handover: Handover::of(relocated),
            relocated_before,
            progress: Progress::Ended(Ok(Some(position))),
        }
    }
}

#[cfg(test)]
mod tests;
