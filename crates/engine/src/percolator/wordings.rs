//! What searches look for in texts, each wording once.
//!
//! Every word that some search looks for has a number, and so have every wording and all the expressions of a search; they are
//! given back when the last search that uses them goes. A property's texts are read once, and only if a search that has got so
//! far wants to know ([`reading`]). What the answer was is remembered until the next property.

mod dictionary;
mod reading;

use std::sync::Arc;

use domain::criteria::{Entry, Presence};
use domain::{Property, Strictness, Wording};
use rustc_hash::FxHashMap;

use super::slab::Slab;
use dictionary::Dictionary;
pub use reading::Reading;

/// Stands between alternatives.
const OR: u32 = u32::MAX;

#[derive(Debug, Default)]
pub struct Wordings {
    exact: Dictionary,
    inflected: Dictionary,
    kept: Slab<Kept>,
    by_words: FxHashMap<(Strictness, Arc<[u32]>), u32>,
    expressions: Slab<Expressions>,
    by_entries: FxHashMap<Arc<[u32]>, u32>,
    /// Another one whenever a word gets a number or gives it back.
    edition: Arc<()>,
}

/// All the expressions of a search.
#[derive(Debug)]
struct Expressions {
    /// Of each entry the number of its wording, and in the lowest bit whether it must be absent.
    entries: Arc<[u32]>,
    uses: u32,
}

#[derive(Debug)]
struct Kept {
    strictness: Strictness,
    /// The numbers of the words of all alternatives.
    words: Arc<[u32]>,
    uses: u32,
}

impl Wordings {
    /// The number of expressions, kept until they are released as often as they were asked for.
    pub fn hold(&mut self, expressions: &[Vec<Entry>]) -> u32 {
        let mut entries = Vec::new();
        for (place, group) in expressions.iter().enumerate() {
            entries.extend((place > 0).then_some(OR));
            for Entry { wording, presence } in group {
                entries.push(self.hold_wording(wording) << 1 | u32::from(*presence == Presence::Absent));
            }
        }
        let entries: Arc<[u32]> = entries.into();
        if let Some(number) = self.by_entries.get(&entries).copied() {
            self.release_wordings(&entries);
            if let Some(kept) = self.expressions.get_mut(number) {
                kept.uses += 1;
            }
            return number;
        }
        let number = self.expressions.put(Expressions { entries: Arc::clone(&entries), uses: 1 });
        self.by_entries.insert(entries, number);
        number
    }

    pub fn release(&mut self, number: u32) {
        let Some(kept) = self.expressions.get_mut(number) else { return };
        kept.uses -= 1;
        if kept.uses == 0
            && let Some(Expressions { entries, .. }) = self.expressions.take(number)
        {
            self.release_wordings(&entries);
            self.by_entries.remove(&entries);
        }
    }

    fn release_wordings(&mut self, entries: &[u32]) {
        entries.iter().filter(|entry| **entry != OR).for_each(|entry| self.release_wording(entry >> 1));
    }

    fn hold_wording(&mut self, wording: &Wording) -> u32 {
        let strictness = wording.strictness();
        let words_before = self.words();
        let dictionary = self.dictionary_mut(strictness);
        let mut words: Vec<u32> = Vec::new();
        for (place, alternative) in wording.alternatives().iter().enumerate() {
            words.extend((place > 0).then_some(OR));
            words.extend(alternative.iter().map(|word| dictionary.hold(word)));
        }
        let key = (strictness, Arc::from(words));
        if let Some(number) = self.by_words.get(&key).copied() {
            let (_, words) = key;
            release_words(self.dictionary_mut(strictness), &words);
            if let Some(kept) = self.kept.get_mut(number) {
                kept.uses += 1;
            }
            return number;
        }
        if self.words() != words_before {
            self.edition = Arc::default();
        }
        let number = self.kept.put(Kept { strictness, words: Arc::clone(&key.1), uses: 1 });
        self.by_words.insert(key, number);
        number
    }

    fn release_wording(&mut self, number: u32) {
        let Some(kept) = self.kept.get_mut(number) else { return };
        kept.uses -= 1;
        if kept.uses == 0
            && let Some(Kept { strictness, words, .. }) = self.kept.take(number)
        {
            let words_before = self.words();
            release_words(self.dictionary_mut(strictness), &words);
            if self.words() != words_before {
                self.edition = Arc::default();
            }
            self.by_words.remove(&(strictness, words));
        }
    }

    fn dictionary_mut(&mut self, strictness: Strictness) -> &mut Dictionary {
        match strictness {
            Strictness::Exact => &mut self.exact,
            Strictness::Inflected => &mut self.inflected,
        }
    }

    /// How many words have a number.
    fn words(&self) -> usize {
        self.exact.len() + self.inflected.len()
    }

    /// Whether expressions hold for the texts of a property.
    pub fn hold_for(&self, number: u32, property: &Property, reading: &mut Reading) -> bool {
        reading.read(self, property);
        if let Some(answer) = reading.expressions.answer(number) {
            return answer;
        }
        let holds = self.expressions.get(number).is_some_and(|kept| {
            let mut holds = |entry: &u32| self.is_there(entry >> 1, reading) == (entry & 1 == 0);
            kept.entries.split(|entry| *entry == OR).any(|group| group.iter().all(&mut holds))
        });
        reading.expressions.remember(number, holds);
        holds
    }

