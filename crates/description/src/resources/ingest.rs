//! The bodies and receipts of adverts that are sent to the service.
//!
//! Values are read as feeds write them: `295 000 €` is a price, `T3` is three rooms. The kinds say which JSON types are read; which texts
//! are understood is a matter of documentation.

use super::search_bodies::{BOOLEAN, NUMBER};
use crate::codes;
use crate::schema::{Field, Kind, Resource};

const DATE: Kind = Kind::AnyOf(&[Kind::Date, Kind::Integer, Kind::Text]);
const TEXT: Kind = Kind::AnyOf(&[Kind::Text, Kind::Number]);
const TEXTS: Kind = Kind::AnyOf(&[Kind::List(&TEXT), Kind::Text]);
const URLS: Kind = Kind::AnyOf(&[Kind::List(&Kind::Url), Kind::Text]);
const RATING: Kind = Kind::AnyOf(&[Kind::Object("RatingDraft"), Kind::Text]);
const POINT: Kind = Kind::AnyOf(&[Kind::Object("PointDraft"), Kind::List(&NUMBER), Kind::Text]);
const TRANSACTION_TYPE: Kind = Kind::AnyOf(&[Kind::Code(codes::TRANSACTION_TYPES), Kind::Text]);
const PROPERTY_TYPE: Kind = Kind::AnyOf(&[Kind::Code(codes::PROPERTY_TYPES), Kind::Text]);
const PUBLISHER_TYPE: Kind = Kind::AnyOf(&[Kind::Code(codes::PUBLISHER_TYPES), Kind::Text]);
const ACCURACY: Kind = Kind::AnyOf(&[Kind::Code(codes::ACCURACIES), Kind::Text]);
const FEES: Kind = Kind::AnyOf(&[Kind::Code(codes::FEES_RESPONSIBILITIES), Kind::Text]);
const RENT_PERIOD: Kind = Kind::AnyOf(&[Kind::Choice(codes::RENT_PERIODS), Kind::Text]);

pub fn resources() -> Vec<Resource> {
    let meaning = "An advert to create or update. An absent field keeps its value, and null or an empty list clears it. \
                   The advert is identified by uuid, else by site and reference, else by url.";
    let mut resources = vec![Resource::body("AdvertDraft", meaning, draft())];
    resources.extend(parts());
    resources.push(receipt());
    resources
}

fn draft() -> Vec<Field> {
    let required = [
        Field::new("transactionType", TRANSACTION_TYPE, "For sale or to let"),
        Field::new("propertyType", PROPERTY_TYPE, "The type of property"),
    ];
    let groups = [identity(), texts(), amounts(), facts(), place(), life()];
    let optional = groups.concat().into_iter().map(|field| field.or_null().optional());
    required.into_iter().chain(optional).collect()
}

#[rustfmt::skip]
fn identity() -> Vec<Field> {
    vec![
        Field::new("uuid", Kind::Text, "The id of the advert: a uuid or its path"),
        Field::new("site", TEXT, "The site that the advert is from: a domain, a URL, a name, a path or an id. Taken from url if absent."),
        Field::new("reference", TEXT, "The id of the advert on its site"),
        Field::new("url", Kind::Url, "The page of the advert on its site, at most 2,048 bytes"),
        Field::new("property", Kind::Text, "The property that the advert belongs to: a uuid or a path. Without it, Vigie groups the advert itself."),
    ]
}

#[rustfmt::skip]
fn texts() -> Vec<Field> {
    vec![
        Field::new("title", TEXT, "The title, at most 1,000 characters"),
        Field::new("description", TEXT, "The description, at most 65,536 characters. HTML becomes plain text."),
        Field::new("features", TEXTS, "Short texts such as balcony or cellar, at most 200"),
        Field::new("pictures", URLS, "Copies of the pictures, at most 200"),
        Field::new("picturesRemote", URLS, "The pictures on the site of the publisher, at most 200"),
        Field::new("virtualTour", Kind::Url, "The page of a virtual tour"),
        Field::new("contact", Kind::Object("ContactDraft"), "Whom to contact. Replaces the former contact as a whole."),
        Field::new("publisher", Kind::Object("PublisherDraft"), "Who published the advert"),
        Field::new("heating", TEXT, "The heating, in a few words"),
    ]
}

