//! Differential test of the percolator: it finds a search for a property if and only if the search matches the property.
//!
//! A case is a small market and many criteria, drawn from the table of filters like the queries. Some are mutated: unusual
//! bounds, several bounds on one value, many places, areas at the edges of the map. They are put into a percolator, replaced and
//! removed. For every property the percolator must find the searches whose [`Criteria::accepts`] returns `true`, and for every
//! search the index must find the properties that the percolator matched with it.
//!
//! `VIGIE_PERCOLATOR_CASES` sets the number of cases; `VIGIE_TEST_SEED` repeats those of an earlier run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::criteria::{Condition, PlaceSet, Predicate};
use domain::{
    Circle, Criteria, GeoPoint, Insee, Key, KeyRange, Property, PropertyAttribute, PropertyId, PropertyView,
    SearchNumber, Zipcode,
};
use engine::scan::ScanIndex;
use engine::{Percolator, PercolatorScratch};
use testkit::Random;

use crate::compare::Agreement;
use crate::coverage::Coverage;
use crate::history::{HistoryGenerator, small_index};
use crate::market::{COMMUNES, Market, point};
use crate::query::Query;

/// Takes ten seconds in a debug build.
const CASES_DEFAULT: u64 = 1_500;

/// The number of criteria in a case.
const SEARCHES: u64 = 120;

#[test]
fn percolator_agrees_with_criteria() {
    let cases = std::env::var("VIGIE_PERCOLATOR_CASES").map_or(CASES_DEFAULT, |cases| cases.parse().unwrap());
    let seed = testkit::random::seed();
    let mut coverage = Coverage::default();
    let mut work = Work::default();
    // One for all cases: its content must not matter.
    let mut scratch = PercolatorScratch::default();
    for case in 0..cases {
        run_case(seed.wrapping_add(case), &mut scratch, &mut coverage, &mut work);
    }
    println!("{cases} cases: {}; {work:?}", coverage.summary());
    if cases >= CASES_DEFAULT {
        coverage.assert_filters_complete();
        work.assert_selective();
    }
}

/// The work of the percolator, compared with evaluating all pairs.
#[derive(Debug, Default)]
struct Work {
    pairs: usize,
    scanned: usize,
    evaluated: usize,
    found: usize,
}

impl Work {
    /// All filters are drawn equally often, so that few searches name a place and most have residual criteria. Even so, not all
    /// searches are scanned, and not all scanned searches are evaluated.
    fn assert_selective(&self) {
        let Self { pairs, scanned, evaluated, found } = *self;
        assert!(scanned * 10 < pairs * 9 && evaluated * 10 < scanned * 8 && found * 10 > pairs, "{self:?}");
    }
}

struct Search {
    query: Query,
    criteria: Criteria,
    is_mutated: bool,
}

/// Runs one case from its seed.
fn run_case(seed: u64, scratch: &mut PercolatorScratch, coverage: &mut Coverage, work: &mut Work) {
    let mut random = Random::new(seed);
    let size = 1 + random.below(40);
    let mut generator = HistoryGenerator::new(Market::draw(&mut random), size);
    let batch = generator.load(&mut random, size);
    let index = batch.apply(small_index(), &mut ScanIndex::default());
    let present: Vec<Arc<Property>> = generator.present.values().cloned().collect();
    let properties: Vec<&Property> = present.iter().map(|property| &**property).collect();
    let (percolator, searches) = fill(&mut random, &properties);
    assert_eq!(percolator.len(), searches.len(), "seed {seed}");

    let mut found_by: BTreeMap<SearchNumber, BTreeSet<PropertyId>> = BTreeMap::new();
    for property in &properties {
        let found = percolator.matches(property, scratch);
        let accepting = searches.iter().filter(|(_, search)| search.criteria.accepts(property));
        let expected: Vec<SearchNumber> = accepting.map(|(number, _)| *number).collect();
        if found.searches != expected {
            fail(seed, property, &searches, &expected, &found.searches);
        }
        assert!(found.evaluated <= found.scanned, "seed {seed}: {found:?}");
        work.pairs += searches.len();
        work.scanned += found.scanned;
        work.evaluated += found.evaluated;
        work.found += found.searches.len();
        for number in found.searches {
            found_by.entry(number).or_default().insert(property.id);
        }
    }
    for (number, Search { query, criteria, is_mutated }) in &searches {
        let hits =
            index.searcher().matches(criteria, &engine::Budget::unlimited()).unwrap().after(None, usize::MAX);
        let hits: BTreeSet<PropertyId> = hits.iter().map(|hit| hit.property).collect();
        let found = found_by.remove(number).unwrap_or_default();
        assert_eq!(
            hits, found,
            "the index and the percolator disagree, seed {seed}, {number:?}: {criteria:?}"
        );
        if !is_mutated {
            coverage.record(
                query,
                &Agreement { total: found.len(), similar: None, clusters: None },
                properties.len(),
            );
        }
    }
}

