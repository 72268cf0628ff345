//! Random histories of an index: small and large batches of changes, and restarts.

use std::sync::Arc;

use domain::{Property, PropertyId};
use engine::scan::ScanIndex;
use engine::{Change, Index, IndexSettings, SegmentReader, SequenceNumber};
use testkit::Random;

use crate::market::Market;

/// Creates an index with minimal thresholds, so that a few properties are enough to trigger merges, full segments and presorting.
pub fn small_index() -> Index {
    Index::with_settings(SMALL)
}

const SMALL: IndexSettings =
    IndexSettings { segment_rows_max: 60, fanout: 3, inline_merge_rows_max: 12, presorted_rows_min: 10 };

/// Encodes an index and decodes it again, as a restart does.
pub fn restart(index: &Index) -> Index {
    let searcher = index.searcher();
    let decode = |reader: &SegmentReader| {
        SegmentReader::decode(SMALL, reader.id(), &reader.encode(), &reader.live_docs()).unwrap()
    };
    Index::restore(SMALL, searcher.segment_readers().iter().map(decode).collect(), searcher.position())
}

/// Changes that are published at once.
#[derive(Debug, Clone)]
pub struct Batch {
    pub changes: Vec<Change>,
    pub position: u64,
    /// Whether the index is restarted after it.
    pub restart: bool,
}

impl Batch {
    pub fn apply(&self, index: Index, scan: &mut ScanIndex) -> Index {
        self.changes.iter().for_each(|change| scan.apply(change.clone()));
        index.apply(self.changes.clone(), self.position);
        // Background maintenance runs after some of the batches.
        while self.position.is_multiple_of(3) && index.maintain() {}
        if self.restart { restart(&index) } else { index }
    }
}

/// Generates histories. It tracks the properties present, so that replacements and removals find one.
#[derive(Debug)]
pub struct HistoryGenerator {
    market: Market,
    /// The number of possible properties; little more than exist, so that ids are reused.
    numbers: u64,
    position: u64,
    /// The properties present now.
    pub present: std::collections::BTreeMap<PropertyId, Arc<Property>>,
}

impl HistoryGenerator {
    pub fn new(market: Market, size: u64) -> Self {
        Self { market, numbers: size + size / 4 + 2, position: 0, present: Default::default() }
    }

    /// Generates the initial load of `size` properties, in any order.
    pub fn load(&mut self, random: &mut Random, size: u64) -> Batch {
        let first = random.below(self.numbers);
        self.batch(random, size, |generator, random, number| {
            // The stride is coprime to the modulus, so that every number is drawn before one repeats.
            let number = (first + number * (generator.numbers - 1)) % generator.numbers;
            generator.put(random, property_id(number))
        })
    }

    /// Generates changes. An id may be changed twice, or removed without being present.
    pub fn change(&mut self, random: &mut Random, size: u64) -> Batch {
        let mostly_removing = random.once_in(8);
        self.batch(random, size, |generator, random, _| {
            let id = property_id(random.below(generator.numbers));
            let present = generator.present.get(&id).cloned();
            match (random.below(8), present) {
                (0..2, _) => generator.remove(id),
                (2..6, _) if mostly_removing => generator.remove(id),
                // Unchanged, or with one advert less.
                (2, Some(property)) => generator.put_as(property),
                (3, Some(property)) if property.adverts.len() > 1 => {
                    let mut property = Property::clone(&property);
                    property.adverts.remove(random.below(property.adverts.len() as u64) as usize);
                    generator.put_as(Arc::new(property))
                }
                _ => generator.put(random, id),
            }
        })
    }

    fn batch(
        &mut self,
        random: &mut Random,
        size: u64,
        mut change: impl FnMut(&mut Self, &mut Random, u64) -> Change,
    ) -> Batch {
        let changes = (0..size).map(|number| change(self, random, number)).collect();
        self.position += 1;
        Batch { changes, position: self.position, restart: random.once_in(6) }
    }

    fn put(&mut self, random: &mut Random, id: PropertyId) -> Change {
        let property = self.market.property(random, id);
        self.put_as(Arc::new(property))
    }

    fn put_as(&mut self, property: Arc<Property>) -> Change {
        self.position += 1;
        self.present.insert(property.id, Arc::clone(&property));
        Change::Put(property, SequenceNumber(self.position))
    }

    fn remove(&mut self, id: PropertyId) -> Change {
        self.position += 1;
        self.present.remove(&id);
        Change::Remove(id)
    }
}

/// Returns ids that differ in the first half, the second half or both. Their order is not that of the numbers.
fn property_id(number: u64) -> PropertyId {
    let mut bytes = [0; 16];
    let first: u64 = [u64::MAX, 0, 0x0190_0000_0000_7000][number as usize % 3];
    bytes[..8].copy_from_slice(&first.to_be_bytes());
    bytes[8..].copy_from_slice(&number.to_be_bytes());
    PropertyId::from_bytes(bytes)
}
