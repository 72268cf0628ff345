//! Two adverts, and an advert among properties.

use jiff::Timestamp;

use super::*;
use crate::advert::Advert;
use crate::advert_event::AdvertEvent;
use crate::advert_fields::{AdvertDetails, AdvertField, EnergyLetter, Rating};
use crate::ids::{AdvertId, PropertyId};
use crate::kinds::{PropertyType, TransactionType};
use crate::site::SiteKey;
use crate::timeline::Timeline;
use crate::value::{Amount, LongText, ShortText};

const TOURS: CommuneFacts = CommuneFacts { commune: 37_261, city: 37_261, population: 137_000 };

const COPIED: &str = "Au calme d'une impasse, appartement traversant avec parquet en pointe de Hongrie, cuisine dînatoire, deux \
    chambres sur jardin, dressing et salle d'eau refaite. Cave saine et local vélos.";

const REWORDED: &str = "Coup de coeur assuré pour ce trois pièces lumineux : pièce de vie avec beau parquet, coin repas, espace nuit \
    donnant sur verdure. Une cave complète ce bien rare.";

fn short(text: &str) -> Option<ShortText> {
    ShortText::new(text).unwrap()
}

fn rating(category: EnergyLetter, value: f64) -> Rating {
    Rating { category: Some(category), value: Amount::new(value) }
}

/// An apartment for sale in Tours, with a few facts.
fn details() -> AdvertDetails {
    AdvertDetails {
        site: SiteKey::parse("un.example"),
        reference: short("A1"),
        description: LongText::new(COPIED).unwrap(),
        price: Amount::new(219_000.0),
        surface: Amount::new(68.0),
        room: Some(3),
        bedroom: Some(2),
        ..AdvertDetails::default()
    }
}

/// The same on another site, described by another agency.
fn reworded() -> AdvertDetails {
    AdvertDetails {
        site: SiteKey::parse("deux.example"),
        reference: short("B7"),
        description: LongText::new(REWORDED).unwrap(),
        ..details()
    }
}

fn advert(details: AdvertDetails) -> Advert {
    let at = Timestamp::UNIX_EPOCH;
    Advert {
        id: AdvertId::from_bytes([1; 16]),
        transaction_type: TransactionType::Sell,
        property_type: PropertyType::Apartment,
        details,
        placement: None,
        created_at: at,
        updated_at: at,
        last_crawled_at: at,
        expired_at: None,
        events: vec![AdvertEvent::created(at)],
        timeline: Timeline::default(),
        price_check: crate::price::PriceCheck::default(),
    }
}

fn signature(details: AdvertDetails) -> Signature {
    Signature::of(&advert(details), Some(TOURS)).unwrap()
}

fn compared(one: AdvertDetails, other: AdvertDetails) -> Comparison {
    let (one, other) = (signature(one), signature(other));
    let comparison = compare(&one, &other, &Unweighted);
    assert_eq!(comparison, compare(&other, &one, &Unweighted), "the order does not matter");
    assert_eq!(comparison.joins(), reaches(&one, &other, JOIN_SCORE, &Unweighted), "both functions agree");
    comparison
}

#[track_caller]
fn check(one: AdvertDetails, other: AdvertDetails, expected: bool) {
    let comparison = compared(one, other);
    let evidence: Vec<String> = comparison.evidence.iter().map(ToString::to_string).collect();
    assert_eq!(
        comparison.joins(),
        expected,
        "{} {:?}\n{}",
        comparison.score,
        comparison.veto,
        evidence.join("\n")
    );
}

#[track_caller]
fn check_veto(one: AdvertDetails, other: AdvertDetails, expected: Veto) {
    assert_eq!(compared(one, other).veto, Some(expected));
}

/// Returns whether two adverts are compared, in a city and in a village.
fn are_compared(one: &AdvertDetails, other: &AdvertDetails) -> [bool; 2] {
    [TOURS, CommuneFacts { population: 2_200, ..TOURS }].map(|commune| {
        let key = |details: &AdvertDetails| {
            BlockingKey::of(&Signature::of(&advert(details.clone()), Some(commune)).unwrap())
        };
        let (one, other) = (key(one), key(other));
        assert_eq!(one.admits(&other), other.admits(&one), "the order does not matter");
        one.admits(&other)
    })
}

