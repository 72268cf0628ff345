//! Whether one and the same advert of a property meets every condition on adverts.

use domain::criteria::{AdvertScope, Direction, Predicate};
use domain::{AdvertAttribute, Criteria, Key};

use crate::bits::{Bits, WORD, ones};
use crate::column::{CodeTest, Column, UNKNOWN};
use crate::scratch::Scratch;
use crate::segment::{Adverts, Segment};

pub struct AdvertQuery<'a> {
    adverts: &'a Adverts,
    tests: Vec<(&'a Column, CodeTest<'a>)>,
    /// By code: whether adverts of the site, or of none, are wanted.
    sites: Option<Bits>,
}

impl<'a> AdvertQuery<'a> {
    /// Nothing when nothing is asked of adverts.
    pub fn needed(segment: &'a Segment, criteria: &'a Criteria) -> Option<Self> {
        (!criteria.advert.is_empty()).then(|| Self::new(segment, criteria))
    }

    pub fn new(segment: &'a Segment, criteria: &'a Criteria) -> Self {
        let adverts = &segment.adverts;
        let column = |attribute: AdvertAttribute| &adverts.columns[attribute as usize];
        let compile =
            |attribute: AdvertAttribute, test: &Predicate| (column(attribute), column(attribute).compiled(test));
        let conditions = criteria.advert.conditions.iter();
        let mut tests: Vec<_> =
            conditions.map(|condition| compile(condition.attribute, &condition.predicate)).collect();
        if criteria.advert_scope == AdvertScope::Live {
            tests.push(compile(AdvertAttribute::Expired, &Predicate::OneOf([Key::flag(false)].into())));
        }
        Self { adverts, tests, sites: wanted_sites(adverts, criteria) }
    }

    /// Whether no advert of the segment can do.
    pub fn is_impossible(&self) -> bool {
        self.tests.iter().any(|(_, test)| matches!(test, CodeTest::Never))
            || self.sites.as_ref().is_some_and(|sites| sites.count() == 0)
    }

    /// Leaves the rows in that have an advert that does. Each word of `rows` stands for 64 rows, the first for those from
    /// `start × 64` on.
    pub fn keep(&self, start: usize, rows: &mut [u64]) {
        let first = start * WORD;
        let end = (first + rows.len() * WORD).min(self.adverts.starts.len() - 1);
        let adverts = self.adverts.starts[first] as usize..self.adverts.starts[end] as usize;
        let asked: usize = rows.iter().map(|bits| bits.count_ones() as usize).sum();
        if asked * FEW < adverts.len() {
            keep_rows(start, rows, |row| self.adverts.of_row(row).any(|advert| self.advert_holds(advert)));
        } else if asked > 0 {
            let met = self.met(adverts.clone());
            keep_rows(start, rows, |row| any(&met, adverts.start / WORD, self.adverts.of_row(row)));
        }
    }

    /// Which adverts of a doc_range meet the conditions, in words of 64 from the word of the first on. What is beside the doc_range
    /// says nothing.
    fn met(&self, adverts: std::ops::Range<usize>) -> Scratch {
        let first = adverts.start / WORD;
        let mut met = Scratch::zeroed(adverts.end.div_ceil(WORD) - first);
        met.fill(u64::MAX);
        // A column ends where its last advert does.
        if let Some(last) = met.last_mut() {
            *last = u64::MAX >> (WORD - 1 - (adverts.end - 1) % WORD);
        }
        for (column, test) in &self.tests {
            column.keep(test, first, &mut met);
        }
        if let Some(sites) = &self.sites {
            let from = |advert: usize| sites.contains(self.adverts.sites.code(advert) as usize);
            keep_rows(first, &mut met, from);
        }
        met
    }

    /// The date of creation that counts in the order of adverts: of those that meet the conditions, the latest or earliest.
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

/// One advert looked at on its own takes about as long as so many of them looked at together.
const FEW: usize = 8;

fn keep_rows(start: usize, rows: &mut [u64], holds: impl Fn(usize) -> bool) {
    for (place, bits) in rows.iter_mut().enumerate() {
        for one in ones(*bits) {
            *bits &= !(u64::from(!holds((start + place) * WORD + one)) << one);
        }
    }
}

/// Whether any of a few adverts is among those met, the first word of which is `first`.
fn any(met: &[u64], first: usize, adverts: std::ops::Range<usize>) -> bool {
    let (word, place) = (adverts.start / WORD - first, adverts.start % WORD);
    if place + adverts.len() <= WORD && !adverts.is_empty() {
        return met[word] >> place & (u64::MAX >> (WORD - adverts.len())) != 0;
    }
    adverts.into_iter().any(|advert| met[advert / WORD - first] >> (advert % WORD) & 1 == 1)
}

fn wanted_sites(adverts: &Adverts, criteria: &Criteria) -> Option<Bits> {
    let (included, excluded) = (&criteria.advert.sites, &criteria.advert.excluded_sites);
    if included.is_none() && excluded.is_empty() {
        return None;
    }
    let mut wanted = Bits::none(adverts.site_names.len() + 1);
    if included.is_none() {
        wanted.insert(0);
    }
    for (place, site) in adverts.site_names.iter().enumerate() {
        if included.as_ref().is_none_or(|included| included.contains(site)) && !excluded.contains(site) {
            let code = adverts.sites.code_of(Key::from_raw(place as i64));
            code.into_iter().for_each(|code| wanted.insert(code as usize));
        }
    }
    Some(wanted)
}
