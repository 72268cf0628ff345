//! Webhooks: one attempt to bring one message to an address that a user chose.
//!
//! This is the only code that sends to such addresses, so it is where they are judged: the endpoint as it is written
//! ([`Webhooks::judge`], which asks nobody), every address its name leads to, and the one a connection was made to. In order:
//! `target` reads and judges, `resolve` looks up, `address` has the rule, `connect` opens, `connection` speaks, `pool` keeps, and
//! `fault` says what went wrong.
//!
//! Whatever a receiver does costs at most the time and the bytes that are stated here, and has no bearing on others.

mod address;
mod connect;
mod connection;
mod fault;
mod pool;
mod resolve;
mod socket;
mod target;
mod tls;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::{Endpoint, Fault, Outcome};
use hickory_resolver::net::NetError;
use http::header::{ACCEPT_ENCODING, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use http::{Method, Request, Response, Uri, Version};
use http_body_util::Full;
use hyper::body::Incoming;
use rustls::pki_types::pem;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;

pub use address::Addresses;
pub use pool::Reuse;
pub use resolve::Dns;
pub use target::{Host, Refused};

use crate::message::{Exchange, Order, WebhookMessage};
use crate::signature;
use connection::{BodyEnd, Connection};
use fault::NoAnswer;
use pool::Pool;
use resolve::Names;
use socket::{Gauge, Socket};
use target::{Place, Target};

/// Where a message belongs among others. Not signed: what it says of the property is.
const SEQUENCE_HEADER: HeaderName = HeaderName::from_static("x-sequence");
const VERSION_HEADER: HeaderName = HeaderName::from_static("x-property-version");

/// How long a body is waited for after the head. What it says decides nothing.
const BODY_WAIT_MAX: Duration = Duration::from_secs(2);

/// What a server may send during a handshake. Chains of certificates have a few kilobytes.
const HANDSHAKE_BYTES_MAX: usize = 128 * 1_024;

/// How webhooks are sent.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Where connections come from, so that receivers can tell. Receivers with addresses of the other kind only cannot be reached.
    pub source_address: Option<IpAddr>,
    /// Trusted beside those whom this machine trusts.
    pub extra_ca_pem: Option<Vec<u8>>,
    pub addresses: Addresses,
    pub success: Success,
    pub dns: Dns,
    pub deadlines: Deadlines,
    pub reuse: Reuse,
    pub user_agent: String,
}

/// With what a receiver says that it has a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Success {
    #[default]
    Only200,
    Any2xx,
}

/// How long each part of an attempt may take, and all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    pub dns: Duration,
    pub connect: Duration,
    pub tls: Duration,
    /// From the look-up to the last byte of the answer.
    pub whole: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            dns: Duration::from_secs(3),
            connect: Duration::from_secs(5),
            tls: Duration::from_secs(5),
            whole: Duration::from_secs(15),
        }
    }
}

