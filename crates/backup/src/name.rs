//! The names of backups in a folder or under a prefix. Files with other names are never touched.

use std::fmt;

use domain::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

const PREFIX: &str = "vigie-";
const SUFFIX: &str = ".db";
const DATE_FORMAT: &str = "%Y%m%dT%H%M%SZ";

/// What is appended to the name of a backup for its manifest.
pub(crate) const MANIFEST_SUFFIX: &str = ".json";

/// What is appended to the name of a file that is being written.
pub(crate) const PARTIAL_SUFFIX: &str = ".partial";

/// The name of a backup: `vigie-20261116T031500Z.db`. Names sort by date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BackupName(Timestamp);

impl BackupName {
    pub fn at(timestamp: Timestamp) -> Self {
        Self(domain::ports::whole_second(timestamp))
    }

    /// Returns the date in the name.
    pub const fn date(self) -> Timestamp {
        self.0
    }

    /// Parses a name; `None` if it is not one of ours.
    pub fn parse(text: &str) -> Option<Self> {
        let date = text.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
        let date = DateTime::strptime(DATE_FORMAT, date).ok()?.to_zoned(TimeZone::UTC).ok()?;
        let name = Self(date.timestamp());
        // Only as we write it: a date can be spelled in several ways.
        (name.to_string() == text).then_some(name)
    }

    pub(crate) fn manifest(self) -> String {
        format!("{self}{MANIFEST_SUFFIX}")
    }
}

impl fmt::Display for BackupName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}{SUFFIX}", self.0.strftime(DATE_FORMAT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_sort_by_date() {
        let name = |date: &str| BackupName::at(date.parse().unwrap());
        let first = name("2026-11-16T03:15:00.999Z");
        assert_eq!(first.to_string(), "vigie-20261116T031500Z.db");
        assert_eq!(first.manifest(), "vigie-20261116T031500Z.db.json");
        assert_eq!(BackupName::parse(&first.to_string()), Some(first));
        assert!(first < name("2026-11-16T03:15:01Z"));
    }

    #[test]
    fn other_names_are_not_ours() {
        for other in [
            "vigie.db",
            "vigie-.db",
            "vigie-20261116T031500Z",
            "vigie-20261116T031500Z.db.json",
            "vigie-20261116T031500Z.db.partial",
            "vigie-20261316T031500Z.db",
            "vigie-2026116T031500Z.db",
            "my-vigie-20261116T031500Z.db",
            "vigie-20261116T031500Z.db ",
        ] {
            assert_eq!(BackupName::parse(other), None, "{other}");
        }
    }
}
