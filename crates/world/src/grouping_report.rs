//! Compares the properties that a receiver formed with the true homes of a labelled market.
//!
//! The measures are pairwise: a pair of adverts is *true* if they advertise the same home, *found* if the receiver put them into
//! the same property. Precision is the share of the found pairs that are true, recall the share of the true pairs that are found.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use domain::PropertyId;

use crate::hard_cases::{CaseKind, LabelledAdvert};

/// How many pairs of each sort are kept as examples.
const EXAMPLES_MAX: usize = 5;

/// How many adverts of one property are searched for examples. A wrong grouping can put everything into one property.
const EXAMPLE_ADVERTS_MAX: usize = 60;

/// Two adverts, by their positions in the market.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairExample {
    pub first: usize,
    pub second: usize,
}

/// The homes, adverts and true pairs of one kind of case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KindCounts {
    pub homes: u64,
    pub adverts: u64,
    pub true_pairs: u64,
    /// The true pairs that were found.
    pub correct_pairs: u64,
    /// True pairs that were missed.
    pub missed_examples: Vec<PairExample>,
}

/// Pairs of different homes in one property, with examples.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WrongPairs {
    pub count: u64,
    pub examples: Vec<PairExample>,
}

/// How well properties agree with the true homes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GroupingReport {
    pub true_pairs: u64,
    pub found_pairs: u64,
    pub correct_pairs: u64,
    pub kinds: BTreeMap<CaseKind, KindCounts>,
    /// By the kinds of the two homes, the lower one first.
    pub wrong: BTreeMap<(CaseKind, CaseKind), WrongPairs>,
}

impl GroupingReport {
    /// `None` if no pair was found.
    pub fn precision(&self) -> Option<f64> {
        ratio(self.correct_pairs, self.found_pairs)
    }

    /// `None` if there is no true pair.
    pub fn recall(&self) -> Option<f64> {
        ratio(self.correct_pairs, self.true_pairs)
    }

    /// The harmonic mean of precision and recall. `None` if either is undefined.
    pub fn f1(&self) -> Option<f64> {
        self.precision().and(self.recall())?;
        ratio(2 * self.correct_pairs, self.found_pairs + self.true_pairs)
    }

    /// Returns `true` if both measures are defined and reach these values.
    pub fn reaches(&self, precision: f64, recall: f64) -> bool {
        self.precision().is_some_and(|reached| reached >= precision)
            && self.recall().is_some_and(|reached| reached >= recall)
    }
}

impl fmt::Display for GroupingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let measure =
            |value: Option<f64>| value.map_or_else(|| "undefined".to_owned(), |value| format!("{value:.4}"));
        let Self { true_pairs, found_pairs, correct_pairs, .. } = self;
        let precision = match self.precision() {
            None => "undefined (no two adverts are in one property)".to_owned(),
            precision => measure(precision),
        };
        write!(
            f,
            "precision {precision}, recall {}, F1 {}: {true_pairs} true pairs, {found_pairs} found, {correct_pairs} of them true",
            measure(self.recall()),
            measure(self.f1()),
        )
    }
}

/// Compares a labelled market with the property of each of its adverts, in the same order.
///
/// Counts are computed from the sizes of groups, never by listing pairs, so a wrong grouping costs no more than a right one.
pub fn grouping_report(market: &[LabelledAdvert], found: &[PropertyId]) -> GroupingReport {
    let mut report = GroupingReport::default();
    let homes = groups(market.iter().map(|advert| advert.home));
    for members in homes.values() {
        let kind = market[members[0]].kind;
        let counts = report.kinds.entry(kind).or_default();
        let parts = groups(members.iter().filter_map(|advert| found.get(*advert)));
        let correct: u64 = parts.values().map(|part| pairs(part.len())).sum();
        counts.homes += 1;
        counts.adverts += members.len() as u64;
        counts.true_pairs += pairs(members.len());
        counts.correct_pairs += correct;
        report.true_pairs += pairs(members.len());
        report.correct_pairs += correct;
        let is_missed = |pair: &PairExample| found.get(pair.first) != found.get(pair.second);
        keep_examples(&mut counts.missed_examples, members, is_missed);
    }
    for members in groups(found.iter().take(market.len())).values() {
        report.found_pairs += pairs(members.len());
        count_wrong(&mut report.wrong, market, members);
    }
    report
}

/// Returns the number of pairs that are in one group in exactly one of two groupings of the same adverts.
pub fn differing_pairs(first: &[PropertyId], second: &[PropertyId]) -> u64 {
    let within =
        |sizes: BTreeMap<_, Vec<usize>>| -> u64 { sizes.values().map(|members| pairs(members.len())).sum() };
    let both: u64 = groups(first.iter().zip(second)).values().map(|members| pairs(members.len())).sum();
    within(groups(first.iter())) + within(groups(second.iter())) - 2 * both
}

/// Counts the pairs of different homes in one property.
fn count_wrong(
    wrong: &mut BTreeMap<(CaseKind, CaseKind), WrongPairs>,
    market: &[LabelledAdvert],
    members: &[usize],
) {
    let homes: BTreeSet<PropertyId> = members.iter().map(|advert| market[*advert].home).collect();
    if homes.len() < 2 {
        return;
    }
    let mut adverts: BTreeMap<CaseKind, u64> = BTreeMap::new();
    let mut same_home: BTreeMap<CaseKind, u64> = BTreeMap::new();
    for advert in members {
        *adverts.entry(market[*advert].kind).or_default() += 1;
    }
    for parts in groups(members.iter().map(|advert| market[*advert].home)).values() {
        *same_home.entry(market[members[parts[0]]].kind).or_default() += pairs(parts.len());
    }
    for (first, first_count) in &adverts {
        for (second, second_count) in adverts.range(first..) {
            let count = match first == second {
                true => first_count * first_count.saturating_sub(1) / 2 - same_home.get(first).unwrap_or(&0),
                false => first_count * second_count,
            };
            if count > 0 {
                let entry = wrong.entry((*first, *second)).or_default();
                entry.count += count;
                let is_wrong = |pair: &PairExample| {
                    let (one, other) = (&market[pair.first], &market[pair.second]);
                    let kinds = (one.kind.min(other.kind), one.kind.max(other.kind));
                    one.home != other.home && kinds == (*first, *second)
                };
                keep_examples(&mut entry.examples, members, is_wrong);
            }
        }
    }
}

/// Adds the first pairs that pass, until there are enough examples.
fn keep_examples(examples: &mut Vec<PairExample>, members: &[usize], passes: impl Fn(&PairExample) -> bool) {
    if examples.len() >= EXAMPLES_MAX {
        return;
    }
    let members = &members[..members.len().min(EXAMPLE_ADVERTS_MAX)];
    // One example of each group: five of the same say no more than one.
    let mut all = members.iter().enumerate().flat_map(|(position, first)| {
        members[position + 1..].iter().map(|second| PairExample { first: *first, second: *second })
    });
    examples.extend(all.find(passes));
}

/// Returns the positions of equal keys. In the order of the keys, so that the same input keeps the same examples.
fn groups<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, Vec<usize>> {
    let mut groups: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for (position, key) in keys.enumerate() {
        groups.entry(key).or_default().push(position);
    }
    groups
}

fn pairs(members: usize) -> u64 {
    let members = members as u64;
    members * members.saturating_sub(1) / 2
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
