//! What somebody is looking for, and its one meaning.
//!
//! The filters of the property collection and the criteria of a saved search are the same value, [`Criteria`]. What it
//! means is [`Criteria::accepts`]: plain, slow and complete. Everything fast is tested against it.
//!
//! Conditions on the property are held against the property. Conditions on adverts must all hold on one and the same
//! advert, and those on a change of price (or of surface) on one and the same change. Which adverts have a say is
//! [`Counting`]. An unknown value meets no condition.

mod draft;
mod order;
mod raw;

use std::collections::BTreeSet;

use crate::advert::Advert;
use crate::area::{Circle, Polygon};
use crate::attribute::{AdvertAttribute, Facts, PropertyAttribute, Variation, VariationAttribute};
use crate::fold;
use crate::ids::{AdvertId, PropertyId};
use crate::key::{Key, Span};
use crate::property::Property;
use crate::site::SiteKey;
use crate::words::Phrase;

pub use draft::{CriteriaDraft, Finished, Given};
pub use order::{Direction, Order, OrderBy, Rank, SortMode};
pub use raw::{RawCriteria, RawCriterion, References};

/// What a property has to be. The default asks for nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Criteria {
    pub property: Vec<Condition<PropertyAttribute>>,
    pub advert: AdvertCriteria,
    pub price_change: Vec<Condition<VariationAttribute>>,
    pub surface_change: Vec<Condition<VariationAttribute>>,
    pub counting: Counting,
    pub places: Places,
    pub excluded_properties: BTreeSet<PropertyId>,
    /// Alternatives, each a list of entries that must all hold; none asks for nothing.
    pub expressions: Vec<Vec<Entry>>,
}

/// What one and the same advert has to be.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AdvertCriteria {
    pub conditions: Vec<Condition<AdvertAttribute>>,
    /// It must come from one of these sites.
    pub sites: Option<BTreeSet<SiteKey>>,
    /// It must not come from any of these.
    pub excluded_sites: BTreeSet<SiteKey>,
}

/// Something an attribute must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition<A> {
    pub attribute: A,
    pub test: Test,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    Within(Span),
    OneOf(BTreeSet<Key>),
}

impl Test {
    /// Whether a value meets it; an unknown one does not.
    pub fn holds(&self, value: Option<Key>) -> bool {
        match (self, value) {
            (_, None) => false,
            (Self::Within(span), Some(key)) => span.contains(key),
            (Self::OneOf(keys), Some(key)) => keys.contains(&key),
        }
    }
}

/// Which adverts of a property have a say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Counting {
    #[default]
    Every,
    /// Those that are not expired: whoever asks for what is on offer does not want what was.
    Live,
}

impl Counting {
    pub fn counts(self, advert: &Advert) -> bool {
        match self {
            Self::Every => true,
            Self::Live => !advert.is_expired(),
        }
    }
}

/// Where a property has to be.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Places {
    /// In any of these; `None` is anywhere.
    pub any_of: Option<PlaceSet>,
    /// In none of these.
    pub none_of: PlaceSet,
    pub circle: Option<Circle>,
    /// In any of these; empty is anywhere.
    pub polygons: Vec<Polygon>,
}

/// A set of communes, departments and zipcodes, by their keys.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlaceSet {
    pub cities: BTreeSet<Key>,
    pub departments: BTreeSet<Key>,
    pub zipcodes: BTreeSet<Key>,
}

impl PlaceSet {
    pub fn is_empty(&self) -> bool {
        let Self { cities, departments, zipcodes } = self;
        cities.is_empty() && departments.is_empty() && zipcodes.is_empty()
    }

    fn holds(&self, facts: &Facts<'_>) -> bool {
        let among = |keys: &BTreeSet<Key>, attribute: PropertyAttribute| {
            attribute.read(facts).is_some_and(|key| keys.contains(&key))
        };
        among(&self.cities, PropertyAttribute::City)
            || among(&self.departments, PropertyAttribute::Department)
            || among(&self.zipcodes, PropertyAttribute::Zipcode)
    }
}

/// One entry of an expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entry {
    pub phrase: Phrase,
    pub presence: Presence,
}

/// Whether words must be there or must not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Presence {
    Present,
    Absent,
}

