//! Finds rows with one advert that satisfies all conditions on adverts.

use domain::criteria::{AdvertScope, Direction, Predicate};
use domain::{AdvertAttribute, Criteria, Key};

use crate::bits::{BitSet, WORD, ones};
use crate::column::{CodeTest, Column, UNKNOWN};
use crate::scratch::Scratch;
use crate::segment::{Adverts, Segment};

pub struct AdvertQuery<'a> {
    adverts: &'a Adverts,
    tests: Vec<(&'a Column, CodeTest<'a>)>,
    /// The codes of accepted sites; code 0 is an advert without a site.
    sites: Option<BitSet>,
}

impl<'a> AdvertQuery<'a> {
    /// Returns `None` if the criteria have no conditions on adverts.
    pub fn for_criteria(segment: &'a Segment, criteria: &'a Criteria) -> Option<Self> {
        (!criteria.advert.is_empty()).then(|| Self::new(segment, criteria))
    }

    pub fn new(segment: &'a Segment, criteria: &'a Criteria) -> Self {
        let adverts = &segment.adverts;
        let column = |attribute: AdvertAttribute| &adverts.columns[attribute as usize];
        let compile = |attribute: AdvertAttribute, test: &Predicate| {
            (column(attribute), column(attribute).compile(test))
        };
        let conditions = criteria.advert.conditions.iter();
        let mut tests: Vec<_> =
            conditions.map(|condition| compile(condition.attribute, &condition.predicate)).collect();
        if criteria.advert_scope == AdvertScope::Live {
            tests.push(compile(AdvertAttribute::Expired, &Predicate::OneOf([Key::flag(false)].into())));
        }
        Self { adverts, tests, sites: accepted_sites(adverts, criteria) }
    }

    /// Returns `true` if no advert of the segment can satisfy the conditions.
    pub fn is_impossible(&self) -> bool {
        self.tests.iter().any(|(_, test)| matches!(test, CodeTest::Never))
            || self.sites.as_ref().is_some_and(|sites| sites.count() == 0)
    }

    /// Removes the rows without such an advert. Each word of `rows` is a mask of 64 rows; the first word starts at row `start ×
    /// 64`.
    pub fn retain(&self, start: usize, rows: &mut [u64]) {
        let first = start * WORD;
        let end = (first + rows.len() * WORD).min(self.adverts.starts.len() - 1);
        let adverts = self.adverts.starts[first] as usize..self.adverts.starts[end] as usize;
        let candidates: usize = rows.iter().map(|bits| bits.count_ones() as usize).sum();
        if candidates * SINGLE_TEST_COST < adverts.len() {
            retain_rows(start, rows, |row| self.adverts.of_row(row).any(|advert| self.advert_holds(advert)));
        } else if candidates > 0 {
            let matching = self.matching(adverts.clone());
            retain_rows(start, rows, |row| {
                any_set(&matching, adverts.start / WORD, self.adverts.of_row(row))
            });
        }
    }

    /// Returns a mask of the adverts of a range that satisfy the conditions, from the word of the first advert on. Bits outside
    /// the range have no meaning.
    fn matching(&self, adverts: std::ops::Range<usize>) -> Scratch {
        let first = adverts.start / WORD;
        let mut matching = Scratch::zeroed(adverts.end.div_ceil(WORD) - first);
        matching.fill(u64::MAX);
        // Columns end at the last advert.
        if let Some(last) = matching.last_mut() {
            *last = u64::MAX >> (WORD - 1 - (adverts.end - 1) % WORD);
        }
        for (column, test) in &self.tests {
            column.retain(test, first, &mut matching);
        }
        if let Some(sites) = &self.sites {
            let from_accepted_site = |advert: usize| sites.contains(self.adverts.sites.code(advert) as usize);
            retain_rows(first, &mut matching, from_accepted_site);
        }
        matching
    }

    /// Returns the creation date to sort a row by: the latest or earliest of the adverts that satisfy the conditions.
    pub fn created(&self, row: usize, direction: Direction) -> i64 {
        let column = &self.adverts.columns[AdvertAttribute::CreatedAt as usize];
        let dates = self
            .adverts
            .of_row(row)
            .filter(|advert| self.advert_holds(*advert))
            .map(|advert| column.value(advert));
        let date = match direction {
            Direction::Ascending => dates.min(),
            Direction::Descending => dates.max(),
        };
        date.unwrap_or(UNKNOWN)
    }

    fn advert_holds(&self, advert: usize) -> bool {
        self.tests.iter().all(|(column, test)| column.holds(test, advert))
            && self
                .sites
                .as_ref()
                .is_none_or(|sites| sites.contains(self.adverts.sites.code(advert) as usize))
    }
}

/// Testing a single advert costs about as much as testing this many in a batch.
const SINGLE_TEST_COST: usize = 8;

fn retain_rows(start: usize, rows: &mut [u64], holds: impl Fn(usize) -> bool) {
    for (index, bits) in rows.iter_mut().enumerate() {
        for one in ones(*bits) {
            *bits &= !(u64::from(!holds((start + index) * WORD + one)) << one);
        }
    }
}

/// Returns `true` if any of a row's adverts is in the mask, whose first word has the index `first`.
fn any_set(matching: &[u64], first: usize, adverts: std::ops::Range<usize>) -> bool {
    let (word, bit) = (adverts.start / WORD - first, adverts.start % WORD);
    if bit + adverts.len() <= WORD && !adverts.is_empty() {
        return matching[word] >> bit & (u64::MAX >> (WORD - adverts.len())) != 0;
    }
    adverts.into_iter().any(|advert| matching[advert / WORD - first] >> (advert % WORD) & 1 == 1)
}

fn accepted_sites(adverts: &Adverts, criteria: &Criteria) -> Option<BitSet> {
    let (included, excluded) = (&criteria.advert.sites, &criteria.advert.excluded_sites);
    if included.is_none() && excluded.is_empty() {
        return None;
    }
    let mut accepted = BitSet::empty(adverts.site_names.len() + 1);
    if included.is_none() {
        accepted.insert(0);
    }
    for (index, site) in adverts.site_names.iter().enumerate() {
        if included.as_ref().is_none_or(|included| included.contains(site)) && !excluded.contains(site) {
            let code = adverts.sites.code_of(Key::from_raw(index as i64));
            code.into_iter().for_each(|code| accepted.insert(code as usize));
        }
    }
    Some(accepted)
}