#[test]
fn similar_homes_of_a_city_are_compared_if_they_share_a_value() {
    let with = |price: f64, surface: f64| AdvertDetails {
        price: Amount::new(price),
        surface: Amount::new(surface),
        ..reworded()
    };
    // The first one has 219,000 and 68 m².
    assert_eq!(are_compared(&details(), &with(219_000.0, 61.0)), [true; 2], "equal prices");
    assert_eq!(are_compared(&details(), &with(245_000.0, 68.4)), [true; 2], "one surface, rounded");
    assert_eq!(are_compared(&details(), &with(229_000.0, 66.0)), [true; 2], "both nearly equal");
    assert_eq!(are_compared(&details(), &with(320_000.0, 68.0)), [false; 2], "far apart");
    let similar = with(229_000.0, 61.0);
    assert_eq!(are_compared(&details(), &similar), [false, true], "nothing in common");
    for price in [None, Amount::new(229_000.0)] {
        let unknown = AdvertDetails { price, surface: None, ..reworded() };
        assert_eq!(are_compared(&details(), &unknown), [true; 2], "the surface is unknown");
    }

    let energy = rating(EnergyLetter::D, 213.0);
    let (one, other) = (AdvertDetails { energy, ..details() }, AdvertDetails { energy, ..similar.clone() });
    assert_eq!(are_compared(&one, &other), [true; 2], "the energy value");
    let other = AdvertDetails { energy: rating(EnergyLetter::D, 214.0), ..similar.clone() };
    assert_eq!(are_compared(&one, &other), [false, true], "another energy value");
    let land = Amount::new(912.0);
    let (one, other) =
        (AdvertDetails { land_surface: land, ..details() }, AdvertDetails { land_surface: land, ..similar });
    assert_eq!(are_compared(&one, &other), [true; 2], "the land");
}

#[test]
fn copied_text_with_equal_facts_joins() {
    let copy = AdvertDetails { site: SiteKey::parse("deux.example"), bedroom: None, ..details() };
    check(details(), copy.clone(), true);
    check(details(), AdvertDetails { price: Amount::new(214_000.0), ..copy }, true);
}

#[test]
fn reworded_text_needs_facts() {
    check(details(), reworded(), false);
    let audited = |details| AdvertDetails {
        energy: rating(EnergyLetter::D, 214.0),
        green_house_gas: rating(EnergyLetter::D, 44.0),
        ..details
    };
    check(audited(details()), audited(reworded()), true);
    let precise = |details| AdvertDetails { surface: Amount::new(67.85), floor: Some(2), ..details };
    check(precise(details()), precise(reworded()), true);
}

#[test]
fn other_energy_values_and_floor_speak_against_equal_facts() {
    let one = AdvertDetails { energy: rating(EnergyLetter::D, 214.0), floor: Some(2), ..details() };
    let other = AdvertDetails { energy: rating(EnergyLetter::E, 301.0), floor: Some(5), ..reworded() };
    check(one, other, false);
}

#[test]
fn price_of_a_net_seller_agrees_with_its_fees() {
    let net = AdvertDetails { price: Amount::new(200_000.0), fees_percentage: Amount::new(5.0), ..details() };
    let gross =
        AdvertDetails { price: Amount::new(210_000.0), site: SiteKey::parse("deux.example"), ..details() };
    let comparison = compared(net, gross);
    assert!(
        comparison
            .evidence
            .iter()
            .any(|evidence| evidence.kind == EvidenceKind::Price && evidence.points > 3.0)
    );
    assert!(comparison.joins());
}

