//! Enqueuing the outbox, each delivery exactly once: the cursor advances in the transaction that inserts the deliveries.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::{SearchNumber, UserId};

use super::{LANES_PER_SEARCH, PENDING, cancelled_code, first_lane, lane_code};
use crate::contract::{EnqueueBatch, InitialState, NewDelivery, OutboxBatch, OutboxCursor};
use crate::contract::{OutboxEntry, Position, RecordKind};
use crate::error::Error;
use crate::sql::damage::DamageLog;
use crate::sql::matches::{notification_code, outbox_entry, outbox_name};
use crate::sql::value::owned;
use crate::sql::writer::Transaction;
use crate::sql::{Connection, OptionalExtension, params};

pub fn read_outbox(connection: &Connection, limit: usize, damage: &DamageLog) -> Result<OutboxBatch, Error> {
    let reading = connection.snapshot()?;
    let after = cursor(&reading)?;
    let mut until = after;
    let mut deliveries = Vec::new();
    let mut owners = HashMap::new();
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
        read_owners(&reading, &numbers, &mut owners)?;
        for (notification, search) in notification.into_iter().cycle().zip(numbers) {
            if let Some(Some(owner)) = owners.get(&search).copied() {
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

/// Adds the owners of searches that are not there yet; `None` for a search that was deleted.
fn read_owners(
    connection: &Connection,
    searches: &[SearchNumber],
    owners: &mut HashMap<SearchNumber, Option<UserId>>,
) -> Result<(), Error> {
    let sql = "SELECT owner FROM search WHERE number = ?1";
    let missing: Vec<_> = searches.iter().filter(|search| !owners.contains_key(search)).copied().collect();
    connection.prefetch(missing.iter().map(|search| (sql, owned(params![search.0]))))?;
    let mut statement = connection.prepare_cached(sql)?;
    for search in missing {
        let owner = statement.query_row([search.0], |row| row.get(0).map(UserId::from_bytes)).optional()?;
        owners.insert(search, owner);
    }
    Ok(())
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
    let lanes = deliveries.iter().map(|(delivery, _)| lane_code(delivery.lane()));
    let mut last_sequences = last_sequences(connection, lanes.collect())?;
    for (delivery, initial_state) in deliveries {
        let lane = lane_code(delivery.lane());
        let lane_sequence = last_sequences.entry(lane).or_insert(0);
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

fn last_sequences(connection: &Connection, lanes: BTreeSet<i64>) -> Result<BTreeMap<i64, u64>, Error> {
    let sql = "SELECT last_sequence FROM delivery_lane WHERE lane = ?1";
    connection.prefetch(lanes.iter().map(|lane| (sql, owned(params![lane]))))?;
    let mut statement = connection.prepare_cached(sql)?;
    let read = |lane| Ok((lane, statement.query_row([lane], |row| row.get(0)).optional()?.unwrap_or(0)));
    lanes.into_iter().map(read).collect()
}
