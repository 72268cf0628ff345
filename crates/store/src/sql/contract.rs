//! The contract of the store: each method runs a function of its module on a thread that reads or writes.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::grouping::PersonDecision;
use domain::{
    AdvertId, CancelReason, Date, DeliveryEpoch, DeliveryId, EmailAddress, Identity, KeyId, KeySettings,
    Property, PropertyId, SearchId, SearchNumber, SearchRef, SearchToken, SessionId, Site, SiteCategory,
    SiteCategoryId, SiteCategoryName, SiteDirectory, SiteKey, Timestamp, UserId, WebhookSecret,
    WebhookSecrets,
};
use tokio::sync::watch;

use super::commit::Applied;
use super::deliveries::PreparedClaim;
use super::foreign::Invalidation;
use super::matches::PreparedBatch;
use super::matches::indexing::{self, IndexStep};
use super::prepare::Prepared;
use super::readers::ReadKind;
use super::writer::Transaction;
use super::{
    Connection, Place, SqlStore, access, commit, deliveries, erase, grouping, matches, metadata, read,
    recipients, repair, retention, roles, scan, searches, secrets, sites, usage, verify,
};
use crate::contract::{
    AccessStore, AdvertRef, AdvertStore, Attempt, AttemptSummaries, ChangeSet, Claim, CommitOutcome,
    DeliveryList, DeliveryPage, DeliveryRow, DeliveryStore, DocumentKey, DueDelivery, EnqueueBatch, Erased,
    ErasedProperties, Finding, ForeignWrites, FoundProperties, GroupingTurn, Key, Lane, LaneDue, LaneHead,
    LanePeek, Leases, LineageRow, LiveAdvert, LogEntry, LogStore, MaintenanceStore, MatchBatch, MatchCounts,
    MatchGroup, MatchPage, MatchRow, MatchStore, NewKey, NewSecret, OutboxBatch, OverduePage, Position,
    PruneStep, Pruned, PutSite, QueueDepth, RecipientConfirmation, RecipientStore, RecordKind, RenameOutcome,
    Repair, Replay, RetentionStore, ScanPage, ScanPart, SearchList, SearchLookup, SearchPage, SearchStore,
    Session, Settlement, SignatureRow, SiteStore, StoreFailure, StoreSize, StoredSearch, UsageBatch,
    UsageList, UsagePage, UsageStore, VerifyCursor, VerifyPage, VersionLookup,
};
use crate::error::Error;
use crate::sqlite::FILE_NAME;

/// From this many properties on, it takes milliseconds to free them.
const PROPERTIES_FREED_ASIDE: usize = 1_000;

#[async_trait]
impl AdvertStore for SqlStore {
    async fn locate(&self, identities: Vec<Identity>) -> Result<Vec<Option<AdvertRef>>, Error> {
        let kind = ReadKind::of_count(identities.len());
        self.readers().run(kind, move |connection| read::locate(connection, &identities)).await
    }

    async fn find_properties(&self, ids: Vec<PropertyId>) -> Result<FoundProperties, Error> {
        let kind = ReadKind::of_count(ids.len());
        self.checked(kind, move |connection, damage| read::find_properties(connection, &ids, damage)).await
    }

    async fn scan_parts(&self, count: usize) -> Result<Vec<ScanPart>, Error> {
        self.read(move |connection| scan::parts(connection, count)).await
    }

    async fn scan(&self, part: ScanPart, limit: usize) -> Result<ScanPage, Error> {
        self.read_checked(move |connection, damage| scan::scan(connection, part, limit, damage)).await
    }

    async fn property_at(&self, id: PropertyId, version: u32) -> Result<Option<Property>, Error> {
        self.read(move |connection| read::property_at(connection, id, version)).await
    }

    async fn properties_at(&self, versions: Vec<(PropertyId, u32)>) -> Result<Vec<VersionLookup>, Error> {
        self.read_checked(move |connection, damage| read::properties_at(connection, &versions, damage)).await
    }

    async fn not_crawled_since(
        &self,
        timestamp: Timestamp,
        after: Option<AdvertId>,
        limit: usize,
    ) -> Result<OverduePage, Error> {
        self.read_checked(move |connection, damage| {
            read::not_crawled_since(connection, timestamp, after, limit, damage)
        })
        .await
    }

