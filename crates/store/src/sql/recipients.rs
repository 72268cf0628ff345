//! Recipients that were asked whether they want the e-mails of a user.

use domain::{EmailAddress, Timestamp, UserId};

use crate::contract::RecipientConfirmation;
use crate::error::Error;
use crate::sql::{Connection, OptionalExtension, Row, SqlResult, params};

/// Another spelling of an address is the same recipient.
fn key(address: &EmailAddress) -> String {
    address.as_str().to_lowercase()
}

pub fn confirmation(
    connection: &Connection,
    user: UserId,
    address: &EmailAddress,
) -> Result<Option<RecipientConfirmation>, Error> {
    let sql = "SELECT user_id, asked_at, confirmed_at FROM recipient_confirmation WHERE user_id = ?1 AND address = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let row = statement.query_row(params![user.as_bytes(), key(address)], columns).optional()?;
    row.map(read).transpose()
}

pub fn by_token(connection: &Connection, hash: [u8; 32]) -> Result<Option<RecipientConfirmation>, Error> {
    let sql = "SELECT user_id, asked_at, confirmed_at FROM recipient_confirmation WHERE token_hash = ?1";
    let row = connection.prepare_cached(sql)?.query_row([hash], columns).optional()?;
    row.map(read).transpose()
}

type Columns = ([u8; 16], i64, Option<i64>);

fn columns(row: Row<'_>) -> SqlResult<Columns> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
}

fn read((user, asked_at, confirmed_at): Columns) -> Result<RecipientConfirmation, Error> {
    let date = |millisecond| {
        Timestamp::from_millisecond(millisecond)
            .map_err(|error| Error::corrupt_by("the date of a confirmation", error))
    };
    Ok(RecipientConfirmation {
        user: UserId::from_bytes(user),
        asked_at: date(asked_at)?,
        confirmed_at: confirmed_at.map(date).transpose()?,
    })
}

pub fn put_question(
    connection: &Connection,
    user: UserId,
    address: &EmailAddress,
    hash: [u8; 32],
    at: Timestamp,
) -> Result<(), Error> {
    connection
        .prepare_cached(
            "INSERT INTO recipient_confirmation (user_id, address, token_hash, asked_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (user_id, address) DO UPDATE SET token_hash = excluded.token_hash, asked_at = excluded.asked_at
             WHERE recipient_confirmation.confirmed_at IS NULL",
        )?
        .execute(params![user.as_bytes(), key(address), hash, at.as_millisecond()])?;
    Ok(())
}

pub fn confirm(connection: &Connection, hash: [u8; 32], at: Timestamp) -> Result<(), Error> {
    connection
        .prepare_cached(
            "UPDATE recipient_confirmation SET confirmed_at = ?2 WHERE token_hash = ?1 AND confirmed_at IS NULL",
        )?
        .execute(params![hash, at.as_millisecond()])?;
    Ok(())
}
