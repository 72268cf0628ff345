//! The HTTP client of object storage: one connection per request, over the TLS stack of the service.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream;
use http::header::{self, HeaderValue};
use http::uri::{PathAndQuery, Uri};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
    HttpService,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_util::task::TaskTracker;

use crate::endpoint::{self, S3Settings};
use crate::error::Error;

/// How long a connection may take to be established.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// How long a request may take until its response begins: a part of an upload on a slow line.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(600);

/// The longest pause within a response.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// Opens connections for `object_store`.
#[derive(Clone)]
pub(crate) struct Connector {
    tls: TlsConnector,
    /// Says whether plain HTTP to other machines is allowed. What `object_store` wants does not count.
    settings: S3Settings,
    /// The tasks that drive connections. Each ends with its connection.
    connections: TaskTracker,
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connector")
    }
}

impl Connector {
    /// Trusts the certificate authorities of the system, and those of the settings.
    pub fn new(settings: &S3Settings) -> Result<Self, Error> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        for certificate in
            settings.extra_ca_pem.as_deref().map(CertificateDer::pem_slice_iter).into_iter().flatten()
        {
            let certificate = certificate.map_err(|_| Error::Certificates)?;
            roots.add(certificate).map_err(Error::Tls)?;
        }
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(Error::Tls)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let tls = TlsConnector::from(Arc::new(config));
        Ok(Self { tls, settings: settings.clone(), connections: TaskTracker::new() })
    }
}

impl HttpConnector for Connector {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait]
impl HttpService for Connector {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let connect = self.connect_to(request.uri());
        let (stream, authority) = within(CONNECT_TIMEOUT, HttpErrorKind::Connect, connect).await?;
        let exchange = self.exchange(stream, to_origin(request, &authority)?);
        within(RESPONSE_TIMEOUT, HttpErrorKind::Timeout, exchange).await
    }
}

/// A connection, with or without TLS.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Connector {
    async fn connect_to(&self, uri: &Uri) -> Result<(Box<dyn Stream>, String), HttpError> {
        let failed = |error: io::Error| HttpError::new(HttpErrorKind::Connect, error);
        let missing = || failed(io::Error::other("the address has no host"));
        let authority = uri.authority().ok_or_else(missing)?;
        let checked = endpoint::check(uri, &self.settings);
        let is_plain = checked.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        // The brackets of an IPv6 address belong to the URL only.
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = authority.port_u16().unwrap_or(if is_plain { 80 } else { 443 });
        let socket = TcpStream::connect((host.as_str(), port)).await.map_err(failed)?;
        let stream: Box<dyn Stream> = if is_plain {
            Box::new(socket)
        } else {
            let name = ServerName::try_from(host).map_err(|error| failed(io::Error::other(error)))?;
            Box::new(self.tls.connect(name, socket).await.map_err(failed)?)
        };
        Ok((stream, authority.to_string()))
    }

    async fn exchange(
        &self,
        stream: Box<dyn Stream>,
        request: HttpRequest,
    ) -> Result<HttpResponse, HttpError> {
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(failed)?;
        // An error of the connection is one of the exchange, too. The task ends when the sender and the body are dropped.
        self.connections.spawn(async { drop(connection.await) });
        let response = sender.send_request(request).await.map_err(failed)?;
        Ok(response.map(with_read_timeout))
    }
}

/// Makes a request for a proxy one for its origin: a path, and the host in a header.
fn to_origin(mut request: HttpRequest, authority: &str) -> Result<HttpRequest, HttpError> {
    let invalid = |error: http::Error| HttpError::new(HttpErrorKind::Unknown, error);
    let host = HeaderValue::from_str(authority).map_err(|error| invalid(error.into()))?;
    request.headers_mut().insert(header::HOST, host);
    let path = request.uri().path_and_query().cloned().unwrap_or(PathAndQuery::from_static("/"));
    *request.uri_mut() = Uri::from(path);
    Ok(request)
}

/// Ends a response whose server pauses for too long.
fn with_read_timeout(body: Incoming) -> HttpResponseBody {
    let frames = stream::try_unfold(body, |mut body| async move {
        let frame = async { body.frame().await.transpose().map_err(failed) };
        let frame = within(READ_TIMEOUT, HttpErrorKind::Timeout, frame).await?;
        Ok(frame.map(|frame| (frame, body)))
    });
    HttpResponseBody::new(StreamBody::new(frames))
}

async fn within<T>(
    limit: Duration,
    kind: HttpErrorKind,
    work: impl Future<Output = Result<T, HttpError>>,
) -> Result<T, HttpError> {
    match tokio::time::timeout(limit, work).await {
        Ok(result) => result,
        Err(elapsed) => Err(HttpError::new(kind, elapsed)),
    }
}

fn failed(error: hyper::Error) -> HttpError {
    let is_cut = error.is_closed() || error.is_incomplete_message() || error.is_body_write_aborted();
    let kind = if is_cut { HttpErrorKind::Interrupted } else { HttpErrorKind::Request };
    HttpError::new(kind, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn no_address_is_connected_to_without_tls_unless_that_is_allowed() {
        let connector = Connector::new(&S3Settings::of("backup")).unwrap();
        for refused in ["http://storage.example/market", "HTTP://storage.example", "ftp://127.0.0.1"] {
            let uri: Uri = refused.parse().unwrap();
            let Err(error) = connector.connect_to(&uri).await else { panic!("{refused} was connected to") };
            assert_eq!(error.kind(), HttpErrorKind::Unknown, "not tried again: {error:?}");
        }
    }
}
