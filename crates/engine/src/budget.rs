//! The work that a query may do.
//!
//! The engine reads no clock, so it counts units of work instead: the same query on the same index always needs the same number. A
//! unit is about as much as looking at one row on its own, or at one token of its texts: some nanoseconds. A query counts what it
//! does and asks after every block of 64 rows whether it may go on.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a query spends its work on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkKind {
    /// Conditions on properties and adverts.
    Conditions,
    /// Words and phrases.
    Phrases,
    /// Circles and polygons, row by row.
    Areas,
    /// Sorting the matches.
    Order,
}

impl WorkKind {
    const ALL: [Self; 4] = [Self::Conditions, Self::Phrases, Self::Areas, Self::Order];
}

/// Why a query ended without a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// It needs more work than its budget allows, most of it of one kind.
    TooExpensive { most: WorkKind },
    /// Its caller went away.
    Cancelled,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooExpensive { .. } => "the query needs more work than its budget allows",
            Self::Cancelled => "the query was cancelled",
        })
    }
}

impl std::error::Error for Stopped {}

/// The budget of one query, or of several that answer one request.
#[derive(Debug)]
pub struct Budget {
    work_max: u64,
    spent: [Cell<u64>; WorkKind::ALL.len()],
    cancelled: Option<Arc<AtomicBool>>,
}

impl Budget {
    /// Allows `work_max` units of work.
    pub fn new(work_max: u64) -> Self {
        Self { work_max, spent: Default::default(), cancelled: None }
    }

    /// Allows any amount of work, for tests and benchmarks.
    pub fn unlimited() -> Self {
        Self::new(u64::MAX)
    }

    /// Also stops the query once `cancelled` is set.
    #[must_use]
    pub fn until(self, cancelled: Arc<AtomicBool>) -> Self {
        Self { cancelled: Some(cancelled), ..self }
    }

    /// Returns the work done so far.
    pub fn spent(&self) -> u64 {
        self.spent.iter().fold(0, |sum, spent| sum.saturating_add(spent.get()))
    }

    pub(crate) fn count(&self, kind: WorkKind, units: usize) {
        let spent = &self.spent[kind as usize];
        spent.set(spent.get().saturating_add(units as u64));
    }

    /// Fails if the query must stop.
    pub(crate) fn check(&self) -> Result<(), Stopped> {
        if self.cancelled.as_ref().is_some_and(|cancelled| cancelled.load(Ordering::Relaxed)) {
            return Err(Stopped::Cancelled);
        }
        if self.spent() <= self.work_max {
            return Ok(());
        }
        let spent = |kind: &WorkKind| self.spent[*kind as usize].get();
        let most = WorkKind::ALL.into_iter().max_by_key(spent).unwrap_or(WorkKind::Conditions);
        Err(Stopped::TooExpensive { most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_names_what_most_was_spent_on() {
        let budget = Budget::new(10);
        budget.count(WorkKind::Conditions, 4);
        budget.count(WorkKind::Phrases, 6);
        assert_eq!((budget.check(), budget.spent()), (Ok(()), 10));
        budget.count(WorkKind::Order, 1);
        assert_eq!(budget.check(), Err(Stopped::TooExpensive { most: WorkKind::Phrases }));
        let unlimited = Budget::unlimited();
        unlimited.count(WorkKind::Areas, usize::MAX);
        unlimited.count(WorkKind::Order, usize::MAX);
        assert_eq!(unlimited.check(), Ok(()));
    }

    #[test]
    fn cancelled_query_stops() {
        let cancelled = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().until(Arc::clone(&cancelled));
        assert_eq!(budget.check(), Ok(()));
        cancelled.store(true, Ordering::Relaxed);
        assert_eq!(budget.check(), Err(Stopped::Cancelled));
    }
}
