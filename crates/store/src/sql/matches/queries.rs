//! Reading matches: by property, by search, by id.
//!
//! Up to `indexed_until`, the matches of a search are in `search_match`; later ones are found by scanning the groups. The two never
//! overlap. A query that reads both does so in one transaction, so that concurrent indexing does not change its result.

use std::collections::{BTreeSet, HashMap};

use domain::{MatchId, PropertyId, SearchNumber};

use super::{progress, timestamp};
use crate::contract::Position;
use crate::contract::{MatchPage, MatchRow, RecordKind};
use crate::error::Error;
use crate::record::{decode_search_list, search_list_contains};
use crate::sql::commit::Kind;
use crate::sql::damage::DamageLog;
use crate::sql::read::from_sql;
use crate::sql::searches;
use crate::sql::{Connection, OptionalExtension, Row, params};

pub fn matched_searches(
    connection: &Connection,
    properties: &[PropertyId],
) -> Result<HashMap<PropertyId, Vec<SearchNumber>>, Error> {
    let sql = "SELECT matched FROM match_group WHERE property_id = ?1 AND matched IS NOT NULL
         UNION ALL
         SELECT inherited FROM match_group WHERE property_id = ?1 AND inherited IS NOT NULL
         UNION ALL
         SELECT alerted FROM erased_property WHERE property_id = ?1 AND alerted IS NOT NULL";
    if properties.len() > 1 {
        connection
            .prefetch(properties.iter().map(|property| (sql, vec![property.as_bytes().to_vec().into()])))?;
    }
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = HashMap::new();
    for property in properties {
        let mut numbers = Vec::new();
        let mut lists = 0;
        let mut rows = statement.query([property.as_bytes()])?;
        while let Some(row) = rows.next()? {
            numbers.extend(decode_search_list(Some(row.get_ref(0)?.as_blob().map_err(from_sql)?))?);
            lists += 1;
        }
        // A single list is in order.
        if lists > 1 {
            numbers = BTreeSet::from_iter(numbers).into_iter().collect();
        }
        if lists > 0 {
            found.insert(*property, numbers);
        }
    }
    Ok(found)
}

pub fn list(
    connection: &Connection,
    search: SearchNumber,
    skip: u64,
    take: u64,
    damage: &DamageLog,
) -> Result<MatchPage, Error> {
    let reading = connection.snapshot()?;
    if !searches::exists(&reading, search)? {
        return Ok(MatchPage::default());
    }
    let recent = not_indexed(&reading, search, progress(&reading)?.indexed_until, damage)?;
    let indexed: u64 = reading
        .prepare_cached("SELECT count(*) FROM search_match WHERE number = ?1")?
        .query_row([search.0], |row| row.get(0))?;
    let recent_count = recent.len() as u64;
    let whole = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let mut positions: Vec<Position> = recent.into_iter().rev().skip(whole(skip)).take(whole(take)).collect();
    let rest = take - positions.len() as u64;
    if rest > 0 && indexed > 0 {
        let skip = skip.saturating_sub(recent_count);
        let window = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let mut statement = reading.prepare_cached(
            "SELECT position FROM search_match WHERE number = ?1 ORDER BY position DESC LIMIT ?2 OFFSET ?3",
        )?;
        let rows = statement
            .query_map(params![search.0, window(rest), window(skip)], |row| row.get(0).map(Position))?;
        positions.extend(rows.collect::<Result<Vec<_>, _>>()?);
    }
    let mut matches = Vec::with_capacity(positions.len());
    for position in positions {
        let name = || position.0.to_string();
        let read = at(&reading, search, position);
        matches.extend(damage.unless_damaged(RecordKind::MatchGroup, name, read)?);
    }
    Ok(MatchPage { total: recent_count + indexed, matches })
}

/// Returns the positions of a search's matches that are not indexed yet, in order.
fn not_indexed(
    connection: &Connection,
    search: SearchNumber,
    indexed_until: Position,
    damage: &DamageLog,
) -> Result<Vec<Position>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT position, matched FROM match_group WHERE position > ?1 AND matched IS NOT NULL ORDER BY position",
    )?;
    let mut rows = statement.query([indexed_until.0])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let position = Position(row.get(0)?);
        let contains = row.get_ref(1)?.as_blob().map_err(from_sql);
        let contains = contains.and_then(|list| search_list_contains(Some(list), search));
        let name = || position.0.to_string();
        if damage.unless_damaged(RecordKind::MatchGroup, name, contains)? == Some(true) {
            found.push(position);
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
    let Some(first_position) = first_position(connection, property)? else {
        return Err(Error::corrupt(format!("the first version of property {property}")));
    };
    match_row(row, search, property, first_position)
}

