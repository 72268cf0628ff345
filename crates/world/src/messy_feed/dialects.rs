//! The ten portals.

use super::Dialect;
use super::styles::{
    Booleans, Counts, Dates, Encoding, Kinds, Letters, Lists, Money, Places, Points, Surfaces, Texts, Unknown,
};

/// The portals, each with the habits of one kind of exporter.
#[rustfmt::skip]
pub const DIALECTS: &[Dialect] = &[
    Dialect {
        name: "spreadsheet", money: Money::French { space: '\u{a0}', suffix: "" }, surfaces: Surfaces::Comma { suffix: "" },
        counts: Counts::Text, dates: Dates::DayFirst('/'), booleans: Booleans::Words("VRAI", "FAUX"), letters: Letters::Plain,
        kinds: Kinds::Codes, places: Places::Codes, points: Points::Comma, texts: Texts::Padded, lists: Lists::Arrays,
        unknown: Unknown::Empty, encoding: Encoding::Utf8, omitted: &[],
    },
    Dialect {
        name: "agency software", money: Money::French { space: ' ', suffix: " €" }, surfaces: Surfaces::Comma { suffix: " m²" },
        counts: Counts::French, dates: Dates::DayFirst('-'), booleans: Booleans::Words("Oui", "Non"), letters: Letters::Trade,
        kinds: Kinds::French, places: Places::NumberedZipcode, points: Points::Null, texts: Texts::Plain, lists: Lists::SpacedAddresses,
        unknown: Unknown::Trade, encoding: Encoding::Utf8, omitted: &["events"],
    },
    Dialect {
        name: "web editor", money: Money::French { space: '\u{202f}', suffix: "\u{202f}€" }, surfaces: Surfaces::Joined,
        counts: Counts::Numbers, dates: Dates::Iso, booleans: Booleans::Words("oui", "non"), letters: Letters::Labelled,
        kinds: Kinds::French, places: Places::ZipcodeFirst, points: Points::Numbers, texts: Texts::Html, lists: Lists::Arrays,
        unknown: Unknown::Null, encoding: Encoding::Utf8, omitted: &[],
    },
    Dialect {
        name: "old Windows", money: Money::Number, surfaces: Surfaces::Comma { suffix: "" },
        counts: Counts::Text, dates: Dates::DayFirst('.'), booleans: Booleans::Words("O", "N"), letters: Letters::Trade,
        kinds: Kinds::French, places: Places::Codes, points: Points::Null, texts: Texts::Plain, lists: Lists::Arrays,
        unknown: Unknown::Empty, encoding: Encoding::Windows1252, omitted: &["events"],
    },
    Dialect {
        name: "copied through Latin-1", money: Money::French { space: '\u{2009}', suffix: " EUR" }, surfaces: Surfaces::Decimal,
        counts: Counts::Text, dates: Dates::Compact, booleans: Booleans::Digits, letters: Letters::Plain,
        kinds: Kinds::Codes, places: Places::NumberedZipcode, points: Points::Pair, texts: Texts::Plain, lists: Lists::Arrays,
        unknown: Unknown::Dash, encoding: Encoding::ControlCharacters, omitted: &["events"],
    },
    Dialect {
        name: "database dump", money: Money::TwoDecimals, surfaces: Surfaces::Decimal,
        counts: Counts::Text, dates: Dates::Sql, booleans: Booleans::DigitTexts, letters: Letters::Plain,
        kinds: Kinds::CodeTexts, places: Places::Codes, points: Points::Text, texts: Texts::Plain, lists: Lists::Arrays,
        unknown: Unknown::NullText, encoding: Encoding::Utf8, omitted: &[],
    },
    Dialect {
        name: "foreign network", money: Money::EuroFirst, surfaces: Surfaces::Joined,
        counts: Counts::Numbers, dates: Dates::EpochMilliseconds, booleans: Booleans::Words("yes", "no"), letters: Letters::Plain,
        kinds: Kinds::English, places: Places::ZipcodeFirst, points: Points::Numbers, texts: Texts::Entities, lists: Lists::Arrays,
        unknown: Unknown::NotAvailable, encoding: Encoding::Utf8, omitted: &["events"],
    },
    Dialect {
        name: "district listings", money: Money::French { space: '.', suffix: " €" }, surfaces: Surfaces::Comma { suffix: " m2" },
        counts: Counts::French, dates: Dates::Long, booleans: Booleans::Words("oui", "non"), letters: Letters::Labelled,
        kinds: Kinds::Capitals, places: Places::Department, points: Points::Null, texts: Texts::Html, lists: Lists::SpacedAddresses,
        unknown: Unknown::Trade, encoding: Encoding::Utf8, omitted: &["events"],
    },
    Dialect {
        name: "epoch for unknown", money: Money::Number, surfaces: Surfaces::Decimal,
        counts: Counts::Numbers, dates: Dates::EpochSeconds, booleans: Booleans::Digits, letters: Letters::Trade,
        kinds: Kinds::Codes, places: Places::Codes, points: Points::Comma, texts: Texts::Plain, lists: Lists::Arrays,
        unknown: Unknown::Impossible, encoding: Encoding::Utf8, omitted: &["events"],
    },
    Dialect {
        name: "mail merge", money: Money::French { space: ' ', suffix: " euros" }, surfaces: Surfaces::Comma { suffix: " m²" },
        counts: Counts::Text, dates: Dates::Mail, booleans: Booleans::Words("Oui", "Non"), letters: Letters::Plain,
        kinds: Kinds::Capitals, places: Places::ZipcodeFirst, points: Points::Numbers, texts: Texts::Padded, lists: Lists::Arrays,
        unknown: Unknown::Empty, encoding: Encoding::Windows1252, omitted: &["events"],
    },
];
