//! A small S3-compatible server on loopback: objects, multipart uploads and lists, in memory.

#![allow(clippy::unwrap_used, reason = "for tests, which may panic")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinSet;

pub const KEY_ID: &str = "AKIDTEST";
pub const SECRET: &str = "secret";

#[derive(Default)]
pub struct Bucket {
    pub objects: BTreeMap<String, Bytes>,
    /// Parts of uploads that are neither complete nor aborted, by upload.
    pub uploads: BTreeMap<String, BTreeMap<usize, Bytes>>,
    /// Method and key of all requests that change something.
    pub writes: Vec<String>,
    next_upload: usize,
    /// Requests for which this is part of the key are refused.
    pub refuse: Option<String>,
    /// Requests with this method are refused.
    pub refuse_method: Option<Method>,
    /// Requests with this method, and with this as part of the key, are never answered.
    pub hang: Option<(Method, &'static str)>,
    /// A request that is never answered has come.
    pub hung: Arc<Notify>,
}

pub struct S3Server {
    pub bucket: Arc<Mutex<Bucket>>,
    address: std::net::SocketAddr,
    _running: JoinSet<()>,
}

impl S3Server {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let bucket: Arc<Mutex<Bucket>> = Arc::default();
        let router = Router::new().fallback(answer).with_state(Arc::clone(&bucket));
        let mut running = JoinSet::new();
        running.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { bucket, address, _running: running }
    }

    /// Returns the URL of the server. It knows one bucket, `market`.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn keys(&self) -> Vec<String> {
        self.bucket.lock().unwrap().objects.keys().cloned().collect()
    }
}

async fn answer(State(bucket): State<Arc<Mutex<Bucket>>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 30).await.unwrap();
    if !is_signed(&head.headers, &body) {
        return error(StatusCode::FORBIDDEN, "SignatureDoesNotMatch");
    }
    let path = head.uri.path().trim_start_matches('/').to_owned();
    let Some(key) = path.strip_prefix("market").map(|key| key.trim_start_matches('/')) else {
        return error(StatusCode::NOT_FOUND, "NoSuchBucket");
    };
    let query = head.uri.query().unwrap_or_default();
    let parameter = |name: &str| {
        let mut pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        pairs.find(|(known, _)| *known == name).map(|(_, value)| value.replace("%2F", "/"))
    };
    let hung = {
        let bucket = bucket.lock().unwrap();
        let is_hung = |(method, part): &(Method, &str)| *method == head.method && key.contains(part);
        bucket.hang.as_ref().is_some_and(is_hung).then(|| Arc::clone(&bucket.hung))
    };
    if let Some(hung) = hung {
        hung.notify_one();
        return std::future::pending().await;
    }
    let mut bucket = bucket.lock().unwrap();
    if bucket.refuse.as_ref().is_some_and(|refused| key.contains(refused.as_str()))
        || bucket.refuse_method.as_ref() == Some(&head.method)
    {
        return error(StatusCode::FORBIDDEN, "AccessDenied");
    }
    if head.method != Method::GET && head.method != Method::HEAD {
        bucket.writes.push(format!("{} {key}", head.method));
    }
    let (upload, number) = (parameter("uploadId"), parameter("partNumber"));
    match (head.method, upload) {
        (Method::POST, None) if parameter("uploads").is_some() => {
            bucket.next_upload += 1;
            let id = format!("upload-{}", bucket.next_upload);
            bucket.uploads.insert(id.clone(), BTreeMap::new());
            xml(format!(
                "<InitiateMultipartUploadResult><Bucket>market</Bucket><Key>{key}</Key>\
                 <UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
            ))
        }
        (Method::PUT, Some(id)) => {
            let number: usize = number.unwrap().parse().unwrap();
            let tag = format!("\"{number}-{}\"", body.len());
            bucket.uploads.get_mut(&id).unwrap().insert(number, body);
            (StatusCode::OK, [("etag", tag)]).into_response()
        }
        (Method::POST, Some(id)) => {
            let parts = bucket.uploads.remove(&id).unwrap();
            // All parts but the last have at least 5 MiB, as S3 demands, and the client lists every one of them.
            let sizes: Vec<usize> = parts.values().map(Bytes::len).collect();
            let listed = String::from_utf8_lossy(&body).matches("<PartNumber>").count();
            let (_, earlier) = sizes.split_last().unwrap();
            if listed != sizes.len() || earlier.iter().any(|size| *size < 5 << 20) {
                return error(StatusCode::BAD_REQUEST, "EntityTooSmall");
            }
            let whole: Vec<u8> = parts.into_values().flatten().collect();
            bucket.objects.insert(key.to_owned(), whole.into());
            xml(format!(
                "<CompleteMultipartUploadResult><Key>{key}</Key><ETag>\"{id}\"</ETag></CompleteMultipartUploadResult>"
            ))
        }
        (Method::DELETE, Some(id)) => {
            bucket.uploads.remove(&id);
            StatusCode::NO_CONTENT.into_response()
        }
        (Method::PUT, None) => {
            bucket.objects.insert(key.to_owned(), body);
            (StatusCode::OK, [("etag", "\"whole\"")]).into_response()
        }
        (Method::DELETE, None) => {
            bucket.objects.remove(key);
            StatusCode::NO_CONTENT.into_response()
        }
        (Method::GET, None) if key.is_empty() => list(&bucket, &parameter("prefix").unwrap_or_default()),
        (method @ (Method::GET | Method::HEAD), None) => match bucket.objects.get(key) {
            None => error(StatusCode::NOT_FOUND, "NoSuchKey"),
            Some(object) => {
                let headers = [
                    ("etag", "\"whole\"".to_owned()),
                    ("last-modified", "Mon, 16 Nov 2026 03:00:00 GMT".to_owned()),
                    ("content-length", object.len().to_string()),
                ];
                let body = if method == Method::HEAD { Body::empty() } else { object.clone().into() };
                (StatusCode::OK, headers, body).into_response()
            }
        },
        (method, upload) => panic!("unexpected request: {method} {key}?{query} {upload:?}"),
    }
}

/// Lists the objects directly below a prefix.
fn list(bucket: &Bucket, prefix: &str) -> Response {
    let below = |key: &&String| key.strip_prefix(prefix).is_some_and(|rest| !rest.contains('/'));
    let objects: String = bucket
        .objects
        .iter()
        .filter(|(key, _)| below(key))
        .map(|(key, object)| {
            format!(
                "<Contents><Key>{key}</Key><LastModified>2026-11-16T03:00:00.000Z</LastModified>\
                 <ETag>\"whole\"</ETag><Size>{}</Size></Contents>",
                object.len()
            )
        })
        .collect();
    xml(format!("<ListBucketResult><IsTruncated>false</IsTruncated>{objects}</ListBucketResult>"))
}

/// Checks that a request is signed with our key, and that its body is the one that was signed.
fn is_signed(headers: &HeaderMap, body: &[u8]) -> bool {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let digest: String = Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect();
    header("authorization").starts_with(&format!("AWS4-HMAC-SHA256 Credential={KEY_ID}/"))
        && header("x-amz-content-sha256") == digest
}

fn xml(text: String) -> Response {
    (StatusCode::OK, [("content-type", "application/xml")], text).into_response()
}

fn error(status: StatusCode, code: &str) -> Response {
    (status, format!("<Error><Code>{code}</Code></Error>")).into_response()
}
