//! The file itself, and small tables: sites, keys, usage, decisions, lineage.

use super::{Key, RECORDS_PER_PAGE, Report, Table, integer_name};
use crate::contract::RecordKind;
use crate::error::Error;
use crate::sql::{Connection, Row, params};
use crate::sql::{access, grouping, sites, usage};

/// SQLite checks one table with its indexes at a time: a check of the whole file would be one long transaction.
pub const INTEGRITY: Table = Table {
    kind: RecordKind::Database,
    key: Key::Integer,
    sql: "SELECT rowid, name FROM sqlite_schema WHERE rowid > ?1 AND type = 'table' AND name NOT LIKE 'sqlite_%'
          ORDER BY rowid LIMIT ?2",
    key_column: 0,
    records: 1,
    name: integer_name,
    check: integrity,
};

fn integrity(connection: &Connection, row: Row<'_>, report: &mut Report) -> Result<(), Error> {
    let table: String = row.get(1)?;
    let mut statement = connection.prepare_cached(&format!("PRAGMA integrity_check(\"{table}\")"))?;
    let problems = statement.query_map(params![], |row| row.get::<String>(0))?;
    for problem in problems {
        let problem = problem?;
        if problem != "ok" {
            report.add(RecordKind::Database, table.clone(), problem);
        }
    }
    Ok(())
}

pub const SITES: Table = Table {
    kind: RecordKind::Site,
    key: Key::Integer,
    sql: "SELECT id, key, name, category_id FROM site WHERE id > ?1 ORDER BY id LIMIT ?2",
    key_column: 0,
    records: RECORDS_PER_PAGE,
    name: integer_name,
    check: site,
};

fn site(connection: &Connection, row: Row<'_>, report: &mut Report) -> Result<(), Error> {
    sites::read_site(row)?;
    let category: Option<i64> = row.get(3)?;
    if let Some(category) = category
        && !connection.prepare_cached("SELECT 1 FROM site_category WHERE id = ?1")?.exists([category])?
    {
        report.add(RecordKind::Site, integer_name(row), format!("its category {category} does not exist"));
    }
    Ok(())
}

pub const CATEGORIES: Table = Table {
    kind: RecordKind::SiteCategory,
    key: Key::Integer,
    sql: "SELECT id, name FROM site_category WHERE id > ?1 ORDER BY id LIMIT ?2",
    key_column: 0,
    records: RECORDS_PER_PAGE,
    name: integer_name,
    check: |_, row, _| sites::read_category(row).map(drop),
};

pub const KEYS: Table = Table {
    kind: RecordKind::Key,
    key: Key::Text,
    sql: "SELECT k.id, k.secret_hash, u.id, u.name, k.scopes, k.created_at, k.revoked_at, k.label, k.expires_at,
              k.requests_per_minute, k.last_used_at
          FROM api_key k LEFT JOIN \"user\" u ON u.id = k.user_id WHERE k.id > ?1 ORDER BY k.id LIMIT ?2",
    key_column: 0,
    records: RECORDS_PER_PAGE,
    name: access::key_name,
    check: |_, row, _| access::read_key(row).map(drop),
};

/// In one page: the key has three columns, and the rows are few and small.
pub const USAGE: Table = Table {
    kind: RecordKind::Usage,
    key: Key::Integer,
    sql: "SELECT d.day, d.user_id, coalesce(u.name, ''), d.key_id, k.label, d.requests, d.items, d.webhooks, d.emails
          FROM daily_usage d LEFT JOIN \"user\" u ON u.id = d.user_id LEFT JOIN api_key k ON k.id = d.key_id
          WHERE d.day > ?1 LIMIT ?2",
    key_column: 0,
    records: i64::MAX,
    name: |row| usage::usage_name(row.get(0).ok(), row.get(3).ok()),
    check: |connection, row, _| usage::daily(connection, row).map(drop),
};

pub const DECISIONS: Table = Table {
    kind: RecordKind::Decision,
    key: Key::Integer,
    sql: "SELECT number, verdict, left_adverts, right_adverts FROM person_decision WHERE number > ?1
          ORDER BY number LIMIT ?2",
    key_column: 0,
    records: RECORDS_PER_PAGE,
    name: integer_name,
    check: |_, row, _| grouping::decision(row).map(drop),
};

pub const LINEAGE: Table = Table {
    kind: RecordKind::Lineage,
    key: Key::Integer,
    sql: "SELECT sequence, at, from_property, to_property, adverts, decided_by, decider FROM property_lineage
          WHERE sequence > ?1 ORDER BY sequence LIMIT ?2",
    key_column: 0,
    records: RECORDS_PER_PAGE,
    name: integer_name,
    check: |_, row, _| grouping::lineage_row(row).map(drop),
};