/// Fills a percolator and returns it with its searches.
fn fill(random: &mut Random, properties: &[&Property]) -> (Percolator, BTreeMap<SearchNumber, Search>) {
    let (mut percolator, mut searches) = (Percolator::default(), BTreeMap::new());
    let mut number = 0;
    for _ in 0..SEARCHES {
        number += 1 + random.below(3) as u32;
        let target = match random.below(12) {
            0 => SearchNumber(u32::MAX - random.below(3) as u32),
            1 => SearchNumber(random.below(1 << 32) as u32),
            // A replacement, if it is present.
            2..4 => SearchNumber(random.below(u64::from(number) + 1) as u32),
            _ => SearchNumber(number),
        };
        let query = Query::draw(random, properties);
        let mut criteria = query.criteria();
        let is_mutated = random.once_in(3);
        if is_mutated {
            (0..=random.below(2)).for_each(|_| mutate(random, properties, &mut criteria));
        }
        percolator.put(target, &criteria);
        searches.insert(target, Search { query, criteria, is_mutated });
        if random.once_in(8) {
            let removed = SearchNumber(random.below(u64::from(number) + 1) as u32);
            assert_eq!(percolator.remove(removed), searches.remove(&removed).is_some());
        }
    }
    (percolator, searches)
}

/// Bounds that users rarely choose.
const UNUSUAL_BOUNDS: &[f64] = &[
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

/// Mutates criteria into something that filters rarely or never produce.
fn mutate(random: &mut Random, properties: &[&Property], criteria: &mut Criteria) {
    match random.below(8) {
        0..3 => {
            let attribute = *random.pick(PropertyAttribute::ALL);
            let predicate = predicate(random, properties, attribute);
            criteria.property.push(Condition { attribute, predicate });
        }
        3 => {
            let attribute = *random.pick(&[
                PropertyAttribute::Price,
                PropertyAttribute::Surface,
                PropertyAttribute::Room,
                PropertyAttribute::Bedroom,
            ]);
            let range = KeyRange { least: unusual_bound(random), most: unusual_bound(random) };
            criteria.property.push(Condition { attribute, predicate: Predicate::Within(range) });
        }
        4 => criteria.places.any_of = Some(places(random, properties)),
        5 => criteria.places.none_of = places(random, properties),
        _ => {
            let near = facts_of_any(random, properties).and_then(|facts| facts.derived.point);
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

fn facts_of_any<'a>(random: &mut Random, properties: &[&'a Property]) -> Option<PropertyView<'a>> {
    let property = *random.pick(properties);
    PropertyView::new(property)
}

fn unusual_bound(random: &mut Random) -> Option<Key> {
    match random.below(10) {
        0..3 => None,
        3 => Some(*random.pick(&[Key::MIN, Key::MAX])),
        _ => Some(Key::number(*random.pick(UNUSUAL_BOUNDS))),
    }
}

/// Draws any test, close to a value that a property has.
fn predicate(random: &mut Random, properties: &[&Property], attribute: PropertyAttribute) -> Predicate {
    let value = |random: &mut Random| {
        let known = facts_of_any(random, properties).and_then(|facts| attribute.read(&facts));
        known.unwrap_or_else(|| Key::from_raw(random.below(3) as i64))
    };
    let nearby = |random: &mut Random| {
        let step = *random.pick(&[0, 0, 1, -1, 1 << 31, -(1 << 31)]);
        Key::from_raw(value(random).get().saturating_add(step))
    };
    match random.below(4) {
        0 => Predicate::OneOf((0..random.below(4)).map(|_| nearby(random)).collect()),
        1 => Predicate::Within(KeyRange { least: Some(nearby(random)), most: None }),
        2 => Predicate::Within(KeyRange { least: None, most: Some(nearby(random)) }),
        _ => {
            let bound = |random: &mut Random| (!random.once_in(3)).then(|| nearby(random));
            Predicate::Within(KeyRange { least: bound(random), most: bound(random) })
        }
    }
}

/// Draws no, a few or many places, of one kind or of several, mostly places with properties.
fn places(random: &mut Random, properties: &[&Property]) -> PlaceSet {
    let mut set = PlaceSet::default();
    for _ in 0..*random.pick(&[0, 1, 2, 3, 8, 9, 25]) {
        let Some(facts) = facts_of_any(random, properties) else { continue };
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
            // Places without properties.
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

/// Reports the searches that only one side has, and panics.
fn fail(
    seed: u64,
    property: &Property,
    searches: &BTreeMap<SearchNumber, Search>,
    expected: &[SearchNumber],
    found: &[SearchNumber],
) -> ! {
    let only_in = |one: &[SearchNumber], other: &[SearchNumber]| -> Vec<String> {
        let alone = one.iter().filter(|number| !other.contains(number));
        let described = alone.map(|number| {
            let criteria = searches.get(number).map(|search| &search.criteria);
            format!("{number:?}: {criteria:?}")
        });
        described.take(3).collect()
    };
    panic!(
        "\nrepeat with VIGIE_TEST_SEED={seed} VIGIE_PERCOLATOR_CASES=1\naccepting, but not found: {:#?}\nfound, but not accepting: {:#?}\n\
         sorted without duplicates: {}\n{property:?}",
        only_in(expected, found),
        only_in(found, expected),
        found.is_sorted_by(|one, next| one < next),
    );
}
