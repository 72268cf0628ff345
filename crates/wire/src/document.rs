//! Property documents and adverts. Every key is always present: an unknown value is `null`, an unknown list is
//! empty.

use std::sync::Arc;

use domain::{
    Advert, AdvertEvent, Amount, City, Contact, DerivedValues, EnergyLetter, FeesResponsibility, GeoPoint,
    GivenPlace, LifeAnnuity, NewBuilding, PercentVariation, Property, PropertyId, Publisher, PublisherType,
    Rating, SiteKey, Station, Timestamp, WebAddress,
};
use jiff::tz::TimeZone;
use serde::{Serialize, Serializer};

use crate::place::{CityBody, PointBody, StationBody};
use crate::{date, iri, names};

/// A property and the reference data shown with it.
pub struct DocumentInput<'a> {
    pub property: &'a Property,
    pub derived: DerivedValues<'a>,
    /// The commune, if the reference geography has it.
    pub city: Option<Arc<City>>,
    pub stations: Vec<Arc<Station>>,
    pub zone: &'a TimeZone,
    /// Returns the category name of a site.
    pub category_of: &'a dyn Fn(&SiteKey) -> Option<String>,
}

/// A date in the service's time zone.
struct ZonedDate<'a>(Timestamp, &'a TimeZone);

impl Serialize for ZonedDate<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&date::format(self.0, self.1))
    }
}

/// A number written without a fraction if it has none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Floats represent every integer up to 2⁵³ exactly.
        if self.0.fract() == 0.0 && self.0.abs() < 9_007_199_254_740_992.0 {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

pub(crate) fn number(amount: Option<Amount>) -> Option<Number> {
    amount.map(|amount| Number(amount.get()))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PropertyDocumentBody<'a, A = AdvertBody<'a>> {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@id")]
    id: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    uuid: String,
    property: String,
    adverts: Vec<A>,
    bedroom: Option<i32>,
    room: Option<i32>,
    city: Option<CityBody>,
    created_at: ZonedDate<'a>,
    updated_at: ZonedDate<'a>,
    last_crawled_at: Option<ZonedDate<'a>>,
    expired_at: Option<ZonedDate<'a>>,
    description: Option<&'a str>,
    title: Option<&'a str>,
    elevator: Option<bool>,
    furnished: Option<bool>,
    expired: bool,
    floor: Option<i32>,
    land_surface: Option<Number>,
    surface: Option<Number>,
    last_crawled_advert: String,
    locations: Option<PointBody>,
    // Duplicate of `locations`: existing clients read one or the other.
    location: Option<PointBody>,
    geo_accuracy: Option<u8>,
    pictures: Vec<&'a str>,
    price: Option<Number>,
    coherent_price: bool,
    price_problem: Option<&'static str>,
    price_per_meter: Option<Number>,
    property_type: u8,
    publisher_types: Vec<u8>,
    stations: Vec<StationBody>,
    transaction_type: u8,
    district: Option<&'a str>,
}

/// Returns the document of a property.
pub fn property_document<'a>(input: &'a DocumentInput<'a>) -> PropertyDocumentBody<'a> {
    document(input, |advert| AdvertBody::of(advert, input.zone, input.category_of))
}

/// Returns the document as an export contains it: its adverts are resources, so that another service can import them. See
/// [`exported`](crate::exported).
pub fn export_document<'a>(input: &'a DocumentInput<'a>) -> PropertyDocumentBody<'a, AdvertResourceBody<'a>> {
    document(input, |advert| {
        let resource = advert_resource(advert, input.property.id, input.zone, input.category_of);
        // The context of the document covers its adverts.
        AdvertResourceBody { context: None, ..resource }
    })
}

fn document<'a, A>(
    input: &'a DocumentInput<'a>,
    advert_body: impl Fn(&'a Advert) -> A,
) -> PropertyDocumentBody<'a, A> {
    let DocumentInput { property, derived, city, stations, zone, category_of: _ } = input;
    let zoned = |at| ZonedDate(at, zone);
    let point = derived.point.map(PointBody::of);
    PropertyDocumentBody {
        context: "/contexts/PropertyDocument",
        id: iri::property_document(property.id),
        kind: "PropertyDocument",
        uuid: property.id.to_string(),
        property: iri::property(property.id),
        adverts: property.adverts.iter().map(advert_body).collect(),
        bedroom: derived.bedroom,
        room: derived.room,
        city: match city {
            Some(city) => Some(CityBody::of(city, derived.zipcode)),
            None => derived.given_place.and_then(CityBody::of_given),
        },
        created_at: zoned(derived.created_at),
        updated_at: zoned(derived.updated_at),
        last_crawled_at: derived.last_crawled_at.map(zoned),
        expired_at: derived.expired_at.map(zoned),
        description: derived.description.map(|text| text.as_str()),
        title: derived.title.map(|text| text.as_str()),
        elevator: derived.elevator,
        furnished: derived.furnished,
        expired: derived.expired_at.is_some(),
        floor: derived.floor,
        land_surface: number(derived.land_surface),
        surface: number(derived.surface),
        last_crawled_advert: derived.reference_advert.to_string(),
        locations: point,
        location: point,
        geo_accuracy: derived.accuracy.map(|accuracy| accuracy.code()),
        pictures: derived.pictures.iter().map(|picture| picture.as_str()).collect(),
        price: number(derived.price),
        coherent_price: derived.price_problem.is_none(),
        price_problem: derived.price_problem.map(names::price_problem),
        price_per_meter: number(derived.price_per_meter),
        property_type: derived.property_type.code(),
        publisher_types: derived.publisher_types.iter().map(|kind| kind.code()).collect(),
        stations: stations.iter().map(|station| StationBody::of(station)).collect(),
        transaction_type: derived.transaction_type.code(),
        district: derived.district.map(|text| text.as_str()),
    }
}

