use super::*;
use crate::advert_fields::{AdvertDetails, Publisher};
use crate::special_sale::{LifeAnnuity, NewBuilding};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn advert(number: u8, last_crawled_at: i64, details: AdvertDetails) -> Advert {
    Advert {
        id: AdvertId::from_bytes([number; 16]),
        transaction_type: TransactionType::Sell,
        property_type: PropertyType::House,
        details,
        placement: None,
        created_at: at(100 + i64::from(number)),
        updated_at: at(200 + i64::from(number)),
        last_crawled_at: at(last_crawled_at),
        expired_at: None,
        events: Vec::new(),
        timeline: crate::Timeline::default(),
        price_check: crate::PriceCheck::default(),
    }
}

fn expired(mut advert: Advert, second: i64) -> Advert {
    advert.expired_at = Some(at(second));
    advert
}

fn property(adverts: Vec<Advert>) -> Property {
    Property { id: PropertyId::from_bytes([9; 16]), adverts }
}

fn details(price: f64) -> AdvertDetails {
    AdvertDetails { price: Amount::new(price), ..AdvertDetails::default() }
}

#[test]
fn most_recently_crawled_live_advert_is_the_reference() {
    let it = property(vec![
        advert(1, 500, details(100.0)),
        advert(2, 600, details(90.0)),
        expired(advert(3, 900, details(80.0)), 950),
    ]);
    let derived = it.derive().unwrap();
    assert_eq!(derived.reference_advert, AdvertId::from_bytes([2; 16]));
    assert_eq!(derived.price, Amount::new(90.0));
    assert_eq!(derived.last_crawled_at, Some(at(600)));
    assert_eq!(derived.expired_at, None);
    assert_eq!((derived.created_at, derived.updated_at), (at(101), at(203)));
}

#[test]
fn property_is_expired_if_all_adverts_are() {
    let it = property(vec![
        expired(advert(1, 500, details(100.0)), 700),
        expired(advert(2, 400, details(90.0)), 800),
    ]);
    let derived = it.derive().unwrap();
    assert_eq!(derived.expired_at, Some(at(800)));
    assert_eq!(derived.reference_advert, AdvertId::from_bytes([1; 16]));
    assert_eq!(derived.last_crawled_at, None);
}

#[test]
fn missing_value_is_taken_from_the_next_advert() {
    let it = property(vec![
        advert(1, 500, AdvertDetails { room: Some(4), surface: Amount::new(80.0), ..details(240_000.0) }),
        advert(2, 600, AdvertDetails { room: None, ..details(250_000.0) }),
    ]);
    let derived = it.derive().unwrap();
    assert_eq!((derived.room, derived.price), (Some(4), Amount::new(250_000.0)));
    assert_eq!(derived.price_per_meter, Amount::new(3_125.0));
}

#[test]
fn pictures_and_publisher_types_are_merged_without_duplicates() {
    let picture = |n: u32| WebAddress::parse(&format!("https://img.example/{n}.jpg")).unwrap();
    let by = |kind| Publisher { name: None, kind: Some(kind) };
    let it = property(vec![
        advert(
            1,
            500,
            AdvertDetails {
                pictures: [picture(1), picture(2)].into(),
                publisher: by(PublisherType::Professional),
                ..AdvertDetails::default()
            },
        ),
        advert(
            2,
            600,
            AdvertDetails {
                pictures: [picture(3), picture(2)].into(),
                publisher: by(PublisherType::Individual),
                ..AdvertDetails::default()
            },
        ),
    ]);
    let derived = it.derive().unwrap();
    assert_eq!(derived.pictures, [&picture(3), &picture(2), &picture(1)]);
    assert_eq!(derived.publisher_types, [PublisherType::Individual, PublisherType::Professional]);
}

#[test]
fn advert_without_coordinates_is_at_the_centre_of_its_commune() {
    let centre = GeoPoint::new(48.85, 2.35);
    let mut only = advert(1, 500, AdvertDetails::default());
    only.placement = Some(Placement {
        insee: crate::place::Insee::parse("75104").unwrap(),
        department: Some(75),
        zipcode: None,
        centre,
    });
    let it = property(vec![only]);
    let derived = it.derive().unwrap();
    assert_eq!((derived.point, derived.accuracy), (centre, Some(GeoAccuracy::Neighbourhood)));
    assert_eq!(derived.given_point, None);
}

#[test]
fn zipcode_is_the_first_given_in_the_same_commune() {
    let placed = |number: u8, commune: &str, given: Option<&str>, zipcode: &str| {
        let place = GivenPlace { zipcode: given.and_then(Zipcode::parse), ..GivenPlace::default() };
        let details = AdvertDetails { place, ..AdvertDetails::default() };
        let mut advert = advert(number, 500 - i64::from(number), details);
        advert.placement = Some(Placement {
            insee: crate::place::Insee::parse(commune).unwrap(),
            department: Some(37),
            zipcode: Zipcode::parse(zipcode),
            centre: None,
        });
        advert
    };
    let check = |adverts: Vec<Advert>, expected: &str| {
        let it = property(adverts);
        assert_eq!(it.derive().unwrap().zipcode.map(Zipcode::as_str), Some(expected));
    };
    let without_zipcode = || placed(1, "37261", None, "37000");
    check(vec![without_zipcode()], "37000");
    check(vec![without_zipcode(), placed(2, "37261", Some("37200"), "37200")], "37200");
    check(
        vec![placed(1, "37261", Some("37100"), "37100"), placed(2, "37261", Some("37200"), "37200")],
        "37100",
    );
    // A zipcode of another commune is ignored.
    check(vec![without_zipcode(), placed(2, "37261", Some("69003"), "37000")], "37000");
    check(vec![without_zipcode(), placed(2, "37122", Some("37300"), "37300")], "37000");
}

