//! Compares the results of the index with those of the oracle.

use std::sync::Arc;

use domain::{Clusters, Criteria, Facets, Key, PropertyAttribute};
use engine::scan::ScanIndex;
use engine::{
    Budget, ClusterRequest, FacetRequest, Hit, SearchRequest, SearchResult, Searcher, SimilarRequest,
};

use crate::query::Query;

/// A difference between the index and the oracle.
#[derive(Debug)]
pub struct Mismatch {
    pub about: &'static str,
    pub expected: Vec<Hit>,
    pub found: Vec<Hit>,
    /// Details that the hits do not show.
    pub note: String,
}

/// The number of results, to record coverage.
#[derive(Debug)]
pub struct Agreement {
    pub total: usize,
    pub similar: Option<usize>,
    pub clusters: Option<Clusters>,
}

pub fn compare(
    searcher: &Arc<Searcher>,
    scan: &ScanIndex,
    position: u64,
    query: &Query,
) -> Result<Agreement, Mismatch> {
    let state = (searcher.len(), searcher.is_empty(), searcher.position());
    let expected = (scan.len(), scan.is_empty(), position);
    if state != expected {
        return Err(Mismatch {
            about: "length, emptiness and position",
            expected: Vec::new(),
            found: Vec::new(),
            note: format!("expected {expected:?}, found {state:?}"),
        });
    }
    let request = query.request();
    let all = scan.search(&SearchRequest { skip: 0, take: usize::MAX, ..request.clone() });
    page(searcher, &all, &request)?;
    if let Some(size) = query.page {
        pages(searcher, &all, &request, size)?;
    }
    if let Some(size) = query.chunk {
        chunks(searcher, scan, &request.criteria, size)?;
    }
    if let Some(attributes) = &query.attributes {
        values(searcher, scan, &request.criteria, attributes)?;
    }
    let similar = query.similar.as_ref().map(|request| similar(searcher, scan, request)).transpose()?;
    let clusters = query.clusters.map(|(viewport, listed_max)| {
        clusters(searcher, scan, &ClusterRequest { criteria: request.criteria, viewport, listed_max })
    });
    if let Some(fields) = &query.facets {
        facets(searcher, scan, &FacetRequest { criteria: query.criteria(), fields: fields.clone() })?;
    }
    Ok(Agreement { total: all.total, similar, clusters: clusters.transpose()? })
}

fn ensure_equal(about: &'static str, expected: &SearchResult, found: &SearchResult) -> Result<(), Mismatch> {
    if expected == found {
        return Ok(());
    }
    Err(Mismatch {
        about,
        expected: expected.hits.clone(),
        found: found.hits.clone(),
        note: format!("expected a total of {}, found {}", expected.total, found.total),
    })
}

/// Checks the requested page.
fn page(searcher: &Searcher, all: &SearchResult, request: &SearchRequest) -> Result<(), Mismatch> {
    let hits = all.hits.iter().skip(request.skip).take(request.take).copied().collect();
    ensure_equal(
        "a page",
        &SearchResult { total: all.total, hits },
        &searcher.search(request, &Budget::unlimited()).unwrap(),
    )
}

/// Checks that all pages together are the whole result, each with the same total.
fn pages(
    searcher: &Searcher,
    all: &SearchResult,
    request: &SearchRequest,
    size: usize,
) -> Result<(), Mismatch> {
    // Large results are read in large pages: the test is about page boundaries.
    let size = size.max(all.total / 8);
    let mut together = SearchResult { total: all.total, hits: Vec::new() };
    for skip in (0..=all.total).step_by(size) {
        let found = searcher
            .search(&SearchRequest { skip, take: size, ..request.clone() }, &Budget::unlimited())
            .unwrap();
        together.hits.extend(&found.hits);
        if found.total != all.total {
            together.total = found.total;
        }
    }
    ensure_equal("all pages together", all, &together)
}

/// Checks that all chunks together are the whole result in the order of ids.
fn chunks(
    searcher: &Arc<Searcher>,
    scan: &ScanIndex,
    criteria: &Criteria,
    size: usize,
) -> Result<(), Mismatch> {
    let hits = scan.matches_after(criteria, None, usize::MAX);
    let all = SearchResult { total: hits.len(), hits };
    let size = size.max(all.total / 8);
    let matches = searcher.matches(criteria, &Budget::unlimited()).unwrap();
    let mut together = SearchResult { total: matches.total(), hits: Vec::new() };
    // One chunk more than there can be: nothing follows the last id.
    for _ in 0..=all.total / size + 1 {
        let after = together.hits.last().map(|hit| hit.property);
        together.hits.extend(matches.after(after, size));
    }
    ensure_equal("all chunks together", &all, &together)?;
    // Start in the middle.
    let middle = all.hits.get(all.total / 2).map(|hit| hit.property);
    let expected = SearchResult { total: 0, hits: scan.matches_after(criteria, middle, size) };
    let found = SearchResult { total: 0, hits: matches.after(middle, size) };
    ensure_equal("the chunk after the middle", &expected, &found)
}

/// Checks the values of every match, in any order.
fn values(
    searcher: &Searcher,
    scan: &ScanIndex,
    criteria: &Criteria,
    attributes: &[PropertyAttribute],
) -> Result<(), Mismatch> {
    let mut expected: Vec<Vec<Option<Key>>> = Vec::new();
    scan.for_each_match(criteria, attributes, |values| expected.push(values.to_vec()));
    let mut found: Vec<Vec<Option<Key>>> = Vec::new();
    let visit = |values: &[Option<Key>]| found.push(values.to_vec());
    searcher.for_each_match(criteria, attributes, &Budget::unlimited(), visit).unwrap();
    expected.sort_unstable();
    found.sort_unstable();
    if expected == found {
        return Ok(());
    }
    let note = format!("the values of {attributes:?}: expected {expected:?}, found {found:?}");
    Err(Mismatch { about: "the values of every match", expected: Vec::new(), found: Vec::new(), note })
}

pub fn clusters(
    searcher: &Searcher,
    scan: &ScanIndex,
    request: &ClusterRequest,
) -> Result<Clusters, Mismatch> {
    let expected = scan.clusters(request);
    let found = searcher.clusters(request, &Budget::unlimited()).unwrap();
    if expected == found {
        return Ok(expected);
    }
    let note = format!("clusters of {:?}: expected {expected:?}, found {found:?}", request.viewport);
    Err(Mismatch { about: "clusters", expected: Vec::new(), found: Vec::new(), note })
}

pub fn facets(searcher: &Searcher, scan: &ScanIndex, request: &FacetRequest) -> Result<Facets, Mismatch> {
    let expected = scan.facets(request);
    let found = searcher.facets(request, &Budget::unlimited()).unwrap();
    if expected == found {
        return Ok(expected);
    }
    let note = format!("facets: expected {expected:?}, found {found:?}");
    Err(Mismatch { about: "facets", expected: Vec::new(), found: Vec::new(), note })
}

fn similar(searcher: &Searcher, scan: &ScanIndex, request: &SimilarRequest) -> Result<usize, Mismatch> {
    let expected = scan.similar(request);
    ensure_equal("similar properties", &expected, &searcher.similar(request, &Budget::unlimited()).unwrap())?;
    Ok(expected.total)
}
