//! Reading how people write places: abbreviations, CEDEX, ordinals of districts, numbers beside names.
//!
//! Only words are looked at here; whether such a place exists is for [`crate::resolve`] to find out.

use domain::{City, fold};

/// A place as worded, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Wording {
    /// The folded words of the name.
    pub words: Vec<String>,
    pub zipcode: Option<String>,
    /// A short number beside the name: a department (`st etienne 42`) or a district (`marseille 8`).
    pub number: Option<String>,
    /// A number that can only be that of a district: `11eme`, `3e arrondissement`.
    pub ordinal: Option<usize>,
    /// A CEDEX zipcode belongs to a sorting office, not to the commune.
    pub cedex: bool,
}

const DISTRICT_WORDS: [&str; 7] =
    ["arrondissement", "arrondissements", "arrondissemt", "arrond", "arrdt", "ardt", "arr"];
const ORDINAL_ENDINGS: [&str; 9] = ["e", "er", "em", "eme", "ere", "ieme", "nd", "nde", "d"];
const DEPARTMENT_WORDS: [&str; 4] = ["departement", "dept", "dpt", "dep"];
const ARTICLES: [&str; 6] = ["l", "le", "la", "les", "los", "aux"];

impl Wording {
    pub fn read(text: &str) -> Self {
        let mut words: Vec<String> =
            fold(text).split(' ').filter(|word| !word.is_empty()).map(Into::into).collect();
        let mut wording = Self::default();
        wording.take_zipcode(&mut words);
        wording.take_cedex(&mut words);
        words.retain(|word| !DEPARTMENT_WORDS.contains(&word.as_str()));
        wording.take_number(&mut words);
        wording.words = words;
        wording
    }

    fn take_zipcode(&mut self, words: &mut Vec<String>) {
        let Some(place) = words.iter().position(|word| word.len() == 5 && is_digits(word)) else { return };
        self.zipcode = Some(words.remove(place));
        // The country's letter of former days: F-75011.
        if place > 0 && matches!(words[place - 1].as_str(), "f" | "fr") {
            words.remove(place - 1);
        }
    }

    fn take_cedex(&mut self, words: &mut Vec<String>) {
        let Some(place) = words.iter().position(|word| word == "cedex") else { return };
        self.cedex = true;
        words.remove(place);
        if words.get(place).is_some_and(|word| word.len() <= 2 && is_digits(word)) {
            words.remove(place);
        }
    }

    fn take_number(&mut self, words: &mut Vec<String>) {
        let before = words.len();
        words.retain(|word| !DISTRICT_WORDS.contains(&word.as_str()));
        let of_district = words.len() < before;
        // `11 eme` is one word in two.
        for place in (1..words.len()).rev() {
            let apart = is_digits(&words[place - 1]) && ORDINAL_ENDINGS.contains(&words[place].as_str());
            if apart && words.len() > 2 {
                let ending = words.remove(place);
                words[place - 1].push_str(&ending);
            }
        }
        if words.len() < 2 {
            return;
        }
        let ordinal = |word: &String| ordinal(word).filter(|_| of_district || !is_digits(word));
        if let Some(place) = words.iter().position(|word| ordinal(word).is_some()) {
            self.ordinal = ordinal(&words.remove(place));
            // `11e arrondissement de Paris`
            if place == 0 && words.len() > 1 && words[0] == "de" {
                words.remove(0);
            }
            return;
        }
        for place in [words.len() - 1, 0] {
            if words[place].len() <= 3 && is_number(&words[place]) {
                self.number = Some(words.remove(place));
                return;
            }
        }
    }
}

/// The keys under which a name of these words may be known, the most literal first.
pub(crate) fn keys(words: &[String]) -> Vec<String> {
    let mut keys = vec![key(words.iter().map(String::as_str), "sur")];
    // `Fontenay s/ Bois` is not on the Bois but under it.
    keys.push(key(words.iter().map(String::as_str), "sous"));
    if let Some((_, words)) = words.split_last().filter(|(last, rest)| *last == "france" && !rest.is_empty())
    {
        keys.push(key(words.iter().map(String::as_str), "sur"));
    }
    if let [ville, de, name @ ..] = words
        && matches!(ville.as_str(), "ville" | "commune" | "mairie")
        && matches!(de.as_str(), "de" | "d" | "du")
        && !name.is_empty()
    {
        keys.push(key(name.iter().map(String::as_str), "sur"));
    }
    keys.dedup();
    keys
}

