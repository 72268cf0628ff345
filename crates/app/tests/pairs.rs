//! Grouping on hand-written pairs of adverts: `cargo test -p app --test pairs -- --nocapture` prints the precision and the recall, and
//! every wrong pair of the development set with its evidence.
//!
//! The points and the threshold were adjusted by hand after reading the wrong pairs of `first`, `second` and, later, `fourth`: these are
//! a development set. Their figures are higher than those of pairs that were not read, which are in `held_out`. The test prints nothing
//! of those but their totals, so that no rule is made for one of them.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test and names the line")]

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use domain::grouping::{
    BlockingKey, Candidate, CommuneFacts, Comparison, Decision, Judged, Member, Signature, Unweighted,
    Verdicts, compare, decide,
};
use domain::{AdvertId, PropertyId, SiteDirectory, Timestamp, merge};
use places::Gazetteer;
use serde_json::Value;
use wire::advert_draft::{self, ParseContext, ParseMode};

const PRECISION_MIN: f64 = 0.98;

/// On the first three files. What is missed are mostly homes that a second agency describes in its own words, with few facts.
const RECALL_MIN: f64 = 0.92;

/// Pairs that stay unread while rules change.
const HELD_OUT: &str = "held_out.ndjson";

/// Pairs that were written last and are counted apart. Their wrong ones were read later: they are no longer a test of new rules.
const FRESH: &str = "fourth.ndjson";
const FRESH_PRECISION_MIN: f64 = 0.96;
const FRESH_RECALL_MIN: f64 = 0.93;

/// How many pairs were decided rightly and wrongly.
#[derive(Debug, Clone, Copy, Default)]
struct Confusion {
    joined: u32,
    joined_wrongly: u32,
    missed: u32,
    kept_apart: u32,
}

impl Confusion {
    fn add(&mut self, is_same: bool, is_joined: bool) {
        match (is_same, is_joined) {
            (true, true) => self.joined += 1,
            (false, true) => self.joined_wrongly += 1,
            (true, false) => self.missed += 1,
            (false, false) => self.kept_apart += 1,
        }
    }

    fn precision(self) -> f64 {
        share(self.joined, self.joined_wrongly)
    }

    fn recall(self) -> f64 {
        share(self.joined, self.missed)
    }
}

fn share(right: u32, wrong: u32) -> f64 {
    if right + wrong == 0 { 1.0 } else { f64::from(right) / f64::from(right + wrong) }
}

impl fmt::Display for Confusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { joined, joined_wrongly, missed, kept_apart } = self;
        write!(
            f,
            "precision {:.3}  recall {:.3}  joined {joined}  wrongly {joined_wrongly}  missed {missed}  apart {kept_apart}",
            self.precision(),
            self.recall(),
        )
    }
}

#[test]
fn pairs_are_grouped_as_people_would() {
    let places = Gazetteer::embedded().unwrap();
    let mut by_case: BTreeMap<String, Confusion> = BTreeMap::new();
    let mut by_file = Vec::new();
    let mut all = Confusion::default();
    for file in files() {
        let (is_fresh, is_held_out) = (file.ends_with(FRESH), file.ends_with(HELD_OUT));
        let mut confusion = Confusion::default();
        for (number, line) in std::fs::read_to_string(&file).unwrap().lines().enumerate() {
            let pair: Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| pair[name].as_str().unwrap();
            let is_same = text("label") == "same";
            let signature = |side: &str| {
                let found = signature(&pair[side], &places);
                found.unwrap_or_else(|| panic!("{}:{}: no commune", file.display(), number + 1))
            };
            let (one, other) = (signature("a"), signature("b"));
            let is_joined = is_joined(&one, &other);
            confusion.add(is_same, is_joined);
            if !is_fresh {
                all.add(is_same, is_joined);
            }
            if is_held_out {
                continue;
            }
            by_case.entry(text("case").into()).or_default().add(is_same, is_joined);
            if is_same != is_joined {
                print_wrong(&pair, is_same, &compare(&one, &other, &Unweighted));
            }
        }
        by_file.push((file, confusion));
    }
    for (case, confusion) in &by_case {
        println!("{case:24} {confusion}");
    }
    for (file, confusion) in &by_file {
        println!("{:24} {confusion}", file.file_name().unwrap().display());
    }
    println!("{:24} {all}", "all but the last");
    let fresh = by_file.iter().find(|(file, _)| file.ends_with(FRESH)).map(|(_, confusion)| *confusion);
    let fresh = fresh.expect("the last file");
    assert!(fresh.precision() >= FRESH_PRECISION_MIN && fresh.recall() >= FRESH_RECALL_MIN, "{fresh}");
    assert!(all.precision() >= PRECISION_MIN, "{all}");
    assert!(all.recall() >= RECALL_MIN, "{all}");
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pairs");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "ndjson"));
    files.sort();
    files
}

/// Reads an advert as ingest does.
fn signature(advert: &Value, places: &Gazetteer) -> Option<Signature> {
    let now: Timestamp = "2026-11-01T00:00:00Z".parse().unwrap();
    let zone = jiff::tz::TimeZone::UTC;
    let sites = SiteDirectory::default();
    let context = ParseContext { zone: &zone, now, sites: &sites, mode: ParseMode::Lenient };
    let draft = advert_draft::parse(&advert.into(), context).unwrap().draft;
    let placement = draft.patch.place.value().and_then(|place| places.resolve(place).placement);
    let city = placement.as_ref().and_then(|placement| places.city(&placement.insee));
    let commune = city.map(|city| CommuneFacts::of(city));
    let advert = merge::create(AdvertId::from_bytes([0; 16]), draft, placement, now).advert;
    Signature::of(&advert, commune)
}

fn is_joined(one: &Signature, other: &Signature) -> bool {
    if !BlockingKey::of(one).admits(&BlockingKey::of(other)) {
        return false;
    }
    let member = |number: u8, signature| Member {
        advert: AdvertId::from_bytes([number; 16]),
        signature,
        is_named: false,
    };
    let candidate = Candidate { property: PropertyId::from_bytes([1; 16]), members: vec![member(1, one)] };
    let judged = Judged { member: member(2, other), current: None };
    let decision = decide(judged, &[candidate], &Verdicts::default(), &Unweighted);
    matches!(decision, Decision::Join { .. })
}

fn print_wrong(pair: &Value, is_same: bool, comparison: &Comparison) {
    let Comparison { score, veto, evidence } = comparison;
    let expected = if is_same { "same" } else { "different" };
    let veto = veto.map_or("none", domain::grouping::Veto::name);
    println!("{} ({}) should be {expected}: score {score:.2}, veto {veto}", pair["name"], pair["case"]);
    for evidence in evidence {
        println!("    {evidence}");
    }
}
