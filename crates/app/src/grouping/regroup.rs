//! Judges the whole stock again.
//!
//! The adverts are judged one after the other, as if they arrived now and knew nothing of their properties. Then each group takes the
//! id of the property that most of its adverts are in, so that a stock that is grouped well does not change.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::grouping::{Decision, Member};
use domain::{AdvertId, Property, PropertyId};
use engine::{GroupingEntry, GroupingIndex};
use store::{ChangeSet, CommitOutcome, Expected, PutCause, PutProperty, Step, StoredProperty};

use super::state::GroupingState;
use crate::{App, Error};

/// How often progress is reported, in adverts.
const PROGRESS_INTERVAL: usize = 10_000;

/// How the stock is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegroupOptions {
    /// Whether the result is only reported, not stored.
    pub dry_run: bool,
    /// How many changes the report lists.
    pub examples: usize,
}

/// How far the stock is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegroupProgress {
    /// The signatures are being loaded.
    Loading,
    Judged {
        adverts: usize,
        of: usize,
    },
    Saved {
        changes: usize,
        of: usize,
    },
}

/// What changed, or would change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RegroupReport {
    pub adverts: usize,
    pub properties_before: usize,
    pub properties_after: usize,
    /// The number of adverts in another property.
    pub moved: usize,
    /// Adverts that were not moved because their properties were written in the meantime.
    pub skipped: usize,
    pub examples: Vec<RegroupChange>,
}

/// Adverts that move from one property to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegroupChange {
    pub from: PropertyId,
    pub to: PropertyId,
    pub adverts: Vec<AdvertId>,
    /// Whether no advert remains in `from`.
    pub is_merge: bool,
}

/// An advert of the stock.
struct Judged {
    advert: AdvertId,
    entry: GroupingEntry,
}

impl App {
    /// Judges all adverts again, in the order of their ids. The verdicts of people and the properties that senders named are kept.
    pub async fn regroup(
        &self,
        options: RegroupOptions,
        progress: &mut (dyn FnMut(RegroupProgress) + Send),
    ) -> Result<RegroupReport, Error> {
        progress(RegroupProgress::Loading);
        let (stock, verdicts) = {
            let state = self.lock_grouping().await?;
            let stock: BTreeMap<AdvertId, GroupingEntry> =
                state.index.iter().map(|(advert, entry)| (advert, entry.clone())).collect();
            (stock, state.verdicts.clone())
        };
        let stock: Vec<Judged> = stock.into_iter().map(|(advert, entry)| Judged { advert, entry }).collect();
        let mut fresh = GroupingState::default();
        fresh.verdicts = verdicts;
        for (number, Judged { advert, entry }) in stock.iter().enumerate() {
            if number % PROGRESS_INTERVAL == 0 {
                progress(RegroupProgress::Judged { adverts: number, of: stock.len() });
                tokio::task::yield_now().await;
            }
            judge_again(&mut fresh, *advert, entry, &*self.ids);
        }
        progress(RegroupProgress::Judged { adverts: stock.len(), of: stock.len() });
        let moves = moves(&stock, &fresh.index);
        let before: BTreeSet<PropertyId> = stock.iter().map(|judged| judged.entry.property).collect();
        let mut report = RegroupReport {
            adverts: stock.len(),
            properties_before: before.len(),
            properties_after: fresh.index.properties(),
            moved: moves.iter().map(|change| change.adverts.len()).sum(),
            skipped: 0,
            examples: moves.iter().take(options.examples).cloned().collect(),
        };
        if !options.dry_run {
            report.skipped = self.store_moves(&moves, progress).await?;
        }
        Ok(report)
    }

