//! Finds the adverts that may be of the same property as another: the signatures of all adverts, in memory.
//!
//! Adverts are kept in blocks: one commune, one transaction, one kind of property, and prices close to each other. In a block, they are
//! in the order of their surfaces. A lookup reads those of a block and the neighbouring ones that have about the surface, and compares in
//! full the few that have a value in common with the advert. So its cost depends on how many adverts a town has of one price and
//! surface, not on the stock itself.

mod block;
mod rarity;

use std::ops::Range;

use domain::grouping::{JOIN_SCORE, Member, Rarity, Signature, reaches};
use domain::price::CheckedPrice;
use domain::{AdvertId, PropertyId};
use rustc_hash::FxHashMap;
use slab::Slab;

use block::{Block, BlockEntry, BlockKey, Probe};
use rarity::ShingleCounts;

/// The signatures of all adverts.
#[derive(Debug, Default)]
pub struct GroupingIndex {
    slots: Slab<Slot>,
    by_advert: FxHashMap<AdvertId, u32>,
    properties: FxHashMap<PropertyId, Slots>,
    blocks: FxHashMap<BlockKey, Block>,
    /// The districts with adverts of a city that has districts.
    districts: FxHashMap<u32, Vec<u32>>,
    counts: ShingleCounts,
    /// The memory of the signatures besides the slots.
    heap_bytes: usize,
}

/// An advert in the index.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupingEntry {
    pub property: PropertyId,
    /// `None` for an advert without a commune. It is compared with no other, but counts as an advert of its property.
    pub signature: Option<Signature>,
    /// Whether the sender named its property.
    pub is_named: bool,
    /// Not compared: it is kept here for the statistics of prices.
    pub price: CheckedPrice,
}

#[derive(Debug)]
struct Slot {
    advert: AdvertId,
    entry: GroupingEntry,
}

/// The adverts of a property. Most have one.
#[derive(Debug)]
enum Slots {
    One(u32),
    Many(Vec<u32>),
}

impl Slots {
    fn as_slice(&self) -> &[u32] {
        match self {
            Self::One(slot) => std::slice::from_ref(slot),
            Self::Many(slots) => slots,
        }
    }

    fn push(&mut self, slot: u32) {
        match self {
            Self::One(first) => *self = Self::Many(vec![*first, slot]),
            Self::Many(slots) => slots.push(slot),
        }
    }

    fn without(self, slot: u32) -> Option<Self> {
        match self {
            Self::One(first) => (first != slot).then_some(self),
            Self::Many(mut slots) => {
                slots.retain(|known| *known != slot);
                match *slots {
                    [] => None,
                    [last] => Some(Self::One(last)),
                    _ => Some(Self::Many(slots)),
                }
            }
        }
    }
}

impl GroupingIndex {
    /// Adds or replaces an advert. Returns the previous entry.
    pub fn put(&mut self, advert: AdvertId, entry: GroupingEntry) -> Option<GroupingEntry> {
        let previous = self.remove(advert);
        let property = entry.property;
        // Four billion adverts do not fit into memory.
        let slot = u32::try_from(self.slots.vacant_key()).unwrap_or(u32::MAX);
        if let Some(signature) = &entry.signature {
            let (key, block_entry) = block::place(signature, slot);
            self.blocks.entry(key).or_default().insert(block_entry);
            self.add_district(signature);
            self.heap_bytes += signature.heap_bytes();
            self.counts.add(signature);
        }
        self.slots.insert(Slot { advert, entry });
        self.by_advert.insert(advert, slot);
        match self.properties.get_mut(&property) {
            Some(slots) => slots.push(slot),
            None => {
                self.properties.insert(property, Slots::One(slot));
            }
        }
        if self.counts.is_crowded(self.slots.len()) {
            let signatures = self.slots.iter().filter_map(|(_, slot)| slot.entry.signature.as_ref());
            self.counts = ShingleCounts::for_adverts(self.slots.len(), signatures);
        }
        previous
    }

    /// Removes an advert. Returns its entry.
    pub fn remove(&mut self, advert: AdvertId) -> Option<GroupingEntry> {
        let slot = self.by_advert.remove(&advert)?;
        let Slot { entry, .. } = self.slots.try_remove(usize_of(slot))?;
        if let Some(rest) = self.properties.remove(&entry.property).and_then(|slots| slots.without(slot)) {
            self.properties.insert(entry.property, rest);
        }
        if let Some(signature) = &entry.signature {
            self.heap_bytes = self.heap_bytes.saturating_sub(signature.heap_bytes());
            self.counts.remove(signature);
            let (key, block_entry) = block::place(signature, slot);
            if let Some(block) = self.blocks.get_mut(&key) {
                block.remove(&block_entry);
                if block.is_empty() {
                    self.blocks.remove(&key);
                }
            }
        }
        Some(entry)
    }

    pub fn get(&self, advert: AdvertId) -> Option<&GroupingEntry> {
        let slot = self.by_advert.get(&advert)?;
        self.slots.get(usize_of(*slot)).map(|slot| &slot.entry)
    }

