//! Parses place names as people write them: abbreviations, CEDEX, district ordinals, numbers next to names.
//!
//! Only the words are examined here; [`crate::resolve`] looks up the places.

use domain::{City, CountryCode, fold};

/// The parts of a place given as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PlaceQuery {
    /// The folded words of the name.
    pub words: Vec<String>,
    /// The same words, divided by the separators of the text: `Le Mourillon, Toulon` has two parts.
    pub parts: Vec<Vec<String>>,
    pub zipcode: Option<String>,
    pub numbers: Vec<PlaceNumber>,
    /// The zipcode had four digits, and a zero was put before them.
    pub zero_added: bool,
    /// A CEDEX zipcode belongs to a sorting office, not to the commune.
    pub cedex: bool,
    /// The country of a foreign zipcode: `B-7500 Tournai`.
    pub country: Option<CountryCode>,
}

/// A short number next to the name: a department (`st etienne 42`) or a district (`marseille 8`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlaceNumber {
    pub text: String,
    /// The number of an ordinal, which can only be a district: `11eme`, `3e arrondissement`.
    pub ordinal: Option<usize>,
    /// Before the name, or apart from it, as departments are written: `75 - Paris`, `Marseille (13)`.
    pub aside: bool,
    /// The part of the text that it belongs to. `None` if it is a part by itself.
    pub part: Option<usize>,
}

/// Countries whose zipcodes are written with their code in front, as a feed from the border has them.
const PREFIXED_COUNTRIES: [&str; 13] =
    ["AD", "AT", "BE", "CH", "DE", "ES", "GB", "IT", "LI", "LU", "MC", "NL", "PT"];
/// The codes of licence plates, which post offices used before the codes of the standard.
const PLATE_CODES: [(&str, &str); 8] =
    [("A", "AT"), ("B", "BE"), ("D", "DE"), ("E", "ES"), ("FL", "LI"), ("I", "IT"), ("L", "LU"), ("P", "PT")];
/// What may precede a French zipcode: the country, or `CP` for `code postal`.
const FRENCH_PREFIXES: [&str; 4] = ["CP", "F", "FR", "FRA"];

const DISTRICT_WORDS: [&str; 9] = [
    "arrondissement",
    "arrondissements",
    "arrondissemt",
    "arrondt",
    "arrond",
    "arrdt",
    "arrt",
    "ardt",
    "arr",
];
const ORDINAL_ENDINGS: [&str; 9] = ["e", "er", "em", "eme", "ere", "ieme", "nd", "nde", "d"];
/// Endings that are no French, but written: `2me`, `3iem`, `1re`, and the Spanish `1o`.
const MISSPELLED_ENDINGS: [&str; 7] = ["emme", "iem", "iemme", "iere", "me", "o", "re"];
/// Endings that are also written as a word of their own: `11 eme`. `nd` and `d` are not: they abbreviate other words.
const SEPARATE_ENDINGS: [&str; 8] = ["e", "er", "em", "eme", "ere", "iem", "ieme", "me"];
/// English portals write `15th arrondissement`.
const ENGLISH_ENDINGS: [&str; 4] = ["st", "nd", "rd", "th"];
const ORDINAL_WORDS: [&str; 20] = [
    "premier",
    "deuxieme",
    "troisieme",
    "quatrieme",
    "cinquieme",
    "sixieme",
    "septieme",
    "huitieme",
    "neuvieme",
    "dixieme",
    "onzieme",
    "douzieme",
    "treizieme",
    "quatorzieme",
    "quinzieme",
    "seizieme",
    "dixseptieme",
    "dixhuitieme",
    "dixneuvieme",
    "vingtieme",
];
const DEPARTMENT_WORDS: [&str; 4] = ["departement", "dept", "dpt", "dep"];
/// Words after the number of a house.
const STREET_WORDS: [&str; 24] = [
    "rue",
    "r",
    "avenue",
    "av",
    "ave",
    "boulevard",
    "bd",
    "bld",
    "place",
    "pl",
    "chemin",
    "che",
    "impasse",
    "imp",
    "allee",
    "allees",
    "quai",
    "route",
    "rte",
    "cours",
    "square",
    "passage",
    "residence",
    "lotissement",
];
/// Words after a name that do not distinguish communes.
const NAME_SUFFIXES: [&str; 8] = ["centre", "est", "france", "hypercentre", "nord", "ouest", "sud", "ville"];
/// Words before a name that do not distinguish communes.
const NAME_PREFIXES: [&str; 6] = ["centre", "commune", "mairie", "quartier", "secteur", "ville"];
pub(crate) const ARTICLES: [&str; 6] = ["l", "le", "la", "les", "los", "aux"];

