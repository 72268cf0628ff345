//! Deliveries as their owners and operators see them: listing, replaying, webhook secrets, and the webhook tester.
//!
//! Only the webhook tester sends from here. Replayed deliveries become pending, and the
//! [dispatcher](crate::workers::dispatcher) sends them.

mod sample;

use bytes::Bytes;
use delivery::{AttemptResult, WebhookMessage};
use domain::{
    CancelReason, DeliveryChannel, DeliveryId, DeliveryState, Endpoint, SearchId, Timestamp, UserId,
    WebhookSecret, WebhookSecrets,
};
use store::{
    Attempt, AttemptSummaries, DeliveryList, DeliveryPage, DeliveryRow, NewSecret, Replay, StoredSearch,
};
use wire::webhook::WebhookEvent;

use crate::workers::dispatcher::payload::{self, MatchPayload};
use crate::workers::dispatcher::render;
use crate::{App, Error};

pub use sample::Sample;

/// How many deliveries one transaction replays: few enough that other writers hardly wait for it.
const REPLAY_BATCH: usize = 1_000;

/// The result of replaying a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replayed {
    Done,
    /// No delivery has this id, or another user owns it.
    Unknown,
    /// The delivery is already pending or in flight.
    InProgress,
    /// The search of the delivery was deleted.
    SearchDeleted,
    /// The advert was erased.
    Erased,
    /// The search does not send to this channel any more.
    ChannelInactive(CancelReason),
}

/// The body that the webhook tester sent, and the response.
#[derive(Debug, Clone)]
pub struct Tested {
    pub body: Bytes,
    pub result: AttemptResult,
}

/// The webhook of a delivery, as one of its attempts sends it.
#[derive(Debug, Clone)]
pub struct RenderedRequest {
    /// When the attempt began; now if there was none.
    pub at: Timestamp,
    /// Where it went; `None` if there was no attempt.
    pub target: Option<String>,
    pub sequence: u64,
    pub property_version: Option<u32>,
    /// The secrets that sign messages now.
    pub secrets: Vec<WebhookSecret>,
    pub body: Bytes,
}

/// What there is to show of the request of a delivery.
#[derive(Debug, Clone)]
pub enum RequestLookup {
    Rendered(RenderedRequest),
    /// No delivery has this id, or another user owns it, or it has no attempt with this number.
    Unknown,
    /// It is an e-mail.
    NotAWebhook,
    /// What it is about was erased or cannot be read, or its search was deleted.
    Gone,
}

impl App {
    pub async fn deliveries(&self, list: DeliveryList) -> Result<DeliveryPage, Error> {
        Ok(self.store.list_deliveries(list).await?)
    }

    /// Returns a delivery with its attempts, or `None` if `owner` does not own it. The operator passes no owner.
    pub async fn delivery_of(
        &self,
        owner: Option<UserId>,
        id: DeliveryId,
    ) -> Result<Option<(DeliveryRow, Vec<Attempt>)>, Error> {
        let found = self.store.delivery(id).await?;
        Ok(found.filter(|(delivery, _)| owner.is_none_or(|owner| delivery.owner == owner)))
    }

    /// Renders the webhook of a delivery again: of the attempt with this number, from 1 on, or of the last one.
    pub async fn delivery_request(
        &self,
        owner: UserId,
        id: DeliveryId,
        attempt: Option<usize>,
    ) -> Result<RequestLookup, Error> {
        let Some((delivery, attempts)) = self.delivery_of(Some(owner), id).await? else {
            return Ok(RequestLookup::Unknown);
        };
        let shown = match attempt {
            None => attempts.last(),
            Some(number) => match number.checked_sub(1).and_then(|index| attempts.get(index)) {
                None => return Ok(RequestLookup::Unknown),
                shown => shown,
            },
        };
        if delivery.lane.channel == DeliveryChannel::Email {
            return Ok(RequestLookup::NotAWebhook);
        }
        let Some(search) = self.store.search_by_number(delivery.lane.search).await? else {
            return Ok(RequestLookup::Gone);
        };
        let Some(due) = self.store.delivery_source(id).await? else { return Ok(RequestLookup::Unknown) };
        let Some(body) = render::webhook_body(self, &search, &due).await? else {
            return Ok(RequestLookup::Gone);
        };
        let secrets = self.webhook_secrets(owner).await?;
        Ok(RequestLookup::Rendered(RenderedRequest {
            at: shown.map_or_else(|| self.clock.now(), |attempt| attempt.started_at),
            target: shown.and_then(|attempt| attempt.target.clone()),
            sequence: due.lane_sequence,
            property_version: due.subject.as_ref().map(|subject| subject.version),
            secrets: secrets.signing_secrets(self.clock.now()).cloned().collect(),
            body,
        }))
    }

    /// Returns the attempts of a user's deliveries that were created since a date, of at most `limit` deliveries.
    pub async fn attempts_since(
        &self,
        owner: UserId,
        since: Timestamp,
        limit: usize,
    ) -> Result<AttemptSummaries, Error> {
        Ok(self.store.attempts_since(owner, since, limit).await?)
    }

