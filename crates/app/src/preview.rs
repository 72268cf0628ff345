//! Previews a search before it is saved: what it finds now, and how many matches it would have had in the past days.
//!
//! A property would have matched within a time window if it satisfies the criteria now, was available within the window, and did not
//! match without interruption throughout it ([`rewind::newly_matched_since`]). Properties that have expired since count, with
//! all their adverts; properties that no longer satisfy the criteria do not.
//!
//! The index returns the candidates: properties that satisfy the criteria and changed within the window. Those created within it
//! count without further work, because they did not exist before. The others are read and rewound, up to [`READ_MAX`]; the share found
//! among these, the most recently changed, is extrapolated to the rest.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use domain::criteria::{AdvertScope, Condition, Direction, Predicate};
use domain::ports::whole_second;
use domain::{
    Criteria, Key, KeyRange, Order, OrderBy, Property, PropertyAttribute, PropertyId, Timestamp, rewind,
};
use engine::{Budget, SearchRequest, SearchResult, Searcher, Stopped};
use jiff::SignedDuration;

use crate::fair::Turn;
use crate::{App, Error, run_blocking};

/// Reading and rewinding this many small properties took an eighth of a second in a debug build. A share estimated from this many
/// is accurate to about two percentage points.
pub const READ_MAX: usize = 2_000;

/// Properties may be large, and are not all held in memory at once.
const READ_BATCH: usize = 200;

/// What a search finds now, and would have matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The available properties that satisfy the criteria, newest first.
    pub now: SearchResult,
    pub last_7_days: Count,
    pub last_30_days: Count,
}

/// The number of properties that would have matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    pub count: usize,
    /// `true` if part of the number is extrapolated.
    pub is_estimated: bool,
}

impl App {
    /// Previews criteria, with the first `take` hits. A preview computes as much as hundreds of searches: only one runs at a time,
    /// in a turn from [`App::preview_turn`]. It ends early once `cancelled` is set.
    pub async fn preview(
        &self,
        turn: Turn,
        cancelled: Arc<AtomicBool>,
        criteria: Criteria,
        now: Timestamp,
        take: usize,
    ) -> Result<Preview, Error> {
        let searcher = self.index_searcher()?;
        let criteria = Arc::new(criteria);
        let searched = Arc::clone(&criteria);
        let budget = self.budget().until(Arc::clone(&cancelled));
        let found = run_blocking(move || {
            let window = |days: i64| Window::new(&searcher, &searched, days_before(now, days), &budget);
            Ok((available_now(&searcher, &searched, take, &budget)?, window(7)?, window(30)?))
        });
        let (found, week, month) = found.await?.map_err(|stopped| self.stopped(stopped))?;
        let windows = Arc::new([week, month]);
        let mut samples = [Sample::default(); 2];
        for ids in to_read(&*windows).chunks(READ_BATCH) {
            if cancelled.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            let properties = self.properties(ids.to_vec()).await?;
            let (criteria, windows) = (Arc::clone(&criteria), Arc::clone(&windows));
            let evaluated = run_blocking(move || {
                windows.each_ref().map(|window| window.evaluate(&criteria, properties.values()))
            });
            for (sample, more) in samples.iter_mut().zip(evaluated.await?) {
                sample.add(more);
            }
        }
        let [last_7_days, last_30_days] = [0, 1].map(|index| windows[index].count(samples[index]));
        drop(turn);
        Ok(Preview { now: found, last_7_days, last_30_days })
    }
}

fn days_before(now: Timestamp, days: i64) -> Timestamp {
    whole_second(now).saturating_sub(SignedDuration::from_hours(24 * days)).unwrap_or(Timestamp::MIN)
}

fn available_now(
    searcher: &Searcher,
    criteria: &Criteria,
    take: usize,
    budget: &Budget,
) -> Result<SearchResult, Stopped> {
    let criteria = with(criteria, [flag(PropertyAttribute::Expired, false)]);
    searcher.search(&SearchRequest { criteria, order: Order::default(), skip: 0, take }, budget)
}

