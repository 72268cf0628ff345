//! All rows of a database as texts, read without the store.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::types::Value;
use tokio_postgres::types::Type;

/// The rows of each table, sorted. A row lists its columns by name.
pub type Dump = BTreeMap<String, Vec<String>>;

/// What is particular to PostgreSQL, or to one database.
const LEFT_OUT: [&str; 5] = ["counter", "timeline", "vigie_schema", "worker_role", "write_turn"];

pub fn of_folder(folder: &Path) -> Dump {
    let connection = rusqlite::Connection::open(folder.join(store::sqlite::FILE_NAME)).unwrap();
    let texts = |sql: &str| -> Vec<String> {
        let mut statement = connection.prepare(sql).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let mut dump = Dump::new();
    for table in texts("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'") {
        let columns = texts(&format!("SELECT name FROM pragma_table_info('{table}') ORDER BY name"));
        let mut statement = connection.prepare(&select(&table, &columns)).unwrap();
        let row = |row: &rusqlite::Row<'_>| {
            let values = columns.iter().enumerate().map(|(index, name)| {
                let value = match row.get_unwrap(index) {
                    Value::Null => "NULL".to_owned(),
                    Value::Integer(integer) => integer.to_string(),
                    Value::Text(text) => text_form(&text),
                    Value::Blob(bytes) => format!("{bytes:02x?}"),
                    Value::Real(_) => panic!("{table}.{name} is a floating-point number"),
                };
                format!("{name}: {value}")
            });
            Ok(values.collect::<Vec<_>>().join(", "))
        };
        let rows = statement.query_map([], row).unwrap().map(Result::unwrap).collect();
        dump.insert(table, sorted(rows));
    }
    dump
}

pub async fn of_postgres(url: &str) -> Dump {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    let mut session = tokio::task::JoinSet::new();
    session.spawn(connection);
    let texts = async |sql: String| -> Vec<String> {
        client.query(&sql, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
    };
    let mut dump = Dump::new();
    for table in texts("SELECT tablename::TEXT FROM pg_tables WHERE schemaname = 'public'".to_owned()).await {
        if LEFT_OUT.contains(&table.as_str()) {
            continue;
        }
        let columns = texts(format!(
            "SELECT column_name::TEXT FROM information_schema.columns
             WHERE table_schema = 'public' AND table_name = '{table}'
                 AND (table_name, column_name) <> ('delivery_document', 'rowid')
             ORDER BY column_name COLLATE \"C\""
        ));
        let columns = columns.await;
        let rows = client.query(&select(&table, &columns), &[]).await.unwrap();
        let row = |row: &tokio_postgres::Row| {
            let values = columns.iter().enumerate().map(|(index, name)| {
                let value = match *row.columns()[index].type_() {
                    Type::INT8 => row.get::<_, Option<i64>>(index).map(|integer| integer.to_string()),
                    Type::TEXT => row.get::<_, Option<&str>>(index).map(text_form),
                    Type::BYTEA => row.get::<_, Option<&[u8]>>(index).map(|bytes| format!("{bytes:02x?}")),
                    ref other => panic!("{table}.{name} is of type {other}"),
                };
                format!("{name}: {}", value.unwrap_or_else(|| "NULL".to_owned()))
            });
            values.collect::<Vec<_>>().join(", ")
        };
        let mut rows = sorted(rows.iter().map(row).collect());
        rows.retain(|row| !row.starts_with("name: \"database_identity\""));
        dump.insert(table, rows);
    }
    dump
}

/// PostgreSQL cannot store a NUL, and stores another character.
fn text_form(text: impl AsRef<str>) -> String {
    format!("{:?}", text.as_ref().replace('\0', "\u{FFFD}"))
}

fn select(table: &str, columns: &[String]) -> String {
    let columns: Vec<String> = columns.iter().map(|name| format!("\"{name}\"")).collect();
    format!("SELECT {} FROM \"{table}\"", columns.join(", "))
}

fn sorted(mut rows: Vec<String>) -> Vec<String> {
    rows.sort();
    rows
}
