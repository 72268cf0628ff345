//! Repairing: what cannot be read is removed or replaced, so that everything else is whole again.
//!
//! A repair looks at the record again before it changes anything: another process may have repaired it meanwhile.

use domain::{AdvertId, Property, PropertyId, SearchId, SearchNumber, Timestamp, UserId, fold};

use super::commit::{Entry, Kind, Refusal, append, property_row, remove_record, write_advert};
use super::damage::DamageLog;
use super::error::is_damage;
use super::prepare::AdvertRow;
use super::{matches, read, searches};
use crate::contract::{Finding, RecordKind, Repair};
use crate::error::Error;
use crate::record;
use crate::sql::{Connection, OptionalExtension, params};

const BACKUP: &str = "restore a backup";

pub fn repair(
    connection: &Connection,
    finding: &Finding,
    at: Timestamp,
    damage: &DamageLog,
) -> Result<Repair, Error> {
    let Finding { kind, id, problem: _ } = finding;
    let number = || id.parse::<i64>().ok();
    let pair = || {
        let (first, second) = id.split_once('/')?;
        Some((first.parse::<i64>().ok()?, second.parse::<i64>().ok()?))
    };
    let delete = |sql: &str, done: &'static str| match number() {
        Some(number) => changed(connection.execute(sql, [number])?, done),
        None => Ok(Repair::Manual(BACKUP)),
    };
    match kind {
        RecordKind::Property => match id.parse() {
            Ok(id) => property(connection, id, at, damage),
            Err(_) => Ok(Repair::Manual(BACKUP)),
        },
        RecordKind::PropertyVersion => version(connection, id),
        RecordKind::Advert => match id.parse() {
            Ok(id) => advert(connection, id),
            Err(_) => Ok(Repair::Manual(BACKUP)),
        },
        RecordKind::LogEntry => log_entry(connection, number()),
        RecordKind::Search => match id.parse() {
            Ok(id) => search(connection, id, at),
            Err(_) => Ok(Repair::Manual(BACKUP)),
        },
        RecordKind::SearchVersion => delete(
            "DELETE FROM search_version WHERE replaced_position = ?1",
            "deleted the replaced version of the search",
        ),
        RecordKind::SearchCount => search_counts(connection),
        RecordKind::MatchGroup => match_group(connection, number()),
        RecordKind::SearchMatch => search_match(connection, pair()),
        RecordKind::OutboxEntry => {
            let Some((position, ordinal)) = pair() else { return Ok(Repair::Manual(BACKUP)) };
            let sql = "DELETE FROM outbox WHERE position = ?1 AND ordinal = ?2";
            changed(
                connection.execute(sql, [position, ordinal])?,
                "deleted the outbox entry: its notifications are lost",
            )
        }
        RecordKind::Delivery => {
            if let Some(sequence) = number() {
                connection.execute("DELETE FROM delivery_attempt WHERE sequence = ?1", [sequence])?;
            }
            delete("DELETE FROM delivery WHERE sequence = ?1", "deleted the delivery and its attempts")
        }
        RecordKind::DeliveryAttempt => {
            let Some((sequence, ordinal)) = pair() else { return Ok(Repair::Manual(BACKUP)) };
            let sql = "DELETE FROM delivery_attempt WHERE sequence = ?1 AND ordinal = ?2";
            changed(connection.execute(sql, [sequence, ordinal])?, "deleted the attempt")
        }
        RecordKind::DeliveryDocument => delete(
            "DELETE FROM delivery_document WHERE rowid = ?1",
            "deleted the document: it is rendered again if it is sent again",
        ),
        RecordKind::Site => delete(
            "UPDATE site SET name = NULL, category_id = NULL WHERE id = ?1",
            "removed the name and the category of the site",
        ),
        RecordKind::Decision => {
            delete("DELETE FROM person_decision WHERE number = ?1", "deleted the decision: make it again")
        }
        RecordKind::Lineage => delete(
            "DELETE FROM property_lineage WHERE sequence = ?1",
            "deleted the row of the history of properties",
        ),
        RecordKind::Key => {
            Ok(Repair::Manual("create another key, and revoke this one with `vigie keys revoke`"))
        }
        RecordKind::SiteCategory => {
            Ok(Repair::Manual("rename the category, or delete it and create another"))
        }
        RecordKind::Usage => Ok(Repair::Manual("leave it: it disappears after usage.retention")),
        RecordKind::Checkpoint => Ok(Repair::Manual(BACKUP)),
        RecordKind::Database => Ok(Repair::Manual(
            "restore a backup; without one, `sqlite3 vigie.db .recover` saves what is readable",
        )),
    }
}

