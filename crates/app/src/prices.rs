//! Checks the prices of the stock again after the market has changed.
//!
//! A price is checked when its advert arrives, in the market of that moment: the first adverts of a commune know no other, and a replayed
//! history comes in any order. So the stock is checked again once it has changed ([`crate::workers::prices`]), and at the end of an import.
//! What an advert is checked by is in memory, so that only the properties whose result is another one are read and written.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::matching::is_available;
use domain::price::{self, CheckedPrice, UsualPrices};
use domain::{AdvertId, Property, PropertyId};
use engine::GroupingEntry;
use store::{
    AdvertGrouping, ChangeSet, CommitOutcome, Expected, FoundProperties, PutCause, PutProperty, Step,
    StoredProperty,
};

use crate::grouping::{GroupingState, encode_row};
use crate::ingest::approximate_bytes;
use crate::{App, Error};

/// How many adverts are checked before batches that wait for the state may go on: a few milliseconds.
const ADVERTS_PER_STEP: usize = 20_000;

/// How many properties are written together.
const PROPERTIES_PER_COMMIT: usize = 200;

/// The approximate size that the steps of one commit may reach: each contains a whole property.
const STEP_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How often properties are read again because another writer changed one of them.
const ATTEMPTS_MAX: usize = 3;

/// What checking again did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PricesChecked {
    /// Adverts whose price is found otherwise now.
    pub changed: usize,
    /// Properties that others are changing, or that were too large for one commit. They are checked the next time.
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
            let (changed, skipped) = self.store_checked(properties, &market).await?;
            done.changed += changed;
            done.skipped += skipped;
        }
        Ok(done)
    }

    /// Checks the adverts of properties again, and stores them. Returns how many adverts are found otherwise, and how many properties were
    /// skipped.
    async fn store_checked(
        &self,
        properties: &[PropertyId],
        market: &UsualPrices,
    ) -> Result<(usize, usize), Error> {
        for _ in 0..ATTEMPTS_MAX {
            let turn = self.store.grouping_turn().await?;
            let FoundProperties { mut intact, damaged } =
                self.store.find_properties(properties.to_vec()).await?;
            let mut commit = CheckCommit::default();
            let grouped_at = {
                let mut state = self.lock_grouping().await?;
                for property in properties {
                    // A damaged property keeps what its bytes say.
                    if !damaged.contains(property) {
                        commit.add(intact.remove(property), market, &mut state);
                    }
                }
                Some(state.foreign_writes)
            };
            let CheckCommit { steps, checked, skipped, .. } = commit;
            if steps.is_empty() {
                return Ok((0, skipped));
            }
            let changes = ChangeSet { recorded_at: self.clock.now(), steps, grouped_at };
            let outcome = self.store.commit(changes).await?;
            if let CommitOutcome::Committed(position) = outcome {
                self.record_checked(&checked).await;
                drop(turn);
                self.wait_visible(position).await;
                return Ok((checked.len(), skipped));
            }
        }
        Ok((0, properties.len()))
    }
}

/// What is written together.
#[derive(Default)]
struct CheckCommit {
    steps: Vec<Step>,
    step_bytes: usize,
    checked: Vec<CheckedAgain>,
    /// How many properties are left to the next check.
    skipped: usize,
}

