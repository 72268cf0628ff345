//! The light rule: what is left of a word without its plural and feminine ending.
//!
//! A general stemmer makes one word of "terrasse" and "terre", which is one wrong hit in eleven. This rule cuts less,
//! and only where the ending itself says what it is: "-euse" is the feminine of "-eux", but a bare "-e" says nothing
//! ("porte" is no feminine of "port"), so that "grande" is known by name. What an ending does not tell, or tells
//! wrongly, stands in [`super::known`].
//!
//! A rule that leaves something that is no word ("tondeuse" → "tondeux") does no harm: nothing else is reduced to it.
//! Harm is done only where what is left is *another* word, and the lists name those.

use std::borrow::Cow;

use super::known::{Known, known};

/// Shorter words are left alone unless known by name: "bus", "vis", "mas", "les" have no ending to lose.
const LETTERS_MIN: usize = 4;

/// The word a token is an inflected form of, as far as a light rule can tell: `lumineuses` → `lumineux`.
///
/// It takes one folded token. Abbreviations of one word are that word: `appt` → `appartement`. What holds a digit or a
/// letter that is not plain Latin is given back as it is. Reducing twice changes nothing more.
pub fn reduced(token: &str) -> Cow<'_, str> {
    let mut word = Cow::Borrowed(token);
    if !token.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    // A feminine plural loses its endings one after the other. Every turn shortens the word, so that this ends, and
    // stops only where there is nothing more to do, so that doing it again does nothing.
    loop {
        match known(&word) {
            Some(Known::FormOf(lemma)) => return Cow::Borrowed(lemma),
            Some(Known::Alone | Known::Masculine) => return word,
            None => {}
        }
        let Some(Change { cut, add }) = change(&word) else { return word };
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

/// What becomes of the end of a word: so many letters less, these instead.
struct Change {
    cut: usize,
    add: &'static str,
}

struct Ending {
    ending: &'static str,
    /// Of the whole word. It keeps the rule from words that are too short to be what it is for: "Meuse", "Vienne".
    letters_min: usize,
    cut: usize,
    add: &'static str,
}

const fn ending(ending: &'static str, letters_min: usize, cut: usize, add: &'static str) -> Ending {
    Ending { ending, letters_min, cut, add }
}

/// The first that fits is taken, so that "-eaux" stands before "-aux".
const ENDINGS: &[Ending] = &[
    // châteaux, beaux; then locaux, familiaux. "Taux", "faux" and "chaux" are too short.
    ending("eaux", 4, 1, ""),
    ending("aux", 6, 2, "l"),
    // rénovée. The masculine lost its accent when it was folded.
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

fn change(word: &str) -> Option<Change> {
    // Most words end otherwise than all of these.
    let last = word.bytes().last()?;
    if !matches!(last, b's' | b'x' | b'e') || word.len() < LETTERS_MIN {
        return None;
    }
    if last == b's' {
        return (!word.ends_with("ss")).then_some(Change { cut: 1, add: "" });
    }
    ENDINGS
        .iter()
        .find(|rule| word.len() >= rule.letters_min && word.ends_with(rule.ending))
        .map(|rule| Change { cut: rule.cut, add: rule.add })
}
