//! Doubtful pairs of adverts are written, decisions of people about two adverts are parsed and their results written.

use domain::grouping::Verdict;
use domain::{Advert, AdvertId, PropertyId, Violation};
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::Value;

use super::{
    ADVERTS, AdvertBody, ComparedAdvertBody, ComparisonBody, ComparisonInput, parse_references, rounded,
    verdict_name,
};
use crate::document::{Number, RatingBody, number};
use crate::filters::malformed_value;
use crate::json::fields;
use crate::{date, iri};

const VERDICT: &str = "verdict";

/// How much of a description is shown: enough to recognise a home, and a list of them stays small.
const DESCRIPTION_CHARACTERS_MAX: usize = 2_000;

/// A pair and the data needed to write it.
pub struct DoubtfulPairInput<'a> {
    pub comparison: ComparisonInput<'a>,
    /// The score that decides.
    pub needed: f32,
    /// Those of the comparison, each with the name of its commune.
    pub adverts: [(&'a Advert, Option<&'a str>); 2],
    pub zone: &'a TimeZone,
}

/// Two adverts that a person should decide about.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DoubtfulPairBody<'a> {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@id")]
    id: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    one_property: bool,
    /// The score that decides: that for joining a property, or that for staying in one.
    needed_score: f64,
    adverts: [DoubtfulAdvertBody<'a>; 2],
    #[serde(flatten)]
    comparison: ComparisonBody,
}

/// What a person compares two adverts by.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DoubtfulAdvertBody<'a> {
    #[serde(flatten)]
    advert: ComparedAdvertBody<'a>,
    transaction_type: u8,
    property_type: u8,
    title: Option<&'a str>,
    description: Option<String>,
    price: Option<Number>,
    surface: Option<Number>,
    land_surface: Option<Number>,
    room: Option<i32>,
    bedroom: Option<i32>,
    floor: Option<i32>,
    construction_year: Option<i32>,
    energy: RatingBody,
    green_house_gas: RatingBody,
    zipcode: Option<&'a str>,
    city_name: Option<&'a str>,
    picture_count: usize,
    created_at: String,
    last_crawled_at: String,
    expired_at: Option<String>,
}

impl<'a> DoubtfulPairBody<'a> {
    pub fn of(input: &DoubtfulPairInput<'a>) -> Self {
        let DoubtfulPairInput { comparison, needed, adverts, zone } = input;
        let side = |side: usize| {
            let (advert, city_name) = adverts[side];
            DoubtfulAdvertBody::of(advert, comparison.properties[side], city_name, zone)
        };
        Self {
            context: "/contexts/DoubtfulPair",
            id: iri::advert_comparison(comparison.properties[0], comparison.adverts),
            kind: "DoubtfulPair",
            one_property: comparison.is_one_property(),
            needed_score: rounded(*needed),
            adverts: [side(0), side(1)],
            comparison: ComparisonBody::of(comparison),
        }
    }
}

impl<'a> DoubtfulAdvertBody<'a> {
    fn of(advert: &'a Advert, property: PropertyId, city_name: Option<&'a str>, zone: &TimeZone) -> Self {
        let details = &advert.details;
        let place = &details.place;
        let dated = |at| date::format(at, zone);
        Self {
            advert: ComparedAdvertBody {
                advert: AdvertBody::of(advert.id, Some(advert)),
                property: iri::property(property),
            },
            transaction_type: advert.transaction_type.code(),
            property_type: advert.property_type.code(),
            title: details.title.as_ref().map(|text| text.as_str()),
            description: details.description.as_ref().map(|text| beginning(text.as_str())),
            price: number(details.price),
            surface: number(details.surface),
            land_surface: number(details.land_surface),
            room: details.room,
            bedroom: details.bedroom,
            floor: details.floor,
            construction_year: details.construction_year,
            energy: RatingBody::of(details.energy),
            green_house_gas: RatingBody::of(details.green_house_gas),
            zipcode: place.zipcode.as_ref().map(|zipcode| zipcode.as_str()),
            city_name: city_name.or_else(|| place.city_name.as_ref().map(|name| name.as_str())),
            // Either list may hold the pictures.
            picture_count: details.pictures.len().max(details.pictures_remote.len()),
            created_at: dated(advert.created_at),
            last_crawled_at: dated(advert.last_crawled_at),
            expired_at: advert.expired_at.map(dated),
        }
    }
}

fn beginning(text: &str) -> String {
    match text.char_indices().nth(DESCRIPTION_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Parses a decision about two adverts.
pub fn parse_decision(body: &Value) -> Result<([AdvertId; 2], Verdict), Vec<Violation>> {
    let mut members = fields(body)?.clone();
    let verdict = members.remove(VERDICT).unwrap_or_default();
    let adverts = parse_references(&members.into(), ADVERTS, "a reference to an advert", iri::parse_advert)
        .and_then(|adverts| {
            <[AdvertId; 2]>::try_from(adverts).map_err(|adverts| {
                let message = format!("A decision is about two different adverts, {} given.", adverts.len());
                vec![Violation::invalid(ADVERTS, message)]
            })
        });
    let verdict = match &verdict {
        Value::Null => Err(vec![Violation::missing(VERDICT, "This value should not be blank.")]),
        given => {
            let known = [Verdict::Same, Verdict::Different];
            let named = known.into_iter().find(|verdict| given.as_str() == Some(verdict_name(*verdict)));
            named.ok_or_else(|| vec![malformed_value(VERDICT, given, "\"same\" or \"different\"")])
        }
    };
    match (adverts, verdict) {
        (Ok(adverts), Ok(verdict)) => Ok((adverts, verdict)),
        (adverts, verdict) => {
            Err([adverts.err().unwrap_or_default(), verdict.err().unwrap_or_default()].concat())
        }
    }
}

/// The result of a decision.
pub struct DecisionInput<'a> {
    pub adverts: [AdvertId; 2],
    pub verdict: Verdict,
    /// What followed: `merged`, `split` or `remembered`.
    pub action: &'static str,
    /// Those of the two adverts, now.
    pub properties: [PropertyId; 2],
    pub moved: &'a [AdvertId],
}

#[derive(Debug, Serialize)]
pub struct DecisionBody {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    adverts: [String; 2],
    verdict: &'static str,
    action: &'static str,
    properties: [String; 2],
    moved: Vec<String>,
}

impl DecisionBody {
    pub fn of(input: &DecisionInput<'_>) -> Self {
        let DecisionInput { adverts, verdict, action, properties, moved } = input;
        Self {
            context: "/contexts/GroupingDecision",
            kind: "GroupingDecision",
            adverts: adverts.map(iri::advert),
            verdict: verdict_name(*verdict),
            action,
            properties: properties.map(iri::property),
            moved: moved.iter().copied().map(iri::advert).collect(),
        }
    }
}