fn changed(rows: usize, done: &'static str) -> Result<Repair, Error> {
    Ok(if rows > 0 { Repair::Repaired(done) } else { Repair::NotNeeded })
}

/// Replaces the damaged record of a property by its newest intact version, and writes the rows of its adverts again.
fn property(
    connection: &Connection,
    id: PropertyId,
    at: Timestamp,
    damage: &DamageLog,
) -> Result<Repair, Error> {
    let Some(row) = property_row(connection, id)? else { return Ok(Repair::NotNeeded) };
    if row.record_id.is_none() {
        return Ok(Repair::NotNeeded);
    }
    let current = read::property_at(connection, id, row.version);
    let (rest, is_intact) = match current {
        Ok(Some(current)) => (Some(current), true),
        Ok(None) => (fall_back(connection, id, damage)?, false),
        Err(error) if is_damage(&error) => (fall_back(connection, id, damage)?, false),
        Err(error) => return Err(error),
    };
    let Some(rest) = rest else {
        remove_record(connection, id)?;
        let (kind, version) = (Kind::PropertyRemoved, None);
        let entry = Entry { kind, at, subject: id.as_bytes(), version, advert: None, payload: None };
        append(connection, &entry)?;
        return Ok(Repair::Repaired(
            "removed the property: no version of it is intact. Send its adverts again",
        ));
    };
    write_adverts(connection, &rest)?;
    if is_intact {
        return Ok(Repair::Repaired("wrote the rows of its adverts again"));
    }
    // The version stays. For followers this is a document that changed without an event, as after a crawl: the index reads it again,
    // and no search is alerted.
    let advert = rest.adverts.first().map(|advert| advert.id);
    let (kind, version) = (Kind::Crawl, Some(row.version));
    let entry = Entry { kind, at, subject: id.as_bytes(), version, advert, payload: None };
    let position = append(connection, &entry)?;
    let record = record::encode_property(&rest)?;
    let replaced = connection
        .prepare_cached("UPDATE property_version SET record = ?3 WHERE property_id = ?1 AND version = ?2")?
        .execute(params![id.as_bytes(), row.version, record])?;
    if replaced == 0 {
        // The row is gone. It belongs to the entry that named the version first, and gets its number again if that is free: numbers are
        // in the order of the log.
        let new_number = if connection.is_postgres() {
            "nextval(pg_get_serial_sequence('property_version', 'record_id'))"
        } else {
            "NULL"
        };
        connection
            .prepare_cached(&format!(
                "INSERT INTO property_version (record_id, property_id, version, position, record)
                 VALUES (CASE WHEN EXISTS (SELECT 1 FROM property_version WHERE record_id = ?6) THEN {new_number} ELSE ?6 END,
                     ?1, ?2, coalesce((SELECT min(position) FROM log WHERE subject = ?1 AND version = ?2 AND kind <> ?5), ?4), ?3)",
            ))?
            .execute(params![
                id.as_bytes(),
                row.version,
                record,
                position.0,
                Kind::Crawl as i64,
                row.record_id
            ])?;
    }
    connection
        .prepare_cached(
            "UPDATE property SET revision = revision + 1, record_id =
                 (SELECT record_id FROM property_version WHERE property_id = ?1 AND version = ?2) WHERE id = ?1",
        )?
        .execute(params![id.as_bytes(), row.version])?;
    Ok(Repair::Repaired(
        "put the newest intact version in its place. Send its adverts again to bring it up to date",
    ))
}

