//! Builds criteria from the values of single filters.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use jiff::Timestamp;

use super::{AdvertScope, Condition, Criteria, Entry, PlaceSet, Predicate, SortMode};
use crate::area::{Circle, Polygon};
use crate::attribute::{AdvertAttribute, PropertyAttribute, Variation};
use crate::filter::{FILTERS, Filter, FilterTarget, Inclusion, Kind, PlaceKind};
use crate::ids::PropertyId;
use crate::key::{Key, KeyRange};
use crate::phrase::Phrase;
use crate::place::{GeoPoint, Zipcode};
use crate::site::SiteKey;
use crate::violation::Violation;

/// The resolved value of one filter.
#[derive(Debug, Clone, PartialEq)]
pub enum CriterionValue {
    Number(f64),
    /// The first or the last second of the date given.
    Timestamp(Timestamp),
    Codes(Vec<u8>),
    Flag(bool),
    /// Ids of cities or departments, including the districts of cities.
    Places(Vec<u64>),
    Zipcodes(Vec<Zipcode>),
    /// The given sites, or the sites of the given categories.
    Sites(Vec<SiteKey>),
    Properties(Vec<PropertyId>),
    Polygons(Vec<Polygon>),
    SortMode(SortMode),
    Expressions(Vec<Vec<Entry>>),
    Features(Vec<Phrase>),
}

/// Collects the values of filters. If a filter is put twice, the last value wins.
#[derive(Debug, Clone, Default)]
pub struct CriteriaBuilder {
    values: BTreeMap<&'static str, CriterionValue>,
}

/// Criteria, and the parts of the filters that determine the order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BuiltCriteria {
    pub criteria: Criteria,
    pub mode: SortMode,
    /// The point given by latitude and longitude.
    pub origin: Option<GeoPoint>,
    /// Whether a radius is given without its centre, so that it filters nothing.
    pub lone_radius: bool,
}

impl CriteriaBuilder {
    pub fn put(&mut self, filter: &'static Filter, value: CriterionValue) {
        self.values.insert(filter.name, value);
    }

    /// Combines the values, or returns all violations.
    pub fn build(self) -> Result<BuiltCriteria, Vec<Violation>> {
        let mut violations = Vec::new();
        let mode = self.sort_mode();
        let mut criteria = Criteria::default();
        for filter in FILTERS {
            // Most filters are absent, and this runs for every search.
            if self.values.contains_key(filter.name) || self.lone_upper_bound(filter).is_some() {
                self.apply(filter, mode, &mut criteria, &mut violations);
            }
        }
        // No price is not a coherent one: the default would leave nothing of what the filter asks for.
        let on_request = self.values.get("priceOnRequest") == Some(&CriterionValue::Flag(true));
        if !self.values.contains_key("withCoherentPrice") && !on_request {
            require_flag(&mut criteria, PropertyAttribute::CoherentPrice);
        }
        let origin = self.origin(&mut violations);
        let radius = self.number("radius");
        match (origin, radius) {
            (_, Some(radius)) if !(0.0..=RADIUS_KM_MAX).contains(&radius) => {
                let message = format!("The radius {radius} is not between 0 and {RADIUS_KM_MAX} kilometres.");
                violations.push(Violation::invalid("radius", message));
            }
            // Clients send zero for "no radius". A search for one exact point makes no sense.
            (Some(centre), Some(radius_km)) if radius_km > 0.0 => {
                criteria.places.circle = Some(Circle { centre, radius_km });
            }
            _ => {}
        }
        if !violations.is_empty() {
            return Err(violations);
        }
        let lone_radius = origin.is_none() && radius.is_some_and(|radius| radius > 0.0);
        Ok(BuiltCriteria { criteria, mode, origin, lone_radius })
    }

