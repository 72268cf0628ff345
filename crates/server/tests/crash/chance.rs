//! Chance that can be repeated.

use std::hash::{BuildHasher, RandomState};

/// Numbers that look random, from a seed (SplitMix64).
pub struct Chance(u64);

impl Chance {
    /// From `VIGIE_CRASH_SEED`, else from a seed that is printed.
    pub fn from_environment() -> Self {
        let seed = match std::env::var("VIGIE_CRASH_SEED") {
            Ok(seed) => seed.parse().unwrap(),
            Err(_) => RandomState::new().hash_one(0),
        };
        println!("VIGIE_CRASH_SEED={seed}");
        Self(seed)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// An independent source for somebody else.
    pub fn split(&mut self) -> Self {
        Self(self.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
