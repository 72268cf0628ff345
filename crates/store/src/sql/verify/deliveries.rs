//! Deliveries, their attempts, and the documents they sent.

use super::{Key, RECORDS_PER_PAGE, Report, Table, integer_name};
use crate::contract::RecordKind;
use crate::error::Error;
use crate::record::decode_document;
use crate::sql::deliveries;
use crate::sql::read::from_sql;
use crate::sql::{Connection, Row};

pub const DELIVERIES: Table = Table {
    kind: RecordKind::Delivery,
    key: Key::Integer,
    sql:
        "SELECT sequence, owner, lane, kind, event_index, state, created_at, due_at, position, lane_sequence,
              EXISTS (SELECT 1 FROM log l WHERE l.position = d.position)
          FROM delivery d WHERE sequence > ?1 ORDER BY sequence LIMIT ?2",
    key_column: 0,
    records: RECORDS_PER_PAGE,
    name: integer_name,
    check: delivery,
};

fn delivery(_: &Connection, row: Row<'_>, report: &mut Report) -> Result<(), Error> {
    deliveries::check(row)?;
    if !row.get::<bool>(10)? {
        report.add(RecordKind::Delivery, integer_name(row), "the log entry that it is about does not exist");
    }
    Ok(())
}

pub const ATTEMPTS: Table = Table {
    kind: RecordKind::DeliveryAttempt,
    key: Key::Pair,
    sql: "SELECT started_at, duration_ms, outcome, status, target, response_excerpt, certificate, response_headers,
              name_ms, connect_ms, tls_ms, first_byte_ms, sequence, ordinal,
              EXISTS (SELECT 1 FROM delivery d WHERE d.sequence = a.sequence)
          FROM delivery_attempt a WHERE (sequence, ordinal) > (?1, ?2) ORDER BY sequence, ordinal LIMIT ?3",
    key_column: ATTEMPT_SEQUENCE,
    records: RECORDS_PER_PAGE,
    name: attempt_name,
    check: attempt,
};

/// The columns of an attempt come first.
const ATTEMPT_SEQUENCE: usize = deliveries::ATTEMPT_COLUMNS;

fn attempt_name(row: Row<'_>) -> String {
    let column = |column| row.get(column).unwrap_or_default();
    deliveries::attempt_name(column(ATTEMPT_SEQUENCE), column(ATTEMPT_SEQUENCE + 1))
}

fn attempt(_: &Connection, row: Row<'_>, report: &mut Report) -> Result<(), Error> {
    deliveries::attempt(row)?;
    if !row.get::<bool>(ATTEMPT_SEQUENCE + 2)? {
        report.add(RecordKind::DeliveryAttempt, attempt_name(row), "its delivery does not exist");
    }
    Ok(())
}

pub const DOCUMENTS: Table = Table {
    kind: RecordKind::DeliveryDocument,
    key: Key::Integer,
    sql: "SELECT rowid, property_id, version, document FROM delivery_document WHERE rowid > ?1
          ORDER BY rowid LIMIT ?2",
    key_column: 0,
    records: RECORDS_PER_PAGE,
    name: integer_name,
    check: document,
};

fn document(_: &Connection, row: Row<'_>, _: &mut Report) -> Result<(), Error> {
    let (_property, version): ([u8; 16], u32) = (row.get(1)?, row.get(2)?);
    // Version 0 records an erasure and has no document.
    if version > 0 {
        decode_document(row.get_ref(3)?.as_blob().map_err(from_sql)?)?;
    }
    Ok(())
}
