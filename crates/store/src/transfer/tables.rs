//! Which tables and numbers are copied, and which are not.
//!
//! A test compares these lists with both schemas: a table that a later migration adds has to be put into one of them.

/// A table that is copied, row by row and with all columns that both databases have.
pub struct Table {
    pub name: &'static str,
    /// The primary key: rows are read in its order, and a copy continues after the last one.
    pub key: &'static [&'static str],
    /// Rows that are not copied do not meet this condition.
    pub condition: Option<&'static str>,
}

/// Names of the metadata that belong to one database: its identity, and the mark of an unfinished copy.
const COPIED_METADATA: &str = "name NOT IN ('database_identity', 'unfinished_migration')";

const fn table(name: &'static str, key: &'static [&'static str]) -> Table {
    Table { name, key, condition: None }
}

/// In the order in which they are copied. A table comes after those that it refers to and after those whose triggers write to it: what
/// triggers wrote is deleted before its rows are copied.
pub const TABLES: &[Table] = &[
    Table { condition: Some(COPIED_METADATA), ..table("metadata", &["name"]) },
    table("user", &["id"]),
    table("api_key", &["id"]),
    table("session", &["id"]),
    table("daily_usage", &["user_id", "day", "key_id"]),
    table("operation_usage", &["day", "key_id", "operation"]),
    table("site_category", &["id"]),
    table("site", &["id"]),
    table("site_revision", &["only_row"]),
    table("property", &["id"]),
    table("property_version", &["record_id"]),
    table("advert", &["id"]),
    table("advert_previous_property", &["advert_id", "property_id"]),
    table("property_lineage", &["sequence"]),
    table("person_decision", &["number"]),
    table("departed_property", &["property_id"]),
    table("erased_property", &["position"]),
    table("log", &["position"]),
    table("search", &["number"]),
    table("search_count", &["owner"]),
    table("search_version", &["replaced_position"]),
    table("search_alert", &["number"]),
    table("deleted_search", &["position"]),
    table("changed_recipient", &["number"]),
    table("matcher", &["only_row"]),
    table("match_group", &["position"]),
    table("search_match", &["number", "position"]),
    table("outbox", &["position", "ordinal"]),
    table("outbox_cursor", &["only_row"]),
    table("delivery_epoch", &["first_sequence"]),
    table("delivery_lane", &["lane"]),
    table("delivery", &["sequence"]),
    table("delivery_attempt", &["sequence", "ordinal"]),
    table("delivery_document", &["property_id", "version", "contacts_hidden"]),
    table("webhook_secret", &["user_id", "ordinal"]),
    table("recipient_confirmation", &["user_id", "address"]),
];

/// Copied tables that have rows in a new database. The copy replaces them.
pub const INITIAL_ROWS: &[&str] = &["site_revision", "matcher", "outbox_cursor", "delivery_epoch"];

/// Tables that are not copied.
#[cfg(test)]
pub const LEFT_OUT: &[&str] = &[
    // The version of the schema, the turn to write, the roles and the timelines belong to one database.
    "vigie_schema",
    "write_turn",
    "worker_role",
    "timeline",
    // The last numbers that were given are copied as numbers ([`NUMBERS`]): each database keeps them in its own way.
    "counter",
    "sqlite_sequence",
];

/// Columns that are not copied, each with its table. SQLite numbers the rows of this one by itself, and nothing refers to them.
pub const LEFT_OUT_COLUMNS: &[(&str, &str)] = &[("delivery_document", "rowid")];

/// A column whose numbers the database gives.
pub struct Numbers {
    pub table: &'static str,
    pub column: &'static str,
    pub sqlite: InSqlite,
    pub postgres: InPostgres,
}

/// How SQLite knows the last number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum InSqlite {
    /// `AUTOINCREMENT` keeps it.
    Kept,
    /// It is the greatest one in the table.
    Greatest,
}

/// How PostgreSQL knows the last number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum InPostgres {
    /// A row of the table `counter`, with the name of the table.
    Counter,
    /// The sequence of the column.
    Sequence,
}

const fn numbers(
    table: &'static str,
    column: &'static str,
    sqlite: InSqlite,
    postgres: InPostgres,
) -> Numbers {
    Numbers { table, column, sqlite, postgres }
}

pub const NUMBERS: &[Numbers] = &[
    numbers("person_decision", "number", InSqlite::Kept, InPostgres::Counter),
    numbers("search", "number", InSqlite::Kept, InPostgres::Counter),
    numbers("site", "id", InSqlite::Kept, InPostgres::Counter),
    numbers("site_category", "id", InSqlite::Kept, InPostgres::Counter),
    numbers("delivery", "sequence", InSqlite::Kept, InPostgres::Sequence),
    numbers("property_version", "record_id", InSqlite::Greatest, InPostgres::Sequence),
    numbers("property_lineage", "sequence", InSqlite::Greatest, InPostgres::Sequence),
];

#[cfg(test)]
mod tests;
