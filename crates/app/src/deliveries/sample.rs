//! The sample property of the webhook tester. Its title and description say that it does not exist.

use domain::ports::whole_second;
use domain::{
    Advert, AdvertDetails, AdvertEvent, AdvertField, AdvertId, Amount, Contact, EnergyLetter, EventName,
    FeesResponsibility, GeoAccuracy, GeoPoint, GivenPlace, Insee, LongText, Placement, Property, PropertyId,
    PropertyType, Publisher, PublisherType, Rating, ShortText, SiteKey, Timestamp, TransactionType,
    WebAddress, Zipcode,
};

use crate::App;

/// The kind of webhook to sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sample {
    Match,
    Event(EventName),
}

/// The age of the sample advert: old enough for one earlier price change.
const AGE_HOURS: i64 = 30 * 24;
const CHANGED_BEFORE_HOURS: i64 = 10 * 24;

impl Sample {
    /// Returns the sample property, and the event that just happened to it.
    pub(super) fn generate(self, app: &App, now: Timestamp) -> (Property, AdvertEvent) {
        let now = whole_second(now);
        let before = |hours: i64| now.saturating_sub(jiff::SignedDuration::from_hours(hours)).unwrap_or(now);
        let (old_price, price, new_price) =
            (Amount::new(329_000.0), Amount::new(320_000.0), Amount::new(311_000.0));
        let (surface, new_surface) = (Amount::new(62.5), Amount::new(65.0));
        let fell = AdvertEvent::amount(before(CHANGED_BEFORE_HOURS), AdvertField::Price, old_price, price);
        let mut advert = Advert {
            id: AdvertId::from_uuid(app.fresh_id()),
            transaction_type: TransactionType::Sell,
            property_type: PropertyType::Apartment,
            details: AdvertDetails { price, surface, ..details() },
            placement: placement(app),
            created_at: before(AGE_HOURS),
            updated_at: now,
            last_crawled_at: now,
            expired_at: None,
            events: vec![AdvertEvent::created(before(AGE_HOURS)), fell],
            timeline: domain::Timeline::default(),
            price_check: domain::PriceCheck::default(),
        };
        let event = match self {
            // A new advert has no other event.
            Self::Match | Self::Event(EventName::AdCreate) => {
                advert.created_at = now;
                advert.events.clear();
                AdvertEvent::created(now)
            }
            Self::Event(EventName::UpdatePrice) => {
                advert.details.price = new_price;
                AdvertEvent::amount(now, AdvertField::Price, price, new_price)
            }
            Self::Event(EventName::UpdateSurface) => {
                advert.details.surface = new_surface;
                AdvertEvent::amount(now, AdvertField::Surface, surface, new_surface)
            }
            Self::Event(EventName::UpdatePictures) => AdvertEvent::field(now, AdvertField::Pictures),
            Self::Event(EventName::UpdateExpired) => {
                advert.expired_at = Some(now);
                AdvertEvent::expiry(now, true)
            }
            Self::Event(EventName::AdUpdate) => AdvertEvent::field(now, AdvertField::Description),
        };
        advert.events.push(event.clone());
        (Property { id: PropertyId::from_uuid(app.fresh_id()), adverts: vec![advert] }, event)
    }
}

/// All domains are under `example`, which is reserved.
fn details() -> AdvertDetails {
    let short = |text: &str| ShortText::new(text).ok().flatten();
    let address = |text: &str| WebAddress::parse(text).ok();
    AdvertDetails {
        site: SiteKey::parse("portail.example"),
        reference: short("EXEMPLE-1"),
        url: address("https://www.portail.example/annonces/exemple-1"),
        title: short("EXEMPLE : appartement 3 pièces avec balcon"),
        description: LongText::new(
            "Ceci est un exemple envoyé par le testeur de webhooks. Ce bien n'existe pas.\n\
             Au troisième étage, séjour plein sud, proche des commerces.",
        )
        .ok()
        .flatten(),
        contact: Contact {
            agency: short("Agence Exemple"),
            email: short("contact@agence.example"),
            fax: None,
            name: short("Camille Exemple"),
            // From the range that is reserved for fiction.
            phone: short("01 99 00 00 01"),
            reference: short("EX-1"),
        },
        publisher: Publisher { name: short("Agence Exemple"), kind: Some(PublisherType::Professional) },
        price_excluding_fees: Amount::new(305_000.0),
        fees_percentage: Amount::new(4.92),
        fees_responsibility: Some(FeesResponsibility::Buyer),
        condominium_fees: Amount::new(1_800.0),
        property_tax: Amount::new(950.0),
        lot_count: Amount::new(24.0),
        room: Some(3),
        bedroom: Some(2),
        floor: Some(3),
        floor_quantity: Some(6),
        construction_year: Some(1974),
        elevator: Some(true),
        furnished: Some(false),
        energy: Rating { category: Some(EnergyLetter::C), value: Amount::new(142.0) },
        green_house_gas: Rating { category: Some(EnergyLetter::B), value: Amount::new(9.0) },
        features: ["Balcon", "Cave"].into_iter().filter_map(short).collect(),
        pictures: ["https://images.example/1.jpg", "https://images.example/2.jpg"]
            .into_iter()
            .filter_map(address)
            .collect(),
        pictures_remote: address("https://www.portail.example/1.jpg").into_iter().collect(),
        virtual_tour: address("https://visite.example/exemple-1"),
        district: short("Prébendes"),
        exclusive_mandate: Some(true),
        parking_count: Some(1),
        heating: short("Gaz, collectif"),
        occupied: Some(false),
        place: GivenPlace {
            insee: Insee::parse(INSEE),
            zipcode: Zipcode::parse(ZIPCODE),
            city_name: short("Tours"),
            point: GeoPoint::new(47.394, 0.685),
            accuracy: Some(GeoAccuracy::Neighbourhood),
            country: None,
        },
        ..AdvertDetails::default()
    }
}

const INSEE: &str = "37261";
const ZIPCODE: &str = "37000";

fn placement(app: &App) -> Option<Placement> {
    let insee = Insee::parse(INSEE)?;
    let city = app.places().city(&insee)?;
    let (department, centre) = (Some(city.department.id), city.centre);
    Some(Placement { insee, department, zipcode: Zipcode::parse(ZIPCODE), centre })
}
