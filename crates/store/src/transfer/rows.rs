//! Reading and writing the rows of one table.

use std::hash::{DefaultHasher, Hasher};

use super::tables::{LEFT_OUT_COLUMNS, Table};
use crate::sql::error::SqlError;
use crate::sql::value::{Column, OwnedValue, ToValue, Value, params};
use crate::sql::{Connection, Row, SqlResult};

/// Rows per statement on PostgreSQL: one statement for many rows is several times as fast as one for each. SQLite gains nothing.
const ROWS_PER_STATEMENT: usize = 64;

pub type Values = Vec<OwnedValue>;

/// The statements of one table. They are the same for both databases.
pub struct TableRows<'t> {
    table: &'t Table,
    columns: Vec<String>,
    /// Where the columns of the key are among the columns.
    key: Vec<usize>,
    read_first: String,
    read_next: String,
    insert: String,
    insert_together: String,
}

impl<'t> TableRows<'t> {
    /// `columns` are those of [`columns`]. Fails if a column of the key is not among them.
    pub fn new(table: &'t Table, columns: Vec<String>) -> SqlResult<Self> {
        let position = |name: &&str| {
            columns.iter().position(|column| column == name).ok_or(SqlError::Column("missing in the key"))
        };
        let key = table.key.iter().map(position).collect::<SqlResult<Vec<_>>>()?;
        let (all, name, condition) = (quoted(&columns), table.name, table.condition.unwrap_or("1 = 1"));
        let order = quoted(table.key);
        let numbers: Vec<String> = (1..=key.len()).map(|number| format!("?{number}")).collect();
        let (after, limit) = (numbers.join(", "), key.len() + 1);
        let read_first = format!("SELECT {all} FROM \"{name}\" WHERE {condition} ORDER BY {order} LIMIT ?1");
        let read_next = format!(
            "SELECT {all} FROM \"{name}\" WHERE {condition} AND ({order}) > ({after}) ORDER BY {order} LIMIT ?{limit}"
        );
        let (insert, insert_together) =
            (insert(name, &columns, 1), insert(name, &columns, ROWS_PER_STATEMENT));
        Ok(Self { table, columns, key, read_first, read_next, insert, insert_together })
    }

    pub const fn name(&self) -> &'static str {
        self.table.name
    }

    /// Reads the first rows after a key.
    pub fn read(
        &self,
        connection: &Connection,
        after: Option<&[OwnedValue]>,
        rows_max: usize,
    ) -> SqlResult<Vec<Values>> {
        let sql = if after.is_some() { &self.read_next } else { &self.read_first };
        let mut values = after.unwrap_or_default().to_vec();
        values.push(OwnedValue::Integer(i64::try_from(rows_max).unwrap_or(i64::MAX)));
        let mut statement = connection.prepare_cached(sql)?;
        let mut found = statement.query(values)?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            rows.push((0..self.columns.len()).map(|column| owned(row, column)).collect::<SqlResult<_>>()?);
        }
        Ok(rows)
    }

    /// Returns the key of a row.
    pub fn key_of(&self, row: &[OwnedValue]) -> Values {
        self.key.iter().filter_map(|column| row.get(*column).cloned()).collect()
    }

    pub fn count(&self, connection: &Connection) -> SqlResult<u64> {
        count(connection, self.table)
    }

    /// Deletes what a new database or a trigger has put there.
    pub fn clear(&self, connection: &Connection) -> SqlResult<()> {
        let condition = self.table.condition.unwrap_or("1 = 1");
        connection
            .execute(&format!("DELETE FROM \"{}\" WHERE {condition}", self.table.name), params![])
            .map(drop)
    }

    /// Inserts rows. The caller begins and commits the transaction.
    pub fn insert(&self, connection: &Connection, rows: &[Values]) -> SqlResult<()> {
        let (together, rest) =
            if connection.is_postgres() { rows.as_chunks::<ROWS_PER_STATEMENT>() } else { (&[][..], rows) };
        for rows in together {
            execute_later(connection, &self.insert_together, rows)?;
        }
        for row in rest {
            execute_later(connection, &self.insert, std::slice::from_ref(row))?;
        }
        connection.flush()
    }
}

fn execute_later(connection: &Connection, sql: &str, rows: &[Values]) -> SqlResult<()> {
    let values: Vec<Value<'_>> = rows.iter().flatten().map(ToValue::to_value).collect();
    connection.prepare_cached(sql)?.execute_later(values.as_slice())
}

/// The statement that inserts this many rows.
fn insert(table: &str, columns: &[String], rows: usize) -> String {
    let width = columns.len();
    let row = |row: usize| {
        let numbers: Vec<String> = (1..=width).map(|column| format!("?{}", row * width + column)).collect();
        format!("({})", numbers.join(", "))
    };
    let rows: Vec<String> = (0..rows).map(row).collect();
    format!("INSERT INTO \"{table}\" ({}) VALUES {}", quoted(columns), rows.join(", "))
}

