//! Numbers with currencies, units, separators and words: `1 250 000,50 €`, `60 m²`, `T3`, `2ème étage`.
//!
//! A text is split into numbers, words and symbols. The kind of the field decides which words may stand beside the number.
//! With a unit (`€`, `m²`, `pièces`) the other words are comments; without one, an unknown word makes the text unusable,
//! because the number may mean something else.

mod tokens;
mod vocabulary;

use super::{Reading, date, says_unknown, text};
use crate::json::parse_number;
use tokens::{Token, Tokens};
use vocabulary::*;

/// What a number counts or measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberKind {
    /// A sale price, or a rent per month.
    Price,
    /// Another amount of money.
    Money,
    Percent,
    Surface,
    /// The value of an energy or greenhouse-gas rating.
    Rating,
    Count,
    Rooms,
    Bedrooms,
    Floor,
    /// Storeys of a building.
    Levels,
    Year,
    Degrees,
    /// A number without a unit, of any sign.
    Plain,
}

impl NumberKind {
    /// Returns the kind of an amount by the name of its field.
    pub fn of_amount(path: &str) -> Self {
        match member(path) {
            "price" | "priceMin" | "priceMax" => Self::Price,
            "surface" | "landSurface" | "surfaceMin" | "surfaceMax" => Self::Surface,
            "feesPercentage" => Self::Percent,
            "lotCount" => Self::Count,
            "value" => Self::Rating,
            _ => Self::Money,
        }
    }

    /// Returns the kind of an integer by the name of its field.
    pub fn of_integer(path: &str) -> Self {
        match member(path) {
            "room" | "roomMin" | "roomMax" => Self::Rooms,
            "bedroom" => Self::Bedrooms,
            "floor" => Self::Floor,
            "floorQuantity" => Self::Levels,
            "constructionYear" => Self::Year,
            _ => Self::Count,
        }
    }

    /// Returns `true` if exactly three digits after a single point or comma are thousands: `295.000` is a price, and
    /// `1.250` lots are not one and a quarter. A surface of `60.125` is a decimal.
    const fn groups_by_three(self) -> bool {
        match self {
            Self::Price
            | Self::Money
            | Self::Count
            | Self::Rooms
            | Self::Bedrooms
            | Self::Floor
            | Self::Levels
            | Self::Year => true,
            Self::Percent | Self::Surface | Self::Rating | Self::Degrees | Self::Plain => false,
        }
    }
}

fn member(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Longer texts are descriptions.
const CHARACTERS_MAX: usize = 120;

const NO_NUMBER: &str = "has no number";
const RANGE: &str = "is a range";
const SEVERAL: &str = "has several numbers";
const UNKNOWN_WORDS: &str = "has words that do not belong to the number";
const MALFORMED: &str = "is not a number";

/// Reads a number.
pub fn read(given: &str, kind: NumberKind) -> Reading<f64> {
    let trimmed = given.trim();
    // Digits alone need no further look, and most numbers in quotes are digits alone.
    if !trimmed.is_empty() && trimmed.len() <= 15 && trimmed.bytes().all(|byte| byte.is_ascii_digit()) {
        return trimmed.parse().map_or(Reading::Unusable(MALFORMED), |number| checked(number, kind));
    }
    if let Some(number) = simple(trimmed, kind) {
        return Reading::Value(number);
    }
    if super::is_not_given(trimmed) {
        return Reading::NotGiven;
    }
    if trimmed.chars().nth(CHARACTERS_MAX).is_some() {
        return Reading::Unusable("is too long for a number");
    }
    // Scientific notation: `1e5`.
    if trimmed.contains(['e', 'E'])
        && let Some(number) = parse_number(trimmed)
    {
        return checked(number, kind);
    }
    if !trimmed.bytes().any(|byte| byte.is_ascii_digit()) && says_unknown(&domain::fold(trimmed)) {
        return Reading::NotGiven;
    }
    let cleaned = text::clean(trimmed);
    if kind == NumberKind::Year
        && let Some(year) = date::year(&cleaned)
    {
        return checked(f64::from(year), kind);
    }
    if kind == NumberKind::Degrees
        && let Some(degrees) = degrees_minutes_seconds(&cleaned)
    {
        return Reading::Value(degrees);
    }
    match Tokens::of(&cleaned) {
        Some(tokens) => tokens.read(kind),
        None => Reading::Unusable(MALFORMED),
    }
}

/// Fast path: reads an amount or a surface in the usual French form, `1 250 000,50 €` or `60,5 m²`. Most values of a feed have
/// it, and splitting a text into tokens takes ten times as long. Every other form is left to the tokens.
fn simple(text: &str, kind: NumberKind) -> Option<f64> {
    let units: &[&str] = match kind {
        NumberKind::Price | NumberKind::Money => &["", "€", "EUR", "euros"],
        NumberKind::Surface => &["", "m²", "m2", "M2"],
        _ => return None,
    };
    let is_space = |c: char| matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}');
    let mut plain = [0_u8; 24];
    let mut length = 0;
    let mut push = |byte: u8| {
        *plain.get_mut(length)? = byte;
        length += 1;
        Some(())
    };
    let leading_digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut rest = text;
    let lead = leading_digits(rest);
    if lead == 0 {
        return None;
    }
    rest.bytes().take(lead).try_for_each(&mut push)?;
    rest = &rest[lead..];
    // Groups of three digits. Spaces elsewhere end the number.
    while let Some(after) = rest.strip_prefix(is_space).filter(|after| leading_digits(after) > 0) {
        if lead > 3 || leading_digits(after) != 3 {
            return None;
        }
        after.bytes().take(3).try_for_each(&mut push)?;
        rest = &after[3..];
    }
    if let Some(after) = rest.strip_prefix([',', '.']) {
        // Three digits may be thousands.
        let decimals = leading_digits(after);
        if !matches!(decimals, 1 | 2) {
            return None;
        }
        push(b'.')?;
        after.bytes().take(decimals).try_for_each(&mut push)?;
        rest = &after[decimals..];
    }
    let number = std::str::from_utf8(&plain[..length]).ok()?.parse().ok()?;
    units.contains(&rest.trim_matches(is_space)).then_some(number)
}

