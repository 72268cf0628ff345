//! One round: reads the due deliveries of some lanes, plans what to do with each lane, claims deliveries and starts attempts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use delivery::Email;
use domain::{
    CancelReason, DeliveryChannel, DeliveryId, EmailAddress, Endpoint, Timestamp, registered_domain,
};
use store::{
    Claim, DueDelivery, Gather, LEASE, Lane, LaneHead, LanePeek, Notification, SearchLookup, StoredSearch,
};

use super::attempt::attempt;
use super::confirm::CONFIRMATION_POLL;
use super::in_flight::InFlight;
use super::render::{self, PendingMessage, Recipient};
use super::schedule::{AttemptEnd, MAIL_HOST, OrderKey, Route, Target};
use super::{Dispatcher, ELSEWHERE_PAUSE, later};
use crate::Error;

/// How many deliveries of one lane are attempted in one round.
const ATTEMPTS_PER_LANE: usize = 16;

/// How many blocked deliveries at the head of a lane are skipped in search of unblocked ones.
const BLOCKED_SKIP_MAX: usize = 128;

/// How many deliveries of one lane are cancelled in one round.
const CANCELS_PER_LANE: usize = 100;

/// How many matches one e-mail is about after its lane had to wait. It shows the first ones and counts the others.
const COLLECTED_MAX: usize = 300;

/// How long a lane is suspended if its search cannot be read.
const SUSPENSION: Duration = Duration::from_secs(600);

impl Dispatcher {
    /// Attempts the due deliveries of some lanes.
    pub(super) async fn run_round(&mut self, lanes: &[Lane], now: Timestamp) -> Result<(), Error> {
        let numbers: BTreeSet<_> = lanes.iter().map(|lane| lane.search).collect();
        let numbers: Vec<_> = numbers.into_iter().collect();
        let lookups = self.app.store.searches_by_number(numbers.clone()).await?;
        let searches: HashMap<_, _> = numbers.into_iter().zip(lookups).collect();

        let unconfirmed = self.unconfirmed(lanes, &searches, now).await?;
        let (mut peeks, mut plans) = (Vec::new(), Vec::new());
        for lane in lanes {
            let Some(lookup) = searches.get(&lane.search) else { continue };
            let plan = match unconfirmed.contains(lane) {
                true => LanePlan::Unconfirmed,
                false => self.plan(*lane, lookup, now),
            };
            match plan {
                LanePlan::Parked => continue,
                LanePlan::Wait(until) => {
                    self.defer(*lane, until);
                    continue;
                }
                LanePlan::Suspend => {
                    self.suspended.insert(*lane, later(now, SUSPENSION));
                    continue;
                }
                plan => {
                    peeks.push(plan.peek(*lane));
                    plans.push(plan);
                }
            }
        }
        let heads = self.app.store.peek_lanes(peeks, now).await?;

        let mut pending: Vec<PendingMessage> = Vec::new();
        let mut cancelled: BTreeMap<CancelReason, Vec<DeliveryId>> = BTreeMap::new();
        for (LaneHead { lane, due, next_due_at }, plan) in heads.into_iter().zip(plans) {
            let due_again_at = match plan {
                LanePlan::Cancel(reason) => {
                    cancelled.entry(reason).or_default().extend(due.iter().map(|due| due.id));
                    next_due_at
                }
                LanePlan::Unconfirmed => {
                    let expired = due.iter().filter(|due| Self::has_waited_too_long(due.due_at, now));
                    let expired = expired.map(|due| due.id);
                    cancelled.entry(CancelReason::Unconfirmed).or_default().extend(expired);
                    self.collecting.insert(lane);
                    self.defer(lane, later(now, CONFIRMATION_POLL));
                    None
                }
                LanePlan::Webhooks(plan) => {
                    let (due, unwanted): (Vec<_>, Vec<_>) = due.into_iter().partition(|due| plan.wants(due));
                    let unwanted = unwanted.iter().map(|due| due.id);
                    cancelled.entry(CancelReason::NoRecipient).or_default().extend(unwanted);
                    match self.start_webhooks(lane, due, &plan, &mut pending, now) {
                        Started::All => next_due_at,
                        Started::Partly => Some(now),
                        Started::Blocked => None,
                        Started::MustWait(until) => {
                            self.defer(lane, until);
                            None
                        }
                    }
                }
                LanePlan::Email(plan) if !due.is_empty() => {
                    self.start_email(lane, due, plan, next_due_at, &mut pending, now)
                }
                LanePlan::Email(_) | LanePlan::Parked | LanePlan::Wait(_) | LanePlan::Suspend => next_due_at,
            };
            if let Some(due_again_at) = due_again_at {
                self.schedule.add(lane, due_again_at);
            }
        }
        self.send(pending, &mut cancelled, now).await?;
        for (reason, deliveries) in cancelled {
            if !deliveries.is_empty() {
                self.dispatch.counters.record_cancelled(deliveries.len());
                self.app.store.cancel(deliveries, reason, now).await?;
            }
        }
        Ok(())
    }

