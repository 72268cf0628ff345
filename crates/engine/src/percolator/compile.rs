//! Compiles criteria into the places a search is stored under, its prefilter, and its residual checks (phrases are separate).

use domain::criteria::{Condition, Entry, Places, Predicate};
use domain::{Criteria, Key, PropertyAttribute, PropertyType, TransactionType, Variation};

use super::bounds::{Precision, SmallBounds, SmallValue, Value};
use super::bucket::{KindMask, Prefilter, ProbeValues};
use super::checks::{Check, PropertyValues};
use super::place_buckets::{BoundingBox, Place, PlaceKind, sorted_places};
use crate::circle::CircleFilter;

/// The boolean criteria of the prefilter: the bit, the attribute, and the value it must have.
const FLAGS: [(u8, PropertyAttribute, bool); 6] = [
    (1 << 0, PropertyAttribute::CoherentPrice, true),
    (1 << 1, PropertyAttribute::Furnished, true),
    (1 << 2, PropertyAttribute::Furnished, false),
    (1 << 3, PropertyAttribute::Located, true),
    (1 << 4, PropertyAttribute::Expired, false),
    (1 << 5, PropertyAttribute::Expired, true),
];

/// The position of the transaction bits in a [`KindMask`], above those of the property types.
const TRANSACTION_SHIFT: u32 = 7;

/// A search, ready to be stored in buckets.
#[derive(Debug)]
pub struct CompiledSearch {
    /// Empty if no property can match the criteria.
    pub places: Vec<Place>,
    pub kinds: KindMask,
    pub prefilter: Prefilter,
    /// The cheapest first.
    pub checks: Vec<Check>,
}

impl CompiledSearch {
    pub fn new(criteria: &Criteria) -> Self {
        let Criteria {
            property,
            advert,
            price_change,
            surface_change,
            advert_scope,
            places,
            excluded_properties,
            expressions,
            features,
        } = criteria;
        let mut compiled =
            Self { places: Vec::new(), kinds: all_kinds(), prefilter: Prefilter::OPEN, checks: Vec::new() };
        let possible = property.iter().all(|condition| compiled.add(condition));
        if !possible
            || !compiled.accepts_some_kind()
            || places.any_of.as_ref().is_some_and(|set| set.is_empty())
        {
            compiled.checks.clear();
            return compiled;
        }
        if !excluded_properties.is_empty() {
            compiled.checks.push(Check::NotProperties(excluded_properties.iter().copied().collect()));
        }
        compiled.add_places(places);
        if !advert.is_empty() {
            compiled.checks.push(Check::Advert(*advert_scope, Box::new(advert.clone())));
        }
        for (variation, conditions) in
            [(Variation::Price, price_change), (Variation::Surface, surface_change)]
        {
            if !conditions.is_empty() {
                compiled.checks.push(Check::Change(variation, *advert_scope, conditions.as_slice().into()));
            }
        }
        if !compiled.checks.is_empty() || expressions_restrict(expressions) || !features.is_empty() {
            compiled.kinds.0 |= KindMask::RESIDUAL;
        }
        compiled
    }

