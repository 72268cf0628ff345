//! A minimal client that shows exactly what was sent.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::receiver::authority::provider;
use crate::receiver::{Authority, Protocols, Receiver};

/// If nothing arrives in this time, nothing will. On a slow machine a test passes wrongly rather than fails.
const SILENCE: Duration = Duration::from_millis(100);

pub struct Client {
    pub stream: TlsStream<TcpStream>,
    buffer: Vec<u8>,
}

impl Client {
    pub async fn connect(authority: &Authority, receiver: &Receiver) -> io::Result<Self> {
        Self::connect_to(authority, receiver.address()).await
    }

    pub async fn connect_to(authority: &Authority, address: SocketAddr) -> io::Result<Self> {
        Self::connect_with(authority, address, Protocols::Http1).await
    }

    pub async fn connect_with(
        authority: &Authority,
        address: SocketAddr,
        protocols: Protocols,
    ) -> io::Result<Self> {
        let mut config = ClientConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(authority.roots())
            .with_no_client_auth();
        config.alpn_protocols = protocols.names().iter().map(|name| name.to_vec()).collect();
        let name = ServerName::IpAddress(address.ip().into());
        let socket = TcpStream::connect(address).await?;
        let stream = TlsConnector::from(Arc::new(config)).connect(name, socket).await?;
        Ok(Self { stream, buffer: Vec::new() })
    }

    pub async fn send(&mut self, request: &str) {
        // A fault may have closed the connection already; reading shows it.
        let _ = self.stream.write_all(request.as_bytes()).await;
        let _ = self.stream.flush().await;
    }

    /// Reads to the end. Returns the text, and the error unless the end was a close_notify.
    pub async fn read_to_end(&mut self) -> (String, Option<ErrorKind>) {
        let end = self.stream.read_to_end(&mut self.buffer).await.err().map(|error| error.kind());
        (String::from_utf8_lossy(&self.buffer).into_owned(), end)
    }

    /// Returns whether nothing arrives and the connection stays open.
    pub async fn is_silent(&mut self) -> bool {
        tokio::time::timeout(SILENCE, self.stream.read_u8()).await.is_err()
    }

    /// Reads exactly this many bytes.
    pub async fn read(&mut self, bytes: usize) -> String {
        let mut read = vec![0; bytes];
        self.stream.read_exact(&mut read).await.unwrap();
        String::from_utf8_lossy(&read).into_owned()
    }

    /// Discards unread bytes.
    pub fn discard(&mut self) {
        self.buffer.clear();
    }
}

pub fn post(path: &str, id: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nwebhook-id: {id}\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

/// Reads the next response head and returns its status line.
pub async fn read_answer(client: &mut Client) -> String {
    let end = loop {
        if let Some(end) = client.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        assert_ne!(
            client.stream.read_buf(&mut client.buffer).await.unwrap(),
            0,
            "the connection closed before a response"
        );
    };
    let head: Vec<u8> = client.buffer.drain(..end).collect();
    String::from_utf8_lossy(&head).lines().next().unwrap_or_default().to_owned()
}
