//! A bit set of ordinals, read and combined in words of 64.

/// The number of ordinals in a word.
pub const WORD: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// Creates an empty set with room for the ordinals `0..length`.
    pub fn empty(length: usize) -> Self {
        Self { words: vec![0; length.div_ceil(WORD)] }
    }

    /// Creates the set of the ordinals `0..length`.
    pub fn full(length: usize) -> Self {
        let mut words = vec![u64::MAX; length.div_ceil(WORD)];
        let rest = length % WORD;
        if rest > 0
            && let Some(last) = words.last_mut()
        {
            *last = (1 << rest) - 1;
        }
        Self { words }
    }

    pub fn from_words(words: Vec<u64>) -> Self {
        Self { words }
    }

    pub fn into_words(self) -> Vec<u64> {
        self.words
    }

    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the ordinals from `word × 64` to `word × 64 + 63`.
    pub fn word(&self, word: usize) -> u64 {
        self.words[word]
    }

    pub fn set_word(&mut self, word: usize, value: u64) {
        self.words[word] = value;
    }

    pub fn contains(&self, ordinal: usize) -> bool {
        contains(&self.words, ordinal)
    }

    pub fn insert(&mut self, ordinal: usize) {
        self.words[ordinal / WORD] |= 1 << (ordinal % WORD);
    }

    pub fn remove(&mut self, ordinal: usize) {
        self.words[ordinal / WORD] &= !(1 << (ordinal % WORD));
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Adds the ordinals of another set.
    pub fn union(&mut self, other: &[u64]) {
        for (word, others) in self.words.iter_mut().zip(other) {
            *word |= others;
        }
    }

    /// Removes the ordinals that are not in another set.
    pub fn intersect(&mut self, other: &[u64]) {
        for (word, others) in self.words.iter_mut().zip(other) {
            *word &= others;
        }
    }

    /// Removes the ordinals of another set.
    pub fn subtract(&mut self, other: &[u64]) {
        for (word, others) in self.words.iter_mut().zip(other) {
            *word &= !others;
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(word, bits)| ones(*bits).map(move |bit| word * WORD + bit))
    }
}

/// Returns `true` if an ordinal is in a set given as words.
pub fn contains(words: &[u64], ordinal: usize) -> bool {
    words[ordinal / WORD] >> (ordinal % WORD) & 1 == 1
}

/// Returns the positions of the ones in a word, lowest first.
pub fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if bits == 0 {
            return None;
        }
        let position = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        Some(position)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_set_counts_and_lists_its_ordinals() {
        let mut bits = BitSet::empty(130);
        for ordinal in [0, 63, 64, 129] {
            bits.insert(ordinal);
        }
        assert_eq!(bits.iter().collect::<Vec<_>>(), [0, 63, 64, 129]);
        bits.remove(64);
        assert_eq!(bits.count(), 3);
        assert!(bits.contains(129) && !bits.contains(64));
        assert_eq!(BitSet::full(130).count(), 130);
        assert_eq!(BitSet::full(128).count(), 128);
    }
}