    /// Adds a condition to the prefilter as far as it can represent it. Returns `false` if no property can satisfy the condition.
    fn add(&mut self, condition: &Condition<PropertyAttribute>) -> bool {
        let Condition { attribute, predicate } = condition;
        let precision = match (attribute, predicate) {
            (PropertyAttribute::PropertyType, predicate) => {
                let bits =
                    PropertyType::ALL.iter().filter(|kind| predicate.holds(Some(Key::code(kind.code()))));
                self.keep_kinds(bits.map(|kind| type_bit(*kind)), !0 << TRANSACTION_SHIFT)
            }
            (PropertyAttribute::TransactionType, predicate) => {
                let bits =
                    TransactionType::ALL.iter().filter(|kind| predicate.holds(Some(Key::code(kind.code()))));
                self.keep_kinds(bits.map(|kind| transaction_bit(*kind)), (1 << TRANSACTION_SHIFT) - 1)
            }
            (PropertyAttribute::Price, Predicate::Within(range)) => self.prefilter.price.narrow(*range),
            (PropertyAttribute::Surface, Predicate::Within(range)) => self.prefilter.surface.narrow(*range),
            (PropertyAttribute::Room, Predicate::Within(range)) => self.prefilter.rooms.narrow(*range),
            (PropertyAttribute::Bedroom, Predicate::Within(range)) => {
                let mut bounds = SmallBounds { least: self.prefilter.bedrooms_least, most: 0 };
                let precision = bounds.narrow(*range);
                self.prefilter.bedrooms_least = bounds.least;
                if range.most.is_some() { Precision::Lossy } else { precision }
            }
            (attribute, predicate) => {
                match [false, true].map(|flag| predicate.holds(Some(Key::flag(flag)))) {
                    [no, yes] if no != yes => self.require(*attribute, yes),
                    _ => Precision::Lossy,
                }
            }
        };
        if precision == Precision::Lossy {
            self.checks.push(Check::Property(condition.clone()));
        }
        !matches!(predicate, Predicate::OneOf(keys) if keys.is_empty())
    }

    /// Requires a flag. A boolean criterion that is not among [`FLAGS`], or an attribute with other values, is left to the
    /// checks.
    fn require(&mut self, attribute: PropertyAttribute, yes: bool) -> Precision {
        match FLAGS.iter().find(|(_, flagged, flag)| (*flagged, *flag) == (attribute, yes)) {
            Some((bit, _, _)) => {
                self.prefilter.flags |= bit;
                Precision::Exact
            }
            None => Precision::Lossy,
        }
    }

    fn keep_kinds(&mut self, bits: impl Iterator<Item = u16>, others: u16) -> Precision {
        self.kinds.0 &= bits.fold(others, |all, bit| all | bit);
        Precision::Exact
    }

    fn accepts_some_kind(&self) -> bool {
        let types = (1 << TRANSACTION_SHIFT) - 1;
        self.kinds.0 & types != 0 && self.kinds.0 & !types != 0
    }

    fn add_places(&mut self, places: &Places) {
        let Places { any_of, none_of, circle, polygons } = places;
        let named = any_of.as_ref().map(sorted_places);
        let area =
            circle.as_ref().and_then(BoundingBox::of_circle).or_else(|| BoundingBox::of_polygons(polygons));
        // A department is larger than most areas that are drawn on a map; other places are smaller.
        let wide = |named: &Vec<Place>| named.iter().any(|place| place.kind == PlaceKind::Department);
        self.places = match (&named, area) {
            (Some(named), None) => named.clone(),
            (Some(named), Some(_)) if !wide(named) => named.clone(),
            (_, Some(area)) => area.cells(),
            (None, None) => vec![Place::ANYWHERE],
        };
        if let Some(named) = named.filter(|named| *named != self.places) {
            self.checks.push(Check::InPlaces(named.into()));
        }
        if !none_of.is_empty() {
            self.checks.push(Check::NotInPlaces(sorted_places(none_of).into()));
        }
        if let Some(circle) = circle {
            self.checks.push(Check::Circle(CircleFilter::new(*circle)));
        }
        if !polygons.is_empty() {
            self.checks.push(Check::Polygons(polygons.as_slice().into()));
        }
    }
}

/// Returns `true` if expressions can reject a property. The groups are alternatives: an empty group accepts everything.
pub fn expressions_restrict(expressions: &[Vec<Entry>]) -> bool {
    !expressions.is_empty() && !expressions.iter().any(Vec::is_empty)
}

fn type_bit(kind: PropertyType) -> u16 {
    1 << kind.code()
}

fn transaction_bit(kind: TransactionType) -> u16 {
    1 << TRANSACTION_SHIFT << kind.code()
}

