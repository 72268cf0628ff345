//! Differential test of explanations: they agree with [`Criteria::accepts`].
//!
//! Queries are drawn as for the index and explained for every property of a small market. The verdict of the explanation must be
//! that of [`Criteria::accepts`], its lines must name filters of the query, and every filter must have held and failed.
//!
//! `VIGIE_EXPLAIN_CASES` sets the number of cases; `VIGIE_TEST_SEED` repeats those of an earlier run.

use std::collections::BTreeMap;

use domain::explain::{AdvertCheck, Explanation, GroupExplanation, PropertyCheck, expression_filters};
use domain::filter::Kind;
use domain::{Criteria, FILTERS, Filter, Property, explain, matching};
use testkit::Random;
use testkit::build::property_id;

use crate::market::Market;
use crate::query::Query;

/// Takes a few seconds in a debug build, and enough for every filter to hold and to fail alone.
const CASES_DEFAULT: u64 = 1_500;

const PROPERTIES: u64 = 8;
const QUERIES: usize = 24;

/// How often lines of a filter held, and how often they failed.
type Outcomes = BTreeMap<&'static str, (usize, usize)>;

#[test]
fn explanation_agrees_with_criteria() {
    let cases = std::env::var("VIGIE_EXPLAIN_CASES").map_or(CASES_DEFAULT, |cases| cases.parse().unwrap());
    let seed = testkit::random::seed();
    let mut outcomes = Outcomes::new();
    for case in 0..cases {
        run_case(seed.wrapping_add(case), &mut outcomes);
    }
    if cases < CASES_DEFAULT {
        return;
    }
    for filter in FILTERS.iter().filter(|filter| filter.kind != Kind::SortMode) {
        let (held, failed) = outcomes.get(filter.name).copied().unwrap_or_default();
        assert!(held > 0 && failed > 0, "{} held {held} times and failed {failed} times", filter.name);
    }
}

fn run_case(seed: u64, outcomes: &mut Outcomes) {
    let mut random = Random::new(seed);
    let market = Market::draw(&mut random);
    let properties: Vec<Property> =
        (0..PROPERTIES).map(|number| market.property(&mut random, property_id(number))).collect();
    let drawn_from: Vec<&Property> = properties.iter().collect();
    for _ in 0..QUERIES {
        let query = Query::draw(&mut random, &drawn_from);
        let criteria = query.criteria();
        for property in &properties {
            let lines = check(seed, &query, &criteria, property);
            for (filters, held) in lines {
                // Only if it is alone: another filter may have produced the same line.
                for filter in filters.into_iter().filter(|filter| query.alone == Some(*filter)) {
                    let (holding, failing) = outcomes.entry(filter.name).or_default();
                    *if held { holding } else { failing } += 1;
                }
            }
        }
    }
}

/// Explains a property, checks the verdict and returns the lines.
fn check(
    seed: u64,
    query: &Query,
    criteria: &Criteria,
    property: &Property,
) -> Vec<(Vec<&'static Filter>, bool)> {
    let context =
        || format!("repeat with VIGIE_TEST_SEED={seed} VIGIE_EXPLAIN_CASES=1: {criteria:?} {property:?}");
    let explanation = explain(criteria, property).unwrap_or_else(|| panic!("no explanation, {}", context()));
    assert_eq!(explanation.passed(), criteria.accepts(property), "{}", context());
    assert_eq!(
        explanation.passed() && explanation.is_available,
        matching::matches(criteria, property),
        "{}",
        context()
    );
    let lines = lines(&explanation);
    for (filters, _) in &lines {
        let given = |filter: &&Filter| query.given.iter().any(|(given, _)| given == filter);
        // It is on by default.
        let by_default = |filter: &&Filter| filter.name == "withCoherentPrice";
        assert!(
            filters.iter().copied().any(|filter| given(&filter) || by_default(&filter)),
            "the query has none of {filters:?}, {}",
            context()
        );
    }
    lines
}

/// Returns the filters of every line and whether it held. For adverts and changes these are the lines of the nearest one.
fn lines(explanation: &Explanation<'_>) -> Vec<(Vec<&'static Filter>, bool)> {
    let Explanation { is_available: _, property, adverts, changes, expressions } = explanation;
    let mut lines: Vec<_> =
        property.iter().map(|line: &PropertyCheck<'_>| (line.filters(), line.passed())).collect();
    if let Some(nearest) = adverts.as_ref().and_then(|tried| tried.first()) {
        lines.extend(nearest.checks.iter().map(|line: &AdvertCheck<'_>| (line.filters(), line.passed())));
    }
    for tried in changes {
        for (index, condition) in tried.wanted.iter().enumerate() {
            let held = tried.nearest.as_ref().is_some_and(|change| change.checks[index].passed());
            lines.push((tried.filters(condition), held));
        }
    }
    if let Some(groups) = expressions {
        lines.push((expression_filters(), groups.iter().any(GroupExplanation::passed)));
    }
    lines
}
