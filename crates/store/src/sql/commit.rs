//! Applying a change set: rows and log entries together.

use std::collections::HashSet;

use domain::{AdvertId, Identity, PropertyId, Timestamp};

use super::committed::Committed;
use super::prepare::{AdvertRow, Prepared, PreparedPut, PreparedStep};
use super::writer::Transaction;
use super::writer::last_position;
use super::{grouping, read, searches, sites};
use crate::contract::Position;
use crate::contract::{AdvertGrouping, CommitOutcome, DecidedBy, Expected};
use crate::error::Error;
use crate::postgres::RowKind;
use crate::record::{self, Regrouping};
use crate::sql::error::sql_error;
use crate::sql::value::OwnedValue;
use crate::sql::{Connection, OptionalExtension, SqlError, SqlResult, params};

/// The kind of a log entry, as a number on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Advert = 1,
    Crawl = 2,
    AdvertLeft = 3,
    AdvertErased = 4,
    PropertyRemoved = 5,
    Search = 6,
    SearchRemoved = 7,
    Erased = 8,
    Regrouped = 9,
    PropertyMerged = 10,
}

impl Kind {
    pub fn from_code(code: i64) -> Option<Self> {
        Some(match code {
            1 => Self::Advert,
            2 => Self::Crawl,
            3 => Self::AdvertLeft,
            4 => Self::AdvertErased,
            5 => Self::PropertyRemoved,
            6 => Self::Search,
            7 => Self::SearchRemoved,
            8 => Self::Erased,
            9 => Self::Regrouped,
            10 => Self::PropertyMerged,
            _ => return None,
        })
    }
}

/// The change set was built on a state that has changed since.
pub struct Conflict;

/// Why a step was not applied.
pub enum Refusal {
    Conflict,
    TooManySearches,
    Failure(Error),
}

impl From<Conflict> for Refusal {
    fn from(Conflict: Conflict) -> Self {
        Self::Conflict
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Failure(error)
    }
}

impl From<SqlError> for Refusal {
    fn from(error: SqlError) -> Self {
        Self::Failure(error.into())
    }
}

/// The sites that a transaction has looked up. An import of thousands of adverts has a few of them.
#[derive(Default)]
struct KnownSites(HashSet<Box<str>>);

impl KnownSites {
    fn add(&mut self, connection: &Connection, site: &str) -> SqlResult<()> {
        if !self.0.contains(site) {
            sites::add_if_missing(connection, site)?;
            self.0.insert(site.into());
        }
        Ok(())
    }
}

/// What a set has become.
pub struct Applied {
    pub outcome: CommitOutcome,
    /// The properties that were written, in order.
    pub properties: Vec<Committed>,
}

impl From<CommitOutcome> for Applied {
    fn from(outcome: CommitOutcome) -> Self {
        Self { outcome, properties: Vec::new() }
    }
}

/// Applies a set. `foreign_writes` is the number of the last write of another process that may have changed properties.
pub fn apply(
    connection: &Connection,
    prepared: Prepared,
    foreign_writes: u64,
) -> Result<Transaction<Applied>, Error> {
    if prepared.grouped_at.is_some_and(|known| known < foreign_writes) {
        return Ok(Transaction::Rollback(CommitOutcome::Conflict.into()));
    }
    let recorded_at = prepared.recorded_at;
    let decided_by = prepared.decided_by.clone();
    let mut position = Position::START;
    let mut sites = KnownSites::default();
    let mut properties = Vec::new();
    let mut steps = Vec::with_capacity(STEPS_TOGETHER);
    let mut prepared = prepared.peekable();
    while prepared.peek().is_some() {
        for step in prepared.by_ref().take(STEPS_TOGETHER) {
            steps.push(step?);
        }
        let needed = if connection.is_postgres() { needed_rows(&steps) } else { Vec::new() };
        // The writes of the steps before go with it.
        if let Err(error) = connection.prefetch(needed.into_iter()) {
            return conflict_or(error.into());
        }
        for step in steps.drain(..) {
            let applied = match step {
                PreparedStep::Put(put) => {
                    put_property(connection, &put, &decided_by, recorded_at, &mut sites).map(|position| {
                        let PreparedPut { property, record, .. } = put;
                        properties.push(Committed { position, property, bytes: record.len() });
                        Some(position)
                    })
                }
                PreparedStep::Remove { property, expected, advert, merged_into } => {
                    remove_property(connection, property, expected, advert, merged_into, recorded_at)
                        .map(Some)
                }
                PreparedStep::PutDecision { decision, decided_by } => {
                    grouping::put_decision(connection, &decision, &decided_by, recorded_at)
                        .map(|()| None)
                        .map_err(Refusal::from)
                }
                PreparedStep::PutSearch(put) => searches::put(connection, &put, recorded_at).map(Some),
                PreparedStep::RemoveSearch { search, owner } => {
                    searches::remove(connection, search, owner, recorded_at).map_err(Refusal::from)
                }
            };
            match applied {
                Ok(entry) => position = entry.unwrap_or(position),
                Err(Refusal::Conflict) => return Ok(Transaction::Rollback(CommitOutcome::Conflict.into())),
                Err(Refusal::TooManySearches) => {
                    return Ok(Transaction::Rollback(CommitOutcome::TooManySearches.into()));
                }
                Err(Refusal::Failure(error)) => return conflict_or(error),
            }
        }
    }
    if let Err(error) = connection.flush() {
        return conflict_or(error.into());
    }
    Ok(Transaction::Commit(Applied { outcome: CommitOutcome::Committed(position), properties }))
}

