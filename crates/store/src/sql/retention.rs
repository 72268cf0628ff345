//! Retention: deleting old log entries with what only they needed, and what is left of properties that are off the market.
//!
//! A step over the log is planned by a reader and carried out by the writer, so that the writer neither decodes records nor waits for
//! cold pages of the disk. Nothing that happens in between makes a plan wrong: what it deletes is needed by nothing any more, and the
//! conditions that may change are part of the statements.

mod departed;

use std::collections::BTreeSet;

use domain::matching::is_available;
use domain::{PropertyId, SearchNumber, Timestamp};

pub use departed::{erase_departed, prune_matches};

use super::commit::{Kind, property_row};
use super::damage::DamageLog;
use super::deliveries;
use super::error::is_damage;
use super::matches::{self, Progress, progress};
use super::read::{self, from_sql};
use super::writer::last_position;
use crate::contract::{Position, PruneStep, PrunedRows, RecordKind, StoreSize};
use crate::error::Error;
use crate::record::decode_search_list;
use crate::sql::{Connection, OptionalExtension, Row, params};

/// A step ends after this many bytes of records, however few entries they belong to: deleted bytes are overwritten, and other writers
/// wait meanwhile.
const BYTES_MAX: u64 = 1024 * 1024;

/// Entries to delete, in order.
pub struct LogStep {
    entries: Vec<PlannedEntry>,
    more: bool,
}

struct PlannedEntry {
    position: u64,
    /// The property that the entry is about, and the version it made; no version if the property was removed.
    subject: Option<(PropertyId, Option<u32>)>,
    deletes_group: bool,
    /// The entry took the property off the market at this date.
    departed_at: Option<i64>,
}

/// Plans a step; `None` if there is nothing to delete.
pub fn plan(
    connection: &Connection,
    before: Timestamp,
    until: Position,
    entries_max: usize,
    damage: &DamageLog,
) -> Result<Option<LogStep>, Error> {
    let reading = connection.snapshot()?;
    let until = until.min(last_not_needed(&reading)?);
    let mut statement = reading.prepare_cached(
        "SELECT position, kind, recorded_at, subject, version, length(payload) FROM log
         WHERE position <= ?1 ORDER BY position",
    )?;
    let mut rows = statement.query_at_most([until.0], entries_max.max(1) + 1)?;
    let (mut entries, mut bytes, mut more) = (Vec::new(), 0, false);
    while let Some(row) = rows.next()? {
        // An entry whose date cannot be read is as old as the one before it.
        if row.get::<i64>(2).is_ok_and(|recorded_at| recorded_at >= before.as_millisecond()) {
            break;
        }
        if entries.len() >= entries_max.max(1) || bytes >= BYTES_MAX {
            more = true;
            break;
        }
        let entry = plan_entry(&reading, row, damage)?;
        bytes += row.get::<Option<u64>>(5)?.unwrap_or(0);
        if let Some((property, Some(version))) = entry.subject {
            bytes += replaced_bytes(&reading, property, version)?;
        }
        entries.push(entry);
    }
    Ok((!entries.is_empty()).then_some(LogStep { entries, more }))
}

/// Returns the last position before everything that a follower, the outbox or a delivery may still read.
fn last_not_needed(connection: &Connection) -> Result<Position, Error> {
    let Progress { checkpoint, indexed_until } = progress(connection)?;
    let first = |sql: &str, after: u64| -> Result<Option<u64>, Error> {
        Ok(connection.prepare_cached(sql)?.query_row([after], |row| row.get(0)).optional()?)
    };
    let needed = [
        // The last entry: the next position is one more.
        Some(last_position(connection)?.0),
        // Matches that are not indexed yet.
        first(
            "SELECT position FROM match_group WHERE position > ?1 AND matched IS NOT NULL ORDER BY position LIMIT 1",
            indexed_until.0,
        )?,
        deliveries::first_not_enqueued(connection)?,
        // Deliveries are enqueued in the order of the log, so that the first one has the lowest position.
        first("SELECT position FROM delivery WHERE sequence > ?1 ORDER BY sequence LIMIT 1", 0)?,
    ];
    let needed = needed.into_iter().flatten().map(|position| position.saturating_sub(1));
    Ok(needed.map(Position).fold(checkpoint, Position::min))
}