    fn apply(
        &self,
        filter: &'static Filter,
        mode: SortMode,
        criteria: &mut Criteria,
        violations: &mut Vec<Violation>,
    ) {
        // Two bounds on one target are one condition, added at the row of the lower bound.
        if let Kind::Min(target) | Kind::From(target) = filter.kind {
            match self.range(filter, target) {
                Ok(Some(range)) => self::add(criteria, target, mode, Predicate::Within(range)),
                Ok(None) => {}
                Err(violation) => violations.push(violation),
            }
            return;
        }
        let Some(value) = self.values.get(filter.name) else { return };
        match (filter.kind, value) {
            (Kind::Choice(target, _), CriterionValue::Codes(codes)) => {
                let keys = codes.iter().map(|code| Key::code(*code)).collect();
                self::add(criteria, target, mode, Predicate::OneOf(keys));
            }
            (Kind::Is(target), CriterionValue::Flag(flag)) => {
                if target == FilterTarget::Property(PropertyAttribute::Expired) && !flag {
                    criteria.advert_scope = AdvertScope::Live;
                }
                self::add(criteria, target, mode, Predicate::OneOf(BTreeSet::from([Key::flag(*flag)])));
            }
            (Kind::Only(target), CriterionValue::Flag(true)) => {
                self::add(criteria, target, mode, Predicate::OneOf(BTreeSet::from([Key::flag(true)])));
            }
            (Kind::Place(inclusion, kind), value) => {
                let set = match inclusion {
                    Inclusion::Included => criteria.places.any_of.get_or_insert_default(),
                    Inclusion::Excluded => &mut criteria.places.none_of,
                };
                add_places(set, kind, value);
            }
            // Included sites and categories are alternatives, like places.
            (
                Kind::Site(Inclusion::Included) | Kind::SiteCategory(Inclusion::Included),
                CriterionValue::Sites(sites),
            ) => {
                criteria.advert.sites.get_or_insert_default().extend(sites.iter().cloned());
            }
            (
                Kind::Site(Inclusion::Excluded) | Kind::SiteCategory(Inclusion::Excluded),
                CriterionValue::Sites(sites),
            ) => {
                criteria.advert.excluded_sites.extend(sites.iter().cloned());
            }
            (Kind::ExcludedProperty, CriterionValue::Properties(properties)) => {
                criteria.excluded_properties = properties.iter().copied().collect();
            }
            (Kind::Shapes, CriterionValue::Polygons(polygons)) => {
                criteria.places.polygons.clone_from(polygons)
            }
            (Kind::Expressions, CriterionValue::Expressions(groups)) => {
                criteria.expressions.clone_from(groups)
            }
            (Kind::Features, CriterionValue::Features(phrases)) => criteria.features.clone_from(phrases),
            _ => {}
        }
    }