    async fn live_adverts_of_site(&self, site: SiteKey) -> Result<Vec<LiveAdvert>, Error> {
        self.read_checked(move |connection, damage| read::live_adverts_of_site(connection, &site, damage))
            .await
    }

    async fn scan_signatures(
        &self,
        after: Option<AdvertId>,
        limit: usize,
    ) -> Result<Vec<SignatureRow>, Error> {
        self.read_checked(move |connection, damage| {
            grouping::scan_signatures(connection, after, limit, damage)
        })
        .await
    }

    async fn newest_adverts(&self, before: Option<AdvertId>, limit: usize) -> Result<Vec<AdvertId>, Error> {
        self.read_checked(move |connection, damage| {
            grouping::newest_adverts(connection, before, limit, damage)
        })
        .await
    }

    async fn signatures(&self, adverts: Vec<AdvertId>) -> Result<Vec<Option<SignatureRow>>, Error> {
        self.read_checked(move |connection, damage| grouping::signatures(connection, &adverts, damage)).await
    }

    async fn put_signatures(&self, signatures: Vec<(AdvertId, Vec<u8>)>) -> Result<(), Error> {
        self.write(move |connection| grouping::put_signatures(connection, &signatures)).await
    }

    async fn survivor(&self, property: PropertyId) -> Result<Option<PropertyId>, Error> {
        self.look_up(move |connection| Ok(grouping::survivor(connection, property)?)).await
    }

    async fn lineage(&self, property: PropertyId) -> Result<Vec<LineageRow>, Error> {
        self.read_checked(move |connection, damage| grouping::lineage(connection, property, damage)).await
    }

    async fn person_decisions(&self, after: u64) -> Result<Vec<(u64, PersonDecision)>, Error> {
        self.read_checked(move |connection, damage| grouping::person_decisions(connection, after, damage))
            .await
    }

    async fn counts(&self) -> Result<(u64, u64), Error> {
        self.read(read::counts).await
    }

    async fn erase(&self, advert: AdvertId, at: Timestamp) -> Result<Option<Erased>, Error> {
        let damage = Arc::clone(&self.shared.damage);
        let erase = move |connection: &Connection| erase::erase(connection, advert, at, &damage);
        let erased = self.transact(Invalidation::Properties, erase).await?;
        if erased.is_some() {
            self.truncate_wal().await;
        }
        Ok(erased)
    }
}

#[async_trait]
impl LogStore for SqlStore {
    async fn commit(&self, changes: ChangeSet) -> Result<CommitOutcome, Error> {
        // Encoding is most of the work and needs no database, so it does not run on the writer's thread.
        let prepared = Prepared::new(changes)?;
        let foreign = Arc::clone(self.shared.writer.foreign());
        let invalidation =
            if prepared.changes_properties { Invalidation::Properties } else { Invalidation::Copies };
        let apply =
            move |connection: &Connection| commit::apply(connection, prepared, foreign.last_of_properties());
        let committed = Arc::clone(&self.shared.committed);
        let applied = self.shared.writer.run_announced(invalidation, apply, move |applied| {
            committed.add(&mut applied.properties);
        });
        let Applied { outcome, properties } = applied.await?;
        if properties.len() >= PROPERTIES_FREED_ASIDE {
            // Not on the way to the answer, and not on the writer's thread.
            drop(tokio::task::spawn_blocking(move || drop(properties)));
        }
        Ok(outcome)
    }

    fn keep_committed(&self) {
        self.shared.committed.keep();
    }

    fn take_committed(&self, until: Position) -> BTreeMap<Position, Arc<Property>> {
        self.shared.committed.take(until)
    }

    async fn log_after(&self, position: Position, limit: usize) -> Result<Vec<LogEntry>, Error> {
        self.read_checked(move |connection, damage| read::log_after(connection, position, limit, damage))
            .await
    }

    fn head(&self) -> watch::Receiver<Position> {
        self.shared.writer.head()
    }

    fn foreign_writes(&self) -> watch::Receiver<ForeignWrites> {
        self.shared.writer.foreign().watch()
    }

    fn foreign_ranges(&self, count: u64) -> Vec<(Position, Position)> {
        self.shared.writer.foreign().ranges_after(count)
    }