pub fn find(
    connection: &Connection,
    search: SearchNumber,
    first_position: Position,
    damage: &DamageLog,
) -> Result<Option<MatchRow>, Error> {
    let reading = connection.snapshot()?;
    if !searches::exists(&reading, search)? {
        return Ok(None);
    }
    let Some(property) = property_first_logged_at(&reading, first_position)? else { return Ok(None) };
    let mut statement = reading.prepare_cached(
        "SELECT property_id, version, at, matched, linked, inherited, position FROM match_group
         WHERE property_id = ?1 ORDER BY position",
    )?;
    let mut rows = statement.query([property.as_bytes()])?;
    let mut linked = None;
    while let Some(row) = rows.next()? {
        let position: u64 = row.get(6)?;
        let read = matched_or_linked(row, search, property, first_position);
        match damage.unless_damaged(RecordKind::MatchGroup, || position.to_string(), read)?.flatten() {
            Some((row, Connected::Matched)) => return Ok(Some(row)),
            Some((row, Connected::Linked)) => {
                linked.get_or_insert(row);
            }
            None => {}
        }
    }
    Ok(linked)
}

/// How a search is connected with a group.
enum Connected {
    Matched,
    Linked,
}

fn matched_or_linked(
    row: Row<'_>,
    search: SearchNumber,
    property: PropertyId,
    first_position: Position,
) -> Result<Option<(MatchRow, Connected)>, Error> {
    let contains =
        |column| search_list_contains(row.get_ref(column)?.as_blob_or_null().map_err(from_sql)?, search);
    let connected = match (contains(3)?, contains(4)? || contains(5)?) {
        (true, _) => Connected::Matched,
        (false, true) => Connected::Linked,
        (false, false) => return Ok(None),
    };
    Ok(Some((match_row(row, search, property, first_position)?, connected)))
}

fn match_row(
    row: Row<'_>,
    search: SearchNumber,
    property: PropertyId,
    first_position: Position,
) -> Result<MatchRow, Error> {
    Ok(MatchRow {
        id: MatchId::of(search, first_position.0),
        search,
        property,
        version: row.get(1)?,
        at: timestamp(row, 2)?,
    })
}

/// Returns the log position of a property's first version.
pub fn first_position(connection: &Connection, property: PropertyId) -> Result<Option<Position>, Error> {
    let mut statement = connection
        .prepare_cached("SELECT position FROM property_version WHERE property_id = ?1 AND version = 1")?;
    Ok(statement.query_row([property.as_bytes()], |row| row.get(0).map(Position)).optional()?)
}

/// Returns the property whose first version was logged at a position.
fn property_first_logged_at(
    connection: &Connection,
    position: Position,
) -> Result<Option<PropertyId>, Error> {
    let mut statement =
        connection.prepare_cached("SELECT kind, version, subject FROM log WHERE position = ?1")?;
    let entry = statement.query_row([position.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    let (kind, version, subject): (i64, Option<u32>, Option<[u8; 16]>) = match entry.optional()? {
        Some(entry) => entry,
        // Retention has deleted it. The first version of the property is still there.
        None => return first_version_at(connection, position),
    };
    match (Kind::from_code(kind), version, subject) {
        (Some(Kind::Advert | Kind::Regrouped), Some(1), Some(subject)) => {
            Ok(Some(PropertyId::from_bytes(subject)))
        }
        // The property's first advert was erased, and the entry with it; other adverts of the property may be left.
        (Some(Kind::Erased), ..) => first_version_at(connection, position),
        _ => Ok(None),
    }
}

/// Finds the property whose first version was written at a position, by binary search: record ids are in the order of log positions.
/// A lookup takes about twenty reads, and is too rare to be worth an index on every property.
fn first_version_at(connection: &Connection, position: Position) -> Result<Option<PropertyId>, Error> {
    let mut last = connection.prepare_cached("SELECT coalesce(max(record_id), 0) FROM property_version")?;
    let mut statement = connection.prepare_cached(
        "SELECT record_id, position, version, property_id FROM property_version
         WHERE record_id >= ?1 ORDER BY record_id LIMIT 1",
    )?;
    // The record is in `low..high`.
    let (mut low, mut high) = (0_u64, last.query_row(params![], |row| row.get::<u64>(0))? + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let found =
            statement.query_row([middle], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
        // Without any record there is nothing to find.
        let found: Option<(u64, u64, u32, [u8; 16])> = found.optional()?;
        let Some((record_id, found_at, version, property)) = found else { return Ok(None) };
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
