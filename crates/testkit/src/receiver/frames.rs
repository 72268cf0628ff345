//! Hand-written HTTP/2: reads one request and sends responses that a library would not.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The client's connection preface.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEAD_BYTES: usize = 9;
/// Default maximum frame size.
const FRAME_BYTES_MAX: usize = 16_384;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;

/// The first stream of a client.
const STREAM: u32 = 1;
const INTERNAL_ERROR: [u8; 4] = [0, 0, 0, 2];
/// `:status: 200` in the static table.
const STATUS_200: &[u8] = &[0x88];

/// Reads one complete request and sends only what the protocol requires.
pub(super) async fn read_request(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> io::Result<()> {
    let mut preface = [0; PREFACE.len()];
    stream.read_exact(&mut preface).await?;
    if preface != PREFACE {
        return Err(io::ErrorKind::InvalidData.into());
    }
    stream.write_all(&settings()).await?;
    stream.flush().await?;
    let mut payload = vec![0; FRAME_BYTES_MAX];
    loop {
        let mut head = [0; HEAD_BYTES];
        stream.read_exact(&mut head).await?;
        let length = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
        let (kind, flags) = (head[3], head[4]);
        let room = payload.get_mut(..length).ok_or(io::ErrorKind::InvalidData)?;
        stream.read_exact(room).await?;
        match kind {
            SETTINGS if flags & ACK == 0 => {
                stream.write_all(&frame(SETTINGS, ACK, 0, &[])).await?;
                stream.flush().await?;
            }
            DATA | HEADERS if flags & END_STREAM != 0 => return Ok(()),
            _ => {}
        }
    }
}

pub(super) fn settings() -> Vec<u8> {
    frame(SETTINGS, 0, 0, &[])
}

pub(super) fn ping() -> Vec<u8> {
    frame(PING, 0, 0, b"are you?")
}

pub(super) fn go_away() -> Vec<u8> {
    let last_stream_taken = [0; 4];
    frame(GOAWAY, 0, 0, &[last_stream_taken, INTERNAL_ERROR].concat())
}

pub(super) fn reset_stream() -> Vec<u8> {
    frame(RST_STREAM, 0, STREAM, &INTERNAL_ERROR)
}

pub(super) fn head_of_200() -> Vec<u8> {
    frame(HEADERS, END_HEADERS, STREAM, STATUS_200)
}

pub(super) fn head_without_status() -> Vec<u8> {
    frame(HEADERS, END_HEADERS | END_STREAM, STREAM, &header(b"x-status", b"200"))
}

pub(super) fn head_begun() -> Vec<u8> {
    frame(HEADERS, 0, STREAM, STATUS_200)
}

pub(super) fn head_continued() -> Vec<u8> {
    frame(CONTINUATION, 0, STREAM, &header(b"x-more", &[b'a'; 100]).repeat(100))
}

pub(super) fn data(bytes: &[u8]) -> Vec<u8> {
    frame(DATA, 0, STREAM, bytes)
}

/// A literal header without indexing. Name and value may have at most 126 bytes.
fn header(name: &[u8], value: &[u8]) -> Vec<u8> {
    let length = |part: &[u8]| u8::try_from(part.len()).ok().filter(|length| *length < 127);
    let (Some(name_length), Some(value_length)) = (length(name), length(value)) else {
        unreachable!("the header is short");
    };
    [&[0, name_length][..], name, &[value_length], value].concat()
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("the frame is small").to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}
