//! What grouping has to know about the whole stock, in memory: the signatures of all adverts, the verdicts of people, and the usual
//! prices.
//!
//! The state is loaded when it is first needed, by a server at its start, and then follows the writes of this process. A batch is planned under the lock and
//! changes the state at once, so that a batch planned next sees its adverts before they are committed: otherwise two requests could
//! make two properties of one. The changes are kept as a [`Reservation`] and undone if the batch is not committed. A batch that wants
//! to join a property of a batch under way waits for it ([`Grouping::settled`]).
//!
//! Another process may write to the same store. Its writes are noticed with the next commit, which then conflicts
//! (`ChangeSet::grouped_at`); they are read from the log, and the batch is planned again.

use std::collections::{BTreeSet, HashMap};
use std::sync::PoisonError;

use domain::grouping::{
    self, Candidate, CommuneFacts, Decision, Judged, Member, SIGNATURE_VERSION, Signature, Verdicts,
};
use domain::price::{CheckedPrice, PriceSample, PriceStatistics};
use domain::{Advert, AdvertId, Placement, Property, PropertyId};
use engine::{GroupingEntry, GroupingIndex};
use store::{Change, Position, PropertyCause, SignatureRow};
use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard, watch};

use super::GroupingSettings;
use crate::prices::CheckedAgain;
use crate::{App, Error};

/// How many signatures are read at a time.
const ROWS_PER_READ: usize = 5_000;

/// How many properties are read at a time to compute missing signatures.
const PROPERTIES_PER_READ: usize = 500;

/// How many entries of the log are read at a time.
const ENTRIES_PER_READ: usize = 1_000;

/// The state of grouping, shared by all handles of the service.
#[derive(Debug, Default)]
pub(crate) struct Grouping {
    pub settings: GroupingSettings,
    /// `None` until it is loaded.
    state: Mutex<Option<GroupingState>>,
    /// Counts the reservations that have ended.
    settled: watch::Sender<u64>,
    /// `None` until the state is loaded.
    status: std::sync::Mutex<Option<GroupingStatus>>,
}

/// The size of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupingStatus {
    pub adverts: usize,
    /// As of the last time it was measured: measuring takes a while, and the size changes slowly.
    pub bytes: usize,
    measured_at: usize,
}

#[derive(Debug, Default)]
pub(crate) struct GroupingState {
    pub index: GroupingIndex,
    pub verdicts: Verdicts,
    pub prices: PriceStatistics,
    /// How often the price of an advert was added, changed or removed.
    pub price_changes: u64,
    /// The number of the last verdict that was read.
    verdicts_read: u64,
    /// How many writes of other processes are included.
    pub foreign_writes: u64,
    /// Properties that a batch under way writes, and how many such batches there are.
    pending: HashMap<PropertyId, u32>,
}

/// The changes of a batch that is not committed yet, to undo them.
#[derive(Debug, Default)]
pub(crate) struct Reservation {
    changes: Vec<ReservedChange>,
}

#[derive(Debug)]
struct ReservedChange {
    advert: AdvertId,
    property: PropertyId,
    /// What was known about the advert before.
    previous: Option<GroupingEntry>,
}

impl Grouping {
    pub fn new(settings: GroupingSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Publishes the size of the state.
    fn publish(&self, state: &GroupingState) {
        let adverts = state.index.len();
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        *status = match *status {
            Some(known) if adverts.abs_diff(known.measured_at) <= known.measured_at / 50 => {
                Some(GroupingStatus { adverts, ..known })
            }
            _ => {
                let bytes = state.index.bytes() + state.prices.approximate_bytes();
                Some(GroupingStatus { adverts, bytes, measured_at: adverts })
            }
        };
    }

    /// Watches for the end of batches under way.
    pub fn settled(&self) -> watch::Receiver<u64> {
        self.settled.subscribe()
    }
}

impl GroupingState {
    /// Decides about an advert.
    pub fn decide(&self, judged: Member<'_>, current: Option<PropertyId>) -> Decision {
        let mut properties = self.index.candidates(judged.signature);
        let same = self.verdicts.same_as(judged.advert);
        properties.extend(same.iter().filter_map(|advert| Some(self.index.get(*advert)?.property)));
        properties.extend(current);
        properties.sort_unstable();
        properties.dedup();
        let candidates: Vec<Candidate<'_>> = properties
            .into_iter()
            .map(|property| {
                let members = self.index.members(property).filter(|member| member.advert != judged.advert);
                Candidate { property, members: members.collect() }
            })
            .filter(|candidate| !candidate.members.is_empty())
            .collect();
        grouping::decide(Judged { member: judged, current }, &candidates, &self.verdicts, &self.index)
    }

