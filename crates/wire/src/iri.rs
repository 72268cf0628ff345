//! The paths that name things, and how they are read back.

use domain::{AdvertId, PropertyId};

pub fn property(id: PropertyId) -> String {
    format!("/properties/{id}")
}

pub fn property_document(id: PropertyId) -> String {
    format!("/documents/properties/{id}")
}

pub fn advert(id: AdvertId) -> String {
    format!("/adverts/{id}")
}

pub fn context(name: &str) -> String {
    format!("/contexts/{name}")
}

/// Reads a reference to a property: `/properties/<uuid>`, `/documents/properties/<uuid>` or the bare uuid.
pub fn parse_property(text: &str) -> Option<PropertyId> {
    let text = text.trim().trim_start_matches('/');
    let text = text.strip_prefix("documents/").unwrap_or(text);
    text.strip_prefix("properties/").unwrap_or(text).parse().ok()
}

/// Reads `/adverts/<uuid>` or the bare uuid.
pub fn parse_advert(text: &str) -> Option<AdvertId> {
    let text = text.trim().trim_start_matches('/');
    text.strip_prefix("adverts/").unwrap_or(text).parse().ok()
}

/// Reads a reference to a city: `/cities/37060`, `cities/37060` or `37060`; `2A004` too.
pub fn parse_city(text: &str) -> Option<u64> {
    numbered(text, "cities/")
}

/// Reads a reference to a department: `/departments/6`, `departments/06`, `6`, `2A`.
pub fn parse_department(text: &str) -> Option<u64> {
    numbered(text, "departments/")
}

fn numbered(text: &str, kind: &str) -> Option<u64> {
    let text = text.trim().trim_start_matches('/');
    domain::place::code_as_number(text.strip_prefix(kind).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_property_reference_leads_to_it() {
        let id: PropertyId = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b".parse().unwrap();
        for text in [property(id), property_document(id), id.to_string(), format!("properties/{id}")] {
            assert_eq!(parse_property(&text), Some(id), "{text}");
        }
        for text in ["/cities/201004", "cities/201004", "201004", "2A004", "/cities/2a004"] {
            assert_eq!(parse_city(text), Some(201_004), "{text}");
        }
        for text in ["/departments/6", "06", "departments/06"] {
            assert_eq!(parse_department(text), Some(6), "{text}");
        }
        assert_eq!(parse_department("/cities/6"), None);
        assert_eq!(parse_property("/searches/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"), None);
    }
}
