//! The steps of each fault, run on the bare connection.

use std::io::Write;
use std::iter::repeat_n;
use std::sync::LazyLock;

use bytes::Bytes;

use super::frames;
use super::injected_fault::InjectedFault;

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Write(Bytes),
    /// Writes the bytes this many times.
    Repeat(Bytes, u32),
    /// Writes the bytes repeatedly until the peer disconnects.
    Forever(Bytes),
    /// Writes the bytes repeatedly, one byte at a time.
    Drip(Bytes),
    /// Waits for some bytes and reads them.
    ReadSome,
    /// Reads and discards until the peer disconnects.
    UntilPeerLeaves,
    /// Neither reads nor writes any more.
    Ignore,
    /// Sends close_notify and closes.
    Close,
    /// Closes without close_notify.
    Cut,
    /// Resets the connection.
    Reset,
}

impl Step {
    pub fn write(bytes: impl Into<Bytes>) -> Self {
        Self::Write(bytes.into())
    }
}

/// What the steps depend on besides the fault.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepContext<'a> {
    /// Target of redirects.
    pub redirect_to: &'a str,
    pub gzip_accepted: bool,
}

const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
/// The body ends with the connection.
const OK_UNBOUNDED: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n";
const OK_CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

/// A fatal alert record with its code.
const ALERT_PROTOCOL_VERSION: &[u8] = &[0x15, 3, 1, 0, 2, 2, 70];
const ALERT_HANDSHAKE_FAILURE: &[u8] = &[0x15, 3, 3, 0, 2, 2, 40];
/// The start of a handshake record that announces 4,096 bytes.
const RECORD_BEGUN: &[u8] = &[0x16, 3, 3, 0x10, 0, 2, 0];

/// Bytes written at a time.
const BLOCK: usize = 16 * 1_024;
/// Decompressed size of one gzip member of the bomb, members per piece, and number of pieces. A member is
/// compressed once while tests wait, so it is small.
const BOMB_MEMBER_BYTES: usize = 1_024 * 1_024;
const BOMB_MEMBERS: usize = 64;
const BOMB_PIECES: u32 = 160;

