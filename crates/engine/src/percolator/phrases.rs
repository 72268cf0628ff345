//! The phrases that saved searches look for in texts, each interned once.
//!
//! Every word that some search looks for has an id, and so have every phrase and all the expressions of a search. Ids are
//! reference counted and reused after the last search that uses them is removed. The features that a search asks for are phrases
//! of every group of its expressions; they are looked for in the features only ([`Stream`]). The texts of a property are tokenized once, and
//! only if a search with expressions has passed all its other criteria ([`TextMatcher`]). The result for each phrase is memoized
//! until the next property.

use std::sync::Arc;

use domain::criteria::{AdvertScope, Entry, Presence, TextPart, located_texts};
use domain::phrase::{exact_form, pieces, stem, tokenize_into};
use domain::{Phrase, Property, Strictness};
use foldhash::HashMap;
use rustc_hash::FxHashMap;
use slab::Slab;

use super::compile::expressions_restrict;
use super::memory::{map_bytes, slab_bytes};

/// Separates alternatives in a list of ids.
const OR: u32 = u32::MAX;

#[derive(Debug, Default)]
pub struct PhraseInterner {
    exact: Dictionary,
    inflected: Dictionary,
    phrases: Slab<InternedPhrase>,
    by_words: FxHashMap<(Stream, Arc<[u32]>), u32>,
    expressions: Slab<InternedExpressions>,
    by_entries: FxHashMap<Arc<[u32]>, u32>,
    /// Replaced whenever a word gains or loses its id, so that caches of word ids notice.
    vocabulary: Arc<()>,
}

/// The tokens in which a phrase is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Stream {
    /// All texts, as written.
    Exact,
    /// All texts, stemmed.
    Inflected,
    /// The features only, stemmed.
    Features,
}

impl Stream {
    fn of_expression(phrase: &Phrase) -> Self {
        match phrase.strictness() {
            Strictness::Exact => Self::Exact,
            Strictness::Inflected => Self::Inflected,
        }
    }
}

/// All the expressions of a search.
#[derive(Debug)]
struct InternedExpressions {
    /// For each entry the id of its phrase, shifted by one, and in the lowest bit whether it must be absent.
    entries: Arc<[u32]>,
    references: u32,
}

#[derive(Debug)]
struct InternedPhrase {
    stream: Stream,
    /// The word ids of all alternatives.
    words: Arc<[u32]>,
    references: u32,
}

impl PhraseInterner {
    /// Returns the id of expressions and features, or `None` if they accept every property. The id is valid until
    /// [`release`](Self::release) was called as often.
    pub fn intern(&mut self, expressions: &[Vec<Entry>], features: &[Phrase]) -> Option<u32> {
        if !expressions_restrict(expressions) {
            return (!features.is_empty()).then(|| self.intern_groups(&[Vec::new()], features));
        }
        Some(self.intern_groups(expressions, features))
    }

    fn intern_groups(&mut self, groups: &[Vec<Entry>], features: &[Phrase]) -> u32 {
        let mut entries = Vec::new();
        for (index, group) in groups.iter().enumerate() {
            entries.extend((index > 0).then_some(OR));
            for Entry { phrase, presence } in group {
                let id = self.intern_phrase(phrase, Stream::of_expression(phrase));
                entries.push(id << 1 | u32::from(*presence == Presence::Absent));
            }
            for phrase in features {
                entries.push(self.intern_phrase(phrase, Stream::Features) << 1);
            }
        }
        let entries: Arc<[u32]> = entries.into();
        if let Some(id) = self.by_entries.get(&entries).copied() {
            self.release_phrases(&entries);
            if let Some(interned) = self.expressions.get_mut(id as usize) {
                interned.references += 1;
            }
            return id;
        }
        let interned = InternedExpressions { entries: Arc::clone(&entries), references: 1 };
        let id = self.expressions.insert(interned) as u32;
        self.by_entries.insert(entries, id);
        id
    }

    /// Releases expressions. Does nothing if the id is unknown.
    pub fn release(&mut self, id: u32) {
        let Some(interned) = self.expressions.get_mut(id as usize) else { return };
        interned.references -= 1;
        if interned.references == 0 {
            let InternedExpressions { entries, .. } = self.expressions.remove(id as usize);
            self.release_phrases(&entries);
            self.by_entries.remove(&entries);
        }
    }

    fn release_phrases(&mut self, entries: &[u32]) {
        entries.iter().filter(|entry| **entry != OR).for_each(|entry| self.release_phrase(entry >> 1));
    }

