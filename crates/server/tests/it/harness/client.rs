//! A small HTTP client over a bare socket: it sends exactly what a test says, right or wrong, and hides nothing of the answer.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// No answer takes this long; a test that would wait for ever fails instead.
const PATIENCE: Duration = Duration::from_secs(60);

/// A request, still to be sent.
pub struct Request {
    head: String,
    body: Vec<u8>,
}

impl Request {
    /// The sender names the request, so that no id is drawn for it and ids of adverts stay predictable.
    pub fn new(method: &str, path: &str) -> Self {
        Self::unnamed(method, path).header("X-Request-Id", "test")
    }

    pub fn unnamed(method: &str, path: &str) -> Self {
        Self { head: format!("{method} {path} HTTP/1.1\r\nHost: vigie.test\r\n"), body: Vec::new() }
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

    /// A body with its length and type.
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

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// A header that must not come twice.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "header {name} came twice");
        value
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }

    /// The body of an answer that must be a success.
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text());
        self.json()
    }

    /// The description of an answer that must be an error of this status and of the decided shape.
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

    /// The paths of the violations of a refusal, which must be of this status.
    pub fn violations(&self, status: u16) -> Vec<String> {
        self.problem(status);
        let body = self.json();
        let path = |violation: &Value| violation["propertyPath"].as_str().unwrap().to_owned();
        body["violations"].as_array().unwrap().iter().map(path).collect()
    }
}

/// One request on a connection of its own.
pub async fn exchange(address: SocketAddr, request: &Request) -> Answer {
    let mut connection = Connection::open(address).await;
    // A server may answer and close before it has read everything; the answer counts then.
    let _ = connection.socket.get_mut().write_all(&request.bytes()).await;
    connection.answer().await
}

/// A connection that sends and receives piece by piece.
pub struct Connection {
    socket: BufReader<TcpStream>,
}

impl Connection {
    pub async fn open(address: SocketAddr) -> Self {
        Self { socket: BufReader::new(TcpStream::connect(address).await.unwrap()) }
    }

    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.socket.get_mut().write_all(bytes.as_ref()).await.unwrap();
    }

    /// Sends a piece of a chunked body.
    pub async fn send_chunk(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        self.send([format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()).await;
    }

    /// Says that nothing more will be sent, while still listening.
    pub async fn finish_sending(&mut self) {
        self.socket.get_mut().shutdown().await.unwrap();
    }

    /// The whole next answer.
    pub async fn answer(&mut self) -> Answer {
        let mut answer = self.head().await.expect("an answer");
        if let Some(length) = answer.header("content-length") {
            answer.body = vec![0; length.parse().unwrap()];
            patiently(self.socket.read_exact(&mut answer.body)).await.unwrap();
        } else if answer.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk().await {
                answer.body.extend(chunk);
            }
        } else if answer.status != 204 {
            patiently(self.socket.read_to_end(&mut answer.body)).await.unwrap();
        }
        answer
    }

    /// Status and headers of the next answer; nothing when the server has closed the connection.
    pub async fn head(&mut self) -> Option<Answer> {
        let line = self.line().await?;
        let status = line.split(' ').nth(1).unwrap().parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = self.line().await.expect("the rest of the headers");
            let Some((name, value)) = line.split_once(": ") else { break };
            headers.push((name.to_owned(), value.to_owned()));
        }
        Some(Answer { status, headers, body: Vec::new() })
    }

    /// The next piece of a chunked body; nothing at its end.
    pub async fn chunk(&mut self) -> Option<Vec<u8>> {
        let size = self.line().await.expect("a chunk");
        let mut chunk = vec![0; usize::from_str_radix(&size, 16).unwrap() + 2];
        patiently(self.socket.read_exact(&mut chunk)).await.unwrap();
        chunk.truncate(chunk.len() - 2);
        if chunk.is_empty() { None } else { Some(chunk) }
    }

    /// Waits until the server closes the connection; answers with what it still sent.
    pub async fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        // A reset is a close as well.
        let _ = patiently(self.socket.read_to_end(&mut rest)).await;
        rest
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        patiently(self.socket.read_line(&mut line)).await.ok()?;
        if line.is_empty() { None } else { Some(line.trim_end().to_owned()) }
    }
}

pub async fn patiently<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work).await.expect("the server to do something")
}
