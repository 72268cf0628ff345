//! Tables of fields.

use domain::Filter;

use super::{base_of, filters, kind_name, link_to};
use crate::schema::{Choice, Code, Field, Identity, Kind, Resource};

/// A list of choices that is longer than this gets a table of its own.
const INLINE_MAX: usize = 60;

/// Returns the tables of some objects.
pub fn tables(objects: impl Iterator<Item = &'static Resource>) -> String {
    let mut text = String::new();
    let mut listed: Vec<&'static [Choice]> = Vec::new();
    for resource in objects {
        text.push_str(&table(resource, &mut listed));
    }
    text
}

fn table(resource: &'static Resource, listed: &mut Vec<&'static [Choice]>) -> String {
    let stop = if resource.meaning.ends_with('.') { "" } else { "." };
    let mut text = format!("## {}\n\n{}{stop}{}\n\n", resource.name, resource.meaning, identity(resource));
    let fields: Vec<&Field> = match base_of(resource) {
        Some(base) if shares_most(resource, base) => {
            let (other, left_out) = differences(resource, base);
            text.push_str(&format!("It has the fields of {}", link_to(base.name)));
            if !left_out.is_empty() {
                text.push_str(&format!(" without {}", left_out.join(", ")));
            }
            if other.is_empty() {
                text.push_str(".\n\n");
                return text;
            }
            text.push_str(", and:\n\n");
            other
        }
        _ => resource.fields.iter().collect(),
    };
    text.push_str("| Field | Type | Meaning |\n|---|---|---|\n");
    for field in &fields {
        text.push_str(&row(resource, field, listed));
    }
    text.push('\n');
    for field in fields {
        let Some(choices) = choices_in(field.kind) else { continue };
        if is_inline(choices) || listed.contains(&choices) {
            continue;
        }
        listed.push(choices);
        text.push_str(&format!("| `{}` | Meaning |\n|---|---|\n", field.name));
        for choice in choices {
            text.push_str(&format!("| `{}` | {} |\n", choice.text, choice.meaning));
        }
        text.push('\n');
    }
    text
}

fn row(resource: &Resource, field: &Field, listed: &[&'static [Choice]]) -> String {
    let mut kind = kind_name(field.kind);
    if field.nullable {
        kind.push_str(" or null");
    }
    let unit = unit(resource, field);
    let stop = if field.meaning.ends_with('.') { "" } else { "." };
    let mut meaning = format!("{}{unit}{stop}", field.meaning);
    if let Some(codes) = codes_in(field.kind) {
        meaning.push_str(&format!(" {}.", code_list(codes)));
    }
    match choices_in(field.kind) {
        Some(choices) if is_inline(choices) => {
            let texts: Vec<String> = choices.iter().map(|choice| format!("`{}`", choice.text)).collect();
            meaning.push_str(&format!(" One of {}.", texts.join(", ")));
        }
        Some(choices) if listed.contains(&choices) => meaning.push_str(" The values are listed above."),
        Some(_) => meaning.push_str(" The values are listed below."),
        None => {}
    }
    let is_body = resource.identity == Identity::Body;
    match (is_body, field.required) {
        (true, true) => kind.push_str(", required"),
        (false, false) => kind.push_str(", may be absent"),
        (true, false) | (false, true) => {}
    }
    format!("| `{}` | {kind} | {} |\n", field.name, meaning.replace('|', "\\|"))
}

/// Returns the unit of a criterion, unless its meaning says it.
fn unit(resource: &Resource, field: &Field) -> &'static str {
    let has_criteria = matches!(resource.name, "Search" | "SearchDraft");
    match Filter::named(field.name) {
        Some(filter) if has_criteria && !field.meaning.contains(", in ") => filters::unit_of(filter),
        _ => "",
    }
}

/// Describes the JSON-LD keys.
fn identity(resource: &Resource) -> String {
    let types: Vec<String> = match resource.types {
        [] => vec![format!("`{}`", resource.class)],
        types => types.iter().map(|name| format!("`{name}`")).collect(),
    };
    let types = types.join(" or ");
    match resource.identity {
        Identity::Resource { path } => format!(" `@type` is {types}, and `@id` is `{path}`."),
        Identity::Answer => format!(" `@type` is {types}."),
        Identity::Part | Identity::Body => String::new(),
    }
}

/// Returns whether an object is described best by its differences.
fn shares_most(resource: &Resource, base: &Resource) -> bool {
    let shared = resource.fields.iter().filter(|field| is_same(field, base.field(field.name)));
    shared.count() * 2 > resource.fields.len() && resource.fields.len() > 6
}

/// Returns the fields that a base does not have, or has otherwise, and the names of those that only the base has.
fn differences(resource: &'static Resource, base: &Resource) -> (Vec<&'static Field>, Vec<String>) {
    let other = resource.fields.iter().filter(|field| !is_same(field, base.field(field.name)));
    let left_out = base.fields.iter().filter(|field| resource.field(field.name).is_none());
    (other.collect(), left_out.map(|field| format!("`{}`", field.name)).collect())
}

fn is_same(field: &Field, other: Option<&Field>) -> bool {
    other.is_some_and(|other| {
        kind_name(field.kind) == kind_name(other.kind)
            && (field.meaning, field.nullable, field.required)
                == (other.meaning, other.nullable, other.required)
    })
}

fn is_inline(choices: &[Choice]) -> bool {
    let length: usize = choices.iter().map(|choice| choice.text.len() + 4).sum();
    let meanings: usize = choices.iter().filter(|choice| !choice.meaning.is_empty()).count();
    length <= INLINE_MAX && meanings <= 3
}

fn choices_in(kind: Kind) -> Option<&'static [Choice]> {
    match kind {
        Kind::Choice(choices) => Some(choices),
        Kind::List(item) => choices_in(*item),
        Kind::AnyOf(kinds) => kinds.iter().find_map(|kind| choices_in(*kind)),
        _ => None,
    }
}

fn codes_in(kind: Kind) -> Option<&'static [Code]> {
    match kind {
        Kind::Code(codes) => Some(codes),
        Kind::List(item) => codes_in(*item),
        Kind::AnyOf(kinds) => kinds.iter().find_map(|kind| codes_in(*kind)),
        _ => None,
    }
}

/// Writes codes with their names: `0 Apartment, 1 House`.
pub fn code_list(codes: &[Code]) -> String {
    let names: Vec<String> = codes.iter().map(|code| format!("{} {}", code.code, code.meaning)).collect();
    names.join(", ")
}
