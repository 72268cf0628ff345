use super::*;
use crate::kinds::PropertyType::{Apartment, House, Land, Parking};
use crate::kinds::TransactionType::{Rent, Sell};
use crate::merge;
use crate::place::{Insee, Placement};
use crate::{AdvertDraft, AdvertId, AdvertPatch, FieldUpdate, Identity, Timestamp};

fn subject(transaction_type: TransactionType, property_type: PropertyType, price: f64) -> PriceSubject {
    PriceSubject {
        transaction_type,
        property_type,
        price: Amount::new(price),
        surface: Amount::new(50.0),
        place: commune(1),
        rent_period: None,
        life_annuity: false,
        new_building: false,
    }
}

fn commune(commune: u64) -> PricePlace {
    PricePlace::Commune { commune, department: Some(commune % 10) }
}

/// Adds adverts of 50 m² around a price, from half of it to twice.
fn add(statistics: &mut PriceStatistics, count: u32, like: PriceSubject) {
    let price = like.price.unwrap().get();
    for number in 0..count {
        let factor = f64::exp2(2.0 * (f64::from(number) + 0.5) / f64::from(count) - 1.0);
        statistics.add(&sample(PriceSubject { price: Amount::new(price * factor), ..like }));
    }
}

fn sample(subject: PriceSubject) -> PriceSample {
    PriceSample::of_subject(&subject).unwrap()
}

#[track_caller]
fn check_with(subject: PriceSubject, statistics: &PriceStatistics, expected: Option<PriceProblem>) {
    let finding = check(&subject, statistics).err();
    assert_eq!(finding.map(|finding| finding.problem), expected, "{subject:?}");
}

#[test]
fn price_per_meter_has_two_decimals() {
    assert_eq!(per_meter(Amount::new(200_000.0), Amount::new(37.0)), Amount::new(5_405.41));
    assert_eq!(per_meter(Amount::new(200_000.0), Amount::new(0.0)), None);
    assert_eq!(per_meter(None, Amount::new(37.0)), None);
}

#[test]
fn smallest_area_with_enough_prices_decides() {
    let level = |statistics: &PriceStatistics| {
        statistics.usual(&subject(Sell, Apartment, 1.0)).map(|usual| (usual.level, usual.median.round()))
    };
    let around = |level, median| Some((level, median));
    let close = |found: Option<(PriceLevel, f64)>, expected: Option<(PriceLevel, f64)>| {
        let (found, expected) = (found.unwrap(), expected.unwrap());
        assert_eq!(found.0, expected.0);
        assert!((found.1 / expected.1 - 1.0).abs() < 0.05, "{found:?}, expected {expected:?}");
    };
    let mut statistics = PriceStatistics::default();
    assert_eq!(level(&statistics), None);
    add(&mut statistics, 199, PriceSubject { place: commune(2), ..subject(Sell, Apartment, 100_000.0) });
    assert_eq!(level(&statistics), None);
    statistics
        .add(&sample(PriceSubject { place: PricePlace::Unknown, ..subject(Sell, Apartment, 100_000.0) }));
    close(level(&statistics), around(PriceLevel::Country, 2_000.0));
    add(&mut statistics, 30, PriceSubject { place: commune(11), ..subject(Sell, Apartment, 200_000.0) });
    close(level(&statistics), around(PriceLevel::Department, 4_000.0));
    add(&mut statistics, 15, subject(Sell, Apartment, 300_000.0));
    close(level(&statistics), around(PriceLevel::Commune, 6_000.0));
    // Other types and transactions have statistics of their own, and other countries none.
    assert_eq!(statistics.usual(&subject(Sell, House, 1.0)), None);
    assert_eq!(statistics.usual(&subject(Rent, Apartment, 1.0)), None);
    let abroad = PriceSubject { place: PricePlace::Abroad, ..subject(Sell, Apartment, 1.0) };
    assert_eq!(statistics.usual(&abroad), None);
}