    fn intern_phrase(&mut self, phrase: &Phrase, stream: Stream) -> u32 {
        let words_before = self.word_count();
        let dictionary = self.dictionary_mut(stream);
        let mut words: Vec<u32> = Vec::new();
        for (index, alternative) in phrase.alternatives().iter().enumerate() {
            words.extend((index > 0).then_some(OR));
            words.extend(alternative.iter().map(|word| dictionary.intern(word)));
        }
        let key = (stream, Arc::from(words));
        if let Some(id) = self.by_words.get(&key).copied() {
            let (_, words) = key;
            release_words(self.dictionary_mut(stream), &words);
            if let Some(interned) = self.phrases.get_mut(id as usize) {
                interned.references += 1;
            }
            return id;
        }
        if self.word_count() != words_before {
            self.vocabulary = Arc::default();
        }
        let interned = InternedPhrase { stream, words: Arc::clone(&key.1), references: 1 };
        let id = self.phrases.insert(interned) as u32;
        self.by_words.insert(key, id);
        id
    }

    fn release_phrase(&mut self, id: u32) {
        let Some(interned) = self.phrases.get_mut(id as usize) else { return };
        interned.references -= 1;
        if interned.references == 0 {
            let InternedPhrase { stream, words, .. } = self.phrases.remove(id as usize);
            let words_before = self.word_count();
            release_words(self.dictionary_mut(stream), &words);
            if self.word_count() != words_before {
                self.vocabulary = Arc::default();
            }
            self.by_words.remove(&(stream, words));
        }
    }

    fn dictionary_mut(&mut self, stream: Stream) -> &mut Dictionary {
        match stream {
            Stream::Exact => &mut self.exact,
            Stream::Inflected | Stream::Features => &mut self.inflected,
        }
    }

    /// Returns the number of words that have an id.
    fn word_count(&self) -> usize {
        self.exact.len() + self.inflected.len()
    }

    /// Returns `true` if expressions hold for the texts of the adverts in scope.
    pub fn matches(&self, id: u32, property: &Property, scope: AdvertScope, texts: &mut TextMatcher) -> bool {
        texts.tokenize(self, property, scope);
        if let Some(holds) = texts.expressions.get(id) {
            return holds;
        }
        let holds = self.expressions.get(id as usize).is_some_and(|interned| {
            let mut holds = |entry: &u32| self.phrase_occurs(entry >> 1, texts) == (entry & 1 == 0);
            interned.entries.split(|entry| *entry == OR).any(|group| group.iter().all(&mut holds))
        });
        texts.expressions.set(id, holds);
        holds
    }

    /// Returns `true` if a phrase occurs in the tokenized texts.
    fn phrase_occurs(&self, id: u32, texts: &mut TextMatcher) -> bool {
        if let Some(occurs) = texts.phrases.get(id) {
            return occurs;
        }
        let occurs = self.phrases.get(id as usize).is_some_and(|interned| {
            let mut alternatives = interned.words.split(|word| *word == OR);
            alternatives.any(|words| texts.contains(words, interned.stream))
        });
        texts.phrases.set(id, occurs);
        occurs
    }

    pub fn bytes(&self) -> usize {
        let words = self.phrases.iter().map(|(_, interned)| &interned.words);
        let entries = self.expressions.iter().map(|(_, interned)| &interned.entries);
        let lists = words.chain(entries).map(|list| size_of_val(&**list) + 2 * size_of::<usize>());
        self.exact.bytes()
            + self.inflected.bytes()
            + slab_bytes(&self.phrases)
            + map_bytes(&self.by_words)
            + slab_bytes(&self.expressions)
            + map_bytes(&self.by_entries)
            + lists.sum::<usize>()
    }
}

fn release_words(dictionary: &mut Dictionary, words: &[u32]) {
    words.iter().filter(|word| **word != OR).for_each(|word| dictionary.release(*word));
}

/// The id of every word that is not in the dictionary.
const UNKNOWN_WORD: u32 = 0;

/// Reference-counted ids of words.
#[derive(Debug, Default)]
struct Dictionary {
    /// Hashed with a random seed of this process: clients choose the words.
    ids: HashMap<Arc<str>, u32>,
    /// The key of a word is its id minus one.
    words: Slab<InternedWord>,
}

#[derive(Debug)]
struct InternedWord {
    text: Arc<str>,
    references: u32,
}