    /// Starts the due deliveries of a lane: as many as the limits allow, and none that is blocked by another one in flight.
    fn start_webhooks(
        &mut self,
        lane: Lane,
        due: Vec<DueDelivery>,
        plan: &WebhookPlan,
        pending: &mut Vec<PendingMessage>,
        now: Timestamp,
    ) -> Started {
        let WebhookPlan { search, endpoint, target, domain, take, skip_blocked } = plan;
        let (mut started, mut blocked, mut free_at) = (0, 0, None);
        for due in due {
            if started == *take {
                return Started::Partly;
            }
            let order = due.subject.as_ref().map(|subject| OrderKey { lane, property: subject.property });
            if order.is_some_and(|order| self.schedule.is_blocked(order)) {
                blocked += 1;
                continue;
            }
            if let Some(until) = order.and_then(|order| self.elsewhere_until(order, now)) {
                blocked += 1;
                free_at = Some(free_at.map_or(until, |free_at: Timestamp| free_at.min(until)));
                continue;
            }
            // Other lanes of this round may have used up the minute.
            if let Some(until) = self.rates.webhook_free_at(domain, now) {
                return Started::MustWait(until);
            }
            let Some(in_flight) = self.reserve(lane, target, order) else { return Started::Blocked };
            self.rates.count_webhook(domain, now);
            let recipient = Recipient::Webhook { search: search.clone(), endpoint: endpoint.clone() };
            pending.push(PendingMessage { due: vec![due], recipient, in_flight });
            started += 1;
        }
        if let Some(free_at) = free_at {
            // No attempt of this server will end and make the lane ready.
            self.schedule.add(lane, free_at);
        }
        match (started, blocked) {
            (_, 0) => {
                self.blocked_at_head.remove(&lane);
                Started::All
            }
            // All deliveries read here are blocked, but later ones may not be.
            (0, _) if !skip_blocked => {
                self.blocked_at_head.insert(lane);
                Started::Partly
            }
            // Reading again before an attempt or a pause ends would return the same deliveries.
            (0, _) => Started::Blocked,
            _ => Started::All,
        }
    }

    /// Returns until when a property is left to another server. A clock that was set back does not make it longer.
    fn elsewhere_until(&self, order: OrderKey, now: Timestamp) -> Option<Timestamp> {
        let until = self.attempted_elsewhere.get(&order).copied();
        until.filter(|until| now < *until && *until <= later(now, ELSEWHERE_PAUSE))
    }

    /// Starts the e-mail of a lane. Returns when the lane is due again.
    fn start_email(
        &mut self,
        lane: Lane,
        mut due: Vec<DueDelivery>,
        plan: EmailPlan,
        next_due_at: Option<Timestamp>,
        pending: &mut Vec<PendingMessage>,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let EmailPlan { search, to, target } = plan;
        // Other lanes of this round may have used up the hour.
        if let Some(until) = self.rates.email_free_at(&to, target.user, now) {
            self.collecting.insert(lane);
            self.defer(lane, until);
            return None;
        }
        let in_flight = self.reserve(lane, &target, None)?;
        self.rates.count_email(&to, target.user, now);
        let is_repeated = due.first().is_some_and(|due| due.failures > 0 || due.interruptions > 0);
        let mut left_at = None;
        // A repeated e-mail is about the same matches as the first time.
        if !is_repeated && !self.collecting.remove(&lane) && due.len() > Email::LISTINGS_MAX {
            left_at = due.split_off(Email::LISTINGS_MAX).first().map(|left| left.due_at);
        }
        pending.push(PendingMessage { due, recipient: Recipient::Email { search, to }, in_flight });
        left_at.into_iter().chain(next_due_at).min()
    }

