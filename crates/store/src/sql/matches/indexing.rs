//! Indexing matches by search, some time after they were recorded.
//!
//! A reader loads and sorts the groups; the writer only inserts, in the order of the table, and advances `indexed_until` in the same
//! transaction. It detects changes in between: `indexed_until` differs if another process was indexing, and an erased group is gone.
//!
//! Once all matches are indexed, the rows of deleted searches are deleted and their pending deliveries cancelled, a few at a time. Not
//! before: until `indexed_until` is past the deletion, matches of the deleted search may still be inserted.

use domain::{SearchNumber, Timestamp};

use super::{Progress, progress};
use crate::contract::{Position, RecordKind};
use crate::error::Error;
use crate::record::decode_search_list;
use crate::sql::damage::DamageLog;
use crate::sql::deliveries;
use crate::sql::read::from_sql;
use crate::sql::value::OwnedValue;
use crate::sql::writer::Transaction;
use crate::sql::{Connection, OptionalExtension, params};

/// The next step of indexing.
pub enum IndexStep {
    Insert(InsertStep),
    Delete(DeleteStep),
    Done,
}

/// Matches to insert.
pub struct InsertStep {
    indexed_until: Position,
    until: Position,
    /// The groups that the matches come from.
    groups: Vec<Position>,
    matches: Vec<(SearchNumber, Position)>,
    more: bool,
}

/// Rows of a deleted search to delete.
pub struct DeleteStep {
    deleted_position: u64,
    indexed_until: Position,
    limit: i64,
}

pub fn next_step(connection: &Connection, limit: usize, damage: &DamageLog) -> Result<IndexStep, Error> {
    let limit = limit.max(1);
    let reading = connection.snapshot()?;
    let Progress { checkpoint, indexed_until } = progress(&reading)?;
    let mut statement = reading.prepare_cached(
        "SELECT position, matched FROM match_group WHERE position > ?1 AND matched IS NOT NULL ORDER BY position",
    )?;
    let mut rows = statement.query_in_pieces([indexed_until.0])?;
    let (mut groups, mut matches) = (Vec::new(), Vec::new());
    let mut more = false;
    while let Some(row) = rows.next()? {
        if matches.len() >= limit {
            more = true;
            break;
        }
        let position = Position(row.get(0)?);
        let numbers =
            row.get_ref(1)?.as_blob().map_err(from_sql).and_then(|list| decode_search_list(Some(list)));
        // The matches of a damaged list are lost. They must not keep the others from being indexed.
        let numbers = damage.unless_damaged(RecordKind::MatchGroup, || position.0.to_string(), numbers)?;
        matches.extend(numbers.into_iter().flatten().map(|number| (number, position)));
        groups.push(position);
    }
    let Some(last) = groups.last().copied() else {
        // All matches are indexed, so that everything up to the checkpoint is.
        return delete_step(&reading, checkpoint, limit);
    };
    matches.sort_unstable();
    let until = if more { last } else { checkpoint };
    Ok(IndexStep::Insert(InsertStep { indexed_until, until, groups, matches, more }))
}

fn delete_step(connection: &Connection, indexed_until: Position, limit: usize) -> Result<IndexStep, Error> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    Ok(match first_deletion(connection, indexed_until)? {
        Some(deleted_position) => IndexStep::Delete(DeleteStep { deleted_position, indexed_until, limit }),
        None => IndexStep::Done,
    })
}

/// Returns the position of the first deletion of a search, up to a position, whose rows are not deleted yet.
fn first_deletion(connection: &Connection, position: Position) -> Result<Option<u64>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT position FROM deleted_search WHERE position <= ?1 ORDER BY position LIMIT 1",
    )?;
    Ok(statement.query_row([position.0], |row| row.get(0)).optional()?)
}

/// Inserts matches. Returns `true` if there is more to do.
pub fn insert(connection: &Connection, step: &InsertStep) -> Result<Transaction<bool>, Error> {
    let InsertStep { indexed_until, until, groups, matches, more } = step;
    let moved = connection
        .prepare_cached("UPDATE matcher SET indexed_until = ?2 WHERE indexed_until = ?1")?
        .execute(params![indexed_until.0, until.0])?;
    if moved == 0 {
        // Another process is indexing. Let the caller try again.
        return Ok(Transaction::Rollback(true));
    }
    let sql = "SELECT 1 FROM match_group WHERE position = ?1";
    connection.prefetch(groups.iter().map(|group| (sql, vec![OwnedValue::from(group.0.cast_signed())])))?;
    let mut exists = connection.prepare_cached(sql)?;
    let mut erased = Vec::new();
    for group in groups {
        if !exists.exists([group.0])? {
            erased.push(*group);
        }
    }
    let mut statement =
        connection.prepare_cached("INSERT INTO search_match (number, position) VALUES (?1, ?2)")?;
    for (number, position) in matches {
        if !erased.contains(position) {
            statement.execute_later(params![number.0, position.0])?;
        }
    }
    Ok(Transaction::Commit(*more || first_deletion(connection, *until)?.is_some()))
}

/// Deletes rows of a deleted search, and cancels deliveries that were not cancelled with it. Returns `true` if there is more to do.
pub fn delete(connection: &Connection, step: &DeleteStep) -> Result<Transaction<bool>, Error> {
    let DeleteStep { deleted_position, indexed_until, limit } = step;
    let mut statement =
        connection.prepare_cached("SELECT number, deleted_at FROM deleted_search WHERE position = ?1")?;
    let found = statement.query_row([deleted_position], |row| Ok((SearchNumber(row.get(0)?), row.get(1)?)));
    let cancels = usize::try_from(*limit).unwrap_or(usize::MAX);
    let cancelled = match found.optional()? {
        Some((search, deleted_at)) => {
            let at = Timestamp::from_millisecond(deleted_at).unwrap_or_default();
            deliveries::cancel_deleted(connection, search, cancels, at)?
        }
        None => 0,
    };
    let deleted = connection
        .prepare_cached(
            "DELETE FROM search_match WHERE (number, position) IN (
                 SELECT m.number, m.position FROM deleted_search d JOIN search_match m USING (number)
                 WHERE d.position = ?1 LIMIT ?2)",
        )?
        .execute(params![deleted_position, limit])?;
    if i64::try_from(deleted).unwrap_or(i64::MAX) < *limit && cancelled < cancels {
        connection
            .prepare_cached("DELETE FROM deleted_search WHERE position = ?1")?
            .execute([deleted_position])?;
    }
    Ok(Transaction::Commit(first_deletion(connection, *indexed_until)?.is_some()))
}