impl PlaceQuery {
    pub fn parse(text: &str) -> Self {
        let mut query = Self::default();
        if text.is_empty() {
            return query;
        }
        let mut street = None;
        for segment in segments(text) {
            street = query.add_segment(&segment).or(street);
        }
        if let (true, None, Some(street)) = (query.words.is_empty(), &query.zipcode, street) {
            // `12 rue de la Paix Paris`: the end of the street may be a name.
            query.words.clone_from(&street);
            query.parts.push(street);
        }
        query.move_article();
        if query.words.is_empty() && query.zipcode.is_none() {
            // Numbers alone are all there is to report.
            query.words = query.numbers.drain(..).map(|number| number.text).collect();
            query.parts.extend((!query.words.is_empty()).then(|| query.words.clone()));
        }
        query
    }

    /// Moves an article after the name before it: `Mans (Le)`, `Havre, Le`.
    fn move_article(&mut self) {
        let [.., name, article] = self.parts.as_mut_slice() else { return };
        if let [article] = article.as_slice()
            && ARTICLES.contains(&article.as_str())
        {
            name.insert(0, article.clone());
            self.parts.pop();
            self.words = self.parts.concat();
        }
    }

    /// Returns the name for warnings: as given, or without the zipcode and CEDEX.
    pub fn name_in(&self, given: &str) -> String {
        if self.zipcode.is_some() || self.cedex { self.words.join(" ") } else { given.trim().into() }
    }

    /// Adds the parts of a segment. Returns the words of a street.
    fn add_segment(&mut self, segment: &Segment) -> Option<Vec<String>> {
        self.country = self.country.or_else(|| country_of_address(&segment.text));
        let mut words = words_of(&segment.text);
        if let Some(name_at) = self.extract_zipcode(&mut words)
            && is_street(&words[..name_at])
        {
            // `12 rue de la Paix 75002 Paris`
            words.drain(..name_at);
        }
        if is_street(&words) {
            return Some(words.split_off(1));
        }
        self.extract_cedex(&mut words);
        words.retain(|word| !DEPARTMENT_WORDS.contains(&word.as_str()));
        let numbers = extract_numbers(&mut words);
        let is_alone = words.is_empty();
        let part = (!is_alone).then_some(self.parts.len());
        self.numbers.extend(numbers.into_iter().map(|(text, ordinal, is_leading)| {
            let aside = is_leading || is_alone || segment.in_parentheses;
            PlaceNumber { text, ordinal, aside, part }
        }));
        if is_alone {
            return None;
        }
        if segment.after_slash && !self.words.is_empty() {
            // A slash stands for `sur` or `sous`, with or without an s before it: `Vitry/Seine`, `Chalon s/ Saône`.
            self.words.push("s".into());
        }
        self.words.extend(words.iter().cloned());
        self.words.dedup_by(|word, before| word == before && word == "s");
        self.parts.push(words);
        None
    }

    /// Extracts the zipcode. Returns the position of the word after it.
    fn extract_zipcode(&mut self, words: &mut Vec<String>) -> Option<usize> {
        let is_zipcode = |word: &String| word.len() == 5 && is_digits(word);
        if let Some(index) = (1..words.len()).find(|index| {
            // `75 015`
            is_digits(&words[index - 1])
                && is_digits(&words[*index])
                && (words[index - 1].len(), words[*index].len()) == (2, 3)
        }) {
            let end = words.remove(index);
            words[index - 1].push_str(&end);
        }
        if let [first, next, ..] = words.as_mut_slice()
            && first.len() == 4
            && is_digits(first)
            && !first.starts_with('0')
            && !next.starts_with(|letter: char| letter.is_ascii_digit())
            && !STREET_WORDS.contains(&next.as_str())
        {
            // A spreadsheet drops the zero of 06000. A number after the name is an altitude: `Courchevel 1850`.
            first.insert(0, '0');
            self.zero_added = self.zipcode.is_none();
        }
        if let Some(known) = &self.zipcode {
            words.retain(|word| word != known);
            return None;
        }
        let index = words.iter().position(is_zipcode)?;
        let zipcode = words.remove(index);
        words.retain(|word| *word != zipcode);
        self.zipcode = Some(zipcode);
        // The obsolete country prefix: F-75011.
        if index > 0 && matches!(words[index - 1].as_str(), "f" | "fr") {
            words.remove(index - 1);
            return Some(index - 1);
        }
        Some(index.min(words.len()))
    }