fn plan_entry(connection: &Connection, row: Row<'_>, damage: &DamageLog) -> Result<PlannedEntry, Error> {
    let position: u64 = row.get(0)?;
    let kind = row.get(1).ok().and_then(Kind::from_code);
    let (subject, version): (Option<[u8; 16]>, Option<u32>) =
        (row.get(3).unwrap_or_default(), row.get(4).unwrap_or_default());
    let property = subject.map(PropertyId::from_bytes);
    let subject = match kind {
        Some(Kind::Advert | Kind::Regrouped | Kind::AdvertLeft | Kind::AdvertErased) => {
            property.zip(version).map(|(property, version)| (property, Some(version)))
        }
        Some(Kind::PropertyRemoved) => property.map(|property| (property, None)),
        // What was merged into another property departs with it: a match leads to what is on offer.
        Some(Kind::PropertyMerged) => None,
        // A crawl makes no version. A blanked or damaged entry does not say what it was about; the next one about the property does.
        Some(Kind::Crawl | Kind::Search | Kind::SearchRemoved | Kind::Erased) | None => None,
    };
    let is_departure = match subject {
        Some((property, version)) => is_departure(connection, property, version, damage)?,
        None => false,
    };
    let deletes_group = is_redundant_group(connection, position, damage)?;
    // An unreadable date is one long ago: the entry before it is old, too.
    let departed_at = is_departure.then(|| row.get(2).unwrap_or_default());
    Ok(PlannedEntry { position, subject, deletes_group, departed_at })
}

/// Returns `true` if an entry is the last change of its property and left it without an advert on offer.
fn is_departure(
    connection: &Connection,
    property: PropertyId,
    version: Option<u32>,
    damage: &DamageLog,
) -> Result<bool, Error> {
    let current = property_row(connection, property)?;
    Ok(match (version, current) {
        (None, current) => current.is_none_or(|row| row.record_id.is_none()),
        (Some(version), Some(row)) if row.record_id.is_some() && row.version == version => {
            let read = read::property_at(connection, property, version);
            let read = damage.unless_damaged(RecordKind::Property, || property.to_string(), read)?;
            // One that cannot be read may be on offer.
            read.flatten().is_some_and(|property| !is_available(&property))
        }
        (Some(_), _) => false,
    })
}

/// Returns `true` if an entry has a match group that says nothing which earlier groups do not say: it has no match, and each search that
/// got an event through it has got one, or a match, of the same property before.
fn is_redundant_group(connection: &Connection, position: u64, damage: &DamageLog) -> Result<bool, Error> {
    let sql = format!("{} WHERE position = ?1", matches::GROUP_COLUMNS);
    let read = |row: Row<'_>| match matches::group(row) {
        Ok(group) => Ok(Some(group)),
        Err(error) if is_damage(&error) => Ok(None),
        Err(error) => Err(error),
    };
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([position])?;
    let Some(group) = rows.next()?.map(read).transpose()?.flatten() else { return Ok(false) };
    if !group.matched.is_empty() || !group.inherited.is_empty() {
        return Ok(false);
    }
    if group.linked.is_empty() {
        return Ok(true);
    }
    let mut rest: BTreeSet<SearchNumber> = group.linked.into_iter().collect();
    let mut statement = connection.prepare_cached(
        "SELECT position, matched, linked, inherited FROM match_group WHERE property_id = ?1 AND position < ?2",
    )?;
    let mut rows = statement.query(params![group.property.as_bytes(), position])?;
    while let Some(row) = rows.next()? {
        let earlier: u64 = row.get(0)?;
        for column in 1..=3 {
            let list = row.get_ref(column)?.as_blob_or_null().map_err(from_sql).and_then(decode_search_list);
            let list = damage.unless_damaged(RecordKind::MatchGroup, || earlier.to_string(), list)?;
            for number in list.into_iter().flatten() {
                rest.remove(&number);
            }
        }
    }
    Ok(rest.is_empty())
}

