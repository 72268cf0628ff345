//! References in the body of a search: to places, sites, categories and properties.
//!
//! Each may be a path, an id, or the object that a read gave. One that leads nowhere is refused, for a search that waits for a
//! place nobody knows would wait for ever; unless the search holds it already: what it leads to has gone since, and whoever
//! changes something else must be able to send back what they read.

use domain::criteria::RawCriterion;
use domain::{Insee, PropertyId, SiteCategoryId, SiteKey};
use serde_json::Value;

use super::ParseContext;
use crate::filters::refusal;
use crate::iri;
use crate::json::Reader;
use crate::site::{self, CategoryFound};

/// What references of one criterion lead to.
pub struct Referents<'a> {
    pub context: &'a ParseContext<'a>,
    /// What the search says for the same criterion so far.
    pub known: Option<&'a RawCriterion>,
}

impl Referents<'_> {
    /// By the id in use today: one that was replaced is kept as what replaced it.
    pub fn city(&self, reader: &mut Reader, path: &str, value: &Value) -> Option<u64> {
        let expected = "a reference to a city";
        let text = text_of(reader, path, value, expected)?;
        let Some(id) = iri::parse_city(&text) else { return malformed(reader, path, value, expected) };
        let city = (self.context.places.city)(id);
        let held =
            || matches!(self.known, Some(RawCriterion::Cities(ids)) if ids.contains(&id)).then_some(id);
        city.map(|city| city.id()).or_else(held).or_else(|| not_found(reader, path, &iri::city(id)))
    }

    pub fn department(&self, reader: &mut Reader, path: &str, value: &Value) -> Option<u64> {
        let expected = "a reference to a department";
        let text = text_of(reader, path, value, expected)?;
        let Some(id) = iri::parse_department(&text) else { return malformed(reader, path, value, expected) };
        let department = (self.context.places.department)(id);
        let held =
            || matches!(self.known, Some(RawCriterion::Departments(ids)) if ids.contains(&id)).then_some(id);
        department
            .map(|department| department.id)
            .or_else(held)
            .or_else(|| not_found(reader, path, &iri::department(id)))
    }

    /// The code as it was sent.
    pub fn commune(&self, reader: &mut Reader, path: &str, value: &Value) -> Option<Insee> {
        let text = reader.label(path, value)?;
        let Some(insee) = Insee::parse(&text) else { return malformed(reader, path, value, "an INSEE code") };
        let places = &self.context.places;
        // A code that was sent as a number has lost its leading zero.
        let known = (places.commune)(&insee).is_some() || (places.city)(insee.id()).is_some();
        let held = matches!(self.known, Some(RawCriterion::Communes(codes)) if codes.contains(&insee));
        if known || held { Some(insee) } else { not_found(reader, path, insee.as_str()) }
    }

    /// A site by its id must be known; a domain need not be yet.
    pub fn site(&self, reader: &mut Reader, path: &str, value: &Value) -> Option<SiteKey> {
        let expected = "a reference to a site";
        let text = text_of(reader, path, value, expected)?;
        let sites = self.context.references.sites;
        let key = SiteKey::parse(&text);
        let held = |key: Option<SiteKey>| {
            key.filter(|key| matches!(self.known, Some(RawCriterion::Sites(keys)) if keys.contains(key)))
        };
        if let Some(id) = iri::parse_site(&text) {
            let site = sites.site(id).map(|site| site.key.clone());
            return site.or_else(|| held(key)).or_else(|| not_found(reader, path, &iri::site(id)));
        }
        let Some(key) = key.filter(|_| !iri::is_no_name(&text)) else {
            return malformed(reader, path, value, expected);
        };
        let meant = sites.resolve_key(key);
        if meant.is_domain() || sites.site_by_key(&meant).is_some() {
            return Some(meant);
        }
        let reference = crate::json::shown(&text);
        held(Some(meant)).or_else(|| not_found(reader, path, &reference))
    }

    pub fn site_category(&self, reader: &mut Reader, path: &str, value: &Value) -> Option<SiteCategoryId> {
        let expected = "a reference to a category of sites";
        let text = text_of(reader, path, value, expected)?;
        let id = iri::parse_site_category(&text);
        if text.trim().is_empty() || (id.is_none() && iri::is_no_name(&text)) {
            return malformed(reader, path, value, expected);
        }
        match site::find_category(&text, self.context.references.sites) {
            CategoryFound::Id(id) => Some(id),
            CategoryFound::Nothing(reference) => {
                let holds = |id: &SiteCategoryId| matches!(self.known, Some(RawCriterion::SiteCategories(ids)) if ids.contains(id));
                id.filter(holds).or_else(|| not_found(reader, path, &reference))
            }
        }
    }

    /// Any property: those that are not there harm nobody, and may come back.
    pub fn property(&self, reader: &mut Reader, path: &str, value: &Value) -> Option<PropertyId> {
        let expected = "a reference to a property";
        let text = text_of(reader, path, value, expected)?;
        iri::parse_property(&text).or_else(|| malformed(reader, path, value, expected))
    }
}

/// A reference as a text: a text, a number, or what an object says under `@id`.
fn text_of(reader: &mut Reader, path: &str, value: &Value, expected: &str) -> Option<String> {
    let reference = value.as_object().and_then(|members| members.get("@id")).unwrap_or(value);
    match reference {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            reader.wrong_type(path, expected, value);
            None
        }
    }
}

fn malformed<T>(reader: &mut Reader, path: &str, value: &Value, expected: &str) -> Option<T> {
    let reference = value.as_object().and_then(|members| members.get("@id")).unwrap_or(value);
    reader.violations.push(refusal(path, reference, expected));
    None
}

fn not_found<T>(reader: &mut Reader, path: &str, reference: &str) -> Option<T> {
    reader.violations.push(site::not_found(path, reference));
    None
}