    /// Returns the adverts of a property that can be compared.
    pub fn members(&self, property: PropertyId) -> impl Iterator<Item = Member<'_>> {
        let slots = self.properties.get(&property).map(Slots::as_slice).unwrap_or_default();
        slots.iter().filter_map(|slot| {
            let Slot { advert, entry } = self.slots.get(usize_of(*slot))?;
            let GroupingEntry { signature, is_named, .. } = entry;
            Some(Member { advert: *advert, signature: signature.as_ref()?, is_named: *is_named })
        })
    }

    /// Returns the properties with an advert that this one would join, in the order of their ids: one that
    /// [`domain::grouping::BlockingKey`] admits and [`domain::grouping::compare`] joins without a veto, with the rarity of this index. The
    /// index may contain the advert itself, which is then among them.
    ///
    /// A property that a person's verdict concerns may be missing: the caller adds it.
    pub fn candidates(&self, signature: &Signature) -> Vec<PropertyId> {
        self.candidates_counted(signature).0
    }

    /// Does the same. Also returns how many adverts were compared in full.
    pub fn candidates_counted(&self, signature: &Signature) -> (Vec<PropertyId>, usize) {
        self.properties_reaching(signature, JOIN_SCORE)
    }

    /// Returns the properties with an advert that is admitted and has at least this score with the given one and no veto, in the order of
    /// their ids, and how many adverts were compared in full.
    pub fn properties_reaching(&self, signature: &Signature, least: f32) -> (Vec<PropertyId>, usize) {
        let mut near: Vec<(PropertyId, &Signature)> = Vec::new();
        let probe = Probe::of(signature);
        for place in self.places(signature) {
            for (key, ratio_max) in probe.keys(place) {
                let Some(block) = self.blocks.get(&key) else { continue };
                let admitted = block.near(probe.surface(), ratio_max).filter(|entry| probe.admits(entry));
                let slots = admitted.filter_map(|entry| self.slots.get(usize_of(entry.slot)));
                near.extend(
                    slots.filter_map(|Slot { entry, .. }| Some((entry.property, entry.signature.as_ref()?))),
                );
            }
        }
        // Signatures are far apart in memory. Reading a little of each first lets the processor fetch many at a time, while the
        // comparisons would wait for one after the other.
        std::hint::black_box(near.iter().fold(0, |all, (_, other)| all ^ other.touch()));
        let mut found: Vec<PropertyId> = near
            .iter()
            .filter(|(_, other)| reaches(signature, other, least, self))
            .map(|(property, _)| *property)
            .collect();
        found.sort_unstable();
        found.dedup();
        (found, near.len())
    }

    /// Returns the communes whose adverts may be of one property with an advert of this one: itself, its city, or its districts.
    fn places(&self, signature: &Signature) -> impl Iterator<Item = u32> {
        let commune = signature.commune;
        let city = (commune.city != commune.commune).then_some(commune.city);
        let districts = self.districts.get(&commune.commune).into_iter().flatten().copied();
        std::iter::once(commune.commune).chain(city).chain(districts)
    }

    fn add_district(&mut self, signature: &Signature) {
        let commune = signature.commune;
        if commune.city != commune.commune {
            let districts = self.districts.entry(commune.city).or_default();
            if !districts.contains(&commune.commune) {
                districts.push(commune.commune);
            }
        }
    }

    /// Iterates over all adverts, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (AdvertId, &GroupingEntry)> {
        self.slots.iter().map(|(_, slot)| (slot.advert, &slot.entry))
    }

    /// Returns the adverts in a part of the slots, to visit all in steps. Slots are numbered up to [`GroupingIndex::slots`].
    pub fn range(&self, slots: Range<usize>) -> impl Iterator<Item = (AdvertId, &GroupingEntry)> {
        slots.filter_map(|slot| self.slots.get(slot)).map(|slot| (slot.advert, &slot.entry))
    }

    /// Returns how many slots there are, the free ones included.
    pub fn slots(&self) -> usize {
        self.slots.capacity()
    }

    /// Returns all adverts of a property, also those that cannot be compared.
    pub fn adverts(&self, property: PropertyId) -> impl Iterator<Item = AdvertId> {
        let slots = self.properties.get(&property).map(Slots::as_slice).unwrap_or_default();
        slots.iter().filter_map(|slot| self.slots.get(usize_of(*slot)).map(|slot| slot.advert))
    }

    /// Returns the number of properties.
    pub fn properties(&self) -> usize {
        self.properties.len()
    }

    /// Returns the number of adverts.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the memory of the index. Visits all blocks.
    pub fn bytes(&self) -> usize {
        /// What the allocator needs for each allocation, about.
        const ALLOCATION: usize = 16;
        // A hash table has a control byte per bucket.
        let adverts = self.by_advert.capacity() * (size_of::<(AdvertId, u32)>() + 1);
        let properties = self.properties.capacity() * (size_of::<(PropertyId, Slots)>() + 1);
        let members = |slots: &Slots| match slots {
            Slots::One(_) => 0,
            Slots::Many(slots) => slots.capacity() * size_of::<u32>() + ALLOCATION,
        };
        let blocks = self.blocks.capacity() * (size_of::<(BlockKey, Block)>() + 1);
        let block = |block: &Block| block.capacity() * size_of::<BlockEntry>() + ALLOCATION;
        self.slots.capacity() * size_of::<Slot>()
            + self.heap_bytes
            + self.slots.len() * ALLOCATION
            + adverts
            + properties
            + self.properties.values().map(members).sum::<usize>()
            + blocks
            + self.blocks.values().map(block).sum::<usize>()
            + self.counts.bytes()
    }
}

impl Rarity for GroupingIndex {
    fn count(&self, shingle: u32) -> u32 {
        self.counts.count(shingle)
    }
}

/// A slot is at most 32 bits wide, and so is every machine this runs on.
fn usize_of(slot: u32) -> usize {
    usize::try_from(slot).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
