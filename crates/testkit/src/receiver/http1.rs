//! Hand-written HTTP/1.1: parses requests strictly, one after another, and sends any response.

use std::io;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::server::TlsStream;

use super::request_log::{ReceivedRequest, Version};
use super::run_steps::{ConnectionState, run_steps};
use super::script::{Behaviour, ConnectionReuse, IncomingConnection};
use super::steps::{StepContext, steps};
use super::{BODY_BYTES_MAX, Shared};

/// More than any sender needs.
const HEADERS_MAX: usize = 64;
const HEAD_BYTES_MAX: usize = 64 * 1_024;
/// A typical message fits, including its head.
const BUFFER_BYTES: usize = 16 * 1_024;

/// Serves a connection until one side closes it.
pub(super) async fn serve(
    shared: &Shared,
    incoming: IncomingConnection,
    mut stream: TlsStream<TcpStream>,
) -> io::Result<()> {
    let mut buffer = BytesMut::with_capacity(BUFFER_BYTES);
    while let Some(request) = read(&mut stream, &mut buffer, incoming).await? {
        let gzip_accepted = request.header("accept-encoding").is_some_and(|it| it.contains("gzip"));
        let behaviour = shared.script.for_request(&request);
        shared.log.record(request, &behaviour).await?;
        let after = match behaviour {
            Behaviour::Answer(status) => answer(&mut stream, status, shared.script.connection_reuse).await?,
            Behaviour::Fault(fault) => {
                let context = StepContext { redirect_to: &shared.redirect_to, gzip_accepted };
                run_steps(&mut stream, &steps(fault, context), &shared.written).await?
            }
            Behaviour::Steps(steps) => run_steps(&mut stream, &steps, &shared.written).await?,
        };
        if after == ConnectionState::Closed {
            return Ok(());
        }
    }
    stream.shutdown().await
}

async fn answer(
    stream: &mut TlsStream<TcpStream>,
    status: u16,
    last: ConnectionReuse,
) -> io::Result<ConnectionState> {
    let head;
    let (bytes, after): (&[u8], ConnectionState) = match (status, last) {
        (200, ConnectionReuse::KeepAlive) => {
            (b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", ConnectionState::Open)
        }
        (_, ConnectionReuse::KeepAlive) => {
            head = format!("HTTP/1.1 {status} As Asked\r\ncontent-length: 0\r\n\r\n");
            (head.as_bytes(), ConnectionState::Open)
        }
        (_, ConnectionReuse::CloseAfterResponse) => {
            head = format!("HTTP/1.1 {status} As Asked\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            (head.as_bytes(), ConnectionState::Closed)
        }
    };
    stream.write_all(bytes).await?;
    stream.flush().await?;
    if after == ConnectionState::Closed {
        stream.shutdown().await?;
    }
    Ok(after)
}

/// Reads the next request, or returns `None` at the end of the connection. Later bytes stay in the buffer.
async fn read(
    stream: &mut TlsStream<TcpStream>,
    buffer: &mut BytesMut,
    incoming: IncomingConnection,
) -> io::Result<Option<ReceivedRequest>> {
    let head = loop {
        if let Some(head) = Head::parse(buffer)? {
            break head;
        }
        if buffer.len() > HEAD_BYTES_MAX {
            return Err(invalid("head too large"));
        }
        buffer.reserve(BUFFER_BYTES);
        if stream.read_buf(buffer).await? == 0 {
            return if buffer.is_empty() { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
        }
    };
    buffer.advance(head.bytes);
    let body = match head.length {
        Length::Known(length) => {
            fill(stream, buffer, length).await?;
            buffer.split_to(length).freeze()
        }
        Length::Chunked => chunks(stream, buffer).await?,
    };
    Ok(Some(ReceivedRequest {
        connection: incoming.connection,
        address: incoming.address,
        version: Version::Http1,
        method: head.method,
        path: head.path,
        headers: head.headers,
        body,
        at: Instant::now(),
    }))
}

async fn fill(stream: &mut TlsStream<TcpStream>, buffer: &mut BytesMut, length: usize) -> io::Result<()> {
    if length > BODY_BYTES_MAX {
        return Err(invalid("body too large"));
    }
    buffer.reserve(length.saturating_sub(buffer.len()));
    while buffer.len() < length {
        if stream.read_buf(buffer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(())
}

async fn chunks(stream: &mut TlsStream<TcpStream>, buffer: &mut BytesMut) -> io::Result<Bytes> {
    let mut body = BytesMut::new();
    loop {
        let (line, length) = loop {
            match httparse::parse_chunk_size(buffer) {
                Ok(httparse::Status::Complete(size)) => break size,
                Ok(httparse::Status::Partial) => fill(stream, buffer, buffer.len() + 1).await?,
                Err(_) => return Err(invalid("invalid chunk")),
            }
        };
        buffer.advance(line);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length > BODY_BYTES_MAX - body.len() {
            return Err(invalid("body too large"));
        }
        // Webhook senders do not use trailers: an empty line follows the last chunk.
        fill(stream, buffer, length + 2).await?;
        body.extend_from_slice(&buffer.split_to(length));
        if buffer.split_to(2) != b"\r\n"[..] {
            return Err(invalid("chunk without line end"));
        }
        if length == 0 {
            return Ok(body.freeze());
        }
    }
}

struct Head {
    bytes: usize,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    length: Length,
}

enum Length {
    Known(usize),
    Chunked,
}

impl Head {
    fn parse(buffer: &[u8]) -> io::Result<Option<Self>> {
        let mut room = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut request = httparse::Request::new(&mut room);
        let bytes = match request.parse(buffer).map_err(|error| io::Error::new(INVALID, error))? {
            httparse::Status::Complete(bytes) => bytes,
            httparse::Status::Partial => return Ok(None),
        };
        let headers: Vec<(String, String)> = request
            .headers
            .iter()
            .map(|header| {
                (header.name.to_ascii_lowercase(), String::from_utf8_lossy(header.value).into_owned())
            })
            .collect();
        let all = |name: &str| {
            let name = name.to_owned();
            headers.iter().filter(move |(key, _)| *key == name).map(|(_, value)| value.as_str())
        };
        if all("host").count() != 1 {
            return Err(invalid("expected exactly one host header"));
        }
        let lengths: Vec<&str> = all("content-length").collect();
        let encodings: Vec<&str> = all("transfer-encoding").collect();
        let length = match (lengths.as_slice(), encodings.as_slice()) {
            ([], []) => Length::Known(0),
            ([length], []) => Length::Known(length.parse().map_err(|_| invalid("invalid content-length"))?),
            ([], ["chunked"]) => Length::Chunked,
            _ => return Err(invalid("ambiguous body length")),
        };
        let method = request.method.unwrap_or_default().to_owned();
        let path = request.path.unwrap_or_default().to_owned();
        Ok(Some(Self { bytes, method, path, headers, length }))
    }
}

const INVALID: io::ErrorKind = io::ErrorKind::InvalidData;

fn invalid(what: &'static str) -> io::Error {
    io::Error::new(INVALID, what)
}
