//! Reads of adverts, properties and the log.

use domain::{AdvertId, Identity, Property, PropertyId, SearchId, SiteKey, Timestamp};

use super::damage::DamageLog;
use crate::contract::{AdvertRef, FoundProperties, LiveAdvert, OverduePage, StoredProperty, VersionLookup};
use crate::contract::{Change, Erasure, LogEntry, Position, PropertyCause, RecordKind, RemovalCause};
use crate::error::Error;
use crate::record::{self, Regrouping};
use crate::sql::commit::Kind;
use crate::sql::connection::Snapshot;
use crate::sql::value::{Column, OwnedValue};
use crate::sql::{Connection, OptionalExtension, Row, SqlError, SqlResult, params};

pub fn locate(connection: &Connection, identities: &[Identity]) -> Result<Vec<Option<AdvertRef>>, Error> {
    if identities.len() > 1 {
        connection.prefetch(identities.iter().map(location_query))?;
    }
    let _state = one_state(connection, identities.len())?;
    identities.iter().map(|identity| locate_one(connection, identity)).collect()
}

/// Starts a read transaction for several queries on SQLite. Without one, each of them looks for new commits, and drops the pages in memory
/// after every commit. PostgreSQL has sent the rows already.
fn one_state(connection: &Connection, queries: usize) -> SqlResult<Option<Snapshot<'_>>> {
    (queries > 1 && !connection.is_postgres()).then(|| connection.snapshot()).transpose()
}

pub fn locate_one(connection: &Connection, identity: &Identity) -> Result<Option<AdvertRef>, Error> {
    let located = |row: Row<'_>| Ok(AdvertRef { advert: advert_id(row, 0)?, property: property_id(row, 1)? });
    let (sql, values) = location_query(identity);
    Ok(connection.query_row(sql, values, located).optional()?)
}

/// The query that finds an advert by identity.
pub fn location_query(identity: &Identity) -> (&'static str, Vec<OwnedValue>) {
    match identity {
        Identity::Uuid(id) => {
            ("SELECT id, property_id FROM advert WHERE id = ?1", vec![id.as_bytes().to_vec().into()])
        }
        Identity::SiteReference(site, reference) => (
            "SELECT id, property_id FROM advert WHERE site = ?1 AND reference = ?2",
            vec![site.as_str().to_owned().into(), reference.to_string().into()],
        ),
        // Several adverts may share a URL; the lowest id, which is the oldest, wins.
        Identity::Url(key) => (
            "SELECT id, property_id FROM advert WHERE url_hash = ?1 AND url_key = ?2 ORDER BY id LIMIT 1",
            vec![url_hash(key).into(), key.to_string().into()],
        ),
    }
}

/// Hashes a URL with FNV-1a. URLs are long, and an index of their text would be the largest part of the database. Lookups compare the
/// text as well, so that a collision costs only time.
pub fn url_hash(key: &str) -> i64 {
    let hash = key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    i64::from_ne_bytes(hash.to_ne_bytes())
}

pub fn find_properties(
    connection: &Connection,
    ids: &[PropertyId],
    damage: &DamageLog,
) -> Result<FoundProperties, Error> {
    // An outer join: a property whose record is missing exists, and is damaged.
    let sql = "SELECT p.version, p.revision, v.record FROM property p LEFT JOIN property_version v USING (record_id)
         WHERE p.id = ?1 AND p.record_id IS NOT NULL";
    if ids.len() > 1 {
        connection.prefetch(ids.iter().map(|id| (sql, vec![id.as_bytes().to_vec().into()])))?;
    }
    let _state = one_state(connection, ids.len())?;
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = FoundProperties::default();
    found.intact.reserve(ids.len());
    for id in ids {
        let mut rows = statement.query([id.as_bytes()])?;
        if let Some(row) = rows.next()? {
            match damage.unless_damaged(RecordKind::Property, || id.to_string(), stored_property(*id, row))? {
                Some(stored) => drop(found.intact.insert(*id, stored)),
                None => found.damaged.push(*id),
            }
        }
    }
    Ok(found)
}