/// Returns the document as webhooks carry it: the city's `locations` is named `location` there.
pub fn webhook_document<'a>(input: &'a DocumentInput<'a>) -> PropertyDocumentBody<'a> {
    let document = property_document(input);
    PropertyDocumentBody { city: document.city.map(CityBody::in_webhook), ..document }
}

/// An advert inside the document of its property.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdvertBody<'a> {
    uuid: String,
    title: Option<&'a str>,
    description: Option<&'a str>,
    url: Option<&'a str>,
    site: Option<&'a str>,
    contact: ContactBody<'a>,
    created_at: ZonedDate<'a>,
    updated_at: ZonedDate<'a>,
    last_crawled_at: ZonedDate<'a>,
    expired: bool,
    expired_at: Option<ZonedDate<'a>>,
    condominium_fees: Option<Number>,
    fees_percentage: Option<Number>,
    inventory_price: Option<Number>,
    lot_count: Option<Number>,
    price: Option<Number>,
    price_excluding_fees: Option<Number>,
    coherent_price: bool,
    price_problem: Option<&'static str>,
    property_tax: Option<Number>,
    rental_charges: Option<Number>,
    rental_pledge: Option<Number>,
    renter_fees: Option<Number>,
    construction_year: Option<i32>,
    floor: Option<i32>,
    floor_quantity: Option<i32>,
    room: Option<i32>,
    bedroom: Option<i32>,
    land_surface: Option<Number>,
    surface: Option<Number>,
    elevator: Option<bool>,
    furnished: Option<bool>,
    energy: RatingBody,
    green_house_gas: RatingBody,
    events: Vec<EventBody<'a>>,
    features: Vec<&'a str>,
    fees_responsibility: Option<u8>,
    pictures: Vec<&'a str>,
    pictures_remote: Vec<&'a str>,
    publisher: PublisherBody<'a>,
    virtual_tour: Option<&'a str>,
    district: Option<&'a str>,
    exclusive_mandate: Option<bool>,
    parking_count: Option<i32>,
    heating: Option<&'a str>,
    life_annuity: LifeAnnuityBody,
    occupied: Option<bool>,
    rent_period: Option<&'static str>,
    new_building: NewBuildingBody,
}