#[test]
fn removed_prices_do_not_count() {
    let mut statistics = PriceStatistics::default();
    add(&mut statistics, 40, subject(Sell, Apartment, 200_000.0));
    let before = statistics.usual(&subject(Sell, Apartment, 1.0));
    let more = [300_000.0, 410_000.0, 5_000.0].map(|price| sample(subject(Sell, Apartment, price)));
    more.iter().for_each(|sample| statistics.add(sample));
    assert_ne!(statistics.usual(&subject(Sell, Apartment, 1.0)), before);
    more.iter().for_each(|sample| statistics.remove(sample));
    assert_eq!(statistics.usual(&subject(Sell, Apartment, 1.0)), before);
    let only = sample(subject(Rent, House, 900.0));
    let mut statistics = PriceStatistics::default();
    statistics.add(&only);
    statistics.remove(&only);
    assert_eq!(statistics.usual(&subject(Rent, House, 900.0)), None);
}

#[test]
fn a_few_wrong_prices_do_not_move_the_limits() {
    let mut statistics = PriceStatistics::default();
    add(&mut statistics, 90, subject(Sell, Apartment, 100_000.0));
    add(&mut statistics, 10, subject(Sell, Apartment, 1_000_000.0));
    check_with(subject(Sell, Apartment, 100_000.0), &statistics, None);
    check_with(subject(Sell, Apartment, 1_000_000.0), &statistics, Some(PriceProblem::Tenfold));
}

#[test]
fn only_comparable_prices_are_samples() {
    let is_sample = |subject: PriceSubject| PriceSample::of_subject(&subject).is_some();
    let sale = subject(Sell, Apartment, 200_000.0);
    assert!(is_sample(sale));
    assert!(!is_sample(PriceSubject { price: None, ..sale }));
    assert!(!is_sample(PriceSubject { price: Amount::new(2_499.0), ..sale }));
    assert!(!is_sample(PriceSubject { surface: None, ..sale }));
    assert!(!is_sample(PriceSubject { surface: Amount::new(5.0), ..sale }));
    assert!(!is_sample(PriceSubject { life_annuity: true, ..sale }));
    assert!(!is_sample(PriceSubject { place: PricePlace::Abroad, ..sale }));
    assert!(is_sample(PriceSubject { surface: None, ..subject(Sell, Parking, 20_000.0) }));
    let rent = |rent_period| PriceSubject { rent_period, ..subject(Rent, Apartment, 700.0) };
    assert!(is_sample(rent(None)) && is_sample(rent(Some(RentPeriod::Month))));
    assert!(!is_sample(rent(Some(RentPeriod::Week))) && !is_sample(rent(Some(RentPeriod::Season))));
    // A yearly rent is that of its months.
    let yearly = PriceSubject { price: Amount::new(8_400.0), ..rent(Some(RentPeriod::Year)) };
    assert_eq!(PriceSample::of_subject(&yearly), PriceSample::of_subject(&rent(None)));
}

#[test]
fn new_homes_and_land_may_be_farther_from_the_usual() {
    let mut statistics = PriceStatistics::default();
    add(&mut statistics, 40, subject(Sell, Apartment, 100_000.0));
    let dear = subject(Sell, Apartment, 520_000.0);
    check_with(dear, &statistics, Some(PriceProblem::Outlier));
    check_with(PriceSubject { new_building: true, ..dear }, &statistics, None);
    add(&mut statistics, 40, subject(Sell, Land, 100_000.0));
    let field = PriceSubject { surface: Amount::new(10_000.0), ..subject(Sell, Land, 8_000.0) };
    check_with(field, &statistics, None);
}

