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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_property_reference_leads_to_it() {
        let id: PropertyId = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b".parse().unwrap();
        for text in [property(id), property_document(id), id.to_string(), format!("properties/{id}")] {
            assert_eq!(parse_property(&text), Some(id), "{text}");
        }
        assert_eq!(parse_property("/searches/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"), None);
    }
}
