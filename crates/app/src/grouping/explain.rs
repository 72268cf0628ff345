//! Explains why adverts are one property, or not.

use domain::grouping::{Comparison, Verdict, compare};
use domain::{AdvertId, PropertyId};
use store::LineageRow;

use super::state::GroupingState;
use crate::{App, Error};

/// Why the adverts of a property are one.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupingExplanation {
    pub property: PropertyId,
    /// In the order in which they were added.
    pub adverts: Vec<GroupedAdvert>,
    /// Merges, splits and moves, the newest first.
    pub history: Vec<LineageRow>,
}

/// An advert of a property, and what keeps it there. The evidence is that of the adverts as they are now.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupedAdvert {
    pub advert: AdvertId,
    pub by: GroupedBy,
    /// The comparison with the advert of the property that is closest to it. `None` if it has no other.
    pub closest: Option<AdvertComparison>,
}

/// What put an advert into its property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupedBy {
    /// It is the only advert, or the one that the others joined.
    First,
    /// Its sender named the property.
    Sender,
    /// A person said so.
    Person,
    /// It is alike enough.
    Evidence,
}

impl GroupedBy {
    /// Returns its name in explanations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Sender => "sender",
            Self::Person => "person",
            Self::Evidence => "evidence",
        }
    }
}

/// Two adverts, compared.
#[derive(Debug, Clone, PartialEq)]
pub struct AdvertComparison {
    pub adverts: [AdvertId; 2],
    pub properties: [PropertyId; 2],
    /// What a person decided about them.
    pub verdict: Option<Verdict>,
    /// `None` if one of them has no commune: such adverts are not compared.
    pub comparison: Option<Comparison>,
}

impl App {
    /// Explains the grouping of a property. `None` if it does not exist.
    pub async fn explain_grouping(&self, id: PropertyId) -> Result<Option<GroupingExplanation>, Error> {
        let Some(property) = self.property(id).await? else { return Ok(None) };
        let history = self.store.lineage(id).await?;
        let state = self.lock_grouping().await?;
        let ids: Vec<AdvertId> = property.adverts.iter().map(|advert| advert.id).collect();
        let explain = |(index, advert): (usize, &AdvertId)| {
            let others = ids.iter().filter(|other| *other != advert);
            let compared: Vec<AdvertComparison> =
                others.filter_map(|other| compare_known(&state, [*advert, *other])).collect();
            let by = if state.index.get(*advert).is_some_and(|entry| entry.is_named) {
                GroupedBy::Sender
            } else if compared.iter().any(|pair| pair.verdict == Some(Verdict::Same)) {
                GroupedBy::Person
            } else if index == 0 {
                GroupedBy::First
            } else {
                GroupedBy::Evidence
            };
            let score =
                |pair: &AdvertComparison| pair.comparison.as_ref().map_or(f32::MIN, |known| known.score);
            let closest = compared.into_iter().max_by(|one, other| score(one).total_cmp(&score(other)));
            GroupedAdvert { advert: *advert, by, closest }
        };
        let adverts = ids.iter().enumerate().map(explain).collect();
        Ok(Some(GroupingExplanation { property: id, adverts, history }))
    }

    /// Compares two adverts. `None` if one does not exist.
    pub async fn compare_adverts(&self, adverts: [AdvertId; 2]) -> Result<Option<AdvertComparison>, Error> {
        let state = self.lock_grouping().await?;
        Ok(compare_known(&state, adverts))
    }
}

pub(super) fn compare_known(state: &GroupingState, adverts: [AdvertId; 2]) -> Option<AdvertComparison> {
    let [one, other] = adverts;
    let (first, second) = (state.index.get(one)?, state.index.get(other)?);
    let comparison = match (&first.signature, &second.signature) {
        (Some(first), Some(second)) => Some(compare(first, second, &state.index)),
        _ => None,
    };
    Some(AdvertComparison {
        adverts,
        properties: [first.property, second.property],
        verdict: state.verdicts.about(one, other),
        comparison,
    })
}