#[test]
fn property_without_adverts_has_no_values() {
    assert_eq!(property(Vec::new()).derive(), None);
}

fn life_annuity() -> AdvertDetails {
    let terms = LifeAnnuity { bouquet: Amount::new(60_000.0), rent: Amount::new(700.0) };
    AdvertDetails { life_annuity: terms, surface: Amount::new(60.0), ..details(60_000.0) }
}

fn programme() -> AdvertDetails {
    AdvertDetails {
        new_building: NewBuilding {
            price_min: Amount::new(215_000.0),
            price_max: Amount::new(480_000.0),
            surface_min: Amount::new(43.0),
            surface_max: Amount::new(92.0),
            room_min: Some(2),
            room_max: Some(4),
        },
        ..AdvertDetails::default()
    }
}

#[test]
fn district_is_taken_from_the_first_advert_that_names_one() {
    let named =
        |name: &str| AdvertDetails { district: ShortText::new(name).unwrap(), ..AdvertDetails::default() };
    let it = property(vec![
        advert(1, 500, named("Les Halles")),
        advert(2, 600, named("Centre-ville")),
        advert(3, 700, AdvertDetails::default()),
    ]);
    assert_eq!(it.derive().unwrap().district.map(ShortText::as_str), Some("Centre-ville"));
}

#[test]
fn property_is_as_coherent_as_the_advert_of_its_price() {
    use crate::price::{PriceCheck, PriceProblem};
    let problem = |adverts| property(adverts).derive().unwrap().price_problem;
    let checked = |price_check, advert| Advert { price_check, ..advert };
    let tenfold = PriceCheck::Incoherent(PriceProblem::Tenfold);
    let no_price = || advert(3, 900, AdvertDetails::default());
    let wrong = || checked(tenfold, advert(2, 500, details(250_000.0)));
    let sound = || checked(PriceCheck::Coherent, advert(1, 400, details(25_000.0)));
    assert_eq!(problem(vec![sound(), wrong()]), Some(PriceProblem::Tenfold));
    assert_eq!(problem(vec![sound(), expired(wrong(), 600)]), None);
    // The reference advert has no price, so the property has that of the next one.
    assert_eq!(problem(vec![no_price(), sound()]), None);
    assert_eq!(problem(vec![no_price()]), Some(PriceProblem::NoPrice));
    // One advert says that it is a life annuity.
    assert_eq!(problem(vec![wrong(), advert(4, 100, life_annuity())]), None);
}

#[test]
fn life_annuity_has_no_price_per_meter() {
    let it = property(vec![advert(1, 500, life_annuity())]);
    let derived = it.derive().unwrap();
    assert!(derived.life_annuity);
    assert_eq!((derived.price, derived.price_per_meter), (Amount::new(60_000.0), None));
    let it = property(vec![advert(
        1,
        500,
        AdvertDetails { life_annuity: LifeAnnuity::default(), ..life_annuity() },
    )]);
    let derived = it.derive().unwrap();
    assert!(!derived.life_annuity);
    assert_eq!(derived.price_per_meter, Amount::new(1_000.0));
}

#[test]
fn one_live_advert_makes_a_life_annuity_or_a_programme() {
    let check = |adverts: Vec<Advert>, expected: (bool, bool)| {
        let it = property(adverts);
        let derived = it.derive().unwrap();
        assert_eq!((derived.life_annuity, derived.new_building), expected);
    };
    let plain = || advert(1, 900, details(250_000.0));
    check(vec![plain()], (false, false));
    check(vec![plain(), advert(2, 500, life_annuity())], (true, false));
    check(vec![plain(), advert(2, 500, programme())], (false, true));
    // What an expired advert says no longer counts, unless all are expired.
    check(vec![plain(), expired(advert(2, 500, life_annuity()), 600)], (false, false));
    check(vec![expired(plain(), 950), expired(advert(2, 500, programme()), 600)], (false, true));
}

#[test]
fn programme_has_the_values_of_its_smallest_lot() {
    let values = |adverts: Vec<Advert>| {
        let it = property(adverts);
        let derived = it.derive().unwrap();
        (
            derived.price.map(Amount::get),
            derived.surface.map(Amount::get),
            derived.room,
            derived.price_per_meter.map(Amount::get),
        )
    };
    assert_eq!(
        values(vec![advert(1, 500, programme())]),
        (Some(215_000.0), Some(43.0), Some(2), Some(5_000.0))
    );
    // The advert's own values come first.
    let own = AdvertDetails { price: Amount::new(301_000.0), room: Some(3), ..programme() };
    assert_eq!(values(vec![advert(1, 500, own)]), (Some(301_000.0), Some(43.0), Some(3), Some(7_000.0)));
    // The order of the adverts comes before the kind of value.
    let older = AdvertDetails { surface: Amount::new(60.0), ..details(300_000.0) };
    assert_eq!(values(vec![advert(1, 500, older), advert(2, 600, programme())]).0, Some(215_000.0));
}
