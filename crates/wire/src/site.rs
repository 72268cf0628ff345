//! Sites and site categories: parsed and written.

use domain::value::TextError;
use domain::{
    FieldUpdate, Site, SiteCategory, SiteCategoryId, SiteCategoryName, SiteDirectory, SiteId, SiteKey,
    SiteName, Violation,
};
use serde::Serialize;
use serde_json::Value;

use crate::iri;
use crate::json::{Reader, ValueRef, fields, truncated, unknown_attribute};

/// A site as a resource.
#[derive(Debug, Serialize)]
pub struct SiteResource {
    #[serde(rename = "@context", skip_serializing_if = "Option::is_none")]
    context: Option<&'static str>,
    #[serde(rename = "@id")]
    iri: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    id: u32,
    /// The name set by the operator, otherwise the key of the site.
    name: String,
    /// `null` if the site is identified by a name.
    domain: Option<String>,
    category: Option<SiteCategoryBody>,
}

/// A category inside a site.
#[derive(Debug, Serialize)]
struct SiteCategoryBody {
    #[serde(rename = "@id")]
    iri: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    name: String,
}

impl SiteResource {
    pub fn of(site: &Site, directory: &SiteDirectory) -> Self {
        let category = site.category.and_then(|id| directory.category(id));
        Self {
            context: None,
            iri: iri::site(site.id),
            kind: "Site",
            id: site.id.get(),
            name: site.label().to_owned(),
            domain: site.key.is_domain().then(|| site.key.to_string()),
            category: category.map(|category| SiteCategoryBody {
                iri: iri::site_category(category.id),
                kind: "SiteCategory",
                name: category.name.to_string(),
            }),
        }
    }

    /// Adds `@context`, for a response that is not a collection.
    pub fn with_context(self) -> Self {
        Self { context: Some("/contexts/Site"), ..self }
    }
}

/// A category as a resource.
#[derive(Debug, Serialize)]
pub struct SiteCategoryResource {
    #[serde(rename = "@context", skip_serializing_if = "Option::is_none")]
    context: Option<&'static str>,
    #[serde(rename = "@id")]
    iri: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    id: u32,
    name: String,
}

impl SiteCategoryResource {
    pub fn of(category: &SiteCategory) -> Self {
        Self {
            context: None,
            iri: iri::site_category(category.id),
            kind: "SiteCategory",
            id: category.id.get(),
            name: category.name.to_string(),
        }
    }

    /// Adds `@context`, for a response that is not a collection, or inside a search.
    pub fn with_context(self) -> Self {
        Self { context: Some("/contexts/SiteCategory"), ..self }
    }
}

/// Parses the site of an advert: a domain, a URL, a name, `/sites/<id>`, or the id as a number. A string of digits
/// is a name, because publishers number their own sources.
pub fn parse_advert_site<'v>(
    reader: &mut Reader,
    path: &str,
    value: impl Into<ValueRef<'v>>,
    directory: &SiteDirectory,
) -> Option<SiteKey> {
    let value = value.into();
    let reference = match value {
        ValueRef::Number(number) => Some(number.to_string()),
        ValueRef::String(text) => iri::site_reference(text).map(str::to_owned),
        _ => None,
    };
    if let Some(reference) = reference {
        let Ok(id) = reference.parse::<SiteId>() else {
            let message = format!("Invalid reference \"{}\".", truncated(&reference));
            reader.violations.push(Violation::malformed(path, message));
            return None;
        };
        let site = directory.site(id);
        if site.is_none() {
            reader.violations.push(not_found(path, &iri::site(id)));
        }
        return site.map(|site| site.key.clone());
    }
    let text = reader.text(path, value)?;
    if text.trim().is_empty() {
        return None;
    }
    let site = SiteKey::parse(text);
    if site.is_none() {
        reader.invalid(path, "This value is not the domain or name of a site.");
    }
    site.map(|site| directory.resolve_key(site))
}

/// A change of a site by the operator.
#[derive(Debug, PartialEq, Eq)]
pub struct SiteChange {
    pub name: FieldUpdate<Option<SiteName>>,
    pub category: FieldUpdate<Option<SiteCategoryId>>,
}

/// Parses a change of a site. Absent fields keep their value, `null` clears.
pub fn parse_site_change(value: &Value, directory: &SiteDirectory) -> Result<SiteChange, Vec<Violation>> {
    let mut reader = Reader::default();
    let mut change = SiteChange { name: FieldUpdate::Keep, category: FieldUpdate::Keep };
    for (name, value) in fields(value)? {
        match (name.as_str(), value) {
            ("name", Value::Null) => change.name = FieldUpdate::Set(None),
            ("name", value) => change.name = FieldUpdate::Set(site_name(&mut reader, name, value)),
            ("category", Value::Null) => change.category = FieldUpdate::Set(None),
            ("category", value) => {
                change.category = FieldUpdate::Set(category_reference(&mut reader, name, value, directory));
            }
            // Read-only members that a client may send back.
            ("@context" | "@id" | "@type" | "id" | "domain", _) => {}
            (unknown, _) => reader.violations.push(unknown_attribute(unknown)),
        }
    }
    if reader.violations.is_empty() { Ok(change) } else { Err(reader.violations) }
}

