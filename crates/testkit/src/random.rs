//! Randomness that repeats: the same seed draws the same numbers on every machine and in every release.

use std::hash::{BuildHasher, RandomState};

/// Set to repeat a run whose seed was printed.
pub const SEED_VARIABLE: &str = "VIGIE_TEST_SEED";

/// The seed of this run: the one asked for, or a new one; printed, so that a failure can be repeated.
pub fn seed() -> u64 {
    let asked = std::env::var(SEED_VARIABLE).ok();
    let seed = match asked {
        Some(text) => text.parse().expect("the seed is a number"),
        None => RandomState::new().hash_one(()),
    };
    println!("repeat with {SEED_VARIABLE}={seed}");
    seed
}

/// SplitMix64, as published by Steele, Lea and Flood (2014): a counter and a mixer, good enough for choosing what to do.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not zero.
    pub const fn below(&mut self, bound: u64) -> u64 {
        self.next_u64() % bound
    }

    /// True once in `times`.
    pub const fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of several; there is at least one.
    pub const fn pick<'a, T>(&mut self, several: &'a [T]) -> &'a T {
        &several[self.below(several.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_published_numbers() {
        // The first outputs of the reference implementation for the seed 1234567.
        let mut random = Random::new(1_234_567);
        assert_eq!(random.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(random.next_u64(), 3_203_168_211_198_807_973);
    }
}
