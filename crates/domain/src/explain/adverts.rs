//! What one and the same advert has to be, held against every advert that counts.

use std::collections::BTreeSet;

use super::{Finding, rows, site_filters};
use crate::advert::Advert;
use crate::attribute::AdvertAttribute;
use crate::criteria::{AdvertCriteria, Counting};
use crate::filter::{Filter, Sense, Subject};
use crate::ids::AdvertId;
use crate::property::Property;
use crate::site::SiteKey;

/// An advert, and what was wanted of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdvertTried<'a> {
    pub advert: AdvertId,
    /// All of them must hold.
    pub lines: Vec<AdvertLine<'a>>,
}

/// Something wanted of an advert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdvertLine<'a> {
    Attribute(Finding<'a, AdvertAttribute>),
    /// It must come from one of these sites, or from none of them.
    Site {
        sense: Sense,
        wanted: &'a BTreeSet<SiteKey>,
        found: Option<&'a SiteKey>,
    },
}

impl AdvertTried<'_> {
    pub fn held(&self) -> bool {
        self.lines.iter().all(AdvertLine::held)
    }
}

impl AdvertLine<'_> {
    pub fn held(&self) -> bool {
        match self {
            Self::Attribute(finding) => finding.held(),
            Self::Site { sense, wanted, found } => {
                let among = found.is_some_and(|site| wanted.contains(site));
                among == (*sense == Sense::Included)
            }
        }
    }

    /// The filters that may have asked for it, in the order of the table.
    pub fn filters(&self) -> Vec<&'static Filter> {
        match self {
            Self::Attribute(finding) => rows::testing(Subject::Advert(finding.attribute), finding.wanted),
            Self::Site { sense, .. } => site_filters(*sense),
        }
    }
}

/// Every advert that counts, the one that comes nearest first, of equals the one that the property takes its values from; nothing
/// when nothing is wanted of adverts.
pub fn tried<'a>(
    criteria: &'a AdvertCriteria,
    counting: Counting,
    property: &'a Property,
) -> Option<Vec<AdvertTried<'a>>> {
    if criteria.is_empty() {
        return None;
    }
    let counted = property.by_precedence().into_iter().filter(|advert| counting.counts(advert));
    let mut tried: Vec<AdvertTried<'a>> = counted.map(|advert| hold(criteria, advert)).collect();
    tried.sort_by_key(|tried| tried.lines.iter().filter(|line| !line.held()).count());
    Some(tried)
}

fn hold<'a>(criteria: &'a AdvertCriteria, advert: &'a Advert) -> AdvertTried<'a> {
    let AdvertCriteria { conditions, sites, excluded_sites } = criteria;
    let found = advert.details.site.as_ref();
    let site = |sense: Sense, wanted: &'a BTreeSet<SiteKey>| AdvertLine::Site { sense, wanted, found };
    let included = sites.as_ref().map(|sites| site(Sense::Included, sites));
    let excluded = (!excluded_sites.is_empty()).then(|| site(Sense::Excluded, excluded_sites));
    let attributes = conditions
        .iter()
        .map(|condition| AdvertLine::Attribute(Finding::new(condition, condition.attribute.read(advert))));
    AdvertTried { advert: advert.id, lines: included.into_iter().chain(excluded).chain(attributes).collect() }
}
