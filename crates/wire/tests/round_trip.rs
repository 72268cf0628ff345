//! Advert drafts round-trip: drafts of a generated market, and drafts with absent or cleared fields.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::sync::LazyLock;

use domain::AdvertDraft;
use domain::site::SiteDirectory;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use proptest::sample::subsequence;
use serde_json::Value;
use wire::advert_draft::{ParseContext, ParseMode, field_names, parse, write};
use world::{Settings, World};

/// Built once: loading the price levels takes longer than a case.
static WORLD: LazyLock<World> = LazyLock::new(|| {
    let settings = Settings::new(400, "2026-01-01T00:00:00Z".parse().unwrap());
    World::new(7, world::sample::towns(), settings).unwrap()
});

fn read_back(value: &Value) -> AdvertDraft {
    let zone = TimeZone::get("Europe/Paris").unwrap();
    // Far ahead, so that no date of the timeline is in the future.
    let (now, sites) = ("2036-01-01T00:00:00Z".parse().unwrap(), SiteDirectory::default());
    let read = |mode| {
        let context = ParseContext { zone: &zone, now, sites: &sites, mode };
        let read = parse(&value.into(), context).unwrap_or_else(|rejected| panic!("{rejected:?}\n{value:#}"));
        assert_eq!(read.ignored, [""; 0], "{value:#}");
        assert_eq!(read.warnings, [], "{value:#}");
        read.draft
    };
    // A clean advert is read alike in both modes.
    let draft = read(ParseMode::Strict);
    assert_eq!(read(ParseMode::Lenient), draft, "{value:#}");
    draft
}

#[test]
fn market_drafts_round_trip() {
    let events = WORLD.timeline().take(1_500).map(|event| event.draft);
    let mut seen = 0;
    for draft in WORLD.drafts().chain(WORLD.import().take(300)).chain(events) {
        assert_eq!(read_back(&write(&draft)), draft);
        seen += 1;
    }
    assert!(seen > 2_000, "{seen}");
}

/// Returns the names of the fields that are not required.
fn optional_names() -> Vec<&'static str> {
    let required = ["transactionType", "propertyType", "site", "reference"];
    field_names().filter(|name| !required.contains(name)).collect()
}

proptest! {
    #[test]
    fn absent_and_cleared_fields_round_trip(
        index in 0_u64..400,
        absent in subsequence(optional_names(), 0..optional_names().len()),
        cleared in subsequence(optional_names(), 0..optional_names().len()),
    ) {
        let draft = WORLD.property(index).drafts.remove(0);
        let mut value = write(&draft);
        let fields = value.as_object_mut().unwrap();
        for name in cleared {
            fields.insert(name.to_owned(), Value::Null);
        }
        for name in absent {
            fields.remove(name);
        }
        let partial = read_back(&value);
        prop_assert_eq!(read_back(&write(&partial)), partial);
    }
}