impl Criteria {
    /// Whether a property is what is looked for. This is the meaning of every filter.
    pub fn accepts(&self, property: &Property) -> bool {
        let Some(facts) = Facts::of(property) else { return false };
        self.property.iter().all(|condition| condition.test.holds(condition.attribute.read(&facts)))
            && !self.excluded_properties.contains(&property.id)
            && self.places.accepts(&facts)
            && self.accepts_an_advert_of(property)
            && self.accepts_a_change_of(property, Variation::Price)
            && self.accepts_a_change_of(property, Variation::Surface)
            && self.accepts_the_text_of(property)
    }

    /// The adverts that have a say and meet every condition on adverts.
    pub fn accepted_adverts<'a>(&'a self, property: &'a Property) -> impl Iterator<Item = &'a Advert> {
        let counting = property.adverts.iter().filter(|advert| self.counting.counts(advert));
        counting.filter(|advert| self.advert.accepts(advert))
    }

    /// The conditions on a change of one kind.
    pub fn change(&self, variation: Variation) -> &[Condition<VariationAttribute>] {
        match variation {
            Variation::Price => &self.price_change,
            Variation::Surface => &self.surface_change,
        }
    }

    fn accepts_an_advert_of(&self, property: &Property) -> bool {
        self.advert.is_empty() || self.accepted_adverts(property).next().is_some()
    }

    fn accepts_a_change_of(&self, property: &Property, variation: Variation) -> bool {
        let conditions = self.change(variation);
        let counting = property.adverts.iter().filter(|advert| self.counting.counts(advert));
        let mut changes = counting.flat_map(|advert| &advert.events).filter(|event| variation.is(event));
        conditions.is_empty()
            || changes.any(|event| {
                conditions.iter().all(|condition| condition.test.holds(condition.attribute.read(event)))
            })
    }

    fn accepts_the_text_of(&self, property: &Property) -> bool {
        if self.expressions.is_empty() {
            return true;
        }
        let texts: Vec<String> = texts(property).map(fold::fold).collect();
        let holds = |entry: &Entry| {
            let found = texts.iter().any(|text| entry.phrase.is_in(text));
            found == (entry.presence == Presence::Present)
        };
        self.expressions.iter().any(|group| group.iter().all(holds))
    }
}

/// The texts in which expressions look: titles and descriptions of all adverts. The property's own are among them. Words of
/// two texts never make a phrase.
pub fn texts(property: &Property) -> impl Iterator<Item = &str> {
    located_texts(property).map(|(_, _, text)| text)
}

/// The same with where each stands.
pub fn located_texts(property: &Property) -> impl Iterator<Item = (AdvertId, TextPart, &str)> {
    property.adverts.iter().flat_map(|advert| {
        let (id, details) = (advert.id, &advert.details);
        let title = details.title.as_ref().map(|title| (id, TextPart::Title, title.as_str()));
        let description = details.description.as_ref();
        let description = description.map(|text| (id, TextPart::Description, text.as_str()));
        title.into_iter().chain(description)
    })
}

/// The texts of an advert in which expressions look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextPart {
    Title,
    Description,
}

impl AdvertCriteria {
    pub fn is_empty(&self) -> bool {
        let Self { conditions, sites, excluded_sites } = self;
        conditions.is_empty() && sites.is_none() && excluded_sites.is_empty()
    }

    pub fn accepts(&self, advert: &Advert) -> bool {
        let site = advert.details.site.as_ref();
        self.conditions.iter().all(|condition| condition.test.holds(condition.attribute.read(advert)))
            && self.sites.as_ref().is_none_or(|sites| site.is_some_and(|site| sites.contains(site)))
            && !site.is_some_and(|site| self.excluded_sites.contains(site))
    }
}

impl Places {
    pub fn accepts(&self, facts: &Facts<'_>) -> bool {
        let point = facts.derived.point;
        self.any_of.as_ref().is_none_or(|places| places.holds(facts))
            && !self.none_of.holds(facts)
            && self.circle.is_none_or(|circle| point.is_some_and(|point| circle.contains(point)))
            && (self.polygons.is_empty()
                || point.is_some_and(|point| self.polygons.iter().any(|polygon| polygon.contains(point))))
    }
}

#[cfg(test)]
mod tests;