#[rustfmt::skip]
fn amounts() -> Vec<Field> {
    vec![
        Field::new("price", NUMBER, "The price in euros with fees; of a rental, the rent"),
        Field::new("priceExcludingFees", NUMBER, "The price in euros without agency fees"),
        Field::new("feesPercentage", NUMBER, "Agency fees in percent of the price, 0 to 100"),
        Field::new("feesResponsibility", FEES, "Who pays the agency fees"),
        Field::new("condominiumFees", NUMBER, "Condominium fees in euros a year"),
        Field::new("inventoryPrice", NUMBER, "Price of the inventory of fixtures in euros"),
        Field::new("propertyTax", NUMBER, "Property tax in euros a year"),
        Field::new("rentalCharges", NUMBER, "Charges of a rental in euros"),
        Field::new("rentalPledge", NUMBER, "Deposit in euros"),
        Field::new("renterFees", NUMBER, "Agency fees of the tenant in euros"),
        Field::new("rentPeriod", RENT_PERIOD, "How often the rent is due"),
        Field::new("lifeAnnuity", Kind::Object("LifeAnnuityDraft"), "What a buyer pays for a life annuity. An advert that gives one of the values is one."),
        Field::new("newBuilding", Kind::Object("NewBuildingDraft"), "The lots of a new-building programme. An advert that gives one of the values is one."),
    ]
}

#[rustfmt::skip]
fn facts() -> Vec<Field> {
    vec![
        Field::new("surface", NUMBER, "The living surface in square metres"),
        Field::new("landSurface", NUMBER, "The surface of the land in square metres"),
        Field::new("room", NUMBER, "The number of rooms, without kitchen and bathroom"),
        Field::new("bedroom", NUMBER, "The number of bedrooms"),
        Field::new("floor", NUMBER, "The floor; 0 is the ground floor, negative numbers are below ground"),
        Field::new("floorQuantity", NUMBER, "The number of floors of the building"),
        Field::new("lotCount", NUMBER, "The number of lots of the condominium"),
        Field::new("constructionYear", NUMBER, "The year in which the building was built"),
        Field::new("parkingCount", NUMBER, "The number of parking spaces, 0 to 1,000"),
        Field::new("elevator", BOOLEAN, "Whether the building has a lift"),
        Field::new("furnished", BOOLEAN, "Whether the property is furnished"),
        Field::new("exclusiveMandate", BOOLEAN, "Whether one agency alone may sell the property"),
        Field::new("occupied", BOOLEAN, "Whether it is sold with a tenant or another occupant"),
        Field::new("energy", RATING, "The energy rating; the value is in kWh per square metre and year"),
        Field::new("greenHouseGas", RATING, "The greenhouse-gas rating; the value is in kg of CO2 per square metre and year"),
    ]
}

#[rustfmt::skip]
fn place() -> Vec<Field> {
    vec![
        Field::new("insee", TEXT, "The INSEE code of the commune"),
        Field::new("zipcode", TEXT, "The zipcode"),
        Field::new("cityName", TEXT, "The name of the city"),
        Field::new("locations", POINT, "The coordinates"),
        Field::new("location", POINT, "The same as locations"),
        Field::new("geoAccuracy", ACCURACY, "How accurate the coordinates are"),
        Field::new("country", Kind::Text, "The country, as a code or a name; France if absent"),
        Field::new("countryCode", Kind::Text, "The same as country"),
        Field::new("district", TEXT, "The name of the neighbourhood; it does not decide the place"),
    ]
}

#[rustfmt::skip]
fn life() -> Vec<Field> {
    vec![
        Field::new("createdAt", DATE, "When the advert was published; the time of receipt if unknown"),
        Field::new("updatedAt", DATE, "When the advert last changed"),
        Field::new("lastCrawledAt", DATE, "When the advert was seen; the time of receipt if absent. The latest crawl wins."),
        Field::new("expired", BOOLEAN, "Whether the advert is gone; false brings it back"),
        Field::new("expiredAt", DATE, "When it expired"),
        Field::new("events", Kind::List(&Kind::Object("AdEventDraft")), "History that Vigie may not know, at most 1,000 entries"),
        Field::new("priceHistory", Kind::List(&Kind::Object("PricePoint")), "The price at earlier dates"),
    ]
}

fn optional(fields: &[Field]) -> Vec<Field> {
    fields.iter().map(|field| field.or_null().optional()).collect()
}

