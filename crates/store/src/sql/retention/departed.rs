//! Properties that are off the market: their matches go after a while, and so may they.

use domain::{AdvertId, PropertyId, Timestamp};

use super::delete_replaced;
use crate::contract::{ErasedProperties, Position, PruneStep, PrunedRows, RecordKind};
use crate::error::Error;
use crate::record::{decode_search_list, encode_search_list};
use crate::sql::commit::{PropertyRow, property_row};
use crate::sql::damage::DamageLog;
use crate::sql::read::{self, from_sql};
use crate::sql::writer::Transaction;
use crate::sql::{Connection, OptionalExtension, params};
use crate::sql::{erase, grouping};

/// How many properties one step looks at: most have few matches or none.
const PROPERTIES_PER_STEP: usize = 100;

/// Notes that a property is off the market, and with it those that were merged into it. An earlier departure counts no more: the
/// property has changed since.
pub fn note(
    connection: &Connection,
    property: PropertyId,
    position: u64,
    departed_at: i64,
) -> Result<(), Error> {
    connection
        .prepare_cached(
            "INSERT INTO departed_property (property_id, position, departed_at)
             SELECT ?1, CAST(?2 AS BIGINT), CAST(?3 AS BIGINT)
             UNION ALL SELECT id, ?2, ?3 FROM property WHERE merged_into = ?1 AND record_id IS NULL
             ON CONFLICT (property_id) DO UPDATE SET position = excluded.position, departed_at = excluded.departed_at,
                 matches_deleted = 0",
        )?
        .execute(params![property.as_bytes(), position, departed_at])?;
    Ok(())
}

/// Deletes what is left of a removed property that no match shows: it needs no further time.
pub fn forget_if_removed(
    connection: &Connection,
    property: PropertyId,
    position: u64,
    rows: &mut PrunedRows,
) -> Result<(), Error> {
    let departed = Departed { property, position };
    let is_removed = property_row(connection, property)?.is_none_or(|row| row.record_id.is_none());
    if is_removed && delete_removed_property(connection, &departed, rows)? {
        departed.forget(connection)?;
    }
    Ok(())
}

struct Departed {
    property: PropertyId,
    position: u64,
}

impl Departed {
    /// Returns the property that departed first, before a date, and whose matches are deleted or not.
    fn next(
        connection: &Connection,
        before: Timestamp,
        matches_deleted: bool,
    ) -> Result<Option<Self>, Error> {
        let mut statement = connection.prepare_cached(
            "SELECT property_id, position FROM departed_property
             WHERE matches_deleted = ?1 AND departed_at < ?2 ORDER BY departed_at LIMIT 1",
        )?;
        let read = statement.query_row(params![matches_deleted, before.as_millisecond()], |row| {
            Ok(Self { property: PropertyId::from_bytes(row.get(0)?), position: row.get(1)? })
        });
        Ok(read.optional()?)
    }

    fn state(&self, connection: &Connection) -> Result<State, Error> {
        let row = property_row(connection, self.property)?;
        if let Some(PropertyRow { version, record_id: Some(record_id), .. }) = row {
            let is_unchanged = self.is_unchanged(connection, record_id)?;
            return Ok(if is_unchanged { State::Expired { version } } else { State::Changed });
        }
        // It departed with what it was merged into.
        let survivor = grouping::survivor(connection, self.property)?;
        let row = survivor.map(|survivor| property_row(connection, survivor)).transpose()?.flatten();
        Ok(match row.and_then(|row| row.record_id) {
            Some(record_id) if !self.is_unchanged(connection, record_id)? => State::Changed,
            Some(_) | None => State::Removed,
        })
    }

    /// Returns `true` if a record is not later than the departure.
    fn is_unchanged(&self, connection: &Connection, record_id: i64) -> Result<bool, Error> {
        let mut statement =
            connection.prepare_cached("SELECT position FROM property_version WHERE record_id = ?1")?;
        let position: Option<u64> = statement.query_row([record_id], |row| row.get(0)).optional()?;
        Ok(position.is_some_and(|position| position <= self.position))
    }

    fn forget(&self, connection: &Connection) -> Result<(), Error> {
        connection
            .prepare_cached("DELETE FROM departed_property WHERE property_id = ?1")?
            .execute([self.property.as_bytes()])?;
        Ok(())
    }
}

/// What has become of a departed property.
enum State {
    /// It is as it was. Without a change it is not on offer again.
    Expired {
        version: u32,
    },
    Removed,
    /// It has changed since, or what it was merged into has: the row is stale.
    Changed,
}

pub fn prune_matches(
    connection: &Connection,
    before: Timestamp,
    matches_max: usize,
    damage: &DamageLog,
) -> Result<PruneStep, Error> {
    let mut rows = PrunedRows::default();
    let mut budget = matches_max.max(1);
    for _ in 0..PROPERTIES_PER_STEP {
        let Some(departed) = Departed::next(connection, before, false)? else {
            return Ok(PruneStep { rows, more: false });
        };
        let state = departed.state(connection)?;
        if matches!(state, State::Changed) {
            departed.forget(connection)?;
            continue;
        }
        match delete_matches(connection, &departed, &mut budget, &mut rows, damage)? {
            Matches::More => return Ok(PruneStep { rows, more: true }),
            Matches::Deleted => {}
        }
        match state {
            State::Expired { version } => {
                rows.versions += delete_replaced(connection, departed.property, version)?;
                connection
                    .prepare_cached(
                        "UPDATE departed_property SET matches_deleted = 1 WHERE property_id = ?1",
                    )?
                    .execute([departed.property.as_bytes()])?;
            }
            State::Removed | State::Changed => {
                delete_removed_property(connection, &departed, &mut rows)?;
                departed.forget(connection)?;
            }
        }
    }
    Ok(PruneStep { rows, more: true })
}