impl<'a> AdvertBody<'a> {
    pub fn of(
        advert: &'a Advert,
        zone: &'a TimeZone,
        category_of: &dyn Fn(&SiteKey) -> Option<String>,
    ) -> Self {
        let details = &advert.details;
        let problem = domain::price::problem_of(advert);
        let zoned = |at| ZonedDate(at, zone);
        Self {
            uuid: advert.id.to_string(),
            title: details.title.as_ref().map(|text| text.as_str()),
            description: details.description.as_ref().map(|text| text.as_str()),
            url: details.url.as_ref().map(WebAddress::as_str),
            site: details.site.as_ref().map(SiteKey::as_str),
            contact: ContactBody::of(&details.contact),
            created_at: zoned(advert.created_at),
            updated_at: zoned(advert.updated_at),
            last_crawled_at: zoned(advert.last_crawled_at),
            expired: advert.is_expired(),
            expired_at: advert.expired_at.map(zoned),
            condominium_fees: number(details.condominium_fees),
            fees_percentage: number(details.fees_percentage),
            inventory_price: number(details.inventory_price),
            lot_count: number(details.lot_count),
            price: number(details.price),
            price_excluding_fees: number(details.price_excluding_fees),
            coherent_price: problem.is_none(),
            price_problem: problem.map(names::price_problem),
            property_tax: number(details.property_tax),
            rental_charges: number(details.rental_charges),
            rental_pledge: number(details.rental_pledge),
            renter_fees: number(details.renter_fees),
            construction_year: details.construction_year,
            floor: details.floor,
            floor_quantity: details.floor_quantity,
            room: details.room,
            bedroom: details.bedroom,
            land_surface: number(details.land_surface),
            surface: number(details.surface),
            elevator: details.elevator,
            furnished: details.furnished,
            energy: RatingBody::of(details.energy),
            green_house_gas: RatingBody::of(details.green_house_gas),
            events: advert.events.iter().map(|event| EventBody::of(event, zone)).collect(),
            features: details.features.iter().map(|feature| feature.as_str()).collect(),
            fees_responsibility: details.fees_responsibility.map(FeesResponsibility::code),
            pictures: details.pictures.iter().map(WebAddress::as_str).collect(),
            pictures_remote: details.pictures_remote.iter().map(WebAddress::as_str).collect(),
            publisher: PublisherBody::of(&details.publisher, details.site.as_ref().and_then(category_of)),
            virtual_tour: details.virtual_tour.as_ref().map(WebAddress::as_str),
            district: details.district.as_ref().map(|text| text.as_str()),
            exclusive_mandate: details.exclusive_mandate,
            parking_count: details.parking_count,
            heating: details.heating.as_ref().map(|text| text.as_str()),
            life_annuity: LifeAnnuityBody::of(details.life_annuity),
            occupied: details.occupied,
            rent_period: details.rent_period.map(names::rent_period),
            new_building: NewBuildingBody::of(details.new_building),
        }
    }
}

/// An advert as a resource: the fields of the document, plus the fields it was sent with, so that a client can send
/// it again.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdvertResourceBody<'a> {
    #[serde(rename = "@context", skip_serializing_if = "Option::is_none")]
    context: Option<&'static str>,
    #[serde(rename = "@id")]
    id: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    property: String,
    transaction_type: u8,
    property_type: u8,
    reference: Option<&'a str>,
    insee: Option<&'a str>,
    zipcode: Option<&'a str>,
    city_name: Option<&'a str>,
    locations: Option<PointBody>,
    geo_accuracy: Option<u8>,
    /// Shown only if the sender gave it: the contract does not know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    country: Option<&'a str>,
    #[serde(flatten)]
    advert: AdvertBody<'a>,
}

