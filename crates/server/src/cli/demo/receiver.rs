//! The other end of the demo's webhooks: an HTTPS server on loopback that checks each signature and prints what arrived.
//!
//! It is what a client of the service would write; `examples/receiver` is the same in another language.

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

/// So many matches and so many events are printed one by one; then there is a line now and then, so that what was printed before can
/// be read.
const PRINTED: u64 = 6;
const SUMMARY_EVERY: Duration = Duration::from_secs(10);

/// More than any message of ours has.
const BODY_BYTES_MAX: usize = 8 << 20;

/// A receiver that has a port, and a certificate nobody but the demo trusts.
pub struct Receiver {
    listener: TcpListener,
    tls: TlsAcceptor,
    certificate: String,
}

impl Receiver {
    pub async fn bind() -> anyhow::Result<Self> {
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let made = rcgen::generate_simple_self_signed(names).context("cannot make a certificate")?;
        let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key.into())?;
        Ok(Self {
            listener: TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?,
            tls: TlsAcceptor::from(Arc::new(config)),
            certificate: made.cert.pem(),
        })
    }

    /// Whom to trust to reach it.
    pub fn certificate(&self) -> &[u8] {
        self.certificate.as_bytes()
    }

    fn address(&self) -> anyhow::Result<SocketAddr> {
        Ok(self.listener.local_addr()?)
    }

    pub fn endpoint(&self, path: &str) -> anyhow::Result<Endpoint> {
        Ok(Endpoint::parse(&format!("https://{}/{path}", self.address()?))?)
    }

    /// Receives until told to stop. `owner` is whose messages these are.
    pub async fn run(self, app: App, owner: UserId, tasks: TaskTracker, stop: CancellationToken) {
        let [matches, events, wrong] = [const { AtomicU64::new(0) }; 3];
        let desk = Arc::new(Desk { app, owner, matches, events, wrong });
        tasks.spawn(summarise(Arc::clone(&desk), stop.clone()));
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => return,
                accepted = self.listener.accept() => accepted,
            };
            // A connection that fails to come about is the sender's to try again.
            if let Ok((socket, _)) = accepted {
                tasks.spawn(serve(socket, self.tls.clone(), Arc::clone(&desk), stop.clone()));
            }
        }
    }
}

/// Where messages are opened.
struct Desk {
    app: App,
    owner: UserId,
    matches: AtomicU64,
    events: AtomicU64,
    wrong: AtomicU64,
}

async fn serve(socket: TcpStream, tls: TlsAcceptor, desk: Arc<Desk>, stop: CancellationToken) {
    let Ok(stream) = tls.accept(socket).await else { return };
    let service = service_fn(move |request| {
        let desk = Arc::clone(&desk);
        async move { Ok::<_, Infallible>(desk.receive(request).await) }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    tokio::select! { () = stop.cancelled() => {}, _ = connection => {} }
}

impl Desk {
    async fn receive(&self, request: Request<Incoming>) -> Response<Empty<Bytes>> {
        let (head, body) = request.into_parts();
        let header = |name| head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let status = match Limited::new(body, BODY_BYTES_MAX).collect().await {
            Err(_) => StatusCode::BAD_REQUEST,
            Ok(body) => {
                let body = body.to_bytes();
                let (id, timestamp) = (header(ID_HEADER), header(TIMESTAMP_HEADER));
                self.open(id, timestamp, header(SIGNATURE_HEADER), &body).await
            }
        };
        let mut response = Response::new(Empty::new());
        *response.status_mut() = status;
        response
    }

    async fn open(&self, id: &str, timestamp: &str, signatures: &str, body: &[u8]) -> StatusCode {
        let now = self.app.clock().now();
        let Ok(secrets) = self.app.webhook_secrets(self.owner).await else {
            return StatusCode::INTERNAL_SERVER_ERROR;
        };
        let secrets: Vec<WebhookSecret> = secrets.signing_secrets(now).cloned().collect();
        let genuine =
            signature::verify(&secrets, id, timestamp, signatures, body, now.as_second(), TOLERANCE).is_ok();
        if !genuine {
            self.wrong.fetch_add(1, Ordering::Relaxed);
            output::say("  webhook  a message came with a wrong signature, and was refused");
            return StatusCode::UNAUTHORIZED;
        }
        let described = described(body);
        let counter = if described.starts_with(MATCH) { &self.matches } else { &self.events };
        if counter.fetch_add(1, Ordering::Relaxed) < PRINTED {
            output::say(&format!("  webhook  {described}  (signature verified, {} bytes)", body.len()));
        }
        StatusCode::OK
    }
}

async fn summarise(desk: Arc<Desk>, stop: CancellationToken) {
    let mut ticks = tokio::time::interval(SUMMARY_EVERY);
    let mut told = 2 * PRINTED;
    loop {
        tokio::select! { () = stop.cancelled() => return, _ = ticks.tick() => {} }
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (matches, events, wrong) = (read(&desk.matches), read(&desk.events), read(&desk.wrong));
        if matches + events > told {
            output::say(&format!(
                "  webhooks {matches} matches and {events} events by now, {wrong} with a wrong signature"
            ));
            told = matches + events;
        }
    }
}

/// How a match is told.
const MATCH: &str = "match: ";

/// One line about a message.
fn described(body: &[u8]) -> String {
    let Ok(message) = serde_json::from_slice::<Value>(body) else { return "no JSON".to_owned() };
    let event = message["event"].as_str();
    let found = if event.is_some() { &message["match"] } else { &message };
    let document = &found["propertyDocument"];
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let number = |value: &Value| value.as_f64().map_or("?".to_owned(), |number| format!("{number}"));
    let home = format!(
        "{}, {} m², {} €, {}",
        text(&document["title"]),
        number(&document["surface"]),
        number(&document["price"]),
        text(&document["city"]["name"])
    );
    match event {
        None => format!("{MATCH}{home}"),
        Some(event) => {
            let told = &message["adEvent"];
            let values = match (told["fieldOldValue"].as_str(), told["fieldNewValue"].as_str()) {
                (Some(old), Some(new)) => format!(" {old} → {new}"),
                _ => String::new(),
            };
            format!("{event}{values}: {home}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_told_in_one_line() {
        let document = r#"{"title":"Maison","surface":90,"price":250000,"city":{"name":"Tours"}}"#;
        let found = format!(r#"{{"@type":"Match","propertyDocument":{document}}}"#);
        assert_eq!(described(found.as_bytes()), "match: Maison, 90 m², 250000 €, Tours");
        let event = format!(
            r#"{{"event":"ad.update.price","adEvent":{{"fieldOldValue":"260000","fieldNewValue":"250000"}},"match":{found}}}"#
        );
        assert_eq!(
            described(event.as_bytes()),
            "ad.update.price 260000 → 250000: Maison, 90 m², 250000 €, Tours"
        );
        assert_eq!(described(b"nonsense"), "no JSON");
    }
}
