//! The embedded store: one SQLite database in the data folder.
//!
//! One thread writes, a few read, those for followers apart from the others ([`behind`]); callers are async and talk to them through channels. The writer gathers what waits for
//! it into one transaction, so that many small writers share one sync to disk ([`writer`]). Readers never wait for the
//! writer: the database is in WAL mode. Other processes (`vigie keys`, `vigie import`) may open the same folder beside a
//! server; two servers may not ([`lock`]).

mod access;
mod behind;
mod commit;
mod deliveries;
mod erase;
mod lock;
mod matches;
mod prepare;
mod read;
mod readers;
mod scan;
mod schema;
mod searches;
mod secrets;
mod sites;
mod writer;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use domain::{
    AdvertId, CancelReason, DeliveryEpoch, DeliveryId, Identity, KeyId, Property, PropertyId, SearchId,
    SearchNumber, Site, SiteCategory, SiteCategoryId, SiteCategoryName, SiteDirectory, Timestamp, UserId,
    WebhookSecret, WebhookSecrets,
};
use tokio::sync::watch;

use crate::contract::{
    ChangeSet, CommitOutcome, Erased, Key, Located, NewKey, NewSecret, PutSite, Renamed, ScanPart, Scanned,
    SearchList, SearchLookup, SearchPage, Store, StoredProperty, StoredSearch,
};
use crate::deliveries::{
    Attempt, Claim, DeliveryList, DeliveryPage, DeliveryRow, DocumentKey, EnqueueBatch, Lane, LaneDue,
    Leases, OutboxBatch, Peek, Pruned, QueueDepth, Replay, Settlement, Waiting,
};
use crate::error::Error;
use crate::log::{LogEntry, Position};
use crate::matches::{MatchBatch, MatchGroup, MatchPage, MatchRow};
pub use behind::become_background;
use deliveries::PreparedClaim;
use lock::OpeningLock;
pub use lock::ServerLock;
use matches::PreparedBatch;
use matches::filing::{self, Piece};
use prepare::Prepared;
use readers::Readers;
use writer::{Verdict, Writer};

/// The database inside the data folder.
pub const FILE_NAME: &str = "vigie.db";

/// How long a process waits for another one's transaction before it gives up. An import beside a server commits many
/// times a second, so a wait this long means that something is stuck.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// Enough to keep both cores of a small machine busy; more would only queue inside the database. As many again for those who
/// stand behind.
const READERS: usize = 2;

/// The store in a folder.
pub struct SqliteStore {
    folder: PathBuf,
    writer: Writer,
    readers: ReaderPools,
}

/// Readers for whoever answers requests, and others for what may wait.
struct ReaderPools {
    first: Readers,
    behind: Readers,
}

impl ReaderPools {
    fn start(path: &Path) -> Result<Self, Error> {
        let open = || schema::open_for_reading(path);
        Ok(Self {
            first: Readers::start("store-read", READERS, || {}, open)?,
            behind: Readers::start("store-read-behind", READERS, behind::become_background, open)?,
        })
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&rusqlite::Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let pool = if behind::is_behind() { &self.behind } else { &self.first };
        pool.run(work).await
    }
}

impl SqliteStore {
    /// Opens the folder; makes it, and brings its schema up to date, when needed.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let open_error = |source| Error::Open { path: folder.to_owned(), source };
        lock::make_folder(folder).map_err(open_error)?;
        let _opening = OpeningLock::wait(folder)?;
        let path = folder.join(FILE_NAME);
        let connection = schema::open_for_writing(&path)?;
        // The names of new files are durable only once their folder is: without this, a loss of power just after the
        // first commits could take the whole database with it.
        std::fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(open_error)?;
        let readers = ReaderPools::start(&path)?;
        Ok(Self { folder: folder.to_owned(), writer: Writer::start(connection)?, readers })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn locate(&self, identities: Vec<Identity>) -> Result<Vec<Option<Located>>, Error> {
        self.readers.run(move |connection| read::locate(connection, &identities)).await
    }