fn stored_property(id: PropertyId, row: Row<'_>) -> Result<StoredProperty, Error> {
    let property = record::decode_property(id, row.get_ref(2)?.as_blob().map_err(from_sql)?)?;
    Ok(StoredProperty { property, version: row.get(0)?, revision: row.get(1)? })
}

pub fn property_at(connection: &Connection, id: PropertyId, version: u32) -> Result<Option<Property>, Error> {
    let mut statement = connection.prepare_cached(VERSION)?;
    let mut rows = statement.query(params![id.as_bytes(), version])?;
    match rows.next()? {
        Some(row) => decode_version(id, row.get_ref(0)?),
        None => Ok(None),
    }
}

const VERSION: &str = "SELECT record FROM property_version WHERE property_id = ?1 AND version = ?2";

pub fn properties_at(
    connection: &Connection,
    versions: &[(PropertyId, u32)],
    damage: &DamageLog,
) -> Result<Vec<VersionLookup>, Error> {
    if versions.len() > 1 {
        connection.prefetch(versions.iter().map(|(id, version)| {
            (VERSION, vec![id.as_bytes().to_vec().into(), i64::from(*version).into()])
        }))?;
    }
    let look_up = |(id, version): &(PropertyId, u32)| {
        let read = property_at(connection, *id, *version);
        let name = || format!("{id} version {version}");
        Ok(match damage.unless_damaged(RecordKind::PropertyVersion, name, read)? {
            Some(Some(property)) => VersionLookup::Intact(property),
            Some(None) => VersionLookup::NotFound,
            None => VersionLookup::Damaged,
        })
    };
    versions.iter().map(look_up).collect()
}

/// Decodes a stored version; `None` if it was erased as a whole.
pub fn decode_version(id: PropertyId, record: Column<'_>) -> Result<Option<Property>, Error> {
    match record.as_blob().map_err(from_sql)? {
        [] => Ok(None),
        record => record::decode_property(id, record).map(Some),
    }
}

/// The columns that [`log_entry`] reads.
pub const LOG_COLUMNS: &str =
    "SELECT position, kind, recorded_at, subject, version, advert, payload FROM log";

pub fn log_after(
    connection: &Connection,
    position: Position,
    limit: usize,
    damage: &DamageLog,
) -> Result<Vec<LogEntry>, Error> {
    let sql = format!("{LOG_COLUMNS} WHERE position > ?1 ORDER BY position LIMIT ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![position.0, limit])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        let found = Position(row.get(0)?);
        if entries.is_empty() && found > position.next() {
            check_not_pruned(connection, position)?;
        }
        let position = found;
        let read = damage.unless_damaged(RecordKind::LogEntry, || position.0.to_string(), log_entry(row))?;
        entries.push(read.unwrap_or_else(|| damaged_entry(position, row)));
    }
    Ok(entries)
}

/// Fails if entries after a position were deleted by retention. Entries that are missing further on were lost, and are skipped.
fn check_not_pruned(connection: &Connection, after: Position) -> Result<(), Error> {
    let oldest = first_position(connection)?;
    if after.next() < oldest {
        return Err(Error::LogPruned { after: after.0, oldest: oldest.0 });
    }
    Ok(())
}

/// Returns the first position that the log has; [`Position::START`] if it is empty.
pub fn first_position(connection: &Connection) -> Result<Position, SqlError> {
    let mut statement = connection.prepare_cached("SELECT coalesce(min(position), 0) FROM log")?;
    statement.query_row(params![], |row| row.get(0)).map(Position)
}

