//! From criteria to where a search is filed, what stands of it in columns, and what is left to check beside words.

use domain::criteria::{Condition, Entry, Places, Predicate};
use domain::{Criteria, Key, PropertyAttribute, PropertyType, TransactionType, Variation};

use super::bounds::{SmallBounds, SmallValue, Told, Value};
use super::bucket::Kinds;
use super::cells::Frame;
use super::checks::{Check, Sight};
use super::lanes::{Line, ProbeValues};
use super::places::{self, Place, PlaceClass};
use crate::circle::NearCircle;

/// What a property must be, yes or no, each a bit of the flags; and whether a value it has, or lacks, is that.
const FLAGS: [(u8, PropertyAttribute, bool); 6] = [
    (1 << 0, PropertyAttribute::CoherentPrice, true),
    (1 << 1, PropertyAttribute::Furnished, true),
    (1 << 2, PropertyAttribute::Furnished, false),
    (1 << 3, PropertyAttribute::Located, true),
    (1 << 4, PropertyAttribute::Expired, false),
    (1 << 5, PropertyAttribute::Expired, true),
];

/// Where the transactions begin among the bits of kinds.
const TRANSACTIONS: u32 = 7;

/// A search, ready to be put on the place_buckets.
#[derive(Debug)]
pub struct Filing {
    /// Nowhere, when nothing can ever meet the criteria.
    pub places: Vec<Place>,
    pub kinds: Kinds,
    pub line: Line,
    /// The cheap ones first.
    pub checks: Vec<Check>,
}

impl Filing {
    pub fn of(criteria: &Criteria) -> Self {
        let Criteria {
            property,
            advert,
            price_change,
            surface_change,
            advert_scope,
            places,
            excluded_properties,
            expressions,
        } = criteria;
        let mut filing =
            Self { places: Vec::new(), kinds: all_kinds(), line: Line::OPEN, checks: Vec::new() };
        let possible = property.iter().all(|condition| filing.add(condition));
        if !possible || !filing.wants_some_kind() || places.any_of.as_ref().is_some_and(|set| set.is_empty())
        {
            filing.checks.clear();
            return filing;
        }
        if !excluded_properties.is_empty() {
            filing.checks.push(Check::Excluded(excluded_properties.iter().copied().collect()));
        }
        filing.add_places(places);
        if !advert.is_empty() {
            filing.checks.push(Check::Advert(*advert_scope, Box::new(advert.clone())));
        }
        for (variation, conditions) in
            [(Variation::Price, price_change), (Variation::Surface, surface_change)]
        {
            if !conditions.is_empty() {
                filing.checks.push(Check::Change(variation, *advert_scope, conditions.as_slice().into()));
            }
        }
        if !filing.checks.is_empty() || ask_for_something(expressions) {
            filing.kinds.0 |= Kinds::UNSETTLED;
        }
        filing
    }

    /// Puts a condition into the columns as far as these can say it; whether anything can meet it.
    fn add(&mut self, condition: &Condition<PropertyAttribute>) -> bool {
        let Condition { attribute, predicate: test } = condition;
        let told = match (attribute, test) {
            (PropertyAttribute::PropertyType, test) => {
                let bits = PropertyType::ALL.iter().filter(|kind| test.holds(Some(Key::code(kind.code()))));
                self.keep_kinds(bits.map(|kind| type_bit(*kind)), !0 << TRANSACTIONS)
            }
            (PropertyAttribute::TransactionType, test) => {
                let bits =
                    TransactionType::ALL.iter().filter(|kind| test.holds(Some(Key::code(kind.code()))));
                self.keep_kinds(bits.map(|kind| transaction_bit(*kind)), (1 << TRANSACTIONS) - 1)
            }
            (PropertyAttribute::Price, Predicate::Within(span)) => self.line.price.narrow(*span),
            (PropertyAttribute::Surface, Predicate::Within(span)) => self.line.surface.narrow(*span),
            (PropertyAttribute::Room, Predicate::Within(span)) => self.line.rooms.narrow(*span),
            (PropertyAttribute::Bedroom, Predicate::Within(span)) => {
                let mut bounds = SmallBounds { least: self.line.bedrooms_least, most: 0 };
                let told = bounds.narrow(*span);
                self.line.bedrooms_least = bounds.least;
                if span.most.is_some() { Told::Part } else { told }
            }
            (attribute, test) => match [false, true].map(|flag| test.holds(Some(Key::flag(flag)))) {
                [no, yes] if no != yes => self.require(*attribute, yes),
                _ => Told::Part,
            },
        };
        if told == Told::Part {
            self.checks.push(Check::Property(condition.clone()));
        }
        !matches!(test, Predicate::OneOf(keys) if keys.is_empty())
    }

    /// A yes or no that is not among the flags is left to be checked, as is what takes other values than these two.
    fn require(&mut self, attribute: PropertyAttribute, yes: bool) -> Told {
        match FLAGS.iter().find(|(_, of, flag)| (*of, *flag) == (attribute, yes)) {
            Some((bit, _, _)) => {
                self.line.flags |= bit;
                Told::All
            }
            None => Told::Part,
        }
    }

    fn keep_kinds(&mut self, bits: impl Iterator<Item = u16>, others: u16) -> Told {
        self.kinds.0 &= bits.fold(others, |all, bit| all | bit);
        Told::All
    }

