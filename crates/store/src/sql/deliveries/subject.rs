//! The subject of a delivery: the property, its version, and the match.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

use domain::{AdvertId, MatchId, PropertyId, SearchNumber, Timestamp};

use super::timestamp;
use crate::contract::Notification;
use crate::contract::Position;
use crate::contract::{Contacts, DeliverySubject};
use crate::error::Error;
use crate::record::{Regrouping, decode_events, search_list_contains};
use crate::sql::commit::Kind;
use crate::sql::matches::first_position;
use crate::sql::value::owned;
use crate::sql::{Connection, OptionalExtension, params};

/// What some deliveries are about, by the log position that caused them. A change is delivered to every search that it matches, so that
/// many deliveries share a position.
pub struct Causes<'c> {
    connection: &'c Connection,
    /// `None` if there is nothing.
    causes: HashMap<Position, Option<Cause>>,
    /// What a property matched up to a position, for events. Only on PostgreSQL, where reading it one by one takes long.
    groups: HashMap<Position, Vec<MatchGroup>>,
}

struct Cause {
    property: PropertyId,
    version: u32,
    advert: AdvertId,
    at: i64,
    kind: i64,
    payload: Vec<u8>,
    first_position: Option<u64>,
    stored_documents: Vec<Contacts>,
}

/// The searches that a version of a property matched.
struct MatchGroup {
    at: i64,
    matched: Option<Vec<u8>>,
    linked: Option<Vec<u8>>,
    inherited: Option<Vec<u8>>,
}

const CAUSE: &str = "SELECT g.property_id, g.version, g.advert, g.at, l.kind, l.payload,
         (SELECT v.position FROM property_version v WHERE v.property_id = g.property_id AND v.version = 1),
         (SELECT count(*) FROM delivery_document d
             WHERE d.property_id = g.property_id AND d.version = g.version AND d.contacts_hidden = 0),
         (SELECT count(*) FROM delivery_document d
             WHERE d.property_id = g.property_id AND d.version = g.version AND d.contacts_hidden = 1)
     FROM match_group g JOIN log l ON l.position = g.position WHERE g.position = ?1";

const GROUPS: &str = "SELECT at, matched, linked, inherited FROM match_group
     WHERE property_id = ?1 AND position <= ?2 ORDER BY position";

impl<'c> Causes<'c> {
    /// Reads what deliveries with these notifications are about. What is damaged is read again by [`Self::subject`], which fails.
    pub fn read(connection: &'c Connection, of: &[(Position, Notification)]) -> Result<Self, Error> {
        let mut read = Self { connection, causes: HashMap::new(), groups: HashMap::new() };
        let positions: BTreeSet<Position> = of.iter().map(|(position, _)| *position).collect();
        connection.prefetch(positions.iter().map(|position| (CAUSE, owned(params![position.0]))))?;
        for position in positions {
            if let Ok(cause) = cause(connection, position) {
                read.causes.insert(position, cause);
            }
        }
        if !connection.is_postgres() {
            return Ok(read);
        }
        let of_events = of.iter().filter(|(_, notification)| matches!(notification, Notification::Event(..)));
        let with_events: BTreeSet<Position> = of_events.map(|(position, _)| *position).collect();
        let properties = with_events.iter().filter_map(|position| {
            let cause = read.causes.get(position)?.as_ref()?;
            Some((*position, cause.property))
        });
        let properties: Vec<(Position, PropertyId)> = properties.collect();
        let values = |(position, property): &(Position, PropertyId)| {
            (GROUPS, owned(params![property.as_bytes(), position.0]))
        };
        connection.prefetch(properties.iter().map(values))?;
        for (position, property) in properties {
            let mut groups = Vec::new();
            let all = each_group(connection, property, position, |group| {
                groups.push(group);
                Ok(ControlFlow::Continue(()))
            });
            if all.is_ok() {
                read.groups.insert(position, groups);
            }
        }
        Ok(read)
    }

