//! What one and the same change of price or of surface has to be, and the change that comes nearest.

use super::{Finding, rows};
use crate::advert_event::AdvertEvent;
use crate::attribute::{Variation, VariationAttribute};
use crate::criteria::{Condition, Counting};
use crate::filter::{Filter, Subject};
use crate::ids::AdvertId;
use crate::property::Property;

/// The changes of one kind, and what was wanted of one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangesTried<'a> {
    pub variation: Variation,
    pub wanted: &'a [Condition<VariationAttribute>],
    /// How many there are on the adverts that count.
    pub count: usize,
    /// The one that holds or, where none does, that meets the most; the newest of equals.
    pub nearest: Option<ChangeTried<'a>>,
}

/// A change, and what was wanted of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeTried<'a> {
    pub advert: AdvertId,
    pub event: &'a AdvertEvent,
    /// All of them must hold.
    pub lines: Vec<Finding<'a, VariationAttribute>>,
}

impl ChangesTried<'_> {
    pub fn held(&self) -> bool {
        self.nearest.as_ref().is_some_and(ChangeTried::held)
    }

    /// The filters that may have asked for one of the conditions, in the order of the table.
    pub fn filters(&self, condition: &Condition<VariationAttribute>) -> Vec<&'static Filter> {
        rows::testing(Subject::Change(self.variation, condition.attribute), &condition.test)
    }
}

impl ChangeTried<'_> {
    pub fn held(&self) -> bool {
        self.lines.iter().all(Finding::held)
    }

    fn met(&self) -> usize {
        self.lines.iter().filter(|line| line.held()).count()
    }
}

/// The changes of one kind; nothing when nothing is wanted of them.
pub fn tried<'a>(
    variation: Variation,
    wanted: &'a [Condition<VariationAttribute>],
    counting: Counting,
    property: &'a Property,
) -> Option<ChangesTried<'a>> {
    let counted = property.adverts.iter().filter(|advert| counting.counts(advert));
    let changes = counted.flat_map(|advert| {
        let changes = advert.events.iter().filter(|event| variation.is(event));
        changes.map(|event| ChangeTried {
            advert: advert.id,
            event,
            lines: wanted
                .iter()
                .map(|condition| Finding::new(condition, condition.attribute.read(event)))
                .collect(),
        })
    });
    let (mut count, mut nearest) = (0, None::<ChangeTried<'a>>);
    for change in changes.filter(|_| !wanted.is_empty()) {
        count += 1;
        let rank = |change: &ChangeTried<'_>| (change.met(), change.event.at);
        if nearest.as_ref().is_none_or(|nearest| rank(&change) > rank(nearest)) {
            nearest = Some(change);
        }
    }
    (!wanted.is_empty()).then_some(ChangesTried { variation, wanted, count, nearest })
}
