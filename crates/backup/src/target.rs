//! Where backups go and come from.

use std::fmt;
use std::path::PathBuf;

use crate::endpoint::S3Settings;
use crate::error::Error;
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
}

impl Location {
    /// Parses `s3://BUCKET/PREFIX` or a path. A path that ends in `.db` is a file, unless a folder has that name; any other is a
    /// folder.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let wrong = || Error::NotATarget(text.to_owned());
        if let Some(rest) = text.strip_prefix("s3://") {
            let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
            let prefix = prefix.trim_matches('/');
            let is_plain = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
            let parts_are_plain =
                prefix.is_empty() || prefix.split('/').all(|part| !part.is_empty() && is_plain(part));
            return if !bucket.is_empty() && is_plain(bucket) && parts_are_plain {
                Ok(Self::S3 { bucket: bucket.to_owned(), prefix: prefix.to_owned() })
            } else {
                Err(wrong())
            };
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
        let s3 = match &self {
            Self::S3 { bucket, prefix } => Some(S3::new(bucket, prefix, settings)?),
            Self::Folder(_) | Self::File(_) => None,
        };
        Ok(match (self, s3) {
            (Self::Folder(path), _) => Target(Place::Folder(path)),
            (Self::File(path), _) => Target(Place::File(path)),
            (location @ Self::S3 { .. }, None) => return Err(Error::NotATarget(location.to_string())),
            (Self::S3 { .. }, Some(s3)) => Target(Place::S3(s3)),
        })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) | Self::File(path) => write!(f, "{}", path.display()),
            Self::S3 { bucket, prefix } if prefix.is_empty() => write!(f, "s3://{bucket}"),
            Self::S3 { bucket, prefix } => write!(f, "s3://{bucket}/{prefix}"),
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
        for (text, expected) in [
            (path("new"), Location::Folder(path("new").into())),
            (path("new.db"), Location::File(path("new.db").into())),
            (path("odd.db"), Location::Folder(path("odd.db").into())),
            (path("dump"), Location::File(path("dump").into())),
            ("s3://bucket".to_owned(), s3("bucket", "")),
            ("s3://my.bucket/".to_owned(), s3("my.bucket", "")),
            ("s3://bucket/vigie/prod/".to_owned(), s3("bucket", "vigie/prod")),
        ] {
            assert_eq!(Location::parse(&text).unwrap(), expected, "{text}");
        }
        for wrong in ["", "s3://", "s3:///prefix", "s3://buck et/x", "s3://bucket/a//b", "https://host/x"] {
            assert!(matches!(Location::parse(wrong), Err(Error::NotATarget(_))), "{wrong}");
        }
    }
}
