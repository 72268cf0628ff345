//! Counting the matches of searches by period, without reading them.
//!
//! Dates rise with positions, so a period is a range of positions. Its ends are found once for all searches, and a count is a range of
//! `search_match`. Commits that run at the same time may be milliseconds out of order: a match at the very end of a period may count
//! with the next one.

use std::collections::HashMap;

use domain::{SearchNumber, Timestamp};

use super::{progress, timestamp};
use crate::contract::{MatchCounts, Position, RecordKind};
use crate::error::Error;
use crate::record::decode_search_list;
use crate::sql::damage::DamageLog;
use crate::sql::read::from_sql;
use crate::sql::searches;
use crate::sql::{Connection, OptionalExtension, params};

pub fn count(
    connection: &Connection,
    numbers: &[SearchNumber],
    starts: &[Timestamp],
    count_max: u64,
    damage: &DamageLog,
) -> Result<Vec<MatchCounts>, Error> {
    // One transaction, so that no match is counted twice or missed while it is indexed.
    let reading = connection.snapshot()?;
    let indexed_until = progress(&reading)?.indexed_until;
    let starts = starts.iter().map(|start| first_at(&reading, *start)).collect::<Result<Vec<_>, _>>()?;
    let recent = not_indexed(&reading, numbers, indexed_until, damage)?;
    let mut counts = Vec::with_capacity(numbers.len());
    for number in numbers {
        let recent = recent.get(number).map_or(&[][..], Vec::as_slice);
        counts.push(if searches::exists(&reading, *number)? {
            count_one(&reading, *number, &starts, recent, count_max, damage)?
        } else {
            MatchCounts { counts: vec![0; starts.len()], is_complete: true, last_at: None }
        });
    }
    Ok(counts)
}

/// Counts the matches of one search, the last period first. `recent` are the positions that are not indexed, in order.
fn count_one(
    connection: &Connection,
    number: SearchNumber,
    starts: &[Position],
    recent: &[Position],
    count_max: u64,
    damage: &DamageLog,
) -> Result<MatchCounts, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT count(*) FROM (
             SELECT 1 FROM search_match WHERE number = ?1 AND position >= ?2 AND position < ?3 LIMIT ?4) AS found",
    )?;
    let (mut counts, mut left, mut is_complete) = (vec![0; starts.len()], count_max, true);
    // SQLite's integers are signed.
    let mut end = Position(i64::MAX.unsigned_abs());
    for (start, count) in starts.iter().zip(&mut counts).rev() {
        let new = recent.partition_point(|position| *position < end)
            - recent.partition_point(|position| *position < *start);
        // One more than may be counted tells whether there are more.
        let limit = i64::try_from(left).unwrap_or(i64::MAX - 1) + 1;
        let indexed: u64 = statement.query_row(params![number.0, start.0, end.0, limit], |row| row.get(0))?;
        let found = new as u64 + indexed;
        *count = found.min(left);
        if found > left {
            is_complete = false;
            break;
        }
        left -= found;
        end = *start;
    }
    let last_at = last_at(connection, number, recent.last().copied(), damage)?;
    Ok(MatchCounts { counts, is_complete, last_at })
}

/// Returns the date of the newest match of a search.
fn last_at(
    connection: &Connection,
    number: SearchNumber,
    recent: Option<Position>,
    damage: &DamageLog,
) -> Result<Option<Timestamp>, Error> {
    let indexed = || -> Result<Option<u64>, Error> {
        let mut statement = connection.prepare_cached(
            "SELECT position FROM search_match WHERE number = ?1 ORDER BY position DESC LIMIT 1",
        )?;
        Ok(statement.query_row([number.0], |row| row.get(0)).optional()?)
    };
    let last = match recent {
        Some(position) => Some(position.0),
        None => indexed()?,
    };
    let Some(position) = last else { return Ok(None) };
    let mut statement =
        connection.prepare_cached("SELECT position, at FROM match_group WHERE position = ?1")?;
    let mut rows = statement.query([position])?;
    let read = match rows.next()? {
        Some(row) => timestamp(row, 1),
        None => Err(Error::corrupt(format!("the match of search {} at entry {position}", number.0))),
    };
    damage.unless_damaged(RecordKind::MatchGroup, || position.to_string(), read)
}

/// Returns the position of the first group from a date on, or one past the last group. By binary search: a date has no index, and about
/// thirty lookups find it.
fn first_at(connection: &Connection, date: Timestamp) -> Result<Position, Error> {
    let last: u64 =
        connection
            .query_row("SELECT coalesce(max(position), 0) FROM match_group", params![], |row| row.get(0))?;
    let mut statement = connection.prepare_cached(
        "SELECT position, at FROM match_group WHERE position >= ?1 ORDER BY position LIMIT 1",
    )?;
    // The position is in `low..=high`.
    let (mut low, mut high) = (0_u64, last + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let found: Option<(u64, i64)> =
            statement.query_row([middle], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        match found {
            Some((position, at)) if at < date.as_millisecond() => low = position + 1,
            Some(_) | None => high = middle,
        }
    }
    Ok(Position(low))
}

/// Returns the positions of matches that are not indexed yet, by search and in order.
fn not_indexed(
    connection: &Connection,
    numbers: &[SearchNumber],
    indexed_until: Position,
    damage: &DamageLog,
) -> Result<HashMap<SearchNumber, Vec<Position>>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT position, matched FROM match_group WHERE position > ?1 AND matched IS NOT NULL ORDER BY position",
    )?;
    let mut rows = statement.query([indexed_until.0])?;
    let mut found: HashMap<SearchNumber, Vec<Position>> = HashMap::new();
    while let Some(row) = rows.next()? {
        let position = Position(row.get(0)?);
        let list =
            row.get_ref(1)?.as_blob().map_err(from_sql).and_then(|list| decode_search_list(Some(list)));
        let list = damage.unless_damaged(RecordKind::MatchGroup, || position.0.to_string(), list)?;
        let Some(list) = list else { continue };
        for number in numbers.iter().filter(|number| list.binary_search(number).is_ok()) {
            found.entry(*number).or_default().push(position);
        }
    }
    Ok(found)
}