    async fn grouping_turn(&self) -> Result<GroupingTurn, Error> {
        match &self.shared.turns {
            Some(turns) => turns.enter().await,
            None => Ok(GroupingTurn::alone()),
        }
    }

    async fn detect_foreign_writes(&self) -> Result<ForeignWrites, Error> {
        self.shared.writer.detect_foreign_writes().await
    }
}

#[async_trait]
impl SearchStore for SqlStore {
    async fn search(&self, id: SearchId) -> Result<Option<StoredSearch>, Error> {
        self.look_up(move |connection| searches::by_id(connection, id)).await
    }

    async fn search_by_number(&self, number: SearchNumber) -> Result<Option<StoredSearch>, Error> {
        self.look_up(move |connection| searches::by_number(connection, number)).await
    }

    async fn search_by_token(
        &self,
        owner: UserId,
        token: SearchToken,
    ) -> Result<Option<StoredSearch>, Error> {
        self.look_up(move |connection| searches::by_token(connection, owner, &token)).await
    }

    async fn search_id(&self, owner: UserId, name: SearchRef) -> Result<Option<SearchId>, Error> {
        self.look_up(move |connection| searches::id_of(connection, owner, &name)).await
    }

    async fn searches_by_number(&self, numbers: Vec<SearchNumber>) -> Result<Vec<SearchLookup>, Error> {
        self.read_checked(move |connection, damage| searches::by_numbers(connection, &numbers, damage)).await
    }

    async fn list_searches(&self, list: SearchList) -> Result<SearchPage, Error> {
        self.read_checked(move |connection, damage| searches::list(connection, &list, damage)).await
    }

    async fn searches_at(
        &self,
        position: Position,
        after: Option<SearchNumber>,
        limit: usize,
    ) -> Result<Vec<StoredSearch>, Error> {
        self.read_checked(move |connection, damage| {
            searches::at_position(connection, position, after, limit, damage)
        })
        .await
    }

    async fn search_at(&self, id: SearchId, version: u32) -> Result<Option<StoredSearch>, Error> {
        self.read(move |connection| searches::at_version(connection, id, version)).await
    }

    async fn recipient_was_changed(&self, number: SearchNumber) -> Result<bool, Error> {
        self.read(move |connection| searches::recipient_was_changed(connection, number)).await
    }

    async fn count_searches(&self) -> Result<u64, Error> {
        self.read(searches::count).await
    }
}

#[async_trait]
impl MatchStore for SqlStore {
    async fn matcher_checkpoint(&self) -> Result<Position, Error> {
        self.look_up(|connection| Ok(matches::progress(connection)?.checkpoint)).await
    }

    async fn matched_searches(
        &self,
        properties: Vec<PropertyId>,
    ) -> Result<HashMap<PropertyId, Vec<SearchNumber>>, Error> {
        self.read(move |connection| matches::matched_searches(connection, &properties)).await
    }

    async fn record_matches(&self, batch: MatchBatch) -> Result<bool, Error> {
        let prepared = PreparedBatch::new(batch)?;
        self.transact(Invalidation::Nothing, move |connection| matches::record(connection, &prepared)).await
    }

    async fn match_groups_after(&self, position: Position, limit: usize) -> Result<Vec<MatchGroup>, Error> {
        self.read_checked(move |connection, damage| {
            matches::groups_after(connection, position, limit, damage)
        })
        .await
    }

    async fn list_matches(&self, search: SearchNumber, skip: u64, take: u64) -> Result<MatchPage, Error> {
        self.read_checked(move |connection, damage| matches::list(connection, search, skip, take, damage))
            .await
    }

    async fn count_matches(
        &self,
        searches: Vec<SearchNumber>,
        starts: Vec<Timestamp>,
        count_max: u64,
    ) -> Result<Vec<MatchCounts>, Error> {
        self.read_checked(move |connection, damage| {
            matches::count(connection, &searches, &starts, count_max, damage)
        })
        .await
    }

    async fn find_match(
        &self,
        search: SearchNumber,
        first_position: Position,
    ) -> Result<Option<MatchRow>, Error> {
        self.look_up_checked(move |connection, damage| {
            matches::find(connection, search, first_position, damage)
        })
        .await
    }

