//! Where backups go and come from.

use std::fmt;
use std::path::PathBuf;

use objects::S3Settings;

use crate::error::Error;
use crate::name::BackupName;
use crate::s3::S3;

/// The address of a target, as an operator writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// Holds many backups, with dated names.
    Folder(PathBuf),
    /// One backup.
    File(PathBuf),
    /// Holds many backups, with dated names below the prefix.
    S3 {
        bucket: String,
        /// Without slashes at its ends; may be empty.
        prefix: String,
    },
    /// One backup in object storage, to restore it.
    S3Backup { bucket: String, prefix: String, name: BackupName },
}

impl Location {
    /// Parses `s3://BUCKET/PREFIX`, the address of a backup below such a prefix, or a path. A path that ends in `.db` is a file, unless a folder has that name; any other is a
    /// folder.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let wrong = || Error::NotATarget(text.to_owned());
        if text.starts_with("s3://") {
            let (bucket, prefix) = objects::s3_address(text).ok_or_else(wrong)?;
            let (parent, last) = prefix.rsplit_once('/').unwrap_or(("", &prefix));
            return Ok(match BackupName::parse(last) {
                Some(name) => Self::S3Backup { bucket, prefix: parent.to_owned(), name },
                None => Self::S3 { bucket, prefix },
            });
        }
        if text.is_empty() || text.contains("://") {
            return Err(wrong());
        }
        let path = PathBuf::from(text);
        let is_file = path.is_file() || (text.ends_with(".db") && !path.is_dir());
        Ok(if is_file { Self::File(path) } else { Self::Folder(path) })
    }

    /// Connects nothing yet.
    pub fn open(self, settings: &S3Settings) -> Result<Target, Error> {
        Ok(Target(match self {
            Self::Folder(path) => Place::Folder(path),
            Self::File(path) => Place::File(path),
            Self::S3 { bucket, prefix } => Place::S3(S3::new(&bucket, &prefix, settings)?),
            Self::S3Backup { bucket, prefix, name } => {
                Place::S3Backup(S3::new(&bucket, &prefix, settings)?, name)
            }
        }))
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) | Self::File(path) => write!(f, "{}", path.display()),
            Self::S3 { bucket, prefix } if prefix.is_empty() => write!(f, "s3://{bucket}"),
            Self::S3 { bucket, prefix } => write!(f, "s3://{bucket}/{prefix}"),
            Self::S3Backup { bucket, prefix, name } if prefix.is_empty() => write!(f, "s3://{bucket}/{name}"),
            Self::S3Backup { bucket, prefix, name } => write!(f, "s3://{bucket}/{prefix}/{name}"),
        }
    }
}

/// A target that is ready for use.
#[derive(Debug)]
pub struct Target(pub(crate) Place);

#[derive(Debug)]
pub(crate) enum Place {
    Folder(PathBuf),
    File(PathBuf),
    S3(S3),
    S3Backup(S3, BackupName),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        std::fs::create_dir(folder.path().join("odd.db")).unwrap();
        std::fs::write(folder.path().join("dump"), "").unwrap();
        let s3 = |bucket: &str, prefix: &str| Location::S3 { bucket: bucket.into(), prefix: prefix.into() };
        let name = BackupName::parse("vigie-20261116T030000Z.db").unwrap();
        let one = |prefix: &str| Location::S3Backup { bucket: "bucket".into(), prefix: prefix.into(), name };
        for (text, expected) in [
            (path("new"), Location::Folder(path("new").into())),
            (path("new.db"), Location::File(path("new.db").into())),
            (path("odd.db"), Location::Folder(path("odd.db").into())),
            (path("dump"), Location::File(path("dump").into())),
            ("s3://bucket".to_owned(), s3("bucket", "")),
            ("s3://my.bucket/".to_owned(), s3("my.bucket", "")),
            ("s3://bucket/vigie/prod/".to_owned(), s3("bucket", "vigie/prod")),
            ("s3://bucket/vigie.db".to_owned(), s3("bucket", "vigie.db")),
            (format!("s3://bucket/{name}"), one("")),
            (format!("s3://bucket/vigie/prod/{name}"), one("vigie/prod")),
        ] {
            assert_eq!(Location::parse(&text).unwrap(), expected, "{text}");
        }
        for wrong in ["", "s3://", "s3:///prefix", "s3://buck et/x", "s3://bucket/a//b", "https://host/x"] {
            assert!(matches!(Location::parse(wrong), Err(Error::NotATarget(_))), "{wrong}");
        }
    }
}
