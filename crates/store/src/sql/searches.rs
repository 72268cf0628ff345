//! Saved searches: writes, and reads of the current state or the state at a log position.
//!
//! A search is one row with its current version. A replaced version moves to `search_version`, where the matcher finds it until its
//! checkpoint is past the change; [`prune_versions`] keeps that table small.

use domain::criteria::Direction;
use domain::{
    Alerts, CancelReason, DeliveryChannel, EmailAddress, SearchId, SearchNumber, SearchRef, SearchToken,
    Timestamp, UserId, fold,
};

use super::commit::{Conflict, Entry, Kind, Refusal, append};
use super::damage::DamageLog;
use super::deliveries;
use super::read::from_sql;
use crate::contract::Lane;
use crate::contract::Position;
use crate::contract::{
    ExpectedSearch, PutSearch, RecordKind, SearchList, SearchLookup, SearchPage, StoredSearch,
};
use crate::error::Error;
use crate::record;
use crate::sql::value::{Column, owned};
use crate::sql::{Connection, OptionalExtension, Params, Row, SqlResult, params};

/// How many pending deliveries are cancelled in the transaction that deletes their search: enough for nearly every search, and few
/// enough that other writers hardly wait.
const CANCELLED_AT_ONCE: usize = 500;

/// A search to write, with everything that needs no database.
pub struct PreparedSearch {
    id: SearchId,
    owner: UserId,
    expected: ExpectedSearch,
    enabled: bool,
    /// Channels without a recipient, and why.
    silent_channels: Vec<(DeliveryChannel, CancelReason)>,
    title_key: String,
    email: Option<EmailAddress>,
    record: Vec<u8>,
}

impl PreparedSearch {
    pub fn new(put: &PutSearch) -> Result<Self, Error> {
        let PutSearch { search, expected } = put;
        Ok(Self {
            id: search.id,
            owner: search.owner,
            expected: *expected,
            enabled: search.draft.alerts.enabled,
            silent_channels: silent_channels(&search.draft.alerts),
            title_key: fold(search.draft.title.as_str()),
            email: search.draft.alerts.email.clone(),
            record: record::encode_search(search)?,
        })
    }
}

fn silent_channels(alerts: &Alerts) -> Vec<(DeliveryChannel, CancelReason)> {
    let silent = |channel| Some((channel, alerts.cancel_reason(channel)?));
    DeliveryChannel::ALL.into_iter().filter_map(silent).collect()
}

