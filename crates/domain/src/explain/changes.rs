//! Conditions on a single change of price or surface, evaluated for every change in scope.

use super::{AttributeCheck, filters};
use crate::advert_event::AdvertEvent;
use crate::attribute::{Variation, VariationAttribute};
use crate::criteria::{AdvertScope, Condition};
use crate::filter::{Filter, FilterTarget};
use crate::ids::AdvertId;
use crate::property::Property;

/// The changes of one kind, and the conditions that one of them must satisfy.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangesExplanation<'a> {
    pub variation: Variation,
    pub wanted: &'a [Condition<VariationAttribute>],
    /// The number of changes on the adverts in scope.
    pub count: usize,
    /// The change that passes the most checks; the newest of equals.
    pub nearest: Option<ChangeExplanation<'a>>,
}

/// The checks of one change.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeExplanation<'a> {
    pub advert: AdvertId,
    pub event: &'a AdvertEvent,
    /// All must pass.
    pub checks: Vec<AttributeCheck<'a, VariationAttribute>>,
}

impl ChangesExplanation<'_> {
    pub fn passed(&self) -> bool {
        self.nearest.as_ref().is_some_and(ChangeExplanation::passed)
    }

    /// Returns the filters that can produce a condition, in table order.
    pub fn filters(&self, condition: &Condition<VariationAttribute>) -> Vec<&'static Filter> {
        let target = FilterTarget::Change(self.variation, condition.attribute);
        filters::with_predicate(target, &condition.predicate)
    }
}

impl ChangeExplanation<'_> {
    pub fn passed(&self) -> bool {
        self.checks.iter().all(AttributeCheck::passed)
    }

    fn passed_count(&self) -> usize {
        self.checks.iter().filter(|check| check.passed()).count()
    }
}

/// Evaluates the changes of one kind. `None` if there are no conditions on them.
pub fn explain_changes<'a>(
    variation: Variation,
    wanted: &'a [Condition<VariationAttribute>],
    advert_scope: AdvertScope,
    property: &'a Property,
) -> Option<ChangesExplanation<'a>> {
    let adverts = property.adverts.iter().filter(|advert| advert_scope.includes(advert));
    let changes = adverts.flat_map(|advert| {
        let changes = advert.events.iter().filter(|event| variation.is(event));
        changes.map(|event| ChangeExplanation {
            advert: advert.id,
            event,
            checks: wanted
                .iter()
                .map(|condition| AttributeCheck::new(condition, condition.attribute.read(event)))
                .collect(),
        })
    });
    let (mut count, mut nearest) = (0, None::<ChangeExplanation<'a>>);
    for change in changes.filter(|_| !wanted.is_empty()) {
        count += 1;
        let rank = |change: &ChangeExplanation<'_>| (change.passed_count(), change.event.at);
        if nearest.as_ref().is_none_or(|nearest| rank(&change) > rank(nearest)) {
            nearest = Some(change);
        }
    }
    (!wanted.is_empty()).then_some(ChangesExplanation { variation, wanted, count, nearest })
}
