//! Why adverts are one property, and corrections by people.

use crate::codes;
use crate::schema::{Field, Kind, Resource};

#[rustfmt::skip]
pub fn resources() -> Vec<Resource> {
    let closest = Field::new("advert", Kind::Link("Advert"), "The other advert");
    let compared = Field::new("property", Kind::Link("Property"), "The property that it belongs to");
    vec![
        Resource::at("PropertyGrouping", "/documents/properties/{id}/grouping", "Why the adverts of a property are one property", vec![
            Field::new("property", Kind::Link("Property"), "The property"),
            Field::new("adverts", Kind::List(&Kind::Object("GroupedAdvert")), "Its adverts, and what put each of them there"),
            Field::new("history", Kind::List(&Kind::Object("Regrouping")), "Merges, splits and moves of adverts, newest first"),
        ]),
        Resource::part("GroupedAdvert", "An advert and what put it into its property", [
            advert_fields(),
            vec![
                Field::new("groupedBy", Kind::Choice(codes::GROUPED_BY), "What put it there"),
                Field::new("closest", Kind::Object("ClosestAdvert"), "The comparison with the advert of the property that scores highest; null if there is no other").or_null(),
            ],
        ].concat()),
        Resource::part("ClosestAdvert", "A comparison with another advert", [vec![closest], comparison_fields()].concat()),
        Resource::part("Regrouping", "Adverts that changed their property", vec![
            Field::new("createdAt", Kind::DateTime, "When it happened"),
            Field::new("from", Kind::Link("Property"), "The property that they left"),
            Field::new("to", Kind::Link("Property"), "The property that they joined"),
            Field::new("adverts", Kind::List(&Kind::Link("Advert")), "The adverts"),
            Field::new("by", Kind::Choice(codes::REGROUPED_BY), "What decided"),
            Field::new("decidedBy", Kind::Text, "The user of the key, or command line; null unless a person decided").or_null(),
        ]),
        Resource::at("AdvertComparison", "/documents/properties/{id}/grouping", "Why two adverts are one property, or not", [
            vec![
                Field::new("oneProperty", Kind::Boolean, "Whether they are in one property"),
                Field::new("adverts", Kind::List(&Kind::Object("ComparedAdvert")), "The two adverts"),
            ],
            comparison_fields(),
        ].concat()),
        Resource::part("ComparedAdvert", "One of two adverts that are compared", [advert_fields(), vec![compared]].concat()),
        Resource::at("DoubtfulPair", "/documents/properties/{id}/grouping", "Two adverts that grouping nearly decided the other way", [
            vec![
                Field::new("oneProperty", Kind::Boolean, "Whether they are in one property"),
                Field::new("neededScore", Kind::Number, "The score that decides: `threshold` or `keepThreshold`, whichever is nearer"),
                Field::new("adverts", Kind::List(&Kind::Object("DoubtfulAdvert")), "The two adverts. If they are in one property, the second is the one that little evidence holds there."),
            ],
            comparison_fields(),
        ].concat()),
        Resource::part("DoubtfulAdvert", "One of two adverts that a person should compare", [advert_fields(), vec![compared], compared_facts()].concat()),
        Resource::answer("GroupingDecision", "What a person decided about two adverts, and what followed", vec![
            Field::new("adverts", Kind::List(&Kind::Link("Advert")), "The two adverts"),
            Field::new("verdict", Kind::Choice(codes::VERDICTS), "The decision"),
            Field::new("action", Kind::Choice(codes::PAIR_ACTIONS), "What followed from it"),
            Field::new("properties", Kind::List(&Kind::Link("Property")), "The properties of the two adverts now, in their order"),
            Field::new("moved", Kind::List(&Kind::Link("Advert")), "The adverts that are in another property than before"),
        ]),
        Resource::part("Evidence", "Something that speaks for or against one property", vec![
            Field::new("name", Kind::Choice(codes::EVIDENCE), "What was observed"),
            Field::new("points", Kind::Number, "Its weight; negative if it speaks against one property"),
            Field::new("detail", Kind::Text, "The values, in a few words"),
        ]),
        Resource::at("PropertyMerge", "/properties/{id}", "The result of a merge", vec![
            Field::new("property", Kind::Link("Property"), "The property that remains"),
            Field::new("merged", Kind::List(&Kind::Link("Property")), "The properties that it replaces; their paths lead to it"),
        ]),
        Resource::at("PropertySplit", "/properties/{id}", "The result of a split", vec![
            Field::new("property", Kind::Link("Property"), "The property that was split"),
            Field::new("created", Kind::Link("Property"), "The new property"),
        ]),
        Resource::body("MergeDraft", "Properties to merge", vec![
            Field::new("properties", Kind::List(&Kind::Text), "The paths or uuids of at least two properties. The first one remains."),
        ]),
        Resource::body("SplitDraft", "Adverts that become a property of their own", vec![
            Field::new("adverts", Kind::List(&Kind::Text), "The paths or uuids of the adverts"),
        ]),
        Resource::body("GroupingDecisionDraft", "A decision about two adverts", vec![
            Field::new("adverts", Kind::List(&Kind::Text), "The paths or uuids of the two adverts"),
            Field::new("verdict", Kind::Choice(codes::VERDICTS), "The decision"),
        ]),
    ]
}