pub(super) fn steps(fault: InjectedFault, context: StepContext<'_>) -> Vec<Step> {
    use Step::{Close, Cut, Drip, Forever, Ignore, ReadSome, Repeat, Reset, UntilPeerLeaves};
    let write = |bytes: &'static [u8]| Step::write(bytes);
    let hang_after = |bytes| vec![write(bytes), UntilPeerLeaves];
    match fault {
        // Injected elsewhere: when the port is opened, and in the handshake.
        InjectedFault::Refuse
        | InjectedFault::NeverAccept
        | InjectedFault::CertificateExpired
        | InjectedFault::CertificateNotYetValid
        | InjectedFault::CertificateWrongName
        | InjectedFault::CertificateSelfSigned
        | InjectedFault::CertificateSelfSignedAuthority
        | InjectedFault::CertificateUnknownAuthority
        | InjectedFault::CertificateHugeChain
        | InjectedFault::AsksForCertificate
        | InjectedFault::AsksForCertificateEarly
        | InjectedFault::Http2Only => Vec::new(),

        InjectedFault::AcceptReset | InjectedFault::ResetUnread | InjectedFault::ResetBeforeAnswer => {
            vec![Reset]
        }
        InjectedFault::AcceptClose | InjectedFault::CloseUnread | InjectedFault::CloseBeforeAnswer => {
            vec![Close]
        }
        InjectedFault::CutBeforeAnswer => vec![Cut],
        InjectedFault::HandshakeHang | InjectedFault::NeverRead => vec![Ignore],
        InjectedFault::HandshakeStall => vec![ReadSome, write(RECORD_BEGUN), UntilPeerLeaves],
        InjectedFault::HandshakeReset => vec![ReadSome, write(RECORD_BEGUN), Reset],
        InjectedFault::PlainHttp => vec![ReadSome, write(b"HTTP/1.1 400 Bad Request\r\n\r\n"), Close],
        InjectedFault::OldTls => vec![ReadSome, Step::write(old_server_hello()), UntilPeerLeaves],
        InjectedFault::OldTlsAlert => vec![ReadSome, write(ALERT_PROTOCOL_VERSION), Close],
        InjectedFault::NoCommonCipher => vec![ReadSome, write(ALERT_HANDSHAKE_FAILURE), Close],

        InjectedFault::ResetWithinStatus => vec![write(b"HTTP/1.1 2"), Reset],
        InjectedFault::ResetWithinHead => vec![write(b"HTTP/1.1 200 OK\r\ncontent-le"), Reset],
        InjectedFault::CloseWithinHead => vec![write(b"HTTP/1.1 200 OK\r\ncontent-le"), Close],
        InjectedFault::CutWithinHead => vec![write(b"HTTP/1.1 200 OK\r\ncontent-le"), Cut],
        InjectedFault::ResetWithinBody => {
            vec![write(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok"), Reset]
        }
        InjectedFault::CloseWithinBody | InjectedFault::LengthTooLong => {
            vec![write(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok"), Close]
        }
        InjectedFault::ResetAfterAnswer => vec![write(OK), Reset],
        InjectedFault::CloseAfterAnswer => vec![write(OK), Close],
        InjectedFault::CutAfterAnswer => vec![write(OK), Cut],
        InjectedFault::CutEndsBody => vec![write(OK_UNBOUNDED), write(b"ok"), Cut],

        InjectedFault::HangBeforeAnswer => vec![UntilPeerLeaves],
        InjectedFault::HangWithinStatus => hang_after(b"HTTP/1.1 2"),
        InjectedFault::HangWithinHead => hang_after(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n"),
        InjectedFault::HangWithinBody => hang_after(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok"),
        InjectedFault::LateAnswer => vec![UntilPeerLeaves, write(OK), Cut],
        InjectedFault::ContinueOnly => hang_after(b"HTTP/1.1 100 Continue\r\n\r\n"),
        InjectedFault::SwitchingProtocols => {
            hang_after(b"HTTP/1.1 101 Switching Protocols\r\nupgrade: other\r\nconnection: upgrade\r\n\r\n")
        }

        InjectedFault::DripHead => vec![write(b"HTTP/1.1 200 OK\r\n"), Drip("x-drip: drop\r\n".into())],
        InjectedFault::DripBody => vec![write(OK_UNBOUNDED), Drip("drop ".into())],
        InjectedFault::EndlessBody => vec![write(OK_UNBOUNDED), Forever(block(b'a'))],
        InjectedFault::EndlessErrorBody => {
            vec![write(b"HTTP/1.1 500 Internal Server Error\r\n\r\n"), Forever(block(b'a'))]
        }
        InjectedFault::EndlessChunks => {
            let chunk = [b"4000\r\n", &*block(b'a'), b"\r\n"].concat();
            vec![write(OK_CHUNKED), Forever(chunk.into())]
        }
        InjectedFault::EndlessChunkLine => vec![write(OK_CHUNKED), Forever(block(b'0'))],
        InjectedFault::EndlessTrailers => {
            vec![
                write(OK_CHUNKED),
                write(b"0\r\n"),
                Forever("x-trailer: and another one\r\n".repeat(500).into()),
            ]
        }
        InjectedFault::BadChunks => {
            vec![write(OK_CHUNKED), write(b"many\r\nok\r\n0\r\n\r\n"), UntilPeerLeaves]
        }

        // The surplus looks like the response to the next request on the connection.
        InjectedFault::LengthTooShort => vec![Step::write([OK, OK].concat())],
        InjectedFault::LengthInvalid => hang_after(b"HTTP/1.1 200 OK\r\ncontent-length: two\r\n\r\nok"),
        InjectedFault::LengthTwice => {
            hang_after(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok")
        }

        InjectedFault::GzipBomb => bomb(),
        InjectedFault::GzipBombIfAsked if context.gzip_accepted => bomb(),
        InjectedFault::GzipBombIfAsked => vec![write(OK)],
        InjectedFault::GzipBombTransfer => {
            let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n";
            let chunk = [format!("{:x}\r\n", BOMB.len()).as_bytes(), &BOMB, b"\r\n"].concat();
            vec![write(head), Repeat(chunk.into(), BOMB_PIECES), write(b"0\r\n\r\n")]
        }

        InjectedFault::Redirect301 => vec![redirect(301, context)],
        InjectedFault::Redirect302 => vec![redirect(302, context)],
        InjectedFault::Redirect303 => vec![redirect(303, context)],
        InjectedFault::Redirect307 => vec![redirect(307, context)],
        InjectedFault::Redirect308 => vec![redirect(308, context)],
        InjectedFault::RetryAfterAges => {
            let head = "HTTP/1.1 429 Too Many Requests\r\nretry-after: 99999999999999999999\r\n";
            vec![Step::write(format!("{head}content-length: 0\r\n\r\n"))]
        }
        InjectedFault::Status099 => {
            hang_after(b"HTTP/1.1 099 Less Than Nothing\r\ncontent-length: 0\r\n\r\n")
        }
        InjectedFault::Interim => vec![Repeat(hint(), 50), write(OK)],
        InjectedFault::InterimForever => vec![Forever(hint().repeat(100).into())],

        InjectedFault::Http09 => vec![write(b"ok, this is all there is\r\n"), Close],
        InjectedFault::Http10 => vec![write(b"HTTP/1.0 200 OK\r\n\r\nok"), Close],
        InjectedFault::BadVersion => hang_after(b"HTTP/9.9 200 OK\r\ncontent-length: 0\r\n\r\n"),
        InjectedFault::BadStatus => hang_after(b"HTTP/1.1 two hundred\r\ncontent-length: 0\r\n\r\n"),
        InjectedFault::BadStatusLine => hang_after(b"\x00\x01\x02\xff\xfe 200 OK\r\n\r\n"),
        InjectedFault::BadHeader => hang_after(b"HTTP/1.1 200 OK\r\nthis is no header\r\n\r\n"),
        InjectedFault::NulHeader => hang_after(b"HTTP/1.1 200 OK\r\nx-nul: a\x00b\r\n\r\n"),
        InjectedFault::NoReason => vec![write(b"HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n")],
        InjectedFault::EndlessStatusLine => vec![write(b"HTTP/1.1 200 "), Forever(block(b'a'))],
        InjectedFault::LargeHeader => {
            let megabytes_10 = Repeat(block(b'a'), 640);
            vec![
                write(b"HTTP/1.1 200 OK\r\nx-large: "),
                megabytes_10,
                write(b"\r\ncontent-length: 0\r\n\r\n"),
            ]
        }
        InjectedFault::ManyHeaders => vec![Step::write(head_with(10_000, 1))],
        InjectedFault::LargeHead => vec![Step::write(head_with(40, 1_024))],

        InjectedFault::Hang2 => vec![UntilPeerLeaves],
        InjectedFault::Reset2 => vec![Step::write(frames::reset_stream()), UntilPeerLeaves],
        InjectedFault::GoAway2 => vec![Step::write(frames::go_away()), Close],
        InjectedFault::Garbage2 => hang_after(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"),
        InjectedFault::NoStatus2 => vec![Step::write(frames::head_without_status()), UntilPeerLeaves],
        InjectedFault::ResetWithinBody2 => vec![
            Step::write(frames::head_of_200()),
            Step::write(frames::data(b"ok")),
            Step::write(frames::reset_stream()),
            UntilPeerLeaves,
        ],
        InjectedFault::EndlessBody2 => {
            vec![Step::write(frames::head_of_200()), Forever(frames::data(&block(b'a')).into())]
        }
        InjectedFault::EndlessHead2 => {
            vec![Step::write(frames::head_begun()), Forever(frames::head_continued().into())]
        }
        InjectedFault::EndlessPings2 => vec![Forever(frames::ping().repeat(500).into())],
        InjectedFault::EndlessSettings2 => vec![Forever(frames::settings().repeat(500).into())],
    }
}

fn block(byte: u8) -> Bytes {
    vec![byte; BLOCK].into()
}

fn hint() -> Bytes {
    "HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n".into()
}

fn redirect(status: u16, context: StepContext<'_>) -> Step {
    let location = context.redirect_to;
    Step::write(format!("HTTP/1.1 {status} Elsewhere\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n"))
}

fn head_with(headers: usize, value_bytes: usize) -> String {
    let value: String = repeat_n('v', value_bytes).collect();
    let headers: String = (0..headers).map(|number| format!("x-{number}: {value}\r\n")).collect();
    format!("HTTP/1.1 200 OK\r\n{headers}content-length: 0\r\n\r\n")
}

/// A piece of the bomb: zeros. Concatenated members decompress to one stream.
static BOMB: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let packed = packer.write_all(&vec![0; BOMB_MEMBER_BYTES]).and_then(|()| packer.finish());
    packed.expect("writing to memory succeeds").repeat(BOMB_MEMBERS)
});

fn bomb() -> Vec<Step> {
    let length = BOMB.len() as u64 * u64::from(BOMB_PIECES);
    let head = format!("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {length}\r\n\r\n");
    vec![Step::write(head), Step::Repeat(Bytes::from_static(&BOMB), BOMB_PIECES)]
}

/// The first message of a TLS 1.0 server: version, 32 bytes, no session, one cipher, no compression.
fn old_server_hello() -> Vec<u8> {
    let version = [3, 1];
    let mut hello = [&version[..], &[7; 32], &[0], &[0, 0x2f], &[0]].concat();
    let length = u8::try_from(hello.len()).expect("the message is short");
    hello = [&[2, 0, 0, length][..], &hello].concat();
    [&[0x16][..], &version, &[0, length + 4], &hello].concat()
}
