//! The peers return correct results: a comparison with a peer that skips work proves nothing.

use super::Engine;
use super::dataset::Dataset;
use super::query::{self, Kind};
use super::scan::Scan;
use super::sqlite::Sqlite;
use super::tantivy::Tantivy;
use super::vigie::Vigie;

/// Small enough for a debug build, large enough for most queries to have hits.
const PROPERTIES: u64 = 2_000;
const QUERIES: usize = 100;

fn check(engine: &mut dyn Engine, dataset: &Dataset) {
    let mut scan = Scan::load(dataset.rows());
    for kind in Kind::ALL {
        let mut found = 0;
        for query in query::draw(dataset, kind, QUERIES) {
            let expected = scan.search(&query).unwrap();
            found += expected.total;
            assert_eq!(engine.search(&query).unwrap(), expected, "{query:?}");
        }
        assert!(found > 0, "{kind:?} has no hits, so nothing was compared");
    }
}

#[test]
fn sqlite_agrees_with_a_scan() {
    let (dataset, folder) = (Dataset::new(PROPERTIES, 3).unwrap(), tempfile::tempdir().unwrap());
    check(&mut Sqlite::load(dataset.rows(), folder.path()).unwrap(), &dataset);
}

#[test]
fn tantivy_agrees_with_a_scan() {
    let (dataset, folder) = (Dataset::new(PROPERTIES, 3).unwrap(), tempfile::tempdir().unwrap());
    check(&mut Tantivy::load(dataset.rows(), folder.path()).unwrap(), &dataset);
}

#[test]
fn vigie_agrees_with_a_scan() {
    let dataset = Dataset::new(PROPERTIES, 3).unwrap();
    check(&mut Vigie::load(dataset.properties()), &dataset);
}

#[test]
fn the_market_is_repeatable() {
    let dataset = Dataset::new(1_500, 3).unwrap();
    let rows: Vec<_> = dataset.rows().collect();
    assert_eq!(rows.len(), 1_500);
    assert!(rows == dataset.rows().collect::<Vec<_>>());
    let ids = dataset.properties().map(|property| *property.id.as_bytes());
    assert!(rows.iter().map(|row| row.id).eq(ids));
}
