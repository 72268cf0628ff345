//! One round: reads what is due in some lanes, decides what becomes of it, claims it and begins the attempts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use delivery::Email;
use domain::{CancelReason, DeliveryChannel, DeliveryId, Endpoint, Timestamp};
use store::{
    Claim, DueDelivery, Gather, LEASE, Lane, Notification, LanePeek, SearchLookup, StoredSearch, LaneHead,
};
use tokio::sync::mpsc;

use super::message::{self, Message, OutboundMessage};
use super::schedule::{Ending, MAIL_HOST, Permits, Route, Target, Topic};
use super::{Dispatcher, later, record};
use crate::Error;

/// How many of one lane are attempted in one round.
const TAKEN_PER_LANE: usize = 16;

/// How many of one lane that are behind others are passed over in search of some that are not.
const PASSED_OVER_MAX: usize = 128;

/// How many of a lane that are not to be sent are given up in one round.
const CANCELLED_PER_LANE: usize = 100;

/// How long a lane whose search cannot be read is left alone.
const DAMAGED_AGAIN_AFTER: Duration = Duration::from_secs(600);

/// Says that an attempt is over when it is dropped, whatever became of it.
pub(super) struct Slot {
    route: Route,
    pub(super) permits: Permits,
    pub(super) ending: Ending,
    ended: mpsc::UnboundedSender<Ended>,
}

/// What was under way, and how it was over.
pub(super) type Ended = (Route, Ending);

impl Drop for Slot {
    fn drop(&mut self) {
        // Nobody listens any more when the worker is gone.
        let _ = self.ended.send((self.route.clone(), self.ending));
    }
}

impl Dispatcher {
    /// Attempts what is due in some lanes.
    pub(super) async fn round(&mut self, lanes: &[Lane], now: Timestamp) -> Result<(), Error> {
        let numbers: BTreeSet<_> = lanes.iter().map(|lane| lane.search).collect();
        let numbers: Vec<_> = numbers.into_iter().collect();
        let sought = self.app.store.searches_by_number(numbers.clone()).await?;
        let searches: HashMap<_, _> = numbers.into_iter().zip(sought).collect();

        let (mut peeks, mut plans) = (Vec::new(), Vec::new());
        for lane in lanes {
            let Some(sought) = searches.get(&lane.search) else { continue };
            match self.plan(*lane, sought) {
                Plan::Aside => continue,
                Plan::LeaveAlone => {
                    self.left_alone.insert(*lane, later(now, DAMAGED_AGAIN_AFTER));
                    continue;
                }
                plan => {
                    peeks.push(plan.peek(*lane));
                    plans.push(plan);
                }
            }
        }
        let waiting = self.app.store.peek_lanes(peeks, now).await?;

        let mut messages: Vec<OutboundMessage> = Vec::new();
        let mut cancelled: BTreeMap<CancelReason, Vec<DeliveryId>> = BTreeMap::new();
        for (LaneHead { lane, due, next_due_at }, plan) in waiting.into_iter().zip(plans) {
            let look_again_at = match plan {
                Plan::Cancel(reason) => {
                    cancelled.entry(reason).or_default().extend(due.iter().map(|due| due.id));
                    next_due_at
                }
                Plan::WebhookMessage(post) => {
                    let (due, unwanted): (Vec<_>, Vec<_>) = due.into_iter().partition(|due| post.wants(due));
                    let unwanted = unwanted.iter().map(|due| due.id);
                    cancelled.entry(CancelReason::NoRecipient).or_default().extend(unwanted);
                    match self.begin_posts(lane, due, &post, &mut messages) {
                        Begun::All => next_due_at,
                        Begun::Some => Some(now),
                        Begun::Waits => None,
                    }
                }
                Plan::Write { search, target } if !due.is_empty() => {
                    let slot = self.slot(lane, &target, None);
                    let waits = slot.is_none();
                    let message = Message::Email { search };
                    messages.extend(slot.map(|slot| OutboundMessage { due, message, slot }));
                    next_due_at.filter(|_| !waits)
                }
                Plan::Write { .. } | Plan::Aside | Plan::LeaveAlone => next_due_at,
            };
            if let Some(look_again_at) = look_again_at {
                self.schedule.note(lane, look_again_at);
            }
        }
        self.send(messages, &mut cancelled, now).await?;
        for (reason, deliveries) in cancelled {
            if !deliveries.is_empty() {
                self.dispatch.counters.note_cancelled(deliveries.len());
                self.app.store.cancel(deliveries, reason, now).await?;
            }
        }
        Ok(())
    }

