//! Abbreviations of several words, and the alternative spellings of a phrase that contains them. Abbreviations of a
//! single word are handled by the stemmer, see [`super::stem_exceptions`].

use std::borrow::Cow;
use std::sync::LazyLock;

use super::accents::accepted_stems;
use super::stem;

type Sequence = Box<[Box<str>]>;

/// Equivalent word sequences.
type Synonyms = Vec<Sequence>;

static SYNONYMS: LazyLock<Vec<Synonyms>> = LazyLock::new(|| {
    let fixed = FIXED.iter().map(|family| family.iter().map(|words| sequence(words)).collect());
    fixed.chain(numbered()).collect()
});

fn sequence(tokens: &str) -> Sequence {
    tokens.split_whitespace().map(|word| stem(word).into()).collect()
}

/// Synonyms without a number, as tokens: with the last accents that these keep, and without.
///
/// Not listed: "studio" for "T1", because a T1 has a separate kitchen; "WC" for toilets and "salle de douche" for "salle
/// d'eau", which are other words rather than other spellings; "BE", "DV" and "TT", which are ambiguous.
const FIXED: &[&[&str]] = &[
    &["rdc", "rez de chaussee"],
    &["rdj", "rez de jardin"],
    &["sdb", "salle de bains"],
    &["sde", "salle d eau"],
    &["sdd", "salle de douche"],
    &["sous sol", "s sol", "ss sol"],
    // Misspelled more often than not.
    &["plain pied", "plein pied"],
    &["vis a vis", "visavis"],
    // "Sans aucun vis-à-vis" says no more than "sans vis-à-vis".
    &["sans", "sans aucun"],
    &["wc", "w c"],
    &["m2", "metre carre"],
    &["rdv", "rendez vous"],
    &["week end", "weekend"],
    &["wifi", "wi fi"],
    &["hsp", "hauteur sous plafond"],
    &["tbe", "tres bon etat"],
    &["cc", "charges comprises"],
    &["hc", "hors charges"],
    &["fai", "frais d agence inclus", "frais agence inclus"],
    &["dpe", "diagnostic de performance energetique"],
    &["ges", "gaz a effet de serre"],
    &["vmc", "ventilation mecanique controlee"],
    &["pac", "pompe a chaleur"],
    &["bbc", "batiment basse consommation"],
    &["ptz", "pret a taux zero"],
    &["vefa", "vente en l etat futur d achevement"],
    &["lmnp", "loueur meublé non professionnel", "loueur meuble non professionnel"],
    &["pmr", "personne a mobilite reduite"],
];

/// Synonyms with a number: rooms and bedrooms. Ordinals are handled by the stemmer.
fn numbered() -> impl Iterator<Item = Synonyms> {
    const NUMBERS: [(&str, &str); 9] = [
        ("1", "une"),
        ("2", "deux"),
        ("3", "trois"),
        ("4", "quatre"),
        ("5", "cinq"),
        ("6", "six"),
        ("7", "sept"),
        ("8", "huit"),
        ("9", "neuf"),
    ];
    NUMBERS.into_iter().flat_map(|(digit, cardinal)| {
        let mut rooms = vec![
            format!("t{digit}"),
            format!("f{digit}"),
            format!("{digit} pieces"),
            format!("{digit} p"),
            format!("type {digit}"),
        ];
        // "Une pièce" can be any room: "une pièce à vivre".
        if digit != "1" {
            rooms.push(format!("{cardinal} pieces"));
        }
        let bedrooms =
            vec![format!("{digit} chambres"), format!("{cardinal} chambres"), format!("{digit} ch")];
        [rooms, bedrooms].map(|family| family.iter().map(|words| sequence(words)).collect())
    })
}

/// Returns all spellings of the tokens of a phrase, stemmed, starting with the phrase itself.
///
/// Abbreviations are replaced from left to right, the longest first if several start at the same word. An abbreviation
/// that would yield more than `limit` alternatives is left as written.
pub(super) fn alternatives(tokens: &[&str], limit: usize) -> Vec<Sequence> {
    let words: Vec<Cow<'_, str>> = tokens.iter().copied().map(stem).collect();
    let mut alternatives: Vec<Vec<&str>> = vec![Vec::with_capacity(words.len())];
    let mut index = 0;
    while let Some(word) = words.get(index) {
        let found = spellings(&tokens[index..], &words[index..]);
        let Some(spellings) = found.filter(|spellings| alternatives.len() * spellings.len() <= limit) else {
            alternatives.iter_mut().for_each(|alternative| alternative.push(word));
            index += 1;
            continue;
        };
        index += spellings.first().map_or(1, |as_written| as_written.len());
        let spelled = |spelling: &'static Sequence| {
            let prefixes = &alternatives;
            prefixes
                .iter()
                .map(|prefix| prefix.iter().copied().chain(spelling.iter().map(|word| &**word)).collect())
        };
        alternatives = spellings.into_iter().flat_map(spelled).collect();
    }
    alternatives.iter().map(|words| words.iter().map(|word| Box::from(*word)).collect()).collect()
}

/// Returns the spellings of the abbreviation or of the word at the start of a phrase, as written first. `None` if there is
/// only one.
fn spellings(tokens: &[&str], words: &[Cow<'_, str>]) -> Option<Vec<&'static Sequence>> {
    let Some((synonyms, as_written)) = longest_match(words) else {
        return tokens.first().and_then(|token| accepted_stems(token)).map(|stems| stems.iter().collect());
    };
    // As written first, then the others in table order.
    let mut spellings: Vec<&Sequence> = synonyms.iter().collect();
    spellings[..=as_written].rotate_right(1);
    Some(spellings)
}

/// Returns the synonyms that contain the longest sequence at the start of `words`, and its index among them.
fn longest_match(words: &[Cow<'_, str>]) -> Option<(&'static Synonyms, usize)> {
    let is_prefix = |sequence: &Sequence| {
        sequence.len() <= words.len() && sequence.iter().zip(words).all(|(a, b)| **a == **b)
    };
    SYNONYMS
        .iter()
        .flat_map(|family| {
            family.iter().enumerate().map(move |(position, sequence)| (family, position, sequence))
        })
        .filter(|(_, _, sequence)| is_prefix(sequence))
        .max_by_key(|(_, _, sequence)| sequence.len())
        .map(|(family, position, _)| (family, position))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::phrase::{Phrase, Strictness};

    #[test]
    fn sequences_are_unique() {
        let mut seen = HashSet::new();
        let twice: Vec<_> = SYNONYMS.iter().flatten().filter(|sequence| !seen.insert(*sequence)).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn synonyms_match_each_other() {
        for synonyms in SYNONYMS.iter() {
            for (one, other) in synonyms.iter().flat_map(|one| synonyms.iter().map(move |other| (one, other)))
            {
                let phrase = Phrase::new(&one.join(" "), Strictness::Inflected).unwrap();
                assert!(phrase.occurs_in(&format!("un {} ici", other.join(" "))), "{one:?} and {other:?}");
            }
        }
    }

    #[test]
    fn single_abbreviation_stays_below_the_limit() {
        assert!(SYNONYMS.iter().all(|family| family.len() <= Phrase::ALTERNATIVES_MAX / 2));
    }
}
