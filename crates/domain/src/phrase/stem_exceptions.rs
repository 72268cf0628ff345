//! Words that the endings of the stemmer miss or get wrong. All are folded: `entree` is "entrée".
//!
//! A word is added when a search returned wrong results or missed some; the tests have a line for each kind. If the plural
//! only adds "-s", only the singular is listed: the word is looked up again without it. Abbreviations of several words
//! are in [`super::abbreviations`], misspelled words in [`super::misspellings`].

use std::collections::HashMap;
use std::sync::LazyLock;

use super::misspellings::MISSPELLED;

/// How a listed word is stemmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StemException {
    /// Its own stem, despite its ending.
    Invariant,
    /// Its own stem; its feminine adds "-e".
    Masculine,
    /// An inflected form or abbreviation of this word.
    FormOf(&'static str),
}

pub(super) fn stem_exception(word: &str) -> Option<StemException> {
    if let Some(exception) = WORDS.get(word) {
        return Some(*exception);
    }
    let (masculine, exception) = WORDS.get_key_value(word.strip_suffix('e')?)?;
    (*exception == StemException::Masculine).then_some(StemException::FormOf(masculine))
}

static WORDS: LazyLock<HashMap<&str, StemException>> = LazyLock::new(|| entries().collect());

fn entries() -> impl Iterator<Item = (&'static str, StemException)> {
    let invariants =
        INVARIANTS.iter().flat_map(|line| line.split(' ')).map(|word| (word, StemException::Invariant));
    let masculines =
        MASCULINES.iter().flat_map(|line| line.split(' ')).map(|word| (word, StemException::Masculine));
    let misspelled = MISSPELLED.iter().flat_map(|line| {
        let (word, misspelled) = line.split_once(' ').unwrap_or((line, ""));
        misspelled.split_terminator(' ').map(move |form| (form, StemException::FormOf(word)))
    });
    let families = IRREGULAR.iter().chain(ORDINALS).chain(ABBREVIATED).flat_map(|line| {
        let (lemma, forms) = line.split_once(' ').unwrap_or((line, ""));
        let forms = forms.split_terminator(' ').map(move |form| (form, StemException::FormOf(lemma)));
        std::iter::once((lemma, StemException::Invariant)).chain(forms)
    });
    invariants.chain(masculines).chain(families).chain(misspelled)
}

/// Words whose last letters are not an ending.
#[rustfmt::skip]
const INVARIANTS: &[&str] = &[
    // Without the "-s" they are other words: cour, fond, sur, ver, moi, foi, sou, mai, pré, plu, âpre, mar, tapi, fil, été.
    // "Cours" is also the plural of "cour", but in adverts it is a procedure "en cours", a "cours d'eau" or the name of
    // a street, hardly ever two courtyards.
    "cours fonds surs vers mois fois sous mais pres plus dans apres mars tapis fils etes sans corps temps",
    // The plural has a meaning of its own: surroundings are not "environ", holidays no "vacance locative", building
    // works no "espace de travail".
    "environs abords vacances travaux",
    // Of time: "à trente secondes de la plage". The singular is mostly the ordinal: "une seconde chambre".
    "secondes",
    // Towns, far more frequent than the plurals they look like: pari, tour, canne, renne, vanne, mante.
    "paris tours cannes rennes vannes mantes angers sens",
    // The "-s" is part of the word. The rest is not a word, but could be a typing error for another one.
    "acces alors avis bois bras debarras depuis dessous dessus devis divers dos enclos envers exces frais hors jamais",
    "logis lors louis marais matelas moins nous palais parcours parvis pays permis poids proces propos puis puits relais",
    "repas repos revers succes surplus tiers toujours travers tres trois univers vous volontiers",
    // Nouns in "-ée", and participles rarely used in the masculine. Stemmed, they would be entre, porte, rose, mare, dure,
    // arme, contre, donne, pense, monte, anne; chambre. The participles of `accents` are not stemmed either.
    "allee annee apogee armee arrivee assemblee buee chambree chaussee cheminee contree coordonnee croisee",
    "cuisinee cuvee denree donnee duree echappee elysee entree etagee fumee fusee gelee idee jetee journee lignee",
    "lycee maree matinee mediterranee melee montee musee ondee orchidee pensee percee plongee poignee portee poupee",
    "poussee puree pyrenees randonnee rangee rentree rosee soiree terrassee tournee tranchee travee traversee trophee",
    "trouee vallee volee",
    // Look feminine, but differ in meaning from the masculine: capitale, morale, Creuse; or are not feminine at all:
    // signalé, régalé, motivé, implanté.
    "capitale morale creuse signale regale motive implante variante",
];

