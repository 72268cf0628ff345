//! Fuzzy matching of names: misspelled, abbreviated, or with additions.

use domain::City;

use super::{PlaceWarning, Resolver, Selection};
use crate::place_query;
use crate::prefix_index::MatchExtent;
use crate::spelling::{Pattern, edits_allowed};

impl Resolver<'_> {
    /// Returns the city among `cities` whose name is most similar to the given name, or is a prefix of it, or starts with it.
    pub(super) fn most_similar(&self, cities: &[u32]) -> Option<u32> {
        let given = self.query.words.iter().map(String::as_str).collect::<Vec<_>>();
        let typed = place_query::key(given.iter().copied(), "sur");
        let pattern = Pattern::new(&typed, edits_allowed(typed.len()));
        let similarity = |city: &u32| {
            let name = self.gazetteer.prefixes.folded(*city);
            let names: Vec<String> = place_query::keys_of_name(&self.city(*city).name, name).collect();
            let edits = names.iter().filter_map(|name| pattern.edits_to(name)).min();
            // `Boulogne` for Boulogne-Billancourt, `Lyon Croix-Rousse` for Lyon.
            let is_prefix = names.iter().any(|name| is_prefix_of_either(name, &typed));
            edits
                .or(is_prefix.then_some(usize::MAX))
                .map(|edits| (edits, u32::MAX - self.city(*city).population))
        };
        cities.iter().filter_map(|city| Some((similarity(city)?, *city))).min().map(|(_, city)| city)
    }

    /// Selects the commune with the most similar name, the largest among equals.
    pub(super) fn by_spelling(&mut self, accepts: impl Fn(&City) -> bool) -> Option<Selection> {
        let words: Vec<String> = self
            .query
            .words
            .iter()
            .map(|word| place_query::key(std::iter::once(word.as_str()), "sur"))
            .collect();
        let typed = words.join(" ");
        let pattern = Pattern::new(&typed, edits_allowed(typed.len()));
        let prefixes = &self.gazetteer.prefixes;
        // `Le Touquet` for Le Touquet-Paris-Plage: an omitted part is not a spelling error.
        let mut best: Vec<u32> = prefixes
            .with_prefix(&format!("{typed} "))
            .filter(|(entry, _)| entry.at_start)
            .filter_map(|(entry, _)| prefixes.name(entry.name).current_city())
            .filter(|city| accepts(self.city(*city)))
            .collect();
        let mut least = if best.is_empty() { usize::MAX } else { 0 };
        prefixes.fuzzy_matches(&pattern, MatchExtent::Whole, |entry, edits| {
            let Some(city) = prefixes.name(entry.name).current_city() else { return };
            if !entry.at_start || edits > least || !accepts(self.city(city)) {
                return;
            }
            if edits < least {
                best.clear();
                least = edits;
            }
            best.push(city);
        });
        best.sort_unstable();
        best.dedup();
        let Some(city) = self.nearest_to_point(&best).or_else(|| self.largest(&best)) else {
            self.warnings.push(PlaceWarning::UnknownName { name: self.name.clone() });
            return None;
        };
        self.warn_corrected(city);
        if best.len() > 1 {
            self.warnings.push(PlaceWarning::NameShared { name: self.name.clone(), communes: best.len() });
        }
        Some(Selection::likely(city))
    }

    pub(super) fn warn_corrected(&mut self, city: u32) {
        let selected = self.city(city).name.to_string();
        self.warnings.push(PlaceWarning::NameCorrected { given: self.name.clone(), selected });
    }
}

/// Returns `true` if one key is a prefix of the other and long enough to be significant.
fn is_prefix_of_either(a: &str, b: &str) -> bool {
    const LETTERS_MIN: usize = 4;
    a.len().min(b.len()) >= LETTERS_MIN && (a.starts_with(b) || b.starts_with(a))
}
