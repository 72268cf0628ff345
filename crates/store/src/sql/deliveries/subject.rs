//! The subject of a delivery: the property, its version, and the match.

use domain::{AdvertId, MatchId, PropertyId, SearchNumber, Timestamp};

use super::timestamp;
use crate::contract::Notification;
use crate::contract::Position;
use crate::contract::{Contacts, DeliverySubject};
use crate::error::Error;
use crate::record::{Regrouping, decode_events, search_list_contains};
use crate::sql::commit::Kind;
use crate::sql::matches::first_position;
use crate::sql::read::from_sql;
use crate::sql::{Connection, OptionalExtension, params};

/// Returns the subject of a delivery; `None` if it was erased.
pub fn subject(
    connection: &Connection,
    search: SearchNumber,
    position: Position,
    notification: Notification,
) -> Result<Option<DeliverySubject>, Error> {
    // The log entry says whether the advert that caused it was erased.
    let mut statement = connection.prepare_cached(
        "SELECT g.property_id, g.version, g.advert, g.at, l.kind, l.payload FROM match_group g JOIN log l ON l.position = g.position
         WHERE g.position = ?1 AND l.kind <> ?2",
    )?;
    let group = statement.query_row(params![position.0, Kind::Erased as i64], |row| {
        Ok((
            PropertyId::from_bytes(row.get(0)?),
            row.get(1)?,
            AdvertId::from_bytes(row.get(2)?),
            row.get(3)?,
            row.get(4)?,
            row.get(5)?,
        ))
    });
    let group: Option<(_, _, _, _, i64, Option<Vec<u8>>)> = group.optional()?;
    let Some((property, version, advert, at, kind, payload)) = group else { return Ok(None) };
    let payload = payload.unwrap_or_default();
    let regrouping = if kind == Kind::Regrouped as i64 { Some(Regrouping::decode(&payload)?) } else { None };
    if regrouping.as_ref().is_some_and(|regrouping| regrouping.advert_is_erased) {
        return Ok(None);
    }
    let Some(first_position) = first_position(connection, property)? else { return Ok(None) };
    let (matched_at, event) = match notification {
        Notification::Match(_) => (timestamp(at)?, None),
        Notification::Event(_, index) => {
            let events = match regrouping {
                Some(regrouping) => regrouping.events,
                None => decode_events(&payload)?,
            };
            let linked_at = linked_at(connection, search, property, position)?;
            (linked_at.map_or_else(|| timestamp(at), Ok)?, events.into_iter().nth(usize::from(index)))
        }
    };
    let stored_documents = stored_documents(connection, property, version)?;
    let match_id = MatchId::of(search, first_position.0);
    Ok(Some(DeliverySubject { property, version, advert, match_id, matched_at, event, stored_documents }))
}

/// Returns when a property first matched a search, or else when the search first received an event of it, as of a position, so that
/// every attempt sends the same date.
fn linked_at(
    connection: &Connection,
    search: SearchNumber,
    property: PropertyId,
    position: Position,
) -> Result<Option<Timestamp>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT at, matched, linked, inherited FROM match_group WHERE property_id = ?1 AND position <= ?2 ORDER BY position",
    )?;
    let mut rows = statement.query(params![property.as_bytes(), position.0])?;
    let mut linked = None;
    while let Some(row) = rows.next()? {
        let contains =
            |column| search_list_contains(row.get_ref(column)?.as_blob_or_null().map_err(from_sql)?, search);
        if contains(1)? {
            return timestamp(row.get(0)?).map(Some);
        }
        if linked.is_none() && (contains(2)? || contains(3)?) {
            linked = Some(timestamp(row.get(0)?)?);
        }
    }
    Ok(linked)
}

pub fn contacts(hidden: bool) -> Contacts {
    if hidden { Contacts::Hidden } else { Contacts::Shown }
}

fn stored_documents(
    connection: &Connection,
    property: PropertyId,
    version: u32,
) -> Result<Vec<Contacts>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT contacts_hidden FROM delivery_document WHERE property_id = ?1 AND version = ?2",
    )?;
    let rows = statement.query_map(params![property.as_bytes(), version], |row| row.get(0).map(contacts))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the property and the match alone, for listings.
pub fn ids(
    connection: &Connection,
    search: SearchNumber,
    position: Position,
) -> Result<Option<(PropertyId, MatchId)>, Error> {
    let mut statement =
        connection.prepare_cached("SELECT property_id FROM match_group WHERE position = ?1")?;
    let property =
        statement.query_row([position.0], |row| row.get(0).map(PropertyId::from_bytes)).optional()?;
    let Some(property) = property else { return Ok(None) };
    let first_position = first_position(connection, property)?;
    Ok(first_position.map(|first_position| (property, MatchId::of(search, first_position.0))))
}
