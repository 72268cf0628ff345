//! Settings of backups.

use std::path::PathBuf;

use backup::{Location, Schedule};
use jiff::civil::Time;
use jiff::tz::TimeZone;
use objects::S3Settings;

use super::source::Reader;
use super::storage::{self, text_or_none};
use super::value::{self, DAY, not};

/// Upper bound of `backup.keep`.
const KEEP_MAX: usize = 100_000;

/// Settings of section `[backup]`.
#[derive(Debug, Clone)]
pub struct Backup {
    /// Where scheduled backups go; `None` if there are none.
    pub target: Option<Location>,
    pub schedule: Schedule,
    /// How many backups to keep; `None` keeps all.
    pub keep: Option<usize>,
    pub bytes_per_second: usize,
    /// Where a copy is made before it is uploaded; `None` selects a folder in the data folder.
    pub staging: Option<PathBuf>,
    pub s3: S3Settings,
}

impl Backup {
    pub(super) fn read(reader: &mut Reader, time_zone: Option<&TimeZone>) -> Option<Self> {
        let target = reader.take("backup.target", target);
        let interval = reader.take("backup.interval", value::duration(365 * DAY));
        let at = reader.take("backup.at", time_of_day);
        let keep = reader.take("backup.keep", value::count_or_zero(KEEP_MAX));
        let bytes_per_second = reader.take("backup.rate", value::bytes(value::BACKUP_RATE_MAX));
        let staging = reader.take("backup.staging", text_or_none);
        let s3 = storage::s3_settings(reader, "backup");
        let target = target?;
        if let Some(Location::File(_) | Location::S3Backup { .. }) = target {
            reader
                .reject("backup.target", "is a file: scheduled backups need a folder or s3://BUCKET/PREFIX");
            return None;
        }
        let schedule = match at? {
            Some(at) => Schedule::Daily(at, time_zone?.clone()),
            None => Schedule::Every(interval?),
        };
        Some(Self {
            target,
            schedule,
            keep: keep.map(|keep| (keep > 0).then_some(keep))?,
            bytes_per_second: bytes_per_second?,
            staging: staging?.map(PathBuf::from),
            s3: s3?,
        })
    }
}

fn target(text: &str) -> Result<Option<Location>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    Location::parse(text).map(Some).map_err(|_| not("a folder or s3://BUCKET/PREFIX"))
}

fn time_of_day(text: &str) -> Result<Option<Time>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let is_time = text.len() == 5 && text.as_bytes().get(2) == Some(&b':');
    let parsed = if is_time { text.parse().ok() } else { None };
    parsed.map(Some).ok_or_else(|| not("a time of day such as 03:00"))
}
