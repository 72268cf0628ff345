//! PostgreSQL with PostGIS as a peer: a local server over a Unix socket, one round trip per query.
//!
//! GiST and GIN indexes cannot cover, so circles and words visit the table. Circles are on the sphere and not on the spheroid, as in
//! Vigie: this is faster, and the results are comparable.

use std::collections::HashMap;
use std::fmt::{self, Display};
use std::io::Write;
use std::path::Path;

use postgres::types::ToSql;
use postgres::{Client, Config, NoTls, Statement};
use uuid::Uuid;
use world::Budget;

use super::Engine;
use super::query::{Criteria, Query, TopHits};
use super::row::Row;
use super::sqlite::scope_word;
use local_postgres::{Server, USER};

/// Enough memory for the whole market; no just-in-time compilation, which costs more than a short query takes, and no crash safety.
/// Everything else has its default.
pub const SETTINGS: &str = "
shared_buffers = 2GB
effective_cache_size = 6GB
work_mem = 64MB
maintenance_work_mem = 1GB
random_page_cost = 1.1
jit = off
fsync = off
full_page_writes = off
synchronous_commit = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = 8GB
autovacuum = off
";

/// Fields are dropped in order: the client must go before the server.
pub struct Postgres {
    client: Client,
    statements: HashMap<&'static str, Statement>,
    server: Server,
}

/// The outcome of starting the server.
pub enum Start {
    Ready(Box<Postgres>),
    NotAvailable(String),
}

const SCHEMA: &str = include_str!("postgres/schema.sql");
const INDEXES: &str = include_str!("postgres/indexes.sql");

impl Postgres {
    pub fn start(folder: &Path) -> anyhow::Result<Start> {
        let Some(programs) = Server::programs() else {
            return Ok(Start::NotAvailable("no initdb and postgres".to_owned()));
        };
        let server = match Server::start(programs, folder, SETTINGS) {
            Ok(server) => server,
            Err(error) => return Ok(Start::NotAvailable(format!("{error:#}"))),
        };
        let mut client = connect(&server)?;
        if let Err(error) = client.batch_execute(SCHEMA) {
            return Ok(Start::NotAvailable(format!("PostGIS is required: {error}")));
        }
        Ok(Start::Ready(Box::new(Self { client, statements: HashMap::new(), server })))
    }

    pub fn load(&mut self, rows: impl Iterator<Item = Row>) -> anyhow::Result<()> {
        // A connection copies into one table at a time.
        let mut for_words = connect(&self.server)?;
        let (mut for_adverts, mut for_events) = (connect(&self.server)?, connect(&self.server)?);
        let mut words = for_words.copy_in("COPY property_words FROM STDIN")?;
        let mut properties = self.client.copy_in("COPY property FROM STDIN")?;
        let mut adverts = for_adverts.copy_in("COPY advert FROM STDIN")?;
        let mut events = for_events.copy_in("COPY price_event FROM STDIN")?;
        for row in rows {
            let (id, transaction) = (Uuid::from_bytes(row.id), row.transaction.code());
            let (price_per_meter, created) = (Nullable(row.price_per_meter), row.created);
            let on_offer = row.is_on_offer();
            writeln!(
                properties,
                "{id}\t{transaction}\t{}\t{}\t{}\t{}\t{}\t{price_per_meter}\t{created}\t{}\t{on_offer}",
                row.kind.code(),
                row.city,
                row.department,
                Nullable(row.price),
                Nullable(row.surface),
                Nullable(row.point.map(|point| format!("SRID=4326;POINT({} {})", point.lon(), point.lat()))),
            )?;
            let scope = scope_word(row.transaction, row.kind);
            writeln!(words, "{id}\t{created}\t{price_per_meter}\t{on_offer}\t{} {scope}", row.text)?;
            for advert in &row.adverts {
                writeln!(
                    adverts,
                    "{id}\t{transaction}\t{}\t{}\t{}\t{created}\t{price_per_meter}\t{}",
                    row.city,
                    Nullable(advert.energy.map(|letter| letter as u8)),
                    Nullable(advert.construction_year),
                    on_offer && !advert.expired,
                )?;
            }
            for event in &row.price_events {
                writeln!(
                    events,
                    "{id}\t{transaction}\t{}\t{}\t{}\t{created}\t{price_per_meter}\t{}",
                    row.department,
                    event.at,
                    event.percent,
                    on_offer && !event.expired,
                )?;
            }
        }
        properties.finish()?;
        words.finish()?;
        adverts.finish()?;
        events.finish()?;
        // One at a time: several statements would be one transaction, and VACUUM cannot run in one.
        for statement in INDEXES.split(';').filter(|statement| !statement.trim().is_empty()) {
            self.client.batch_execute(statement)?;
        }
        Ok(())
    }

    fn query(&mut self, text: &'static str, parameters: &[&(dyn ToSql + Sync)]) -> anyhow::Result<TopHits> {
        let statement = match self.statements.get(text) {
            Some(statement) => statement.clone(),
            None => {
                let statement = self.client.prepare(text)?;
                self.statements.insert(text, statement.clone());
                statement
            }
        };
        let record = self.client.query_one(&statement, parameters)?;
        let (total, ids): (i64, Vec<Uuid>) = (record.try_get(0)?, record.try_get(1)?);
        Ok(TopHits { total: total as u64, ids: ids.into_iter().map(Uuid::into_bytes).collect() })
    }
}

/// Connects to the local server.
pub fn connect(server: &Server) -> anyhow::Result<Client> {
    let mut config = Config::new();
    config.host_path(server.sockets()).user(USER).dbname("postgres");
    Ok(config.connect(NoTls)?)
}

