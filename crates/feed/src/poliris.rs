//! Poliris: the columns that French agency software sends to portals, by position, separated by `!#`, without a header.
//!
//! Versions only append columns, so one table serves them all. The positions and codes below are those of versions 4.07 to
//! 4.1; columns that are not in the tables are reported as not used.

use std::io;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::advert::{is_yes, push_text, put, put_text};
use crate::compression::{Bytes, buffered};
use crate::csv::{QuotesInside, Separators, Split, Splitter};
use crate::encoding;
use crate::mapping::{Mapping, fold};
use crate::reader::{FeedItem, FeedRecord, Records};
use crate::report::ColumnReport;

/// Columns up to the description. A shorter record is not an advert.
const COLUMNS_MIN: usize = 21;

const AGENCY: usize = 1;
const REFERENCE: usize = 2;
const TRANSACTION: usize = 3;
const TYPE: usize = 4;
const PRICE: usize = 11;
const FEES: usize = 15;
const CHARGES: usize = 23;
const HEATING: usize = 33;
const BALCONIES: usize = 39;
const PARKING_SPACES: usize = 43;
const GARAGES: usize = 44;
const LOW_SEASON_WEEK: usize = 49;
const HIGH_SEASON_WEEK: usize = 52;
const REAL_ZIPCODE: usize = 108;
const REAL_CITY: usize = 109;
const TECHNICAL_ID: usize = 175;
const SOLD_VACANT: usize = 229;
const FEES_PERCENTAGE: usize = 257;
const FEES_PAYER: usize = 302;

/// Columns whose text becomes a field as it is.
const TEXTS: &[(usize, &str)] = &[
    (5, "zipcode"),
    (6, "cityName"),
    (7, "country"),
    (9, "district"),
    (16, "surface"),
    (17, "landSurface"),
    (18, "room"),
    (19, "bedroom"),
    (20, "title"),
    (21, "description"),
    (24, "floor"),
    (25, "floorQuantity"),
    (26, "furnished"),
    (27, "constructionYear"),
    (41, "elevator"),
    (83, "exclusiveMandate"),
    (104, "virtualTour"),
    (105, "contact.phone"),
    (106, "contact.name"),
    (107, "contact.email"),
    (161, "rentalPledge"),
    (176, "energy.value"),
    (177, "energy.category"),
    (178, "greenHouseGas.value"),
    (179, "greenHouseGas.category"),
    (185, "lifeAnnuity.bouquet"),
    (186, "lifeAnnuity.rent"),
    (259, "lotCount"),
    (260, "condominiumFees"),
    (298, "locations.lat"),
    (299, "locations.lon"),
    (303, "priceExcludingFees"),
    (306, "inventoryPrice"),
    (308, "newBuilding.priceMin"),
    (309, "newBuilding.priceMax"),
    (310, "newBuilding.surfaceMin"),
    (311, "newBuilding.surfaceMax"),
    (312, "newBuilding.roomMin"),
    (313, "newBuilding.roomMax"),
];

/// Columns that say yes or no about a feature.
const FLAGS: &[(usize, &str)] = &[
    (42, "cave"),
    (45, "digicode"),
    (46, "interphone"),
    (47, "gardien"),
    (48, "terrasse"),
    (61, "alarme"),
    (63, "calme"),
    (64, "climatisation"),
    (65, "piscine"),
    (66, "accès handicapés"),
    (68, "cheminée"),
    (73, "placards"),
    (78, "vue dégagée"),
    (81, "duplex"),
    (163, "travaux à prévoir"),
    (191, "parquet"),
];

/// Columns with the address of a picture, or the name of its file in the same archive.
const PICTURES: &[std::ops::RangeInclusive<usize>] = &[85..=93, 164..=174, 264..=273];

/// The kinds of adverts, folded, with the code of their transaction.
const TRANSACTIONS: &[(&str, u8)] = &[
    ("vente", 0),
    ("vente de prestige", 0),
    ("vente-fonds-de-commerce", 0),
    ("vente fonds de commerce", 0),
    ("viager", 0),
    ("produit d'investissement", 0),
    ("produit catalogue", 0),
    ("cession de bail", 0),
    ("location", 1),
    ("location vacances", 1),
    ("location saisonnière", 1),
];

/// The kinds of adverts, folded, whose rent is not that of a month.
const HOLIDAY_RENTALS: &[&str] = &["location vacances", "location saisonnière"];

