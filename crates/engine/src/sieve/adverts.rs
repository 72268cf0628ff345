//! Whether one and the same advert of a property meets every condition on adverts.

use domain::criteria::{Counting, Direction, Test};
use domain::{AdvertAttribute, Criteria, Key};

use crate::bits::Bits;
use crate::column::{CodeTest, Column, UNKNOWN};
use crate::segment::{Adverts, Segment};

pub struct AdvertSieve<'a> {
    adverts: &'a Adverts,
    tests: Vec<(&'a Column, CodeTest<'a>)>,
    /// By code: whether adverts of the site, or of none, are wanted.
    sites: Option<Bits>,
}

impl<'a> AdvertSieve<'a> {
    /// Nothing when nothing is asked of adverts.
    pub fn needed(segment: &'a Segment, criteria: &'a Criteria) -> Option<Self> {
        (!criteria.advert.is_empty()).then(|| Self::new(segment, criteria))
    }

    pub fn new(segment: &'a Segment, criteria: &'a Criteria) -> Self {
        let adverts = &segment.adverts;
        let column = |attribute: AdvertAttribute| &adverts.columns[attribute as usize];
        let compile =
            |attribute: AdvertAttribute, test: &Test| (column(attribute), column(attribute).compiled(test));
        let conditions = criteria.advert.conditions.iter();
        let mut tests: Vec<_> =
            conditions.map(|condition| compile(condition.attribute, &condition.test)).collect();
        if criteria.counting == Counting::Live {
            tests.push(compile(AdvertAttribute::Expired, &Test::OneOf([Key::flag(false)].into())));
        }
        Self { adverts, tests, sites: wanted_sites(adverts, criteria) }
    }

    /// Whether no advert of the segment can do.
    pub fn is_impossible(&self) -> bool {
        self.tests.iter().any(|(_, test)| matches!(test, CodeTest::Never))
            || self.sites.as_ref().is_some_and(|sites| sites.count() == 0)
    }

    pub fn holds(&self, row: usize) -> bool {
        self.adverts.of_row(row).any(|advert| self.advert_holds(advert))
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
