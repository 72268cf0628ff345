//! Deterministic identifiers.

use std::sync::Mutex;

use domain::IdSource;
use uuid::{Builder, Uuid};

use crate::random::Random;

/// Generates increasing version 7 UUIDs, the same sequence for the same seed.
#[derive(Debug)]
pub struct SeededIds {
    state: Mutex<(u64, Random)>,
}

impl SeededIds {
    pub fn new(seed: u64) -> Self {
        Self { state: Mutex::new((0, Random::new(seed))) }
    }
}

impl IdSource for SeededIds {
    fn fresh(&self) -> Uuid {
        let mut state = self.state.lock().expect("lock is not poisoned");
        let (count, random) = &mut *state;
        *count += 1;
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&random.next_u64().to_le_bytes());
        Builder::from_unix_timestamp_millis(*count, &bytes).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_deterministic_and_increase() {
        let (one, same, other) = (SeededIds::new(1), SeededIds::new(1), SeededIds::new(2));
        let first = one.fresh();
        assert_eq!(first, same.fresh());
        assert_ne!(first, other.fresh());
        assert!(first < one.fresh());
    }
}
