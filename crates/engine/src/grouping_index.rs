//! Finds the adverts that may be of the same property as another: the signatures of all adverts, in memory.
//!
//! Adverts are kept in blocks: one city, one transaction, one kind of property, and prices close to each other. An advert is compared
//! with those of its block and the neighbouring ones, so the cost of a lookup depends on how many adverts a town has at that price,
//! not on the stock.

use std::collections::BTreeSet;

use domain::grouping::{Member, Rarity, Signature};
use domain::{AdvertId, PropertyId};
use rustc_hash::FxHashMap;

/// The signatures of all adverts.
#[derive(Debug, Default)]
pub struct GroupingIndex {
    entries: FxHashMap<AdvertId, GroupingEntry>,
    properties: FxHashMap<PropertyId, Vec<AdvertId>>,
    blocks: FxHashMap<(u32, u8, u8), Vec<AdvertId>>,
}

/// An advert in the index.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupingEntry {
    pub property: PropertyId,
    /// `None` for an advert without a commune. It is compared with no other, but counts as an advert of its property.
    pub signature: Option<Signature>,
    /// Whether the sender named its property.
    pub is_named: bool,
}

impl GroupingIndex {
    /// Adds or replaces an advert. Returns the previous entry.
    pub fn put(&mut self, advert: AdvertId, entry: GroupingEntry) -> Option<GroupingEntry> {
        let previous = self.remove(advert);
        self.properties.entry(entry.property).or_default().push(advert);
        if let Some(signature) = &entry.signature {
            self.blocks.entry(block(signature)).or_default().push(advert);
        }
        self.entries.insert(advert, entry);
        previous
    }

    /// Removes an advert. Returns its entry.
    pub fn remove(&mut self, advert: AdvertId) -> Option<GroupingEntry> {
        let entry = self.entries.remove(&advert)?;
        if let Some(adverts) = self.properties.get_mut(&entry.property) {
            adverts.retain(|known| *known != advert);
            if adverts.is_empty() {
                self.properties.remove(&entry.property);
            }
        }
        if let Some(adverts) = entry.signature.as_ref().and_then(|known| self.blocks.get_mut(&block(known))) {
            adverts.retain(|known| *known != advert);
        }
        Some(entry)
    }

    pub fn get(&self, advert: AdvertId) -> Option<&GroupingEntry> {
        self.entries.get(&advert)
    }

    /// Returns the adverts of a property that can be compared.
    pub fn members(&self, property: PropertyId) -> impl Iterator<Item = Member<'_>> {
        self.properties.get(&property).into_iter().flatten().filter_map(|advert| {
            let GroupingEntry { signature, is_named, .. } = self.entries.get(advert)?;
            Some(Member { advert: *advert, signature: signature.as_ref()?, is_named: *is_named })
        })
    }

    /// Returns the properties with an advert that may be of the same property, in the order of their ids. Contains every property
    /// with an advert that [`domain::grouping::compare`] would join without a veto.
    pub fn candidates(&self, signature: &Signature) -> Vec<PropertyId> {
        let block = self.blocks.get(&block(signature)).into_iter().flatten();
        let found: BTreeSet<PropertyId> =
            block.filter_map(|advert| Some(self.entries.get(advert)?.property)).collect();
        found.into_iter().collect()
    }

    /// Returns the number of adverts.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Estimates the memory of the index.
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * (size_of::<AdvertId>() + size_of::<GroupingEntry>())
    }
}

impl Rarity for GroupingIndex {
    fn count(&self, _shingle: u32) -> u32 {
        1
    }
}

fn block(signature: &Signature) -> (u32, u8, u8) {
    (signature.commune.city, signature.transaction_type.code(), signature.property_type.code())
}
