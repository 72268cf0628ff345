//! Words that differ only by their last accent, although accents never matter.
//!
//! "Placée" is the feminine of "placé", but folding makes that "place", which is another word. Both cannot be had from
//! folded words alone: either "placée" finds every "place", or it does not find "placé". So the tokens of a text keep the last
//! accent of the words listed here, and a phrase accepts several stems:
//!
//! | phrase | finds |
//! |---|---|
//! | "place" | place, placé |
//! | "placé" | place, placé, placée |
//! | "placée" | placé, placée |
//!
//! A word without its accent still finds the word with it, and the other way round.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use super::stem;

/// Participles that are another word without their accent. All are folded.
///
/// Not listed: "terrassé", "cuisiné", "chambré" and "étagé". They are rare, and every search for a terrace, a kitchen, a
/// bedroom or a floor would look for twice as many words.
const PARTICIPLES: &[&str] = &[
    "base", "centre", "complete", "coule", "fenetre", "gare", "groupe", "pense", "place", "tourne", "usage",
];

/// Nouns whose plural is another word without its accent: "étés" and "êtes", "prés" and "près". All are folded.
const NOUNS: &[&str] = &["ete", "pre"];

/// Returns `true` if the tokens of a text keep the last "é" of this word. The word is folded.
pub(super) fn keeps_accent(word: &str) -> bool {
    let singular = word.strip_suffix('s').unwrap_or(word);
    PARTICIPLES.contains(&singular) || NOUNS.contains(&singular)
}

/// Returns the token that a text has for this word with a last "é": `places` → `placés`. `None` if the accent is not kept.
pub fn accented_form(word: &str) -> Option<String> {
    keeps_accent(word).then(|| {
        let (singular, plural) = word.strip_suffix('s').map_or((word, ""), |singular| (singular, "s"));
        format!("{}é{plural}", &singular[..singular.len() - 1])
    })
}

/// Removes the accent that a token kept.
pub(super) fn without_accent(token: &str) -> Cow<'_, str> {
    let (singular, plural) = token.strip_suffix('s').map_or((token, ""), |singular| (singular, "s"));
    match singular.strip_suffix('é') {
        Some(start) if keeps_accent(&format!("{start}e")) => Cow::Owned(format!("{start}e{plural}")),
        _ => Cow::Borrowed(token),
    }
}

/// Returns the stem of a token that kept its accent: `placés` → `placé`. `None` for other tokens.
pub(super) fn stem_accented(token: &str) -> Option<Cow<'_, str>> {
    let singular = token.strip_suffix('s')?;
    let word = format!("{}e", singular.strip_suffix('é')?);
    PARTICIPLES.contains(&word.as_str()).then_some(Cow::Borrowed(singular))
}

/// A word as a sequence, like the spellings of an abbreviation.
type Sequence = Box<[Box<str>]>;

/// Returns the stems that a token of a phrase finds, its own first. `None` if that is the only one.
pub(super) fn accepted_stems(token: &str) -> Option<&'static [Sequence]> {
    let singular = || token.strip_suffix('s').and_then(|singular| ACCEPTED.get(singular));
    ACCEPTED.get(token).or_else(singular).map(Vec::as_slice)
}

static ACCEPTED: LazyLock<HashMap<String, Vec<Sequence>>> = LazyLock::new(|| {
    let mut accepted = HashMap::new();
    let mut put = |token: &str, others: &[&str]| {
        let mut stems: Vec<Sequence> = Vec::new();
        for word in std::iter::once(&token).chain(others) {
            let stem: Sequence = [Box::from(&*stem(word))].into();
            if !stems.contains(&stem) {
                stems.push(stem);
            }
        }
        accepted.insert(token.to_owned(), stems);
    };
    for word in PARTICIPLES {
        let (participle, feminine) = (accented(word), format!("{word}e"));
        put(word, &[&participle]);
        put(&participle, &[word, &feminine]);
        put(&feminine, &[&participle]);
    }
    // "Complète" is also a verb ("une terrasse complète ce bien"), but a client that asks for one form expects the other.
    put("complet", &["complete"]);
    put("complete", &["complet", "completé"]);
    for word in NOUNS {
        let (plain_plural, singular) = (format!("{word}s"), accented(word));
        let plural = accented(&plain_plural);
        put(word, &[&singular, &plural]);
        put(&singular, &[word, &plural]);
        put(&plural, &[&singular, &plain_plural]);
        put(&plain_plural, &[&plural]);
    }
    accepted
});

fn accented(word: &str) -> String {
    accented_form(word).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phrase::tokenize;

    #[test]
    fn listed_words_are_folded_and_keep_their_accent() {
        for word in PARTICIPLES.iter().chain(NOUNS) {
            assert_eq!(crate::fold(word), **word);
            for word in [(*word).to_owned(), format!("{word}s")] {
                let token = accented_form(&word).unwrap();
                assert_eq!(tokenize(&token), token);
                assert_eq!(tokenize(&token.to_uppercase()), token);
                assert_eq!(without_accent(&token), word);
                assert_eq!(tokenize(&word), word);
            }
        }
    }

    #[test]
    fn own_stem_is_accepted_first() {
        for (token, stems) in ACCEPTED.iter() {
            assert_eq!(*stems[0], [Box::from(&*stem(token))], "{token}");
        }
    }

    #[test]
    fn other_accents_are_not_kept() {
        for (text, expected) in [
            ("Rénové", "renove"),
            ("place", "place"),
            ("PLACEE", "placee"),
            ("pécher", "pecher"),
            ("près", "pres"),
        ] {
            assert_eq!(tokenize(text), expected);
        }
        assert_eq!(tokenize("place\u{301}s"), "placés");
    }
}
