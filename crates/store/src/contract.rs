//! What a store has to offer. Small on purpose: every method here exists twice, once per database.

use std::collections::HashMap;

use async_trait::async_trait;
use domain::criteria::Direction;
use domain::{
    AdvertEvent, AdvertId, CancelReason, DeliveryEpoch, DeliveryId, FieldUpdate, Identity, KeyId, Property,
    PropertyId, SavedSearch, Scopes, SearchId, SearchNumber, Site, SiteCategory, SiteCategoryId,
    SiteCategoryName, SiteDirectory, SiteKey, SiteName, Timestamp, UserId, WebhookSecret, WebhookSecrets,
};
use tokio::sync::watch;

use crate::deliveries::{
    Attempt, Claim, DeliveryList, DeliveryPage, DeliveryRow, DocumentKey, EnqueueBatch, Lane, LaneDue,
    Leases, OutboxBatch, Peek, Pruned, QueueDepth, Replay, Settlement, Waiting,
};
use crate::error::Error;
use crate::log::{LogEntry, Position};
use crate::matches::{MatchBatch, MatchGroup, MatchPage, MatchRow};

/// Durable state.
///
/// Writers are optimistic: they say which version they built on, and a [`ChangeSet`] that was built on something else is
/// refused whole ([`CommitOutcome::Conflict`]) and can be built again. No lock is ever held while a caller thinks.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// Where adverts are, by what identifies them; in the order asked.
    async fn locate(&self, identities: Vec<Identity>) -> Result<Vec<Option<Located>>, Error>;

    /// Properties as they are now. Those that do not exist are missing from the answer.
    async fn properties(&self, ids: Vec<PropertyId>) -> Result<HashMap<PropertyId, StoredProperty>, Error>;

    /// All properties, cut into parts of about the same size that can be read side by side with [`Store::scan`].
    async fn scan_parts(&self, count: usize) -> Result<Vec<ScanPart>, Error>;

    /// DeliverySubject `limit` properties of a part as they are now, in an order of the store's own, and the rest of the part.
    ///
    /// A property that nobody writes while the parts are read is given exactly once. One that is written meanwhile may be
    /// missing or come twice: whoever needs them all follows the log from a position that was taken before.
    async fn scan(&self, part: ScanPart, limit: usize) -> Result<Scanned, Error>;

    /// A property as it was at a version that the log names, as long as it is kept.
    async fn property_at(&self, id: PropertyId, version: u32) -> Result<Option<Property>, Error>;

    /// The same for many at once, in the order asked.
    async fn properties_at(&self, wanted: Vec<(PropertyId, u32)>) -> Result<Vec<Option<Property>>, Error>;

    /// Makes all of a set of changes durable, with their log entries, or none of it.
    async fn commit(&self, changes: ChangeSet) -> Result<CommitOutcome, Error>;

    /// Up to `limit` entries after a position, in order and without gaps: what is missing has not been committed.
    async fn log_after(&self, position: Position, limit: usize) -> Result<Vec<LogEntry>, Error>;

    /// The last position written through this store. Wakes followers; those that must also see what other processes
    /// write read the log from time to time as well.
    fn head(&self) -> watch::Receiver<Position>;

    async fn search(&self, id: SearchId) -> Result<Option<StoredSearch>, Error>;
    async fn search_numbered(&self, number: SearchNumber) -> Result<Option<StoredSearch>, Error>;

    /// Searches as they are now, in the order asked.
    async fn searches_numbered(&self, numbers: Vec<SearchNumber>) -> Result<Vec<SearchLookup>, Error>;

    /// One owner's searches.
    async fn searches(&self, asked: SearchList) -> Result<SearchPage, Error>;

    /// Up to `limit` searches after a number, in the order of their numbers, each as it stood at a position of the log: what was
    /// made later is left out, and what was changed later is as it was before. For a position that the matcher has not left
    /// behind; what was deleted since is gone. One whose record is damaged is left out, and told to the log: it must not keep all
    /// others from being matched.
    async fn searches_at(
        &self,
        position: Position,
        after: Option<SearchNumber>,
        limit: usize,
    ) -> Result<Vec<StoredSearch>, Error>;

    /// A search as it was at a version that the log names; nothing when it was deleted since, or the matcher is beyond that.
    async fn search_at(&self, id: SearchId, version: u32) -> Result<Option<StoredSearch>, Error>;

    /// How many searches there are, of everybody.
    async fn count_searches(&self) -> Result<u64, Error>;

    /// Up to where of the log matches are recorded.
    async fn matcher_checkpoint(&self) -> Result<Position, Error>;

    /// Which searches have a match with these properties already, in ascending order; some of them may have been deleted since.
    /// Properties without any are missing from the answer.
    async fn matched(
        &self,
        properties: Vec<PropertyId>,
    ) -> Result<HashMap<PropertyId, Vec<SearchNumber>>, Error>;

    /// Records matches, what is read_outbox for them, and how far the matcher has come: all of it or nothing. `false`, and nothing is
    /// written, when the matcher had come to another position than the batch was built on: somebody else is matching. What is in
    /// the batch of a property that an erasure took away meanwhile is left out.
    async fn record_matches(&self, batch: MatchBatch) -> Result<bool, Error>;

    /// What was recorded after a position, in order: up to `limit` groups. Some of the searches may have been deleted since.
    async fn match_groups_after(&self, position: Position, limit: usize) -> Result<Vec<MatchGroup>, Error>;

    /// Matches of a search, the newest first.
    async fn matches_of(&self, search: SearchNumber, skip: u64, take: u64) -> Result<MatchPage, Error>;

    /// What links a search to the property that the log first told of at a position; a property of which the search only heard an
    /// event counts.
    async fn match_with(
        &self,
        search: SearchNumber,
        first_told_at: Position,
    ) -> Result<Option<MatchRow>, Error>;

    /// Makes matches quick to find by search: about `limit` of those that are not so yet, the oldest first. `true` when there are
    /// more. They are found before that too, only slower.
    async fn index_matches(&self, limit: usize) -> Result<bool, Error>;

    /// DeliverySubject `limit` deliveries that are read_outbox by notices and not made yet, the oldest first. Those of searches that were deleted
    /// since are left out.
    async fn read_outbox(&self, limit: usize) -> Result<OutboxBatch, Error>;

    /// Makes deliveries, and remembers up to where: all of it or nothing. `false`, and nothing is written, when somebody else
    /// has made some meanwhile.
    async fn enqueue(&self, batch: EnqueueBatch) -> Result<bool, Error>;

    /// Up to `limit` lanes after a lane in which something is pending, in an order of the store's own, each with its earliest.
    async fn lanes(&self, after: Option<Lane>, limit: usize) -> Result<Vec<LaneDue>, Error>;

    /// What is due in some lanes, the longest due first. Nothing is claimed by that.
    async fn waiting(&self, lanes: Vec<Peek>, now: Timestamp) -> Result<Vec<Waiting>, Error>;

    /// Takes a lease on those that are still pending and due or new, and answers which. Documents are kept for all of them, unless
    /// something was erased from the property within [`ERASURE_GRACE`](crate::ERASURE_GRACE) before: they may have been written
    /// of what is gone.
    async fn claim(&self, claim: Claim) -> Result<Vec<DeliveryId>, Error>;

    /// Records what came of attempts. Those whose lease somebody else holds by now are left alone; answers how many counted.
    async fn settle(&self, settlements: Vec<Settlement>) -> Result<u64, Error>;

    /// Gives up on deliveries that are pending. Others are left alone.
    async fn cancel(
        &self,
        deliveries: Vec<DeliveryId>,
        reason: CancelReason,
        at: Timestamp,
    ) -> Result<(), Error>;

    /// Takes leases back and records the attempts made under them as interrupted: up to `limit`. Answers the lane of each, which
    /// is pending in it again, or was interrupted too often and has failed.
    async fn reap_leases(&self, leases: Leases, now: Timestamp, limit: usize) -> Result<Vec<Lane>, Error>;

    /// Documents as they were first sent, in the order asked.
    async fn sent_documents(&self, keys: Vec<DocumentKey>) -> Result<Vec<Option<Vec<u8>>>, Error>;

    async fn deliveries(&self, asked: DeliveryList) -> Result<DeliveryPage, Error>;

    /// A delivery with all its attempts, in order.
    async fn delivery(&self, id: DeliveryId) -> Result<Option<(DeliveryRow, Vec<Attempt>)>, Error>;

    /// Makes deliveries pending again, with all their attempts before them: up to `limit`. Answers which. Those that are pending
    /// or leased already are not among them.
    async fn replay(&self, replay: Replay, now: Timestamp, limit: usize) -> Result<Vec<DeliveryId>, Error>;

    /// Deliveries that are made from now on have ids that no copy of this database ever gives, provided the mark is random. For a
    /// process that begins to bring what is read_outbox.
    async fn start_delivery_epoch(&self, mark: DeliveryEpoch) -> Result<(), Error>;

    /// Forgets deliveries that came to an end before a moment, with their attempts, and documents that were kept before it: up to
    /// `limit` of each. Begins at 0, and goes on where it was.
    async fn prune_deliveries(&self, before: Timestamp, after: u64, limit: usize) -> Result<Pruned, Error>;

    async fn queue_depth(&self) -> Result<QueueDepth, Error>;

    /// What a user's webhooks are signed with.
    async fn webhook_secrets(&self, user: UserId) -> Result<Option<WebhookSecrets>, Error>;

    /// Gives a user a new secret. With `NewSecret::First` only if there is none; answers what there is then.
    async fn put_webhook_secret(
        &self,
        user: UserId,
        secret: WebhookSecret,
        rule: NewSecret,
        at: Timestamp,
    ) -> Result<WebhookSecrets, Error>;

    /// Erases an advert: from its property, from every kept version, from the log's payloads. Not an expiry: nothing a
    /// publisher said is left. Its id stays in log entries that carry nothing else.
    async fn erase(&self, advert: AdvertId, at: Timestamp) -> Result<Option<Erased>, Error>;

    /// Live adverts last seen before a moment, the longest unseen first.
    async fn not_crawled_since(&self, moment: Timestamp, limit: usize) -> Result<Vec<Located>, Error>;

    /// Rewrites the database so that no byte of what was erased is left in its files' unused corners, and gives the room
    /// back. Takes a while, and writers wait for it.
    async fn compact(&self) -> Result<(), Error>;

    /// How many properties and adverts there are.
    async fn counts(&self) -> Result<(u64, u64), Error>;

    /// Keeps a key. A user of that name is made if there is none.
    async fn create_key(&self, key: NewKey) -> Result<Key, Error>;
    async fn key(&self, id: KeyId) -> Result<Option<Key>, Error>;
    async fn keys(&self) -> Result<Vec<Key>, Error>;
    /// Revokes a key; `false` when there is none of that id. Revoking twice keeps the first date.
    async fn revoke_key(&self, id: KeyId, at: Timestamp) -> Result<bool, Error>;

    /// Sites and their categories as they are now; nothing when nothing has changed since the revision that the caller knows.
    /// A site is known from the first advert that names it on, in the same transaction, and for good: unless its last advert
    /// is erased and no operator has named or categorised it.
    async fn site_directory(&self, known: Option<u64>) -> Result<Option<SiteDirectory>, Error>;
    /// Makes a site known or changes what is said of it; nothing when there is no such category.
    async fn put_site(&self, site: PutSite) -> Result<Option<Site>, Error>;
    /// Makes a category; nothing when there is one of that name. Its id is never given again.
    async fn create_site_category(&self, name: SiteCategoryName) -> Result<Option<SiteCategory>, Error>;
    async fn rename_site_category(
        &self,
        id: SiteCategoryId,
        name: SiteCategoryName,
    ) -> Result<Renamed, Error>;
    /// Deletes a category, and leaves its sites without one; `false` when there is none of that id.
    async fn delete_site_category(&self, id: SiteCategoryId) -> Result<bool, Error>;

    /// A small durable note under a name: how far an import has come, say.
    async fn note(&self, name: String) -> Result<Option<String>, Error>;
    async fn set_note(&self, name: String, text: Option<String>) -> Result<(), Error>;
}

