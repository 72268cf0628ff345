//! A minimal HTTP client that notices a kill at the byte where it happens.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::{Value, json};

pub struct Connection {
    socket: BufReader<TcpStream>,
    /// Whether the server may answer 503, which is an error like a lost connection.
    may_be_unavailable: bool,
    /// Receipts that arrived together with an earlier one.
    pending: Vec<u8>,
}

impl Connection {
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let socket = BufReader::new(TcpStream::connect(address)?);
        Ok(Self { socket, may_be_unavailable: false, pending: Vec::new() })
    }

    /// Takes 503 for an error of the connection: the outcome of the request is not known.
    pub fn tolerate_unavailable(&mut self) {
        self.may_be_unavailable = true;
    }

    fn check_available(&self, status: u16) -> io::Result<()> {
        if status == 503 && self.may_be_unavailable {
            Err(io::ErrorKind::ConnectionAborted.into())
        } else {
            Ok(())
        }
    }

    pub fn get(&mut self, key: &str, path: &str) -> io::Result<Value> {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: {key}\r\n\r\n").as_bytes())?;
        self.response()
    }

    pub fn post(&mut self, key: &str, body: &Value) -> io::Result<Value> {
        let body = body.to_string();
        let head =
            format!("{}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n", head(key), body.len());
        self.send(&[head.as_bytes(), body.as_bytes()].concat())?;
        self.response()
    }

    pub fn begin_lines(&mut self, key: &str) -> io::Result<()> {
        let kind = "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n";
        self.send(format!("{}{kind}", head(key)).as_bytes())?;
        self.head().map(drop)
    }

    pub fn send_chunk(&mut self, text: &str) -> io::Result<()> {
        self.send(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())
    }

    pub fn receipt(&mut self) -> io::Result<Value> {
        loop {
            if let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.pending.drain(..=end).collect();
                let receipt: Value = serde_json::from_slice(&line).unwrap();
                self.check_available(if receipt["status"] == 503 { 503 } else { 200 })?;
                return Ok(receipt);
            }
            let chunk = self.chunk()?;
            assert!(!chunk.is_empty(), "the stream ended before all receipts arrived");
            self.pending.extend(chunk);
        }
    }

    pub fn end_lines(&mut self) -> io::Result<()> {
        self.send(b"0\r\n\r\n")?;
        assert_eq!((self.chunk()?.len(), self.pending.len()), (0, 0));
        Ok(())
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.socket.get_mut().write_all(bytes)
    }

    /// Sends a request and returns the status and body of the response.
    pub fn request(
        &mut self,
        method: &str,
        key: &str,
        path: &str,
        body: Option<&Value>,
    ) -> io::Result<(u16, Value)> {
        let body = body.map(Value::to_string).unwrap_or_default();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: {key}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        self.send(&[head.as_bytes(), body.as_bytes()].concat())?;
        let (status, length) = self.status_and_length()?;
        let mut body = vec![0; length];
        self.socket.read_exact(&mut body)?;
        self.check_available(status)?;
        let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap() };
        Ok((status, body))
    }

    /// Sends adverts and returns the response. While the database fails over, a request may take too long: it is given up, which is an error
    /// like a lost connection, and the adverts may be taken later.
    pub fn send_adverts(&mut self, key: &str, adverts: &[Value]) -> io::Result<Value> {
        let (status, response) = self.request("POST", key, "/adverts", Some(&json!(adverts)))?;
        if status == 408 && self.may_be_unavailable {
            println!("a request was given up");
            return Err(io::ErrorKind::TimedOut.into());
        }
        assert_eq!(status, 200, "{response}");
        Ok(response)
    }

    fn response(&mut self) -> io::Result<Value> {
        let mut body = vec![0; self.head()?];
        self.socket.read_exact(&mut body)?;
        Ok(serde_json::from_slice(&body).unwrap())
    }

    /// Reads the head of a successful response. Returns the length of its body, 0 if it has none.
    fn head(&mut self) -> io::Result<usize> {
        let (status, length) = self.status_and_length()?;
        self.check_available(status)?;
        assert!((200..300).contains(&status), "{status}");
        Ok(length)
    }

    fn status_and_length(&mut self) -> io::Result<(u16, usize)> {
        let status = self.line()?;
        let status = status.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok()).unwrap();
        let mut length = 0;
        loop {
            let line = self.line()?;
            if line.is_empty() {
                return Ok((status, length));
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.parse().unwrap();
            }
        }
    }

    fn chunk(&mut self) -> io::Result<Vec<u8>> {
        let size = usize::from_str_radix(&self.line()?, 16).unwrap();
        let mut chunk = vec![0; size + 2];
        self.socket.read_exact(&mut chunk)?;
        chunk.truncate(size);
        Ok(chunk)
    }

    /// Reads a complete line; a line truncated by a kill is an error.
    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.socket.read_line(&mut line)?;
        match line.strip_suffix("\r\n") {
            Some(line) => Ok(line.to_owned()),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

fn head(key: &str) -> String {
    format!("POST /adverts HTTP/1.1\r\nHost: x\r\nX-API-KEY: {key}\r\n")
}
