//! How portals write values of one kind.

use serde_json::{Map, Value, json};

use super::values::{self, grouped, with_comma};
use crate::random::Random;

/// Amounts of money.
#[derive(Debug, Clone, Copy)]
pub enum Money {
    Number,
    /// `295 000,50 €`, with this space between thousands.
    French {
        space: char,
        suffix: &'static str,
    },
    /// `€ 295.000`
    EuroFirst,
    /// `295000.00`
    TwoDecimals,
}

impl Money {
    pub fn write(self, value: &Value, random: &mut Random) -> Value {
        let Some(amount) = value.as_f64() else { return value.clone() };
        match self {
            Self::Number => value.clone(),
            // Some exporters pad with spaces.
            Self::French { space, suffix } => {
                let padding = if random.chance(10.0) { " " } else { "" };
                json!(format!("{padding}{}{suffix}{padding}", grouped(amount, space)))
            }
            Self::EuroFirst => json!(format!("€ {}", grouped(amount, '.'))),
            Self::TwoDecimals => json!(values::two_decimals(amount)),
        }
    }
}

/// Surfaces, and other numbers with decimals.
#[derive(Debug, Clone, Copy)]
pub enum Surfaces {
    /// `60.1` as text.
    Decimal,
    /// `60,1`
    Comma { suffix: &'static str },
    /// `60.1m2`
    Joined,
}

impl Surfaces {
    pub fn write(self, value: &Value) -> Value {
        let Some(number) = value.as_f64() else { return value.clone() };
        match self {
            Self::Decimal => json!(number.to_string()),
            Self::Comma { suffix } => json!(format!("{}{suffix}", with_comma(number))),
            Self::Joined => json!(format!("{number}m2")),
        }
    }