/// Returns the newest intact version of a property, with the adverts that still belong to it. Forgets where the other adverts are:
/// no version has them, and they are new when they are sent again. Returns `None` if there is no such version.
pub fn fall_back(
    connection: &Connection,
    id: PropertyId,
    damage: &DamageLog,
) -> Result<Option<Property>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT version, record FROM property_version WHERE property_id = ?1 ORDER BY version DESC",
    )?;
    let mut rows = statement.query([id.as_bytes()])?;
    let mut newest = None;
    while newest.is_none()
        && let Some(row) = rows.next()?
    {
        let version: u32 = row.get(0)?;
        let decoded = read::decode_version(id, row.get_ref(1)?);
        let name = || format!("{id} version {version}");
        newest = damage.unless_damaged(RecordKind::PropertyVersion, name, decoded)?.flatten();
    }
    drop(rows);
    let members: Vec<AdvertId> = {
        // There is no index for this: repairs are rare.
        let mut statement = connection.prepare_cached("SELECT id FROM advert WHERE property_id = ?1")?;
        let rows = statement.query_map([id.as_bytes()], |row| read::advert_id(row, 0))?;
        rows.collect::<Result<_, _>>()?
    };
    if let Some(property) = &mut newest {
        property.adverts.retain(|advert| members.contains(&advert.id));
    }
    let newest = newest.filter(|property| !property.adverts.is_empty());
    let is_lost = |member: &&AdvertId| newest.as_ref().is_none_or(|newest| newest.advert(**member).is_none());
    for lost in members.iter().filter(is_lost) {
        forget_advert(connection, *lost)?;
    }
    Ok(newest)
}

fn forget_advert(connection: &Connection, advert: AdvertId) -> Result<usize, Error> {
    connection
        .prepare_cached("DELETE FROM advert_previous_property WHERE advert_id = ?1")?
        .execute([advert.as_bytes()])?;
    Ok(connection.prepare_cached("DELETE FROM advert WHERE id = ?1")?.execute([advert.as_bytes()])?)
}

/// Writes the rows of the adverts of a property. What grouping knows about them stays.
pub fn write_adverts(connection: &Connection, property: &Property) -> Result<(), Error> {
    for advert in &property.adverts {
        let row = AdvertRow::from_advert(advert);
        match write_advert(connection, advert.id, property.id, &row, None) {
            Ok(()) => {}
            Err(Refusal::Failure(error)) => return Err(error),
            Err(Refusal::Conflict | Refusal::TooManySearches) => {
                return Err(Error::corrupt(format!(
                    "the reference of advert {}, which another advert has,",
                    advert.id
                )));
            }
        }
    }
    Ok(())
}

/// Erases a version that cannot be read and is not the current one.
fn version(connection: &Connection, name: &str) -> Result<Repair, Error> {
    let parsed = name.split_once(" version ");
    let parsed =
        parsed.and_then(|(id, version)| Some((id.parse::<PropertyId>().ok()?, version.parse().ok()?)));
    let Some((id, version)): Option<(PropertyId, u32)> = parsed else { return Ok(Repair::Manual(BACKUP)) };
    match read::property_at(connection, id, version) {
        Ok(_) => return Ok(Repair::NotNeeded),
        Err(error) if is_damage(&error) => {}
        Err(error) => return Err(error),
    }
    let erased = connection
        .prepare_cached("UPDATE property_version SET record = x'' WHERE property_id = ?1 AND version = ?2")?
        .execute(params![id.as_bytes(), version])?;
    changed(erased, "blanked the old version: matches with it show the current one")
}

