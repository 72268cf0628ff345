//! The secrets that sign a user's webhooks.

use domain::{ReplacedSecret, Timestamp, UserId, WebhookSecret, WebhookSecrets};

use crate::contract::NewSecret;
use crate::error::Error;
use crate::sql::{Connection, Row, params};

pub fn of_user(connection: &Connection, user: UserId) -> Result<Option<WebhookSecrets>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT secret, created_at, replaced_at FROM webhook_secret WHERE user_id = ?1 ORDER BY ordinal DESC",
    )?;
    let mut rows = statement.query([user.as_bytes()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let (current, created_at) = (secret(row)?, timestamp(row.get(1)?)?);
    let mut replaced = Vec::new();
    while let Some(row) = rows.next()? {
        replaced.push(ReplacedSecret { secret: secret(row)?, replaced_at: timestamp(row.get(2)?)? });
    }
    Ok(Some(WebhookSecrets { current, created_at, replaced }))
}

fn secret(row: Row<'_>) -> Result<WebhookSecret, Error> {
    Ok(WebhookSecret::new(row.get(0)?))
}

fn timestamp(millisecond: i64) -> Result<Timestamp, Error> {
    Timestamp::from_millisecond(millisecond)
        .map_err(|error| Error::corrupt_by("the date of a webhook secret", error))
}

pub fn put(
    connection: &Connection,
    user: UserId,
    secret: &WebhookSecret,
    rule: NewSecret,
    at: Timestamp,
) -> Result<WebhookSecrets, Error> {
    match (of_user(connection, user)?, rule) {
        (Some(current), NewSecret::First) => return Ok(current),
        (None, NewSecret::First | NewSecret::Rotation) => {}
        (Some(_), NewSecret::Rotation) => replace(connection, user, at)?,
    }
    connection
        .prepare_cached(
            "INSERT INTO webhook_secret (user_id, ordinal, secret, created_at)
             VALUES (?1, (SELECT coalesce(max(ordinal), 0) + 1 FROM webhook_secret WHERE user_id = ?1), ?2, ?3)",
        )?
        .execute(params![user.as_bytes(), secret.as_bytes(), at.as_millisecond()])?;
    of_user(connection, user)?.ok_or_else(|| Error::corrupt(format!("the webhook secret of user {user}")))
}

/// Marks the current secret as replaced, and deletes secrets that are not honoured any more.
fn replace(connection: &Connection, user: UserId, at: Timestamp) -> Result<(), Error> {
    let id = user.as_bytes();
    connection
        .prepare_cached(
            "UPDATE webhook_secret SET replaced_at = ?2 WHERE user_id = ?1 AND replaced_at IS NULL",
        )?
        .execute(params![id, at.as_millisecond()])?;
    let expired_before = at.saturating_sub(WebhookSecrets::OVERLAP).unwrap_or(Timestamp::MIN);
    connection
        .prepare_cached("DELETE FROM webhook_secret WHERE user_id = ?1 AND replaced_at <= ?2")?
        .execute(params![id, expired_before.as_millisecond()])?;
    connection
        .prepare_cached(
            "DELETE FROM webhook_secret WHERE user_id = ?1 AND ordinal NOT IN
                 (SELECT ordinal FROM webhook_secret WHERE user_id = ?1 ORDER BY ordinal DESC LIMIT ?2)",
        )?
        .execute(params![id, i64::try_from(WebhookSecrets::REPLACED_MAX).unwrap_or(i64::MAX)])?;
    Ok(())
}
