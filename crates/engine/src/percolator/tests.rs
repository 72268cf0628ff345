//! What the law does not look at: what is left of what was taken out, and what it takes to find something.

use domain::criteria::{Condition, Entry, PlaceSet, Places, Presence, Predicate};
use domain::{Criteria, GeoPoint, GivenPlace, Key, Phrase, PropertyAttribute, KeyRange, Strictness, Zipcode};
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
fn found(percolator: &Percolator, property: &Property) -> PercolateResult {
    percolator.matches(property, &mut PercolatorScratch::default())
}

#[test]
fn a_search_that_is_reached_in_several_ways_is_found_once() {
    let property = property_in_tours();
    let mut percolator = Percolator::default();
    let department = property.adverts[0].placement.as_ref().unwrap().department.unwrap();
    percolator.put(SearchNumber(7), &in_places(&[TOURS], &[department], &["37000"]));
    percolator.put(SearchNumber(3), &with_words(in_places(&[TOURS], &[], &["37000"]), "terrasses"));
    // So many places that they are a set of their own, reached from the city and from the zipcode.
    let many: Vec<u64> = (TOURS - 10..TOURS + 10).collect();
    percolator.put(SearchNumber(5), &in_places(&many, &[], &["37000"]));
    percolator.put(SearchNumber(4), &in_places(&many, &[], &["37000"]));
    percolator.put(SearchNumber(9), &in_places(&many[..9], &[], &["37100"]));
    let answer = found(&percolator, &property);
    assert_eq!(answer.searches, [3, 4, 5, 7].map(SearchNumber));
    assert_eq!((answer.walked, answer.verified), (3 + 2 + 2, 2));
}

#[test]
fn a_set_of_places_without_any_accepts_nothing() {
    let mut percolator = Percolator::default();
    percolator.put(SearchNumber(1), &in_places(&[], &[], &[]));
    percolator.put(SearchNumber(2), &Criteria::default());
    assert_eq!(found(&percolator, &property_in_tours()).searches, [SearchNumber(2)]);
    assert_eq!(percolator.len(), 2);
    assert!(percolator.remove(SearchNumber(1)));
    assert!(!percolator.remove(SearchNumber(1)));
}

#[test]
fn only_searches_for_the_same_kind_are_looked_at() {
    let property = property_in_tours();
    let mut percolator = Percolator::default();
    for number in 0..7 {
        let test = Predicate::OneOf([Key::code(number)].into());
        let kind = Condition { attribute: PropertyAttribute::PropertyType, predicate: test };
        let criteria = Criteria { property: vec![kind], ..in_places(&[TOURS], &[], &[]) };
        percolator.put(SearchNumber(u32::from(number)), &criteria);
    }
    let answer = found(&percolator, &property);
    assert_eq!((answer.searches.len(), answer.walked, answer.verified), (1, 1, 0));
}

#[test]
fn far_apart_numbers_take_little_room() {
    let mut percolator = Percolator::default();
    for number in [0, 1 << 20, 1 << 31, u32::MAX] {
        percolator.put(SearchNumber(number), &Criteria::default());
    }
    assert!(percolator.bytes() < 64 << 10, "{}", percolator.bytes());
    assert_eq!(found(&percolator, &property_in_tours()).searches.len(), 4);
}

/// Searches of every way of filing, with and without something to check.
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
        let span = KeyRange { least: Some(Key::number(random.below(900) as f64 + 0.1)), most: None };
        let attribute = *random.pick(&[PropertyAttribute::Price, PropertyAttribute::LandSurface]);
        criteria.property.push(Condition { attribute, predicate: Predicate::Within(span) });
    }
    criteria
}

#[test]
fn nothing_is_left_of_what_is_removed() {
    let mut random = Random::new(testkit::random::seed());
    let property = property_in_tours();
    let mut percolator = Percolator::default();
    for number in 0..200 {
        percolator.put(SearchNumber(number), &assorted(&mut random, number));
    }
    let (before, kept) = (found(&percolator, &property), percolator.bytes());
    for round in 0..5 {
        for number in 200..3_000 {
            percolator.put(SearchNumber(number), &assorted(&mut random, number + round));
        }
        // Replaced a few times, too: by something else, and by the same.
        for number in 200..2_000 {
            percolator.put(SearchNumber(number), &assorted(&mut random, number));
        }
        for number in 200..3_000 {
            assert!(percolator.remove(SearchNumber(number)));
        }
        assert_eq!(percolator.len(), 200);
        assert_eq!(found(&percolator, &property), before);
    }
    // Room that was needed once is kept here and there, but no search is.
    assert!(percolator.bytes() < kept + 200_000, "{} {kept}", percolator.bytes());
    for number in 0..200 {
        assert!(percolator.remove(SearchNumber(number)));
    }
    assert!(percolator.is_empty());
    assert_eq!(percolator.bytes(), Percolator::default().bytes());
    assert_eq!(found(&percolator, &property), PercolateResult::default());
}