/// Checks what every number of a kind must meet, in quotes or not.
pub fn checked(number: f64, kind: NumberKind) -> Reading<f64> {
    if !number.is_finite() {
        return Reading::Unusable(MALFORMED);
    }
    if kind != NumberKind::Year {
        return Reading::Value(number);
    }
    // Databases write an unknown year as 0.
    if number == 0.0 {
        Reading::NotGiven
    } else if number < 1_000.0 {
        Reading::Unusable("is not a year of four digits")
    } else {
        Reading::Value(number)
    }
}

/// The rules of each kind.
impl Tokens {
    /// Returns the only number, or the only one beside a unit.
    fn one_number(&self, units: &[&str]) -> Result<usize, &'static str> {
        let numbers = self.numbers();
        match numbers.as_slice() {
            [] => return Err(NO_NUMBER),
            [one] => return Ok(*one),
            _ if self.has_range(&numbers) => return Err(RANGE),
            _ => {}
        }
        let beside_unit = |index: &usize| units.contains(&self.word_at(index.checked_add(1)));
        let mut with_unit = numbers.into_iter().filter(beside_unit);
        match (with_unit.next(), with_unit.next()) {
            (Some(one), None) => Ok(one),
            _ => Err(SEVERAL),
        }
    }

    /// Reads the only number, or the only one beside a unit. Without a unit, all words must be known.
    fn number_with(&self, kind: NumberKind, units: &[&str], known: &[&str]) -> Reading<f64> {
        let index = match self.one_number(units) {
            Ok(index) => index,
            Err(reason) => return Reading::Unusable(reason),
        };
        let understood =
            |word: &str| units.contains(&word) || known.contains(&word) || APPROXIMATE.contains(&word);
        if !self.has_word(units) && !self.words().all(understood) {
            return Reading::Unusable(UNKNOWN_WORDS);
        }
        let Some(number) = self.value_at(index, kind.groups_by_three()) else {
            return Reading::Unusable(MALFORMED);
        };
        // `5+`, `5 et plus`: at least five.
        let counts = matches!(kind, NumberKind::Rooms | NumberKind::Bedrooms | NumberKind::Count);
        let open = matches!(self.0.get(index + 1), Some(Token::Symbol('+'))) || self.has_word(&["plus"]);
        match checked(number, kind) {
            Reading::Value(number) if counts && open => {
                Reading::Remarked(number, format!("means at least {number}; {number} was kept"))
            }
            reading => reading,
        }
    }

    fn read(&self, kind: NumberKind) -> Reading<f64> {
        if self.has_symbol(&['<', '>', '≤', '≥']) {
            return Reading::Unusable("is a limit, not a value");
        }
        match kind {
            NumberKind::Price | NumberKind::Money => self.money(kind),
            NumberKind::Percent => self.percent(),
            NumberKind::Surface => self.surface(),
            NumberKind::Rating => self.rating(),
            NumberKind::Count => self.count(),
            NumberKind::Rooms | NumberKind::Bedrooms => self.rooms(kind),
            NumberKind::Floor => self.floor(),
            NumberKind::Levels => self.levels(),
            NumberKind::Year => self.year(),
            NumberKind::Degrees => self.degrees(),
            NumberKind::Plain => self.number_with(kind, &[], &["pourcent"]),
        }
    }

    fn money(&self, kind: NumberKind) -> Reading<f64> {
        if self.has_word(OTHER_CURRENCIES) || self.has_symbol(&['$', '£', '¥']) {
            return Reading::Unusable("is not in euros");
        }
        if self.has_word(&["m2", "ha", "are"]) {
            return Reading::Unusable("is a price per area");
        }
        if self.has_symbol(&['%']) && !self.has_word(&["eur", "euro", "euros"]) {
            return Reading::Unusable("is a percentage, not an amount");
        }
        if self.has_word(SHORT_PERIODS) || kind == NumberKind::Price && self.has_word(OTHER_PERIODS) {
            return Reading::Unusable("is not an amount per month");
        }
        let index = match self.one_number(&["eur", "euro", "euros"]) {
            Ok(index) => index,
            Err(NO_NUMBER) if self.has_word(ON_REQUEST) => return Reading::NotGiven,
            Err(NO_NUMBER)
                if kind == NumberKind::Money
                    && self.has_word(&[
                        "gratuit", "offert", "offerts", "aucun", "aucune", "aucuns", "neant", "sans",
                    ]) =>
            {
                return Reading::Value(0.0);
            }
            Err(reason) => return Reading::Unusable(reason),
        };
        if self.word_at(Some(index + 1)) == "f" {
            return Reading::Unusable("is not in euros");
        }
        let multiplier = match self.word_at(Some(index + 1)) {
            "k" | "ke" | "keur" | "keuros" | "kilo" | "mille" => 1e3,
            "m" | "me" | "meur" | "meuros" | "mio" | "million" | "millions" => 1e6,
            _ => 1.0,
        };
        let known = |word: &str| MONEY_WORDS.contains(&word) || APPROXIMATE.contains(&word);
        if !self.has_word(&["eur", "euro", "euros", "ke", "keur", "keuros", "me", "meur", "meuros"])
            && !self.words().all(known)
        {
            return Reading::Unusable(UNKNOWN_WORDS);
        }
        match self.value_at(index, multiplier == 1.0 && kind.groups_by_three()) {
            Some(number) => Reading::Value(number * multiplier),
            None => Reading::Unusable(MALFORMED),
        }
    }

    fn percent(&self) -> Reading<f64> {
        if self.has_symbol(&['%']) {
            let after = |index: &usize| self.0.get(index + 1) == Some(&Token::Symbol('%'));
            let numbers = self.numbers();
            let marked: Vec<usize> = numbers.iter().copied().filter(after).collect();
            return match marked.as_slice() {
                [] => Reading::Unusable(NO_NUMBER),
                _ if self.has_range(&numbers) => Reading::Unusable(RANGE),
                [one] => self.value_at(*one, false).map_or(Reading::Unusable(MALFORMED), Reading::Value),
                _ => Reading::Unusable(SEVERAL),
            };
        }
        if self.has_word(&["eur", "euro", "euros"]) {
            return Reading::Unusable("is an amount, not a percentage");
        }
        if self.numbers().is_empty() && self.has_word(&["sans", "aucun", "aucune", "gratuit"]) {
            return Reading::Value(0.0);
        }
        self.number_with(NumberKind::Percent, &[], PERCENT_WORDS)
    }

    fn surface(&self) -> Reading<f64> {
        if self.has_word(OTHER_AREAS) {
            return Reading::Unusable("is not in square metres");
        }
        let numbers = self.numbers();
        if let Some(area) = self.hectares(&numbers) {
            return Reading::Value(area);
        }
        // `1 ha de 60 m²` mixes units: not a single surface.
        if self.has_word(&["ha", "hectare", "hectares", "ares"]) {
            return Reading::Unusable(SEVERAL);
        }
        self.number_with(NumberKind::Surface, SQUARE_METRES, SURFACE_WORDS)
    }

    /// Reads hectares, ares and centiares: `1,2 ha`, `12 a 30 ca`. `None` if the text is written otherwise.
    fn hectares(&self, numbers: &[usize]) -> Option<f64> {
        let square_metres = |word: &str| match word {
            "ha" | "hectare" | "hectares" => Some(10_000.0),
            "a" | "are" | "ares" => Some(100.0),
            "ca" | "centiare" | "centiares" => Some(1.0),
            _ => None,
        };
        let (mut area, mut smallest) = (0.0, f64::INFINITY);
        for index in numbers {
            let unit = square_metres(self.word_at(Some(index + 1)))?;
            // Each unit is smaller than the one before. `5 a 6 ha` is a range.
            if unit >= smallest {
                return None;
            }
            smallest = unit;
            area += self.value_at(*index, false)? * unit;
        }
        (smallest < f64::INFINITY).then_some(area)
    }

    fn rating(&self) -> Reading<f64> {
        if self.numbers().is_empty() && self.has_word(super::energy::NOT_RATED) {
            return Reading::NotGiven;
        }
        self.number_with(NumberKind::Rating, RATING_UNITS, RATING_WORDS)
    }

    fn count(&self) -> Reading<f64> {
        if self.numbers().is_empty() {
            return self.spelled(&[]);
        }
        self.number_with(NumberKind::Count, COUNTED, &["nombre", "de", "total"])
    }

    fn rooms(&self, kind: NumberKind) -> Reading<f64> {
        let numbers = self.numbers();
        let bedrooms = kind == NumberKind::Bedrooms;
        if numbers.is_empty() {
            if self.has_word(&["studio", "studette"]) {
                // A studio is one room without a bedroom.
                return Reading::Value(if bedrooms { 0.0 } else { 1.0 });
            }
            return self.spelled(&["piece", "pieces", "chambre", "chambres", "principales"]);
        }
        if bedrooms {
            return self.number_with(kind, BEDROOMS, &["plus", "et", "ou"]);
        }
        let types = ["t", "f", "type", "p", "v", "studio"];
        let before_number = |index: &usize| types.contains(&self.word_at(index.checked_sub(1)));
        if let [one] = numbers.as_slice()
            && before_number(one)
        {
            // `T3`, `F4 bis`, `Type 5 duplex`: the words after the type are comments.
            return match self.value_at(*one, false) {
                Some(number) => Reading::Value(number),
                None => Reading::Unusable(MALFORMED),
            };
        }
        self.number_with(kind, ROOMS, &["plus", "et", "ou", "principales", "bis"])
    }

    fn floor(&self) -> Reading<f64> {
        let numbers = self.numbers();
        let below = self.has_word(&["sol", "soussol", "basement", "ss", "cave"]) && !self.has_word(&["rez"]);
        // `R.D.C.`: three words of one character each.
        let initials = self.words().take(3).eq(["r", "d", "c"]);
        if initials || self.has_word(GROUND_FLOOR) {
            // `RDC/5` is the ground floor of five; `RDC + 1` is not one floor.
            return if self.has_symbol(&['+']) { Reading::Unusable(RANGE) } else { Reading::Value(0.0) };
        }
        if numbers.is_empty() {
            if below {
                return Reading::Value(-1.0);
            }
            let known = ["etage", "etages", "niveau", "et", "dernier", "floor", "au"];
            return match self.spelled(&known) {
                Reading::Unusable(_) if self.has_word(&["dernier", "haut", "top", "eleve"]) => {
                    Reading::Unusable("does not say which floor")
                }
                reading => reading,
            };
        }
        // `R+2` counts from the ground floor.
        if let [Token::Word(word), Token::Symbol('+'), Token::Number(_), ..] = self.0.as_slice()
            && word == "r"
            && numbers.len() == 1
        {
            return self.value_at(2, true).map_or(Reading::Unusable(MALFORMED), Reading::Value);
        }
        let joined = |from: usize, to: usize| match &self.0[from + 1..to] {
            [.., Token::Symbol('/')] => true,
            [.., Token::Word(word)] => matches!(word.as_str(), "sur" | "of"),
            _ => false,
        };
        // `2/5`, `2e étage sur 5`: the second floor of five.
        let words_known = self.words().all(|word| FLOOR_WORDS.contains(&word) || APPROXIMATE.contains(&word));
        let storeys = match numbers.as_slice() {
            [one] if words_known || below => self.value_at(*one, true),
            [one, of] if joined(*one, *of) && words_known => self
                .value_at(*one, true)
                .filter(|floor| self.value_at(*of, true).is_some_and(|all| *floor <= all)),
            [_] => return Reading::Unusable(UNKNOWN_WORDS),
            _ if self.has_range(&numbers) => return Reading::Unusable(RANGE),
            _ => return Reading::Unusable(SEVERAL),
        };
        match storeys {
            Some(number) if below => Reading::Value(-number.abs()),
            Some(number) => Reading::Value(number),
            None => Reading::Unusable(RANGE),
        }
    }

    fn levels(&self) -> Reading<f64> {
        if let [Token::Word(word), Token::Symbol('+'), Token::Number(_)] = self.0.as_slice()
            && word == "r"
        {
            return self.value_at(2, true).map_or(Reading::Unusable(MALFORMED), Reading::Value);
        }
        if self.numbers().is_empty() {
            return self.spelled(&["etage", "etages", "niveau", "niveaux"]);
        }
        self.number_with(NumberKind::Levels, LEVELS, &["sur"])
    }

    fn year(&self) -> Reading<f64> {
        if self.has_word(VAGUE_YEARS) {
            return Reading::Unusable("is not one year");
        }
        self.number_with(NumberKind::Year, &[], YEAR_WORDS)
    }

    fn degrees(&self) -> Reading<f64> {
        let reading =
            self.number_with(NumberKind::Degrees, &[], &["n", "s", "e", "w", "o", "lat", "lon", "lng"]);
        let negative = self.has_word(&["s", "w", "o"]);
        reading.map(|degrees| if negative { -degrees.abs() } else { degrees })
    }

    /// Reads a number in words, from none to ten, cardinal or ordinal.
    fn spelled(&self, known: &[&str]) -> Reading<f64> {
        let mut found = None;
        for word in self.words() {
            let number = match word {
                "zero" | "aucun" | "aucune" | "neant" | "sans" => 0.0,
                "un" | "une" | "premier" | "premiere" | "one" | "first" => 1.0,
                "deux" | "deuxieme" | "second" | "seconde" | "two" => 2.0,
                "trois" | "troisieme" | "three" | "third" => 3.0,
                "quatre" | "quatrieme" | "four" | "fourth" => 4.0,
                "cinq" | "cinquieme" | "five" | "fifth" => 5.0,
                "six" | "sixieme" | "sixth" => 6.0,
                "sept" | "septieme" | "seven" | "seventh" => 7.0,
                "huit" | "huitieme" | "eight" | "eighth" => 8.0,
                "neuf" | "neuvieme" | "nine" | "ninth" => 9.0,
                "dix" | "dixieme" | "ten" | "tenth" => 10.0,
                _ if known.contains(&word) => continue,
                _ => return Reading::Unusable(NO_NUMBER),
            };
            if found.replace(number).is_some() {
                return Reading::Unusable(SEVERAL);
            }
        }
        found.map_or(Reading::Unusable(NO_NUMBER), Reading::Value)
    }
}

