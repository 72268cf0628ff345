//! From the values of single filters to criteria.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use jiff::Timestamp;

use super::{Condition, Counting, Criteria, Entry, PlaceSet, SortMode, Test};
use crate::area::{Circle, Polygon};
use crate::attribute::{AdvertAttribute, PropertyAttribute, Variation};
use crate::filter::{FILTERS, Filter, Kind, PlaceKind, Sense, Subject};
use crate::ids::PropertyId;
use crate::key::{Key, Span};
use crate::place::{GeoPoint, Zipcode};
use crate::site::SiteKey;
use crate::violation::Violation;

/// The value given for one filter, understood but not yet put together with the others.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    Number(f64),
    /// The first or last second that is meant.
    Moment(Timestamp),
    Codes(Vec<u8>),
    Flag(bool),
    /// Ids of cities or departments, districts included.
    Places(Vec<u64>),
    Zipcodes(Vec<Zipcode>),
    /// Those among the sites named that are known.
    Sites(Vec<SiteKey>),
    Properties(Vec<PropertyId>),
    Polygons(Vec<Polygon>),
    SortMode(SortMode),
    Expressions(Vec<Vec<Entry>>),
}

/// Collects the values of filters. A filter that is given twice has the last value.
#[derive(Debug, Clone, Default)]
pub struct CriteriaDraft {
    given: BTreeMap<&'static str, Given>,
}

/// Criteria, with what the same filters say about the order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Finished {
    pub criteria: Criteria,
    pub mode: SortMode,
    /// The point named by latitude and longitude.
    pub origin: Option<GeoPoint>,
}

impl CriteriaDraft {
    pub fn put(&mut self, filter: &'static Filter, given: Given) {
        self.given.insert(filter.name, given);
    }

    /// Puts the values together, or says everything that is wrong with them.
    pub fn finish(self) -> Result<Finished, Vec<Violation>> {
        let mut violations = Vec::new();
        let mode = self.sort_mode();
        let mut criteria = Criteria::default();
        for filter in FILTERS {
            // Nearly all of them are not given, and this is done for every search.
            if self.given.contains_key(filter.name) || self.upper_alone(filter).is_some() {
                self.apply(filter, mode, &mut criteria, &mut violations);
            }
        }
        if !self.given.contains_key("withCoherentPrice") {
            require(&mut criteria, PropertyAttribute::CoherentPrice);
        }
        let origin = self.origin(&mut violations);
        let radius = self.number("radius");
        match (origin, radius) {
            (_, Some(radius)) if !(0.0..=RADIUS_KM_MAX).contains(&radius) => {
                let message = format!("{radius} is not a number of kilometres from 0 to {RADIUS_KM_MAX}.");
                violations.push(Violation::invalid("radius", message));
            }
            // Zero is what clients send for "no radius"; nobody looks for a property on one exact point.
            (Some(centre), Some(radius_km)) if radius_km > 0.0 => {
                criteria.places.circle = Some(Circle { centre, radius_km });
            }
            _ => {}
        }
        if violations.is_empty() { Ok(Finished { criteria, mode, origin }) } else { Err(violations) }
    }

    fn apply(
        &self,
        filter: &'static Filter,
        mode: SortMode,
        criteria: &mut Criteria,
        violations: &mut Vec<Violation>,
    ) {
        // Two bounds of one subject are one condition: made where the lower one stands in the table.
        if let Kind::Least(subject) | Kind::From(subject) = filter.kind {
            match self.span(filter, subject) {
                Ok(Some(span)) => self::add(criteria, subject, mode, Test::Within(span)),
                Ok(None) => {}
                Err(violation) => violations.push(violation),
            }
            return;
        }
        let Some(given) = self.given.get(filter.name) else { return };
        match (filter.kind, given) {
            (Kind::Choice(subject, _), Given::Codes(codes)) => {
                let keys = codes.iter().map(|code| Key::code(*code)).collect();
                self::add(criteria, subject, mode, Test::OneOf(keys));
            }
            (Kind::Is(subject), Given::Flag(flag)) => {
                if subject == Subject::Property(PropertyAttribute::Expired) && !flag {
                    criteria.counting = Counting::Live;
                }
                self::add(criteria, subject, mode, Test::OneOf(BTreeSet::from([Key::flag(*flag)])));
            }
            (Kind::Only(subject), Given::Flag(true)) => {
                self::add(criteria, subject, mode, Test::OneOf(BTreeSet::from([Key::flag(true)])));
            }
            (Kind::Place(sense, kind), given) => {
                let set = match sense {
                    Sense::Included => criteria.places.any_of.get_or_insert_default(),
                    Sense::Excluded => &mut criteria.places.none_of,
                };
                add_places(set, kind, given);
            }
            // Sites and categories are alternatives to each other, as places are.
            (Kind::Site(Sense::Included) | Kind::SiteCategory(Sense::Included), Given::Sites(sites)) => {
                criteria.advert.sites.get_or_insert_default().extend(sites.iter().cloned());
            }
            (Kind::Site(Sense::Excluded) | Kind::SiteCategory(Sense::Excluded), Given::Sites(sites)) => {
                criteria.advert.excluded_sites.extend(sites.iter().cloned());
            }
            (Kind::ExcludedProperty, Given::Properties(properties)) => {
                criteria.excluded_properties = properties.iter().copied().collect();
            }
            (Kind::Shapes, Given::Polygons(polygons)) => criteria.places.polygons.clone_from(polygons),
            (Kind::Expressions, Given::Expressions(groups)) => criteria.expressions.clone_from(groups),
            _ => {}
        }
    }

