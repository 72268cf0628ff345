//! Fuzzy matching of names: misspelled, abbreviated, or with additions.

use domain::{City, CountryCode};

use super::text::QUARTERS_POPULATION_MIN;
use super::{PlaceWarning, Resolver, Selection};
use crate::name_index::NameKind;
use crate::place_query;
use crate::spelling::{Pattern, edits_allowed};

/// How a given name resembles that of a commune.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Similarity {
    /// It differs by this number of typing errors.
    Edits(usize),
    /// It is the start of the name, or the name is the start of it, in whole words: `Boulogne` for Boulogne-Billancourt,
    /// `Lyon Bellecombe` for Lyon.
    Words,
    /// The same, but not in whole words.
    Letters,
}

/// Words that make one name of what is before and after them.
const JOINING_WORDS: [&str; 16] =
    ["a", "au", "aux", "d", "de", "des", "du", "en", "et", "l", "les", "lez", "pres", "sous", "sur", "s"];

/// Words that stand for no name, although some communes have a similar one.
const NO_NAMES: [&str; 12] = [
    "autre",
    "autres",
    "centre",
    "centre ville",
    "commune",
    "etranger",
    "france",
    "inconnu",
    "inconnue",
    "neant",
    "ville",
    "a preciser",
];

/// What is at a town, or a part of it, and named after it: `Aéroport de Nice`. Other names with `de` are those of villages:
/// `Sainte-Lucie-de-Porto-Vecchio`.
const NAMED_AFTER_TOWNS: [&str; 23] = [
    "aeroport",
    "agglomeration",
    "alentours",
    "banlieue",
    "campagne",
    "coeur",
    "environs",
    "est",
    "gare",
    "golf",
    "hauteurs",
    "metropole",
    "nord",
    "ouest",
    "peripherie",
    "plage",
    "port",
    "pres",
    "proche",
    "proximite",
    "region",
    "sortie",
    "sud",
];

