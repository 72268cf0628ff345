//! Matches: the results of the matcher, one group per log entry.
//!
//! One change may concern thousands of searches, and there may be a thousand changes a second. So a group is one row with its searches
//! in lists, plus a row or two in the outbox. Matches are indexed by search afterwards ([`indexing`]).

mod counting;
pub mod indexing;
mod queries;

use std::collections::HashMap;

use domain::search::MatchChannel;
use domain::{AdvertId, EventName, PropertyId, Timestamp};

pub use counting::count;
pub use queries::{find, first_position, list, matched_searches};

use super::damage::DamageLog;
use super::read::from_sql;
use super::searches;
use super::writer::Transaction;
use crate::contract::Position;
use crate::contract::{MatchBatch, MatchGroup, Notification, OutboxEntry, RecordKind};
use crate::error::Error;
use crate::record::{decode_search_list, encode_search_list};
use crate::sql::{Connection, Row, params};

/// A batch with everything that needs no database.
pub struct PreparedBatch {
    after: Position,
    until: Position,
    groups: Vec<PreparedGroup>,
}

struct PreparedGroup {
    position: Position,
    at: Timestamp,
    property: PropertyId,
    version: u32,
    advert: AdvertId,
    matched: Option<Vec<u8>>,
    linked: Option<Vec<u8>>,
    inherited: Option<Vec<u8>>,
    outbox: Vec<(Notification, Vec<u8>)>,
}

impl PreparedBatch {
    pub fn new(batch: MatchBatch) -> Result<Self, Error> {
        let MatchBatch { after, until, groups } = batch;
        let positions = || groups.iter().map(|group| group.position);
        let in_order = positions().is_sorted_by(|one, next| one < next);
        if until < after || !in_order || positions().any(|position| position <= after || position > until) {
            return Err(Error::corrupt("a batch of matches to be written (out of order)"));
        }
        let groups = groups.into_iter().map(PreparedGroup::new).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { after, until, groups: groups.into_iter().filter(|group| !group.is_empty()).collect() })
    }
}

impl PreparedGroup {
    fn new(group: MatchGroup) -> Result<Self, Error> {
        let MatchGroup { position, at, property, version, advert, matched, linked, inherited, outbox } =
            group;
        let mut entries = Vec::with_capacity(outbox.len());
        for OutboxEntry { notification, searches } in outbox {
            // An entry without recipients is dropped.
            if let Some(searches) = encode_search_list(&searches)? {
                entries.push((notification, searches));
            }
        }
        let (matched, linked) = (encode_search_list(&matched)?, encode_search_list(&linked)?);
        let inherited = encode_search_list(&inherited)?;
        Ok(Self { position, at, property, version, advert, matched, linked, inherited, outbox: entries })
    }

    fn is_empty(&self) -> bool {
        self.matched.is_none() && self.linked.is_none() && self.inherited.is_none() && self.outbox.is_empty()
    }
}

/// How far the log has been matched, and how far the matches are indexed by search.
pub struct Progress {
    pub checkpoint: Position,
    pub indexed_until: Position,
}

pub fn progress(connection: &Connection) -> Result<Progress, Error> {
    let mut statement = connection.prepare_cached("SELECT checkpoint, indexed_until FROM matcher")?;
    let read = |row: Row<'_>| {
        Ok(Progress { checkpoint: Position(row.get(0)?), indexed_until: Position(row.get(1)?) })
    };
    Ok(statement.query_row(params![], read)?)
}

pub fn record(connection: &Connection, batch: &PreparedBatch) -> Result<Transaction<bool>, Error> {
    let PreparedBatch { after, until, groups } = batch;
    let moved = connection
        .prepare_cached("UPDATE matcher SET checkpoint = ?2 WHERE checkpoint = ?1")?
        .execute(params![after.0, until.0])?;
    if moved == 0 {
        return Ok(Transaction::Rollback(false));
    }
    let erased = erased_properties(connection)?;
    for group in groups {
        // The matcher had read the property before it was erased. Nothing of it may be sent.
        if erased.get(&group.property).is_none_or(|erased_at| *erased_at < group.position) {
            insert(connection, group)?;
        }
    }
    connection.prepare_cached("DELETE FROM erased_property WHERE position <= ?1")?.execute([until.0])?;
    searches::prune_versions(connection, *until)?;
    Ok(Transaction::Commit(true))
}