#[test]
fn former_price_agrees() {
    let at = Timestamp::UNIX_EPOCH;
    let mut lowered = advert(AdvertDetails { price: Amount::new(189_000.0), ..reworded() });
    let change = AdvertEvent::amount(at, AdvertField::Price, Amount::new(219_000.0), Amount::new(189_000.0));
    lowered.events.push(change);
    let lowered = Signature::of(&lowered, Some(TOURS)).unwrap();
    let comparison = compare(&signature(details()), &lowered, &Unweighted);
    let price = comparison.evidence.iter().find(|evidence| evidence.kind == EvidenceKind::Price).unwrap();
    assert_eq!(price.to_string(), "+3.00 price: equal to a former price (189000 and 219000)");
}

#[test]
fn one_text_of_one_agency_describes_several_units() {
    let unit = |price: f64, surface: f64| {
        let mut unit = details();
        unit.price = Amount::new(price);
        unit.surface = Amount::new(surface);
        unit.contact.agency = short("Agence du Parc");
        unit
    };
    let elsewhere = |details| AdvertDetails { site: SiteKey::parse("deux.example"), ..details };
    check(unit(219_000.0, 68.0), elsewhere(unit(224_000.0, 70.0)), false);
    check(unit(219_000.0, 68.0), elsewhere(unit(219_000.0, 68.0)), true);
}

#[test]
fn vetoes_beat_any_score() {
    let live = |reference: &str, price: f64| AdvertDetails {
        reference: short(reference),
        price: Amount::new(price),
        ..details()
    };
    check_veto(live("A1", 219_000.0), live("A2", 221_000.0), Veto::BothLiveOnOneSite);
    // A repost keeps its price.
    assert_eq!(compared(live("A1", 219_000.0), live("A2", 219_000.0)).veto, None);
    let titled = |title: &str| AdvertDetails { title: short(title), ..reworded() };
    check_veto(titled("T3 lot n° 12"), titled("T3 lot n° 14"), Veto::UnitMarks);
    assert_eq!(compared(titled("T3 lot n° 12"), titled("Lot 12, bâtiment B")).veto, None);
    check_veto(details(), AdvertDetails { price: Amount::new(400_000.0), ..reworded() }, Veto::FarApart);
    check_veto(
        details(),
        AdvertDetails { price: Amount::new(245_000.0), surface: Amount::new(75.0), ..reworded() },
        Veto::FarApart,
    );
    let mut programme = reworded();
    programme.new_building.price_min = Amount::new(190_000.0);
    programme.new_building.price_max = Amount::new(390_000.0);
    check_veto(details(), programme, Veto::Programme);
}

#[test]
fn units_of_a_programme_have_their_own_prices() {
    let unit = |site: &str, price: f64, title: &str| AdvertDetails {
        site: SiteKey::parse(site),
        price: Amount::new(price),
        title: short(title),
        ..details()
    };
    let first = || unit("un.example", 219_000.0, "T3 neuf");
    check(first(), unit("deux.example", 219_000.0, "T3 neuf"), true);
    check(first(), unit("deux.example", 222_000.0, "T3 neuf"), false);
    // An old flat whose price was cut on one site.
    check(unit("un.example", 219_000.0, "T3"), unit("deux.example", 222_000.0, "T3"), true);
    // The number of the unit beats the price list.
    let numbered = |site, price| unit(site, price, "T3 neuf, lot B12");
    check(numbered("un.example", 219_000.0), numbered("deux.example", 222_000.0), true);
}

#[test]
fn streets_tell_houses_apart_but_not_flats() {
    let street = |details: AdvertDetails, text: &str| {
        let description = format!("{text} {}", details.description.as_ref().unwrap().as_str());
        AdvertDetails { description: LongText::new(&description).unwrap(), ..details }
    };
    let points = |property_type, other: &str| {
        let signature = |details| {
            let mut advert = advert(details);
            advert.property_type = property_type;
            Signature::of(&advert, Some(TOURS)).unwrap()
        };
        let one = signature(street(details(), "Rue des Tanneurs."));
        let evidence = compare(&one, &signature(street(reworded(), other)), &Unweighted).evidence;
        evidence.iter().find(|evidence| evidence.kind == EvidenceKind::Street).map(|evidence| evidence.points)
    };
    assert!(points(PropertyType::House, "À deux pas, rue des Tanneurs.").is_some_and(|points| points > 1.5));
    assert_eq!(points(PropertyType::House, "Rue des Halles."), None);
    assert_eq!(points(PropertyType::Apartment, "Rue des Tanneurs."), None);
}

