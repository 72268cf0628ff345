//! The words of SMTP (RFC 5321): a command out, a reply back, and what a reply means for the email.
//!
//! Reads no more than a bound, and says exactly how an exchange ended. Deadlines are the caller's.

use std::io;

use domain::Fault;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// A server's answer, or why there is none.
pub type Answer = Result<Reply, Trouble>;

/// What a server said: its code, and its words without the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub code: u16,
    pub lines: Vec<String>,
}

/// Why a email was not taken.
#[derive(Debug)]
pub struct Trouble {
    pub fault: Fault,
    pub reply: Option<Reply>,
}

/// What is being spoken about when a server refuses: itself and us, or this email.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Session,
    Email,
}

/// Far more than any list of extensions; a server that says more is none.
const REPLY_BYTES_MAX: usize = 16 * 1_024;
const READ_BYTES: usize = 1_024;

/// The server is about to close the connection (RFC 5321, 3.8).
const CLOSING: u16 = 421;

/// Refusals that mean our login and not the email (RFC 4954): another attempt helps once somebody has mended the settings.
const LOGIN_REFUSALS: [u16; 4] = [530, 534, 535, 538];

impl Trouble {
    /// Whether a server has had enough of this connection, and not of the email: it is closed, or about to be (421).
    pub fn ends_the_session(&self) -> bool {
        self.fault == Fault::Closed || self.reply.as_ref().is_some_and(|reply| reply.code == CLOSING)
    }
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self { fault, reply: None }
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        let fault = match error.kind() {
            // Where a certificate is refused, the alert may come only after our side thought that all is well.
            io::ErrorKind::InvalidData => Fault::Tls,
            io::ErrorKind::TimedOut => Fault::Timeout,
            _ => Fault::Closed,
        };
        fault.into()
    }
}

/// One end of a conversation.
pub struct Dialogue<S> {
    stream: S,
    /// Read, but not yet part of a reply.
    unread: Vec<u8>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    pub fn new(stream: S) -> Self {
        Self { stream, unread: Vec::new() }
    }

    /// Gives the connection back, to be made safe. What was said in the clear beyond the last reply may have been put there by
    /// somebody in between, and must not be taken for an answer to what is said in confidence later.
    pub fn into_stream(self) -> Result<S, Trouble> {
        if self.unread.is_empty() { Ok(self.stream) } else { Err(Fault::Protocol.into()) }
    }

    /// Sends a line and waits for a positive answer: 2xx, or 3xx where more is expected.
    pub async fn command(&mut self, line: &str, expected: u16, subject: Subject) -> Answer {
        self.stream.write_all(format!("{line}\r\n").as_bytes()).await?;
        self.stream.flush().await?;
        self.answer(expected, subject).await
    }

    /// Sends a email after `DATA`, with the dots that keep a line from ending it.
    pub async fn email(&mut self, bytes: &[u8]) -> Answer {
        self.stream.write_all(&with_dots(bytes)).await?;
        self.stream.flush().await?;
        self.answer(2, Subject::Email).await
    }

    /// The next reply, which must begin with the digit `expected`.
    pub async fn answer(&mut self, expected: u16, subject: Subject) -> Answer {
        let reply = self.reply().await?;
        let fault = match reply.code / 100 {
            class if class == expected => return Ok(reply),
            4 => Fault::Status,
            5 if subject == Subject::Session || LOGIN_REFUSALS.contains(&reply.code) => Fault::Status,
            5 => Fault::Rejected,
            _ => Fault::Protocol,
        };
        Err(Trouble { fault, reply: Some(reply) })
    }

    async fn reply(&mut self) -> Answer {
        let mut lines = Vec::new();
        let mut bytes = 0;
        loop {
            let line = self.line(REPLY_BYTES_MAX - bytes).await?;
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

    async fn line(&mut self, bytes_max: usize) -> Result<Vec<u8>, Trouble> {
        let mut searched = 0;
        loop {
            if let Some(end) = self.unread[searched..].iter().position(|byte| *byte == b'\n') {
                let mut line: Vec<u8> = self.unread.drain(..=searched + end).collect();
                line.truncate(line.trim_ascii_end().len());
                // An empty line still counts, or there could be any number of them.
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

/// A line that begins with a dot gets another one; a dot alone ends the email.
fn with_dots(bytes: &[u8]) -> Vec<u8> {
    let mut sent = Vec::with_capacity(bytes.len() + 64);
    let mut begins = true;
    for byte in bytes {
        if begins && *byte == b'.' {
            sent.push(b'.');
        }
        begins = *byte == b'\n';
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

    /// What a server's bytes mean where 2xx is expected; the connection ends after them.
    fn check(said: &[u8], subject: Subject, expected: Result<u16, Fault>) {
        let (ours, mut theirs) = tokio::io::duplex(said.len().max(1));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let found = runtime.block_on(async {
            theirs.write_all(said).await.unwrap();
            drop(theirs);
            Dialogue::new(ours).answer(2, subject).await
        });
        let shown = String::from_utf8_lossy(said);
        assert_eq!(found.map(|reply| reply.code).map_err(|trouble| trouble.fault), expected, "{shown}");
    }

    #[test]
    fn a_reply_is_taken_or_refused_for_what_it_is() {
        use Subject::{Email, Session};
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
    fn words_after_the_last_reply_are_not_carried_into_a_safe_connection() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (ours, mut theirs) = tokio::io::duplex(100);
            theirs.write_all(b"220 go ahead\r\n250 smuggled\r\n").await.unwrap();
            let mut dialogue = Dialogue::new(ours);
            dialogue.answer(2, Subject::Session).await.unwrap();
            assert_eq!(dialogue.into_stream().map_err(|trouble| trouble.fault).err(), Some(Fault::Protocol));
        });
    }

    #[test]
    fn no_line_of_a_letter_ends_it() {
        assert_eq!(with_dots(b".\r\n..\r\na.b\r\n"), b"..\r\n...\r\na.b\r\n.\r\n");
        assert_eq!(with_dots(b"a"), b"a\r\n.\r\n");
    }
}