pub fn put(connection: &Connection, put: &PreparedSearch, at: Timestamp) -> Result<Position, Refusal> {
    let PreparedSearch { id, owner, expected, enabled, silent_channels, title_key, email, record } = put;
    let mut statement =
        connection.prepare_cached("SELECT number, version, owner FROM search WHERE id = ?1")?;
    let current: Option<(u32, u32, [u8; 16])> =
        statement.query_row([id.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
    let entry = |version| Entry {
        kind: Kind::Search,
        at,
        subject: id.as_bytes(),
        version: Some(version),
        advert: None,
        payload: None,
    };
    match (*expected, current) {
        (ExpectedSearch::New { owner_has_fewer_than }, None) => {
            if count_of(connection, *owner)? >= u64::from(owner_has_fewer_than) {
                return Err(Refusal::TooManySearches);
            }
            let position = append(connection, &entry(1))?;
            connection
                .prepare_cached(
                    "INSERT INTO search (id, owner, version, position, enabled, title_key, record)
                     VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6)",
                )?
                .execute(params![id.as_bytes(), owner.as_bytes(), position.0, enabled, title_key, record])?;
            Ok(position)
        }
        (ExpectedSearch::Version(expected), Some((number, version, current_owner)))
            if expected == version && current_owner == *owner.as_bytes() =>
        {
            let position = append(connection, &entry(version + 1))?;
            let search = SearchNumber(number);
            note_recipient(connection, search, email.as_ref())?;
            connection
                .prepare_cached(
                    "INSERT INTO search_version (replaced_position, number, version, position, record)
                     SELECT ?2, number, version, position, record FROM search WHERE number = ?1",
                )?
                .execute(params![number, position.0])?;
            connection
                .prepare_cached(
                    "UPDATE search SET version = version + 1, position = ?2, enabled = ?3, title_key = ?4, record = ?5
                     WHERE number = ?1",
                )?
                .execute(params![number, position.0, enabled, title_key, record])?;
            // Pending deliveries stay cancelled if the channel is switched on again.
            for (channel, reason) in silent_channels {
                deliveries::cancel_lane(connection, Lane { search, channel: *channel }, *reason, at)?;
            }
            Ok(position)
        }
        (ExpectedSearch::New { .. } | ExpectedSearch::Version(_), _) => Err(Conflict.into()),
    }
}

/// Remembers that a search loses its e-mail address, to another one or to none. A search whose current version cannot be read may
/// have had any address.
fn note_recipient(
    connection: &Connection,
    number: SearchNumber,
    next: Option<&EmailAddress>,
) -> Result<(), Error> {
    let is_kept = match by_number(connection, number) {
        Ok(stored) => {
            let current = stored.and_then(|stored| stored.search.draft.alerts.email);
            current.is_none() || current.as_ref() == next
        }
        Err(Error::Corrupt { .. }) => false,
        Err(error) => return Err(error),
    };
    if !is_kept {
        connection
            .prepare_cached("INSERT INTO changed_recipient (number) VALUES (?1) ON CONFLICT DO NOTHING")?
            .execute([number.0])?;
    }
    Ok(())
}

pub fn recipient_was_changed(connection: &Connection, number: SearchNumber) -> Result<bool, Error> {
    Ok(connection.prepare_cached("SELECT 1 FROM changed_recipient WHERE number = ?1")?.exists([number.0])?)
}

/// Deletes an owner's search; returns `None` if there is none. It may have many matches and pending deliveries. The matches are deleted
/// and most deliveries are cancelled later, a few at a time. Meanwhile the matches are not listed and the deliveries are not claimed,
/// because no search has that number any more.
pub fn remove(
    connection: &Connection,
    id: SearchId,
    owner: UserId,
    at: Timestamp,
) -> Result<Option<Position>, Error> {
    let mut statement =
        connection.prepare_cached("DELETE FROM search WHERE id = ?1 AND owner = ?2 RETURNING number")?;
    let number: Option<u32> =
        statement.query_row([id.as_bytes(), owner.as_bytes()], |row| row.get(0)).optional()?;
    let Some(number) = number else { return Ok(None) };
    for statement in [
        "DELETE FROM search_version WHERE number = ?1",
        "DELETE FROM search_alert WHERE number = ?1",
        "DELETE FROM changed_recipient WHERE number = ?1",
    ] {
        connection.prepare_cached(statement)?.execute([number])?;
    }
    let search = SearchNumber(number);
    deliveries::delete_lanes(connection, search)?;
    deliveries::cancel_deleted(connection, search, CANCELLED_AT_ONCE, at)?;
    let entry = Entry {
        kind: Kind::SearchRemoved,
        at,
        subject: id.as_bytes(),
        version: None,
        advert: None,
        payload: None,
    };
    let position = append(connection, &entry)?;
    connection
        .prepare_cached("INSERT INTO deleted_search (number, position, deleted_at) VALUES (?1, ?2, ?3)")?
        .execute(params![number, position.0, at.as_millisecond()])?;
    Ok(Some(position))
}

/// Deletes versions that were replaced up to the matcher's checkpoint: the matcher does not read them again.
pub fn prune_versions(connection: &Connection, checkpoint: Position) -> Result<(), Error> {
    connection
        .prepare_cached("DELETE FROM search_version WHERE replaced_position <= ?1")?
        .execute([checkpoint.0])?;
    Ok(())
}

pub fn exists(connection: &Connection, number: SearchNumber) -> Result<bool, Error> {
    Ok(connection.prepare_cached("SELECT 1 FROM search WHERE number = ?1")?.exists([number.0])?)
}

fn count_of(connection: &Connection, owner: UserId) -> SqlResult<u64> {
    let mut statement = connection.prepare_cached("SELECT searches FROM search_count WHERE owner = ?1")?;
    let count = statement.query_row([owner.as_bytes()], |row| row.get(0)).optional()?;
    Ok(count.unwrap_or_default())
}

pub fn count(connection: &Connection) -> Result<u64, Error> {
    let sql = "SELECT CAST(coalesce(sum(searches), 0) AS BIGINT) FROM search_count";
    Ok(connection.query_row(sql, params![], |row| row.get(0))?)
}

/// The columns that [`stored`] reads.
const COLUMNS: &str = "SELECT s.number, s.id, s.owner, s.version, a.last_alert_at, s.record, s.position
                       FROM search s LEFT JOIN search_alert a ON a.number = s.number";

pub fn by_id(connection: &Connection, id: SearchId) -> Result<Option<StoredSearch>, Error> {
    one(connection, &format!("{COLUMNS} WHERE s.id = ?1"), [id.as_bytes()])
}

pub fn by_number(connection: &Connection, number: SearchNumber) -> Result<Option<StoredSearch>, Error> {
    one(connection, &with_number(), [number.0])
}

fn with_number() -> String {
    format!("{COLUMNS} WHERE s.number = ?1")
}

/// Finds a search by the token in its record. The expression is that of the index `search_by_token`.
pub fn by_token(
    connection: &Connection,
    owner: UserId,
    token: &SearchToken,
) -> Result<Option<StoredSearch>, Error> {
    let sql = format!("{COLUMNS} WHERE s.owner = ?1 AND substr(s.record, 16, 50) = ?2");
    let found = one(connection, &sql, params![owner.as_bytes(), token.as_str().as_bytes()])?;
    Ok(found.filter(|stored| stored.search.token == *token))
}

/// Returns the id of an owner's search without reading its record. A client that knows the token owns the search, so that the bytes of a
/// damaged record may be compared with it.
pub fn id_of(connection: &Connection, owner: UserId, name: &SearchRef) -> Result<Option<SearchId>, Error> {
    let found = match name {
        SearchRef::Id(id) => connection
            .prepare_cached("SELECT id FROM search WHERE id = ?1 AND owner = ?2")?
            .query_row([id.as_bytes(), owner.as_bytes()], |row| row.get(0)),
        SearchRef::Token(token) => connection
            .prepare_cached("SELECT id FROM search WHERE owner = ?1 AND substr(record, 16, 50) = ?2")?
            .query_row(params![owner.as_bytes(), token.as_str().as_bytes()], |row| row.get(0)),
    };
    Ok(found.optional()?.map(SearchId::from_bytes))
}

pub fn by_numbers(
    connection: &Connection,
    numbers: &[SearchNumber],
    damage: &DamageLog,
) -> Result<Vec<SearchLookup>, Error> {
    let sql = with_number();
    connection.prefetch(numbers.iter().map(|number| (sql.as_str(), owned(params![number.0]))))?;
    let read = |number: &SearchNumber| {
        let read = by_number(connection, *number);
        Ok(match damage.unless_damaged(RecordKind::Search, || name_of(connection, *number), read)? {
            Some(Some(stored)) => SearchLookup::Found(Box::new(stored)),
            Some(None) => SearchLookup::NotFound,
            None => SearchLookup::Damaged,
        })
    };
    numbers.iter().map(read).collect()
}

/// Names a search that cannot be read: by its id, which its owner knows, if that is readable.
pub fn name_of(connection: &Connection, number: SearchNumber) -> String {
    let id: SqlResult<[u8; 16]> = connection
        .prepare_cached("SELECT id FROM search WHERE number = ?1")
        .and_then(|mut statement| statement.query_row([number.0], |row| row.get(0)));
    id.map_or_else(|_| format!("number {}", number.0), |id| SearchId::from_bytes(id).to_string())
}

fn one(connection: &Connection, sql: &str, parameters: impl Params) -> Result<Option<StoredSearch>, Error> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    rows.next()?.map(stored).transpose()
}

