//! Writes an advert draft as JSON, the inverse of [`parse`](super::parse()). Used by clients that feed a Vigie
//! instance.

use domain::{AdvertDraft, FieldUpdate, Identity, Lifecycle};
use domain::{
    AdvertEvent, Amount, Contact, GivenPlace, PercentVariation, Publisher, Rating, ShortText, Timestamp,
    WebAddress,
};
use serde_json::{Map, Value, json};

use super::special_sale::{write_life_annuity, write_new_building};
use crate::{iri, names};

/// Returns the JSON object that parses back into `draft`.
pub fn write(draft: &AdvertDraft) -> Value {
    let AdvertDraft {
        identity,
        property,
        transaction_type,
        property_type,
        patch,
        created_at,
        updated_at,
        last_crawled_at,
        lifecycle,
        history,
        // Only an export says it, in the names of documents.
        price_check: _,
    } = draft;
    let mut body = Body(Map::new());
    match identity {
        Identity::Uuid(id) => body.set("uuid", id.to_string()),
        // The site, the reference and the URL are ordinary fields and are written below.
        Identity::SiteReference(..) | Identity::Url(_) => {}
    }
    if let Some(property) = property {
        body.set("property", iri::property(*property));
    }
    body.set("transactionType", transaction_type.code());
    body.set("propertyType", property_type.code());
    body.date("createdAt", *created_at);
    body.date("updatedAt", *updated_at);
    body.date("lastCrawledAt", *last_crawled_at);
    match lifecycle {
        Lifecycle::Seen => {}
        Lifecycle::Live => body.set("expired", false),
        Lifecycle::Expired { at } => {
            body.set("expired", true);
            body.date("expiredAt", *at);
        }
    }
    if !history.is_empty() {
        body.set("events", history.iter().map(event).collect::<Vec<_>>());
    }

    body.given("site", &patch.site, |site| json!(site.as_ref().map(|site| site.as_str())));
    body.given("reference", &patch.reference, text);
    body.given("url", &patch.url, address);
    body.given("title", &patch.title, text);
    body.given("description", &patch.description, text);
    body.given("contact", &patch.contact, contact);
    body.given("publisher", &patch.publisher, publisher);
    body.given("price", &patch.price, amount);
    body.given("priceExcludingFees", &patch.price_excluding_fees, amount);
    body.given("feesPercentage", &patch.fees_percentage, amount);
    body.given("feesResponsibility", &patch.fees_responsibility, |kind| json!(kind.map(|kind| kind.code())));
    body.given("condominiumFees", &patch.condominium_fees, amount);
    body.given("inventoryPrice", &patch.inventory_price, amount);
    body.given("propertyTax", &patch.property_tax, amount);
    body.given("rentalCharges", &patch.rental_charges, amount);
    body.given("rentalPledge", &patch.rental_pledge, amount);
    body.given("renterFees", &patch.renter_fees, amount);
    body.given("lotCount", &patch.lot_count, amount);
    body.given("surface", &patch.surface, amount);
    body.given("landSurface", &patch.land_surface, amount);
    body.given("room", &patch.room, |value| json!(value));
    body.given("bedroom", &patch.bedroom, |value| json!(value));
    body.given("floor", &patch.floor, |value| json!(value));
    body.given("floorQuantity", &patch.floor_quantity, |value| json!(value));
    body.given("constructionYear", &patch.construction_year, |value| json!(value));
    body.given("elevator", &patch.elevator, |value| json!(value));
    body.given("furnished", &patch.furnished, |value| json!(value));
    body.given("energy", &patch.energy, rating);
    body.given("greenHouseGas", &patch.green_house_gas, rating);
    body.given("features", &patch.features, |list| list.iter().map(|item| json!(item.as_str())).collect());
    body.given("pictures", &patch.pictures, |list| addresses(list));
    body.given("picturesRemote", &patch.pictures_remote, |list| addresses(list));
    body.given("virtualTour", &patch.virtual_tour, address);
    body.given("district", &patch.district, text);
    body.given("exclusiveMandate", &patch.exclusive_mandate, |value| json!(value));
    body.given("parkingCount", &patch.parking_count, |value| json!(value));
    body.given("heating", &patch.heating, text);
    body.given("lifeAnnuity", &patch.life_annuity, write_life_annuity);
    body.given("occupied", &patch.occupied, |value| json!(value));
    body.given("rentPeriod", &patch.rent_period, |period| json!(period.map(names::rent_period)));
    body.given("newBuilding", &patch.new_building, write_new_building);
    if let FieldUpdate::Set(place) = &patch.place {
        body.place(place);
    }
    Value::Object(body.0)
}

struct Body(Map<String, Value>);

impl Body {
    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    fn given<T>(&mut self, name: &str, value: &FieldUpdate<T>, write: impl Fn(&T) -> Value) {
        if let FieldUpdate::Set(value) = value {
            self.set(name, write(value));
        }
    }

    fn date(&mut self, name: &str, timestamp: Option<Timestamp>) {
        if let Some(timestamp) = timestamp {
            self.set(name, timestamp.to_string());
        }
    }

    fn place(&mut self, place: &GivenPlace) {
        let GivenPlace { insee, zipcode, city_name, point, accuracy, country } = place;
        self.set("insee", json!(insee.as_ref().map(|insee| insee.as_str())));
        self.set("zipcode", json!(zipcode.as_ref().map(|zipcode| zipcode.as_str())));
        self.set("cityName", text(city_name));
        self.set("locations", json!(point.map(|point| json!({"lat": point.lat(), "lon": point.lon()}))));
        self.set("geoAccuracy", json!(accuracy.map(|accuracy| accuracy.code())));
        if let Some(country) = country {
            self.set("country", country.as_str());
        }
    }
}

fn text<const MAX: usize>(text: &Option<domain::value::Text<MAX>>) -> Value {
    json!(text.as_ref().map(|text| text.as_str()))
}

fn address(address: &Option<WebAddress>) -> Value {
    json!(address.as_ref().map(WebAddress::as_str))
}

fn addresses(addresses: &[WebAddress]) -> Value {
    addresses.iter().map(|address| json!(address.as_str())).collect()
}

fn amount(amount: &Option<Amount>) -> Value {
    json!(amount.map(Amount::get))
}

fn contact(contact: &Contact) -> Value {
    let Contact { agency, email, fax, name, phone, reference } = contact;
    let member = |value: &Option<ShortText>| text(value);
    json!({
        "agency": member(agency), "email": member(email), "fax": member(fax),
        "name": member(name), "phone": member(phone), "reference": member(reference),
    })
}

fn publisher(publisher: &Publisher) -> Value {
    let Publisher { name, kind } = publisher;
    json!({"name": text(name), "type": kind.map(|kind| kind.code())})
}

fn rating(rating: &Rating) -> Value {
    let Rating { category, value } = rating;
    json!({"category": category.map(|letter| letter.letter()), "value": amount(value)})
}

fn event(event: &AdvertEvent) -> Value {
    let AdvertEvent { at, subject, old_value, new_value, percent_variation } = event;
    json!({
        "createdAt": at.to_string(),
        "fieldName": names::event_subject(subject),
        "fieldOldValue": old_value,
        "fieldNewValue": new_value,
        "percentVariation": percent_variation.map(PercentVariation::get),
    })
}
