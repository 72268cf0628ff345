//! Users, API keys and sessions.

use domain::{KeyId, KeyLabel, KeySettings, Scopes, SessionId, Timestamp, UserId};

use super::damage::DamageLog;
use crate::contract::{Key, NewKey, RecordKind, Session, User};
use crate::error::Error;
use crate::sql::{Connection, OptionalExtension, Row, params};

pub const KEY_COLUMNS: &str =
    "SELECT k.id, k.secret_hash, u.id, u.name, k.scopes, k.created_at, k.revoked_at,
                                  k.label, k.expires_at, k.requests_per_minute, k.last_used_at
                           FROM api_key k JOIN \"user\" u ON u.id = k.user_id";

pub fn create_key(connection: &Connection, key: &NewKey) -> Result<Key, Error> {
    let NewKey { id, secret_hash, user_name, user_id_if_new, scopes, settings, created_at } = key;
    let KeySettings { label, expires_at, requests_per_minute } = settings;
    connection
        .prepare_cached("INSERT INTO \"user\" (id, name) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute(params![user_id_if_new.as_bytes(), user_name])?;
    connection
        .prepare_cached(
            "INSERT INTO api_key (id, secret_hash, user_id, scopes, created_at, label, expires_at, requests_per_minute)
             SELECT ?1, ?2, id, ?3, ?4, ?6, ?7, ?8 FROM \"user\" WHERE name = ?5",
        )?
        .execute(params![
            id.as_str(),
            secret_hash,
            scopes.to_string(),
            created_at.as_second(),
            user_name,
            label.as_ref().map(KeyLabel::as_str),
            expires_at.map(Timestamp::as_second),
            requests_per_minute
        ])?;
    self::key(connection, id)?.ok_or_else(|| Error::corrupt("a key just written"))
}

pub fn key(connection: &Connection, id: &KeyId) -> Result<Option<Key>, Error> {
    let mut statement = connection.prepare_cached(&format!("{KEY_COLUMNS} WHERE k.id = ?1"))?;
    statement.query_row([id.as_str()], |row| Ok(read_key(row))).optional()?.transpose()
}

pub fn keys(connection: &Connection, damage: &DamageLog) -> Result<Vec<Key>, Error> {
    let mut statement = connection.prepare_cached(&format!("{KEY_COLUMNS} ORDER BY k.created_at, k.id"))?;
    let mut rows = statement.query(params![])?;
    let mut keys = Vec::new();
    while let Some(row) = rows.next()? {
        keys.extend(damage.unless_damaged(RecordKind::Key, || key_name(row), read_key(row))?);
    }
    Ok(keys)
}

/// Names a key that cannot be read.
pub fn key_name(row: Row<'_>) -> String {
    row.get(0).unwrap_or_else(|_| "a key without a valid id".to_owned())
}

pub fn change_key(connection: &Connection, id: &KeyId, settings: &KeySettings) -> Result<Option<Key>, Error> {
    let KeySettings { label, expires_at, requests_per_minute } = settings;
    connection
        .prepare_cached(
            "UPDATE api_key SET label = ?2, expires_at = ?3, requests_per_minute = ?4 WHERE id = ?1",
        )?
        .execute(params![
            id.as_str(),
            label.as_ref().map(KeyLabel::as_str),
            expires_at.map(Timestamp::as_second),
            requests_per_minute
        ])?;
    key(connection, id)
}

pub fn revoke_key(connection: &Connection, id: &KeyId, at: Timestamp) -> Result<bool, Error> {
    let changed = connection
        .prepare_cached("UPDATE api_key SET revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1")?
        .execute(params![id.as_str(), at.as_second()])?;
    Ok(changed > 0)
}

pub fn create_session(connection: &Connection, session: &Session) -> Result<(), Error> {
    let Session { id, secret_hash, key, created_at, expires_at } = session;
    connection
        .prepare_cached("DELETE FROM session WHERE expires_at <= ?1")?
        .execute([created_at.as_second()])?;
    connection
        .prepare_cached(
            "INSERT INTO session (id, secret_hash, key_id, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            id.as_str(),
            secret_hash,
            key.as_str(),
            created_at.as_second(),
            expires_at.as_second()
        ])?;
    Ok(())
}

/// Returns all sessions. One that is damaged is left out: its user signs in again.
pub fn sessions(connection: &Connection) -> Result<Vec<Session>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT id, secret_hash, key_id, created_at, expires_at FROM session ORDER BY created_at, id",
    )?;
    let mut rows = statement.query(params![])?;
    let mut sessions = Vec::new();
    while let Some(row) = rows.next()? {
        sessions.extend(read_session(row));
    }
    Ok(sessions)
}

fn read_session(row: Row<'_>) -> Option<Session> {
    let text = |column| row.get::<String>(column).ok();
    let second = |column| Timestamp::from_second(row.get(column).ok()?).ok();
    Some(Session {
        id: SessionId::parse(&text(0)?)?,
        secret_hash: row.get(1).ok()?,
        key: KeyId::parse(&text(2)?)?,
        created_at: second(3)?,
        expires_at: second(4)?,
    })
}

pub fn delete_sessions(connection: &Connection, ids: &[SessionId]) -> Result<(), Error> {
    let mut statement = connection.prepare_cached("DELETE FROM session WHERE id = ?1")?;
    for id in ids {
        statement.execute([id.as_str()])?;
    }
    Ok(())
}

pub fn read_key(row: Row<'_>) -> Result<Key, Error> {
    let id: String = row.get(0)?;
    let damaged = || Error::corrupt(format!("key {id}"));
    let second = |second: i64| Timestamp::from_second(second).map_err(|_| damaged());
    let optional_second = |column| row.get::<Option<i64>>(column)?.map(second).transpose();
    Ok(Key {
        id: KeyId::parse(&id).ok_or_else(damaged)?,
        secret_hash: row.get(1)?,
        user: User { id: UserId::from_bytes(row.get(2)?), name: row.get(3)? },
        scopes: Scopes::parse(&row.get::<String>(4)?).map_err(|_| damaged())?,
        settings: KeySettings {
            label: row.get::<Option<String>>(7)?.map(KeyLabel::trusted),
            expires_at: optional_second(8)?,
            requests_per_minute: row.get(9)?,
        },
        created_at: second(row.get(5)?)?,
        revoked_at: optional_second(6)?,
        last_used_at: optional_second(10)?,
    })
}