    fn extract_cedex(&mut self, words: &mut Vec<String>) {
        let Some(index) = words.iter().position(|word| word == "cedex") else { return };
        self.cedex = true;
        words.remove(index);
        if words.get(index).is_some_and(|word| word.len() <= 2 && is_digits(word)) {
            words.remove(index);
        }
    }
}

/// Splits a zipcode into the letters before it, in upper case, and the rest: `F-75011`, `LUX 2450`.
fn split_prefix(zipcode: &str) -> (String, &str) {
    let zipcode = zipcode.trim();
    let letters = zipcode.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (prefix, rest) = zipcode.split_at(letters);
    (prefix.to_ascii_uppercase(), rest.trim_start_matches([' ', '-']))
}

/// Returns the foreign country that a zipcode names: `B-7500`, `CH 1000`.
pub(crate) fn zipcode_country(zipcode: &str) -> Option<CountryCode> {
    // Those of Andorra have three digits.
    const DIGITS_MIN: usize = 3;
    let (prefix, rest) = split_prefix(zipcode);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let code =
        PLATE_CODES.iter().find(|(plate, _)| *plate == prefix).map_or(prefix.as_str(), |(_, code)| code);
    CountryCode::parse(code)
        .filter(|country| digits >= DIGITS_MIN && PREFIXED_COUNTRIES.contains(&country.as_str()))
}

/// Returns the zipcode without a prefix that says it is French: `F-75011`. Other letters say that it is not.
pub(crate) fn without_french_prefix(zipcode: &str) -> Option<&str> {
    let (prefix, rest) = split_prefix(zipcode);
    let is_french = prefix.is_empty()
        || FRENCH_PREFIXES.contains(&prefix.as_str())
        || CountryCode::parse(&prefix).is_some_and(CountryCode::is_french);
    is_french.then_some(rest)
}

/// Returns the country of a foreign zipcode with a name: `B-7500 Tournai`. Only a hyphen says that the letters belong to the
/// number: `à 75011 Paris` starts with a letter as well.
fn country_of_address(text: &str) -> Option<CountryCode> {
    let (zipcode, name) = text.trim().split_once(' ')?;
    let (prefix, number) = zipcode.split_once('-')?;
    let is_address = prefix.bytes().all(|letter| letter.is_ascii_alphabetic())
        && matches!(number.len(), 4 | 5)
        && is_digits(number)
        && name.contains(char::is_alphabetic);
    is_address.then(|| zipcode_country(zipcode)).flatten()
}

/// The text between two separators.
#[derive(Default)]
struct Segment {
    text: String,
    in_parentheses: bool,
    /// Only a slash separates it from the one before: `Vitry/Seine`.
    after_slash: bool,
}

/// Divides a text at commas, parentheses and the like, and at dashes between spaces.
fn segments(text: &str) -> Vec<Segment> {
    let letters: Vec<char> = text.chars().collect();
    let mut segments = Vec::new();
    let mut current = Segment::default();
    for (index, &letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).map_or(' ', |before| letters[before]);
        let after = letters.get(index + 1).copied().unwrap_or(' ');
        let is_spaced = before.is_whitespace() && after.is_whitespace();
        let mut next = Segment { in_parentheses: current.in_parentheses, ..Segment::default() };
        match letter {
            '(' | '[' => next.in_parentheses = true,
            ')' | ']' => next.in_parentheses = false,
            ',' | ';' | '|' | ':' | '•' | '·' | '>' | '\n' | '\t' => {}
            '-' | '–' | '—' if is_spaced => {}
            '/' if !ends_in_s(&current.text) => next.after_slash = !is_spaced,
            // `15°` is an ordinal, `n°15` is not.
            '°' | 'º' => {
                current.text.push_str(if before.is_ascii_digit() { "e " } else { " " });
                continue;
            }
            letter => {
                current.text.push(if letter == '/' { ' ' } else { letter });
                continue;
            }
        }
        segments.push(std::mem::replace(&mut current, next));
    }
    segments.push(current);
    segments
}

