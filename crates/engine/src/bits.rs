//! A set of ordinals as bits, read and combined a word of 64 at a time.

/// How many ordinals one word holds.
pub const WORD: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// Room for so many ordinals, none of them in.
    pub fn none(length: usize) -> Self {
        Self { words: vec![0; length.div_ceil(WORD)] }
    }

    /// All of so many ordinals.
    pub fn all(length: usize) -> Self {
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

    /// The 64 ordinals from `word × 64` on.
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

    pub fn add(&mut self, other: &[u64]) {
        for (word, others) in self.words.iter_mut().zip(other) {
            *word |= others;
        }
    }

    pub fn keep(&mut self, other: &[u64]) {
        for (word, others) in self.words.iter_mut().zip(other) {
            *word &= others;
        }
    }

    /// Takes out what is in the other.
    pub fn take_out(&mut self, other: &[u64]) {
        for (word, others) in self.words.iter_mut().zip(other) {
            *word &= !others;
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(word, bits)| ones(*bits).map(move |bit| word * WORD + bit))
    }
}

/// Whether an ordinal is in a set that is given as words.
pub fn contains(words: &[u64], ordinal: usize) -> bool {
    words[ordinal / WORD] >> (ordinal % WORD) & 1 == 1
}

/// The places of the ones of a word, from the lowest.
pub fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if bits == 0 {
            return None;
        }
        let place = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        Some(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_count_and_list_what_was_put_in() {
        let mut bits = Bits::none(130);
        for ordinal in [0, 63, 64, 129] {
            bits.insert(ordinal);
        }
        assert_eq!(bits.iter().collect::<Vec<_>>(), [0, 63, 64, 129]);
        bits.remove(64);
        assert_eq!(bits.count(), 3);
        assert!(bits.contains(129) && !bits.contains(64));
        assert_eq!(Bits::all(130).count(), 130);
        assert_eq!(Bits::all(128).count(), 128);
    }
}
