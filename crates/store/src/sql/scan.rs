//! The full scan, for building the index.
//!
//! Records are read in the order of the file, not of ids, so that a cold start reads the disk sequentially. Old versions are stored
//! between the current ones; the join skips them without reading their records.

use domain::PropertyId;

use super::damage::DamageLog;
use super::read::from_sql;
use crate::contract::{RecordKind, ScanPage, ScanPart, StoredProperty};
use crate::error::Error;
use crate::record;
use crate::sql::{Connection, params};

/// A page ends after this many bytes of records, however few properties they are: a page has to fit in memory.
const RECORD_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Splits the record ids into ranges of equal width: they have no large gaps.
pub fn parts(connection: &Connection, count: usize) -> Result<Vec<ScanPart>, Error> {
    let sql = "SELECT coalesce(max(record_id), 0) FROM property_version";
    let last: u64 = connection.query_row(sql, params![], |row| row.get(0))?;
    let count = u64::try_from(count.max(1)).unwrap_or(u64::MAX);
    let width = last.div_ceil(count).max(1);
    let starts = (0..count).map(|number| number * width).take_while(|start| *start < last);
    Ok(starts.map(|after| ScanPart { after, until: (after + width).min(last) }).collect())
}

pub fn scan(
    connection: &Connection,
    part: ScanPart,
    limit: usize,
    damage: &DamageLog,
) -> Result<ScanPage, Error> {
    // CROSS JOIN keeps SQLite from scanning the other table instead.
    let mut statement = connection.prepare_cached(
        "SELECT v.record_id, v.property_id, p.version, p.revision, v.record
         FROM property_version v CROSS JOIN property p ON p.id = v.property_id AND p.record_id = v.record_id
         WHERE v.record_id > ?1 AND v.record_id <= ?2 ORDER BY v.record_id",
    )?;
    let ScanPart { after, until } = part;
    let mut rows = statement.query_at_most(params![after, until], limit.max(1))?;
    let mut page = ScanPage::default();
    let mut bytes = 0;
    while let Some(row) = rows.next()? {
        let record_id: u64 = row.get(0)?;
        let id = row.get(1).map(PropertyId::from_bytes)?;
        let record = row.get_ref(4)?;
        bytes += record.bytes().map_or(0, <[u8]>::len);
        let read = record.as_blob().map_err(from_sql).and_then(|record| record::decode_property(id, record));
        match damage.unless_damaged(RecordKind::Property, || id.to_string(), read)? {
            Some(property) => {
                page.properties.push(StoredProperty { property, version: row.get(2)?, revision: row.get(3)? })
            }
            None => page.damaged.push(id),
        }
        if page.properties.len() + page.damaged.len() >= limit.max(1) || bytes >= RECORD_BYTES_MAX {
            page.rest = (record_id < until).then_some(ScanPart { after: record_id, until });
            break;
        }
    }
    Ok(page)
}