    /// Adds or replaces an advert, and records how to undo that.
    pub fn put(&mut self, advert: AdvertId, entry: GroupingEntry, reservation: &mut Reservation) {
        let property = entry.property;
        *self.pending.entry(property).or_default() += 1;
        let previous = self.replace(advert, Some(entry));
        reservation.changes.push(ReservedChange { advert, property, previous });
    }

    /// Undoes the changes of a batch.
    pub fn roll_back(&mut self, reservation: Reservation) {
        for ReservedChange { advert, property, previous } in reservation.changes.into_iter().rev() {
            self.replace(advert, previous);
            self.release(property);
        }
    }

    /// Returns `true` if a batch under way changes a property or its adverts.
    pub fn is_changing(&self, property: &Property) -> bool {
        let is_moving = |advert: &Advert| {
            self.index.get(advert.id).is_some_and(|entry| {
                entry.property != property.id || self.pending.contains_key(&entry.property)
            })
        };
        self.pending.contains_key(&property.id) || property.adverts.iter().any(is_moving)
    }

    /// Corrects what is known about the price of an advert, if the store says something else.
    pub fn correct_price(&mut self, advert: AdvertId, price: CheckedPrice) {
        if let Some(entry) = self.index.get(advert).filter(|entry| entry.price != price) {
            let entry = GroupingEntry { price, ..entry.clone() };
            self.replace(advert, Some(entry));
        }
    }

    fn release(&mut self, property: PropertyId) {
        if let Some(count) = self.pending.get_mut(&property) {
            *count -= 1;
            if *count == 0 {
                self.pending.remove(&property);
            }
        }
    }

    /// Adds, replaces or removes an advert. Returns what was known about it.
    fn replace(&mut self, advert: AdvertId, entry: Option<GroupingEntry>) -> Option<GroupingEntry> {
        let sample = |entry: Option<&GroupingEntry>| PriceSample::of_subject(&entry?.price.subject());
        let price = entry.as_ref().map(|entry| entry.price);
        let after = sample(entry.as_ref());
        let previous = match entry {
            Some(entry) => self.index.put(advert, entry),
            None => self.index.remove(advert),
        };
        if previous.as_ref().map(|entry| entry.price) == price {
            return previous;
        }
        self.price_changes += 1;
        let before = sample(previous.as_ref());
        if before != after {
            before.into_iter().for_each(|sample| self.prices.remove(&sample));
            after.into_iter().for_each(|sample| self.prices.add(&sample));
        }
        previous
    }
}

/// A locked state.
pub(crate) type StateGuard<'a> = MappedMutexGuard<'a, GroupingState>;

impl App {
    /// Locks the state, and loads it or catches up with other processes first.
    pub(crate) async fn lock_grouping(&self) -> Result<StateGuard<'_>, Error> {
        let mut guard = self.grouping.state.lock().await;
        if guard.is_none() {
            let loaded = self.load_grouping().await?;
            self.grouping.publish(&loaded);
            *guard = Some(loaded);
        }
        let mut state = MutexGuard::map(guard, |state| state.get_or_insert_default());
        self.catch_up_grouping(&mut state).await?;
        Ok(state)
    }

    /// Loads the state, so that the first write does not wait for it.
    pub async fn prepare_grouping(&self) -> Result<(), Error> {
        self.lock_grouping().await.map(drop)
    }