    /// Begins what is due in a lane: as many as may be, and nothing that is behind something else.
    fn begin_posts(
        &mut self,
        lane: Lane,
        due: Vec<DueDelivery>,
        post: &PlannedPost,
        messages: &mut Vec<OutboundMessage>,
    ) -> Begun {
        let PlannedPost { search, endpoint, target, take, looks_far } = post;
        let (mut begun, mut behind) = (0, 0);
        for due in due {
            if begun == *take {
                return Begun::Some;
            }
            let topic = due.subject.as_ref().map(|about| Topic { lane, property: about.property });
            if topic.is_some_and(|topic| self.schedule.is_behind(topic)) {
                behind += 1;
                continue;
            }
            let Some(slot) = self.slot(lane, target, topic) else { return Begun::Waits };
            let message = Message::WebhookMessage { search: search.clone(), endpoint: endpoint.clone() };
            messages.push(OutboundMessage { due: vec![due], message, slot });
            begun += 1;
        }
        match (begun, behind) {
            (_, 0) => {
                self.crowded.remove(&lane);
                Begun::All
            }
            // Nothing here may begin, but there may be something further on.
            (0, _) if !looks_far => {
                self.crowded.insert(lane);
                Begun::Some
            }
            // Looking again before something is over would find the same.
            (0, _) => Begun::Waits,
            _ => Begun::All,
        }
    }

    /// What is to be done with a lane.
    fn plan(&mut self, lane: Lane, sought: &SearchLookup) -> Plan {
        let stored = match sought {
            SearchLookup::Found(stored) => stored,
            SearchLookup::NotFound => return Plan::Cancel(CancelReason::SearchDeleted),
            SearchLookup::Damaged => return Plan::LeaveAlone,
        };
        let alerts = &stored.search.draft.alerts;
        if let Some(reason) = alerts.cancel_reason(lane.channel) {
            return Plan::Cancel(reason);
        }
        let endpoint = match lane.channel {
            DeliveryChannel::Match => alerts.endpoint.as_ref(),
            DeliveryChannel::Event => alerts.event_endpoint.as_ref(),
            DeliveryChannel::Email => None,
        };
        let transport = &self.dispatch.transport;
        let host: Arc<str> = match endpoint {
            // One that is refused goes through the sender like any other, and is refused there.
            Some(endpoint) => transport.judge(endpoint).unwrap_or_else(|_| "refused".to_owned()).into(),
            None if transport.sends_email() => MAIL_HOST.into(),
            None => return Plan::Cancel(CancelReason::ChannelOff),
        };
        let target = Target { host, user: stored.search.owner };
        let room = self.schedule.room(lane, &target);
        if room == 0 {
            return Plan::Aside;
        }
        match endpoint {
            None => Plan::Write { search: Arc::from(stored.clone()), target },
            Some(endpoint) => Plan::WebhookMessage(PlannedPost {
                search: Arc::from(stored.clone()),
                endpoint: endpoint.clone(),
                target,
                take: room.min(TAKEN_PER_LANE),
                looks_far: self.crowded.contains(&lane),
            }),
        }
    }

