//! The other way round: from one property to the saved searches that want it.
//!
//! A search is filed under where it looks: under each of a few places, under a set of many, in cells of the map, or under
//! "anywhere" ([`place_buckets`]). A property looks into the buckets of the places it lies in. In a bucket searches lie as columns, those
//! for the same kinds of property together ([`bucket`]), and are held against the property sixteen at a time ([`lanes`]). Most are
//! settled by that, because the columns say exactly what they ask for ([`bounds`], [`filing`]). What the others ask for beyond it
//! is checked one by one ([`checks`]), words last ([`phrases`]).
//!
//! **Invariant:** it finds exactly the searches whose [`Criteria::accepts`] the property. The law of the index holds it to that.

mod bounds;
mod bucket;
mod cells;
mod checks;
mod filing;
mod lanes;
mod order;
mod pages;
mod phrases;
mod place_buckets;
mod places;
mod slab;

use std::collections::HashMap;

use domain::{Criteria, PropertyView, Property, SearchNumber};

use bucket::Met;
use checks::{Checks, Sight};
use filing::Filing;
use order::Order;
use pages::{Filed, Kept, Pages};
use phrases::{PhraseInterner, Reading};
use place_buckets::PlaceBuckets;
use slab::Slab;

/// All saved searches, so kept that those which want a property are found at once.
#[derive(Debug, Default)]
pub struct Percolator {
    pages: Pages,
    place_buckets: PlaceBuckets,
    /// The buckets of searches that are filed in several.
    lists: Slab<Box<[u32]>>,
    unsettled: Slab<Unsettled>,
    checks: Slab<Checks>,
    phrases: PhraseInterner,
}

/// A search that the columns do not settle.
#[derive(Debug, Clone, Copy)]
struct Unsettled {
    number: u32,
    /// The number of its checks, or [`NONE`].
    checks: u32,
    /// The number of its expressions, or [`NONE`].
    expressions: u32,
}

const NONE: u32 = u32::MAX;

/// The searches that want a property, and what it took to find them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PercolateResult {
    /// Ascending, each once.
    pub searches: Vec<SearchNumber>,
    /// How many lines were looked at in columns.
    pub walked: usize,
    /// How many of those had something left to check.
    pub verified: usize,
}

/// Room to work in, to be used again for the next property. What is left in it has no influence on what is found.
#[derive(Debug, Default)]
pub struct PercolatorScratch {
    sets: Vec<u32>,
    met: Met,
    pending: Vec<Unsettled>,
    reading: Reading,
    order: Order,
}

impl Percolator {
    /// Adds a search, or replaces it.
    pub fn put(&mut self, number: SearchNumber, criteria: &Criteria) {
        self.take(number);
        let Filing { places, kinds, line, checks } = Filing::of(criteria);
        let name = match kinds.is_settled() {
            true => number.0,
            false => {
                let asks = filing::ask_for_something(&criteria.expressions);
                let expressions = if asks { self.phrases.hold(&criteria.expressions) } else { NONE };
                let checks = Checks::of(checks).map_or(NONE, |checks| self.checks.put(checks));
                self.unsettled.put(Unsettled { number: number.0, checks, expressions })
            }
        };
        let buckets = self.place_buckets.put(&places, kinds, &line, name);
        let filed = match buckets.as_slice() {
            [] => Filed::Nowhere,
            [bucket] => Filed::Once(*bucket),
            several => Filed::Several(self.lists.put(several.into())),
        };
        self.pages.put(number.0, Kept { filed, kinds, name });
    }

    /// Whether it was there.
    pub fn remove(&mut self, number: SearchNumber) -> bool {
        let was_there = self.take(number);
        if self.is_empty() {
            // Nothing is left but room, and nobody knows whether it is ever needed again.
            *self = Self::default();
        }
        was_there
    }

    fn take(&mut self, number: SearchNumber) -> bool {
        let Some(Kept { filed, kinds, name }) = self.pages.take(number.0) else { return false };
        match filed {
            Filed::Nowhere => {}
            Filed::Once(bucket) => self.place_buckets.remove(bucket, kinds, name),
            Filed::Several(list) => {
                for bucket in self.lists.take(list).unwrap_or_default() {
                    self.place_buckets.remove(bucket, kinds, name);
                }
            }
        }
        if !kinds.is_settled()
            && let Some(unsettled) = self.unsettled.take(name)
        {
            self.checks.take(unsettled.checks);
            self.phrases.release(unsettled.expressions);
        }
        true
    }

    pub fn len(&self) -> usize {
        self.pages.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The searches that want a property.
    pub fn matches(&self, property: &Property, scratch: &mut PercolatorScratch) -> PercolateResult {
        let Some(facts) = PropertyView::new(property) else { return PercolateResult::default() };
        let sight = Sight::of(&facts);
        let kind = sight.kind(facts.derived.property_type, facts.derived.transaction_type);
        let probe = sight.probe();
        let PercolatorScratch { sets, met, pending, reading, order } = scratch;
        met.settled.clear();
        met.unsettled.clear();
        reading.begin();
        let mut walked = 0;
        self.place_buckets.each(sight.places(), sight.point, sets, |bucket| {
            walked += bucket.scan(kind, &probe, met);
        });
        let verified = met.unsettled.len();
        let found = &mut met.settled;
        // All are fetched before the first is looked at: while one is on its way from memory, so are the next ones.
        pending.clear();
        pending.extend(met.unsettled.iter().filter_map(|name| self.unsettled.get(*name)));
        for unsettled in pending.iter() {
            if self.is_settled_well(unsettled, &sight, reading) {
                found.push(unsettled.number);
            }
        }
        // A search that names a city and its zipcode is found under both.
        PercolateResult { searches: order.put_in(found), walked, verified }
    }

    /// Whether all holds that is left to check.
    fn is_settled_well(&self, unsettled: &Unsettled, sight: &Sight<'_>, reading: &mut Reading) -> bool {
        let Unsettled { number: _, checks, expressions } = *unsettled;
        let checks_hold = || self.checks.get(checks).is_none_or(|checks| checks.hold(sight));
        let words_hold = |reading: &mut Reading| {
            expressions == NONE || self.phrases.hold_for(expressions, sight.property, reading)
        };
        // Reading texts is what takes longest; once they are read, words are what takes least.
        match reading.is_read() {
            true => words_hold(reading) && checks_hold(),
            false => checks_hold() && words_hold(reading),
        }
    }

    /// How much memory it takes.
    pub fn bytes(&self) -> usize {
        let lists: usize = self.lists.iter().map(|list| size_of_val(&**list)).sum();
        let checks: usize = self.checks.iter().map(Checks::bytes).sum();
        size_of::<Self>()
            + self.pages.bytes()
            + self.place_buckets.bytes()
            + self.lists.bytes()
            + lists
            + self.unsettled.bytes()
            + self.checks.bytes()
            + checks
            + self.phrases.bytes()
    }
}

/// Memory of a map, without what its entries hold elsewhere: it has room for an eighth more than it says, and a byte for each.
fn map_bytes<K, V, S>(map: &HashMap<K, V, S>) -> usize {
    let room = map.capacity() / 7 * 8;
    room * (size_of::<(K, V)>() + 1)
}

#[cfg(test)]
mod tests;
