//! Properties, their versions, and where their adverts are.

use domain::{Property, PropertyId};

use super::{Key, RECORDS_PER_PAGE, Report, Table, integer_name, text_of};
use crate::contract::RecordKind;
use crate::error::Error;
use crate::sql::commit::property_row;
use crate::sql::error::is_damage;
use crate::sql::params;
use crate::sql::prepare::AdvertRow;
use crate::sql::read::{self, advert_name, property_id};
use crate::sql::{Connection, OptionalExtension, Row};

pub const VERSIONS: Table = Table {
    kind: RecordKind::PropertyVersion,
    key: Key::Integer,
    sql: "SELECT record_id, property_id, version, position, record FROM property_version WHERE record_id > ?1
          ORDER BY record_id LIMIT ?2",
    key_column: 0,
    records: RECORDS_PER_PAGE,
    name: integer_name,
    check: version,
};

fn version(connection: &Connection, row: Row<'_>, report: &mut Report) -> Result<(), Error> {
    let (id, version): (PropertyId, u32) = (property_id(row, 1)?, row.get(2)?);
    let _position: u64 = row.get(3)?;
    match read::decode_version(id, row.get_ref(4)?) {
        Ok(_) => Ok(()),
        Err(error) if is_damage(&error) => {
            let record_id: Option<i64> = property_row(connection, id)?.and_then(|row| row.record_id);
            if record_id == Some(row.get(0)?) {
                report.add(RecordKind::Property, id.to_string(), text_of(&error));
            } else {
                let name = format!("{id} version {version}");
                report.add(RecordKind::PropertyVersion, name, text_of(&error));
            }
            Ok(())
        }
        Err(error) => Err(error),
    }
}

pub const PROPERTIES: Table = Table {
    kind: RecordKind::Property,
    key: Key::Blob,
    sql: "SELECT id, version, record_id FROM property WHERE id > ?1 ORDER BY id LIMIT ?2",
    key_column: 0,
    records: RECORDS_PER_PAGE,
    name: |row| property_id(row, 0).map_or_else(|_| "without a valid id".to_owned(), |id| id.to_string()),
    check: property,
};

fn property(connection: &Connection, row: Row<'_>, report: &mut Report) -> Result<(), Error> {
    let (id, version): (PropertyId, u32) = (property_id(row, 0)?, row.get(1)?);
    let Some(record_id) = row.get::<Option<i64>>(2)? else { return Ok(()) };
    let is_its_version = connection
        .prepare_cached(
            "SELECT 1 FROM property_version WHERE record_id = ?1 AND property_id = ?2 AND version = ?3",
        )?
        .exists(params![record_id, id.as_bytes(), version])?;
    if !is_its_version {
        report.add(
            RecordKind::Property,
            id.to_string(),
            format!("the record of its version {version} is missing"),
        );
        return Ok(());
    }
    let current = match read::property_at(connection, id, version) {
        Ok(Some(current)) => current,
        Ok(None) => {
            report.add(RecordKind::Property, id.to_string(), "the record of its current version is empty");
            return Ok(());
        }
        // The check of its versions has reported it.
        Err(error) if is_damage(&error) => return Ok(()),
        Err(error) => return Err(error),
    };
    if current.adverts.is_empty() {
        report.add(RecordKind::Property, id.to_string(), "it has no advert");
    }
    compare_rows(connection, &current, report)
}

/// Compares the adverts of a property with the rows by which they are found.
fn compare_rows(connection: &Connection, property: &Property, report: &mut Report) -> Result<(), Error> {
    let mut statement = connection.prepare_cached(
        "SELECT property_id, site, reference, url_key, last_crawled_at, expired FROM advert WHERE id = ?1",
    )?;
    type AdvertColumns = ([u8; 16], Option<String>, Option<String>, Option<String>, i64, bool);
    for advert in &property.adverts {
        let found = statement.query_row([advert.id.as_bytes()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
        });
        let found: Option<AdvertColumns> = match found.optional().map_err(Error::from) {
            // The check of the adverts reports it.
            Err(error) if is_damage(&error) => continue,
            found => found?,
        };
        let mut add = |problem: String| report.add(RecordKind::Property, property.id.to_string(), problem);
        let Some((holder, site, reference, url_key, last_crawled_at, expired)) = found else {
            add(format!("its advert {} has no row", advert.id));
            continue;
        };
        if holder != *property.id.as_bytes() {
            add(format!("its advert {} is also in property {}", advert.id, PropertyId::from_bytes(holder)));
            continue;
        }
        let expected = AdvertRow::from_advert(advert);
        if (site.as_deref(), reference.as_deref(), url_key.as_deref(), last_crawled_at, expired)
            != (
                expected.site.as_deref(),
                expected.reference.as_deref(),
                expected.url_key.as_deref(),
                expected.last_crawled_at.as_second(),
                expected.expired,
            )
        {
            add(format!("the row of its advert {} differs from the record", advert.id));
        }
    }
    Ok(())
}

pub const ADVERTS: Table = Table {
    kind: RecordKind::Advert,
    key: Key::Blob,
    sql: "SELECT id, property_id, expired, last_crawled_at, is_named FROM advert WHERE id > ?1 ORDER BY id LIMIT ?2",
    key_column: 0,
    records: RECORDS_PER_PAGE,
    name: advert_name,
    check: advert,
};

fn advert(connection: &Connection, row: Row<'_>, report: &mut Report) -> Result<(), Error> {
    let (id, property) = (read::advert_id(row, 0)?, property_id(row, 1)?);
    let (_expired, _crawled, _named): (bool, i64, bool) = (row.get(2)?, row.get(3)?, row.get(4)?);
    let current = property_row(connection, property)?.filter(|row| row.record_id.is_some());
    let Some(current) = current else {
        report.add(RecordKind::Advert, id.to_string(), format!("its property {property} does not exist"));
        return Ok(());
    };
    match read::property_at(connection, property, current.version) {
        Ok(Some(property)) if property.advert(id).is_some() => Ok(()),
        Ok(_) => {
            report.add(
                RecordKind::Advert,
                id.to_string(),
                format!("property {property} does not contain it"),
            );
            Ok(())
        }
        // The check of the property has reported it.
        Err(error) if is_damage(&error) => Ok(()),
        Err(error) => Err(error),
    }
}
