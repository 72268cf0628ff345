//! Why a property meets a search or not.

use crate::codes;
use crate::schema::{Field, Kind, Resource};

const ITEM: Kind = Kind::AnyOf(&[Kind::Integer, Kind::Text, Kind::Object("NamedItem")]);
const CRITERIA: Kind = Kind::List(&Kind::Object("CriterionResult"));

#[rustfmt::skip]
pub fn resources() -> Vec<Resource> {
    vec![
        Resource::at("Explanation", "/searches/{id}/explain", "Why a property meets a saved search or not", vec![
            Field::new("search", Kind::Link("Search"), "The saved search"),
            Field::new("property", Kind::Link("Property"), "The property"),
            Field::new("summary", Kind::Text, "The result in a few sentences"),
            Field::new("held", Kind::Boolean, "Whether the property meets all criteria"),
            Field::new("onOffer", Kind::Boolean, "Whether an advert is not expired. A property that is not on offer makes no match."),
            Field::new("matched", Kind::Boolean, "Whether there is a match already"),
            Field::new("criteria", CRITERIA, "The criteria on the property; all must hold"),
            Field::new("adverts", Kind::List(&Kind::Object("AdvertResult")), "The criteria on adverts, for each advert, the closest one first; all must hold on one advert"),
            Field::new("changes", Kind::List(&Kind::Object("ChangeResult")), "The criteria on changes of price and of surface"),
            Field::new("expressions", Kind::List(&Kind::Object("ExpressionResult")), "The groups of words; one of them must hold"),
        ]),
        Resource::part("CriterionResult", "A criterion and what was found", vec![
            Field::new("filters", Kind::List(&Kind::Text), "The fields of the search that set the criterion"),
            Field::new("wanted", Kind::AnyOf(&[Kind::Boolean, Kind::Object("WantedValue")]), "The value that the search asks for"),
            Field::new("found", Kind::AnyOf(&[Kind::Boolean, Kind::Number, Kind::Text, Kind::Object("FoundValue")]), "The value of the property or advert; null if it is unknown").or_null(),
            Field::new("held", Kind::Boolean, "Whether the criterion holds"),
        ]),
        Resource::part("WantedValue", "What a search asks for. Only the keys that apply are there.", vec![
            Field::new("min", Kind::Number, "At least").optional(),
            Field::new("max", Kind::Number, "At most").optional(),
            Field::new("from", Kind::DateTime, "On or after").optional(),
            Field::new("to", Kind::DateTime, "On or before").optional(),
            Field::new("anyOf", Kind::List(&ITEM), "One of these codes, places or sites").optional(),
            Field::new("noneOf", Kind::List(&ITEM), "None of these").optional(),
            Field::new("lat", Kind::Number, "The latitude of the centre of a circle, in degrees").optional(),
            Field::new("lon", Kind::Number, "Its longitude in degrees").optional(),
            Field::new("radius", Kind::Number, "Its radius in kilometres").optional(),
            Field::new("polygons", Kind::Integer, "Inside one of so many polygons").optional(),
            Field::new("feature", Kind::Text, "A feature with these words").optional(),
        ]),
        Resource::part("FoundValue", "What was found, if it is more than a number, a text or a boolean. Only the keys that apply are there.", vec![
            Field::new("@id", Kind::Link("Site"), "The path of a site").optional(),
            Field::new("name", Kind::Text, "The name of a site").or_null().optional(),
            Field::new("city", ITEM, "The city of the property").or_null().optional(),
            Field::new("department", ITEM, "The department of the property").or_null().optional(),
            Field::new("zipcode", ITEM, "The zipcode of the property").or_null().optional(),
            Field::new("among", Kind::List(&ITEM), "The places of the search that contain it").optional(),
            Field::new("distanceKm", Kind::Number, "The distance from the centre of the circle in kilometres").optional(),
            Field::new("lat", Kind::Number, "The latitude of the property in degrees").optional(),
            Field::new("lon", Kind::Number, "The longitude of the property in degrees").optional(),
            Field::new("polygon", Kind::Integer, "The polygon that contains it, counted from 0; null if none does").or_null().optional(),
        ]),
        Resource::part("NamedItem", "A place or a site", vec![
            Field::new("@id", Kind::Link("Place"), "The path of the place or site"),
            Field::new("name", Kind::Text, "The name; null if it is unknown").or_null(),
        ]),
        Resource::part("AdvertResult", "The criteria on adverts, for one advert", vec![
            Field::new("advert", Kind::Link("Advert"), "The advert"),
            Field::new("held", Kind::Boolean, "Whether all of them hold"),
            Field::new("criteria", CRITERIA, "The criteria"),
        ]),
        Resource::part("ChangeResult", "The criteria on changes, for the closest change", vec![
            Field::new("fieldName", Kind::Choice(codes::VARIATIONS), "The field that changed"),
            Field::new("held", Kind::Boolean, "Whether one change meets all of them"),
            Field::new("count", Kind::Integer, "The number of changes considered"),
            Field::new("advert", Kind::Link("Advert"), "The advert of the closest change; null if there was none").or_null(),
            Field::new("createdAt", Kind::DateTime, "When the closest change happened").or_null(),
            Field::new("criteria", CRITERIA, "The criteria"),
        ]),
        Resource::part("ExpressionResult", "A group of words, all of which must hold", vec![
            Field::new("held", Kind::Boolean, "Whether all of them hold"),
            Field::new("entries", Kind::List(&Kind::Object("EntryResult")), "The words"),
        ]),
        Resource::part("EntryResult", "A word and where it was found", vec![
            Field::new("word", Kind::Text, "The word or phrase"),
            Field::new("options", Kind::Object("ExpressionOptions"), "How it is searched"),
            Field::new("held", Kind::Boolean, "Whether the entry holds"),
            Field::new("foundIn", Kind::Object("Passage"), "Where the word is; null if it is in no text").or_null(),
        ]),
        Resource::part("Passage", "A text of an advert", vec![
            Field::new("advert", Kind::Link("Advert"), "The advert"),
            Field::new("fieldName", Kind::Text, "The field that holds the text: title, description, features or district"),
        ]),
    ]
}
