//! What the differential tests do not check: purging, and edge cases.

use std::sync::atomic::AtomicBool;

use domain::criteria::{Entry, Presence};
use domain::{Criteria, Key, Phrase, Property, Strictness};
use testkit::build;

use super::*;
use crate::budget::{Budget, Stopped, WorkKind};
use crate::request::{SearchRequest, SearchResult, SequenceNumber};

const SETTINGS: IndexSettings =
    IndexSettings { segment_rows_max: 1_000, fanout: 4, inline_merge_rows_max: 2, presorted_rows_min: 1 };

fn put(number: u64, word: &str) -> Change {
    let advert = build::advert(number).description(&format!("Maison avec {word}")).build();
    let property = Property { id: build::property_id(number), adverts: vec![advert] };
    Change::Put(property.into(), SequenceNumber(number))
}

fn segments_with(index: &Index, word: &str) -> usize {
    let contains =
        |reader: &&SegmentReader| reader.encode().windows(word.len()).any(|window| window == word.as_bytes());
    index.searcher().segment_readers().iter().filter(contains).count()
}

#[test]
fn purge_leaves_no_trace() {
    let index = Index::with_settings(SETTINGS);
    let property = |number| put(number, if number > 8 { "secret" } else { "jardin" });
    index.apply((1..=10).map(property).collect(), 1);
    // Remove the word from a property that stays, and together with a property.
    index.apply(vec![put(9, "terrasse")], 2);
    index.apply(vec![Change::Remove(build::property_id(10))], 3);
    assert!(segments_with(&index, "secret") > 0);
    index.purge(&[build::property_id(9), build::property_id(10)]);
    assert_eq!(segments_with(&index, "secret"), 0);
    assert_eq!(segments_with(&index, "terrasse"), 1);
    assert_eq!(index.searcher().len(), 9);
}

#[test]
fn purge_of_unknown_properties_returns() {
    let index = Index::with_settings(SETTINGS);
    index.apply(vec![put(1, "jardin")], 1);
    index.purge(&[build::property_id(1), build::property_id(2)]);
    assert_eq!(index.searcher().len(), 1);
}

#[test]
fn page_past_the_end_has_only_the_total() {
    let index = Index::with_settings(SETTINGS);
    index.apply((1..=5).map(|number| put(number, "jardin")).collect(), 1);
    let request = SearchRequest { skip: usize::MAX - 1, take: 30, ..SearchRequest::default() };
    assert_eq!(
        index.searcher().search(&request, &Budget::unlimited()),
        Ok(SearchResult { total: 5, hits: Vec::new() })
    );
}

fn phrase_request(text: &str) -> SearchRequest {
    let phrase = Phrase::new(text, Strictness::Inflected).unwrap();
    let expressions = vec![vec![Entry { phrase, presence: Presence::Present }]];
    SearchRequest { criteria: Criteria { expressions, ..Criteria::default() }, ..SearchRequest::default() }
}

#[test]
fn query_stops_when_its_budget_is_spent() {
    let index = Index::with_settings(SETTINGS);
    index.apply((1..=500).map(|number| put(number, "jardin")).collect(), 1);
    let searcher = index.searcher();
    let request = phrase_request("maison avec jardin");
    let whole = Budget::unlimited();
    assert_eq!(searcher.search(&request, &whole).unwrap().total, 500);
    assert!(whole.spent() >= 500 * 3, "every token of every row: {}", whole.spent());

    // The same query needs the same work, to the unit.
    assert!(searcher.search(&request, &Budget::new(whole.spent())).is_ok());
    let short = Budget::new(whole.spent() - 1);
    let stopped = Stopped::TooExpensive { most: WorkKind::Phrases };
    assert_eq!(searcher.search(&request, &short), Err(stopped));
    assert_eq!(
        searcher.matches(&request.criteria, &Budget::new(100)).map(|found| found.total()),
        Err(stopped)
    );
    let block = Budget::new(1);
    assert_eq!(searcher.search(&request, &block), Err(stopped));
    assert!(block.spent() < whole.spent() / 4, "stopped at once: {}", block.spent());
    // The budget of one request covers all its queries.
    let shared = Budget::new(whole.spent() + whole.spent() / 2);
    assert!(searcher.search(&request, &shared).is_ok());
    assert_eq!(searcher.search(&request, &shared), Err(stopped));
}

#[test]
fn cancelled_query_ends() {
    let index = Index::with_settings(SETTINGS);
    index.apply((1..=5).map(|number| put(number, "jardin")).collect(), 1);
    let budget = Budget::unlimited().until(Arc::new(AtomicBool::new(true)));
    let request = SearchRequest::default();
    assert_eq!(index.searcher().search(&request, &budget), Err(Stopped::Cancelled));
    let visit = |_: &[Option<Key>]| panic!("no match is visited");
    assert_eq!(
        index.searcher().for_each_match(&request.criteria, &[], &budget, visit),
        Err(Stopped::Cancelled)
    );
}
