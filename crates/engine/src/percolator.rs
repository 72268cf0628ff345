//! The percolator: finds the saved searches that match one property.
//!
//! A saved search is compiled ([`compile`]) and stored in buckets by the places it names: one bucket for each of a few places,
//! one bucket for a set of many places, cells of a grid on the map, or the bucket "anywhere" ([`place_buckets`]). A property is
//! matched against the buckets of the places it lies in. A bucket stores its searches in columns, grouped by property type and
//! transaction, and compares them with the property sixteen at a time ([`bucket`]). For most searches these columns, the
//! prefilter, decide exactly ([`bounds`]). The remaining criteria of the others are checked search by search ([`checks`]),
//! phrases last ([`phrases`]).
//!
//! **Invariant:** it finds exactly the searches whose [`Criteria::accepts`] returns `true` for the property. The differential
//! tests in `tests/differential` check this.

mod bounds;
mod bucket;
mod checks;
mod compile;
mod memory;
mod phrases;
mod place_buckets;

use domain::criteria::AdvertScope;
use domain::{Criteria, Property, PropertyView, SearchNumber};
use rustc_hash::FxHashMap;
use slab::Slab;

use bucket::{KindMask, PrefilterHits};
use checks::{Checks, PropertyValues};
use compile::CompiledSearch;
use phrases::{PhraseInterner, TextMatcher};
use place_buckets::PlaceBuckets;

/// All saved searches, indexed so that the ones matching a property are found without evaluating each of them.
#[derive(Debug, Default)]
pub struct Percolator {
    entries: EntryTable,
    place_buckets: PlaceBuckets,
    /// The bucket lists of searches that are stored in several buckets.
    bucket_lists: Slab<Box<[u32]>>,
    residuals: Slab<ResidualSearch>,
    checks: Slab<Checks>,
    phrases: PhraseInterner,
}

/// A search that its prefilter does not decide. Slab keys are stored in four bytes.
#[derive(Debug, Clone, Copy)]
struct ResidualSearch {
    number: u32,
    /// The key of its checks, or [`NONE`].
    checks: u32,
    /// The key of its expressions and features, or [`NONE`].
    expressions: u32,
    /// The adverts in whose texts these are looked for.
    scope: AdvertScope,
}

/// A slab key that no entry has.
const NONE: u32 = u32::MAX;

/// The searches that match a property, and the work it took to find them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PercolateResult {
    /// Ascending, without duplicates.
    pub searches: Vec<SearchNumber>,
    /// The number of searches whose prefilter was compared with the property.
    pub scanned: usize,
    /// The number of those that passed the prefilter and had other criteria left to evaluate.
    pub evaluated: usize,
}

/// Buffers and caches to reuse from one property to the next. Their content does not influence results.
#[derive(Debug, Default)]
pub struct PercolatorScratch {
    set_buckets: Vec<u32>,
    hits: PrefilterHits,
    residuals: Vec<ResidualSearch>,
    /// Of all adverts, and of those that are not expired.
    all_texts: TextMatcher,
    live_texts: TextMatcher,
    sorter: BitmapSorter,
}

impl Percolator {
    /// Adds a search, or replaces it.
    pub fn put(&mut self, number: SearchNumber, criteria: &Criteria) {
        self.remove_entry(number);
        let CompiledSearch { places, kinds, prefilter, checks } = CompiledSearch::new(criteria);
        let handle = match kinds.is_exact() {
            true => number.0,
            false => {
                let expressions = self.phrases.intern(&criteria.expressions, &criteria.features);
                let expressions = expressions.unwrap_or(NONE);
                let checks = Checks::new(checks).map_or(NONE, |checks| self.checks.insert(checks) as u32);
                let scope = criteria.advert_scope;
                self.residuals.insert(ResidualSearch { number: number.0, checks, expressions, scope }) as u32
            }
        };
        let buckets = self.place_buckets.insert(&places, kinds, &prefilter, handle);
        let location = match buckets.as_slice() {
            [] => Location::Nowhere,
            [bucket] => Location::Bucket(*bucket),
            several => Location::BucketList(self.bucket_lists.insert(several.into()) as u32),
        };
        self.entries.insert(number.0, Entry { location, kinds, handle });
    }

