//! JSON with the names of the RESO Data Dictionary, as the services of North American listings send it.
//!
//! The names and the enumerations are the format's; areas are converted to square metres by their units. Prices have no
//! currency in the dictionary, and are taken as euros.

use std::io;
use std::sync::Arc;

use serde_json::{Map, Number, Value};

use crate::advert::{self, push_text, put, put_text};
use crate::compression::{Bytes, peek};
use crate::json::{self, Convert, JsonPath, Segment};
use crate::mapping::Mapping;
use crate::reader::Records;
use crate::report::ColumnReport;

/// Bytes that show whether a document has its adverts in `value`.
const DETECT_BYTES: usize = 4_096;

const SQUARE_METRES_PER_SQUARE_FOOT: f64 = 0.092_903_04;
const SQUARE_METRES_PER_ACRE: f64 = 4_046.856_422_4;
const SQUARE_METRES_PER_HECTARE: f64 = 10_000.0;

/// Names whose value becomes a field as it is. Among those of one field, the first that has a value counts.
const VALUES: &[(&str, &str)] = &[
    ("ListingKey", "reference"),
    ("ListingId", "contact.reference"),
    ("ListingURL", "url"),
    ("ListPrice", "price"),
    ("BedroomsTotal", "bedroom"),
    ("RoomsTotal", "room"),
    ("YearBuilt", "constructionYear"),
    ("StoriesTotal", "floorQuantity"),
    ("City", "cityName"),
    ("PostalCity", "cityName"),
    ("PostalCode", "zipcode"),
    ("Country", "country"),
    ("SubdivisionName", "district"),
    ("Latitude", "locations.lat"),
    ("Longitude", "locations.lon"),
    ("PublicRemarks", "description"),
    ("ModificationTimestamp", "updatedAt"),
    ("OriginalEntryTimestamp", "createdAt"),
    ("VirtualTourURLUnbranded", "virtualTour"),
    ("VirtualTourURLBranded", "virtualTour"),
    ("ListAgentFullName", "contact.name"),
    ("ListAgentEmail", "contact.email"),
    ("ListAgentPreferredPhone", "contact.phone"),
    ("ListAgentDirectPhone", "contact.phone"),
    ("ListAgentMobilePhone", "contact.phone"),
    ("ListOfficePhone", "contact.phone"),
    ("ListAgentFax", "contact.fax"),
    ("ListOfficeName", "contact.agency"),
    ("ListOfficeName", "publisher.name"),
    ("TaxAnnualAmount", "propertyTax"),
    ("ParkingTotal", "parkingCount"),
    ("GarageSpaces", "parkingCount"),
    ("SecurityDeposit", "rentalPledge"),
];

/// Lists of words about the property.
const FEATURES: &[&str] = &[
    "InteriorFeatures",
    "ExteriorFeatures",
    "PatioAndPorchFeatures",
    "PoolFeatures",
    "FireplaceFeatures",
    "View",
    "AccessibilityFeatures",
];

/// `PropertySubType`, folded, with the code of its kind.
const SUBTYPES: &[(&str, u8)] = &[
    ("apartment", 0),
    ("condominium", 0),
    ("stockcooperative", 0),
    ("ownyourown", 0),
    ("loft", 0),
    ("singlefamilyresidence", 1),
    ("townhouse", 1),
    ("cabin", 1),
    ("farm", 1),
    ("ranch", 1),
    ("manufacturedhome", 1),
    ("mobilehome", 1),
    ("timeshare", 0),
    ("duplex", 2),
    ("triplex", 2),
    ("quadruplex", 2),
    ("multifamily", 2),
    ("mixeduse", 2),
    ("deededparking", 3),
    ("boatslip", 3),
    ("office", 4),
    ("unimprovedland", 5),
    ("agriculture", 5),
    ("retail", 6),
    ("business", 6),
    ("hotelmotel", 6),
    ("industrial", 6),
    ("warehouse", 6),
];

/// `PropertyType`, folded, with the codes of its transaction and of its kind.
const TYPES: &[(&str, u8, u8)] = &[
    ("residential", 0, 1),
    ("residentiallease", 1, 1),
    ("residentialincome", 0, 2),
    ("manufacturedinpark", 0, 1),
    ("land", 0, 5),
    ("farm", 0, 5),
    ("commercialsale", 0, 6),
    ("commerciallease", 1, 6),
    ("businessopportunity", 0, 6),
];

/// `StandardStatus`, folded, of listings that are no longer on offer.
const EXPIRED: &[&str] = &["canceled", "cancelled", "closed", "expired", "withdrawn", "delete", "incomplete"];

const ON_OFFER: &[&str] = &["active", "activeundercontract", "comingsoon", "hold", "pending"];

/// `LeaseAmountFrequency`, folded, with the word for the period of a rent.
const PERIODS: &[(&str, &str)] = &[
    ("monthly", "month"),
    ("weekly", "week"),
    ("daily", "day"),
    ("annually", "year"),
    ("seasonal", "season"),
];

