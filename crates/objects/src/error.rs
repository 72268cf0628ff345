//! Why objects cannot be read or written.

use std::io;
use std::path::PathBuf;

/// Why objects cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("\"{0}\" is not a folder or s3://BUCKET/PREFIX")]
    NotAnAddress(String),
    #[error(
        "no credentials for {address}: set {section}.s3_access_key_id and {section}.s3_secret_access_key, or \
             AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    )]
    NoCredentials { address: String, section: &'static str },
    #[error(
        "the endpoint {endpoint} is not https; plain HTTP is allowed to this machine only, or with \
             {section}.s3_allow_http"
    )]
    PlainHttp { endpoint: String, section: &'static str },
    #[error("\"{0}\" is not an endpoint: it must begin with https://")]
    NotAnEndpoint(String),
    #[error("cannot set up TLS")]
    Tls(#[source] rustls::Error),
    #[error("the certificates to trust in addition cannot be read")]
    Certificates,
    #[error("{action} {address}")]
    Storage {
        action: &'static str,
        address: String,
        #[source]
        source: object_store::Error,
    },
    #[error("{action} {path}")]
    File {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{address} has {bytes} bytes: it is not one of ours")]
    TooLarge { address: String, bytes: u64 },
    #[error("{address} ended after {found} of {expected} bytes")]
    TooShort { address: String, found: u64, expected: u64 },
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// Names a file in an error of the file system.
    pub(crate) fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}