/// Where an advert is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Located {
    pub advert: AdvertId,
    pub property: PropertyId,
}

/// A property, the version it is at, and the revision to build on. Versions count documents that the log names; revisions
/// count every write, crawls too. Both only ever grow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredProperty {
    pub property: Property,
    pub version: u32,
    pub revision: u32,
}

/// A part of all properties. What it says is the store's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanPart {
    pub(crate) after: u64,
    pub(crate) until: u64,
}

/// What a piece of a part holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scanned {
    pub found: Vec<StoredProperty>,
    /// Those whose record cannot be read: one of them must not keep all the others from being found.
    pub damaged: Vec<PropertyId>,
    /// Nothing when this was the last piece.
    pub rest: Option<ScanPart>,
}

/// Changes that belong together, in order.
#[derive(Debug, Clone, Default)]
pub struct ChangeSet {
    pub recorded_at: Timestamp,
    pub steps: Vec<Step>,
}

#[derive(Debug, Clone)]
pub enum Step {
    Put(PutProperty),
    /// The property lost its last advert to another property.
    Remove {
        property: PropertyId,
        expected: Expected,
        advert: AdvertId,
    },
    PutSearch(PutSearch),
    /// Does nothing, and leaves no entry in the log, when the owner has no such search.
    RemoveSearch {
        search: SearchId,
        owner: UserId,
    },
}

