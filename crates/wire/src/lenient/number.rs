//! Numbers with currencies, units, separators and words: `1 250 000,50 €`, `60 m²`, `T3`, `2ème étage`.
//!
//! A text is split into numbers, words and symbols. The kind of the field decides which words may stand beside the number.
//! With a unit (`€`, `m²`, `pièces`) the other words are comments; without one, an unknown word makes the text unusable,
//! because the number may mean something else.

mod money;
mod simple;
mod tokens;
mod vocabulary;

use super::{Reading, date, says_unknown, text};
use crate::json::parse_number;
use simple::simple;
use tokens::{Token, Tokens};
use vocabulary::*;

/// What a number counts or measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberKind {
    /// A sale price, or a rent per month.
    Price,
    /// Another amount of money, due once.
    Money,
    /// An amount per year: charges of a condominium, a tax.
    YearlyMoney,
    /// An amount per month: charges of a rental, the rent of a life annuity.
    MonthlyMoney,
    Percent,
    Surface,
    /// The surface of a plot.
    Land,
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
            "price" => Self::Price,
            "condominiumFees" | "propertyTax" => Self::YearlyMoney,
            "rentalCharges" | "rent" => Self::MonthlyMoney,
            "surface" | "surfaceMin" | "surfaceMax" => Self::Surface,
            "landSurface" => Self::Land,
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
            | Self::YearlyMoney
            | Self::MonthlyMoney
            | Self::Count
            | Self::Rooms
            | Self::Bedrooms
            | Self::Floor
            | Self::Levels
            | Self::Year => true,
            Self::Percent | Self::Surface | Self::Land | Self::Rating | Self::Degrees | Self::Plain => false,
        }
    }

    const fn is_money(self) -> bool {
        matches!(self, Self::Price | Self::Money | Self::YearlyMoney | Self::MonthlyMoney)
    }

    /// How often an amount is due in a year. `None` if it is due once.
    const fn payments_per_year(self) -> Option<f64> {
        match self {
            Self::YearlyMoney => Some(1.0),
            Self::Price | Self::MonthlyMoney => Some(12.0),
            _ => None,
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
        return checked(number, kind);
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

/// Checks what every number of a kind must meet, in quotes or not.
pub fn checked(number: f64, kind: NumberKind) -> Reading<f64> {
    if !number.is_finite() {
        return Reading::Unusable(MALFORMED);
    }
    match kind {
        // Databases write an unknown number as 0. No home has no surface, and none has no room.
        NumberKind::Year | NumberKind::Surface | NumberKind::Land | NumberKind::Rooms if number == 0.0 => {
            Reading::NotGiven
        }
        NumberKind::Price if number == 0.0 => Reading::Unusable("stands for no price"),
        NumberKind::Year if number < 1_000.0 => Reading::Unusable("is not a year of four digits"),
        _ => Reading::Value(number),
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
        let mut left =
            numbers.into_iter().filter(|index| beside_unit(index) || !self.is_explained(*index, units));
        match (left.next(), left.next()) {
            (Some(one), None) if beside_unit(&one) => Ok(one),
            _ => Err(SEVERAL),
        }
    }

    /// Returns `true` if a number is known to count or measure something else than these units: `3 pièces`, `T3`, `n° 12`, `5 %`.
    fn is_explained(&self, index: usize, units: &[&str]) -> bool {
        if self.0.get(index + 1) == Some(&Token::Symbol('%')) {
            return true;
        }
        let after = self.word_at(index.checked_add(1));
        let others = [SQUARE_METRES, ROOMS, BEDROOMS, LEVELS, COUNTED];
        let is_other =
            |list: &&[&str]| list.contains(&after) && !list.iter().any(|word| units.contains(word));
        others.iter().any(is_other) || self.is_label(index)
    }

    /// Returns `true` if a number is part of a label: of a type of home such as `T3`, or behind `n°`.
    fn is_label(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|index| self.0.get(index));
        match before {
            Some(Token::Symbol('°')) => true,
            Some(Token::Word(word)) => HOME_TYPES.contains(&word.as_str()),
            Some(Token::Number(_) | Token::Symbol(_)) | None => false,
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
            NumberKind::Price | NumberKind::Money | NumberKind::YearlyMoney | NumberKind::MonthlyMoney => {
                self.money(kind)
            }
            NumberKind::Percent => self.percent(),
            NumberKind::Surface | NumberKind::Land => self.surface(kind),
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

    fn surface(&self, kind: NumberKind) -> Reading<f64> {
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
        match self.number_with(kind, SQUARE_METRES, SURFACE_WORDS) {
            // "1.200 m²" are as many square metres as "1 200 m²" to some, and no home has as few as to the others.
            Reading::Value(area) if area < 10.0 && self.may_be_thousands() => match kind {
                NumberKind::Land => {
                    let area = (area * 1_000.0).round();
                    Reading::Remarked(area, format!("has three decimals; it was read as {area}"))
                }
                _ => Reading::Unusable("has three decimals or stands for thousands"),
            },
            reading => reading,
        }
    }

    /// Returns `true` if the first number has a single point or comma, with three digits behind it.
    fn may_be_thousands(&self) -> bool {
        self.numbers().first().is_some_and(|index| match &self.0[*index] {
            Token::Number(literal) => literal.may_be_thousands(),
            Token::Word(_) | Token::Symbol(_) => false,
        })
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
        if self.has_symbol(&['°']) {
            return Reading::Unusable("is the number of a thing, not a count");
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
        let is_area = |index: &usize| SQUARE_METRES.contains(&self.word_at(Some(index + 1)));
        if numbers.iter().all(is_area) {
            return match self.has_word(&["studio", "studette"]) {
                true => Reading::Value(1.0),
                false => Reading::Unusable("is a surface, not a number of rooms"),
            };
        }
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
        let is_level = self.has_word(&["plain"]) && self.has_word(&["pied"]);
        if initials || is_level || self.has_word(GROUND_FLOOR) {
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
        // "Niveau -1": a dash right before the digits, and none between two words.
        let is_dashed =
            |index: &usize| matches!(&self.0[*index], Token::Number(literal) if literal.is_dashed());
        match storeys {
            Some(number) if below || numbers.first().is_some_and(is_dashed) => Reading::Value(-number.abs()),
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
