//! The SMTP protocol (RFC 5321): sends commands, reads replies and classifies them.
//!
//! Reads are bounded. Deadlines are set by the caller.

use std::io;

use domain::Fault;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// A reply, or why there is none.
pub type ReplyResult = Result<Reply, SmtpError>;

/// The code of a reply, and its lines without the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub code: u16,
    pub lines: Vec<String>,
}

/// Why an e-mail was not accepted.
#[derive(Debug)]
pub struct SmtpError {
    pub fault: Fault,
    pub reply: Option<Reply>,
}

/// What a rejection is about: the whole session, or this e-mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Session,
    Email,
}

/// Maximum size of a reply: far more than any list of extensions.
const REPLY_BYTES_MAX: usize = 16 * 1_024;
const READ_BYTES: usize = 1_024;

/// The server is closing the connection (RFC 5321, section 3.8).
const CLOSING: u16 = 421;

/// Rejections of the login rather than of the e-mail (RFC 4954). A retry succeeds once the settings are fixed.
const LOGIN_REFUSALS: [u16; 4] = [530, 534, 535, 538];

impl SmtpError {
    /// Returns whether the server closed the session (or announced it with 421) without rejecting the e-mail.
    pub fn ends_session(&self) -> bool {
        self.fault == Fault::Closed || self.reply.as_ref().is_some_and(|reply| reply.code == CLOSING)
    }
}

impl From<Fault> for SmtpError {
    fn from(fault: Fault) -> Self {
        Self { fault, reply: None }
    }
}

impl From<io::Error> for SmtpError {
    fn from(error: io::Error) -> Self {
        let fault = match error.kind() {
            // If the server refuses a certificate, the alert may arrive after our side has completed the handshake.
            io::ErrorKind::InvalidData => Fault::Tls,
            io::ErrorKind::TimedOut => Fault::Timeout,
            _ => Fault::Closed,
        };
        fault.into()
    }
}

/// The client side of an SMTP connection.
pub struct Connection<S> {
    stream: S,
    /// Bytes read but not yet parsed.
    unread: Vec<u8>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    pub fn new(stream: S) -> Self {
        Self { stream, unread: Vec::new() }
    }

    /// Returns the underlying stream, to start TLS on it. Unread plaintext is an error: an attacker may have
    /// injected it, and it must not be taken for a reply inside TLS.
    pub fn into_stream(self) -> Result<S, SmtpError> {
        if self.unread.is_empty() { Ok(self.stream) } else { Err(Fault::Protocol.into()) }
    }

    /// Sends a command and waits for a positive reply: 2xx, or 3xx if more input is expected.
    pub async fn command(&mut self, line: &str, expected: u16, scope: Scope) -> ReplyResult {
        self.stream.write_all(format!("{line}\r\n").as_bytes()).await?;
        self.stream.flush().await?;
        self.expect_reply(expected, scope).await
    }

    /// Sends the content after `DATA`, with dot-stuffing.
    pub async fn send_data(&mut self, bytes: &[u8]) -> ReplyResult {
        self.stream.write_all(&dot_stuffed(bytes)).await?;
        self.stream.flush().await?;
        self.expect_reply(2, Scope::Email).await
    }

    /// Reads the next reply, whose code must begin with the digit `expected`.
    pub async fn expect_reply(&mut self, expected: u16, scope: Scope) -> ReplyResult {
        let reply = self.read_reply().await?;
        let fault = match reply.code / 100 {
            class if class == expected => return Ok(reply),
            4 => Fault::Status,
            5 if scope == Scope::Session || LOGIN_REFUSALS.contains(&reply.code) => Fault::Status,
            5 => Fault::Rejected,
            _ => Fault::Protocol,
        };
        Err(SmtpError { fault, reply: Some(reply) })
    }

    async fn read_reply(&mut self) -> ReplyResult {
        let mut lines = Vec::new();
        let mut bytes = 0;
        loop {
            let line = self.read_line(REPLY_BYTES_MAX - bytes).await?;
            bytes += line.len();
            let (code, rest) = parse(&line).ok_or(Fault::Protocol)?;
            let (more, text) = match rest.split_first() {
                None => (false, rest),
                Some((b' ', text)) => (false, text),
                Some((b'-', text)) => (true, text),
                Some(_) => return Err(Fault::Protocol.into()),
            };
            lines.push(String::from_utf8_lossy(text).into_owned());
            if !more {
                return Ok(Reply { code, lines });
            }
        }
    }

