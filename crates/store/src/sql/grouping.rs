//! Signatures of adverts, merges and splits of properties, and decisions of people.

use domain::grouping::{PersonDecision, Verdict};
use domain::{AdvertId, PropertyId, Timestamp};

use super::commit::{Conflict, Refusal, property_row};
use super::damage::DamageLog;
use super::prepare::PreparedMove;
use super::read::{self, advert_id, from_sql, property_id};
use crate::contract::{AdvertRef, DecidedBy, LineageRow, RecordKind, SignatureRow};
use crate::error::Error;
use crate::sql::{Connection, OptionalExtension, Row, SqlError, SqlResult, params};

const SIGNATURE_COLUMNS: &str = "id, property_id, signature, is_named, expired";

pub fn scan_signatures(
    connection: &Connection,
    after: Option<AdvertId>,
    limit: usize,
    damage: &DamageLog,
) -> Result<Vec<SignatureRow>, Error> {
    let sql = format!("SELECT {SIGNATURE_COLUMNS} FROM advert WHERE id > ?1 ORDER BY id");
    let mut statement = connection.prepare_cached(&sql)?;
    // An empty value is lower than every id.
    let after = after.map_or_else(Vec::new, |id| id.as_bytes().to_vec());
    let mut rows = statement.query_in_pieces([after])?;
    let mut signatures = Vec::new();
    while signatures.len() < limit
        && let Some(row) = rows.next()?
    {
        let read = signature_row(row).map_err(Error::from);
        signatures.extend(damage.unless_damaged(RecordKind::Advert, || read::advert_name(row), read)?);
    }
    Ok(signatures)
}

pub fn newest_adverts(
    connection: &Connection,
    before: Option<AdvertId>,
    limit: usize,
    damage: &DamageLog,
) -> Result<Vec<AdvertId>, Error> {
    let mut statement = connection.prepare_cached("SELECT id FROM advert WHERE id < ?1 ORDER BY id DESC")?;
    // Longer than every id, and therefore greater than those that begin with the same bytes.
    let before = before.map_or_else(|| vec![u8::MAX; 17], |id| id.as_bytes().to_vec());
    let mut rows = statement.query_in_pieces([before])?;
    let mut adverts = Vec::new();
    while adverts.len() < limit
        && let Some(row) = rows.next()?
    {
        let read = advert_id(row, 0).map_err(Error::from);
        adverts.extend(damage.unless_damaged(RecordKind::Advert, || read::advert_name(row), read)?);
    }
    Ok(adverts)
}

pub fn signatures(
    connection: &Connection,
    adverts: &[AdvertId],
    damage: &DamageLog,
) -> Result<Vec<Option<SignatureRow>>, Error> {
    let sql = format!("SELECT {SIGNATURE_COLUMNS} FROM advert WHERE id = ?1");
    if adverts.len() > 1 {
        connection
            .prefetch(adverts.iter().map(|advert| (sql.as_str(), vec![advert.as_bytes().to_vec().into()])))?;
    }
    let mut statement = connection.prepare_cached(&sql)?;
    let mut one = |advert: &AdvertId| {
        let read = statement.query_row([advert.as_bytes()], signature_row).optional();
        let read =
            damage.unless_damaged(RecordKind::Advert, || advert.to_string(), read.map_err(Error::from));
        Ok(read?.flatten())
    };
    adverts.iter().map(&mut one).collect()
}

fn signature_row(row: Row<'_>) -> SqlResult<SignatureRow> {
    let located = AdvertRef { advert: advert_id(row, 0)?, property: property_id(row, 1)? };
    Ok(SignatureRow { located, signature: row.get(2)?, is_named: row.get(3)?, is_expired: row.get(4)? })
}

pub fn put_signatures(connection: &Connection, signatures: &[(AdvertId, Vec<u8>)]) -> Result<(), Error> {
    let mut statement = connection.prepare_cached("UPDATE advert SET signature = ?2 WHERE id = ?1")?;
    for (advert, signature) in signatures {
        statement.execute_later(params![advert.as_bytes(), signature])?;
    }
    Ok(connection.flush()?)
}

/// Returns the versions of the properties that adverts leave.
pub fn source_versions(
    connection: &Connection,
    sources: &[PropertyId],
) -> Result<Vec<(PropertyId, u32)>, Refusal> {
    let mut versions = Vec::with_capacity(sources.len());
    for source in sources {
        let row = property_row(connection, *source)?.filter(|row| row.record_id.is_some());
        versions.push((*source, row.ok_or(Conflict)?.version));
    }
    Ok(versions)
}