/// How often an amount is due in a year, by the words of `AssociationFeeFrequency`, folded.
const TIMES_A_YEAR: &[(&str, f64)] =
    &[("annually", 1.0), ("semiannually", 2.0), ("quarterly", 4.0), ("bimonthly", 6.0), ("monthly", 12.0)];

pub(crate) fn open(
    reader: Bytes,
    mapping: Option<Arc<Mapping>>,
    record_bytes_max: usize,
) -> io::Result<Box<dyn Records>> {
    let reader = crate::encoding::decoded(reader, None)?;
    let (first, reader) = peek::<DETECT_BYTES>(reader)?;
    let convert = Box::new(Reso { mapping });
    let path = match first.trim_ascii_start() {
        [b'[', ..] => vec![Segment::All],
        first if has_value_list(first) => vec![Segment::Key("value".to_owned()), Segment::All],
        _ => return Ok(json::lines(reader, record_bytes_max, convert)),
    };
    Ok(json::items(reader, Some(JsonPath(path)), record_bytes_max, convert))
}

/// Returns `true` if an object starts with the list of an OData response, which may have annotations before it.
fn has_value_list(first: &[u8]) -> bool {
    let compact: Vec<u8> = first.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    compact.windows(9).any(|window| window == b"\"value\":[")
}

struct Reso {
    mapping: Option<Arc<Mapping>>,
}

impl Convert for Reso {
    fn convert(&self, item: Map<String, Value>, report: &mut ColumnReport) -> Map<String, Value> {
        let mut record = Record { item, used: Vec::new() };
        let mut fields = record.advert();
        record.report(report);
        if let Some(mapping) = &self.mapping {
            mapping.complete(&mut fields);
        }
        fields
    }
}

struct Record {
    item: Map<String, Value>,
    used: Vec<(&'static str, &'static str)>,
}

impl Record {
    /// Returns a value, which becomes a field.
    fn take(&mut self, name: &'static str, field: &'static str) -> Option<Value> {
        let value = self.item.get(name).filter(|value| !advert::is_blank(value))?.clone();
        self.used.push((name, field));
        Some(value)
    }

    fn folded(&mut self, name: &'static str, field: &'static str) -> Option<String> {
        let value = self.take(name, field)?;
        // Enumerations come as a text or as a list of one.
        let text = match &value {
            Value::Array(items) => items.first()?.as_str()?,
            value => value.as_str()?,
        };
        Some(
            text.chars()
                .filter(|character| character.is_alphanumeric())
                .flat_map(char::to_lowercase)
                .collect(),
        )
    }

    fn advert(&mut self) -> Map<String, Value> {
        let mut fields = Map::new();
        for (name, field) in VALUES {
            if advert::get(&fields, field).is_none()
                && let Some(value) = self.take(name, field)
            {
                put(&mut fields, field, value);
            }
        }
        self.kind(&mut fields);
        self.status(&mut fields);
        self.areas(&mut fields);
        self.words(&mut fields);
        self.media(&mut fields);
        self.fees(&mut fields);
        put(&mut fields, "publisher.type", Value::from(1));
        fields
    }

    fn kind(&mut self, fields: &mut Map<String, Value>) {
        let kind = self.folded("PropertyType", "transactionType");
        let known = kind.as_deref().and_then(|kind| TYPES.iter().find(|(name, _, _)| *name == kind));
        let subtype = self.folded("PropertySubType", "propertyType");
        let subtype = subtype.as_deref().and_then(|kind| SUBTYPES.iter().find(|(name, _)| *name == kind));
        if let Some((_, transaction, _)) = known {
            put(fields, "transactionType", Value::from(*transaction));
        } else if let Some(text) = self.take("PropertyType", "transactionType") {
            put(fields, "transactionType", text);
        }
        match (subtype, known) {
            (Some((_, code)), _) => put(fields, "propertyType", Value::from(*code)),
            (None, Some((_, _, code))) => {
                self.take("PropertyType", "propertyType");
                put(fields, "propertyType", Value::from(*code));
            }
            (None, None) => {}
        }
        let period = self.folded("LeaseAmountFrequency", "rentPeriod");
        let period = period.and_then(|period| PERIODS.iter().find(|(name, _)| *name == period));
        if let Some((_, word)) = period {
            put_text(fields, "rentPeriod", word);
        }
        if let Some(agreement) = self.folded("ListingAgreement", "exclusiveMandate") {
            put(fields, "exclusiveMandate", Value::from(agreement.starts_with("exclusive")));
        }
        match self.folded("Furnished", "furnished").as_deref() {
            Some("furnished") => put(fields, "furnished", Value::from(true)),
            Some("unfurnished" | "partially") => put(fields, "furnished", Value::from(false)),
            _ => {}
        }
    }

