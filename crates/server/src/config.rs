//! Settings: defaults, then a file, then the environment, then flags. `config.default.toml` lists every setting.
//!
//! All problems are reported together, each with its source. An unknown key is a problem.

mod backup;
mod console;
mod delivery;
mod http;
mod source;
mod storage;
pub(crate) mod value;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use app::grouping::GroupingSettings;
use app::workers::retention::{self, Pace};
use jiff::tz::TimeZone;
use store::postgres::PostgresOptions;
use wire::status::ChangedSetting;

pub use self::backup::Backup;
pub use console::Console;
pub use delivery::{ConfigWarning, Delivery, Email, EmailTransport, SmtpServer};
pub use http::{Http, Origins};
use source::Reader;
pub use source::{Problem, Sources};
pub use storage::SharedIndex;
use value::{DAY, GIBIBYTE, MEBIBYTE};

/// The default values, and the reference documentation of every setting.
pub const DEFAULTS: &str = include_str!("../config.default.toml");

/// Upper bound of connection and request limits: more than one machine can serve.
const CONCURRENCY_MAX: usize = 1_000_000;

/// Upper bound of the work of one query: days.
const QUERY_WORK_MAX: usize = 1_000_000_000_000_000;

/// All settings, validated.
#[derive(Debug, Clone)]
pub struct Config {
    pub listen: SocketAddr,
    pub data: PathBuf,
    pub database: Database,
    pub time_zone: TimeZone,
    /// Folder of the reference geography; `None` selects the embedded one.
    pub places_folder: Option<PathBuf>,
    /// How often the indexer writes a snapshot.
    pub snapshot_interval: Duration,
    /// A server on PostgreSQL whose index is further behind is not ready; `None` if it always is.
    pub behind_max: Option<Duration>,
    pub index: SharedIndex,
    /// Age after which an advert that is not seen again expires; `None` disables expiry.
    pub expire_after: Option<Duration>,
    pub grouping: GroupingSettings,
    pub search: Search,
    pub limits: Limits,
    pub rate_limit: RateLimit,
    pub http: Http,
    pub console: Console,
    /// How long usage is kept.
    pub usage_retention: Duration,
    pub retention: retention::Settings,
    pub delivery: Delivery,
    pub email: Email,
    pub backup: Backup,
    pub log: Log,
    /// The settings that differ from their default, without secrets.
    pub changed: Vec<ChangedSetting>,
}

/// Where adverts, searches and deliveries are stored.
#[derive(Debug, Clone)]
pub enum Database {
    /// In the data folder.
    Embedded,
    Postgres(Box<PostgresOptions>),
}

#[derive(Debug, Clone, Copy)]
pub struct Search {
    /// Size of the cache of serialised property documents.
    pub document_cache_bytes: usize,
}

/// Limits on what clients may send and how long it may take.
#[derive(Debug, Clone)]
pub struct Limits {
    pub body_bytes_max: usize,
    /// Memory for bodies of all requests in progress; at least twice `body_bytes_max`.
    pub body_bytes_total_max: usize,
    pub line_bytes_max: usize,
    pub header_bytes_max: usize,
    pub header_timeout: Duration,
    pub request_timeout: Duration,
    pub stream_idle_timeout: Duration,
    /// How long a client may keep the server waiting while it reads a response or sends a body.
    pub transfer_timeout: Duration,
    /// The least rate at which it must do so on average.
    pub transfer_bytes_per_second_min: usize,
    pub connections_max: usize,
    /// Zero means no limit.
    pub connections_per_address_max: usize,
    pub requests_max: usize,
    pub searches_per_user: u32,
    pub streams_per_user: usize,
    pub waiting_per_user: usize,
    pub query_work_max: usize,
    pub shutdown_timeout: Duration,
    /// How long requests are still accepted after the signal to stop.
    pub shutdown_delay: Option<Duration>,
}

#[derive(Debug, Clone, Copy)]
pub struct RateLimit {
    /// Zero means no limit.
    pub requests_per_minute: u32,
    pub burst: u32,
}

#[derive(Debug, Clone)]
pub struct Log {
    pub level: String,
    pub format: LogFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Json,
    Text,
}

impl Config {
    /// Returns `true` if the database is in the data folder.
    pub const fn is_embedded(&self) -> bool {
        matches!(self.database, Database::Embedded)
    }

    /// Reads and validates the settings. Returns every problem on failure.
    pub fn load(sources: Sources) -> Result<Self, Vec<Problem>> {
        let changed = sources.changed();
        let mut reader = Reader::new(sources);
        let config = Self::read(&mut reader);
        let problems = reader.finish();
        match config {
            Some(config) if problems.is_empty() => Ok(Self { changed, ..config }),
            _ => Err(problems),
        }
    }

