//! Abbreviations of several words, and the alternatives they give an expression. Those of a single word are simply
//! reduced to it: see [`super::known`].

use std::borrow::Cow;
use std::sync::LazyLock;

use super::reduced;

type Sequence = Box<[Box<str>]>;

/// Word sequences that mean the same; each finds all others.
type Family = Vec<Sequence>;

static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(|| {
    let written = WRITTEN.iter().map(|family| family.iter().map(|words| sequence(words)).collect());
    written.chain(counted()).collect()
});

fn sequence(folded: &str) -> Sequence {
    folded.split_whitespace().map(|word| reduced(word).into()).collect()
}

/// Families to be written out one by one, folded.
///
/// Left out: "studio" for "T1", because a T1 has a kitchen of its own; "WC" for toilets and "salle de douche" for "salle
/// d'eau", which are other words rather than other spellings; "BE", "DV" and "TT", which mean several things.
const WRITTEN: &[&[&str]] = &[
    &["rdc", "rez de chaussee"],
    &["rdj", "rez de jardin"],
    &["sdb", "salle de bains"],
    &["sde", "salle d eau"],
    &["sdd", "salle de douche"],
    &["sous sol", "s sol", "ss sol"],
    // Even more often misspelled than not.
    &["plain pied", "plein pied"],
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
    &["lmnp", "loueur meuble non professionnel"],
    &["pmr", "personne a mobilite reduite"],
];

/// Families that go by number: rooms, bedrooms, floors.
fn counted() -> impl Iterator<Item = Family> {
    const NUMBERS: [(&str, &str, &str); 9] = [
        ("1", "une", "premier"),
        ("2", "deux", "deuxieme"),
        ("3", "trois", "troisieme"),
        ("4", "quatre", "quatrieme"),
        ("5", "cinq", "cinquieme"),
        ("6", "six", "sixieme"),
        ("7", "sept", "septieme"),
        ("8", "huit", "huitieme"),
        ("9", "neuf", "neuvieme"),
    ];
    NUMBERS.into_iter().flat_map(|(digit, cardinal, ordinal)| {
        let mut rooms = vec![
            format!("t{digit}"),
            format!("f{digit}"),
            format!("{digit} pieces"),
            format!("{digit}p"),
            format!("type {digit}"),
        ];
        let mut floors = vec![ordinal.to_owned()];
        if digit == "1" {
            // "Une pièce" is any room: "une pièce à vivre".
            floors.extend(["1er".to_owned(), "1ere".to_owned()]);
        } else {
            rooms.push(format!("{cardinal} pieces"));
            floors.extend([format!("{digit}e"), format!("{digit}eme")]);
        }
        let bedrooms =
            vec![format!("{digit} chambres"), format!("{cardinal} chambres"), format!("{digit} ch")];
        [rooms, bedrooms, floors].map(|family| family.iter().map(|words| sequence(words)).collect())
    })
}

/// All ways to say an expression of reduced words, itself first.
///
/// Its abbreviations are replaced from left to right, the longest first where several begin at one word; one that would
/// make more than `most` alternatives stays as it is written.
pub(super) fn alternatives(words: &[Cow<'_, str>], most: usize) -> Vec<Sequence> {
    let mut alternatives: Vec<Vec<&str>> = vec![Vec::with_capacity(words.len())];
    let mut rest = words;
    while let [word, others @ ..] = rest {
        let found = longest(rest).filter(|(family, _)| alternatives.len() * family.len() <= most);
        let Some((family, as_written)) = found else {
            alternatives.iter_mut().for_each(|alternative| alternative.push(word));
            rest = others;
            continue;
        };
        // As it is written first, then the others in their order.
        let mut spellings: Vec<&Sequence> = family.iter().collect();
        spellings[..=as_written].rotate_right(1);
        let spelled = |spelling: &'static Sequence| {
            let begun = &alternatives;
            begun
                .iter()
                .map(|begun| begun.iter().copied().chain(spelling.iter().map(|word| &**word)).collect())
        };
        alternatives = spellings.into_iter().flat_map(spelled).collect();
        rest = &rest[family[as_written].len()..];
    }
    alternatives.iter().map(|words| words.iter().map(|word| Box::from(*word)).collect()).collect()
}

/// The family of the longest sequence these words begin with, and which of the family it is.
fn longest(words: &[Cow<'_, str>]) -> Option<(&'static Family, usize)> {
    let begins = |sequence: &Sequence| {
        sequence.len() <= words.len() && sequence.iter().zip(words).all(|(wanted, word)| **wanted == **word)
    };
    FAMILIES
        .iter()
        .flat_map(|family| {
            family.iter().enumerate().map(move |(position, sequence)| (family, position, sequence))
        })
        .filter(|(_, _, sequence)| begins(sequence))
        .max_by_key(|(_, _, sequence)| sequence.len())
        .map(|(family, position, _)| (family, position))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::words::{Phrase, Strictness};

    #[test]
    fn no_sequence_belongs_to_two_families() {
        let mut seen = HashSet::new();
        let twice: Vec<_> = FAMILIES.iter().flatten().filter(|sequence| !seen.insert(*sequence)).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn each_of_a_family_finds_all_others() {
        for family in FAMILIES.iter() {
            for (one, other) in family.iter().flat_map(|one| family.iter().map(move |other| (one, other))) {
                let phrase = Phrase::new(&one.join(" "), Strictness::Inflected).unwrap();
                assert!(phrase.is_in(&format!("un {} ici", other.join(" "))), "{one:?} and {other:?}");
            }
        }
    }

    #[test]
    fn no_single_abbreviation_reaches_the_bound() {
        assert!(FAMILIES.iter().all(|family| family.len() <= Phrase::ALTERNATIVES_MAX / 2));
    }
}