impl Dictionary {
    fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns an upper bound of all ids, exclusive.
    fn id_bound(&self) -> usize {
        self.words.capacity() + 1
    }

    fn id(&self, word: &str) -> u32 {
        self.ids.get(word).copied().unwrap_or(UNKNOWN_WORD)
    }

    /// Returns the id of a word. The id is valid until [`release`](Self::release) was called as often.
    fn intern(&mut self, word: &str) -> u32 {
        if let Some(id) = self.ids.get(word) {
            if let Some(word) = self.words.get_mut(*id as usize - 1) {
                word.references += 1;
            }
            return *id;
        }
        let text: Arc<str> = word.into();
        let id = self.words.insert(InternedWord { text: Arc::clone(&text), references: 1 }) as u32 + 1;
        self.ids.insert(text, id);
        id
    }

    fn release(&mut self, id: u32) {
        let key = id as usize - 1;
        let Some(word) = self.words.get_mut(key) else { return };
        word.references -= 1;
        if word.references == 0 {
            let word = self.words.remove(key);
            self.ids.remove(&word.text);
        }
    }

    fn bytes(&self) -> usize {
        let texts: usize = self.words.iter().map(|(_, word)| word.text.len() + 2 * size_of::<usize>()).sum();
        texts + slab_bytes(&self.words) + map_bytes(&self.ids)
    }
}

/// The tokenized texts of one property and scope with the phrases already looked up, and a token cache for all properties.
#[derive(Debug, Default)]
pub struct TextMatcher {
    is_tokenized: bool,
    exact: TokenStream,
    inflected: TokenStream,
    features: TokenStream,
    phrases: Memo,
    expressions: Memo,
    cache: TokenCache,
}

impl TextMatcher {
    /// Starts with the next property.
    pub fn reset(&mut self) {
        self.is_tokenized = false;
    }

    /// Returns `true` if the texts of the property have been tokenized.
    pub fn is_tokenized(&self) -> bool {
        self.is_tokenized
    }

    /// Tokenizes the texts of the adverts in scope, unless this has been done.
    fn tokenize(&mut self, interner: &PhraseInterner, property: &Property, scope: AdvertScope) {
        if self.is_tokenized {
            return;
        }
        self.is_tokenized = true;
        let Self { exact, inflected, features, cache, .. } = self;
        // The capacity of a slab is an upper bound of its keys.
        self.phrases.reset(interner.phrases.capacity());
        self.expressions.reset(interner.expressions.capacity());
        exact.reset(interner.exact.id_bound());
        inflected.reset(interner.inflected.id_bound());
        features.reset(interner.inflected.id_bound());
        cache.prepare(interner);
        for (_, part, text) in located_texts(property, scope) {
            // The tokens of a piece depend on nothing outside it, so that they can be cached.
            for piece in pieces(text) {
                for [exact_id, inflected_id] in cache.word_ids(piece, interner) {
                    exact.push(*exact_id);
                    inflected.push(*inflected_id);
                    if part == TextPart::Feature {
                        features.push(*inflected_id);
                    }
                }
            }
            for stream in [&mut *exact, inflected, features] {
                stream.tokens.push(UNKNOWN_WORD);
            }
        }
    }

    /// Returns `true` if the words occur one after the other.
    fn contains(&self, words: &[u32], stream: Stream) -> bool {
        match stream {
            Stream::Exact => self.exact.contains(words),
            Stream::Inflected => self.inflected.contains(words),
            Stream::Features => self.features.contains(words),
        }
    }
}

/// Booleans by id that are all cleared at once.
#[derive(Debug, Default)]
struct Memo {
    /// Grows by two with every reset. A mark equal to it means `false`, one more means `true`; every other mark is outdated.
    generation: u32,
    marks: Vec<u32>,
}

impl Memo {
    fn reset(&mut self, len: usize) {
        self.generation = self.generation.checked_add(2).unwrap_or_else(|| {
            // After two billion properties old marks would become valid again.
            self.marks.clear();
            2
        });
        self.marks.resize(len.max(self.marks.len()), 0);
    }

