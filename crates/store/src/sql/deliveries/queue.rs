//! The queue: lanes, claims, settlements, leases.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use domain::{
    CancelReason, DeliveryChannel, DeliveryId, Outcome, PhaseTimings, RetryDecision, RetryPolicy,
    SearchNumber, Timestamp, UserId,
};

use super::subject::{Causes, contacts};
use super::{
    DELIVERED, FAILED, Ids, LEASED, PENDING, PreparedClaim, cancelled_code, certificate_code, encode_headers,
    lane_code, lane_from_code, outcome_code, timestamp,
};
use crate::contract::Position;
use crate::contract::{
    Attempt, Claim, Contacts, DueDelivery, Gather, LEASE, Lane, LaneDue, LaneHead, LanePeek, Leases,
    Notification, RecordKind, Settlement,
};
use crate::error::Error;
use crate::sql::connection::with_limit;
use crate::sql::damage::DamageLog;
use crate::sql::matches::notification_from_code;
use crate::sql::value::{OwnedValue, owned};
use crate::sql::{Connection, OptionalExtension, Row, params};

pub fn lanes(
    connection: &Connection,
    after: Option<Lane>,
    limit: usize,
    damage: &DamageLog,
) -> Result<Vec<LaneDue>, Error> {
    let mut after = after.map_or(-1, lane_code);
    let mut lanes = Vec::new();
    // Fewer than `limit` mean that there are no more, so a damaged one is made up for.
    while lanes.len() < limit {
        let found = match connection.is_postgres() {
            true => next_lanes(connection, after, limit - lanes.len())?,
            false => next_lanes_one_by_one(connection, after, limit - lanes.len())?,
        };
        let Some((last, _)) = found.last() else { break };
        after = *last;
        for (code, due_at) in found {
            let read = lane_from_code(code).and_then(|lane| Ok(LaneDue { lane, due_at: timestamp(due_at)? }));
            lanes.extend(damage.unless_damaged(RecordKind::Delivery, || format!("lane {code}"), read)?);
        }
    }
    Ok(lanes)
}

