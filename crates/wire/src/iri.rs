//! Builds and parses the paths (IRIs) of resources.

use domain::{
    AdvertId, Date, DeliveryId, KeyId, MatchId, PropertyId, SearchId, SearchRef, SiteCategoryId, SiteId,
    UserId,
};

pub fn property(id: PropertyId) -> String {
    format!("/properties/{id}")
}

pub fn property_document(id: PropertyId) -> String {
    format!("/documents/properties/{id}")
}

pub fn similar_properties(id: PropertyId) -> String {
    format!("/documents/properties/{id}/similar-properties")
}

/// The explanation of why the adverts of a property are one.
pub fn grouping(id: PropertyId) -> String {
    format!("/documents/properties/{id}/grouping")
}

/// The comparison of two adverts.
pub fn advert_comparison(property: PropertyId, adverts: [AdvertId; 2]) -> String {
    let [one, other] = adverts;
    format!("/documents/properties/{property}/grouping?adverts[]={one}&adverts[]={other}")
}

/// The split of a property.
pub fn property_split(id: PropertyId) -> String {
    format!("/properties/{id}/split")
}

pub fn advert(id: AdvertId) -> String {
    format!("/adverts/{id}")
}

pub fn search(id: SearchId) -> String {
    format!("/searches/{id}")
}

pub fn matches_of(id: SearchId) -> String {
    format!("/searches/{id}/matches")
}

/// The matches of a search, counted by day.
pub fn matches_by_day(id: SearchId) -> String {
    format!("/searches/{id}/matches-by-day")
}

/// The explanation of one property for one search.
pub fn explanation(search: SearchId, property: PropertyId) -> String {
    format!("/searches/{search}/explain?property={property}")
}

/// The path of a match. The name avoids the keyword `match`.
pub fn matching(id: MatchId) -> String {
    format!("/matches/{id}")
}

pub fn delivery(id: DeliveryId) -> String {
    format!("/deliveries/{id}")
}

pub fn user(id: UserId) -> String {
    format!("/users/{id}")
}

pub fn key(id: &KeyId) -> String {
    format!("/keys/{id}")
}

/// What a key used on one day; without a key, what the user's deliveries used.
pub fn usage(day: Date, key: Option<&KeyId>) -> String {
    let key = key.map(|key| format!("&key={key}")).unwrap_or_default();
    format!("/usage?from={day}&to={day}{key}")
}

pub fn city(id: u64) -> String {
    format!("/cities/{id}")
}

pub fn station(id: u32) -> String {
    format!("/stations/{id}")
}

pub fn city_outline(id: u64) -> String {
    format!("/cities/{id}/outline")
}

pub fn department(id: u64) -> String {
    format!("/departments/{id}")
}

pub fn department_outline(id: u64) -> String {
    format!("/departments/{id}/outline")
}

pub fn site(id: SiteId) -> String {
    format!("/sites/{id}")
}

pub fn site_category(id: SiteCategoryId) -> String {
    format!("/site_categories/{id}")
}

pub fn context(name: &str) -> String {
    format!("/contexts/{name}")
}

/// Parses `/properties/<uuid>`, `/documents/properties/<uuid>` or the bare uuid.
pub fn parse_property(text: &str) -> Option<PropertyId> {
    let text = text.trim().trim_start_matches('/');
    let text = text.strip_prefix("documents/").unwrap_or(text);
    text.strip_prefix("properties/").unwrap_or(text).parse().ok()
}

/// Parses `/adverts/<uuid>` or the bare uuid.
pub fn parse_advert(text: &str) -> Option<AdvertId> {
    let text = text.trim().trim_start_matches('/');
    text.strip_prefix("adverts/").unwrap_or(text).parse().ok()
}

/// Parses `/searches/<uuid>` or the bare uuid.
pub fn parse_search(text: &str) -> Option<SearchId> {
    let text = text.trim().trim_start_matches('/');
    text.strip_prefix("searches/").unwrap_or(text).parse().ok()
}

