//! Sites and their categories, both ways.

use domain::value::TextError;
use domain::{
    FieldUpdate, Site, SiteCategory, SiteCategoryId, SiteCategoryName, SiteDirectory, SiteId, SiteKey, SiteName,
    Violation,
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::iri;
use crate::json::{Reader, shown};

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
    /// The operator's name, else what the site is known by.
    name: String,
    /// Null of a site that is known by a name only.
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

    /// As an answer of its own rather than a member of a collection.
    pub fn alone(self) -> Self {
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

    /// As an answer of its own, or inside a search.
    pub fn alone(self) -> Self {
        Self { context: Some("/contexts/SiteCategory"), ..self }
    }
}

/// The site an advert says it is on: a domain, an address, a name, `/sites/<id>`, or the id as a number. A text of digits is a
/// name: publishers number their own sources, and theirs must not be taken for ours.
pub fn read_advert_site(
    reader: &mut Reader,
    path: &str,
    value: &Value,
    directory: &SiteDirectory,
) -> Option<SiteKey> {
    let reference = match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => iri::site_reference(text).map(str::to_owned),
        _ => None,
    };
    if let Some(reference) = reference {
        let Ok(id) = reference.parse::<SiteId>() else {
            let message = format!("Invalid reference \"{}\".", shown(&reference));
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

/// What an operator says of a site.
#[derive(Debug, PartialEq, Eq)]
pub struct SiteChange {
    pub name: FieldUpdate<Option<SiteName>>,
    pub category: FieldUpdate<Option<SiteCategoryId>>,
}

/// Reads the body of a change of a site. What is absent stays, `null` clears.
pub fn read_site(value: &Value, directory: &SiteDirectory) -> Result<SiteChange, Vec<Violation>> {
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
            // What was read may be sent back.
            ("@context" | "@id" | "@type" | "id" | "domain", _) => {}
            (unknown, _) => reader.violations.push(extra(unknown)),
        }
    }
    if reader.violations.is_empty() { Ok(change) } else { Err(reader.violations) }
}

/// Reads the body of a new or renamed category.
pub fn read_category(value: &Value) -> Result<SiteCategoryName, Vec<Violation>> {
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
            (unknown, _) => reader.violations.push(extra(unknown)),
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

/// Says that a name belongs to another category.
pub fn category_name_taken() -> Violation {
    Violation::contradiction("name", "This value is already used.")
}

/// Says that the category of a site is not there, or no longer.
pub fn category_not_found(id: SiteCategoryId) -> Violation {
    not_found("category", &iri::site_category(id))
}

fn site_name(reader: &mut Reader, path: &str, value: &Value) -> Option<SiteName> {
    let name: SiteName = reader.bounded_text(path, value)?;
    // Names are listed one a line.
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
    // A category that was read inside a site may be sent back as it was.
    let value = value.as_object().and_then(|members| members.get("@id")).unwrap_or(value);
    let text = match value {
        Value::Number(number) => number.to_string(),
        _ => reader.text(path, value)?.to_owned(),
    };
    match find_category(&text, directory) {
        CategoryFound::Id(id) => Some(id),
        CategoryFound::Nothing(reference) => {
            reader.violations.push(not_found(path, &reference));
            None
        }
    }
}

/// What a text leads to that names a category.
pub(crate) enum CategoryFound {
    Id(SiteCategoryId),
    /// What was looked for, as it is told.
    Nothing(String),
}

/// Reads `/site_categories/<id>`, the id, or the name.
pub(crate) fn find_category(text: &str, directory: &SiteDirectory) -> CategoryFound {
    let (found, reference) = match iri::parse_site_category(text) {
        Some(id) => (directory.category(id), iri::site_category(id)),
        None => (directory.category_named(text), shown(text)),
    };
    found.map_or(CategoryFound::Nothing(reference), |category| CategoryFound::Id(category.id))
}

/// The category that a parameter of a query names: `/site_categories/<id>`, the id, or the name. Nothing when the reference
/// is malformed; nothing inside when no such category is known.
pub fn category_in_query(text: &str, directory: &SiteDirectory) -> Option<Option<SiteCategoryId>> {
    if iri::parse_site_category(text).is_none() && iri::is_no_name(text) {
        return None;
    }
    match find_category(text, directory) {
        CategoryFound::Id(id) => Some(Some(id)),
        CategoryFound::Nothing(_) => Some(None),
    }
}

/// The site that a parameter of a query names: `/sites/<id>`, the id, or the domain or name. Nothing when the reference is
/// malformed; nothing inside when no such site is known.
pub fn in_query(text: &str, directory: &SiteDirectory) -> Option<Option<SiteKey>> {
    if let Some(id) = iri::parse_site(text) {
        return Some(directory.site(id).map(|site| site.key.clone()));
    }
    if iri::is_no_name(text) {
        return None;
    }
    let site = directory.resolve_key(SiteKey::parse(text)?);
    Some(directory.site_by_key(&site).map(|site| site.key.clone()))
}

fn fields(value: &Value) -> Result<&Map<String, Value>, Vec<Violation>> {
    value.as_object().ok_or_else(|| {
        let kind = crate::json::kind_of(value);
        vec![Violation::malformed("", format!("The body must be an object, {kind} given."))]
    })
}

/// A misspelt name that changes nothing and is answered with success would be believed.
fn extra(name: &str) -> Violation {
    Violation::malformed(shown(name), "This attribute is not known.")
}

/// Says that a reference leads nowhere.
pub(crate) fn not_found(path: &str, reference: &str) -> Violation {
    Violation::malformed(path, format!("Item not found for \"{reference}\"."))
}

#[cfg(test)]
mod tests;
