//! Listing, replaying and pruning deliveries.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::sql::value::OwnedValue;
use crate::sql::{Connection, Row, params};
use domain::{DeliveryId, PhaseTimings, SearchId, SearchNumber, Timestamp, UserId};

use super::documents::prune_documents;
use super::{
    DELIVERED, FAILED, Ids, LANES_PER_SEARCH, PENDING, certificate_from_code, channel_code, decode_headers,
    first_lane, lane_from_code, outcome_from_code, state_codes, state_from_code, subject, timestamp,
};
use crate::contract::Position;
use crate::contract::{
    Attempt, AttemptSummaries, AttemptSummary, DeliveryList, DeliveryPage, DeliveryRow, Pruned, QueueDepth,
    RecordKind, Replay,
};
use crate::error::Error;
use crate::sql::damage::DamageLog;
use crate::sql::matches::notification_from_code;
use crate::sql::read::from_sql;
use crate::sql::searches;

/// The columns that [`read`] reads.
const COLUMNS: &str =
    "SELECT d.sequence, d.owner, d.lane, (SELECT s.id FROM search s WHERE s.number = d.lane / 4), d.kind, d.event_index,
         d.state, d.created_at, d.due_at, d.position,
         (SELECT count(*) FROM delivery_attempt a WHERE a.sequence = d.sequence), d.lane_sequence";

pub fn list(connection: &Connection, list: &DeliveryList, damage: &DamageLog) -> Result<DeliveryPage, Error> {
    let DeliveryList { owner, search, state, channel, from, until, skip, take } = list;
    let mut conditions = Vec::new();
    let mut values: Vec<OwnedValue> = Vec::new();
    let mut filter = |condition: &str, value: OwnedValue| {
        values.push(value);
        conditions.push(condition.replace('?', &format!("?{}", values.len())));
    };
    if let Some(search) = search {
        let first = first_lane(*search);
        match channel {
            Some(channel) => filter("d.lane = ?", (first + channel_code(*channel)).into()),
            None => {
                filter("d.lane >= ?", first.into());
                filter("d.lane < ?", (first + LANES_PER_SEARCH).into());
            }
        }
    } else if let Some(channel) = channel {
        filter("d.lane % 4 = ?", channel_code(*channel).into());
    }
    if let Some(owner) = owner {
        // The lanes of a search select fewer rows than its owner; `+` keeps SQLite from using the owner's index.
        let column =
            if search.is_some() && !connection.is_postgres() { "+d.owner = ?" } else { "d.owner = ?" };
        filter(column, owner.as_bytes().to_vec().into());
    }
    if let Some(state) = state {
        let (first, last) = state_codes(*state);
        filter("d.state >= ?", first.into());
        filter("d.state <= ?", last.into());
    }
    if let Some(from) = from {
        filter("d.created_at >= ?", from.as_millisecond().into());
    }
    if let Some(until) = until {
        filter("d.created_at < ?", until.as_millisecond().into());
    }
    // Failed and cancelled deliveries have partial indexes. SQLite uses them only if the query repeats their condition.
    let is_unsuccessful = state.is_some_and(|state| state_codes(state).0 >= FAILED);
    let from = match (is_unsuccessful, search, owner) {
        (true, Some(_), _) => "FROM delivery d INDEXED BY delivery_unsuccessful",
        (true, None, Some(_)) => "FROM delivery d INDEXED BY delivery_unsuccessful_of_owner",
        _ => "FROM delivery d",
    };
    if is_unsuccessful {
        conditions.push("d.state >= 3".to_owned());
    }
    let selection =
        if conditions.is_empty() { String::new() } else { format!("WHERE {}", conditions.join(" AND ")) };
    // One transaction, so that the total and the page are consistent.
    let reading = connection.snapshot()?;
    let total = reading
        .prepare_cached(&format!("SELECT count(*) {from} {selection}"))?
        .query_row(values.clone(), |row| row.get(0))?;
    let window = |count: u64| OwnedValue::from(i64::try_from(count).unwrap_or(i64::MAX));
    values.extend([window(*take), window(*skip)]);
    let count = values.len();
    let sql =
        format!("{COLUMNS} {from} {selection} ORDER BY d.sequence DESC LIMIT ?{} OFFSET ?{count}", count - 1);
    let mut statement = reading.prepare_cached(&sql)?;
    let mut rows = statement.query(values.clone())?;
    let ids = Ids::load(&reading)?;
    let mut deliveries = Vec::new();
    while let Some(row) = rows.next()? {
        let sequence: i64 = row.get(0)?;
        let read = read(&reading, &ids, row);
        deliveries.extend(damage.unless_damaged(RecordKind::Delivery, || sequence.to_string(), read)?);
    }
    Ok(DeliveryPage { total, deliveries })
}

