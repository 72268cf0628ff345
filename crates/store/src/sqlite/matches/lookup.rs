//! Finding matches: by property, by search, and the one that an id names.
//!
//! Up to where matches are filed, a search's are found in a table of their own; what was recorded since is found by looking through
//! the groups. The two never overlap, and whoever reads both does so in one transaction, so that filing meanwhile changes nothing.

use std::collections::{BTreeSet, HashMap};

use domain::{MatchId, PropertyId, SearchNumber};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{moment, progress};
use crate::error::Error;
use crate::log::Position;
use crate::matches::{MatchPage, MatchRow};
use crate::record::{decode_numbers, holds_number};
use crate::sqlite::commit::Kind;
use crate::sqlite::read::from_sql;
use crate::sqlite::searches;

pub fn matched(
    connection: &Connection,
    properties: &[PropertyId],
) -> Result<HashMap<PropertyId, Vec<SearchNumber>>, Error> {
    let mut statement = connection
        .prepare_cached("SELECT matched FROM match_group WHERE property_id = ?1 AND matched IS NOT NULL")?;
    let mut found = HashMap::new();
    for property in properties {
        let mut numbers = Vec::new();
        let mut groups = 0;
        let mut rows = statement.query([property.as_bytes()])?;
        while let Some(row) = rows.next()? {
            numbers.extend(decode_numbers(Some(row.get_ref(0)?.as_blob().map_err(from_sql)?))?);
            groups += 1;
        }
        // Each list is in order by itself.
        if groups > 1 {
            numbers = BTreeSet::from_iter(numbers).into_iter().collect();
        }
        if groups > 0 {
            found.insert(*property, numbers);
        }
    }
    Ok(found)
}

pub fn matches_of(
    connection: &Connection,
    search: SearchNumber,
    skip: u64,
    take: u64,
) -> Result<MatchPage, Error> {
    let reading = connection.unchecked_transaction()?;
    if !searches::exists(&reading, search)? {
        return Ok(MatchPage::default());
    }
    let recent = recent(&reading, search, progress(&reading)?.filed_until)?;
    let filed: u64 = reading
        .prepare_cached("SELECT count(*) FROM match_of_search WHERE number = ?1")?
        .query_row([search.0], |row| row.get(0))?;
    let recent_count = recent.len() as u64;
    let whole = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let mut positions: Vec<Position> = recent.into_iter().rev().skip(whole(skip)).take(whole(take)).collect();
    let rest = take - positions.len() as u64;
    if rest > 0 && filed > 0 {
        let skip = skip.saturating_sub(recent_count);
        let window = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let mut statement = reading.prepare_cached(
            "SELECT position FROM match_of_search WHERE number = ?1 ORDER BY position DESC LIMIT ?2 OFFSET ?3",
        )?;
        let rows = statement
            .query_map(params![search.0, window(rest), window(skip)], |row| row.get(0).map(Position))?;
        positions.extend(rows.collect::<Result<Vec<_>, _>>()?);
    }
    let matches =
        positions.into_iter().map(|position| at(&reading, search, position)).collect::<Result<_, _>>()?;
    Ok(MatchPage { total: recent_count + filed, matches })
}

/// Where a search's matches are that are not filed yet, in order.
fn recent(
    connection: &Connection,
    search: SearchNumber,
    filed_until: Position,
) -> Result<Vec<Position>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT position, matched FROM match_group WHERE position > ?1 AND matched IS NOT NULL ORDER BY position",
    )?;
    let mut rows = statement.query([filed_until.0])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        if holds_number(Some(row.get_ref(1)?.as_blob().map_err(from_sql)?), search)? {
            found.push(Position(row.get(0)?));
        }
    }
    Ok(found)
}

fn at(connection: &Connection, search: SearchNumber, position: Position) -> Result<MatchRow, Error> {
    let mut statement =
        connection.prepare_cached("SELECT property_id, version, at FROM match_group WHERE position = ?1")?;
    let mut rows = statement.query([position.0])?;
    let Some(row) = rows.next()? else {
        return Err(Error::corrupt(format!("the match of search {} at entry {}", search.0, position.0)));
    };
    let property = PropertyId::from_bytes(row.get(0)?);
    let Some(first_told_at) = first_told_at(connection, property)? else {
        return Err(Error::corrupt(format!("the first version of property {property}")));
    };
    match_row(row, search, property, first_told_at)
}