    /// Stores moves, those of connected properties together. Returns the number of adverts that were not moved.
    async fn store_moves(
        &self,
        moves: &[RegroupChange],
        progress: &mut (dyn FnMut(RegroupProgress) + Send),
    ) -> Result<usize, Error> {
        let (mut stored, mut skipped) = (0, 0);
        let mut position = store::Position::START;
        for connected in connected(moves) {
            let adverts: Vec<AdvertId> =
                connected.iter().flat_map(|change| change.adverts.iter().copied()).collect();
            let ids: BTreeSet<PropertyId> =
                connected.iter().flat_map(|change| [change.from, change.to]).collect();
            let properties = self.store.find_properties(ids.into_iter().collect()).await?.intact;
            stored += connected.len();
            let turn = self.store.grouping_turn().await?;
            let mut state = self.lock_grouping().await?;
            let Some(steps) = steps(&connected, properties) else {
                skipped += adverts.len();
                continue;
            };
            let grouped_at = Some(state.foreign_writes);
            let changes = ChangeSet { recorded_at: self.clock.now(), steps, grouped_at };
            match self.store.commit(changes).await? {
                CommitOutcome::Committed(committed) => {
                    position = committed;
                    self.read_correction(&mut state, adverts).await?;
                }
                CommitOutcome::Conflict | CommitOutcome::TooManySearches => skipped += adverts.len(),
            }
            drop((state, turn));
            progress(RegroupProgress::Saved { changes: stored, of: moves.len() });
        }
        self.wait_visible(position).await;
        Ok(skipped)
    }
}

/// Adds an advert to the stock that was judged so far.
fn judge_again(
    fresh: &mut GroupingState,
    advert: AdvertId,
    entry: &GroupingEntry,
    ids: &dyn domain::IdSource,
) {
    let GroupingEntry { property: current, signature, is_named, price: _ } = entry;
    let decision = match signature {
        Some(signature) if !is_named => fresh.decide(Member { advert, signature, is_named: false }, None),
        _ => Decision::Stay,
    };
    let property = match decision {
        Decision::Join { property, merge, .. } => {
            for merged in merge {
                let members: Vec<AdvertId> = fresh.index.adverts(merged).collect();
                for member in members {
                    if let Some(entry) = fresh.index.get(member).cloned() {
                        fresh.index.put(member, GroupingEntry { property, ..entry });
                    }
                }
            }
            property
        }
        // A provisional id: the group takes its final one at the end. A named property keeps its own.
        Decision::Stay | Decision::Leave if *is_named => *current,
        Decision::Stay | Decision::Leave => PropertyId::from_uuid(ids.fresh()),
    };
    fresh.index.put(advert, GroupingEntry { property, ..entry.clone() });
}

/// Returns the adverts whose property differs between the stock and the groups, once the groups have taken the ids of the properties
/// that most of their adverts are in. Equal numbers: the oldest.
fn moves(stock: &[Judged], fresh: &GroupingIndex) -> Vec<RegroupChange> {
    let group_of: HashMap<AdvertId, PropertyId> =
        stock.iter().filter_map(|judged| Some((judged.advert, fresh.get(judged.advert)?.property))).collect();
    let mut shares: BTreeMap<(PropertyId, PropertyId), usize> = BTreeMap::new();
    let mut sizes: HashMap<PropertyId, usize> = HashMap::new();
    let mut named: HashMap<PropertyId, PropertyId> = HashMap::new();
    for Judged { advert, entry } in stock {
        let Some(group) = group_of.get(advert) else { continue };
        *shares.entry((*group, entry.property)).or_default() += 1;
        *sizes.entry(entry.property).or_default() += 1;
        if entry.is_named {
            named.insert(*group, entry.property);
        }
    }
    // The largest share chooses first.
    let mut by_share: Vec<(usize, PropertyId, PropertyId)> =
        shares.into_iter().map(|((group, property), count)| (count, group, property)).collect();
    by_share.sort_by(|one, other| other.0.cmp(&one.0).then((one.2, one.1).cmp(&(other.2, other.1))));
    let mut taken: BTreeSet<PropertyId> = named.values().copied().collect();
    let mut final_id: HashMap<PropertyId, PropertyId> = named;
    for (_, group, property) in by_share {
        if !final_id.contains_key(&group) && taken.insert(property) {
            final_id.insert(group, property);
        }
    }
    let mut moves: BTreeMap<(PropertyId, PropertyId), Vec<AdvertId>> = BTreeMap::new();
    for Judged { advert, entry } in stock {
        let Some(group) = group_of.get(advert) else { continue };
        // A group without a property of its own is new, under its provisional id.
        let to = final_id.get(group).copied().unwrap_or(*group);
        if to != entry.property {
            moves.entry((entry.property, to)).or_default().push(*advert);
        }
    }
    let mut leaving: HashMap<PropertyId, usize> = HashMap::new();
    for ((from, _), adverts) in &moves {
        *leaving.entry(*from).or_default() += adverts.len();
    }
    let change = |((from, to), adverts): ((PropertyId, PropertyId), Vec<AdvertId>)| {
        let is_merge = leaving.get(&from) == sizes.get(&from);
        RegroupChange { from, to, adverts, is_merge }
    };
    moves.into_iter().map(change).collect()
}

