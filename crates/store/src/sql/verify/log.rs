//! The change log, and how far its followers have come.

use super::{Key, RECORDS_PER_PAGE, Report, Table, integer_name};
use crate::contract::{Change, PropertyCause, RecordKind};
use crate::error::Error;
use crate::sql::commit::property_row;
use crate::sql::params;
use crate::sql::read;
use crate::sql::{Connection, Row};

pub const ENTRIES: Table = Table {
    kind: RecordKind::LogEntry,
    key: Key::Integer,
    sql: "SELECT position, kind, recorded_at, subject, version, advert, payload,
              (SELECT max(position) FROM log WHERE position < l.position)
          FROM log l WHERE position > ?1 ORDER BY position LIMIT ?2",
    key_column: 0,
    records: RECORDS_PER_PAGE,
    name: integer_name,
    check: entry,
};

fn entry(connection: &Connection, row: Row<'_>, report: &mut Report) -> Result<(), Error> {
    let (position, previous): (i64, Option<i64>) = (row.get(0)?, row.get(7)?);
    if let Some(previous) = previous
        && previous + 1 != position
    {
        let problem = format!("the entries from {} to {} are missing", previous + 1, position - 1);
        report.add(RecordKind::LogEntry, integer_name(row), problem);
    }
    let entry = read::log_entry(row)?;
    let Change::Property { property, version, cause, .. } = entry.change else { return Ok(()) };
    let sql = match cause {
        // A crawl replaces the document of an earlier entry.
        PropertyCause::Crawl => {
            "SELECT 1 FROM property_version WHERE property_id = ?1 AND version = ?2 AND position <= ?3"
        }
        _ => "SELECT 1 FROM property_version WHERE property_id = ?1 AND version = ?2 AND position = ?3",
    };
    // Retention deletes versions that a later one has replaced.
    let is_replaced = property_row(connection, property)?.is_none_or(|current| current.version > version);
    if !is_replaced
        && !connection.prepare_cached(sql)?.exists(params![property.as_bytes(), version, position])?
    {
        let problem = format!("it names version {version} of property {property}, which does not exist");
        report.add(RecordKind::LogEntry, integer_name(row), problem);
    }
    Ok(())
}

pub const CHECKPOINTS: Table = Table {
    kind: RecordKind::Checkpoint,
    key: Key::Integer,
    sql: "SELECT m.only_row, m.checkpoint, m.indexed_until, c.position,
              (SELECT coalesce(max(position), 0) FROM log)
          FROM matcher m LEFT JOIN outbox_cursor c USING (only_row) WHERE m.only_row > ?1 LIMIT ?2",
    key_column: 0,
    records: 2,
    name: |_| "matcher".to_owned(),
    check: checkpoints,
};

fn checkpoints(_: &Connection, row: Row<'_>, report: &mut Report) -> Result<(), Error> {
    let (checkpoint, indexed_until, cursor, head): (i64, i64, Option<i64>, i64) =
        (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
    if checkpoint > head {
        let problem = format!("the matcher's checkpoint {checkpoint} is after the end of the log, {head}");
        report.add(RecordKind::Checkpoint, "matcher", problem);
    }
    if indexed_until > checkpoint {
        let problem = format!("matches are indexed up to {indexed_until}, after the checkpoint {checkpoint}");
        report.add(RecordKind::Checkpoint, "search_match", problem);
    }
    match cursor {
        // A new database has its cursor one entry ahead.
        Some(cursor) if cursor <= head + 1 => {}
        Some(cursor) => {
            let problem = format!("the outbox cursor {cursor} is after the end of the log, {head}");
            report.add(RecordKind::Checkpoint, "outbox_cursor", problem);
        }
        None => report.add(RecordKind::Checkpoint, "outbox_cursor", "it is missing"),
    }
    Ok(())
}
