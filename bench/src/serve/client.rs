//! A minimal HTTP client, to leave the processor to the server on the same machine.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use anyhow::{Context, ensure};

pub struct Client {
    address: SocketAddr,
    stream: TcpStream,
    key: String,
    buffer: Vec<u8>,
}

pub struct Response<'a> {
    pub status: u16,
    /// How far in the log the server is.
    pub log_position: Option<u64>,
    pub body: &'a [u8],
}

impl Client {
    pub fn connect(address: SocketAddr, key: &str) -> anyhow::Result<Self> {
        Ok(Self { address, stream: open(address)?, key: key.to_owned(), buffer: vec![0; 1 << 20] })
    }

    /// Connects again: the server closes idle connections.
    pub fn reconnect(&mut self) -> anyhow::Result<()> {
        self.stream = open(self.address)?;
        Ok(())
    }

    pub fn get(&mut self, path: &str) -> anyhow::Result<Response<'_>> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: bench\r\nX-API-KEY: {}\r\n\r\n", self.key);
        self.stream.write_all(request.as_bytes())?;
        self.read()
    }

    /// Asks for an answer that includes everything up to a position of the log.
    pub fn get_at(&mut self, path: &str, position: u64) -> anyhow::Result<Response<'_>> {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: bench\r\nX-API-KEY: {}\r\nX-Min-Log-Position: {position}\r\n\r\n",
            self.key
        );
        self.stream.write_all(request.as_bytes())?;
        self.read()
    }

    pub fn post(&mut self, path: &str, body: &[u8]) -> anyhow::Result<Response<'_>> {
        let (key, length) = (&self.key, body.len());
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: bench\r\nX-API-KEY: {key}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        self.stream.write_all(head.as_bytes())?;
        self.stream.write_all(body)?;
        self.read()
    }

    fn read(&mut self) -> anyhow::Result<Response<'_>> {
        let mut filled = 0;
        let head = loop {
            let read = self.stream.read(&mut self.buffer[filled..])?;
            ensure!(read > 0, "the server closed the connection");
            filled += read;
            if let Some(end) = self.buffer[..filled].windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
        };
        let text = std::str::from_utf8(&self.buffer[..head])?.to_ascii_lowercase();
        let status =
            text.get(9..12).and_then(|status| status.parse().ok()).context("the response has no status")?;
        let header =
            |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
        let (length, log_position) = (header("content-length:"), header("x-log-position:"));
        let end = head + usize::try_from(length.context("the response has no content-length")?)?;
        if end > self.buffer.len() {
            self.buffer.resize(end, 0);
        }
        self.stream.read_exact(&mut self.buffer[filled..end])?;
        Ok(Response { status, log_position, body: &self.buffer[head..end] })
    }
}

fn open(address: SocketAddr) -> anyhow::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