/// Returns the resource of one advert.
pub fn advert_resource<'a>(
    advert: &'a Advert,
    property: PropertyId,
    zone: &'a TimeZone,
    category_of: &dyn Fn(&SiteKey) -> Option<String>,
) -> AdvertResourceBody<'a> {
    let GivenPlace { insee, zipcode, city_name, point, accuracy, country } = &advert.details.place;
    AdvertResourceBody {
        context: Some("/contexts/Advert"),
        id: iri::advert(advert.id),
        kind: "Advert",
        property: iri::property(property),
        transaction_type: advert.transaction_type.code(),
        property_type: advert.property_type.code(),
        reference: advert.details.reference.as_ref().map(|text| text.as_str()),
        insee: insee.as_ref().map(|insee| insee.as_str()),
        zipcode: zipcode.as_ref().map(|zipcode| zipcode.as_str()),
        city_name: city_name.as_ref().map(|name| name.as_str()),
        locations: point.map(|point: GeoPoint| PointBody::of(point)),
        geo_accuracy: accuracy.map(|accuracy| accuracy.code()),
        country: country.as_ref().map(|country| country.as_str()),
        advert: AdvertBody::of(advert, zone, category_of),
    }
}

#[derive(Serialize)]
struct ContactBody<'a> {
    agency: Option<&'a str>,
    email: Option<&'a str>,
    fax: Option<&'a str>,
    name: Option<&'a str>,
    phone: Option<&'a str>,
    reference: Option<&'a str>,
}

impl<'a> ContactBody<'a> {
    fn of(contact: &'a Contact) -> Self {
        let Contact { agency, email, fax, name, phone, reference } = contact;
        let text = |text: &'a Option<domain::ShortText>| text.as_ref().map(|text| text.as_str());
        Self {
            agency: text(agency),
            email: text(email),
            fax: text(fax),
            name: text(name),
            phone: text(phone),
            reference: text(reference),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct RatingBody {
    category: Option<char>,
    value: Option<Number>,
}

impl RatingBody {
    pub(crate) fn of(rating: Rating) -> Self {
        let Rating { category, value } = rating;
        Self { category: category.map(EnergyLetter::letter), value: number(value) }
    }
}

#[derive(Serialize)]
struct LifeAnnuityBody {
    bouquet: Option<Number>,
    rent: Option<Number>,
}

impl LifeAnnuityBody {
    fn of(life_annuity: LifeAnnuity) -> Self {
        let LifeAnnuity { bouquet, rent } = life_annuity;
        Self { bouquet: number(bouquet), rent: number(rent) }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NewBuildingBody {
    price_min: Option<Number>,
    price_max: Option<Number>,
    surface_min: Option<Number>,
    surface_max: Option<Number>,
    room_min: Option<i32>,
    room_max: Option<i32>,
}

impl NewBuildingBody {
    fn of(new_building: NewBuilding) -> Self {
        let NewBuilding { price_min, price_max, surface_min, surface_max, room_min, room_max } = new_building;
        Self {
            price_min: number(price_min),
            price_max: number(price_max),
            surface_min: number(surface_min),
            surface_max: number(surface_max),
            room_min,
            room_max,
        }
    }
}

#[derive(Serialize)]
struct PublisherBody<'a> {
    category: Option<String>,
    name: Option<&'a str>,
    #[serde(rename = "type")]
    kind: Option<u8>,
}

impl<'a> PublisherBody<'a> {
    fn of(publisher: &'a Publisher, category: Option<String>) -> Self {
        let Publisher { name, kind } = publisher;
        Self { category, name: name.as_ref().map(|name| name.as_str()), kind: kind.map(PublisherType::code) }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventBody<'a> {
    created_at: ZonedDate<'a>,
    field_name: &'a str,
    field_old_value: Option<&'a str>,
    field_new_value: Option<&'a str>,
    percent_variation: Option<Number>,
}

impl<'a> EventBody<'a> {
    fn of(event: &'a AdvertEvent, zone: &'a TimeZone) -> Self {
        let AdvertEvent { at, subject, old_value, new_value, percent_variation } = event;
        Self {
            created_at: ZonedDate(*at, zone),
            field_name: names::event_subject(subject),
            field_old_value: old_value.as_deref(),
            field_new_value: new_value.as_deref(),
            percent_variation: percent_variation.map(PercentVariation::get).map(Number),
        }
    }
}
