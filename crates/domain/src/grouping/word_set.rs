//! Sets of words, by their hashes.

/// How many bits of a hash choose its bit. Several sets of a few hundred hashes share the fastest cache with the text that is read.
const HASH_BITS: u32 = 14;

/// A fixed set of hashes. Most words are in none, and one bit tells.
pub struct WordSet {
    /// In ascending order.
    hashes: Vec<u32>,
    /// A bit for each hash, by its lowest bits.
    bits: Box<[u64]>,
}

impl WordSet {
    pub fn new(hashes: impl Iterator<Item = u32>) -> Self {
        let mut hashes: Vec<u32> = hashes.collect();
        hashes.sort_unstable();
        let mut bits = vec![0; 1 << (HASH_BITS - 6)];
        for hash in &hashes {
            let (place, bit) = place_of(*hash);
            bits[place] |= bit;
        }
        Self { hashes, bits: bits.into() }
    }

    pub fn contains(&self, hash: u32) -> bool {
        let (place, bit) = place_of(hash);
        self.bits[place] & bit != 0 && self.hashes.binary_search(&hash).is_ok()
    }
}

fn place_of(hash: u32) -> (usize, u64) {
    let low = hash & ((1 << HASH_BITS) - 1);
    (usize::try_from(low >> 6).unwrap_or_default(), 1 << (low & 63))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_hashes_are_in_a_set() {
        let set = WordSet::new([3, 0x5_0003, 0xffff_ffff].into_iter());
        assert!([3, 0x5_0003, 0xffff_ffff].iter().all(|hash| set.contains(*hash)));
        assert!([0, 4, 0x6_0003, 0x4003, 0xffff].iter().all(|hash| !set.contains(*hash)));
    }
}