/// Makes the row of an advert agree with the property that contains it, or deletes it if there is none.
fn advert(connection: &Connection, id: AdvertId) -> Result<Repair, Error> {
    let property: Option<[u8; 16]> = connection
        .prepare_cached("SELECT property_id FROM advert WHERE id = ?1 AND length(property_id) = 16")?
        .query_row([id.as_bytes()], |row| row.get(0))
        .optional()?;
    if let Some(property) = property.map(PropertyId::from_bytes)
        && let Some(row) = property_row(connection, property)?
        && row.record_id.is_some()
    {
        match read::property_at(connection, property, row.version) {
            Ok(Some(property)) if property.advert(id).is_some() => {
                write_adverts(connection, &property)?;
                return Ok(Repair::Repaired("wrote the row of the advert again"));
            }
            Ok(_) => {}
            Err(error) if is_damage(&error) => return Ok(Repair::Manual("repair its property first")),
            Err(error) => return Err(error),
        }
    }
    changed(
        forget_advert(connection, id)?,
        "deleted the row: no property contains the advert. Send the advert again",
    )
}

fn log_entry(connection: &Connection, position: Option<i64>) -> Result<Repair, Error> {
    let Some(position) = position.and_then(|position| u64::try_from(position).ok()) else {
        return Ok(Repair::Manual(BACKUP));
    };
    let mut statement = connection.prepare_cached(&format!("{} WHERE position = ?1", read::LOG_COLUMNS))?;
    let mut rows = statement.query([position])?;
    let read = match rows.next()? {
        Some(row) => read::log_entry(row),
        None => return Ok(Repair::Manual(BACKUP)),
    };
    drop(rows);
    match read {
        Err(error) if is_damage(&error) => {
            blank_log_entry(connection, position)?;
            Ok(Repair::Repaired("blanked the entry: followers skip it"))
        }
        Err(error) => Err(error),
        // It can be read, and names something that does not exist.
        Ok(_) => Ok(Repair::Manual("no repair is needed: followers find nothing under that name")),
    }
}

/// Removes the content of a log entry. The entry stays, so that positions are dense.
pub fn blank_log_entry(connection: &Connection, position: u64) -> Result<(), Error> {
    // PostgreSQL keeps values of another type out of the column.
    let is_number = if connection.is_postgres() { "" } else { "typeof(recorded_at) = 'integer' AND " };
    connection
        .prepare_cached(&format!(
            "UPDATE log SET kind = ?2, subject = NULL, version = NULL, advert = NULL, payload = NULL,
                 recorded_at = CASE WHEN {is_number}abs(recorded_at) < 253402300800000 THEN recorded_at ELSE 0 END
             WHERE position = ?1",
        ))?
        .execute(params![position, Kind::Erased as i64])?;
    Ok(())
}

/// Deletes a search that cannot be read, or writes the columns that are derived from its record again.
fn search(connection: &Connection, id: SearchId, at: Timestamp) -> Result<Repair, Error> {
    match searches::by_id(connection, id) {
        Ok(None) => Ok(Repair::NotNeeded),
        Ok(Some(stored)) => {
            let draft = &stored.search.draft;
            connection
                .prepare_cached("UPDATE search SET enabled = ?2, title_key = ?3 WHERE id = ?1")?
                .execute(params![id.as_bytes(), draft.alerts.enabled, fold(draft.title.as_str())])?;
            Ok(Repair::Repaired("wrote the columns of the search again"))
        }
        Err(error) if is_damage(&error) => {
            let owner: [u8; 16] = connection
                .prepare_cached("SELECT owner FROM search WHERE id = ?1")?
                .query_row([id.as_bytes()], |row| row.get(0))?;
            searches::remove(connection, id, UserId::from_bytes(owner), at)?;
            Ok(Repair::Repaired("deleted the search and its matches. Its owner has to save it again"))
        }
        Err(error) => Err(error),
    }
}

fn search_counts(connection: &Connection) -> Result<Repair, Error> {
    connection.execute("DELETE FROM search_count", params![])?;
    connection.execute(
        "INSERT INTO search_count (owner, searches) SELECT owner, count(*) FROM search GROUP BY owner",
        params![],
    )?;
    Ok(Repair::Repaired("counted the searches of all owners again"))
}

