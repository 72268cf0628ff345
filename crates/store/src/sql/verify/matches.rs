//! Matches, their index by search, and the outbox.

use domain::SearchNumber;

use super::{Key, RECORDS_PER_PAGE, Report, Table, integer_name};
use crate::contract::RecordKind;
use crate::error::Error;
use crate::record::search_list_contains;
use crate::sql::error::is_damage;
use crate::sql::params;
use crate::sql::{Connection, OptionalExtension, Row};
use crate::sql::{matches, read, searches};

pub const GROUPS: Table = Table {
    kind: RecordKind::MatchGroup,
    key: Key::Integer,
    sql: "SELECT position, at, property_id, version, advert, matched, linked, inherited FROM match_group
          WHERE position > ?1 ORDER BY position LIMIT ?2",
    key_column: 0,
    records: RECORDS_PER_PAGE,
    name: integer_name,
    check: group,
};

fn group(connection: &Connection, row: Row<'_>, report: &mut Report) -> Result<(), Error> {
    let group = matches::group(row)?;
    let position = group.position;
    // Retention deletes old log entries. What a match shows stays.
    if position >= read::first_position(connection)?
        && !connection.prepare_cached("SELECT 1 FROM log WHERE position = ?1")?.exists([position.0])?
    {
        report.add(RecordKind::MatchGroup, integer_name(row), "its log entry does not exist");
    }
    let shown = connection
        .prepare_cached("SELECT 1 FROM property_version WHERE property_id = ?1 AND version = ?2")?
        .exists(params![group.property.as_bytes(), group.version])?;
    if !shown {
        let problem = format!("version {} of property {} does not exist", group.version, group.property);
        report.add(RecordKind::MatchGroup, integer_name(row), problem);
    }
    if matches::first_position(connection, group.property)?.is_none() {
        // Its position is part of the ids of matches.
        let problem = format!("the first version of property {} does not exist", group.property);
        report.add(RecordKind::MatchGroup, integer_name(row), problem);
    }
    if position > matches::progress(connection)?.indexed_until {
        return Ok(());
    }
    let mut indexed =
        connection.prepare_cached("SELECT 1 FROM search_match WHERE number = ?1 AND position = ?2")?;
    for number in group.matched {
        if searches::exists(connection, number)? && !indexed.exists(params![number.0, position.0])? {
            let name = format!("{}/{}", number.0, position.0);
            report.add(RecordKind::SearchMatch, name, "the match is missing from the index");
        }
    }
    Ok(())
}

pub const INDEX: Table = Table {
    kind: RecordKind::SearchMatch,
    key: Key::Pair,
    sql: "SELECT number, position FROM search_match WHERE (number, position) > (?1, ?2)
          ORDER BY number, position LIMIT ?3",
    key_column: 0,
    records: RECORDS_PER_PAGE,
    name: integer_name,
    check: indexed,
};

fn indexed(connection: &Connection, row: Row<'_>, report: &mut Report) -> Result<(), Error> {
    let (number, position): (u32, i64) = (row.get(0)?, row.get(1)?);
    // The rows of a deleted search are deleted later.
    if !searches::exists(connection, SearchNumber(number))? {
        return Ok(());
    }
    let list: Option<Option<Vec<u8>>> = connection
        .prepare_cached("SELECT matched FROM match_group WHERE position = ?1")?
        .query_row([position], |row| row.get(0))
        .optional()?;
    let contains = match search_list_contains(list.flatten().as_deref(), SearchNumber(number)) {
        // The check of the group has reported it.
        Err(error) if is_damage(&error) => return Ok(()),
        contains => contains?,
    };
    if !contains {
        let problem = "the index has a match that its group does not have";
        report.add(RecordKind::SearchMatch, format!("{number}/{position}"), problem);
    }
    Ok(())
}

pub const OUTBOX: Table = Table {
    kind: RecordKind::OutboxEntry,
    key: Key::Pair,
    sql: "SELECT kind, event_index, searches, position, ordinal FROM outbox WHERE (position, ordinal) > (?1, ?2)
          ORDER BY position, ordinal LIMIT ?3",
    key_column: 3,
    records: RECORDS_PER_PAGE,
    name: outbox_name,
    check: outbox,
};

fn outbox_name(row: Row<'_>) -> String {
    matches::outbox_name(row.get(3).unwrap_or_default(), row.get(4).unwrap_or_default())
}

fn outbox(connection: &Connection, row: Row<'_>, report: &mut Report) -> Result<(), Error> {
    matches::outbox_entry(row)?;
    let position: i64 = row.get(3)?;
    if !connection.prepare_cached("SELECT 1 FROM match_group WHERE position = ?1")?.exists([position])? {
        report.add(RecordKind::OutboxEntry, outbox_name(row), "its match group does not exist");
    }
    Ok(())
}