pub fn delivery(
    connection: &Connection,
    id: DeliveryId,
    damage: &DamageLog,
) -> Result<Option<(DeliveryRow, Vec<Attempt>)>, Error> {
    let reading = connection.snapshot()?;
    let ids = Ids::load(&reading)?;
    let Some((sequence, _)) = ids.row(id) else { return Ok(None) };
    let mut statement =
        reading.prepare_cached(&format!("{COLUMNS} FROM delivery d WHERE d.sequence = ?1"))?;
    let mut rows = statement.query([sequence])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let delivery = read(&reading, &ids, row)?;
    // The id names the search too; it may be another one.
    if delivery.id != id {
        return Ok(None);
    }
    Ok(Some((delivery, attempts(&reading, sequence, damage)?)))
}

fn read(connection: &Connection, ids: &Ids, row: Row<'_>) -> Result<DeliveryRow, Error> {
    let sequence: u64 = row.get(0)?;
    let lane = lane_from_code(row.get(2)?)?;
    let notification = notification_from_code(row.get(4)?, row.get(5)?)
        .ok_or_else(|| Error::corrupt(format!("the notification of delivery {sequence}")))?;
    Ok(DeliveryRow {
        id: ids.id(lane, sequence),
        owner: UserId::from_bytes(row.get(1)?),
        lane,
        lane_sequence: row.get(11)?,
        search: row.get::<Option<[u8; 16]>>(3)?.map(SearchId::from_bytes),
        notification,
        state: state_from_code(row.get(6)?)?,
        created_at: timestamp(row.get(7)?)?,
        state_at: timestamp(row.get(8)?)?,
        attempts: row.get(10)?,
        subject: subject::ids(connection, lane.search, Position(row.get(9)?))?,
    })
}

fn attempts(connection: &Connection, sequence: i64, damage: &DamageLog) -> Result<Vec<Attempt>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT started_at, duration_ms, outcome, status, target, response_excerpt, certificate, response_headers,
             name_ms, connect_ms, tls_ms, first_byte_ms, ordinal
         FROM delivery_attempt WHERE sequence = ?1 ORDER BY ordinal",
    )?;
    let mut rows = statement.query([sequence])?;
    let mut attempts = Vec::new();
    while let Some(row) = rows.next()? {
        let ordinal: i64 = row.get(ATTEMPT_COLUMNS)?;
        let name = || attempt_name(sequence, ordinal);
        attempts.extend(damage.unless_damaged(RecordKind::DeliveryAttempt, name, attempt(row))?);
    }
    Ok(attempts)
}

/// Newest deliveries first: the index of the owner has them in the order of their creation, and reading stops at the first older one.
pub fn attempts_since(
    connection: &Connection,
    owner: UserId,
    since: Timestamp,
    limit: usize,
    damage: &DamageLog,
) -> Result<AttemptSummaries, Error> {
    let reading = connection.snapshot()?;
    let mut deliveries = reading.prepare_cached(
        "SELECT sequence, created_at FROM delivery INDEXED BY delivery_of_owner WHERE owner = ?1 ORDER BY sequence DESC",
    )?;
    let mut rows = deliveries.query_at_most([owner.as_bytes()], limit.saturating_add(1))?;
    let mut found = CollectedAttempts::default();
    let mut looked_at = 0;
    let mut is_complete = true;
    while let Some(row) = rows.next()? {
        if row.get::<i64>(1)? < since.as_millisecond() {
            break;
        }
        // Deliveries that were never attempted count as well: there may be any number.
        if looked_at >= limit || found.attempts.len() >= limit {
            is_complete = false;
            break;
        }
        looked_at += 1;
        summaries(&reading, row.get(0)?, damage, &mut found)?;
    }
    is_complete &= found.attempts.len() <= limit;
    found.attempts.truncate(limit);
    Ok(AttemptSummaries { attempts: found.attempts, is_complete })
}

#[derive(Default)]
struct CollectedAttempts {
    attempts: Vec<AttemptSummary>,
    targets: HashSet<Arc<str>>,
}

impl CollectedAttempts {
    /// Returns the only copy of a target.
    fn target(&mut self, text: String) -> Arc<str> {
        if let Some(known) = self.targets.get(text.as_str()) {
            return Arc::clone(known);
        }
        let target = Arc::from(text);
        self.targets.insert(Arc::clone(&target));
        target
    }
}

