//! Making deliveries of notices, each exactly once: the mark that says how far that has come moves in the same transaction.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use domain::{SearchNumber, UserId};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{LANES_PER_SEARCH, PENDING, cancelled_code, first_lane, is_damage, lane_code};
use crate::deliveries::{EnqueueBatch, NewDelivery, OutboxBatch, OutboxCursor, Start};
use crate::error::Error;
use crate::log::Position;
use crate::matches::Notification;
use crate::record::decode_numbers;
use crate::sqlite::matches::{notice_code, notice_of};
use crate::sqlite::read::from_sql;
use crate::sqlite::writer::Verdict;

pub fn read_outbox(connection: &Connection, limit: usize) -> Result<OutboxBatch, Error> {
    let reading = connection.unchecked_transaction()?;
    let after = mark(&reading)?;
    let mut until = after;
    let mut deliveries = Vec::new();
    let mut statement = reading.prepare_cached(NOTICES)?;
    let mut rows = statement.query(params![after.position, after.ordinal])?;
    while let Some(row) = rows.next()? {
        let (position, ordinal): (u64, i64) = (row.get(0)?, row.get(1)?);
        let begun = (position, ordinal) == (after.position, after.ordinal);
        let (notification, mut numbers) = match told(row) {
            Ok((notification, numbers)) => (Some(notification), numbers),
            // It must not keep what is owed to all others from being sent.
            Err(error) if is_damage(&error) => {
                let error = &error as &dyn std::error::Error;
                tracing::error!(position, ordinal, error, "a damaged notification is not delivered");
                (None, Vec::new())
            }
            Err(error) => return Err(error),
        };
        if begun {
            numbers.retain(|number| number.0 > after.number);
        }
        if deliveries.len() >= limit && !numbers.is_empty() {
            return Ok(OutboxBatch { after, until, deliveries, more: true });
        }
        let room = limit.saturating_sub(deliveries.len());
        let cut = numbers.len() > room;
        numbers.truncate(room);
        let last = if cut { numbers.last().map_or(0, |number| number.0) } else { u32::MAX };
        for (notification, search) in notification.into_iter().cycle().zip(numbers) {
            if let Some(owner) = owner_of(&reading, search)? {
                deliveries.push(NewDelivery { owner, search, position: Position(position), notification });
            }
        }
        until = OutboxCursor { position, ordinal, number: last };
        if cut {
            return Ok(OutboxBatch { after, until, deliveries, more: true });
        }
    }
    Ok(OutboxBatch { after, until, deliveries, more: false })
}

/// Read only as far as there is room.
pub const NOTICES: &str = "SELECT position, ordinal, kind, place, searches FROM notice
     WHERE (position, ordinal) >= (?1, ?2) ORDER BY position, ordinal";

fn told(row: &Row<'_>) -> Result<(Notification, Vec<SearchNumber>), Error> {
    let notification =
        notice_of(row.get(2)?, row.get(3)?).ok_or_else(|| Error::corrupt("the kind of a notification"))?;
    Ok((notification, decode_numbers(Some(row.get_ref(4)?.as_blob().map_err(from_sql)?))?))
}

fn mark(connection: &Connection) -> Result<OutboxCursor, Error> {
    let mut statement = connection.prepare_cached("SELECT position, ordinal, number FROM delivery_intake")?;
    Ok(statement.query_row([], |row| {
        Ok(OutboxCursor { position: row.get(0)?, ordinal: row.get(1)?, number: row.get(2)? })
    })?)
}

fn owner_of(connection: &Connection, search: SearchNumber) -> Result<Option<UserId>, Error> {
    let mut statement = connection.prepare_cached("SELECT owner FROM search WHERE number = ?1")?;
    Ok(statement.query_row([search.0], |row| row.get(0).map(UserId::from_bytes)).optional()?)
}

pub fn enqueue(connection: &Connection, batch: &EnqueueBatch) -> Result<Verdict<bool>, Error> {
    let EnqueueBatch { after, until, at, deliveries } = batch;
    let moved = connection
        .prepare_cached(
            "UPDATE delivery_intake SET position = ?4, ordinal = ?5, number = ?6
             WHERE position = ?1 AND ordinal = ?2 AND number = ?3",
        )?
        .execute(params![
            after.position,
            after.ordinal,
            after.number,
            until.position,
            until.ordinal,
            until.number
        ])?;
    if moved == 0 {
        return Ok(Verdict::Undo(false));
    }
    let mut statement = connection.prepare_cached(
        "INSERT INTO delivery (owner, lane, position, kind, place, state, due_at, created_at, number)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    let mut numbered: BTreeMap<i64, u64> = BTreeMap::new();
    for (delivery, start) in deliveries {
        let lane = lane_code(delivery.lane());
        let number = match numbered.entry(lane) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(numbered_in(connection, lane)?),
        };
        *number += 1;
        let (kind, place) = notice_code(delivery.notification);
        let (state, due_at) = match start {
            Start::DueAt(due_at) => (PENDING, *due_at),
            Start::Cancelled(reason) => (cancelled_code(*reason), *at),
        };
        statement.execute(params![
            delivery.owner.as_bytes(),
            lane,
            delivery.position.0,
            kind,
            place,
            state,
            due_at.as_millisecond(),
            at.as_millisecond(),
            *number
        ])?;
    }
    let mut statement =
        connection.prepare_cached("INSERT OR REPLACE INTO delivery_lane (lane, numbered) VALUES (?1, ?2)")?;
    for (lane, number) in numbered {
        statement.execute(params![lane, number])?;
    }
    Ok(Verdict::Keep(true))
}

/// Forgets how many deliveries a search has had: it is gone, and gets no more.
pub fn forget_numbers(connection: &Connection, search: SearchNumber) -> Result<(), Error> {
    let first = first_lane(search);
    connection
        .prepare_cached("DELETE FROM delivery_lane WHERE lane >= ?1 AND lane < ?2")?
        .execute([first, first + LANES_PER_SEARCH])?;
    Ok(())
}

fn numbered_in(connection: &Connection, lane: i64) -> Result<u64, Error> {
    let mut statement = connection.prepare_cached("SELECT numbered FROM delivery_lane WHERE lane = ?1")?;
    Ok(statement.query_row([lane], |row| row.get(0)).optional()?.unwrap_or(0))
}