    /// Room for one more attempt; where there is none, the lane is set aside. Others of the same round may have taken it.
    fn slot(&mut self, lane: Lane, target: &Target, topic: Option<Topic>) -> Option<Slot> {
        if self.schedule.room(lane, target) == 0 {
            return None;
        }
        let route = Route { target: target.clone(), topic };
        let permits = self.schedule.begin(&route);
        Some(Slot { route, permits, ending: Ending::Unmade, ended: self.ended.0.clone() })
    }

    /// Writes, claims and attempts. What cannot be written any more is added to what is given up.
    async fn send(
        &mut self,
        messages: Vec<OutboundMessage>,
        cancelled: &mut BTreeMap<CancelReason, Vec<DeliveryId>>,
        now: Timestamp,
    ) -> Result<(), Error> {
        if messages.is_empty() {
            return Ok(());
        }
        let written = message::write(&self.app, &self.dispatch, messages, now).await?;
        cancelled.entry(CancelReason::Erased).or_default().extend(written.erased);
        if written.ready.is_empty() {
            return Ok(());
        }
        self.next_claim += 1;
        let claim = self.next_claim;
        let deliveries: Vec<_> = written.ready.iter().flat_map(|ready| ready.ids()).collect();
        // From now on, and not from when the round began: reading may have taken a while.
        let now = self.app.clock.now();
        let lease_until = later(now, LEASE);
        let (hidden, documents) = (written.hidden, written.documents);
        let asked = Claim { claim_id: claim, at: now, lease_until, deliveries, contacts_hidden: hidden, documents };
        let claimed = self.app.store.claim(asked).await?;
        let claimed: BTreeSet<DeliveryId> = claimed.into_iter().collect();
        for ready in written.ready {
            // Where somebody else was faster with one of a email, the rest is theirs, too: they have read the same.
            if ready.ids().all(|id| claimed.contains(&id)) {
                let (app, dispatch) = (self.app.clone(), Arc::clone(&self.dispatch));
                let attempt = record::attempt(app, dispatch, ready, claim, self.stopping.clone());
                self.attempts.spawn(self.recorder.recording(attempt, claim, lease_until));
            } else {
                self.recorder.release(ready.due.iter().filter(|due| claimed.contains(&due.id)), claim, now);
            }
        }
        Ok(())
    }
}

/// What is to be done with a lane in this round.
enum Plan {
    WebhookMessage(PlannedPost),
    Write {
        search: Arc<StoredSearch>,
        target: Target,
    },
    Cancel(CancelReason),
    /// As much is under way as may be.
    Aside,
    /// Nobody knows what its search says.
    LeaveAlone,
}

struct PlannedPost {
    search: Arc<StoredSearch>,
    endpoint: Endpoint,
    target: Target,
    take: usize,
    /// Whether the first of the lane were all behind others when it was last looked at.
    looks_far: bool,
}

impl PlannedPost {
    /// What a search has ceased to drain of is not sent, like everything else that it has ceased to want.
    fn wants(&self, due: &DueDelivery) -> bool {
        match due.notification {
            Notification::Event(name, _) => self.search.search.draft.alerts.events.contains(&name),
            Notification::Match(_) => true,
        }
    }
}

/// How much of what was due in a lane has begun.
enum Begun {
    All,
    /// There is more that can begin now.
    Some,
    /// Nothing more can, before something else is over.
    Waits,
}

impl Plan {
    fn peek(&self, lane: Lane) -> LanePeek {
        let (take, gather) = match self {
            Self::WebhookMessage(PlannedPost { take, looks_far, .. }) => {
                let passed_over = if *looks_far { PASSED_OVER_MAX } else { 0 };
                (*take + passed_over, Gather::DueOnly)
            }
            // No more than a email shows.
            Self::Write { .. } => (Email::LISTINGS_MAX, Gather::WithNew),
            Self::Cancel(_) => (CANCELLED_PER_LANE, Gather::DueOnly),
            Self::Aside | Self::LeaveAlone => (0, Gather::DueOnly),
        };
        LanePeek { lane, take, gather }
    }
}
