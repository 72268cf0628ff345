//! Webhooks: makes one attempt to send one message to an address chosen by a user.
//!
//! Only this code sends to such addresses, so it enforces the address policy three times: on the endpoint as
//! written ([`Webhooks::check`], without network access), on every address its name resolves to, and on the peer of
//! the connection. In reading order: `target` parses and checks the endpoint, `resolve` resolves its name,
//! `address` holds the policy, `own_address` knows the addresses of this machine, `connect` opens the socket, `socket` limits what is read, `connection` speaks HTTP,
//! `pool` keeps idle connections, `error` classifies failures, `stopwatch` measures the phases, `headers` keeps the headers of responses,
//! and `picture` fetches pictures of adverts with the same checks.
//!
//! Each attempt is bounded in time and bytes, whatever the receiver does, and one receiver does not affect the
//! others.

mod address;
mod connect;
mod connection;
mod error;
mod headers;
mod own_address;
mod picture;
mod pool;
mod resolve;
mod socket;
mod stopwatch;
mod target;
mod tls;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::{CertificateFault, Endpoint, Fault, Outcome};
use hickory_resolver::net::NetError;
use http::header::{ACCEPT_ENCODING, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use http::{Method, Request, Response, Uri, Version};
use http_body_util::Full;
use hyper::body::Incoming;
use rustls::pki_types::pem;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;

pub use address::AddressPolicy;
pub use own_address::Interfaces;
pub use picture::{PICTURE_BYTES_MAX, Picture, PictureError};
pub use pool::KeepAlive;
pub use resolve::Dns;
pub use target::{AllowedPorts, Host, IpLiterals, TargetError};

use crate::message::{AttemptResult, Reach, SequenceHeaders, WebhookMessage};
use crate::signature;
use address::AddressCheck;
use connection::{BodyEnd, Connection};
use error::SendError;
use own_address::OwnAddresses;
use pool::Pool;
use resolve::Resolver;
use socket::{ReadBudget, Socket};
use stopwatch::{Phase, Stopwatch};
use target::{HostAddress, Target, TargetPolicy};

/// Sequence headers. They are not signed; the property data in the body is.
const SEQUENCE_HEADER: HeaderName = HeaderName::from_static("x-sequence");
const VERSION_HEADER: HeaderName = HeaderName::from_static("x-property-version");

/// Time limit for the body after the head. The body does not affect the outcome.
const BODY_WAIT_MAX: Duration = Duration::from_secs(2);

/// Maximum bytes read during a handshake. Certificate chains have a few kilobytes.
const HANDSHAKE_BYTES_MAX: usize = 128 * 1_024;

/// Settings of the webhook sender.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Source address of connections, so that receivers can allow it. Receivers of the other IP version become
    /// unreachable.
    pub source_address: Option<IpAddr>,
    /// CA certificates trusted in addition to those of the system.
    pub extra_ca_pem: Option<Vec<u8>>,
    /// With [`AddressPolicy::DangerAllowPrivate`], every port, IP literals and the addresses of this machine are allowed
    /// as well, whatever the next three say.
    pub addresses: AddressPolicy,
    pub ports: AllowedPorts,
    pub ip_literals: IpLiterals,
    /// The addresses of this machine, which are refused.
    pub interfaces: Interfaces,
    pub success: Success,
    pub dns: Dns,
    pub deadlines: Deadlines,
    pub keep_alive: KeepAlive,
    pub user_agent: String,
}

/// Which status codes count as success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Success {
    #[default]
    Only200,
    Any2xx,
}

/// Time limits of each phase of an attempt, and of the whole attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    pub dns: Duration,
    pub connect: Duration,
    pub tls: Duration,
    /// From name resolution to the last byte of the response.
    pub total: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            dns: Duration::from_secs(3),
            connect: Duration::from_secs(5),
            tls: Duration::from_secs(5),
            total: Duration::from_secs(15),
        }
    }
}