    async fn properties(&self, ids: Vec<PropertyId>) -> Result<HashMap<PropertyId, StoredProperty>, Error> {
        self.readers.run(move |connection| read::properties(connection, &ids)).await
    }

    async fn scan_parts(&self, count: usize) -> Result<Vec<ScanPart>, Error> {
        self.readers.run(move |connection| scan::parts(connection, count)).await
    }

    async fn scan(&self, part: ScanPart, limit: usize) -> Result<Scanned, Error> {
        self.readers.run(move |connection| scan::scan(connection, part, limit)).await
    }

    async fn property_at(&self, id: PropertyId, version: u32) -> Result<Option<Property>, Error> {
        self.readers.run(move |connection| read::property_at(connection, id, version)).await
    }

    async fn properties_at(&self, wanted: Vec<(PropertyId, u32)>) -> Result<Vec<Option<Property>>, Error> {
        self.readers.run(move |connection| read::properties_at(connection, &wanted)).await
    }

    async fn commit(&self, changes: ChangeSet) -> Result<CommitOutcome, Error> {
        // Encoding is most of the work and needs no database: it is done here, not on the one writing thread.
        let prepared = Prepared::new(changes)?;
        self.writer.run(move |connection| commit::apply(connection, prepared)).await
    }

    async fn log_after(&self, position: Position, limit: usize) -> Result<Vec<LogEntry>, Error> {
        self.readers.run(move |connection| read::log_after(connection, position, limit)).await
    }

    fn head(&self) -> watch::Receiver<Position> {
        self.writer.head()
    }