/// Returns `true` if the last word is the `s` of `s/ Saône`.
fn ends_in_s(text: &str) -> bool {
    let text = text.trim_end();
    let before = text.strip_suffix(['s', 'S']);
    before
        .is_some_and(|before| before.is_empty() || before.ends_with(|letter: char| !letter.is_alphanumeric()))
}

/// Returns the folded words. Words that are written as one are separated (`Paris15`), ordinals that are written as two are
/// joined (`11 eme`, `XV e`), numbers with `arrondissement` become ordinals.
fn words_of(text: &str) -> Vec<String> {
    let folded = fold(text);
    let mut words: Vec<String> = Vec::new();
    for word in folded.split(' ').filter(|word| !word.is_empty()) {
        split_glued(word, &mut words);
    }
    for index in (1..words.len()).rev() {
        let (number, ending) = (&words[index - 1], words[index].as_str());
        let is_split = if is_digits(number) {
            number.len() <= 2
                && (SEPARATE_ENDINGS.contains(&ending)
                    || matches!(number.as_str(), "2" | "02") && matches!(ending, "nd" | "nde"))
        } else {
            roman(number).is_some() && SEPARATE_ENDINGS.contains(&ending)
                || number == "dix" && matches!(ending, "septieme" | "huitieme" | "neuvieme")
        };
        if is_split {
            let ending = words.remove(index);
            words[index - 1].push_str(&ending);
        } else if is_digits(&words[index]) && matches!(number.as_str(), "n" | "no" | "num" | "numero") {
            words.remove(index - 1);
        }
    }
    for index in (1..words.len()).rev() {
        // `3e étage` is a floor.
        if words.get(index).is_some_and(|word| word == "etage") && ordinal(&words[index - 1]).is_some() {
            words.drain(index - 1..=index);
        }
    }
    mark_districts(&mut words);
    words
}

/// Makes an ordinal of the number next to the word `arrondissement`, and removes the word.
fn mark_districts(words: &mut Vec<String>) {
    let is_plain = |word: &String| word.len() <= 2 && is_digits(word);
    while let Some(index) = words.iter().position(|word| DISTRICT_WORDS.contains(&word.as_str())) {
        let neighbours = [index.checked_sub(1), Some(index + 1)].into_iter().flatten();
        let numbers = neighbours.chain(0..words.len());
        let is_marked = index > 0 && ordinal(&words[index - 1]).is_some() && !is_plain(&words[index - 1]);
        if !is_marked
            && let Some(number) = numbers.into_iter().find(|at| words.get(*at).is_some_and(is_plain))
        {
            words[number].push('e');
        }
        words.remove(index);
        // `11e arrondissement de Paris`
        if words.len() > index + 1 && matches!(words[index].as_str(), "de" | "d" | "du") {
            words.remove(index);
        }
    }
}

/// Separates what is written without a space: `Paris15`, `75015Paris`, `15emearrondissement`.
fn split_glued(word: &str, words: &mut Vec<String>) {
    let is_digit = |letter: char| letter.is_ascii_digit();
    match word.find(is_digit) {
        Some(0) => {
            let (digits, rest) = word.split_at(word.find(|letter| !is_digit(letter)).unwrap_or(word.len()));
            let district = DISTRICT_WORDS.iter().find_map(|district| rest.strip_suffix(district));
            if digits.len() == 5 && !rest.is_empty() {
                words.push(digits.into());
                split_glued(rest, words);
            } else if digits.len() <= 2 && ENGLISH_ENDINGS.contains(&rest)
                || district.is_some_and(|ending| ending.is_empty() || ORDINAL_ENDINGS.contains(&ending))
            {
                words.push(format!("{digits}e"));
            } else {
                words.push(word.into());
            }
        }
        Some(at) => {
            let (letters, rest) = word.split_at(at);
            let is_zipcode = rest.len() == 5 && is_digits(rest);
            if matches!(letters, "f" | "fr") && is_zipcode {
                words.push(rest.into());
            } else if at >= 3 {
                words.push(letters.into());
                split_glued(rest, words);
            } else {
                words.push(word.into());
            }
        }
        None => words.push(word.into()),
    }
}

