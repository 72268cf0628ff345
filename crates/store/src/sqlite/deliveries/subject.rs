//! What a delivery tells of: the property, its version, and the match it belongs to.

use domain::{AdvertId, MatchId, PropertyId, SearchNumber, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::moment;
use crate::deliveries::{Contacts, DeliverySubject};
use crate::error::Error;
use crate::log::Position;
use crate::matches::Notification;
use crate::record::{decode_news, holds_number};
use crate::sqlite::commit::Kind;
use crate::sqlite::matches::first_told_at;
use crate::sqlite::read::from_sql;

/// Nothing when what it tells of was erased.
pub fn about(
    connection: &Connection,
    search: SearchNumber,
    position: Position,
    notification: Notification,
) -> Result<Option<DeliverySubject>, Error> {
    // The entry says whether the advert that was the reason is still there.
    let mut statement = connection.prepare_cached(
        "SELECT g.property_id, g.version, g.advert, g.at, l.payload FROM match_group g JOIN log l ON l.position = g.position
         WHERE g.position = ?1 AND l.kind <> ?2",
    )?;
    let group = statement.query_row(params![position.0, Kind::Erased as i64], |row| {
        Ok((
            PropertyId::from_bytes(row.get(0)?),
            row.get(1)?,
            AdvertId::from_bytes(row.get(2)?),
            row.get(3)?,
            row.get(4)?,
        ))
    });
    let group: Option<(_, _, _, _, Option<Vec<u8>>)> = group.optional()?;
    let Some((property, version, advert, at, events)) = group else { return Ok(None) };
    let Some(first_told_at) = first_told_at(connection, property)? else { return Ok(None) };
    let (matched_at, event) = match notification {
        Notification::Match(_) => (moment(at)?, None),
        Notification::Event(_, place) => {
            let events = decode_news(&events.unwrap_or_default())?;
            let linked_at = linked_at(connection, search, property, position)?;
            (linked_at.map_or_else(|| moment(at), Ok)?, events.into_iter().nth(usize::from(place)))
        }
    };
    let kept = kept(connection, property, version)?;
    let matching = MatchId::of(search, first_told_at.0);
    Ok(Some(DeliverySubject { property, version, advert, matching, matched_at, event, kept }))
}

/// When a property came to meet a search, or else the search first heard of it: as that was known at a position, so that it is
/// the same at every attempt.
fn linked_at(
    connection: &Connection,
    search: SearchNumber,
    property: PropertyId,
    position: Position,
) -> Result<Option<Timestamp>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT at, matched, linked FROM match_group WHERE property_id = ?1 AND position <= ?2 ORDER BY position",
    )?;
    let mut rows = statement.query(params![property.as_bytes(), position.0])?;
    let mut linked = None;
    while let Some(row) = rows.next()? {
        let holds = |column| holds_number(row.get_ref(column)?.as_blob_or_null().map_err(from_sql)?, search);
        if holds(1)? {
            return moment(row.get(0)?).map(Some);
        }
        if linked.is_none() && holds(2)? {
            linked = Some(moment(row.get(0)?)?);
        }
    }
    Ok(linked)
}

pub fn contacts(hidden: bool) -> Contacts {
    if hidden { Contacts::Hidden } else { Contacts::Shown }
}

fn kept(connection: &Connection, property: PropertyId, version: u32) -> Result<Vec<Contacts>, Error> {
    let mut statement = connection
        .prepare_cached("SELECT hidden FROM delivery_document WHERE property_id = ?1 AND version = ?2")?;
    let rows = statement.query_map(params![property.as_bytes(), version], |row| row.get(0).map(contacts))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The property and the match, for whoever only looks.
pub fn named(
    connection: &Connection,
    search: SearchNumber,
    position: Position,
) -> Result<Option<(PropertyId, MatchId)>, Error> {
    let mut statement =
        connection.prepare_cached("SELECT property_id FROM match_group WHERE position = ?1")?;
    let property =
        statement.query_row([position.0], |row| row.get(0).map(PropertyId::from_bytes)).optional()?;
    let Some(property) = property else { return Ok(None) };
    let first_told_at = first_told_at(connection, property)?;
    Ok(first_told_at.map(|first_told_at| (property, MatchId::of(search, first_told_at.0))))
}