fn all_kinds() -> KindMask {
    let types = PropertyType::ALL.iter().map(|kind| type_bit(*kind));
    KindMask(types.chain(TransactionType::ALL.iter().map(|kind| transaction_bit(*kind))).sum())
}

/// Returns the mask of the one kind that a property is.
pub fn kind_of(property_type: PropertyType, transaction_type: TransactionType) -> KindMask {
    KindMask(type_bit(property_type) | transaction_bit(transaction_type))
}

/// Returns the values of a property that are compared with prefilters.
pub fn probe(values: &PropertyValues<'_>) -> ProbeValues {
    let differs = |&&(_, attribute, flag): &&(u8, PropertyAttribute, bool)| {
        values.value(attribute) != Some(Key::flag(flag))
    };
    let forbidden = FLAGS.iter().filter(differs).fold(0, |forbidden, (bit, _, _)| forbidden | bit);
    ProbeValues::new(
        forbidden,
        SmallValue::new(values.value(PropertyAttribute::Room)),
        SmallValue::new(values.value(PropertyAttribute::Bedroom)),
        Value::new(values.value(PropertyAttribute::Price)),
        Value::new(values.value(PropertyAttribute::Surface)),
    )
}

#[cfg(test)]
mod tests {
    use domain::criteria::PlaceSet;
    use domain::{Circle, GeoPoint, KeyRange};

    use super::*;

    #[test]
    fn common_criteria_need_no_checks() {
        let range = |least: f64, most: f64| {
            Predicate::Within(KeyRange { least: Some(Key::number(least)), most: Some(Key::number(most)) })
        };
        let yes = Predicate::OneOf([Key::flag(true)].into());
        let criteria = Criteria {
            property: vec![
                Condition {
                    attribute: PropertyAttribute::TransactionType,
                    predicate: Predicate::OneOf([Key::code(0)].into()),
                },
                Condition {
                    attribute: PropertyAttribute::PropertyType,
                    predicate: Predicate::OneOf([Key::code(1)].into()),
                },
                Condition { attribute: PropertyAttribute::Price, predicate: range(100_000.0, 345_678.0) },
                Condition { attribute: PropertyAttribute::Surface, predicate: range(20.5, 100.0) },
                Condition { attribute: PropertyAttribute::Room, predicate: range(2.0, 5.0) },
                Condition { attribute: PropertyAttribute::CoherentPrice, predicate: yes },
            ],
            places: Places {
                any_of: Some(PlaceSet { cities: [Key::place(37_261)].into(), ..PlaceSet::default() }),
                ..Places::default()
            },
            ..Criteria::default()
        };
        let compiled = CompiledSearch::new(&criteria);
        assert!(compiled.checks.is_empty(), "{:?}", compiled.checks);
        assert_eq!(compiled.places, [Place { kind: PlaceKind::City, key: 37_261 }]);
        assert!(compiled.kinds.is_exact());
    }

    #[test]
    fn area_is_stored_in_cells_unless_cities_are_named() {
        let circle = Circle { centre: GeoPoint::new(47.4, 0.7).unwrap(), radius_km: 5.0 };
        let kind_of_first_place = |any_of: Option<PlaceSet>| {
            let places = Places { any_of, circle: Some(circle), ..Places::default() };
            let criteria = Criteria { places, ..Criteria::default() };
            CompiledSearch::new(&criteria).places.first().map(|place| place.kind)
        };
        let keys = || [Key::place(37)].into();
        assert_eq!(kind_of_first_place(None), Some(PlaceKind::Cell));
        assert_eq!(
            kind_of_first_place(Some(PlaceSet { departments: keys(), ..PlaceSet::default() })),
            Some(PlaceKind::Cell)
        );
        assert_eq!(
            kind_of_first_place(Some(PlaceSet { cities: keys(), ..PlaceSet::default() })),
            Some(PlaceKind::City)
        );
        assert_eq!(kind_of_first_place(Some(PlaceSet::default())), None);
    }
}