    /// Leaves a lane alone until a limit over time allows more.
    fn defer(&mut self, lane: Lane, until: Timestamp) {
        self.suspended.insert(lane, until);
        self.schedule.add(lane, until);
    }

    /// Decides what to do with a lane.
    fn plan(&mut self, lane: Lane, lookup: &SearchLookup, now: Timestamp) -> LanePlan {
        let stored = match lookup {
            SearchLookup::Found(stored) => stored,
            SearchLookup::NotFound => return LanePlan::Cancel(CancelReason::SearchDeleted),
            SearchLookup::Damaged => return LanePlan::Suspend,
        };
        let alerts = &stored.search.draft.alerts;
        if let Some(reason) = alerts.cancel_reason(lane.channel) {
            return LanePlan::Cancel(reason);
        }
        let endpoint = match lane.channel {
            DeliveryChannel::Match => alerts.endpoint.as_ref(),
            DeliveryChannel::Event => alerts.event_endpoint.as_ref(),
            DeliveryChannel::Email => None,
        };
        let transport = &self.dispatch.transport;
        let host: Arc<str> = match endpoint {
            // A refused endpoint is attempted like any other, so that the refusal is recorded as the outcome.
            Some(endpoint) => {
                transport.check_endpoint(endpoint).unwrap_or_else(|_| "refused".to_owned()).into()
            }
            None if transport.sends_email() => MAIL_HOST.into(),
            None => return LanePlan::Cancel(CancelReason::ChannelOff),
        };
        let user = stored.search.owner;
        let domain = registered_domain(host.rsplit_once(':').map_or(&*host, |(name, _port)| name)).to_owned();
        let wait_until = match (endpoint, &alerts.email) {
            (Some(_), _) => self.rates.webhook_free_at(&domain, now),
            (None, Some(to)) => self.rates.email_free_at(to, user, now),
            (None, None) => None,
        };
        if let Some(until) = wait_until {
            if lane.channel == DeliveryChannel::Email {
                self.collecting.insert(lane);
            }
            return LanePlan::Wait(until);
        }
        let target = Target { host, user };
        let capacity = self.schedule.capacity_or_park(lane, &target);
        if capacity == 0 {
            return LanePlan::Parked;
        }
        match (endpoint, &alerts.email) {
            // Cancelled above.
            (None, None) => LanePlan::Cancel(CancelReason::NoRecipient),
            (None, Some(to)) => {
                LanePlan::Email(EmailPlan { search: Arc::from(stored.clone()), to: to.clone(), target })
            }
            (Some(endpoint), _) => LanePlan::Webhooks(WebhookPlan {
                search: Arc::from(stored.clone()),
                endpoint: endpoint.clone(),
                target,
                domain,
                take: capacity.min(ATTEMPTS_PER_LANE),
                skip_blocked: self.blocked_at_head.contains(&lane),
            }),
        }
    }

    /// Reserves room for one more attempt. If there is none, because other lanes of this round have taken it, parks the lane.
    fn reserve(&mut self, lane: Lane, target: &Target, order: Option<OrderKey>) -> Option<InFlight> {
        if self.schedule.capacity_or_park(lane, target) == 0 {
            return None;
        }
        let route = Route { target: target.clone(), order };
        let permits = self.schedule.start(&route);
        Some(InFlight::new(route, permits, self.ended.0.clone()))
    }