/// Reads no more than a summary needs: there may be many, and what receivers answered is most of a row.
fn summaries(
    connection: &Connection,
    sequence: i64,
    damage: &DamageLog,
    found: &mut CollectedAttempts,
) -> Result<(), Error> {
    let mut statement = connection.prepare_cached(
        "SELECT started_at, duration_ms, outcome, target, ordinal
         FROM delivery_attempt WHERE sequence = ?1 ORDER BY ordinal",
    )?;
    let mut rows = statement.query([sequence])?;
    while let Some(row) = rows.next()? {
        let ordinal: i64 = row.get(4)?;
        let name = || attempt_name(sequence, ordinal);
        let summary = damage.unless_damaged(RecordKind::DeliveryAttempt, name, summary(row, found))?;
        found.attempts.extend(summary);
    }
    Ok(())
}

fn summary(row: Row<'_>, found: &mut CollectedAttempts) -> Result<AttemptSummary, Error> {
    let target: Option<String> = row.get(3)?;
    Ok(AttemptSummary {
        started_at: timestamp(row.get(0)?)?,
        duration: Duration::from_millis(row.get(1)?),
        outcome: outcome_from_code(row.get(2)?)?,
        target: target.map(|text| found.target(text)),
    })
}

pub fn attempt_name(sequence: i64, ordinal: i64) -> String {
    format!("{sequence}/{ordinal}")
}

/// How many columns [`attempt`] reads: `started_at`, `duration_ms`, `outcome`, `status`, `target`, `response_excerpt`, `certificate`,
/// `response_headers`, `name_ms`, `connect_ms`, `tls_ms` and `first_byte_ms`, in this order.
pub const ATTEMPT_COLUMNS: usize = 12;

/// Reads an attempt from the first [`ATTEMPT_COLUMNS`] columns.
pub fn attempt(row: Row<'_>) -> Result<Attempt, Error> {
    let phase = |column: usize| Ok::<_, Error>(row.get::<Option<u64>>(column)?.map(Duration::from_millis));
    Ok(Attempt {
        started_at: timestamp(row.get(0)?)?,
        duration: Duration::from_millis(row.get(1)?),
        outcome: outcome_from_code(row.get(2)?)?,
        status: row.get(3)?,
        target: row.get(4)?,
        response_excerpt: row.get::<Option<Vec<u8>>>(5)?.unwrap_or_default(),
        certificate: row.get::<Option<i64>>(6)?.map(certificate_from_code).transpose()?,
        response_headers: decode_headers(row.get_ref(7)?.as_str_or_null().map_err(from_sql)?)?,
        timings: PhaseTimings {
            name: phase(8)?,
            connect: phase(9)?,
            tls: phase(10)?,
            first_byte: phase(11)?,
        },
    })
}

/// Selects deliveries that failed, or were cancelled for a reason that may be gone: notifications were off, there was no recipient, the
/// channel was off, the recipient had not confirmed, or what they are about could not be read.
pub const UNSUCCESSFUL: &str = "SELECT sequence FROM delivery INDEXED BY delivery_unsuccessful
     WHERE lane = ?1 AND state >= 3 AND sequence > ?2 AND state IN (3, 10, 12, 14, 15, 16) AND created_at >= ?3 AND due_at <= ?4
     ORDER BY sequence LIMIT ?5";

/// The number of what [`UNSUCCESSFUL`] selects.
pub const COUNT_UNSUCCESSFUL: &str = "SELECT count(*) FROM delivery INDEXED BY delivery_unsuccessful
     WHERE lane = ?1 AND state >= 3 AND state IN (3, 10, 12, 14, 15, 16) AND created_at >= ?2";

pub fn count_replayable(
    connection: &Connection,
    search: SearchNumber,
    since: Timestamp,
) -> Result<u64, Error> {
    if !searches::exists(connection, search)? {
        return Ok(0);
    }
    let mut statement = connection.prepare_cached(COUNT_UNSUCCESSFUL)?;
    let mut count = 0;
    for lane in first_lane(search)..first_lane(search) + LANES_PER_SEARCH {
        count += statement.query_row(params![lane, since.as_millisecond()], |row| row.get::<u64>(0))?;
    }
    Ok(count)
}