    fn get(&self, id: u32) -> Option<bool> {
        match self.marks[id as usize].wrapping_sub(self.generation) {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn set(&mut self, id: u32, value: bool) {
        self.marks[id as usize] = self.generation + u32::from(value);
    }
}

#[derive(Debug, Default)]
struct TokenStream {
    /// Word ids in the order of the texts. A word that no search looks for and the end of a text are [`UNKNOWN_WORD`].
    tokens: Vec<u32>,
    seen: Memo,
}

impl TokenStream {
    fn reset(&mut self, id_bound: usize) {
        self.tokens.clear();
        self.seen.reset(id_bound);
    }

    fn push(&mut self, id: u32) {
        self.tokens.push(id);
        self.seen.set(id, true);
    }

    fn contains(&self, words: &[u32]) -> bool {
        let all_seen = words.iter().all(|word| self.seen.get(*word) == Some(true));
        let [first, _, ..] = words else { return all_seen };
        let starts = || self.tokens.iter().enumerate().filter(|(_, token)| *token == first);
        all_seen && starts().any(|(index, _)| self.tokens[index..].starts_with(words))
    }
}

/// Caches the word ids of pieces of text. Adverts mostly use the same words, and folding and stemming each of them again takes
/// longer than the rest of the matching. Valid for one vocabulary of the interner.
#[derive(Debug, Default)]
struct TokenCache {
    vocabulary: Option<Arc<()>>,
    /// The range of a piece in `ids`.
    pieces: HashMap<Box<str>, (u32, u32)>,
    ids: Vec<[u32; 2]>,
    tokens: String,
    /// The ids of a piece that is too long for the cache.
    uncached: Vec<[u32; 2]>,
}

/// About as many as two thousand adverts have, in two megabytes.
const CACHED_PIECES_MAX: usize = 1 << 15;

/// Longer pieces are addresses and the like.
const CACHED_PIECE_BYTES_MAX: usize = 32;

impl TokenCache {
    fn prepare(&mut self, interner: &PhraseInterner) {
        let is_current =
            self.vocabulary.as_ref().is_some_and(|vocabulary| Arc::ptr_eq(vocabulary, &interner.vocabulary));
        if !is_current || self.pieces.len() > CACHED_PIECES_MAX {
            self.vocabulary = Some(Arc::clone(&interner.vocabulary));
            self.pieces.clear();
            self.ids.clear();
        }
    }

    /// Returns the ids of the words of a piece, each exact and inflected.
    fn word_ids(&mut self, piece: &str, interner: &PhraseInterner) -> &[[u32; 2]] {
        if let Some((start, end)) = self.pieces.get(piece) {
            return &self.ids[*start as usize..*end as usize];
        }
        self.tokens.clear();
        tokenize_into(piece, &mut self.tokens);
        let words = self.tokens.split(' ').filter(|word| !word.is_empty());
        let ids =
            words.map(|word| [interner.exact.id(&exact_form(word)), interner.inflected.id(&stem(word))]);
        if piece.len() > CACHED_PIECE_BYTES_MAX {
            self.uncached.clear();
            self.uncached.extend(ids);
            return &self.uncached;
        }
        let start = self.ids.len();
        self.ids.extend(ids);
        self.pieces.insert(piece.into(), (start as u32, self.ids.len() as u32));
        &self.ids[start..]
    }
}

#[cfg(test)]
mod tests {
    use domain::phrase::tokenize;
    use testkit::build;

    use super::*;

    const ALL: AdvertScope = AdvertScope::All;

    fn phrase(text: &str, strictness: Strictness) -> Phrase {
        Phrase::new(text, strictness).unwrap()
    }

    #[test]
    fn phrases_match_like_the_domain() {
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
            "60m2",
            "placée",
            "place",
            "1500 m²",
            "500 m2",
            "62,9",
            "2ème étage",
            "t3 120",
        ];
        let mut phrases = PhraseInterner::default();
        let mut texts = TextMatcher::default();
        let all: Vec<Phrase> = [Strictness::Exact, Strictness::Inflected]
            .iter()
            .flat_map(|strictness| looked_for.map(|text| phrase(text, *strictness)))
            .collect();
        let entry = |phrase: &Phrase, presence| vec![vec![Entry { phrase: phrase.clone(), presence }]];
        let ids: Vec<[u32; 2]> = all
            .iter()
            .map(|it| {
                [Presence::Present, Presence::Absent]
                    .map(|presence| phrases.intern(&entry(it, presence), &[]).unwrap())
            })
            .collect();
        for description in [
            None,
            Some("Au calme. Sans vis-à-vis !"),
            Some("Bien placé, 60 m²"),
            Some("T 3 120 m² au 2 ème étage, 62,9 m² et 1 500 m²"),
            Some("2° étage, 85,500 m²"),
        ] {
            let advert = build::advert(1).title("Appt T3 lumineux, grandes terrasses");
            let advert = match description {
                Some(description) => advert.description(description),
                None => advert,
            };
            let property = Property { id: build::property_id(1), adverts: vec![advert.build()] };
            texts.reset();
            for _ in 0..2 {
                for (phrase, ids) in all.iter().zip(&ids) {
                    let expected =
                        domain::criteria::texts(&property, ALL).any(|text| phrase.occurs_in(&tokenize(text)));
                    let found = ids.map(|id| phrases.matches(id, &property, ALL, &mut texts));
                    assert_eq!(found, [expected, !expected], "{phrase:?}");
                }
            }
        }
    }

    #[test]
    fn phrases_are_shared_and_released() {
        let mut phrases = PhraseInterner::default();
        let mut intern = |text: &str, strictness| {
            let entry = Entry { phrase: phrase(text, strictness), presence: Presence::Present };
            phrases.intern(&[vec![entry]], &[]).unwrap()
        };
        let first = intern("grande terrasse", Strictness::Exact);
        assert_eq!(intern("Grande  TERRASSE", Strictness::Exact), first);
        assert_ne!(intern("grande terrasse", Strictness::Inflected), first);
        phrases.release(first);
        assert!(phrases.expressions.get(first as usize).is_some());
        phrases.release(first);
        assert!(phrases.expressions.get(first as usize).is_none());
        assert_eq!((phrases.exact.len(), phrases.inflected.len()), (0, 2));
        assert_eq!((phrases.by_words.len(), phrases.by_entries.len()), (1, 1));
    }

    #[test]
    fn features_are_looked_for_in_features_only() {
        let mut phrases = PhraseInterner::default();
        let mut texts = TextMatcher::default();
        let mut advert = build::advert(1).title("Terrasse au calme").build();
        let features = ["Cave voûtée", "Places de parking"];
        advert.details.features =
            features.iter().map(|text| domain::ShortText::new(text).unwrap().unwrap()).collect();
        let property = Property { id: build::property_id(1), adverts: vec![advert] };
        let inflected = |text: &str| phrase(text, Strictness::Inflected);
        let mut check = |word: Option<&str>, features: &[&str], expected: bool| {
            let entry = |text| Entry { phrase: inflected(text), presence: Presence::Present };
            let groups: Vec<Vec<Entry>> = word.map(|word| vec![entry(word)]).into_iter().collect();
            let features: Vec<Phrase> = features.iter().map(|text| inflected(text)).collect();
            let id = phrases.intern(&groups, &features).unwrap();
            texts.reset();
            assert_eq!(phrases.matches(id, &property, ALL, &mut texts), expected, "{word:?} {features:?}");
            phrases.release(id);
        };
        check(None, &["caves"], true);
        check(None, &["cave", "place de parking"], true);
        check(None, &["terrasse"], false);
        check(None, &["cave places"], false);
        check(Some("terrasse"), &["cave"], true);
        check(Some("parking"), &["cave"], true);
        check(Some("piscine"), &["cave"], false);
        check(Some("terrasse"), &["cave", "piscine"], false);
        assert_eq!(phrases.intern(&[], &[]), None);
        assert_eq!(phrases.word_count(), 0);
    }

    /// Scratch may be used with several percolators, and searches may be added and removed in between.
    #[test]
    fn results_do_not_depend_on_earlier_use() {
        let mut texts = TextMatcher::default();
        let property = |title: &str| {
            let advert = build::advert(1).title(title).build();
            Property { id: build::property_id(1), adverts: vec![advert] }
        };
        let mut check = |phrases: &PhraseInterner, id: u32, title: &str, expected: bool| {
            texts.reset();
            assert_eq!(phrases.matches(id, &property(title), ALL, &mut texts), expected, "{title}");
        };
        let mut one = PhraseInterner::default();
        let mut other = PhraseInterner::default();
        let intern = |phrases: &mut PhraseInterner, text: &str| {
            let phrase = phrase(text, Strictness::Exact);
            phrases.intern(&[vec![Entry { phrase, presence: Presence::Present }]], &[]).unwrap()
        };
        let (garden, garage) = (intern(&mut one, "jardin"), intern(&mut other, "garage"));
        check(&one, garden, "Maison, jardin", true);
        check(&other, garage, "Maison, jardin", false);
        check(&other, garage, "Maison, garage", true);
        check(&one, garden, "Maison, garage", false);
        one.release(garden);
        let garage = intern(&mut one, "garage");
        check(&one, garage, "Maison, jardin", false);
        check(&one, garage, "Maison, garage", true);
    }
}
