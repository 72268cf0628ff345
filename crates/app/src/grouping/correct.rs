//! Corrections by people: merging and splitting properties, and deciding about two adverts. A correction is remembered as a verdict
//! about the adverts, and beats automatic grouping from then on.

use std::collections::HashSet;

use domain::grouping::{PersonDecision, Verdict};
use domain::property::ADVERTS_MAX;
use domain::{AdvertId, Identity, Property, PropertyId};
use store::{AdvertRef, ChangeSet, CommitOutcome, Expected, PutCause, PutProperty, Step, StoredProperty};

use crate::ingest::ATTEMPTS_MAX;
use crate::{App, Error, run_to_end};

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeOutcome {
    /// The property that remains.
    pub property: PropertyId,
    /// The properties that were merged into it. Their ids lead to it from now on.
    pub merged: Vec<PropertyId>,
}

/// The result of a split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitOutcome {
    /// The property that was split, with the adverts that remain.
    pub property: PropertyId,
    /// The new property, with the adverts that were named.
    pub created: PropertyId,
}

/// The result of a decision about two adverts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairDecision {
    pub action: PairAction,
    /// The properties of the two adverts now.
    pub properties: [PropertyId; 2],
    /// The adverts that are in another property than before.
    pub moved: Vec<AdvertId>,
}

/// What followed from a decision about two adverts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairAction {
    /// Their properties are one now.
    Merged,
    /// The second advert has a property of its own now.
    Split,
    /// They were grouped like that already. Automatic grouping will not change it.
    Remembered,
}

impl PairAction {
    /// Returns its name in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Merged => "merged",
            Self::Split => "split",
            Self::Remembered => "remembered",
        }
    }
}

/// Why a correction is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CorrectionRefusal {
    #[error("A merge needs at least two different properties.")]
    OneProperty,
    #[error("A split needs at least one advert.")]
    NoAdvert,
    #[error("Property {0} does not exist.")]
    UnknownProperty(PropertyId),
    #[error("Advert {0} does not exist.")]
    NoSuchAdvert(AdvertId),
    #[error("A decision needs two different adverts.")]
    OneAdvert,
    #[error("Property {property} has no advert {advert}.")]
    UnknownAdvert { property: PropertyId, advert: AdvertId },
    #[error("A split must leave at least one advert; these are all adverts of the property.")]
    NothingLeft,
    #[error("A property for sale and one to let cannot be merged.")]
    OtherTransaction,
    #[error("The property would have {count} adverts; {ADVERTS_MAX} is the maximum.")]
    TooManyAdverts { count: usize },
}

impl App {
    /// Merges properties into the first of them. `decided_by` is the label of the key, for the history.
    pub async fn merge_properties(
        &self,
        properties: &[PropertyId],
        decided_by: &str,
    ) -> Result<Result<MergeOutcome, CorrectionRefusal>, Error> {
        let mut distinct = HashSet::new();
        let ids: Vec<PropertyId> = properties.iter().copied().filter(|id| distinct.insert(*id)).collect();
        for _ in 0..ATTEMPTS_MAX {
            let mut stored = self.store.properties(ids.clone()).await?;
            let stored: Result<Vec<StoredProperty>, PropertyId> =
                ids.iter().map(|id| stored.remove(id).ok_or(*id)).collect();
            let stored = match stored {
                Ok(stored) => stored,
                Err(unknown) => return Ok(Err(CorrectionRefusal::UnknownProperty(unknown))),
            };
            let (outcome, steps) = match merge_steps(stored, decided_by) {
                Ok(merge) => merge,
                Err(refusal) => return Ok(Err(refusal)),
            };
            if self.commit_correction(steps, Vec::new()).await? {
                return Ok(Ok(outcome));
            }
        }
        Err(Error::Contended)
    }

    /// Moves adverts of a property to a new one.
    pub async fn split_property(
        &self,
        property: PropertyId,
        adverts: &[AdvertId],
        decided_by: &str,
    ) -> Result<Result<SplitOutcome, CorrectionRefusal>, Error> {
        for _ in 0..ATTEMPTS_MAX {
            let Some(stored) = self.store.properties(vec![property]).await?.remove(&property) else {
                return Ok(Err(CorrectionRefusal::UnknownProperty(property)));
            };
            let created = PropertyId::from_uuid(self.ids.fresh());
            let (outcome, steps) = match split_steps(stored, adverts, created, decided_by) {
                Ok(split) => split,
                Err(refusal) => return Ok(Err(refusal)),
            };
            if self.commit_correction(steps, Vec::new()).await? {
                return Ok(Ok(outcome));
            }
        }
        Err(Error::Contended)
    }

