//! Why a property meets a search or does not, as its owner reads it: a sentence first, then criterion by criterion.
//!
//! Criteria go by the names of the filters that asked for them. What was wanted and what was found are written as the client would
//! write them: numbers, dates, codes, places and sites with their names.

mod summary;
mod value;

use domain::criteria::{Condition, RawCriteria, TextPart};
use domain::explain::{AdvertCheck, AdvertExplanation, ChangesExplanation, EntryCheck, AttributeCheck, GroupExplanation, PropertyCheck};
use domain::{
    AdvertField, Explanation, Filter, PropertyId, SearchId, SiteDirectory, Variation, VariationAttribute,
};
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::filters::expressions::EntryBody;
use crate::search::Places;
use crate::{date, iri, names};
use value::{Found, Scale, Wanted};

/// An explanation with what it takes to write it.
pub struct ExplanationParts<'a> {
    pub search: SearchId,
    pub property: PropertyId,
    pub explanation: &'a Explanation<'a>,
    /// Whether the two have a match already.
    pub matched: bool,
    /// What the search's owner said: of several filters that may have asked for something, those are named that were used.
    pub raw_criteria: &'a RawCriteria,
    pub known: &'a Known<'a>,
}

/// What gives places and sites their names, and dates their offset.
pub struct Known<'a> {
    pub places: Places<'a>,
    pub sites: &'a SiteDirectory,
    pub zone: &'a TimeZone,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplanationBody<'a> {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@id")]
    id: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    search: String,
    property: String,
    summary: String,
    held: bool,
    on_offer: bool,
    matched: bool,
    criteria: Vec<LineBody>,
    adverts: Vec<AdvertBody>,
    changes: Vec<ChangeBody>,
    expressions: Vec<GroupBody<'a>>,
}

/// One criterion.
#[derive(Debug, Serialize)]
struct LineBody {
    filters: Vec<&'static str>,
    wanted: Wanted,
    /// Null when it is unknown.
    found: Option<Found>,
    held: bool,
}

/// What was wanted of one and the same advert, held against one.
#[derive(Debug, Serialize)]
struct AdvertBody {
    advert: String,
    held: bool,
    criteria: Vec<LineBody>,
}

/// What was wanted of one and the same change, held against the one that comes nearest.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ChangeBody {
    field_name: &'static str,
    held: bool,
    /// How many changes there were to choose from.
    count: usize,
    /// Null when there was none.
    advert: Option<String>,
    created_at: Option<String>,
    criteria: Vec<LineBody>,
}

/// One of the alternatives of words.
#[derive(Debug, Serialize)]
struct GroupBody<'a> {
    held: bool,
    entries: Vec<EntryTriedBody<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct EntryTriedBody<'a> {
    #[serde(flatten)]
    entry: EntryBody<'a>,
    held: bool,
    /// Null when the words stand nowhere.
    found_in: Option<PassageBody>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PassageBody {
    advert: String,
    field_name: &'static str,
}

/// The explanation of one property.
pub fn explanation<'a>(parts: &ExplanationParts<'a>) -> ExplanationBody<'a> {
    let ExplanationParts { search, property, explanation, matched, raw_criteria: _, known: _ } = parts;
    let Explanation { is_available, property: lines, adverts, changes, expressions } = explanation;
    let mut body = ExplanationBody {
        context: "/contexts/Explanation",
        id: iri::explanation(*search, *property),
        kind: "Explanation",
        search: iri::search(*search),
        property: iri::property(*property),
        summary: String::new(),
        held: explanation.passed(),
        on_offer: *is_available,
        matched: *matched,
        criteria: lines.iter().map(|line| parts.property_line(line)).collect(),
        adverts: adverts.iter().flatten().map(|tried| parts.advert(tried)).collect(),
        changes: changes.iter().map(|tried| parts.changes(tried)).collect(),
        expressions: expressions.iter().flatten().map(group).collect(),
    };
    body.summary = summary::of(&body);
    body
}