/// The kinds of properties, folded, with their code.
const TYPES: &[(&str, u8)] = &[
    ("appartement", 0),
    ("loft/atelier/surface", 0),
    ("maison/villa", 1),
    ("maison", 1),
    ("villa", 1),
    ("château", 1),
    ("chateau", 1),
    ("hôtel particulier", 1),
    ("hotel particulier", 1),
    ("maison avec terrain", 1),
    ("modèle de maison", 1),
    ("immeuble", 2),
    ("bâtiment", 2),
    ("batiment", 2),
    ("parking/box", 3),
    ("parking", 3),
    ("bureaux", 4),
    ("bureau", 4),
    ("terrain", 5),
    ("boutique", 6),
    ("local", 6),
    ("entreprises", 6),
];

/// The bits of the code for heating.
const HEATING_BITS: &[(u32, &str)] = &[
    (8_192, "individuel"),
    (4_096, "collectif"),
    (512, "gaz"),
    (1_024, "fuel"),
    (2_048, "électrique"),
    (128, "radiateur"),
    (256, "sol"),
    (16_384, "climatisation réversible"),
];

pub(crate) fn open(
    reader: Bytes,
    mapping: Option<Arc<Mapping>>,
    record_bytes_max: usize,
) -> io::Result<Box<dyn Records>> {
    let declared = mapping.as_ref().and_then(|mapping| mapping.dialect.encoding);
    let reader = encoding::decoded(reader, declared)?;
    let separators =
        Separators { delimiter: b"!#".to_vec(), quote: Some(b'"'), quotes_inside: QuotesInside::Bare };
    let splitter = Splitter::new(buffered(reader), separators, record_bytes_max);
    Ok(Box::new(Poliris { splitter, mapping, first: None }))
}

struct Poliris<R> {
    splitter: Splitter<R>,
    mapping: Option<Arc<Mapping>>,
    first: Option<FirstRecord>,
}

/// What the first record shows about all of them.
struct FirstRecord {
    columns: usize,
    /// Its last value has quotes around it.
    ends_quoted: bool,
}

impl<R: io::BufRead + Send> Records for Poliris<R> {
    fn next(&mut self, report: &mut ColumnReport) -> io::Result<Option<FeedItem>> {
        let split = self.splitter.next()?;
        let number = self.splitter.line();
        match split {
            Split::End => return Ok(None),
            Split::Unreadable(message) => return Ok(Some(FeedItem::Unreadable { number, message })),
            Split::Record => {}
        }
        if let Some(message) = self.cut() {
            return Ok(Some(FeedItem::Unreadable { number, message }));
        }
        let columns = self.splitter.len();
        if columns < COLUMNS_MIN {
            let message =
                format!("the record has {columns} columns, and an advert has at least {COLUMNS_MIN}");
            return Ok(Some(FeedItem::Unreadable { number, message }));
        }
        if self.first.is_none() {
            self.first = Some(FirstRecord { columns, ends_quoted: self.splitter.is_quoted(columns - 1) });
            // All records of a file have the same columns, so a record over several lines can be checked.
            self.splitter.set_columns(columns);
        }
        let texts: Vec<String> =
            (0..columns).map(|index| encoding::text(&self.splitter.field(index)).trim().to_owned()).collect();
        let mut record = Record { texts, used: vec![Vec::new(); columns] };
        let mut advert = record.advert();
        record.report(report);
        if let Some(mapping) = &self.mapping {
            mapping.complete(&mut advert);
        }
        Ok(Some(FeedItem::Advert(FeedRecord { number, advert })))
    }
}

impl<R: io::BufRead> Poliris<R> {
    /// Says why the last record of a file cannot be trusted: it has no line end, and lacks columns or its last value a quote.
    ///
    /// The format puts quotes around every value. They show that the last one is whole, which a line end would show otherwise.
    fn cut(&self) -> Option<String> {
        let (columns, ends_quoted) = match &self.first {
            Some(first) => (first.columns, first.ends_quoted),
            // A file of one record: its first value shows whether there are quotes.
            None => (COLUMNS_MIN, self.splitter.is_quoted(0)),
        };
        let last = self.splitter.len().saturating_sub(1);
        let unquoted = || {
            (self.splitter.ends_file() && ends_quoted && !self.splitter.is_quoted(last)).then(|| {
                "the file seems to be cut: it ends in this record, in a value without its quotes and without a line end"
                    .to_owned()
            })
        };
        self.splitter.cut(columns).or_else(unquoted)
    }
}

struct Record {
    texts: Vec<String>,
    /// The fields that each column became.
    used: Vec<Vec<&'static str>>,
}

impl Record {
    /// Returns the text of a column, counted from 1, which becomes a field.
    fn take(&mut self, column: usize, field: &'static str) -> String {
        let Some(text) = self.texts.get(column - 1) else { return String::new() };
        if !text.is_empty() {
            self.used[column - 1].push(field);
        }
        text.clone()
    }

