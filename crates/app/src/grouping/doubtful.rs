//! The pairs of adverts that automatic grouping nearly decided the other way, for a person to decide.
//!
//! A request scans the newest adverts before some advert, and looks at their properties with those near them. Ingestion waits for the
//! state of grouping, so a scan locks it for short steps. What changes between two steps is noticed at the end: the pairs to return are
//! compared again.

use std::collections::{BTreeMap, BTreeSet};

use domain::grouping::{
    Candidate, DOUBTFUL_MARGIN, JOIN_SCORE, ScoredPair, doubtful_between, doubtful_within,
};
use domain::{Advert, AdvertId, PropertyId};

use super::AdvertComparison;
use super::explain::compare_known;
use super::state::GroupingState;
use crate::{App, Error};

/// How many adverts one request scans. It bounds the work of a request; the next one continues.
const ADVERTS_MAX: usize = 1_000;

/// How many adverts are scanned before the state is unlocked.
const ADVERTS_PER_STEP: usize = 50;

/// How many comparisons end a step early: where many adverts are alike, one advert has thousands of them.
const COMPARISONS_PER_STEP: usize = 20_000;

/// How many comparisons end a scan early.
const COMPARISONS_MAX: usize = 2_000_000;

/// How many pairs of properties end a scan early: they are held in memory.
const PROPERTY_PAIRS_MAX: usize = 20_000;

/// How many pairs are returned: more than a person decides in a sitting.
const PAIRS_MAX: usize = 100;

/// The doubtful pairs among some adverts and those near them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DoubtfulPairs {
    /// The most doubtful first. At most one for two properties, and one for a property.
    pub pairs: Vec<DoubtfulPair>,
    /// How many there are, which may be more than are returned.
    pub total: usize,
    /// How many adverts were scanned.
    pub scanned: usize,
    /// The oldest advert that was scanned.
    pub oldest: Option<AdvertId>,
    /// Whether there are older adverts.
    pub has_older: bool,
}

/// Two adverts that a person should look at.
#[derive(Debug, Clone, PartialEq)]
pub struct DoubtfulPair {
    pub comparison: AdvertComparison,
    /// The score that decides.
    pub needed: f32,
    /// In the order of the comparison.
    pub adverts: [Advert; 2],
}

impl App {
    /// Returns the doubtful pairs of the newest adverts before one.
    pub async fn doubtful_pairs(&self, before: Option<AdvertId>) -> Result<DoubtfulPairs, Error> {
        // One more, to know whether there are older ones.
        let newest = self.store.newest_adverts(before, ADVERTS_MAX + 1).await?;
        let to_scan = &newest[..newest.len().min(ADVERTS_MAX)];
        let mut scan = Scan::default();
        while scan.scanned < to_scan.len() && !scan.is_exhausted() {
            let state = self.lock_grouping().await?;
            scan.step(&state, &to_scan[scan.scanned..]);
            drop(state);
            tokio::task::yield_now().await;
        }
        let scored = scan.sorted();
        let total = scored.len();
        let pairs = self.pairs_to_show(&scored[..total.min(PAIRS_MAX)]).await?;
        Ok(DoubtfulPairs {
            pairs,
            total,
            scanned: scan.scanned,
            oldest: newest[..scan.scanned].last().copied(),
            has_older: scan.scanned < newest.len(),
        })
    }

    /// Compares pairs again, with their evidence, and adds their adverts. A pair that changed during the scan is left out.
    async fn pairs_to_show(&self, scored: &[ScoredPair]) -> Result<Vec<DoubtfulPair>, Error> {
        let compared: Vec<(f32, AdvertComparison)> = {
            let state = self.lock_grouping().await?;
            let compare = |pair: &ScoredPair| {
                let comparison = compare_known(&state, pair.adverts)?;
                let is_same = comparison.comparison.as_ref().is_some_and(|now| now.score == pair.score);
                (is_same && comparison.verdict.is_none()).then_some((pair.needed, comparison))
            };
            scored.iter().filter_map(compare).collect()
        };
        let ids: BTreeSet<PropertyId> =
            compared.iter().flat_map(|(_, comparison)| comparison.properties).collect();
        let stored = self.store.find_properties(ids.into_iter().collect()).await?.intact;
        let advert = |comparison: &AdvertComparison, side: usize| {
            stored.get(&comparison.properties[side])?.property.advert(comparison.adverts[side]).cloned()
        };
        let pair = |(needed, comparison): (f32, AdvertComparison)| {
            let adverts = [advert(&comparison, 0)?, advert(&comparison, 1)?];
            Some(DoubtfulPair { comparison, needed, adverts })
        };
        Ok(compared.into_iter().filter_map(pair).collect())
    }
}

/// How far a scan is, and what it found.
#[derive(Debug, Default)]
struct Scan {
    scanned: usize,
    comparisons: usize,
    /// By the two properties, which are the same for a pair within one. `None` if they have no doubtful pair.
    found: BTreeMap<(PropertyId, PropertyId), Option<ScoredPair>>,
}

impl Scan {
    fn is_exhausted(&self) -> bool {
        self.comparisons >= COMPARISONS_MAX || self.found.len() >= PROPERTY_PAIRS_MAX
    }

    /// Scans the next few of these adverts.
    fn step(&mut self, state: &GroupingState, adverts: &[AdvertId]) {
        let enough = self.comparisons + COMPARISONS_PER_STEP;
        for advert in adverts.iter().take(ADVERTS_PER_STEP) {
            if self.comparisons >= enough || self.is_exhausted() {
                break;
            }
            self.look_at(state, *advert);
            self.scanned += 1;
        }
    }

    /// Looks at the property of an advert, and at those near the advert.
    fn look_at(&mut self, state: &GroupingState, advert: AdvertId) {
        let Some(entry) = state.index.get(advert) else { return };
        let Some(signature) = &entry.signature else { return };
        let (near, compared) = state.index.properties_reaching(signature, JOIN_SCORE - DOUBTFUL_MARGIN);
        self.comparisons += compared;
        let own = candidate(state, entry.property);
        for property in near.into_iter().chain([entry.property]) {
            let key = (property.min(own.property), property.max(own.property));
            if self.found.contains_key(&key) {
                continue;
            }
            let pair = if property == own.property {
                self.comparisons += own.members.len().pow(2);
                doubtful_within(&own, &state.verdicts, &state.index)
            } else {
                let other = candidate(state, property);
                self.comparisons += own.members.len() * other.members.len();
                doubtful_between(&own, &other, &state.verdicts, &state.index)
            };
            self.found.insert(key, pair);
        }
    }

    /// Returns what was found, the most doubtful first.
    fn sorted(&self) -> Vec<ScoredPair> {
        let mut pairs: Vec<ScoredPair> = self.found.values().filter_map(|pair| *pair).collect();
        pairs.sort_by(|one, other| {
            one.distance().total_cmp(&other.distance()).then(other.adverts.cmp(&one.adverts))
        });
        pairs
    }
}

fn candidate(state: &GroupingState, property: PropertyId) -> Candidate<'_> {
    Candidate { property, members: state.index.members(property).collect() }
}
