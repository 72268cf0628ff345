//! Asks recipients of e-mails for confirmation, if it is required, and finds the lanes that wait for one.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use delivery::{ConfirmationEmail, EmailId};
use domain::{DeliveryChannel, EmailAddress, Outcome, SearchNumber, Timestamp, UserId, WebAddress};
use store::{Lane, SearchLookup};

use super::{Dispatcher, later};
use crate::confirmation::{LINK_LIFETIME, hash_of, is_open};
use crate::dispatch::{Confirmation, Dispatch};
use crate::{App, Error};

/// How often a lane that waits for a confirmation is looked at again.
pub(super) const CONFIRMATION_POLL: Duration = Duration::from_secs(30);

/// How long after a question that could not be sent the next one is.
const ASK_AGAIN_AFTER: Duration = Duration::from_secs(3_600);

/// A question to be sent to a recipient.
struct ConfirmationRequest {
    user: UserId,
    address: EmailAddress,
}

impl Dispatcher {
    /// Returns the lanes among these that must not send before their recipient confirms, and asks the recipient if needed.
    pub(super) async fn unconfirmed(
        &mut self,
        lanes: &[Lane],
        searches: &HashMap<SearchNumber, SearchLookup>,
        now: Timestamp,
    ) -> Result<BTreeSet<Lane>, Error> {
        let mut waiting = BTreeSet::new();
        if self.dispatch.settings.confirmation == Confirmation::NotNeeded
            || !self.dispatch.transport.sends_email()
        {
            return Ok(waiting);
        }
        for lane in lanes.iter().filter(|lane| lane.channel == DeliveryChannel::Email) {
            let Some(SearchLookup::Found(stored)) = searches.get(&lane.search) else { continue };
            let alerts = &stored.search.draft.alerts;
            let Some(address) = alerts.email.clone().filter(|_| alerts.enabled) else { continue };
            let user = stored.search.owner;
            let found = self.app.store.recipient_confirmation(user, address.clone()).await?;
            if found.is_some_and(|found| found.confirmed_at.is_some()) {
                continue;
            }
            waiting.insert(*lane);
            if found.is_none_or(|found| !is_open(found.asked_at, now)) {
                self.ask(ConfirmationRequest { user, address }, now)?;
            }
        }
        Ok(waiting)
    }

    /// Returns whether a delivery that waits since its due date has waited long enough.
    pub(super) fn has_waited_too_long(due_at: Timestamp, now: Timestamp) -> bool {
        later(due_at, LINK_LIFETIME) <= now
    }

    /// Sends a question, unless one is being sent or the limits are reached.
    fn ask(&mut self, question: ConfirmationRequest, now: Timestamp) -> Result<(), Error> {
        let key = (question.user, question.address.as_str().to_lowercase());
        if self.asked.contains_key(&key)
            || self.rates.email_free_at(&question.address, question.user, now).is_some()
        {
            return Ok(());
        }
        let mut random = [0; 48];
        getrandom::fill(&mut random).map_err(Error::NoRandomness)?;
        self.asked.insert(key, later(now, ASK_AGAIN_AFTER));
        self.rates.count_email(&question.address, question.user, now);
        let (app, dispatch) = (self.app.clone(), Arc::clone(&self.dispatch));
        self.attempts.spawn(send_question(app, dispatch, question, random));
        Ok(())
    }
}

/// The question is recorded after it was sent. If the process ends in between, the recipient is asked once more; the other way round
/// it would never be.
async fn send_question(app: App, dispatch: Arc<Dispatch>, question: ConfirmationRequest, random: [u8; 48]) {
    let ConfirmationRequest { user, address } = question;
    let (token, id) = random.split_at(32);
    let token = token.iter().fold(String::new(), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    });
    let base = dispatch.settings.public_url.trim_end_matches('/');
    let Ok(link) = WebAddress::parse(&format!("{base}/public/recipients/{token}")) else { return };
    let at = app.clock.now();
    let id = EmailId::random(id.try_into().unwrap_or_default());
    let email = ConfirmationEmail { id, to: address.clone(), at, link };
    match dispatch.transport.send_confirmation(&email).await.outcome {
        Outcome::Delivered => {
            if let Err(error) = app.store.put_question(user, address, hash_of(&token), at).await {
                let error = &error as &dyn std::error::Error;
                tracing::error!(
                    error,
                    "cannot record that a recipient was asked for confirmation; asking again later"
                );
            }
        }
        Outcome::Failed(fault) => {
            tracing::warn!(?fault, "cannot ask a recipient for confirmation; retrying in an hour");
        }
        Outcome::Interrupted => {}
    }
}
