//! SQLite as a peer: in process, fully cached, with an index for every kind of query.
//!
//! Circles use grid cells instead of the R*Tree, which has neither price nor transaction type, so each of its hits costs a lookup in
//! the table. With 100,000 properties the grid took a quarter of the time.

use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, Params, Row as Record, params};
use world::Budget;

use super::Engine;
use super::query::{Criteria, Query, TopHits};
use super::row::Row;
use super::sphere::{self, Circle};
use super::top_k::{self, TopK};

pub struct Sqlite {
    connection: Connection,
}

const SCHEMA: &str = include_str!("sqlite/schema.sql");
const INDEXES: &str = include_str!("sqlite/indexes.sql");

/// No crash safety, and a cache that holds everything.
const SETTINGS: &str = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4000000;";

impl Sqlite {
    pub fn load(rows: impl Iterator<Item = Row>, folder: &Path) -> anyhow::Result<Self> {
        let mut connection = Connection::open(folder.join("peer.sqlite"))?;
        connection.execute_batch(SETTINGS)?;
        // Statements name their index. Without this setting SQLite would recompile them for every value.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.execute_batch(SCHEMA)?;
        connection.set_prepared_statement_cache_capacity(64);
        let transaction = connection.transaction()?;
        for (number, row) in rows.enumerate() {
            insert(&transaction, number, &row)?;
        }
        transaction.commit()?;
        connection.execute_batch(INDEXES)?;
        Ok(Self { connection })
    }

    /// Runs two statements: one counts, the other reads the first ten in index order.
    fn count_and_first(
        &self,
        count: &str,
        first: &str,
        parameters: impl Params + Clone,
    ) -> anyhow::Result<TopHits> {
        let total = self.connection.prepare_cached(count)?.query_row(parameters.clone(), |row| row.get(0))?;
        let mut statement = self.connection.prepare_cached(first)?;
        let ids = statement.query_map(parameters, |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(TopHits { total, ids })
    }

    /// Runs one statement that collects all hits, counts and sorts them, for orders that no index has.
    fn collect_and_sort(&self, gather: &str, parameters: impl Params) -> anyhow::Result<TopHits> {
        let mut statement = self.connection.prepare_cached(gather)?;
        let record = |row: &Record<'_>| Ok((row.get(0)?, row.get(1)?));
        let records: Vec<(u64, [u8; 16])> =
            statement.query_map(parameters, record)?.collect::<Result<_, _>>()?;
        let total = records.first().map_or(0, |(total, _)| *total);
        Ok(TopHits { total, ids: records.into_iter().map(|(_, id)| id).collect() })
    }

    fn country(&self, transaction: u8, kinds: &[domain::PropertyType]) -> anyhow::Result<TopHits> {
        let (mut total, mut top) = (0, TopK::default());
        for kind in kinds {
            let parameters = params![transaction, kind.code()];
            let found: Option<u64> = self
                .connection
                .prepare_cached(COUNTRY_COUNT)?
                .query_row(parameters, |row| row.get(0))
                .optional()?;
            total += found.unwrap_or(0);
            let mut statement = self.connection.prepare_cached(COUNTRY_FIRST)?;
            for record in statement.query_map(parameters, |row| Ok((row.get(0)?, row.get(1)?)))? {
                let (price, id): (Option<f64>, [u8; 16]) = record?;
                top.push((top_k::cheapest(price), 0, id));
            }
        }
        Ok(TopHits { total, ids: top.into_ids() })
    }
}

impl Engine for Sqlite {
    fn name(&self) -> &str {
        "SQLite"
    }

    fn search(&mut self, query: &Query) -> anyhow::Result<TopHits> {
        let transaction = query.transaction.code();
        match &query.criteria {
            Criteria::City { city, budget, surface_min } => {
                let (min, max) = bounds(budget);
                self.count_and_first(
                    CITY_COUNT,
                    CITY_FIRST,
                    params![transaction, city, min, max, surface_min],
                )
            }
            Criteria::Department { department, budget, surface_min } => {
                let (min, max) = bounds(budget);
                let parameters = params![transaction, department, min, max, surface_min];
                self.count_and_first(DEPARTMENT_COUNT, DEPARTMENT_FIRST, parameters)
            }
            Criteria::Radius { centre, radius_km, budget } => {
                let Circle { centre: [x, y, z], rim, cells } = Circle::new(*centre, *radius_km);
                let (min, max) = bounds(budget);
                let cells = serde_json::to_string(&cells)?;
                self.collect_and_sort(RADIUS, params![transaction, cells, min, max, x, y, z, rim])
            }
            Criteria::Words { words: [one, other], kind } => {
                let words = format!("{one} AND {other} AND {}", scope_word(query.transaction, *kind));
                self.collect_and_sort(WORDS, params![words])
            }
            Criteria::Country { kinds } => self.country(transaction, kinds),
            Criteria::Energy { city, letters, year_min } => {
                let codes: Vec<u8> = letters.iter().map(|letter| *letter as u8).collect();
                self.collect_and_sort(
                    ENERGY,
                    params![transaction, city, serde_json::to_string(&codes)?, year_min],
                )
            }
            Criteria::PriceDrop { department, percent_max, since } => {
                self.collect_and_sort(PRICE_DROP, params![transaction, department, since, percent_max])
            }
        }
    }
}

const CITY_COUNT: &str = "SELECT count(*) FROM property INDEXED BY city_price
    WHERE on_offer AND transaction_type = ?1 AND city = ?2 AND price BETWEEN ?3 AND ?4 AND surface >= ?5";
const CITY_FIRST: &str = "SELECT id FROM property INDEXED BY city_newest
    WHERE on_offer AND transaction_type = ?1 AND city = ?2 AND price BETWEEN ?3 AND ?4 AND surface >= ?5
    ORDER BY created DESC, price_per_meter DESC, id LIMIT 10";
const DEPARTMENT_COUNT: &str = "SELECT count(*) FROM property INDEXED BY department_price
    WHERE on_offer AND transaction_type = ?1 AND department = ?2 AND price BETWEEN ?3 AND ?4 AND surface >= ?5";
const DEPARTMENT_FIRST: &str = "SELECT id FROM property INDEXED BY department_newest
    WHERE on_offer AND transaction_type = ?1 AND department = ?2 AND price BETWEEN ?3 AND ?4 AND surface >= ?5
    ORDER BY created DESC, price_per_meter DESC, id LIMIT 10";
const RADIUS: &str = "WITH hit AS MATERIALIZED (
        SELECT created, price_per_meter, id FROM property INDEXED BY cell_price
        WHERE on_offer AND transaction_type = ?1 AND cell IN (SELECT value FROM json_each(?2))
            AND price BETWEEN ?3 AND ?4 AND x * ?5 + y * ?6 + z * ?7 >= ?8)
    SELECT (SELECT count(*) FROM hit), id FROM hit ORDER BY created DESC, price_per_meter DESC, id LIMIT 10";
