//! A small HTTP client over a bare socket. It sends exactly what a test specifies, valid or not, and shows the whole response.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};

use super::described;

/// A test fails if a response takes longer than this.
const TIMEOUT: Duration = Duration::from_secs(300);

/// A request to be sent.
pub struct Request {
    head: String,
    body: Vec<u8>,
}

impl Request {
    /// Sets a request id, so that the server does not use one of its sequential ids: those of adverts stay predictable.
    pub fn new(method: &str, path: &str) -> Self {
        Self::unnamed(method, path).header("X-Request-Id", "test")
    }

    pub fn unnamed(method: &str, path: &str) -> Self {
        Self::to("vigie.test", method, path)
    }

    /// For servers that check the host.
    pub fn to(host: &str, method: &str, path: &str) -> Self {
        Self { head: format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n"), body: Vec::new() }
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.head.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    pub fn key(self, key: &str) -> Self {
        self.header("X-API-KEY", key)
    }

    pub fn json(self, body: &Value) -> Self {
        self.body("application/json", serde_json::to_vec(body).unwrap())
    }

    /// Adds a body with its type and length.
    pub fn body(self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        let request = self.header("Content-Type", content_type);
        Self { body, ..request }.with_length()
    }

    fn with_length(self) -> Self {
        let length = self.body.len().to_string();
        self.header("Content-Length", &length)
    }

    pub fn bytes(&self) -> Vec<u8> {
        [self.head.as_bytes(), b"\r\n", &self.body].concat()
    }
}

/// A response.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    /// Returns a header, which must not occur twice.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "header {name} occurs twice");
        value
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }

    /// Returns the body of a response that must be a success.
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text());
        self.json()
    }

    /// Returns the description of an error response, which must have this status and the standard shape.
    pub fn problem(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.text());
        let body = self.json();
        let plain = ["@context", "@type", "hydra:title", "hydra:description"];
        let mut keys = plain.to_vec();
        keys.extend(body.get("violations").map(|_| "violations"));
        keys.extend(["type", "title", "status", "detail"]);
        let mut found: Vec<&String> = body.as_object().unwrap().keys().collect();
        found.sort();
        keys.sort_unstable();
        assert_eq!(found, keys);
        let (context, kind) = match status {
            422 => ("/contexts/ConstraintViolationList", "ConstraintViolationList"),
            _ => ("/contexts/Error", "hydra:Error"),
        };
        assert_eq!((&body["@context"], &body["@type"]), (&context.into(), &kind.into()));
        assert_eq!((&body["status"], &body["type"]), (&status.into(), &format!("/errors/{status}").into()));
        assert_eq!(
            (&body["title"], &body["hydra:title"]),
            (&body["hydra:title"], &"An error occurred".into())
        );
        assert_eq!(body["hydra:description"], body["detail"]);
        for violation in body["violations"].as_array().into_iter().flatten() {
            for member in ["propertyPath", "message", "code"] {
                assert!(violation[member].is_string(), "{violation}");
            }
        }
        body["detail"].as_str().unwrap().to_owned()
    }

    /// Returns the paths of the violations in an error response, which must have this status.
    pub fn violations(&self, status: u16) -> Vec<String> {
        self.problem(status);
        let body = self.json();
        let path = |violation: &Value| violation["propertyPath"].as_str().unwrap().to_owned();
        body["violations"].as_array().unwrap().iter().map(path).collect()
    }
}

/// Sends one request on its own connection.
pub async fn exchange(address: SocketAddr, request: &Request) -> Response {
    let mut connection = Connection::open(address).await;
    // The server may respond and close before it has read everything; then the response counts.
    let _ = connection.socket.get_mut().write_all(&request.bytes()).await;
    let response = connection.response().await;
    described::assert_described(&request.head, &response);
    response
}

/// A connection that sends and receives in pieces.
pub struct Connection {
    socket: BufReader<TcpStream>,
}

impl Connection {
    pub async fn open(address: SocketAddr) -> Self {
        Self { socket: BufReader::new(TcpStream::connect(address).await.unwrap()) }
    }

    /// Connects from another address of this machine, such as 127.0.0.2.
    pub async fn open_from(local: IpAddr, address: SocketAddr) -> std::io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(local, 0))?;
        Ok(Self { socket: BufReader::new(socket.connect(address).await?) })
    }

    /// Reads a few bytes. `None` at the end, or if the connection was reset.
    pub async fn read_some(&mut self, bytes_max: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; bytes_max];
        let count = with_timeout(self.socket.read(&mut bytes)).await.ok().filter(|count| *count > 0)?;
        bytes.truncate(count);
        Some(bytes)
    }

    /// Sends bytes. Returns `false` if the server has closed the connection.
    pub async fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        with_timeout(self.socket.get_mut().write_all(bytes.as_ref())).await.is_ok()
    }

    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.socket.get_mut().write_all(bytes.as_ref()).await.unwrap();
    }

    /// Sends one chunk of a chunked body.
    pub async fn send_chunk(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        self.send([format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()).await;
    }

    /// Closes the sending half of the connection.
    pub async fn finish_sending(&mut self) {
        self.socket.get_mut().shutdown().await.unwrap();
    }

    /// Reads the next response completely.
    pub async fn response(&mut self) -> Response {
        let mut response = self.head().await.expect("an answer");
        if let Some(length) = response.header("content-length") {
            response.body = vec![0; length.parse().unwrap()];
            with_timeout(self.socket.read_exact(&mut response.body)).await.unwrap();
        } else if response.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk().await {
                response.body.extend(chunk);
            }
        } else if response.status != 204 {
            with_timeout(self.socket.read_to_end(&mut response.body)).await.unwrap();
        }
        response
    }

    /// Reads the status and headers of the next response; `None` if the server closed the connection.
    pub async fn head(&mut self) -> Option<Response> {
        let line = self.line().await?;
        let status = line.split(' ').nth(1).unwrap().parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = self.line().await.expect("the rest of the headers");
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
        Some(Response { status, headers, body: Vec::new() })
    }

    /// Reads the next chunk of a chunked body; `None` at its end.
    pub async fn chunk(&mut self) -> Option<Vec<u8>> {
        let size = self.line().await.expect("a chunk");
        let mut chunk = vec![0; usize::from_str_radix(&size, 16).unwrap() + 2];
        with_timeout(self.socket.read_exact(&mut chunk)).await.unwrap();
        chunk.truncate(chunk.len() - 2);
        if chunk.is_empty() { None } else { Some(chunk) }
    }

    /// Waits until the server closes the connection. Returns what it sent until then.
    pub async fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        // A reset counts as a close.
        let _ = with_timeout(self.socket.read_to_end(&mut rest)).await;
        rest
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        with_timeout(self.socket.read_line(&mut line)).await.ok()?;
        if line.is_empty() { None } else { Some(line.trim_end().to_owned()) }
    }
}

pub async fn with_timeout<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(TIMEOUT, work).await.expect("timed out waiting for the server")
}
