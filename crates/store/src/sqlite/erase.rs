//! Erasing an advert: nothing of it is left in any version or in the payload of any log entry.
//!
//! The database overwrites what is deleted (`secure_delete`), and the caller empties the write-ahead log afterwards. What
//! that cannot reach are copies that rows leave behind in unused parts of pages when the database moves them about; no
//! query can see those, and compacting the database takes them out of the file as well.

use std::collections::BTreeSet;

use domain::{AdvertId, Property, PropertyId, SiteKey, Timestamp};
use rusqlite::{Connection, params};

use super::commit::{Entry, Kind, Known, add_version, append, known, take_away};
use super::writer::Verdict;
use super::{deliveries, matches, read, sites};
use crate::contract::Erased;
use crate::error::Error;
use crate::record;

pub fn erase(
    connection: &Connection,
    advert: AdvertId,
    at: Timestamp,
) -> Result<Verdict<Option<Erased>>, Error> {
    let Some(located) = read::locate_one(connection, &domain::Identity::Uuid(advert))? else {
        return Ok(Verdict::Undo(None));
    };
    let property = located.property;
    let Some(Known { version, .. }) = known(connection, property)? else {
        return Err(Error::corrupt(format!("the property of advert {advert}")));
    };
    let mut previous_properties = previous_properties(connection, advert)?;
    previous_properties.retain(|home| *home != property);
    let mut sites = BTreeSet::new();
    for home in previous_properties.iter().chain([&property]) {
        erase_from_versions(connection, *home, advert, &mut sites)?;
        deliveries::forget_documents(connection, *home, at)?;
    }
    for statement in
        ["DELETE FROM advert WHERE id = ?1", "DELETE FROM advert_former_home WHERE advert_id = ?1"]
    {
        connection.prepare_cached(statement)?.execute([advert.as_bytes()])?;
    }
    for site in &sites {
        sites::forget_unused(connection, site.as_str())?;
    }
    // The version that was current has lost the advert already, if anything of it is left at all.
    let rest = read::property_at(connection, property, version)?;
    let (kind, next) = match &rest {
        Some(_) => (Kind::AdvertErased, Some(version + 1)),
        None => (Kind::PropertyRemoved, None),
    };
    let homes: Vec<u8> = previous_properties.iter().flat_map(|home| *home.as_bytes()).collect();
    let entry = Entry {
        kind,
        at,
        subject: property.as_bytes(),
        version: next,
        advert: Some(advert),
        payload: Some(&homes),
    };
    let position = append(connection, &entry)?;
    match rest {
        Some(rest) => {
            add_version(connection, property, version + 1, position, &record::encode_property(&rest)?)?;
        }
        None => {
            take_away(connection, property)?;
            matches::forget_property(connection, property, position)?;
        }
    }
    // Homes it had left, of which nothing is there any more either.
    for home in &previous_properties {
        if nothing_is_kept(connection, *home)? {
            matches::forget_matches(connection, *home)?;
        }
    }
    Ok(Verdict::Keep(Some(Erased { property, property_removed: next.is_none(), position })))
}

fn nothing_is_kept(connection: &Connection, property: PropertyId) -> Result<bool, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT NOT EXISTS (SELECT 1 FROM property_version WHERE property_id = ?1 AND length(record) > 0)",
    )?;
    Ok(statement.query_row([property.as_bytes()], |row| row.get(0))?)
}

fn previous_properties(connection: &Connection, advert: AdvertId) -> Result<Vec<PropertyId>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT property_id FROM advert_former_home WHERE advert_id = ?1 ORDER BY property_id",
    )?;
    let rows = statement.query_map([advert.as_bytes()], |row| row.get(0).map(PropertyId::from_bytes))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Takes the advert out of every kept version of a property. Of a version that held nothing else only the number stays, so
/// that it is not given again; the log entries whose events were about the advert keep their position and lose their
/// content. The sites it ever was on are added to `sites`.
fn erase_from_versions(
    connection: &Connection,
    home: PropertyId,
    advert: AdvertId,
    sites: &mut BTreeSet<SiteKey>,
) -> Result<(), Error> {
    let mut statement = connection
        .prepare_cached("SELECT record_id, position, record FROM property_version WHERE property_id = ?1")?;
    let mut versions: Vec<(i64, u64, Property)> = Vec::new();
    let mut rows = statement.query([home.as_bytes()])?;
    while let Some(row) = rows.next()? {
        if let Some(property) = read::kept(home, row.get_ref(2)?)? {
            versions.push((row.get(0)?, row.get(1)?, property));
        }
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
        connection
            .prepare_cached("UPDATE property_version SET record = ?1 WHERE record_id = ?2")?
            .execute(params![record, record_id])?;
        connection
            .prepare_cached(
                "UPDATE log SET kind = ?1, subject = NULL, version = NULL, advert = NULL, payload = NULL
                 WHERE position = ?2 AND advert = ?3",
            )?
            .execute(params![Kind::Erased as i64, position, advert.as_bytes()])?;
    }
    Ok(())
}
