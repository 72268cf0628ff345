//! Adverts as ten portals would write them: each has its own dialect and its own faults.
//!
//! A dialect takes a clean advert, as the API documents it, and writes the same facts in another way: "295 000 €" for a
//! price, "Oui" for a flag, "Paris 15ème (75)" for a place, HTML for a text, Windows-1252 for UTF-8. A reader of such a feed must
//! find the clean values again. What a dialect does not carry is listed ([`Dialect::carries`]); everything else must be equal.

mod dialects;
mod styles;
mod values;

use serde_json::{Map, Value};

use crate::random::Random;
pub use dialects::DIALECTS;
use styles::{
    Booleans, Dates, Encoding, Kinds, Letters, Lists, Money, Places, Points, Surfaces, Texts, Unknown,
};

/// How a portal writes adverts: one style for each kind of value.
#[derive(Debug)]
pub struct Dialect {
    pub name: &'static str,
    money: Money,
    surfaces: Surfaces,
    counts: styles::Counts,
    dates: Dates,
    booleans: Booleans,
    letters: Letters,
    kinds: Kinds,
    places: Places,
    points: Points,
    texts: Texts,
    lists: Lists,
    unknown: Unknown,
    encoding: Encoding,
    /// Fields that the portal does not publish.
    omitted: &'static [&'static str],
}

/// The percentage of lines that are cut in the middle, as by a crashed exporter.
const CUT_PERCENT: f64 = 0.2;

/// One line of a messy feed.
#[derive(Debug)]
pub struct MessyLine {
    pub dialect: &'static Dialect,
    pub bytes: Vec<u8>,
    /// Whether the line was cut, so that it is not JSON any more.
    pub cut: bool,
}

/// Returns the line of an advert. Its URL decides the dialect, so that every version of an advert has the same one.
pub fn line(clean: &Map<String, Value>, random: &mut Random) -> MessyLine {
    let url = clean.get("url").and_then(Value::as_str).unwrap_or_default();
    let number = url.bytes().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
    let dialect = &DIALECTS[number % DIALECTS.len()];
    let mut bytes = dialect.write(clean, random);
    let cut = random.chance(CUT_PERCENT);
    if cut {
        bytes.truncate(bytes.len() / 2);
    }
    MessyLine { dialect, bytes, cut }
}

impl Dialect {
    /// Returns `true` if the dialect carries a field of the advert in a form that has the same value as the clean one.
    ///
    /// A place given in words is another text with the same meaning, so its parts are not compared: compare the commune.
    pub fn carries(&self, field: &str) -> bool {
        let is_reworded = self.places != Places::Codes && matches!(field, "insee" | "zipcode" | "cityName");
        !is_reworded && !self.omitted.contains(&field)
    }

    /// Writes an advert as one line, without its line break.
    pub fn write(&self, clean: &Map<String, Value>, random: &mut Random) -> Vec<u8> {
        let mut advert = Map::new();
        for (name, value) in clean {
            if !self.omitted.contains(&name.as_str()) {
                advert.insert(name.clone(), self.value(name, value, random));
            }
        }
        self.write_place(clean, &mut advert);
        self.write_unknown(&mut advert, random);
        self.encoding.encode(&Value::Object(advert).to_string())
    }

    fn value(&self, name: &str, value: &Value, random: &mut Random) -> Value {
        if value.is_null() {
            return self.unknown.write(name, random);
        }
        match name {
            "price" | "priceExcludingFees" | "condominiumFees" | "inventoryPrice" | "propertyTax"
            | "rentalCharges" | "rentalPledge" | "renterFees" => self.money.write(value, random),
            "surface" | "landSurface" => self.surfaces.write(value),
            "feesPercentage" | "lotCount" => self.surfaces.write_plain(value),
            "room" | "bedroom" | "floor" | "floorQuantity" | "constructionYear" => {
                self.counts.write(name, value)
            }
            "createdAt" | "updatedAt" | "lastCrawledAt" | "expiredAt" => self.dates.write(value),
            "elevator" | "furnished" | "expired" => self.booleans.write(value),
            "energy" | "greenHouseGas" => self.letters.write(name, value, &self.unknown, random),
            "transactionType" | "propertyType" | "feesResponsibility" => self.kinds.write(name, value),
            "publisher" => self.publisher(value),
            "title" | "description" => self.texts.write(value),
            "features" | "pictures" | "picturesRemote" => self.lists.write(name, value, &self.texts),
            "url" | "virtualTour" => self.lists.address(value),
            "locations" => self.points.write(value),
            "events" => self.events(value),
            _ => value.clone(),
        }
    }

    fn publisher(&self, value: &Value) -> Value {
        let mut publisher = value.as_object().cloned().unwrap_or_default();
        if let Some(kind) = publisher.get("type").filter(|kind| !kind.is_null()).cloned() {
            publisher.insert("type".to_owned(), self.kinds.write("publisher.type", &kind));
        }
        Value::Object(publisher)
    }

    fn events(&self, value: &Value) -> Value {
        let mut events = value.clone();
        for event in events.as_array_mut().into_iter().flatten() {
            let date = self.dates.write(&event["createdAt"]);
            event["createdAt"] = date;
        }
        events
    }

    fn write_place(&self, clean: &Map<String, Value>, advert: &mut Map<String, Value>) {
        let text = |name: &str| clean.get(name).and_then(Value::as_str);
        let (Some(zipcode), Some(name)) = (text("zipcode"), text("cityName")) else { return };
        if self.places == Places::Codes {
            return;
        }
        for field in ["insee", "zipcode", "cityName"] {
            advert.remove(field);
        }
        advert.extend(self.places.write(zipcode, name));
    }

    /// Writes the portal's word for "unknown" into fields that the advert lacks.
    fn write_unknown(&self, advert: &mut Map<String, Value>, random: &mut Random) {
        for name in OPTIONAL {
            if !advert.contains_key(*name) && !self.omitted.contains(name) {
                advert.insert((*name).to_owned(), self.unknown.write(name, random));
            }
        }
        if !advert.contains_key("locations") && !self.omitted.contains(&"locations") {
            advert.extend(self.points.unknown().map(|point| ("locations".to_owned(), point)));
        }
    }
}

/// Optional fields with a single value. Portals write them even where they know nothing.
const OPTIONAL: &[&str] = &[
    "priceExcludingFees",
    "condominiumFees",
    "rentalCharges",
    "surface",
    "landSurface",
    "bedroom",
    "floor",
    "constructionYear",
    "elevator",
    "furnished",
    "virtualTour",
];
