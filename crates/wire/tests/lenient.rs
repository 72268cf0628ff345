//! Lenient parsing: no value makes it panic or costs an advert, and what people write in a regular form is read back.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

use domain::SiteDirectory;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use wire::advert_draft::{ParseContext, ParseMode, ParsedDraft, RejectedDraft, field_names, parse};
use wire::lenient::number::{self, NumberKind};
use wire::lenient::{Reading, date, encoding, text};

/// Returns the names of every field that is not required, and one that is unknown.
fn optional_names() -> Vec<&'static str> {
    let required = ["transactionType", "propertyType", "site", "reference"];
    field_names().filter(|name| !required.contains(name)).chain(["unknown"]).collect()
}

/// Members of the nested objects, so that random objects have some of them.
const MEMBERS: &[&str] = &[
    "lat",
    "lon",
    "latitude",
    "longitude",
    "type",
    "coordinates",
    "category",
    "value",
    "name",
    "email",
    "phone",
    "createdAt",
    "fieldName",
    "fieldOldValue",
    "fieldNewValue",
    "percentVariation",
    "date",
    "price",
    "bouquet",
    "rent",
    "priceMin",
    "surfaceMax",
    "roomMin",
];

/// Texts of any characters, and texts of the characters that the readers look for.
fn any_text() -> impl Strategy<Value = String> {
    let mark = prop::sample::select(vec![
        " ",
        "\u{a0}",
        "\u{202f}",
        ".",
        ",",
        "'",
        "-",
        "+",
        "/",
        ":",
        "€",
        "%",
        "m²",
        "m2",
        "ha",
        "a",
        "ca",
        "k",
        "M",
        "T",
        "F",
        "e",
        "ème",
        "er",
        "h",
        "kWh",
        "pièces",
        "étage",
        "sur",
        "à",
        "environ",
        "RDC",
        "oui",
        "non",
        "NC",
        "D",
        "DPE",
        "mars",
        "lundi",
        "Z",
        "°",
        "<",
        ">",
        "<br>",
        "<p",
        "</",
        "<!--",
        "&",
        "&amp;",
        "&eacute;",
        "&#",
        "&#x92;",
        ";",
        "Ã©",
        "Â",
        "\u{92}",
        "\u{0}",
        "\u{feff}",
        "http://",
        "www.",
        "//",
        "|",
        "\"",
        "(",
        ")",
        "[",
        "]",
        "0",
        "1",
        "2",
        "12",
        "2024",
        "000",
        "99999999999999999999",
    ]);
    prop_oneof![
        1 => ".{0,30}",
        4 => prop::collection::vec(mark, 0..8).prop_map(|marks| marks.concat()),
    ]
}

