//! A receiver of webhooks on loopback: an HTTPS server that hands each message to a handler. The demo and `vigie listen` use it.
//!
//! It does what a client of the service would do; `examples/receiver` is the same in another language.

use std::convert::Infallible;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;

use anyhow::Context;
use delivery::signature::{self, ID_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER, TOLERANCE, VerifyError};
use domain::{Endpoint, Timestamp, WebhookSecret};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The size that docs/webhooks.md tells receivers to accept.
const BODY_BYTES_MAX: usize = 32 << 20;

/// Files of a certificate that is used again.
pub const CERTIFICATE_FILE: &str = "certificate.pem";
const KEY_FILE: &str = "key.pem";

/// A self-signed certificate for loopback, with its key.
pub struct Certificate {
    pem: String,
    key_pem: String,
}

impl Certificate {
    pub fn generate() -> anyhow::Result<Self> {
        let names = ["127.0.0.1", "::1", "localhost"].map(str::to_owned);
        let generated = rcgen::generate_simple_self_signed(names).context("cannot create a certificate")?;
        Ok(Self { pem: generated.cert.pem(), key_pem: generated.signing_key.serialize_pem() })
    }

    /// Loads the certificate in a folder, or generates it there: a server that trusts it needs no new setting for the next run.
    pub fn load_or_generate(folder: &Path) -> anyhow::Result<Self> {
        let (pem_path, key_path) = (folder.join(CERTIFICATE_FILE), folder.join(KEY_FILE));
        match fs::read_to_string(&pem_path) {
            Ok(pem) => {
                let key_pem = fs::read_to_string(&key_path)
                    .with_context(|| format!("cannot read {}", key_path.display()))?;
                Ok(Self { pem, key_pem })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let generated = Self::generate()?;
                fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
                // The certificate last: if it exists, its key does.
                fs::write(&key_path, &generated.key_pem)?;
                fs::write(&pem_path, &generated.pem)?;
                Ok(generated)
            }
            Err(error) => Err(error).with_context(|| format!("cannot read {}", pem_path.display())),
        }
    }

    /// Returns the certificate to trust, in PEM.
    pub const fn pem(&self) -> &str {
        self.pem.as_str()
    }

    fn acceptor(&self) -> anyhow::Result<TlsAcceptor> {
        let certificate =
            CertificateDer::from_pem_slice(self.pem.as_bytes()).context("malformed certificate")?;
        let key = PrivateKeyDer::from_pem_slice(self.key_pem.as_bytes()).context("malformed private key")?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)?;
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

/// A message as it was received.
pub struct Message {
    /// The path, with the query.
    pub target: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Message {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Verifies that one of the secrets signed it, recently.
    pub fn verify<'a>(
        &self,
        secrets: impl IntoIterator<Item = &'a WebhookSecret>,
        now: Timestamp,
    ) -> Result<(), VerifyError> {
        let (id, timestamp) = (self.header(ID_HEADER), self.header(TIMESTAMP_HEADER));
        let signatures = self.header(SIGNATURE_HEADER);
        signature::verify(secrets, id, timestamp, signatures, &self.body, now.as_second(), TOLERANCE)
    }
}

/// Decides what to answer to a message.
pub trait Handle: Send + Sync + 'static {
    fn receive(&self, message: Message) -> impl Future<Output = StatusCode> + Send;
}

/// A bound receiver.
pub struct Receiver {
    listener: TcpListener,
    tls: TlsAcceptor,
}

impl Receiver {
    pub async fn bind(address: SocketAddr, certificate: &Certificate) -> anyhow::Result<Self> {
        let tls = certificate.acceptor()?;
        let listener =
            TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
        Ok(Self { listener, tls })
    }

    pub fn endpoint(&self, path: &str) -> anyhow::Result<Endpoint> {
        Ok(Endpoint::parse(&format!("https://{}/{path}", self.listener.local_addr()?))?)
    }

    /// Receives until `stop` is cancelled.
    pub async fn run(self, handler: Arc<impl Handle>, tasks: TaskTracker, stop: CancellationToken) {
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => return,
                accepted = self.listener.accept() => accepted,
            };
            // If a connection fails, the sender retries.
            if let Ok((socket, _)) = accepted {
                tasks.spawn(serve(socket, self.tls.clone(), Arc::clone(&handler), stop.clone()));
            }
        }
    }
}

async fn serve(socket: TcpStream, tls: TlsAcceptor, handler: Arc<impl Handle>, stop: CancellationToken) {
    let accepted =
        tokio::select! { () = stop.cancelled() => return, accepted = tls.accept(socket) => accepted };
    let Ok(stream) = accepted else { return };
    let handler = &*handler;
    let service =
        service_fn(move |request| async move { Ok::<_, Infallible>(answer(handler, request).await) });
    let mut connection = pin!(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        // Answer the request in progress: otherwise its sender tries again in an hour.
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
        _ = connection.as_mut() => {}
    }
}

async fn answer(handler: &impl Handle, request: Request<Incoming>) -> Response<Empty<Bytes>> {
    let (head, body) = request.into_parts();
    let target = head.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    let status = match Limited::new(body, BODY_BYTES_MAX).collect().await {
        Err(_) => StatusCode::BAD_REQUEST,
        Ok(body) => handler.receive(Message { target, headers: head.headers, body: body.to_bytes() }).await,
    };
    let mut response = Response::new(Empty::new());
    *response.status_mut() = status;
    response
}

/// Prefix of a description of a match.
pub const MATCH: &str = "match: ";

/// Describes a message in one line.
pub fn describe(body: &[u8]) -> String {
    let Ok(message) = serde_json::from_slice::<Value>(body) else { return "invalid JSON".to_owned() };
    let event = message["event"].as_str();
    let matched = if event.is_some() { &message["match"] } else { &message };
    let document = &matched["propertyDocument"];
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let number = |value: &Value| value.as_f64().map_or("?".to_owned(), |number| format!("{number}"));
    let property = format!(
        "{}, {} m², {} €, {}",
        text(&document["title"]),
        number(&document["surface"]),
        number(&document["price"]),
        text(&document["city"]["name"])
    );
    match event {
        None => format!("{MATCH}{property}"),
        Some(event) => {
            let change = &message["adEvent"];
            let values = match (change["fieldOldValue"].as_str(), change["fieldNewValue"].as_str()) {
                (Some(old), Some(new)) => format!(" {old} → {new}"),
                _ => String::new(),
            };
            format!("{event}{values}: {property}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_described_in_one_line() {
        let document = r#"{"title":"Maison","surface":90,"price":250000,"city":{"name":"Tours"}}"#;
        let matched = format!(r#"{{"@type":"Match","propertyDocument":{document}}}"#);
        assert_eq!(describe(matched.as_bytes()), "match: Maison, 90 m², 250000 €, Tours");
        let event = format!(
            r#"{{"event":"ad.update.price","adEvent":{{"fieldOldValue":"260000","fieldNewValue":"250000"}},"match":{matched}}}"#
        );
        assert_eq!(
            describe(event.as_bytes()),
            "ad.update.price 260000 → 250000: Maison, 90 m², 250000 €, Tours"
        );
        assert_eq!(describe(b"nonsense"), "invalid JSON");
    }

    #[test]
    fn certificate_is_generated_once() {
        let folder = tempfile::TempDir::new().unwrap();
        let folder = folder.path().join("listen");
        let first = Certificate::load_or_generate(&folder).unwrap();
        let second = Certificate::load_or_generate(&folder).unwrap();
        assert_eq!((first.pem(), &first.key_pem), (second.pem(), &second.key_pem));
        assert!(second.acceptor().is_ok());
    }
}
