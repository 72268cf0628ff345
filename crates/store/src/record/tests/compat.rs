//! Records written by a release, and the values they must decode to for ever. The values correspond to the bytes in `tests/compat`:
//! never edit them, only add to them.

use domain::advert_event::EventSubject;
use domain::timeline::{Crawl, CrawlSource, Slot, SlotSet};
use domain::{
    Advert, AdvertDetails, AdvertEvent, AdvertField, AdvertId, Amount, Contact, EnergyLetter,
    FeesResponsibility, GeoAccuracy, GeoPoint, GivenPlace, Insee, LifeAnnuity, Lifecycle, LongText,
    NewBuilding, PercentVariation, Placement, PriceCheck, PriceProblem, Property, PropertyId, PropertyType,
    Publisher, PublisherType, Rating, RentPeriod, ShortText, SiteKey, Timeline, Timestamp, TransactionType,
    WebAddress, Zipcode,
};

use testkit::build;

use super::super::{Regrouping, decode_events, decode_property, encode_events, encode_property};

#[test]
fn version_1_record_with_every_field_reads() {
    let record = include_bytes!("../../../tests/compat/v1/full.record");
    let expected = property_with_the_first_fields();
    assert_eq!(decode_property(expected.id, record).unwrap(), expected);
}

#[test]
fn version_1_record_with_department_reads() {
    let record = include_bytes!("../../../tests/compat/v1/placed.record");
    let expected = property_with_the_first_fields();
    assert_eq!(decode_property(expected.id, record).unwrap(), expected);
}

#[test]
fn version_1_record_with_the_fields_of_feeds_reads() {
    let record = include_bytes!("../../../tests/compat/v1/feeds.record");
    let expected = property_with_every_field();
    assert_eq!(decode_property(expected.id, record).unwrap(), expected);
}

#[test]
fn version_1_record_without_optional_fields_reads() {
    let record = include_bytes!("../../../tests/compat/v1/bare.record");
    let expected = property_with_no_optional_field();
    assert_eq!(decode_property(expected.id, record).unwrap(), expected);
}

#[test]
fn version_1_record_with_timeline_reads() {
    let record = include_bytes!("../../../tests/compat/v1/timeline.record");
    let expected = property_with_timeline();
    assert_eq!(decode_property(expected.id, record).unwrap(), expected);
}

#[test]
fn version_1_record_with_checked_prices_reads() {
    let record = include_bytes!("../../../tests/compat/v1/prices.record");
    let expected = property_with_checked_prices();
    assert_eq!(decode_property(expected.id, record).unwrap(), expected);
}

#[test]
fn version_1_events_read() {
    let payload = include_bytes!("../../../tests/compat/v1/news.record");
    assert_eq!(decode_events(payload).unwrap(), events_of_the_first_fields());
}

#[test]
fn version_1_move_reads() {
    let payload = include_bytes!("../../../tests/compat/v1/regrouping.record");
    assert_eq!(Regrouping::decode(payload).unwrap(), regrouping());
}

/// The full record contains every name on disk. A field that today's code writes and the record lacks needs a record of the next
/// version.
#[test]
fn full_record_contains_every_name() {
    let names = |record: &[u8]| {
        let json = zstd::decode_all(&record[1..]).unwrap();
        let mut names = std::collections::BTreeSet::new();
        collect_names(&serde_json::from_slice(&json).unwrap(), "", &mut names);
        names
    };
    // The first full record lacks the department of a placement, and both lack the fields that came later.
    let stored = names(include_bytes!("../../../tests/compat/v1/feeds.record"));
    assert_eq!(names(&encode_property(&property_with_every_field()).unwrap()), stored);
    // Timelines were added later.
    let stored = names(include_bytes!("../../../tests/compat/v1/timeline.record"));
    assert_eq!(names(&encode_property(&property_with_timeline()).unwrap()), stored);
    // So were the results of checking prices.
    let stored = names(include_bytes!("../../../tests/compat/v1/prices.record"));
    assert_eq!(names(&encode_property(&property_with_checked_prices()).unwrap()), stored);
}

fn collect_names(value: &serde_json::Value, path: &str, names: &mut std::collections::BTreeSet<String>) {
    match value {
        serde_json::Value::Object(members) => {
            for (name, member) in members {
                let path = format!("{path}.{name}");
                collect_names(member, &path, names);
                names.insert(path);
            }
        }
        serde_json::Value::Array(items) => {
            for item in items {
                collect_names(item, path, names);
            }
        }
        _ => {}
    }
}