#[rustfmt::skip]
fn parts() -> Vec<Resource> {
    vec![
        Resource::body("ContactDraft", "Whom to contact about an advert", optional(&[
            Field::new("agency", TEXT, "The name of the agency"),
            Field::new("email", TEXT, "An e-mail address"),
            Field::new("fax", TEXT, "A fax number"),
            Field::new("name", TEXT, "The name of a person"),
            Field::new("phone", TEXT, "A telephone number"),
            Field::new("reference", TEXT, "The reference of the agency for the property"),
        ])),
        Resource::body("PublisherDraft", "Who published an advert", optional(&[
            Field::new("name", TEXT, "The name of the publisher"),
            Field::new("type", PUBLISHER_TYPE, "The type of publisher"),
        ])),
        Resource::body("RatingDraft", "An energy or greenhouse-gas rating", optional(&[
            Field::new("category", Kind::AnyOf(&[Kind::Choice(codes::ENERGY_LETTERS), Kind::Text]), "The class"),
            Field::new("value", NUMBER, "The value behind the class, per square metre and year: kWh of energy, or kg of CO2"),
        ])),
        Resource::body("PointDraft", "Coordinates (WGS 84). GeoJSON is understood as well.", optional(&[
            Field::new("lat", NUMBER, "Latitude in degrees"),
            Field::new("lon", NUMBER, "Longitude in degrees"),
        ])),
        Resource::body("LifeAnnuityDraft", "What a buyer pays for a life annuity", optional(&[
            Field::new("bouquet", NUMBER, "The sum paid at the signature, in euros"),
            Field::new("rent", NUMBER, "The rent in euros a month, as long as the seller lives"),
        ])),
        Resource::body("NewBuildingDraft", "The ranges of the lots of a new-building programme", optional(&[
            Field::new("priceMin", NUMBER, "The lowest price of a lot in euros"),
            Field::new("priceMax", NUMBER, "The highest price of a lot in euros"),
            Field::new("surfaceMin", NUMBER, "The smallest surface of a lot in square metres"),
            Field::new("surfaceMax", NUMBER, "The largest surface of a lot in square metres"),
            Field::new("roomMin", NUMBER, "The fewest rooms of a lot"),
            Field::new("roomMax", NUMBER, "The most rooms of a lot"),
        ])),
        Resource::body("AdEventDraft", "An entry of the history of an advert, as documents show it", vec![
            Field::new("createdAt", DATE, "When it happened"),
            Field::new("fieldName", Kind::Text, "The field that changed; created or null for the creation").or_null(),
            Field::new("fieldOldValue", TEXT, "The value before").or_null().optional(),
            Field::new("fieldNewValue", TEXT, "The value after").or_null().optional(),
            Field::new("percentVariation", NUMBER, "The change in percent; computed from the values if both are given").or_null().optional(),
        ]),
        Resource::body("PricePoint", "The price of an advert at a date", optional(&[
            Field::new("date", DATE, "The date"),
            Field::new("createdAt", DATE, "The same as date"),
            Field::new("at", DATE, "The same as date"),
            Field::new("price", NUMBER, "The price in euros"),
            Field::new("value", NUMBER, "The same as price"),
        ])),
    ]
}

#[rustfmt::skip]
fn receipt() -> Resource {
    let violations = Kind::List(&Kind::Object("ConstraintViolation"));
    Resource::answer("AdvertReceipt", "What became of an advert that was sent. It is written once the advert is durable.", vec![
        Field::new("@id", Kind::Link("Advert"), "The path of the advert; absent if it was refused").optional(),
        Field::new("line", Kind::Integer, "The number of the line in a stream, from 1; absent otherwise").optional(),
        Field::new("uuid", Kind::Uuid, "The id of the advert; absent if it was refused").optional(),
        Field::new("property", Kind::Link("Property"), "The property that it belongs to; absent if it was refused").optional(),
        Field::new("outcome", Kind::Choice(codes::RECEIPT_OUTCOMES), "What became of it"),
        Field::new("reference", Kind::Text, "The reference of a refused advert, as given").optional(),
        Field::new("url", Kind::Text, "The address of a refused advert, as given").optional(),
        Field::new("ignored", Kind::List(&Kind::Text), "The names of fields that are not known"),
        Field::new("placeCertainty", Kind::Choice(codes::PLACE_CERTAINTIES), "How certain the place is; absent if it did not change").optional(),
        Field::new("warnings", violations, "Values that were left out or changed, and accepted values that look wrong; absent if there are none").optional(),
        Field::new("violations", violations, "Why it was refused; absent otherwise").optional(),
    ])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn draft_has_the_fields_that_the_parser_knows() {
        let listed: BTreeSet<&str> = draft().iter().map(|field| field.name).collect();
        let known: BTreeSet<&str> = wire::advert_draft::field_names().collect();
        assert_eq!(listed, known);
    }
}
