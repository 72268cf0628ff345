//! Memory and work: what the differential tests do not check.

use std::collections::BTreeSet;

use domain::criteria::{Condition, Entry, PlaceSet, Places, Predicate, Presence};
use domain::{Criteria, GeoPoint, GivenPlace, Key, KeyRange, Phrase, PropertyAttribute, Strictness, Zipcode};
use testkit::{Random, build};

use super::*;

const TOURS: u64 = 37_261;

fn in_places(cities: &[u64], departments: &[u64], zipcodes: &[&str]) -> Criteria {
    let keys = |ids: &[u64]| ids.iter().map(|id| Key::place(*id)).collect();
    let zipcodes = zipcodes.iter().filter_map(|text| Zipcode::parse(text));
    let any_of = PlaceSet {
        cities: keys(cities),
        departments: keys(departments),
        zipcodes: zipcodes.map(|zipcode| Key::zipcode(&zipcode)).collect(),
    };
    Criteria { places: Places { any_of: Some(any_of), ..Places::default() }, ..Criteria::default() }
}

fn with_words(mut criteria: Criteria, text: &str) -> Criteria {
    let phrase = Phrase::new(text, Strictness::Inflected).unwrap();
    criteria.expressions = vec![vec![Entry { phrase, presence: Presence::Present }]];
    criteria
}

fn property_in_tours() -> Property {
    let mut advert = build::advert(1).title("Maison avec terrasse").build();
    advert.placement = Some(domain::Placement {
        insee: domain::Insee::parse("37261").unwrap(),
        department: domain::Insee::parse("37261").unwrap().department(),
        zipcode: Zipcode::parse("37000"),
        centre: GeoPoint::new(47.4, 0.7),
    });
    advert.details.place = GivenPlace::default();
    Property { id: build::property_id(1), adverts: vec![advert] }
}

#[track_caller]
fn percolate(percolator: &Percolator, property: &Property) -> PercolateResult {
    percolator.matches(property, &mut PercolatorScratch::default())
}

#[test]
fn search_in_several_buckets_is_found_once() {
    let property = property_in_tours();
    let mut percolator = Percolator::default();
    let department = property.adverts[0].placement.as_ref().unwrap().department.unwrap();
    percolator.put(SearchNumber(7), &in_places(&[TOURS], &[department], &["37000"]));
    percolator.put(SearchNumber(3), &with_words(in_places(&[TOURS], &[], &["37000"]), "terrasses"));
    // So many places that they share one bucket, reached from the city and from the zipcode.
    let many: Vec<u64> = (TOURS - 10..TOURS + 10).collect();
    percolator.put(SearchNumber(5), &in_places(&many, &[], &["37000"]));
    percolator.put(SearchNumber(4), &in_places(&many, &[], &["37000"]));
    percolator.put(SearchNumber(9), &in_places(&many[..9], &[], &["37100"]));
    let result = percolate(&percolator, &property);
    assert_eq!(result.searches, [3, 4, 5, 7].map(SearchNumber));
    assert_eq!((result.scanned, result.evaluated), (3 + 2 + 2, 2));
}

#[test]
fn empty_place_set_matches_nothing() {
    let mut percolator = Percolator::default();
    percolator.put(SearchNumber(1), &in_places(&[], &[], &[]));
    percolator.put(SearchNumber(2), &Criteria::default());
    assert_eq!(percolate(&percolator, &property_in_tours()).searches, [SearchNumber(2)]);
    assert_eq!(percolator.len(), 2);
    assert!(percolator.remove(SearchNumber(1)));
    assert!(!percolator.remove(SearchNumber(1)));
}

#[test]
fn only_searches_for_the_same_kind_are_scanned() {
    let property = property_in_tours();
    let mut percolator = Percolator::default();
    for number in 0..7 {
        let predicate = Predicate::OneOf([Key::code(number)].into());
        let kind = Condition { attribute: PropertyAttribute::PropertyType, predicate };
        let criteria = Criteria { property: vec![kind], ..in_places(&[TOURS], &[], &[]) };
        percolator.put(SearchNumber(u32::from(number)), &criteria);
    }
    let result = percolate(&percolator, &property);
    assert_eq!((result.searches.len(), result.scanned, result.evaluated), (1, 1, 0));
}

