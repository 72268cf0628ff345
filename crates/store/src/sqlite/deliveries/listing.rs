//! Looking at deliveries, sending them again, and forgetting the old ones.

use std::time::Duration;

use domain::{DeliveryId, SearchId, Timestamp, UserId};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};

use super::documents::forget_old;
use super::{
    DELIVERED, FAILED, Ids, LANES_PER_SEARCH, PENDING, channel_code, first_lane, lane_of, moment, outcome_of,
    state_codes, state_of, subject,
};
use crate::deliveries::{Attempt, DeliveryList, DeliveryPage, DeliveryRow, Pruned, QueueDepth, Replay};
use crate::error::Error;
use crate::log::Position;
use crate::sqlite::matches::notice_of;
use crate::sqlite::writer::Verdict;

/// What [`read`] reads.
const COLUMNS: &str =
    "SELECT d.sequence, d.owner, d.lane, (SELECT s.id FROM search s WHERE s.number = d.lane / 4), d.kind, d.place,
         d.state, d.created_at, d.due_at, d.position,
         (SELECT count(*) FROM delivery_attempt a WHERE a.sequence = d.sequence), d.number";

pub fn deliveries(connection: &Connection, asked: &DeliveryList) -> Result<DeliveryPage, Error> {
    let DeliveryList { owner, search, state, channel, from, until, skip, take } = asked;
    let mut conditions = Vec::new();
    let mut values: Vec<Value> = Vec::new();
    let mut ask = |condition: &str, value: Value| {
        values.push(value);
        conditions.push(condition.replace('?', &format!("?{}", values.len())));
    };
    if let Some(search) = search {
        let first = first_lane(*search);
        match channel {
            Some(channel) => ask("d.lane = ?", (first + channel_code(*channel)).into()),
            None => {
                ask("d.lane >= ?", first.into());
                ask("d.lane < ?", (first + LANES_PER_SEARCH).into());
            }
        }
    } else if let Some(channel) = channel {
        ask("d.lane % 4 = ?", channel_code(*channel).into());
    }
    if let Some(owner) = owner {
        // Where a search is asked for, its lanes lead to fewer rows than its owner does.
        let column = if search.is_some() { "+d.owner = ?" } else { "d.owner = ?" };
        ask(column, owner.as_bytes().to_vec().into());
    }
    if let Some(state) = state {
        let (first, last) = state_codes(*state);
        ask("d.state >= ?", first.into());
        ask("d.state <= ?", last.into());
    }
    if let Some(from) = from {
        ask("d.created_at >= ?", from.as_millisecond().into());
    }
    if let Some(until) = until {
        ask("d.created_at < ?", until.as_millisecond().into());
    }
    // What came to nothing has indexes of its own. They are used where the query says the very same of the state.
    let is_given_up = state.is_some_and(|state| state_codes(state).0 >= FAILED);
    let from = match (is_given_up, search, owner) {
        (true, Some(_), _) => "FROM delivery d INDEXED BY delivery_given_up",
        (true, None, Some(_)) => "FROM delivery d INDEXED BY delivery_given_up_of_owner",
        _ => "FROM delivery d",
    };
    if is_given_up {
        conditions.push("d.state >= 3".to_owned());
    }
    let chosen =
        if conditions.is_empty() { String::new() } else { format!("WHERE {}", conditions.join(" AND ")) };
    // One transaction, so that the total and the page are of the same moment.
    let reading = connection.unchecked_transaction()?;
    let total = reading
        .prepare_cached(&format!("SELECT count(*) {from} {chosen}"))?
        .query_row(params_from_iter(&values), |row| row.get(0))?;
    let window = |count: u64| Value::from(i64::try_from(count).unwrap_or(i64::MAX));
    values.extend([window(*take), window(*skip)]);
    let count = values.len();
    let sql =
        format!("{COLUMNS} {from} {chosen} ORDER BY d.sequence DESC LIMIT ?{} OFFSET ?{count}", count - 1);
    let mut statement = reading.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(&values))?;
    let ids = Ids::of_database(&reading)?;
    let mut deliveries = Vec::new();
    while let Some(row) = rows.next()? {
        deliveries.push(read(&reading, &ids, row)?);
    }
    Ok(DeliveryPage { total, deliveries })
}

pub fn delivery(
    connection: &Connection,
    id: DeliveryId,
) -> Result<Option<(DeliveryRow, Vec<Attempt>)>, Error> {
    let reading = connection.unchecked_transaction()?;
    let ids = Ids::of_database(&reading)?;
    let Some((sequence, _)) = ids.row_of(id) else { return Ok(None) };
    let mut statement =
        reading.prepare_cached(&format!("{COLUMNS} FROM delivery d WHERE d.sequence = ?1"))?;
    let mut rows = statement.query([sequence])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let delivery = read(&reading, &ids, row)?;
    // Another search's number makes another id.
    if delivery.id != id {
        return Ok(None);
    }
    Ok(Some((delivery, attempts(&reading, sequence)?)))
}

fn read(connection: &Connection, ids: &Ids, row: &Row<'_>) -> Result<DeliveryRow, Error> {
    let sequence: u64 = row.get(0)?;
    let lane = lane_of(row.get(2)?)?;
    let notification = notice_of(row.get(4)?, row.get(5)?)
        .ok_or_else(|| Error::corrupt(format!("the notification of delivery {sequence}")))?;
    Ok(DeliveryRow {
        id: ids.of(lane, sequence),
        owner: UserId::from_bytes(row.get(1)?),
        lane,
        number: row.get(11)?,
        search: row.get::<_, Option<[u8; 16]>>(3)?.map(SearchId::from_bytes),
        notification,
        state: state_of(row.get(6)?)?,
        created_at: moment(row.get(7)?)?,
        state_at: moment(row.get(8)?)?,
        attempts: row.get(10)?,
        about: subject::named(connection, lane.search, Position(row.get(9)?))?,
    })
}