pub fn list(connection: &Connection, list: &SearchList, damage: &DamageLog) -> Result<SearchPage, Error> {
    let SearchList { owner, title, enabled, by_title, skip, take } = list;
    let title = title.as_deref().map(fold);
    if title.as_deref() == Some("") {
        // Only punctuation, which title keys do not contain.
        return Ok(SearchPage::default());
    }
    // One transaction, so that the total and the page are consistent.
    let reading = connection.snapshot()?;
    let selection = "FROM search WHERE owner = ?1
                  AND (CAST(?2 AS BIGINT) IS NULL OR enabled = ?2) AND (CAST(?3 AS TEXT) IS NULL OR instr(title_key, ?3) > 0)";
    let total = if title.is_none() && enabled.is_none() {
        count_of(&reading, *owner)?
    } else {
        reading
            .prepare_cached(&format!("SELECT count(*) {selection}"))?
            .query_row(params![owner.as_bytes(), enabled, title], |row| row.get(0))?
    };
    // Numbers follow the order of creation. They also break ties of titles, so that pages do not overlap.
    let order = match by_title {
        None => "number DESC",
        Some(Direction::Ascending) => "title_key, number",
        Some(Direction::Descending) => "title_key DESC, number DESC",
    };
    let mut statement =
        reading.prepare_cached(&format!("SELECT number {selection} ORDER BY {order} LIMIT ?4 OFFSET ?5"))?;
    let window = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let numbers: Vec<u32> = statement
        .query_map(params![owner.as_bytes(), enabled, title, window(*take), window(*skip)], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut searches = Vec::with_capacity(numbers.len());
    for number in numbers {
        let number = SearchNumber(number);
        let read = by_number(&reading, number);
        let read = damage.unless_damaged(RecordKind::Search, || name_of(&reading, number), read)?;
        searches.extend(read.flatten());
    }
    Ok(SearchPage { total, searches })
}

pub fn at_position(
    connection: &Connection,
    position: Position,
    after: Option<SearchNumber>,
    limit: usize,
    damage: &DamageLog,
) -> Result<Vec<StoredSearch>, Error> {
    // One transaction, so that a version that is being replaced is not missed.
    let reading = connection.snapshot()?;
    let mut statement =
        reading.prepare_cached(&format!("{COLUMNS} WHERE s.number > ?1 ORDER BY s.number"))?;
    let mut rows = statement.query_in_pieces([after.map_or(0, |number| number.0)])?;
    let mut found = Vec::with_capacity(limit.min(10_000));
    while found.len() < limit {
        let Some(row) = rows.next()? else { break };
        let number = SearchNumber(row.get(0)?);
        let name = || name_of(&reading, number);
        if row.get::<u64>(6)? <= position.0 {
            found.extend(damage.unless_damaged(RecordKind::Search, name, stored(row))?);
            continue;
        }
        // Changed or created since.
        let mut previous = reading.prepare_cached(
            "SELECT version, record FROM search_version WHERE number = ?1 AND position <= ?2
             ORDER BY version DESC LIMIT 1",
        )?;
        let mut older = previous.query(params![number.0, position.0])?;
        if let Some(older) = older.next()? {
            let read = read(row, older.get(0)?, older.get_ref(1)?);
            found.extend(damage.unless_damaged(RecordKind::SearchVersion, name, read)?);
        }
    }
    Ok(found)
}

pub fn at_version(
    connection: &Connection,
    id: SearchId,
    version: u32,
) -> Result<Option<StoredSearch>, Error> {
    let reading = connection.snapshot()?;
    let mut statement = reading.prepare_cached(&format!("{COLUMNS} WHERE s.id = ?1"))?;
    let mut rows = statement.query([id.as_bytes()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    if row.get::<u32>(3)? == version {
        return stored(row).map(Some);
    }
    let mut previous =
        reading.prepare_cached("SELECT record FROM search_version WHERE number = ?1 AND version = ?2")?;
    let mut older = previous.query(params![row.get::<u32>(0)?, version])?;
    older.next()?.map(|older| read(row, version, older.get_ref(0)?)).transpose()
}

/// Reads a search from [`COLUMNS`].
pub fn stored(row: Row<'_>) -> Result<StoredSearch, Error> {
    read(row, row.get(3)?, row.get_ref(5)?)
}

/// Reads a search with a version and a record that need not be the current ones.
fn read(row: Row<'_>, version: u32, record: Column<'_>) -> Result<StoredSearch, Error> {
    let id = SearchId::from_bytes(row.get(1)?);
    let owner = UserId::from_bytes(row.get(2)?);
    let last_alert = |millisecond: i64| {
        Timestamp::from_millisecond(millisecond)
            .map_err(|error| Error::corrupt_by(format!("the last alert of search {id}"), error))
    };
    Ok(StoredSearch {
        number: SearchNumber(row.get(0)?),
        version,
        search: record::decode_search(id, owner, record.as_blob().map_err(from_sql)?)?,
        last_alert_at: row.get::<Option<i64>>(4)?.map(last_alert).transpose()?,
    })
}
