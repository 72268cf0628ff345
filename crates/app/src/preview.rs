//! What a search would find, and would have found, before anybody saves it.
//!
//! A property would have made a match in a window of time when it meets the criteria as it is now, was on offer within the window, and
//! did not both meet them and stay on offer all the while ([`rewind::newly_matched_since`]). What has expired since counts; what no longer
//! meets them does not.
//!
//! The index tells which properties can be among these: they meet the criteria and have changed in the window. Those created in it
//! count without a further look, because nothing was there before. The others are read and wound back, up to
//! [`READ_MAX`]; what is true of the most recently changed is taken to be true of the rest.

use std::collections::HashSet;
use std::sync::Arc;

use domain::criteria::{Condition, Direction, Predicate};
use domain::ports::whole_second;
use domain::{
    Criteria, Key, Order, OrderBy, Property, PropertyAttribute, PropertyId, KeyRange, Timestamp, rewind,
};
use engine::{SearchRequest, SearchResult, Searcher};
use jiff::SignedDuration;

use crate::{App, Error, computed};

/// Reading and winding back so many small ones took an eighth of a second in a debug build. A share found among so many is right to
/// some two points in a hundred.
pub const READ_MAX: usize = 2_000;

/// Properties may be large, and need not all be held at once.
const READ_AT_ONCE: usize = 200;

/// What a search would find, and would have found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// What meets it now and is on offer, the newest first.
    pub now: SearchResult,
    pub last_7_days: Count,
    pub last_30_days: Count,
}

/// How many properties would have made a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    pub count: usize,
    /// Whether some of them were not looked at.
    pub is_estimated: bool,
}

impl App {
    /// Previews criteria, with the first `take` of what meets them.
    pub async fn preview(&self, criteria: Criteria, now: Timestamp, take: usize) -> Result<Preview, Error> {
        let view = self.view()?;
        let criteria = Arc::new(criteria);
        let asked = Arc::clone(&criteria);
        let (found, week, month) = computed(move || {
            let window = |days: i64| Window::new(&view, &asked, days_before(now, days));
            (on_offer(&view, &asked, take), window(7), window(30))
        })
        .await?;
        let windows = Arc::new([week, month]);
        let mut tallies = [Tally::default(); 2];
        for ids in to_read(&*windows).chunks(READ_AT_ONCE) {
            let properties = self.properties(ids.to_vec()).await?;
            let (criteria, windows) = (Arc::clone(&criteria), Arc::clone(&windows));
            let looked_at = computed(move || {
                windows.each_ref().map(|window| window.look(&criteria, properties.values()))
            });
            for (tally, more) in tallies.iter_mut().zip(looked_at.await?) {
                tally.add(more);
            }
        }
        let [last_7_days, last_30_days] = [0, 1].map(|place| windows[place].count(tallies[place]));
        Ok(Preview { now: found, last_7_days, last_30_days })
    }
}

fn days_before(now: Timestamp, days: i64) -> Timestamp {
    whole_second(now).saturating_sub(SignedDuration::from_hours(24 * days)).unwrap_or(Timestamp::MIN)
}

fn on_offer(view: &Searcher, criteria: &Criteria, take: usize) -> SearchResult {
    let criteria = with(criteria, [flag(PropertyAttribute::Expired, false)]);
    view.search(&SearchRequest { criteria, order: Order::default(), skip: 0, take })
}

/// What may have come since a moment.
#[derive(Debug)]
struct Window {
    since: Timestamp,
    /// How many were created since, and on offer since.
    created: usize,
    /// How many were there before and have changed since.
    changed: usize,
    /// Those of them that have changed last.
    to_read: HashSet<PropertyId>,
}

/// What came of looking.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    looked_at: usize,
    came: usize,
}

impl Tally {
    fn add(&mut self, more: Self) {
        self.looked_at += more.looked_at;
        self.came += more.came;
    }
}

impl Window {
    fn new(view: &Searcher, criteria: &Criteria, since: Timestamp) -> Self {
        // Dates are whole seconds, and so is this one: what is not later than it is later by a second.
        let after = |attribute| {
            let next = Key::from_raw(since.as_second() + 1);
            within(attribute, KeyRange { least: Some(next), most: None })
        };
        let until = |attribute| within(attribute, KeyRange { least: None, most: Some(Key::timestamp(since)) });
        let created = |on_offer: Condition<PropertyAttribute>| {
            let criteria = with(criteria, [after(PropertyAttribute::CreatedAt), on_offer]);
            view.search(&SearchRequest { criteria, order: Order::default(), skip: 0, take: 0 }).total
        };
        let changed = view.search(&SearchRequest {
            // No advert is updated before it is created, so that what is new in a property has changed it.
            criteria: with(
                criteria,
                [after(PropertyAttribute::UpdatedAt), until(PropertyAttribute::CreatedAt)],
            ),
            order: Order { by: vec![(OrderBy::UpdatedAt, Direction::Descending)], ..Order::default() },
            skip: 0,
            take: READ_MAX,
        });
        Self {
            since,
            created: created(flag(PropertyAttribute::Expired, false))
                + created(after(PropertyAttribute::ExpiredAt)),
            changed: changed.total,
            to_read: changed.hits.into_iter().map(|hit| hit.property).collect(),
        }
    }

    fn look<'a>(&self, criteria: &Criteria, properties: impl Iterator<Item = &'a Property>) -> Tally {
        let mut tally = Tally::default();
        for property in properties.filter(|property| self.to_read.contains(&property.id)) {
            tally.looked_at += 1;
            tally.came += usize::from(rewind::newly_matched_since(criteria, property, self.since));
        }
        tally
    }

    fn count(&self, tally: Tally) -> Count {
        let unread = self.changed - self.to_read.len();
        // What was not looked at came as often as what was.
        let guessed =
            (unread * tally.came + tally.looked_at / 2).checked_div(tally.looked_at).unwrap_or_default();
        Count { count: self.created + tally.came + guessed, is_estimated: unread > 0 }
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

fn within(attribute: PropertyAttribute, span: KeyRange) -> Condition<PropertyAttribute> {
    Condition { attribute, predicate: Predicate::Within(span) }
}

fn flag(attribute: PropertyAttribute, flag: bool) -> Condition<PropertyAttribute> {
    Condition { attribute, predicate: Predicate::OneOf([Key::flag(flag)].into()) }
}

#[cfg(test)]
mod tests;
