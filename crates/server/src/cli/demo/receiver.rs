//! The demo's webhook receiver: an HTTPS server on loopback that verifies signatures and prints messages.
//!
//! It does what a client of the service would do; `examples/receiver` is the same in another language.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context;
use app::App;
use delivery::signature::{self, ID_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER, TOLERANCE};
use domain::{Endpoint, UserId, WebhookSecret};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rustls::ServerConfig;
use rustls::pki_types::PrivatePkcs8KeyDer;
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::cli::output;

/// Number of matches, and of events, printed one by one. After that, a summary every [`SUMMARY_INTERVAL`] keeps the earlier
/// output readable.
const PRINTED: u64 = 6;
const SUMMARY_INTERVAL: Duration = Duration::from_secs(10);

/// Far above the size of a webhook in the generated market.
const BODY_BYTES_MAX: usize = 8 << 20;

/// A bound receiver with a self-signed certificate that only the demo trusts.
pub struct Receiver {
    listener: TcpListener,
    tls: TlsAcceptor,
    certificate: String,
}

impl Receiver {
    pub async fn bind() -> anyhow::Result<Self> {
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let generated = rcgen::generate_simple_self_signed(names).context("cannot create a certificate")?;
        let key = PrivatePkcs8KeyDer::from(generated.signing_key.serialize_der());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![generated.cert.der().clone()], key.into())?;
        Ok(Self {
            listener: TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?,
            tls: TlsAcceptor::from(Arc::new(config)),
            certificate: generated.cert.pem(),
        })
    }

    /// Returns the certificate to trust, in PEM.
    pub fn certificate(&self) -> &[u8] {
        self.certificate.as_bytes()
    }

    fn address(&self) -> anyhow::Result<SocketAddr> {
        Ok(self.listener.local_addr()?)
    }

    pub fn endpoint(&self, path: &str) -> anyhow::Result<Endpoint> {
        Ok(Endpoint::parse(&format!("https://{}/{path}", self.address()?))?)
    }

    /// Receives until `stop` is cancelled. `owner` is the user whose secrets sign the messages.
    pub async fn run(self, app: App, owner: UserId, tasks: TaskTracker, stop: CancellationToken) {
        let [matches, events, rejected] = [const { AtomicU64::new(0) }; 3];
        let handler = Arc::new(MessageHandler { app, owner, matches, events, rejected });
        tasks.spawn(summarise(Arc::clone(&handler), stop.clone()));
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

/// Verifies and counts messages.
struct MessageHandler {
    app: App,
    owner: UserId,
    matches: AtomicU64,
    events: AtomicU64,
    rejected: AtomicU64,
}

async fn serve(socket: TcpStream, tls: TlsAcceptor, handler: Arc<MessageHandler>, stop: CancellationToken) {
    let Ok(stream) = tls.accept(socket).await else { return };
    let service = service_fn(move |request| {
        let handler = Arc::clone(&handler);
        async move { Ok::<_, Infallible>(handler.receive(request).await) }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    tokio::select! { () = stop.cancelled() => {}, _ = connection => {} }
}

impl MessageHandler {
    async fn receive(&self, request: Request<Incoming>) -> Response<Empty<Bytes>> {
        let (head, body) = request.into_parts();
        let header = |name| head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let status = match Limited::new(body, BODY_BYTES_MAX).collect().await {
            Err(_) => StatusCode::BAD_REQUEST,
            Ok(body) => {
                let body = body.to_bytes();
                let (id, timestamp) = (header(ID_HEADER), header(TIMESTAMP_HEADER));
                self.verify(id, timestamp, header(SIGNATURE_HEADER), &body).await
            }
        };
        let mut response = Response::new(Empty::new());
        *response.status_mut() = status;
        response
    }

    async fn verify(&self, id: &str, timestamp: &str, signatures: &str, body: &[u8]) -> StatusCode {
        let now = self.app.clock().now();
        let Ok(secrets) = self.app.webhook_secrets(self.owner).await else {
            return StatusCode::INTERNAL_SERVER_ERROR;
        };
        let secrets: Vec<WebhookSecret> = secrets.signing_secrets(now).cloned().collect();
        let genuine =
            signature::verify(&secrets, id, timestamp, signatures, body, now.as_second(), TOLERANCE).is_ok();
        if !genuine {
            self.rejected.fetch_add(1, Ordering::Relaxed);
            output::print_line("  webhook  rejected: invalid signature");
            return StatusCode::UNAUTHORIZED;
        }
        let description = describe(body);
        let counter = if description.starts_with(MATCH) { &self.matches } else { &self.events };
        if counter.fetch_add(1, Ordering::Relaxed) < PRINTED {
            output::print_line(&format!(
                "  webhook  {description}  (signature verified, {} bytes)",
                body.len()
            ));
        }
        StatusCode::OK
    }
}

async fn summarise(handler: Arc<MessageHandler>, stop: CancellationToken) {
    let mut ticks = tokio::time::interval(SUMMARY_INTERVAL);
    let mut printed = 2 * PRINTED;
    loop {
        tokio::select! { () = stop.cancelled() => return, _ = ticks.tick() => {} }
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (matches, events, rejected) =
            (read(&handler.matches), read(&handler.events), read(&handler.rejected));
        if matches + events > printed {
            output::print_line(&format!(
                "  webhooks {matches} matches and {events} events so far, {rejected} rejected"
            ));
            printed = matches + events;
        }
    }
}

/// Prefix of a description of a match.
const MATCH: &str = "match: ";

/// Describes a message in one line.
fn describe(body: &[u8]) -> String {
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
}