enum Matches {
    Deleted,
    /// The budget is used up.
    More,
}

/// Deletes the matches of a property up to its departure. A group that concerns more searches than one step may delete loses some of
/// them, so that its list and the index always agree. A group that cannot be read stays until it is repaired.
fn delete_matches(
    connection: &Connection,
    departed: &Departed,
    budget: &mut usize,
    rows: &mut PrunedRows,
    damage: &DamageLog,
) -> Result<Matches, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT position, matched FROM match_group WHERE property_id = ?1 AND position <= ?2",
    )?;
    let mut found = statement.query(params![departed.property.as_bytes(), departed.position])?;
    let mut groups = Vec::new();
    while let Some(row) = found.next()? {
        let position: u64 = row.get(0)?;
        let matched = row.get_ref(1)?.as_blob_or_null().map_err(from_sql).and_then(decode_search_list);
        let matched = damage.unless_damaged(RecordKind::MatchGroup, || position.to_string(), matched)?;
        groups.extend(matched.map(|matched| (position, matched)));
        if groups.len() > *budget {
            break;
        }
    }
    drop(found);
    let mut indexed =
        connection.prepare_cached("DELETE FROM search_match WHERE number = ?1 AND position = ?2")?;
    for (position, matched) in groups {
        if *budget == 0 {
            return Ok(Matches::More);
        }
        let (now, later) = matched.split_at(matched.len().min(*budget));
        for number in now {
            rows.search_matches += indexed.execute(params![number.0, position])? as u64;
        }
        // A group costs as much as a match.
        *budget = budget.saturating_sub(now.len().max(1));
        if later.is_empty() {
            for (sql, deleted) in [
                ("DELETE FROM outbox WHERE position = ?1", &mut rows.outbox_entries),
                ("DELETE FROM match_group WHERE position = ?1", &mut rows.match_groups),
            ] {
                *deleted += connection.prepare_cached(sql)?.execute([position])? as u64;
            }
        } else {
            connection
                .prepare_cached("UPDATE match_group SET matched = ?2 WHERE position = ?1")?
                .execute(params![position, encode_search_list(later)?])?;
            return Ok(Matches::More);
        }
    }
    Ok(Matches::Deleted)
}

/// Deletes what is left of a removed property: versions, and its row, which kept version numbers from being given twice. A row that leads
/// to the property it was merged into stays as long as that property exists. Nothing goes if the property was created again and removed
/// again since: that departure is still to come. Returns `true` if it did.
fn delete_removed_property(
    connection: &Connection,
    departed: &Departed,
    rows: &mut PrunedRows,
) -> Result<bool, Error> {
    let id = departed.property.as_bytes();
    let is_shown_or_later = connection
        .prepare_cached(
            "SELECT 1 FROM property_version WHERE property_id = ?1 AND position > ?2
             UNION ALL SELECT 1 FROM match_group WHERE property_id = ?1",
        )?
        .exists(params![id, departed.position])?;
    if is_shown_or_later {
        return Ok(false);
    }
    rows.versions += connection
        .prepare_cached("DELETE FROM property_version WHERE property_id = ?1")?
        .execute([id])? as u64;
    // Whatever has this id next begins with a first version, as every property does. No delivery of the old ones is left.
    connection.prepare_cached("DELETE FROM delivery_document WHERE property_id = ?1")?.execute([id])?;
    connection.prepare_cached("UPDATE property SET version = 0 WHERE id = ?1")?.execute([id])?;
    rows.properties += connection
        .prepare_cached(
            "DELETE FROM property AS p WHERE (id = ?1 OR merged_into = ?1) AND record_id IS NULL
                 AND NOT EXISTS (SELECT 1 FROM property_version v WHERE v.property_id = p.id)
                 AND NOT EXISTS (SELECT 1 FROM property s WHERE s.id = p.merged_into AND s.record_id IS NOT NULL)",
        )?
        .execute([id])? as u64;
    Ok(true)
}

pub fn erase_departed(
    connection: &Connection,
    before: Timestamp,
    at: Timestamp,
    properties_max: usize,
    damage: &DamageLog,
) -> Result<ErasedProperties, Error> {
    let mut erased = ErasedProperties::default();
    for _ in 0..PROPERTIES_PER_STEP {
        if erased.properties.len() >= properties_max.max(1) {
            break;
        }
        let Some(departed) = Departed::next(connection, before, true)? else { return Ok(erased) };
        if let State::Expired { version } = departed.state(connection)? {
            let read = read::property_at(connection, departed.property, version);
            let name = || departed.property.to_string();
            // One that cannot be read stays until it is repaired.
            let read = damage.unless_damaged(RecordKind::Property, name, read)?.flatten();
            if let Some(property) = read {
                let adverts: Vec<AdvertId> = property.adverts.iter().map(|advert| advert.id).collect();
                for advert in &adverts {
                    if let Transaction::Commit(Some(one)) = erase::erase(connection, *advert, at, damage)? {
                        erased.position = Position(erased.position.0.max(one.position.0));
                    }
                }
                erased.properties.push((departed.property, adverts));
            }
        }
        departed.forget(connection)?;
    }
    erased.more = true;
    Ok(erased)
}
