//! Grouping: merges and splits by people are parsed, their results and the reasons why adverts are one property are written.

mod doubtful;
mod summary;

use domain::grouping::{Comparison, Evidence, JOIN_SCORE, KEEP_SCORE, Verdict};
use domain::{Advert, AdvertId, PropertyId, Timestamp, Violation};
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::Value;

use crate::filters::malformed_value;
use crate::json::{Reader, fields, unknown_attribute};
use crate::{date, iri};

pub use doubtful::{DecisionBody, DecisionInput, DoubtfulPairBody, DoubtfulPairInput, parse_decision};
pub use summary::{spaced, summary};

/// The attribute of a merge.
pub const PROPERTIES: &str = "properties";

/// The attribute of a split and of a decision, and the parameter of a comparison.
pub const ADVERTS: &str = "adverts";

/// Parses the properties to merge, without repeats. The first one remains.
pub fn parse_merge(body: &Value) -> Result<Vec<PropertyId>, Vec<Violation>> {
    parse_references(body, PROPERTIES, "a reference to a property", iri::parse_property)
}

/// Parses the adverts that become a property of their own, without repeats.
pub fn parse_split(body: &Value) -> Result<Vec<AdvertId>, Vec<Violation>> {
    parse_references(body, ADVERTS, "a reference to an advert", iri::parse_advert)
}

/// Parses a body whose only attribute is a list of references.
fn parse_references<T: Ord + Clone>(
    body: &Value,
    attribute: &'static str,
    expected: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, Vec<Violation>> {
    let mut reader = Reader::default();
    let mut list = None;
    for (name, value) in fields(body)? {
        match name.as_str() {
            name if name == attribute => list = Some(value).filter(|value| !value.is_null()),
            "@context" | "@id" | "@type" => {}
            unknown => reader.violations.push(unknown_attribute(unknown)),
        }
    }
    let read = |reader: &mut Reader, path: &str, value: &Value| {
        // A client may send back the object it read.
        let reference = value.as_object().and_then(|members| members.get("@id")).unwrap_or(value);
        let parsed = reader.text(path, reference).map(&parse)?;
        if parsed.is_none() {
            reader.violations.push(malformed_value(path, reference, expected));
        }
        parsed
    };
    let references = match list {
        Some(value) => reader.list_or_single(&[(attribute, value)], read),
        None => {
            reader.violations.push(Violation::missing(attribute, "This value should not be blank."));
            None
        }
    };
    references.filter(|_| reader.violations.is_empty()).ok_or(reader.violations)
}

/// The result of a merge.
#[derive(Debug, Serialize)]
pub struct MergeBody {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@id")]
    id: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    property: String,
    merged: Vec<String>,
}

impl MergeBody {
    pub fn of(property: PropertyId, merged: &[PropertyId]) -> Self {
        Self {
            context: "/contexts/PropertyMerge",
            id: iri::property(property),
            kind: "PropertyMerge",
            property: iri::property(property),
            merged: merged.iter().copied().map(iri::property).collect(),
        }
    }
}

/// The result of a split.
#[derive(Debug, Serialize)]
pub struct SplitBody {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@id")]
    id: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    property: String,
    created: String,
}

impl SplitBody {
    pub fn of(property: PropertyId, created: PropertyId) -> Self {
        Self {
            context: "/contexts/PropertySplit",
            id: iri::property(created),
            kind: "PropertySplit",
            property: iri::property(property),
            created: iri::property(created),
        }
    }
}

/// Why the adverts of a property are one, and the data needed to write it.
pub struct GroupingInput<'a> {
    pub property: PropertyId,
    pub adverts: Vec<GroupedAdvertInput<'a>>,
    pub history: Vec<RegroupingInput<'a>>,
    pub zone: &'a TimeZone,
}

/// An advert and what put it into its property.
pub struct GroupedAdvertInput<'a> {
    pub id: AdvertId,
    /// `None` if it was erased in the meantime.
    pub advert: Option<&'a Advert>,
    pub grouped_by: &'static str,
    /// The comparison of this advert, named first, with the closest one.
    pub closest: Option<ComparisonInput<'a>>,
}

/// Two adverts, compared.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonInput<'a> {
    pub adverts: [AdvertId; 2],
    pub properties: [PropertyId; 2],
    /// What a person decided about them.
    pub verdict: Option<Verdict>,
    /// `None` if one of them has no commune.
    pub comparison: Option<&'a Comparison>,
}

impl ComparisonInput<'_> {
    fn is_one_property(&self) -> bool {
        self.properties[0] == self.properties[1]
    }
}

/// Adverts that changed their property.
pub struct RegroupingInput<'a> {
    pub at: Timestamp,
    pub from: PropertyId,
    pub to: PropertyId,
    pub adverts: &'a [AdvertId],
    /// What decided: `grouping`, `sender` or `person`.
    pub by: &'static str,
    /// The person, if one decided.
    pub decided_by: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub struct GroupingBody<'a> {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@id")]
    id: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    property: String,
    adverts: Vec<GroupedAdvertBody<'a>>,
    history: Vec<RegroupingBody<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct GroupedAdvertBody<'a> {
    #[serde(flatten)]
    advert: AdvertBody<'a>,
    grouped_by: &'static str,
    /// `null` if the property has no other advert.
    closest: Option<ClosestBody>,
}

