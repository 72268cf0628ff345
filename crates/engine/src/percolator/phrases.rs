//! What searches look for in texts, each phrase once.
//!
//! Every word that some search looks for has a number, and so have every phrase and all the expressions of a search; they are
//! given back when the last search that uses them goes. A property's texts are read once, and only if a search that has got so
//! far wants to know ([`reading`]). What the answer was is remembered until the next property.

mod dictionary;
mod reading;

use std::sync::Arc;

use domain::criteria::{Entry, Presence};
use domain::{Phrase, Property, Strictness};
use rustc_hash::FxHashMap;

use super::slab::Slab;
use dictionary::Dictionary;
pub use reading::Reading;

/// Stands between alternatives.
const OR: u32 = u32::MAX;

#[derive(Debug, Default)]
pub struct PhraseInterner {
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
    /// Of each entry the number of its phrase, and in the lowest bit whether it must be absent.
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

impl PhraseInterner {
    /// The number of expressions, kept until they are released as often as they were asked for.
    pub fn hold(&mut self, expressions: &[Vec<Entry>]) -> u32 {
        let mut entries = Vec::new();
        for (place, group) in expressions.iter().enumerate() {
            entries.extend((place > 0).then_some(OR));
            for Entry { phrase, presence } in group {
                entries.push(self.hold_wording(phrase) << 1 | u32::from(*presence == Presence::Absent));
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

    fn hold_wording(&mut self, phrase: &Phrase) -> u32 {
        let strictness = phrase.strictness();
        let words_before = self.words();
        let dictionary = self.dictionary_mut(strictness);
        let mut words: Vec<u32> = Vec::new();
        for (place, alternative) in phrase.alternatives().iter().enumerate() {
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

    /// Whether a phrase stands in the texts that were read.
    fn is_there(&self, number: u32, reading: &mut Reading) -> bool {
        if let Some(answer) = reading.phrases.answer(number) {
            return answer;
        }
        let found = self.kept.get(number).is_some_and(|kept| {
            kept.words.split(|word| *word == OR).any(|phrase| reading.has(phrase, kept.strictness))
        });
        reading.phrases.remember(number, found);
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

    fn phrase(text: &str, strictness: Strictness) -> Phrase {
        Phrase::new(text, strictness).unwrap()
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
        let mut phrases = PhraseInterner::default();
        let mut reading = Reading::default();
        let all: Vec<Phrase> = [Strictness::Exact, Strictness::Inflected]
            .iter()
            .flat_map(|strictness| looked_for.map(|text| phrase(text, *strictness)))
            .collect();
        let entry = |phrase: &Phrase, presence| vec![vec![Entry { phrase: phrase.clone(), presence }]];
        let numbers: Vec<[u32; 2]> = all
            .iter()
            .map(|it| {
                [Presence::Present, Presence::Absent].map(|presence| phrases.hold(&entry(it, presence)))
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
                for (phrase, numbers) in all.iter().zip(&numbers) {
                    let expected = domain::criteria::texts(&property).any(|text| phrase.occurs_in(&fold(text)));
                    let found = numbers.map(|number| phrases.hold_for(number, &property, &mut reading));
                    assert_eq!(found, [expected, !expected], "{phrase:?}");
                }
            }
        }
    }

    #[test]
    fn wordings_are_shared_and_leave_nothing_behind() {
        let mut phrases = PhraseInterner::default();
        let mut hold = |text: &str, strictness| {
            let entry = Entry { phrase: phrase(text, strictness), presence: Presence::Present };
            phrases.hold(&[vec![entry]])
        };
        let first = hold("grande terrasse", Strictness::Exact);
        assert_eq!(hold("Grande  TERRASSE", Strictness::Exact), first);
        assert_ne!(hold("grande terrasse", Strictness::Inflected), first);
        phrases.release(first);
        assert!(phrases.expressions.get(first).is_some());
        phrases.release(first);
        assert!(phrases.expressions.get(first).is_none());
        assert_eq!((phrases.exact.len(), phrases.inflected.len()), (0, 2));
        assert_eq!((phrases.by_words.len(), phrases.by_entries.len()), (1, 1));
    }

    /// A scratch may be used with one percolator after the other, and searches may come and go in between.
    #[test]
    fn what_was_read_before_does_not_matter() {
        let mut reading = Reading::default();
        let property = |title: &str| {
            let advert = build::advert(1).title(title).build();
            Property { id: build::property_id(1), adverts: vec![advert] }
        };
        let mut check = |phrases: &PhraseInterner, number: u32, title: &str, expected: bool| {
            reading.begin();
            assert_eq!(phrases.hold_for(number, &property(title), &mut reading), expected, "{title}");
        };
        let mut one = PhraseInterner::default();
        let mut other = PhraseInterner::default();
        let entry = |text: &str| {
            let phrase = phrase(text, Strictness::Exact);
            vec![vec![Entry { phrase, presence: Presence::Present }]]
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