/// Adjectives and participles whose feminine is a bare "-e".
///
/// Not listed where the feminine is mostly another word: commune, droite, remise, prise, surprise, entreprise, conduite,
/// réduite, pointe, sortie, partie, garantie, présente (a verb, in adverts), fine, sûre, mûre, plane, base, morte, marine,
/// issue, revenue.
#[rustfmt::skip]
const MASCULINES: &[&str] = &[
    // Size, shape, light, warmth.
    "petit haut court lourd profond rond plat etroit fort chaud froid clair obscur noir vert bleu brut pur",
    // State.
    "plein sain certain serein parfait imparfait refait ouvert couvert decouvert offert construit reconstruit peint repeint",
    "cuit restreint intact exact direct indirect correct compact strict distinct gratuit interdit inscrit pret seul vrai",
    "inedit futur civil clos compris inclus gris precis exquis soumis conquis acquis requis mauvais",
    // Place and time.
    "voisin prochain lointain urbain periurbain souterrain contemporain meilleur majeur mineur",
    // Participles in -i and -u.
    "joli demi ami uni fini defini garni fourni agrandi arrondi rafraichi blanchi embelli bati fleuri etabli reussi verni",
    "converti investi desservi servi choisi reparti assorti muni reuni rempli amorti adouci refroidi elargi",
    "prevu concu vendu tenu entretenu connu reconnu perdu absolu pourvu depourvu suspendu etendu convenu attendu contigu",
    "exigu bienvenu exclu",
    // There is no rule for -ent, see the endings.
    "recent apparent different excellent permanent adjacent transparent evident urgent exigent intelligent competent",
    "frequent recurrent",
    // Styles and origins.
    "francais anglais japonais hollandais bourgeois bordelais lyonnais nantais nicois landais americain africain",
    "toulousain normand flamand savoyard espagnol",
];

/// A word, then its irregular forms.
#[rustfmt::skip]
const IRREGULAR: &[&str] = &[
    "beau bel belle", "nouveau nouvel nouvelle", "vieux vieil vieille", "blanc blanche", "long longue", "doux douce",
    "bas basse", "gros grosse", "epais epaisse", "bon bonne", "mignon mignonne", "breton bretonne", "pieton pietonne",
    "gentil gentille", "reel reelle", "net nette", "coquet coquette", "discret discrete", "secret secrete", "concret concrete",
    "desuet desuete", "neuf neuve",
    // The token of "complété", which keeps its last accent. "Complète" is in `accents`.
    "completé completee",
    "public publique", "nu nue nus", "vu vus", "tout toute tous", "aucun aucune", "an ans",
    // -ière and -ère: manière, rivière, verrière, panière and étagère are not feminine forms.
    "dernier derniere", "entier entiere", "particulier particuliere", "regulier reguliere",
    "irregulier irreguliere", "foncier fonciere", "financier financiere", "immobilier immobiliere", "hotelier hoteliere",
    "cotier cotiere", "forestier forestiere", "routier routiere", "saisonnier saisonniere", "leger legere",
    "viager viagere", "menager menagere", "etranger etrangere", "cher chere",
    // Plurals in -x.
    "vitrail vitraux", "bail baux", "materiau materiaux", "tuyau tuyaux", "noyau noyaux",
    "joyau joyaux", "ideal ideaux", "jeu jeux", "lieu lieux", "milieu milieux", "feu feux", "enjeu enjeux",
    "bijou bijoux", "caillou cailloux",
];

/// An ordinal in digits, then in letters.
#[rustfmt::skip]
const ORDINALS: &[&str] = &[
    "1e premier premiere", "2e deuxieme second seconde", "3e troisieme", "4e quatrieme", "5e cinquieme", "6e sixieme",
    "7e septieme", "8e huitieme", "9e neuvieme", "10e dixieme", "11e onzieme", "12e douzieme", "13e treizieme",
    "14e quatorzieme", "15e quinzieme", "16e seizieme", "20e vingtieme",
];

/// A word, then its abbreviations in adverts.
///
/// Not listed because they are ambiguous: "ch" (chambre, charges, chauffage), "terr" (terrain, terrasse), "imm" (immeuble,
/// immobilier), "env" (environ, environnement), "sam" (salle à manger, samedi), "av" (avenue, à vendre), "apt" (a town), "pte" (petite, porte), "elec" (électrique, électricité), "res" (résidence, réserve).
#[rustfmt::skip]
const ABBREVIATED: &[&str] = &[
    "appartement appt appart", "piece pce pcs", "chambre chb chbre", "cuisine cuis", "sejour sej", "ascenseur asc",
    "parking pkg", "balcon balc", "mezzanine mezz", "copropriete copro", "climatisation clim", "chauffage chauff",
    "individuel indiv", "double dble", "nombreux nbx nbreux", "exposition expo", "disponible dispo", "proximite prox",
    "batiment bat", "boulevard bd bld bvd", "faubourg fbg", "route rte", "saint st", "hectare ha", "tramway tram",
    "cle clef", "minute min mn", "sainte ste", "grand grande gd gde grd grde",
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn words_are_unique() {
        let mut seen = HashSet::new();
        let twice: Vec<_> = entries().filter(|(word, _)| !seen.insert(*word)).collect();
        assert_eq!(twice, []);
    }

    #[test]
    fn words_are_tokens() {
        let others: Vec<_> = entries().filter(|(word, _)| crate::phrase::tokenize(word) != **word).collect();
        assert_eq!(others, []);
    }

    #[test]
    fn words_and_their_forms_have_one_stem() {
        for (word, exception) in entries() {
            if let StemException::FormOf(lemma) = exception {
                assert_eq!(
                    (&*crate::phrase::stem(word), &*crate::phrase::stem(lemma)),
                    (lemma, lemma),
                    "{word}"
                );
            }
        }
    }
}