/// Each step is a round trip, unless the database takes it.
fn next_lanes(connection: &Connection, after: i64, limit: usize) -> Result<Vec<(i64, i64)>, Error> {
    let sql = format!(
        "WITH RECURSIVE next (lane, due_at) AS (
             ({NEXT_LANE})
             UNION ALL
             SELECT following.lane, following.due_at FROM next, LATERAL ({}) following
         )
         SELECT lane, due_at FROM next LIMIT ?2",
        NEXT_LANE.replace("?1", "next.lane")
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map([after, limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn next_lanes_one_by_one(
    connection: &Connection,
    after: i64,
    limit: usize,
) -> Result<Vec<(i64, i64)>, Error> {
    let mut statement = connection.prepare_cached(NEXT_LANE)?;
    let mut found: Vec<(i64, i64)> = Vec::new();
    while found.len() < limit {
        let last = found.last().map_or(after, |(lane, _)| *lane);
        // What is no number is damage like a date that cannot be.
        let next = statement.query_row([last], |row| Ok((row.get(0)?, row.get(1).unwrap_or(i64::MAX))));
        let Some(next) = next.optional()? else { break };
        found.push(next);
    }
    Ok(found)
}

/// Steps from lane to lane through the index, skipping all but the first delivery of each lane.
pub const NEXT_LANE: &str = "SELECT lane, due_at FROM delivery INDEXED BY delivery_pending
     WHERE state = 0 AND lane > ?1 ORDER BY lane, due_at LIMIT 1";

pub fn peek_lanes(
    connection: &Connection,
    lanes: &[LanePeek],
    now: Timestamp,
    damage: &DamageLog,
) -> Result<Vec<LaneHead>, Error> {
    let reading = connection.snapshot()?;
    let ids = Ids::load(&reading)?;
    let queries: Vec<_> = lanes
        .iter()
        .map(|peek| (with_limit(PENDING_IN_LANE, rows_max(peek)), owned(params![lane_code(peek.lane)])))
        .collect();
    reading.prefetch(queries.iter().map(|(sql, values)| (sql.as_str(), values.clone())))?;
    let heads = lanes.iter().map(|peek| peek_lane(&reading, peek, now, damage));
    let heads: Vec<PendingHead> = heads.collect::<Result<_, Error>>()?;
    let due = heads.iter().flat_map(|head| &head.due);
    let due: Vec<_> = due.map(|pending| (pending.position, pending.notification)).collect();
    let causes = Causes::read(&reading, &due)?;
    let complete = |PendingHead { lane, due, next_due_at }| {
        let due = due.into_iter().map(|pending: PendingDelivery| pending.complete(&ids, &causes, damage));
        Ok(LaneHead { lane, due: due.collect::<Result<_, Error>>()?, next_due_at })
    };
    heads.into_iter().map(complete).collect()
}

/// The head of a lane, before the subjects of its deliveries are read.
struct PendingHead {
    lane: Lane,
    due: Vec<PendingDelivery>,
    next_due_at: Option<Timestamp>,
}

/// One row more than are due tells when to look again.
const fn rows_max(peek: &LanePeek) -> usize {
    match peek.gather {
        Gather::DueOnly => peek.take + 1,
        Gather::WithNew => peek.take + SKIPPED_MAX + 1,
    }
}

/// Which deliveries may share one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Batch {
    /// All that were never attempted.
    New,
    /// Those that were attempted under the same claim, and no others: a receiver that recognises the repeated message by its first
    /// delivery would never see the rest.
    Attempted { claim_id: Option<i64>, due_at: Timestamp },
}

/// How many deliveries of other batches are skipped in search of one of the same batch.
const SKIPPED_MAX: usize = 1_000;

fn peek_lane(
    connection: &Connection,
    peek: &LanePeek,
    now: Timestamp,
    damage: &DamageLog,
) -> Result<PendingHead, Error> {
    let LanePeek { lane, take, gather } = *peek;
    let mut statement = connection.prepare_cached(PENDING_IN_LANE)?;
    let mut rows = statement.query_at_most([lane_code(lane)], rows_max(peek))?;
    let mut head = PendingHead { lane, due: Vec::new(), next_due_at: None };
    let (mut batch, mut skipped) = (None, 0);
    while let Some(row) = rows.next()? {
        let sequence: i64 = row.get(0)?;
        let name = || sequence.to_string();
        let read = due_at_and_batch(row);
        let Some((due_at, own_batch)) = damage.unless_damaged(RecordKind::Delivery, name, read)? else {
            continue;
        };
        let is_due = due_at <= now;
        let fits = match (gather, batch) {
            (Gather::DueOnly, _) | (Gather::WithNew, None) => is_due,
            (Gather::WithNew, Some(batch)) => own_batch == batch,
        };
        if head.due.len() < take && fits {
            let read = PendingDelivery::read(lane, row);
            if let Some(due) = damage.unless_damaged(RecordKind::Delivery, name, read)? {
                batch.get_or_insert(own_batch);
                head.due.push(due);
            }
            continue;
        }
        // Rows are in the order of due dates, so the first one left out says when to look again.
        head.next_due_at.get_or_insert(due_at);
        skipped += 1;
        let may_fit = match (gather, batch) {
            (Gather::DueOnly, _) | (_, None) => false,
            (_, Some(Batch::New)) => true,
            (_, Some(Batch::Attempted { due_at: batch_due_at, .. })) => due_at <= batch_due_at,
        };
        if head.due.len() >= take || !may_fit || skipped >= SKIPPED_MAX {
            break;
        }
    }
    Ok(head)
}

fn due_at_and_batch(row: Row<'_>) -> Result<(Timestamp, Batch), Error> {
    let due_at = timestamp(row.get(7)?)?;
    let batch = match (row.get::<i64>(5)?, row.get::<i64>(6)?) {
        (0, 0) => Batch::New,
        _ => Batch::Attempted { claim_id: row.get(8)?, due_at },
    };
    Ok((due_at, batch))
}

/// Selects the pending deliveries of a lane. The index has them in this order, and rows are read only as far as needed.
pub const PENDING_IN_LANE: &str =
    "SELECT sequence, owner, position, kind, event_index, failures, interruptions, due_at, claim_id, contacts_hidden,
         lane_sequence
     FROM delivery INDEXED BY delivery_pending WHERE state = 0 AND lane = ?1 ORDER BY due_at, sequence";

/// Returns what a delivery is rendered from, whatever its state.
pub fn delivery_source(
    connection: &Connection,
    id: DeliveryId,
    damage: &DamageLog,
) -> Result<Option<DueDelivery>, Error> {
    let reading = connection.snapshot()?;
    let ids = Ids::load(&reading)?;
    let Some((sequence, _)) = ids.row(id) else { return Ok(None) };
    let mut statement = reading.prepare_cached(
        "SELECT sequence, owner, position, kind, event_index, failures, interruptions, due_at, claim_id, contacts_hidden,
             lane_sequence, lane
         FROM delivery WHERE sequence = ?1",
    )?;
    let mut rows = statement.query([sequence])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let lane = lane_from_code(row.get(11)?)?;
    let pending = PendingDelivery::read(lane, row)?;
    let causes = Causes::read(&reading, &[(pending.position, pending.notification)])?;
    let due = pending.complete(&ids, &causes, damage)?;
    // The id names the search too; it may be another one.
    Ok(Some(due).filter(|due| due.id == id))
}

/// A delivery without its subject.
struct PendingDelivery {
    sequence: i64,
    lane: Lane,
    owner: UserId,
    lane_sequence: u64,
    notification: Notification,
    position: Position,
    due_at: Timestamp,
    failures: u32,
    interruptions: u32,
    sent_contacts: Option<Contacts>,
}

impl PendingDelivery {
    fn read(lane: Lane, row: Row<'_>) -> Result<Self, Error> {
        let sequence: i64 = row.get(0)?;
        let notification = notification_from_code(row.get(3)?, row.get(4)?)
            .ok_or_else(|| Error::corrupt(format!("the notification of delivery {sequence}")))?;
        Ok(Self {
            sequence,
            lane,
            owner: UserId::from_bytes(row.get(1)?),
            lane_sequence: row.get(10)?,
            notification,
            position: Position(row.get(2)?),
            due_at: timestamp(row.get(7)?)?,
            failures: row.get(5)?,
            interruptions: row.get(6)?,
            sent_contacts: row.get::<Option<bool>>(9)?.map(contacts),
        })
    }

    fn complete(self, ids: &Ids, causes: &Causes<'_>, damage: &DamageLog) -> Result<DueDelivery, Error> {
        let Self { sequence, lane, owner, lane_sequence, notification, position, due_at, .. } = self;
        let name = || format!("{sequence}, its log entry or match group {}", position.0);
        let subject = causes.subject(lane.search, position, notification);
        let subject = damage.unless_damaged(RecordKind::Delivery, name, subject)?;
        Ok(DueDelivery {
            id: ids.id(lane, u64::try_from(sequence).unwrap_or_default()),
            owner,
            lane,
            lane_sequence,
            notification,
            position,
            due_at,
            failures: self.failures,
            interruptions: self.interruptions,
            sent_contacts: self.sent_contacts,
            is_damaged: subject.is_none(),
            subject: subject.flatten(),
        })
    }
}

/// In one process the dispatcher knows what is in flight.
const NO_OTHER_IN_FLIGHT: &str = " AND NOT EXISTS (
     SELECT 1 FROM delivery another
         JOIN match_group other ON other.position = another.position
         JOIN match_group own ON own.position = delivery.position AND own.property_id = other.property_id
     WHERE another.lane = delivery.lane AND another.state = 1 AND another.claim_id <> ?4)";

pub fn claim(connection: &Connection, prepared: &PreparedClaim) -> Result<Vec<DeliveryId>, Error> {
    let Claim { claim_id, at, lease_until, deliveries, contacts_hidden, documents: _ } = &prepared.claim;
    let contacts_hidden: BTreeSet<&DeliveryId> = contacts_hidden.iter().collect();
    // Another claim may have attempted it meanwhile and failed: then it is pending again, but not due. Its search may have been
    // deleted meanwhile, and the delivery is about to be cancelled.
    // Another process may be attempting another delivery of the same property in the same lane: they are sent one after the other.
    let in_order = if connection.is_postgres() { NO_OTHER_IN_FLIGHT } else { "" };
    let update = format!(
        "UPDATE delivery SET state = ?2, due_at = ?3, claim_id = ?4,
             contacts_hidden = CASE WHEN contacts_hidden = 1 THEN 1 ELSE ?8 END
         WHERE sequence = ?1 AND state = ?5 AND (due_at <= ?6 OR failures = 0) AND lane / 4 = ?7
             AND EXISTS (SELECT 1 FROM search WHERE number = ?7){in_order} RETURNING sequence",
    );
    let ids = Ids::load(connection)?;
    let (until, at) = (lease_until.as_millisecond(), at.as_millisecond());
    let values = |id: &DeliveryId| {
        let (sequence, search) = ids.row(*id)?;
        let hidden = contacts_hidden.contains(id);
        Some(owned(params![sequence, LEASED, until, claim_id, PENDING, at, search, hidden]))
    };
    let wanted: Vec<(DeliveryId, Vec<OwnedValue>)> =
        deliveries.iter().filter_map(|id| Some((*id, values(id)?))).collect();
    connection.prefetch(wanted.iter().map(|(_, values)| (update.as_str(), values.clone())))?;
    let mut statement = connection.prepare_cached(&update)?;
    let mut claimed = Vec::with_capacity(wanted.len());
    for (id, values) in wanted {
        if statement.exists(values)? {
            claimed.push(id);
        }
    }
    prepared.store_documents(connection)?;
    Ok(claimed)
}

pub fn settle(connection: &Connection, settlements: &[Settlement]) -> Result<u64, Error> {
    let ids = Ids::load(connection)?;
    let mut seen = BTreeSet::new();
    // The lease ends with the first settlement.
    let first = settlements.iter().filter_map(|settlement| {
        let (sequence, search) = ids.row(settlement.id)?;
        seen.insert((sequence, settlement.claim_id)).then_some((sequence, search, settlement))
    });
    let wanted: Vec<_> = first
        .map(|(sequence, search, settlement)| {
            let Settlement { claim_id, attempt, next, at, .. } = settlement;
            let outcome = attempt.as_ref().map(|attempt| attempt.outcome);
            let mut values = NewState::after(outcome, *next, *at).values(sequence);
            values.extend(owned(params![LEASED, claim_id, search]));
            (sequence, search, settlement, values)
        })
        .collect();
    let end_lease =
        format!("{SET_STATE} AND state = ?6 AND claim_id = ?7 AND lane / 4 = ?8 RETURNING sequence");
    connection.prefetch(wanted.iter().map(|(_, _, _, values)| (end_lease.as_str(), values.clone())))?;
    let mut statement = connection.prepare_cached(&end_lease)?;
    let mut settled = 0;
    let mut last_alerts: BTreeMap<u32, i64> = BTreeMap::new();
    for (sequence, search, Settlement { attempt, next, at, .. }, values) in wanted {
        if !statement.exists(values)? {
            continue;
        }
        settled += 1;
        if let Some(attempt) = attempt {
            add_attempt(connection, sequence, attempt)?;
        }
        if *next == RetryDecision::Delivered {
            let last = last_alerts.entry(search).or_insert(i64::MIN);
            *last = (*last).max(at.as_millisecond());
        }
    }
    let mut statement = connection.prepare_cached(
        "INSERT INTO search_alert (number, last_alert_at) SELECT number, CAST(?2 AS BIGINT) FROM search WHERE number = ?1
         ON CONFLICT (number) DO UPDATE SET last_alert_at = excluded.last_alert_at
             WHERE excluded.last_alert_at > search_alert.last_alert_at",
    )?;
    for (number, at) in last_alerts {
        statement.execute_later(params![number, at])?;
    }
    Ok(settled)
}

/// What an attempt makes of a delivery.
struct NewState {
    state: i64,
    due_at: Timestamp,
    failed: bool,
    interrupted: bool,
}

/// The claim id stays: it says which deliveries were attempted together. It holds no lease, because the state says so.
const SET_STATE: &str = "UPDATE delivery SET state = ?2, due_at = ?3, failures = failures + ?4,
         interruptions = interruptions + ?5 WHERE sequence = ?1";

impl NewState {
    fn after(outcome: Option<Outcome>, next: RetryDecision, at: Timestamp) -> Self {
        let (state, due_at) = match next {
            RetryDecision::Delivered => (DELIVERED, at),
            RetryDecision::RetryAt(due_at) => (PENDING, due_at),
            RetryDecision::Failed => (FAILED, at),
        };
        let failed = matches!(outcome, Some(Outcome::Failed(_)));
        Self { state, due_at, failed, interrupted: outcome == Some(Outcome::Interrupted) }
    }

    /// Returns the parameters of [`SET_STATE`].
    fn values(&self, sequence: i64) -> Vec<OwnedValue> {
        let due_at = self.due_at.as_millisecond();
        owned(params![sequence, self.state, due_at, self.failed, self.interrupted])
    }
}

fn add_attempt(connection: &Connection, sequence: i64, attempt: &Attempt) -> Result<(), Error> {
    let Attempt {
        started_at,
        duration,
        outcome,
        status,
        target,
        response_excerpt,
        response_headers,
        timings,
        certificate,
    } = attempt;
    let PhaseTimings { name, connect, tls, first_byte } = timings;
    let milliseconds = |duration: Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
    let response_excerpt = (!response_excerpt.is_empty()).then_some(response_excerpt);
    connection
        .prepare_cached(
            "INSERT INTO delivery_attempt (sequence, ordinal, started_at, duration_ms, outcome, status, target,
                 response_excerpt, certificate, response_headers, name_ms, connect_ms, tls_ms, first_byte_ms)
             SELECT ?1, coalesce(max(ordinal), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13
             FROM delivery_attempt WHERE sequence = ?1",
        )?
        .execute_later(params![
            sequence,
            started_at.as_millisecond(),
            milliseconds(*duration),
            outcome_code(*outcome),
            status,
            target,
            response_excerpt,
            certificate.map(certificate_code),
            encode_headers(response_headers)?,
            name.map(milliseconds),
            connect.map(milliseconds),
            tls.map(milliseconds),
            first_byte.map(milliseconds)
        ])?;
    Ok(())
}

/// Cancels the pending deliveries of a lane that has no recipient any more.
pub fn cancel_lane(
    connection: &Connection,
    lane: Lane,
    reason: CancelReason,
    at: Timestamp,
) -> Result<(), Error> {
    connection
        .prepare_cached("UPDATE delivery SET state = ?2, due_at = ?3 WHERE state = 0 AND lane = ?1")?
        .execute(params![lane_code(lane), cancelled_code(reason), at.as_millisecond()])?;
    Ok(())
}

/// Cancels at most `limit` pending deliveries of a search that was deleted. Returns how many.
pub fn cancel_deleted(
    connection: &Connection,
    search: SearchNumber,
    limit: usize,
    at: Timestamp,
) -> Result<usize, Error> {
    let mut statement = connection.prepare_cached(
        "UPDATE delivery SET state = ?2, due_at = ?3 WHERE sequence IN (
             SELECT sequence FROM delivery INDEXED BY delivery_pending WHERE state = 0 AND lane = ?1 LIMIT ?4)",
    )?;
    let (mut cancelled, code) = (0, cancelled_code(CancelReason::SearchDeleted));
    for channel in DeliveryChannel::ALL {
        let lane = lane_code(Lane { search, channel });
        let left = i64::try_from(limit - cancelled).unwrap_or(i64::MAX);
        cancelled += statement.execute(params![lane, code, at.as_millisecond(), left])?;
    }
    Ok(cancelled)
}

