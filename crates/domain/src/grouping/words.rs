//! The uncommon words of an advert: streets, materials, features.
//!
//! A second agency rewords the text, but it does not leave out the bread oven or the name of the street. Words are compared by their
//! first six letters, so that their endings do not matter. Words that name a feature are left out: features are compared by what they
//! mean.

use std::sync::LazyLock;

use super::features::is_feature;
use super::tokens::{Tokens, hash_bytes};
use super::word_set::WordSet;

/// The number of words that are kept.
pub const WORDS_MAX: usize = 24;

/// Shorter words say little.
const LETTERS_MIN: usize = 4;
const LETTERS_MAX: usize = 6;

/// The beginnings of words that every second advert contains, and of words about agencies, fees and regulations.
const COMMON: &str = "\
    abri acces achat acquer adress agence agenci agreab aires alloue aménag amenag ancien angle annee annees annonc annuel appart \
    arbore architectural arriere ascens assain atouts attena auto autre aussi autour auxque avec avenue bail bains balcon bareme \
    basse bati batime beau beaux belle bien biens bois bonne bord bourg bureau cabine cadre calme carrel carrez cave caves celle \
    cellie cent centra centre cette chacun chaleu chambr charge charma charme chauff chaudi chauss chemin chez choix cinq claire \
    classe clef cles clos coeur coin collec combles commer commod commun comple compos compre compri confor constr contac conten \
    copro coprop cote couloi cour cours cuis cuisin dans decouv degage demand depot depuis dernie dessus deux dirige dispon donnan \
    dont dossie double douche dressi droit duree ecole ecoles eclair electr elle empla energi ensemb entier entre entree entret \
    envir enviro equipe escali espace estima etage etages etait etat etre etude eventu except exclus expose exposi exteri face \
    facade facile famili famill fenetr ferme fermee fibre finan financ foncie fonct fonds forme frais gaine garage garant gardie \
    gare georis gouv grand grande grands gratui grenie habita hall haut haute hauteu honora hors ideal idéal immedi immeub immobi \
    inclus indepe indivi inform instal interi intime invest isola jardin jolie jouiss kitche large leur libre lieu linge linger \
    livra locat locati locata logeme loin loue louer loyer lumier lumine lycee magnif mais maison manger mandat marche meme mensue \
    metre metres metro meuble mezza minute mitoy mobil mode modern moins mois monsie murs nombre nombre norme notair notre nous \
    nouvea nuit ordre orient ouest ouvert ouvran parc parcel parent parfai parkin parque partic partie pavill perme petit petite \
    pied piece pieces pierre place placar plafon plain plein plus point porte portes poss possed possib pour prefer premie pres \
    presta prevoi prime prive privat prix proced proche profes profit projet prolon propos propri proxim quarti quatre rafrai rang \
    rangem rapide rare raviss realis recent recept refait refere region rendez renove renova repart reside residu reste rez risque \
    route rues saint saisir salle salles salon sans securi secteu sejour sejour separe servic sise site situe situee soit soleil \
    sols sont sous standi statio studio suite superb surf surfac taxe terras terrai tiers tout toute toutes tous toilet toitur \
    total totale tram transp travau traver tres trois trouve type usage vaste vend vends vendre vendu vendeu vente vers vide ville \
    vitrag visite voie voir volets volume votre vous vrai water zone lots honora immobilier neuf neuve nord euros siren siret rsac";

/// Returns the sketch of the uncommon words of a text, in ascending order, and their number. `known` are the names of the commune and
/// of the agency, which say nothing.
pub fn words(tokens: &Tokens, known: &[&str]) -> (Vec<u32>, usize) {
    let mut known_tokens = Tokens::default();
    known.iter().for_each(|name| known_tokens.read(name));
    let known: Vec<u32> = hashes(&known_tokens).collect();
    let mut words: Vec<u32> =
        hashes(tokens).filter(|word| !known.contains(word) && !is_common(*word)).collect();
    words.sort_unstable();
    words.dedup();
    let count = words.len();
    words.truncate(WORDS_MAX);
    (words, count)
}

fn hashes(tokens: &Tokens) -> impl Iterator<Item = u32> {
    tokens
        .list()
        .iter()
        .filter(|token| token.number.is_none() && token.len() >= LETTERS_MIN && !is_feature(token.hash))
        .filter_map(|token| match beginning(tokens.text(token))? {
            // A short word without an ending is hashed already.
            letters if letters.len() == token.len() => Some(token.hash),
            letters => Some(hash_bytes(letters)),
        })
}

/// Hashes the beginning of a word. `None` if it is too short.
pub fn word_hash(word: &str) -> Option<u32> {
    beginning(word).map(hash_bytes)
}

/// Returns the letters by which a word is known. `None` if it is too short.
fn beginning(word: &str) -> Option<&[u8]> {
    let mut letters = word.as_bytes();
    while let [rest @ .., b's' | b'x'] = letters {
        letters = rest;
    }
    let is_word = letters.len() >= LETTERS_MIN && letters.iter().all(u8::is_ascii_lowercase);
    is_word.then(|| &letters[..letters.len().min(LETTERS_MAX)])
}

pub fn is_common(word: u32) -> bool {
    static WORDS: LazyLock<WordSet> =
        LazyLock::new(|| WordSet::new(COMMON.split_whitespace().filter_map(word_hash)));
    WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words_of(text: &str) -> Vec<u32> {
        let mut tokens = Tokens::default();
        tokens.read(text);
        words(&tokens, &["Dinan", "Rance Patrimoine"]).0
    }

    #[test]
    fn uncommon_words_are_kept_by_their_beginning() {
        let one = words_of("Belle maison à Dinan, toits d'ardoises, lucarne. Rance Patrimoine");
        assert_eq!(one.len(), 3, "roof, slate and dormer");
        assert_eq!(words_of("Sous un toit d'ardoise, deux lucarnes"), one);
        assert_eq!(words_of("Piscine, toit d'ardoise, lucarnes"), one, "a pool is a feature");
    }

    proptest! {
        #[test]
        fn hashes_of_tokens_are_those_of_their_words(text in "([a-zéœA-Z]{1,9}[sx ]|piscine |2e |12 ){0,12}") {
            let mut tokens = Tokens::default();
            tokens.read(&text);
            let words = tokens.list().iter().filter(|token| token.number.is_none() && !is_feature(token.hash));
            let expected: Vec<u32> = words.filter_map(|token| word_hash(tokens.text(token))).collect();
            prop_assert_eq!(hashes(&tokens).collect::<Vec<_>>(), expected);
        }
    }
}