    /// Removes a search. Returns `true` if it was there.
    pub fn remove(&mut self, number: SearchNumber) -> bool {
        let was_there = self.remove_entry(number);
        if self.is_empty() {
            // Only unused capacity is left: free it.
            *self = Self::default();
        }
        was_there
    }

    fn remove_entry(&mut self, number: SearchNumber) -> bool {
        let Some(Entry { location, kinds, handle }) = self.entries.remove(number.0) else { return false };
        match location {
            Location::Nowhere => {}
            Location::Bucket(bucket) => self.place_buckets.remove(bucket, kinds, handle),
            Location::BucketList(list) => {
                for bucket in self.bucket_lists.try_remove(list as usize).unwrap_or_default() {
                    self.place_buckets.remove(bucket, kinds, handle);
                }
            }
        }
        if !kinds.is_exact()
            && let Some(residual) = self.residuals.try_remove(handle as usize)
        {
            self.checks.try_remove(residual.checks as usize);
            self.phrases.release(residual.expressions);
        }
        true
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the searches that match a property.
    pub fn matches(&self, property: &Property, scratch: &mut PercolatorScratch) -> PercolateResult {
        let Some(view) = PropertyView::new(property) else { return PercolateResult::default() };
        let values = PropertyValues::new(&view);
        let kind = compile::kind_of(view.derived.property_type, view.derived.transaction_type);
        let probe = compile::probe(&values);
        let PercolatorScratch { set_buckets, hits, residuals, all_texts, live_texts, sorter } = scratch;
        hits.exact.clear();
        hits.residual.clear();
        all_texts.reset();
        live_texts.reset();
        let mut scanned = 0;
        self.place_buckets.visit(values.places(), values.point, set_buckets, |bucket| {
            scanned += bucket.scan(kind, &probe, hits);
        });
        let evaluated = hits.residual.len();
        let matched = &mut hits.exact;
        // Fetch all of them before evaluating the first: the loads from memory overlap.
        residuals.clear();
        residuals.extend(hits.residual.iter().filter_map(|handle| self.residuals.get(*handle as usize)));
        for residual in residuals.iter() {
            let texts = match residual.scope {
                AdvertScope::All => &mut *all_texts,
                AdvertScope::Live => &mut *live_texts,
            };
            if self.residual_matches(residual, &values, texts) {
                matched.push(residual.number);
            }
        }
        // A search that names a city and its zipcode is found in both buckets.
        PercolateResult { searches: sorter.sort_dedup(matched), scanned, evaluated }
    }

    /// Returns `true` if everything that the prefilter does not decide holds.
    fn residual_matches(
        &self,
        residual: &ResidualSearch,
        values: &PropertyValues<'_>,
        texts: &mut TextMatcher,
    ) -> bool {
        let ResidualSearch { number: _, checks, expressions, scope } = *residual;
        let checks_hold = || self.checks.get(checks as usize).is_none_or(|checks| checks.hold(values));
        let expressions_hold = |texts: &mut TextMatcher| {
            expressions == NONE || self.phrases.matches(expressions, values.property, scope, texts)
        };
        // Tokenizing the texts is the most expensive step; once it is done, expressions are the cheapest.
        match texts.is_tokenized() {
            true => expressions_hold(texts) && checks_hold(),
            false => checks_hold() && expressions_hold(texts),
        }
    }

    /// Returns the memory in use, in bytes.
    pub fn bytes(&self) -> usize {
        let lists: usize = self.bucket_lists.iter().map(|(_, list)| size_of_val(&**list)).sum();
        let checks: usize = self.checks.iter().map(|(_, checks)| checks.bytes()).sum();
        size_of::<Self>()
            + self.entries.bytes()
            + self.place_buckets.bytes()
            + memory::slab_bytes(&self.bucket_lists)
            + lists
            + memory::slab_bytes(&self.residuals)
            + memory::slab_bytes(&self.checks)
            + checks
            + self.phrases.bytes()
    }
}

/// What removing a search needs to know about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    location: Location,
    kinds: KindMask,
    /// The search's identifier in its buckets: its number if the prefilter is exact, else its key in `residuals`.
    handle: u32,
}