/// Records where adverts come from, before their rows move.
pub fn record_move(
    connection: &Connection,
    to: PropertyId,
    moved: &PreparedMove,
    decided_by: &DecidedBy,
    at: Timestamp,
) -> Result<(), Error> {
    let mut sources: Vec<(PropertyId, Vec<AdvertId>)> = Vec::new();
    for advert in &moved.adverts {
        let located = read::locate_one(connection, &domain::Identity::Uuid(*advert))?;
        let Some(from) = located.map(|located| located.property).filter(|from| *from != to) else { continue };
        connection
            .prepare_cached(
                "INSERT INTO advert_previous_property (advert_id, property_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            )?
            .execute(params![advert.as_bytes(), from.as_bytes()])?;
        match sources.iter_mut().find(|(source, _)| *source == from) {
            Some((_, adverts)) => adverts.push(*advert),
            None => sources.push((from, vec![*advert])),
        }
    }
    let (code, decider) = match decided_by {
        DecidedBy::Sender => (0, None),
        DecidedBy::Grouping => (1, None),
        DecidedBy::Person(label) => (2, Some(label)),
    };
    let mut statement = connection.prepare_cached(
        "INSERT INTO property_lineage (at, from_property, to_property, adverts, decided_by, decider)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for (from, adverts) in sources {
        let (at, adverts) = (at.as_millisecond(), encode_ids(&adverts));
        statement.execute(params![at, from.as_bytes(), to.as_bytes(), adverts, code, decider])?;
    }
    Ok(())
}

/// Lets the id of a removed property lead to another, and the ids that led to it as well. Returns where they lead.
pub fn merge(
    connection: &Connection,
    property: PropertyId,
    into: PropertyId,
) -> Result<PropertyId, SqlError> {
    let into = survivor(connection, into)?.unwrap_or(into);
    connection
        .prepare_cached("UPDATE property SET merged_into = ?2 WHERE id = ?1 OR merged_into = ?1")?
        .execute(params![property.as_bytes(), into.as_bytes()])?;
    Ok(into)
}

pub fn survivor(connection: &Connection, property: PropertyId) -> Result<Option<PropertyId>, SqlError> {
    connection
        .prepare_cached(
            "SELECT merged_into FROM property p WHERE id = ?1 AND record_id IS NULL AND merged_into IS NOT NULL
                 AND EXISTS (SELECT 1 FROM property WHERE id = p.merged_into AND record_id IS NOT NULL)",
        )?
        .query_row([property.as_bytes()], |row| property_id(row, 0))
        .optional()
}

pub fn lineage(
    connection: &Connection,
    property: PropertyId,
    damage: &DamageLog,
) -> Result<Vec<LineageRow>, Error> {
    let mut statement = connection.prepare_cached(
        "WITH subject (id) AS (SELECT ?1 UNION SELECT id FROM property WHERE merged_into = ?1)
         SELECT sequence, at, from_property, to_property, adverts, decided_by, decider FROM property_lineage
         WHERE from_property IN (SELECT id FROM subject) OR to_property IN (SELECT id FROM subject) ORDER BY sequence DESC",
    )?;
    let mut rows = statement.query([property.as_bytes()])?;
    let mut lineage = Vec::new();
    while let Some(row) = rows.next()? {
        let sequence: i64 = row.get(0)?;
        lineage.extend(damage.unless_damaged(
            RecordKind::Lineage,
            || sequence.to_string(),
            lineage_row(row),
        )?);
    }
    Ok(lineage)
}

/// Reads a move from all columns of the table, in their order.
pub fn lineage_row(row: Row<'_>) -> Result<LineageRow, Error> {
    let sequence: i64 = row.get(0)?;
    let what = || format!("row {sequence} of the lineage of properties");
    let at = Timestamp::from_millisecond(row.get(1)?).map_err(|error| Error::corrupt_by(what(), error))?;
    let decided_by = match (row.get(5)?, row.get(6)?) {
        (0, None) => DecidedBy::Sender,
        (1, None) => DecidedBy::Grouping,
        (2, Some(label)) => DecidedBy::Person(label),
        _ => return Err(Error::corrupt(what())),
    };
    let adverts = decode_ids(row.get_ref(4)?.as_blob().map_err(from_sql)?, what)?;
    Ok(LineageRow { at, from: property_id(row, 2)?, to: property_id(row, 3)?, adverts, decided_by })
}

pub fn put_decision(
    connection: &Connection,
    decision: &PersonDecision,
    decided_by: &str,
    at: Timestamp,
) -> Result<(), Error> {
    let PersonDecision { verdict, left, right } = decision;
    let verdict = match verdict {
        Verdict::Same => 1,
        Verdict::Different => 2,
    };
    connection
        .prepare_cached(
            "INSERT INTO person_decision (at, verdict, left_adverts, right_adverts, decided_by)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![at.as_millisecond(), verdict, encode_ids(left), encode_ids(right), decided_by])?;
    Ok(())
}

pub fn person_decisions(
    connection: &Connection,
    after: u64,
    damage: &DamageLog,
) -> Result<Vec<(u64, PersonDecision)>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT number, verdict, left_adverts, right_adverts FROM person_decision WHERE number > ?1 ORDER BY number",
    )?;
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let mut rows = statement.query([after])?;
    let mut decisions = Vec::new();
    while let Some(row) = rows.next()? {
        // Every write needs the decisions: a damaged one must not make the others unreadable.
        let number: u64 = row.get(0)?;
        let read = decision(row);
        let read = damage.unless_damaged(RecordKind::Decision, || number.to_string(), read)?;
        decisions.extend(read.map(|decision| (number, decision)));
    }
    Ok(decisions)
}

