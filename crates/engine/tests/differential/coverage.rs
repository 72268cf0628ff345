//! Records what a run covered: a test that never draws a filter does not test it.

use std::collections::BTreeMap;

use domain::FILTERS;
use domain::similarity::SIMILAR_MAX;

use crate::compare::Agreement;
use crate::query::Query;

/// What a run has covered.
#[derive(Debug, Default)]
pub struct Coverage {
    queries: usize,
    /// Queries that matched some properties and not all.
    selective: usize,
    /// Lists of similar properties that were not empty, and those that were full.
    similar: usize,
    similar_full: usize,
    /// Viewports with cells, and those with some of the matches and not all.
    clustered: usize,
    viewports_selective: usize,
    filters: BTreeMap<&'static str, FilterCoverage>,
}

#[derive(Debug, Default)]
struct FilterCoverage {
    drawn: usize,
    /// How often a query with this filter alone matched something, and how often it rejected something.
    accepted: usize,
    rejected: usize,
}

/// The minimum number of times each filter is drawn. A default run draws each more than ten times as often.
const DRAWN_MIN: usize = 50;

/// The minimum percentage of queries that match some properties and not all.
const SELECTIVE_PERCENT_MIN: usize = 30;

impl Coverage {
    pub fn record(&mut self, query: &Query, agreement: &Agreement, properties: usize) {
        self.queries += 1;
        self.selective += usize::from(agreement.total > 0 && agreement.total < properties);
        self.similar += usize::from(agreement.similar.is_some_and(|total| total > 0));
        self.similar_full += usize::from(agreement.similar == Some(SIMILAR_MAX));
        if let Some(clusters) = &agreement.clusters {
            self.clustered += usize::from(!clusters.cells.is_empty());
            self.viewports_selective += usize::from(clusters.total > 0 && clusters.total < agreement.total);
        }
        for (filter, _) in &query.given {
            self.filters.entry(filter.name).or_default().drawn += 1;
        }
        if let Some(filter) = query.alone {
            let row = self.filters.entry(filter.name).or_default();
            row.accepted += usize::from(agreement.total > 0);
            row.rejected += usize::from(agreement.total < properties);
        }
    }

    /// Returns the filters that were covered too rarely.
    fn filter_gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        for filter in FILTERS {
            let nothing = FilterCoverage::default();
            let FilterCoverage { drawn, accepted, rejected } =
                self.filters.get(filter.name).unwrap_or(&nothing);
            if *drawn < DRAWN_MIN || *accepted == 0 || *rejected == 0 {
                gaps.push(format!(
                    "{} was drawn {drawn} times; alone it accepted {accepted} times and rejected {rejected} times",
                    filter.name
                ));
            }
        }
        if self.selective * 100 < self.queries * SELECTIVE_PERCENT_MIN {
            gaps.push(format!(
                "only {} of {} queries matched some properties and not all",
                self.selective, self.queries
            ));
        }
        gaps
    }

    /// Panics unless every filter was covered.
    pub fn assert_filters_complete(&self) {
        assert_none(&self.filter_gaps());
    }

    /// Panics unless every filter and similar properties were covered.
    pub fn assert_complete(&self) {
        let mut gaps = self.filter_gaps();
        if self.similar == 0 || self.similar_full == 0 {
            gaps.push(format!("{} lists of similar properties, {} full", self.similar, self.similar_full));
        }
        if self.clustered == 0 || self.viewports_selective == 0 {
            gaps.push(format!(
                "{} viewports with cells, {} with some matches and not all",
                self.clustered, self.viewports_selective
            ));
        }
        assert_none(&gaps);
    }

    /// Summarizes the coverage in one line.
    pub fn summary(&self) -> String {
        let least = self.filters.values().map(|row| row.drawn).min().unwrap_or_default();
        let rarest = self.filters.iter().min_by_key(|(_, row)| row.accepted.min(row.rejected));
        let rarest = rarest.map(|(name, row)| format!("{name} {}/{}", row.accepted, row.rejected));
        format!(
            "{} queries, {} selective, {} similar, {} of these full; {} viewports with cells, {} selective; every filter at least {least} times; rarest filter alone \
             (matched/rejected): {}",
            self.queries,
            self.selective,
            self.similar,
            self.similar_full,
            self.clustered,
            self.viewports_selective,
            rarest.unwrap_or_default()
        )
    }
}

fn assert_none(gaps: &[String]) {
    assert!(gaps.is_empty(), "insufficient coverage:\n{}", gaps.join("\n"));
}