/// Invalid settings.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("the file of additional CA certificates is not valid PEM")]
    Pem(#[source] pem::Error),
    #[error("the file of additional CA certificates contains no certificate")]
    NoCertificate,
    #[error("the file of additional CA certificates contains an unusable certificate")]
    Certificate(#[source] rustls::Error),
    #[error("failed to set up TLS")]
    Tls(#[source] rustls::Error),
    #[error("failed to set up the DNS resolver")]
    Resolver(#[source] NetError),
    #[error("the user agent contains characters that are invalid in a header")]
    UserAgent,
    #[error("cannot bind to the source address {address}: is it an address of this machine?")]
    SourceAddress { address: IpAddr, source: io::Error },
    #[error("cannot list the network interfaces of this machine; does a sandbox forbid netlink sockets?")]
    Interfaces(#[source] io::Error),
}

/// Sends webhooks. Shared by all senders.
pub struct Webhooks {
    policy: TargetPolicy,
    success: Success,
    source_address: Option<IpAddr>,
    deadlines: Deadlines,
    keep_alive: KeepAlive,
    resolver: Resolver,
    tls: TlsConnector,
    pool: Arc<Pool>,
    /// Headers common to all requests.
    headers: HeaderMap,
}

impl Webhooks {
    pub fn new(settings: Settings) -> Result<Self, SetupError> {
        let Settings {
            source_address,
            extra_ca_pem,
            addresses,
            ports,
            ip_literals,
            interfaces,
            success,
            dns,
            deadlines,
            keep_alive,
            user_agent,
        } = settings;
        let (ports, ip_literals, interfaces) = match addresses {
            AddressPolicy::PublicOnly => (ports, ip_literals, interfaces),
            AddressPolicy::DangerAllowPrivate => {
                (AllowedPorts::Any, IpLiterals::Allowed, Interfaces::Fixed(Vec::new()))
            }
        };
        let own = OwnAddresses::new(interfaces).map_err(SetupError::Interfaces)?;
        let check = AddressCheck { policy: addresses, own };
        if let Some(address) = source_address {
            // Fail at startup rather than at every attempt.
            connect::check_source(address).map_err(|source| SetupError::SourceAddress { address, source })?;
        }
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // Responses are never decompressed, so that a small one cannot become large.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        headers.insert(USER_AGENT, HeaderValue::try_from(user_agent).map_err(|_| SetupError::UserAgent)?);
        Ok(Self {
            policy: TargetPolicy { addresses: check, ports, ip_literals },
            success,
            source_address,
            deadlines,
            keep_alive,
            resolver: Resolver::new(&dns, addresses).map_err(SetupError::Resolver)?,
            tls: TlsConnector::from(Arc::new(tls::client(extra_ca_pem.as_deref())?)),
            pool: Arc::default(),
            headers,
        })
    }

    /// Checks whether webhooks may be sent to an endpoint, without network access. Returns its host.
    pub fn check(&self, endpoint: &Endpoint) -> Result<Host, TargetError> {
        Target::check(endpoint, &self.policy).map(|target| target.host)
    }

    /// Makes one attempt. Redirects are not followed: they count as a failed status.
    pub async fn send(&self, message: &WebhookMessage) -> AttemptResult {
        let started = Instant::now();
        let deadline = started + self.deadlines.total;
        let mut excerpt = Vec::new();
        let mut headers = Vec::new();
        let mut failure = None;
        let mut stopwatch = Stopwatch::default();
        let attempted = self.attempt(message, deadline, &mut stopwatch).await;
        let timings = stopwatch.finish();
        let (outcome, status) = match attempted {
            Err(failed) => {
                failure = Some(failed);
                (Outcome::Failed(failed.fault), None)
            }
            Ok(pending) => {
                let status = pending.response.status();
                let is_success = match self.success {
                    Success::Only200 => status.as_u16() == 200,
                    Success::Any2xx => status.is_success(),
                };
                headers = headers::excerpt(pending.response.headers());
                // The status decides. The body no longer matters.
                self.finish(pending, deadline, &mut excerpt).await;
                let outcome = if is_success { Outcome::Delivered } else { Outcome::Failed(Fault::Status) };
                (outcome, Some(status.as_u16()))
            }
        };
        let certificate = failure.and_then(|failure| failure.certificate);
        let reach = failure.map_or(Reach::Connected, |failure| failure.reach);
        let took = started.elapsed();
        AttemptResult { outcome, status, took, excerpt, headers, timings, certificate, reach }
    }

    async fn attempt(
        &self,
        message: &WebhookMessage,
        deadline: Instant,
        stopwatch: &mut Stopwatch,
    ) -> Result<PendingResponse, Failure> {
        let refused = |_| Failure::not_connected(Fault::Refused);
        let target = Target::check(&message.endpoint, &self.policy).map_err(refused)?;
        let headers = self.signed_headers(message)?;
        let response =
            timeout_at(deadline, self.send_request(target, &headers, &message.body, stopwatch)).await;
        // Resolving and connecting have shorter deadlines of their own, so a connection was open by then.
        response.unwrap_or_else(|_| Err(Fault::Timeout.into()))
    }

    /// Sends the request over an idle connection, or over a new one.
    async fn send_request(
        &self,
        target: Target,
        headers: &HeaderMap,
        body: &Bytes,
        stopwatch: &mut Stopwatch,
    ) -> Result<PendingResponse, Failure> {
        while let Some(mut connection) = self.pool.take(&target.host) {
            if !connection.is_alive().await {
                continue;
            }
            let request = request(&target, connection.version(), headers, body);
            stopwatch.start(Phase::FirstByte);
            match connection.send(request).await {
                Ok(response) => return Ok(PendingResponse { target, connection, response }),
                // The connection was closed while idle and the receiver did not process the request: this does not
                // count as an attempt.
                Err(SendError::NotProcessed(_)) => stopwatch.discard(),
                Err(SendError::Failed(fault)) => return Err(fault.into()),
            }
        }
        let mut connection = self.connect(&target, stopwatch).await?;
        let request = request(&target, connection.version(), headers, body);
        stopwatch.start(Phase::FirstByte);
        match connection.send(request).await {
            Ok(response) => Ok(PendingResponse { target, connection, response }),
            Err(error) => Err(error.fault().into()),
        }
    }

    async fn connect(&self, target: &Target, stopwatch: &mut Stopwatch) -> Result<Connection, Failure> {
        let Deadlines { dns, connect, tls, total: _ } = self.deadlines;
        let check = &self.policy.addresses;
        let opening = async {
            let addresses = match &target.address {
                HostAddress::Ip(address) => vec![*address],
                HostAddress::Name(name) => {
                    stopwatch.start(Phase::Name);
                    within(dns, self.resolver.resolve(name, check)).await?
                }
            };
            let targets: Vec<SocketAddr> =
                addresses.into_iter().map(|address| (address, target.port).into()).collect();
            stopwatch.start(Phase::Connect);
            within(connect, connect::connect(&targets, self.source_address, check)).await
        };
        let stream = opening.await.map_err(Failure::not_connected)?;
        stopwatch.start(Phase::Tls);
        let budget = ReadBudget::new(HANDSHAKE_BYTES_MAX);
        let socket = Socket::new(stream, Arc::clone(&budget));
        let handshake = async {
            self.tls.connect(target.server_name.clone(), socket).await.map_err(|error| Failure {
                fault: error::fault_of_io(&error),
                certificate: tls::certificate_fault(&error),
                reach: Reach::Connected,
            })
        };
        let stream = timeout(tls, handshake).await.unwrap_or_else(|_| Err(Fault::Timeout.into()))?;
        Ok(Connection::new(stream, budget).await?)
    }

    /// Reads the rest of the response, so that the connection can be reused.
    async fn finish(&self, pending: PendingResponse, deadline: Instant, excerpt: &mut Vec<u8>) {
        let PendingResponse { target, mut connection, response } = pending;
        let announced_idle = connection::announced_idle(response.headers());
        let body_deadline = deadline.min(Instant::now() + BODY_WAIT_MAX);
        let end = timeout_at(body_deadline, connection.read(response.into_body(), excerpt)).await;
        let Some(until) = self.keep_alive.until(connection.opened_at(), Instant::now(), announced_idle)
        else {
            return;
        };
        if end == Ok(BodyEnd::Complete) && connection.is_ready().await {
            self.pool.put(&target.host, connection, until);
        }
    }

    /// Returns the headers of a message: those of Standard Webhooks and the sequence headers.
    fn signed_headers(&self, message: &WebhookMessage) -> Result<HeaderMap, Fault> {
        let id = message.id.to_string();
        let timestamp = message.at.as_second();
        let signatures = signature::header(&message.secrets, &id, timestamp, &message.body);
        let mut headers = self.headers.clone();
        headers.reserve(6);
        if let Some(SequenceHeaders { sequence, property_version }) = message.order {
            headers.insert(SEQUENCE_HEADER, sequence.into());
            headers.insert(VERSION_HEADER, property_version.into());
        }
        for (name, text) in [
            (HeaderName::from_static(signature::ID_HEADER), id),
            (HeaderName::from_static(signature::TIMESTAMP_HEADER), timestamp.to_string()),
            (HeaderName::from_static(signature::SIGNATURE_HEADER), signatures),
        ] {
            // Hexadecimal, digits and base64 are valid in a header.
            headers.insert(name, HeaderValue::try_from(text).map_err(|_| Fault::Protocol)?);
        }
        Ok(headers)
    }
}

/// Why an attempt got no response.
#[derive(Debug, Clone, Copy)]
struct Failure {
    fault: Fault,
    certificate: Option<CertificateFault>,
    reach: Reach,
}

impl Failure {
    fn not_connected(fault: Fault) -> Self {
        Self { fault, certificate: None, reach: Reach::NotConnected }
    }
}

impl From<Fault> for Failure {
    /// A failure after the connection was opened.
    fn from(fault: Fault) -> Self {
        Self { fault, certificate: None, reach: Reach::Connected }
    }
}

/// A response whose body is not read yet.
struct PendingResponse {
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