/// Splits moves into sets that share no property.
fn connected(moves: &[RegroupChange]) -> Vec<Vec<&RegroupChange>> {
    let mut set_of: HashMap<PropertyId, usize> = HashMap::new();
    let mut sets: Vec<Vec<&RegroupChange>> = Vec::new();
    for change in moves {
        let known: BTreeSet<usize> =
            [change.from, change.to].iter().filter_map(|id| set_of.get(id).copied()).collect();
        let mut joined = vec![change];
        for set in known {
            joined.append(&mut sets[set]);
        }
        let number = sets.len();
        for change in &joined {
            set_of.insert(change.from, number);
            set_of.insert(change.to, number);
        }
        sets.push(joined);
    }
    sets.retain(|set| !set.is_empty());
    sets
}

/// Returns the steps of connected moves. `None` if an advert is not where the stock had it.
fn steps(moves: &[&RegroupChange], mut stored: HashMap<PropertyId, StoredProperty>) -> Option<Vec<Step>> {
    let mut taken: HashMap<AdvertId, domain::Advert> = HashMap::new();
    for change in moves {
        let source = &stored.get(&change.from)?.property;
        for advert in &change.adverts {
            taken.insert(*advert, source.advert(*advert)?.clone());
        }
    }
    let mut steps = Vec::new();
    let mut written: BTreeSet<PropertyId> = BTreeSet::new();
    let destinations: BTreeSet<PropertyId> = moves.iter().map(|change| change.to).collect();
    for to in &destinations {
        let arriving: Vec<&&RegroupChange> = moves.iter().filter(|change| change.to == *to).collect();
        let moved: Vec<AdvertId> =
            arriving.iter().flat_map(|change| change.adverts.iter().copied()).collect();
        let from: Vec<PropertyId> = arriving.iter().map(|change| change.from).collect();
        let (mut property, expected) = match stored.get(to) {
            Some(stored) => (stored.property.clone(), Expected::Revision(stored.revision)),
            None => (Property { id: *to, adverts: Vec::new() }, Expected::New),
        };
        for advert in &moved {
            property.put(taken.get(advert)?.clone());
        }
        if let Some(stored) = stored.get_mut(to) {
            stored.property = property.clone();
        }
        written.insert(*to);
        let advert = *moved.first()?;
        let cause = PutCause::Regrouped { moved, from, events: Vec::new(), automatic: true };
        let property = property.into();
        steps.push(Step::Put(PutProperty { property, expected, advert, cause, grouping: None }));
    }
    let sources: BTreeSet<PropertyId> = moves.iter().map(|change| change.from).collect();
    for from in sources {
        let leaving: Vec<&&RegroupChange> = moves.iter().filter(|change| change.from == from).collect();
        let adverts: Vec<AdvertId> =
            leaving.iter().flat_map(|change| change.adverts.iter().copied()).collect();
        let StoredProperty { mut property, revision, .. } = stored.remove(&from)?;
        let expected =
            if written.contains(&from) { Expected::WrittenBefore } else { Expected::Revision(revision) };
        property.adverts.retain(|advert| !adverts.contains(&advert.id));
        let advert = *adverts.first()?;
        steps.push(if property.adverts.is_empty() {
            // The largest part tells where the property is now.
            let into = leaving.iter().max_by_key(|change| change.adverts.len()).map(|change| change.to);
            Step::Remove { property: from, expected, advert, merged_into: into }
        } else {
            let (property, cause, grouping) = (property.into(), PutCause::Left, None);
            Step::Put(PutProperty { property, expected, advert, cause, grouping })
        });
    }
    Some(steps)
}
