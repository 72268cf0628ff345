//! Making matches quick to find by search, after the fact.
//!
//! Groups are read and sorted on a reader; the writer only inserts, in the order of the table, and moves the mark in the same
//! transaction. What happened in between is noticed: the mark has moved when somebody else was filing, and an erased group is gone.
//!
//! When everything is filed, what is left of deleted searches is cleared away, a few rows at a time. Not before: until the mark is
//! past the deletion, their numbers may still be filed.

use domain::SearchNumber;
use rusqlite::{Connection, OptionalExtension, params};

use super::{Progress, progress};
use crate::error::Error;
use crate::log::Position;
use crate::record::decode_numbers;
use crate::sqlite::read::from_sql;
use crate::sqlite::writer::Verdict;

/// The next piece of work.
pub enum Piece {
    File(Filing),
    Clear(Clearing),
    Nothing,
}

/// Matches to be filed.
pub struct Filing {
    filed_until: Position,
    until: Position,
    /// The groups they are from.
    groups: Vec<Position>,
    matches: Vec<(SearchNumber, Position)>,
    more: bool,
}

/// Rows of a deleted search to be cleared away.
pub struct Clearing {
    removed_at: u64,
    filed_until: Position,
    limit: i64,
}

pub fn next(connection: &Connection, limit: usize) -> Result<Piece, Error> {
    let limit = limit.max(1);
    let reading = connection.unchecked_transaction()?;
    let Progress { matched_until, filed_until } = progress(&reading)?;
    let mut statement = reading.prepare_cached(
        "SELECT position, matched FROM match_group WHERE position > ?1 AND matched IS NOT NULL ORDER BY position",
    )?;
    let mut rows = statement.query([filed_until.0])?;
    let (mut groups, mut matches) = (Vec::new(), Vec::new());
    let mut more = false;
    while let Some(row) = rows.next()? {
        if matches.len() >= limit {
            more = true;
            break;
        }
        let position = Position(row.get(0)?);
        let numbers = decode_numbers(Some(row.get_ref(1)?.as_blob().map_err(from_sql)?))?;
        matches.extend(numbers.into_iter().map(|number| (number, position)));
        groups.push(position);
    }
    let Some(last) = groups.last().copied() else {
        // All there is is filed, so the mark may as well stand where the matcher is.
        return clearing(&reading, matched_until, limit);
    };
    matches.sort_unstable();
    let until = if more { last } else { matched_until };
    Ok(Piece::File(Filing { filed_until, until, groups, matches, more }))
}

fn clearing(connection: &Connection, filed_until: Position, limit: usize) -> Result<Piece, Error> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let removed = removed_search(connection, filed_until)?;
    Ok(removed.map_or(Piece::Nothing, |removed_at| Piece::Clear(Clearing { removed_at, filed_until, limit })))
}

/// When the first of the searches was deleted, up to a position, that are not cleared away yet.
fn removed_search(connection: &Connection, position: Position) -> Result<Option<u64>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT removed_at FROM removed_search WHERE removed_at <= ?1 ORDER BY removed_at LIMIT 1",
    )?;
    Ok(statement.query_row([position.0], |row| row.get(0)).optional()?)
}

/// Answers whether there is more to do.
pub fn file(connection: &Connection, filing: &Filing) -> Result<Verdict<bool>, Error> {
    let Filing { filed_until, until, groups, matches, more } = filing;
    let moved = connection
        .prepare_cached("UPDATE matcher SET filed_until = ?2 WHERE filed_until = ?1")?
        .execute(params![filed_until.0, until.0])?;
    if moved == 0 {
        // Somebody else is filing. Let the caller look again.
        return Ok(Verdict::Undo(true));
    }
    let mut known = connection.prepare_cached("SELECT 1 FROM match_group WHERE position = ?1")?;
    let mut erased = Vec::new();
    for group in groups {
        if !known.exists([group.0])? {
            erased.push(*group);
        }
    }
    let mut statement =
        connection.prepare_cached("INSERT INTO match_of_search (number, position) VALUES (?1, ?2)")?;
    for (number, position) in matches {
        if !erased.contains(position) {
            statement.execute(params![number.0, position.0])?;
        }
    }
    Ok(Verdict::Keep(*more || removed_search(connection, *until)?.is_some()))
}

/// Answers whether there is more to do.
pub fn clear(connection: &Connection, clearing: &Clearing) -> Result<Verdict<bool>, Error> {
    let Clearing { removed_at, filed_until, limit } = clearing;
    let deleted = connection
        .prepare_cached(
            "DELETE FROM match_of_search WHERE (number, position) IN (
                 SELECT number, position FROM removed_search JOIN match_of_search USING (number)
                 WHERE removed_at = ?1 LIMIT ?2)",
        )?
        .execute(params![removed_at, limit])?;
    if i64::try_from(deleted).unwrap_or(i64::MAX) < *limit {
        connection
            .prepare_cached("DELETE FROM removed_search WHERE removed_at = ?1")?
            .execute([removed_at])?;
    }
    Ok(Verdict::Keep(removed_search(connection, *filed_until)?.is_some()))
}