/// What a person compares adverts by.
#[rustfmt::skip]
fn compared_facts() -> Vec<Field> {
    vec![
        Field::new("transactionType", Kind::Code(codes::TRANSACTION_TYPES), "Sale or rental"),
        Field::new("propertyType", Kind::Code(codes::PROPERTY_TYPES), "The type of property"),
        Field::new("title", Kind::Text, "The title").or_null(),
        Field::new("description", Kind::Text, "The first 2,000 characters of the description").or_null(),
        Field::new("price", Kind::Number, "The price in euros; the rent in a rental").or_null(),
        Field::new("surface", Kind::Number, "The living area in m²").or_null(),
        Field::new("landSurface", Kind::Number, "The area of the land in m²").or_null(),
        Field::new("room", Kind::Integer, "The number of rooms").or_null(),
        Field::new("bedroom", Kind::Integer, "The number of bedrooms").or_null(),
        Field::new("floor", Kind::Integer, "The floor").or_null(),
        Field::new("constructionYear", Kind::Integer, "The year of construction").or_null(),
        Field::new("energy", Kind::Object("Rating"), "The energy rating, in kWh/m² per year"),
        Field::new("greenHouseGas", Kind::Object("Rating"), "The greenhouse-gas rating, in kg/m² per year"),
        Field::new("zipcode", Kind::Text, "The zipcode, as sent").or_null(),
        Field::new("cityName", Kind::Text, "The name of the commune").or_null(),
        Field::new("pictureCount", Kind::Integer, "The number of pictures, at `/adverts/{uuid}/pictures/0` and so on"),
        Field::new("createdAt", Kind::DateTime, "When the advert was first received"),
        Field::new("lastCrawledAt", Kind::DateTime, "When it was last seen on its site"),
        Field::new("expiredAt", Kind::DateTime, "When it left its site; null while it is there").or_null(),
    ]
}

/// What a reader recognises an advert by.
#[rustfmt::skip]
fn advert_fields() -> Vec<Field> {
    vec![
        Field::new("@id", Kind::Link("Advert"), "The path of the advert"),
        Field::new("uuid", Kind::Uuid, "Its id"),
        Field::new("site", Kind::Text, "The site that it is from").or_null(),
        Field::new("reference", Kind::Text, "Its id on the site").or_null(),
        Field::new("url", Kind::Url, "Its page on the site").or_null(),
    ]
}

#[rustfmt::skip]
fn comparison_fields() -> Vec<Field> {
    vec![
        Field::new("summary", Kind::Text, "The result in a few sentences"),
        Field::new("score", Kind::Number, "The sum of the points of the evidence; null if one of the adverts has no known commune").or_null(),
        Field::new("threshold", Kind::Number, "From this score on, an advert joins the property of the other"),
        Field::new("keepThreshold", Kind::Number, "Below this score, an advert whose facts changed leaves its property"),
        Field::new("veto", Kind::Choice(codes::VETOES), "Why the two cannot be one property, whatever their score; null if nothing forbids it").or_null(),
        Field::new("verdict", Kind::Choice(codes::VERDICTS), "What a person decided about the two; counts more than score and veto").or_null(),
        Field::new("evidence", Kind::List(&Kind::Object("Evidence")), "What speaks for and against one property"),
    ]
}