    async fn index_matches(&self, limit: usize) -> Result<bool, Error> {
        match self
            .read_checked(move |connection, damage| indexing::next_step(connection, limit, damage))
            .await?
        {
            IndexStep::Insert(step) => {
                self.transact(Invalidation::Nothing, move |connection| indexing::insert(connection, &step))
                    .await
            }
            IndexStep::Delete(step) => {
                self.transact(Invalidation::Nothing, move |connection| indexing::delete(connection, &step))
                    .await
            }
            IndexStep::Done => Ok(false),
        }
    }
}

#[async_trait]
impl DeliveryStore for SqlStore {
    async fn read_outbox(&self, limit: usize) -> Result<OutboxBatch, Error> {
        self.read_checked(move |connection, damage| deliveries::read_outbox(connection, limit, damage)).await
    }

    async fn enqueue(&self, batch: EnqueueBatch) -> Result<bool, Error> {
        self.transact(Invalidation::Nothing, move |connection| deliveries::enqueue(connection, &batch)).await
    }

    async fn lanes(&self, after: Option<Lane>, limit: usize) -> Result<Vec<LaneDue>, Error> {
        self.read_checked(move |connection, damage| deliveries::lanes(connection, after, limit, damage)).await
    }

    async fn peek_lanes(&self, lanes: Vec<LanePeek>, now: Timestamp) -> Result<Vec<LaneHead>, Error> {
        self.read_checked(move |connection, damage| deliveries::peek_lanes(connection, &lanes, now, damage))
            .await
    }

    async fn claim(&self, claim: Claim) -> Result<Vec<DeliveryId>, Error> {
        let prepared = PreparedClaim::new(claim)?;
        self.write_quietly(move |connection| deliveries::claim(connection, &prepared)).await
    }

    async fn settle(&self, settlements: Vec<Settlement>) -> Result<u64, Error> {
        self.write_quietly(move |connection| deliveries::settle(connection, &settlements)).await
    }

    async fn cancel(
        &self,
        deliveries: Vec<DeliveryId>,
        reason: CancelReason,
        at: Timestamp,
    ) -> Result<(), Error> {
        self.write_quietly(move |connection| deliveries::cancel(connection, &deliveries, reason, at)).await
    }

    async fn reap_leases(&self, leases: Leases, now: Timestamp, limit: usize) -> Result<Vec<Lane>, Error> {
        let damage = Arc::clone(&self.shared.damage);
        self.write_quietly(move |connection| deliveries::reap_leases(connection, leases, now, limit, &damage))
            .await
    }

    async fn sent_documents(&self, keys: Vec<DocumentKey>) -> Result<Vec<Option<Vec<u8>>>, Error> {
        self.read_checked(move |connection, damage| deliveries::sent_documents(connection, &keys, damage))
            .await
    }

    async fn list_deliveries(&self, list: DeliveryList) -> Result<DeliveryPage, Error> {
        self.read_checked(move |connection, damage| deliveries::list(connection, &list, damage)).await
    }

    async fn delivery(&self, id: DeliveryId) -> Result<Option<(DeliveryRow, Vec<Attempt>)>, Error> {
        self.look_up_checked(move |connection, damage| deliveries::delivery(connection, id, damage)).await
    }

    async fn delivery_source(&self, id: DeliveryId) -> Result<Option<DueDelivery>, Error> {
        self.look_up_checked(move |connection, damage| deliveries::delivery_source(connection, id, damage))
            .await
    }

    async fn attempts_since(
        &self,
        owner: UserId,
        since: Timestamp,
        limit: usize,
    ) -> Result<AttemptSummaries, Error> {
        self.read_checked(move |connection, damage| {
            deliveries::attempts_since(connection, owner, since, limit, damage)
        })
        .await
    }

    async fn replay(&self, replay: Replay, now: Timestamp, limit: usize) -> Result<Vec<DeliveryId>, Error> {
        self.write_quietly(move |connection| deliveries::replay(connection, replay, now, limit)).await
    }

    async fn count_replayable(&self, search: SearchNumber, since: Timestamp) -> Result<u64, Error> {
        self.read(move |connection| deliveries::count_replayable(connection, search, since)).await
    }

    async fn start_delivery_epoch(&self, epoch: DeliveryEpoch) -> Result<(), Error> {
        self.write_quietly(move |connection| deliveries::start_epoch(connection, epoch)).await
    }

