//! The queue: what waits in which lane, claims, settlements.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use domain::{CancelReason, DeliveryId, RetryDecision, Outcome, RetryPolicy, Timestamp, UserId};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::subject::{about, contacts};
use super::{
    DELIVERED, FAILED, Ids, LEASED, PENDING, PreparedClaim, cancelled_code, lane_code, lane_of, moment,
    outcome_code, unless_damaged,
};
use crate::deliveries::{
    Attempt, Claim, DueDelivery, Gather, LEASE, Lane, LaneDue, Leases, Peek, Settlement, Waiting,
};
use crate::error::Error;
use crate::log::Position;
use crate::sqlite::matches::notice_of;
use crate::sqlite::writer::Verdict;

pub fn lanes(connection: &Connection, after: Option<Lane>, limit: usize) -> Result<Vec<LaneDue>, Error> {
    let mut statement = connection.prepare_cached(NEXT_LANE)?;
    let mut found = Vec::new();
    let mut last = after.map_or(-1, lane_code);
    while found.len() < limit {
        let next = statement.query_row([last], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let Some((code, due_at)) = next else { break };
        last = code;
        let read = lane_of(code).and_then(|lane| Ok(LaneDue { lane, due_at: moment(due_at)? }));
        found.extend(unless_damaged(read, code, "the first delivery of a lane")?);
    }
    Ok(found)
}

/// From lane to lane through the index: what waits behind the first of a lane is passed over.
pub const NEXT_LANE: &str = "SELECT lane, due_at FROM delivery INDEXED BY delivery_pending
     WHERE state = 0 AND lane > ?1 ORDER BY lane, due_at LIMIT 1";

pub fn waiting(connection: &Connection, lanes: &[Peek], now: Timestamp) -> Result<Vec<Waiting>, Error> {
    let reading = connection.unchecked_transaction()?;
    let ids = Ids::of_database(&reading)?;
    lanes.iter().map(|peek| waiting_in(&reading, &ids, peek, now)).collect()
}

/// With whom a delivery goes out when several go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Company {
    /// With whatever is new as well.
    New,
    /// With those it was tried with, and nobody else: the receiver may know a repeat by its first, and would never see the rest.
    Tried { claim: Option<i64>, due_at: Timestamp },
}

/// How many that do not fit are passed over in search of one that does, where only some go out together.
const PASSED_OVER_MAX: usize = 1_000;

fn waiting_in(connection: &Connection, ids: &Ids, peek: &Peek, now: Timestamp) -> Result<Waiting, Error> {
    let Peek { lane, take, gather } = *peek;
    let mut statement = connection.prepare_cached(WAITING)?;
    let mut rows = statement.query([lane_code(lane)])?;
    let mut waiting = Waiting { lane, due: Vec::new(), next_due_at: None };
    let (mut together, mut passed_over) = (None, 0);
    while let Some(row) = rows.next()? {
        let read = due_at_and_company(row);
        let Some((due_at, company)) = unless_damaged(read, row.get(0)?, "a delivery")? else { continue };
        let is_due = due_at <= now;
        let fits = match (gather, together) {
            (Gather::DueOnly, _) | (Gather::WithNew, None) => is_due,
            (Gather::WithNew, Some(together)) => company == together,
        };
        if waiting.due.len() < take && fits {
            let read = due_delivery(connection, ids, lane, row);
            if let Some(due) = unless_damaged(read, row.get(0)?, "a delivery")? {
                together.get_or_insert(company);
                waiting.due.push(due);
            }
            continue;
        }
        // They come in the order of time, so that the first of those left behind is when to look again.
        waiting.next_due_at.get_or_insert(due_at);
        passed_over += 1;
        let goes_on = match (gather, together) {
            (Gather::DueOnly, _) | (_, None) => false,
            (_, Some(Company::New)) => true,
            (_, Some(Company::Tried { due_at: together_at, .. })) => due_at <= together_at,
        };
        if waiting.due.len() >= take || !goes_on || passed_over >= PASSED_OVER_MAX {
            break;
        }
    }
    Ok(waiting)
}