/// The buckets a search is stored in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Location {
    /// No property can match the search.
    Nowhere,
    Bucket(u32),
    /// Several buckets: the key of their list.
    BucketList(u32),
}

const PAGE_ENTRIES: usize = 256;

/// Entries by search number, in pages. Numbers are mostly dense. A page exists while it has an entry, so that a number far from
/// the others costs no more than a page.
#[derive(Debug, Default)]
struct EntryTable {
    pages: FxHashMap<u32, Page>,
    len: usize,
}

#[derive(Debug)]
struct Page {
    entries: Box<[Option<Entry>; PAGE_ENTRIES]>,
    len: usize,
}

impl EntryTable {
    fn len(&self) -> usize {
        self.len
    }

    fn insert(&mut self, number: u32, entry: Entry) {
        let (page, slot) = Self::position(number);
        let empty = || Page { entries: Box::new([None; PAGE_ENTRIES]), len: 0 };
        let page = self.pages.entry(page).or_insert_with(empty);
        if page.entries[slot].replace(entry).is_none() {
            page.len += 1;
            self.len += 1;
        }
    }

    fn remove(&mut self, number: u32) -> Option<Entry> {
        let (key, slot) = Self::position(number);
        let page = self.pages.get_mut(&key)?;
        let entry = page.entries[slot].take()?;
        page.len -= 1;
        self.len -= 1;
        if page.len == 0 {
            self.pages.remove(&key);
        }
        Some(entry)
    }

    /// Returns the page of a number and its slot in the page.
    fn position(number: u32) -> (u32, usize) {
        (number / PAGE_ENTRIES as u32, number as usize % PAGE_ENTRIES)
    }

    fn bytes(&self) -> usize {
        memory::map_bytes(&self.pages) + self.pages.len() * size_of::<[Option<Entry>; PAGE_ENTRIES]>()
    }
}

/// Below this count a comparison sort is faster than the bitmap.
const BITMAP_SORT_MIN: usize = 64;

/// Larger numbers are sorted by comparison: a bitmap for them would take megabytes to hold and to read through.
const BITMAP_NUMBER_MAX: u32 = 1 << 24;

/// Sorts numbers with a bitmap: one bit for each number, and one summary bit for each word in use. All bits are zero between two
/// calls.
#[derive(Debug, Default)]
struct BitmapSorter {
    words: Vec<u64>,
    summary: Vec<u64>,
}

impl BitmapSorter {
    /// Returns the numbers in ascending order, without duplicates.
    fn sort_dedup(&mut self, numbers: &mut Vec<u32>) -> Vec<SearchNumber> {
        let most = numbers.iter().copied().max().unwrap_or_default();
        if numbers.len() < BITMAP_SORT_MIN || most > BITMAP_NUMBER_MAX {
            numbers.sort_unstable();
            numbers.dedup();
            return numbers.iter().copied().map(SearchNumber).collect();
        }
        let words = most as usize / 64 + 1;
        self.words.resize(words.max(self.words.len()), 0);
        self.summary.resize(words.div_ceil(64).max(self.summary.len()), 0);
        for number in numbers.iter() {
            let word = *number as usize / 64;
            self.words[word] |= 1 << (number % 64);
            self.summary[word / 64] |= 1 << (word % 64);
        }
        let mut sorted = Vec::with_capacity(numbers.len());
        for (index, used) in self.summary[..words.div_ceil(64)].iter_mut().enumerate() {
            for word in crate::bits::ones(std::mem::take(used)) {
                let word = index * 64 + word;
                for bit in crate::bits::ones(std::mem::take(&mut self.words[word])) {
                    sorted.push(SearchNumber((word * 64 + bit) as u32));
                }
            }
        }
        sorted
    }
}

#[cfg(test)]
mod tests;
