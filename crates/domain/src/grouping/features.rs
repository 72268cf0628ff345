//! The features of a home that its text names: a well, a bread oven, a closed garage.
//!
//! A second agency rewords the text, but it does not leave out what sells the home, and often uses another word for it: "concierge"
//! and "gardien", "verger" and "arbres fruitiers". So words are compared by what they mean. The table has what an advert names because
//! not every home has it. Everything else is left to the uncommon words.

use std::sync::LazyLock;

use super::tokens::{Token, Tokens};
use super::word_set::WordSet;
use crate::kinds::PropertyType;

/// A set of features, by their rows in [`TABLE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Features(pub u64);

/// How many homes of a town have a feature. Estimates: no stock was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frequency {
    /// Every second one.
    Common,
    /// One in five.
    Frequent,
    /// One in ten.
    Uncommon,
    /// One in thirty, or fewer.
    Rare,
}

use Frequency::{Common, Frequent, Rare, Uncommon};

struct Feature {
    name: &'static str,
    frequency: Frequency,
    /// Whether all flats of a building have it.
    is_shared: bool,
    /// Words and phrases, separated by spaces. The words of a phrase are joined. Plurals with an "s" need no entry.
    words: &'static str,
}

const fn row(name: &'static str, frequency: Frequency, words: &'static str) -> Feature {
    Feature { name, frequency, is_shared: false, words }
}

const fn shared(name: &'static str, frequency: Frequency, words: &'static str) -> Feature {
    Feature { name, frequency, is_shared: true, words }
}

/// At most 64 rows. The order is part of stored signatures: a change needs a new version of them.
const TABLE: &[Feature] = &[
    row("cellar", Common, "cave"),
    row("parking space", Common, "parking stationnement garage gge box carport"),
    row("balcony", Common, "balcon"),
    row("terrace", Common, "terrasse"),
    row("fireplace", Frequent, "cheminee insert foyer cantou"),
    row("stove", Frequent, "poele granules pellets"),
    row("store room", Frequent, "cellier arriere-cuisine"),
    row("laundry", Frequent, "buanderie lingerie"),
    row("dressing room", Frequent, "dressing penderie"),
    row("office", Frequent, "bureau teletravail"),
    row("basement", Frequent, "sous-sol ss-sol"),
    row("attic", Frequent, "grenier comble combles"),
    row("single-storey", Frequent, "plain-pied"),
    row("master suite", Frequent, "suite-parentale chambre-parentale"),
    row("double garage", Uncommon, "double-garage garage-double deux-voitures deux-vehicules"),
    row("walk-through", Frequent, "traversant traversante"),
    row("courtyard", Frequent, "cour courette patio"),
    row("air conditioning", Frequent, "climatisation climatise climatisee clim"),
    row("beams", Frequent, "poutre colombage pans-de-bois charpente-apparente"),
    row("mouldings", Uncommon, "moulure rosace"),
    row("sloping roof", Uncommon, "mansarde mansardee mansardes sous-les-toits sous-toits"),
    row("loggia", Uncommon, "loggia"),
    row("veranda", Uncommon, "veranda"),
    row("mezzanine", Uncommon, "mezzanine"),
    row("two levels", Uncommon, "duplex souplex triplex"),
    row("top floor", Uncommon, "dernier-etage attique"),
    row("swimming pool", Uncommon, "piscine bassin"),
    row("workshop", Uncommon, "atelier"),
    row("outbuilding", Uncommon, "dependance grange hangar etable ecurie appentis"),
    row("sea view", Uncommon, "vue-mer vue-sur-la-mer front-de-mer panorama-marin face-a-la-mer"),
    row("summer kitchen", Rare, "cuisine-d-ete"),
    row("pool house", Rare, "pool-house poolhouse"),
    row("well", Rare, "puits forage"),
    row("orchard", Rare, "verger fruitier fruitiers"),
    row("pond", Rare, "mare etang plan-d-eau"),
    row("stream", Rare, "ruisseau riviere bief"),
    row("spring", Rare, "source"),
    row("bread oven", Rare, "four-a-pain fournil"),
    row("dovecote", Rare, "pigeonnier colombier"),
    row("vaulted cellar", Uncommon, "voutee voutees voute"),
    row("spa", Rare, "spa sauna hammam jacuzzi balneo"),
    row("cinema", Rare, "cinema"),
    row("roof terrace", Rare, "toit-terrasse rooftop"),
    row("solar panels", Rare, "photovoltaique solaire autoconsommation"),
    row("service room", Rare, "chambre-de-bonne chambre-de-service piece-de-service"),
    row("two dwellings", Rare, "deux-logements deux-logts deux-appartements"),
    row("shop window", Rare, "local-commercial boutique vitrine"),
    row("tenant", Uncommon, "vendu-loue locataire-en-place actuellement-loue bail-en-cours occupe"),
    row("glass roof", Rare, "verriere"),
    row("bow window", Rare, "bow oriel"),
    row("floor tiles", Rare, "tomette"),
    row("spiral staircase", Rare, "escalier-a-vis colimacon"),
    row("turret", Rare, "tourelle"),
    row("stables", Rare, "cheval chevaux equestre"),
    row("guest rooms", Rare, "gite gites chambres-d-hotes"),
    row("vegetable garden", Uncommon, "potager"),
    row("flood zone", Rare, "inondable ppri"),
    row("loft", Rare, "loft"),
    shared("caretaker", Uncommon, "gardien gardienne concierge gardiennage gardiennee"),
    shared("tennis court", Rare, "tennis"),
    shared("door code", Frequent, "digicode interphone visiophone"),
    shared("bicycle room", Uncommon, "local-velos local-velo velos"),
    row("water mill", Rare, "moulin roue-a-aubes"),
    row("water right", Rare, "droit-d-eau droits-d-eau prise-d-eau"),
];

