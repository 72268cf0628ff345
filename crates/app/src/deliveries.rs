//! Deliveries as their owners and operators see them: what was owed, what became of it, sending it again; what it is signed with; and
//! how to be left in peace.
//!
//! Nothing is sent here but what somebody tries out. What is made pending again is found by the
//! [`dispatcher`](crate::workers::dispatcher).

mod sample;

use bytes::Bytes;
use delivery::{AttemptResult, WebhookMessage};
use domain::{
    CancelReason, DeliveryId, DeliveryState, Endpoint, SearchId, Timestamp, UserId, WebhookSecret,
    WebhookSecrets,
};
use store::{Attempt, DeliveryList, DeliveryPage, DeliveryRow, NewSecret, Replay, StoredSearch};
use subtle::ConstantTimeEq;

use crate::dispatch::Told;
use crate::{App, Error};

pub use sample::Sample;

/// How often an unsubscription is tried anew when others change the same search at the same time.
const ATTEMPTS: usize = 5;

/// How many deliveries are made pending again at once: writers wait for each other.
const REPLAY_AT_ONCE: usize = 1_000;

/// What became of the draft to send a delivery again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replayed {
    Done,
    /// There is none of that id, or it is somebody else's.
    Unknown,
    /// It is yet to be sent anyway, or is being sent now.
    UnderWay,
    /// There is nobody left to send it to.
    SearchDeleted,
    /// What it tells of was erased.
    Erased,
    /// Its search says, for this reason, that nothing goes there.
    Silent(CancelReason),
}

/// What was sent to try an address out, and what came of it.
#[derive(Debug, Clone)]
pub struct Tested {
    pub body: Bytes,
    pub exchange: AttemptResult,
}

impl App {
    pub async fn deliveries(&self, asked: DeliveryList) -> Result<DeliveryPage, Error> {
        Ok(self.store.list_deliveries(asked).await?)
    }

    /// A delivery with its attempts; nothing when it is not its owner who asks. No owner at all is whoever runs the service.
    pub async fn delivery_of(
        &self,
        owner: Option<UserId>,
        id: DeliveryId,
    ) -> Result<Option<(DeliveryRow, Vec<Attempt>)>, Error> {
        let found = self.store.delivery(id).await?;
        Ok(found.filter(|(delivery, _)| owner.is_none_or(|owner| delivery.owner == owner)))
    }

    /// Sends a delivery again, whatever became of it.
    pub async fn replay_delivery(&self, owner: Option<UserId>, id: DeliveryId) -> Result<Replayed, Error> {
        let Some((delivery, _)) = self.delivery_of(owner, id).await? else { return Ok(Replayed::Unknown) };
        let Some(search) = self.store.search_by_number(delivery.lane.search).await? else {
            return Ok(Replayed::SearchDeleted);
        };
        if delivery.subject.is_none() {
            return Ok(Replayed::Erased);
        }
        if let Some(reason) = search.search.draft.alerts.cancel_reason(delivery.lane.channel) {
            return Ok(Replayed::Silent(reason));
        }
        if matches!(delivery.state, DeliveryState::Pending | DeliveryState::Leased) {
            return Ok(Replayed::UnderWay);
        }
        let replayed = self.store.replay(Replay::One(id), self.clock.now(), 1).await?;
        self.wake(delivery.lane.search);
        // Somebody else had the same draft a moment earlier.
        Ok(if replayed.is_empty() { Replayed::UnderWay } else { Replayed::Done })
    }

    /// Sends everything of a search again that failed, or was cancelled because it had nowhere to go, and was owed since a moment.
    /// Answers how many that are; nothing when the search is switched off, so that all of it would be cancelled once more.
    pub async fn replay_failed(&self, search: &StoredSearch, since: Timestamp) -> Result<Option<u64>, Error> {
        if !search.search.draft.alerts.enabled {
            return Ok(None);
        }
        // One moment for all of it: what fails again meanwhile is not sent once more.
        let (now, mut count, mut after) = (self.clock.now(), 0, None);
        loop {
            let replay = Replay::Failed { search: search.number, since, after };
            let replayed = self.store.replay(replay, now, REPLAY_AT_ONCE).await?;
            count += replayed.len() as u64;
            self.wake(search.number);
            if replayed.len() < REPLAY_AT_ONCE {
                return Ok(Some(count));
            }
            after = replayed.last().copied();
        }
    }

