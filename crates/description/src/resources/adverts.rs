//! Adverts as the service sends them.

use crate::codes;
use crate::schema::{Field, Kind, Resource};

pub fn resources() -> Vec<Resource> {
    vec![
        Resource::at(
            "Advert",
            "/adverts/{uuid}",
            "A listing of one publisher, with everything that it was sent with, so that it can be sent again",
            [own_fields(), shared_fields()].concat(),
        ),
        Resource::part("AdvertInProperty", "An advert inside the document of its property", shared_fields())
            .of_class("Advert"),
        contact(),
        publisher(),
        rating(),
        event(),
        life_annuity(),
        new_building(),
    ]
}

/// The fields that only the resource has.
#[rustfmt::skip]
fn own_fields() -> Vec<Field> {
    vec![
        Field::new("property", Kind::Link("Property"), "The property that the advert belongs to"),
        Field::new("transactionType", Kind::Code(codes::TRANSACTION_TYPES), "For sale or to let"),
        Field::new("propertyType", Kind::Code(codes::PROPERTY_TYPES), "The type of property"),
        Field::new("reference", Kind::Text, "The id of the advert on its site").or_null(),
        Field::new("insee", Kind::Text, "The INSEE code of the commune, as given").or_null(),
        Field::new("zipcode", Kind::Text, "The zipcode, as given").or_null(),
        Field::new("cityName", Kind::Text, "The name of the city, as given").or_null(),
        Field::new("locations", Kind::Object("Point"), "The coordinates, as given").or_null(),
        Field::new("geoAccuracy", Kind::Code(codes::ACCURACIES), "How accurate the coordinates are").or_null(),
        Field::new("country", Kind::Text, "The country as an ISO 3166 code such as BE; absent if the sender gave none").optional(),
    ]
}

/// The fields of an advert inside a document.
#[rustfmt::skip]
fn shared_fields() -> Vec<Field> {
    vec![
        Field::new("uuid", Kind::Uuid, "The id of the advert"),
        Field::new("title", Kind::Text, "The title").or_null(),
        Field::new("description", Kind::Text, "The description, as plain text").or_null(),
        Field::new("url", Kind::Url, "The page of the advert on its site").or_null(),
        Field::new("site", Kind::Text, "The site that the advert is from: a domain or a name").or_null(),
        Field::new("contact", Kind::Object("Contact"), "Whom to contact. Everything in it is null in the deliveries of a search with hidePropertyContact."),
        Field::new("createdAt", Kind::DateTime, "When the advert was published, as far as known"),
        Field::new("updatedAt", Kind::DateTime, "When the advert last changed"),
        Field::new("lastCrawledAt", Kind::DateTime, "When the advert was last seen"),
        Field::new("expired", Kind::Boolean, "Whether the advert is gone"),
        Field::new("expiredAt", Kind::DateTime, "When it expired; null if it is not expired").or_null(),
        Field::new("condominiumFees", Kind::Number, "Condominium fees in euros a year").or_null(),
        Field::new("feesPercentage", Kind::Number, "Agency fees in percent of the price").or_null(),
        Field::new("inventoryPrice", Kind::Number, "Price of the inventory of fixtures in euros").or_null(),
        Field::new("lotCount", Kind::Number, "The number of lots of the condominium").or_null(),
        Field::new("price", Kind::Number, "The price in euros with fees; of a rental, the rent").or_null(),
        Field::new("priceExcludingFees", Kind::Number, "The price in euros without agency fees").or_null(),
        Field::new("coherentPrice", Kind::Boolean, "Whether the price is plausible"),
        Field::new("priceProblem", Kind::Choice(codes::PRICE_PROBLEMS), "What is wrong with the price; null if nothing is").or_null(),
        Field::new("propertyTax", Kind::Number, "Property tax in euros a year").or_null(),
        Field::new("rentalCharges", Kind::Number, "Charges of a rental in euros").or_null(),
        Field::new("rentalPledge", Kind::Number, "Deposit in euros").or_null(),
        Field::new("renterFees", Kind::Number, "Agency fees of the tenant in euros").or_null(),
        Field::new("constructionYear", Kind::Integer, "The year in which the building was built").or_null(),
        Field::new("floor", Kind::Integer, "The floor; 0 is the ground floor, negative numbers are below ground").or_null(),
        Field::new("floorQuantity", Kind::Integer, "The number of floors of the building").or_null(),
        Field::new("room", Kind::Integer, "The number of rooms, without kitchen and bathroom").or_null(),
        Field::new("bedroom", Kind::Integer, "The number of bedrooms").or_null(),
        Field::new("landSurface", Kind::Number, "The surface of the land in square metres").or_null(),
        Field::new("surface", Kind::Number, "The living surface in square metres").or_null(),
        Field::new("elevator", Kind::Boolean, "Whether the building has a lift").or_null(),
        Field::new("furnished", Kind::Boolean, "Whether the property is furnished").or_null(),
        Field::new("energy", Kind::Object("Rating"), "The energy rating; the value is in kWh per square metre and year"),
        Field::new("greenHouseGas", Kind::Object("Rating"), "The greenhouse-gas rating; the value is in kg of CO2 per square metre and year"),
        Field::new("events", Kind::List(&Kind::Object("AdEvent")), "The history: the creation, then one entry for each changed field, oldest first"),
        Field::new("features", Kind::List(&Kind::Text), "Short texts such as balcony or cellar"),
        Field::new("feesResponsibility", Kind::Code(codes::FEES_RESPONSIBILITIES), "Who pays the agency fees").or_null(),
        Field::new("pictures", Kind::List(&Kind::Url), "Copies of the pictures"),
        Field::new("picturesRemote", Kind::List(&Kind::Url), "The pictures on the site of the publisher"),
        Field::new("publisher", Kind::Object("Publisher"), "Who published the advert"),
        Field::new("virtualTour", Kind::Url, "The page of a virtual tour").or_null(),
        Field::new("district", Kind::Text, "The name of the neighbourhood").or_null(),
        Field::new("exclusiveMandate", Kind::Boolean, "Whether one agency alone may sell the property").or_null(),
        Field::new("parkingCount", Kind::Integer, "The number of parking spaces").or_null(),
        Field::new("heating", Kind::Text, "The heating, in a few words").or_null(),
        Field::new("lifeAnnuity", Kind::Object("LifeAnnuity"), "What a buyer pays for a life annuity. Both values are null for any other sale."),
        Field::new("occupied", Kind::Boolean, "Whether it is sold with a tenant or another occupant").or_null(),
        Field::new("rentPeriod", Kind::Choice(codes::RENT_PERIODS), "How often the rent is due").or_null(),
        Field::new("newBuilding", Kind::Object("NewBuilding"), "The lots of a new-building programme. All values are null for any other sale."),
    ]
}