pub fn match_with(
    connection: &Connection,
    search: SearchNumber,
    first_told_at: Position,
) -> Result<Option<MatchRow>, Error> {
    let reading = connection.unchecked_transaction()?;
    if !searches::exists(&reading, search)? {
        return Ok(None);
    }
    let Some(property) = first_told_of(&reading, first_told_at)? else { return Ok(None) };
    let mut statement = reading.prepare_cached(
        "SELECT property_id, version, at, matched, linked FROM match_group WHERE property_id = ?1 ORDER BY position",
    )?;
    let mut rows = statement.query([property.as_bytes()])?;
    let mut linked = None;
    while let Some(row) = rows.next()? {
        let holds = |column| holds_number(row.get_ref(column)?.as_blob_or_null().map_err(from_sql)?, search);
        if holds(3)? {
            return match_row(row, search, property, first_told_at).map(Some);
        }
        if linked.is_none() && holds(4)? {
            linked = Some(match_row(row, search, property, first_told_at)?);
        }
    }
    Ok(linked)
}

fn match_row(
    row: &Row<'_>,
    search: SearchNumber,
    property: PropertyId,
    first_told_at: Position,
) -> Result<MatchRow, Error> {
    Ok(MatchRow {
        id: MatchId::of(search, first_told_at.0),
        search,
        property,
        version: row.get(1)?,
        at: moment(row, 2)?,
    })
}

/// Where the log first told of a property.
pub fn first_told_at(connection: &Connection, property: PropertyId) -> Result<Option<Position>, Error> {
    let mut statement = connection
        .prepare_cached("SELECT position FROM property_version WHERE property_id = ?1 AND version = 1")?;
    Ok(statement.query_row([property.as_bytes()], |row| row.get(0).map(Position)).optional()?)
}

/// The property of which the log first told at a position.
fn first_told_of(connection: &Connection, position: Position) -> Result<Option<PropertyId>, Error> {
    let mut statement =
        connection.prepare_cached("SELECT kind, version, subject FROM log WHERE position = ?1")?;
    let entry = statement.query_row([position.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    let (kind, version, subject): (i64, Option<u32>, Option<[u8; 16]>) = match entry.optional()? {
        Some(entry) => entry,
        None => return Ok(None),
    };
    match (Kind::from_code(kind), version, subject) {
        (Some(Kind::Advert), Some(1), Some(subject)) => Ok(Some(PropertyId::from_bytes(subject))),
        // The advert that came first was erased, and the entry says nothing any more; others of the property may be left.
        (Some(Kind::Erased), ..) => first_version_at(connection, position),
        _ => Ok(None),
    }
}

/// The property whose first version belongs to a position. Records are numbered in the order of their entries, so that halving
/// finds the one; an index for what is asked this rarely would be paid for by every property.
fn first_version_at(connection: &Connection, position: Position) -> Result<Option<PropertyId>, Error> {
    let mut last = connection.prepare_cached("SELECT coalesce(max(record_id), 0) FROM property_version")?;
    let mut statement = connection.prepare_cached(
        "SELECT record_id, position, version, property_id FROM property_version
         WHERE record_id >= ?1 ORDER BY record_id LIMIT 1",
    )?;
    // What is sought is in `low..high`.
    let (mut low, mut high) = (0_u64, last.query_row([], |row| row.get::<_, u64>(0))? + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let found: (u64, u64, u32, [u8; 16]) =
            statement.query_row([middle], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        let (record_id, found_at, version, property) = found;
        match found_at.cmp(&position.0) {
            std::cmp::Ordering::Less => low = record_id + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => {
                return Ok((version == 1).then(|| PropertyId::from_bytes(property)));
            }
        }
    }
    Ok(None)
}