impl ExplanationParts<'_> {
    fn property_line(&self, line: &PropertyCheck<'_>) -> LineBody {
        let filters = line.filters();
        let (wanted, found) = match line {
            PropertyCheck::Attribute(finding) => self.finding(finding, &filters),
            PropertyCheck::Places(line) => {
                (value::places_wanted(line, self.known), value::place_found(line, self.known))
            }
            PropertyCheck::Circle { wanted, distance_km } => {
                (Wanted::circle(wanted), distance_km.map(Found::distance))
            }
            PropertyCheck::Polygons { wanted, point, inside } => {
                (Wanted::Polygons { polygons: wanted.len() }, point.map(|point| Found::point(point, *inside)))
            }
            PropertyCheck::ExcludedProperties { wanted, found } => {
                (value::properties_wanted(wanted), Some(Found::property(*found)))
            }
        };
        LineBody { filters: self.used(&filters), wanted, found, held: line.passed() }
    }

    fn advert(&self, tried: &AdvertExplanation<'_>) -> AdvertBody {
        let AdvertExplanation { advert, checks: lines } = tried;
        let criteria = lines.iter().map(|line| self.advert_line(line)).collect();
        AdvertBody { advert: iri::advert(*advert), held: tried.passed(), criteria }
    }

    fn advert_line(&self, line: &AdvertCheck<'_>) -> LineBody {
        let filters = line.filters();
        let (wanted, found) = match line {
            AdvertCheck::Attribute(finding) => self.finding(finding, &filters),
            AdvertCheck::Site { inclusion, wanted, found } => {
                let site = |key| value::site(key, self.known.sites);
                let sites = wanted.iter().map(site).collect();
                (Wanted::among(*inclusion, sites), found.map(|key| Found::Item(site(key))))
            }
        };
        LineBody { filters: self.used(&filters), wanted, found, held: line.passed() }
    }

    fn changes(&self, tried: &ChangesExplanation<'_>) -> ChangeBody {
        let ChangesExplanation { variation, wanted, count, nearest } = tried;
        let line = |(place, condition): (usize, &Condition<VariationAttribute>)| {
            let filters = tried.filters(condition);
            let found = nearest.as_ref().and_then(|change| change.checks[place].found);
            let finding = AttributeCheck { attribute: condition.attribute, wanted: &condition.predicate, found };
            let (wanted, found) = self.finding(&finding, &filters);
            LineBody { filters: self.used(&filters), wanted, found, held: finding.passed() }
        };
        ChangeBody {
            field_name: variation_name(*variation),
            held: tried.passed(),
            count: *count,
            advert: nearest.as_ref().map(|change| iri::advert(change.advert)),
            created_at: nearest.as_ref().map(|change| date::print(change.event.at, self.known.zone)),
            criteria: wanted.iter().enumerate().map(line).collect(),
        }
    }

    fn finding<A>(&self, finding: &AttributeCheck<'_, A>, filters: &[&'static Filter]) -> (Wanted, Option<Found>) {
        let scale = Scale::of(filters);
        let found = finding.found.map(|key| scale.found(key, self.known.zone));
        (scale.wanted(finding.wanted, self.known.zone), found)
    }

    /// The names of those filters that were used; of all where none was, as for what is asked for by default.
    fn used(&self, filters: &[&'static Filter]) -> Vec<&'static str> {
        let is_used = |filter: &&&'static Filter| self.raw_criteria.get(filter).is_some();
        let used: Vec<&'static str> = filters.iter().filter(is_used).map(|filter| filter.name).collect();
        if used.is_empty() { filters.iter().map(|filter| filter.name).collect() } else { used }
    }
}

fn group<'a>(tried: &GroupExplanation<'a>) -> GroupBody<'a> {
    let entry = |tried: &EntryCheck<'a>| EntryTriedBody {
        entry: EntryBody::of(tried.wanted),
        held: tried.passed(),
        found_in: tried.found.map(|passage| PassageBody {
            advert: iri::advert(passage.advert),
            field_name: text_part(passage.part),
        }),
    };
    GroupBody { held: tried.passed(), entries: tried.entries.iter().map(entry).collect() }
}

fn text_part(part: TextPart) -> &'static str {
    names::advert_field(match part {
        TextPart::Title => AdvertField::Title,
        TextPart::Description => AdvertField::Description,
    })
}

fn variation_name(variation: Variation) -> &'static str {
    names::advert_field(match variation {
        Variation::Price => AdvertField::Price,
        Variation::Surface => AdvertField::Surface,
    })
}

#[cfg(test)]
mod tests;
