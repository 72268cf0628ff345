//! A light French stemmer: removes plural and feminine endings.
//!
//! A general stemmer conflates "terrasse" and "terre", which is one wrong hit in eleven. This one removes less, and only
//! unambiguous endings: "-euse" is the feminine of "-eux", but a bare "-e" is not a feminine ending by itself ("porte" is
//! not the feminine of "port"), so "grande" is listed as an exception. Words that the endings miss or get wrong are in
//! [`super::stem_exceptions`].
//!
//! A stem that is not a word ("tondeuse" → "tondeux") does no harm, because no other word has it. Only a stem that is
//! *another* word does harm, and the exceptions list those.

use std::borrow::Cow;

use super::accents::{is_feminine, stem_accented};
use super::ordinals::stem_ordinal;
use super::stem_exceptions::{StemException, stem_exception};

/// Shorter words have no ending to remove ("bus", "vis", "mas", "les") unless they are listed as exceptions.
const LETTERS_MIN: usize = 4;

/// Returns the stem of a folded token: `lumineuses` → `lumineux`.
///
/// The abbreviation of a single word has the stem of that word: `appt` → `appartement`. So has a frequent misspelling. All
/// spellings of an ordinal have one stem: `deuxieme` and `2nd` → `2e`. Any other token with a digit or a non-ASCII letter is
/// returned unchanged, but for the plural of a word that keeps its accent. The function is idempotent.
pub fn stem(token: &str) -> Cow<'_, str> {
    let mut word = Cow::Borrowed(token);
    if !token.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return stem_ordinal(token).or_else(|| stem_accented(token)).unwrap_or(word);
    }
    // A feminine plural loses one ending per iteration. Every iteration shortens the word, so the loop terminates. It
    // stops only when no rule applies, so the function is idempotent.
    loop {
        match stem_exception(&word) {
            Some(StemException::FormOf(lemma)) => return Cow::Borrowed(lemma),
            Some(StemException::Invariant | StemException::Masculine) => return word,
            None if is_feminine(&word) => return word,
            None => {}
        }
        let Some(Replacement { cut, add }) = replacement(&word) else { return word };
        let left = word.len() - cut;
        word = match word {
            Cow::Borrowed(whole) if add.is_empty() => Cow::Borrowed(&whole[..left]),
            Cow::Borrowed(whole) => Cow::Owned([&whole[..left], add].concat()),
            Cow::Owned(mut whole) => {
                whole.truncate(left);
                whole.push_str(add);
                Cow::Owned(whole)
            }
        };
    }
}

/// Removes `cut` letters at the end of a word and appends `add`.
struct Replacement {
    cut: usize,
    add: &'static str,
}

struct Ending {
    ending: &'static str,
    /// The minimum length of the whole word. It excludes short words that only look inflected: "Meuse", "Vienne".
    letters_min: usize,
    cut: usize,
    add: &'static str,
}

const fn ending(ending: &'static str, letters_min: usize, cut: usize, add: &'static str) -> Ending {
    Ending { ending, letters_min, cut, add }
}

/// The first matching ending applies, so "-eaux" comes before "-aux".
const ENDINGS: &[Ending] = &[
    // châteaux, beaux; then locaux, familiaux. "Taux", "faux" and "chaux" are too short.
    ending("eaux", 4, 1, ""),
    ending("aux", 6, 2, "l"),
    // rénovée. Folding removed the accent of the masculine.
    ending("ee", 5, 1, ""),
    // lumineuse
    ending("euse", 6, 2, "x"),
    // privative, exclusive
    ending("tive", 6, 2, "f"),
    ending("sive", 6, 2, "f"),
    // principale, familiale
    ending("ale", 6, 1, ""),
    // exceptionnelle, individuelle, naturelle, industrielle; but parcelle, chapelle, vaisselle.
    ending("nelle", 7, 2, ""),
    ending("uelle", 7, 2, ""),
    ending("relle", 7, 2, ""),
    ending("ielle", 7, 2, ""),
    // ancienne, mitoyenne, européenne
    ending("ienne", 7, 2, ""),
    ending("yenne", 7, 2, ""),
    ending("eenne", 7, 2, ""),
    // extérieure; but heure, demeure.
    ending("ieure", 7, 1, ""),
    // traversante, attenante; but plante. Not "-ente": orientée, cimentée, agrémentée.
    ending("ante", 7, 1, ""),
];

fn replacement(word: &str) -> Option<Replacement> {
    // Fast path: most words have none of these endings.
    let last = word.bytes().last()?;
    if !matches!(last, b's' | b'x' | b'e') || word.len() < LETTERS_MIN {
        return None;
    }
    if last == b's' {
        return (!word.ends_with("ss")).then_some(Replacement { cut: 1, add: "" });
    }
    ENDINGS
        .iter()
        .find(|rule| word.len() >= rule.letters_min && word.ends_with(rule.ending))
        .map(|rule| Replacement { cut: rule.cut, add: rule.add })
}
