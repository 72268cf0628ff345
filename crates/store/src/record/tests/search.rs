//! Records of saved searches round-trip, damage is detected, and records of every release still read.

use std::collections::BTreeSet;

use domain::criteria::{Entry, Presence, RawCriterion};
use domain::search::SearchDraft;
use domain::{
    Alerts, EmailAddress, Endpoint, EventName, Filter, GeoPoint, Insee, Phrase, Polygon, PropertyId,
    RawCriteria, SavedSearch, SearchId, SearchToken, ShortText, SiteCategoryId, SiteKey, SortMode,
    Strictness, Timestamp, UserId, Zipcode,
};
use proptest::prelude::*;
use testkit::{arbitrary, build};

use super::super::{checksum, decode_search, encode_search};
use crate::error::Error;

proptest! {
    #[test]
    fn searches_round_trip(search in arbitrary::saved_search()) {
        let record = encode_search(&search).unwrap();
        prop_assert_eq!(decode_search(search.id, search.owner, &record).unwrap(), search);
    }

    #[test]
    fn arbitrary_bytes_are_refused(bytes in any::<Vec<u8>>()) {
        let read = decode_search(build::search_id(1), build::user_id(1), &bytes);
        let refused = matches!(read, Err(Error::Corrupt { .. }));
        prop_assert!(refused);
    }
}

#[test]
fn flipped_bits_and_truncation_are_detected() {
    let search = search_with_every_criterion();
    let record = encode_search(&search).unwrap();
    let refused = |bytes: &[u8]| match decode_search(search.id, search.owner, bytes) {
        Err(Error::Corrupt { what, .. }) => what.contains(&search.id.to_string()),
        _ => false,
    };
    for bit in 0..record.len() * 8 {
        let mut damaged = record.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(refused(&damaged), "bit {bit}");
    }
    for length in 0..record.len() {
        assert!(refused(&record[..length]), "{length} of {} bytes", record.len());
    }
}

#[test]
fn invalid_content_with_a_valid_checksum_is_refused() {
    let search = search_with_every_criterion();
    let record = encode_search(&search).unwrap();
    let json = std::str::from_utf8(&record[5..]).unwrap();
    let read = |json: &str| {
        let mut record = checksum::header(1).to_vec();
        record.extend(json.bytes());
        checksum::seal(&mut record);
        decode_search(search.id, search.owner, &record)
    };
    assert_eq!(read(json).unwrap(), search);
    for (valid, invalid) in [
        ("\"budgetMax\"", "\"budgetMost\""),
        ("\"number\":", "\"numeral\":"),
        ("\"advert\"", "\"listing\""),
        ("\"update_price\"", "\"update_prize\""),
        ("f00", "xyz"),
        ("\"2A004\"", "\"\""),
        ("\"20000\"", "\"\""),
        ("\"site_categories\":[7", "\"site_categories\":[0"),
        ("[45.9,6.1]", "[95.9,6.1]"),
        ("\"text\":\"vue lac\"", "\"text\":\" - \""),
        ("\"title\":\"Maison", "\"title\":\"\\u0000"),
    ] {
        assert!(json.contains(valid), "{valid} is not in {json}");
        let refused = matches!(read(&json.replacen(valid, invalid, 1)), Err(Error::Corrupt { .. }));
        assert!(refused, "{invalid}");
    }
    // Rules for addresses may become stricter; addresses accepted under the old rules stay readable.
    assert!(read(&json.replacen("\"https://hook.example/a", "\"http://hook.example/a", 1)).is_ok());
    // A later release may write more fields.
    assert_eq!(read(&json.replacen('{', "{\"mood\":\"hopeful\",", 1)).unwrap(), search);
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let mut search = search_with_every_criterion();
    for number in [f64::NAN, f64::INFINITY] {
        put(&mut search.draft.raw_criteria, "budgetMax", RawCriterion::Number(number));
        assert!(matches!(encode_search(&search), Err(Error::Corrupt { .. })));
    }
}

#[test]
fn version_1_searches_read() {
    for (record, expected) in [
        (&include_bytes!("../../../tests/compat/v1/search-full.record")[..], search_with_every_criterion()),
        (&include_bytes!("../../../tests/compat/v1/search-bare.record")[..], search_without_criteria()),
        (&include_bytes!("../../../tests/compat/v1/search-features.record")[..], search_for_features()),
    ] {
        assert_eq!(decode_search(expected.id, expected.owner, record).unwrap(), expected);
        // Today's code writes the same except for the order of criteria: no name on disk has changed.
        assert_eq!(content(&encode_search(&expected).unwrap()), content(record));
    }
}

fn content(record: &[u8]) -> serde_json::Value {
    let mut content: serde_json::Value = serde_json::from_slice(&record[5..]).unwrap();
    content["terms"].as_array_mut().unwrap().sort_by_key(ToString::to_string);
    content
}

