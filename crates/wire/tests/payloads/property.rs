//! A typical property: one complete advert, one sparse advert, a town and a station.

use std::sync::Arc;

use domain::{
    Advert, AdvertEvent, AdvertField, Amount, City, Contact, Country, Department, EnergyLetter,
    FeesResponsibility, GeoAccuracy, GeoPoint, GivenPlace, Insee, Line, Placement, Property, Publisher,
    PublisherType, Rating, Region, Station, Timestamp, Zipcode,
};
use testkit::build::{self, long_text, short_text, web_address};

pub fn created_at() -> Timestamp {
    "2026-02-01T08:00:00Z".parse().unwrap()
}

fn point() -> GeoPoint {
    GeoPoint::new(48.8709, 2.3619).unwrap()
}

pub fn property() -> Property {
    let fell = AdvertEvent::amount(
        "2026-02-20T08:00:00Z".parse().unwrap(),
        AdvertField::Price,
        Amount::new(329_000.0),
        Amount::new(320_000.0),
    );
    build::property(1, [complete_advert(vec![AdvertEvent::created(created_at()), fell]), sparse_advert()])
}

/// Returns the property after an event on its first advert.
pub fn after(event: &AdvertEvent, change: impl FnOnce(&mut Advert)) -> Property {
    let mut property = property();
    let advert = &mut property.adverts[0];
    if advert.events[0] == *event {
        // The advert was just created.
        advert.events.truncate(1);
        advert.updated_at = event.at;
    } else {
        advert.events.push(event.clone());
        advert.updated_at = event.at;
        advert.last_crawled_at = event.at;
    }
    change(advert);
    property
}

fn complete_advert(events: Vec<AdvertEvent>) -> Advert {
    let insee = Insee::parse("75110").unwrap();
    let zipcode = Zipcode::parse("75010").unwrap();
    build::advert(1)
        .site("portail.example")
        .reference("12")
        .url("https://www.portail.example/annonces/12")
        .title("Appartement 3 pièces avec balcon")
        .description("Au troisième étage, séjour plein sud.\nProche des commerces.")
        .price(320_000.0)
        .with(|advert| {
            advert.created_at = created_at();
            advert.updated_at = "2026-02-20T08:00:00Z".parse().unwrap();
            advert.last_crawled_at = "2026-03-02T08:59:58Z".parse().unwrap();
            advert.events = events;
            advert.placement = Some(Placement {
                insee: insee.clone(),
                department: Some(75),
                zipcode: Some(zipcode.clone()),
                centre: Some(point()),
            });
            let details = &mut advert.details;
            details.place = GivenPlace {
                insee: Some(insee),
                zipcode: Some(zipcode),
                city_name: Some(short_text("Paris 10e Arrondissement")),
                point: Some(point()),
                accuracy: Some(GeoAccuracy::HouseNumber),
                country: None,
            };
            details.contact = Contact {
                agency: Some(short_text("Agence du Canal")),
                email: Some(short_text("canal@agence.example")),
                fax: Some(short_text("01 99 00 00 02")),
                name: Some(short_text("Camille Martin")),
                phone: Some(short_text("01 99 00 00 01")),
                reference: Some(short_text("AC-12")),
            };
            details.publisher = Publisher {
                name: Some(short_text("Agence du Canal")),
                kind: Some(PublisherType::Professional),
            };
            details.price_excluding_fees = Amount::new(305_000.5);
            details.fees_percentage = Amount::new(4.92);
            details.fees_responsibility = Some(FeesResponsibility::Buyer);
            details.condominium_fees = Amount::new(1_800.0);
            details.property_tax = Amount::new(950.0);
            details.lot_count = Amount::new(24.0);
            details.surface = Amount::new(62.5);
            details.room = Some(3);
            details.bedroom = Some(2);
            details.floor = Some(3);
            details.floor_quantity = Some(6);
            details.construction_year = Some(1974);
            details.elevator = Some(true);
            details.furnished = Some(false);
            details.energy = Rating { category: Some(EnergyLetter::C), value: Amount::new(142.0) };
            details.green_house_gas = Rating { category: Some(EnergyLetter::B), value: Amount::new(9.5) };
            details.features = [short_text("Balcon"), short_text("Cave")].into();
            details.pictures =
                [web_address("https://images.example/1.jpg"), web_address("https://images.example/2.jpg")]
                    .into();
            details.pictures_remote = [web_address("https://www.portail.example/1.jpg")].into();
            details.virtual_tour = Some(web_address("https://visite.example/12"));
            details.district = Some(short_text("Canal Saint-Martin"));
            details.exclusive_mandate = Some(true);
            details.parking_count = Some(1);
            details.heating = Some(short_text("Gaz, collectif"));
            details.occupied = Some(false);
            details.description =
                Some(long_text("Au troisième étage, séjour plein sud.\nProche des commerces."));
        })
        .build()
}

/// From a private seller: no contact and no place.
fn sparse_advert() -> Advert {
    let second = "2026-02-10T08:00:00Z".parse::<Timestamp>().unwrap();
    build::advert(2)
        .price(315_000.0)
        .with(|advert| {
            (advert.created_at, advert.updated_at, advert.last_crawled_at) = (second, second, second);
            advert.events = vec![AdvertEvent::created(second)];
            advert.details.publisher = Publisher { name: None, kind: Some(PublisherType::Individual) };
        })
        .build()
}

pub fn city() -> Arc<City> {
    let region = Arc::new(Region { id: 11, code: "11".into(), name: "Île-de-France".into() });
    let department = Department {
        id: 75,
        code: "75".into(),
        name: "Paris".into(),
        name_clean: "paris".into(),
        capital: Some("Paris".into()),
        capital_insee: Insee::parse("75056"),
        region,
    };
    Arc::new(City {
        insee: Insee::parse("75110").unwrap(),
        parent: Insee::parse("75056"),
        article: None,
        name: "Paris 10e".into(),
        official_name: Some("Paris 10e Arrondissement".into()),
        zipcodes: vec![Zipcode::parse("75010").unwrap()],
        population: 83_459,
        centre: Some(GeoPoint::new(48.8761, 2.3607).unwrap()),
        department: Arc::new(department),
        country: Arc::new(Country { id: 250, code: "FR".into(), name: "France".into() }),
        districts: Vec::new(),
        grouped_names: Vec::new(),
    })
}

pub fn station() -> Arc<Station> {
    let line = Line {
        id: 5,
        name: "Métro 5".into(),
        number: "5".into(),
        route_name: "Bobigny – Place d'Italie".into(),
        color: "#f28e42".into(),
    };
    Arc::new(Station {
        id: 71,
        name: "Jacques Bonsergent".into(),
        point: point(),
        lines: vec![Arc::new(line)],
    })
}
