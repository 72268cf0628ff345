//! The corpus of ugly places: one a line, with the expected place, certainty and warnings.

use domain::{CountryCode, GeoPoint, GivenPlace};
use places::{PlaceWarning, Resolution};

use crate::{gazetteer, given, insee};

const PLACES: &str = include_str!("corpus/places.tsv");

/// Returns the name of the variant.
fn kind(warning: &PlaceWarning) -> String {
    let debug = format!("{warning:?}");
    debug.chars().take_while(char::is_ascii_alphanumeric).collect()
}

fn described(resolution: &Resolution) -> [String; 3] {
    let code = resolution.placement.as_ref().map_or("-".into(), |placement| placement.insee.to_string());
    let mut warnings: Vec<String> = resolution.warnings.iter().map(kind).collect();
    warnings.sort();
    let warnings = if warnings.is_empty() { "-".into() } else { warnings.join(" ") };
    [code, format!("{:?}", resolution.certainty), warnings]
}

#[test]
fn every_line_of_the_corpus_is_read_as_expected() {
    let mut wrong = Vec::new();
    let mut lines = 0;
    for line in PLACES.lines().filter(|line| !line.starts_with('#')) {
        lines += 1;
        let fields: Vec<&str> = line.split('\t').collect();
        let [zipcode, name, point, country, code, certainty, warnings] = fields[..] else {
            panic!("not seven columns: {line:?}");
        };
        let text = |field: &'static str| if field == "-" { "" } else { field };
        let point = point.split_once(',').and_then(|(lat, lon)| {
            GeoPoint::new(lat.parse().expect("a latitude"), lon.parse().expect("a longitude"))
        });
        let place = GivenPlace {
            point,
            country: CountryCode::parse(country).filter(|_| country != "-"),
            ..given("", text(zipcode), text(name))
        };
        let mut expected_warnings: Vec<&str> = warnings.split(' ').collect();
        expected_warnings.sort_unstable();
        let expected = [code.to_owned(), certainty.to_owned(), expected_warnings.join(" ")];
        let resolution = gazetteer().resolve(&place);
        if described(&resolution) != expected {
            wrong.push(format!("{line}\n  got {:?}", resolution));
        }
    }
    assert!(lines >= 150, "{lines} lines");
    assert!(wrong.is_empty(), "{} of {lines} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_expected_place_of_the_corpus_exists() {
    for line in PLACES.lines().filter(|line| !line.starts_with('#')) {
        let code = line.split('\t').nth(4).expect("five columns");
        assert!(code == "-" || gazetteer().city(&insee(code)).is_some(), "{line}");
    }
}
