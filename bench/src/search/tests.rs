//! The peers answer what was asked: a peer that forgets something is fast, and proves nothing.

use super::Engine;
use super::dataset::Dataset;
use super::query::{self, Kind};
use super::scan::Scan;
use super::sqlite::Sqlite;
use super::tantivy::Tantivy;
use super::vigie::Vigie;

/// Small enough for a debug build, large enough for most queries to find something.
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
        assert!(found > 0, "{kind:?} finds nothing, so that nothing was compared");
    }
}

#[test]
fn sqlite_answers_like_a_scan() {
    let (dataset, folder) = (Dataset::new(PROPERTIES, 3).unwrap(), tempfile::tempdir().unwrap());
    check(&mut Sqlite::load(dataset.rows(), folder.path()).unwrap(), &dataset);
}

#[test]
fn tantivy_answers_like_a_scan() {
    let (dataset, folder) = (Dataset::new(PROPERTIES, 3).unwrap(), tempfile::tempdir().unwrap());
    check(&mut Tantivy::load(dataset.rows(), folder.path()).unwrap(), &dataset);
}

#[test]
fn vigie_answers_like_a_scan() {
    let dataset = Dataset::new(PROPERTIES, 3).unwrap();
    check(&mut Vigie::load(dataset.properties()), &dataset);
}

#[test]
fn the_market_is_the_same_each_time() {
    let dataset = Dataset::new(1_500, 3).unwrap();
    let rows: Vec<_> = dataset.rows().collect();
    assert_eq!(rows.len(), 1_500);
    assert!(rows == dataset.rows().collect::<Vec<_>>());
    let ids = dataset.properties().map(|property| *property.id.as_bytes());
    assert!(rows.iter().map(|row| row.id).eq(ids));
}