/// Returns `true` for the number of a house and a street.
fn is_street(words: &[String]) -> bool {
    let is_house =
        |word: &String| word.trim_end_matches(|letter: char| letter.is_ascii_lowercase()).len() <= 4;
    let Some((house, rest)) = words.split_first() else { return false };
    let rest = match rest {
        [repeated, rest @ ..] if matches!(repeated.as_str(), "bis" | "ter" | "quater" | "a" | "b") => rest,
        rest => rest,
    };
    house.starts_with(|letter: char| letter.is_ascii_digit())
        && is_house(house)
        && rest.first().is_some_and(|word| STREET_WORDS.contains(&word.as_str()))
}

/// Extracts ordinals, and numbers before and after a name. Returns each with the number of an ordinal, and whether it was
/// before the name.
fn extract_numbers(words: &mut Vec<String>) -> Vec<(String, Option<usize>, bool)> {
    let mut numbers = Vec::new();
    let is_ordinal = |word: &String| ordinal(word).is_some() && !is_digits(word);
    while let Some(index) = words.iter().position(is_ordinal) {
        let word = words.remove(index);
        numbers.push((word.clone(), ordinal(&word), index == 0));
        // `11e de Paris`
        if index == 0 && words.len() > 1 && words[0] == "de" {
            words.remove(0);
        }
    }
    if numbers.len() > 1 {
        // `Lyon 3e et 6e`
        words.retain(|word| !matches!(word.as_str(), "et" | "ou"));
    }
    let is_short = |word: &String| word.len() <= 3 && is_number(word);
    while words.last().is_some_and(is_short) {
        numbers.extend(words.pop().map(|word| (word, None, words.is_empty())));
    }
    while words.first().is_some_and(is_short) {
        numbers.push((words.remove(0), None, true));
    }
    numbers
}

/// Returns the keys to look up for these words, the most literal first.
pub(crate) fn keys(words: &[String]) -> Vec<String> {
    let mut keys = vec![key(words.iter().map(String::as_str), "sur")];
    // `Fontenay s/ Bois` stands for `sous`, not for `sur`.
    keys.push(key(words.iter().map(String::as_str), "sous"));
    let suffixes = words.iter().rev().take_while(|word| NAME_SUFFIXES.contains(&word.as_str())).count();
    if (1..words.len()).contains(&suffixes) {
        keys.push(key(words[..words.len() - suffixes].iter().map(String::as_str), "sur"));
    }
    let prefixes = words.iter().take_while(|word| NAME_PREFIXES.contains(&word.as_str())).count();
    if prefixes > 0 {
        let name = match &words[prefixes..] {
            [de, name @ ..] if matches!(de.as_str(), "de" | "d" | "du") => name,
            name => name,
        };
        if !name.is_empty() {
            keys.push(key(name.iter().map(String::as_str), "sur"));
        }
        if (1..name.len()).contains(&suffixes) {
            // `Secteur Toulouse Nord`
            keys.push(key(name[..name.len() - suffixes].iter().map(String::as_str), "sur"));
        }
    }
    keys.dedup();
    keys
}

/// Returns `true` for words that do not distinguish communes when they follow a name: `Nord`, `Centre ville`.
pub(crate) fn is_suffix(words: &[String]) -> bool {
    words.iter().all(|word| NAME_SUFFIXES.contains(&word.as_str()))
}

/// Returns the key of a folded name: its words with abbreviations expanded and without spaces, because spacing varies.
/// `s` is the expansion of the word `s`.
pub(crate) fn key<'a>(words: impl Iterator<Item = &'a str>, s: &'static str) -> String {
    let mut key = String::with_capacity(48);
    words.for_each(|word| key.push_str(if word == "s" { s } else { expanded(word) }));
    key
}

/// Returns the keys of a name of the geography: the full name, without its article, and without a part in parentheses.
pub(crate) fn keys_of_name(name: &str, folded: &str) -> impl Iterator<Item = String> {
    let whole = Some(key(folded.split(' '), "sur"));
    let without_article = folded.split_once(' ').filter(|(article, _)| ARTICLES.contains(article));
    let without_article = without_article.map(|(_, rest)| key(rest.split(' '), "sur"));
    let before_parenthesis = name.split_once('(').map(|(outside, _)| key(fold(outside).split(' '), "sur"));
    [whole, without_article, before_parenthesis].into_iter().flatten()
}

