//! Reading all properties, for whoever builds something from them.
//!
//! Records are read in the order in which they lie in the file, not in that of ids: from a cold start the disk then reads on
//! instead of jumping about. Old versions lie between the current ones and are passed over by their first bytes.

use domain::PropertyId;
use rusqlite::{Connection, params};

use super::read::from_sql;
use crate::contract::{ScanPart, Scanned, StoredProperty};
use crate::error::Error;
use crate::record;

/// A piece ends after so many bytes of records, however few properties they are: what is read at once has to fit in memory.
const RECORD_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Parts of equal width: records are numbered without large gaps.
pub fn parts(connection: &Connection, count: usize) -> Result<Vec<ScanPart>, Error> {
    let sql = "SELECT coalesce(max(record_id), 0) FROM property_version";
    let last: u64 = connection.query_row(sql, [], |row| row.get(0))?;
    let count = u64::try_from(count.max(1)).unwrap_or(u64::MAX);
    let width = last.div_ceil(count).max(1);
    let starts = (0..count).map(|number| number * width).take_while(|start| *start < last);
    Ok(starts.map(|after| ScanPart { after, until: (after + width).min(last) }).collect())
}

pub fn scan(connection: &Connection, part: ScanPart, limit: usize) -> Result<Scanned, Error> {
    // CROSS JOIN keeps the database from walking the other table instead.
    let mut statement = connection.prepare_cached(
        "SELECT v.record_id, v.property_id, p.version, p.revision, v.record
         FROM property_version v CROSS JOIN property p ON p.id = v.property_id AND p.record_id = v.record_id
         WHERE v.record_id > ?1 AND v.record_id <= ?2 ORDER BY v.record_id",
    )?;
    let ScanPart { after, until } = part;
    let mut rows = statement.query(params![after, until])?;
    let mut piece = Scanned::default();
    let mut bytes = 0;
    while let Some(row) = rows.next()? {
        let record_id: u64 = row.get(0)?;
        let id = row.get(1).map(PropertyId::from_bytes)?;
        let kept = row.get_ref(4)?.as_blob().map_err(from_sql)?;
        match record::decode_property(id, kept) {
            Ok(property) => {
                piece.found.push(StoredProperty { property, version: row.get(2)?, revision: row.get(3)? });
            }
            Err(error) => {
                tracing::error!(property = %id, error = &error as &dyn std::error::Error, "a record is damaged");
                piece.damaged.push(id);
            }
        }
        bytes += kept.len();
        if piece.found.len() + piece.damaged.len() >= limit.max(1) || bytes >= RECORD_BYTES_MAX {
            piece.rest = (record_id < until).then_some(ScanPart { after: record_id, until });
            break;
        }
    }
    Ok(piece)
}
