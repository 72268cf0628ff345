//! Pictures of adverts, fetched on behalf of a viewer, so that the viewer's address is not given to portals.
//!
//! The address was chosen by the sender of an advert, so it gets the checks of a webhook: the target as it is written, every address
//! its name resolves to, and the peer of the connection. Redirects are not followed. The content decides what it is, not the name
//! that the server gives it.

use std::time::Duration;

use bytes::Bytes;
use domain::{Endpoint, Fault};
use http::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderValue, USER_AGENT};
use http::{Method, StatusCode};
use tokio::time::{Instant, timeout_at};

use super::connection::Connection;
use super::stopwatch::Stopwatch;
use super::target::Target;
use super::{Webhooks, request};

/// Larger pictures are refused. Portals send a few hundred kilobytes.
pub const PICTURE_BYTES_MAX: usize = 10 << 20;

/// From name resolution to the last byte.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(10);

/// A picture and what its first bytes say that it is.
#[derive(Debug, Clone)]
pub struct Picture {
    pub media_type: &'static str,
    pub bytes: Bytes,
}

/// Why there is no picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// The address is blocked, its name cannot be resolved, or its server cannot be reached. One error for all of them: the answer
    /// must not map the network of the operator.
    #[error("its server cannot be reached")]
    Unreachable,
    #[error("its server answered with status {0}")]
    Status(u16),
    #[error("it is larger than 10 MiB")]
    TooLarge,
    #[error("its server did not send all of it")]
    Incomplete,
    #[error("it is not a picture in JPEG, PNG, WebP, AVIF or GIF")]
    NotAPicture,
}

impl PictureError {
    /// Whether other pictures of the same server would fail, too.
    pub fn concerns_server(self) -> bool {
        self == Self::Unreachable
    }
}

impl Webhooks {
    /// Fetches a picture.
    pub async fn fetch_picture(&self, address: &Endpoint) -> Result<Picture, PictureError> {
        let deadline = Instant::now() + TOTAL_TIMEOUT;
        let unreachable = || PictureError::Unreachable;
        let target = Target::check(address, &self.policy).map_err(|_| unreachable())?;
        let mut stopwatch = Stopwatch::default();
        let connected = timeout_at(deadline, self.connect(&target, &mut stopwatch)).await;
        let connection = connected.map_err(|_| unreachable())?.map_err(|_| unreachable())?;
        // A server that answered is there: only this picture takes too long.
        let fetched = timeout_at(deadline, self.fetch(&target, connection)).await;
        fetched.unwrap_or(Err(PictureError::Incomplete))
    }

    async fn fetch(&self, target: &Target, mut connection: Connection) -> Result<Picture, PictureError> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("image/avif,image/webp,image/*"));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        headers.extend(self.headers.get(USER_AGENT).map(|agent| (USER_AGENT, agent.clone())));
        let mut request = request(target, connection.version(), &headers, &Bytes::new());
        *request.method_mut() = Method::GET;
        let response = connection.send(request).await.map_err(|error| match error.fault() {
            Fault::TooLarge => PictureError::TooLarge,
            _ => PictureError::Incomplete,
        })?;
        if response.status() != StatusCode::OK {
            return Err(PictureError::Status(response.status().as_u16()));
        }
        let bytes = connection.read_whole(response.into_body(), PICTURE_BYTES_MAX).await?;
        let media_type = media_type(&bytes).ok_or(PictureError::NotAPicture)?;
        Ok(Picture { media_type, bytes: bytes.into() })
    }
}

/// Returns the media type of a picture by its first bytes. SVG is left out: it is a document, and may contain scripts.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    let starts = |prefix: &[u8]| bytes.starts_with(prefix);
    let at =
        |offset: usize, expected: &[u8]| bytes.get(offset..).is_some_and(|rest| rest.starts_with(expected));
    if starts(&[0xff, 0xd8, 0xff]) {
        Some("image/jpeg")
    } else if starts(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if starts(b"GIF87a") || starts(b"GIF89a") {
        Some("image/gif")
    } else if starts(b"RIFF") && at(8, b"WEBP") {
        Some("image/webp")
    } else if at(4, b"ftypavif") || at(4, b"ftypavis") {
        Some("image/avif")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_decide() {
        let check =
            |bytes: &[u8], expected: Option<&str>| assert_eq!(media_type(bytes), expected, "{bytes:?}");
        check(&[0xff, 0xd8, 0xff, 0xe0, 0], Some("image/jpeg"));
        check(b"\x89PNG\r\n\x1a\n....", Some("image/png"));
        check(b"GIF89a....", Some("image/gif"));
        check(b"RIFF\x10\0\0\0WEBPVP8 ", Some("image/webp"));
        check(b"\0\0\0\x20ftypavif\0\0\0\0", Some("image/avif"));
        for other in [
            &b""[..],
            b"RIFF",
            b"RIFF\x10\0\0\0WAVE",
            b"<svg xmlns=",
            b"<!doctype html>",
            b"\0\0\0\x20ftypmp42",
        ] {
            check(other, None);
        }
    }
}