/// Words before a feature that say that the home does not have it.
const NEGATIONS: [&str; 7] = ["pas", "sans", "ni", "aucun", "aucune", "non", "hors"];

/// The most points that common features can add.
pub const POINTS_MAX: f32 = 3.0;

/// How much a feature counts against the others that only the shorter text names.
const MISSING: f32 = 0.4;

impl Feature {
    /// About half of the logarithm of how much rarer it is among other homes than among adverts of one home: features go together.
    fn points(&self, is_flat: bool) -> f32 {
        let points = match self.frequency {
            Common => 0.2,
            Frequent => 0.4,
            Uncommon => 0.75,
            Rare => 1.25,
        };
        if self.is_shared && is_flat { points / 2.0 } else { points }
    }
}

/// What two adverts have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharedFeatures {
    features: Features,
    pub points: f32,
}

impl SharedFeatures {
    /// Names the features, the rarest first: "well, orchard, cellar".
    pub fn names(self) -> String {
        let mut rows: Vec<&Feature> = self.features.rows().collect();
        rows.sort_by(|one, other| other.points(false).total_cmp(&one.points(false)));
        rows.iter().map(|row| row.name).collect::<Vec<_>>().join(", ")
    }
}

impl Features {
    /// Adds what the text names.
    pub fn read(tokens: &Tokens) -> Self {
        let mut features = Self::default();
        for (position, token) in tokens.list().iter().enumerate() {
            if LOOKUP.words.contains(token.hash) {
                features.add(tokens, position);
            }
        }
        features
    }

    fn add(&mut self, tokens: &Tokens, position: usize) {
        let following = &tokens.list()[position..];
        let first = following[0].hash;
        let start = LOOKUP.phrases.partition_point(|phrase| phrase.words[0] < first);
        let phrases = LOOKUP.phrases[start..].iter().take_while(|phrase| phrase.words[0] == first);
        for phrase in phrases.filter(|phrase| phrase.is_at(following)) {
            if !is_negated(tokens, position) {
                self.0 |= 1 << phrase.row;
            }
        }
    }

    /// Returns the features of both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn rows(self) -> impl Iterator<Item = &'static Feature> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let row = rest.trailing_zeros() as usize;
            // Without the lowest bit.
            rest &= rest.wrapping_sub(1);
            TABLE.get(row)
        })
    }

    fn weight(self, is_flat: bool) -> f32 {
        self.rows().map(|feature| feature.points(is_flat)).sum()
    }

    /// Weighs the features that both name, less those that only the shorter text names.
    pub fn shared(self, other: Self, types: [PropertyType; 2]) -> SharedFeatures {
        let is_flat = types.contains(&PropertyType::Apartment);
        let features = Self(self.0 & other.0);
        let common = features.weight(is_flat);
        let missing = self.weight(is_flat).min(other.weight(is_flat)) - common;
        SharedFeatures { features, points: (common - MISSING * missing).clamp(0.0, POINTS_MAX) }
    }
}