    /// Sends a completed delivery again, whether it succeeded, failed or was cancelled.
    pub async fn replay_delivery(&self, owner: Option<UserId>, id: DeliveryId) -> Result<Replayed, Error> {
        let Some((delivery, _)) = self.delivery_of(owner, id).await? else { return Ok(Replayed::Unknown) };
        let Some(search) = self.store.search_by_number(delivery.lane.search).await? else {
            return Ok(Replayed::SearchDeleted);
        };
        if delivery.subject.is_none() {
            return Ok(Replayed::Erased);
        }
        if let Some(reason) = search.search.draft.alerts.cancel_reason(delivery.lane.channel) {
            return Ok(Replayed::ChannelInactive(reason));
        }
        if matches!(delivery.state, DeliveryState::Pending | DeliveryState::Leased) {
            return Ok(Replayed::InProgress);
        }
        let replayed = self.store.replay(Replay::One(id), self.clock.now(), 1).await?;
        self.wake(delivery.lane.search);
        // A concurrent request may have replayed it since it was read.
        Ok(if replayed.is_empty() { Replayed::InProgress } else { Replayed::Done })
    }

    /// Sends again all deliveries of a search created since `since` that failed, or were cancelled for a reason that may be gone
    /// ([`Replay::Failed`]). Returns how many, or `None` if the alerts of the search are disabled, because all of them would be
    /// cancelled again.
    pub async fn replay_failed(&self, search: &StoredSearch, since: Timestamp) -> Result<Option<u64>, Error> {
        if !search.search.draft.alerts.enabled {
            return Ok(None);
        }
        // All batches use the same time, so that a delivery that fails again meanwhile is not replayed twice.
        let (now, mut count, mut after) = (self.clock.now(), 0, None);
        loop {
            let replay = Replay::Failed { search: search.number, since, after };
            let replayed = self.store.replay(replay, now, REPLAY_BATCH).await?;
            count += replayed.len() as u64;
            self.wake(search.number);
            if replayed.len() < REPLAY_BATCH {
                return Ok(Some(count));
            }
            after = replayed.last().copied();
        }
    }

    /// Counts the deliveries that [`App::replay_failed`] would send again now. Returns `None` if notifications of the search are off.
    pub async fn count_replayable(
        &self,
        search: &StoredSearch,
        since: Timestamp,
    ) -> Result<Option<u64>, Error> {
        if !search.search.draft.alerts.enabled {
            return Ok(None);
        }
        Ok(Some(self.store.count_replayable(search.number, since).await?))
    }

    /// Returns the secrets that sign a user's webhooks. The first call creates one.
    pub async fn webhook_secrets(&self, user: UserId) -> Result<WebhookSecrets, Error> {
        match self.store.webhook_secrets(user).await? {
            Some(secrets) => Ok(secrets),
            None => self.new_secret(user, NewSecret::First).await,
        }
    }

    /// Gives a user a new secret. For [`WebhookSecrets::OVERLAP`], messages are signed with the previous one as well.
    pub async fn rotate_webhook_secret(&self, user: UserId) -> Result<WebhookSecrets, Error> {
        // A user who rotates before any message was signed has no previous secret.
        self.new_secret(user, NewSecret::Rotation).await
    }

    async fn new_secret(&self, user: UserId, rule: NewSecret) -> Result<WebhookSecrets, Error> {
        let mut random = [0; WebhookSecret::BYTES];
        getrandom::fill(&mut random).map_err(Error::NoRandomness)?;
        let secret = WebhookSecret::new(random);
        Ok(self.store.put_webhook_secret(user, secret, rule, self.clock.now()).await?)
    }

    /// Sends a sample to an endpoint, once and immediately, as a search of the user would send it. Returns `None` if this process
    /// sends nothing.
    pub async fn test_webhook(
        &self,
        user: UserId,
        endpoint: Endpoint,
        sample: Sample,
    ) -> Result<Option<Tested>, Error> {
        let Some(transport) = self.transport() else { return Ok(None) };
        let at = self.clock.now();
        let (property, event) = sample.generate(self, at);
        let renderer = self.document_renderer().await?;
        let Some(document) = renderer.render_for_webhook(&property) else { return Ok(None) };
        // Fresh ids: requests for them return 404.
        let matched = MatchPayload {
            id: domain::MatchId::from_uuid(self.fresh_id()),
            property: property.id,
            search: SearchId::from_uuid(self.fresh_id()),
            at,
            document: &document,
        };
        let event = match sample {
            Sample::Match => None,
            Sample::Event(name) => {
                let changed = property.adverts.first().map(|advert| advert.id);
                changed.map(|advert| WebhookEvent { name, event: &event, advert })
            }
        };
        let body = Bytes::from(payload::render(self, &matched, event));
        let secrets = self.webhook_secrets(user).await?.signing_secrets(at).cloned().collect();
        let id = DeliveryId::from_uuid(self.fresh_id());
        let message = WebhookMessage { endpoint, id, at, secrets, order: None, body: body.clone() };
        let result = transport.send_webhook(&message).await;
        Ok(Some(Tested { body, result }))
    }
}

#[cfg(test)]
mod tests;
