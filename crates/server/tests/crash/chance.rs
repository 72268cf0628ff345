//! Random choices that a seed repeats.

use testkit::Random;

pub struct Chance(Random);

impl Chance {
    /// Uses the seed in `VIGIE_CRASH_SEED`, or a new one, and prints it.
    pub fn from_environment() -> Self {
        Self(Random::new(testkit::random::seed_from("VIGIE_CRASH_SEED")))
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.0.below(end)
    }

    /// Creates an independent generator, for another thread.
    pub fn split(&mut self) -> Self {
        Self(Random::new(self.0.next_u64()))
    }
}