fn due_at_and_company(row: &Row<'_>) -> Result<(Timestamp, Company), Error> {
    let due_at = moment(row.get(7)?)?;
    let company = match (row.get::<_, i64>(5)?, row.get::<_, i64>(6)?) {
        (0, 0) => Company::New,
        _ => Company::Tried { claim: row.get(8)?, due_at },
    };
    Ok((due_at, company))
}

/// Read only as far as anybody wants to know: the index has them in this order.
pub const WAITING: &str =
    "SELECT sequence, owner, position, kind, place, failures, interruptions, due_at, claim, hidden, number
     FROM delivery INDEXED BY delivery_pending WHERE state = 0 AND lane = ?1 ORDER BY due_at, sequence";

fn due_delivery(connection: &Connection, ids: &Ids, lane: Lane, row: &Row<'_>) -> Result<DueDelivery, Error> {
    let sequence = row.get(0)?;
    let position = Position(row.get(2)?);
    let notification = notice_of(row.get(3)?, row.get(4)?)
        .ok_or_else(|| Error::corrupt(format!("the notification of delivery {sequence}")))?;
    let about = about(connection, lane.search, position, notification);
    Ok(DueDelivery {
        id: ids.of(lane, u64::try_from(sequence).unwrap_or_default()),
        owner: UserId::from_bytes(row.get(1)?),
        lane,
        number: row.get(10)?,
        notification,
        position,
        due_at: moment(row.get(7)?)?,
        failures: row.get(5)?,
        interruptions: row.get(6)?,
        sent_with: row.get::<_, Option<bool>>(9)?.map(contacts),
        about: unless_damaged(about, sequence, "what a delivery tells of")?.flatten(),
    })
}

pub fn claim(connection: &Connection, prepared: &PreparedClaim) -> Result<Verdict<Vec<DeliveryId>>, Error> {
    let Claim { claim, at, lease_until, deliveries, hidden, documents: _ } = &prepared.claim;
    let hidden: BTreeSet<&DeliveryId> = hidden.iter().collect();
    // Somebody else may have tried it meanwhile, and failed: then it is pending again, but not due.
    let mut statement = connection.prepare_cached(
        "UPDATE delivery SET state = ?2, due_at = ?3, claim = ?4, hidden = coalesce(hidden, 0) OR ?8
         WHERE sequence = ?1 AND state = ?5 AND (due_at <= ?6 OR failures = 0) AND lane / 4 = ?7",
    )?;
    let ids = Ids::of_database(connection)?;
    let mut claimed = Vec::with_capacity(deliveries.len());
    for id in deliveries {
        let Some((sequence, search)) = ids.row_of(*id) else { continue };
        let (until, at) = (lease_until.as_millisecond(), at.as_millisecond());
        if statement.execute(params![
            sequence,
            LEASED,
            until,
            claim,
            PENDING,
            at,
            search,
            hidden.contains(id)
        ])? > 0
        {
            claimed.push(*id);
        }
    }
    prepared.keep_documents(connection)?;
    Ok(Verdict::Keep(claimed))
}

pub fn settle(connection: &Connection, settlements: &[Settlement]) -> Result<Verdict<u64>, Error> {
    let ids = Ids::of_database(connection)?;
    let mut counted = 0;
    let mut alerted: BTreeMap<u32, i64> = BTreeMap::new();
    for settlement in settlements {
        let Settlement { id, claim, attempt, next, at } = settlement;
        let Some((sequence, search)) = ids.row_of(*id) else { continue };
        let holds =
            "SELECT 1 FROM delivery WHERE sequence = ?1 AND state = ?2 AND claim = ?3 AND lane / 4 = ?4";
        if !connection.prepare_cached(holds)?.exists(params![sequence, LEASED, claim, search])? {
            continue;
        }
        if let Some(attempt) = attempt {
            add_attempt(connection, sequence, attempt)?;
        }
        let outcome = attempt.as_ref().map(|attempt| attempt.outcome);
        set_state(connection, sequence, outcome, *next, *at)?;
        if *next == RetryDecision::Delivered {
            let last = alerted.entry(search).or_insert(i64::MIN);
            *last = (*last).max(at.as_millisecond());
        }
        counted += 1;
    }
    let mut statement = connection.prepare_cached(
        "INSERT INTO search_alert (number, last_alert_at) SELECT number, ?2 FROM search WHERE number = ?1
         ON CONFLICT (number) DO UPDATE SET last_alert_at = max(last_alert_at, excluded.last_alert_at)",
    )?;
    for (number, at) in alerted {
        statement.execute(params![number, at])?;
    }
    Ok(Verdict::Keep(counted))
}

