//! Conditions that a single advert must satisfy, evaluated for every advert in scope.

use std::collections::BTreeSet;

use super::{AttributeCheck, filters, site_filters};
use crate::advert::Advert;
use crate::attribute::AdvertAttribute;
use crate::criteria::{AdvertCriteria, AdvertScope};
use crate::filter::{Filter, FilterTarget, Inclusion};
use crate::ids::AdvertId;
use crate::property::Property;
use crate::site::SiteKey;

/// The checks of one advert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdvertExplanation<'a> {
    pub advert: AdvertId,
    /// All must pass.
    pub checks: Vec<AdvertCheck<'a>>,
}

/// A check of an advert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdvertCheck<'a> {
    Attribute(AttributeCheck<'a, AdvertAttribute>),
    /// The site must be one of these, or none of these.
    Site {
        inclusion: Inclusion,
        wanted: &'a BTreeSet<SiteKey>,
        found: Option<&'a SiteKey>,
    },
}

impl AdvertExplanation<'_> {
    pub fn passed(&self) -> bool {
        self.checks.iter().all(AdvertCheck::passed)
    }
}

impl AdvertCheck<'_> {
    pub fn passed(&self) -> bool {
        match self {
            Self::Attribute(check) => check.passed(),
            Self::Site { inclusion, wanted, found } => {
                let is_listed = found.is_some_and(|site| wanted.contains(site));
                is_listed == (*inclusion == Inclusion::Included)
            }
        }
    }

    /// Returns the filters that can produce this check, in table order.
    pub fn filters(&self) -> Vec<&'static Filter> {
        match self {
            Self::Attribute(check) => {
                filters::with_predicate(FilterTarget::Advert(check.attribute), check.wanted)
            }
            Self::Site { inclusion, .. } => site_filters(*inclusion),
        }
    }
}

/// Evaluates every advert in scope. Adverts with fewer failed checks come first, of equals the one with the higher
/// precedence for the values of the property. `None` if there are no conditions on adverts.
pub fn explain_adverts<'a>(
    criteria: &'a AdvertCriteria,
    advert_scope: AdvertScope,
    property: &'a Property,
) -> Option<Vec<AdvertExplanation<'a>>> {
    if criteria.is_empty() {
        return None;
    }
    let adverts = property.by_precedence().into_iter().filter(|advert| advert_scope.includes(advert));
    let mut explanations: Vec<AdvertExplanation<'a>> =
        adverts.map(|advert| explain_advert(criteria, advert)).collect();
    explanations.sort_by_key(|explanation| explanation.checks.iter().filter(|check| !check.passed()).count());
    Some(explanations)
}

fn explain_advert<'a>(criteria: &'a AdvertCriteria, advert: &'a Advert) -> AdvertExplanation<'a> {
    let AdvertCriteria { conditions, sites, excluded_sites } = criteria;
    let found = advert.details.site.as_ref();
    let site =
        |inclusion: Inclusion, wanted: &'a BTreeSet<SiteKey>| AdvertCheck::Site { inclusion, wanted, found };
    let included = sites.as_ref().map(|sites| site(Inclusion::Included, sites));
    let excluded = (!excluded_sites.is_empty()).then(|| site(Inclusion::Excluded, excluded_sites));
    let attributes = conditions.iter().map(|condition| {
        AdvertCheck::Attribute(AttributeCheck::new(condition, condition.attribute.read(advert)))
    });
    AdvertExplanation {
        advert: advert.id,
        checks: included.into_iter().chain(excluded).chain(attributes).collect(),
    }
}