/// Any JSON value, a few levels deep.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => (-10_i64..3_000).prop_map(Value::from),
        1 => any::<f64>().prop_map(|number| json!(number)),
        5 => any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 5, |inner| {
        let name = prop_oneof![4 => prop::sample::select(MEMBERS).prop_map(str::to_owned), 1 => ".{0,10}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn parse_in(mode: ParseMode, value: &Value) -> Result<ParsedDraft, RejectedDraft> {
    let zone = TimeZone::get("Europe/Paris").unwrap();
    let (now, sites) = ("2026-06-01T12:00:00Z".parse().unwrap(), SiteDirectory::default());
    parse(&value.into(), ParseContext { zone: &zone, now, sites: &sites, mode })
}

/// Writes whole digits in groups of three.
fn grouped(number: u64, separator: &str) -> String {
    let digits = number.to_string();
    let mut groups: Vec<&str> =
        digits.as_bytes().rchunks(3).map(|group| std::str::from_utf8(group).unwrap()).collect();
    groups.reverse();
    groups.join(separator)
}

/// Text in UTF-8, in Windows-1252 and in neither, cut characters, and runs of several lengths.
fn any_piece() -> impl Strategy<Value = Vec<u8>> {
    let pieces: [&[u8]; 14] = [
        b"a",
        b" ",
        b"\\u00e9",
        b"\\ud83c",
        b"\x01",
        "é€🏡".as_bytes(),
        b"\xe9",
        b"\x80\x81",
        b"\xff",
        b"\xc3",
        b"\xe2\x82",
        b"\xf0\x9f\x8f",
        b"\xed\xa0\x80",
        "\u{feff}".as_bytes(),
    ];
    let run = (0_usize..80).prop_map(|length| vec![b'x'; length]);
    prop_oneof![prop::sample::select(pieces.to_vec()).prop_map(<[u8]>::to_vec), run]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn advert_with_its_required_fields_is_accepted(
        given in prop::collection::vec((prop::sample::select(optional_names()), any_json()), 1..6),
    ) {
        let mut advert: Map<String, Value> =
            given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        for (name, value) in [
            ("transactionType", json!(0)),
            ("propertyType", json!("maison")),
            ("site", json!("portail.example")),
            ("reference", json!("A-1")),
        ] {
            advert.insert(name.to_owned(), value);
        }
        let advert = Value::Object(advert);
        let read = parse_in(ParseMode::Lenient, &advert);
        prop_assert!(read.is_ok(), "{read:?}\n{advert}");
        // Every warning names its field and is a sentence.
        for warning in read.unwrap().warnings {
            prop_assert!(warning.message.ends_with('.') && warning.message.len() < 500, "{warning:?}");
        }
        // Strict parsing refuses what it likes, but does not fail.
        let strict = parse_in(ParseMode::Strict, &advert);
        prop_assert!(strict.is_err() || strict.is_ok_and(|read| read.warnings.is_empty()));
    }

    #[test]
    fn any_value_is_parsed_without_a_panic(value in any_json()) {
        let _ = parse_in(ParseMode::Lenient, &value);
        let _ = parse_in(ParseMode::Strict, &value);
    }

    #[test]
    fn cleaned_text_has_nothing_to_hide(given in any_text()) {
        let cleaned = text::clean(&given);
        let hidden = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t') || text::is_invisible(c);
        prop_assert!(!cleaned.contains(hidden), "{given:?}: {cleaned:?}");
    }

    #[test]
    fn repaired_json_is_text(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Some(repaired) = encoding::repair_json(&bytes) {
            // A second repair finds nothing more to do.
            prop_assert_eq!(encoding::repair_json(repaired.json.as_bytes()), None);
        }
    }

    #[test]
    fn json_in_a_wrong_encoding_is_decoded_as_it_is_repaired(pieces in prop::collection::vec(any_piece(), 0..12)) {
        let text = [b"{\"title\":\"", &*pieces.concat(), b"\",\"price\":1.5}"].concat();
        let mut expected = String::new();
        for chunk in text.utf8_chunks() {
            expected.push_str(chunk.valid());
            expected.extend(chunk.invalid().iter().filter_map(|byte| encoding::windows_1252(*byte)));
        }
        let Some(decoded) = encoding::decode_json(&text) else {
            prop_assert_eq!(expected.as_bytes(), text);
            return Ok(());
        };
        prop_assert_eq!(&decoded.json, &expected);
        if serde_json::from_str::<Value>(&decoded.json).is_ok() {
            prop_assert_eq!(encoding::repair_json(&text), Some(decoded));
        }
    }

    #[test]
    fn amounts_are_read_back(
        whole in 0_u64..10_000_000_000,
        cents in 0_u64..100,
        separator in prop::sample::select(vec!["", " ", "\u{a0}", "\u{202f}", "'"]),
        ending in prop::sample::select(vec!["", " €", "€", " EUR", " euros", " € FAI"]),
    ) {
        let expected = Reading::Value(format!("{whole}.{cents:02}").parse::<f64>().unwrap());
        let given = format!("{},{cents:02}{ending}", grouped(whole, separator));
        prop_assert_eq!(number::read(&given, NumberKind::Price), expected, "{}", given);
        let dotted = format!("{},{cents:02}{ending}", grouped(whole, "."));
        let read = number::read(&dotted, NumberKind::Price);
        prop_assert_eq!(read, Reading::Value(format!("{whole}.{cents:02}").parse::<f64>().unwrap()), "{}", dotted);
    }

    #[test]
    fn dates_are_read_back(second in 631_152_000_i64..1_780_000_000) {
        let zone = TimeZone::get("Europe/Paris").unwrap();
        let timestamp = domain::Timestamp::from_second(second - second % 60).unwrap();
        let civil = timestamp.to_zoned(zone.clone()).datetime();
        // In the hour that the end of summer time repeats, the local time means the first one.
        let expected = zone.to_ambiguous_zoned(civil).compatible().unwrap().timestamp();
        for format in ["%d/%m/%Y %H:%M", "%d-%m-%Y %H:%M:%S", "%d.%m.%Y %Hh%M", "%Y/%m/%d %H:%M", "%d %B %Y %H:%M"] {
            let given = civil.strftime(format).to_string();
            prop_assert_eq!(date::read(&given, &zone), Reading::Value(expected), "{}", given);
        }
        let seconds = timestamp.as_second();
        prop_assert_eq!(date::read(&seconds.to_string(), &zone), Reading::Value(timestamp));
        prop_assert_eq!(date::read(&(seconds * 1_000).to_string(), &zone), Reading::Value(timestamp));
    }
}