    /// Whether a wording stands in the texts that were read.
    fn is_there(&self, number: u32, reading: &mut Reading) -> bool {
        if let Some(answer) = reading.wordings.answer(number) {
            return answer;
        }
        let found = self.kept.get(number).is_some_and(|kept| {
            kept.words.split(|word| *word == OR).any(|phrase| reading.has(phrase, kept.strictness))
        });
        reading.wordings.remember(number, found);
        found
    }

    pub fn bytes(&self) -> usize {
        let words = self.kept.iter().map(|kept| &kept.words);
        let entries = self.expressions.iter().map(|kept| &kept.entries);
        let lists = words.chain(entries).map(|list| size_of_val(&**list) + 2 * size_of::<usize>());
        self.exact.bytes()
            + self.inflected.bytes()
            + self.kept.bytes()
            + super::map_bytes(&self.by_words)
            + self.expressions.bytes()
            + super::map_bytes(&self.by_entries)
            + lists.sum::<usize>()
    }
}

fn release_words(dictionary: &mut Dictionary, words: &[u32]) {
    words.iter().filter(|word| **word != OR).for_each(|word| dictionary.release(*word));
}

#[cfg(test)]
mod tests {
    use domain::fold;
    use testkit::build;

    use super::*;

    fn wording(text: &str, strictness: Strictness) -> Wording {
        Wording::new(text, strictness).unwrap()
    }

    #[test]
    fn wordings_are_found_as_their_meaning_says() {
        let looked_for = [
            "terrasse",
            "grande terrasse",
            "grandes terrasses",
            "t3",
            "trois pièces",
            "terrasses au",
            "vis a vis",
            "sans vis",
            "a",
            "lumineuses",
            "appartement",
            "calme sans vis à vis",
            "piscine",
        ];
        let mut wordings = Wordings::default();
        let mut reading = Reading::default();
        let all: Vec<Wording> = [Strictness::Exact, Strictness::Inflected]
            .iter()
            .flat_map(|strictness| looked_for.map(|text| wording(text, *strictness)))
            .collect();
        let entry = |wording: &Wording, presence| vec![vec![Entry { wording: wording.clone(), presence }]];
        let numbers: Vec<[u32; 2]> = all
            .iter()
            .map(|it| {
                [Presence::Present, Presence::Absent].map(|presence| wordings.hold(&entry(it, presence)))
            })
            .collect();
        for description in [None, Some("Au calme. Sans vis-à-vis !")] {
            let advert = build::advert(1).title("Appt T3 lumineux, grandes terrasses");
            let advert = match description {
                Some(description) => advert.description(description),
                None => advert,
            };
            let property = Property { id: build::property_id(1), adverts: vec![advert.build()] };
            reading.begin();
            for _ in 0..2 {
                for (wording, numbers) in all.iter().zip(&numbers) {
                    let expected = domain::criteria::texts(&property).any(|text| wording.is_in(&fold(text)));
                    let found = numbers.map(|number| wordings.hold_for(number, &property, &mut reading));
                    assert_eq!(found, [expected, !expected], "{wording:?}");
                }
            }
        }
    }

    #[test]
    fn wordings_are_shared_and_leave_nothing_behind() {
        let mut wordings = Wordings::default();
        let mut hold = |text: &str, strictness| {
            let entry = Entry { wording: wording(text, strictness), presence: Presence::Present };
            wordings.hold(&[vec![entry]])
        };
        let first = hold("grande terrasse", Strictness::Exact);
        assert_eq!(hold("Grande  TERRASSE", Strictness::Exact), first);
        assert_ne!(hold("grande terrasse", Strictness::Inflected), first);
        wordings.release(first);
        assert!(wordings.expressions.get(first).is_some());
        wordings.release(first);
        assert!(wordings.expressions.get(first).is_none());
        assert_eq!((wordings.exact.len(), wordings.inflected.len()), (0, 2));
        assert_eq!((wordings.by_words.len(), wordings.by_entries.len()), (1, 1));
    }

    /// A scratch may be used with one percolator after the other, and searches may come and go in between.
    #[test]
    fn what_was_read_before_does_not_matter() {
        let mut reading = Reading::default();
        let property = |title: &str| {
            let advert = build::advert(1).title(title).build();
            Property { id: build::property_id(1), adverts: vec![advert] }
        };
        let mut check = |wordings: &Wordings, number: u32, title: &str, expected: bool| {
            reading.begin();
            assert_eq!(wordings.hold_for(number, &property(title), &mut reading), expected, "{title}");
        };
        let mut one = Wordings::default();
        let mut other = Wordings::default();
        let entry = |text: &str| {
            let wording = wording(text, Strictness::Exact);
            vec![vec![Entry { wording, presence: Presence::Present }]]
        };
        let (garden, garage) = (one.hold(&entry("jardin")), other.hold(&entry("garage")));
        check(&one, garden, "Maison, jardin", true);
        check(&other, garage, "Maison, jardin", false);
        check(&other, garage, "Maison, garage", true);
        check(&one, garden, "Maison, garage", false);
        one.release(garden);
        let garage = one.hold(&entry("garage"));
        check(&one, garage, "Maison, jardin", false);
        check(&one, garage, "Maison, garage", true);
    }
}