/// Like [`parse_search`], and accepts the token of the search as well.
pub fn parse_search_ref(text: &str) -> Option<SearchRef> {
    let text = text.trim().trim_start_matches('/');
    text.strip_prefix("searches/").unwrap_or(text).parse().ok()
}

/// Parses `/keys/<id>` or the bare id.
pub fn parse_key(text: &str) -> Option<KeyId> {
    let text = text.trim().trim_start_matches('/');
    KeyId::parse(text.strip_prefix("keys/").unwrap_or(text))
}

/// Parses `/deliveries/<uuid>` or the bare uuid.
pub fn parse_delivery(text: &str) -> Option<DeliveryId> {
    let text = text.trim().trim_start_matches('/');
    text.strip_prefix("deliveries/").unwrap_or(text).parse().ok()
}

/// Parses `/cities/37060`, `cities/37060` or `37060`. Corsican codes such as `2A004` are accepted.
pub fn parse_city(text: &str) -> Option<u64> {
    parse_code(text, "cities/")
}

/// Parses `/departments/6`, `departments/06`, `6` or `2A`.
pub fn parse_department(text: &str) -> Option<u64> {
    parse_code(text, "departments/")
}

fn parse_code(text: &str, kind: &str) -> Option<u64> {
    let text = text.trim().trim_start_matches('/');
    domain::place::code_as_number(text.strip_prefix(kind).unwrap_or(text))
}

/// Returns what follows `/sites/`. Without the leading slash only digits are accepted: other text may be the URL of
/// a page.
pub fn site_reference(text: &str) -> Option<&str> {
    let text = text.trim();
    let number = |rest: &&str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    text.strip_prefix("/sites/").or_else(|| text.strip_prefix("sites/").filter(number))
}

/// Parses `/sites/<id>`, `sites/<id>` or the bare id.
pub fn parse_site(text: &str) -> Option<SiteId> {
    let text = text.trim();
    site_reference(text).unwrap_or(text).parse().ok()
}

/// Parses `/site_categories/<id>`, `site_categories/<id>` or the bare id.
pub fn parse_site_category(text: &str) -> Option<SiteCategoryId> {
    let text = text.trim();
    let text = text.strip_prefix('/').unwrap_or(text);
    text.strip_prefix("site_categories/").unwrap_or(text).parse().ok()
}

/// Returns whether a text that is not a reference cannot be a name either: the path of another resource, or a
/// number that is not a valid id. Callers that also accept names reject it instead of finding nothing.
pub fn cannot_be_name(text: &str) -> bool {
    let text = text.trim();
    let id = text.strip_prefix("sites/").or_else(|| text.strip_prefix("site_categories/")).unwrap_or(text);
    let unsigned = id.strip_prefix(['-', '+']);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_zero = digits(id) && id.bytes().all(|byte| byte == b'0');
    text.starts_with('/') || unsigned.is_some_and(digits) || is_zero
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn property_and_place_references_parse() {
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

    #[test]
    fn site_references_parse() {
        for text in ["/sites/7", "sites/7", "7", " 7 "] {
            assert_eq!(parse_site(text).map(SiteId::get), Some(7), "{text}");
        }
        for text in ["/site_categories/7", "site_categories/7", "7"] {
            assert_eq!(parse_site_category(text).map(SiteCategoryId::get), Some(7), "{text}");
        }
        for wrong in ["/sites/", "/sites/portail.fr", "/cities/7", "portail.fr", "/sites/7/x", ""] {
            assert_eq!((parse_site(wrong), parse_site_category(wrong)), (None, None), "{wrong}");
        }
    }
    #[test]
    fn other_paths_and_invalid_ids_are_not_names() {
        for text in [
            "/site/1",
            "/sites/x",
            "/sites/0",
            "-3",
            "+3",
            "0",
            "00",
            "sites/-3",
            "site_categories/-1",
            " -1 ",
        ] {
            assert!(cannot_be_name(text), "{text}");
        }
        for text in ["portail.fr", "7", "Agence 7", "4294967296", "3e réseau", "-", "", "portail.fr/0"] {
            assert!(!cannot_be_name(text), "{text}");
        }
    }
}