/// Selects the versions of a property before one that no match and no delivery shows. The first version is blanked and not deleted: its
/// position is part of the ids of matches.
const REPLACED: &str = "FROM property_version AS v WHERE property_id = ?1 AND version < ?2
     AND (version > 1 OR length(record) > 0) AND NOT EXISTS
         (SELECT 1 FROM match_group g WHERE g.property_id = v.property_id AND g.version = v.version)";

fn replaced_bytes(connection: &Connection, property: PropertyId, version: u32) -> Result<u64, Error> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT coalesce(sum(length(record)), 0) {REPLACED}"))?;
    Ok(statement.query_row(params![property.as_bytes(), version], |row| row.get(0))?)
}

/// Deletes the versions of a property before one that nothing shows. Returns how many.
fn delete_replaced(connection: &Connection, property: PropertyId, version: u32) -> Result<u64, Error> {
    let mut statement = connection.prepare_cached(&format!("SELECT record_id, version {REPLACED}"))?;
    let rows = statement.query_map(params![property.as_bytes(), version], |row| {
        Ok((row.get::<i64>(0)?, row.get::<u32>(1)?))
    })?;
    let replaced: Vec<_> = rows.collect::<Result<_, _>>()?;
    for (record_id, version) in &replaced {
        let sql = match version {
            1 => "UPDATE property_version SET record = x'' WHERE record_id = ?1",
            _ => "DELETE FROM property_version WHERE record_id = ?1",
        };
        connection.prepare_cached(sql)?.execute([record_id])?;
    }
    Ok(replaced.len() as u64)
}

/// Carries out a step.
pub fn apply(connection: &Connection, step: &LogStep) -> Result<PruneStep, Error> {
    let LogStep { entries, more } = step;
    let mut rows = PrunedRows::default();
    let execute = |sql: &str, position: u64| -> Result<u64, Error> {
        Ok(connection.prepare_cached(sql)?.execute([position])? as u64)
    };
    for PlannedEntry { position, subject, deletes_group, departed_at } in entries {
        rows.outbox_entries += execute("DELETE FROM outbox WHERE position = ?1", *position)?;
        if *deletes_group {
            rows.match_groups += execute("DELETE FROM match_group WHERE position = ?1", *position)?;
        }
        if let Some((property, Some(version))) = subject {
            rows.versions += delete_replaced(connection, *property, *version)?;
        }
        if let (Some((property, _)), Some(departed_at)) = (subject, departed_at) {
            departed::note(connection, *property, *position, *departed_at)?;
            departed::forget_if_removed(connection, *property, *position, &mut rows)?;
        }
        rows.log_entries += execute("DELETE FROM log WHERE position = ?1", *position)?;
    }
    Ok(PruneStep { rows, more: *more })
}

/// Returns the size of the log and of the database, without the write-ahead log.
pub fn size(connection: &Connection) -> Result<StoreSize, Error> {
    let number = |sql: &str| connection.query_row(sql, params![], |row| row.get::<u64>(0));
    let oldest_position = read::first_position(connection)?;
    if connection.is_postgres() {
        let database_bytes = number("SELECT pg_database_size(current_database())")?;
        return Ok(StoreSize { oldest_position, database_bytes, free_bytes: 0, wal_bytes: 0 });
    }
    let page_bytes = number("PRAGMA page_size")?;
    Ok(StoreSize {
        oldest_position,
        database_bytes: number("PRAGMA page_count")? * page_bytes,
        free_bytes: number("PRAGMA freelist_count")? * page_bytes,
        wal_bytes: 0,
    })
}
