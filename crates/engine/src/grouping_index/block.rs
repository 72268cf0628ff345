//! Blocks of adverts: one commune, one transaction, one kind of property, and a range of prices.

use domain::PropertyType;
use domain::grouping::{BlockingKey, Signature, price_ratio_max, surface_ratio_max};

/// The price at the end of a range, as a multiple of that at its beginning.
const RANGE: f32 = 1.1;

/// Prices up to 1.1 to the power of 230: three billion.
const RANGE_LAST: u8 = 230;

/// Computed limits are a little wider than exact ones, against rounding.
const ROUNDING: f32 = 1.001;

/// The length of a short block.
const SHORT: usize = 24;

/// The range of adverts without a price.
const NO_PRICE: u8 = u8::MAX;

/// What the adverts of a block have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlockKey {
    place: u32,
    kind: u8,
    range: u8,
}

/// What of an advert is read in a scan: the rest is far away in memory.
#[derive(Debug, Clone, Copy)]
pub struct BlockEntry {
    key: BlockingKey,
    pub slot: u32,
}

impl BlockEntry {
    /// Returns the surface, which is not a number if it is unknown.
    fn surface(&self) -> f32 {
        self.key.surface().unwrap_or(f32::NAN)
    }
}

/// The adverts of a block, in the order of their surfaces. Those without one are the last.
#[derive(Debug, Default)]
pub struct Block(Vec<BlockEntry>);

impl Block {
    pub fn insert(&mut self, entry: BlockEntry) {
        let position = self.0.partition_point(|known| known.surface().total_cmp(&entry.surface()).is_lt());
        self.0.insert(position, entry);
    }

    pub fn remove(&mut self, entry: &BlockEntry) {
        let first = self.0.partition_point(|known| known.surface().total_cmp(&entry.surface()).is_lt());
        let rest = self.0.get(first..).unwrap_or_default();
        if let Some(offset) = rest.iter().position(|known| known.slot == entry.slot) {
            self.0.remove(first + offset);
        }
    }

    /// Returns the adverts with about this surface, and those without one. There may be others among them.
    pub fn near(&self, surface: Option<f32>, ratio_max: Option<f32>) -> impl Iterator<Item = &BlockEntry> {
        // A short block is read from its beginning to its end sooner than it is searched.
        if self.0.len() <= SHORT {
            return self.0.iter().chain(&[]);
        }
        let unknown = self.0.partition_point(|known| !known.surface().is_nan());
        let (known, unknown) = self.0.split_at(unknown);
        let known = match surface.zip(ratio_max) {
            Some((surface, ratio)) => {
                let ratio = ratio * ROUNDING;
                let first = known.partition_point(|known| known.surface() < surface / ratio);
                let end = known.partition_point(|known| known.surface() <= surface * ratio);
                known.get(first..end).unwrap_or_default()
            }
            None => known,
        };
        known.iter().chain(unknown)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

/// Returns the block of an advert, and its entry there.
pub fn place(signature: &Signature, slot: u32) -> (BlockKey, BlockEntry) {
    let range = signature.price().map_or(NO_PRICE, range_of);
    let block = BlockKey { place: signature.commune.commune, kind: kind(signature), range };
    (block, BlockEntry { key: BlockingKey::of(signature), slot })
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    kind: u8,
    key: BlockingKey,
}

impl Probe {
    pub fn of(signature: &Signature) -> Self {
        Self { kind: kind(signature), key: BlockingKey::of(signature) }
    }

    pub fn surface(&self) -> Option<f32> {
        self.key.surface()
    }

    /// Returns the blocks of a place that may contain adverts of the same property, those of close prices and of none, with the largest
    /// ratio of surfaces that is possible there.
    pub fn keys(self, place: u32) -> impl Iterator<Item = (BlockKey, Option<f32>)> {
        let ratio = price_ratio_max() * ROUNDING;
        let price = self.key.price();
        let ranges = match price {
            Some(price) => range_of(price / ratio)..=range_of(price * ratio),
            None => 0..=RANGE_LAST,
        };
        ranges.chain([NO_PRICE]).map(move |range| {
            let ratio_max = surface_ratio_max(price.and_then(|price| percent_from(price, range)));
            (BlockKey { place, kind: self.kind, range }, ratio_max)
        })
    }

    /// Returns `true` if the advert is compared with this one.
    pub fn admits(&self, entry: &BlockEntry) -> bool {
        self.key.admits(&entry.key)
    }
}

fn range_of(price: f32) -> u8 {
    let range = (price.max(1.0).ln() / RANGE.ln()).floor().min(f32::from(RANGE_LAST));
    // Between zero and the last one.
    range as u8
}

/// Returns by how many per cent the prices of a range differ from this one, at least. `None` for the range without prices.
fn percent_from(price: f32, range: u8) -> Option<f32> {
    let start = RANGE.powi(range.into());
    // The last range has no end.
    let end = if range == RANGE_LAST { f32::INFINITY } else { start * RANGE };
    let ratio = (start / price).max(price / end) / ROUNDING;
    (range != NO_PRICE).then(|| ((ratio - 1.0) * 100.0).max(0.0))
}

/// Numbers the transactions and the groups of types that are compared with each other.
fn kind(signature: &Signature) -> u8 {
    let group = match signature.property_type {
        PropertyType::Apartment | PropertyType::House | PropertyType::Building => PropertyType::House,
        PropertyType::Office | PropertyType::Shop => PropertyType::Office,
        other => other,
    };
    signature.transaction_type.code() << 4 | group.code()
}
