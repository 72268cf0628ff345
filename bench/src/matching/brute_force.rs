//! Evaluates every saved search in turn: the definition of matching, and the oracle for the other engines.

use domain::{Criteria, Property};

use super::Engine;
use super::draw::Searches;

pub struct BruteForce {
    searches: Vec<Criteria>,
}

impl BruteForce {
    pub fn load(searches: &Searches<'_>, count: u32) -> anyhow::Result<Self> {
        let places = searches.dataset().gazetteer();
        let all = (0..count).map(|number| searches.get(number).criteria(places));
        Ok(Self { searches: all.collect::<anyhow::Result<_>>()? })
    }
}

impl Engine for BruteForce {
    fn name(&self) -> &str {
        "brute force"
    }

    fn matches(&mut self, property: &Property) -> anyhow::Result<Vec<u32>> {
        let numbered = (0..).zip(&self.searches);
        Ok(numbered.filter(|(_, criteria)| criteria.accepts(property)).map(|(number, _)| number).collect())
    }
}