/// A property as it shall be from now on.
#[derive(Debug, Clone)]
pub struct PutProperty {
    pub property: Property,
    pub expected: Expected,
    /// The advert that is the reason. Unless it has left, it is in the property.
    pub advert: AdvertId,
    pub cause: PutCause,
}

/// What a writer built on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// The property did not exist.
    New,
    /// The property was at this revision: nothing, not even a crawl, has touched it since.
    Revision(u32),
    /// An earlier step of the same set wrote it, and was checked.
    WrittenBefore,
}

#[derive(Debug, Clone)]
pub enum PutCause {
    /// An advert that was not there before. Its identity must still be free.
    Created {
        claim: Identity,
        events: Vec<AdvertEvent>,
    },
    Changed {
        events: Vec<AdvertEvent>,
    },
    /// An advert that came from another property.
    Joined {
        from: PropertyId,
        events: Vec<AdvertEvent>,
    },
    /// Dates of the sighting only: the version stays and its document is replaced.
    Crawled,
    Left,
}

/// A saved search as it shall be from now on. Deliveries that wait for a channel that leads nowhere now, because notifications are
/// off or nobody is named, are cancelled with it, and stay so when it leads somewhere again.
#[derive(Debug, Clone)]
pub struct PutSearch {
    pub search: SavedSearch,
    pub expected: ExpectedSearch,
}