    fn wants_some_kind(&self) -> bool {
        let types = (1 << TRANSACTIONS) - 1;
        self.kinds.0 & types != 0 && self.kinds.0 & !types != 0
    }

    fn add_places(&mut self, places: &Places) {
        let Places { any_of, none_of, circle, polygons } = places;
        let named = any_of.as_ref().map(places::named);
        let frame = circle.as_ref().and_then(Frame::of_circle).or_else(|| Frame::of_polygons(polygons));
        // A department is larger than most areas that are drawn on a map, other places are smaller.
        let wide = |named: &Vec<Place>| named.iter().any(|place| place.class == PlaceClass::Department);
        self.places = match (&named, frame) {
            (Some(named), None) => named.clone(),
            (Some(named), Some(_)) if !wide(named) => named.clone(),
            (_, Some(frame)) => frame.cells(),
            (None, None) => vec![Place::ANYWHERE],
        };
        if let Some(named) = named.filter(|named| *named != self.places) {
            self.checks.push(Check::Inside(named.into()));
        }
        if !none_of.is_empty() {
            self.checks.push(Check::Outside(places::named(none_of).into()));
        }
        if let Some(circle) = circle {
            self.checks.push(Check::Circle(NearCircle::new(*circle)));
        }
        if !polygons.is_empty() {
            self.checks.push(Check::Polygons(polygons.as_slice().into()));
        }
    }
}

/// Of alternatives any will do, so that one that asks for nothing makes them all ask for nothing.
pub fn ask_for_something(expressions: &[Vec<Entry>]) -> bool {
    !expressions.is_empty() && !expressions.iter().any(Vec::is_empty)
}

fn type_bit(kind: PropertyType) -> u16 {
    1 << kind.code()
}

fn transaction_bit(kind: TransactionType) -> u16 {
    1 << TRANSACTIONS << kind.code()
}

fn all_kinds() -> Kinds {
    let types = PropertyType::ALL.iter().map(|kind| type_bit(*kind));
    Kinds(types.chain(TransactionType::ALL.iter().map(|kind| transaction_bit(*kind))).sum())
}

impl Sight<'_> {
    /// The one kind that the property is.
    pub fn kind(&self, property_type: PropertyType, transaction_type: TransactionType) -> Kinds {
        Kinds(type_bit(property_type) | transaction_bit(transaction_type))
    }

    pub fn probe(&self) -> ProbeValues {
        let lacks = |&&(_, attribute, flag): &&(u8, PropertyAttribute, bool)| {
            self.value(attribute) != Some(Key::flag(flag))
        };
        let lacking = FLAGS.iter().filter(lacks).fold(0, |lacking, (bit, _, _)| lacking | bit);
        ProbeValues::new(
            lacking,
            SmallValue::of(self.value(PropertyAttribute::Room)),
            SmallValue::of(self.value(PropertyAttribute::Bedroom)),
            Value::of(self.value(PropertyAttribute::Price)),
            Value::of(self.value(PropertyAttribute::Surface)),
        )
    }
}

#[cfg(test)]
mod tests {
    use domain::criteria::PlaceSet;
    use domain::{Circle, GeoPoint, KeyRange};

    use super::*;

    #[test]
    fn what_people_ask_for_needs_no_check() {
        let span = |least: f64, most: f64| {
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
                Condition { attribute: PropertyAttribute::Price, predicate: span(100_000.0, 345_678.0) },
                Condition { attribute: PropertyAttribute::Surface, predicate: span(20.5, 100.0) },
                Condition { attribute: PropertyAttribute::Room, predicate: span(2.0, 5.0) },
                Condition { attribute: PropertyAttribute::CoherentPrice, predicate: yes },
            ],
            places: Places {
                any_of: Some(PlaceSet { cities: [Key::place(37_261)].into(), ..PlaceSet::default() }),
                ..Places::default()
            },
            ..Criteria::default()
        };
        let filing = Filing::of(&criteria);
        assert!(filing.checks.is_empty(), "{:?}", filing.checks);
        assert_eq!(filing.places, [Place { class: PlaceClass::City, key: 37_261 }]);
        assert!(filing.kinds.is_settled());
    }

    #[test]
    fn an_area_is_filed_in_cells_unless_towns_are_named() {
        let circle = Circle { centre: GeoPoint::new(47.4, 0.7).unwrap(), radius_km: 5.0 };
        let class_of = |any_of: Option<PlaceSet>| {
            let places = Places { any_of, circle: Some(circle), ..Places::default() };
            let criteria = Criteria { places, ..Criteria::default() };
            Filing::of(&criteria).places.first().map(|place| place.class)
        };
        let keys = || [Key::place(37)].into();
        assert_eq!(class_of(None), Some(PlaceClass::Cell));
        assert_eq!(
            class_of(Some(PlaceSet { departments: keys(), ..PlaceSet::default() })),
            Some(PlaceClass::Cell)
        );
        assert_eq!(
            class_of(Some(PlaceSet { cities: keys(), ..PlaceSet::default() })),
            Some(PlaceClass::City)
        );
        assert_eq!(class_of(Some(PlaceSet::default())), None);
    }
}