    fn advert(&mut self) -> Map<String, Value> {
        let mut advert = Map::new();
        let transaction = self.transaction(&mut advert);
        let kind = self.take(TYPE, "propertyType");
        put(&mut advert, "propertyType", code(TYPES, &kind));
        self.identity(&mut advert);
        for (column, field) in TEXTS {
            let text = self.take(*column, field);
            put_text(&mut advert, field, &text);
        }
        self.price(&mut advert);
        self.place(&mut advert);
        let rented = transaction == Some(1);
        if rented {
            let (fees, charges) = (self.take(FEES, "renterFees"), self.take(CHARGES, "rentalCharges"));
            put_text(&mut advert, "renterFees", &fees);
            put_text(&mut advert, "rentalCharges", &charges);
        } else {
            let given = self.take(FEES_PERCENTAGE, "feesPercentage");
            let fees = if given.is_empty() { self.take(FEES, "feesPercentage") } else { given };
            put_text(&mut advert, "feesPercentage", &fees);
            // 3 means both, and has no code of its own in an advert.
            match self.texts.get(FEES_PAYER - 1).map(String::as_str) {
                Some("1") => {
                    self.take(FEES_PAYER, "feesResponsibility");
                    put(&mut advert, "feesResponsibility", Value::from(1));
                }
                Some("2") => {
                    self.take(FEES_PAYER, "feesResponsibility");
                    put(&mut advert, "feesResponsibility", Value::from(0));
                }
                _ => {}
            }
        }
        self.features(&mut advert);
        self.pictures(&mut advert);
        put(&mut advert, "publisher.type", Value::from(1));
        advert
    }

    fn transaction(&mut self, advert: &mut Map<String, Value>) -> Option<u64> {
        let text = self.take(TRANSACTION, "transactionType");
        let transaction = code(TRANSACTIONS, &text);
        let number = transaction.as_u64();
        put(advert, "transactionType", transaction);
        if fold(&text) == "viager" && fold(&self.take(SOLD_VACANT, "occupied")) == "non" {
            put(advert, "occupied", Value::from(true));
        }
        number
    }

    /// The price of a holiday rental has no period of its own, so only those of a week are used: the lower one if there are two.
    fn price(&mut self, advert: &mut Map<String, Value>) {
        let kind = self.texts.get(TRANSACTION - 1).map(|text| fold(text)).unwrap_or_default();
        if !HOLIDAY_RENTALS.contains(&kind.as_str()) {
            let price = self.take(PRICE, "price");
            put_text(advert, "price", &price);
            return;
        }
        // Software writes a zero where there is no price.
        let is_price = |text: &String| text.contains(|character: char| matches!(character, '1'..='9'));
        let mut weeks = [LOW_SEASON_WEEK, HIGH_SEASON_WEEK].into_iter();
        if let Some(column) = weeks.find(|column| self.texts.get(column - 1).is_some_and(is_price)) {
            let price = self.take(column, "price");
            put_text(advert, "price", &price);
            put_text(advert, "rentPeriod", "week");
        }
    }

    /// A file may hold several agencies, whose references are their own. The technical id never changes; the reference may.
    fn identity(&mut self, advert: &mut Map<String, Value>) {
        let (agency, reference) = (self.take(AGENCY, "reference"), self.take(REFERENCE, "contact.reference"));
        put_text(advert, "contact.reference", &reference);
        let technical = self.take(TECHNICAL_ID, "reference");
        let own = if technical.is_empty() { self.take(REFERENCE, "reference") } else { technical };
        let parts: Vec<&str> =
            [agency.as_str(), own.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
        if !own.is_empty() {
            put_text(advert, "reference", &parts.join("-"));
        }
    }

    /// The columns to be shown may be empty while the real place is known.
    fn place(&mut self, advert: &mut Map<String, Value>) {
        for (column, field) in [(REAL_ZIPCODE, "zipcode"), (REAL_CITY, "cityName")] {
            if !advert.contains_key(field) {
                let text = self.take(column, field);
                put_text(advert, field, &text);
            }
        }
    }

    fn features(&mut self, advert: &mut Map<String, Value>) {
        for (column, feature) in FLAGS {
            if is_yes(&self.take(*column, "features")) {
                push_text(advert, "features", feature);
            }
        }
        if self.take(BALCONIES, "features").parse::<u32>().is_ok_and(|count| count > 0) {
            push_text(advert, "features", "balcon");
        }
        let heating = self.take(HEATING, "heating");
        put_text(advert, "heating", &heating_of(&heating));
        let count = |text: String| text.parse::<u32>().ok();
        let spaces =
            [self.take(PARKING_SPACES, "parkingCount"), self.take(GARAGES, "parkingCount")].map(count);
        if spaces.iter().any(Option::is_some) {
            let total: u64 = spaces.into_iter().flatten().map(u64::from).sum();
            put(advert, "parkingCount", Value::from(total));
        }
    }

    /// Only addresses can be kept: the files of an archive are on no server. Their names are reported as not used.
    fn pictures(&mut self, advert: &mut Map<String, Value>) {
        for column in PICTURES.iter().cloned().flatten() {
            let is_address = self.texts.get(column - 1).is_some_and(|text| {
                let text = text.to_ascii_lowercase();
                text.starts_with("http://") || text.starts_with("https://") || text.starts_with("//")
            });
            if is_address {
                let address = self.take(column, "pictures");
                push_text(advert, "pictures", &address);
            }
        }
    }

    fn report(&self, report: &mut ColumnReport) {
        for (index, text) in self.texts.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
            report.count(&format!("column {}", index + 1), &self.used[index], text);
        }
    }
}

