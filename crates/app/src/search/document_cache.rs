//! Rendered documents, ready to be sent.
//!
//! An entry is valid while the index holds the property under the same sequence number and the site directory has the same
//! revision, because a document shows the category of its sites. So no change needs to invalidate anything: a lookup does not
//! return an outdated entry, and the next one replaces it. Only erasure cannot wait for the index, and evicts the entry at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::PropertyId;
use engine::{Hit, SequenceNumber};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde_json::value::RawValue;

/// The size of a typical document, to estimate the number of entries.
const TYPICAL_BYTES: usize = 8 * 1024;

/// The size of an entry besides its text.
const ENTRY_BYTES: u64 = 128;

pub(crate) struct DocumentCache {
    entries: Cache<PropertyId, Entry, ByBytes>,
    erasures: AtomicU64,
}

#[derive(Clone)]
struct Entry {
    sequence_number: SequenceNumber,
    sites_revision: u64,
    document: Arc<RawValue>,
}

/// Weighs entries by the length of their text.
#[derive(Clone)]
struct ByBytes;

impl Weighter<PropertyId, Entry> for ByBytes {
    fn weight(&self, _id: &PropertyId, entry: &Entry) -> u64 {
        entry.document.get().len() as u64 + ENTRY_BYTES
    }
}

/// Taken before documents are read, so that a document that was erased in the meantime is not cached.
#[derive(Clone, Copy)]
pub(crate) struct ReadStarted {
    erasures: u64,
    sites_revision: u64,
}

impl DocumentCache {
    pub fn new(bytes_max: usize) -> Self {
        let entries = Cache::with_weighter(bytes_max / TYPICAL_BYTES, bytes_max as u64, ByBytes);
        Self { entries, erasures: AtomicU64::new(0) }
    }

    /// Returns the document of a hit, if one is cached for this sequence number and this revision of the site directory.
    pub fn get(&self, hit: &Hit, sites_revision: u64) -> Option<Arc<RawValue>> {
        let entry = self.entries.get(&hit.property)?;
        (entry.sequence_number == hit.sequence_number && entry.sites_revision == sites_revision)
            .then_some(entry.document)
    }

    pub fn start_read(&self, sites_revision: u64) -> ReadStarted {
        ReadStarted { erasures: self.erasures.load(Ordering::SeqCst), sites_revision }
    }

    /// Caches a document that was read after `started`.
    pub fn insert(&self, hit: &Hit, started: ReadStarted, document: Arc<RawValue>) {
        let ReadStarted { erasures, sites_revision } = started;
        self.entries
            .insert(hit.property, Entry { sequence_number: hit.sequence_number, sites_revision, document });
        // `evict` increments the counter before it removes the entry. Whichever of the two calls ends last removes it.
        if self.erasures.load(Ordering::SeqCst) != erasures {
            self.entries.remove(&hit.property);
        }
    }

    /// Removes the document of a property from which an advert was erased.
    pub fn evict(&self, property: PropertyId) {
        self.erasures.fetch_add(1, Ordering::SeqCst);
        self.entries.remove(&property);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(id: u8, sequence_number: u64) -> Hit {
        Hit { property: PropertyId::from_bytes([id; 16]), sequence_number: SequenceNumber(sequence_number) }
    }

    fn document(length: usize) -> Arc<RawValue> {
        serde_json::value::to_raw_value(&"x".repeat(length)).unwrap().into()
    }

    #[test]
    fn an_entry_is_valid_until_the_property_or_the_sites_change() {
        let cache = DocumentCache::new(1 << 20);
        cache.insert(&hit(1, 5), cache.start_read(3), document(10));
        assert!(cache.get(&hit(1, 5), 3).is_some());
        assert!(cache.get(&hit(1, 6), 3).is_none());
        assert!(cache.get(&hit(1, 5), 4).is_none());
        assert!(cache.get(&hit(2, 5), 3).is_none());
    }

    #[test]
    fn a_document_erased_during_the_read_is_not_cached() {
        let cache = DocumentCache::new(1 << 20);
        let started = cache.start_read(1);
        cache.insert(&hit(1, 5), started, document(10));
        cache.evict(hit(1, 5).property);
        assert!(cache.get(&hit(1, 5), 1).is_none());
        cache.insert(&hit(1, 5), started, document(10));
        assert!(cache.get(&hit(1, 5), 1).is_none());
        cache.insert(&hit(1, 5), cache.start_read(1), document(10));
        assert!(cache.get(&hit(1, 5), 1).is_some());
    }

    #[test]
    fn the_cache_is_bounded_in_bytes() {
        let cache = DocumentCache::new(1 << 20);
        for id in 0..=255 {
            cache.insert(&hit(id, 1), cache.start_read(1), document(20_000));
        }
        assert!(cache.entries.weight() <= 1 << 20);
        assert!(cache.entries.len() > 10);
    }
}
