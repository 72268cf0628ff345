//! Sites and their categories.

use domain::{
    FieldUpdate, Site, SiteCategory, SiteCategoryId, SiteCategoryName, SiteDirectory, SiteId, SiteKey,
    SiteName,
};

use super::damage::DamageLog;
use crate::contract::{PutSite, RecordKind, RenameOutcome};
use crate::error::Error;
use crate::postgres::RowKind;
use crate::sql::{Connection, OptionalExtension, Row, SqlResult, params};

/// Adds a site to the directory unless it is there already.
pub fn add_if_missing(connection: &Connection, key: &str) -> SqlResult<()> {
    // Not `ON CONFLICT DO NOTHING`: the site nearly always exists, and then this statement only reads.
    connection
        .prepare_cached(
            "INSERT INTO site (key) SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM site WHERE key = ?1)",
        )?
        .execute_row_later(RowKind::Site, key, [key])?;
    Ok(())
}

/// Deletes a site that came from adverts of which none is left, because its key is data that a publisher sent. Sites that an operator
/// has named or categorised stay.
pub fn delete_if_unused(connection: &Connection, key: &str) -> SqlResult<()> {
    connection
        .prepare_cached(
            "DELETE FROM site WHERE key = ?1 AND name IS NULL AND category_id IS NULL
                 AND NOT EXISTS (SELECT 1 FROM advert WHERE site = ?1 AND reference IS NOT NULL)
                 AND NOT EXISTS (SELECT 1 FROM advert WHERE site = ?1 AND reference IS NULL)",
        )?
        .execute([key])?;
    Ok(())
}

pub fn directory(
    connection: &Connection,
    known_revision: Option<u64>,
    damage: &DamageLog,
) -> Result<Option<SiteDirectory>, Error> {
    // One transaction, so that revision, sites and categories are consistent.
    let reading = connection.snapshot()?;
    let revision: u64 = reading
        .prepare_cached("SELECT revision FROM site_revision")?
        .query_row(params![], |row| row.get(0))?;
    if known_revision == Some(revision) {
        return Ok(None);
    }
    let mut statement = reading.prepare_cached("SELECT id, key, name, category_id FROM site ORDER BY id")?;
    let mut rows = statement.query(params![])?;
    let (mut sites, mut categories) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next()? {
        // Every search and every write needs the directory: a damaged row must not make it unreadable.
        let id: i64 = row.get(0)?;
        sites.extend(damage.unless_damaged(RecordKind::Site, || id.to_string(), read_site(row))?);
    }
    let mut statement = reading.prepare_cached("SELECT id, name FROM site_category ORDER BY id")?;
    let mut rows = statement.query(params![])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let read = read_category(row);
        categories.extend(damage.unless_damaged(RecordKind::SiteCategory, || id.to_string(), read)?);
    }
    Ok(Some(SiteDirectory::new(revision, sites, categories)))
}

pub fn put_site(connection: &Connection, put: &PutSite) -> Result<Option<Site>, Error> {
    let PutSite { key, name, category } = put;
    if let FieldUpdate::Set(Some(category)) = category
        && !category_exists(connection, *category)?
    {
        return Ok(None);
    }
    add_if_missing(connection, key.as_str())?;
    if let FieldUpdate::Set(name) = name {
        connection
            .prepare_cached("UPDATE site SET name = ?2 WHERE key = ?1 AND name IS DISTINCT FROM ?2")?
            .execute(params![key.as_str(), name.as_ref().map(SiteName::as_str)])?;
    }
    if let FieldUpdate::Set(category) = category {
        connection
            .prepare_cached(
                "UPDATE site SET category_id = ?2 WHERE key = ?1 AND category_id IS DISTINCT FROM ?2",
            )?
            .execute(params![key.as_str(), category.map(SiteCategoryId::get)])?;
    }
    let mut statement =
        connection.prepare_cached("SELECT id, key, name, category_id FROM site WHERE key = ?1")?;
    statement.query_row([key.as_str()], |row| Ok(read_site(row)))?.map(Some)
}

pub fn create_category(
    connection: &Connection,
    name: &SiteCategoryName,
) -> Result<Option<SiteCategory>, Error> {
    if category_by_name(connection, name)?.is_some() {
        return Ok(None);
    }
    let id = connection
        .prepare_cached("INSERT INTO site_category (name, name_key) VALUES (?1, ?2) RETURNING id")?
        .query_row([name.as_str(), &name.comparison_key()], |row| row.get(0))?;
    let id = category_id(id)?;
    Ok(Some(SiteCategory { id, name: name.clone() }))
}

pub fn rename_category(
    connection: &Connection,
    id: SiteCategoryId,
    name: &SiteCategoryName,
) -> Result<RenameOutcome, Error> {
    if !category_exists(connection, id)? {
        return Ok(RenameOutcome::NotFound);
    }
    if category_by_name(connection, name)?.is_some_and(|owner| owner != id) {
        return Ok(RenameOutcome::NameTaken);
    }
    connection
        .prepare_cached(
            "UPDATE site_category SET name = ?2, name_key = ?3 WHERE id = ?1 AND name IS DISTINCT FROM ?2",
        )?
        .execute(params![id.get(), name.as_str(), name.comparison_key()])?;
    Ok(RenameOutcome::Renamed)
}

pub fn delete_category(connection: &Connection, id: SiteCategoryId) -> Result<bool, Error> {
    let deleted =
        connection.prepare_cached("DELETE FROM site_category WHERE id = ?1")?.execute([id.get()])?;
    Ok(deleted > 0)
}

fn category_exists(connection: &Connection, id: SiteCategoryId) -> Result<bool, Error> {
    Ok(connection.prepare_cached("SELECT 1 FROM site_category WHERE id = ?1")?.exists([id.get()])?)
}

fn category_by_name(
    connection: &Connection,
    name: &SiteCategoryName,
) -> Result<Option<SiteCategoryId>, Error> {
    let mut statement = connection.prepare_cached("SELECT id FROM site_category WHERE name_key = ?1")?;
    statement.query_row([name.comparison_key()], |row| row.get(0)).optional()?.map(category_id).transpose()
}

/// Reads a category from its id and its name.
pub fn read_category(row: Row<'_>) -> Result<SiteCategory, Error> {
    Ok(SiteCategory { id: category_id(row.get(0)?)?, name: SiteCategoryName::trusted(row.get(1)?) })
}

/// Reads a site from its id, key, name and category.
pub fn read_site(row: Row<'_>) -> Result<Site, Error> {
    let id: i64 = row.get(0)?;
    let number = u32::try_from(id).ok().and_then(SiteId::new);
    Ok(Site {
        id: number.ok_or_else(|| Error::corrupt(format!("site {id}")))?,
        key: SiteKey::trusted(row.get::<String>(1)?),
        name: row.get::<Option<String>>(2)?.map(SiteName::trusted),
        category: row.get::<Option<i64>>(3)?.map(category_id).transpose()?,
    })
}

fn category_id(id: i64) -> Result<SiteCategoryId, Error> {
    let number = u32::try_from(id).ok().and_then(SiteCategoryId::new);
    number.ok_or_else(|| Error::corrupt(format!("site category {id}")))
}