    async fn prune_deliveries(&self, before: Timestamp, after: u64, limit: usize) -> Result<Pruned, Error> {
        self.write_quietly(move |connection| deliveries::prune(connection, before, after, limit)).await
    }

    async fn queue_depth(&self) -> Result<QueueDepth, Error> {
        self.read(deliveries::queue_depth).await
    }

    async fn webhook_secrets(&self, user: UserId) -> Result<Option<WebhookSecrets>, Error> {
        self.look_up(move |connection| secrets::of_user(connection, user)).await
    }

    async fn put_webhook_secret(
        &self,
        user: UserId,
        secret: WebhookSecret,
        rule: NewSecret,
        at: Timestamp,
    ) -> Result<WebhookSecrets, Error> {
        self.write(move |connection| secrets::put(connection, user, &secret, rule, at)).await
    }
}

#[async_trait]
impl RecipientStore for SqlStore {
    async fn recipient_confirmation(
        &self,
        user: UserId,
        address: EmailAddress,
    ) -> Result<Option<RecipientConfirmation>, Error> {
        self.read(move |connection| recipients::confirmation(connection, user, &address)).await
    }

    async fn confirmation_by_token(&self, hash: [u8; 32]) -> Result<Option<RecipientConfirmation>, Error> {
        self.read(move |connection| recipients::by_token(connection, hash)).await
    }

    async fn put_question(
        &self,
        user: UserId,
        address: EmailAddress,
        hash: [u8; 32],
        at: Timestamp,
    ) -> Result<(), Error> {
        self.write(move |connection| recipients::put_question(connection, user, &address, hash, at)).await
    }

    async fn confirm_recipient(&self, hash: [u8; 32], at: Timestamp) -> Result<(), Error> {
        self.write(move |connection| recipients::confirm(connection, hash, at)).await
    }
}

#[async_trait]
impl SiteStore for SqlStore {
    async fn site_directory(&self, known_revision: Option<u64>) -> Result<Option<SiteDirectory>, Error> {
        self.look_up_checked(move |connection, damage| sites::directory(connection, known_revision, damage))
            .await
    }

    async fn put_site(&self, site: PutSite) -> Result<Option<Site>, Error> {
        self.write(move |connection| sites::put_site(connection, &site)).await
    }

    async fn create_site_category(&self, name: SiteCategoryName) -> Result<Option<SiteCategory>, Error> {
        self.write(move |connection| sites::create_category(connection, &name)).await
    }

    async fn rename_site_category(
        &self,
        id: SiteCategoryId,
        name: SiteCategoryName,
    ) -> Result<RenameOutcome, Error> {
        self.write(move |connection| sites::rename_category(connection, id, &name)).await
    }

    async fn delete_site_category(&self, id: SiteCategoryId) -> Result<bool, Error> {
        self.write(move |connection| sites::delete_category(connection, id)).await
    }
}

#[async_trait]
impl AccessStore for SqlStore {
    async fn create_key(&self, key: NewKey) -> Result<Key, Error> {
        self.write(move |connection| access::create_key(connection, &key)).await
    }

    async fn key(&self, id: KeyId) -> Result<Option<Key>, Error> {
        self.look_up(move |connection| access::key(connection, &id)).await
    }

    async fn keys(&self) -> Result<Vec<Key>, Error> {
        self.look_up_checked(access::keys).await
    }

    async fn change_key(&self, id: KeyId, settings: KeySettings) -> Result<Option<Key>, Error> {
        self.write(move |connection| access::change_key(connection, &id, &settings)).await
    }

    async fn revoke_key(&self, id: KeyId, at: Timestamp) -> Result<bool, Error> {
        self.write(move |connection| access::revoke_key(connection, &id, at)).await
    }

    async fn create_session(&self, session: Session) -> Result<(), Error> {
        self.write(move |connection| access::create_session(connection, &session)).await
    }

    async fn sessions(&self) -> Result<Vec<Session>, Error> {
        self.look_up(access::sessions).await
    }

    async fn delete_sessions(&self, ids: Vec<SessionId>) -> Result<(), Error> {
        self.write(move |connection| access::delete_sessions(connection, &ids)).await
    }
}