/// Why no webhooks can be sent with these settings.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    #[error("the file of additional certificates is not readable as PEM")]
    Pem(#[source] pem::Error),
    #[error("the file of additional certificates holds no certificate")]
    NoCertificate,
    #[error("the file of additional certificates holds one that cannot be used")]
    Certificate(#[source] rustls::Error),
    #[error("TLS cannot be set up")]
    Tls(#[source] rustls::Error),
    #[error("the resolver cannot be set up")]
    Resolver(#[source] NetError),
    #[error("the user agent has characters that a header cannot hold")]
    UserAgent,
    #[error("this machine cannot send from the address {address}; does it have it?")]
    SourceAddress { address: IpAddr, source: io::Error },
}

/// Sends webhooks. To be shared.
pub struct Webhooks {
    addresses: Addresses,
    success: Success,
    source_address: Option<IpAddr>,
    deadlines: Deadlines,
    reuse: Reuse,
    names: Names,
    tls: TlsConnector,
    pool: Arc<Pool>,
    /// What all requests have.
    headers: HeaderMap,
}

impl Webhooks {
    pub fn new(settings: Settings) -> Result<Self, SetUpError> {
        let Settings { source_address, extra_ca_pem, addresses, success, dns, deadlines, reuse, user_agent } =
            settings;
        if let Some(address) = source_address {
            // Better said at the start than by every attempt, an hour apart.
            connect::check_source(address).map_err(|source| SetUpError::SourceAddress { address, source })?;
        }
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // Nothing is ever unpacked, so that nothing small can become large.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        headers.insert(USER_AGENT, HeaderValue::try_from(user_agent).map_err(|_| SetUpError::UserAgent)?);
        Ok(Self {
            addresses,
            success,
            source_address,
            deadlines,
            reuse,
            names: Names::new(&dns, addresses).map_err(SetUpError::Resolver)?,
            tls: TlsConnector::from(Arc::new(tls::client(extra_ca_pem.as_deref())?)),
            pool: Arc::default(),
            headers,
        })
    }

    /// Whether anything may be sent to an endpoint, as far as can be told without asking anybody; and where it leads.
    pub fn judge(&self, endpoint: &Endpoint) -> Result<Host, Refused> {
        Target::judge(endpoint, self.addresses).map(|target| target.host)
    }

    /// Makes one attempt. Redirects are not followed: they are an answer that is not a success.
    pub async fn send(&self, post: &WebhookMessage) -> Exchange {
        let began = Instant::now();
        let deadline = began + self.deadlines.whole;
        let mut excerpt = Vec::new();
        let (outcome, status) = match self.answer(post, deadline).await {
            Err(fault) => (Outcome::Failed(fault), None),
            Ok(answer) => {
                let status = answer.response.status();
                let is_success = match self.success {
                    Success::Only200 => status.as_u16() == 200,
                    Success::Any2xx => status.is_success(),
                };
                // It is decided: whatever the body does now has no bearing on it.
                self.finish(answer, deadline, &mut excerpt).await;
                let outcome = if is_success { Outcome::Delivered } else { Outcome::Failed(Fault::Status) };
                (outcome, Some(status.as_u16()))
            }
        };
        Exchange { outcome, status, took: began.elapsed(), excerpt }
    }

    async fn answer(&self, post: &WebhookMessage, deadline: Instant) -> Result<Answer, Fault> {
        let target = Target::judge(&post.endpoint, self.addresses).map_err(|_| Fault::Refused)?;
        let headers = self.signed(post)?;
        let answered = timeout_at(deadline, self.ask(target, &headers, &post.body)).await;
        answered.unwrap_or(Err(Fault::Timeout))
    }

    /// Sends the request over a connection that is there, or over a new one.
    async fn ask(&self, target: Target, headers: &HeaderMap, body: &Bytes) -> Result<Answer, Fault> {
        while let Some(mut connection) = self.pool.take(&target.host) {
            if !connection.is_alive().await {
                continue;
            }
            let request = request(&target, connection.version(), headers, body);
            match connection.send(request).await {
                Ok(response) => return Ok(Answer { target, connection, response }),
                // It had ended without our knowing. Nobody has seen the request, so this was no attempt.
                Err(NoAnswer::NotSent(_)) => {}
                Err(NoAnswer::Failed(fault)) => return Err(fault),
            }
        }
        let mut connection = self.connect(&target).await?;
        let request = request(&target, connection.version(), headers, body);
        match connection.send(request).await {
            Ok(response) => Ok(Answer { target, connection, response }),
            Err(why) => Err(why.fault()),
        }
    }

    async fn connect(&self, target: &Target) -> Result<Connection, Fault> {
        let Deadlines { dns, connect, tls, whole: _ } = self.deadlines;
        let addresses = match &target.place {
            Place::Address(address) => vec![*address],
            Place::Name(name) => within(dns, self.names.look_up(name)).await?,
        };
        let places: Vec<SocketAddr> =
            addresses.into_iter().map(|address| (address, target.port).into()).collect();
        let stream = within(connect, connect::connect(&places, self.source_address, self.addresses)).await?;
        let gauge = Gauge::new(HANDSHAKE_BYTES_MAX);
        let socket = Socket::new(stream, Arc::clone(&gauge));
        let handshake = async {
            self.tls.connect(target.server_name.clone(), socket).await.map_err(|error| fault::of_io(&error))
        };
        Connection::new(within(tls, handshake).await?, gauge).await
    }

    /// Reads what is left of an answer, so that the connection can be used again.
    async fn finish(&self, answer: Answer, deadline: Instant, excerpt: &mut Vec<u8>) {
        let Answer { target, mut connection, response } = answer;
        let kept_for = connection::kept_for(response.headers());
        let body_deadline = deadline.min(Instant::now() + BODY_WAIT_MAX);
        let end = timeout_at(body_deadline, connection.read(response.into_body(), excerpt)).await;
        let Some(until) = self.reuse.until(connection.made_at(), Instant::now(), kept_for) else { return };
        if end == Ok(BodyEnd::Reached) && connection.is_ready().await {
            self.pool.put(&target.host, connection, until);
        }
    }

    /// The headers of a message: those of Standard Webhooks, and where it belongs among others.
    fn signed(&self, post: &WebhookMessage) -> Result<HeaderMap, Fault> {
        let id = post.id.to_string();
        let timestamp = post.at.as_second();
        let signatures = signature::header(&post.secrets, &id, timestamp, &post.body);
        let mut headers = self.headers.clone();
        headers.reserve(6);
        if let Some(Order { sequence, property_version }) = post.order {
            headers.insert(SEQUENCE_HEADER, sequence.into());
            headers.insert(VERSION_HEADER, property_version.into());
        }
        for (name, text) in [
            (HeaderName::from_static(signature::ID_HEADER), id),
            (HeaderName::from_static(signature::TIMESTAMP_HEADER), timestamp.to_string()),
            (HeaderName::from_static(signature::SIGNATURE_HEADER), signatures),
        ] {
            // Hexadecimal, digits and base64: there is nothing in them that a header cannot hold.
            headers.insert(name, HeaderValue::try_from(text).map_err(|_| Fault::Protocol)?);
        }
        Ok(headers)
    }
}

/// The head of an answer, and what the rest of it comes over.
struct Answer {
    target: Target,
    connection: Connection,
    response: Response<Incoming>,
}

fn request(target: &Target, version: Version, headers: &HeaderMap, body: &Bytes) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(body.clone()));
    *request.method_mut() = Method::POST;
    *request.headers_mut() = headers.clone();
    *request.uri_mut() = if version == Version::HTTP_2 {
        let mut parts = http::uri::Parts::default();
        parts.scheme = Some(http::uri::Scheme::HTTPS);
        parts.authority = Some(target.authority.clone());
        parts.path_and_query = Some(target.path.clone());
        Uri::from_parts(parts).unwrap_or_default()
    } else {
        let host = HeaderValue::try_from(target.authority.as_str());
        request.headers_mut().extend(host.ok().map(|host| (HOST, host)));
        Uri::from(target.path.clone())
    };
    request
}

async fn within<T>(limit: Duration, part: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    timeout(limit, part).await.unwrap_or(Err(Fault::Timeout))
}
