//! Numbers for words, for as long as somebody uses them.

use std::sync::Arc;

use foldhash::HashMap;

use crate::percolator::slab::Slab;

/// The number of every word that is not in the dictionary.
pub const UNKNOWN: u32 = 0;

#[derive(Debug, Default)]
pub struct Dictionary {
    /// Hashed with a secret of this process: clients choose the words.
    numbers: HashMap<Arc<str>, u32>,
    /// By number less one.
    words: Slab<Word>,
}

#[derive(Debug)]
struct Word {
    text: Arc<str>,
    uses: u32,
}

impl Dictionary {
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// One more than the largest number given so far.
    pub fn span(&self) -> usize {
        self.words.span() + 1
    }

    pub fn number(&self, word: &str) -> u32 {
        self.numbers.get(word).copied().unwrap_or(UNKNOWN)
    }

    /// The number of a word, which it has until it is released as often as it was asked for.
    pub fn hold(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            if let Some(word) = self.words.get_mut(number - 1) {
                word.uses += 1;
            }
            return *number;
        }
        let text: Arc<str> = word.into();
        let number = self.words.put(Word { text: Arc::clone(&text), uses: 1 }) + 1;
        self.numbers.insert(text, number);
        number
    }

    pub fn release(&mut self, number: u32) {
        let Some(word) = self.words.get_mut(number - 1) else { return };
        word.uses -= 1;
        if word.uses == 0
            && let Some(word) = self.words.take(number - 1)
        {
            self.numbers.remove(&word.text);
        }
    }

    pub fn bytes(&self) -> usize {
        let texts: usize = self.words.iter().map(|word| word.text.len() + 2 * size_of::<usize>()).sum();
        texts + self.words.bytes() + crate::percolator::map_bytes(&self.numbers)
    }
}