fn insert(connection: &Connection, group: &PreparedGroup) -> Result<(), Error> {
    let PreparedGroup { position, at, property, version, advert, matched, linked, inherited, outbox } = group;
    connection
        .prepare_cached(
            "INSERT INTO match_group (position, at, property_id, version, advert, matched, linked, inherited)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute_later(params![
            position.0,
            at.as_millisecond(),
            property.as_bytes(),
            version,
            advert.as_bytes(),
            matched,
            linked,
            inherited
        ])?;
    let mut statement = connection.prepare_cached(
        "INSERT INTO outbox (position, ordinal, kind, event_index, searches) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (ordinal, (notification, searches)) in (0_u32..).zip(outbox) {
        let (kind, event_index) = notification_code(*notification);
        statement.execute_later(params![position.0, ordinal, kind, event_index, searches])?;
    }
    Ok(())
}

/// Returns properties that were erased after the matcher's checkpoint, with the position of their last erasure.
fn erased_properties(connection: &Connection) -> Result<HashMap<PropertyId, Position>, Error> {
    let mut statement =
        connection.prepare_cached("SELECT property_id, position FROM erased_property ORDER BY position")?;
    let rows = statement
        .query_map(params![], |row| Ok((PropertyId::from_bytes(row.get(0)?), Position(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub fn groups_after(
    connection: &Connection,
    position: Position,
    limit: usize,
    damage: &DamageLog,
) -> Result<Vec<MatchGroup>, Error> {
    // One transaction, so that no group is read without its outbox.
    let reading = connection.snapshot()?;
    let sql = format!("{GROUP_COLUMNS} WHERE position > ?1 ORDER BY position LIMIT ?2");
    let mut statement = reading.prepare_cached(&sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![position.0, limit])?;
    let mut groups = Vec::new();
    while let Some(row) = rows.next()? {
        let position = Position(row.get(0)?);
        let name = || position.0.to_string();
        let Some(mut group) = damage.unless_damaged(RecordKind::MatchGroup, name, group(row))? else {
            continue;
        };
        group.outbox = outbox(&reading, position, damage)?;
        groups.push(group);
    }
    Ok(groups)
}

/// The columns of a group that [`group`] reads.
pub const GROUP_COLUMNS: &str =
    "SELECT position, at, property_id, version, advert, matched, linked, inherited FROM match_group";

/// Reads a group without its outbox.
pub fn group(row: Row<'_>) -> Result<MatchGroup, Error> {
    let searches = |column| decode_search_list(row.get_ref(column)?.as_blob_or_null().map_err(from_sql)?);
    Ok(MatchGroup {
        position: Position(row.get(0)?),
        at: timestamp(row, 1)?,
        property: PropertyId::from_bytes(row.get(2)?),
        version: row.get(3)?,
        advert: AdvertId::from_bytes(row.get(4)?),
        matched: searches(5)?,
        linked: searches(6)?,
        inherited: searches(7)?,
        outbox: Vec::new(),
    })
}

fn outbox(
    connection: &Connection,
    position: Position,
    damage: &DamageLog,
) -> Result<Vec<OutboxEntry>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT kind, event_index, searches, ordinal FROM outbox WHERE position = ?1 ORDER BY ordinal",
    )?;
    let mut rows = statement.query([position.0])?;
    let mut outbox = Vec::new();
    while let Some(row) = rows.next()? {
        let ordinal: i64 = row.get(3)?;
        let name = || outbox_name(position.0, ordinal);
        outbox.extend(damage.unless_damaged(RecordKind::OutboxEntry, name, outbox_entry(row))?);
    }
    Ok(outbox)
}

pub fn outbox_name(position: u64, ordinal: i64) -> String {
    format!("{position}/{ordinal}")
}

/// Reads an entry from its kind, event index and searches, in this order.
pub fn outbox_entry(row: Row<'_>) -> Result<OutboxEntry, Error> {
    let notification = notification_from_code(row.get(0)?, row.get(1)?);
    Ok(OutboxEntry {
        notification: notification.ok_or_else(|| Error::corrupt("the kind of an outbox entry"))?,
        searches: decode_search_list(Some(row.get_ref(2)?.as_blob().map_err(from_sql)?))?,
    })
}

/// Deletes everything recorded about an erased property, and prevents matches that the matcher finds in older log entries
/// from being recorded later. Until the matcher has read them, it can still ask who was alerted: adverts may have moved to another
/// property, which inherits that.
pub fn delete_property(
    connection: &Connection,
    property: PropertyId,
    erased_at: Position,
    damage: &DamageLog,
) -> Result<(), Error> {
    // Damaged lists are not known to the property that inherits them, and must not prevent the erasure.
    let alerted = matched_searches(connection, &[property]);
    let alerted =
        damage.unless_damaged(RecordKind::MatchGroup, || format!("of property {property}"), alerted)?;
    let alerted = alerted.and_then(|mut alerted| alerted.remove(&property)).unwrap_or_default();
    delete_matches(connection, property, damage)?;
    connection
        .prepare_cached("INSERT INTO erased_property (position, property_id, alerted) VALUES (?1, ?2, ?3)")?
        .execute(params![erased_at.0, property.as_bytes(), encode_search_list(&alerted)?])?;
    Ok(())
}

/// Deletes everything recorded about a property so far.
pub fn delete_matches(
    connection: &Connection,
    property: PropertyId,
    damage: &DamageLog,
) -> Result<(), Error> {
    let mut statement =
        connection.prepare_cached("SELECT position, matched FROM match_group WHERE property_id = ?1")?;
    let mut rows = statement.query([property.as_bytes()])?;
    let mut positions: Vec<u64> = Vec::new();
    while let Some(row) = rows.next()? {
        let position: u64 = row.get(0)?;
        let matched = row.get_ref(1)?.as_blob_or_null().map_err(from_sql).and_then(decode_search_list);
        match damage.unless_damaged(RecordKind::MatchGroup, || position.to_string(), matched)? {
            Some(matched) => {
                let mut indexed = connection
                    .prepare_cached("DELETE FROM search_match WHERE number = ?1 AND position = ?2")?;
                for number in matched {
                    indexed.execute(params![number.0, position])?;
                }
            }
            // The list does not say where its rows are: look at all of them.
            None => {
                connection
                    .prepare_cached("DELETE FROM search_match WHERE position = ?1")?
                    .execute([position])?;
            }
        }
        positions.push(position);
    }
    for position in positions {
        for statement in
            ["DELETE FROM outbox WHERE position = ?1", "DELETE FROM match_group WHERE position = ?1"]
        {
            connection.prepare_cached(statement)?.execute([position])?;
        }
    }
    Ok(())
}

/// Encodes a notification as its kind and event index on disk.
pub fn notification_code(notification: Notification) -> (i64, Option<u16>) {
    match notification {
        Notification::Match(MatchChannel::Endpoint) => (1, None),
        Notification::Match(MatchChannel::Email) => (2, None),
        Notification::Event(event, index) => (event_code(event), Some(index)),
    }
}

pub fn notification_from_code(code: i64, event_index: Option<u16>) -> Option<Notification> {
    let event = EventName::ALL.iter().copied().find(|event| event_code(*event) == code);
    Some(match (code, event, event_index) {
        (1, None, None) => Notification::Match(MatchChannel::Endpoint),
        (2, None, None) => Notification::Match(MatchChannel::Email),
        (_, Some(event), Some(index)) => Notification::Event(event, index),
        _ => return None,
    })
}

fn event_code(event: EventName) -> i64 {
    match event {
        EventName::UpdatePrice => 11,
        EventName::UpdateSurface => 12,
        EventName::UpdatePictures => 13,
        EventName::UpdateExpired => 14,
        EventName::AdCreate => 15,
        EventName::AdUpdate => 16,
    }
}

fn timestamp(row: Row<'_>, column: usize) -> Result<Timestamp, Error> {
    Timestamp::from_millisecond(row.get(column)?)
        .map_err(|error| Error::corrupt_by("the date of a match", error))
}