impl Resolver<'_> {
    /// Returns the city among `cities` whose name is most similar to the given name, or to a part of it.
    pub(super) fn most_similar(&self, cities: &[u32]) -> Option<(u32, Similarity)> {
        let parts = if self.query.parts.len() > 1 { self.query.parts.as_slice() } else { &[] };
        std::iter::once(&self.query.words).chain(parts).find_map(|words| self.most_similar_to(words, cities))
    }

    fn most_similar_to(&self, words: &[String], cities: &[u32]) -> Option<(u32, Similarity)> {
        let typed = place_query::key(words.iter().map(String::as_str), "sur");
        let pattern = Pattern::new(&typed, edits_allowed(typed.len()));
        // Three letters are enough if only one of the communes starts with them: `13100 Aix`.
        let starts_with_typed = |city: &u32| {
            let name = self.gazetteer.prefixes.folded(*city);
            name.split_once(' ').is_some_and(|(first, _)| first == typed)
        };
        let is_only_start = typed.len() == 3
            && !place_query::ARTICLES.contains(&typed.as_str())
            && cities.iter().filter(|city| starts_with_typed(city)).count() == 1;
        let similarity = |city: &u32| {
            let name = self.gazetteer.prefixes.folded(*city);
            let names: Vec<String> = place_query::keys_of_name(&self.city(*city).name, name).collect();
            let edits = names.iter().filter_map(|name| pattern.edits_to(name)).min().map(Similarity::Edits);
            let is_start = || {
                names.iter().any(|name| is_prefix_of_either(name, &typed))
                    || is_only_start && starts_with_typed(city)
            };
            let similarity = edits.or_else(|| {
                is_start()
                    .then(|| if shares_words(name, words) { Similarity::Words } else { Similarity::Letters })
            })?;
            Some((similarity, u32::MAX - self.city(*city).population, *city))
        };
        cities.iter().filter_map(similarity).min().map(|(similarity, _, city)| (city, similarity))
    }

    /// Selects the commune with the most similar name, the largest among equals.
    pub(super) fn by_spelling(&mut self, accepts: impl Fn(&City) -> bool) -> Option<Selection> {
        match self.most_similar_of_all(&accepts).or_else(|| self.commune_and_more(&accepts)) {
            Some(guessed) => Some(self.guess(guessed)),
            None => {
                self.warnings.push(PlaceWarning::UnknownName { name: self.name.clone() });
                None
            }
        }
    }

    /// Returns the words whose spelling may be repaired: those of the name, without the name of its department.
    fn words_of_name(&self) -> &[String] {
        self.lookup.name_alone.as_deref().unwrap_or(&self.query.words)
    }

    /// Returns `true` if the text names departments, regions and countries, and nothing else.
    fn names_only_areas(&self) -> bool {
        let is_area = |words: &[String]| self.gazetteer.areas.named(words).is_some();
        let is_country = |part: &Vec<String>| CountryCode::named(&part.join(" ")).is_some();
        let parts = &self.query.parts;
        is_area(self.words_of_name())
            || parts.len() > 1 && parts.iter().all(|part| is_area(part) || is_country(part))
    }

    /// Selects a repaired name and says so. The number is that of the communes it could be.
    pub(super) fn guess(&mut self, (city, communes): (u32, usize)) -> Selection {
        self.warn_corrected(city);
        if communes > 1 {
            self.warnings.push(PlaceWarning::NameShared { name: self.name.clone(), communes });
        }
        Selection::likely(city)
    }

    /// Returns the commune of the country with the most similar name, and the number of communes that are as similar.
    ///
    /// A repaired name never contradicts the coordinates: without a zipcode, only communes near them are considered.
    pub(super) fn most_similar_of_all(&self, accepts: impl Fn(&City) -> bool) -> Option<(u32, usize)> {
        // The name of a department or region is not a misspelled commune: `Isère`. It may be a short form in another department:
        // `Vienne (51)` is Vienne-le-Château.
        let is_area = self.names_only_areas();
        if is_area && self.lookup.department.is_none() {
            return None;
        }
        self.short_form_of_all(&accepts).or_else(|| {
            let typed = self.typed_name().filter(|_| !is_area)?;
            let similar = self.gazetteer.spellings.similar(&self.gazetteer.prefixes, &typed);
            let fits = |city: u32| self.may_be(city, &typed) && accepts(self.city(city));
            let mut fitting = similar.iter().filter(|similar| fits(similar.city)).peekable();
            let least = fitting.peek().map(|similar| similar.edits);
            self.best_of(
                fitting.take_while(|other| Some(other.edits) == least).map(|other| other.city).collect(),
            )
        })
    }

    /// Returns the commune whose name starts with the given one, and the number of such communes: `Le Touquet` for
    /// Le Touquet-Paris-Plage. An omitted part is not a spelling error.
    pub(super) fn short_form_of_all(&self, accepts: impl Fn(&City) -> bool) -> Option<(u32, usize)> {
        let typed = self.typed_name()?;
        let prefixes = &self.gazetteer.prefixes;
        let start = format!("{typed} ");
        let longer = prefixes
            .with_prefix(&start)
            .filter(|(entry, _)| entry.at_start)
            .filter_map(|(entry, _)| prefixes.name(entry.name).current_city())
            .filter(|city| self.may_be(*city, &typed) && accepts(self.city(*city)));
        self.best_of(longer.collect())
    }

    /// Returns the given name in full words. `None` if it stands for no name.
    fn typed_name(&self) -> Option<String> {
        let words = self.words_of_name().iter();
        let expanded: Vec<String> =
            words.map(|word| place_query::key(std::iter::once(word.as_str()), "sur")).collect();
        Some(expanded.join(" ")).filter(|typed| !NO_NAMES.contains(&typed.as_str()))
    }

    /// Returns `false` for a commune far from the coordinates, and for one with another number, which is another district:
    /// `Paris 2ex` is not the 20e.
    fn may_be(&self, city: u32, typed: &str) -> bool {
        digits(self.gazetteer.prefixes.folded(city)).eq(digits(typed)) && self.is_near_point_if_decisive(city)
    }

    /// Returns the nearest or largest of these communes, and their number.
    fn best_of(&self, mut cities: Vec<u32>) -> Option<(u32, usize)> {
        cities.sort_unstable();
        cities.dedup();
        let city = self.nearest_to_point(&cities).or_else(|| self.largest(&cities))?;
        Some((city, cities.len()))
    }

    /// Returns a town whose name starts or ends the text, next to words that are not known: `Toulon Brunet`, `Vieux Nice`.
    fn commune_and_more(&self, accepts: impl Fn(&City) -> bool) -> Option<(u32, usize)> {
        const WORDS_MAX: usize = 12;
        let words = self.words_of_name();
        if words.len() > WORDS_MAX || self.names_only_areas() {
            return None;
        }
        let is_joining =
            |word: Option<&String>| word.is_some_and(|word| JOINING_WORDS.contains(&word.as_str()));
        // After a town, an article starts the name of a quarter: `Toulon Les Platanes`, `Nice L'Ariane`.
        let is_article = |word: &String| place_query::ARTICLES.contains(&word.as_str()) && word != "aux";
        let starts = (1..words.len()).rev().map(|split| words.split_at(split));
        let mut starts = starts
            .filter(|(_, rest)| {
                !is_joining(rest.first()) || rest.len() > 1 && rest.first().is_some_and(is_article)
            })
            .map(|(name, _)| name);
        let ends = (1..words.len()).map(|split| words.split_at(split));
        let mut ends = ends
            .filter(|(rest, _)| {
                let is_at_town = rest.iter().any(|word| NAMED_AFTER_TOWNS.contains(&word.as_str()));
                !is_joining(rest.last()) || is_at_town && rest.last().is_some_and(|word| word == "de")
            })
            .map(|(_, name)| name);
        let town = |name: &[String]| {
            // A name that several communes share says too little.
            let [candidate] = self.gazetteer.communes_named(name)[..] else { return None };
            let city = self.city(candidate.city);
            let is_town = candidate.kind == NameKind::Own && city.population >= QUARTERS_POPULATION_MIN;
            (is_town && self.is_near_point_if_decisive(candidate.city) && accepts(city))
                .then_some(candidate.city)
        };
        // The longest name counts: `Rennes-le-Château Les Lilas` is not in Rennes.
        let longest = starts.find(|name| !self.gazetteer.communes_named(name).is_empty());
        let city = longest.and_then(town).or_else(|| ends.find_map(town))?;
        Some((city, 1))
    }

    /// Returns `false` for a commune far from the coordinates, unless a zipcode supports it.
    fn is_near_point_if_decisive(&self, city: u32) -> bool {
        self.zipcode.is_some() || self.point.is_none() || self.is_near_point(city)
    }

    pub(super) fn warn_corrected(&mut self, city: u32) {
        let selected = self.city(city).name.to_string();
        self.warnings.push(PlaceWarning::NameCorrected { given: self.name.clone(), selected });
    }
}

/// Returns the digits of a text.
fn digits(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().filter(u8::is_ascii_digit)
}

/// Returns `true` if a folded name starts with these words, or these words start with the name.
fn shares_words(name: &str, words: &[String]) -> bool {
    let expanded = |word: &str| place_query::key(std::iter::once(word), "sur");
    name.split(' ').zip(words).all(|(a, b)| expanded(a) == expanded(b))
}

/// Returns `true` if one key is a prefix of the other and long enough to be significant.
fn is_prefix_of_either(a: &str, b: &str) -> bool {
    const LETTERS_MIN: usize = 4;
    a.len().min(b.len()) >= LETTERS_MIN && (a.starts_with(b) || b.starts_with(a))
}
