//! Names that are nearly what was given: misspelt, cut short, or with something after them.

use domain::City;

use super::{Resolver, Selection, PlaceWarning};
use crate::labels::Extent;
use crate::spelling::{Pattern, edits_forgiven};
use crate::place_query;

impl Resolver<'_> {
    /// The one of these cities whose name is nearly what was given, or begins it, or begins with it.
    pub(super) fn most_similar(&self, cities: &[u32]) -> Option<u32> {
        let given = self.place_query.words.iter().map(String::as_str).collect::<Vec<_>>();
        let typed = place_query::key(given.iter().copied(), "sur");
        let pattern = Pattern::new(&typed, edits_forgiven(typed.len()));
        let likeness = |city: &u32| {
            let name = self.gazetteer.labels.folded(*city);
            let names: Vec<String> = place_query::keys_of_name(&self.city(*city).name, name).collect();
            let edits = names.iter().filter_map(|name| pattern.edits_to(name)).min();
            // `Boulogne` for Boulogne-Billancourt, `Lyon Croix-Rousse` for Lyon.
            let part = names.iter().any(|name| is_part(name, &typed));
            edits.or(part.then_some(usize::MAX)).map(|edits| (edits, u32::MAX - self.city(*city).population))
        };
        cities.iter().filter_map(|city| Some((likeness(city)?, *city))).min().map(|(_, city)| city)
    }

    /// The commune with the name nearest in spelling, the largest among equals.
    pub(super) fn by_spelling(&mut self, wanted: impl Fn(&City) -> bool) -> Option<Selection> {
        let words: Vec<String> = self
            .place_query
            .words
            .iter()
            .map(|word| place_query::key(std::iter::once(word.as_str()), "sur"))
            .collect();
        let typed = words.join(" ");
        let pattern = Pattern::new(&typed, edits_forgiven(typed.len()));
        let labels = &self.gazetteer.labels;
        // `Le Touquet` for Le Touquet-Paris-Plage: what is left out is no error of spelling.
        let mut best: Vec<u32> = labels
            .beginning_with(&format!("{typed} "))
            .filter(|(entry, _)| entry.leads)
            .filter_map(|(entry, _)| labels.label(entry.label).current_city())
            .filter(|city| wanted(self.city(*city)))
            .collect();
        let mut least = if best.is_empty() { usize::MAX } else { 0 };
        labels.resembling(&pattern, Extent::Whole, |entry, edits| {
            let Some(city) = labels.label(entry.label).current_city() else { return };
            if !entry.leads || edits > least || !wanted(self.city(city)) {
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
        self.repaired(city);
        if best.len() > 1 {
            self.warnings.push(PlaceWarning::NameShared { name: self.name.clone(), communes: best.len() });
        }
        Some(Selection::likely(city))
    }

    pub(super) fn repaired(&mut self, city: u32) {
        let taken = self.city(city).name.to_string();
        self.warnings.push(PlaceWarning::NameRepaired { given: self.name.clone(), taken });
    }
}

/// Whether one key begins the other, with enough letters to mean something.
fn is_part(a: &str, b: &str) -> bool {
    const LETTERS_MIN: usize = 4;
    a.len().min(b.len()) >= LETTERS_MIN && (a.starts_with(b) || b.starts_with(a))
}
