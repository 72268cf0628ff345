//! Random small markets: few distinct values, so that filters match; equal values, so that ties occur; unknown values everywhere.
//!
//! Structs are built without `..`: a field added to the domain breaks the build until this file sets it.

use std::sync::Arc;

use domain::advert_event::{AdvertEvent, EventSubject};
use domain::{
    Advert, AdvertDetails, AdvertField, AdvertId, Contact, EnergyLetter, FeesResponsibility, GeoAccuracy,
    GeoPoint, GivenPlace, Insee, LifeAnnuity, LongText, NewBuilding, PercentVariation, Placement, PriceCheck,
    PriceProblem, Property, PropertyId, PropertyType, Publisher, PublisherType, Rating, ShortText, SiteKey,
    Timestamp, TransactionType, WebAddress, Zipcode,
};
use testkit::Random;
use testkit::build::amount;

/// Communes with their zipcodes: districts and their city, one name with several zipcodes, both halves of Corsica, overseas.
pub const COMMUNES: &[(&str, &[&str])] = &[
    ("75101", &["75001"]),
    ("75111", &["75011"]),
    ("75056", &["75001", "75011"]),
    ("37261", &["37000", "37100", "37200"]),
    ("37050", &["37170"]),
    ("2A004", &["20000", "20090"]),
    ("2B033", &["20200", "20090"]),
    ("97411", &["97400"]),
];

/// Codes that do not exist in France.
const FOREIGN: &[(&str, &str)] = &[("8019", "08001"), ("1", "AD100"), ("1234567890", "AD 100")];

pub const SITES: &[&str] = &["a.example", "b.example", "c.example", "sans domaine"];

/// Words of adverts: inflections, accents, apostrophes, hyphens, digits, parts of numbers, abbreviations, and similar words.
pub const WORDS: &[&str] = &[
    "terrasse",
    "Terrasses",
    "terre",
    "rénové",
    "RÉNOVÉE",
    "renoves",
    "l'étage",
    "étages",
    "rez-de-chaussée",
    "RDC",
    "T3",
    "F3",
    "3 pièces",
    "pièce",
    "sans vis-à-vis",
    "vis",
    "cœur",
    "75 m²",
    "75m2",
    "12",
    "1ᵉʳ",
    "première",
    "placé",
    "Placées",
    "place",
    "étés",
    "êtes",
    "équipe",
    "Équipée",
    "EQUIPE",
    "charges",
    "chargée",
    "500",
    "1 500 m²",
    "1\u{202f}500",
    "62,9 m²",
    "9 m²",
    "2 ème",
    "2°",
    "ème",
    "T 3",
    "lot",
    "terasse",
    "sans aucun vis-à-vis",
    "αθήνα",
    "a",
    "s",
];

const JOINTS: &[&str] = &[" ", " ", " ", "-", ", ", "’", "\n", " — ", ",", "\u{a0}"];

const PRICES: &[f64] = &[0.0, 1.0, 800.0, 100_000.0, 249_999.99, 250_000.0, 250_000.01, 300_000.0, 1e12];
const SURFACES: &[f64] = &[0.0, 9.5, 50.0, 50.0, 62.3, 100.0, 150.0];
const AMOUNTS: &[f64] = &[0.0, 0.1, 0.2, 0.3, 3.5, 10.0, 10.0, 100.0, 1_200.0, 5e-324];
const COUNTS: &[i32] = &[-1, 0, 1, 2, 3, 3, 4, 1_900, 2_000, i32::MAX];
const PERCENTS: &[f64] = &[-100.0, -5.0, -2.81, -0.01, 0.0, 0.01, 5.0, 100.0, 1e12];

/// The edges and the middle of the map.
const CORNERS: &[(f64, f64)] = &[
    (90.0, 0.0),
    (-90.0, 0.0),
    (90.0, 180.0),
    (0.0, 180.0),
    (0.0, -180.0),
    (0.0, 179.999),
    (0.001, -179.999),
    (0.0, 0.0),
    (89.99, -90.0),
    (48.8566, 2.3522),
];

/// Midnight of the first day. All dates are in the days after it.
const FIRST_SECOND: i64 = 1_700_006_400;
pub const DAY: i64 = 86_400;

/// How the properties of one case are drawn.
#[derive(Debug, Clone)]
pub struct Market {
    /// A value is unknown with a probability of one in this many.
    unknown_once_in: u64,
    expired_once_in: u64,
    /// All properties are similar and in one town, so that the list of similar properties is full.
    uniform: bool,
}