pub fn cancel(
    connection: &Connection,
    deliveries: &[DeliveryId],
    reason: CancelReason,
    at: Timestamp,
) -> Result<(), Error> {
    let mut statement = connection.prepare_cached(
        "UPDATE delivery SET state = ?2, due_at = ?3 WHERE sequence = ?1 AND state = ?4 AND lane / 4 = ?5",
    )?;
    let ids = Ids::load(connection)?;
    for (sequence, search) in deliveries.iter().filter_map(|id| ids.row(*id)) {
        statement.execute(params![sequence, cancelled_code(reason), at.as_millisecond(), PENDING, search])?;
    }
    Ok(())
}

/// How often a delivery may be interrupted and keep its place in its lane.
const PLACE_KEPT_MAX: i64 = 3;

/// Returns when the first pending delivery of each lane is due.
fn first_due(connection: &Connection, lanes: BTreeSet<i64>) -> Result<BTreeMap<i64, Timestamp>, Error> {
    connection.prefetch(lanes.iter().map(|lane| (FIRST_DUE, owned(params![lane]))))?;
    let mut statement = connection.prepare_cached(FIRST_DUE)?;
    let mut found = BTreeMap::new();
    for lane in lanes {
        let due_at = statement.query_row([lane], |row| Ok(row.get::<i64>(0).ok())).optional()?;
        // What is no date is damage, and found where the delivery is read.
        let due_at = due_at.flatten().and_then(|due_at| timestamp(due_at).ok());
        found.extend(due_at.map(|due_at| (lane, due_at)));
    }
    Ok(found)
}