    /// A status that the dictionary does not have says nothing about the expiry.
    fn status(&mut self, fields: &mut Map<String, Value>) {
        let Some(status) = self.folded("StandardStatus", "expired") else { return };
        if EXPIRED.contains(&status.as_str()) {
            put(fields, "expired", Value::from(true));
            let date = self
                .take("CloseDate", "expiredAt")
                .or_else(|| self.take("StatusChangeTimestamp", "expiredAt"));
            put(fields, "expiredAt", date.unwrap_or_default());
        } else if ON_OFFER.contains(&status.as_str()) {
            put(fields, "expired", Value::from(false));
        }
    }

    fn areas(&mut self, fields: &mut Map<String, Value>) {
        let unit = self.folded("LivingAreaUnits", "surface");
        if let Some(area) = self.take("LivingArea", "surface") {
            put(fields, "surface", square_metres(area, unit.as_deref()));
        }
        let unit = self.folded("LotSizeUnits", "landSurface");
        let land = match self.take("LotSizeArea", "landSurface") {
            Some(area) => Some(square_metres(area, unit.as_deref())),
            None => match self.take("LotSizeSquareFeet", "landSurface") {
                Some(area) => Some(square_metres(area, Some("squarefeet"))),
                None => {
                    self.take("LotSizeAcres", "landSurface").map(|area| square_metres(area, Some("acres")))
                }
            },
        };
        put(fields, "landSurface", land.unwrap_or_default());
    }

    fn words(&mut self, fields: &mut Map<String, Value>) {
        for name in FEATURES {
            for word in self.take(name, "features").iter().flat_map(texts) {
                push_text(fields, "features", &word);
            }
        }
        let heating: Vec<String> = self.take("Heating", "heating").iter().flat_map(texts).collect();
        put_text(fields, "heating", &heating.join(", "));
    }

    fn media(&mut self, fields: &mut Map<String, Value>) {
        let Some(Value::Array(media)) = self.take("Media", "pictures") else { return };
        let is_picture = |item: &&Value| {
            item.get("MediaCategory")
                .and_then(Value::as_str)
                .is_none_or(|kind| kind.eq_ignore_ascii_case("photo"))
        };
        let mut pictures: Vec<(u64, &str)> = media
            .iter()
            .filter(is_picture)
            .filter_map(|item| {
                let order = item.get("Order").and_then(Value::as_u64).unwrap_or(u64::MAX);
                Some((order, item.get("MediaURL")?.as_str()?))
            })
            .collect();
        pictures.sort_by_key(|(order, _)| *order);
        for (_, address) in pictures {
            push_text(fields, "pictures", address);
        }
    }

    fn fees(&mut self, fields: &mut Map<String, Value>) {
        let frequency = self.folded("AssociationFeeFrequency", "condominiumFees");
        let times = frequency.and_then(|word| TIMES_A_YEAR.iter().find(|(name, _)| *name == word));
        if let Some((_, times)) = times
            && let Some(fee) = self.take("AssociationFee", "condominiumFees").as_ref().and_then(number)
        {
            put(fields, "condominiumFees", rounded(fee * times));
        }
    }

    fn report(&self, report: &mut ColumnReport) {
        for (name, value) in &self.item {
            if advert::is_blank(value) {
                continue;
            }
            let used: Vec<&str> =
                self.used.iter().filter(|(used, _)| used == name).map(|(_, field)| *field).collect();
            match value {
                Value::String(text) => report.count(name, &used, text),
                value => report.count(name, &used, &value.to_string()),
            }
        }
    }
}

/// Converts an area. Without a unit, or with one that is not in the dictionary, it stays as it is.
fn square_metres(area: Value, unit: Option<&str>) -> Value {
    let factor = match unit {
        Some("squarefeet" | "sqft") => SQUARE_METRES_PER_SQUARE_FOOT,
        Some("acres") => SQUARE_METRES_PER_ACRE,
        Some("hectares") => SQUARE_METRES_PER_HECTARE,
        _ => return area,
    };
    match number(&area) {
        Some(number) => rounded(number * factor),
        None => area,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Rounds to two decimals: a converted value is no more precise than its source.
fn rounded(number: f64) -> Value {
    Number::from_f64((number * 100.0).round() / 100.0).map_or(Value::Null, Value::Number)
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Value::String(text) => text.split(',').map(|word| word.trim().to_owned()).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn areas_are_converted_by_their_units() {
        for (area, unit, expected) in [
            (json!(1000), Some("squarefeet"), json!(92.9)),
            (json!("0.25"), Some("acres"), json!(1011.71)),
            (json!(1.5), Some("hectares"), json!(15000.0)),
            (json!(80), Some("squaremeters"), json!(80)),
            (json!(80), None, json!(80)),
            (json!("about 80"), Some("squarefeet"), json!("about 80")),
        ] {
            assert_eq!(square_metres(area.clone(), unit), expected, "{area} {unit:?}");
        }
    }

    #[test]
    fn documents_of_odata_are_recognised() {
        assert!(has_value_list(b"{\"@odata.context\":\"x\",\n \"value\" : [ {"));
        assert!(!has_value_list(b"{\"ListingKey\":\"1\",\"value\":3}\n"));
    }
}
