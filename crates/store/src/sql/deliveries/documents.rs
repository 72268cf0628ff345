//! Documents as they were first sent: stored with the claim of the first attempt, so that every attempt sends the same bytes.

use domain::{PropertyId, Timestamp};

use crate::contract::{Claim, Contacts, DocumentKey, ERASURE_GRACE, RecordKind};
use crate::error::Error;
use crate::record::{decode_document, encode_document};
use crate::sql::damage::DamageLog;
use crate::sql::read::from_sql;
use crate::sql::value::owned;
use crate::sql::{Connection, params};

/// A claim with everything that needs no database.
pub struct PreparedClaim {
    pub claim: Claim,
    documents: Vec<(DocumentKey, Vec<u8>)>,
}

impl PreparedClaim {
    pub fn new(mut claim: Claim) -> Result<Self, Error> {
        let documents = std::mem::take(&mut claim.documents);
        let documents = documents
            .into_iter()
            .map(|(key, text)| Ok((key, encode_document(&text)?)))
            .collect::<Result<_, Error>>()?;
        Ok(Self { claim, documents })
    }

    /// Stores the documents. A document that is stored already stays: it may have been sent. A document of a property from which
    /// something was erased recently is skipped: it may contain erased data.
    pub fn store_documents(&self, connection: &Connection) -> Result<(), Error> {
        let recent_erasure =
            "SELECT 1 FROM delivery_document WHERE property_id = ?1 AND version = ?2 AND stored_at > ?3";
        let grace = i64::try_from(ERASURE_GRACE.as_millis()).unwrap_or(i64::MAX);
        let at = self.claim.at.as_millisecond();
        let since = at.saturating_sub(grace);
        let erasure = |(key, _): &(DocumentKey, _)| {
            (recent_erasure, owned(params![key.property.as_bytes(), ERASURE_VERSION, since]))
        };
        connection.prefetch(self.documents.iter().map(erasure))?;
        let mut recent_erasure = connection.prepare_cached(recent_erasure)?;
        let mut statement = connection.prepare_cached(
            "INSERT INTO delivery_document (property_id, version, contacts_hidden, document, stored_at)
             VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
        )?;
        for (DocumentKey { property, version, contacts }, document) in &self.documents {
            let hidden = *contacts == Contacts::Hidden;
            if recent_erasure.exists(params![property.as_bytes(), ERASURE_VERSION, since])? {
                continue;
            }
            statement.execute_later(params![property.as_bytes(), version, hidden, document, at])?;
        }
        Ok(())
    }
}

pub fn sent_documents(
    connection: &Connection,
    keys: &[DocumentKey],
    damage: &DamageLog,
) -> Result<Vec<Option<Vec<u8>>>, Error> {
    let sql = "SELECT document FROM delivery_document WHERE property_id = ?1 AND version = ?2 AND contacts_hidden = ?3";
    let values = |DocumentKey { property, version, contacts }: &DocumentKey| {
        owned(params![property.as_bytes(), version, *contacts == Contacts::Hidden])
    };
    connection.prefetch(keys.iter().map(|key| (sql, values(key))))?;
    let mut statement = connection.prepare_cached(sql)?;
    let mut read = |key: &DocumentKey| {
        let DocumentKey { property, version, .. } = key;
        let mut rows = statement.query(values(key))?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let document = row.get_ref(0)?.as_blob().map_err(from_sql).and_then(decode_document);
        // A damaged one is rendered again, and does not stop other deliveries.
        damage.unless_damaged(RecordKind::DeliveryDocument, || document_name(*property, *version), document)
    };
    keys.iter().map(&mut read).collect()
}

pub fn document_name(property: PropertyId, version: u32) -> String {
    format!("{property} version {version}")
}

/// The version of the row that records the property's last erasure in place of a document. Real versions start at 1.
const ERASURE_VERSION: u32 = 0;

/// Deletes the documents of a property, so that later attempts render it without the erased data.
pub fn delete_documents(connection: &Connection, property: PropertyId, at: Timestamp) -> Result<(), Error> {
    connection
        .prepare_cached("DELETE FROM delivery_document WHERE property_id = ?1")?
        .execute([property.as_bytes()])?;
    connection
        .prepare_cached(
            "INSERT INTO delivery_document (property_id, version, contacts_hidden, document, stored_at)
             VALUES (?1, ?2, 0, x'', ?3)",
        )?
        .execute(params![property.as_bytes(), ERASURE_VERSION, at.as_millisecond()])?;
    Ok(())
}

/// Deletes at most `limit` documents stored before a date. Returns how many.
pub fn prune_documents(connection: &Connection, before: i64, limit: i64) -> Result<usize, Error> {
    let mut statement = connection.prepare_cached(
        "DELETE FROM delivery_document WHERE rowid IN
             (SELECT rowid FROM delivery_document WHERE stored_at < ?1 ORDER BY stored_at LIMIT ?2)",
    )?;
    Ok(statement.execute(params![before, limit])?)
}