/// A nullable value in the text format of COPY.
pub struct Nullable<T>(pub Option<T>);

impl<T: Display> Display for Nullable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("\\N"),
        }
    }
}

impl Engine for Postgres {
    fn name(&self) -> &str {
        "PostgreSQL"
    }

    fn search(&mut self, query: &Query) -> anyhow::Result<TopHits> {
        let transaction = i16::from(query.transaction.code());
        match &query.criteria {
            Criteria::City { city, budget, surface_min } => {
                let (min, max) = bounds(budget);
                self.query(CITY, &[&transaction, &i32::try_from(*city)?, &min, &max, surface_min])
            }
            Criteria::Department { department, budget, surface_min } => {
                let (min, max) = bounds(budget);
                self.query(DEPARTMENT, &[&transaction, &i32::try_from(*department)?, &min, &max, surface_min])
            }
            Criteria::Radius { centre, radius_km, budget } => {
                let (min, max) = bounds(budget);
                let metres = radius_km * 1_000.0;
                self.query(RADIUS, &[&transaction, &centre.lon(), &centre.lat(), &metres, &min, &max])
            }
            Criteria::Words { words: [one, other], kind } => {
                let words = format!("{one} & {other} & {}", scope_word(query.transaction, *kind));
                self.query(WORDS, &[&words])
            }
            Criteria::Country { kinds } => {
                let codes: Vec<i16> = kinds.iter().map(|kind| i16::from(kind.code())).collect();
                self.query(COUNTRY, &[&transaction, &codes])
            }
            Criteria::Energy { city, letters, year_min } => {
                let codes: Vec<i16> = letters.iter().map(|letter| *letter as i16).collect();
                self.query(ENERGY, &[&transaction, &i32::try_from(*city)?, &codes, year_min])
            }
            Criteria::PriceDrop { department, percent_max, since } => {
                self.query(PRICE_DROP, &[&transaction, &i32::try_from(*department)?, since, percent_max])
            }
        }
    }
}

fn bounds(budget: &Budget) -> (f64, f64) {
    (budget.min.unwrap_or(0.0), budget.max)
}

// `price + 0` keeps the planner from using the price index and sorting. It does not know the bounds of a prepared statement and
// expects few rows; in index order, the query ends after a few dozen rows.
const CITY: &str = "SELECT
    (SELECT count(*) FROM property WHERE on_offer AND transaction_type = $1 AND city = $2
        AND price BETWEEN $3 AND $4 AND surface >= $5),
    ARRAY(SELECT id FROM property WHERE on_offer AND transaction_type = $1 AND city = $2
        AND price + 0 BETWEEN $3 AND $4 AND surface >= $5
        ORDER BY created DESC, price_per_meter DESC NULLS LAST, id LIMIT 10)";
const DEPARTMENT: &str = "SELECT
    (SELECT count(*) FROM property WHERE on_offer AND transaction_type = $1 AND department = $2
        AND price BETWEEN $3 AND $4 AND surface >= $5),
    ARRAY(SELECT id FROM property WHERE on_offer AND transaction_type = $1 AND department = $2
        AND price + 0 BETWEEN $3 AND $4 AND surface >= $5
        ORDER BY created DESC, price_per_meter DESC NULLS LAST, id LIMIT 10)";
const RADIUS: &str = "WITH hit AS MATERIALIZED (
        SELECT created, price_per_meter, id FROM property
        WHERE on_offer AND transaction_type = $1
            AND ST_DWithin(point, ST_SetSRID(ST_MakePoint($2, $3), 4326)::geography, $4, false)
            AND price BETWEEN $5 AND $6)
    SELECT (SELECT count(*) FROM hit),
        ARRAY(SELECT id FROM hit ORDER BY created DESC, price_per_meter DESC NULLS LAST, id LIMIT 10)";
const WORDS: &str = "WITH hit AS MATERIALIZED (
        SELECT created, price_per_meter, id FROM property_words WHERE on_offer AND words @@ to_tsquery('simple', $1))
    SELECT (SELECT count(*) FROM hit),
        ARRAY(SELECT id FROM hit ORDER BY created DESC, price_per_meter DESC NULLS LAST, id LIMIT 10)";
const COUNTRY: &str = "SELECT
    (SELECT count(*) FROM property WHERE on_offer AND transaction_type = $1 AND property_type = ANY ($2)),
    ARRAY(SELECT id FROM unnest($2::int2[]) AS wanted CROSS JOIN LATERAL
        (SELECT price, id FROM property
            WHERE on_offer AND transaction_type = $1 AND property_type = wanted ORDER BY price, id LIMIT 10) AS cheap
        ORDER BY price, id LIMIT 10)";
const ENERGY: &str = "WITH hit AS MATERIALIZED (
        SELECT DISTINCT created, price_per_meter, id FROM advert
        WHERE on_offer AND transaction_type = $1 AND city = $2 AND energy = ANY ($3) AND construction_year >= $4)
    SELECT (SELECT count(*) FROM hit),
        ARRAY(SELECT id FROM hit ORDER BY created DESC, price_per_meter DESC NULLS LAST, id LIMIT 10)";
const PRICE_DROP: &str = "WITH hit AS MATERIALIZED (
        SELECT DISTINCT created, price_per_meter, id FROM price_event
        WHERE on_offer AND transaction_type = $1 AND department = $2 AND at >= $3 AND percent <= $4)
    SELECT (SELECT count(*) FROM hit),
        ARRAY(SELECT id FROM hit ORDER BY created DESC, price_per_meter DESC NULLS LAST, id LIMIT 10)";