    /// What a user's webhooks are signed with; made when it is asked for first.
    pub async fn webhook_secrets(&self, user: UserId) -> Result<WebhookSecrets, Error> {
        match self.store.webhook_secrets(user).await? {
            Some(secrets) => Ok(secrets),
            None => self.new_secret(user, NewSecret::First).await,
        }
    }

    /// Gives a user a new secret. Messages are signed with the one it replaces as well for [`WebhookSecrets::OVERLAP`].
    pub async fn rotate_webhook_secret(&self, user: UserId) -> Result<WebhookSecrets, Error> {
        // Whoever rotates before anything was ever signed has no secret before.
        self.new_secret(user, NewSecret::Rotation).await
    }

    async fn new_secret(&self, user: UserId, rule: NewSecret) -> Result<WebhookSecrets, Error> {
        let mut random = [0; WebhookSecret::BYTES];
        getrandom::fill(&mut random).map_err(Error::NoRandomness)?;
        let secret = WebhookSecret::new(random);
        Ok(self.store.put_webhook_secret(user, secret, rule, self.clock.now()).await?)
    }

    /// Whether a token is that of a search.
    pub async fn is_token_of(&self, search: SearchId, token: &str) -> Result<bool, Error> {
        Ok(self.search_by_token(search, token).await?.is_some())
    }

    /// Ends a search's emails on behalf of whoever has its token. Letters that are ended already stay so. `false` when the token
    /// is not the search's.
    pub async fn unsubscribe(&self, search: SearchId, token: &str) -> Result<bool, Error> {
        for _ in 0..ATTEMPTS {
            let Some(known) = self.search_by_token(search, token).await? else { return Ok(false) };
            if known.search.draft.alerts.email.is_none() {
                return Ok(true);
            }
            let mut draft = known.search.draft.clone();
            draft.alerts.email = None;
            if self.update_search(&known, draft).await?.is_some() {
                return Ok(true);
            }
        }
        Err(Error::Contended)
    }

    async fn search_by_token(&self, search: SearchId, token: &str) -> Result<Option<StoredSearch>, Error> {
        let matches = |stored: &StoredSearch| {
            bool::from(stored.search.token.as_str().as_bytes().ct_eq(token.as_bytes()))
        };
        Ok(self.store.search(search).await?.filter(matches))
    }

    /// Sends an example to an address, once and at once, as it would be sent for a search of the user's. Nothing when this process
    /// sends nothing.
    pub async fn test_webhook(
        &self,
        user: UserId,
        endpoint: Endpoint,
        sample: Sample,
    ) -> Result<Option<Tested>, Error> {
        let (Some(transport), Some(renderer)) = (self.transport(), self.renderer()) else { return Ok(None) };
        let at = self.clock.now();
        let (property, event) = sample.made(self, at);
        let sites = self.sites().await?;
        let Some(document) = renderer.document(self, &sites, &property) else { return Ok(None) };
        // Ids that nobody was ever given: whoever looks for them finds nothing.
        let told = Told {
            matching: domain::MatchId::from_uuid(self.fresh_id()),
            property: property.id,
            search: SearchId::from_uuid(self.fresh_id()),
            at,
            document: &document,
        };
        let body = match sample {
            Sample::Match => renderer.match_body(&told),
            Sample::Event(name) => renderer.event_body(name, &event, &told),
        };
        let body = Bytes::from(body);
        let secrets = self.webhook_secrets(user).await?.signing_secrets(at).cloned().collect();
        let id = DeliveryId::from_uuid(self.fresh_id());
        let exchange = transport
            .post(&WebhookMessage { endpoint, id, at, secrets, order: None, body: body.clone() })
            .await;
        Ok(Some(Tested { body, exchange }))
    }
}

#[cfg(test)]
mod tests;
