//! Property documents and indicators.

use crate::codes;
use crate::schema::{Field, Kind, Resource};

pub fn resources() -> Vec<Resource> {
    let document = "A home, plot or shop, with all its adverts. A value comes from the reference advert, or from the next one that has it.";
    let in_webhook = "A property document as webhooks carry it: as it was at the time of the match or event";
    let exported = "A line of an export: a property document whose adverts can be sent to another service";
    vec![
        Resource::at(
            "PropertyDocument",
            "/documents/properties/{id}",
            document,
            fields("AdvertInProperty", "CityInProperty"),
        ),
        Resource::at(
            "WebhookPropertyDocument",
            "/documents/properties/{id}",
            in_webhook,
            fields("AdvertInProperty", "CityInWebhook"),
        )
        .of_class("PropertyDocument"),
        Resource::at(
            "ExportedProperty",
            "/documents/properties/{id}",
            exported,
            fields("Advert", "CityInProperty"),
        )
        .of_class("PropertyDocument"),
        price_per_meter(),
        price_period(),
    ]
}

/// The tables differ in the kinds of these two only.
fn fields(adverts: &'static str, city: &'static str) -> Vec<Field> {
    let adverts = match adverts {
        "Advert" => Kind::List(&Kind::Object("Advert")),
        _ => Kind::List(&Kind::Object("AdvertInProperty")),
    };
    let city = Kind::Object(city);
    #[rustfmt::skip]
    let fields = vec![
        Field::new("uuid", Kind::Uuid, "The id of the property"),
        Field::new("property", Kind::Link("Property"), "The path that other objects name the property by"),
        Field::new("adverts", adverts, "The adverts of the property, in the order in which they joined it"),
        Field::new("bedroom", Kind::Integer, "The number of bedrooms").or_null(),
        Field::new("room", Kind::Integer, "The number of rooms, without kitchen and bathroom. Of a new-building programme, that of the smallest lot.").or_null(),
        Field::new("city", city, "The commune, or what the sender gave if the commune is not known").or_null(),
        Field::new("createdAt", Kind::DateTime, "When the earliest advert was created"),
        Field::new("updatedAt", Kind::DateTime, "When an advert last changed"),
        Field::new("lastCrawledAt", Kind::DateTime, "When an advert that is not expired was last seen; null if all are expired").or_null(),
        Field::new("expiredAt", Kind::DateTime, "When the last advert expired; null unless all are expired").or_null(),
        Field::new("description", Kind::Text, "The description, as plain text").or_null(),
        Field::new("title", Kind::Text, "The title").or_null(),
        Field::new("elevator", Kind::Boolean, "Whether the building has a lift").or_null(),
        Field::new("furnished", Kind::Boolean, "Whether the property is furnished").or_null(),
        Field::new("expired", Kind::Boolean, "Whether all adverts are expired: the property is no longer on offer"),
        Field::new("floor", Kind::Integer, "The floor; 0 is the ground floor, negative numbers are below ground").or_null(),
        Field::new("landSurface", Kind::Number, "The surface of the land in square metres").or_null(),
        Field::new("surface", Kind::Number, "The living surface in square metres. Of a new-building programme, that of the smallest lot.").or_null(),
        Field::new("lastCrawledAdvert", Kind::Uuid, "The uuid of the reference advert: the most recently seen one that is not expired, or the most recently seen one if all are expired"),
        Field::new("locations", Kind::Object("Point"), "The coordinates: those of an advert, else the centre of the commune").or_null(),
        Field::new("location", Kind::Object("Point"), "The same as locations").or_null(),
        Field::new("geoAccuracy", Kind::Code(codes::ACCURACIES), "How accurate the coordinates are").or_null(),
        Field::new("pictures", Kind::List(&Kind::Url), "The pictures of the reference advert, then those of the others, without repeats"),
        Field::new("price", Kind::Number, "The price in euros; of a rental, the rent. Of a new-building programme, that of the smallest lot.").or_null(),
        Field::new("coherentPrice", Kind::Boolean, "Whether the price is plausible"),
        Field::new("priceProblem", Kind::Choice(codes::PRICE_PROBLEMS), "What is wrong with the price; null if nothing is").or_null(),
        Field::new("pricePerMeter", Kind::Number, "The price divided by the surface, in euros per square metre, with two decimals; null for a life annuity").or_null(),
        Field::new("propertyType", Kind::Code(codes::PROPERTY_TYPES), "The type of property"),
        Field::new("publisherTypes", Kind::List(&Kind::Code(codes::PUBLISHER_TYPES)), "The types of the publishers of its adverts, without repeats"),
        Field::new("stations", Kind::List(&Kind::Object("Station")), "The stations within walking distance of coordinates that an advert gave, nearest first"),
        Field::new("transactionType", Kind::Code(codes::TRANSACTION_TYPES), "For sale or to let"),
        Field::new("district", Kind::Text, "The name of the neighbourhood").or_null(),
    ];
    fields
}

#[rustfmt::skip]
fn price_per_meter() -> Resource {
    Resource::at("PricePerMeter", "/indicators/price_per_meter", "Prices per square metre of the properties that match the filters", vec![
        Field::new("average", Kind::Number, "The average in euros per square metre; null if no property matches").or_null(),
        Field::new("average_min", Kind::Number, "The lowest average of a period, in euros per square metre").or_null(),
        Field::new("average_max", Kind::Number, "The highest average of a period, in euros per square metre").or_null(),
        Field::new("median", Kind::Number, "The median in euros per square metre").or_null(),
        Field::new("percentile10", Kind::Number, "The 10th percentile: a tenth of the properties cost less, in euros per square metre").or_null(),
        Field::new("percentile90", Kind::Number, "The 90th percentile: a tenth of the properties cost more, in euros per square metre").or_null(),
        Field::new("count", Kind::Integer, "The number of properties"),
        Field::new("series", Kind::Map(&Kind::Number), "The average of each period in euros per square metre, by month (2026-03) or year (2026)"),
        Field::new("periods", Kind::List(&Kind::Object("PricePeriod")), "The detail of each period, oldest first"),
    ])
}

#[rustfmt::skip]
fn price_period() -> Resource {
    Resource::part("PricePeriod", "Prices per square metre in one month or year", vec![
        Field::new("date", Kind::Text, "The month (2026-03) or the year (2026)"),
        Field::new("average", Kind::Number, "The average in euros per square metre"),
        Field::new("median", Kind::Number, "The median in euros per square metre"),
        Field::new("percentile10", Kind::Number, "The 10th percentile: a tenth of the properties cost less, in euros per square metre"),
        Field::new("percentile90", Kind::Number, "The 90th percentile: a tenth of the properties cost more, in euros per square metre"),
        Field::new("count", Kind::Integer, "The number of properties"),
    ])
}
