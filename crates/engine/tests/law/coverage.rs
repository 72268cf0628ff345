//! Whether a run asked what it was meant to ask. A law that is never put to the test holds always.

use std::collections::BTreeMap;

use domain::FILTERS;
use domain::similarity::SIMILAR_MAX;

use crate::ask::Ask;
use crate::judge::Agreed;

/// What a run has seen.
#[derive(Debug, Default)]
pub struct Coverage {
    questions: usize,
    /// Those that accepted some properties and not all.
    telling: usize,
    /// Lists of similar properties that held something, and those that were full.
    similar: usize,
    similar_full: usize,
    rows: BTreeMap<&'static str, Row>,
}

#[derive(Debug, Default)]
struct Row {
    drawn: usize,
    /// How often it alone accepted something, and how often it alone rejected something.
    accepted: usize,
    rejected: usize,
}

/// How often every row is drawn, at least; a default run draws each more than ten times as often.
const DRAWN_MIN: usize = 50;

/// How many questions in a hundred accept some properties and not all.
const TELLING_PERCENT_MIN: usize = 30;

impl Coverage {
    pub fn note(&mut self, ask: &Ask, agreed: &Agreed, properties: usize) {
        self.questions += 1;
        self.telling += usize::from(agreed.total > 0 && agreed.total < properties);
        self.similar += usize::from(agreed.similar.is_some_and(|total| total > 0));
        self.similar_full += usize::from(agreed.similar == Some(SIMILAR_MAX));
        for (filter, _) in &ask.given {
            self.rows.entry(filter.name).or_default().drawn += 1;
        }
        if let Some(filter) = ask.alone {
            let row = self.rows.entry(filter.name).or_default();
            row.accepted += usize::from(agreed.total > 0);
            row.rejected += usize::from(agreed.total < properties);
        }
    }

    /// Everything about rows that was seen too rarely.
    fn row_gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        for filter in FILTERS {
            let nothing = Row::default();
            let Row { drawn, accepted, rejected } = self.rows.get(filter.name).unwrap_or(&nothing);
            if *drawn < DRAWN_MIN || *accepted == 0 || *rejected == 0 {
                gaps.push(format!(
                    "{} was drawn {drawn} times; alone it accepted {accepted} times and rejected {rejected} times",
                    filter.name
                ));
            }
        }
        if self.telling * 100 < self.questions * TELLING_PERCENT_MIN {
            gaps.push(format!(
                "only {} of {} questions accepted some and not all",
                self.telling, self.questions
            ));
        }
        gaps
    }

    /// Whether every row of the table was put to the test.
    pub fn assert_rows_complete(&self) {
        assert_none(&self.row_gaps());
    }

    /// The same, and whether similar properties were.
    pub fn assert_complete(&self) {
        let mut gaps = self.row_gaps();
        if self.similar == 0 || self.similar_full == 0 {
            gaps.push(format!("{} lists of similar properties, {} full", self.similar, self.similar_full));
        }
        assert_none(&gaps);
    }

    /// One line for whoever reads along.
    pub fn told(&self) -> String {
        let least = self.rows.values().map(|row| row.drawn).min().unwrap_or_default();
        let rarest = self.rows.iter().min_by_key(|(_, row)| row.accepted.min(row.rejected));
        let rarest = rarest.map(|(name, row)| format!("{name} {}/{}", row.accepted, row.rejected));
        format!(
            "{} questions, {} telling, {} similar of which {} full; every filter at least {least} times; alone accepting and \
             rejecting, the rarest {}",
            self.questions,
            self.telling,
            self.similar,
            self.similar_full,
            rarest.unwrap_or_default()
        )
    }
}

fn assert_none(gaps: &[String]) {
    assert!(gaps.is_empty(), "what was asked proves little:\n{}", gaps.join("\n"));
}
