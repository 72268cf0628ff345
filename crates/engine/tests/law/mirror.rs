//! The law of the percolator: a search finds a property exactly when the property finds the search.
//!
//! A case is a small market and many criteria, drawn from the table of filters as the questions are and then some of them bent:
//! odd bounds, several on one value, many places, areas at the edges of the map. They are put into a percolator, replaced and
//! removed. Then every property is held against all of them: the percolator must find those that [`Criteria::accepts`] it, and the
//! index must find, for each of them, the properties that found it.
//!
//! `VIGIE_MIRROR_CASES` sets how many cases are played, `VIGIE_TEST_SEED` repeats those of an earlier run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::criteria::{Condition, PlaceSet, Predicate};
use domain::{
    Circle, Criteria, PropertyView, GeoPoint, Insee, Key, Property, PropertyAttribute, PropertyId, SearchNumber,
    KeyRange, Zipcode,
};
use engine::scan::Scan;
use engine::{Percolator, PercolatorScratch};
use testkit::Random;

use crate::ask::Ask;
use crate::coverage::Coverage;
use crate::history::{Historian, small_index};
use crate::judge::Agreed;
use crate::market::{COMMUNES, Market, point};

/// Ten seconds of work in a debug build.
const CASES_DEFAULT: u64 = 1_500;

/// How many criteria are put in one case.
const SEARCHES: u64 = 120;

#[test]
fn a_property_finds_the_searches_that_find_it() {
    let cases = std::env::var("VIGIE_MIRROR_CASES").map_or(CASES_DEFAULT, |cases| cases.parse().unwrap());
    let seed = testkit::random::seed();
    let mut coverage = Coverage::default();
    let mut effort = Effort::default();
    // One for all of them: what is left in it must not matter.
    let mut scratch = PercolatorScratch::default();
    for case in 0..cases {
        play(seed.wrapping_add(case), &mut scratch, &mut coverage, &mut effort);
    }
    println!("{cases} cases: {}; {effort:?}", coverage.told());
    if cases >= CASES_DEFAULT {
        coverage.assert_rows_complete();
        effort.assert_worth_it();
    }
}

/// What the percolator looked at, beside all it could have looked at.
#[derive(Debug, Default)]
struct Effort {
    pairs: usize,
    walked: usize,
    verified: usize,
    found: usize,
}

impl Effort {
    /// Filters are drawn one as often as another, so that few name a place and most have something left to check. Still not
    /// everything is looked at, and what is looked at is not all checked.
    fn assert_worth_it(&self) {
        let Self { pairs, walked, verified, found } = *self;
        assert!(walked * 10 < pairs * 9 && verified * 10 < walked * 8 && found * 10 > pairs, "{self:?}");
    }
}

struct Search {
    ask: Ask,
    criteria: Criteria,
    is_bent: bool,
}

/// Plays one case from its seed.
fn play(seed: u64, scratch: &mut PercolatorScratch, coverage: &mut Coverage, effort: &mut Effort) {
    let mut random = Random::new(seed);
    let size = 1 + random.below(40);
    let mut historian = Historian::new(Market::draw(&mut random), size);
    let batch = historian.load(&mut random, size);
    let index = batch.apply(small_index(), &mut Scan::default());
    let present: Vec<Arc<Property>> = historian.present.values().cloned().collect();
    let properties: Vec<&Property> = present.iter().map(|property| &**property).collect();
    let (percolator, searches) = filled(&mut random, &properties);
    assert_eq!(percolator.len(), searches.len(), "seed {seed}");

    let mut found_by: BTreeMap<SearchNumber, BTreeSet<PropertyId>> = BTreeMap::new();
    for property in &properties {
        let found = percolator.matches(property, scratch);
        let accepting = searches.iter().filter(|(_, search)| search.criteria.accepts(property));
        let expected: Vec<SearchNumber> = accepting.map(|(number, _)| *number).collect();
        if found.searches != expected {
            dispute(seed, property, &searches, &expected, &found.searches);
        }
        assert!(found.verified <= found.walked, "seed {seed}: {found:?}");
        effort.pairs += searches.len();
        effort.walked += found.walked;
        effort.verified += found.verified;
        effort.found += found.searches.len();
        for number in found.searches {
            found_by.entry(number).or_default().insert(property.id);
        }
    }
    for (number, Search { ask, criteria, is_bent }) in &searches {
        let hits = index.view().matches(criteria).after(None, usize::MAX);
        let hits: BTreeSet<PropertyId> = hits.iter().map(|hit| hit.property).collect();
        let found = found_by.remove(number).unwrap_or_default();
        assert_eq!(hits, found, "the index and the percolator part, seed {seed}, {number:?}: {criteria:?}");
        if !is_bent {
            coverage.note(ask, &Agreed { total: found.len(), similar: None }, properties.len());
        }
    }
}