#[test]
fn spaces_of_one_site_are_different() {
    let space = |reference: &str| {
        let mut space = advert(AdvertDetails { reference: short(reference), ..details() });
        space.property_type = PropertyType::Parking;
        Signature::of(&space, Some(TOURS)).unwrap()
    };
    let veto = |one, other| compare(&one, &other, &Unweighted).veto;
    assert_eq!(veto(space("P1"), space("P2")), Some(Veto::BothLiveOnOneSite));
    assert_eq!(veto(space("P1"), space("P2").with_live(false)), None);
}

#[test]
fn districts_are_compared_with_their_city_only() {
    let at = |commune| {
        let facts = CommuneFacts { commune, city: 75_056, population: 100_000 };
        Signature::of(&advert(details()), Some(facts)).unwrap()
    };
    let veto = |one, other| compare(&at(one), &at(other), &Unweighted).veto;
    assert_eq!(veto(75_111, 75_112), Some(Veto::NotComparable));
    assert_ne!(veto(75_111, 75_056), Some(Veto::NotComparable));
    assert_eq!(Signature::of(&advert(details()), None), None);
}

#[test]
fn signatures_survive_encoding() {
    for details in [details(), reworded(), AdvertDetails::default()] {
        let signature = signature(details);
        let bytes = signature.encode();
        assert_eq!(Signature::decode(&bytes), Some(signature));
        for length in 0..bytes.len() {
            assert_eq!(Signature::decode(&bytes[..length]), None, "{length} bytes");
        }
    }
}

#[test]
fn common_phrases_count_less() {
    struct Common;
    impl Rarity for Common {
        fn count(&self, _: u32) -> u32 {
            200
        }
    }
    let (one, other) = (signature(details()), signature(details()));
    let (rare, common) = (compare(&one, &other, &Unweighted), compare(&one, &other, &Common));
    assert!(common.score + 3.0 < rare.score, "{} {}", common.score, rare.score);
}

/// Signatures of adverts by number: those with the same letter join each other, those with another one contradict each other.
struct Stock {
    signatures: Vec<Signature>,
}

impl Stock {
    fn new(details: impl IntoIterator<Item = AdvertDetails>) -> Self {
        Self { signatures: details.into_iter().map(signature).collect() }
    }

