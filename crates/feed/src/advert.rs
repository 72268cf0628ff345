//! The fields of an advert that a feed can fill, and how a value is put into its place.

use serde_json::{Map, Value};

/// The fields that a mapping may name, with dots before the names of members. Others are a typing error.
pub const FIELDS: &[&str] = &[
    "bedroom",
    "cityName",
    "condominiumFees",
    "constructionYear",
    "contact.agency",
    "contact.email",
    "contact.fax",
    "contact.name",
    "contact.phone",
    "contact.reference",
    "country",
    "createdAt",
    "description",
    "district",
    "elevator",
    "energy.category",
    "energy.value",
    "exclusiveMandate",
    "expired",
    "expiredAt",
    "features",
    "feesPercentage",
    "feesResponsibility",
    "floor",
    "floorQuantity",
    "furnished",
    "geoAccuracy",
    "greenHouseGas.category",
    "greenHouseGas.value",
    "heating",
    "insee",
    "inventoryPrice",
    "landSurface",
    "lastCrawledAt",
    "lifeAnnuity.bouquet",
    "lifeAnnuity.rent",
    "locations",
    "locations.lat",
    "locations.lon",
    "lotCount",
    "newBuilding.priceMax",
    "newBuilding.priceMin",
    "newBuilding.roomMax",
    "newBuilding.roomMin",
    "newBuilding.surfaceMax",
    "newBuilding.surfaceMin",
    "occupied",
    "parkingCount",
    "pictures",
    "picturesRemote",
    "price",
    "priceExcludingFees",
    "property",
    "propertyTax",
    "propertyType",
    "publisher.name",
    "publisher.type",
    "reference",
    "rentPeriod",
    "rentalCharges",
    "rentalPledge",
    "renterFees",
    "room",
    "site",
    "surface",
    "title",
    "transactionType",
    "updatedAt",
    "url",
    "uuid",
    "virtualTour",
    "zipcode",
];

/// The fields that hold a list of texts.
pub(crate) const LISTS: &[&str] = &["features", "pictures", "picturesRemote"];

/// Puts a value at a path such as `contact.phone`. Blank texts and nulls are left out: they say nothing.
pub(crate) fn put(advert: &mut Map<String, Value>, path: &str, value: Value) {
    if is_blank(&value) {
        return;
    }
    match path.split_once('.') {
        None => {
            advert.insert(path.to_owned(), value);
        }
        Some((parent, rest)) => {
            let inner = advert.entry(parent).or_insert_with(|| Value::Object(Map::new()));
            if !inner.is_object() {
                *inner = Value::Object(Map::new());
            }
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

/// Puts a trimmed text at a path.
pub(crate) fn put_text(advert: &mut Map<String, Value>, path: &str, text: &str) {
    put(advert, path, Value::String(text.trim().to_owned()));
}

/// Adds a text to a list.
pub(crate) fn push_text(advert: &mut Map<String, Value>, list: &str, text: &str) {
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    if let Value::Array(items) = advert.entry(list).or_insert_with(|| Value::Array(Vec::new())) {
        items.push(Value::String(text.to_owned()));
    }
}

/// Returns the value at a path.
pub(crate) fn get<'a>(advert: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    match path.split_once('.') {
        None => advert.get(path),
        Some((parent, rest)) => get(advert.get(parent)?.as_object()?, rest),
    }
}

pub(crate) fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns `true` for the words of a column that says yes. Only the codes of formats are read with it.
pub(crate) fn is_yes(text: &str) -> bool {
    matches!(text.trim().to_lowercase().as_str(), "oui" | "o" | "yes" | "y" | "true" | "vrai" | "1" | "x")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_put_at_their_paths() {
        let mut advert = Map::new();
        put_text(&mut advert, "contact.phone", " 01 ");
        put_text(&mut advert, "contact.name", "");
        put(&mut advert, "price", json!(1));
        push_text(&mut advert, "features", "cave");
        push_text(&mut advert, "features", " ");
        assert_eq!(
            Value::Object(advert.clone()),
            json!({"contact": {"phone": "01"}, "price": 1, "features": ["cave"]})
        );
        assert_eq!(get(&advert, "contact.phone"), Some(&json!("01")));
        assert_eq!(get(&advert, "price.phone"), None);
    }

    #[test]
    fn fields_are_sorted_and_contain_the_lists() {
        assert!(FIELDS.is_sorted());
        assert!(LISTS.iter().all(|list| FIELDS.contains(list)));
    }
}
