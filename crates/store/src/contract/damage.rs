//! Damage: records that cannot be read, and what is checked to find them.
//!
//! A damaged record must not stop what does not need it. Readers leave it out, name it once in the log and count it;
//! [`MaintenanceStore::verify`](super::MaintenanceStore::verify) finds all of them, and
//! [`MaintenanceStore::repair`](super::MaintenanceStore::repair) removes what cannot be read.

/// A kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordKind {
    /// The file itself: pages and indexes of SQLite.
    Database,
    /// The current version of a property.
    Property,
    /// A version of a property that is not the current one.
    PropertyVersion,
    /// The row that says which property holds an advert.
    Advert,
    LogEntry,
    Search,
    /// A replaced version of a search.
    SearchVersion,
    /// The number of searches of an owner.
    SearchCount,
    /// The searches that one log entry concerns.
    MatchGroup,
    /// The index of matches by search.
    SearchMatch,
    OutboxEntry,
    Delivery,
    DeliveryAttempt,
    /// A document as it was sent.
    DeliveryDocument,
    Site,
    SiteCategory,
    Key,
    Usage,
    /// A decision of a person about grouping.
    Decision,
    Lineage,
    /// A checkpoint or cursor of a worker.
    Checkpoint,
}

impl RecordKind {
    pub const ALL: [Self; 21] = [
        Self::Database,
        Self::Property,
        Self::PropertyVersion,
        Self::Advert,
        Self::LogEntry,
        Self::Search,
        Self::SearchVersion,
        Self::SearchCount,
        Self::MatchGroup,
        Self::SearchMatch,
        Self::OutboxEntry,
        Self::Delivery,
        Self::DeliveryAttempt,
        Self::DeliveryDocument,
        Self::Site,
        Self::SiteCategory,
        Self::Key,
        Self::Usage,
        Self::Decision,
        Self::Lineage,
        Self::Checkpoint,
    ];

    /// Returns its name in log lines, metrics and the output of commands.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Database => "database",
            Self::Property => "property",
            Self::PropertyVersion => "property_version",
            Self::Advert => "advert",
            Self::LogEntry => "log_entry",
            Self::Search => "search",
            Self::SearchVersion => "search_version",
            Self::SearchCount => "search_count",
            Self::MatchGroup => "match_group",
            Self::SearchMatch => "search_match",
            Self::OutboxEntry => "outbox_entry",
            Self::Delivery => "delivery",
            Self::DeliveryAttempt => "delivery_attempt",
            Self::DeliveryDocument => "delivery_document",
            Self::Site => "site",
            Self::SiteCategory => "site_category",
            Self::Key => "key",
            Self::Usage => "usage",
            Self::Decision => "decision",
            Self::Lineage => "lineage",
            Self::Checkpoint => "checkpoint",
        }
    }
}

/// Something that is wrong with a record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub kind: RecordKind,
    /// Identifies the record among those of its kind.
    pub id: String,
    pub problem: String,
}

/// Where a verification continues. Its content is private to the store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerifyCursor {
    pub(crate) step: usize,
    /// The last record that was checked, in the form the step needs.
    pub(crate) after: Vec<u8>,
}

/// The result of checking some records.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerifyPage {
    pub findings: Vec<Finding>,
    /// How many records of which kind were checked.
    pub checked: Vec<(RecordKind, u64)>,
    /// `None` if everything is checked.
    pub rest: Option<VerifyCursor>,
}

/// What [`MaintenanceStore::repair`](super::MaintenanceStore::repair) did about a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// What was done, in words.
    Repaired(&'static str),
    /// There is nothing to repair any more.
    NotNeeded,
    /// What the operator has to do instead, in words.
    Manual(&'static str),
}
