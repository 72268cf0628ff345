//! What is known of each search beside its line: a few bytes by number, of no use but to take it out again.
//!
//! Numbers are mostly dense, so that they are kept in pages; a page exists while a number of it does, so that a number from far
//! away costs a page and no more.

use rustc_hash::FxHashMap;

use super::bucket::Kinds;

const PAGE: usize = 256;

/// Where a search is filed and what is left to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    pub filed: Filed,
    pub kinds: Kinds,
    /// What it is called in its buckets.
    pub name: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filed {
    Nowhere,
    /// In one bucket.
    Once(u32),
    /// In a list of buckets, by the number of the list.
    Several(u32),
}

#[derive(Debug, Default)]
pub struct Pages {
    pages: FxHashMap<u32, Page>,
    length: usize,
}

#[derive(Debug)]
struct Page {
    kept: Box<[Option<Kept>; PAGE]>,
    length: usize,
}

impl Pages {
    pub fn len(&self) -> usize {
        self.length
    }

    /// Puts in what was not there.
    pub fn put(&mut self, number: u32, kept: Kept) {
        let empty = || Page { kept: Box::new([None; PAGE]), length: 0 };
        let page = self.pages.entry(page(number)).or_insert_with(empty);
        if page.kept[place(number)].replace(kept).is_none() {
            page.length += 1;
            self.length += 1;
        }
    }

    pub fn take(&mut self, number: u32) -> Option<Kept> {
        let found = self.pages.get_mut(&page(number))?;
        let kept = found.kept[place(number)].take()?;
        found.length -= 1;
        self.length -= 1;
        if found.length == 0 {
            self.pages.remove(&page(number));
        }
        Some(kept)
    }

    pub fn bytes(&self) -> usize {
        super::map_bytes(&self.pages) + self.pages.len() * size_of::<[Option<Kept>; PAGE]>()
    }
}

fn page(number: u32) -> u32 {
    number / PAGE as u32
}

fn place(number: u32) -> usize {
    number as usize % PAGE
}