    /// Returns the upper bound of `lower` if it is given.
    fn lone_upper_bound(&self, lower: &'static Filter) -> Option<&'static Filter> {
        upper_of(lower).filter(|upper| self.values.contains_key(upper.name))
    }

    /// Returns the bounds on a target. `None` if neither is given.
    fn range(&self, lower: &'static Filter, target: FilterTarget) -> Result<Option<KeyRange>, Violation> {
        let upper = upper_of(lower);
        let key = |filter: &Filter| match self.values.get(filter.name) {
            Some(CriterionValue::Number(number)) => Some(Key::number(*number)),
            Some(CriterionValue::Timestamp(at)) => Some(Key::timestamp(*at)),
            _ => None,
        };
        let mut range = KeyRange { least: key(lower), most: upper.and_then(key) };
        if range.most == Some(Key::number(0.0)) && zero_means_unset(lower, target) {
            // Published samples send 0 for "unset", often for both bounds. Below a negative bound, zero is a real bound.
            if range.least.is_none_or(|least| least >= Key::number(0.0)) {
                range.most = None;
            }
        }
        if range.is_empty() {
            let named = |filter: &Filter| match self.values.get(filter.name) {
                Some(CriterionValue::Number(number)) => format!("{}, {number},", filter.name),
                Some(CriterionValue::Timestamp(at)) => format!("{}, {at},", filter.name),
                _ => filter.name.to_owned(),
            };
            let upper = upper.map(named).unwrap_or_default();
            let (lower_bound, upper) = (named(lower), upper.trim_end_matches(','));
            let message = format!("The lower bound {lower_bound} is greater than the upper bound {upper}.");
            return Err(Violation::contradiction(lower.name, message));
        }
        Ok((range != KeyRange::default()).then_some(range))
    }

    fn sort_mode(&self) -> SortMode {
        match self.values.get("sortMode") {
            Some(CriterionValue::SortMode(mode)) => *mode,
            _ => SortMode::default(),
        }
    }

    fn number(&self, name: &str) -> Option<f64> {
        match self.values.get(name) {
            Some(CriterionValue::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// Returns the point. `None` unless both coordinates are given.
    fn origin(&self, violations: &mut Vec<Violation>) -> Option<GeoPoint> {
        let (lat, lon) = (self.number("lat"), self.number("lon"));
        for (name, value, limit) in [("lat", lat, 90.0), ("lon", lon, 180.0)] {
            if let Some(value) = value.filter(|value| !(-limit..=limit).contains(value)) {
                violations
                    .push(Violation::invalid(name, format!("{value} is not between -{limit} and {limit}.")));
            }
        }
        GeoPoint::new(lat?, lon?)
    }
}

/// Returns the upper bound that belongs to a lower bound. The pairs are computed once.
fn upper_of(lower: &'static Filter) -> Option<&'static Filter> {
    static UPPER: LazyLock<BTreeMap<&'static str, &'static Filter>> = LazyLock::new(|| {
        let bounds = FILTERS.iter().filter_map(|lower| match lower.kind {
            Kind::Min(target) => Some((lower, Kind::Max(target))),
            Kind::From(target) => Some((lower, Kind::To(target))),
            _ => None,
        });
        let upper = |kind: Kind| FILTERS.iter().find(|filter| filter.kind == kind);
        bounds.filter_map(|(lower, kind)| Some((lower.name, upper(kind)?))).collect()
    });
    match lower.kind {
        Kind::Min(_) | Kind::From(_) => UPPER.get(lower.name).copied(),
        _ => None,
    }
}

/// Half the circumference of the earth: a larger circle covers the whole globe.
const RADIUS_KM_MAX: f64 = 20_040.0;

/// Returns `true` if an upper bound of zero means "no bound". It does not for a change in percent, where zero separates
/// decreases from increases, nor for a date.
fn zero_means_unset(lower: &Filter, target: FilterTarget) -> bool {
    matches!(lower.kind, Kind::Min(_)) && !matches!(target, FilterTarget::Change(..))
}

fn require_flag(criteria: &mut Criteria, attribute: PropertyAttribute) {
    let predicate = Predicate::OneOf(BTreeSet::from([Key::flag(true)]));
    criteria.property.push(Condition { attribute, predicate });
}

fn add(criteria: &mut Criteria, target: FilterTarget, mode: SortMode, predicate: Predicate) {
    let target = match (target, mode) {
        (FilterTarget::Creation, SortMode::Property) => FilterTarget::Property(PropertyAttribute::CreatedAt),
        (FilterTarget::Creation, SortMode::Advert) => FilterTarget::Advert(AdvertAttribute::CreatedAt),
        (target, _) => target,
    };
    match target {
        FilterTarget::Property(attribute) => criteria.property.push(Condition { attribute, predicate }),
        FilterTarget::Advert(attribute) => {
            criteria.advert.conditions.push(Condition { attribute, predicate })
        }
        FilterTarget::Change(Variation::Price, attribute) => {
            criteria.price_change.push(Condition { attribute, predicate })
        }
        FilterTarget::Change(Variation::Surface, attribute) => {
            criteria.surface_change.push(Condition { attribute, predicate })
        }
        // Replaced above.
        FilterTarget::Creation => {}
    }
}

fn add_places(set: &mut PlaceSet, kind: PlaceKind, value: &CriterionValue) {
    match (kind, value) {
        (PlaceKind::City | PlaceKind::Insee, CriterionValue::Places(ids)) => {
            set.cities.extend(ids.iter().map(|id| Key::place(*id)));
        }
        (PlaceKind::Department, CriterionValue::Places(ids)) => {
            set.departments.extend(ids.iter().map(|id| Key::place(*id)));
        }
        (PlaceKind::Zipcode, CriterionValue::Zipcodes(zipcodes)) => {
            set.zipcodes.extend(zipcodes.iter().map(Key::zipcode));
        }
        _ => {}
    }
}
