//! The examples of docs/feeds.md work as they are written.

use std::path::PathBuf;

use feed::{Format, Mapping};
use serde_json::Value;

use crate::support::{items, mapped, reader, show};

/// Returns the blocks of code in one language.
fn blocks(language: &str) -> Vec<String> {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/feeds.md");
    let page = std::fs::read_to_string(page).unwrap();
    let opening = format!("```{language}\n");
    page.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn the_worked_example_is_read_as_the_page_says() {
    let (feeds, mappings, adverts) = (blocks("csv"), blocks("toml"), blocks("json"));
    let shown = show(reader(&feeds[0], mapped(Format::Csv, &mappings[0])));
    let expected: Value = serde_json::from_str(&adverts[0]).unwrap();
    assert_eq!(shown["records"][0]["advert"], expected, "{shown:#}");
    let (_, _, report) = items(reader(&feeds[0], mapped(Format::Csv, &mappings[0])));
    assert_eq!(report.unmapped().map(|(name, _)| name).collect::<Vec<_>>(), ["Interne"]);
}

#[test]
fn all_mappings_of_the_page_are_valid() {
    let mappings = blocks("toml");
    assert!(mappings.len() >= 3, "{}", mappings.len());
    for mapping in mappings {
        Mapping::parse(&mapping).unwrap_or_else(|error| panic!("{error}\n{mapping}"));
    }
}
