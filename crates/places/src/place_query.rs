//! Parses place names as people write them: abbreviations, CEDEX, district ordinals, numbers next to names.
//!
//! Only the words are examined here; [`crate::resolve`] looks up the places.

use domain::{City, fold};

/// The parts of a place given as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PlaceQuery {
    /// The folded words of the name.
    pub words: Vec<String>,
    pub zipcode: Option<String>,
    /// A short number next to the name: a department (`st etienne 42`) or a district (`marseille 8`).
    pub number: Option<String>,
    /// A number that can only be a district: `11eme`, `3e arrondissement`.
    pub ordinal: Option<usize>,
    /// A CEDEX zipcode belongs to a sorting office, not to the commune.
    pub cedex: bool,
}

const DISTRICT_WORDS: [&str; 7] =
    ["arrondissement", "arrondissements", "arrondissemt", "arrond", "arrdt", "ardt", "arr"];
const ORDINAL_ENDINGS: [&str; 9] = ["e", "er", "em", "eme", "ere", "ieme", "nd", "nde", "d"];
const DEPARTMENT_WORDS: [&str; 4] = ["departement", "dept", "dpt", "dep"];
/// Words after a name that do not distinguish communes.
const NAME_SUFFIXES: [&str; 8] = ["centre", "est", "france", "hypercentre", "nord", "ouest", "sud", "ville"];
pub(crate) const ARTICLES: [&str; 6] = ["l", "le", "la", "les", "los", "aux"];

impl PlaceQuery {
    pub fn parse(text: &str) -> Self {
        // A slash stands for `sur` or `sous`, with or without an s before it: `Vitry/Seine`, `Chalon s/ Saône`.
        let text = text.replace('/', " s ");
        let mut words: Vec<String> =
            fold(&text).split(' ').filter(|word| !word.is_empty()).map(Into::into).collect();
        words.dedup_by(|word, before| word == before && word == "s");
        let mut query = Self::default();
        query.extract_zipcode(&mut words);
        query.extract_cedex(&mut words);
        words.retain(|word| !DEPARTMENT_WORDS.contains(&word.as_str()));
        query.extract_number(&mut words);
        query.words = words;
        query
    }

    /// Returns the name for warnings: as given, or without the zipcode and CEDEX.
    pub fn name_in(&self, given: &str) -> String {
        if self.zipcode.is_some() || self.cedex { self.words.join(" ") } else { given.trim().into() }
    }

    fn extract_zipcode(&mut self, words: &mut Vec<String>) {
        let Some(index) = words.iter().position(|word| word.len() == 5 && is_digits(word)) else { return };
        self.zipcode = Some(words.remove(index));
        // The obsolete country prefix: F-75011.
        if index > 0 && matches!(words[index - 1].as_str(), "f" | "fr") {
            words.remove(index - 1);
        }
    }

    fn extract_cedex(&mut self, words: &mut Vec<String>) {
        let Some(index) = words.iter().position(|word| word == "cedex") else { return };
        self.cedex = true;
        words.remove(index);
        if words.get(index).is_some_and(|word| word.len() <= 2 && is_digits(word)) {
            words.remove(index);
        }
    }

    fn extract_number(&mut self, words: &mut Vec<String>) {
        let before = words.len();
        words.retain(|word| !DISTRICT_WORDS.contains(&word.as_str()));
        let names_district = words.len() < before;
        // `11 eme` is an ordinal split in two words.
        for index in (1..words.len()).rev() {
            let is_split = is_digits(&words[index - 1]) && ORDINAL_ENDINGS.contains(&words[index].as_str());
            if is_split && words.len() > 2 {
                let ending = words.remove(index);
                words[index - 1].push_str(&ending);
            }
        }
        if words.len() < 2 {
            return;
        }
        let ordinal = |word: &String| ordinal(word).filter(|_| names_district || !is_digits(word));
        if let Some(index) = words.iter().position(|word| ordinal(word).is_some()) {
            self.ordinal = ordinal(&words.remove(index));
            // `11e arrondissement de Paris`
            if index == 0 && words.len() > 1 && words[0] == "de" {
                words.remove(0);
            }
            return;
        }
        for index in [words.len() - 1, 0] {
            if words[index].len() <= 3 && is_number(&words[index]) {
                self.number = Some(words.remove(index));
                return;
            }
        }
    }
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
    ((1..=2).contains(&digits) && (ending.is_empty() || ORDINAL_ENDINGS.contains(&ending)))
        .then(|| number.parse().ok())
        .flatten()
}

/// Returns the number of a district given in Arabic or Roman numerals: `8`, `XVI`, `xvie`.
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
            let PlaceQuery { words, zipcode, number, ordinal, cedex } = PlaceQuery::parse(text);
            let parts = [
                words.join(" "),
                zipcode.map(|zipcode| format!("zipcode {zipcode}")).unwrap_or_default(),
                number.map(|number| format!("number {number}")).unwrap_or_default(),
                ordinal.map(|ordinal| format!("district {ordinal}")).unwrap_or_default(),
                if cedex { "cedex".into() } else { String::new() },
            ];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
        };
        for (text, expected) in [
            ("Le Mans", "le mans"),
            ("75011 Paris", "paris, zipcode 75011"),
            ("F-75011 Paris", "paris, zipcode 75011"),
            ("13617 Aix-en-Provence CEDEX 1", "aix en provence, zipcode 13617, cedex"),
            ("st etienne 42", "st etienne, number 42"),
            ("Ajaccio (2A)", "ajaccio, number 2a"),
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
    }

    #[test]
    fn districts_are_arabic_or_roman_numbers() {
        for (word, expected) in [
            ("11", Some(11)),
            ("1er", Some(1)),
            ("08", Some(8)),
            ("2nd", Some(2)),
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