/// How many steps are read ahead, and how many writes wait for each other. Bounds the memory of a large set.
const STEPS_TOGETHER: usize = 64;

/// A query with its values.
type Query = (&'static str, Vec<OwnedValue>);

/// Returns what steps read about their subjects before they write. What a step writes is left out of what later ones need: they read it
/// after that step.
fn needed_rows(steps: &[PreparedStep]) -> Vec<Query> {
    let (mut needed, mut written) = (Vec::new(), HashSet::new());
    for step in steps {
        match step {
            PreparedStep::Put(put) => {
                let row = property_query(put.property.id);
                if put.expected != Expected::WrittenBefore && !written.contains(&row) {
                    needed.push(row.clone());
                    let claims = put.claim.iter().map(read::location_query);
                    let own = put.claim.iter().map(|_| read::location_query(&Identity::Uuid(put.advert)));
                    needed.extend(claims.chain(own).filter(|query| !written.contains(query)));
                }
                written.insert(row);
                for (advert, row) in &put.rows {
                    written.insert(read::location_query(&Identity::Uuid(*advert)));
                    // Of references, the database itself makes sure that they are given once.
                    let url = row.url_key.as_deref().map(|key| Identity::Url(key.into()));
                    written.extend(url.iter().map(read::location_query));
                }
            }
            PreparedStep::Remove { property, .. } => drop(written.insert(property_query(*property))),
            PreparedStep::PutDecision { .. }
            | PreparedStep::PutSearch(_)
            | PreparedStep::RemoveSearch { .. } => {}
        }
    }
    needed
}

fn property_query(property: PropertyId) -> Query {
    (PROPERTY_ROW, vec![OwnedValue::from(property.as_bytes().to_vec())])
}

/// On PostgreSQL the row of an advert is refused later than on SQLite ([`write_advert`]), and for the same reason.
fn conflict_or(error: Error) -> Result<Transaction<Applied>, Error> {
    match sql_error(&error) {
        Some(refused) if refused.is_taken_identity() => {
            Ok(Transaction::Rollback(CommitOutcome::Conflict.into()))
        }
        _ => Err(error),
    }
}

fn put_property(
    connection: &Connection,
    put: &PreparedPut,
    decided_by: &DecidedBy,
    at: Timestamp,
    sites: &mut KnownSites,
) -> Result<Position, Refusal> {
    let id = put.property.id;
    let mut current = property_row(connection, id)?;
    if check(put.expected, current).is_err() {
        // What was read ahead may be older than an earlier step of the set.
        current = property_row(connection, id)?;
        check(put.expected, current)?;
    }
    let version = match (put.kind, current) {
        (Kind::Crawl, Some(current)) => current.version,
        (_, Some(current)) => current.version + 1,
        (_, None) => 1,
    };
    if let Some(claim) = &put.claim
        && is_claimed(connection, put, claim)?
    {
        return Err(Conflict.into());
    }
    let regrouping = match &put.moved {
        Some(moved) => {
            let author = if moved.automatic { &DecidedBy::Grouping } else { decided_by };
            grouping::record_move(connection, id, moved, author, at)?;
            let regrouping = Regrouping {
                events: moved.events.clone(),
                moved: moved.adverts.clone(),
                from: grouping::source_versions(connection, &moved.from)?,
                automatic: moved.automatic,
                advert_is_erased: false,
            };
            Some(regrouping.encode()?)
        }
        None => None,
    };
    let position = append(
        connection,
        &Entry {
            kind: put.kind,
            at,
            subject: id.as_bytes(),
            version: Some(version),
            advert: Some(put.advert),
            payload: regrouping.as_deref().or(put.events.as_deref()),
        },
    )?;
    match (put.kind, current.and_then(|current| current.record_id)) {
        (Kind::Crawl, Some(record_id)) => {
            connection
                .prepare_cached("UPDATE property_version SET record = ?1 WHERE record_id = ?2")?
                .execute_row_later(RowKind::Property, id.as_bytes(), params![put.record, record_id])?;
            connection
                .prepare_cached("UPDATE property SET revision = revision + 1 WHERE id = ?1")?
                .execute_row_later(RowKind::Property, id.as_bytes(), [id.as_bytes()])?;
        }
        _ => add_version(connection, id, version, position, &put.record)?,
    }
    for (advert, row) in &put.rows {
        let grouping = put.grouping.as_ref().filter(|_| *advert == put.advert);
        // Only new adverts have a claim.
        if put.claim.is_some() {
            insert_advert(connection, *advert, id, row, grouping)?;
        } else if !update_advert(connection, *advert, id, row, grouping)? {
            write_advert(connection, *advert, id, row, grouping)?;
        }
        // A crawl changes only dates.
        if let (Some(site), true) = (&row.site, put.kind != Kind::Crawl) {
            sites.add(connection, site)?;
        }
    }
    Ok(position)
}

/// Returns `true` if another advert has the identity of a new one. On SQLite, what the insert of its row refuses is left to that
/// ([`insert_advert`]): its id, and its reference. Two adverts may have one address.
fn is_claimed(connection: &Connection, put: &PreparedPut, claim: &Identity) -> Result<bool, Error> {
    let own = Identity::Uuid(put.advert);
    if connection.is_postgres() {
        return Ok(is_taken(connection, claim)? || is_taken(connection, &own)?);
    }
    let is_inserted = match claim {
        Identity::Uuid(_) => *claim == own,
        Identity::SiteReference(site, reference) => put.rows.iter().any(|(advert, row)| {
            *advert == put.advert
                && row.site.as_deref() == Some(site.as_str())
                && row.reference.as_deref() == Some(reference)
        }),
        Identity::Url(_) => false,
    };
    Ok(!is_inserted && is_taken(connection, claim)?)
}

/// Looks again before it says so: what was read ahead may be older than an earlier step of the set, which released the identity.
fn is_taken(connection: &Connection, identity: &Identity) -> Result<bool, Error> {
    Ok(read::locate_one(connection, identity)?.is_some() && read::locate_one(connection, identity)?.is_some())
}

fn remove_property(
    connection: &Connection,
    property: PropertyId,
    expected: Expected,
    advert: AdvertId,
    merged_into: Option<PropertyId>,
    at: Timestamp,
) -> Result<Position, Refusal> {
    check(expected, property_row(connection, property)?)?;
    remove_record(connection, property)?;
    let into = merged_into.map(|into| grouping::merge(connection, property, into)).transpose()?;
    Ok(append(
        connection,
        &Entry {
            kind: if into.is_some() { Kind::PropertyMerged } else { Kind::PropertyRemoved },
            at,
            subject: property.as_bytes(),
            version: None,
            advert: Some(advert),
            payload: into.as_ref().map(|into| into.as_bytes().as_slice()),
        },
    )?)
}

fn check(expected: Expected, row: Option<PropertyRow>) -> Result<(), Conflict> {
    let current = row.filter(|row| row.record_id.is_some());
    match (expected, current) {
        (Expected::New, None) | (Expected::WrittenBefore, _) => Ok(()),
        (Expected::Revision(expected), Some(current)) if expected == current.revision => Ok(()),
        (Expected::New | Expected::Revision(_), _) => Err(Conflict),
    }
}

/// The row of a property that exists or existed.
#[derive(Debug, Clone, Copy)]
pub struct PropertyRow {
    pub version: u32,
    pub revision: u32,
    /// The record of its current version; `None` if the property was removed.
    pub record_id: Option<i64>,
}

const PROPERTY_ROW: &str = "SELECT version, revision, record_id FROM property WHERE id = ?1";

pub fn property_row(connection: &Connection, property: PropertyId) -> Result<Option<PropertyRow>, SqlError> {
    connection
        .prepare_cached(PROPERTY_ROW)?
        .query_row([property.as_bytes()], |row| {
            Ok(PropertyRow { version: row.get(0)?, revision: row.get(1)?, record_id: row.get(2)? })
        })
        .optional()
}

/// Removes a property. Its row stays, and one version number is skipped, so that a property created again under that id has no
/// previous version.
pub fn remove_record(connection: &Connection, property: PropertyId) -> Result<(), Error> {
    connection
        .prepare_cached(
            "UPDATE property SET record_id = NULL, revision = revision + 1, version = version + 1 WHERE id = ?1",
        )?
        .execute([property.as_bytes()])?;
    Ok(())
}

pub fn add_version(
    connection: &Connection,
    property: PropertyId,
    version: u32,
    position: Position,
    record: &[u8],
) -> Result<(), Error> {
    const ADD_VERSION: &str =
        "INSERT INTO property_version (property_id, version, position, record) VALUES (?1, ?2, ?3, ?4)";
    const SET_VERSION: &str =
        "ON CONFLICT (id) DO UPDATE SET version = excluded.version, revision = property.revision + 1,
             record_id = excluded.record_id, merged_into = NULL";
    let id = property.as_bytes();
    let values = params![id, version, position.0, record];
    if connection.is_postgres() {
        let sql = format!(
            "WITH added AS ({ADD_VERSION} RETURNING property_id, version, record_id)
             INSERT INTO property (id, version, revision, record_id) SELECT property_id, version, 1, record_id FROM added {SET_VERSION}"
        );
        let mut statement = connection.prepare_cached(&sql)?;
        statement.execute_row_later(RowKind::Property, id, values)?;
        return Ok(());
    }
    connection.prepare_cached(ADD_VERSION)?.execute(values)?;
    let sql = format!(
        "INSERT INTO property (id, version, revision, record_id) VALUES (?1, ?2, 1, last_insert_rowid()) {SET_VERSION}"
    );
    connection.prepare_cached(&sql)?.execute(params![id, version])?;
    Ok(())
}

macro_rules! insert_advert_sql {
    () => {
        "INSERT INTO advert (id, property_id, site, reference, url_key, last_crawled_at, expired, url_hash, signature, is_named)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
    };
}

macro_rules! write_advert_sql {
    ($grouping:literal) => {
        concat!(
            insert_advert_sql!(),
            " ON CONFLICT (id) DO UPDATE SET property_id = excluded.property_id, site = excluded.site,
                 reference = excluded.reference, url_key = excluded.url_key, url_hash = excluded.url_hash,
                 last_crawled_at = excluded.last_crawled_at, expired = excluded.expired",
            $grouping
        )
    };
}

/// Changes what no index contains, if the advert is found as before.
macro_rules! update_advert_sql {
    ($grouping:literal) => {
        concat!(
            "UPDATE advert SET property_id = ?2, last_crawled_at = ?6, expired = ?7",
            $grouping,
            " WHERE id = ?1 AND site IS ?3 AND reference IS ?4 AND url_key IS ?5 AND url_hash IS ?8"
        )
    };
}

/// Writes the row of a new advert. It is a conflict if the advert exists, or another has its reference.
fn insert_advert(
    connection: &Connection,
    advert: AdvertId,
    property: PropertyId,
    row: &AdvertRow,
    grouping: Option<&AdvertGrouping>,
) -> Result<(), Refusal> {
    if connection.is_postgres() {
        // It was looked for, and rows that are sent together have one statement.
        return write_advert(connection, advert, property, row, grouping);
    }
    write_advert_with(connection, insert_advert_sql!(), advert, property, row, grouping)
}

/// Writes the row of an advert, whether or not it exists. Without `grouping`, an advert that exists keeps what it is grouped by.
pub fn write_advert(
    connection: &Connection,
    advert: AdvertId,
    property: PropertyId,
    row: &AdvertRow,
    grouping: Option<&AdvertGrouping>,
) -> Result<(), Refusal> {
    let sql = if grouping.is_some() {
        write_advert_sql!(", signature = excluded.signature, is_named = excluded.is_named")
    } else {
        write_advert_sql!("")
    };
    write_advert_with(connection, sql, advert, property, row, grouping)
}

fn write_advert_with(
    connection: &Connection,
    sql: &str,
    advert: AdvertId,
    property: PropertyId,
    row: &AdvertRow,
    grouping: Option<&AdvertGrouping>,
) -> Result<(), Refusal> {
    let AdvertRow { site, reference, url_key, last_crawled_at, expired } = row;
    let written = connection.prepare_cached(sql)?.execute_row_later(
        RowKind::Advert,
        advert.as_bytes(),
        params![
            advert.as_bytes(),
            property.as_bytes(),
            site,
            reference,
            url_key,
            last_crawled_at.as_second(),
            expired,
            url_key.as_deref().map(read::url_hash),
            grouping.and_then(|grouping| grouping.signature.as_deref()),
            grouping.is_some_and(|grouping| grouping.is_named)
        ],
    );
    match written {
        Ok(()) => Ok(()),
        // Another advert has taken the site's reference meanwhile.
        Err(error) if error.is_constraint_violation() => Err(Conflict.into()),
        Err(error) => Err(error.into()),
    }
}

/// Updates the row of an advert that is known and still found by the same site, reference and address. Returns `false` if it is not,
/// and on PostgreSQL: SQLite writes the entry of every index with a column that a statement sets, whether or not its value changes;
/// PostgreSQL compares.
fn update_advert(
    connection: &Connection,
    advert: AdvertId,
    property: PropertyId,
    row: &AdvertRow,
    grouping: Option<&AdvertGrouping>,
) -> Result<bool, SqlError> {
    if connection.is_postgres() {
        return Ok(false);
    }
    let AdvertRow { site, reference, url_key, last_crawled_at, expired } = row;
    let (id, property, crawled) = (advert.as_bytes(), property.as_bytes(), last_crawled_at.as_second());
    let hash = url_key.as_deref().map(read::url_hash);
    let updated = match grouping {
        Some(AdvertGrouping { signature, is_named }) => connection.execute(
            update_advert_sql!(", signature = ?9, is_named = ?10"),
            params![
                id,
                property,
                site,
                reference,
                url_key,
                crawled,
                expired,
                hash,
                signature.as_deref(),
                is_named
            ],
        ),
        None => connection.execute(
            update_advert_sql!(""),
            params![id, property, site, reference, url_key, crawled, expired, hash],
        ),
    };
    Ok(updated? > 0)
}

pub struct Entry<'a> {
    pub kind: Kind,
    pub at: Timestamp,
    pub subject: &'a [u8; 16],
    pub version: Option<u32>,
    pub advert: Option<AdvertId>,
    pub payload: Option<&'a [u8]>,
}