fn expanded(word: &str) -> &str {
    match word {
        "st" => "saint",
        "ste" => "sainte",
        "sts" => "saints",
        "stes" => "saintes",
        "mt" => "mont",
        "nd" => "notredame",
        "ss" => "sous",
        "vx" => "vieux",
        "gd" => "grand",
        "gde" => "grande",
        // The last word of two towns, usually abbreviated.
        "fd" => "ferrand",
        "mlx" => "moulineaux",
        // Means "near"; both spellings are common.
        "lez" => "les",
        word => word,
    }
}

/// Returns the number of an ordinal: `11e`, `1er`, `08`.
fn ordinal(word: &str) -> Option<usize> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (number, ending) = word.split_at(digits);
    let is_ending = ORDINAL_ENDINGS.contains(&ending) || MISSPELLED_ENDINGS.contains(&ending);
    ((1..=2).contains(&digits) && (ending.is_empty() || is_ending)).then(|| number.parse().ok()).flatten()
}

/// Returns the number of a district given in Arabic numerals, in Roman numerals or as a word: `8`, `XVI`, `xvie`, `seizieme`.
pub(crate) fn district_number(word: &str) -> Option<usize> {
    let by_word = || ORDINAL_WORDS.iter().position(|known| *known == word).map(|index| index + 1);
    ordinal(word).or_else(|| roman(word)).or_else(by_word)
}

/// Returns the number of a Roman numeral, with or without the ending of an ordinal.
fn roman(word: &str) -> Option<usize> {
    let digits = word.bytes().take_while(|letter| matches!(letter, b'i' | b'v' | b'x')).count();
    let (roman, ending) = word.split_at(digits);
    if digits == 0 || !(ending.is_empty() || ORDINAL_ENDINGS.contains(&ending)) {
        return None;
    }
    (1..=39).find(|number| roman_numeral(*number) == roman)
}

fn roman_numeral(number: usize) -> String {
    const ONES: [&str; 10] = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"];
    format!("{}{}", "x".repeat(number / 10), ONES[number % 10])
}

fn is_digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|letter| letter.is_ascii_digit())
}

/// Returns `true` for a zipcode, a prefix of one, or a department code.
pub(crate) fn is_number(word: &str) -> bool {
    is_digits(word) || matches!(word, "2a" | "2b")
}

/// Normalises a query of autocomplete: folded, `st` expanded, ordinals as in the names of districts.
pub(crate) fn normalize_query(query: &str) -> String {
    let folded = fold(query);
    let mut words: Vec<String> = Vec::new();
    let mut rest = folded.split(' ').peekable();
    while let Some(word) = rest.next() {
        // The last word may be incomplete: `st` could still become Strasbourg.
        let word = match word {
            "st" | "ste" | "sts" | "stes" if rest.peek().is_some() => expanded(word),
            word => word,
        };
        let follows_ordinal = words.last().and_then(|word| ordinal(word)).is_some();
        if follows_ordinal && (word.len() >= 2 && "arrondissement".starts_with(word) || word == "arrdt") {
            continue;
        }
        match words.last_mut() {
            Some(number) if is_digits(number) && number.len() <= 2 && ORDINAL_ENDINGS.contains(&word) => {
                *number = as_ordinal(number);
            }
            Some(_) => {
                let digits = word.bytes().take_while(u8::is_ascii_digit).count();
                let (number, ending) = word.split_at(digits);
                let ends =
                    ORDINAL_ENDINGS.iter().any(|known| known.starts_with(ending)) && !ending.is_empty();
                words.push(if (1..=2).contains(&digits) && ends { as_ordinal(number) } else { word.into() });
            }
            None => words.push(word.into()),
        }
    }
    words.join(" ")
}

fn as_ordinal(number: &str) -> String {
    match number.trim_start_matches('0') {
        "1" => "1er".into(),
        number => format!("{number}e"),
    }
}

