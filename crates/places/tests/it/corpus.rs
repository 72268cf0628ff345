//! The corpus of ugly places: one a line, with the expected place, certainty and warnings.

use domain::{CountryCode, GeoPoint, GivenPlace};
use places::{Certainty, PlaceWarning, Resolution};

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

/// A deterministic generator (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        items[((number ^ number >> 31) % items.len() as u64) as usize]
    }
}

#[test]
fn no_text_is_misread_without_a_warning() {
    const PIECES: &[&str] = &[
        "Paris",
        "Lyon",
        "Marseille",
        "Toulon",
        "Les Arcs",
        "Montmartre",
        "Mourillon",
        "Saint",
        "Denis",
        "Var",
        "La Réunion",
        "de",
        "sur",
        "s",
        "rue",
        "bis",
        "cedex",
        "arrondissement",
        "étage",
        "XV",
        "e",
        "ème",
        "1er",
        "2e",
        "15ème",
        "21e",
        "3",
        "13",
        "75",
        "974",
        "2A",
        "75015",
        "83000",
        "00000",
        "6000",
        "1850",
        "n°",
        "15°",
        "xyzzy",
        "Luxembourg",
        "France",
        "é",
        "\u{300}",
        "日本",
        "😀",
        "",
    ];
    const SEPARATORS: &[&str] = &[" ", " ", " ", "-", " - ", ", ", "/", " / ", " (", ") ", "", "\t", ":"];
    let first_seed = 20_260_101;
    for seed in first_seed..first_seed + 1_500 {
        let mut numbers = Numbers(seed);
        let mut text = String::new();
        while numbers.pick(&["go on", "go on", "go on", "go on", "stop"]) == "go on" {
            text.push_str(numbers.pick(PIECES));
            text.push_str(numbers.pick(SEPARATORS));
        }
        let resolution = gazetteer().resolve_text(&text);
        assert_eq!(gazetteer().resolve_text(&text), resolution, "seed {seed}: {text:?}");
        let is_unknown = resolution.certainty == Certainty::Unknown;
        assert_eq!(resolution.placement.is_none(), is_unknown, "seed {seed}: {text:?}: {resolution:?}");
        let is_silent = resolution.warnings.is_empty();
        assert!(
            !is_silent || resolution.certainty != Certainty::Likely,
            "seed {seed}: {text:?}: {resolution:?}"
        );
    }
}