    fn read(reader: &mut Reader) -> Option<Self> {
        // Read every setting before the first `?`, so that one problem does not hide the next.
        let listen = reader.take("server.listen", value::parsed("an address such as 127.0.0.1:8080"));
        let data = reader.take("store.data", value::path);
        let database = reader.take("store.database", value::database);
        let time_zone = reader.take("service.time_zone", value::time_zone);
        let places_folder = reader.take("places.folder", value::path_or_embedded);
        let snapshot_interval = reader.take("search.snapshot_interval", value::duration(30 * DAY));
        let behind_max = reader.take("search.behind_max", value::duration_or_off(30 * DAY));
        let index = SharedIndex::read(reader);
        let expire_after = reader.take("adverts.expire_after", value::duration_or_off(3_650 * DAY));
        let automatic = reader.take("grouping.automatic", value::parsed("true or false"));
        let document_cache_bytes = reader.take("search.document_cache_bytes", value::bytes(1_024 * GIBIBYTE));
        let body_bytes_max = reader.take("limits.body_bytes_max", value::bytes(GIBIBYTE));
        let body_bytes_total_max = reader.take("limits.body_bytes_total_max", value::bytes(1_024 * GIBIBYTE));
        let line_bytes_max = reader.take("limits.line_bytes_max", value::bytes(GIBIBYTE));
        let header_bytes_max = reader.take("limits.header_bytes_max", value::bytes(MEBIBYTE));
        let header_timeout = reader.take("limits.header_timeout", value::duration(DAY));
        let request_timeout = reader.take("limits.request_timeout", value::duration(DAY));
        let stream_idle_timeout = reader.take("limits.stream_idle_timeout", value::duration(DAY));
        let transfer_timeout = reader.take("limits.transfer_timeout", value::duration(DAY));
        let transfer_bytes_per_second_min =
            reader.take("limits.transfer_bytes_per_second_min", value::bytes(GIBIBYTE));
        let connections_max = reader.take("limits.connections_max", value::count(CONCURRENCY_MAX));
        let connections_per_address_max =
            reader.take("limits.connections_per_address_max", value::count_or_zero(CONCURRENCY_MAX));
        let requests_max = reader.take("limits.requests_max", value::count(CONCURRENCY_MAX));
        let searches_per_user = reader.take("limits.searches_per_user", value::parsed("a whole number"));
        let streams_per_user = reader.take("limits.streams_per_user", value::count(CONCURRENCY_MAX));
        let waiting_per_user = reader.take("limits.waiting_per_user", value::count(CONCURRENCY_MAX));
        let query_work_max = reader.take("limits.query_work_max", value::count(QUERY_WORK_MAX));
        let shutdown_timeout = reader.take("limits.shutdown_timeout", value::duration(DAY));
        let shutdown_delay = reader.take("limits.shutdown_delay", value::duration_or_off(DAY));
        let requests_per_minute =
            reader.take("rate_limit.requests_per_minute", value::parsed("a whole number"));
        let burst = reader.take("rate_limit.burst", value::parsed("a whole number"));
        let (http, console) = (Http::read(reader), Console::read(reader));
        let usage_retention = reader.take("usage.retention", value::duration(3_650 * DAY));
        let [log_kept, matches_kept, expired_kept] =
            ["retention.log", "retention.matches", "retention.expired_properties"]
                .map(|name| reader.take(name, value::duration_or_off(3_650 * DAY)));
        let (delivery, email) = (Delivery::read(reader), Email::read(reader));
        let backup = Backup::read(reader, time_zone.as_ref());
        let level = reader.take("log.level", value::log_level);
        let format = reader.take("log.format", value::log_format);
        if let (Some(one), Some(total)) = (body_bytes_max, body_bytes_total_max)
            && total / 2 < one
        {
            // One user may take half of the total.
            reader.reject("limits.body_bytes_total_max", "is less than twice limits.body_bytes_max");
        }
        if let (Some(Database::Postgres(_)), Some(backup)) = (&database, &backup)
            && backup.target.is_some()
        {
            reader.reject(
                "backup.target",
                "is for the embedded database; back up PostgreSQL with its own means",
            );
        }
        if let (Some(Database::Embedded), Some(SharedIndex { shared: Some(_), .. })) = (&database, &index) {
            reader.reject(
                "index.shared",
                "is for servers that share a PostgreSQL database (store.database); with the embedded database there is one server, \
                 whose snapshots are in its data folder",
            );
        }
        let (delivery, mut backup, mut index) = (delivery?, backup?, index?);
        backup.s3.extra_ca_pem.clone_from(&delivery.extra_ca_pem);
        index.s3.extra_ca_pem.clone_from(&delivery.extra_ca_pem);
        Some(Self {
            listen: listen?,
            data: data?,
            database: database?,
            time_zone: time_zone?,
            places_folder: places_folder?,
            snapshot_interval: snapshot_interval?,
            behind_max: behind_max?,
            index,
            expire_after: expire_after?,
            grouping: GroupingSettings { automatic: automatic? },
            search: Search { document_cache_bytes: document_cache_bytes? },
            limits: Limits {
                body_bytes_max: body_bytes_max?,
                body_bytes_total_max: body_bytes_total_max?,
                line_bytes_max: line_bytes_max?,
                header_bytes_max: header_bytes_max?,
                header_timeout: header_timeout?,
                request_timeout: request_timeout?,
                stream_idle_timeout: stream_idle_timeout?,
                transfer_timeout: transfer_timeout?,
                transfer_bytes_per_second_min: transfer_bytes_per_second_min?,
                connections_max: connections_max?,
                connections_per_address_max: connections_per_address_max?,
                requests_max: requests_max?,
                searches_per_user: searches_per_user?,
                streams_per_user: streams_per_user?,
                waiting_per_user: waiting_per_user?,
                query_work_max: query_work_max?,
                shutdown_timeout: shutdown_timeout?,
                shutdown_delay: shutdown_delay?,
            },
            rate_limit: RateLimit { requests_per_minute: requests_per_minute?, burst: burst? },
            http: http?,
            console: console?,
            usage_retention: usage_retention?,
            retention: retention::Settings {
                log: log_kept?,
                matches: matches_kept?,
                expired_properties: expired_kept?,
                pace: Pace::Background,
            },
            delivery,
            email: email?,
            backup,
            log: Log { level: level?, format: format? },
            changed: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests;
