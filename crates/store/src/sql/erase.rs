//! Erasing an advert from every version of its properties and from the payloads of the log.
//!
//! SQLite overwrites deleted content (`secure_delete`), and the caller truncates the write-ahead log afterwards. Neither reaches the
//! copies that remain in unused parts of pages when SQLite moves rows between pages. No query can see those; compacting the database
//! removes them from the file.

use std::collections::BTreeSet;

use domain::{AdvertId, Property, PropertyId, SiteKey, Timestamp};

use super::commit::{Entry, Kind, PropertyRow, add_version, append, property_row, remove_record};
use super::damage::DamageLog;
use super::writer::Transaction;
use super::{deliveries, grouping, matches, read, repair, sites};
use crate::contract::{Erased, RecordKind};
use crate::error::Error;
use crate::record::{self, Regrouping};
use crate::sql::{Connection, OptionalExtension, params};

pub fn erase(
    connection: &Connection,
    advert: AdvertId,
    at: Timestamp,
    damage: &DamageLog,
) -> Result<Transaction<Option<Erased>>, Error> {
    let Some(located) = read::locate_one(connection, &domain::Identity::Uuid(advert))? else {
        return Ok(Transaction::Rollback(None));
    };
    let property = located.property;
    let Some(PropertyRow { version, .. }) = property_row(connection, property)? else {
        return Err(Error::corrupt(format!("the property of advert {advert}")));
    };
    let mut previous_properties = previous_properties(connection, advert)?;
    previous_properties.retain(|previous| *previous != property);
    let mut sites = BTreeSet::new();
    let holders: Vec<PropertyId> = previous_properties.iter().copied().chain([property]).collect();
    let mut is_damaged = false;
    for holder in &holders {
        let found = erase_from_versions(connection, *holder, advert, &mut sites, damage)?;
        is_damaged |= found == Versions::Damaged && *holder == property;
        deliveries::delete_documents(connection, *holder, at)?;
    }
    grouping::erase(connection, advert, &holders, damage)?;
    for statement in
        ["DELETE FROM advert WHERE id = ?1", "DELETE FROM advert_previous_property WHERE advert_id = ?1"]
    {
        connection.prepare_cached(statement)?.execute([advert.as_bytes()])?;
    }
    for site in &sites {
        sites::delete_if_unused(connection, site.as_str())?;
    }
    // The current version has lost the advert by now; it reads as `None` if it held no other, or if it was damaged. Then the others
    // are taken from the newest version that has them.
    let rest = match read::property_at(connection, property, version)? {
        None if is_damaged => repair::fall_back(connection, property, damage)?,
        rest => rest,
    };
    let (kind, next) = match &rest {
        Some(_) => (Kind::AdvertErased, Some(version + 1)),
        None => (Kind::PropertyRemoved, None),
    };
    let payload: Vec<u8> = previous_properties.iter().flat_map(|id| *id.as_bytes()).collect();
    let entry = Entry {
        kind,
        at,
        subject: property.as_bytes(),
        version: next,
        advert: Some(advert),
        payload: Some(&payload),
    };
    let position = append(connection, &entry)?;
    match rest {
        Some(rest) => {
            add_version(connection, property, version + 1, position, &record::encode_property(&rest)?)?;
            if is_damaged {
                repair::write_adverts(connection, &rest)?;
            }
        }
        None => {
            remove_record(connection, property)?;
            matches::delete_property(connection, property, position, damage)?;
        }
    }
    // Previous properties of which no version is left either.
    for previous in &previous_properties {
        if all_versions_are_erased(connection, *previous)? {
            matches::delete_matches(connection, *previous, damage)?;
        }
    }
    Ok(Transaction::Commit(Some(Erased { property, property_removed: next.is_none(), position })))
}

fn all_versions_are_erased(connection: &Connection, property: PropertyId) -> Result<bool, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT NOT EXISTS (SELECT 1 FROM property_version WHERE property_id = ?1 AND length(record) > 0)",
    )?;
    Ok(statement.query_row([property.as_bytes()], |row| row.get(0))?)
}

fn previous_properties(connection: &Connection, advert: AdvertId) -> Result<Vec<PropertyId>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT property_id FROM advert_previous_property WHERE advert_id = ?1 ORDER BY property_id",
    )?;
    let rows = statement.query_map([advert.as_bytes()], |row| row.get(0).map(PropertyId::from_bytes))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Removes the advert from every stored version of a property. A version that held no other advert keeps its row with an empty record,