fn attempts(connection: &Connection, sequence: i64) -> Result<Vec<Attempt>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT began_at, took, outcome, status, target, excerpt FROM delivery_attempt
         WHERE sequence = ?1 ORDER BY ordinal",
    )?;
    let mut rows = statement.query([sequence])?;
    let mut attempts = Vec::new();
    while let Some(row) = rows.next()? {
        attempts.push(Attempt {
            began_at: moment(row.get(0)?)?,
            took: Duration::from_millis(row.get(1)?),
            outcome: outcome_of(row.get(2)?)?,
            status: row.get(3)?,
            target: row.get(4)?,
            excerpt: row.get::<_, Option<Vec<u8>>>(5)?.unwrap_or_default(),
        });
    }
    Ok(attempts)
}

/// What failed, or was cancelled for a reason that may be gone: notifications were off, or nobody was named, or letters were not
/// sent at all.
pub const GIVEN_UP: &str = "SELECT sequence FROM delivery INDEXED BY delivery_given_up
     WHERE lane = ?1 AND state >= 3 AND sequence > ?2 AND state IN (3, 10, 12, 14) AND created_at >= ?3 AND due_at <= ?4
     ORDER BY sequence LIMIT ?5";

pub fn replay(
    connection: &Connection,
    replay: Replay,
    now: Timestamp,
    limit: usize,
) -> Result<Verdict<Vec<DeliveryId>>, Error> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let ids = Ids::of_database(connection)?;
    let chosen: Vec<(i64, i64)> = match replay {
        Replay::One(id) => {
            let Some((sequence, search)) = ids.row_of(id) else { return Ok(Verdict::Undo(Vec::new())) };
            let mut statement = connection.prepare_cached(
                "SELECT sequence, lane FROM delivery WHERE sequence = ?1 AND state >= ?2 AND lane / 4 = ?3",
            )?;
            let rows = statement
                .query_map(params![sequence, DELIVERED, search], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<Result<_, _>>()?
        }
        Replay::Failed { search, since, after } => {
            let after = after.and_then(|after| ids.row_of(after)).map_or(0, |(sequence, _)| sequence);
            let mut statement = connection.prepare_cached(GIVEN_UP)?;
            // What came to that only later, because it was sent again, is not sent again once more.
            let (since, by_now) = (since.as_millisecond(), now.as_millisecond());
            let mut chosen: Vec<(i64, i64)> = Vec::new();
            for lane in first_lane(search)..first_lane(search) + LANES_PER_SEARCH {
                let values = params![lane, after, since, by_now, limit];
                let rows = statement.query_map(values, |row| Ok((row.get(0)?, lane)))?;
                chosen.extend(rows.collect::<Result<Vec<_>, _>>()?);
            }
            chosen.sort_unstable();
            chosen.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            chosen
        }
    };
    let mut statement = connection.prepare_cached(
        "UPDATE delivery SET state = ?2, due_at = ?3, failures = 0, interruptions = 0, claim = NULL
         WHERE sequence = ?1",
    )?;
    let mut replayed = Vec::with_capacity(chosen.len());
    for (sequence, lane) in chosen {
        statement.execute(params![sequence, PENDING, now.as_millisecond()])?;
        replayed.push(ids.of(lane_of(lane)?, u64::try_from(sequence).unwrap_or_default()));
    }
    Ok(Verdict::Keep(replayed))
}

/// How many that are too young are passed over before the walk ends. They are in the order in which they came to be owed; but a clock
/// may have been wrong for a while.
const YOUNG_PASSED_OVER: usize = 1_000;

pub fn forget(
    connection: &Connection,
    before: Timestamp,
    after: u64,
    limit: usize,
) -> Result<Verdict<Pruned>, Error> {
    let before = before.as_millisecond();
    // What is old and still waits, or ended late, stands at the beginning and is passed over.
    let mut statement = connection.prepare_cached(
        "SELECT sequence, state, due_at, created_at FROM delivery WHERE sequence > ?1 ORDER BY sequence",
    )?;
    let mut rows = statement.query([after])?;
    let (mut old, mut young, mut until) = (Vec::new(), 0, after);
    while old.len() < limit
        && young < YOUNG_PASSED_OVER
        && let Some(row) = rows.next()?
    {
        let (state, ended_at, created_at): (i64, i64, i64) = (row.get(1)?, row.get(2)?, row.get(3)?);
        until = row.get(0)?;
        young = if created_at >= before { young + 1 } else { 0 };
        if state >= DELIVERED && ended_at < before && created_at < before {
            old.push(row.get::<_, i64>(0)?);
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
    let more_deliveries = old.len() >= limit;
    let more_documents = forget_old(connection, before, i64::try_from(limit).unwrap_or(i64::MAX))?;
    Ok(Verdict::Keep(Pruned { more: more_deliveries || more_documents, until }))
}

pub fn depth(connection: &Connection) -> Result<QueueDepth, Error> {
    let pending = "SELECT count(*), min(due_at) FROM delivery INDEXED BY delivery_pending WHERE state = 0";
    let (pending, oldest): (u64, Option<i64>) =
        connection.prepare_cached(pending)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let leased = "SELECT count(*) FROM delivery INDEXED BY delivery_leased WHERE state = 1";
    let leased = connection.prepare_cached(leased)?.query_row([], |row| row.get(0))?;
    Ok(QueueDepth { pending, leased, oldest_due_at: oldest.map(moment).transpose()? })
}