impl Market {
    pub fn draw(random: &mut Random) -> Self {
        Self {
            unknown_once_in: *random.pick(&[2, 3, 5, 20]),
            expired_once_in: *random.pick(&[2, 3, 8]),
            uniform: random.once_in(4),
        }
    }

    pub fn property(&self, random: &mut Random, id: PropertyId) -> Property {
        let count = 1 + random.below(4).min(random.below(4));
        Property { id, adverts: (0..count).map(|_| self.advert(random)).collect() }
    }

    fn advert(&self, random: &mut Random) -> Advert {
        let mut id = [0; 16];
        id[8..].copy_from_slice(&random.next_u64().to_be_bytes());
        let plain = self.uniform || random.once_in(2);
        Advert {
            id: AdvertId::from_bytes(id),
            transaction_type: if plain { TransactionType::Sell } else { *random.pick(TransactionType::ALL) },
            property_type: if plain { PropertyType::Apartment } else { *random.pick(PropertyType::ALL) },
            details: self.details(random),
            placement: self.known(random, |random| self.placement(random)),
            created_at: timestamp(random),
            updated_at: timestamp(random),
            last_crawled_at: timestamp(random),
            expired_at: random.once_in(self.expired_once_in).then(|| timestamp(random)),
            events: (0..random.below(5)).map(|_| self.event(random)).collect(),
            timeline: domain::Timeline::default(),
            price_check: price_check(random),
        }
    }

    fn known<T>(&self, random: &mut Random, draw: impl FnOnce(&mut Random) -> T) -> Option<T> {
        (!random.once_in(self.unknown_once_in)).then(|| draw(random))
    }

    fn any_of<T: Copy>(&self, random: &mut Random, several: &[T]) -> Option<T> {
        self.known(random, |random| *random.pick(several))
    }

    fn amount(&self, random: &mut Random, several: &[f64]) -> Option<domain::Amount> {
        self.any_of(random, several).map(amount)
    }

    fn details(&self, random: &mut Random) -> AdvertDetails {
        let (prices, surfaces): (&[f64], &[f64]) = if self.uniform {
            (&[200_000.0, 210_000.0, 250_000.0], &[50.0, 62.3])
        } else {
            (PRICES, SURFACES)
        };
        AdvertDetails {
            site: self.any_of(random, SITES).and_then(SiteKey::parse),
            reference: None,
            url: None,
            title: self.known(random, text).and_then(|text| ShortText::new(&text).ok().flatten()),
            description: self.known(random, text).and_then(|text| LongText::new(&text).ok().flatten()),
            contact: Contact::default(),
            publisher: Publisher { name: None, kind: self.any_of(random, PublisherType::ALL) },
            price: self.amount(random, prices),
            price_excluding_fees: self.amount(random, PRICES),
            fees_percentage: self.amount(random, AMOUNTS),
            fees_responsibility: self.any_of(random, FeesResponsibility::ALL),
            condominium_fees: self.amount(random, AMOUNTS),
            inventory_price: self.amount(random, AMOUNTS),
            property_tax: self.amount(random, AMOUNTS),
            rental_charges: self.amount(random, AMOUNTS),
            rental_pledge: self.amount(random, AMOUNTS),
            renter_fees: self.amount(random, AMOUNTS),
            lot_count: self.amount(random, AMOUNTS),
            surface: self.amount(random, surfaces),
            land_surface: self.amount(random, SURFACES),
            room: self.any_of(random, &COUNTS[..7]),
            bedroom: self.any_of(random, &COUNTS[..7]),
            floor: self.any_of(random, COUNTS),
            floor_quantity: self.any_of(random, COUNTS),
            construction_year: self.any_of(random, COUNTS),
            elevator: self.any_of(random, &[true, false]),
            furnished: self.any_of(random, &[true, false]),
            energy: self.rating(random),
            green_house_gas: self.rating(random),
            features: (0..random.below(4)).filter_map(|_| feature(random)).collect(),
            pictures: Arc::default(),
            pictures_remote: Arc::default(),
            virtual_tour: random
                .once_in(3)
                .then(|| WebAddress::parse("https://tour.example/").ok())
                .flatten(),
            place: self.given_place(random),
            district: None,
            exclusive_mandate: self.any_of(random, &[true, false]),
            parking_count: self.any_of(random, COUNTS),
            heating: None,
            life_annuity: self.life_annuity(random),
            occupied: self.any_of(random, &[true, false]),
            rent_period: None,
            new_building: self.new_building(random),
        }
    }

    fn life_annuity(&self, random: &mut Random) -> LifeAnnuity {
        if !random.once_in(6) {
            return LifeAnnuity::default();
        }
        LifeAnnuity { bouquet: self.amount(random, PRICES), rent: self.amount(random, AMOUNTS) }
    }

