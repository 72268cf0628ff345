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
//! A word without its accent still finds the word with it, and the other way round, because many adverts and queries are typed
//! without accents. The letters of the feminine tell it apart even then: "EQUIPEE" is never a team.
//!
//! The words are listed. A rule for all words could not tell "renove", which is a participle in capitals, from "ferme", which is
//! a farm: without accents, only a dictionary knows which is a word of its own.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::stem;

/// Participles that are another word without their accent: a noun, an adjective, or a verb that adverts use. All are folded.
///
/// A participle whose form without accent is only that of its own verb is not listed: "rénove" and "rénové" mean the same work,
/// so "renove" finds both and "rénovée". Nor are "terrassé", "cuisiné", "chambré", "étagé", "espacé", "doublé" and "surfacé". They are
/// rare, and every search for a terrace, a kitchen or a bedroom would look for twice as many words.
#[rustfmt::skip]
const PARTICIPLES: &[&str] = &[
    "adresse age agence aise annexe attache avance balise barre base borne brosse cable cache cale centre charge chauffe",
    "cintre cire classe cloture coffre colle combine commande complete compte conserve controle couche coude coule coupe",
    "couple courbe couronne creuse dalle date decoupe demande depense depose devise drape echange eleve enquete enveloppe",
    "equipe etoile etude expertise fabrique facture fenetre ferme figure filtre finance fixe fleche force forme gaine garde",
    "gare glace grave grille groupe guide lance laque lave limite liste livre loge marbre marque masque melange mesure",
    "meuble mine module monte moquette moule nacre niche note nuance ombre ouvrage paille partage passe pause paysage",
    "peigne pense perche perle pilote pince pique place planche plante plaque pointe pose poste pratique presse prime prise",
    "profile programme rampe rape recherche reference reforme regle rehausse releve remarque repere repose reserve retraite",
    "reve risque ruine sable sale sauvegarde sculpte seche serre signe solde sonde structure tache taille taxe teinte toile",
    "touche tourne trace trempe tube type usage use vide vise visite vitre voile voute zone",
];

/// Nouns whose plural is another word without its accent: "étés" and "êtes", "prés" and "près". All are folded.
const NOUNS: &[&str] = &["ete", "pre"];

static PARTICIPLE_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| participles().collect());

fn participles() -> impl Iterator<Item = &'static str> {
    PARTICIPLES.iter().flat_map(|line| line.split(' '))
}

/// Returns `true` for the feminine of a listed participle, in the singular: `placee`. It is its own stem.
pub(super) fn is_feminine(word: &str) -> bool {
    word.strip_suffix('e').is_some_and(|masculine| PARTICIPLE_SET.contains(masculine))
}

/// The accents of a word before folding, as far as tokens keep them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastAccent {
    /// The word ends in "é" or "és".
    Acute,
    /// The word has other accents, so that it was typed with accents, and its last "e" has no acute one.
    NotAcute,
}

/// Returns the letter that replaces the last "e" of a folded word. `None` if the tokens of a text do not keep its accent.
pub(super) fn kept_letter(word: &str, accent: LastAccent) -> Option<char> {
    let singular = word.strip_suffix('s');
    match accent {
        LastAccent::Acute => keeps_acute(singular.unwrap_or(word)).then_some('é'),
        LastAccent::NotAcute => NOUNS.contains(&singular?).then_some('è'),
    }
}

fn keeps_acute(singular: &str) -> bool {
    PARTICIPLE_SET.contains(singular) || NOUNS.contains(&singular)
}

/// Returns the tokens that a text has for this folded word if it is typed with accents: `places` → `placés`. Empty for most
/// words.
pub fn accented_forms(word: &str) -> impl Iterator<Item = String> {
    [LastAccent::Acute, LastAccent::NotAcute].into_iter().filter_map(move |accent| {
        let letter = kept_letter(word, accent)?;
        let (singular, plural) = split_plural(word);
        Some(format!("{}{letter}{plural}", &singular[..singular.len() - 1]))
    })
}

fn split_plural(word: &str) -> (&str, &str) {
    word.strip_suffix('s').map_or((word, ""), |singular| (singular, "s"))
}

/// Removes the accent that a token kept.
pub(super) fn without_accent(token: &str) -> Cow<'_, str> {
    let (singular, plural) = split_plural(token);
    let folded = |start: &str| format!("{start}e{plural}");
    if let Some(word) = singular.strip_suffix('é').map(folded)
        && kept_letter(&word, LastAccent::Acute).is_some()
    {
        return Cow::Owned(word);
    }
    if let Some(word) = singular.strip_suffix('è').map(folded)
        && kept_letter(&word, LastAccent::NotAcute).is_some()
    {
        return Cow::Owned(word);
    }
    Cow::Borrowed(token)
}

/// Returns the stem of a token that kept its accent: `placés` → `placé`. `None` for other tokens.
pub(super) fn stem_accented(token: &str) -> Option<Cow<'_, str>> {
    let singular = token.strip_suffix('s')?;
    let word = format!("{}e", singular.strip_suffix('é')?);
    PARTICIPLE_SET.contains(word.as_str()).then_some(Cow::Borrowed(singular))
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
    for word in participles() {
        let (participle, feminine) = (with_last(word, 'é'), format!("{word}e"));
        put(word, &[&participle]);
        put(&participle, &[word, &feminine]);
        put(&feminine, &[&participle]);
    }
    // "Complète" is also a verb ("une terrasse complète ce bien"), but a client that asks for one form expects the other.
    put("complet", &["complete"]);
    put("complete", &["complet", "completé"]);
    for word in NOUNS {
        let (plain_plural, singular) = (format!("{word}s"), with_last(word, 'é'));
        let (plural, other) = (format!("{singular}s"), format!("{}s", with_last(word, 'è')));
        put(word, &[&singular, &plural]);
        put(&singular, &[word, &plural]);
        put(&plural, &[&singular, &plain_plural]);
        put(&plain_plural, &[&plural, &other]);
        put(&other, &[&plain_plural]);
    }
    accepted
});

/// Replaces the last "e" of a singular.
fn with_last(word: &str, letter: char) -> String {
    format!("{}{letter}", &word[..word.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phrase::tokenize;

    #[test]
    fn listed_words_are_folded_and_keep_their_accent() {
        for word in participles().chain(NOUNS.iter().copied()) {
            assert_eq!(crate::fold(word), word);
            assert!(word.ends_with('e'), "{word}");
            for word in [word.to_owned(), format!("{word}s")] {
                for token in accented_forms(&word) {
                    assert_eq!(tokenize(&token), token);
                    assert_eq!(tokenize(&token.to_uppercase()), token);
                    assert_eq!(without_accent(&token), word);
                }
                assert!(accented_forms(&word).next().is_some());
                assert_eq!(tokenize(&word), word);
            }
        }
        assert_eq!(participles().count(), PARTICIPLE_SET.len(), "each once");
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
            ("près", "près"),
            ("êtes ÊTES e\u{302}tes", "etès etès etès"),
            ("étés etes", "etés etes"),
            ("équipe équipé", "equipe equipé"),
            ("été pré prêt", "eté pré pret"),
        ] {
            assert_eq!(tokenize(text), expected);
        }
        assert_eq!(tokenize("place\u{301}s"), "placés");
    }
}
