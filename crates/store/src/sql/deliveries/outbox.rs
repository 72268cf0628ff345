//! Enqueuing the outbox, each delivery exactly once: the cursor advances in the transaction that inserts the deliveries.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use domain::{SearchNumber, UserId};

use super::{LANES_PER_SEARCH, PENDING, cancelled_code, first_lane, lane_code};
use crate::contract::{EnqueueBatch, InitialState, NewDelivery, OutboxBatch, OutboxCursor};
use crate::contract::{OutboxEntry, Position, RecordKind};
use crate::error::Error;
use crate::sql::damage::DamageLog;
use crate::sql::matches::{notification_code, outbox_entry, outbox_name};
use crate::sql::writer::Transaction;
use crate::sql::{Connection, OptionalExtension, params};

pub fn read_outbox(connection: &Connection, limit: usize, damage: &DamageLog) -> Result<OutboxBatch, Error> {
    let reading = connection.snapshot()?;
    let after = cursor(&reading)?;
    let mut until = after;
    let mut deliveries = Vec::new();
    let mut statement = reading.prepare_cached(ENTRIES)?;
    let mut rows = statement.query_in_pieces(params![after.position, after.ordinal])?;
    while let Some(row) = rows.next()? {
        let (position, ordinal): (u64, i64) = (row.get(3)?, row.get(4)?);
        let is_partly_enqueued = (position, ordinal) == (after.position, after.ordinal);
        // A damaged entry must not stop the others.
        let name = || outbox_name(position, ordinal);
        let (notification, mut numbers) =
            match damage.unless_damaged(RecordKind::OutboxEntry, name, outbox_entry(row))? {
                Some(OutboxEntry { notification, searches }) => (Some(notification), searches),
                None => (None, Vec::new()),
            };
        if is_partly_enqueued {
            numbers.retain(|number| number.0 > after.search_number);
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
        until = OutboxCursor { position, ordinal, search_number: last };
        if cut {
            return Ok(OutboxBatch { after, until, deliveries, more: true });
        }
    }
    Ok(OutboxBatch { after, until, deliveries, more: false })
}

/// Selects the entries from the cursor on. Rows are read only as far as the limit allows.
pub const ENTRIES: &str = "SELECT kind, event_index, searches, position, ordinal FROM outbox
     WHERE (position, ordinal) >= (?1, ?2) ORDER BY position, ordinal";

fn cursor(connection: &Connection) -> Result<OutboxCursor, Error> {
    let mut statement =
        connection.prepare_cached("SELECT position, ordinal, search_number FROM outbox_cursor")?;
    Ok(statement.query_row(params![], |row| {
        Ok(OutboxCursor { position: row.get(0)?, ordinal: row.get(1)?, search_number: row.get(2)? })
    })?)
}

/// Returns the position of the first entry that is not enqueued, or not for all of its searches.
pub fn first_not_enqueued(connection: &Connection) -> Result<Option<u64>, Error> {
    let OutboxCursor { position, ordinal, search_number } = cursor(connection)?;
    // The cursor leaves an entry behind at the end of its searches.
    let sql = if search_number == u32::MAX {
        "SELECT position FROM outbox WHERE (position, ordinal) > (?1, ?2) ORDER BY position, ordinal LIMIT 1"
    } else {
        "SELECT position FROM outbox WHERE (position, ordinal) >= (?1, ?2) ORDER BY position, ordinal LIMIT 1"
    };
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row(params![position, ordinal], |row| row.get(0)).optional()?)
}

fn owner_of(connection: &Connection, search: SearchNumber) -> Result<Option<UserId>, Error> {
    let mut statement = connection.prepare_cached("SELECT owner FROM search WHERE number = ?1")?;
    Ok(statement.query_row([search.0], |row| row.get(0).map(UserId::from_bytes)).optional()?)
}

pub fn enqueue(connection: &Connection, batch: &EnqueueBatch) -> Result<Transaction<bool>, Error> {
    let EnqueueBatch { after, until, at, deliveries } = batch;
    let moved = connection
        .prepare_cached(
            "UPDATE outbox_cursor SET position = ?4, ordinal = ?5, search_number = ?6
             WHERE position = ?1 AND ordinal = ?2 AND search_number = ?3",
        )?
        .execute(params![
            after.position,
            after.ordinal,
            after.search_number,
            until.position,
            until.ordinal,
            until.search_number
        ])?;
    if moved == 0 {
        return Ok(Transaction::Rollback(false));
    }
    let mut statement = connection.prepare_cached(
        "INSERT INTO delivery (owner, lane, position, kind, event_index, state, due_at, created_at, lane_sequence)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    let mut last_sequences: BTreeMap<i64, u64> = BTreeMap::new();
    for (delivery, initial_state) in deliveries {
        let lane = lane_code(delivery.lane());
        let lane_sequence = match last_sequences.entry(lane) {
            Entry::Occupied(last) => last.into_mut(),
            Entry::Vacant(missing) => missing.insert(last_sequence(connection, lane)?),
        };
        *lane_sequence += 1;
        let (kind, event_index) = notification_code(delivery.notification);
        let (state, due_at) = match initial_state {
            InitialState::DueAt(due_at) => (PENDING, *due_at),
            InitialState::Cancelled(reason) => (cancelled_code(*reason), *at),
        };
        statement.execute_later(params![
            delivery.owner.as_bytes(),
            lane,
            delivery.position.0,
            kind,
            event_index,
            state,
            due_at.as_millisecond(),
            at.as_millisecond(),
            *lane_sequence
        ])?;
    }
    let mut statement = connection.prepare_cached(
        "INSERT INTO delivery_lane (lane, last_sequence) VALUES (?1, ?2)
         ON CONFLICT (lane) DO UPDATE SET last_sequence = excluded.last_sequence",
    )?;
    for (lane, last_sequence) in last_sequences {
        statement.execute_later(params![lane, last_sequence])?;
    }
    Ok(Transaction::Commit(true))
}

/// Deletes the lane counters of a search that was deleted.
pub fn delete_lanes(connection: &Connection, search: SearchNumber) -> Result<(), Error> {
    let first = first_lane(search);
    connection
        .prepare_cached("DELETE FROM delivery_lane WHERE lane >= ?1 AND lane < ?2")?
        .execute([first, first + LANES_PER_SEARCH])?;
    Ok(())
}

fn last_sequence(connection: &Connection, lane: i64) -> Result<u64, Error> {
    let mut statement =
        connection.prepare_cached("SELECT last_sequence FROM delivery_lane WHERE lane = ?1")?;
    Ok(statement.query_row([lane], |row| row.get(0)).optional()?.unwrap_or(0))
}