    /// Records what a person decided about two adverts, and merges or splits their properties if they are grouped otherwise. The latest
    /// decision about two adverts counts.
    pub async fn decide_pair(
        &self,
        adverts: [AdvertId; 2],
        verdict: Verdict,
        decided_by: &str,
    ) -> Result<Result<PairDecision, CorrectionRefusal>, Error> {
        if adverts[0] == adverts[1] {
            return Ok(Err(CorrectionRefusal::OneAdvert));
        }
        for _ in 0..ATTEMPTS_MAX {
            let located = self.store.locate(adverts.map(Identity::Uuid).to_vec()).await?;
            let located: Result<Vec<AdvertRef>, AdvertId> =
                located.into_iter().zip(adverts).map(|(located, advert)| located.ok_or(advert)).collect();
            let located = match located {
                Ok(located) => located,
                Err(unknown) => return Ok(Err(CorrectionRefusal::NoSuchAdvert(unknown))),
            };
            let mut ids: Vec<PropertyId> = located.iter().map(|located| located.property).collect();
            ids.dedup();
            let mut stored = self.store.properties(ids.clone()).await?;
            let stored: Option<Vec<StoredProperty>> = ids.iter().map(|id| stored.remove(id)).collect();
            // Another writer moved an advert in the meantime.
            let Some(stored) = stored else { continue };
            let created = PropertyId::from_uuid(self.ids.fresh());
            let (decision, steps) = match pair_steps(stored, adverts, verdict, created, decided_by) {
                Ok(steps) => steps,
                Err(CorrectionRefusal::UnknownAdvert { .. }) => continue,
                Err(refusal) => return Ok(Err(refusal)),
            };
            if self.commit_correction(steps, located).await? {
                return Ok(Ok(decision));
            }
        }
        Err(Error::Contended)
    }

    /// Returns the property that a merged one became part of. `None` if the id was never merged.
    pub async fn surviving_property(&self, merged: PropertyId) -> Result<Option<PropertyId>, Error> {
        Ok(self.store.survivor(merged).await?)
    }

    /// Commits a correction, and waits until searches see it. Returns `false` if another writer came first, or if one of the `located`
    /// adverts is about to leave its property: a verdict alone has no version to conflict with.
    async fn commit_correction(&self, steps: Vec<Step>, located: Vec<AdvertRef>) -> Result<bool, Error> {
        let app = self.clone();
        let committed = run_to_end(async move {
            let _turn = app.store.grouping_turn().await?;
            // Locked meanwhile, so that no batch is planned with what the correction is about to change.
            let mut state = app.lock_grouping().await?;
            let stays = |located: &AdvertRef| {
                state.index.get(located.advert).is_some_and(|known| known.property == located.property)
            };
            if !located.iter().all(stays) {
                return Ok(None);
            }
            let moved = moved_adverts(&steps);
            let changes = ChangeSet { recorded_at: app.clock.now(), steps, grouped_at: None };
            let CommitOutcome::Committed(position) = app.store.commit(changes).await? else {
                return Ok(None);
            };
            app.read_correction(&mut state, moved).await?;
            Ok(Some(position))
        });
        let Some(position) = committed.await? else { return Ok(false) };
        self.wait_visible(position).await;
        Ok(true)
    }
}

fn merge_steps(
    stored: Vec<StoredProperty>,
    decided_by: &str,
) -> Result<(MergeOutcome, Vec<Step>), CorrectionRefusal> {
    let mut stored = stored.into_iter();
    let Some(first) = stored.next() else { return Err(CorrectionRefusal::OneProperty) };
    let others: Vec<StoredProperty> = stored.collect();
    if others.is_empty() {
        return Err(CorrectionRefusal::OneProperty);
    }
    let mut property = first.property;
    let transaction = |property: &Property| property.derive().map(|derived| derived.transaction_type);
    if others.iter().any(|other| transaction(&other.property) != transaction(&property)) {
        return Err(CorrectionRefusal::OtherTransaction);
    }
    let count =
        property.adverts.len() + others.iter().map(|other| other.property.adverts.len()).sum::<usize>();
    if count > ADVERTS_MAX {
        return Err(CorrectionRefusal::TooManyAdverts { count });
    }
    let ids =
        |property: &Property| -> Vec<AdvertId> { property.adverts.iter().map(|advert| advert.id).collect() };
    let mut steps = Vec::new();
    let left = ids(&property);
    let mut moved: Vec<AdvertId> = Vec::new();
    for other in &others {
        // Each set with all before it, so that any two of the merged properties are covered.
        let decision = PersonDecision {
            verdict: Verdict::Same,
            left: left.iter().chain(&moved).copied().collect(),
            right: ids(&other.property),
        };
        steps.push(Step::PutDecision { decision, decided_by: decided_by.to_owned() });
        moved.extend(ids(&other.property));
        for advert in &other.property.adverts {
            property.put(advert.clone());
        }
    }
    let merged: Vec<PropertyId> = others.iter().map(|other| other.property.id).collect();
    let outcome = MergeOutcome { property: property.id, merged: merged.clone() };
    let Some(advert) = moved.first().copied() else { return Err(CorrectionRefusal::OneProperty) };
    let into = property.id;
    steps.push(Step::Put(PutProperty {
        property: property.into(),
        expected: Expected::Revision(first.revision),
        advert,
        cause: PutCause::Regrouped { moved, from: merged, events: Vec::new(), automatic: false },
        grouping: None,
    }));
    for other in others {
        let Some(advert) = other.property.adverts.first().map(|advert| advert.id) else { continue };
        let (property, expected) = (other.property.id, Expected::Revision(other.revision));
        steps.push(Step::Remove { property, expected, advert, merged_into: Some(into) });
    }
    Ok((outcome, steps))
}

