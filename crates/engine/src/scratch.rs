//! Words that are needed for the length of one request, over and over again.
//!
//! A request needs some tens of kilobytes for a moment. Asking the system for them each time costs more than the request:
//! fresh pages have to be cleared. So each thread keeps a few for the next one.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// How many each thread keeps. A request needs one at a time.
const KEPT_MAX: usize = 4;

/// Larger ones are given back: the largest segment needs an eighth of it.
const KEPT_WORDS_MAX: usize = 1 << 16;

thread_local! {
    static KEPT: RefCell<Vec<Vec<u64>>> = const { RefCell::new(Vec::new()) };
}

#[derive(Debug, Default)]
pub struct Scratch(Vec<u64>);

impl Scratch {
    /// So many words, all zero.
    pub fn zeroed(length: usize) -> Self {
        let mut words = KEPT.with_borrow_mut(Vec::pop).unwrap_or_default();
        words.clear();
        words.resize(length, 0);
        Self(words)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let words = std::mem::take(&mut self.0);
        if (1..=KEPT_WORDS_MAX).contains(&words.capacity()) {
            // A thread that ends has given its own back already.
            let _ = KEPT.try_with(|kept| {
                if let Ok(mut kept) = kept.try_borrow_mut()
                    && kept.len() < KEPT_MAX
                {
                    kept.push(words);
                }
            });
        }
    }
}

impl Deref for Scratch {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.0
    }
}

impl DerefMut for Scratch {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }
}