fn set_state(
    connection: &Connection,
    sequence: i64,
    outcome: Option<Outcome>,
    next: RetryDecision,
    at: Timestamp,
) -> Result<(), Error> {
    let (state, due_at) = match next {
        RetryDecision::Delivered => (DELIVERED, at),
        RetryDecision::RetryAt(due_at) => (PENDING, due_at),
        RetryDecision::Failed => (FAILED, at),
    };
    let failed = matches!(outcome, Some(Outcome::Failed(_)));
    let interrupted = outcome == Some(Outcome::Interrupted);
    // The claim stays: it says what was tried together. It holds nothing any more, because the state says so.
    connection
        .prepare_cached(
            "UPDATE delivery SET state = ?2, due_at = ?3, failures = failures + ?4,
                 interruptions = interruptions + ?5 WHERE sequence = ?1",
        )?
        .execute(params![sequence, state, due_at.as_millisecond(), failed, interrupted])?;
    Ok(())
}

fn add_attempt(connection: &Connection, sequence: i64, attempt: &Attempt) -> Result<(), Error> {
    let Attempt { began_at, took, outcome, status, target, excerpt } = attempt;
    let took = i64::try_from(took.as_millis()).unwrap_or(i64::MAX);
    let excerpt = (!excerpt.is_empty()).then_some(excerpt);
    connection
        .prepare_cached(
            "INSERT INTO delivery_attempt (sequence, ordinal, began_at, took, outcome, status, target, excerpt)
             SELECT ?1, coalesce(max(ordinal), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7
             FROM delivery_attempt WHERE sequence = ?1",
        )?
        .execute(params![
            sequence,
            began_at.as_millisecond(),
            took,
            outcome_code(*outcome),
            status,
            target,
            excerpt
        ])?;
    Ok(())
}

/// Gives up what is pending in lanes that lead nowhere any more.
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

pub fn cancel(
    connection: &Connection,
    deliveries: &[DeliveryId],
    reason: CancelReason,
    at: Timestamp,
) -> Result<Verdict<()>, Error> {
    let mut statement = connection.prepare_cached(
        "UPDATE delivery SET state = ?2, due_at = ?3 WHERE sequence = ?1 AND state = ?4 AND lane / 4 = ?5",
    )?;
    let ids = Ids::of_database(connection)?;
    for (sequence, search) in deliveries.iter().filter_map(|id| ids.row_of(*id)) {
        statement.execute(params![sequence, cancelled_code(reason), at.as_millisecond(), PENDING, search])?;
    }
    Ok(Verdict::Keep(()))
}

/// Those that have run out the longest come first.
pub const LEASES: &str = "SELECT sequence, lane, failures, interruptions, due_at
     FROM delivery INDEXED BY delivery_leased WHERE state = 1 AND due_at <= ?1 ORDER BY due_at LIMIT ?2";

pub fn reap_leases(
    connection: &Connection,
    leases: Leases,
    now: Timestamp,
    limit: usize,
) -> Result<Verdict<Vec<Lane>>, Error> {
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
    // A count that cannot be is damage, and more than enough.
    let count = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
    let mut lanes = Vec::with_capacity(leased.len());
    for (sequence, lane, failures, interruptions, leased_until) in leased {
        let outcome = Outcome::Interrupted;
        let next =
            RetryPolicy { interval: Duration::ZERO }.after(outcome, now, count(failures), count(interruptions));
        // When it was claimed, as far as anybody can know.
        let claimed_at = moment(leased_until).ok().and_then(|until| until.saturating_sub(LEASE).ok());
        let (began_at, took) = (claimed_at.map_or(now, |claimed_at| claimed_at.min(now)), Duration::ZERO);
        let attempt = Attempt { began_at, took, outcome, status: None, target: None, excerpt: Vec::new() };
        add_attempt(connection, sequence, &attempt)?;
        set_state(connection, sequence, Some(outcome), next, now)?;
        lanes.extend(unless_damaged(lane_of(lane), sequence, "the lane of a delivery")?);
    }
    Ok(Verdict::Keep(lanes))
}
