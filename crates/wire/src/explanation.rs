//! Explains why a property meets a saved search or not: a summary first, then each criterion.
//!
//! Criteria are named by the filters that set them. Expected and actual values are written as a client would write
//! them: numbers, dates, codes, places and sites with their names.

mod summary;
mod value;

use domain::criteria::{Condition, RawCriteria, TextPart};
use domain::explain::{
    AdvertCheck, AdvertExplanation, AttributeCheck, ChangesExplanation, EntryCheck, GroupExplanation,
    PropertyCheck,
};
use domain::{
    AdvertField, Explanation, Filter, PropertyId, SearchId, SiteDirectory, Variation, VariationAttribute,
};
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::filters::expressions::EntryBody;
use crate::search::Places;
use crate::{date, iri, names};
use value::{ActualValue, ExpectedValue, Item, Scale};

/// An explanation and the data needed to write it.
pub struct ExplanationInput<'a> {
    pub search: SearchId,
    pub property: PropertyId,
    pub explanation: &'a Explanation<'a>,
    /// Whether there is a match already.
    pub matched: bool,
    /// The criteria as sent: of several filters that may have set a condition, only the ones used are named.
    pub raw_criteria: &'a RawCriteria,
    pub context: &'a RenderContext<'a>,
}

/// Names of places and sites, and the time zone of dates.
pub struct RenderContext<'a> {
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
    criteria: Vec<CriterionBody>,
    adverts: Vec<AdvertBody>,
    changes: Vec<ChangeBody>,
    expressions: Vec<GroupBody<'a>>,
}

/// One criterion.
#[derive(Debug, Serialize)]
struct CriterionBody {
    filters: Vec<&'static str>,
    wanted: ExpectedValue,
    /// `null` if unknown.
    found: Option<ActualValue>,
    held: bool,
}

/// The advert criteria, checked against one advert.
#[derive(Debug, Serialize)]
struct AdvertBody {
    advert: String,
    held: bool,
    criteria: Vec<CriterionBody>,
}

/// The change criteria, checked against the closest change.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ChangeBody {
    field_name: &'static str,
    held: bool,
    /// Number of changes considered.
    count: usize,
    /// `null` if there was no change.
    advert: Option<String>,
    created_at: Option<String>,
    criteria: Vec<CriterionBody>,
}

/// One alternative group of words.
#[derive(Debug, Serialize)]
struct GroupBody<'a> {
    held: bool,
    entries: Vec<EntryResultBody<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct EntryResultBody<'a> {
    #[serde(flatten)]
    entry: EntryBody<'a>,
    held: bool,
    /// `null` if the words are in no text.
    found_in: Option<PassageBody>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PassageBody {
    advert: String,
    field_name: &'static str,
}

/// Returns the explanation of one property.
pub fn explanation<'a>(input: &ExplanationInput<'a>) -> ExplanationBody<'a> {
    let ExplanationInput { search, property, explanation, matched, raw_criteria: _, context: _ } = input;
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
        criteria: lines.iter().map(|line| input.property_line(line)).collect(),
        adverts: adverts.iter().flatten().map(|tried| input.advert(tried)).collect(),
        changes: changes.iter().map(|tried| input.changes(tried)).collect(),
        expressions: expressions.iter().flatten().map(group).collect(),
    };
    body.summary = summary::of(&body);
    body
}

impl ExplanationInput<'_> {
    fn property_line(&self, line: &PropertyCheck<'_>) -> CriterionBody {
        let filters = line.filters();
        let (wanted, found) = match line {
            PropertyCheck::Attribute(finding) => self.finding(finding, &filters),
            PropertyCheck::Places(line) => {
                (value::expected_places(line, self.context), value::actual_place(line, self.context))
            }
            PropertyCheck::Circle { wanted, distance_km } => {
                (ExpectedValue::circle(wanted), distance_km.map(ActualValue::distance))
            }
            PropertyCheck::Polygons { wanted, point, inside } => (
                ExpectedValue::Polygons { polygons: wanted.len() },
                point.map(|point| ActualValue::point(point, *inside)),
            ),
            PropertyCheck::ExcludedProperties { wanted, found } => {
                (value::expected_properties(wanted), Some(ActualValue::property(*found)))
            }
            PropertyCheck::Feature { wanted, found } => (
                ExpectedValue::Feature { feature: wanted.text().to_owned() },
                found.map(|feature| ActualValue::Item(Item::Text(feature.to_owned()))),
            ),
        };
        CriterionBody { filters: self.used(&filters), wanted, found, held: line.passed() }
    }

    fn advert(&self, tried: &AdvertExplanation<'_>) -> AdvertBody {
        let AdvertExplanation { advert, checks } = tried;
        let criteria = checks.iter().map(|line| self.advert_line(line)).collect();
        AdvertBody { advert: iri::advert(*advert), held: tried.passed(), criteria }
    }

    fn advert_line(&self, line: &AdvertCheck<'_>) -> CriterionBody {
        let filters = line.filters();
        let (wanted, found) = match line {
            AdvertCheck::Attribute(finding) => self.finding(finding, &filters),
            AdvertCheck::Site { inclusion, wanted, found } => {
                let site = |key| value::site(key, self.context.sites);
                let sites = wanted.iter().map(site).collect();
                (ExpectedValue::among(*inclusion, sites), found.map(|key| ActualValue::Item(site(key))))
            }
        };
        CriterionBody { filters: self.used(&filters), wanted, found, held: line.passed() }
    }

    fn changes(&self, tried: &ChangesExplanation<'_>) -> ChangeBody {
        let ChangesExplanation { variation, wanted, count, nearest } = tried;
        let line = |(index, condition): (usize, &Condition<VariationAttribute>)| {
            let filters = tried.filters(condition);
            let found = nearest.as_ref().and_then(|change| change.checks[index].found);
            let finding =
                AttributeCheck { attribute: condition.attribute, wanted: &condition.predicate, found };
            let (wanted, found) = self.finding(&finding, &filters);
            CriterionBody { filters: self.used(&filters), wanted, found, held: finding.passed() }
        };
        ChangeBody {
            field_name: variation_name(*variation),
            held: tried.passed(),
            count: *count,
            advert: nearest.as_ref().map(|change| iri::advert(change.advert)),
            created_at: nearest.as_ref().map(|change| date::format(change.event.at, self.context.zone)),
            criteria: wanted.iter().enumerate().map(line).collect(),
        }
    }

    fn finding<A>(
        &self,
        finding: &AttributeCheck<'_, A>,
        filters: &[&'static Filter],
    ) -> (ExpectedValue, Option<ActualValue>) {
        let scale = Scale::of(filters);
        let found = finding.found.map(|key| scale.actual(key, self.context.zone));
        (scale.expected(finding.wanted, self.context.zone), found)
    }

    /// Returns the names of the filters that were used, or all of them if none was (a default applies).
    fn used(&self, filters: &[&'static Filter]) -> Vec<&'static str> {
        let is_used = |filter: &&&'static Filter| self.raw_criteria.get(filter).is_some();
        let used: Vec<&'static str> = filters.iter().filter(is_used).map(|filter| filter.name).collect();
        if used.is_empty() { filters.iter().map(|filter| filter.name).collect() } else { used }
    }
}

fn group<'a>(tried: &GroupExplanation<'a>) -> GroupBody<'a> {
    let entry = |tried: &EntryCheck<'a>| EntryResultBody {
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
        TextPart::Feature => AdvertField::Features,
        TextPart::District => AdvertField::District,
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