    async fn read_line(&mut self, bytes_max: usize) -> Result<Vec<u8>, SmtpError> {
        let mut searched = 0;
        loop {
            if let Some(end) = self.unread[searched..].iter().position(|byte| *byte == b'\n') {
                let mut line: Vec<u8> = self.unread.drain(..=searched + end).collect();
                line.truncate(line.trim_ascii_end().len());
                // Empty lines count too, otherwise there could be any number of them.
                return if line.len() < bytes_max { Ok(line) } else { Err(Fault::TooLarge.into()) };
            }
            searched = self.unread.len();
            if searched >= bytes_max {
                return Err(Fault::TooLarge.into());
            }
            let mut buffer = [0; READ_BYTES];
            match self.stream.read(&mut buffer).await? {
                0 => return Err(Fault::Closed.into()),
                read => self.unread.extend_from_slice(&buffer[..read]),
            }
        }
    }
}

fn parse(line: &[u8]) -> Option<(u16, &[u8])> {
    let (code, rest) = line.split_at_checked(3)?;
    let code =
        std::str::from_utf8(code).ok().filter(|code| code.bytes().all(|byte| byte.is_ascii_digit()))?;
    let code = code.parse().ok().filter(|code| (200..600).contains(code))?;
    Some((code, rest))
}

/// Escapes lines that begin with a dot, and appends the final dot.
fn dot_stuffed(bytes: &[u8]) -> Vec<u8> {
    let mut sent = Vec::with_capacity(bytes.len() + 64);
    let mut at_line_start = true;
    for byte in bytes {
        if at_line_start && *byte == b'.' {
            sent.push(b'.');
        }
        at_line_start = *byte == b'\n';
        sent.push(*byte);
    }
    if !sent.ends_with(b"\r\n") {
        sent.extend_from_slice(b"\r\n");
    }
    sent.extend_from_slice(b".\r\n");
    sent
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks how the given bytes are classified where 2xx is expected. The connection ends after them.
    fn check(content: &[u8], scope: Scope, expected: Result<u16, Fault>) {
        let (ours, mut theirs) = tokio::io::duplex(content.len().max(1));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let found = runtime.block_on(async {
            theirs.write_all(content).await.unwrap();
            drop(theirs);
            Connection::new(ours).expect_reply(2, scope).await
        });
        let shown = String::from_utf8_lossy(content);
        assert_eq!(found.map(|reply| reply.code).map_err(|error| error.fault), expected, "{shown}");
    }

    #[test]
    fn replies_are_classified() {
        use Scope::{Email, Session};
        check(b"250 OK\r\n", Email, Ok(250));
        check(b"250\r\n", Email, Ok(250));
        check(b"250-a\r\n250-b\r\n250 c\r\n", Email, Ok(250));
        check(b"250 bare line end\n", Email, Ok(250));
        check(b"451 later\r\n", Email, Err(Fault::Status));
        check(b"421 closing\r\n", Session, Err(Fault::Status));
        check(b"550 no such user\r\n", Email, Err(Fault::Rejected));
        check(b"554 no service\r\n", Session, Err(Fault::Status));
        check(b"535 wrong password\r\n", Session, Err(Fault::Status));
        check(b"530 log in first\r\n", Email, Err(Fault::Status));
        check(b"354 go on\r\n", Email, Err(Fault::Protocol));
        check(b"600 what\r\n", Email, Err(Fault::Protocol));
        check(b"HTTP/1.1 400 Bad Request\r\n", Email, Err(Fault::Protocol));
        check(b"+50 \r\n", Email, Err(Fault::Protocol));
        check(b"250_OK\r\n", Email, Err(Fault::Protocol));
        check(b"\r\n", Email, Err(Fault::Protocol));
        check(b"", Email, Err(Fault::Closed));
        check(b"250 unfinish", Email, Err(Fault::Closed));
        check(b"250-a\r\n", Email, Err(Fault::Closed));
        check(&[b'2'; 20_000], Email, Err(Fault::TooLarge));
        check(&b"250-and on\r\n".repeat(2_000), Email, Err(Fault::TooLarge));
    }

    #[test]
    fn injected_plaintext_is_rejected_before_tls() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (ours, mut theirs) = tokio::io::duplex(100);
            theirs.write_all(b"220 go ahead\r\n250 smuggled\r\n").await.unwrap();
            let mut connection = Connection::new(ours);
            connection.expect_reply(2, Scope::Session).await.unwrap();
            assert_eq!(connection.into_stream().map_err(|error| error.fault).err(), Some(Fault::Protocol));
        });
    }

    #[test]
    fn lines_are_dot_stuffed() {
        assert_eq!(dot_stuffed(b".\r\n..\r\na.b\r\n"), b"..\r\n...\r\na.b\r\n.\r\n");
        assert_eq!(dot_stuffed(b"a"), b"a\r\n.\r\n");
    }
}