    fn new_building(&self, random: &mut Random) -> NewBuilding {
        if !random.once_in(6) {
            return NewBuilding::default();
        }
        NewBuilding {
            price_min: self.amount(random, PRICES),
            price_max: None,
            surface_min: self.amount(random, SURFACES),
            surface_max: None,
            room_min: self.any_of(random, &COUNTS[..7]),
            room_max: self.any_of(random, &COUNTS[..7]),
        }
    }

    fn rating(&self, random: &mut Random) -> Rating {
        Rating { category: self.any_of(random, EnergyLetter::ALL), value: self.amount(random, AMOUNTS) }
    }

    fn given_place(&self, random: &mut Random) -> GivenPlace {
        if !random.once_in(2) {
            return GivenPlace::default();
        }
        let (insee, zipcode) = *random.pick(FOREIGN);
        GivenPlace {
            insee: self.known(random, |_| Insee::parse(insee)).flatten(),
            zipcode: self.known(random, |_| Zipcode::parse(zipcode)).flatten(),
            city_name: None,
            point: self.known(random, point),
            accuracy: self.any_of(random, GeoAccuracy::ALL),
            country: None,
        }
    }

    fn placement(&self, random: &mut Random) -> Placement {
        let (code, zipcodes) = if self.uniform { &COMMUNES[3] } else { random.pick(COMMUNES) };
        let insee = Insee::parse(code).unwrap();
        Placement {
            department: insee.department(),
            insee,
            zipcode: self.any_of(random, zipcodes).and_then(Zipcode::parse),
            centre: self.known(random, point),
        }
    }

    fn event(&self, random: &mut Random) -> AdvertEvent {
        let subject = match random.below(10) {
            0..4 => EventSubject::Field(AdvertField::Price),
            4..7 => EventSubject::Field(AdvertField::Surface),
            7 => EventSubject::Field(*random.pick(AdvertField::ALL)),
            8 => EventSubject::Created,
            _ => EventSubject::Foreign("price".into()),
        };
        AdvertEvent {
            at: timestamp(random),
            subject,
            old_value: None,
            new_value: None,
            percent_variation: self.any_of(random, PERCENTS).and_then(PercentVariation::new),
        }
    }
}

fn price_check(random: &mut Random) -> PriceCheck {
    match random.below(4) {
        0 => PriceCheck::Incoherent(*random.pick(PriceProblem::ALL)),
        1 => PriceCheck::Coherent,
        _ => PriceCheck::Unchecked,
    }
}

/// Draws one of a few seconds in a few days, rarely between two seconds or at an extreme.
pub fn timestamp(random: &mut Random) -> Timestamp {
    if random.once_in(60) {
        return *random.pick(&[Timestamp::MIN, Timestamp::MAX, Timestamp::UNIX_EPOCH]);
    }
    let second = FIRST_SECOND + random.below(6) as i64 * DAY + random.pick(&[0, 0, 0, 1, DAY - 1]);
    let nanosecond = if random.once_in(6) { 500_000_000 } else { 0 };
    Timestamp::new(second, nanosecond).unwrap()
}

/// Draws a point of a coarse grid, so that points coincide and lie on borders; rarely next to the grid or at the edge of the map.
pub fn point(random: &mut Random) -> GeoPoint {
    if random.once_in(8) {
        let (lat, lon) = *random.pick(CORNERS);
        return GeoPoint::new(lat, lon).unwrap();
    }
    let offset = if random.once_in(8) { 1e-9 } else { 0.0 };
    let step = |random: &mut Random| random.below(6) as f64 * 0.05;
    GeoPoint::new(47.25 + step(random) + offset, 0.5 + step(random)).unwrap()
}

/// Draws a short text, so that the words of a query are in the text of one property and in a feature of another.
fn feature(random: &mut Random) -> Option<ShortText> {
    let (word, joint, other) = (*random.pick(WORDS), *random.pick(JOINTS), *random.pick(WORDS));
    let text = if random.once_in(2) { word.to_owned() } else { format!("{word}{joint}{other}") };
    ShortText::new(&text).ok().flatten()
}

/// Draws a few words; rarely a text without any word.
pub fn text(random: &mut Random) -> String {
    if random.once_in(30) {
        return "— !".to_owned();
    }
    let mut text = String::new();
    for _ in 0..=random.below(6) {
        let (word, joint) = (*random.pick(WORDS), *random.pick(JOINTS));
        text.push_str(word);
        text.push_str(joint);
    }
    text
}
