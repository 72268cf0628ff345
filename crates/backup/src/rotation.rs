//! Which backups are removed when a new one is complete.

use domain::Timestamp;

use crate::error::Error;
use crate::manifest::Manifest;
use crate::name::BackupName;

/// What is known about a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    /// Verified, and without damage.
    Intact,
    /// Its records were not verified.
    Unverified,
    Damaged,
    /// Its manifest cannot be read, so that it may be of a newer release.
    Unknown,
}

impl Condition {
    /// Returns the condition that a manifest shows. An error that may pass stays one.
    pub fn of(manifest: Result<Option<Manifest>, Error>) -> Result<Self, Error> {
        match manifest {
            Ok(Some(manifest)) if manifest.damaged_records > 0 => Ok(Self::Damaged),
            Ok(Some(Manifest { verified_records: None, .. })) => Ok(Self::Unverified),
            Ok(Some(_)) => Ok(Self::Intact),
            Ok(None) => Ok(Self::Unknown),
            Err(
                Error::InvalidManifest { .. } | Error::UnknownFormat { .. } | Error::ManifestTooLarge { .. },
            ) => Ok(Self::Unknown),
            Err(error) => Err(error),
        }
    }
}

/// Returns the backups to remove, of those in a target, the oldest first.
///
/// An intact backup gives way to newer intact ones only: `keep` of them stay, and as many of the others. The newest intact one before a
/// damaged one stays as long as that: a repair may have removed records that only it still has. What is dated after `now` and what cannot
/// be read is neither counted nor removed.
pub(crate) fn excess(backups: &[(BackupName, Condition)], keep: usize, now: Timestamp) -> Vec<BackupName> {
    let counts =
        |(name, condition): &&(BackupName, Condition)| name.date() <= now && *condition != Condition::Unknown;
    let counted: Vec<(BackupName, Condition)> = backups.iter().filter(counts).copied().collect();
    let (intact, others): (Vec<_>, Vec<_>) =
        counted.iter().copied().partition(|(_, condition)| *condition == Condition::Intact);
    let newest =
        |of: &[(BackupName, Condition)]| of.get(of.len().saturating_sub(keep.max(1))..).map(<[_]>::to_vec);
    let mut kept: Vec<(BackupName, Condition)> =
        [newest(&intact), newest(&others)].into_iter().flatten().flatten().collect();
    for (damaged, _) in kept.clone().iter().filter(|(_, condition)| *condition == Condition::Damaged) {
        kept.extend(intact.iter().rfind(|(name, _)| name < damaged));
    }
    counted.iter().filter(|backup| !kept.contains(backup)).map(|(name, _)| *name).collect()
}

/// What a rotation did. A backup that cannot be removed does not keep the others from being removed.
#[derive(Debug, Default)]
pub(crate) struct Rotated {
    /// The names of the backups that were removed.
    pub removed: Vec<String>,
    /// The first problem.
    pub error: Option<Error>,
}

impl Rotated {
    /// Nothing was removed.
    pub fn failed(error: Error) -> Self {
        Self { removed: Vec::new(), error: Some(error) }
    }

    /// Notes the result of removing something.
    pub fn note(&mut self, result: Result<Option<String>, Error>) {
        match result {
            Ok(name) => self.removed.extend(name),
            Err(error) => self.error = self.error.take().or(Some(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Backups at noon of the days of a month, one character each: intact, unverified, damaged, unknown, or none on that day.
    fn backups(days: &str) -> Vec<(BackupName, Condition)> {
        let on = |(day, letter): (usize, char)| {
            let condition = match letter {
                'i' => Condition::Intact,
                'u' => Condition::Unverified,
                'd' => Condition::Damaged,
                '?' => Condition::Unknown,
                _ => return None,
            };
            let date = format!("2026-11-{:02}T12:00:00Z", day + 1);
            Some((BackupName::at(date.parse().unwrap()), condition))
        };
        days.chars().enumerate().filter_map(on).collect()
    }

    /// What is left of them at the end of a day.
    fn left(days: &str, keep: usize, day: usize) -> String {
        let now = format!("2026-11-{day:02}T23:00:00Z").parse().unwrap();
        let backups = backups(days);
        let removed = excess(&backups, keep, now);
        let remains = |(day, letter): (usize, char)| {
            let date = format!("2026-11-{:02}T12:00:00Z", day + 1).parse().unwrap();
            if removed.contains(&BackupName::at(date)) { '-' } else { letter }
        };
        days.chars().enumerate().map(remains).collect()
    }

    #[test]
    fn only_intact_backups_replace_intact_ones() {
        for (days, keep, expected) in [
            ("iiii", 2, "--ii"),
            ("iiii", 9, "iiii"),
            ("iiii", 0, "---i"),
            // Without verification, or with damage, the verified ones stay.
            ("iiiu", 1, "--iu"),
            ("iuuu", 1, "i--u"),
            ("uuuu", 2, "--uu"),
            ("iidddd", 2, "ii--dd"),
            // A repair ended the damage: what was lost is in the last one before it.
            ("iiddi", 1, "-i-di"),
            ("iidd--iii", 3, "-idd--iii"),
            ("iidd--iii", 2, "-idd---ii"),
            // Not ours to understand.
            ("??ii", 1, "??-i"),
        ] {
            assert_eq!(left(days, keep, 30), expected, "{days}, {keep}");
        }
    }

    #[test]
    fn last_intact_backup_before_damage_stays_however_often_backups_are_rotated() {
        let mut days = String::new();
        for (day, made) in "iiiiiiiddddddddiiiiiiiiiii".chars().enumerate() {
            days.push(made);
            days = left(&days, 3, day + 1);
        }
        assert_eq!(days, "------i-----ddd--------iii");
    }

    #[test]
    fn backups_of_the_future_are_neither_counted_nor_removed() {
        assert_eq!(left("iiii--ii", 1, 4), "---i--ii");
        assert_eq!(left("iiii--dd", 1, 4), "---i--dd");
    }
}