/// A percolator with many searches in it, and what they are.
fn filled(random: &mut Random, properties: &[&Property]) -> (Percolator, BTreeMap<SearchNumber, Search>) {
    let (mut percolator, mut searches) = (Percolator::default(), BTreeMap::new());
    let mut number = 0;
    for _ in 0..SEARCHES {
        number += 1 + random.below(3) as u32;
        let target = match random.below(12) {
            0 => SearchNumber(u32::MAX - random.below(3) as u32),
            1 => SearchNumber(random.below(1 << 32) as u32),
            // Replaced, if it is there.
            2..4 => SearchNumber(random.below(u64::from(number) + 1) as u32),
            _ => SearchNumber(number),
        };
        let ask = Ask::draw(random, properties);
        let mut criteria = ask.criteria();
        let is_bent = random.once_in(3);
        if is_bent {
            (0..=random.below(2)).for_each(|_| bend(random, properties, &mut criteria));
        }
        percolator.put(target, &criteria);
        searches.insert(target, Search { ask, criteria, is_bent });
        if random.once_in(8) {
            let gone = SearchNumber(random.below(u64::from(number) + 1) as u32);
            assert_eq!(percolator.remove(gone), searches.remove(&gone).is_some());
        }
    }
    (percolator, searches)
}

/// Bounds that people do not choose.
const ODD: &[f64] = &[
    -1e300,
    -1.0,
    -0.0,
    0.0,
    5e-324,
    0.1,
    1.0,
    1.5,
    249.3,
    253.0,
    254.5,
    800.000_000_1,
    249_999.99,
    250_000.01,
    1e12,
    1e300,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

/// Makes criteria something that filters do not, or hardly ever, come to.
fn bend(random: &mut Random, properties: &[&Property], criteria: &mut Criteria) {
    match random.below(8) {
        0..3 => {
            let attribute = *random.pick(PropertyAttribute::ALL);
            let test = test(random, properties, attribute);
            criteria.property.push(Condition { attribute, predicate: test });
        }
        3 => {
            let attribute = *random.pick(&[
                PropertyAttribute::Price,
                PropertyAttribute::Surface,
                PropertyAttribute::Room,
                PropertyAttribute::Bedroom,
            ]);
            let span = KeyRange { least: odd(random), most: odd(random) };
            criteria.property.push(Condition { attribute, predicate: Predicate::Within(span) });
        }
        4 => criteria.places.any_of = Some(places(random, properties)),
        5 => criteria.places.none_of = places(random, properties),
        _ => {
            let near = facts_of_one(random, properties).and_then(|facts| facts.derived.point);
            let centre = near.filter(|_| !random.once_in(3)).unwrap_or_else(|| edge(random));
            let radius_km =
                *random.pick(&[0.0, 1e-6, 1.0, 40.0, 1_500.0, 2_500.0, 10_000.0, 19_000.0, 20_037.0, -1.0]);
            criteria.places.circle = Some(Circle { centre, radius_km });
            if random.once_in(2) {
                criteria.places.any_of = Some(places(random, properties));
            }
        }
    }
}

fn facts_of_one<'a>(random: &mut Random, properties: &[&'a Property]) -> Option<PropertyView<'a>> {
    let property = *random.pick(properties);
    PropertyView::new(property)
}