const WORDS: &str = "WITH hit AS MATERIALIZED (
        SELECT created, price_per_meter, id FROM word JOIN property ON property.number = word.rowid
        WHERE word MATCH ?1)
    SELECT (SELECT count(*) FROM hit), id FROM hit ORDER BY created DESC, price_per_meter DESC, id LIMIT 10";
const COUNTRY_COUNT: &str = "SELECT count(*) FROM property INDEXED BY type_price
    WHERE on_offer AND transaction_type = ?1 AND property_type = ?2";
const COUNTRY_FIRST: &str = "SELECT price, id FROM property INDEXED BY type_price
    WHERE on_offer AND transaction_type = ?1 AND property_type = ?2 ORDER BY price, id LIMIT 10";
const ENERGY: &str = "WITH hit AS MATERIALIZED (
        SELECT DISTINCT created, price_per_meter, id FROM advert INDEXED BY advert_city
        WHERE on_offer AND transaction_type = ?1 AND city = ?2 AND energy IN (SELECT value FROM json_each(?3))
            AND construction_year >= ?4)
    SELECT (SELECT count(*) FROM hit), id FROM hit ORDER BY created DESC, price_per_meter DESC, id LIMIT 10";
const PRICE_DROP: &str = "WITH hit AS MATERIALIZED (
        SELECT DISTINCT created, price_per_meter, id FROM price_event INDEXED BY price_event_department
        WHERE on_offer AND transaction_type = ?1 AND department = ?2 AND at >= ?3 AND percent <= ?4)
    SELECT (SELECT count(*) FROM hit), id FROM hit ORDER BY created DESC, price_per_meter DESC, id LIMIT 10";

fn bounds(budget: &Budget) -> (f64, f64) {
    (budget.min.unwrap_or(0.0), budget.max)
}

/// Returns a synthetic word for a transaction and a property type, so that the full-text index can count without the table.
pub fn scope_word(transaction: domain::TransactionType, kind: domain::PropertyType) -> String {
    format!("scope{}{}", transaction.code(), kind.code())
}

fn insert(connection: &Connection, number: usize, row: &Row) -> anyhow::Result<()> {
    let (transaction, on_offer) = (row.transaction.code(), row.is_on_offer());
    let [x, y, z] = row.point.map_or([None; 3], |point| sphere::unit(point).map(Some));
    connection.prepare_cached("INSERT INTO property VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")?.execute(
        params![
            number,
            row.id,
            transaction,
            row.kind.code(),
            row.city,
            row.department,
            row.price,
            row.surface,
            row.price_per_meter,
            row.created,
            row.point.map(sphere::cell),
            x,
            y,
            z,
            on_offer
        ],
    )?;
    let scope = if on_offer { scope_word(row.transaction, row.kind) } else { String::new() };
    connection
        .prepare_cached("INSERT INTO word (rowid, text) VALUES (?1, ?2)")?
        .execute(params![number, format!("{} {scope}", row.text)])?;
    for advert in &row.adverts {
        connection.prepare_cached("INSERT INTO advert VALUES (?,?,?,?,?,?,?,?)")?.execute(params![
            transaction,
            row.city,
            advert.energy.map(|letter| letter as u8),
            advert.construction_year,
            row.created,
            row.price_per_meter,
            row.id,
            on_offer && !advert.expired
        ])?;
    }
    for event in &row.price_events {
        connection.prepare_cached("INSERT INTO price_event VALUES (?,?,?,?,?,?,?,?)")?.execute(params![
            transaction,
            row.department,
            event.at,
            event.percent,
            row.created,
            row.price_per_meter,
            row.id,
            on_offer && !event.expired
        ])?;
    }
    Ok(())
}