/// Returns `true` after "pas de", "sans" and the like.
fn is_negated(tokens: &Tokens, position: usize) -> bool {
    let mut before = (1..=3).map_while(|offset| {
        let at = position.checked_sub(offset)?;
        let token = tokens.list().get(at)?;
        (!token.ends_clause).then(|| tokens.word_at(at))
    });
    before.any(|word| NEGATIONS.contains(&word))
}

/// A word or several adjacent ones that name a feature.
struct Phrase {
    words: Vec<u32>,
    row: u32,
}

impl Phrase {
    fn is_at(&self, tokens: &[Token]) -> bool {
        tokens.len() >= self.words.len()
            && self.words.iter().zip(tokens).all(|(word, token)| *word == token.hash)
    }
}

struct Lookup {
    /// The first words of the phrases.
    words: WordSet,
    /// In the order of their first words.
    phrases: Vec<Phrase>,
}

static LOOKUP: LazyLock<Lookup> = LazyLock::new(|| {
    let mut phrases = Vec::new();
    for (row, feature) in (0_u32..).zip(TABLE) {
        for phrase in feature.words.split_whitespace() {
            for plural in ["", "s"] {
                let words = hashes(&format!("{phrase}{plural}"));
                phrases.push(Phrase { words, row });
            }
        }
    }
    phrases.sort_by_key(|phrase| phrase.words[0]);
    Lookup { words: WordSet::new(phrases.iter().map(|phrase| phrase.words[0])), phrases }
});

/// Hashes the words of a phrase as the tokens of a text are.
fn hashes(phrase: &str) -> Vec<u32> {
    let mut tokens = Tokens::default();
    tokens.read(&phrase.replace('-', " "));
    tokens.list().iter().map(|token| token.hash).collect()
}

/// Returns `true` for words that name a feature by themselves. They are not counted as uncommon words again.
pub fn is_feature(word: u32) -> bool {
    static WORDS: LazyLock<WordSet> = LazyLock::new(|| {
        let single = LOOKUP.phrases.iter().filter(|phrase| phrase.words.len() == 1);
        WordSet::new(single.map(|phrase| phrase.words[0]))
    });
    WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(text: &str) -> Features {
        let mut tokens = Tokens::default();
        tokens.read(text);
        Features::read(&tokens)
    }

    fn names(one: &str, other: &str) -> String {
        features(one).shared(features(other), [PropertyType::House; 2]).names()
    }

    #[test]
    fn features_are_known_by_several_words() {
        assert_eq!(names("Puits, verger.", "Un forage et des arbres fruitiers"), "well, orchard");
        assert_eq!(names("Résidence avec gardien", "concierge, ascenseur"), "caretaker");
        assert_eq!(names("ancien fournil", "four à pain"), "bread oven");
        assert_eq!(names("une petite mare", "joli plan d'eau"), "pond");
        assert_eq!(names("cuisine d'été", "la cuisine a été refaite"), "");
    }

    #[test]
    fn what_a_home_lacks_is_no_feature() {
        assert_eq!(features("Pas de garage, sans cave ni balcon"), Features::default());
        assert_eq!(features("Sans travaux, garage"), features("garage"));
    }

    #[test]
    fn what_one_text_names_alone_counts_against_the_rest() {
        let points = |one, other| features(one).shared(features(other), [PropertyType::House; 2]).points;
        assert!(points("puits, verger, mare", "puits, verger, mare") > 2.5);
        assert!(points("puits, verger", "puits, sauna") < points("puits", "puits, sauna"));
        assert_eq!(points("cave", "balcon, cave, véranda"), 0.2);
        assert_eq!(points("sauna", "verger"), 0.0);
    }

    #[test]
    fn the_table_fits_into_a_set() {
        assert!(TABLE.len() <= 64, "{} rows", TABLE.len());
        let mut names: Vec<&str> = TABLE.iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TABLE.len(), "each name once");
    }
}