    async fn erase(&self, advert: AdvertId, at: Timestamp) -> Result<Option<Erased>, Error> {
        let erased = self.writer.run(move |connection| erase::erase(connection, advert, at)).await?;
        if erased.is_some()
            && let Err(error) = self.writer.forget_old_pages().await
        {
            // The erasure is durable and must not be reported as failed; the next checkpoint empties the log.
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the write-ahead log could not be emptied yet"
            );
        }
        Ok(erased)
    }

    async fn compact(&self) -> Result<(), Error> {
        self.writer.compact().await
    }

    async fn not_crawled_since(&self, moment: Timestamp, limit: usize) -> Result<Vec<Located>, Error> {
        self.readers.run(move |connection| read::not_crawled_since(connection, moment, limit)).await
    }

    async fn counts(&self) -> Result<(u64, u64), Error> {
        self.readers.run(read::counts).await
    }

    async fn create_key(&self, key: NewKey) -> Result<Key, Error> {
        self.writer.run(move |connection| Ok(Verdict::Keep(access::create_key(connection, &key)?))).await
    }

    async fn key(&self, id: KeyId) -> Result<Option<Key>, Error> {
        self.readers.run(move |connection| access::key(connection, &id)).await
    }

    async fn keys(&self) -> Result<Vec<Key>, Error> {
        self.readers.run(access::keys).await
    }

    async fn revoke_key(&self, id: KeyId, at: Timestamp) -> Result<bool, Error> {
        self.writer.run(move |connection| Ok(Verdict::Keep(access::revoke_key(connection, &id, at)?))).await
    }

    async fn site_directory(&self, known: Option<u64>) -> Result<Option<SiteDirectory>, Error> {
        self.readers.run(move |connection| sites::directory(connection, known)).await
    }

    async fn put_site(&self, site: PutSite) -> Result<Option<Site>, Error> {
        self.writer.run(move |connection| Ok(Verdict::Keep(sites::put_site(connection, &site)?))).await
    }

    async fn create_site_category(&self, name: SiteCategoryName) -> Result<Option<SiteCategory>, Error> {
        self.writer.run(move |connection| Ok(Verdict::Keep(sites::create_category(connection, &name)?))).await
    }

    async fn rename_site_category(
        &self,
        id: SiteCategoryId,
        name: SiteCategoryName,
    ) -> Result<Renamed, Error> {
        let write = move |connection: &rusqlite::Connection| {
            Ok(Verdict::Keep(sites::rename_category(connection, id, &name)?))
        };
        self.writer.run(write).await
    }

    async fn delete_site_category(&self, id: SiteCategoryId) -> Result<bool, Error> {
        self.writer.run(move |connection| Ok(Verdict::Keep(sites::delete_category(connection, id)?))).await
    }

    async fn search(&self, id: SearchId) -> Result<Option<StoredSearch>, Error> {
        self.readers.run(move |connection| searches::by_id(connection, id)).await
    }

    async fn search_numbered(&self, number: SearchNumber) -> Result<Option<StoredSearch>, Error> {
        self.readers.run(move |connection| searches::by_number(connection, number)).await
    }

    async fn searches_numbered(&self, numbers: Vec<SearchNumber>) -> Result<Vec<SearchLookup>, Error> {
        self.readers.run(move |connection| searches::by_numbers(connection, &numbers)).await
    }

    async fn searches(&self, asked: SearchList) -> Result<SearchPage, Error> {
        self.readers.run(move |connection| searches::list(connection, &asked)).await
    }

    async fn searches_at(
        &self,
        position: Position,
        after: Option<SearchNumber>,
        limit: usize,
    ) -> Result<Vec<StoredSearch>, Error> {
        self.readers.run(move |connection| searches::at_position(connection, position, after, limit)).await
    }

    async fn search_at(&self, id: SearchId, version: u32) -> Result<Option<StoredSearch>, Error> {
        self.readers.run(move |connection| searches::at_version(connection, id, version)).await
    }

    async fn count_searches(&self) -> Result<u64, Error> {
        self.readers.run(searches::count).await
    }

    async fn matcher_checkpoint(&self) -> Result<Position, Error> {
        self.readers.run(|connection| Ok(matches::progress(connection)?.matched_until)).await
    }

    async fn matched(
        &self,
        properties: Vec<PropertyId>,
    ) -> Result<HashMap<PropertyId, Vec<SearchNumber>>, Error> {
        self.readers.run(move |connection| matches::matched(connection, &properties)).await
    }

    async fn record_matches(&self, batch: MatchBatch) -> Result<bool, Error> {
        let prepared = PreparedBatch::new(batch)?;
        self.writer.run(move |connection| matches::record(connection, &prepared)).await
    }

    async fn match_groups_after(&self, position: Position, limit: usize) -> Result<Vec<MatchGroup>, Error> {
        self.readers.run(move |connection| matches::groups_after(connection, position, limit)).await
    }

    async fn matches_of(&self, search: SearchNumber, skip: u64, take: u64) -> Result<MatchPage, Error> {
        self.readers.run(move |connection| matches::matches_of(connection, search, skip, take)).await
    }

    async fn match_with(
        &self,
        search: SearchNumber,
        first_told_at: Position,
    ) -> Result<Option<MatchRow>, Error> {
        self.readers.run(move |connection| matches::match_with(connection, search, first_told_at)).await
    }

    async fn index_matches(&self, limit: usize) -> Result<bool, Error> {
        match self.readers.run(move |connection| filing::next(connection, limit)).await? {
            Piece::File(piece) => self.writer.run(move |connection| filing::file(connection, &piece)).await,
            Piece::Clear(piece) => self.writer.run(move |connection| filing::clear(connection, &piece)).await,
            Piece::Nothing => Ok(false),
        }
    }

    async fn read_outbox(&self, limit: usize) -> Result<OutboxBatch, Error> {
        self.readers.run(move |connection| deliveries::read_outbox(connection, limit)).await
    }

    async fn enqueue(&self, batch: EnqueueBatch) -> Result<bool, Error> {
        self.writer.run(move |connection| deliveries::enqueue(connection, &batch)).await
    }

    async fn lanes(&self, after: Option<Lane>, limit: usize) -> Result<Vec<LaneDue>, Error> {
        self.readers.run(move |connection| deliveries::lanes(connection, after, limit)).await
    }

    async fn waiting(&self, lanes: Vec<Peek>, now: Timestamp) -> Result<Vec<Waiting>, Error> {
        self.readers.run(move |connection| deliveries::waiting(connection, &lanes, now)).await
    }

    async fn claim(&self, claim: Claim) -> Result<Vec<DeliveryId>, Error> {
        let prepared = PreparedClaim::new(claim)?;
        self.writer.run(move |connection| deliveries::claim(connection, &prepared)).await
    }

    async fn settle(&self, settlements: Vec<Settlement>) -> Result<u64, Error> {
        self.writer.run(move |connection| deliveries::settle(connection, &settlements)).await
    }

    async fn cancel(
        &self,
        deliveries: Vec<DeliveryId>,
        reason: CancelReason,
        at: Timestamp,
    ) -> Result<(), Error> {
        self.writer.run(move |connection| deliveries::cancel(connection, &deliveries, reason, at)).await
    }

    async fn reap_leases(&self, leases: Leases, now: Timestamp, limit: usize) -> Result<Vec<Lane>, Error> {
        self.writer.run(move |connection| deliveries::reap_leases(connection, leases, now, limit)).await
    }

    async fn sent_documents(&self, keys: Vec<DocumentKey>) -> Result<Vec<Option<Vec<u8>>>, Error> {
        self.readers.run(move |connection| deliveries::sent_documents(connection, &keys)).await
    }

    async fn deliveries(&self, asked: DeliveryList) -> Result<DeliveryPage, Error> {
        self.readers.run(move |connection| deliveries::deliveries(connection, &asked)).await
    }

    async fn delivery(&self, id: DeliveryId) -> Result<Option<(DeliveryRow, Vec<Attempt>)>, Error> {
        self.readers.run(move |connection| deliveries::delivery(connection, id)).await
    }

    async fn replay(&self, replay: Replay, now: Timestamp, limit: usize) -> Result<Vec<DeliveryId>, Error> {
        self.writer.run(move |connection| deliveries::replay(connection, replay, now, limit)).await
    }

    async fn start_delivery_epoch(&self, mark: DeliveryEpoch) -> Result<(), Error> {
        self.writer.run(move |connection| deliveries::mark(connection, mark)).await
    }

    async fn prune_deliveries(&self, before: Timestamp, after: u64, limit: usize) -> Result<Pruned, Error> {
        self.writer.run(move |connection| deliveries::forget(connection, before, after, limit)).await
    }

    async fn queue_depth(&self) -> Result<QueueDepth, Error> {
        self.readers.run(deliveries::depth).await
    }

    async fn webhook_secrets(&self, user: UserId) -> Result<Option<WebhookSecrets>, Error> {
        self.readers.run(move |connection| secrets::of_user(connection, user)).await
    }

    async fn put_webhook_secret(
        &self,
        user: UserId,
        secret: WebhookSecret,
        rule: NewSecret,
        at: Timestamp,
    ) -> Result<WebhookSecrets, Error> {
        let write = move |connection: &rusqlite::Connection| {
            Ok(Verdict::Keep(secrets::put(connection, user, &secret, rule, at)?))
        };
        self.writer.run(write).await
    }

    async fn note(&self, name: String) -> Result<Option<String>, Error> {
        self.readers.run(move |connection| access::note(connection, &name)).await
    }

    async fn set_note(&self, name: String, text: Option<String>) -> Result<(), Error> {
        let write = move |connection: &rusqlite::Connection| {
            Ok(Verdict::Keep(access::set_note(connection, &name, text.as_deref())?))
        };
        self.writer.run(write).await
    }
}

#[cfg(test)]
mod tests;