/// Appends to the log. A new row gets the largest position plus one. Retention never deletes the last row, and only one
/// transaction writes at a time, so positions are dense and none is given twice.
pub fn append(connection: &Connection, entry: &Entry<'_>) -> Result<Position, Error> {
    let Entry { kind, at, subject, version, advert, payload } = entry;
    let payload = payload.map(record::seal_payload);
    let advert = advert.as_ref().map(AdvertId::as_bytes);
    let (kind, at) = (*kind as i64, at.as_millisecond());
    let Some(postgres) = connection.postgres() else {
        let sql = "INSERT INTO log (kind, recorded_at, subject, version, advert, payload) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        connection.execute(sql, params![kind, at, subject, version, advert, payload])?;
        let position = connection.sqlite().map_or(0, rusqlite::Connection::last_insert_rowid);
        return Ok(Position(u64::try_from(position).unwrap_or_default()));
    };
    // PostgreSQL is not asked every time: no other transaction writes, so what this one has counted is right.
    let end = postgres.log_end().map_or_else(|| last_position(connection).map(|end| end.0), Ok)?;
    let position = end + 1;
    connection
        .prepare_cached(
            "INSERT INTO log (position, kind, recorded_at, subject, version, advert, payload)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute_row_later(
            RowKind::LogEntry,
            position,
            params![position, kind, at, subject, version, advert, payload],
        )?;
    postgres.set_log_end(position);
    Ok(Position(position))
}
