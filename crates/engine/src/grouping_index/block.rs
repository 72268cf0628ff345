//! Blocks of adverts: one commune, one transaction, one kind of property, and a range of prices.

use domain::PropertyType;
use domain::grouping::{Signature, are_far_apart, price_ratio_max};

/// The price at the end of a range, as a multiple of that at its beginning.
const RANGE: f32 = 1.2;

/// Prices up to 1.2 to the power of 120: three billion.
const RANGE_LAST: u8 = 120;

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
    price: f32,
    surface: f32,
    pub slot: u32,
}

/// Returns the block of an advert, and its entry there.
pub fn place(signature: &Signature, slot: u32) -> (BlockKey, BlockEntry) {
    let range = signature.price().map_or(NO_PRICE, range_of);
    let key = BlockKey { place: signature.commune.commune, kind: kind(signature), range };
    let unknown = f32::NAN;
    let entry = BlockEntry {
        price: signature.price().unwrap_or(unknown),
        surface: signature.surface().unwrap_or(unknown),
        slot,
    };
    (key, entry)
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    kind: u8,
    price: Option<f32>,
    surface: Option<f32>,
}

impl Probe {
    pub fn of(signature: &Signature) -> Self {
        Self { kind: kind(signature), price: signature.price(), surface: signature.surface() }
    }

    /// Returns the blocks of a place that may contain adverts of the same property: those of close prices, and of none.
    pub fn keys(self, place: u32) -> impl Iterator<Item = BlockKey> {
        // A little more than the ratio, against rounding.
        let ratio = price_ratio_max() * 1.001;
        let ranges = match self.price {
            Some(price) => range_of(price / ratio)..=range_of(price * ratio),
            None => 0..=RANGE_LAST,
        };
        ranges.chain([NO_PRICE]).map(move |range| BlockKey { place, kind: self.kind, range })
    }

    /// Returns `false` if the price and the surface rule out that an advert is of the same property.
    pub fn admits(self, entry: &BlockEntry) -> bool {
        let known = |value: f32| Some(value).filter(|value| !value.is_nan());
        !are_far_apart((self.price, known(entry.price)), (self.surface, known(entry.surface)))
    }
}

fn range_of(price: f32) -> u8 {
    let range = (price.max(1.0).ln() / RANGE.ln()).floor().min(f32::from(RANGE_LAST));
    // Between zero and the last one.
    range as u8
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
