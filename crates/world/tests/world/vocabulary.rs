//! The light stemmer on the words of the market: every group of words it conflates has been reviewed.

use std::collections::{BTreeMap, BTreeSet};

use domain::phrase::stem;
use domain::{AdvertDetails, fold};

use crate::world;

/// Words of the market with a common stem, one group per line. If the test prints a new line, review it: forms of one word belong
/// here, different words into the lists of `domain::words`.
#[rustfmt::skip]
const REVIEWED: &[&str] = &[
    // Ordinals are one word in digits and in letters.
    "2e 2eme", "3e 3eme", "4e 4eme", "5e 5eme", "6e 6eme", "7e 7eme", "8e 8eme", "9e 9eme",
    "accessible accessibles", "actif active", "an ans", "annee annees", "annuelle annuelles",
    "appartement appartements", "attenant attenants", "aucun aucune", "axe axes", "bail baux", "beau beaux bel belle belles",
    "bon bonne", "bureau bureaux", "carrele carrelee", "cent cents", "chambre chambres", "charge charges",
    "chene chenes", "commerce commerces", "commercial commerciaux", "commune communes", "compris comprise comprises",
    "construit construite", "consultable consultables", "diagnostic diagnostics", "disponible disponibles",
    "eclaire eclairee", "ecole ecoles", "electrique electriques", "entretenu entretenue", "espace espaces",
    "etage etages", "familial familiale", "fenetre fenetres", "fonctionnel fonctionnelle", "fort forte",
    "gardien gardienne", "grand grande grandes grands", "habitable habitables", "ideal ideale",
    "independante independants", "individuel individuels", "information informations", "investisseur investisseurs",
    "ligne lignes", "local locaux", "locataire locataires", "locatif locative", "logement logements", "loue loues",
    "loyer loyers", "lumineuse lumineux", "min minute minutes", "motorisee motorises", "neuf neuve neuves", "niveau niveaux",
    "nuisance nuisances", "ouvert ouverte", "parquet parquets", "partie parties", "petit petite", "piece pieces",
    "pieton pietonne", "placard placards", "plafond plafonds", "plan plans", "plat plate", "plein pleine",
    "possibilite possibilites", "1er premier premiere premieres", "principal principale", "privatif privatifs privative",
    "proche proches", "prolonge prolongee", "propose proposee proposees", "propre propres", "provision provisions",
    "raccorde raccordes", "rafraichissement rafraichissements", "rangement rangements", "recent recente",
    "refait refaite refaits", "reguliere reguliers", "renove renovees", "roulant roulants", "rue rues", "sain saine",
    "salle salles", "securise securisee", "separe separee separes", "situe situee situes", "sol sols",
    "surveille surveillee", "tous tout toute toutes", "traversant traversante", "velo velos", "visite visites",
    "volet volets", "volume volumes",
    // These differ by an accent, which folding removes before stemming: agencé and agence, placé and place, côté and cote,
    // demandé and demande. In the tokens of a text, the participles keep it.
    "agence agences", "cote cotes", "demande demandes", "place places",
];

#[test]
fn conflated_words_are_reviewed() {
    let mut families: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for word in words() {
        families.entry(stem(&word).into_owned()).or_default().insert(word);
    }
    let reviewed: Vec<BTreeSet<&str>> = REVIEWED.iter().map(|line| line.split(' ').collect()).collect();
    let unseen: Vec<String> = families
        .values()
        .filter(|family| family.len() > 1)
        .filter(|family| !reviewed.iter().any(|line| family.iter().all(|word| line.contains(&**word))))
        .map(|family| family.iter().map(String::as_str).collect::<Vec<_>>().join(" "))
        .collect();
    assert!(unseen.is_empty(), "not reviewed:\n{}", unseen.join("\n"));
}

#[test]
fn reviewed_groups_have_one_stem() {
    for line in REVIEWED {
        let lemmas: BTreeSet<_> = line.split(' ').map(stem).collect();
        assert_eq!(lemmas.len(), 1, "{line}: {lemmas:?}");
    }
}

/// Returns every word of the titles, descriptions and features of a few markets, folded.
fn words() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut folded = String::new();
    for draft in [1, 2].into_iter().flat_map(|seed| world(seed, 1_500).drafts().collect::<Vec<_>>()) {
        let details = AdvertDetails::default().patched(draft.patch);
        let short = details.title.iter().chain(&*details.features).map(|text| text.as_str());
        for text in short.chain(details.description.iter().map(|text| text.as_str())) {
            folded.clear();
            fold::fold_into(text, &mut folded);
            for word in folded.split(' ') {
                if !words.contains(word) {
                    words.insert(word.to_owned());
                }
            }
        }
    }
    words
}