/// Splits a number at either end of a query from the name.
pub(crate) fn split_number(typed: &str) -> Option<(String, String)> {
    let ends = [
        typed.rsplit_once(' ').map(|(name, number)| (number, name)),
        typed.split_once(' ').filter(|(number, _)| is_number(number)),
    ];
    let fits = |number: &str| (2..=5).contains(&number.len()) && is_number(number);
    let (number, name) = ends.into_iter().flatten().find(|(number, _)| fits(number))?;
    Some((number.into(), name.into()))
}

/// Returns `true` if a city has a zipcode with this prefix, or is in the department with this code.
pub(crate) fn number_matches(city: &City, number: &str) -> bool {
    city.department.code.eq_ignore_ascii_case(number)
        || city.zipcodes.iter().any(|zipcode| zipcode.as_str().starts_with(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_split_into_parts() {
        let parsed = |text: &str| {
            let PlaceQuery { words, parts, zipcode, zero_added, numbers, cedex, country } =
                PlaceQuery::parse(text);
            let mut described = vec![words.join(" ")];
            if parts.len() > 1 {
                described = vec![parts.iter().map(|part| part.join(" ")).collect::<Vec<_>>().join(" | ")];
            }
            let zipcode_kind = if zero_added { "padded zipcode" } else { "zipcode" };
            described.extend(zipcode.map(|zipcode| format!("{zipcode_kind} {zipcode}")));
            for PlaceNumber { text, ordinal, aside, part: _ } in numbers {
                let aside = if aside { " aside" } else { "" };
                described.push(match ordinal {
                    Some(ordinal) => format!("district {ordinal}"),
                    None => format!("number {text}{aside}"),
                });
            }
            described.extend(cedex.then(|| "cedex".into()));
            described.extend(country.map(|country| format!("country {country}")));
            described.retain(|part| !part.is_empty());
            described.join(", ")
        };
        for (text, expected) in [
            ("Le Mans", "le mans"),
            ("75011 Paris", "paris, zipcode 75011"),
            ("F-75011 Paris", "paris, zipcode 75011"),
            ("13617 Aix-en-Provence CEDEX 1", "aix en provence, zipcode 13617, cedex"),
            ("st etienne 42", "st etienne, number 42"),
            ("Ajaccio (2A)", "ajaccio, number 2a aside"),
            ("42 Saint Etienne", "saint etienne, number 42 aside"),
            ("Paris 15ème (75)", "paris, district 15, number 75 aside"),
            ("75 - Paris 11ème", "paris, number 75 aside, district 11"),
            ("Paris 15 75", "paris, number 75, number 15"),
            ("Paris15", "paris, number 15"),
            ("PARIS15EME", "paris, district 15"),
            ("Paris 15°", "paris, district 15"),
            ("Paris 2me", "paris, district 2"),
            ("Paris 3 iem", "paris, district 3"),
            ("Lyon 3 arrt", "lyon, district 3"),
            ("17 Ré", "re, number 17 aside"),
            ("Paris n°15", "paris, number 15"),
            ("Paris 15th arrondissement", "paris, district 15"),
            ("Paris 15ème/16ème", "paris, district 15, district 16"),
            ("75 015 Paris", "paris, zipcode 75015"),
            ("75015Paris", "paris, zipcode 75015"),
            ("6000 Nice", "nice, padded zipcode 06000"),
            ("B-7500 Tournai", "b 7500 tournai, country BE"),
            ("Rue de la Gare, L-2450 Luxembourg", "rue de la gare | l 2450 luxembourg, country LU"),
            ("à 75011 Paris", "a paris, zipcode 75011"),
            ("Courchevel 1850", "courchevel 1850"),
            ("Les 2 Alpes", "les 2 alpes"),
            ("44 ND des Landes", "nd des landes, number 44 aside"),
            ("93 St Denis", "st denis, number 93 aside"),
            ("Le Mourillon, Toulon", "le mourillon | toulon"),
            ("Toulon / La Garde", "toulon | la garde"),
            ("Boulogne - Billancourt", "boulogne | billancourt"),
            ("Paris, 3e étage", "paris"),
            ("12 rue de la Paix 75002 Paris", "paris, zipcode 75002"),
            ("12 bis avenue Foch, Toulon", "toulon"),
            ("12 rue de la Paix, Paris", "paris"),
            ("MANS (LE)", "le mans"),
            ("Lyon 3ème et 6ème", "lyon, district 3, district 6"),
            ("Saint-Pierre dept. 974", "saint pierre, number 974"),
            ("Paris 11e", "paris, district 11"),
            ("Paris 11 ème arrdt", "paris, district 11"),
            ("11e arrondissement de Paris", "paris, district 11"),
            ("Lyon 3", "lyon, number 3"),
            ("Lyon 3 arrondissement", "lyon, district 3"),
            ("Chalon s/ Saône", "chalon s saone"),
            ("Fontenay s/s Bois", "fontenay s bois"),
            ("75", "75"),
            ("", ""),
        ] {
            assert_eq!(parsed(text), expected, "{text}");
        }
    }

    #[test]
    fn letters_before_a_zipcode_are_a_country() {
        for (zipcode, country, french) in [
            ("75011", None, Some("75011")),
            ("F-75011", None, Some("75011")),
            ("FR 75011", None, Some("75011")),
            ("fra75011", None, Some("75011")),
            ("RE-97400", None, Some("97400")),
            ("CP 75011", None, Some("75011")),
            ("2A000", None, Some("2A000")),
            ("B-7500", Some("BE"), None),
            ("BE 7500", Some("BE"), None),
            ("L2450", Some("LU"), None),
            ("LUX-2450", Some("LU"), None),
            ("CH-1000", Some("CH"), None),
            ("D-67480", Some("DE"), None),
            ("A-1010", Some("AT"), None),
            ("MC 98000", Some("MC"), None),
            ("XY-75011", None, None),
            ("E1 6AN", None, None),
        ] {
            assert_eq!(zipcode_country(zipcode), country.and_then(CountryCode::parse), "{zipcode}");
            assert_eq!(without_french_prefix(zipcode), french, "{zipcode}");
        }
    }

    #[test]
    fn name_has_keys_for_its_common_forms() {
        let keys = |name: &str| keys_of_name(name, &fold(name)).collect::<Vec<_>>();
        assert_eq!(keys("L'Haÿ-les-Roses"), ["lhaylesroses", "haylesroses"]);
        assert_eq!(keys("Château-Chinon (Ville)"), ["chateauchinonville", "chateauchinon"]);
        assert_eq!(keys("Villeneuve-lez-Avignon"), ["villeneuvelesavignon"]);
        let typed = |text: &str| super::keys(&PlaceQuery::parse(text).words);
        assert_eq!(typed("St Denis")[0], "saintdenis");
        assert_eq!(typed("Fontenay s/ Bois"), ["fontenaysurbois", "fontenaysousbois"]);
        assert_eq!(typed("Ville de Nice").last().unwrap(), "nice");
        assert_eq!(typed("Lyon centre ville").last().unwrap(), "lyon");
        assert_eq!(typed("centre ville"), ["centreville"]);
        assert_eq!(typed("Secteur Toulouse Nord").last().unwrap(), "toulouse");
    }

    #[test]
    fn districts_are_arabic_or_roman_numbers() {
        for (word, expected) in [
            ("11", Some(11)),
            ("1er", Some(1)),
            ("08", Some(8)),
            ("2nd", Some(2)),
            ("1re", Some(1)),
            ("2me", Some(2)),
            ("2iem", Some(2)),
            ("1o", Some(1)),
            ("2ex", None),
            ("vire", None),
            ("xvi", Some(16)),
            ("xxe", Some(20)),
            ("iiii", None),
            ("vie", Some(6)),
            ("ville", None),
            ("100", None),
            ("e", None),
        ] {
            assert_eq!(district_number(word), expected, "{word}");
        }
    }

    #[test]
    fn query_is_normalized_like_the_names() {
        for (query, expected) in [
            ("St-Éti", "saint eti"),
            ("st", "st"),
            ("Paris 11ème", "paris 11e"),
            ("paris 11em", "paris 11e"),
            ("paris 01 er arrondi", "paris 1er"),
            ("paris 1", "paris 1"),
            ("75011", "75011"),
            ("", ""),
        ] {
            assert_eq!(normalize_query(query), expected, "{query}");
        }
        assert_eq!(split_number("paris 75"), Some(("75".into(), "paris".into())));
        assert_eq!(split_number("93200 sai"), Some(("93200".into(), "sai".into())));
        assert_eq!(split_number("ajaccio 2a"), Some(("2a".into(), "ajaccio".into())));
        assert_eq!(split_number("paris"), None);
    }
}
