//! Repeatable randomness: the generator of [`world`], and the seed of a test run.

use std::hash::{BuildHasher, RandomState};

pub use world::Random;

/// Set this variable to repeat a run whose seed was printed.
pub const SEED_VARIABLE: &str = "VIGIE_TEST_SEED";

/// Returns the seed of this run and prints it, so that a failure can be repeated: `VIGIE_TEST_SEED`, or a new one.
pub fn seed() -> u64 {
    seed_from(SEED_VARIABLE)
}

/// Does the same for a test that has a variable of its own.
pub fn seed_from(variable: &str) -> u64 {
    let seed = match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable} must be a number")),
        Err(_) => RandomState::new().hash_one(()),
    };
    println!("repeat with {variable}={seed}");
    seed
}
