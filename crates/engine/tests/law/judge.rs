//! Holds what the index answers against what the scan answers.

use std::sync::Arc;

use domain::{Criteria, Key, PropertyAttribute};
use engine::scan::Scan;
use engine::{Hit, SearchRequest, SearchResult, SimilarRequest, View};

use crate::ask::Ask;

/// Where the two part.
#[derive(Debug)]
pub struct Dispute {
    pub about: &'static str,
    pub expected: Vec<Hit>,
    pub found: Vec<Hit>,
    /// What hits do not show.
    pub note: String,
}

/// How much was found, for the record of what was covered.
#[derive(Debug)]
pub struct Agreed {
    pub total: usize,
    pub similar: Option<usize>,
}

pub fn judge(view: &Arc<View>, scan: &Scan, position: u64, ask: &Ask) -> Result<Agreed, Dispute> {
    let state = (view.len(), view.is_empty(), view.position());
    let expected = (scan.len(), scan.is_empty(), position);
    if state != expected {
        return Err(Dispute {
            about: "length, emptiness and position",
            expected: Vec::new(),
            found: Vec::new(),
            note: format!("expected {expected:?}, found {state:?}"),
        });
    }
    let request = ask.request();
    let all = scan.search(&SearchRequest { skip: 0, take: usize::MAX, ..request.clone() });
    page(view, &all, &request)?;
    if let Some(size) = ask.page {
        pages(view, &all, &request, size)?;
    }
    if let Some(size) = ask.piece {
        pieces(view, scan, &request.criteria, size)?;
    }
    if let Some(attributes) = &ask.attributes {
        values(view, scan, &request.criteria, attributes)?;
    }
    let similar = ask.similar.as_ref().map(|request| alike(view, scan, request)).transpose()?;
    Ok(Agreed { total: all.total, similar })
}

fn agree(about: &'static str, expected: &SearchResult, found: &SearchResult) -> Result<(), Dispute> {
    if expected == found {
        return Ok(());
    }
    Err(Dispute {
        about,
        expected: expected.hits.clone(),
        found: found.hits.clone(),
        note: format!("a total of {} expected, {} found", expected.total, found.total),
    })
}

/// The page that is asked for.
fn page(view: &View, all: &SearchResult, request: &SearchRequest) -> Result<(), Dispute> {
    let hits = all.hits.iter().skip(request.skip).take(request.take).copied().collect();
    agree("a page", &SearchResult { total: all.total, hits }, &view.search(request))
}

/// All pages together are the whole, in order, each with the whole total.
fn pages(view: &View, all: &SearchResult, request: &SearchRequest, size: usize) -> Result<(), Dispute> {
    // Large answers in large pages: what is tested is where they meet.
    let size = size.max(all.total / 8);
    let mut together = SearchResult { total: all.total, hits: Vec::new() };
    for skip in (0..=all.total).step_by(size) {
        let found = view.search(&SearchRequest { skip, take: size, ..request.clone() });
        together.hits.extend(&found.hits);
        if found.total != all.total {
            together.total = found.total;
        }
    }
    agree("all pages together", all, &together)
}

/// All pieces together are the whole in the order of ids.
fn pieces(view: &Arc<View>, scan: &Scan, criteria: &Criteria, size: usize) -> Result<(), Dispute> {
    let hits = scan.matches_after(criteria, None, usize::MAX);
    let all = SearchResult { total: hits.len(), hits };
    let size = size.max(all.total / 8);
    let matches = view.matches(criteria);
    let mut together = SearchResult { total: matches.total(), hits: Vec::new() };
    // One piece more than there can be: after the last id comes nothing.
    for _ in 0..=all.total / size + 1 {
        let after = together.hits.last().map(|hit| hit.property);
        together.hits.extend(matches.after(after, size));
    }
    agree("all pieces together", &all, &together)?;
    // From an id that need not be a match.
    let middle = all.hits.get(all.total / 2).map(|hit| hit.property);
    let expected = SearchResult { total: 0, hits: scan.matches_after(criteria, middle, size) };
    let found = SearchResult { total: 0, hits: matches.after(middle, size) };
    agree("the pieces after the middle", &expected, &found)
}

/// The values of every match, in whichever order.
fn values(
    view: &View,
    scan: &Scan,
    criteria: &Criteria,
    attributes: &[PropertyAttribute],
) -> Result<(), Dispute> {
    let mut expected: Vec<Vec<Option<Key>>> = Vec::new();
    scan.each(criteria, attributes, |values| expected.push(values.to_vec()));
    let mut found: Vec<Vec<Option<Key>>> = Vec::new();
    view.each(criteria, attributes, |values| found.push(values.to_vec()));
    expected.sort_unstable();
    found.sort_unstable();
    if expected == found {
        return Ok(());
    }
    let note = format!("the values of {attributes:?}: {expected:?} expected, {found:?} found");
    Err(Dispute { about: "the values of every match", expected: Vec::new(), found: Vec::new(), note })
}

fn alike(view: &View, scan: &Scan, request: &SimilarRequest) -> Result<usize, Dispute> {
    let expected = scan.similar(request);
    agree("what is similar", &expected, &view.similar(request))?;
    Ok(expected.total)
}
