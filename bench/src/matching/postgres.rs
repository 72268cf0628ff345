//! PostgreSQL as a peer: a local server over a Unix socket, one round trip per property.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use domain::Property;
use domain::criteria::Entry;
use postgres::{Client, Statement};

use super::Engine;
use super::draw::Searches;
use super::row::{PropertyRow, SearchRow};
use crate::search::postgres::{Nullable, SETTINGS, connect};
use local_postgres::Server;

/// Fields are dropped in order: the client must go before the server.
pub struct Postgres {
    client: Client,
    matching: Statement,
    /// The expressions that the client verifies, by search.
    expressions: HashMap<u32, Vec<Vec<Entry>>>,
    _server: Server,
}

const SCHEMA: &str = include_str!("postgres/schema.sql");
const INDEXES: &str = include_str!("postgres/indexes.sql");

const MATCH: &str = "SELECT search, verify FROM saved_search
    WHERE scope = ANY ($1) AND transaction_type = $2 AND property_type = $3 AND budget_max >= $4
        AND (budget_min IS NULL OR budget_min <= $4)
        AND (surface_min IS NULL OR surface_min <= $5)
        AND (room_min IS NULL OR room_min <= $6)
        AND (NOT coherent OR $7)
        AND (publishers IS NULL OR publishers & $8 <> 0)
        AND (rim IS NULL OR x * $9 + y * $10 + z * $11 >= rim)
        AND (required IS NULL OR required && $12)";

impl Postgres {
    /// Starts a server and loads the searches; `None` if PostgreSQL is not installed.
    pub fn load(searches: &Searches<'_>, count: u32, folder: &Path) -> anyhow::Result<Option<Self>> {
        let Some(programs) = Server::programs() else {
            println!("PostgreSQL is not available: no initdb and postgres");
            return Ok(None);
        };
        let folder = folder.join(format!("match-{count}"));
        std::fs::create_dir_all(&folder)?;
        let server = match Server::start(programs, &folder, SETTINGS) {
            Ok(server) => server,
            Err(error) => {
                println!("PostgreSQL is not available: {error:#}");
                return Ok(None);
            }
        };
        let mut client = connect(&server)?;
        client.batch_execute(SCHEMA)?;
        let mut expressions = HashMap::new();
        let mut table = client.copy_in("COPY saved_search FROM STDIN")?;
        for number in 0..count {
            let wanted = searches.get(number);
            copy(&mut table, number, &SearchRow::of(&wanted, searches.dataset().gazetteer()))?;
            if !wanted.expressions.is_empty() {
                expressions.insert(number, wanted.expressions);
            }
        }
        table.finish()?;
        // One at a time: several statements would be one transaction, and VACUUM cannot run in one.
        for statement in INDEXES.split(';').filter(|statement| !statement.trim().is_empty()) {
            client.batch_execute(statement)?;
        }
        let matching = client.prepare(MATCH)?;
        Ok(Some(Self { client, matching, expressions, _server: server }))
    }
}

impl Engine for Postgres {
    fn name(&self) -> &str {
        "PostgreSQL"
    }

    fn matches(&mut self, property: &Property) -> anyhow::Result<Vec<u32>> {
        let Some(probe) = PropertyRow::of(property) else { return Ok(Vec::new()) };
        let scopes: Vec<i64> = probe.scopes.iter().map(|scope| scope.0).collect();
        let [x, y, z] = probe.point.map_or([None; 3], |point| point.map(Some));
        let room = probe.room.map(|room| room as i32);
        let words: Vec<&str> = probe.text.words().into_iter().collect();
        let rows = self.client.query(
            &self.matching,
            &[
                &scopes,
                &i16::from(probe.transaction),
                &i16::from(probe.kind),
                &probe.price,
                &probe.surface,
                &room,
                &probe.coherent,
                &i32::from(probe.publishers),
                &x,
                &y,
                &z,
                &words,
            ],
        )?;
        let mut found = Vec::with_capacity(rows.len());
        for row in rows {
            let (search, verify): (i32, bool) = (row.try_get(0)?, row.try_get(1)?);
            let search = u32::try_from(search)?;
            if !verify
                || self.expressions.get(&search).is_some_and(|expressions| probe.text.satisfies(expressions))
            {
                found.push(search);
            }
        }
        Ok(found)
    }
}

fn copy(table: &mut impl Write, number: u32, row: &SearchRow) -> anyhow::Result<()> {
    let [x, y, z] = row.circle.map_or([None; 3], |(centre, _)| centre.map(Some));
    // Words are letters and digits: an array of them needs no quotes.
    let required =
        row.required.as_ref().map(|words| format!("{{{}}}", Vec::from_iter(words.iter().cloned()).join(",")));
    for scope in &row.scopes {
        for kind in &row.kinds {
            writeln!(
                table,
                "{}\t{}\t{kind}\t{}\t{number}\tt\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
                scope.0,
                row.transaction,
                row.budget_max,
                Nullable(row.budget_min),
                Nullable(row.surface_min),
                Nullable(row.room_min),
                Nullable(row.publishers),
                Nullable(x),
                Nullable(y),
                Nullable(z),
                Nullable(row.circle.map(|(_, rim)| rim)),
                Nullable(required.as_deref()),
                row.verify,
            )?;
        }
    }
    Ok(())
}
