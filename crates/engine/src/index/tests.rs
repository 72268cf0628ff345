//! What the differential tests do not check: purging, and edge cases.

use domain::Property;
use testkit::build;

use super::*;
use crate::request::{SearchRequest, SearchResult, SequenceNumber};

const SETTINGS: IndexSettings =
    IndexSettings { segment_rows_max: 1_000, fanout: 4, inline_merge_rows_max: 2, presorted_rows_min: 1 };

fn put(number: u64, word: &str) -> Change {
    let advert = build::advert(number).description(&format!("Maison avec {word}")).build();
    Change::Put(Property { id: build::property_id(number), adverts: vec![advert] }, SequenceNumber(number))
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
    assert_eq!(index.searcher().search(&request), SearchResult { total: 5, hits: Vec::new() });
}
