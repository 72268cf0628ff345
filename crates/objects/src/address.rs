//! Where objects are, as an operator writes it.

use std::fmt;
use std::path::PathBuf;

use crate::error::Error;

/// A folder, or a bucket and a prefix in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    Folder(PathBuf),
    S3 {
        bucket: String,
        /// Without slashes at its ends; may be empty.
        prefix: String,
    },
}

impl Address {
    /// Parses `s3://BUCKET/PREFIX`, or the path of a folder. The folder need not exist.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let wrong = || Error::NotAnAddress(text.to_owned());
        if text.starts_with("s3://") {
            let (bucket, prefix) = s3_address(text).ok_or_else(wrong)?;
            return Ok(Self::S3 { bucket, prefix });
        }
        let path = PathBuf::from(text);
        if text.is_empty() || text.contains("://") || path.is_file() {
            return Err(wrong());
        }
        Ok(Self::Folder(path))
    }

    /// Returns the address of what is called `name` in here.
    #[must_use]
    pub fn join(&self, name: &str) -> Self {
        match self {
            Self::Folder(path) => Self::Folder(path.join(name)),
            Self::S3 { bucket, prefix } => {
                let prefix = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") };
                Self::S3 { bucket: bucket.clone(), prefix }
            }
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => write!(f, "{}", path.display()),
            Self::S3 { bucket, prefix } if prefix.is_empty() => write!(f, "s3://{bucket}"),
            Self::S3 { bucket, prefix } => write!(f, "s3://{bucket}/{prefix}"),
        }
    }
}

/// Splits `s3://BUCKET/PREFIX` into bucket and prefix, the latter without slashes at its ends. Returns `None` if the text is not of that
/// form.
pub fn s3_address(text: &str) -> Option<(String, String)> {
    let rest = text.strip_prefix("s3://")?;
    let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    let prefix = prefix.trim_matches('/');
    let is_plain = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
    let parts_are_plain =
        prefix.is_empty() || prefix.split('/').all(|part| !part.is_empty() && is_plain(part));
    let is_valid = !bucket.is_empty() && is_plain(bucket) && parts_are_plain;
    is_valid.then(|| (bucket.to_owned(), prefix.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_printed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").to_str().unwrap().to_owned();
        let s3 = |bucket: &str, prefix: &str| Address::S3 { bucket: bucket.into(), prefix: prefix.into() };
        for (text, expected, printed, inner) in [
            (path.as_str(), Address::Folder(path.clone().into()), path.as_str(), format!("{path}/a")),
            ("s3://bucket/", s3("bucket", ""), "s3://bucket", "s3://bucket/a".to_owned()),
            (
                "s3://my.bucket/x/y/",
                s3("my.bucket", "x/y"),
                "s3://my.bucket/x/y",
                "s3://my.bucket/x/y/a".to_owned(),
            ),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!(address, expected, "{text}");
            assert_eq!((address.to_string(), address.join("a").to_string()), (printed.to_owned(), inner));
        }
        std::fs::write(&path, "").unwrap();
        for wrong in ["", "s3://", "s3:///x", "s3://buck et", "s3://bucket/a//b", "https://host/x", &path] {
            assert!(matches!(Address::parse(wrong), Err(Error::NotAnAddress(_))), "{wrong}");
        }
    }
}
