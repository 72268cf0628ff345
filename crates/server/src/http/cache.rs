//! Documents kept ready to be sent.
//!
//! A copy is good for as long as the index has the property under the same sequence_number and the sites are as they were, because a
//! document shows the category of its sites. So nothing has to be told of a change: a copy that is no longer good is not
//! found, and the next one takes its place. Erasure alone cannot wait for the index, and takes the copy out at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::PropertyId;
use engine::{Hit, SequenceNumber};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde_json::value::RawValue;

/// What a document takes about, for a first guess of how many there will be.
const TYPICAL_BYTES: usize = 8 * 1024;

/// What an entry takes beside its text.
const ENTRY_BYTES: u64 = 128;

pub struct DocumentCache {
    kept: Cache<PropertyId, Kept, Bytes>,
    erasures: AtomicU64,
}

#[derive(Clone)]
struct Kept {
    sequence_number: SequenceNumber,
    sites_revision: u64,
    document: Arc<RawValue>,
}

/// Weighs entries by their text.
#[derive(Clone)]
struct Bytes;

impl Weighter<PropertyId, Kept> for Bytes {
    fn weight(&self, _id: &PropertyId, kept: &Kept) -> u64 {
        kept.document.get().len() as u64 + ENTRY_BYTES
    }
}

/// Taken before documents are read, so that none is kept that was erased meanwhile.
#[derive(Clone, Copy)]
pub struct Reading {
    erasures: u64,
    sites_revision: u64,
}

impl DocumentCache {
    pub fn new(bytes_max: usize) -> Self {
        let kept = Cache::with_weighter(bytes_max / TYPICAL_BYTES, bytes_max as u64, Bytes);
        Self { kept, erasures: AtomicU64::new(0) }
    }

    /// The document of a property as the index knows it and with the sites as they are.
    pub fn get(&self, hit: &Hit, sites_revision: u64) -> Option<Arc<RawValue>> {
        let kept = self.kept.get(&hit.property)?;
        (kept.sequence_number == hit.sequence_number && kept.sites_revision == sites_revision)
            .then_some(kept.document)
    }

    pub fn reading(&self, sites_revision: u64) -> Reading {
        Reading { erasures: self.erasures.load(Ordering::SeqCst), sites_revision }
    }

    /// Keeps a document that was read after `reading` was taken.
    pub fn keep(&self, hit: &Hit, reading: Reading, document: Arc<RawValue>) {
        let Reading { erasures, sites_revision } = reading;
        self.kept
            .insert(hit.property, Kept { sequence_number: hit.sequence_number, sites_revision, document });
        // An erasure counts itself first and removes afterwards: whichever of the two came last, nothing is left.
        if self.erasures.load(Ordering::SeqCst) != erasures {
            self.kept.remove(&hit.property);
        }
    }

    /// Drops the document of a property that an advert was erased from.
    pub fn forget(&self, property: PropertyId) {
        self.erasures.fetch_add(1, Ordering::SeqCst);
        self.kept.remove(&property);
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
    fn a_copy_is_good_until_the_property_or_the_sites_change() {
        let cache = DocumentCache::new(1 << 20);
        cache.keep(&hit(1, 5), cache.reading(3), document(10));
        assert!(cache.get(&hit(1, 5), 3).is_some());
        assert!(cache.get(&hit(1, 6), 3).is_none());
        assert!(cache.get(&hit(1, 5), 4).is_none());
        assert!(cache.get(&hit(2, 5), 3).is_none());
    }

    #[test]
    fn what_is_erased_while_it_is_read_is_not_kept() {
        let cache = DocumentCache::new(1 << 20);
        let reading = cache.reading(1);
        cache.keep(&hit(1, 5), reading, document(10));
        cache.forget(hit(1, 5).property);
        assert!(cache.get(&hit(1, 5), 1).is_none());
        cache.keep(&hit(1, 5), reading, document(10));
        assert!(cache.get(&hit(1, 5), 1).is_none());
        cache.keep(&hit(1, 5), cache.reading(1), document(10));
        assert!(cache.get(&hit(1, 5), 1).is_some());
    }

    #[test]
    fn the_bytes_are_bounded() {
        let cache = DocumentCache::new(1 << 20);
        for id in 0..=255 {
            cache.keep(&hit(id, 1), cache.reading(1), document(20_000));
        }
        assert!(cache.kept.weight() <= 1 << 20);
        assert!(cache.kept.len() > 10);
    }
}
