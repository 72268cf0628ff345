//! What happens to an index: batches of changes, small ones and large ones, now and then a restart.

use std::sync::Arc;

use domain::{Property, PropertyId};
use engine::scan::Scan;
use engine::{Change, Index, SegmentReader, SequenceNumber, Settings};
use testkit::Random;

use crate::market::Market;

/// An index whose internal thresholds are as small as they can be, so that a few properties make it do everything it ever
/// does. This is the one place that says how.
pub fn small_index() -> Index {
    Index::with_settings(SMALL)
}

const SMALL: Settings =
    Settings { segment_rows_max: 60, fanout: 3, rows_at_once_max: 12, ordered_rows_min: 10 };

/// An index after a restart: what was written down of the old one, read again.
pub fn restarted(index: &Index) -> Index {
    let view = index.view();
    let read_again = |part: &SegmentReader| {
        SegmentReader::decode(SMALL, part.id(), &part.encode(), &part.live_docs()).unwrap()
    };
    Index::restored(SMALL, view.segment_readers().iter().map(read_again).collect(), view.position())
}

/// A change that is cheap to keep many times.
#[derive(Debug, Clone)]
pub enum Step {
    Put(Arc<Property>, SequenceNumber),
    Remove(PropertyId),
}

impl Step {
    pub fn change(&self) -> Change {
        match self {
            Self::Put(property, sequence_number) => Change::Put(Property::clone(property), *sequence_number),
            Self::Remove(id) => Change::Remove(*id),
        }
    }
}

/// Changes that become visible at once.
#[derive(Debug, Clone)]
pub struct Batch {
    pub steps: Vec<Step>,
    pub position: u64,
    /// Whether the index is restarted after it.
    pub restart: bool,
}

impl Batch {
    pub fn changes(&self) -> Vec<Change> {
        self.steps.iter().map(Step::change).collect()
    }

    pub fn apply(&self, index: Index, scan: &mut Scan) -> Index {
        self.changes().into_iter().for_each(|change| scan.apply(change));
        index.apply(self.changes(), self.position);
        // The background does its work now and then, not after every batch.
        while self.position.is_multiple_of(3) && index.maintain() {}
        if self.restart { restarted(&index) } else { index }
    }
}

/// Where histories come from. It knows what is there, so that replacing and removing hit.
#[derive(Debug)]
pub struct Historian {
    market: Market,
    /// The numbers of the properties that may ever exist; few more than do, so that ids come back.
    numbers: u64,
    position: u64,
    /// What is there now.
    pub present: std::collections::BTreeMap<PropertyId, Arc<Property>>,
}

impl Historian {
    pub fn new(market: Market, size: u64) -> Self {
        Self { market, numbers: size + size / 4 + 2, position: 0, present: Default::default() }
    }

    /// The first load: that many properties, in any order.
    pub fn load(&mut self, random: &mut Random, size: u64) -> Batch {
        let first = random.below(self.numbers);
        self.batch(random, size, |historian, random, number| {
            // A stride that shares no factor with a number of its own size meets every number before it repeats one.
            let number = (first + number * (historian.numbers - 1)) % historian.numbers;
            historian.put(random, property_id(number))
        })
    }

    /// A few changes. One id may be changed twice, or be removed without ever having been there.
    pub fn change(&mut self, random: &mut Random, size: u64) -> Batch {
        let mostly_removing = random.once_in(8);
        self.batch(random, size, |historian, random, _| {
            let id = property_id(random.below(historian.numbers));
            let present = historian.present.get(&id).cloned();
            match (random.below(8), present) {
                (0..2, _) => historian.remove(id),
                (2..6, _) if mostly_removing => historian.remove(id),
                // Seen again and unchanged, or with an advert less.
                (2, Some(property)) => historian.keep(property),
                (3, Some(property)) if property.adverts.len() > 1 => {
                    let mut property = Property::clone(&property);
                    property.adverts.remove(random.below(property.adverts.len() as u64) as usize);
                    historian.keep(Arc::new(property))
                }
                _ => historian.put(random, id),
            }
        })
    }

    fn batch(
        &mut self,
        random: &mut Random,
        size: u64,
        mut step: impl FnMut(&mut Self, &mut Random, u64) -> Step,
    ) -> Batch {
        let steps = (0..size).map(|number| step(self, random, number)).collect();
        self.position += 1;
        Batch { steps, position: self.position, restart: random.once_in(6) }
    }

    fn put(&mut self, random: &mut Random, id: PropertyId) -> Step {
        let property = self.market.property(random, id);
        self.keep(Arc::new(property))
    }

    fn keep(&mut self, property: Arc<Property>) -> Step {
        self.position += 1;
        self.present.insert(property.id, Arc::clone(&property));
        Step::Put(property, SequenceNumber(self.position))
    }

    fn remove(&mut self, id: PropertyId) -> Step {
        self.position += 1;
        self.present.remove(&id);
        Step::Remove(id)
    }
}

/// Ids that differ in their first half, in their second, or in both; their order is not that of the numbers.
fn property_id(number: u64) -> PropertyId {
    let mut bytes = [0; 16];
    let first: u64 = [u64::MAX, 0, 0x0190_0000_0000_7000][number as usize % 3];
    bytes[..8].copy_from_slice(&first.to_be_bytes());
    bytes[8..].copy_from_slice(&number.to_be_bytes());
    PropertyId::from_bytes(bytes)
}
