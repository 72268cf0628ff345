//! The law of explanations: what they come to is what criteria mean.
//!
//! Questions are drawn as they are for the index, and held against every property of a small market, criterion by criterion. The
//! explanation must end where [`Criteria::accepts`] ends, its lines must go by the names of filters that were given, and every
//! filter must have been seen to hold and to fail.
//!
//! `VIGIE_EXPLAINED_CASES` sets how many cases are played, `VIGIE_TEST_SEED` repeats those of an earlier run.

use std::collections::BTreeMap;

use domain::explain::{AdvertCheck, Explanation, GroupExplanation, PropertyCheck, expression_filters};
use domain::filter::Kind;
use domain::{Criteria, FILTERS, Filter, Property, explain, matching};
use testkit::Random;
use testkit::build::property_id;

use crate::ask::Ask;
use crate::market::Market;

/// A few seconds of work in a debug build, and enough for every filter to hold and to fail alone.
const CASES_DEFAULT: u64 = 1_500;

const PROPERTIES: u64 = 8;
const QUESTIONS: usize = 24;

/// How often lines of a filter held, and how often they failed.
type Outcomes = BTreeMap<&'static str, (usize, usize)>;

#[test]
fn an_explanation_comes_to_what_criteria_mean() {
    let cases = std::env::var("VIGIE_EXPLAINED_CASES").map_or(CASES_DEFAULT, |cases| cases.parse().unwrap());
    let seed = testkit::random::seed();
    let mut outcomes = Outcomes::new();
    for case in 0..cases {
        play(seed.wrapping_add(case), &mut outcomes);
    }
    if cases < CASES_DEFAULT {
        return;
    }
    for filter in FILTERS.iter().filter(|filter| filter.kind != Kind::SortMode) {
        let (held, failed) = outcomes.get(filter.name).copied().unwrap_or_default();
        assert!(held > 0 && failed > 0, "{} held {held} times and failed {failed} times", filter.name);
    }
}

fn play(seed: u64, outcomes: &mut Outcomes) {
    let mut random = Random::new(seed);
    let market = Market::draw(&mut random);
    let properties: Vec<Property> =
        (0..PROPERTIES).map(|number| market.property(&mut random, property_id(number))).collect();
    let drawn_from: Vec<&Property> = properties.iter().collect();
    for _ in 0..QUESTIONS {
        let ask = Ask::draw(&mut random, &drawn_from);
        let criteria = ask.criteria();
        for property in &properties {
            let lines = judged(seed, &ask, &criteria, property);
            for (filters, held) in lines {
                // Alone, so that a filter is not counted for what another one asked for.
                for filter in filters.into_iter().filter(|filter| ask.alone == Some(*filter)) {
                    let (holding, failing) = outcomes.entry(filter.name).or_default();
                    *if held { holding } else { failing } += 1;
                }
            }
        }
    }
}

/// The lines of an explanation that agrees with the criteria.
fn judged(
    seed: u64,
    ask: &Ask,
    criteria: &Criteria,
    property: &Property,
) -> Vec<(Vec<&'static Filter>, bool)> {
    let told =
        || format!("repeat with VIGIE_TEST_SEED={seed} VIGIE_EXPLAINED_CASES=1: {criteria:?} {property:?}");
    let explanation = explain(criteria, property).unwrap_or_else(|| panic!("no explanation, {}", told()));
    assert_eq!(explanation.passed(), criteria.accepts(property), "{}", told());
    assert_eq!(
        explanation.passed() && explanation.is_available,
        matching::matches(criteria, property),
        "{}",
        told()
    );
    let lines = lines(&explanation);
    for (filters, _) in &lines {
        let given = |filter: &&Filter| ask.given.iter().any(|(given, _)| given == filter);
        // It is asked for unless somebody says otherwise.
        let by_default = |filter: &&Filter| filter.name == "withCoherentPrice";
        assert!(
            filters.iter().copied().any(|filter| given(&filter) || by_default(&filter)),
            "nobody asked for {filters:?}, {}",
            told()
        );
    }
    lines
}

/// The filters of every line, and whether it held. Of adverts and changes it is the lines of the one that comes nearest.
fn lines(explanation: &Explanation<'_>) -> Vec<(Vec<&'static Filter>, bool)> {
    let Explanation { is_available: _, property, adverts, changes, expressions } = explanation;
    let mut lines: Vec<_> =
        property.iter().map(|line: &PropertyCheck<'_>| (line.filters(), line.passed())).collect();
    if let Some(nearest) = adverts.as_ref().and_then(|tried| tried.first()) {
        lines.extend(nearest.checks.iter().map(|line: &AdvertCheck<'_>| (line.filters(), line.passed())));
    }
    for tried in changes {
        for (place, condition) in tried.wanted.iter().enumerate() {
            let held = tried.nearest.as_ref().is_some_and(|change| change.checks[place].passed());
            lines.push((tried.filters(condition), held));
        }
    }
    if let Some(groups) = expressions {
        lines.push((expression_filters(), groups.iter().any(GroupExplanation::passed)));
    }
    lines
}