#[async_trait]
impl UsageStore for SqlStore {
    async fn add_usage(&self, batch: UsageBatch) -> Result<(), Error> {
        self.write_quietly(move |connection| usage::add(connection, &batch)).await
    }

    async fn list_usage(&self, list: UsageList) -> Result<UsagePage, Error> {
        self.read_checked(move |connection, damage| usage::list(connection, &list, damage)).await
    }

    async fn prune_usage(&self, before: Date) -> Result<(), Error> {
        self.write_quietly(move |connection| usage::prune(connection, before)).await
    }
}

#[async_trait]
impl RetentionStore for SqlStore {
    async fn prune_log(
        &self,
        before: Timestamp,
        until: Position,
        entries_max: usize,
    ) -> Result<PruneStep, Error> {
        let plan = self.read_checked(move |connection, damage| {
            retention::plan(connection, before, until, entries_max, damage)
        });
        match plan.await? {
            Some(step) => self.write_quietly(move |connection| retention::apply(connection, &step)).await,
            None => Ok(PruneStep::default()),
        }
    }

    async fn prune_matches(&self, before: Timestamp, matches_max: usize) -> Result<PruneStep, Error> {
        let damage = Arc::clone(&self.shared.damage);
        self.write_quietly(move |connection| {
            retention::prune_matches(connection, before, matches_max, &damage)
        })
        .await
    }

    async fn erase_departed(
        &self,
        before: Timestamp,
        at: Timestamp,
        properties_max: usize,
    ) -> Result<ErasedProperties, Error> {
        let damage = Arc::clone(&self.shared.damage);
        let erase = move |connection: &Connection| {
            retention::erase_departed(connection, before, at, properties_max, &damage)
        };
        let erase = move |connection: &Connection| erase(connection).map(Transaction::Commit);
        let erased = self.transact(Invalidation::Properties, erase).await?;
        if !erased.more {
            self.truncate_wal().await;
        }
        Ok(erased)
    }

    async fn store_size(&self) -> Result<StoreSize, Error> {
        let size = self.look_up(retention::size).await?;
        let Place::Folder(folder) = &self.shared.place else { return Ok(size) };
        let wal = folder.join(format!("{FILE_NAME}-wal"));
        let wal_bytes = std::fs::metadata(wal).map_or(0, |file| file.len());
        Ok(StoreSize { wal_bytes, ..size })
    }
}

#[async_trait]
impl MaintenanceStore for SqlStore {
    async fn compact(&self) -> Result<(), Error> {
        self.shared.writer.compact().await
    }

    fn shared_identity(&self) -> Option<&str> {
        match &self.shared.place {
            Place::Folder(_) => None,
            Place::Shared { identity } => Some(identity),
        }
    }

    async fn take_role(&self, role: &'static str, holder: u64, lease: Duration) -> Result<bool, Error> {
        if self.shared_identity().is_none() {
            return Ok(true);
        }
        self.write_quietly(move |connection| roles::take(connection, role, holder, lease)).await
    }

    async fn metadata(&self, name: String) -> Result<Option<String>, Error> {
        self.look_up(move |connection| metadata::get(connection, &name)).await
    }

    async fn set_metadata(&self, name: String, value: Option<String>) -> Result<(), Error> {
        self.write(move |connection| metadata::set(connection, &name, value.as_deref())).await
    }

    async fn ensure_metadata(&self, name: String, value: String) -> Result<String, Error> {
        self.write(move |connection| metadata::ensure(connection, &name, &value)).await
    }

    fn failure(&self) -> watch::Receiver<Option<StoreFailure>> {
        self.shared.writer.failure()
    }

    fn damage(&self) -> Vec<(RecordKind, u64)> {
        self.shared.damage.counts()
    }

    async fn verify(&self, cursor: VerifyCursor) -> Result<VerifyPage, Error> {
        self.read(move |connection| verify::page(connection, &cursor)).await
    }

    async fn repair(&self, finding: Finding, at: Timestamp) -> Result<Repair, Error> {
        let damage = Arc::clone(&self.shared.damage);
        let repair = move |connection: &Connection| {
            repair::repair(connection, &finding, at, &damage).map(Transaction::Commit)
        };
        self.transact(Invalidation::Properties, repair).await
    }
}
