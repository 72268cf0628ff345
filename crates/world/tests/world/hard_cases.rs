//! The labelled market: every kind occurs, labels are right, and drafts look like those of the stock.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

use domain::{AdvertDetails, Lifecycle};
use world::{CaseKind, LabelledAdvert};

use crate::{key, start, world};

const SEEDS: [u64; 2] = [1, 2];

/// Enough for a dozen cases of the rarest kind.
const CASES: u64 = 1_500;

/// Kinds of one home with several adverts. Ordinary homes may have one.
const ONE_HOME: [CaseKind; 12] = [
    CaseKind::SurfaceConvention,
    CaseKind::Fees,
    CaseKind::MissingCoordinates,
    CaseKind::FieldError,
    CaseKind::LatePriceCut,
    CaseKind::MissingSurface,
    CaseKind::PriceOnRequest,
    CaseKind::CopiedDescription,
    CaseKind::RewrittenDescription,
    CaseKind::OwnerAndAgency,
    CaseKind::Repost,
    CaseKind::RentCharges,
];

/// The adverts of each case, with their values.
type Cases = BTreeMap<u64, Vec<(LabelledAdvert, AdvertDetails)>>;

/// Returns the market of one of the [`SEEDS`], which is generated once for all tests.
fn cases(seed: u64) -> &'static Cases {
    static MARKETS: LazyLock<BTreeMap<u64, Cases>> =
        LazyLock::new(|| SEEDS.into_iter().map(|seed| (seed, generate(seed))).collect());
    &MARKETS[&seed]
}

fn generate(seed: u64) -> Cases {
    let mut cases = Cases::new();
    for advert in world(seed, CASES).hard_market() {
        let details = AdvertDetails::default().patched(advert.draft.patch.clone());
        cases.entry(advert.case).or_default().push((advert, details));
    }
    cases
}

/// The distinct values of a field over the adverts of a case, by home.
fn by_home<T: Ord>(
    adverts: &[(LabelledAdvert, AdvertDetails)],
    value: impl Fn(&AdvertDetails) -> T,
) -> BTreeMap<domain::PropertyId, BTreeSet<T>> {
    let mut values: BTreeMap<_, BTreeSet<T>> = BTreeMap::new();
    for (advert, details) in adverts {
        values.entry(advert.home).or_default().insert(value(details));
    }
    values
}

fn all<T: Ord>(
    adverts: &[(LabelledAdvert, AdvertDetails)],
    value: impl Fn(&AdvertDetails) -> T,
) -> BTreeSet<T> {
    adverts.iter().map(|(_, details)| value(details)).collect()
}

/// Returns `true` if two homes share a value, among homes that all give one.
fn some_home_shares<T: Ord + Clone>(homes: &BTreeMap<domain::PropertyId, BTreeSet<Option<T>>>) -> bool {
    let mut seen = BTreeSet::new();
    homes.values().any(|values| values.iter().flatten().any(|value| !seen.insert(value.clone())))
}

#[test]
fn the_same_seed_gives_the_same_market() {
    let market = |seed| world(seed, 300).hard_market().collect::<Vec<_>>();
    assert_eq!(market(5), market(5), "seed 5");
    assert_ne!(market(5), market(6), "seeds 5 and 6");
}

#[test]
fn every_kind_has_a_few_per_cent_of_the_homes() {
    for seed in SEEDS {
        let mut homes: BTreeMap<CaseKind, HashSet<_>> = BTreeMap::new();
        for (advert, _) in cases(seed).values().flatten() {
            homes.entry(advert.kind).or_default().insert(advert.home);
        }
        let total: usize = homes.values().map(HashSet::len).sum();
        for kind in CaseKind::ALL {
            let percent = 100.0 * homes.get(kind).map_or(0, HashSet::len) as f64 / total as f64;
            let expected = if *kind == CaseKind::Ordinary { 30.0..50.0 } else { 0.8..11.0 };
            assert!(expected.contains(&percent), "seed {seed}: {percent:.1} % {}", kind.name());
        }
    }
    let names: HashSet<&str> = CaseKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(names.len(), CaseKind::ALL.len());
}