/// so that its number is not reused. Log entries about the advert keep their position and lose their content. Adds the sites that
/// ever published the advert to `sites`. A version that cannot be read may contain the advert, and is erased as a whole: damage must
/// not keep what a person asked to erase.
fn erase_from_versions(
    connection: &Connection,
    holder: PropertyId,
    advert: AdvertId,
    sites: &mut BTreeSet<SiteKey>,
    damage: &DamageLog,
) -> Result<Versions, Error> {
    let mut statement = connection
        .prepare_cached("SELECT record_id, position, record FROM property_version WHERE property_id = ?1")?;
    let mut versions: Vec<(i64, u64, Property)> = Vec::new();
    let mut damaged: Vec<(i64, u64)> = Vec::new();
    let mut rows = statement.query([holder.as_bytes()])?;
    while let Some(row) = rows.next()? {
        let (record_id, position) = (row.get(0)?, row.get(1)?);
        let read = read::decode_version(holder, row.get_ref(2)?);
        let name = || format!("{holder} of log entry {position}");
        match damage.unless_damaged(RecordKind::PropertyVersion, name, read)? {
            Some(Some(property)) => versions.push((record_id, position, property)),
            Some(None) => {}
            None => damaged.push((record_id, position)),
        }
    }
    let found = if damaged.is_empty() { Versions::Intact } else { Versions::Damaged };
    for (record_id, position) in damaged {
        write_record(connection, record_id, &[])?;
        blank_entry(connection, position, advert, damage)?;
    }
    for (record_id, position, mut property) in versions {
        let before = property.adverts.len();
        sites.extend(property.advert(advert).and_then(|known| known.details.site.clone()));
        property.adverts.retain(|known| known.id != advert);
        if property.adverts.len() == before {
            continue;
        }
        let record =
            if property.adverts.is_empty() { Vec::new() } else { record::encode_property(&property)? };
        write_record(connection, record_id, &record)?;
        blank_entry(connection, position, advert, damage)?;
    }
    Ok(found)
}

/// Whether all versions of a property could be read.
#[derive(PartialEq, Eq)]
enum Versions {
    Intact,
    Damaged,
}

fn write_record(connection: &Connection, record_id: i64, record: &[u8]) -> Result<(), Error> {
    connection
        .prepare_cached("UPDATE property_version SET record = ?1 WHERE record_id = ?2")?
        .execute(params![record, record_id])?;
    Ok(())
}

/// Removes an advert from a log entry.
fn blank_entry(
    connection: &Connection,
    position: u64,
    advert: AdvertId,
    damage: &DamageLog,
) -> Result<(), Error> {
    erase_from_move(connection, position, advert, damage)?;
    connection
        .prepare_cached(
            "UPDATE log SET kind = ?1, subject = NULL, version = NULL, advert = NULL, payload = NULL
             WHERE position = ?2 AND advert = ?3 AND kind <> ?4",
        )?
        .execute(params![Kind::Erased as i64, position, advert.as_bytes(), Kind::Regrouped as i64])?;
    Ok(())
}

/// Removes an advert from a log entry about adverts that moved. The entry itself stays: followers that have not read it yet must learn
/// where the property comes from.
fn erase_from_move(
    connection: &Connection,
    position: u64,
    advert: AdvertId,
    damage: &DamageLog,
) -> Result<(), Error> {
    let mut statement =
        connection.prepare_cached("SELECT advert, payload FROM log WHERE position = ?1 AND kind = ?2")?;
    let entry = statement.query_row(params![position, Kind::Regrouped as i64], |row| {
        Ok((read::advert_id(row, 0)?, row.get::<Vec<u8>>(1)?))
    });
    let Some((cause, payload)) = entry.optional()? else { return Ok(()) };
    let read = Regrouping::decode(&payload);
    let name = || position.to_string();
    let Some(mut regrouping) = damage.unless_damaged(RecordKind::LogEntry, name, read)? else {
        return repair::blank_log_entry(connection, position);
    };
    regrouping.moved.retain(|moved| *moved != advert);
    if cause == advert {
        regrouping.events.clear();
        regrouping.advert_is_erased = true;
    }
    connection
        .prepare_cached("UPDATE log SET payload = ?2 WHERE position = ?1")?
        .execute(params![position, record::seal_payload(&regrouping.encode()?)])?;
    Ok(())
}