fn odd(random: &mut Random) -> Option<Key> {
    match random.below(10) {
        0..3 => None,
        3 => Some(*random.pick(&[Key::MIN, Key::MAX])),
        _ => Some(Key::number(*random.pick(ODD))),
    }
}

/// Any test, round about a value that somebody has.
fn test(random: &mut Random, properties: &[&Property], attribute: PropertyAttribute) -> Predicate {
    let value = |random: &mut Random| {
        let known = facts_of_one(random, properties).and_then(|facts| attribute.read(&facts));
        known.unwrap_or_else(|| Key::from_raw(random.below(3) as i64))
    };
    let beside = |random: &mut Random| {
        let step = *random.pick(&[0, 0, 1, -1, 1 << 31, -(1 << 31)]);
        Key::from_raw(value(random).get().saturating_add(step))
    };
    match random.below(4) {
        0 => Predicate::OneOf((0..random.below(4)).map(|_| beside(random)).collect()),
        1 => Predicate::Within(KeyRange { least: Some(beside(random)), most: None }),
        2 => Predicate::Within(KeyRange { least: None, most: Some(beside(random)) }),
        _ => {
            let bound = |random: &mut Random| (!random.once_in(3)).then(|| beside(random));
            Predicate::Within(KeyRange { least: bound(random), most: bound(random) })
        }
    }
}

/// None, a few or many places, of one class or of several, mostly of places where there is something.
fn places(random: &mut Random, properties: &[&Property]) -> PlaceSet {
    let mut set = PlaceSet::default();
    for _ in 0..*random.pick(&[0, 1, 2, 3, 8, 9, 25]) {
        let Some(facts) = facts_of_one(random, properties) else { continue };
        let known = |attribute: PropertyAttribute| attribute.read(&facts);
        let (code, zipcodes) = *random.pick(COMMUNES);
        match random.below(5) {
            0 => set.cities.extend(known(PropertyAttribute::City)),
            1 => set.departments.extend(known(PropertyAttribute::Department)),
            2 => set.zipcodes.extend(known(PropertyAttribute::Zipcode)),
            3 => {
                set.cities.extend(Insee::parse(code).as_ref().map(Key::commune));
                set.zipcodes.extend(
                    zipcodes.iter().filter_map(|text| Zipcode::parse(text)).map(|it| Key::zipcode(&it)),
                );
            }
            // Where nothing is.
            _ => set.cities.extend((0..random.below(12)).map(|_| Key::place(90_000 + random.below(50)))),
        }
    }
    set
}

fn edge(random: &mut Random) -> GeoPoint {
    let corners = [(90.0, 0.0), (-90.0, 0.0), (89.5, 12.0), (0.0, 180.0), (0.0, -180.0), (12.0, 179.999)];
    if random.once_in(3) {
        return point(random);
    }
    let (lat, lon) = *random.pick(&corners);
    GeoPoint::new(lat, lon).unwrap()
}

/// The end of a run: what only one of the two has.
fn dispute(
    seed: u64,
    property: &Property,
    searches: &BTreeMap<SearchNumber, Search>,
    expected: &[SearchNumber],
    found: &[SearchNumber],
) -> ! {
    let odd = |one: &[SearchNumber], other: &[SearchNumber]| -> Vec<String> {
        let alone = one.iter().filter(|number| !other.contains(number));
        let told = alone.map(|number| {
            let criteria = searches.get(number).map(|search| &search.criteria);
            format!("{number:?}: {criteria:?}")
        });
        told.take(3).collect()
    };
    panic!(
        "\nrepeat with VIGIE_TEST_SEED={seed} VIGIE_MIRROR_CASES=1\nonly these accept: {:#?}\nonly found: {:#?}\n\
         in order and once: {}\n{property:?}",
        odd(expected, found),
        odd(found, expected),
        found.is_sorted_by(|one, next| one < next),
    );
}
