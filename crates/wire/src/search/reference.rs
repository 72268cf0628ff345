//! References to places, sites, site categories and properties in the body of a search.
//!
//! Each one may be a path, an id, or the object a response contained. An unknown reference is rejected, because the
//! search would never match. The exception is a reference the search already has: its target was deleted since, and
//! the client must be able to send back what it read.

use domain::criteria::RawCriterion;
use domain::{Insee, PropertyId, SiteCategoryId, SiteKey, Violation};
use serde_json::Value;

use super::ParseContext;
use crate::filters::malformed_value;
use crate::json::Reader;
use crate::site::{self, CategoryLookup};
use crate::{accepted, iri};

/// Parses the references of one criterion.
pub struct ReferenceParser<'a> {
    pub context: &'a ParseContext<'a>,
    /// The current value of the criterion.
    pub current: Option<&'a RawCriterion>,
}

impl ReferenceParser<'_> {
    /// Returns the current id: a former id becomes the id that replaced it.
    pub fn city(&self, reader: &mut Reader, path: &str, value: &Value) -> Option<u64> {
        let expected = accepted::CITY;
        let text = reference_text(reader, path, value, expected)?;
        let Some(id) = iri::parse_city(&text) else { return reject_malformed(reader, path, value, expected) };
        let city = (self.context.places.city)(id);
        let already_saved =
            || matches!(self.current, Some(RawCriterion::Cities(ids)) if ids.contains(&id)).then_some(id);
        city.map(|city| city.id())
            .or_else(already_saved)
            .or_else(|| reject_unknown(reader, path, &iri::city(id), accepted::CITY_LOOKUP))
    }

    pub fn department(&self, reader: &mut Reader, path: &str, value: &Value) -> Option<u64> {
        let expected = accepted::DEPARTMENT;
        let text = reference_text(reader, path, value, expected)?;
        let Some(id) = iri::parse_department(&text) else {
            return reject_malformed(reader, path, value, expected);
        };
        let department = (self.context.places.department)(id);
        let already_saved = || {
            matches!(self.current, Some(RawCriterion::Departments(ids)) if ids.contains(&id)).then_some(id)
        };
        department
            .map(|department| department.id)
            .or_else(already_saved)
            .or_else(|| reject_unknown(reader, path, &iri::department(id), accepted::DEPARTMENT_LOOKUP))
    }

    /// Returns the code as sent.
    pub fn commune(&self, reader: &mut Reader, path: &str, value: &Value) -> Option<Insee> {
        let text = reader.text_or_number(path, value)?;
        let Some(insee) = Insee::parse(&text) else {
            return reject_malformed(reader, path, value, accepted::INSEE);
        };
        let places = &self.context.places;
        // A code sent as a number has lost its leading zero.
        let known = (places.commune)(&insee).is_some() || (places.city)(insee.id()).is_some();
        let already_saved =
            matches!(self.current, Some(RawCriterion::Communes(codes)) if codes.contains(&insee));
        if known || already_saved {
            Some(insee)
        } else {
            reject_unknown(reader, path, insee.as_str(), accepted::CITY_LOOKUP)
        }
    }

    /// A site id must exist; a domain need not be known yet.
    pub fn site(&self, reader: &mut Reader, path: &str, value: &Value) -> Option<SiteKey> {
        let expected = accepted::SITE;
        let text = reference_text(reader, path, value, expected)?;
        let sites = self.context.references.sites;
        let key = SiteKey::parse(&text);
        let already_saved = |key: Option<SiteKey>| {
            key.filter(|key| matches!(self.current, Some(RawCriterion::Sites(keys)) if keys.contains(key)))
        };
        if let Some(id) = iri::parse_site(&text) {
            let site = sites.site(id).map(|site| site.key.clone());
            return site
                .or_else(|| already_saved(key))
                .or_else(|| reject_unknown(reader, path, &iri::site(id), accepted::SITE_LOOKUP));
        }
        let Some(key) = key.filter(|_| !iri::cannot_be_name(&text)) else {
            return reject_malformed(reader, path, value, expected);
        };
        let canonical = sites.resolve_key(key);
        if canonical.is_domain() || sites.site_by_key(&canonical).is_some() {
            return Some(canonical);
        }
        let reference = crate::json::truncated(&text);
        already_saved(Some(canonical))
            .or_else(|| reject_unknown(reader, path, &reference, accepted::SITE_LOOKUP))
    }

    pub fn site_category(&self, reader: &mut Reader, path: &str, value: &Value) -> Option<SiteCategoryId> {
        let expected = accepted::SITE_CATEGORY;
        let text = reference_text(reader, path, value, expected)?;
        let id = iri::parse_site_category(&text);
        if text.trim().is_empty() || (id.is_none() && iri::cannot_be_name(&text)) {
            return reject_malformed(reader, path, value, expected);
        }
        match site::find_category(&text, self.context.references.sites) {
            CategoryLookup::Found(id) => Some(id),
            CategoryLookup::NotFound(reference) => {
                let already_saved = |id: &SiteCategoryId| matches!(self.current, Some(RawCriterion::SiteCategories(ids)) if ids.contains(id));
                id.filter(already_saved)
                    .or_else(|| reject_unknown(reader, path, &reference, accepted::SITE_CATEGORY_LOOKUP))
            }
        }
    }

    /// Accepts any property id: unknown ones do no harm, and the property may come back.
    pub fn property(&self, reader: &mut Reader, path: &str, value: &Value) -> Option<PropertyId> {
        let expected = "a reference to a property";
        let text = reference_text(reader, path, value, expected)?;
        iri::parse_property(&text).or_else(|| reject_malformed(reader, path, value, expected))
    }
}

/// Returns a reference as text: a string, a number, or the `@id` of an object.
fn reference_text(reader: &mut Reader, path: &str, value: &Value, expected: &str) -> Option<String> {
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

fn reject_malformed<T>(reader: &mut Reader, path: &str, value: &Value, expected: &str) -> Option<T> {
    let reference = value.as_object().and_then(|members| members.get("@id")).unwrap_or(value);
    reader.violations.push(malformed_value(path, reference, expected));
    None
}

/// Reports a reference to a missing item, and how to find the right one.
fn reject_unknown<T>(reader: &mut Reader, path: &str, reference: &str, lookup: &str) -> Option<T> {
    let Violation { path, message, .. } = site::not_found(path, reference);
    reader.violations.push(Violation::malformed(path, format!("{message} {lookup}")));
    None
}