pub fn replay(
    connection: &Connection,
    replay: Replay,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<DeliveryId>, Error> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let ids = Ids::load(connection)?;
    let selected: Vec<(i64, i64)> = match replay {
        Replay::One(id) => {
            let Some((sequence, search)) = ids.row(id) else { return Ok(Vec::new()) };
            let mut statement = connection.prepare_cached(
                "SELECT sequence, lane FROM delivery WHERE sequence = ?1 AND state >= ?2 AND lane / 4 = ?3
                     AND EXISTS (SELECT 1 FROM search WHERE number = ?3)",
            )?;
            let rows = statement
                .query_map(params![sequence, DELIVERED, search], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<Result<_, _>>()?
        }
        Replay::Failed { search, since, after } => {
            let mut exists = connection.prepare_cached("SELECT 1 FROM search WHERE number = ?1")?;
            if !exists.exists([search.0])? {
                return Ok(Vec::new());
            }
            let after = after.and_then(|after| ids.row(after)).map_or(0, |(sequence, _)| sequence);
            let mut statement = connection.prepare_cached(UNSUCCESSFUL)?;
            // `due_at <= now` skips those that this replay sent and that have failed again meanwhile.
            let (since, by_now) = (since.as_millisecond(), now.as_millisecond());
            let mut selected: Vec<(i64, i64)> = Vec::new();
            for lane in first_lane(search)..first_lane(search) + LANES_PER_SEARCH {
                let values = params![lane, after, since, by_now, limit];
                let rows = statement.query_map(values, |row| Ok((row.get(0)?, lane)))?;
                selected.extend(rows.collect::<Result<Vec<_>, _>>()?);
            }
            selected.sort_unstable();
            selected.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            selected
        }
    };
    let mut statement = connection.prepare_cached(
        "UPDATE delivery SET state = ?2, due_at = ?3, failures = 0, interruptions = 0, claim_id = NULL
         WHERE sequence = ?1",
    )?;
    let mut replayed = Vec::with_capacity(selected.len());
    for (sequence, lane) in selected {
        statement.execute(params![sequence, PENDING, now.as_millisecond()])?;
        replayed.push(ids.id(lane_from_code(lane)?, u64::try_from(sequence).unwrap_or_default()));
    }
    Ok(replayed)
}

/// How many deliveries that are too recent are skipped before pruning stops. Rows are in the order of creation, but the clock may have
/// been wrong for a while.
const RECENT_SKIPPED_MAX: usize = 1_000;

/// How many deliveries one step looks at. Those that are held may be many, and stay.
const EXAMINED_MAX: usize = 10_000;

pub fn prune(connection: &Connection, before: Timestamp, after: u64, limit: usize) -> Result<Pruned, Error> {
    let before = before.as_millisecond();
    // Old deliveries that are still pending, or ended late, are at the beginning and are skipped.
    let mut statement = connection.prepare_cached(
        "SELECT sequence, state, due_at, created_at FROM delivery WHERE sequence > ?1 ORDER BY sequence",
    )?;
    let mut rows = statement.query_at_most([after], EXAMINED_MAX)?;
    let (mut old, mut recent, mut examined, mut until) = (Vec::new(), 0, 0, after);
    while old.len() < limit
        && recent < RECENT_SKIPPED_MAX
        && examined < EXAMINED_MAX
        && let Some(row) = rows.next()?
    {
        let (state, ended_at, created_at): (i64, i64, i64) = (row.get(1)?, row.get(2)?, row.get(3)?);
        until = row.get(0)?;
        examined += 1;
        recent = if created_at >= before { recent + 1 } else { 0 };
        if state >= DELIVERED && ended_at < before && created_at < before {
            old.push(row.get::<i64>(0)?);
        }
    }
    drop(rows);
    for sequence in &old {
        for sql in
            ["DELETE FROM delivery_attempt WHERE sequence = ?1", "DELETE FROM delivery WHERE sequence = ?1"]
        {
            connection.prepare_cached(sql)?.execute([sequence])?;
        }
    }
    let documents = prune_documents(connection, before, i64::try_from(limit).unwrap_or(i64::MAX))?;
    let more = old.len() >= limit || documents >= limit || examined >= EXAMINED_MAX;
    Ok(Pruned { more, until, deliveries: old.len() as u64, documents: documents as u64 })
}

/// At one moment: a delivery that becomes pending again is counted once.
pub fn queue_depth(connection: &Connection) -> Result<QueueDepth, Error> {
    let connection = &connection.snapshot()?;
    let pending = "SELECT count(*), min(due_at) FROM delivery INDEXED BY delivery_pending WHERE state = 0";
    let (pending, oldest): (u64, Option<i64>) =
        connection.prepare_cached(pending)?.query_row(params![], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let leased = "SELECT count(*) FROM delivery INDEXED BY delivery_leased WHERE state = 1";
    let leased = connection.prepare_cached(leased)?.query_row(params![], |row| row.get(0))?;
    Ok(QueueDepth { pending, leased, oldest_due_at: oldest.map(timestamp).transpose()? })
}
