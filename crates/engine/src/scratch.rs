//! Buffers of words that live as long as one request.
//!
//! A request needs some tens of kilobytes for a short time. Allocating them each time costs more than the request itself because
//! the system has to clear fresh pages. So each thread keeps a small pool.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// The buffers that each thread keeps. A request needs one at a time.
const POOLED_MAX: usize = 4;

/// Larger buffers are freed. The largest segment needs an eighth of this.
const POOLED_WORDS_MAX: usize = 1 << 16;

thread_local! {
    static POOL: RefCell<Vec<Vec<u64>>> = const { RefCell::new(Vec::new()) };
}

#[derive(Debug, Default)]
pub struct Scratch(Vec<u64>);

impl Scratch {
    /// Returns `length` words, all zero.
    pub fn zeroed(length: usize) -> Self {
        let mut words = POOL.with_borrow_mut(Vec::pop).unwrap_or_default();
        words.clear();
        words.resize(length, 0);
        Self(words)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let words = std::mem::take(&mut self.0);
        if (1..=POOLED_WORDS_MAX).contains(&words.capacity()) {
            // A thread that ends has freed its pool already.
            let _ = POOL.try_with(|pool| {
                if let Ok(mut pool) = pool.try_borrow_mut()
                    && pool.len() < POOLED_MAX
                {
                    pool.push(words);
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