    /// The upper bound that is given for a lower one that is not.
    fn upper_alone(&self, lower: &'static Filter) -> Option<&'static Filter> {
        upper_of(lower).filter(|upper| self.given.contains_key(upper.name))
    }

    /// The bounds on a subject; nothing when neither is given.
    fn span(&self, lower: &'static Filter, subject: Subject) -> Result<Option<Span>, Violation> {
        let upper = upper_of(lower);
        let of = |filter: &Filter| match self.given.get(filter.name) {
            Some(Given::Number(number)) => Some(Key::number(*number)),
            Some(Given::Moment(at)) => Some(Key::moment(*at)),
            _ => None,
        };
        let mut span = Span { least: of(lower), most: upper.and_then(of) };
        if span.most == Some(Key::number(0.0)) && zero_means_unset(lower, subject) {
            // Published samples send 0 for "unset". A lower bound of zero or less shows that zero is meant.
            if span.least.is_none_or(|least| least > Key::number(0.0)) {
                span.most = None;
            }
        }
        if span.is_contradictory() {
            let named = |filter: &Filter| match self.given.get(filter.name) {
                Some(Given::Number(number)) => format!("{}, {number},", filter.name),
                Some(Given::Moment(at)) => format!("{}, {at},", filter.name),
                _ => filter.name.to_owned(),
            };
            let upper = upper.map(named).unwrap_or_default();
            let (lower_bound, upper) = (named(lower), upper.trim_end_matches(','));
            let message = format!("The lower bound {lower_bound} is greater than the upper bound {upper}.");
            return Err(Violation::contradiction(lower.name, message));
        }
        Ok((span != Span::default()).then_some(span))
    }

    fn sort_mode(&self) -> SortMode {
        match self.given.get("sortMode") {
            Some(Given::SortMode(mode)) => *mode,
            _ => SortMode::default(),
        }
    }

    fn number(&self, name: &str) -> Option<f64> {
        match self.given.get(name) {
            Some(Given::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// The point; nothing unless both coordinates are given.
    fn origin(&self, violations: &mut Vec<Violation>) -> Option<GeoPoint> {
        let (lat, lon) = (self.number("lat"), self.number("lon"));
        for (name, value, limit) in [("lat", lat, 90.0), ("lon", lon, 180.0)] {
            if let Some(value) = value.filter(|value| !(-limit..=limit).contains(value)) {
                violations
                    .push(Violation::invalid(name, format!("{value} is not from -{limit} to {limit}.")));
            }
        }
        GeoPoint::new(lat?, lon?)
    }
}

/// The upper bound on what a filter is the lower bound of; found once.
fn upper_of(lower: &'static Filter) -> Option<&'static Filter> {
    static UPPER: LazyLock<BTreeMap<&'static str, &'static Filter>> = LazyLock::new(|| {
        let bounds = FILTERS.iter().filter_map(|lower| match lower.kind {
            Kind::Least(subject) => Some((lower, Kind::Most(subject))),
            Kind::From(subject) => Some((lower, Kind::To(subject))),
            _ => None,
        });
        let upper = |kind: Kind| FILTERS.iter().find(|filter| filter.kind == kind);
        bounds.filter_map(|(lower, kind)| Some((lower.name, upper(kind)?))).collect()
    });
    match lower.kind {
        Kind::Least(_) | Kind::From(_) => UPPER.get(lower.name).copied(),
        _ => None,
    }
}

/// Half the way round the earth: a larger circle is the whole globe.
const RADIUS_KM_MAX: f64 = 20_040.0;

/// Whether an upper bound of zero is a way to say nothing. Not for a change in per cent, where zero parts falls from rises,
/// nor for a date.
fn zero_means_unset(lower: &Filter, subject: Subject) -> bool {
    matches!(lower.kind, Kind::Least(_)) && !matches!(subject, Subject::Change(..))
}

fn require(criteria: &mut Criteria, attribute: PropertyAttribute) {
    let test = Test::OneOf(BTreeSet::from([Key::flag(true)]));
    criteria.property.push(Condition { attribute, test });
}

fn add(criteria: &mut Criteria, subject: Subject, mode: SortMode, test: Test) {
    let subject = match (subject, mode) {
        (Subject::Creation, SortMode::Property) => Subject::Property(PropertyAttribute::CreatedAt),
        (Subject::Creation, SortMode::Advert) => Subject::Advert(AdvertAttribute::CreatedAt),
        (subject, _) => subject,
    };
    match subject {
        Subject::Property(attribute) => criteria.property.push(Condition { attribute, test }),
        Subject::Advert(attribute) => criteria.advert.conditions.push(Condition { attribute, test }),
        Subject::Change(Variation::Price, attribute) => {
            criteria.price_change.push(Condition { attribute, test })
        }
        Subject::Change(Variation::Surface, attribute) => {
            criteria.surface_change.push(Condition { attribute, test })
        }
        // Settled above.
        Subject::Creation => {}
    }
}

fn add_places(set: &mut PlaceSet, kind: PlaceKind, given: &Given) {
    match (kind, given) {
        (PlaceKind::City | PlaceKind::Insee, Given::Places(ids)) => {
            set.cities.extend(ids.iter().map(|id| Key::place(*id)));
        }
        (PlaceKind::Department, Given::Places(ids)) => {
            set.departments.extend(ids.iter().map(|id| Key::place(*id)));
        }
        (PlaceKind::Zipcode, Given::Zipcodes(zipcodes)) => {
            set.zipcodes.extend(zipcodes.iter().map(Key::zipcode));
        }
        _ => {}
    }
}