#[test]
fn labels_are_consistent() {
    for seed in SEEDS {
        let mut case_of_home = BTreeMap::new();
        for (case, adverts) in cases(seed) {
            let kind = adverts[0].0.kind;
            let homes: BTreeSet<_> = adverts.iter().map(|(advert, _)| advert.home).collect();
            let at = format!("seed {seed}, case {case}, {}", kind.name());
            assert!(adverts.iter().all(|(advert, _)| advert.kind == kind), "{at}");
            for home in &homes {
                assert_eq!(case_of_home.insert(*home, case), None, "{at}: home in two cases");
            }
            match kind {
                CaseKind::Ordinary => assert_eq!(homes.len(), 1, "{at}"),
                kind if ONE_HOME.contains(&kind) => {
                    assert!(homes.len() == 1 && adverts.len() >= 2, "{at}: {} adverts", adverts.len());
                }
                _ => assert!(homes.len() >= 2, "{at}"),
            }
        }
    }
}

#[test]
fn drafts_are_well_formed_and_name_nothing_real() {
    for seed in SEEDS {
        let (mut keys, mut addresses) = (HashSet::new(), HashSet::new());
        for (case, adverts) in cases(seed) {
            for (LabelledAdvert { draft, kind, .. }, details) in adverts {
                let at = format!("seed {seed}, case {case}, {}", kind.name());
                assert_eq!(draft.property, None, "{at}");
                assert!(keys.insert(key(draft)), "{at}: {:?} occurs twice", draft.identity);
                assert!(addresses.insert(details.url.clone().unwrap()), "{at}: duplicate URL");
                let reference = details.reference.as_ref().unwrap().as_str();
                assert_eq!(key(draft).1, reference, "{at}");
                assert!(details.url.as_ref().unwrap().as_str().ends_with(reference), "{at}");
                let texts = [
                    details.title.as_ref().unwrap().as_str(),
                    details.description.as_ref().unwrap().as_str(),
                ];
                for text in texts {
                    assert!(!text.contains(['{', '}', '[', ']']) && !text.contains("  "), "{at}: {text}");
                }
                let addresses =
                    details.pictures.iter().chain(&*details.pictures_remote).chain(&details.virtual_tour);
                assert!(addresses.chain(&details.url).all(|url| url.host().ends_with(".example")), "{at}");
                assert!(key(draft).0.ends_with(".example"), "{at}");
                let email = details.contact.email.as_ref();
                assert!(email.is_none_or(|email| email.as_str().ends_with(".example")), "{at}");
                let (created, crawled) = (draft.created_at.unwrap(), draft.last_crawled_at.unwrap());
                assert!(created <= crawled && crawled <= start(), "{at}: {created} to {crawled}");
                assert!(draft.updated_at.unwrap() >= created, "{at}");
            }
        }
    }
}

#[test]
fn an_agency_uses_a_reference_for_one_home() {
    for seed in SEEDS {
        let mut homes = BTreeMap::new();
        for (advert, details) in cases(seed).values().flatten() {
            let (agency, reference) = (&details.contact.agency, &details.contact.reference);
            if let (Some(agency), Some(reference)) = (agency, reference) {
                let known = *homes.entry((agency, reference, &details.place.zipcode)).or_insert(advert.home);
                assert_eq!(known, advert.home, "seed {seed}, case {}", advert.case);
            }
        }
        assert!(homes.len() > 500, "seed {seed}");
    }
}

