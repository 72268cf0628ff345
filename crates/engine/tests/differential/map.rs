//! Differential test of clusters and facets on a market of many blocks: the small markets of the other tests fit one block of 64 rows.
//!
//! `VIGIE_MAP_CASES` sets the number of cases; `VIGIE_TEST_SEED` repeats those of an earlier run.

use domain::{FacetField, Property};
use engine::scan::ScanIndex;
use engine::{Change, ClusterRequest, FacetRequest, Index, IndexSettings, SequenceNumber};
use testkit::Random;
use testkit::build::property_id;

use crate::compare::{clusters, facets};
use crate::market::Market;
use crate::query::{Query, viewport};

/// Takes some seconds in a debug build.
const CASES_DEFAULT: u64 = 3;

const PROPERTIES: u64 = 3_000;
const QUERIES: usize = 40;

#[test]
fn viewport_agrees_with_full_scan() {
    let cases = std::env::var("VIGIE_MAP_CASES").map_or(CASES_DEFAULT, |cases| cases.parse().unwrap());
    let seed = testkit::random::seed();
    let (mut cells, mut selective) = (0, 0);
    for case in 0..cases {
        let (more_cells, more_selective) = run_case(seed.wrapping_add(case));
        cells += more_cells;
        selective += more_selective;
    }
    println!("{cells} cells in {selective} viewports with some of the market and not all");
    assert!(cells > 0 && selective > 0);
}

/// Returns the number of cells, and the number of viewports that contain some of the market and not all.
fn run_case(seed: u64) -> (usize, usize) {
    let mut random = Random::new(seed);
    let market = Market::draw(&mut random);
    let properties: Vec<Property> =
        (0..PROPERTIES).map(|number| market.property(&mut random, property_id(number))).collect();
    let index = Index::with_settings(IndexSettings::default());
    let mut scan = ScanIndex::default();
    let mut changes: Vec<Change> = properties
        .iter()
        .zip(1..)
        .map(|(it, at)| Change::Put(it.clone().into(), SequenceNumber(at)))
        .collect();
    // Removed ones leave gaps in the blocks.
    changes
        .extend(properties.iter().filter(|_| random.once_in(9)).map(|property| Change::Remove(property.id)));
    changes.iter().for_each(|change| scan.apply(change.clone()));
    index.apply(changes, PROPERTIES);
    while index.maintain() {}
    let properties: Vec<&Property> = properties.iter().collect();
    let (mut cells, mut selective) = (0, 0);
    for number in 0..QUERIES {
        let query = if number % 4 == 0 { Query::match_all() } else { Query::draw(&mut random, &properties) };
        let viewport = viewport(&mut random, &properties);
        let listed_max = *random.pick(&[0, 10, viewport.listed_max()]);
        let request = ClusterRequest { criteria: query.criteria(), viewport, listed_max };
        let found = clusters(&index.searcher(), &scan, &request)
            .unwrap_or_else(|mismatch| panic!("seed {seed}: {}\nof {query:#?}", mismatch.note));
        let fields = FacetField::ALL.to_vec();
        facets(&index.searcher(), &scan, &FacetRequest { criteria: query.criteria(), fields })
            .unwrap_or_else(|mismatch| panic!("seed {seed}: {}\nof {query:#?}", mismatch.note));
        cells += found.cells.len();
        selective += usize::from(found.total > 0 && found.total < scan.len());
    }
    (cells, selective)
}
