//! What the law of the index does not look at: what is left of what was taken out.

use domain::Property;
use testkit::build;

use super::*;
use crate::request::SequenceNumber;

const SETTINGS: Settings =
    Settings { segment_rows_max: 1_000, fanout: 4, rows_at_once_max: 2, ordered_rows_min: 1 };

fn put(number: u64, word: &str) -> Change {
    let advert = build::advert(number).description(&format!("Maison avec {word}")).build();
    Change::Put(Property { id: build::property_id(number), adverts: vec![advert] }, SequenceNumber(number))
}

fn segments_with(index: &Index, word: &str) -> usize {
    let holds = |segment_reader: &&SegmentReader| {
        segment_reader.encode().windows(word.len()).any(|window| window == word.as_bytes())
    };
    index.view().segment_readers().iter().filter(holds).count()
}

#[test]
fn nothing_is_left_of_what_is_forgotten() {
    let index = Index::with_settings(SETTINGS);
    let home = |number| put(number, if number > 8 { "secret" } else { "jardin" });
    index.apply((1..=10).map(home).collect(), 1);
    // The advert with the word goes: from a property that stays, and with its property.
    index.apply(vec![put(9, "terrasse")], 2);
    index.apply(vec![Change::Remove(build::property_id(10))], 3);
    assert!(segments_with(&index, "secret") > 0);
    index.forget(&[build::property_id(9), build::property_id(10)]);
    assert_eq!(segments_with(&index, "secret"), 0);
    assert_eq!(segments_with(&index, "terrasse"), 1);
    assert_eq!(index.view().len(), 9);
}

#[test]
fn forgetting_what_was_never_there_ends() {
    let index = Index::with_settings(SETTINGS);
    index.apply(vec![put(1, "jardin")], 1);
    index.forget(&[build::property_id(1), build::property_id(2)]);
    assert_eq!(index.view().len(), 1);
}

#[test]
fn a_page_past_the_end_has_the_total_and_nothing_else() {
    let index = Index::with_settings(SETTINGS);
    index.apply((1..=5).map(|number| put(number, "jardin")).collect(), 1);
    let request = SearchRequest { skip: usize::MAX - 1, take: 30, ..SearchRequest::default() };
    assert_eq!(index.view().search(&request), SearchResult { total: 5, hits: Vec::new() });
}
