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
const SQUARE_METRES_PER_SQUARE_YARD: f64 = 0.836_127_36;
const SQUARE_METRES_PER_ACRE: f64 = 4_046.856_422_4;
const SQUARE_METRES_PER_HECTARE: f64 = 10_000.0;

/// Units of area, folded: those of the dictionary, and how services write them.
const UNITS: &[(&[&str], f64)] = &[
    (
        &[
            "squaremeters",
            "squaremeter",
            "squaremetres",
            "squaremetre",
            "sqmeters",
            "sqmetres",
            "sqm",
            "m2",
            "m²",
        ],
        1.0,
    ),
    (
        &["squarefeet", "squarefoot", "sqfeet", "sqfoot", "sqft", "sf", "ft2", "ft²"],
        SQUARE_METRES_PER_SQUARE_FOOT,
    ),
    (&["squareyards", "squareyard", "sqyards", "sqyd", "yd2", "yd²"], SQUARE_METRES_PER_SQUARE_YARD),
    (&["acres", "acre", "ac"], SQUARE_METRES_PER_ACRE),
    (&["hectares", "hectare", "ha"], SQUARE_METRES_PER_HECTARE),
];

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
    ("condo", 0),
    ("condocoop", 0),
    ("condominiumcooperative", 0),
    ("cooperative", 0),
    ("coop", 0),
    ("flat", 0),
    ("stockcooperative", 0),
    ("ownyourown", 0),
    ("loft", 0),
    ("singlefamilyresidence", 1),
    ("singlefamily", 1),
    ("singlefamilydetached", 1),
    ("singlefamilyattached", 1),
    ("singlefamilyhome", 1),
    ("house", 1),
    ("townhouse", 1),
    ("townhome", 1),
    ("rowhouse", 1),
    ("villa", 1),
    ("cabin", 1),
    ("farm", 1),
    ("ranch", 1),
    ("manufacturedhome", 1),
    ("manufacturedonland", 1),
    ("modularhome", 1),
    ("patiohome", 1),
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
    ("vacantland", 5),
    ("land", 5),
    ("lot", 5),
    ("agriculture", 5),
    ("retail", 6),
    ("restaurant", 6),
    ("shoppingcenter", 6),
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