/// What a reader recognises an advert by.
#[derive(Debug, Serialize)]
struct AdvertBody<'a> {
    #[serde(rename = "@id")]
    iri: String,
    uuid: String,
    site: Option<&'a str>,
    reference: Option<&'a str>,
    url: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct ClosestBody {
    advert: String,
    #[serde(flatten)]
    comparison: ComparisonBody,
}

/// The score of two adverts and where it comes from.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ComparisonBody {
    summary: String,
    /// `null` if the adverts cannot be compared.
    score: Option<f64>,
    /// From this score on, an advert joins the property of the other.
    threshold: f64,
    /// Below this score, an advert whose facts changed leaves its property.
    keep_threshold: f64,
    veto: Option<&'static str>,
    verdict: Option<&'static str>,
    evidence: Vec<EvidenceBody>,
}

#[derive(Debug, Serialize)]
struct EvidenceBody {
    name: &'static str,
    points: f64,
    /// What was observed, in a few words.
    detail: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RegroupingBody<'a> {
    created_at: String,
    from: String,
    to: String,
    adverts: Vec<String>,
    by: &'static str,
    /// `null` unless a person decided.
    decided_by: Option<&'a str>,
}

/// Why two adverts are one property, or not.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdvertComparisonBody<'a> {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@id")]
    id: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    one_property: bool,
    adverts: [ComparedAdvertBody<'a>; 2],
    #[serde(flatten)]
    comparison: ComparisonBody,
}

#[derive(Debug, Serialize)]
struct ComparedAdvertBody<'a> {
    #[serde(flatten)]
    advert: AdvertBody<'a>,
    property: String,
}

impl<'a> GroupingBody<'a> {
    pub fn of(input: &GroupingInput<'a>) -> Self {
        let GroupingInput { property, adverts, history, zone } = input;
        Self {
            context: "/contexts/PropertyGrouping",
            id: iri::grouping(*property),
            kind: "PropertyGrouping",
            property: iri::property(*property),
            adverts: adverts.iter().map(GroupedAdvertBody::of).collect(),
            history: history.iter().map(|entry| RegroupingBody::of(entry, zone)).collect(),
        }
    }
}

impl<'a> GroupedAdvertBody<'a> {
    fn of(input: &GroupedAdvertInput<'a>) -> Self {
        let GroupedAdvertInput { id, advert, grouped_by, closest } = input;
        let closest = closest.as_ref().map(|closest| ClosestBody {
            advert: iri::advert(closest.adverts[1]),
            comparison: ComparisonBody::of(closest),
        });
        Self { advert: AdvertBody::of(*id, *advert), grouped_by, closest }
    }
}

impl<'a> AdvertBody<'a> {
    fn of(id: AdvertId, advert: Option<&'a Advert>) -> Self {
        let details = advert.map(|advert| &advert.details);
        Self {
            iri: iri::advert(id),
            uuid: id.to_string(),
            site: details.and_then(|details| Some(details.site.as_ref()?.as_str())),
            reference: details.and_then(|details| Some(details.reference.as_ref()?.as_str())),
            url: details.and_then(|details| Some(details.url.as_ref()?.as_str())),
        }
    }
}

impl ComparisonBody {
    fn of(input: &ComparisonInput<'_>) -> Self {
        let ComparisonInput { adverts: _, properties: _, verdict, comparison } = input;
        Self {
            summary: summary(input),
            score: comparison.map(|comparison| rounded(comparison.score)),
            threshold: rounded(JOIN_SCORE),
            keep_threshold: rounded(KEEP_SCORE),
            veto: comparison.and_then(|comparison| Some(comparison.veto?.name())),
            verdict: verdict.map(verdict_name),
            evidence: comparison
                .map(|comparison| comparison.evidence.iter().map(EvidenceBody::of).collect())
                .unwrap_or_default(),
        }
    }
}

impl EvidenceBody {
    fn of(evidence: &Evidence) -> Self {
        let Evidence { kind, points, detail } = evidence;
        Self { name: kind.name(), points: rounded(*points), detail: detail.clone() }
    }
}

impl<'a> RegroupingBody<'a> {
    fn of(input: &RegroupingInput<'a>, zone: &TimeZone) -> Self {
        let RegroupingInput { at, from, to, adverts, by, decided_by } = input;
        Self {
            created_at: date::format(*at, zone),
            from: iri::property(*from),
            to: iri::property(*to),
            adverts: adverts.iter().copied().map(iri::advert).collect(),
            by,
            decided_by: *decided_by,
        }
    }
}

impl<'a> AdvertComparisonBody<'a> {
    /// `property` is the one in the path of the request; `adverts` are those of `input`, as far as they still exist.
    pub fn of(property: PropertyId, input: &ComparisonInput<'_>, adverts: [Option<&'a Advert>; 2]) -> Self {
        let compared = |side: usize| ComparedAdvertBody {
            advert: AdvertBody::of(input.adverts[side], adverts[side]),
            property: iri::property(input.properties[side]),
        };
        Self {
            context: "/contexts/AdvertComparison",
            id: iri::advert_comparison(property, input.adverts),
            kind: "AdvertComparison",
            one_property: input.is_one_property(),
            adverts: [compared(0), compared(1)],
            comparison: ComparisonBody::of(input),
        }
    }
}

/// Returns the name of a person's decision.
pub const fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Same => "same",
        Verdict::Different => "different",
    }
}

/// Rounds points to two decimals: sums of floats have many more.
pub fn rounded(points: f32) -> f64 {
    (f64::from(points) * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests;