/// Parses a new or renamed category.
pub fn parse_category(value: &Value) -> Result<SiteCategoryName, Vec<Violation>> {
    let mut reader = Reader::default();
    let mut name = None;
    let mut given = false;
    for (field, value) in fields(value)? {
        match (field.as_str(), value) {
            ("name", Value::Null) => {}
            ("name", value) => {
                given = true;
                name = reader.text(field, value).and_then(|text| {
                    SiteCategoryName::parse(text).map_err(|error| reader.invalid(field, error)).ok()
                });
            }
            ("@context" | "@id" | "@type" | "id", _) => {}
            (unknown, _) => reader.violations.push(unknown_attribute(unknown)),
        }
    }
    if !given {
        reader.violations.push(Violation::missing("name", "This value should not be blank."));
    }
    match name {
        Some(name) if reader.violations.is_empty() => Ok(name),
        Some(_) | None => Err(reader.violations),
    }
}

/// Returns the violation for a name used by another category.
pub fn category_name_taken() -> Violation {
    Violation::contradiction("name", "This value is already used.")
}

/// Returns the violation for a category that does not exist.
pub fn category_not_found(id: SiteCategoryId) -> Violation {
    not_found("category", &iri::site_category(id))
}

fn site_name(reader: &mut Reader, path: &str, value: &Value) -> Option<SiteName> {
    let name: SiteName = reader.bounded_text(path, value)?;
    // Names are listed one per line.
    if name.as_str().chars().any(char::is_control) {
        reader.invalid(path, TextError::ControlCharacter);
        return None;
    }
    Some(name)
}

fn category_reference(
    reader: &mut Reader,
    path: &str,
    value: &Value,
    directory: &SiteDirectory,
) -> Option<SiteCategoryId> {
    // A client may send back the category object it read.
    let value = value.as_object().and_then(|members| members.get("@id")).unwrap_or(value);
    let text = match value {
        Value::Number(number) => number.to_string(),
        _ => reader.text(path, value)?.to_owned(),
    };
    match find_category(&text, directory) {
        CategoryLookup::Found(id) => Some(id),
        CategoryLookup::NotFound(reference) => {
            reader.violations.push(not_found(path, &reference));
            None
        }
    }
}

/// The result of looking up a category.
pub(crate) enum CategoryLookup {
    Found(SiteCategoryId),
    /// The reference, as the error message quotes it.
    NotFound(String),
}

/// Looks up a category by `/site_categories/<id>`, by id, or by name.
pub(crate) fn find_category(text: &str, directory: &SiteDirectory) -> CategoryLookup {
    let (found, reference) = match iri::parse_site_category(text) {
        Some(id) => (directory.category(id), iri::site_category(id)),
        None => (directory.category_named(text), truncated(text)),
    };
    found.map_or(CategoryLookup::NotFound(reference), |category| CategoryLookup::Found(category.id))
}

/// Looks up the category named by a query parameter. `None` if the reference is malformed, `Some(None)` if there is
/// no such category.
pub fn parse_category_parameter(text: &str, directory: &SiteDirectory) -> Option<Option<SiteCategoryId>> {
    if iri::parse_site_category(text).is_none() && iri::cannot_be_name(text) {
        return None;
    }
    match find_category(text, directory) {
        CategoryLookup::Found(id) => Some(Some(id)),
        CategoryLookup::NotFound(_) => Some(None),
    }
}

/// Looks up the site named by a query parameter: `/sites/<id>`, the id, the domain or the name. `None` if the
/// reference is malformed, `Some(None)` if there is no such site.
pub fn parse_site_parameter(text: &str, directory: &SiteDirectory) -> Option<Option<SiteKey>> {
    if let Some(id) = iri::parse_site(text) {
        return Some(directory.site(id).map(|site| site.key.clone()));
    }
    if iri::cannot_be_name(text) {
        return None;
    }
    let site = directory.resolve_key(SiteKey::parse(text)?);
    Some(directory.site_by_key(&site).map(|site| site.key.clone()))
}

/// Returns the violation for a reference to a missing item.
pub(crate) fn not_found(path: &str, reference: &str) -> Violation {
    Violation::malformed(path, format!("Item not found for \"{reference}\"."))
}

#[cfg(test)]
mod tests;