/// The key of a folded name: its words, abbreviations written out, without the spaces between them, since people
/// write `Villefranche sur Saone` and `Le  Havre` with as many as they like.
pub(crate) fn key<'a>(words: impl Iterator<Item = &'a str>, s: &'static str) -> String {
    words.map(|word| if word == "s" { s } else { written_out(word) }).collect()
}

/// The keys of the name of the geography: as it is, without its article, without what is in brackets.
pub(crate) fn keys_of_name(name: &str, folded: &str) -> Vec<String> {
    let mut keys = vec![key(folded.split(' '), "sur")];
    if let Some((article, rest)) = folded.split_once(' ')
        && ARTICLES.contains(&article)
    {
        keys.push(key(rest.split(' '), "sur"));
    }
    if let Some((outside, _)) = name.split_once('(') {
        keys.push(key(fold(outside).split(' '), "sur"));
    }
    keys
}

fn written_out(word: &str) -> &str {
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
        // Near such and such a place: spelt both ways by the same people.
        "lez" => "les",
        word => word,
    }
}

/// The district an ordinal means: `11e`, `1er`, `08`.
fn ordinal(word: &str) -> Option<usize> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (number, ending) = word.split_at(digits);
    ((1..=2).contains(&digits) && (ending.is_empty() || ORDINAL_ENDINGS.contains(&ending)))
        .then(|| number.parse().ok())
        .flatten()
}

/// The number a bare number or a Roman one means: `8`, `XVI`, `xvie`.
pub(crate) fn district_number(word: &str) -> Option<usize> {
    ordinal(word).or_else(|| {
        let digits = word.bytes().take_while(|letter| matches!(letter, b'i' | b'v' | b'x')).count();
        let (roman, ending) = word.split_at(digits);
        if digits == 0 || !(ending.is_empty() || ORDINAL_ENDINGS.contains(&ending)) {
            return None;
        }
        (1..=39).find(|number| roman_numeral(*number) == roman)
    })
}

fn roman_numeral(number: usize) -> String {
    const ONES: [&str; 10] = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"];
    format!("{}{}", "x".repeat(number / 10), ONES[number % 10])
}

fn is_digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|letter| letter.is_ascii_digit())
}

/// Whether a word is (the beginning of) a zipcode or a department code.
pub(crate) fn is_number(word: &str) -> bool {
    is_digits(word) || matches!(word, "2a" | "2b")
}

/// A query as autocomplete holds it against names: folded, `st` written out, ordinals as the districts have them.
pub(crate) fn as_typed(query: &str) -> String {
    let folded = fold(query);
    let mut words: Vec<String> = Vec::new();
    let mut rest = folded.split(' ').peekable();
    while let Some(word) = rest.next() {
        // The last word may not be finished: `st` could still become Strasbourg.
        let word = match word {
            "st" | "ste" | "sts" | "stes" if rest.peek().is_some() => written_out(word),
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

/// Parts a number at either end of a query from the name beside it.
pub(crate) fn split_number(typed: &str) -> Option<(String, String)> {
    let ends = [
        typed.rsplit_once(' ').map(|(name, number)| (number, name)),
        typed.split_once(' ').filter(|(number, _)| is_number(number)),
    ];
    let fits = |number: &str| (2..=5).contains(&number.len()) && is_number(number);
    let (number, name) = ends.into_iter().flatten().find(|(number, _)| fits(number))?;
    Some((number.into(), name.into()))
}

/// Whether a city has a zipcode that begins so, or lies in the department with that code.
pub(crate) fn number_fits(city: &City, number: &str) -> bool {
    city.department.code.eq_ignore_ascii_case(number)
        || city.zipcodes.iter().any(|zipcode| zipcode.as_str().starts_with(number))
}
