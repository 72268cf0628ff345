//! Checks the prices of the stock again after the market has changed.
//!
//! A price is checked when its advert arrives, in the market of that moment: the first adverts of a commune know no other, and a replayed
//! history comes in any order. So the stock is checked again once it has changed ([`crate::workers::prices`]), and at the end of an import.
//! What an advert is checked by is in memory, so that only the properties whose result is another one are read and written.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::price::{self, CheckedPrice, UsualPrices};
use domain::{AdvertId, Property, PropertyId};
use engine::GroupingEntry;
use store::{
    AdvertGrouping, ChangeSet, CommitOutcome, Expected, PutCause, PutProperty, Step, StoredProperty,
};

use crate::grouping::{GroupingState, encode_row};
use crate::{App, Error};

/// How many adverts are checked before batches that wait for the state may go on: a few milliseconds.
const ADVERTS_PER_STEP: usize = 20_000;

/// How many properties are written together.
const PROPERTIES_PER_COMMIT: usize = 200;

/// How often properties are read again because another writer changed one of them.
const ATTEMPTS_MAX: usize = 3;

/// What checking again did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PricesChecked {
    /// Adverts whose price is found otherwise now.
    pub changed: usize,
    /// Properties that other writers kept changing. They are checked the next time.
    pub skipped: usize,
    /// The state of the stock that was checked, see [`App::price_changes`].
    pub changes: u64,
}

/// An advert whose price is found otherwise.
#[derive(Debug)]
pub(crate) struct CheckedAgain {
    pub advert: AdvertId,
    pub before: CheckedPrice,
    pub after: CheckedPrice,
}

impl App {
    /// Returns a number that rises whenever the price of an advert, or what it is checked by, changes.
    pub async fn price_changes(&self) -> Result<u64, Error> {
        Ok(self.lock_grouping().await?.price_changes)
    }

    /// Checks the prices of the whole stock by what is usual now, and stores what has changed.
    pub async fn check_prices_again(&self) -> Result<PricesChecked, Error> {
        let (market, changes, slots) = {
            let state = self.lock_grouping().await?;
            (state.prices.usual_prices(), state.price_changes, state.index.slots())
        };
        let mut outdated: BTreeSet<PropertyId> = BTreeSet::new();
        for first in (0..slots).step_by(ADVERTS_PER_STEP) {
            let state = self.lock_grouping().await?;
            let adverts = state.index.range(first..first + ADVERTS_PER_STEP);
            let is_outdated = |entry: &GroupingEntry| price::check_again(&entry.price, &market).is_some();
            outdated.extend(adverts.filter(|(_, entry)| is_outdated(entry)).map(|(_, entry)| entry.property));
            drop(state);
            tokio::task::yield_now().await;
        }
        let mut done = PricesChecked { changes, ..PricesChecked::default() };
        let outdated: Vec<PropertyId> = outdated.into_iter().collect();
        for properties in outdated.chunks(PROPERTIES_PER_COMMIT) {
            match self.store_checked(properties, &market).await? {
                Some(changed) => done.changed += changed,
                None => done.skipped += properties.len(),
            }
        }
        Ok(done)
    }

    /// Checks the adverts of properties again, and stores them. Returns how many are found otherwise, or `None` if other writers were
    /// faster each time.
    async fn store_checked(
        &self,
        properties: &[PropertyId],
        market: &UsualPrices,
    ) -> Result<Option<usize>, Error> {
        for _ in 0..ATTEMPTS_MAX {
            let turn = self.store.grouping_turn().await?;
            // A damaged property keeps what its bytes say.
            let stored = self.store.find_properties(properties.to_vec()).await?.intact;
            let mut steps = Vec::new();
            let mut checked = Vec::new();
            {
                let state = self.lock_grouping().await?;
                for stored in stored.into_values() {
                    check_property(stored, market, &state, &mut steps, &mut checked);
                }
            }
            if steps.is_empty() {
                return Ok(Some(0));
            }
            let changes = ChangeSet { recorded_at: self.clock.now(), steps, grouped_at: None };
            let outcome = self.store.commit(changes).await?;
            if let CommitOutcome::Committed(position) = outcome {
                self.record_checked(&checked).await;
                drop(turn);
                self.wait_visible(position).await;
                return Ok(Some(checked.len()));
            }
        }
        Ok(None)
    }
}

/// Adds the steps for those adverts of a property whose price is found otherwise now.
fn check_property(
    stored: StoredProperty,
    market: &UsualPrices,
    state: &GroupingState,
    steps: &mut Vec<Step>,
    checked: &mut Vec<CheckedAgain>,
) {
    let StoredProperty { mut property, version: _, revision } = stored;
    let outdated = outdated(&property, market);
    for CheckedAgain { advert: id, after, .. } in &outdated {
        if let Some(advert) = property.adverts.iter_mut().find(|advert| advert.id == *id) {
            advert.price_check = after.check();
        }
    }
    // A step says what is known about one advert. All of them write the property as it is in the end, and share it.
    let property = Arc::new(property);
    let mut expected = Expected::Revision(revision);
    for checked_again in outdated {
        let CheckedAgain { advert, after, .. } = checked_again;
        // One without an entry is signed by the batch that adds it.
        let grouping = state.index.get(advert).map(|entry| AdvertGrouping {
            signature: Some(encode_row(entry.signature.as_ref(), &after)),
            is_named: entry.is_named,
        });
        // Nothing has happened to the advert, but a search may find the property now.
        let cause = PutCause::Changed { events: Vec::new() };
        let expected = std::mem::replace(&mut expected, Expected::WrittenBefore);
        let property = Arc::clone(&property);
        steps.push(Step::Put(PutProperty { property, expected, advert, cause, grouping }));
        checked.push(checked_again);
    }
}

fn outdated(property: &Property, market: &UsualPrices) -> Vec<CheckedAgain> {
    let checked_again = |advert: &domain::Advert| {
        let before = CheckedPrice::of(advert);
        let after = before.with_check(price::check_again(&before, market)?);
        Some(CheckedAgain { advert: advert.id, before, after })
    };
    property.adverts.iter().filter_map(checked_again).collect()
}
