//! Compression of responses, negotiated by `Accept-Encoding`.
//!
//! Both encodings run at their fastest level: JSON repeats its keys, so it shrinks well even so. zstd is preferred to gzip because it
//! is faster. A stream is flushed after every chunk, so that each
//! line reaches the client when it is written.

use std::io::{self, Write};

use axum::body::{Body, BodyDataStream, Bytes, HttpBody};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::{StreamExt, stream};
use http::{HeaderMap, HeaderValue, StatusCode, header};

/// Smaller bodies fit into one network packet anyway.
const BODY_BYTES_MIN: u64 = 1_024;

/// Larger bodies are compressed on a blocking thread, so that other requests do not wait for them.
const INLINE_BYTES_MAX: usize = 256 * 1024;

const ZSTD_LEVEL: i32 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Zstd,
    Gzip,
}

impl Encoding {
    const fn name(self) -> HeaderValue {
        match self {
            Self::Zstd => HeaderValue::from_static("zstd"),
            Self::Gzip => HeaderValue::from_static("gzip"),
        }
    }

    /// Returns the encoding the client likes best; `None` if it accepts none of ours.
    pub fn accepted(headers: &HeaderMap) -> Option<Self> {
        let [zstd, gzip] = qualities(headers);
        if zstd > 0.0 && zstd >= gzip {
            Some(Self::Zstd)
        } else if gzip > 0.0 {
            Some(Self::Gzip)
        } else {
            None
        }
    }
}

/// Returns whether the client accepts a body that is compressed already.
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    let [_zstd, gzip] = qualities(headers);
    gzip > 0.0
}

/// Returns how much the client likes zstd and gzip; zero if it accepts them not.
fn qualities(headers: &HeaderMap) -> [f32; 2] {
    let (mut zstd, mut gzip, mut any) = (None, None, None);
    let values = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    for coding in values.flat_map(|value| value.split(',')) {
        let mut parts = coding.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let quality = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        // A quality that is not a number is ignored, as if it were not there.
        let quality = quality.and_then(|quality| quality.trim().parse::<f32>().ok()).unwrap_or(1.0);
        match name.as_str() {
            "zstd" => zstd = Some(quality),
            "gzip" | "x-gzip" => gzip = Some(quality),
            "*" => any = Some(quality),
            _ => {}
        }
    }
    [zstd, gzip].map(|named: Option<f32>| named.or(any).unwrap_or(0.0))
}

/// Compresses the body of a response, unless it is small or the client accepts no encoding.
pub async fn compress(response: Response, accepted: Option<Encoding>) -> Response {
    let size = response.body().size_hint().exact();
    let has_no_body = matches!(response.status(), StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    if has_no_body
        || size.is_some_and(|size| size < BODY_BYTES_MIN)
        || response.headers().contains_key(header::CONTENT_ENCODING)
        || is_picture(&response)
    {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    let Some(encoding) = accepted else { return Response::from_parts(parts, body) };
    let body = match size {
        Some(_) => {
            // The body is complete and in memory: reading it neither waits nor fails.
            let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
            match compress_whole(bytes.clone(), encoding).await {
                Ok(compressed) => Body::from(compressed),
                Err(error) => {
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        "cannot compress a response; sending it as it is"
                    );
                    return Response::from_parts(parts, Body::from(bytes));
                }
            }
        }
        None => match Encoder::new(encoding) {
            Ok(encoder) => compress_stream(body.into_data_stream(), encoder),
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "cannot compress a stream");
                return Response::from_parts(parts, body);
            }
        },
    };
    parts.headers.insert(header::CONTENT_ENCODING, encoding.name());
    // The length of the body as it was.
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, body)
}

/// Pictures are compressed already.
fn is_picture(response: &Response) -> bool {
    let content_type = response.headers().get(header::CONTENT_TYPE);
    content_type.is_some_and(|content_type| content_type.as_bytes().starts_with(b"image/"))
}

async fn compress_whole(bytes: Bytes, encoding: Encoding) -> io::Result<Bytes> {
    let length = bytes.len();
    let work = move || {
        let mut encoder = Encoder::new(encoding)?;
        encoder.write_all(&bytes)?;
        encoder.finish()
    };
    if length <= INLINE_BYTES_MAX {
        return work();
    }
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

/// Compresses a stream chunk by chunk.
fn compress_stream(chunks: BodyDataStream, encoder: Encoder) -> Body {
    Body::from_stream(stream::unfold((chunks, Some(encoder)), |(mut chunks, encoder)| async move {
        let mut encoder = encoder?;
        match chunks.next().await {
            Some(Ok(chunk)) => match encoder.write_and_flush(&chunk) {
                Ok(compressed) => Some((Ok(compressed), (chunks, Some(encoder)))),
                Err(error) => Some((Err(axum::Error::new(error)), (chunks, None))),
            },
            // The stream was abandoned: without its end the client knows that it is incomplete.
            Some(Err(error)) => Some((Err(error), (chunks, None))),
            None => Some((encoder.finish().map_err(axum::Error::new), (chunks, None))),
        }
    }))
}

/// Compresses into memory.
enum Encoder {
    Gzip(GzEncoder<Vec<u8>>),
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
}

impl Encoder {
    fn new(encoding: Encoding) -> io::Result<Self> {
        Ok(match encoding {
            Encoding::Gzip => Self::Gzip(GzEncoder::new(Vec::new(), Compression::fast())),
            Encoding::Zstd => Self::Zstd(zstd::stream::write::Encoder::new(Vec::new(), ZSTD_LEVEL)?),
        })
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Gzip(encoder) => encoder.write_all(bytes),
            Self::Zstd(encoder) => encoder.write_all(bytes),
        }
    }

    /// Compresses a chunk completely, so that the client can decompress it without the next one.
    fn write_and_flush(&mut self, bytes: &[u8]) -> io::Result<Bytes> {
        self.write_all(bytes)?;
        let written = match self {
            Self::Gzip(encoder) => {
                encoder.flush()?;
                encoder.get_mut()
            }
            Self::Zstd(encoder) => {
                encoder.flush()?;
                encoder.get_mut()
            }
        };
        Ok(std::mem::take(written).into())
    }

    fn finish(self) -> io::Result<Bytes> {
        match self {
            Self::Gzip(encoder) => encoder.finish(),
            Self::Zstd(encoder) => encoder.finish(),
        }
        .map(Bytes::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_accepted_encoding_is_chosen() {
        let check = |accept: &str, expected: Option<Encoding>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, accept.parse().unwrap());
            assert_eq!(Encoding::accepted(&headers), expected, "{accept}");
        };
        check("gzip, deflate, br, zstd", Some(Encoding::Zstd));
        check("gzip, deflate", Some(Encoding::Gzip));
        check("GZIP", Some(Encoding::Gzip));
        check("zstd;q=0.5, gzip;q=0.8", Some(Encoding::Gzip));
        check("zstd;q=0, *", Some(Encoding::Gzip));
        check("*", Some(Encoding::Zstd));
        check("*;q=0", None);
        check("identity", None);
        check("br", None);
        check("gzip;q=0, identity", None);
        check("", None);
        assert_eq!(Encoding::accepted(&HeaderMap::new()), None);
    }
}
