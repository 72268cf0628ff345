//! Ratings by letter, for energy and greenhouse gas: `D`, `Classe D`, `DPE : D (250 kWh)`, `vierge`, `non soumis`.

use domain::EnergyLetter;

use super::{Reading, number, says_unknown};

/// What a text says about a rating.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatingText {
    pub class: EnergyLetter,
    /// The value beside the energy letter, if the text has one.
    pub value: Option<f64>,
}

/// Words of a home without a rating: the diagnosis is empty, not required, or not made yet.
#[rustfmt::skip]
pub const NOT_RATED: &[&str] = &[
    "nc", "ns", "vi", "vierge", "soumis", "soumise", "cours", "requis", "exempt", "exempte", "dispense",
    "venir", "realise", "effectue", "concerne", "disponible", "communique", "renseigne", "inconnu", "attente",
    "objet", "applicable", "absent", "aucun", "sans", "indisponible", "exclu",
];

/// Words that may stand beside an energy letter.
#[rustfmt::skip]
const KNOWN: &[&str] = &[
    "classe", "class", "classement", "dpe", "ges", "energie", "energy", "energetique", "lettre", "etiquette",
    "label", "categorie", "performance", "diagnostic", "consommation", "conso", "emission", "emissions",
    "climat", "rating", "note", "indice", "logement", "kwh", "kwhep", "kwhef", "ep", "m2", "m", "an", "kg",
    "co2", "co", "kgco2", "kgco", "kgeqco2", "kgeqco", "eqco2", "eqco", "eq", "par", "de", "soit", "valeur",
    "gaz", "serre", "effet", "annee", "estime", "et",
];

/// Reads the letter of an energy or greenhouse-gas rating.
pub fn read(text: &str) -> Reading<RatingText> {
    if let Some(class) = EnergyLetter::from_text(text) {
        return Reading::Value(RatingText { class, value: None });
    }
    if super::is_not_given(text) {
        return Reading::NotGiven;
    }
    if text.chars().nth(80).is_some() {
        return Reading::Unusable("is too long for the letter of a rating");
    }
    let cleaned = super::text::clean(text).replace('₂', "2");
    let folded = domain::fold(&cleaned);
    if says_unknown(&folded) || folded == "0" || folded == "n" {
        return Reading::NotGiven;
    }
    let mut found: Option<EnergyLetter> = None;
    for class in standing_alone(&cleaned).filter_map(EnergyLetter::from_text) {
        // `D à E` is not one class.
        if found.replace(class).is_some() {
            return Reading::Unusable("has several letters of a rating");
        }
    }
    // Digits and letters may be written together: `D250`, `250kWh`.
    let mut spaced = String::with_capacity(folded.len() + 4);
    let mut before = ' ';
    for c in folded.chars() {
        let power = c == '2' && (spaced.ends_with('m') || spaced.ends_with("co"));
        if before.is_ascii_digit() != c.is_ascii_digit() && before != ' ' && c != ' ' && !power {
            spaced.push(' ');
        }
        spaced.push(c);
        before = if power { 'x' } else { c };
    }
    let mut words_known = true;
    let mut not_rated = false;
    for word in spaced.split(' ').filter(|word| word.len() > 1) {
        not_rated |= NOT_RATED.contains(&word);
        words_known &= KNOWN.contains(&word) || word.starts_with(|c: char| c.is_ascii_digit());
    }
    match found {
        None if not_rated => Reading::NotGiven,
        None => Reading::Unusable("is not the letter of a rating; the letters are A, B, C, D, E, F, G"),
        // `A+` does not exist.
        Some(_) if !words_known || cleaned.contains('+') => {
            Reading::Unusable("is not the letter of a rating; the letters are A, B, C, D, E, F, G")
        }
        Some(class) => {
            let value = match number::read(&cleaned, number::NumberKind::Rating) {
                Reading::Value(value) => Some(value),
                Reading::Remarked(..) | Reading::NotGiven | Reading::Unusable(_) => None,
            };
            Reading::Value(RatingText { class, value })
        }
    }
}

/// Returns the ASCII letters that have no letter beside them; digits may be.
fn standing_alone(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().filter_map(move |(at, c)| {
        let (before, after) = (&text[..at], &text[at + c.len_utf8()..]);
        let is_beside = |letter: Option<char>| letter.is_some_and(char::is_alphabetic);
        let alone = !is_beside(before.chars().next_back()) && !is_beside(after.chars().next());
        (c.is_ascii_alphabetic() && alone && !is_particle(before, c, after)).then(|| &text[at..=at])
    })
}

/// Returns `true` for a letter that is a short word: elided ("d'énergie"), "a" without its accent ("gaz a effet de serre"), or the year
/// of a unit ("kWh/m².a").
fn is_particle(before: &str, letter: char, after: &str) -> bool {
    if after.strip_prefix(['\'', '’']).is_some_and(|rest| rest.starts_with(char::is_alphabetic)) {
        return true;
    }
    let is_of_unit = before.trim_end().ends_with(['/', '·', '.', '*', '²', '2']);
    let is_before_word = after.strip_prefix(' ').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    letter == 'a' && (is_of_unit && !before.trim().is_empty() || is_before_word)
}