/// The candidates of a time window that ends now.
#[derive(Debug)]
struct Window {
    since: Timestamp,
    /// How many were created in the window, and were available in it.
    created: usize,
    /// How many existed before and changed in the window.
    changed: usize,
    /// The most recently changed of these.
    to_read: HashSet<PropertyId>,
}

/// How many of the properties that were read would have matched.
#[derive(Debug, Clone, Copy, Default)]
struct Sample {
    evaluated: usize,
    matched: usize,
}

impl Sample {
    fn add(&mut self, more: Self) {
        self.evaluated += more.evaluated;
        self.matched += more.matched;
    }
}

impl Window {
    fn new(
        searcher: &Searcher,
        criteria: &Criteria,
        since: Timestamp,
        budget: &Budget,
    ) -> Result<Self, Stopped> {
        // Dates are whole seconds, so "later than" means at least one second later.
        let after = |attribute| {
            let next = Key::from_raw(since.as_second() + 1);
            within(attribute, KeyRange { least: Some(next), most: None })
        };
        let until =
            |attribute| within(attribute, KeyRange { least: None, most: Some(Key::timestamp(since)) });
        // No advert of a property that has expired since is on offer now, so all of them count.
        let expired = Criteria { advert_scope: AdvertScope::All, ..criteria.clone() };
        let candidates = [
            with(criteria, [flag(PropertyAttribute::Expired, false)]),
            with(&expired, [after(PropertyAttribute::ExpiredAt)]),
        ];
        let mut window = Self { since, created: 0, changed: 0, to_read: HashSet::new() };
        for candidates in &candidates {
            let created = with(candidates, [after(PropertyAttribute::CreatedAt)]);
            let created = SearchRequest { criteria: created, order: Order::default(), skip: 0, take: 0 };
            window.created += searcher.search(&created, budget)?.total;
            let changed = SearchRequest {
                // No advert is updated before it is created, so a new advert counts as a change of its property.
                criteria: with(
                    candidates,
                    [after(PropertyAttribute::UpdatedAt), until(PropertyAttribute::CreatedAt)],
                ),
                order: Order { by: vec![(OrderBy::UpdatedAt, Direction::Descending)], ..Order::default() },
                skip: 0,
                take: READ_MAX - window.to_read.len(),
            };
            let changed = searcher.search(&changed, budget)?;
            window.changed += changed.total;
            window.to_read.extend(changed.hits.into_iter().map(|hit| hit.property));
        }
        Ok(window)
    }

    fn evaluate<'a>(&self, criteria: &Criteria, properties: impl Iterator<Item = &'a Property>) -> Sample {
        let mut sample = Sample::default();
        for property in properties.filter(|property| self.to_read.contains(&property.id)) {
            sample.evaluated += 1;
            sample.matched += usize::from(rewind::newly_matched_since(criteria, property, self.since));
        }
        sample
    }

    fn count(&self, sample: Sample) -> Count {
        let Sample { evaluated, matched } = sample;
        let unread = self.changed - self.to_read.len();
        // The share among the unread properties is taken to be the same, rounded.
        let extrapolated = (unread * matched + evaluated / 2).checked_div(evaluated).unwrap_or_default();
        Count { count: self.created + matched + extrapolated, is_estimated: unread > 0 }
    }
}

fn to_read(windows: &[Window]) -> Vec<PropertyId> {
    let ids: HashSet<PropertyId> = windows.iter().flat_map(|window| &window.to_read).copied().collect();
    ids.into_iter().collect()
}

fn with<const COUNT: usize>(
    criteria: &Criteria,
    conditions: [Condition<PropertyAttribute>; COUNT],
) -> Criteria {
    let mut criteria = criteria.clone();
    criteria.property.extend(conditions);
    criteria
}

fn within(attribute: PropertyAttribute, range: KeyRange) -> Condition<PropertyAttribute> {
    Condition { attribute, predicate: Predicate::Within(range) }
}

fn flag(attribute: PropertyAttribute, flag: bool) -> Condition<PropertyAttribute> {
    Condition { attribute, predicate: Predicate::OneOf([Key::flag(flag)].into()) }
}

#[cfg(test)]
mod tests;