#[test]
fn sparse_numbers_take_little_memory() {
    let mut percolator = Percolator::default();
    for number in [0, 1 << 20, 1 << 31, u32::MAX] {
        percolator.put(SearchNumber(number), &Criteria::default());
    }
    assert!(percolator.bytes() < 64 << 10, "{}", percolator.bytes());
    assert_eq!(percolate(&percolator, &property_in_tours()).searches.len(), 4);
}

/// Searches for every kind of bucket, with and without residual criteria.
fn assorted(random: &mut Random, number: u32) -> Criteria {
    let mut criteria = match random.below(6) {
        0 => in_places(&[TOURS + random.below(40)], &[], &[]),
        1 => in_places(&[TOURS, TOURS + random.below(5)], &[37], &["37000", "37100"]),
        2 => in_places(&(TOURS - 5..TOURS + 5 + random.below(9)).collect::<Vec<_>>(), &[], &[]),
        3 => in_places(&[], &[], &[]),
        4 => Criteria::default(),
        _ => {
            let centre = GeoPoint::new(47.4 + random.below(9) as f64 / 10.0, 0.7).unwrap();
            let circle = Some(domain::Circle { centre, radius_km: 1.0 + random.below(20) as f64 });
            Criteria { places: Places { circle, ..Places::default() }, ..Criteria::default() }
        }
    };
    if random.once_in(3) {
        criteria = with_words(criteria, &format!("terrasse {}", number % 50));
    }
    if random.once_in(3) {
        let range = KeyRange { least: Some(Key::number(random.below(900) as f64 + 0.1)), most: None };
        let attribute = *random.pick(&[PropertyAttribute::Price, PropertyAttribute::LandSurface]);
        criteria.property.push(Condition { attribute, predicate: Predicate::Within(range) });
    }
    criteria
}

#[test]
fn removed_searches_leave_nothing() {
    let mut random = Random::new(testkit::random::seed());
    let property = property_in_tours();
    let mut percolator = Percolator::default();
    for number in 0..200 {
        percolator.put(SearchNumber(number), &assorted(&mut random, number));
    }
    let (before, bytes) = (percolate(&percolator, &property), percolator.bytes());
    for round in 0..5 {
        for number in 200..3_000 {
            percolator.put(SearchNumber(number), &assorted(&mut random, number + round));
        }
        // Replace some of them, too.
        for number in 200..2_000 {
            percolator.put(SearchNumber(number), &assorted(&mut random, number));
        }
        for number in 200..3_000 {
            assert!(percolator.remove(SearchNumber(number)));
        }
        assert_eq!(percolator.len(), 200);
        assert_eq!(percolate(&percolator, &property), before);
    }
    // Some spare capacity remains, but no search.
    assert!(percolator.bytes() < bytes + 200_000, "{} {bytes}", percolator.bytes());
    for number in 0..200 {
        assert!(percolator.remove(SearchNumber(number)));
    }
    assert!(percolator.is_empty());
    assert_eq!(percolator.bytes(), Percolator::default().bytes());
    assert_eq!(percolate(&percolator, &property), PercolateResult::default());
}

#[test]
fn bitmap_sort_agrees_with_a_set() {
    let mut random = Random::new(testkit::random::seed());
    let mut sorter = BitmapSorter::default();
    for _ in 0..300 {
        let most = *random.pick(&[1, 63, 64, 4_096, 100_000, u64::from(BITMAP_NUMBER_MAX) + 1, 1 << 32]);
        let count = *random.pick(&[0, 1, 63, 64, 65, 3_000]);
        let mut numbers: Vec<u32> = (0..count).map(|_| random.below(most) as u32).collect();
        let expected: BTreeSet<u32> = numbers.iter().copied().collect();
        let sorted = sorter.sort_dedup(&mut numbers);
        assert!(sorted.iter().map(|number| number.0).eq(expected));
    }
}
