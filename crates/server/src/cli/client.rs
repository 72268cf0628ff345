//! The client of commands that call a running server over its HTTP API.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use app::access::KeyText;
use clap::Args;
use http::header;
use http::uri::{Authority, Scheme};
use http::{HeaderValue, Request, Response, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::mcp::api::{ANSWER_BYTES_MAX, Answer, Api, ApiError, Call, answer, request};

/// Limit on one call. A preview of a large market takes some seconds.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The server to call, and the key to call it with.
#[derive(Debug, Args)]
pub struct ClientArgs {
    /// Address of the server
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    url: String,
    /// File that holds the API key; without it, the key is taken from VIGIE_API_KEY
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl ClientArgs {
    pub fn client(&self) -> anyhow::Result<ApiClient> {
        // Not an option of its own: arguments are visible to all users of the machine.
        let key = match &self.key_file {
            Some(path) => std::fs::read_to_string(path)
                .with_context(|| format!("cannot read the key file {}", path.display()))?,
            None => std::env::var("VIGIE_API_KEY")
                .ok()
                .context("no API key: set VIGIE_API_KEY, or name a file with --key-file")?,
        };
        if key.trim().is_empty() {
            match &self.key_file {
                Some(path) => bail!("the key file {} is empty", path.display()),
                None => bail!(
                    "VIGIE_API_KEY is set but empty: set it to an API key, or name a file with --key-file"
                ),
            }
        }
        let Some(key) = KeyText::parse(&key) else {
            bail!("the API key is malformed; a key is vigie_ and 60 more characters");
        };
        let mut key = HeaderValue::from_str(&key.reveal())?;
        key.set_sensitive(true);
        Ok(ApiClient { server: Server::parse(&self.url)?, key })
    }
}

/// Calls a server over HTTP, one connection per call.
pub struct ApiClient {
    server: Server,
    key: HeaderValue,
}

impl Api for ApiClient {
    async fn call(&self, mut call: Call) -> Result<Answer, ApiError> {
        call.target = format!("{}{}", self.server.prefix, call.target);
        let response = self.server.send(request(&call, &self.key)?.map(Bytes::from)).await?;
        let (head, body) = response.into_parts();
        answer(&head, &body)
    }
}

/// The address of a server: scheme, host and port, and the beginning of all paths.
#[derive(Clone)]
pub struct Server {
    authority: Authority,
    port: u16,
    prefix: String,
    /// Path and query of the URL.
    target: String,
    /// `None` for plain HTTP.
    tls: Option<TlsConnector>,
}

impl Server {
    pub fn parse(url: &str) -> anyhow::Result<Self> {
        let uri: Uri = url.parse().with_context(|| format!("\"{url}\" is not a URL"))?;
        let parts = uri.into_parts();
        let (Some(scheme), Some(authority)) = (parts.scheme, parts.authority) else {
            bail!("\"{url}\" is not a URL such as http://127.0.0.1:8080");
        };
        let is_https = scheme == Scheme::HTTPS;
        if !is_https && scheme != Scheme::HTTP {
            bail!("\"{url}\" must begin with http:// or https://");
        }
        let port = authority.port_u16().unwrap_or(if is_https { 443 } else { 80 });
        let path = parts.path_and_query;
        let prefix = path.as_ref().map_or("", |path| path.path()).trim_end_matches('/').to_owned();
        let target = path.map_or("/".to_owned(), |path| path.to_string());
        let tls = if is_https { Some(connector()?) } else { None };
        Ok(Self { authority, port, prefix, target, tls })
    }

    /// Returns the path and query of the URL.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Sends a request whose URI is a path, and reads the whole response.
    pub async fn send(&self, mut request: Request<Bytes>) -> Result<Response<Bytes>, ApiError> {
        let host = HeaderValue::from_str(self.authority.as_str())
            .map_err(|error| ApiError::Request(error.into()))?;
        request.headers_mut().insert(header::HOST, host);
        let exchange = async {
            let failed = |error| ApiError::Connect(self.authority.to_string(), error);
            // The brackets of an IPv6 address belong to the URL only.
            let host = self.authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
            let socket = TcpStream::connect((host.as_str(), self.port)).await.map_err(failed)?;
            match &self.tls {
                None => exchange(socket, request).await,
                Some(tls) => {
                    let name =
                        ServerName::try_from(host).map_err(|error| failed(std::io::Error::other(error)))?;
                    exchange(tls.connect(name, socket).await.map_err(failed)?, request).await
                }
            }
        };
        tokio::time::timeout(TIMEOUT, exchange).await.map_err(|_elapsed| ApiError::Timeout(TIMEOUT))?
    }
}

/// Trusts the CA certificates of the system.
fn connector() -> anyhow::Result<TlsConnector> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    request: Request<Bytes>,
) -> Result<Response<Bytes>, ApiError> {
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(ApiError::Connection)?;
    let exchange = async move {
        let response = sender.send_request(request.map(Full::new)).await.map_err(ApiError::Connection)?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await.map_err(ApiError::Body)?;
        Ok(Response::from_parts(head, body.to_bytes()))
    };
    // The exchange drops its sender, which ends the connection. An error of the connection is one of the exchange, too.
    let (response, _) = tokio::join!(exchange, connection);
    response
}
