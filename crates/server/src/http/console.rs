//! The files of the console, embedded as the build of `console/` left them: compressed with gzip, under names that change with their
//! content. Every address below `/console` without a file extension is a view of the one page, which reads the address itself.
//!
//! The policy of the page allows files of this server only, and neither inline scripts nor inline styles: text of an advert can never
//! run, even if the page had a defect.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use flate2::read::GzDecoder;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use super::Shared;
use super::compression;
use super::error::Problem;

const INDEX: &str = "index.html";

/// The names below this folder contain a hash of the content.
const ASSETS: &str = "assets/";

const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/console_files.rs"));

/// The map draws in a worker made from a blob, and keeps pictures of symbols in blobs.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; \
     font-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'",
);

/// Headers of every file. The last ones are for browsers that ignore a part of the policy, and against pages that open this one.
const PROTECTION: [(HeaderName, HeaderValue); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), geolocation=(self), microphone=(), payment=(), usb=()"),
    ),
];

/// The files by name.
pub struct Console {
    files: HashMap<&'static str, File>,
}

struct File {
    compressed: &'static [u8],
    content_type: HeaderValue,
    cache: HeaderValue,
    /// Weak, because it is the same for both encodings.
    etag: HeaderValue,
}

impl Console {
    pub fn new() -> Self {
        Self { files: FILES.iter().map(|(name, compressed)| (*name, File::new(name, compressed))).collect() }
    }

    /// Returns the file at a path below `/console/`. A path without an extension is a view of the page.
    fn find(&self, path: &str) -> Option<&File> {
        let last = path.rsplit('/').next().unwrap_or_default();
        let name = if last.contains('.') { path } else { INDEX };
        self.files.get(name)
    }
}

impl File {
    fn new(name: &str, compressed: &'static [u8]) -> Self {
        // Not for security: the tag changes when the file does.
        let mut hasher = DefaultHasher::new();
        compressed.hash(&mut hasher);
        let etag = HeaderValue::from_str(&format!("W/\"{:016x}\"", hasher.finish()));
        let cache = match name.starts_with(ASSETS) {
            true => "public, max-age=31536000, immutable",
            // Asked for each time, so that an upgrade is visible at once.
            false => "no-cache",
        };
        Self {
            compressed,
            content_type: content_type(name),
            cache: HeaderValue::from_static(cache),
            etag: etag.unwrap_or(HeaderValue::from_static("W/\"0\"")),
        }
    }

    fn respond(&self, request: &HeaderMap) -> Result<Response, Problem> {
        let mut headers = HeaderMap::from_iter(PROTECTION);
        headers.insert(header::ETAG, self.etag.clone());
        headers.insert(header::CACHE_CONTROL, self.cache.clone());
        if is_known(&self.etag, request) {
            return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
        }
        headers.insert(header::CONTENT_TYPE, self.content_type.clone());
        if compression::accepts_gzip(request) {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
            return Ok((headers, Bytes::from_static(self.compressed)).into_response());
        }
        let plain = decompress(self.compressed).map_err(|error| {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "an embedded file of the console is damaged"
            );
            Problem::internal()
        })?;
        Ok((headers, plain).into_response())
    }
}

fn decompress(compressed: &[u8]) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    GzDecoder::new(compressed).read_to_end(&mut plain)?;
    Ok(plain)
}

/// Returns whether the client has the version with this tag.
fn is_known(etag: &HeaderValue, request: &HeaderMap) -> bool {
    let tag = |text: &str| text.trim().trim_start_matches("W/").to_owned();
    let own = tag(etag.to_str().unwrap_or_default());
    let known = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    known.flat_map(|value| value.split(',')).any(|value| value.trim() == "*" || tag(value) == own)
}

fn content_type(name: &str) -> HeaderValue {
    HeaderValue::from_static(match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "pbf" => "application/x-protobuf",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    })
}

/// `GET /console`
pub async fn index(State(shared): State<Shared>, headers: HeaderMap) -> Result<Response, Problem> {
    respond(&shared, INDEX, &headers)
}

/// `GET /console/…`
pub async fn file(
    State(shared): State<Shared>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    respond(&shared, &path, &headers)
}

fn respond(shared: &Shared, path: &str, headers: &HeaderMap) -> Result<Response, Problem> {
    let file = shared.config.console.enabled.then(|| shared.console.find(path)).flatten();
    file.ok_or_else(Problem::not_found)?.respond(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_file_decompresses_and_has_a_media_type() {
        assert!(FILES.iter().any(|(name, _)| *name == INDEX), "the page itself is missing");
        for (name, compressed) in FILES {
            assert!(!decompress(compressed).unwrap().is_empty(), "{name}");
            assert_ne!(content_type(name), "application/octet-stream", "{name}");
        }
    }
}