pub fn count(connection: &Connection, table: &Table) -> SqlResult<u64> {
    let condition = table.condition.unwrap_or("1 = 1");
    connection.query_row(
        &format!("SELECT count(*) FROM \"{}\" WHERE {condition}", table.name),
        params![],
        |row| row.get(0),
    )
}

/// Returns the names of the columns that are copied, sorted.
pub fn columns(connection: &Connection, table: &str) -> SqlResult<Vec<String>> {
    let sql = if connection.is_postgres() {
        "SELECT column_name::TEXT FROM information_schema.columns
         WHERE table_schema = current_schema() AND table_name::TEXT = ?1"
    } else {
        "SELECT name FROM pragma_table_info(?1)"
    };
    let mut statement = connection.prepare_cached(sql)?;
    let mut names = statement.query_map([table], |row| row.get(0))?.collect::<SqlResult<Vec<String>>>()?;
    names.retain(|name| !LEFT_OUT_COLUMNS.contains(&(table, name)));
    names.sort();
    Ok(names)
}

fn quoted(names: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{}\"", name.as_ref())).collect();
    quoted.join(", ")
}

fn owned(row: Row<'_>, column: usize) -> SqlResult<OwnedValue> {
    Ok(match row.get_ref(column)? {
        Column::Null => OwnedValue::Null,
        Column::Integer(integer) => OwnedValue::Integer(integer),
        Column::Text(_) => OwnedValue::Text(row.get(column)?),
        Column::Blob(bytes) => OwnedValue::Blob(bytes.to_vec()),
        Column::Other => return Err(SqlError::Column("neither a number nor a text nor a byte string")),
    })
}

/// About how much memory a row takes.
pub fn bytes(row: &[OwnedValue]) -> usize {
    let size = |value: &OwnedValue| match value {
        OwnedValue::Null | OwnedValue::Integer(_) => 0,
        OwnedValue::Text(text) => text.len(),
        OwnedValue::Blob(bytes) => bytes.len(),
    };
    row.iter().map(|value| size(value) + size_of::<OwnedValue>()).sum()
}

/// The number of rows and a sum over all their values. It does not depend on their order: a text with a NUL, which PostgreSQL stores as
/// another character, may sort differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checksum {
    pub rows: u64,
    sum: u64,
}

impl Checksum {
    pub fn add(&mut self, row: &[OwnedValue]) {
        let mut hasher = DefaultHasher::new();
        let mut write = |kind: u8, bytes: &[u8]| {
            hasher.write_u8(kind);
            hasher.write_usize(bytes.len());
            hasher.write(bytes);
        };
        for value in row {
            match value {
                OwnedValue::Null => write(0, &[]),
                OwnedValue::Integer(integer) => write(1, &integer.to_le_bytes()),
                // As PostgreSQL stores it.
                OwnedValue::Text(text) if text.contains('\0') => {
                    write(2, text.replace('\0', "\u{FFFD}").as_bytes());
                }
                OwnedValue::Text(text) => write(2, text.as_bytes()),
                OwnedValue::Blob(bytes) => write(3, bytes),
            }
        }
        self.rows += 1;
        self.sum = self.sum.wrapping_add(hasher.finish());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checksum(rows: &[Values]) -> Checksum {
        let mut checksum = Checksum::default();
        for row in rows {
            checksum.add(row);
        }
        checksum
    }

    #[test]
    fn checksum_depends_on_every_value_and_not_on_the_order() {
        let text = |text: &str| OwnedValue::Text(text.to_owned());
        let one = vec![OwnedValue::Integer(1), text("ab"), text("c")];
        let other = vec![OwnedValue::Null, OwnedValue::Blob(vec![1]), text("")];
        let sum = checksum(&[one.clone(), other.clone()]);
        assert_eq!(sum, checksum(&[other.clone(), one.clone()]));
        for changed in [
            vec![OwnedValue::Integer(2), text("ab"), text("c")],
            vec![OwnedValue::Integer(1), text("a"), text("bc")],
            vec![OwnedValue::Integer(1), OwnedValue::Blob(b"ab".to_vec()), text("c")],
        ] {
            assert_ne!(sum, checksum(&[changed, other.clone()]));
        }
        assert_ne!(sum, checksum(std::slice::from_ref(&one)));
        let empty = vec![OwnedValue::Null, OwnedValue::Blob(vec![1]), OwnedValue::Null];
        assert_ne!(sum, checksum(&[one, empty]), "an empty text is not the same as none");
        assert_eq!(checksum(&[vec![text("a\0")]]), checksum(&[vec![text("a\u{FFFD}")]]));
    }
}
