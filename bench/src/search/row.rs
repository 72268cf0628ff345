//! A property as a flat row for the peers, with the derived values of Vigie.

use domain::advert_event::EventSubject;
use domain::criteria::{AdvertScope, texts};
use domain::phrase::{exact_form, tokenize};
use domain::{Advert, AdvertField, EnergyLetter, GeoPoint, Property, PropertyType, TransactionType};
use places::Gazetteer;

#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub id: [u8; 16],
    pub transaction: TransactionType,
    pub kind: PropertyType,
    /// The id of the commune or district; 0 if unknown.
    pub city: u64,
    pub department: u64,
    pub price: Option<f64>,
    pub surface: Option<f64>,
    pub price_per_meter: Option<f64>,
    /// Seconds since the epoch, like all times here.
    pub created: i64,
    pub point: Option<GeoPoint>,
    /// Whether the price of the property is coherent.
    pub coherent: bool,
    pub expired: bool,
    /// The tokens of the distinct titles, descriptions and features of all adverts.
    pub text: String,
    pub adverts: Vec<AdvertRow>,
    pub price_events: Vec<PriceEvent>,
}

/// The values that queries combine on one advert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdvertRow {
    pub expired: bool,
    pub energy: Option<EnergyLetter>,
    pub construction_year: Option<i32>,
}

/// A price change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PriceEvent {
    pub at: i64,
    pub percent: f64,
    /// Whether its advert has expired.
    pub expired: bool,
}

impl Row {
    pub fn of(property: &Property, gazetteer: &Gazetteer) -> Self {
        let derived = property.derive().expect("a generated property has adverts");
        let city = derived.placement.and_then(|placement| gazetteer.city(&placement.insee));
        Self {
            id: *property.id.as_bytes(),
            transaction: derived.transaction_type,
            kind: derived.property_type,
            city: city.map_or(0, |city| city.id()),
            department: city.map_or(0, |city| city.department.id),
            price: derived.price.map(|price| price.get()),
            surface: derived.surface.map(|surface| surface.get()),
            price_per_meter: derived.price_per_meter.map(|price| price.get()),
            created: derived.created_at.as_second(),
            point: derived.given_point,
            coherent: derived.price_problem.is_none(),
            expired: derived.expired_at.is_some(),
            text: text(property),
            adverts: property.adverts.iter().map(AdvertRow::of).collect(),
            price_events: property.adverts.iter().flat_map(price_events).collect(),
        }
    }

    /// Returns `true` if queries can find it: all of them require a coherent price and no expiry.
    pub const fn is_on_offer(&self) -> bool {
        self.coherent && !self.expired
    }
}

impl AdvertRow {
    fn of(advert: &Advert) -> Self {
        Self {
            expired: advert.is_expired(),
            energy: advert.details.energy.category,
            construction_year: advert.details.construction_year,
        }
    }
}

fn price_events(advert: &Advert) -> impl Iterator<Item = PriceEvent> {
    let expired = advert.is_expired();
    let changes =
        advert.events.iter().filter(|event| event.subject == EventSubject::Field(AdvertField::Price));
    changes.filter_map(move |event| {
        let percent = event.percent_variation?.get();
        Some(PriceEvent { at: event.at.as_second(), percent, expired })
    })
}

/// Joins the distinct texts; most portals have the same description.
fn text(property: &Property) -> String {
    let mut parts: Vec<String> = Vec::new();
    // All queries are for what is on offer.
    for tokens in texts(property, AdvertScope::Live).map(tokenize) {
        let part: Vec<_> = tokens.split(' ').map(exact_form).collect();
        let part = part.join(" ");
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.join(" ")
}