impl CheckCommit {
    /// Adds the steps for those adverts of a property whose price is found otherwise now.
    fn add(&mut self, stored: Option<StoredProperty>, market: &UsualPrices, state: &mut GroupingState) {
        // A batch under way moves its adverts here, or away, or changes them: what is stored about them is about to change.
        let Some(stored) = stored.filter(|stored| !state.is_changing(&stored.property)) else {
            self.skipped += 1;
            return;
        };
        let StoredProperty { mut property, version: _, revision } = stored;
        for advert in &property.adverts {
            state.correct_price(advert.id, CheckedPrice::of(advert));
        }
        let outdated = outdated(&property, market);
        let bytes = approximate_bytes(&property);
        let room = STEP_BYTES_MAX.saturating_sub(self.step_bytes) / bytes.max(1);
        // One property fits in any case, with some of its adverts.
        let count = outdated.len().min(if self.steps.is_empty() { room.max(1) } else { room });
        if count < outdated.len() {
            self.skipped += 1;
        }
        self.step_bytes += count * bytes;
        let outdated = &outdated[..count];
        for CheckedAgain { advert: id, after, .. } in outdated {
            if let Some(advert) = property.adverts.iter_mut().find(|advert| advert.id == *id) {
                advert.price_check = after.check();
            }
        }
        // Nothing has happened to the advert, but a search may find the property now. It finds none that is off the market: a new
        // version would only be taken for the moment at which it left.
        let is_available = is_available(&property);
        // A step says what is known about one advert. All of them write the property as it is in the end, and share it.
        let property = Arc::new(property);
        let mut expected = Expected::Revision(revision);
        for CheckedAgain { advert, before, after } in outdated {
            let (advert, before, after) = (*advert, *before, *after);
            let cause = match is_available {
                true => PutCause::Changed { events: Vec::new() },
                false => PutCause::Crawled,
            };
            let grouping = state.index.get(advert).map(|entry| AdvertGrouping {
                signature: Some(encode_row(entry.signature.as_ref(), &after)),
                is_named: entry.is_named,
            });
            let expected = std::mem::replace(&mut expected, Expected::WrittenBefore);
            let property = Arc::clone(&property);
            self.steps.push(Step::Put(PutProperty { property, expected, advert, cause, grouping }));
            self.checked.push(CheckedAgain { advert, before, after });
        }
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

#[cfg(test)]
mod tests {
    use domain::{
        AdvertDraft, FieldUpdate, GivenPlace, Identity, Insee, Lifecycle, PriceCheck, PriceProblem, Timestamp,
    };
    use store::{Change, PropertyCause};
    use testkit::build::{advert_id, amount, at, draft, property_id};

    use super::*;
    use crate::grouping::Reservation;
    use crate::ingest::{Creation, IngestOptions, Outcome, Receipt};
    use crate::search::tests::app_without_workers;

    const USUAL: f64 = 250_000.0;
    const DEAR: u64 = 100;

    /// A flat of 60 m² in Tours, in a property of its own.
    fn flat(number: u64, price: f64) -> AdvertDraft {
        let mut draft = draft(Identity::Uuid(advert_id(number)));
        draft.property = Some(property_id(number));
        draft.patch.price = FieldUpdate::Set(Some(amount(price)));
        draft.patch.surface = FieldUpdate::Set(Some(amount(60.0)));
        let insee = Insee::parse("37261");
        draft.patch.place = FieldUpdate::Set(GivenPlace { insee, ..GivenPlace::default() });
        draft
    }

    /// Ingests a flat at ten times the usual price, and then twenty at the usual one.
    async fn ingest_dear_flat_first(app: &App, dear: AdvertDraft) {
        app.ingest(vec![dear]).await.unwrap();
        app.ingest((0..20).map(|number| flat(number, USUAL)).collect()).await.unwrap();
    }

    async fn stored(app: &App) -> StoredProperty {
        app.store.properties(vec![property_id(DEAR)]).await.unwrap().remove(&property_id(DEAR)).unwrap()
    }

    fn check_of(stored: &StoredProperty) -> PriceCheck {
        stored.property.adverts[0].price_check
    }

    async fn causes(app: &App) -> Vec<PropertyCause> {
        let entries = app.store.log_after(store::Position::START, 100).await.unwrap();
        let of_dear = entries.into_iter().filter_map(|entry| match entry.change {
            Change::Property { property, cause, .. } if property == property_id(DEAR) => Some(cause),
            _ => None,
        });
        of_dear.collect()
    }

    const TENFOLD: PriceCheck = PriceCheck::Incoherent(PriceProblem::Tenfold);

    #[tokio::test]
    async fn first_price_of_a_town_is_checked_by_the_later_ones() {
        let (app, _folder) = app_without_workers();
        ingest_dear_flat_first(&app, flat(DEAR, 10.0 * USUAL)).await;
        let before = stored(&app).await;
        assert_eq!(check_of(&before), PriceCheck::Coherent);
        assert_eq!(app.check_prices_again().await.unwrap().changed, 1);
        let after = stored(&app).await;
        assert_eq!((check_of(&after), after.version), (TENFOLD, before.version + 1));
        assert_eq!(causes(&app).await.last(), Some(&PropertyCause::Advert { events: Vec::new() }));
        assert_eq!(app.check_prices_again().await.unwrap().changed, 0);
    }

    /// Retention counts from the version in which a property left the market.
    #[tokio::test]
    async fn check_of_an_expired_advert_makes_no_version() {
        let (app, _folder) = app_without_workers();
        let expired = AdvertDraft { lifecycle: Lifecycle::Expired { at: None }, ..flat(DEAR, 10.0 * USUAL) };
        ingest_dear_flat_first(&app, expired).await;
        let before = stored(&app).await;
        assert!(before.property.adverts[0].is_expired());
        assert_eq!(app.check_prices_again().await.unwrap().changed, 1);
        let after = stored(&app).await;
        assert_eq!((check_of(&after), after.version), (TENFOLD, before.version));
        assert_eq!(causes(&app).await.last(), Some(&PropertyCause::Crawl));
    }

    #[tokio::test]
    async fn property_that_a_batch_changes_is_left_to_the_next_check() {
        let (app, _folder) = app_without_workers();
        ingest_dear_flat_first(&app, flat(DEAR, 10.0 * USUAL)).await;
        let mut reservation = Reservation::default();
        {
            let mut state = app.lock_grouping().await.unwrap();
            let entry = state.index.get(advert_id(DEAR)).unwrap().clone();
            state.put(advert_id(DEAR), entry, &mut reservation);
        }
        let checked = app.check_prices_again().await.unwrap();
        assert_eq!((checked.changed, checked.skipped), (0, 1));
        app.settle(reservation).await;
        let checked = app.check_prices_again().await.unwrap();
        assert_eq!((checked.changed, checked.skipped), (1, 0));
    }

    #[tokio::test]
    async fn memory_follows_the_store() {
        let (app, _folder) = app_without_workers();
        ingest_dear_flat_first(&app, flat(DEAR, 10.0 * USUAL)).await;
        app.check_prices_again().await.unwrap();
        let price = CheckedPrice::of(&stored(&app).await.property.adverts[0]);
        let known = async || app.lock_grouping().await.unwrap().index.get(advert_id(DEAR)).unwrap().price;
        assert_eq!(known().await, price);
        // As if another process had stored the result.
        app.lock_grouping()
            .await
            .unwrap()
            .correct_price(advert_id(DEAR), price.with_check(PriceCheck::Coherent));
        assert_ne!(known().await, price);
        assert_eq!(app.check_prices_again().await.unwrap().changed, 0);
        assert_eq!(known().await, price);
    }

    #[tokio::test]
    async fn later_export_corrects_what_an_earlier_one_said() {
        let (app, _folder) = app_without_workers();
        let exported = |check: PriceCheck| {
            let mut draft = flat(DEAR, USUAL);
            let first: Timestamp = at(1_000);
            (draft.created_at, draft.updated_at, draft.last_crawled_at) =
                (Some(first), Some(first), Some(first));
            draft.history = vec![domain::AdvertEvent {
                at: first,
                subject: domain::advert_event::EventSubject::Created,
                old_value: None,
                new_value: None,
                percent_variation: None,
            }];
            draft.price_check = Some(check);
            draft
        };
        let options = IngestOptions { creation: Creation::Verbatim, ..IngestOptions::default() };
        let tenfold = PriceCheck::TakenOver(Some(PriceProblem::Tenfold));
        for (check, expected) in [
            (PriceCheck::TakenOver(None), Outcome::Created),
            (PriceCheck::TakenOver(None), Outcome::Unchanged),
            (tenfold, Outcome::Updated),
            (tenfold, Outcome::Unchanged),
        ] {
            let receipt = app.ingest_with(vec![exported(check)], options).await.unwrap().remove(0);
            let Receipt::Accepted { outcome, .. } = receipt else { panic!("{receipt:?}") };
            assert_eq!((outcome, check_of(&stored(&app).await)), (expected, check));
            // What an export says stays.
            assert_eq!(app.check_prices_again().await.unwrap().changed, 0);
        }
    }
}