    /// Returns the size of the state of grouping. `None` until it is loaded.
    pub fn grouping_status(&self) -> Option<GroupingStatus> {
        *self.grouping.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the changes of a batch that was committed.
    pub(crate) async fn settle(&self, reservation: Reservation) {
        if reservation.changes.is_empty() {
            return;
        }
        if let Some(state) = self.grouping.state.lock().await.as_mut() {
            for change in &reservation.changes {
                state.release(change.property);
            }
            self.grouping.publish(state);
        }
        self.grouping.settled.send_modify(|count| *count += 1);
    }

    /// Undoes the changes of a batch that was not committed. What other writers have done to the same adverts meanwhile is read from
    /// the store.
    pub(crate) async fn withdraw(&self, reservation: Reservation) -> Result<(), Error> {
        if reservation.changes.is_empty() {
            return Ok(());
        }
        let adverts: BTreeSet<AdvertId> = reservation.changes.iter().map(|change| change.advert).collect();
        let mut guard = self.grouping.state.lock().await;
        // A reservation is made in a loaded state.
        let Some(state) = guard.as_mut() else { return Ok(()) };
        // Before anything can fail: an advert that joins what stays reserved would wait for ever.
        state.roll_back(reservation);
        let read = match self.catch_up_grouping(state).await {
            // Batches that were planned one upon the other are not undone in reverse order: the store knows how they leave the adverts.
            Ok(()) => self.read_again(state, adverts.into_iter().collect()).await,
            Err(error) => Err(error),
        };
        drop(guard);
        self.grouping.settled.send_modify(|count| *count += 1);
        read
    }

    /// Waits for the end of the batches that write a property. `settled` was taken before the property was seen.
    pub(crate) async fn wait_until_settled(
        &self,
        property: PropertyId,
        settled: &mut watch::Receiver<u64>,
    ) -> Result<(), Error> {
        loop {
            let mut state = self.lock_grouping().await?;
            if !state.pending.contains_key(&property) {
                // Whatever the state says about it, the store decides.
                let adverts = state.index.members(property).map(|member| member.advert).collect();
                return self.read_again(&mut state, adverts).await;
            }
            drop(state);
            settled.changed().await.map_err(|_| Error::Interrupted)?;
        }
    }

    /// Records that adverts have expired. Their other facts stay.
    pub(crate) async fn record_expired(&self, adverts: &[AdvertId]) {
        let mut guard = self.grouping.state.lock().await;
        let Some(state) = guard.as_mut() else { return };
        for advert in adverts {
            if let Some(entry) = state.index.get(*advert).cloned() {
                let signature = entry.signature.map(|signature| signature.with_live(false));
                state.replace(*advert, Some(GroupingEntry { signature, ..entry }));
            }
        }
    }

    /// Records what prices that were checked again were found to be. An advert that a batch under way has changed since is left to
    /// that batch: it either is newer, or conflicts and reads the store again.
    pub(crate) async fn record_checked(&self, checked: &[CheckedAgain]) {
        let mut guard = self.grouping.state.lock().await;
        let Some(state) = guard.as_mut() else { return };
        for CheckedAgain { advert, before, after } in checked {
            match state.index.get(*advert) {
                Some(entry) if entry.price == *before => {
                    let entry = GroupingEntry { price: *after, ..entry.clone() };
                    state.replace(*advert, Some(entry));
                }
                Some(_) | None => {}
            }
        }
    }

    /// Records that an advert was erased.
    pub(crate) async fn record_erased(&self, advert: AdvertId) {
        if let Some(state) = self.grouping.state.lock().await.as_mut() {
            state.replace(advert, None);
        }
    }

    /// Returns what the gazetteer knows about the commune of an advert.
    pub(crate) fn commune_facts(&self, placement: Option<&Placement>) -> Option<CommuneFacts> {
        self.places.city(&placement?.insee).map(|city| CommuneFacts::of(city))
    }

    /// Returns the signature of an advert. `None` if its commune is unknown.
    pub(crate) fn signature(&self, advert: &Advert) -> Option<Signature> {
        Signature::of(advert, self.commune_facts(advert.placement.as_ref()))
    }

    async fn load_grouping(&self) -> Result<GroupingState, Error> {
        let started_at = self.clock.now();
        let mut state = GroupingState {
            foreign_writes: self.store.foreign_writes().borrow().count,
            ..Default::default()
        };
        let mut computed = 0;
        let mut after = None;
        loop {
            let rows = self.store.scan_signatures(after, ROWS_PER_READ).await?;
            let Some(last) = rows.last() else { break };
            after = Some(last.located.advert);
            computed += self.put_rows(&mut state, rows).await?;
        }
        self.read_verdicts(&mut state).await?;
        let seconds = self.clock.now().duration_since(started_at).as_secs_f64();
        tracing::info!(
            adverts = state.index.len(),
            computed,
            bytes = state.index.bytes(),
            seconds,
            "the signatures of adverts are loaded"
        );
        Ok(state)
    }

    /// Adds rows of signatures. Computes and stores those that an older version wrote without one. Returns how many it computed.
    async fn put_rows(&self, state: &mut GroupingState, rows: Vec<SignatureRow>) -> Result<usize, Error> {
        let mut unsigned: Vec<SignatureRow> = Vec::new();
        for row in rows {
            match row.signature.as_deref().map(decode) {
                Some(Some((signature, price))) => {
                    let signature = signature.map(|signature| signature.with_live(!row.is_expired));
                    let SignatureRow { located, is_named, .. } = row;
                    state.replace(
                        located.advert,
                        Some(GroupingEntry { property: located.property, signature, is_named, price }),
                    );
                }
                Some(None) | None => unsigned.push(row),
            }
        }
        let mut encoded = Vec::with_capacity(unsigned.len());
        for rows in unsigned.chunks(PROPERTIES_PER_READ) {
            let ids: BTreeSet<PropertyId> = rows.iter().map(|row| row.located.property).collect();
            // A damaged property is not grouped.
            let properties = self.store.find_properties(ids.into_iter().collect()).await?.intact;
            for SignatureRow { located, is_named, .. } in rows {
                let stored = properties.get(&located.property);
                let Some(advert) = stored.and_then(|stored| stored.property.advert(located.advert)) else {
                    continue;
                };
                let (signature, price) = (self.signature(advert), CheckedPrice::of(advert));
                encoded.push((located.advert, encode(signature.as_ref(), &price)));
                let entry =
                    GroupingEntry { property: located.property, signature, is_named: *is_named, price };
                state.replace(located.advert, Some(entry));
            }
        }
        let computed = encoded.len();
        if computed > 0 {
            self.store.put_signatures(encoded).await?;
        }
        Ok(computed)
    }

    async fn read_verdicts(&self, state: &mut GroupingState) -> Result<(), Error> {
        for (number, decision) in self.store.person_decisions(state.verdicts_read).await? {
            state.verdicts.add(&decision);
            state.verdicts_read = number;
        }
        Ok(())
    }

    /// Reads what other processes have written.
    async fn catch_up_grouping(&self, state: &mut GroupingState) -> Result<(), Error> {
        let seen = self.store.foreign_writes().borrow().count;
        if seen == state.foreign_writes {
            return Ok(());
        }
        for (after, until) in self.store.foreign_ranges(state.foreign_writes) {
            self.read_changed(state, after, until).await?;
        }
        self.read_verdicts(state).await?;
        state.foreign_writes = seen;
        Ok(())
    }

    /// Reads the adverts that entries of the log changed.
    async fn read_changed(
        &self,
        state: &mut GroupingState,
        mut after: Position,
        until: Position,
    ) -> Result<(), Error> {
        while after < until {
            let entries = self.store.log_after(after, ENTRIES_PER_READ).await?;
            let Some(last) = entries.last() else { return Ok(()) };
            after = last.position;
            let mut changed: BTreeSet<AdvertId> = BTreeSet::new();
            for entry in entries.iter().filter(|entry| entry.position <= until) {
                match &entry.change {
                    Change::Property { cause: PropertyCause::Crawl, .. } => {}
                    Change::Property { property, advert, cause, .. } => {
                        changed.insert(*advert);
                        if let PropertyCause::Regrouped { moved, .. } = cause {
                            changed.extend(moved);
                        }
                        changed.extend(state.index.members(*property).map(|member| member.advert));
                    }
                    Change::PropertyRemoved { property, .. }
                    | Change::Damaged { property: Some(property), .. } => {
                        changed.extend(state.index.members(*property).map(|member| member.advert));
                    }
                    Change::Search { .. }
                    | Change::SearchRemoved { .. }
                    | Change::Erased
                    | Change::Damaged { property: None, .. } => {}
                }
            }
            self.read_again(state, changed.into_iter().collect()).await?;
        }
        Ok(())
    }

    /// Reads what a commit about these adverts changed, verdicts included.
    pub(crate) async fn read_correction(
        &self,
        state: &mut GroupingState,
        adverts: Vec<AdvertId>,
    ) -> Result<(), Error> {
        self.read_again(state, adverts).await?;
        self.read_verdicts(state).await
    }

    /// Reads adverts from the store again.
    async fn read_again(&self, state: &mut GroupingState, adverts: Vec<AdvertId>) -> Result<(), Error> {
        let rows = self.store.signatures(adverts.clone()).await?;
        for (advert, row) in adverts.iter().zip(&rows) {
            if row.is_none() {
                state.replace(*advert, None);
            }
        }
        self.put_rows(state, rows.into_iter().flatten().collect()).await?;
        Ok(())
    }
}

/// Encodes what is kept of an advert for the store: its signature, and the price at the end. An advert without a signature has a mark,
/// so that it is not computed again.
pub(crate) fn encode(signature: Option<&Signature>, price: &CheckedPrice) -> Vec<u8> {
    let mut bytes = signature.map_or_else(|| vec![SIGNATURE_VERSION], Signature::encode);
    bytes.extend(price.encode());
    bytes
}

/// Returns `None` for bytes that another version wrote.
fn decode(bytes: &[u8]) -> Option<(Option<Signature>, CheckedPrice)> {
    let (signature, price) = bytes.split_last_chunk()?;
    let signature = match signature {
        [SIGNATURE_VERSION] => None,
        bytes => Some(Signature::decode(bytes)?),
    };
    Some((signature, CheckedPrice::decode(price)?))
}