#[test]
fn different_homes_differ_where_a_reader_would_look() {
    for seed in SEEDS {
        for (case, adverts) in cases(seed) {
            let kind = adverts[0].0.kind;
            let at = format!("seed {seed}, case {case}, {}", kind.name());
            let agency_references = by_home(adverts, |details| details.contact.reference.clone());
            if !ONE_HOME.contains(&kind) && kind != CaseKind::Ordinary {
                assert!(!some_home_shares(&agency_references), "{at}");
                let sites: HashSet<_> =
                    adverts.iter().map(|(advert, _)| (advert.home, key(&advert.draft).0)).collect();
                assert_eq!(sites.len(), adverts.len(), "{at}: a home twice on one site");
            }
            let one_agency =
                || assert_eq!(all(adverts, |details| details.contact.agency.clone()).len(), 1, "{at}");
            match kind {
                CaseKind::NewBuildingTwins => {
                    one_agency();
                    assert!(!some_home_shares(&by_home(adverts, |details| details.price)), "{at}");
                }
                CaseKind::ParkingSeries => {
                    one_agency();
                    assert_eq!(all(adverts, |details| details.price).len(), 1, "{at}");
                    let numbered = adverts
                        .iter()
                        .any(|(_, details)| details.title.as_ref().unwrap().as_str().contains("n°"));
                    let shown = adverts.iter().all(|(_, details)| details.contact.reference.is_some());
                    assert!(numbered || shown, "{at}: nothing tells the spaces apart");
                }
                CaseKind::SubdivisionPlots | CaseKind::AgencyBoilerplate => one_agency(),
                CaseKind::SameBuilding => {
                    one_agency();
                    assert!(!some_home_shares(&by_home(adverts, |details| details.floor)), "{at}");
                }
                CaseKind::LookAlikes => {
                    assert_eq!(all(adverts, |details| details.price).len(), 1, "{at}");
                    assert_eq!(all(adverts, |details| details.room).len(), 1, "{at}");
                    assert_eq!(all(adverts, |details| details.place.zipcode.clone()).len(), 1, "{at}");
                    let measured = by_home(adverts, |details| {
                        Some((
                            details.energy.value?,
                            details.green_house_gas.value?,
                            details.construction_year?,
                        ))
                    });
                    assert!(!some_home_shares(&measured), "{at}");
                }
                _ => {}
            }
        }
    }
}

#[test]
fn one_home_differs_as_its_kind_says() {
    for seed in SEEDS {
        let mut differing: BTreeMap<CaseKind, [u32; 2]> = BTreeMap::new();
        for adverts in cases(seed).values() {
            let kind = adverts[0].0.kind;
            let several = match kind {
                CaseKind::SurfaceConvention => all(adverts, |details| details.surface).len() > 1,
                CaseKind::Fees
                | CaseKind::LatePriceCut
                | CaseKind::PriceOnRequest
                | CaseKind::RentCharges => all(adverts, |details| details.price).len() > 1,
                CaseKind::MissingCoordinates => {
                    adverts.iter().any(|(_, details)| details.place.point.is_none())
                }
                CaseKind::MissingSurface => adverts
                    .iter()
                    .any(|(_, details)| details.surface.is_none_or(|surface| surface.get() == 1.0)),
                CaseKind::CopiedDescription | CaseKind::RewrittenDescription => {
                    all(adverts, |details| details.contact.agency.clone()).len() > 1
                }
                CaseKind::OwnerAndAgency => all(adverts, |details| details.publisher.kind).len() > 1,
                CaseKind::Repost => {
                    let expired =
                        |advert: &LabelledAdvert| matches!(advert.draft.lifecycle, Lifecycle::Expired { .. });
                    adverts.iter().any(|(advert, _)| expired(advert))
                        && adverts.iter().any(|(advert, _)| !expired(advert))
                        && all(adverts, |details| details.site.clone()).len() == 1
                }
                _ => continue,
            };
            let [yes, no] = differing.entry(kind).or_default();
            *(if several { yes } else { no }) += 1;
        }
        assert_eq!(differing.len(), ONE_HOME.len() - 1, "seed {seed}");
        for (kind, [yes, no]) in differing {
            // Two agencies may have one name, and two conventions may round to one surface.
            assert!(yes >= 9 * no && yes > 0, "seed {seed}: {}, {yes} of {}", kind.name(), yes + no);
        }
    }
}
