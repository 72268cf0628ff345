//! Saved searches, their replaced versions and their numbers by owner.

use domain::{SearchId, UserId, fold};

use super::{Key, RECORDS_PER_PAGE, Report, Table, integer_name};
use crate::contract::RecordKind;
use crate::error::Error;
use crate::record::decode_search;
use crate::sql::read::from_sql;
use crate::sql::searches;
use crate::sql::{Connection, Row};

pub const SEARCHES: Table = Table {
    kind: RecordKind::Search,
    key: Key::Integer,
    sql: "SELECT s.number, s.id, s.owner, s.version, a.last_alert_at, s.record, s.position, s.enabled, s.title_key
          FROM search s LEFT JOIN search_alert a ON a.number = s.number
          WHERE s.number > ?1 ORDER BY s.number LIMIT ?2",
    key_column: 0,
    records: RECORDS_PER_PAGE,
    name: |row| row.get(1).map_or_else(|_| integer_name(row), |id| SearchId::from_bytes(id).to_string()),
    check: search,
};

fn search(connection: &Connection, row: Row<'_>, report: &mut Report) -> Result<(), Error> {
    let stored = searches::stored(row)?;
    let draft = &stored.search.draft;
    let (enabled, title_key): (bool, String) = (row.get(7)?, row.get(8)?);
    let id = stored.search.id.to_string();
    if (enabled, title_key) != (draft.alerts.enabled, fold(draft.title.as_str())) {
        report.add(RecordKind::Search, id, "its columns differ from the record");
    }
    let owner = stored.search.owner;
    let is_counted = "SELECT 1 FROM search_count WHERE owner = ?1";
    if !connection.prepare_cached(is_counted)?.exists([owner.as_bytes()])? {
        report.add(RecordKind::SearchCount, owner.to_string(), "the searches of this owner are not counted");
    }
    Ok(())
}

pub const VERSIONS: Table = Table {
    kind: RecordKind::SearchVersion,
    key: Key::Integer,
    sql: "SELECT v.replaced_position, v.number, v.version, v.record, s.id, s.owner
          FROM search_version v LEFT JOIN search s ON s.number = v.number
          WHERE v.replaced_position > ?1 ORDER BY v.replaced_position LIMIT ?2",
    key_column: 0,
    records: RECORDS_PER_PAGE,
    name: integer_name,
    check: version,
};

fn version(_: &Connection, row: Row<'_>, report: &mut Report) -> Result<(), Error> {
    let number: i64 = row.get(1)?;
    let (Some(id), Some(owner)) = (row.get(4)?, row.get(5)?) else {
        report.add(
            RecordKind::SearchVersion,
            integer_name(row),
            format!("search number {number} does not exist"),
        );
        return Ok(());
    };
    let record = row.get_ref(3)?.as_blob().map_err(from_sql)?;
    decode_search(SearchId::from_bytes(id), UserId::from_bytes(owner), record).map(drop)
}

pub const COUNTS: Table = Table {
    kind: RecordKind::SearchCount,
    key: Key::Blob,
    sql: "SELECT owner, searches, (SELECT count(*) FROM search s WHERE s.owner = c.owner) FROM search_count c
          WHERE owner > ?1 ORDER BY owner LIMIT ?2",
    key_column: 0,
    records: RECORDS_PER_PAGE,
    name: |row| {
        row.get(0).map_or_else(|_| "without an owner".to_owned(), |id| UserId::from_bytes(id).to_string())
    },
    check: count,
};

fn count(_: &Connection, row: Row<'_>, report: &mut Report) -> Result<(), Error> {
    let (counted, found): (i64, i64) = (row.get(1)?, row.get(2)?);
    if counted != found {
        let owner = UserId::from_bytes(row.get(0)?);
        report.add(
            RecordKind::SearchCount,
            owner.to_string(),
            format!("{counted} searches are counted, {found} exist"),
        );
    }
    Ok(())
}
