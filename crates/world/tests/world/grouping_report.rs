//! The measures of a grouping, on small groupings and against a count of all pairs.

use domain::PropertyId;
use world::{
    CaseKind, GroupingReport, LabelledAdvert, PairExample, Random, differing_pairs, grouping_report,
};

use crate::world;

fn id(number: u8) -> PropertyId {
    PropertyId::from_bytes([number; 16])
}

/// Adverts with these homes. Homes above 100 are parking spaces, the others ordinary.
fn market(homes: &[u8]) -> Vec<LabelledAdvert> {
    let world = world(1, 200);
    let labelled = |(home, draft): (&u8, _)| LabelledAdvert {
        home: id(*home),
        case: u64::from(*home),
        kind: if *home > 100 { CaseKind::ParkingSeries } else { CaseKind::Ordinary },
        draft,
    };
    homes.iter().zip(world.drafts()).map(labelled).collect()
}

fn report(homes: &[u8], found: &[u8]) -> GroupingReport {
    let found: Vec<PropertyId> = found.iter().map(|number| id(*number)).collect();
    grouping_report(&market(homes), &found)
}

#[test]
fn without_grouping_precision_is_undefined_and_recall_zero() {
    let report = report(&[1, 1, 2], &[1, 2, 3]);
    assert_eq!((report.precision(), report.recall(), report.f1()), (None, Some(0.0), None));
    assert!(!report.reaches(0.0, 0.0));
    assert_eq!(
        report.to_string(),
        "precision undefined (no two adverts are in one property), recall 0.0000, F1 undefined: 1 true pairs, 0 found, 0 of them true"
    );
}

#[test]
fn the_truth_is_perfect() {
    let report = report(&[1, 1, 2, 101, 101, 101], &[7, 7, 8, 9, 9, 9]);
    assert_eq!((report.precision(), report.recall(), report.f1()), (Some(1.0), Some(1.0), Some(1.0)));
    assert!(report.reaches(1.0, 1.0) && report.wrong.is_empty());
    let parking = &report.kinds[&CaseKind::ParkingSeries];
    assert_eq!((parking.homes, parking.adverts, parking.true_pairs, parking.correct_pairs), (1, 3, 3, 3));
}

#[test]
fn missed_and_wrong_pairs_are_counted_by_kind() {
    // The first home is split, two parking spaces are merged, and one of them also with an ordinary home.
    let report = report(&[1, 1, 2, 101, 101, 102], &[1, 2, 3, 3, 3, 3]);
    assert_eq!((report.true_pairs, report.found_pairs, report.correct_pairs), (2, 6, 1));
    let ordinary = &report.kinds[&CaseKind::Ordinary];
    assert_eq!((ordinary.true_pairs, ordinary.correct_pairs), (1, 0));
    assert_eq!(ordinary.missed_examples, [PairExample { first: 0, second: 1 }]);
    let wrong = |first, second| report.wrong[&(first, second)].count;
    assert_eq!(wrong(CaseKind::Ordinary, CaseKind::ParkingSeries), 3);
    assert_eq!(wrong(CaseKind::ParkingSeries, CaseKind::ParkingSeries), 2);
    assert_eq!(report.wrong.len(), 2);
    assert_eq!(
        report.wrong[&(CaseKind::ParkingSeries, CaseKind::ParkingSeries)].examples,
        [PairExample { first: 3, second: 5 }]
    );
}

#[test]
fn counts_agree_with_a_count_of_all_pairs() {
    for seed in 1..=50 {
        let mut random = Random::new(seed);
        let mut draw = |limit: u64| -> Vec<u8> { (0..40).map(|_| 95 + random.below(limit) as u8).collect() };
        let (homes, found, other) = (draw(15), draw(12), draw(12));
        let report = report(&homes, &found);
        let (mut true_pairs, mut found_pairs, mut correct, mut wrong, mut differing) = (0, 0, 0, 0, 0);
        for first in 0..homes.len() {
            for second in first + 1..homes.len() {
                let (same_home, same_property) =
                    (homes[first] == homes[second], found[first] == found[second]);
                true_pairs += u64::from(same_home);
                found_pairs += u64::from(same_property);
                correct += u64::from(same_home && same_property);
                wrong += u64::from(!same_home && same_property);
                differing += u64::from(same_property != (other[first] == other[second]));
            }
        }
        let counted = (report.true_pairs, report.found_pairs, report.correct_pairs);
        assert_eq!(counted, (true_pairs, found_pairs, correct), "seed {seed}");
        assert_eq!(report.wrong.values().map(|pairs| pairs.count).sum::<u64>(), wrong, "seed {seed}");
        let ids = |numbers: &[u8]| numbers.iter().map(|number| id(*number)).collect::<Vec<_>>();
        assert_eq!(differing_pairs(&ids(&found), &ids(&other)), differing, "seed {seed}");
    }
}