/// The kinds of `TYPES` that say what the property is, whatever the words of `PropertySubType` are. The other ones are of several
/// kinds: a residence may be a house or an apartment.
const CERTAIN_TYPES: &[&str] = &["residentialincome", "manufacturedinpark", "land", "businessopportunity"];

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

    /// Returns the text of an enumeration, which comes as a text or as a list of one.
    fn word(&self, name: &str) -> Option<String> {
        let text = match self.item.get(name)? {
            Value::Array(items) => items.first()?.as_str()?,
            value => value.as_str()?,
        };
        Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    /// Returns an enumeration, folded, which becomes a field.
    fn folded(&mut self, name: &'static str, field: &'static str) -> Option<String> {
        self.take(name, field)?;
        self.word(name).map(|word| folded(&word))
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
        let subtype = self.word("PropertySubType");
        let subtype_code = subtype.as_deref().and_then(|word| {
            let folded = folded(word);
            SUBTYPES.iter().find(|(name, _)| *name == folded).map(|(_, code)| *code)
        });
        if let Some((_, transaction, _)) = known {
            put(fields, "transactionType", Value::from(*transaction));
        } else if let Some(text) = self.take("PropertyType", "transactionType") {
            put(fields, "transactionType", text);
        }
        match (subtype, subtype_code, known) {
            (_, Some(code), _) => {
                self.take("PropertySubType", "propertyType");
                put(fields, "propertyType", Value::from(code));
            }
            (subtype, None, Some((name, _, code))) if subtype.is_none() || CERTAIN_TYPES.contains(name) => {
                self.take("PropertyType", "propertyType");
                put(fields, "propertyType", Value::from(*code));
            }
            // A kind without a code stays text, so that the receipt of the advert can name it.
            (Some(subtype), None, _) => {
                self.take("PropertySubType", "propertyType");
                put(fields, "propertyType", Value::String(subtype));
            }
            (None, None, _) => {}
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
        let living = [("LivingArea", Unit::In("LivingAreaUnits"))];
        self.area(fields, "surface", &living);
        let lot = [
            ("LotSizeArea", Unit::In("LotSizeUnits")),
            ("LotSizeSquareFeet", Unit::Is("square feet")),
            ("LotSizeAcres", Unit::Is("acres")),
        ];
        self.area(fields, "landSurface", &lot);
    }

    /// Puts the first area that can be converted. If there is none, the first one stays text, for the receipt of the advert.
    fn area(
        &mut self,
        fields: &mut Map<String, Value>,
        field: &'static str,
        sources: &[(&'static str, Unit)],
    ) {
        let given = sources.iter().filter_map(|(name, unit)| {
            let value = self.item.get(*name).filter(|value| !advert::is_blank(value))?;
            let unit_name = match unit {
                Unit::In(name) => self.word(name),
                Unit::Is(word) => Some((*word).to_owned()),
            };
            Some((*name, unit, square_metres(value, unit_name.as_deref())))
        });
        let given: Vec<(&'static str, &Unit, Value)> = given.collect();
        let Some((name, unit, area)) =
            given.iter().find(|(_, _, area)| area.is_number()).or_else(|| given.first())
        else {
            return;
        };
        self.take(name, field);
        if let Unit::In(name) = unit {
            self.take(name, field);
        }
        put(fields, field, area.clone());
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
        let frequency = self.word("AssociationFeeFrequency").map(|word| folded(&word));
        let times = frequency.and_then(|word| TIMES_A_YEAR.iter().find(|(name, _)| *name == word));
        let (Some((_, times)), Some(fee)) = (times, self.item.get("AssociationFee")) else { return };
        let fee = match (number(fee), fee) {
            (Some(fee), _) => rounded(fee * times),
            // The reader of adverts would take the fee of a month for that of a year. With this word before it, it is left out
            // with a warning.
            (None, Value::String(text)) if is_like_a_number(text) => {
                Value::String(format!("AssociationFee {}", text.trim()))
            }
            (None, _) => return,
        };
        self.take("AssociationFeeFrequency", "condominiumFees");
        self.take("AssociationFee", "condominiumFees");
        put(fields, "condominiumFees", fee);
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

/// Where the unit of an area is.
enum Unit {
    /// In the value with this name.
    In(&'static str),
    /// In the name of the area.
    Is(&'static str),
}

/// Converts an area. Without a unit, it is taken as square metres. What cannot be converted becomes text with its unit, and the
/// reader of adverts leaves it out with a warning.
fn square_metres(area: &Value, unit: Option<&str>) -> Value {
    let factor = unit.map_or(Some(1.0), |unit| {
        let unit = folded(unit);
        UNITS.iter().find(|(names, _)| names.contains(&unit.as_str())).map(|(_, factor)| *factor)
    });
    let with_unit = |text: &str| Value::from(format!("{text} {}", unit.unwrap_or_default()).trim());
    match (number(area), factor, area) {
        (Some(_), Some(1.0), Value::Number(_)) => area.clone(),
        (Some(number), Some(factor), _) => rounded(number * factor),
        (_, _, Value::String(text)) => with_unit(text),
        (_, _, Value::Number(number)) => with_unit(&number.to_string()),
        (_, _, Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) => area.clone(),
    }
}

/// Folds the words of an enumeration, which services write with spaces, without, and with other signs between them.
fn folded(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => american_number(text.trim()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Reads a number whose commas group thousands. One that cannot do that, as in `0,5`, makes it unreadable.
fn american_number(text: &str) -> Option<f64> {
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let mut groups = whole.split(',');
    let first = groups.next()?;
    let mut in_thousands = groups.all(|group| group.len() == 3 && is_digits(group));
    in_thousands &= !whole.contains(',') || (1..=3).contains(&first.len());
    if !in_thousands || !is_digits(first) || !is_digits(decimals) {
        return None;
    }
    text.replace(',', "").parse().ok()
}

fn is_like_a_number(text: &str) -> bool {
    text.chars().all(|character| character.is_ascii_digit() || ",. ".contains(character))
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
        let check = |area: Value, unit: &[Option<&str>], expected: Value| {
            for unit in unit {
                assert_eq!(square_metres(&area, *unit), expected, "{area} {unit:?}");
            }
        };
        let feet = ["Square Feet", "SquareFeet", "Square Foot", "Sq. Ft.", "sqft", "SF", "ft²"].map(Some);
        check(json!(1000), &feet, json!(92.9));
        check(json!("1,200"), &feet, json!(111.48));
        check(json!("1,234,567.5"), &feet, json!(114695.07));
        check(json!("0.25"), &[Some("Acres"), Some("acre"), Some("AC")], json!(1011.71));
        check(json!(1.5), &[Some("hectares"), Some("Hectare"), Some("ha")], json!(15000.0));
        check(json!(80), &[Some("Square Meters"), Some("m2"), None], json!(80));
        check(json!("1,200"), &[Some("SquareMeters"), None], json!(1200.0));
        // The reader of adverts warns about these.
        check(json!("0,5"), &[Some("Acres")], json!("0,5 Acres"));
        check(json!(80), &[Some("Rods")], json!("80 Rods"));
        check(json!("80,5"), &[None], json!("80,5"));
        check(json!("about 80"), &[Some("Square Feet")], json!("about 80 Square Feet"));
    }

    #[test]
    fn commas_group_thousands() {
        for (text, expected) in [
            ("1850", Some(1850.0)),
            ("1,850", Some(1850.0)),
            ("12,345,678.25", Some(12_345_678.25)),
            ("0.5", Some(0.5)),
            (".5", Some(0.5)),
            ("2.", Some(2.0)),
            ("0,5", None),
            ("100,50", None),
            ("1,2345", None),
            ("1234,567", None),
            (",500", None),
            ("1.200,5", None),
            ("", None),
            (".", None),
            ("-5", None),
            ("inf", None),
            ("about 80", None),
        ] {
            assert_eq!(american_number(text), expected, "{text}");
        }
    }

    fn fields(item: Value) -> (Value, ColumnReport) {
        let mut report = ColumnReport::default();
        let Value::Object(item) = item else { panic!("{item}") };
        let fields = Reso { mapping: None }.convert(item, &mut report);
        (Value::Object(fields), report)
    }

    #[test]
    fn kinds_without_a_code_are_certain_or_stay_text() {
        for (kind, subtype, expected) in [
            ("Residential", json!("Condo"), json!(0)),
            ("Residential", json!("Condo/Co-op"), json!(0)),
            ("Residential", json!(["Stock Cooperative"]), json!(0)),
            ("Residential", json!("Townhouse"), json!(1)),
            ("Residential", json!("Manufactured On Land"), json!(1)),
            ("Residential", json!("Yurt"), json!("Yurt")),
            ("Residential", json!(["Yurt"]), json!("Yurt")),
            ("Residential", json!(" "), json!(1)),
            ("Residential", json!(null), json!(1)),
            ("Land", json!("Yurt Pitch"), json!(5)),
            ("CommercialSale", json!("Laboratory"), json!("Laboratory")),
            ("CommercialSale", json!(null), json!(6)),
            ("Houseboats", json!("Barge"), json!("Barge")),
        ] {
            let (advert, _) = fields(json!({"PropertyType": kind, "PropertySubType": subtype}));
            assert_eq!(advert["propertyType"], expected, "{kind} {subtype}");
        }
    }

    #[test]
    fn land_takes_the_first_area_that_can_be_converted() {
        let land = |item: Value| fields(item).0["landSurface"].clone();
        assert_eq!(land(json!({"LotSizeArea": 2, "LotSizeUnits": "Acres", "LotSizeAcres": 3})), 8093.71);
        assert_eq!(land(json!({"LotSizeArea": 2, "LotSizeUnits": "Rods", "LotSizeAcres": "3"})), 12140.57);
        assert_eq!(land(json!({"LotSizeArea": "0,5", "LotSizeUnits": "Acres"})), "0,5 Acres");
        assert_eq!(land(json!({"LotSizeSquareFeet": "1,000"})), 92.9);
        let (_, report) = fields(json!({"LotSizeArea": 2, "LotSizeUnits": "Rods", "LotSizeAcres": 3}));
        assert_eq!(
            report.unmapped().map(|(name, _)| name).collect::<Vec<_>>(),
            ["LotSizeArea", "LotSizeUnits"]
        );
    }

    #[test]
    fn fees_are_of_a_year_or_not_usable() {
        let fee = |fee: Value, frequency: &str| {
            let (advert, report) =
                fields(json!({"AssociationFee": fee, "AssociationFeeFrequency": frequency}));
            let unused = report.unmapped().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
            (advert["condominiumFees"].clone(), unused.len())
        };
        assert_eq!(fee(json!(110), "Monthly"), (json!(1320.0), 0));
        assert_eq!(fee(json!("1,100.50"), "Annually"), (json!(1100.5), 0));
        assert_eq!(fee(json!("100,50"), "Monthly"), (json!("AssociationFee 100,50"), 0));
        assert_eq!(fee(json!("100 € or more"), "Monthly"), (Value::Null, 2));
        assert_eq!(fee(json!(110), "Sometimes"), (Value::Null, 2));
    }

    #[test]
    fn documents_of_odata_are_recognised() {
        assert!(has_value_list(b"{\"@odata.context\":\"x\",\n \"value\" : [ {"));
        assert!(!has_value_list(b"{\"ListingKey\":\"1\",\"value\":3}\n"));
    }
}