#[test]
fn findings_are_sentences_with_numbers() {
    let mut statistics = PriceStatistics::default();
    add(&mut statistics, 40, subject(Sell, Apartment, 150_000.0));
    let sentence = |subject| check(&subject, &statistics).unwrap_err().to_string();
    assert_eq!(sentence(subject(Sell, Apartment, 8.0)), "8 € is below the least sale price of 2,500 €.");
    assert_eq!(sentence(subject(Sell, Apartment, 1.0)), "1 € stands for an unknown price.");
    assert_eq!(
        sentence(PriceSubject { price: Amount::new(800.0), ..subject(Sell, Apartment, 0.0) }),
        "800 € is below the least sale price of 2,500 €; it looks like a monthly rent."
    );
    assert_eq!(sentence(subject(Rent, Parking, 1_234.5)), "1,234 € is above the highest of 1,000 €.");
    let tenfold = sentence(subject(Sell, Apartment, 1_500_000.0));
    assert!(tenfold.starts_with("30,000 € per m² is far above the usual "), "{tenfold}");
    assert!(tenfold.contains(" € per m² in the commune; the price looks ten times too high"), "{tenfold}");
}

#[test]
fn codes_round_trip() {
    for problem in PriceProblem::ALL {
        assert_eq!(PriceProblem::from_code(problem.code()), Some(*problem));
    }
    // It means coherent in stored records.
    assert_eq!(PriceProblem::from_code(0), None);
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn draft(patch: AdvertPatch) -> AdvertDraft {
    AdvertDraft::seen(Identity::Uuid(AdvertId::from_bytes([1; 16])), patch)
}

fn tours() -> Placement {
    let insee = Insee::parse("37261").unwrap();
    Placement { department: insee.department(), insee, zipcode: None, centre: None }
}

fn advert() -> Advert {
    let patch = AdvertPatch {
        price: FieldUpdate::Set(Amount::new(150_000.0)),
        surface: FieldUpdate::Set(Amount::new(50.0)),
        ..AdvertPatch::default()
    };
    let mut advert = merge::create(AdvertId::from_bytes([1; 16]), draft(patch), None, at(1_000)).advert;
    advert.placement = Some(tours());
    advert
}

#[test]
fn result_is_kept_until_the_price_or_its_conditions_change() {
    let mut cheap = PriceStatistics::default();
    let place = PricePlace::Commune { commune: 37_261, department: Some(37) };
    add(&mut cheap, 40, PriceSubject { place, ..subject(Sell, Apartment, 20_000.0) });
    let empty = PriceStatistics::default();

    let mut first = advert();
    assert_eq!(evaluate(&mut first, None, &empty), None);
    assert_eq!(first.price_check, PriceCheck::Coherent);

    // The market has changed, the advert has not.
    let title = AdvertPatch { room: FieldUpdate::Set(Some(3)), ..AdvertPatch::default() };
    let mut crawled = merge::update(&first, draft(title), None, at(2_000)).advert;
    assert_eq!(evaluate(&mut crawled, Some(&first), &cheap), None);
    assert_eq!(crawled.price_check, PriceCheck::Coherent);

    let cut = AdvertPatch { price: FieldUpdate::Set(Amount::new(149_000.0)), ..AdvertPatch::default() };
    let mut changed = merge::update(&crawled, draft(cut), None, at(3_000)).advert;
    let finding = evaluate(&mut changed, Some(&crawled), &cheap).unwrap();
    assert_eq!(finding.problem, PriceProblem::Tenfold);
    assert_eq!(changed.price_check, PriceCheck::Incoherent(PriceProblem::Tenfold));
    assert_eq!(problem_of(&changed), Some(PriceProblem::Tenfold));

    let annuity = crate::LifeAnnuity { bouquet: Amount::new(40_000.0), rent: None };
    for change in [
        |advert: &mut Advert| advert.details.surface = None,
        |advert: &mut Advert| advert.property_type = House,
        |advert: &mut Advert| advert.transaction_type = Rent,
        |advert: &mut Advert| advert.placement = None,
        |advert: &mut Advert| advert.details.rent_period = Some(RentPeriod::Month),
    ] {
        let mut other = changed.clone();
        change(&mut other);
        evaluate(&mut other, Some(&changed), &empty);
        assert_ne!(other.price_check, PriceCheck::Incoherent(PriceProblem::Tenfold), "{other:?}");
    }
    let mut other = changed.clone();
    other.details.life_annuity = annuity;
    evaluate(&mut other, Some(&changed), &cheap);
    assert_eq!(other.price_check, PriceCheck::Coherent);
}

#[test]
fn prices_are_checked_again_by_the_market_of_now() {
    let mut cheap = PriceStatistics::default();
    let place = PricePlace::Commune { commune: 37_261, department: Some(37) };
    add(&mut cheap, 40, PriceSubject { place, ..subject(Sell, Apartment, 20_000.0) });
    let (now, empty) = (cheap.usual_prices(), PriceStatistics::default().usual_prices());
    let checked = |price_check| CheckedPrice::of(&Advert { price_check, ..advert() });
    let tenfold = PriceCheck::Incoherent(PriceProblem::Tenfold);

    assert_eq!(check_again(&checked(PriceCheck::Coherent), &now), Some(tenfold));
    assert_eq!(check_again(&checked(tenfold), &now), None);
    assert_eq!(check_again(&checked(tenfold), &empty), Some(PriceCheck::Coherent));
    assert_eq!(check_again(&checked(PriceCheck::Coherent), &empty), None);
    // An older record is written again only if its result is another one.
    assert_eq!(check_again(&checked(PriceCheck::Unchecked), &now), Some(tenfold));
    assert_eq!(check_again(&checked(PriceCheck::Unchecked), &empty), None);
    // What an export says stays until the price changes.
    let exported = Advert { price_check: PriceCheck::TakenOver(None), ..advert() };
    assert_eq!(check_again(&CheckedPrice::of(&exported), &now), None);
    let mut crawled = exported.clone();
    assert_eq!(evaluate(&mut crawled, Some(&exported), &cheap), None);
    assert_eq!(crawled.price_check, PriceCheck::TakenOver(None));
    crawled.details.price = Amount::new(149_000.0);
    assert!(evaluate(&mut crawled, Some(&exported), &cheap).is_some());
    assert_eq!(crawled.price_check, tenfold);
}

#[test]
fn usual_prices_are_those_of_the_statistics() {
    let mut statistics = PriceStatistics::default();
    let commune = |commune, department| PricePlace::Commune { commune, department: Some(department) };
    let counts = [(commune(37_261, 37), 20), (commune(37_001, 37), 14), (commune(75_056, 75), 190)];
    for (place, count) in counts {
        add(&mut statistics, count, PriceSubject { place, ..subject(Sell, Apartment, 20_000.0) });
    }
    let places = [commune(37_261, 37), commune(37_001, 37), commune(1_004, 1), PricePlace::Unknown];
    let now = statistics.usual_prices();
    for place in places.into_iter().chain([PricePlace::Abroad]) {
        for transaction in [Sell, Rent] {
            let subject = PriceSubject { place, ..subject(transaction, Apartment, 20_000.0) };
            assert_eq!(now.usual(&subject), statistics.usual(&subject), "{subject:?}");
        }
    }
    let levels = places
        .map(|place| now.usual(&PriceSubject { place, ..subject(Sell, Apartment, 20_000.0) }).unwrap().level);
    assert_eq!(
        levels,
        [PriceLevel::Commune, PriceLevel::Department, PriceLevel::Country, PriceLevel::Country]
    );
}

#[test]
fn unchecked_prices_are_compared_with_the_bounds() {
    let mut older = advert();
    assert_eq!((older.price_check, problem_of(&older)), (PriceCheck::Unchecked, None));
    older.details.price = Amount::new(1.0);
    assert_eq!(problem_of(&older), Some(PriceProblem::Placeholder));
    assert!(!is_coherent(&older));
}