    fn member(&self, number: usize) -> Member<'_> {
        let advert = AdvertId::from_bytes([u8::try_from(number).unwrap(); 16]);
        Member { advert, signature: &self.signatures[number], is_named: false }
    }

    fn candidate(&self, property: u8, members: &[usize]) -> Candidate<'_> {
        let members = members.iter().map(|number| self.member(*number)).collect();
        Candidate { property: PropertyId::from_bytes([property; 16]), members }
    }

    fn decide(&self, number: usize, current: Option<u8>, candidates: &[Candidate<'_>]) -> Decision {
        self.decide_with(number, current, candidates, &Verdicts::default())
    }

    fn decide_with(
        &self,
        number: usize,
        current: Option<u8>,
        candidates: &[Candidate<'_>],
        verdicts: &Verdicts,
    ) -> Decision {
        let current = current.map(|property| PropertyId::from_bytes([property; 16]));
        decide(Judged { member: self.member(number), current }, candidates, verdicts, &Unweighted)
    }
}

fn joined(decision: &Decision) -> Option<(u8, Vec<u8>)> {
    let number = |id: &PropertyId| id.as_bytes()[0];
    match decision {
        Decision::Join { property, merge, .. } => {
            Some((number(property), merge.iter().map(number).collect()))
        }
        Decision::Stay | Decision::Leave => None,
    }
}

/// The reworded advert has the energy values of the copy, which links it to the first one.
fn chain() -> [AdvertDetails; 3] {
    let audited = |details| AdvertDetails {
        energy: rating(EnergyLetter::D, 214.0),
        green_house_gas: rating(EnergyLetter::D, 44.0),
        ..details
    };
    let link = AdvertDetails { site: SiteKey::parse("trois.example"), ..audited(details()) };
    [details(), link, audited(reworded())]
}

#[test]
fn missing_link_merges() {
    let stock = Stock::new(chain());
    let alone = stock.decide(2, None, &[stock.candidate(1, &[0])]);
    assert_eq!(alone, Decision::Stay);
    let decision = stock.decide(1, None, &[stock.candidate(1, &[0]), stock.candidate(2, &[2])]);
    assert_eq!(joined(&decision), Some((1, vec![2])));
    // The order of the candidates does not matter.
    let decision = stock.decide(1, Some(9), &[stock.candidate(2, &[2]), stock.candidate(1, &[0])]);
    assert_eq!(joined(&decision), Some((1, vec![2])));
}

#[test]
fn vetoed_bridge_does_not_merge() {
    let [first, link, mut last] = chain();
    last.site = first.site.clone();
    last.price = Amount::new(218_000.0);
    let stock = Stock::new([first, link, last]);
    let decision = stock.decide(1, None, &[stock.candidate(1, &[0]), stock.candidate(2, &[2])]);
    assert_eq!(joined(&decision).map(|(_, merged)| merged), Some(vec![]));
}

#[test]
fn advert_joins_the_older_of_two_equal_properties() {
    let copy = |site: &str| AdvertDetails { site: SiteKey::parse(site), ..details() };
    let stock = Stock::new([copy("un.example"), copy("un.example"), copy("deux.example")]);
    let candidates = [stock.candidate(5, &[0]), stock.candidate(3, &[1])];
    assert_eq!(joined(&stock.decide(2, None, &candidates)).map(|(property, _)| property), Some(3));
}

#[test]
fn advert_leaves_what_its_facts_contradict() {
    let copy = AdvertDetails { site: SiteKey::parse("deux.example"), ..details() };
    let lowered = AdvertDetails { price: Amount::new(199_000.0), ..copy.clone() };
    let other = AdvertDetails { price: Amount::new(409_000.0), surface: Amount::new(120.0), ..copy.clone() };
    let stock = Stock::new([details(), copy, lowered, other]);
    let current = [stock.candidate(1, &[0])];
    assert_eq!(stock.decide(1, Some(1), &current), Decision::Stay);
    assert_eq!(stock.decide(2, Some(1), &current), Decision::Stay, "one portal is updated before the other");
    assert_eq!(stock.decide(3, Some(1), &current), Decision::Leave);
    assert_eq!(stock.decide(3, Some(1), &[]), Decision::Stay, "it is alone already");
}

#[test]
fn verdicts_of_people_beat_scores() {
    let copy = AdvertDetails { site: SiteKey::parse("deux.example"), ..details() };
    let other = AdvertDetails { price: Amount::new(409_000.0), surface: Amount::new(120.0), ..copy.clone() };
    let stock = Stock::new([details(), copy, other]);
    let about = |verdict, left: usize, right: usize| {
        let mut verdicts = Verdicts::default();
        let advert = |number| vec![stock.member(number).advert];
        verdicts.add(&PersonDecision { verdict, left: advert(left), right: advert(right) });
        verdicts
    };
    let candidates = [stock.candidate(1, &[0])];
    let apart = stock.decide_with(1, None, &candidates, &about(Verdict::Different, 0, 1));
    assert_eq!(apart, Decision::Stay);
    let apart = stock.decide_with(1, Some(1), &candidates, &about(Verdict::Different, 0, 1));
    assert_eq!(apart, Decision::Leave);
    let together = stock.decide_with(2, None, &candidates, &about(Verdict::Same, 0, 2));
    assert_eq!(joined(&together), Some((1, vec![])));
}

#[test]
fn named_adverts_stay_and_keep_their_property() {
    let copy = AdvertDetails { site: SiteKey::parse("deux.example"), ..details() };
    let stock = Stock::new([
        details(),
        copy.clone(),
        AdvertDetails { site: SiteKey::parse("trois.example"), ..copy },
    ]);
    let named = |property, number| {
        let mut candidate = stock.candidate(property, &[number]);
        candidate.members[0].is_named = true;
        candidate
    };
    let mut judged = stock.member(1);
    judged.is_named = true;
    let verdicts = Verdicts::default();
    let judged = Judged { member: judged, current: None };
    assert_eq!(decide(judged, &[stock.candidate(1, &[0])], &verdicts, &Unweighted), Decision::Stay);
    // The named property survives, although the other one is older.
    let decision = stock.decide(1, None, &[stock.candidate(1, &[0]), named(2, 2)]);
    assert_eq!(joined(&decision), Some((2, vec![1])));
    // Two named properties are different.
    let decision = stock.decide(1, None, &[named(1, 0), named(2, 2)]);
    assert_eq!(joined(&decision), Some((1, vec![])));
}

#[test]
fn a_price_that_the_text_names_agrees() {
    let described = |details: AdvertDetails, text: &str| AdvertDetails {
        description: LongText::new(text).unwrap(),
        ..details
    };
    let with_fees = described(
        AdvertDetails { price: Amount::new(229_000.0), ..details() },
        "Prix de 229 000 €, soit 219 000 € hors honoraires",
    );
    let comparison = compared(with_fees, reworded());
    let price = comparison.evidence.iter().find(|evidence| evidence.kind == EvidenceKind::Price).unwrap();
    assert_eq!(price.to_string(), "+3.00 price: one text names the price of the other (219000 and 229000)");
}

#[test]
fn features_agree_in_whatever_words() {
    let described = |details: AdvertDetails, text: &str| {
        let mut house = advert(AdvertDetails { description: LongText::new(text).unwrap(), ..details });
        house.property_type = PropertyType::House;
        Signature::of(&house, Some(TOURS)).unwrap()
    };
    let one = described(details(), "Longère avec four à pain, verger et mare.");
    let other = described(reworded(), "Ancienne ferme, arbres fruitiers, plan d'eau, fournil.");
    let comparison = compare(&one, &other, &Unweighted);
    let features = comparison.evidence.iter().find(|evidence| evidence.kind == EvidenceKind::Features);
    assert_eq!(features.unwrap().to_string(), "+3.00 features: both have: orchard, pond, bread oven");
}

#[test]
fn decade_agrees_with_its_years() {
    let points = |year: i32| {
        let dated = AdvertDetails { construction_year: Some(year), ..details() };
        let text = "Bel immeuble des années 30, trois pièces.";
        let old = AdvertDetails { description: LongText::new(text).unwrap(), ..reworded() };
        let evidence = compared(dated, old).evidence;
        evidence.iter().find(|evidence| evidence.kind == EvidenceKind::Year).unwrap().to_string()
    };
    assert_eq!(points(1934), "+0.75 constructionYear: 1930s and 1934");
    assert_eq!(points(1974), "-1.50 constructionYear: 1930s and 1974");
}

#[test]
fn reposts_keep_their_facts() {
    let live = |reference: &str, floor: i32| AdvertDetails {
        reference: short(reference),
        floor: Some(floor),
        ..details()
    };
    assert_eq!(compared(live("A1", 2), live("A2", 2)).veto, None);
    check_veto(live("A1", 2), live("A2", 4), Veto::BothLiveOnOneSite);
}

#[test]
fn two_contradictions_are_another_flat() {
    let flat = |details: AdvertDetails, floor: i32, energy: f64| AdvertDetails {
        floor: Some(floor),
        energy: rating(EnergyLetter::D, energy),
        surface: Amount::new(67.85),
        ..details
    };
    let elsewhere = || AdvertDetails { site: SiteKey::parse("deux.example"), ..details() };
    // One site may be wrong about the floor.
    check(flat(details(), 2, 214.0), flat(elsewhere(), 5, 214.0), true);
    check(flat(details(), 2, 214.0), flat(elsewhere(), 5, 231.0), false);
}

/// Adverts of one flat, of which more and more is known: each is closer to the first one than the one before.
fn doubtful_stock() -> Stock {
    let described = |surface: f64| AdvertDetails { surface: Amount::new(surface), ..reworded() };
    Stock::new([details(), described(69.0), described(68.0), details()])
}

fn numbers(pair: Option<ScoredPair>) -> Option<[u8; 2]> {
    pair.map(|pair| pair.adverts.map(|advert| advert.as_bytes()[0]))
}

#[test]
fn two_properties_are_doubtful_shortly_before_they_join() {
    let stock = doubtful_stock();
    let verdicts = Verdicts::default();
    let between =
        |one: &Candidate<'_>, other: &Candidate<'_>| doubtful_between(one, other, &verdicts, &Unweighted);
    let score = |one: usize, other: usize| {
        compare(&stock.signatures[one], &stock.signatures[other], &Unweighted).score
    };
    assert!((JOIN_SCORE - DOUBTFUL_MARGIN..JOIN_SCORE).contains(&score(0, 2)), "{}", score(0, 2));
    let pair = between(&stock.candidate(1, &[0]), &stock.candidate(2, &[2])).unwrap();
    assert_eq!((pair.score, pair.needed), (score(0, 2), JOIN_SCORE));
    assert_eq!(pair.distance(), JOIN_SCORE - score(0, 2));
    // The order does not matter, and of several pairs the closest one counts.
    let several = stock.candidate(2, &[1, 2]);
    assert!(score(0, 1) < score(0, 2));
    for pair in [between(&stock.candidate(1, &[0]), &several), between(&several, &stock.candidate(1, &[0]))] {
        assert_eq!(numbers(pair), Some([0, 2]));
    }
    let joined = between(&stock.candidate(1, &[0]), &stock.candidate(2, &[2, 3]));
    assert_eq!(joined, None, "two of them would join: something else keeps the properties apart");
    let mut named = stock.candidate(2, &[2]);
    named.members[0].is_named = true;
    assert_eq!(between(&stock.candidate(1, &[0]), &named), None);
    let mut decided = Verdicts::default();
    let advert = |number| vec![stock.member(number).advert];
    decided.add(&PersonDecision { verdict: Verdict::Different, left: advert(2), right: advert(0) });
    let pair = doubtful_between(&stock.candidate(1, &[0]), &several, &decided, &Unweighted);
    assert_eq!(pair, None, "a person decided about two of their adverts");
}

#[test]
fn vetoed_properties_are_not_doubtful() {
    let far = AdvertDetails { price: Amount::new(430_000.0), ..reworded() };
    let stock = Stock::new([details(), reworded(), far]);
    let pair = |members: &[usize]| {
        let (one, other) = (stock.candidate(1, &[0]), stock.candidate(2, members));
        numbers(doubtful_between(&one, &other, &Verdicts::default(), &Unweighted))
    };
    assert_eq!(pair(&[1]), Some([0, 1]));
    assert_eq!(pair(&[1, 2]), None, "more points would not help");
}

#[test]
fn advert_is_doubtful_if_little_holds_it() {
    let stock = doubtful_stock();
    let verdicts = Verdicts::default();
    let within = |members: &[usize]| doubtful_within(&stock.candidate(1, members), &verdicts, &Unweighted);
    assert_eq!(within(&[0]), None, "it is alone");
    assert_eq!(within(&[0, 3]), None, "they are copies");
    assert_eq!(numbers(within(&[2, 0])), Some([0, 2]), "the newer one is held by the older one");
    assert_eq!(numbers(within(&[0, 3, 2])).map(|[_, held]| held), Some(2), "the copies hold each other");
    let mut named = stock.candidate(1, &[0, 2]);
    named.members[1].is_named = true;
    assert_eq!(doubtful_within(&named, &verdicts, &Unweighted), None);
    let mut decided = Verdicts::default();
    let advert = |number| vec![stock.member(number).advert];
    decided.add(&PersonDecision { verdict: Verdict::Same, left: advert(0), right: advert(2) });
    let within = |members: &[usize]| doubtful_within(&stock.candidate(1, members), &decided, &Unweighted);
    assert_eq!(within(&[0, 2]), None, "a person decided");
    assert_eq!(within(&[0, 3, 2]), None, "a person holds it, and the copies hold each other");
}