    /// Writes a number that has no unit.
    pub fn write_plain(self, value: &Value) -> Value {
        let Some(number) = value.as_f64() else { return value.clone() };
        match self {
            Self::Decimal | Self::Joined => json!(number.to_string()),
            Self::Comma { .. } => json!(with_comma(number)),
        }
    }
}

/// Whole numbers.
#[derive(Debug, Clone, Copy)]
pub enum Counts {
    Numbers,
    Text,
    /// `3 pièces`, `RDC`, `2ème étage`
    French,
}

impl Counts {
    pub fn write(self, name: &str, value: &Value) -> Value {
        let Some(number) = value.as_i64() else { return value.clone() };
        match (self, name) {
            (Self::Numbers, _) => value.clone(),
            (Self::French, "room") if number > 1 => json!(format!("{number} pièces")),
            (Self::French, "floor") if number == 0 => json!("RDC"),
            (Self::French, "floor") if number == 1 => json!("1er étage"),
            (Self::French, "floor") if number > 1 => json!(format!("{number}ème étage")),
            (Self::Text | Self::French, _) => json!(number.to_string()),
        }
    }
}

/// Dates. Those without an offset are in the time zone of France.
#[derive(Debug, Clone, Copy)]
pub enum Dates {
    Iso,
    /// `31/12/2026 23:59:59`, with this separator.
    DayFirst(char),
    /// `2026-12-31 23:59:59`
    Sql,
    /// `20261231T235959`
    Compact,
    EpochSeconds,
    EpochMilliseconds,
    /// `31 décembre 2026 23:59:59`
    Long,
    /// As in the header of an e-mail.
    Mail,
}

impl Dates {
    pub fn write(self, value: &Value) -> Value {
        let Some(timestamp) = value.as_str().and_then(|text| text.parse().ok()) else { return value.clone() };
        let local = |format: &str| values::local_date(timestamp, format).map_or(value.clone(), Value::String);
        match self {
            Self::Iso => value.clone(),
            Self::DayFirst(separator) => local(&format!("%d{separator}%m{separator}%Y %H:%M:%S")),
            Self::Sql => local("%Y-%m-%d %H:%M:%S"),
            Self::Compact => local("%Y%m%dT%H%M%S"),
            Self::EpochSeconds => json!(timestamp.as_second()),
            Self::EpochMilliseconds => json!(timestamp.as_millisecond()),
            Self::Long => values::long_date(timestamp).map_or(value.clone(), Value::String),
            Self::Mail => values::mail_date(timestamp).map_or(value.clone(), Value::String),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub enum Booleans {
    Words(&'static str, &'static str),
    Digits,
    DigitTexts,
}

impl Booleans {
    pub fn write(self, value: &Value) -> Value {
        let Some(flag) = value.as_bool() else { return value.clone() };
        match self {
            Self::Words(yes, no) => json!(if flag { yes } else { no }),
            Self::Digits => json!(u8::from(flag)),
            Self::DigitTexts => json!(u8::from(flag).to_string()),
        }
    }
}

/// Energy and greenhouse-gas ratings.
#[derive(Debug, Clone, Copy)]
pub enum Letters {
    /// `D`
    Plain,
    /// `d `, and "NC" or "VI" for an unknown letter.
    Trade,
    /// `Classe D`
    Labelled,
}

impl Letters {
    pub fn write(self, name: &str, value: &Value, unknown: &Unknown, random: &mut Random) -> Value {
        let mut rating = value.as_object().cloned().unwrap_or_default();
        let letter = match (self, rating.get("category").and_then(Value::as_str)) {
            (Self::Plain, None) => unknown.write(name, random),
            (Self::Trade | Self::Labelled, None) => json!(*random.pick(&["NC", "NS", "VI", "vierge"])),
            (Self::Plain, Some(letter)) => json!(letter),
            (Self::Trade, Some(letter)) => json!(format!("{} ", letter.to_lowercase())),
            (Self::Labelled, Some(letter)) => json!(format!("Classe {letter}")),
        };
        rating.insert("category".to_owned(), letter);
        if let (Self::Trade, Some(number)) = (self, rating.get("value").and_then(Value::as_f64)) {
            let unit = if name == "energy" { "kWh/m²/an" } else { "kg CO2/m²/an" };
            rating.insert("value".to_owned(), json!(format!("{} {unit}", with_comma(number))));
        }
        Value::Object(rating)
    }
}

/// Enumerations.
#[derive(Debug, Clone, Copy)]
pub enum Kinds {
    Codes,
    CodeTexts,
    French,
    Capitals,
    English,
}

impl Kinds {
    pub fn write(self, name: &str, value: &Value) -> Value {
        let Some(code) = value.as_u64() else { return value.clone() };
        let word = |words: &[&str]| words.get(code as usize).map_or(value.clone(), |word| json!(word));
        let french = match name {
            "transactionType" => word(&["Vente", "Location"]),
            "propertyType" => word(&[
                "Appartement",
                "Maison",
                "Immeuble",
                "Parking",
                "Bureau",
                "Terrain",
                "Local commercial",
            ]),
            "feesResponsibility" => word(&["vendeur", "acquéreur"]),
            "publisher.type" => word(&["particulier", "professionnel"]),
            _ => value.clone(),
        };
        match self {
            Self::Codes => value.clone(),
            Self::CodeTexts => json!(code.to_string()),
            Self::French => french,
            Self::Capitals => french.as_str().map_or(value.clone(), |word| json!(word.to_uppercase())),
            Self::English => match name {
                "transactionType" => word(&["sale", "rent"]),
                "propertyType" => {
                    word(&["Apartment", "House", "Building", "Parking", "Office", "Land", "Shop"])
                }
                "feesResponsibility" => word(&["seller", "buyer"]),
                "publisher.type" => word(&["individual", "professional"]),
                _ => value.clone(),
            },
        }
    }
}

/// The commune.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// As in the clean advert.
    Codes,
    /// `zipcode: 1000` for 01000, and the name in capitals.
    NumberedZipcode,
    /// `37000 Tours` in the name, nothing else.
    ZipcodeFirst,
    /// `Tours (37)`, `Paris 15ème (75)`, nothing else.
    Department,
}

impl Places {
    pub fn write(self, zipcode: &str, name: &str) -> Map<String, Value> {
        let spelled = values::district_spelling(name);
        let fields = match self {
            Self::Codes => json!({ "zipcode": zipcode, "cityName": name }),
            Self::NumberedZipcode => {
                let number = zipcode.parse::<u32>().map_or(json!(zipcode), |number| json!(number));
                json!({ "zipcode": number, "cityName": name.to_uppercase() })
            }
            Self::ZipcodeFirst => json!({ "cityName": format!("{zipcode} {spelled}") }),
            Self::Department => {
                json!({ "cityName": format!("{spelled} ({})", values::department(zipcode)) })
            }
        };
        fields.as_object().cloned().unwrap_or_default()
    }
}

/// Coordinates.
#[derive(Debug, Clone, Copy)]
pub enum Points {
    Numbers,
    /// Numbers, and `{"lat": null, "lon": null}` for an unknown point.
    Null,
    /// `{"lat": "48,85", "lon": "2,35"}`
    Comma,
    /// `{"latitude": "48.85", "longitude": "2.35"}`
    Text,
    /// `48.85,2.35`
    Pair,
}

impl Points {
    pub fn write(self, value: &Value) -> Value {
        let (Some(lat), Some(lon)) = (value["lat"].as_f64(), value["lon"].as_f64()) else {
            return value.clone();
        };
        match self {
            Self::Numbers | Self::Null => value.clone(),
            Self::Comma => json!({ "lat": with_comma(lat), "lon": with_comma(lon) }),
            Self::Text => json!({ "latitude": lat.to_string(), "longitude": lon.to_string() }),
            Self::Pair => json!(format!("{lat},{lon}")),
        }
    }

    pub fn unknown(self) -> Option<Value> {
        match self {
            Self::Numbers => None,
            Self::Null => Some(json!({ "lat": null, "lon": null })),
            Self::Comma | Self::Text => Some(json!({ "lat": "", "lon": "" })),
            Self::Pair => Some(json!("")),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub enum Texts {
    Plain,
    /// With spaces around.
    Padded,
    /// Entities for everything that is not ASCII.
    Entities,
    /// A paragraph of HTML.
    Html,
}

impl Texts {
    pub fn write(self, value: &Value) -> Value {
        let Some(text) = value.as_str() else { return value.clone() };
        match self {
            Self::Plain => value.clone(),
            Self::Padded => json!(format!("  {text} ")),
            Self::Entities => json!(values::entities(text)),
            Self::Html => json!(values::html(text)),
        }
    }
}

/// Lists, and addresses.
#[derive(Debug, Clone, Copy)]
pub enum Lists {
    Arrays,
    /// Addresses with a space around them, and in the file name.
    SpacedAddresses,
}

impl Lists {
    pub fn write(self, name: &str, value: &Value, texts: &Texts) -> Value {
        let Some(items) = value.as_array() else { return value.clone() };
        match name {
            "features" => items.iter().map(|item| texts.write(item)).collect(),
            _ => items.iter().map(|item| self.address(item)).collect(),
        }
    }

    pub fn address(self, value: &Value) -> Value {
        match (self, value.as_str()) {
            (Self::SpacedAddresses, Some(address)) => json!(format!(" {address} ")),
            _ => value.clone(),
        }
    }
}

/// What a portal writes for a value that it does not know.
#[derive(Debug, Clone, Copy)]
pub enum Unknown {
    Null,
    Empty,
    Dash,
    NullText,
    NotAvailable,
    /// The trade's abbreviations.
    Trade,
    /// Values that cannot be.
    Impossible,
}

impl Unknown {
    pub fn write(self, name: &str, random: &mut Random) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Empty => json!(""),
            Self::Dash => json!("-"),
            Self::NullText => json!("NULL"),
            Self::NotAvailable => json!("N/A"),
            Self::Trade => json!(*random.pick(&["NC", "nc", "N.C.", ""])),
            Self::Impossible => match name {
                "constructionYear" => json!("années 70"),
                "surface" | "landSurface" => json!("voir plan"),
                "elevator" | "furnished" => json!("?"),
                _ => json!(*random.pick(&["sur demande", "à préciser"])),
            },
        }
    }
}

/// The bytes of a line.
#[derive(Debug, Clone, Copy)]
pub enum Encoding {
    Utf8,
    /// Each character as one byte.
    Windows1252,
    /// Typographic characters as the control characters that Latin-1 has in their place.
    ControlCharacters,
}

impl Encoding {
    pub fn encode(self, line: &str) -> Vec<u8> {
        match self {
            Self::Utf8 => line.as_bytes().to_vec(),
            Self::Windows1252 => values::windows_1252(line),
            Self::ControlCharacters => values::control_characters(line).into_bytes(),
        }
    }
}