/// Reads `48°51'24" N`.
fn degrees_minutes_seconds(text: &str) -> Option<f64> {
    let (degrees, rest) = text.split_once('°')?;
    let rest = rest.replace(['′', '’', '″', '”', '\'', '"'], " ");
    let mut parts = rest.split_whitespace().peekable();
    let mut value: f64 = degrees.trim().replace(',', ".").parse().ok()?;
    let negative = value < 0.0;
    value = value.abs();
    let mut unit = 60.0;
    while let Some(number) = parts.peek().and_then(|part| part.replace(',', ".").parse::<f64>().ok()) {
        if !(0.0..60.0).contains(&number) || unit > 3_600.0 {
            return None;
        }
        value += number / unit;
        unit *= 60.0;
        parts.next();
    }
    let negative = match (parts.next().map(str::to_ascii_lowercase).as_deref(), parts.next()) {
        (None | Some("n" | "e"), None) => negative,
        (Some("s" | "w" | "o"), None) => true,
        _ => return None,
    };
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn fast_path_agrees_with_tokens(
            text in "[0-9]{1,5}([ \u{a0}\u{202f}][0-9]{2,4}){0,3}([.,][0-9]{0,4})?[ \u{a0}]?(€|EUR|euros|m²|m2|M2|k€|ha)?",
        ) {
            for kind in [NumberKind::Price, NumberKind::Money, NumberKind::Surface, NumberKind::Year] {
                if let Some(number) = simple(&text, kind) {
                    let tokens = Tokens::of(&text).map(|tokens| tokens.read(kind));
                    prop_assert_eq!(tokens, Some(Reading::Value(number)), "{}", text);
                }
            }
        }
    }

    #[test]
    fn usual_forms_take_the_fast_path() {
        for (text, kind, number) in [
            ("295 000 €", NumberKind::Price, 295_000.0),
            ("1\u{202f}250\u{202f}000,50\u{a0}€", NumberKind::Money, 1_250_000.5),
            ("60,1 m²", NumberKind::Surface, 60.1),
        ] {
            assert_eq!(simple(text, kind), Some(number), "{text}");
        }
        for (text, kind) in
            [("295.000", NumberKind::Price), ("12 34", NumberKind::Price), ("60 €", NumberKind::Surface)]
        {
            assert_eq!(simple(text, kind), None, "{text}");
        }
    }
}
