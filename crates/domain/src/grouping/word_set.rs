//! Sets of words, by their hashes.

/// How many bits of a hash choose its bit. Several sets of a few hundred hashes share the fastest cache with the text that is read.
const HASH_BITS: u32 = 14;

/// How many places the table has for each hash: a search mostly ends at the first one.
const PLACES_PER_HASH: usize = 4;

/// A fixed set of hashes. Most words are in none, and one bit tells. Of those that are in one, most are read many times in every text.
pub struct WordSet {
    /// Each at the place that its bits above the lowest say, or the next free one. Zero is no hash.
    table: Box<[u32]>,
    /// A bit for each hash, by its lowest bits.
    bits: Box<[u64]>,
}

impl WordSet {
    pub fn new(hashes: impl Iterator<Item = u32>) -> Self {
        let hashes: Vec<u32> = hashes.collect();
        let mut bits = vec![0; 1 << (HASH_BITS - 6)];
        let mut table = vec![0; (PLACES_PER_HASH * hashes.len()).next_power_of_two()];
        for hash in hashes {
            let (place, bit) = place_of(hash);
            bits[place] |= bit;
            let free = places_in(&table, hash).find(|place| table[*place] == 0 || table[*place] == hash);
            // There are more places than hashes.
            free.into_iter().for_each(|place| table[place] = hash);
        }
        Self { table: table.into(), bits: bits.into() }
    }

    pub fn contains(&self, hash: u32) -> bool {
        let (place, bit) = place_of(hash);
        self.bits[place] & bit != 0
            && places_in(&self.table, hash)
                .map(|place| self.table[place])
                .take_while(|known| *known != 0)
                .any(|known| known == hash)
    }
}

/// Returns the places of a table where a hash may be, in the order in which they are looked at.
fn places_in(table: &[u32], hash: u32) -> impl Iterator<Item = usize> + use<> {
    let last = table.len() - 1;
    let first = (hash >> HASH_BITS) as usize;
    (0..=last).map(move |step| (first + step) & last)
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

    #[test]
    fn hashes_that_share_their_first_place_are_found() {
        // With the same highest bits.
        let shared: Vec<u32> = (1..=40).map(|low| 0xfff0_0000 | low).collect();
        let set = WordSet::new(shared.iter().copied().chain(shared.iter().copied()));
        assert!(shared.iter().all(|hash| set.contains(*hash)));
        assert!((41..100).all(|low| !set.contains(0xfff0_0000 | low)));
        assert!(!WordSet::new(std::iter::empty()).contains(7));
    }
}