/// Returns what is left of an entry that cannot be read.
fn damaged_entry(position: Position, row: Row<'_>) -> LogEntry {
    let kind = row.get(1).ok().and_then(Kind::from_code);
    let subject: Option<[u8; 16]> = row.get(3).ok();
    let millisecond = row.get(2).ok().and_then(|millisecond| Timestamp::from_millisecond(millisecond).ok());
    let may_be_search = matches!(kind, None | Some(Kind::Search | Kind::SearchRemoved));
    let may_be_property = !matches!(kind, Some(Kind::Search | Kind::SearchRemoved | Kind::Erased));
    LogEntry {
        position,
        recorded_at: millisecond.unwrap_or_default(),
        change: Change::Damaged {
            property: subject.filter(|_| may_be_property).map(PropertyId::from_bytes),
            search: subject.filter(|_| may_be_search).map(SearchId::from_bytes),
        },
    }
}

/// Reads an entry; fails if it is damaged.
pub fn log_entry(row: Row<'_>) -> Result<LogEntry, Error> {
    let position = Position(row.get(0)?);
    let what = || format!("log entry {}", position.0);
    let kind = Kind::from_code(row.get(1)?).ok_or_else(|| Error::corrupt(what()))?;
    let recorded_at = Timestamp::from_millisecond(row.get(2)?).map_err(|e| Error::corrupt_by(what(), e))?;
    let property = |cause| -> Result<Change, Error> {
        Ok(Change::Property {
            property: property_id(row, 3)?,
            version: row.get(4)?,
            advert: advert_id(row, 5)?,
            cause,
        })
    };
    let search = || -> Result<SearchId, Error> { Ok(SearchId::from_bytes(row.get(3)?)) };
    let change = match kind {
        Kind::Advert => {
            let events = record::decode_events(row.get_ref(6)?.as_blob().map_err(from_sql)?)?;
            property(PropertyCause::Advert { events })?
        }
        Kind::Regrouped => {
            let regrouping = Regrouping::decode(row.get_ref(6)?.as_blob().map_err(from_sql)?)?;
            let Regrouping { events, moved, from, automatic, advert_is_erased: _ } = regrouping;
            property(PropertyCause::Regrouped { events, moved, from, automatic })?
        }
        Kind::Crawl => property(PropertyCause::Crawl)?,
        Kind::AdvertLeft => property(PropertyCause::AdvertLeft)?,
        Kind::AdvertErased => property(PropertyCause::AdvertErased(erasure(row)?.unwrap_or_default()))?,
        Kind::PropertyRemoved => {
            let cause = erasure(row)?.map_or(RemovalCause::AdvertLeft, RemovalCause::AdvertErased);
            Change::PropertyRemoved { property: property_id(row, 3)?, cause }
        }
        Kind::PropertyMerged => {
            let payload = row.get_ref(6)?.as_blob().map_err(from_sql)?;
            let [into] = *record::decode_id_payload(payload, "the payload of a merge")? else {
                return Err(Error::corrupt(what()));
            };
            let cause = RemovalCause::Merged { into: PropertyId::from_bytes(into) };
            Change::PropertyRemoved { property: property_id(row, 3)?, cause }
        }
        Kind::Search => Change::Search { search: search()?, version: row.get(4)? },
        Kind::SearchRemoved => Change::SearchRemoved { search: search()? },
        Kind::Erased => Change::Erased,
    };
    Ok(LogEntry { position, recorded_at, change })
}

/// Reads the payload of an erasure: the ids of previous properties. An entry about an erasure always has a payload, if only an empty one.
fn erasure(row: Row<'_>) -> Result<Option<Erasure>, Error> {
    let Some(payload) = row.get_ref(6)?.as_blob_or_null().map_err(from_sql)? else { return Ok(None) };
    let ids = record::decode_id_payload(payload, "the payload of an erasure")?;
    Ok(Some(Erasure { previous_properties: ids.iter().copied().map(PropertyId::from_bytes).collect() }))
}

