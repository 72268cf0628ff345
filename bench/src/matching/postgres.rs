//! PostgreSQL as a peer: a server of our own beside us, asked over a local socket, one round trip a property.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use domain::Property;
use domain::criteria::Entry;
use postgres::{Client, Statement};

use super::Engine;
use super::draw::Searches;
use super::row::{Arrival, SearchRow};
use crate::search::postgres::server::Server;
use crate::search::postgres::{Known, connect};

/// The client goes before the server: fields are dropped in their order.
pub struct Postgres {
    client: Client,
    matching: Statement,
    /// What the client checks, by search.
    expressions: HashMap<u32, Vec<Vec<Entry>>>,
    _server: Server,
}

const SCHEMA: &str = include_str!("postgres/schema.sql");
const INDEXES: &str = include_str!("postgres/indexes.sql");

const MATCH: &str = "SELECT search, verify FROM standing
    WHERE scope = ANY ($1) AND transaction_type = $2 AND property_type = $3 AND budget_max >= $4
        AND (budget_min IS NULL OR budget_min <= $4)
        AND (surface_min IS NULL OR surface_min <= $5)
        AND (room_min IS NULL OR room_min <= $6)
        AND (NOT coherent OR $7)
        AND (publishers IS NULL OR publishers & $8 <> 0)
        AND (rim IS NULL OR x * $9 + y * $10 + z * $11 >= rim)
        AND (required IS NULL OR required && $12)";

impl Postgres {
    /// Nothing where this machine has none.
    pub fn load(searches: &Searches<'_>, count: u32, folder: &Path) -> anyhow::Result<Option<Self>> {
        let Some(programs) = Server::programs() else {
            println!("PostgreSQL is not there: no initdb and postgres");
            return Ok(None);
        };
        let folder = folder.join(format!("match-{count}"));
        std::fs::create_dir_all(&folder)?;
        let server = match Server::start(programs, &folder) {
            Ok(server) => server,
            Err(error) => {
                println!("PostgreSQL is not there: {error:#}");
                return Ok(None);
            }
        };
        let mut client = connect(&server)?;
        client.batch_execute(SCHEMA)?;
        let mut expressions = HashMap::new();
        let mut table = client.copy_in("COPY standing FROM STDIN")?;
        for number in 0..count {
            let wanted = searches.get(number);
            copy(&mut table, number, &SearchRow::of(&wanted, searches.dataset().gazetteer()))?;
            if !wanted.expressions.is_empty() {
                expressions.insert(number, wanted.expressions);
            }
        }
        table.finish()?;
        // One at a time: together they would be one transaction, in which nothing can be vacuumed.
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
        let Some(arrival) = Arrival::of(property) else { return Ok(Vec::new()) };
        let scopes: Vec<i64> = arrival.scopes.iter().map(|scope| scope.0).collect();
        let [x, y, z] = arrival.point.map_or([None; 3], |point| point.map(Some));
        let room = arrival.room.map(|room| room as i32);
        let words: Vec<&str> = arrival.text.words().into_iter().collect();
        let rows = self.client.query(
            &self.matching,
            &[
                &scopes,
                &i16::from(arrival.transaction),
                &i16::from(arrival.kind),
                &arrival.price,
                &arrival.surface,
                &room,
                &arrival.coherent,
                &i32::from(arrival.publishers),
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
            if !verify || self.expressions.get(&search).is_some_and(|asked| arrival.text.meets(asked)) {
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
                Known(row.budget_min),
                Known(row.surface_min),
                Known(row.room_min),
                Known(row.publishers),
                Known(x),
                Known(y),
                Known(z),
                Known(row.circle.map(|(_, rim)| rim)),
                Known(required.as_deref()),
                row.verify,
            )?;
        }
    }
    Ok(())
}