    /// Renders, claims and attempts messages. Deliveries whose property was erased or is damaged are added to `cancelled`.
    async fn send(
        &mut self,
        pending: Vec<PendingMessage>,
        cancelled: &mut BTreeMap<CancelReason, Vec<DeliveryId>>,
        now: Timestamp,
    ) -> Result<(), Error> {
        if pending.is_empty() {
            return Ok(());
        }
        let rendered = render::render(&self.app, &self.dispatch, pending, now).await?;
        cancelled.entry(CancelReason::Erased).or_default().extend(rendered.erased);
        cancelled.entry(CancelReason::Damaged).or_default().extend(rendered.damaged);
        if rendered.messages.is_empty() {
            return Ok(());
        }
        self.last_claim += 1;
        let claim = self.last_claim;
        let deliveries: Vec<_> = rendered.messages.iter().flat_map(|message| message.ids()).collect();
        // The lease starts now and not when the round started: reading may have taken a while.
        let now = self.app.clock.now();
        let lease_until = later(now, LEASE);
        let (hidden, documents) = (rendered.hidden, rendered.documents);
        let request =
            Claim { claim_id: claim, at: now, lease_until, deliveries, contacts_hidden: hidden, documents };
        let claimed = self.app.store.claim(request).await?;
        let claimed: BTreeSet<DeliveryId> = claimed.into_iter().collect();
        for mut message in rendered.messages {
            // If another process claimed part of an e-mail, it has read the same deliveries and sends the rest as well.
            if message.ids().all(|id| claimed.contains(&id)) {
                let (app, dispatch) = (self.app.clone(), Arc::clone(&self.dispatch));
                let attempt = attempt(app, dispatch, message, claim, self.stopping.clone());
                self.attempts.spawn(self.recorder.recording(attempt, claim, lease_until));
            } else {
                message.in_flight.end = AttemptEnd::Refused;
                if let Some(order) = message.in_flight.order() {
                    self.attempted_elsewhere.insert(order, later(now, ELSEWHERE_PAUSE));
                }
                self.recorder.release(message.due.iter().filter(|due| claimed.contains(&due.id)), claim, now);
            }
        }
        Ok(())
    }
}

/// What to do with a lane in this round.
enum LanePlan {
    Webhooks(WebhookPlan),
    Email(EmailPlan),
    Cancel(CancelReason),
    /// The recipient has not confirmed yet.
    Unconfirmed,
    /// A limit is reached; the schedule has parked the lane.
    Parked,
    /// A limit over time is reached.
    Wait(Timestamp),
    /// The search cannot be read.
    Suspend,
}

struct WebhookPlan {
    search: Arc<StoredSearch>,
    endpoint: Endpoint,
    target: Target,
    /// The registered domain of the endpoint.
    domain: String,
    /// The number of attempts to start.
    take: usize,
    /// `true` if all deliveries at the head of the lane were blocked in the last round.
    skip_blocked: bool,
}

struct EmailPlan {
    search: Arc<StoredSearch>,
    to: EmailAddress,
    target: Target,
}

impl WebhookPlan {
    /// Returns `false` for an event that the search has unsubscribed from since.
    fn wants(&self, due: &DueDelivery) -> bool {
        match due.notification {
            Notification::Event(name, _) => self.search.search.draft.alerts.events.contains(&name),
            Notification::Match(_) => true,
        }
    }
}

/// How many of the due deliveries of a lane were started.
enum Started {
    All,
    /// More can start right now.
    Partly,
    /// No more can start before an attempt ends, or before the time that the lane is scheduled for.
    Blocked,
    /// No more can start before this time.
    MustWait(Timestamp),
}

impl LanePlan {
    fn peek(&self, lane: Lane) -> LanePeek {
        let (take, gather) = match self {
            Self::Webhooks(WebhookPlan { take, skip_blocked, .. }) => {
                let skipped = if *skip_blocked { BLOCKED_SKIP_MAX } else { 0 };
                (*take + skipped, Gather::DueOnly)
            }
            Self::Email(_) => (COLLECTED_MAX, Gather::WithNew),
            Self::Cancel(_) | Self::Unconfirmed => (CANCELS_PER_LANE, Gather::DueOnly),
            Self::Parked | Self::Wait(_) | Self::Suspend => (0, Gather::DueOnly),
        };
        LanePeek { lane, take, gather }
    }
}