fn split_steps(
    stored: StoredProperty,
    adverts: &[AdvertId],
    created: PropertyId,
    decided_by: &str,
) -> Result<(SplitOutcome, Vec<Step>), CorrectionRefusal> {
    let StoredProperty { property, revision, .. } = stored;
    let id = property.id;
    let Some(first) = adverts.first().copied() else { return Err(CorrectionRefusal::NoAdvert) };
    if let Some(advert) = adverts.iter().find(|advert| property.advert(**advert).is_none()) {
        return Err(CorrectionRefusal::UnknownAdvert { property: id, advert: *advert });
    }
    let (moved, left): (Vec<_>, Vec<_>) =
        property.adverts.into_iter().partition(|advert| adverts.contains(&advert.id));
    if left.is_empty() {
        return Err(CorrectionRefusal::NothingLeft);
    }
    let ids =
        |adverts: &[domain::Advert]| -> Vec<AdvertId> { adverts.iter().map(|advert| advert.id).collect() };
    let decision = PersonDecision { verdict: Verdict::Different, left: ids(&left), right: ids(&moved) };
    let cause =
        PutCause::Regrouped { moved: ids(&moved), from: vec![id], events: Vec::new(), automatic: false };
    let steps = vec![
        Step::PutDecision { decision, decided_by: decided_by.to_owned() },
        Step::Put(PutProperty {
            property: Property { id: created, adverts: moved }.into(),
            expected: Expected::New,
            advert: first,
            cause,
            grouping: None,
        }),
        Step::Put(PutProperty {
            property: Property { id, adverts: left }.into(),
            expected: Expected::Revision(revision),
            advert: first,
            cause: PutCause::Left,
            grouping: None,
        }),
    ];
    Ok((SplitOutcome { property: id, created }, steps))
}

/// Returns what follows from a decision about two adverts. `stored` are their properties, one or two.
fn pair_steps(
    mut stored: Vec<StoredProperty>,
    adverts: [AdvertId; 2],
    verdict: Verdict,
    created: PropertyId,
    decided_by: &str,
) -> Result<(PairDecision, Vec<Step>), CorrectionRefusal> {
    let [one, other] = adverts;
    let ids: Vec<PropertyId> = stored.iter().map(|stored| stored.property.id).collect();
    match (verdict, ids.as_slice()) {
        (Verdict::Same, [_, _]) => {
            let (MergeOutcome { property, .. }, steps) = merge_steps(stored, decided_by)?;
            let (action, moved) = (PairAction::Merged, moved_adverts(&steps));
            Ok((PairDecision { action, properties: [property; 2], moved }, steps))
        }
        (Verdict::Different, [_]) => {
            let (SplitOutcome { property, created }, steps) =
                split_steps(stored.remove(0), &[other], created, decided_by)?;
            let (action, moved) = (PairAction::Split, moved_adverts(&steps));
            Ok((PairDecision { action, properties: [property, created], moved }, steps))
        }
        (Verdict::Same | Verdict::Different, ids) => {
            let decision = PersonDecision { verdict, left: vec![one], right: vec![other] };
            let steps = vec![Step::PutDecision { decision, decided_by: decided_by.to_owned() }];
            let properties = [ids[0], ids[ids.len() - 1]];
            Ok((PairDecision { action: PairAction::Remembered, properties, moved: Vec::new() }, steps))
        }
    }
}

fn moved_adverts(steps: &[Step]) -> Vec<AdvertId> {
    let moved = |step: &Step| match step {
        Step::Put(PutProperty { cause: PutCause::Regrouped { moved, .. }, .. }) => moved.clone(),
        _ => Vec::new(),
    };
    steps.iter().flat_map(moved).collect()
}