    /// Returns the subject of a delivery; `None` if it was erased.
    pub fn subject(
        &self,
        search: SearchNumber,
        position: Position,
        notification: Notification,
    ) -> Result<Option<DeliverySubject>, Error> {
        let damaged;
        let cause = match self.causes.get(&position) {
            Some(cause) => cause,
            None => {
                damaged = cause(self.connection, position)?;
                &damaged
            }
        };
        let Some(cause) = cause else { return Ok(None) };
        let Cause { property, version, advert, at, kind, ref payload, first_position, ref stored_documents } =
            *cause;
        // The log entry says whether the advert that caused it was erased.
        if kind == Kind::Erased as i64 {
            return Ok(None);
        }
        let regrouping =
            if kind == Kind::Regrouped as i64 { Some(Regrouping::decode(payload)?) } else { None };
        if regrouping.as_ref().is_some_and(|regrouping| regrouping.advert_is_erased) {
            return Ok(None);
        }
        let Some(first_position) = first_position else { return Ok(None) };
        let (matched_at, event) = match notification {
            Notification::Match(_) => (timestamp(at)?, None),
            Notification::Event(_, index) => {
                let events = match regrouping {
                    Some(regrouping) => regrouping.events,
                    None => decode_events(payload)?,
                };
                let linked_at = self.linked_at(search, property, position)?;
                (linked_at.map_or_else(|| timestamp(at), Ok)?, events.into_iter().nth(usize::from(index)))
            }
        };
        let match_id = MatchId::of(search, first_position);
        let stored_documents = stored_documents.clone();
        Ok(Some(DeliverySubject { property, version, advert, match_id, matched_at, event, stored_documents }))
    }

    /// Returns when a property first matched a search, or else when the search first received an event of it, as of a position, so that
    /// every attempt sends the same date.
    fn linked_at(
        &self,
        search: SearchNumber,
        property: PropertyId,
        position: Position,
    ) -> Result<Option<Timestamp>, Error> {
        let mut first = FirstLink::default();
        match self.groups.get(&position) {
            Some(groups) => {
                for group in groups {
                    if first.add(group, search)?.is_break() {
                        break;
                    }
                }
            }
            None => each_group(self.connection, property, position, |group| first.add(&group, search))?,
        }
        Ok(first.at)
    }
}

fn cause(connection: &Connection, position: Position) -> Result<Option<Cause>, Error> {
    let mut statement = connection.prepare_cached(CAUSE)?;
    let mut rows = statement.query([position.0])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let mut stored_documents = Vec::new();
    for (column, contacts) in [(7, Contacts::Shown), (8, Contacts::Hidden)] {
        if row.get::<i64>(column)? > 0 {
            stored_documents.push(contacts);
        }
    }
    Ok(Some(Cause {
        property: PropertyId::from_bytes(row.get(0)?),
        version: row.get(1)?,
        advert: AdvertId::from_bytes(row.get(2)?),
        at: row.get(3)?,
        kind: row.get(4)?,
        payload: row.get::<Option<Vec<u8>>>(5)?.unwrap_or_default(),
        first_position: row.get(6)?,
        stored_documents,
    }))
}

/// Calls `visit` with the groups of a property up to a position, in order, until it breaks.
fn each_group(
    connection: &Connection,
    property: PropertyId,
    position: Position,
    mut visit: impl FnMut(MatchGroup) -> Result<ControlFlow<()>, Error>,
) -> Result<(), Error> {
    let mut statement = connection.prepare_cached(GROUPS)?;
    let mut rows = statement.query(params![property.as_bytes(), position.0])?;
    while let Some(row) = rows.next()? {
        let group =
            MatchGroup { at: row.get(0)?, matched: row.get(1)?, linked: row.get(2)?, inherited: row.get(3)? };
        if visit(group)?.is_break() {
            break;
        }
    }
    Ok(())
}

/// Finds when a property first matched a search, or else when the search first received an event of it.
#[derive(Default)]
struct FirstLink {
    at: Option<Timestamp>,
}

impl FirstLink {
    /// Takes the next group into account. Breaks if no later one matters.
    fn add(&mut self, group: &MatchGroup, search: SearchNumber) -> Result<ControlFlow<()>, Error> {
        let contains = |list: &Option<Vec<u8>>| search_list_contains(list.as_deref(), search);
        if contains(&group.matched)? {
            self.at = Some(timestamp(group.at)?);
            return Ok(ControlFlow::Break(()));
        }
        if self.at.is_none() && (contains(&group.linked)? || contains(&group.inherited)?) {
            self.at = Some(timestamp(group.at)?);
        }
        Ok(ControlFlow::Continue(()))
    }
}

pub fn contacts(hidden: bool) -> Contacts {
    if hidden { Contacts::Hidden } else { Contacts::Shown }
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
