//! SQLite as a peer: in process, fully cached, with one clustered table by place, property type and budget.
//!
//! Required words have their own table. The client verifies phrases and excluded words in the text.

use std::collections::HashMap;
use std::path::Path;

use domain::Property;
use domain::criteria::Entry;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, params};

use super::Engine;
use super::draw::Searches;
use super::row::{PropertyRow, SearchRow};

pub struct Sqlite {
    connection: Connection,
    /// The expressions that the client verifies, by search.
    expressions: HashMap<u32, Vec<Vec<Entry>>>,
}

const SCHEMA: &str = include_str!("sqlite/schema.sql");

/// No crash safety, and a cache that holds everything.
const SETTINGS: &str = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4000000;";

const MATCH: &str = "SELECT search, verify FROM saved_search
    WHERE scope IN (?1, ?2, ?3, ?4, ?5) AND transaction_type = ?6 AND property_type = ?7 AND budget_max >= ?8
        AND (budget_min IS NULL OR budget_min <= ?8)
        AND (surface_min IS NULL OR surface_min <= ?9)
        AND (room_min IS NULL OR room_min <= ?10)
        AND (NOT coherent OR ?11)
        AND (publishers IS NULL OR publishers & ?12)
        AND (rim IS NULL OR x * ?13 + y * ?14 + z * ?15 >= rim)
        AND (NOT required OR EXISTS (
            SELECT 1 FROM required_word
            WHERE required_word.search = saved_search.search AND word IN (SELECT value FROM json_each(?16))))";

impl Sqlite {
    pub fn load(searches: &Searches<'_>, count: u32, folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(format!("match-{count}.sqlite"));
        let mut connection = Connection::open(path)?;
        connection.execute_batch(SETTINGS)?;
        // Without this setting SQLite would recompile the statement for every value.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.execute_batch(SCHEMA)?;
        let mut expressions = HashMap::new();
        let transaction = connection.transaction()?;
        for number in 0..count {
            let wanted = searches.get(number);
            insert(&transaction, number, &SearchRow::of(&wanted, searches.dataset().gazetteer()))?;
            if !wanted.expressions.is_empty() {
                expressions.insert(number, wanted.expressions);
            }
        }
        transaction.commit()?;
        connection.execute_batch("ANALYZE")?;
        Ok(Self { connection, expressions })
    }
}

impl Engine for Sqlite {
    fn name(&self) -> &str {
        "SQLite"
    }

    fn matches(&mut self, property: &Property) -> anyhow::Result<Vec<u32>> {
        let Some(probe) = PropertyRow::of(property) else { return Ok(Vec::new()) };
        let scope = |place: usize| probe.scopes.get(place).map(|scope| scope.0);
        let [x, y, z] = probe.point.map_or([None; 3], |point| point.map(Some));
        let words = serde_json::to_string(&probe.text.words())?;
        let mut statement = self.connection.prepare_cached(MATCH)?;
        let mut rows = statement.query(params![
            scope(0),
            scope(1),
            scope(2),
            scope(3),
            scope(4),
            probe.transaction,
            probe.kind,
            probe.price,
            probe.surface,
            probe.room,
            probe.coherent,
            probe.publishers,
            x,
            y,
            z,
            words,
        ])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let (search, verify): (u32, bool) = (row.get(0)?, row.get(1)?);
            if !verify
                || self.expressions.get(&search).is_some_and(|expressions| probe.text.satisfies(expressions))
            {
                found.push(search);
            }
        }
        Ok(found)
    }
}

fn insert(connection: &Connection, number: u32, row: &SearchRow) -> anyhow::Result<()> {
    let mut statement =
        connection.prepare_cached("INSERT INTO saved_search VALUES (?,?,?,?,?,TRUE,?,?,?,?,?,?,?,?,?,?)")?;
    let [x, y, z] = row.circle.map_or([None; 3], |(centre, _)| centre.map(Some));
    for scope in &row.scopes {
        for kind in &row.kinds {
            statement.execute(params![
                scope.0,
                row.transaction,
                kind,
                row.budget_max,
                number,
                row.budget_min,
                row.surface_min,
                row.room_min,
                row.publishers,
                x,
                y,
                z,
                row.circle.map(|(_, rim)| rim),
                row.required.is_some(),
                row.verify,
            ])?;
        }
    }
    for word in row.required.iter().flatten() {
        connection
            .prepare_cached("INSERT INTO required_word VALUES (?, ?)")?
            .execute(params![number, word])?;
    }
    Ok(())
}