/// A new version of the format needs a folder of its own: name it here, run this test, which writes the missing files and fails, and
/// commit them. Existing files are never replaced.
#[test]
fn records_of_the_current_version_exist() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compat/v1");
    std::fs::create_dir_all(&folder).unwrap();
    let check = |name: &str, bytes: &[u8]| match std::fs::File::create_new(folder.join(name)) {
        Ok(mut file) => {
            std::io::Write::write_all(&mut file, bytes).unwrap();
            panic!("{name} was missing in {}: it has been written, commit it", folder.display());
        }
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists, "{name}"),
    };
    check("full.record", &encode_property(&property_with_the_first_fields()).unwrap());
    check("placed.record", &encode_property(&property_with_the_first_fields()).unwrap());
    check("feeds.record", &encode_property(&property_with_every_field()).unwrap());
    check("bare.record", &encode_property(&property_with_no_optional_field()).unwrap());
    check("news.record", &encode_events(&events_of_the_first_fields()).unwrap());
    check("regrouping.record", &regrouping().encode().unwrap());
    check("timeline.record", &encode_property(&property_with_timeline()).unwrap());
    check("prices.record", &encode_property(&property_with_checked_prices()).unwrap());
}

fn regrouping() -> Regrouping {
    Regrouping {
        events: events_of_the_first_fields(),
        moved: vec![build::advert_id(1), build::advert_id(2)],
        from: vec![(build::property_id(3), 4), (build::property_id(5), u32::MAX)],
        automatic: true,
        advert_is_erased: false,
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn short(text: &str) -> Option<ShortText> {
    ShortText::new(text).unwrap()
}

fn address(text: &str) -> WebAddress {
    WebAddress::parse(text).unwrap()
}

pub fn property_with_every_field() -> Property {
    let mut property = property_with_the_first_fields();
    let advert = &mut property.adverts[0];
    advert.details = AdvertDetails {
        district: short("Les Salines"),
        exclusive_mandate: Some(true),
        parking_count: Some(2),
        heating: short("Gaz, collectif"),
        life_annuity: LifeAnnuity { bouquet: Amount::new(85_000.0), rent: Amount::new(640.5) },
        occupied: Some(false),
        rent_period: Some(RentPeriod::Season),
        new_building: NewBuilding {
            price_min: Amount::new(215_000.0),
            price_max: Amount::new(480_000.0),
            surface_min: Amount::new(31.2),
            surface_max: Amount::new(92.0),
            room_min: Some(1),
            room_max: Some(4),
        },
        ..advert.details.clone()
    };
    advert.events = events_of(AdvertField::ALL);
    property
}

/// The fields of the first release. Later ones are in [`property_with_every_field`].
fn property_with_the_first_fields() -> Property {
    let details = AdvertDetails {
        site: SiteKey::parse("portail.example"),
        reference: short("REF/2026-0042"),
        url: Some(address("https://www.portail.example/annonce/42?vue=1#photos")),
        title: short("Appartement lumineux, vue sur l'Isère"),
        description: LongText::new("Deux chambres.\n\tCave et balcon — « rare » 🏡").unwrap(),
        contact: Contact {
            agency: short("Agence du Lac"),
            email: short("contact@agence.example"),
            fax: short("+33 4 00 00 00 01"),
            name: short("Zoé Martin"),
            phone: short("+33 4 00 00 00 00"),
            reference: short("M-7"),
        },
        publisher: Publisher { name: short("Agence du Lac"), kind: Some(PublisherType::Professional) },
        price: Amount::new(250_000.0),
        price_excluding_fees: Amount::new(238_095.24),
        fees_percentage: Amount::new(5.0),
        fees_responsibility: Some(FeesResponsibility::Buyer),
        condominium_fees: Amount::new(1_200.5),
        inventory_price: Amount::new(0.0),
        property_tax: Amount::new(987.65),
        rental_charges: Amount::new(80.0),
        rental_pledge: Amount::new(1_500.0),
        renter_fees: Amount::new(320.1),
        lot_count: Amount::new(24.0),
        surface: Amount::new(62.37),
        land_surface: Amount::new(1e12),
        room: Some(3),
        bedroom: Some(2),
        floor: Some(-1),
        floor_quantity: Some(5),
        construction_year: Some(1_974),
        elevator: Some(true),
        furnished: Some(false),
        energy: Rating { category: Some(EnergyLetter::A), value: Amount::new(49.9) },
        green_house_gas: Rating { category: Some(EnergyLetter::G), value: Amount::new(101.0) },
        features: short("balcon").into_iter().chain(short("cave")).collect(),
        pictures: [address("https://images.example/1.jpg"), address("https://images.example/2.jpg")].into(),
        pictures_remote: [address("http://portail.example/p/1.jpg")].into(),
        virtual_tour: Some(address("https://tour.example/42")),
        place: GivenPlace {
            insee: Insee::parse("2A004"),
            zipcode: Zipcode::parse("20090"),
            city_name: short("Ajaccio"),
            point: GeoPoint::new(41.919_229, 8.738_635),
            accuracy: Some(GeoAccuracy::HouseNumber),
            country: None,
        },
        ..AdvertDetails::default()
    };
    let placement = Placement {
        insee: Insee::parse("2A004").unwrap(),
        department: Some(201),
        zipcode: Zipcode::parse("20000"),
        centre: GeoPoint::new(41.9265, -8.7376),
    };
    let full = Advert {
        id: AdvertId::from_bytes([0x11; 16]),
        transaction_type: TransactionType::Rent,
        property_type: PropertyType::Shop,
        details,
        placement: Some(placement),
        created_at: at(1_700_000_000),
        updated_at: at(1_700_000_100),
        last_crawled_at: at(1_700_000_200),
        expired_at: Some(at(1_700_000_300)),
        events: events_of_the_first_fields(),
        timeline: Timeline::default(),
        price_check: PriceCheck::Unchecked,
    };
    let second = property_with_no_optional_field().adverts;
    let adverts = std::iter::once(full).chain(second).collect();
    Property { id: PropertyId::from_bytes([0x22; 16]), adverts }
}

fn property_with_no_optional_field() -> Property {
    let advert = Advert {
        id: AdvertId::from_bytes([0x33; 16]),
        transaction_type: TransactionType::Sell,
        property_type: PropertyType::Apartment,
        details: AdvertDetails::default(),
        placement: None,
        created_at: at(-1),
        updated_at: at(0),
        last_crawled_at: at(1),
        expired_at: None,
        events: Vec::new(),
        timeline: Timeline::default(),
        price_check: PriceCheck::Unchecked,
    };
    Property { id: PropertyId::from_bytes([0x44; 16]), adverts: vec![advert] }
}

fn property_with_timeline() -> Property {
    let mut property = property_with_no_optional_field();
    let slot = |name: &str| Slot::all().find(|slot| slot.name() == name).unwrap();
    let seen = |second| Crawl {
        at: at(second),
        source: CrawlSource::Dated,
        crawled_at: Some(at(second)),
        updated_at: None,
        lifecycle: Lifecycle::Seen,
        given: ["title", "price", "place", "place.point"].map(slot).into_iter().collect(),
        current: SlotSet::default(),
        values: Vec::new(),
    };
    property.adverts[0].timeline = Timeline {
        crawls: vec![
            Crawl {
                source: CrawlSource::Summary,
                crawled_at: Some(at(-5)),
                updated_at: Some(at(-7)),
                lifecycle: Lifecycle::Live,
                values: vec![(slot("title"), u64::MAX), (slot("place.point"), 3)],
                ..seen(1)
            },
            seen(5),
            Crawl { current: ["title", "place.point"].map(slot).into_iter().collect(), ..seen(9) },
            Crawl {
                source: CrawlSource::Received,
                crawled_at: None,
                lifecycle: Lifecycle::Expired { at: Some(at(12)) },
                given: SlotSet::default(),
                ..seen(15)
            },
            Crawl { lifecycle: Lifecycle::Expired { at: None }, ..seen(20) },
        ],
        given: events_of_the_first_fields(),
        created_at: Some(at(-9)),
    };
    property
}

/// Returns one advert for each result.
fn property_with_checked_prices() -> Property {
    let mut property = property_with_no_optional_field();
    let bare = property.adverts.remove(0);
    let problems = PriceProblem::ALL.iter().map(|problem| PriceCheck::Incoherent(*problem));
    let checks = [PriceCheck::Unchecked, PriceCheck::Coherent].into_iter().chain(problems);
    property.adverts = checks.map(|price_check| Advert { price_check, ..bare.clone() }).collect();
    property
}

fn events_of_the_first_fields() -> Vec<AdvertEvent> {
    let last = AdvertField::ALL.iter().position(|field| *field == AdvertField::Place).unwrap();
    events_of(&AdvertField::ALL[..=last])
}

/// Returns an event of every kind, and a change of each of the fields.
fn events_of(fields: &[AdvertField]) -> Vec<AdvertEvent> {
    let bare = |subject| AdvertEvent {
        at: at(5),
        subject,
        old_value: None,
        new_value: None,
        percent_variation: None,
    };
    let mut events = vec![
        bare(EventSubject::Created),
        AdvertEvent {
            old_value: Some("false".into()),
            new_value: Some("true".into()),
            ..bare(EventSubject::Expired)
        },
        AdvertEvent {
            old_value: Some("320000".into()),
            new_value: Some("311000".into()),
            percent_variation: PercentVariation::new(-2.81),
            ..bare(EventSubject::Field(AdvertField::Price))
        },
        bare(EventSubject::Foreign("legacy:state".into())),
    ];
    events.extend(fields.iter().map(|field| bare(EventSubject::Field(*field))));
    events
}