/// What the writer of a search built on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedSearch {
    /// There is none of that id, and its owner has fewer than so many.
    New { owner_has_fewer_than: u32 },
    /// It was at this version.
    Version(u32),
}

/// What became of a set of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitOutcome {
    /// Durable, up to this position of the log; [`Position::START`] when there was nothing to write.
    Committed(Position),
    /// Somebody else was faster; nothing was written. Read again and build again.
    Conflict,
    /// The owner of a new search has as many as they may; nothing was written.
    TooManySearches,
}

/// A saved search as kept, its dates to the millisecond.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSearch {
    pub number: SearchNumber,
    /// Counts its changes, from one.
    pub version: u32,
    pub search: SavedSearch,
    /// When something was last delivered for it.
    pub last_alert_at: Option<Timestamp>,
}

/// A search that was looked for.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchLookup {
    Found(Box<StoredSearch>),
    /// There is none, any more or at all.
    Gone,
    /// There is one, and nobody knows any more what it says.
    Damaged,
}

/// Which of one owner's searches are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchList {
    pub owner: UserId,
    /// Only those with this in their title, case and accents aside.
    pub title: Option<String>,
    /// Only those whose alerts are on, or off.
    pub enabled: Option<bool>,
    /// By title, case and accents aside; else the newest first.
    pub by_title: Option<Direction>,
    pub skip: u64,
    pub take: u64,
}

/// Some of an owner's searches.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchPage {
    /// How many there are in all.
    pub total: u64,
    pub searches: Vec<StoredSearch>,
}

/// What an erasure left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erased {
    pub property: PropertyId,
    /// Whether it was the property's last advert.
    pub property_removed: bool,
    /// The entry of the log that says so.
    pub position: Position,
}

/// A user, who owns keys and searches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: UserId,
    pub name: String,
}

/// A key as kept: never the secret, only its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    pub id: KeyId,
    pub secret_hash: [u8; 32],
    pub user: User,
    pub scopes: Scopes,
    pub created_at: Timestamp,
    pub revoked_at: Option<Timestamp>,
}

/// A key to keep.
#[derive(Debug, Clone)]
pub struct NewKey {
    pub id: KeyId,
    pub secret_hash: [u8; 32],
    pub user_name: String,
    /// The id the user gets if there is none of that name yet.
    pub user_id_if_new: UserId,
    pub scopes: Scopes,
    pub created_at: Timestamp,
}

/// When a user gets a new secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewSecret {
    /// Only if there is none.
    First,
    /// In any case; those before are honoured for [`WebhookSecrets::OVERLAP`] after each was replaced, the newest
    /// [`WebhookSecrets::REPLACED_MAX`] of them. What is over by now is deleted.
    Rotation,
}

/// What an operator says of a site.
#[derive(Debug, Clone)]
pub struct PutSite {
    pub key: SiteKey,
    pub name: FieldUpdate<Option<SiteName>>,
    pub category: FieldUpdate<Option<SiteCategoryId>>,
}

/// What became of a new name for a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renamed {
    Done,
    /// There is no such category.
    Unknown,
    /// Another category has that name.
    NameTaken,
}