pub fn not_crawled_since(
    connection: &Connection,
    timestamp: Timestamp,
    after: Option<AdvertId>,
    limit: usize,
    damage: &DamageLog,
) -> Result<OverduePage, Error> {
    // Reads the table once, in pieces. It runs rarely enough that an index, updated at every crawl, would cost more.
    let mut statement = connection.prepare_cached(
        "SELECT id, property_id, expired, last_crawled_at FROM advert WHERE id > ?1 ORDER BY id LIMIT ?2",
    )?;
    let limit = limit.max(1);
    let rows_max = i64::try_from(limit).unwrap_or(i64::MAX);
    // An empty value is lower than every id.
    let after = after.map_or_else(Vec::new, |id| id.as_bytes().to_vec());
    let mut rows = statement.query(params![after, rows_max])?;
    let (mut page, mut last) = (OverduePage::default(), None);
    while let Some(row) = rows.next()? {
        page.examined += 1;
        last = advert_id(row, 0).ok().or(last);
        let read = overdue_advert(row, timestamp);
        let read = damage.unless_damaged(RecordKind::Advert, || advert_name(row), read)?;
        page.adverts.extend(read.flatten());
    }
    page.rest = last.filter(|_| page.examined >= limit);
    Ok(page)
}

fn overdue_advert(row: Row<'_>, timestamp: Timestamp) -> Result<Option<AdvertRef>, Error> {
    let located = AdvertRef { advert: advert_id(row, 0)?, property: property_id(row, 1)? };
    let is_overdue = !row.get::<bool>(2)? && row.get::<i64>(3)? < timestamp.as_second();
    Ok(is_overdue.then_some(located))
}

/// Names an advert whose row cannot be read.
pub fn advert_name(row: Row<'_>) -> String {
    advert_id(row, 0).map_or_else(|_| "an advert without a valid id".to_owned(), |id| id.to_string())
}

pub fn live_adverts_of_site(
    connection: &Connection,
    site: &SiteKey,
    damage: &DamageLog,
) -> Result<Vec<LiveAdvert>, Error> {
    // In two halves, because each of them has an index that begins with the site.
    let mut statement = connection.prepare_cached(
        "SELECT id, property_id, last_crawled_at FROM advert
             WHERE site = ?1 AND reference IS NOT NULL AND expired = 0
         UNION ALL
         SELECT id, property_id, last_crawled_at FROM advert
             WHERE site = ?1 AND reference IS NULL AND expired = 0",
    )?;
    let mut rows = statement.query([site.as_str()])?;
    let mut live = Vec::new();
    while let Some(row) = rows.next()? {
        live.extend(damage.unless_damaged(RecordKind::Advert, || advert_name(row), live_advert(row))?);
    }
    live.sort_unstable_by_key(|live| live.located.advert);
    Ok(live)
}

fn live_advert(row: Row<'_>) -> Result<LiveAdvert, Error> {
    let located = AdvertRef { advert: advert_id(row, 0)?, property: property_id(row, 1)? };
    let last_crawled_at = Timestamp::from_second(row.get(2)?)
        .map_err(|error| Error::corrupt_by(format!("advert {}", located.advert), error))?;
    Ok(LiveAdvert { located, last_crawled_at })
}

pub fn counts(connection: &Connection) -> Result<(u64, u64), Error> {
    let sql =
        "SELECT (SELECT count(*) FROM property WHERE record_id IS NOT NULL), (SELECT count(*) FROM advert)";
    Ok(connection.query_row(sql, params![], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

pub fn advert_id(row: Row<'_>, column: usize) -> SqlResult<AdvertId> {
    row.get(column).map(AdvertId::from_bytes)
}

pub fn property_id(row: Row<'_>, column: usize) -> SqlResult<PropertyId> {
    row.get(column).map(PropertyId::from_bytes)
}

pub fn from_sql(error: SqlError) -> Error {
    Error::corrupt_by("a column", error)
}