/// Writes missing files, like its counterpart in [`super::compat`].
#[test]
fn searches_of_the_current_version_exist() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compat/v1");
    for (name, search) in [
        ("search-full.record", search_with_every_criterion()),
        ("search-bare.record", search_without_criteria()),
        ("search-features.record", search_for_features()),
    ] {
        match std::fs::File::create_new(folder.join(name)) {
            Ok(mut file) => {
                std::io::Write::write_all(&mut file, &encode_search(&search).unwrap()).unwrap();
                panic!("{name} was missing in {}: it has been written, commit it", folder.display());
            }
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists, "{name}"),
        }
    }
}

fn put(raw_criteria: &mut RawCriteria, name: &str, criterion: RawCriterion) {
    raw_criteria.put(Filter::named(name).unwrap(), criterion);
}

fn at(millisecond: i64) -> Timestamp {
    Timestamp::from_millisecond(millisecond).unwrap()
}

/// The criterion on features is younger than the record of a search with all others.
fn search_for_features() -> SavedSearch {
    let mut search = search_without_criteria();
    let phrases = ["Place de parking", "60m²"].map(|text| Phrase::new(text, Strictness::Inflected).unwrap());
    put(&mut search.draft.raw_criteria, "features", RawCriterion::Features(phrases.to_vec()));
    search
}

fn search_with_every_criterion() -> SavedSearch {
    let entry =
        |text: &str, strictness, presence| Entry { phrase: Phrase::new(text, strictness).unwrap(), presence };
    let corner = |lat, lon| GeoPoint::new(lat, lon).unwrap();
    let triangle = Polygon::new(vec![corner(45.9, 6.1), corner(-45.8, 6.2), corner(45.899_247, -6.129_384)]);
    let mut raw_criteria = RawCriteria::default();
    for (name, criterion) in [
        ("budgetMax", RawCriterion::Number(250_000.0)),
        ("radius", RawCriterion::Number(12.345_678_9)),
        ("fromDate", RawCriterion::Timestamp(at(1_700_000_000_000))),
        ("propertyTypes", RawCriterion::Codes(vec![0, 1, 6])),
        ("furnished", RawCriterion::Flag(false)),
        ("includedCities", RawCriterion::Cities(vec![74_010, u64::MAX])),
        ("includedInseeCodes", RawCriterion::Communes(vec![Insee::parse("2A004").unwrap()])),
        ("includedDepartments", RawCriterion::Departments(vec![74])),
        ("includedZipcodes", RawCriterion::Zipcodes(vec![Zipcode::parse("20000").unwrap()])),
        ("includedSites", RawCriterion::Sites(vec![SiteKey::parse("portail.example").unwrap()])),
        ("excludedSiteCategories", RawCriterion::SiteCategories(vec![SiteCategoryId::new(7).unwrap()])),
        ("excludedProperties", RawCriterion::Properties(vec![PropertyId::from_bytes([0x22; 16])])),
        ("geoShapes", RawCriterion::Polygons(triangle.into_iter().collect())),
        ("sortMode", RawCriterion::SortMode(SortMode::Advert)),
        (
            "expressions",
            RawCriterion::Expressions(vec![
                vec![
                    entry("vue lac", Strictness::Inflected, Presence::Present),
                    entry("rez-de-chaussée", Strictness::Exact, Presence::Absent),
                ],
                vec![entry("\"terrasse\"", Strictness::Exact, Presence::Present)],
            ]),
        ),
    ] {
        put(&mut raw_criteria, name, criterion);
    }
    let mut random = [0x5a; SearchToken::BYTES];
    random[..2].copy_from_slice(&[0xf0, 0x0f]);
    SavedSearch {
        id: SearchId::from_bytes([0x55; 16]),
        owner: UserId::from_bytes([0x66; 16]),
        token: SearchToken::new(random),
        created_at: at(1_700_000_000_123),
        updated_at: at(1_700_000_100_456),
        draft: SearchDraft {
            title: ShortText::new("Maison « avec vue » à Annecy\n🏡").unwrap().unwrap(),
            raw_criteria,
            alerts: Alerts {
                enabled: true,
                hide_contact: true,
                email: EmailAddress::parse("zoe@mail.example").ok(),
                endpoint: Endpoint::parse("https://hook.example/a?token=X%2Fy").ok(),
                event_endpoint: Endpoint::parse("https://hook.example:8443/b").ok(),
                events: EventName::ALL.iter().copied().collect(),
            },
        },
    }
}

fn search_without_criteria() -> SavedSearch {
    SavedSearch {
        id: SearchId::from_bytes([0x77; 16]),
        owner: UserId::from_bytes([0x88; 16]),
        token: SearchToken::new([0; SearchToken::BYTES]),
        created_at: at(-1),
        updated_at: at(0),
        draft: SearchDraft {
            title: ShortText::new("x").unwrap().unwrap(),
            raw_criteria: RawCriteria::default(),
            alerts: Alerts { events: BTreeSet::new(), ..Alerts::default() },
        },
    }
}
