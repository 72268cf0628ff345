//! Usage by day: requests, items and deliveries.

use domain::{Date, KeyId, KeyLabel, UserId};

use super::damage::DamageLog;
use crate::contract::{
    DailyUsage, DeliveryUsage, OperationUsage, RecordKind, RequestUsage, UsageBatch, UsageList, UsagePage,
    User,
};
use crate::error::Error;
use crate::sql::{Connection, Row, params};

/// The key of rows that count deliveries.
const NO_KEY: &str = "";

pub fn add(connection: &Connection, batch: &UsageBatch) -> Result<(), Error> {
    let UsageBatch { requests, deliveries, last_uses } = batch;
    for RequestUsage { key, user, day, operation, requests, items } in requests {
        connection
            .prepare_cached(
                "INSERT INTO daily_usage (user_id, day, key_id, requests, items) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (user_id, day, key_id) DO UPDATE SET requests = daily_usage.requests + excluded.requests,
                     items = daily_usage.items + excluded.items",
            )?
            .execute(params![user.as_bytes(), number_of(*day), key.as_str(), requests, items])?;
        connection
            .prepare_cached(
                "INSERT INTO operation_usage (day, key_id, operation, requests, items) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (day, key_id, operation) DO UPDATE SET
                     requests = operation_usage.requests + excluded.requests,
                     items = operation_usage.items + excluded.items",
            )?
            .execute(params![number_of(*day), key.as_str(), operation, requests, items])?;
    }
    for DeliveryUsage { user, day, webhooks, emails } in deliveries {
        connection
            .prepare_cached(
                "INSERT INTO daily_usage (user_id, day, key_id, webhooks, emails) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (user_id, day, key_id) DO UPDATE SET webhooks = daily_usage.webhooks + excluded.webhooks,
                     emails = daily_usage.emails + excluded.emails",
            )?
            .execute(params![user.as_bytes(), number_of(*day), NO_KEY, webhooks, emails])?;
    }
    for (key, at) in last_uses {
        connection
            .prepare_cached(
                "UPDATE api_key SET last_used_at = ?2 WHERE id = ?1 AND coalesce(last_used_at, ?2) <= ?2",
            )?
            .execute(params![key.as_str(), at.as_second()])?;
    }
    Ok(())
}

pub fn list(connection: &Connection, list: &UsageList, damage: &DamageLog) -> Result<UsagePage, Error> {
    let UsageList { user, key, from, to, skip, take } = list;
    // One transaction, so that the total and the page are consistent.
    let reading = connection.snapshot()?;
    // Two statements for two indexes: one user's rows are the beginning of the primary key.
    let whose = if user.is_some() { "d.user_id = ?1" } else { "CAST(?1 AS TEXT) IS NULL" };
    let selection =
        format!("{whose} AND (CAST(?2 AS TEXT) IS NULL OR d.key_id = ?2) AND d.day BETWEEN ?3 AND ?4");
    let from = from.map_or(0, number_of);
    let to = to.map_or(i64::MAX, number_of);
    let (user, key) = (user.as_ref().map(UserId::as_bytes), key.as_ref().map(KeyId::as_str));
    let total = reading
        .prepare_cached(&format!("SELECT count(*) FROM daily_usage d WHERE {selection}"))?
        .query_row(params![user, key, from, to], |row| row.get(0))?;
    let mut statement = reading.prepare_cached(&format!(
        "SELECT d.day, d.user_id, coalesce(u.name, ''), d.key_id, k.label, d.requests, d.items, d.webhooks, d.emails
         FROM daily_usage d LEFT JOIN \"user\" u ON u.id = d.user_id LEFT JOIN api_key k ON k.id = d.key_id
         WHERE {selection} ORDER BY d.day DESC, d.user_id DESC, d.key_id DESC LIMIT ?5 OFFSET ?6"
    ))?;
    let window = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![user, key, from, to, window(*take), window(*skip)])?;
    let mut days = Vec::new();
    while let Some(row) = rows.next()? {
        let name = || usage_name(row.get(0).ok(), row.get(3).ok());
        days.extend(damage.unless_damaged(RecordKind::Usage, name, daily(&reading, row))?);
    }
    Ok(UsagePage { total, days })
}

/// Names a row of usage by its day and its key.
pub fn usage_name(day: Option<i64>, key: Option<String>) -> String {
    format!("day {} of key {:?}", day.unwrap_or_default(), key.unwrap_or_default())
}

pub fn prune(connection: &Connection, before: Date) -> Result<(), Error> {
    for statement in ["DELETE FROM daily_usage WHERE day < ?1", "DELETE FROM operation_usage WHERE day < ?1"]
    {
        connection.prepare_cached(statement)?.execute([number_of(before)])?;
    }
    Ok(())
}

pub fn daily(connection: &Connection, row: Row<'_>) -> Result<DailyUsage, Error> {
    let number: i64 = row.get(0)?;
    let key: String = row.get(3)?;
    let damaged = || Error::corrupt(format!("the usage of key {key} on day {number}"));
    let label = row.get::<Option<String>>(4)?.map(KeyLabel::trusted);
    let id = match key.as_str() {
        NO_KEY => None,
        key => Some((KeyId::parse(key).ok_or_else(damaged)?, label)),
    };
    let operations = match id {
        None => Vec::new(),
        Some(_) => operations(connection, number, &key)?,
    };
    Ok(DailyUsage {
        day: day_of(number).ok_or_else(damaged)?,
        user: User { id: UserId::from_bytes(row.get(1)?), name: row.get(2)? },
        key: id,
        requests: row.get(5)?,
        items: row.get(6)?,
        webhooks: row.get(7)?,
        emails: row.get(8)?,
        operations,
    })
}

fn operations(connection: &Connection, day: i64, key: &str) -> Result<Vec<OperationUsage>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT operation, requests, items FROM operation_usage WHERE day = ?1 AND key_id = ?2 ORDER BY operation",
    )?;
    let read = |row: Row<'_>| {
        Ok(OperationUsage { operation: row.get(0)?, requests: row.get(1)?, items: row.get(2)? })
    };
    Ok(statement.query_map(params![day, key], read)?.collect::<Result<_, _>>()?)
}

/// Encodes a day so that the numbers have the order of the days and an operator can read them. Years before 0 are not in use.
fn number_of(day: Date) -> i64 {
    i64::from(day.year()) * 10_000 + i64::from(day.month()) * 100 + i64::from(day.day())
}

fn day_of(number: i64) -> Option<Date> {
    let [year, month, day] = [number / 10_000, number / 100 % 100, number % 100];
    Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()
}