/// Removes the lists of a group that cannot be read; the whole group if anything else of it cannot.
fn match_group(connection: &Connection, position: Option<i64>) -> Result<Repair, Error> {
    let Some(position) = position else { return Ok(Repair::Manual(BACKUP)) };
    let damaged = |connection: &Connection| -> Result<Option<bool>, Error> {
        let mut statement =
            connection.prepare_cached(&format!("{} WHERE position = ?1", matches::GROUP_COLUMNS))?;
        let mut rows = statement.query([position])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        match matches::group(row) {
            Ok(_) => Ok(Some(false)),
            Err(error) if is_damage(&error) => Ok(Some(true)),
            Err(error) => Err(error),
        }
    };
    match damaged(connection)? {
        None => return Ok(Repair::NotNeeded),
        Some(false) => return match_group_without_property(connection, position),
        Some(true) => {}
    }
    for column in ["matched", "linked", "inherited"] {
        let bytes =
            if connection.is_postgres() { column.to_owned() } else { format!("CAST({column} AS BLOB)") };
        let list: Option<Vec<u8>> = connection.query_row(
            &format!("SELECT {bytes} FROM match_group WHERE position = ?1"),
            [position],
            |row| row.get(0),
        )?;
        if record::decode_search_list(list.as_deref()).is_err() {
            connection.execute(
                &format!("UPDATE match_group SET {column} = NULL WHERE position = ?1"),
                [position],
            )?;
        }
    }
    if damaged(connection)? == Some(false) {
        return Ok(Repair::Repaired(
            "removed the lists of searches that cannot be read: these matches are lost",
        ));
    }
    delete_group(connection, position)
}

/// Deletes a group whose matches can be neither shown nor named, because the version that they show, or the first one, is lost.
fn match_group_without_property(connection: &Connection, position: i64) -> Result<Repair, Error> {
    let is_shown = "SELECT 1 FROM match_group AS g WHERE position = ?1
        AND EXISTS (SELECT 1 FROM property_version v WHERE v.property_id = g.property_id AND v.version = g.version)";
    let property: [u8; 16] = connection.query_row(
        "SELECT property_id FROM match_group WHERE position = ?1",
        [position],
        |row| row.get(0),
    )?;
    let is_named = matches::first_position(connection, PropertyId::from_bytes(property))?.is_some();
    // Retention deletes old entries, and never one in the middle.
    let is_logged = position < read::first_position(connection)?.0.cast_signed()
        || connection.prepare_cached("SELECT 1 FROM log WHERE position = ?1")?.exists([position])?;
    if !is_named || !connection.prepare_cached(is_shown)?.exists([position])? {
        return delete_group(connection, position);
    }
    Ok(if is_logged { Repair::NotNeeded } else { Repair::Manual(BACKUP) })
}

fn delete_group(connection: &Connection, position: i64) -> Result<Repair, Error> {
    for table in ["outbox", "match_group", "search_match"] {
        connection.execute(&format!("DELETE FROM {table} WHERE position = ?1"), [position])?;
    }
    Ok(Repair::Repaired("deleted the group: these matches are lost"))
}

/// Makes the index of matches agree with the group.
fn search_match(connection: &Connection, key: Option<(i64, i64)>) -> Result<Repair, Error> {
    let Some((number, position)) = key else { return Ok(Repair::Manual(BACKUP)) };
    let list: Option<Option<Vec<u8>>> = connection
        .prepare_cached("SELECT matched FROM match_group WHERE position = ?1")?
        .query_row([position], |row| row.get(0))
        .optional()?;
    let searched = SearchNumber(u32::try_from(number).unwrap_or_default());
    let contains = record::search_list_contains(list.flatten().as_deref(), searched)?;
    let sql = if contains && searches::exists(connection, searched)? {
        "INSERT INTO search_match (number, position) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
    } else {
        "DELETE FROM search_match WHERE number = ?1 AND position = ?2"
    };
    changed(connection.execute(sql, [number, position])?, "wrote the index of the match again")
}
