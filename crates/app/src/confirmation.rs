//! Recipients of e-mails confirm that they want them, if the operator requires it.
//!
//! The question goes to the address once the first e-mail is due, with a link that is valid for [`LINK_LIFETIME`]. The link belongs to
//! one user and one address. Deliveries wait for at most as long, and are then cancelled. The
//! [dispatcher](crate::workers::dispatcher) asks.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::{DeliveryChannel, DeliveryState, SearchNumber, Timestamp};
use sha2::{Digest, Sha256};
use store::{DeliveryRow, RecipientConfirmation, SearchLookup};

use crate::dispatch::Confirmation;
use crate::{App, Error};

/// How long a link is valid, and how long a delivery waits.
pub const LINK_LIFETIME: Duration = Duration::from_secs(7 * 86_400);

/// What a link leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfirmationLink {
    Open,
    Confirmed,
}

/// Returns what the store keeps of a token.
pub(crate) fn hash_of(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// Returns `true` if the link of a question is still valid.
pub(crate) fn is_open(asked_at: Timestamp, now: Timestamp) -> bool {
    now < asked_at.saturating_add(LINK_LIFETIME).unwrap_or(Timestamp::MAX)
}

impl App {
    /// Returns what a link leads to, or `None` if it is unknown or expired.
    pub async fn confirmation_link(&self, token: &str) -> Result<Option<ConfirmationLink>, Error> {
        let found = self.store.confirmation_by_token(hash_of(token)).await?;
        let now = self.clock.now();
        Ok(found.and_then(|RecipientConfirmation { asked_at, confirmed_at, .. }| match confirmed_at {
            Some(_) => Some(ConfirmationLink::Confirmed),
            None => is_open(asked_at, now).then_some(ConfirmationLink::Open),
        }))
    }

    /// Confirms the recipient of a link. Returns `false` if the link is unknown or expired.
    pub async fn confirm_recipient(&self, token: &str) -> Result<bool, Error> {
        match self.confirmation_link(token).await? {
            None => Ok(false),
            Some(ConfirmationLink::Confirmed) => Ok(true),
            Some(ConfirmationLink::Open) => {
                self.store.confirm_recipient(hash_of(token), self.clock.now()).await?;
                Ok(true)
            }
        }
    }

    /// Returns the searches among those of some deliveries whose e-mails wait for their recipient.
    pub async fn awaiting_confirmation(&self, rows: &[DeliveryRow]) -> Result<BTreeSet<SearchNumber>, Error> {
        let is_required = self
            .dispatch
            .as_ref()
            .is_some_and(|dispatch| dispatch.settings.confirmation == Confirmation::Required);
        let waits = |row: &&DeliveryRow| {
            row.state == DeliveryState::Pending && row.lane.channel == DeliveryChannel::Email
        };
        let numbers: BTreeSet<_> = rows.iter().filter(waits).map(|row| row.lane.search).collect();
        let mut waiting = BTreeSet::new();
        if !is_required || numbers.is_empty() {
            return Ok(waiting);
        }
        for lookup in self.store.searches_by_number(numbers.into_iter().collect()).await? {
            let SearchLookup::Found(stored) = lookup else { continue };
            let Some(address) = stored.search.draft.alerts.email.clone() else { continue };
            let found = self.store.recipient_confirmation(stored.search.owner, address).await?;
            if found.is_none_or(|found| found.confirmed_at.is_none()) {
                waiting.insert(stored.number);
            }
        }
        Ok(waiting)
    }
}