/// Returns the code of a word. A word without a code stays text, so that the receipt of the advert can name it.
fn code(codes: &[(&str, u8)], text: &str) -> Value {
    let folded = fold(text);
    match codes.iter().find(|(word, _)| *word == folded) {
        Some((_, code)) => Value::from(*code),
        // A number would be taken for a code of ours.
        None if folded.chars().all(|character| character.is_ascii_digit()) && !folded.is_empty() => {
            Value::String(format!("code {folded}"))
        }
        None => Value::String(text.to_owned()),
    }
}

fn heating_of(text: &str) -> String {
    match text.parse::<u32>() {
        Ok(code) => {
            let words: Vec<&str> =
                HEATING_BITS.iter().filter(|(bit, _)| code & bit != 0).map(|(_, word)| *word).collect();
            words.join(" ")
        }
        Err(_) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_column_is_mapped_once() {
        let mut columns: Vec<usize> = TEXTS.iter().chain(FLAGS).map(|(column, _)| *column).collect();
        columns.extend(PICTURES.iter().cloned().flatten());
        columns.extend([
            AGENCY,
            REFERENCE,
            TRANSACTION,
            TYPE,
            PRICE,
            LOW_SEASON_WEEK,
            HIGH_SEASON_WEEK,
            FEES,
            CHARGES,
            HEATING,
            BALCONIES,
            PARKING_SPACES,
            GARAGES,
        ]);
        columns.extend([REAL_ZIPCODE, REAL_CITY, TECHNICAL_ID, SOLD_VACANT, FEES_PERCENTAGE, FEES_PAYER]);
        let count = columns.len();
        columns.sort_unstable();
        columns.dedup();
        assert_eq!(columns.len(), count);
    }

    #[test]
    fn holiday_rentals_have_the_price_of_a_week() {
        let check = |kind: &str, columns: &[(usize, &str)], price: Option<&str>, period: Option<&str>| {
            let mut texts = vec![String::new(); 60];
            for (column, text) in [(TRANSACTION, kind), (PRICE, "2400")].iter().chain(columns) {
                texts[column - 1] = (*text).to_owned();
            }
            let advert = Record { texts, used: vec![Vec::new(); 60] }.advert();
            let text = |field: &str| advert.get(field).and_then(Value::as_str);
            assert_eq!((text("price"), text("rentPeriod")), (price, period), "{kind} {columns:?}");
            assert_eq!(advert["transactionType"], 1, "{kind}");
        };
        let weeks = &[(LOW_SEASON_WEEK, "600"), (50, "1000"), (HIGH_SEASON_WEEK, "900")];
        check("location", weeks, Some("2400"), None);
        check("Location vacances", weeks, Some("600"), Some("week"));
        check("location saisonnière", &weeks[2..], Some("900"), Some("week"));
        check(
            "location vacances",
            &[(LOW_SEASON_WEEK, "0"), (HIGH_SEASON_WEEK, "900")],
            Some("900"),
            Some("week"),
        );
        check("location vacances", &[(50, "1000")], None, None);
    }

    #[test]
    fn heating_is_a_sum_of_bits() {
        for (text, expected) in [
            ("8832", "individuel gaz radiateur"),
            ("4096", "collectif"),
            ("0", ""),
            ("gaz de ville", "gaz de ville"),
            ("", ""),
        ] {
            assert_eq!(heating_of(text), expected, "{text}");
        }
    }

    #[test]
    fn unknown_words_stay_text() {
        for (text, expected) in [
            ("Maison/Villa", Value::from(1)),
            ("péniche", Value::from("péniche")),
            ("3", Value::from("code 3")),
            ("", Value::from("")),
        ] {
            assert_eq!(code(TYPES, text), expected, "{text}");
        }
    }
}
