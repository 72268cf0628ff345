//! The settings: defaults, then a file, then the environment, then flags. `config.default.toml` lists them all.
//!
//! Every problem is reported at once, with the place it comes from; a key nobody knows is a problem.

mod outgoing;
mod source;
mod value;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use jiff::tz::TimeZone;

pub use outgoing::{ConfigWarning, Delivery, Email, EmailTransport, SmtpServer};
use source::Reader;
pub use source::{Problem, Sources};
use value::{DAY, GIBIBYTE, MEBIBYTE};

/// The defaults, and the documentation of every setting.
pub const DEFAULTS: &str = include_str!("../config.default.toml");

/// More connections or requests at once than a machine of today could serve.
const AT_ONCE_MAX: usize = 1_000_000;

/// Every setting, checked.
#[derive(Debug, Clone)]
pub struct Config {
    pub listen: SocketAddr,
    pub data: PathBuf,
    pub time_zone: TimeZone,
    /// The folder of the reference geography; `None` is the one compiled in.
    pub geography: Option<PathBuf>,
    /// How often a snapshot of the index is taken.
    pub snapshot_every: Duration,
    /// After how long unseen an advert expires; `None` never.
    pub expire_after: Option<Duration>,
    pub search: Search,
    pub limits: Limits,
    pub rate_limit: RateLimit,
    pub delivery: Delivery,
    pub email: Email,
    pub log: Log,
}

#[derive(Debug, Clone, Copy)]
pub struct Search {
    /// How many bytes of documents are kept ready to be sent.
    pub document_cache_bytes: usize,
}

/// What the outside may ask of the process.
#[derive(Debug, Clone)]
pub struct Limits {
    pub body_bytes_max: usize,
    pub line_bytes_max: usize,
    pub header_bytes_max: usize,
    pub header_timeout: Duration,
    pub request_timeout: Duration,
    pub stream_idle_timeout: Duration,
    pub connections_max: usize,
    pub requests_max: usize,
    pub searches_per_user: u32,
    pub shutdown_timeout: Duration,
}

#[derive(Debug, Clone, Copy)]
pub struct RateLimit {
    /// Zero sets no limit.
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
    /// Reads the settings, or everything that is wrong with them.
    pub fn load(sources: Sources) -> Result<Self, Vec<Problem>> {
        let mut reader = Reader::new(sources);
        let config = Self::read(&mut reader);
        let problems = reader.finish();
        match config {
            Some(config) if problems.is_empty() => Ok(config),
            _ => Err(problems),
        }
    }

    fn read(reader: &mut Reader) -> Option<Self> {
        // Each is read before any is unwrapped, so that one problem does not hide the next.
        let listen = reader.take("server.listen", value::parsed("an address such as 127.0.0.1:8080"));
        let data = reader.take("store.data", value::path);
        let time_zone = reader.take("service.time_zone", value::time_zone);
        let geography = reader.take("places.folder", value::path_or_embedded);
        let snapshot_every = reader.take("search.snapshot_every", value::duration(30 * DAY));
        let expire_after = reader.take("adverts.expire_after", value::duration_or_off(3_650 * DAY));
        let document_cache_bytes = reader.take("search.document_cache_bytes", value::bytes(1_024 * GIBIBYTE));
        let body_bytes_max = reader.take("limits.body_bytes_max", value::bytes(GIBIBYTE));
        let line_bytes_max = reader.take("limits.line_bytes_max", value::bytes(GIBIBYTE));
        let header_bytes_max = reader.take("limits.header_bytes_max", value::bytes(MEBIBYTE));
        let header_timeout = reader.take("limits.header_timeout", value::duration(DAY));
        let request_timeout = reader.take("limits.request_timeout", value::duration(DAY));
        let stream_idle_timeout = reader.take("limits.stream_idle_timeout", value::duration(DAY));
        let connections_max = reader.take("limits.connections_max", value::count(AT_ONCE_MAX));
        let requests_max = reader.take("limits.requests_max", value::count(AT_ONCE_MAX));
        let searches_per_user = reader.take("limits.searches_per_user", value::parsed("a whole number"));
        let shutdown_timeout = reader.take("limits.shutdown_timeout", value::duration(DAY));
        let requests_per_minute =
            reader.take("rate_limit.requests_per_minute", value::parsed("a whole number"));
        let burst = reader.take("rate_limit.burst", value::parsed("a whole number"));
        let (delivery, email) = (Delivery::read(reader), Email::read(reader));
        let level = reader.take("log.level", value::log_level);
        let format = reader.take("log.format", value::log_format);
        Some(Self {
            listen: listen?,
            data: data?,
            time_zone: time_zone?,
            geography: geography?,
            snapshot_every: snapshot_every?,
            expire_after: expire_after?,
            search: Search { document_cache_bytes: document_cache_bytes? },
            limits: Limits {
                body_bytes_max: body_bytes_max?,
                line_bytes_max: line_bytes_max?,
                header_bytes_max: header_bytes_max?,
                header_timeout: header_timeout?,
                request_timeout: request_timeout?,
                stream_idle_timeout: stream_idle_timeout?,
                connections_max: connections_max?,
                requests_max: requests_max?,
                searches_per_user: searches_per_user?,
                shutdown_timeout: shutdown_timeout?,
            },
            rate_limit: RateLimit { requests_per_minute: requests_per_minute?, burst: burst? },
            delivery: delivery?,
            email: email?,
            log: Log { level: level?, format: format? },
        })
    }
}

#[cfg(test)]
mod tests;
