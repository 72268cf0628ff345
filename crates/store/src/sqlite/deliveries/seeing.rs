//! Looking at deliveries, sending them again, and forgetting the old ones.

use std::time::Duration;

use domain::{DeliveryId, SearchId, Timestamp, UserId};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};

use super::documents::forget_old;
use super::{
    DELIVERED, FAILED, Ids, PENDING, about, cancelled_code, channel_code, first_lane, lane_of, moment,
    outcome_of, state_codes, state_of,
};
use crate::deliveries::{Attempt, DeliveryList, DeliveryPage, DeliveryRow, QueueDepth, Replay};
use crate::error::Error;
use crate::log::Position;
use crate::sqlite::matches::notice_of;
use crate::sqlite::writer::Verdict;

/// What is not sent yet of a search that is gone will not be: whoever sends finds that out when it is due, whoever looks at once.
const STATE: &str = "CASE WHEN d.state < 2 AND s.number IS NULL THEN 11 ELSE d.state END";

/// What [`read`] reads.
fn columns() -> String {
    format!(
        "SELECT d.sequence, d.owner, d.lane, s.id, d.kind, d.place, {STATE}, d.created_at, d.due_at, d.position,
             (SELECT count(*) FROM delivery_attempt a WHERE a.sequence = d.sequence), d.number"
    )
}

const FROM: &str = "FROM delivery d LEFT JOIN search s ON s.number = d.lane / 4";

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
                ask("d.lane < ?", (first + super::LANES_PER_SEARCH).into());
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
        ask(&format!("{STATE} >= ?"), first.into());
        ask(&format!("{STATE} <= ?"), last.into());
    }
    if let Some(from) = from {
        ask("d.created_at >= ?", from.as_millisecond().into());
    }
    if let Some(until) = until {
        ask("d.created_at < ?", until.as_millisecond().into());
    }
    let chosen =
        if conditions.is_empty() { String::new() } else { format!("WHERE {}", conditions.join(" AND ")) };
    // One transaction, so that the total and the page are of the same moment.
    let reading = connection.unchecked_transaction()?;
    let total = reading
        .prepare_cached(&format!("SELECT count(*) {FROM} {chosen}"))?
        .query_row(params_from_iter(&values), |row| row.get(0))?;
    let window = |count: u64| Value::from(i64::try_from(count).unwrap_or(i64::MAX));
    values.extend([window(*take), window(*skip)]);
    let count = values.len();
    let sql = format!(
        "{} {FROM} {chosen} ORDER BY d.sequence DESC LIMIT ?{} OFFSET ?{count}",
        columns(),
        count - 1
    );
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
    let mut statement = reading.prepare_cached(&format!("{} {FROM} WHERE d.sequence = ?1", columns()))?;
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
    let notice = notice_of(row.get(4)?, row.get(5)?)
        .ok_or_else(|| Error::corrupt(format!("the notice of delivery {sequence}")))?;
    Ok(DeliveryRow {
        id: ids.of(lane, sequence),
        owner: UserId::from_bytes(row.get(1)?),
        lane,
        number: row.get(11)?,
        search: row.get::<_, Option<[u8; 16]>>(3)?.map(SearchId::from_bytes),
        notice,
        state: state_of(row.get(6)?)?,
        created_at: moment(row.get(7)?)?,
        state_at: moment(row.get(8)?)?,
        attempts: row.get(10)?,
        about: about::named(connection, lane.search, Position(row.get(9)?))?,
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
        Replay::Failed { search, since } => {
            let disabled = cancelled_code(domain::CancelReason::Disabled);
            let mut statement = connection.prepare_cached(
                "SELECT sequence, lane FROM delivery WHERE lane >= ?1 AND lane < ?1 + 4
                     AND state IN (?2, ?3) AND created_at >= ?4 AND due_at <= ?6 ORDER BY sequence LIMIT ?5",
            )?;
            // What came to that only later, because it was sent again, is not sent again once more.
            let (since, by_now) = (since.as_millisecond(), now.as_millisecond());
            let values = params![first_lane(search), FAILED, disabled, since, limit, by_now];
            let rows = statement.query_map(values, |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<Result<_, _>>()?
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

pub fn forget(connection: &Connection, before: Timestamp, limit: usize) -> Result<Verdict<bool>, Error> {
    let before = before.as_millisecond();
    // In the order they came to be owed, so that the first that is young enough ends the walk. What is old and still waits, or
    // ended late, stands at the beginning and is passed over.
    let mut statement = connection
        .prepare_cached("SELECT sequence, state, due_at, created_at FROM delivery ORDER BY sequence")?;
    let mut rows = statement.query([])?;
    let mut old = Vec::new();
    while old.len() < limit
        && let Some(row) = rows.next()?
    {
        let (state, ended_at, created_at): (i64, i64, i64) = (row.get(1)?, row.get(2)?, row.get(3)?);
        if created_at >= before {
            break;
        }
        if state >= DELIVERED && ended_at < before {
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
    Ok(Verdict::Keep(more_deliveries || more_documents))
}

pub fn depth(connection: &Connection) -> Result<QueueDepth, Error> {
    let pending = "SELECT count(*), min(due_at) FROM delivery INDEXED BY delivery_pending WHERE state = 0";
    let (pending, oldest): (u64, Option<i64>) =
        connection.prepare_cached(pending)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let leased = "SELECT count(*) FROM delivery INDEXED BY delivery_leased WHERE state = 1";
    let leased = connection.prepare_cached(leased)?.query_row([], |row| row.get(0))?;
    Ok(QueueDepth { pending, leased, oldest_due_at: oldest.map(moment).transpose()? })
}