/// Reads a decision from its number, verdict and two sides.
pub fn decision(row: Row<'_>) -> Result<PersonDecision, Error> {
    let number: u64 = row.get(0)?;
    let what = || format!("decision {number} of a person");
    let verdict = match row.get(1)? {
        1 => Verdict::Same,
        2 => Verdict::Different,
        _ => return Err(Error::corrupt(what())),
    };
    let side = |column| decode_ids(row.get_ref(column)?.as_blob().map_err(from_sql)?, what);
    Ok(PersonDecision { verdict, left: side(2)?, right: side(3)? })
}

/// Removes an erased advert from decisions and from the lineage of the properties that held it. What cannot be read may name the
/// advert as well, and is deleted.
pub fn erase(
    connection: &Connection,
    advert: AdvertId,
    holders: &[PropertyId],
    damage: &DamageLog,
) -> Result<(), Error> {
    for holder in holders {
        erase_from_lineage(connection, advert, *holder, damage)?;
    }
    // People decide rarely enough that this table needs no index.
    let mut statement = connection.prepare_cached(
        "SELECT number, left_adverts, right_adverts FROM person_decision
         WHERE instr(left_adverts, ?1) > 0 OR instr(right_adverts, ?1) > 0",
    )?;
    let mut rows = statement.query([advert.as_bytes()])?;
    let mut changed = Vec::new();
    while let Some(row) = rows.next()? {
        let number: u64 = row.get(0)?;
        let what = || format!("decision {number} of a person");
        let side = |column| -> Result<Vec<AdvertId>, Error> {
            let read = row.get_ref(column)?.as_blob().map_err(from_sql);
            let read = read.and_then(|ids| decode_ids(ids, what));
            let read = damage.unless_damaged(RecordKind::Decision, || number.to_string(), read)?;
            let mut adverts = read.unwrap_or_default();
            adverts.retain(|known| *known != advert);
            Ok(adverts)
        };
        changed.push((number, side(1)?, side(2)?));
    }
    for (number, left, right) in changed {
        if left.is_empty() || right.is_empty() {
            connection.prepare_cached("DELETE FROM person_decision WHERE number = ?1")?.execute([number])?;
        } else {
            connection
                .prepare_cached(
                    "UPDATE person_decision SET left_adverts = ?2, right_adverts = ?3 WHERE number = ?1",
                )?
                .execute(params![number, encode_ids(&left), encode_ids(&right)])?;
        }
    }
    Ok(())
}

fn erase_from_lineage(
    connection: &Connection,
    advert: AdvertId,
    holder: PropertyId,
    damage: &DamageLog,
) -> Result<(), Error> {
    let mut statement = connection
        .prepare_cached("SELECT sequence, adverts FROM property_lineage WHERE from_property = ?1")?;
    let mut rows = statement.query([holder.as_bytes()])?;
    let mut changed = Vec::new();
    while let Some(row) = rows.next()? {
        let what = || format!("the lineage of property {holder}");
        let sequence: i64 = row.get(0)?;
        let read = row.get_ref(1)?.as_blob().map_err(from_sql).and_then(|ids| decode_ids(ids, what));
        let read = damage.unless_damaged(RecordKind::Lineage, || sequence.to_string(), read)?;
        let before = read.as_ref().map_or(1, Vec::len);
        let mut adverts = read.unwrap_or_default();
        adverts.retain(|known| *known != advert);
        if adverts.len() < before {
            changed.push((sequence, adverts));
        }
    }
    for (sequence, adverts) in changed {
        if adverts.is_empty() {
            connection
                .prepare_cached("DELETE FROM property_lineage WHERE sequence = ?1")?
                .execute([sequence])?;
        } else {
            connection
                .prepare_cached("UPDATE property_lineage SET adverts = ?2 WHERE sequence = ?1")?
                .execute(params![sequence, encode_ids(&adverts)])?;
        }
    }
    Ok(())
}

fn encode_ids(adverts: &[AdvertId]) -> Vec<u8> {
    adverts.iter().flat_map(|advert| *advert.as_bytes()).collect()
}

fn decode_ids(bytes: &[u8], what: impl FnOnce() -> String) -> Result<Vec<AdvertId>, Error> {
    let (ids, rest) = bytes.as_chunks::<16>();
    if !rest.is_empty() {
        return Err(Error::corrupt(what()));
    }
    Ok(ids.iter().copied().map(AdvertId::from_bytes).collect())
}