pub const FIRST_DUE: &str = "SELECT due_at FROM delivery INDEXED BY delivery_pending
     WHERE state = 0 AND lane = ?1 ORDER BY due_at LIMIT 1";

/// Selects leases, those that expired first at the beginning.
pub const LEASES: &str = "SELECT sequence, lane, failures, interruptions, due_at
     FROM delivery INDEXED BY delivery_leased WHERE state = 1 AND due_at <= ?1 ORDER BY due_at LIMIT ?2";

pub fn reap_leases(
    connection: &Connection,
    leases: Leases,
    now: Timestamp,
    limit: usize,
    damage: &DamageLog,
) -> Result<Vec<Lane>, Error> {
    let ended_by = match leases {
        Leases::Expired => now.as_millisecond(),
        Leases::All => i64::MAX,
    };
    let mut statement = connection.prepare_cached(LEASES)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![ended_by, limit], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
    })?;
    let leased: Vec<(i64, i64, i64, i64, i64)> = rows.collect::<Result<_, _>>()?;
    // A count out of range is damage, and counts as too many.
    let count = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
    let mut lanes = Vec::with_capacity(leased.len());
    let first_due = first_due(connection, leased.iter().map(|(_, lane, ..)| *lane).collect())?;
    for (sequence, lane, failures, interruptions, leased_until) in leased {
        let outcome = Outcome::Interrupted;
        let next = RetryPolicy { interval: Duration::ZERO }.after(
            outcome,
            now,
            count(failures),
            count(interruptions),
        );
        // The best guess of when it was claimed.
        let claimed_at = timestamp(leased_until).ok().and_then(|until| until.saturating_sub(LEASE).ok());
        let attempt = Attempt {
            started_at: claimed_at.map_or(now, |claimed_at| claimed_at.min(now)),
            duration: Duration::ZERO,
            outcome,
            status: None,
            target: None,
            response_excerpt: Vec::new(),
            response_headers: Vec::new(),
            timings: PhaseTimings::default(),
            certificate: None,
        };
        add_attempt(connection, sequence, &attempt)?;
        let mut state = NewState::after(Some(outcome), next, now);
        // It may never have been sent, so it keeps its place: what came after it must not overtake it. One that has failed was overtaken
        // before; one that is always interrupted may be the cause, and must not hold up the others.
        if state.state == PENDING
            && failures == 0
            && interruptions < PLACE_KEPT_MAX
            && let Some(first_due) = first_due.get(&lane)
        {
            state.due_at = state.due_at.min(*first_due);
        }
        connection.prepare_cached(SET_STATE)?.execute_later(state.values(sequence))?;
        let read = lane_from_code(lane);
        lanes.extend(damage.unless_damaged(RecordKind::Delivery, || sequence.to_string(), read)?);
    }
    Ok(lanes)
}
