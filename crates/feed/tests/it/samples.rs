//! The sample of each format: the whole output, and the report of columns.

use feed::{FeedOptions, Format, Mapping};

use crate::support::{options, sample, sample_text, show};

fn check(snapshot: &str, file: &str, options: FeedOptions) {
    let shown = show(feed::open(&sample(file), options).unwrap());
    insta::assert_json_snapshot!(snapshot, shown);
}

fn with_mapping(format: Format, file: &str) -> FeedOptions {
    FeedOptions { mapping: Some(Mapping::parse(&sample_text(file)).unwrap()), ..options(format) }
}

#[test]
fn ndjson_sample() {
    let options = FeedOptions { site: Some("defaut.exemple.fr".into()), ..options(Format::Ndjson) };
    check("ndjson", "adverts.ndjson", options);
}

#[test]
fn csv_sample_with_names_of_the_contract() {
    check("csv_names", "names.csv", options(Format::Csv));
}

#[test]
fn csv_sample_with_a_mapping() {
    check("csv_mapping", "agency.csv", with_mapping(Format::Csv, "agency.toml"));
}

#[test]
fn json_sample_with_a_mapping() {
    check("json_mapping", "portal.json", with_mapping(Format::Json, "portal.toml"));
}

#[test]
fn poliris_sample() {
    check("poliris", "poliris.csv", options(Format::Poliris));
}

#[test]
fn openimmo_sample() {
    check("openimmo", "openimmo.xml", options(Format::OpenImmo));
}

#[test]
fn kyero_sample() {
    check("kyero", "kyero.xml", options(Format::Kyero));
}

#[test]
fn reso_sample() {
    check("reso", "reso.json", options(Format::Reso));
}

#[test]
fn reso_sample_by_line() {
    check("reso_lines", "reso.ndjson", options(Format::Reso));
}

#[test]
fn formats_of_samples_are_detected() {
    for (file, expected) in [
        ("adverts.ndjson", Format::Ndjson),
        ("agency.csv", Format::Csv),
        ("portal.json", Format::Json),
        ("poliris.csv", Format::Poliris),
        ("openimmo.xml", Format::OpenImmo),
        ("kyero.xml", Format::Kyero),
        ("reso.json", Format::Reso),
        ("reso.ndjson", Format::Reso),
    ] {
        assert_eq!(feed::detect(&sample(file)).unwrap(), Some(expected), "{file}");
    }
}