#[rustfmt::skip]
fn contact() -> Resource {
    Resource::part("Contact", "Whom to contact about an advert", vec![
        Field::new("agency", Kind::Text, "The name of the agency").or_null(),
        Field::new("email", Kind::Text, "An e-mail address").or_null(),
        Field::new("fax", Kind::Text, "A fax number").or_null(),
        Field::new("name", Kind::Text, "The name of a person").or_null(),
        Field::new("phone", Kind::Text, "A telephone number").or_null(),
        Field::new("reference", Kind::Text, "The reference of the agency for the property").or_null(),
    ])
}

#[rustfmt::skip]
fn publisher() -> Resource {
    Resource::part("Publisher", "Who published an advert", vec![
        Field::new("category", Kind::Text, "The name of the category of the site").or_null(),
        Field::new("name", Kind::Text, "The name of the publisher").or_null(),
        Field::new("type", Kind::Code(codes::PUBLISHER_TYPES), "The type of publisher").or_null(),
    ])
}

#[rustfmt::skip]
fn rating() -> Resource {
    Resource::part("Rating", "An energy or greenhouse-gas rating", vec![
        Field::new("category", Kind::Choice(codes::ENERGY_LETTERS), "The class").or_null(),
        Field::new("value", Kind::Number, "The value behind the class, per square metre and year: kWh of energy, or kg of CO2").or_null(),
    ])
}

#[rustfmt::skip]
fn event() -> Resource {
    Resource::part("AdEvent", "An entry of the history of an advert", vec![
        Field::new("createdAt", Kind::DateTime, "When it happened"),
        Field::new("fieldName", Kind::Text, "The field that changed, such as price or surface; created or expired for the life of the advert"),
        Field::new("fieldOldValue", Kind::Text, "The value before, of price, surface and expired; null for other fields").or_null(),
        Field::new("fieldNewValue", Kind::Text, "The value after, of price, surface and expired; null for other fields").or_null(),
        Field::new("percentVariation", Kind::Number, "The change of a price or surface in percent of the old value, with two decimals; negative for a decrease").or_null(),
    ])
}

#[rustfmt::skip]
fn life_annuity() -> Resource {
    Resource::part("LifeAnnuity", "What a buyer pays for a life annuity", vec![
        Field::new("bouquet", Kind::Number, "The sum paid at the signature, in euros").or_null(),
        Field::new("rent", Kind::Number, "The rent in euros a month, as long as the seller lives").or_null(),
    ])
}

#[rustfmt::skip]
fn new_building() -> Resource {
    Resource::part("NewBuilding", "The ranges of the lots of a new-building programme", vec![
        Field::new("priceMin", Kind::Number, "The lowest price of a lot in euros").or_null(),
        Field::new("priceMax", Kind::Number, "The highest price of a lot in euros").or_null(),
        Field::new("surfaceMin", Kind::Number, "The smallest surface of a lot in square metres").or_null(),
        Field::new("surfaceMax", Kind::Number, "The largest surface of a lot in square metres").or_null(),
        Field::new("roomMin", Kind::Integer, "The fewest rooms of a lot").or_null(),
        Field::new("roomMax", Kind::Integer, "The most rooms of a lot").or_null(),
    ])
}
