//! The percolator of Vigie, in this process.

use std::time::{Duration, Instant};

use domain::{Criteria, Property, SearchNumber};
use engine::{PercolateResult, Percolator, PercolatorScratch};

use super::Engine;
use super::draw::Searches;
use crate::latencies::Latencies;

pub const NAME: &str = "Vigie";

/// Searches added to and removed from the full percolator.
const CHURN: u32 = 10_000;

#[derive(Default)]
pub struct Vigie {
    percolator: Percolator,
    scratch: PercolatorScratch,
}

/// The times to add and to remove searches.
pub struct Churn {
    pub add: Latencies,
    pub remove: Latencies,
}

impl Vigie {
    /// Loads the first `count` searches. Returns the time of each as well.
    pub fn load(searches: &Searches<'_>, count: u32) -> anyhow::Result<(Self, Latencies)> {
        let mut vigie = Self::default();
        let mut times = Vec::with_capacity(count as usize);
        for number in 0..count {
            let criteria = searches.get(number).criteria(searches.dataset().gazetteer())?;
            times.push(vigie.add(number, &criteria));
        }
        Ok((vigie, Latencies::of(times)))
    }

    pub fn percolate(&mut self, property: &Property) -> PercolateResult {
        self.percolator.matches(property, &mut self.scratch)
    }

    /// Returns the memory of the percolator, without the stored searches.
    pub fn bytes(&self) -> usize {
        self.percolator.bytes()
    }

    /// Adds searches after the first `count`, and removes them in a different order.
    pub fn churn(&mut self, searches: &Searches<'_>, count: u32) -> anyhow::Result<Churn> {
        let mut add = Vec::with_capacity(CHURN as usize);
        for number in count..count + CHURN {
            let criteria = searches.get(number).criteria(searches.dataset().gazetteer())?;
            add.push(self.add(number, &criteria));
        }
        let mut remove = Vec::with_capacity(CHURN as usize);
        // A step coprime to the number of searches visits each of them once.
        for turn in 0..CHURN {
            let number = SearchNumber(count + turn * 7_919 % CHURN);
            let started = Instant::now();
            let was_there = self.percolator.remove(number);
            remove.push(started.elapsed());
            anyhow::ensure!(was_there, "search {number:?} is missing");
        }
        Ok(Churn { add: Latencies::of(add), remove: Latencies::of(remove) })
    }

    fn add(&mut self, number: u32, criteria: &Criteria) -> Duration {
        let started = Instant::now();
        self.percolator.put(SearchNumber(number), criteria);
        started.elapsed()
    }
}

impl Engine for Vigie {
    fn name(&self) -> &str {
        NAME
    }

    fn matches(&mut self, property: &Property) -> anyhow::Result<Vec<u32>> {
        Ok(self.percolate(property).searches.into_iter().map(|number| number.0).collect())
    }
}
