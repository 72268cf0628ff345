//! Queries of 64 KiB and more.
//!
//! The type of URIs that hyper and axum share holds at most 65,534 bytes, path included, and the contract allows a query of 64 KiB
//! alone. So a request line that is longer reaches hyper without its query, which travels beside the request.
//!
//! Only a whole request line is changed, never a byte after it: where the next request starts would otherwise depend on two parsers.
//! The lines of pipelined requests may not be recognised as such; long ones get 414.

use std::ops::Range;

/// The longest URI of the `http` crate.
const URI_BYTES_MAX: usize = 65_534;

/// The start of a request, as far as it was received.
#[derive(Debug)]
pub enum RequestLine {
    /// Nothing was received yet.
    Start,
    /// A part of a line, which may turn out to be too long for hyper.
    Withheld(Vec<u8>),
    /// The line was decided on; its bytes are on their way to hyper.
    Released(Vec<u8>, Range<usize>),
    /// What follows belongs to headers and body.
    Past,
}

/// What to do with bytes that were received.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Pass them on as they are.
    Pass,
    /// They were taken; read more.
    More,
    /// They were taken; [`RequestLine::release`] has what to pass on. The query, if it was taken out, goes with the next request.
    Release(Option<String>),
}

impl RequestLine {
    /// Looks at bytes that were received. A line of more than `bytes_max` is passed on for hyper to refuse.
    pub fn receive(&mut self, bytes: &[u8], bytes_max: usize) -> Step {
        if let Self::Start = self {
            let end = bytes.iter().position(|byte| *byte == b'\n');
            // A method starts with one of A to Z. Anything else is an error that hyper reports at once.
            let may_be_long = bytes.first().is_some_and(u8::is_ascii_alphabetic)
                && end.is_none_or(|end| end > URI_BYTES_MAX);
            *self = if may_be_long { Self::Withheld(Vec::new()) } else { Self::Past };
        }
        let Self::Withheld(line) = self else { return Step::Pass };
        let known = line.len();
        line.extend_from_slice(bytes);
        let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
            return if line.len() > bytes_max { self.give_up() } else { Step::More };
        };
        let taken = without_query(&line[..known + end]).map(|(place, query)| {
            line.drain(place);
            query
        });
        let line = std::mem::take(line);
        let all = 0..line.len();
        *self = Self::Released(line, all);
        Step::Release(taken)
    }

    /// Passes on what was withheld as it is, for example at the end of the stream.
    pub fn give_up(&mut self) -> Step {
        let Self::Withheld(line) = self else { return Step::Pass };
        let line = std::mem::take(line);
        let all = 0..line.len();
        *self = Self::Released(line, all);
        Step::Release(None)
    }

    /// Takes up to `room` of the bytes to pass on. Empty if there are none.
    pub fn release(&mut self, room: usize) -> &[u8] {
        if matches!(self, Self::Released(_, left) if left.start == left.end) {
            *self = Self::Past;
        }
        let Self::Released(line, left) = self else { return &[] };
        let start = left.start;
        left.start = left.end.min(start + room);
        &line[start..left.start]
    }
}

/// Finds the query in a request line that is too long for hyper. Returns its place, with the question mark, and its text.
fn without_query(line: &[u8]) -> Option<(Range<usize>, String)> {
    let text = std::str::from_utf8(line).ok()?;
    let (method, rest) = text.split_once(' ')?;
    let (target, version) = rest.rsplit_once(' ')?;
    let is_request = method.bytes().all(|byte| byte.is_ascii_uppercase())
        && target.starts_with('/')
        && target.bytes().all(|byte| byte > b' ' && byte != 0x7f)
        && matches!(version.trim_end_matches('\r'), "HTTP/1.1" | "HTTP/1.0");
    if !is_request || target.len() <= URI_BYTES_MAX {
        return None;
    }
    let (path, query) = target.split_once('?')?;
    let start = method.len() + 1 + path.len();
    let end = method.len() + 1 + target.len();
    // A fragment is not for the server; the URI drops it, too.
    let query = query.split('#').next().unwrap_or_default();
    Some((start..end, query.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: usize = 200_000;

    /// Receives a text in pieces. Returns what reaches hyper, and the query beside it.
    fn received(text: &str, piece: usize) -> (String, Option<String>) {
        let (mut line, mut passed, mut query) = (RequestLine::Start, Vec::new(), None);
        for bytes in text.as_bytes().chunks(piece) {
            match line.receive(bytes, MAX) {
                Step::Pass => passed.extend_from_slice(bytes),
                Step::More => {}
                Step::Release(taken) => {
                    query = taken;
                    while let bytes @ [_, ..] = line.release(1_000) {
                        passed.extend_from_slice(bytes);
                    }
                }
            }
        }
        (String::from_utf8(passed).unwrap(), query)
    }

    #[test]
    fn only_queries_that_are_too_long_are_taken_out() {
        let rest = " HTTP/1.1\r\nHost: a\r\n\r\n{\"a\n\": 1}";
        for length in [0, 1, 65_530, 65_531, 65_536, 100_000] {
            let query = "q".repeat(length);
            let text = format!("GET /ab?{query}{rest}");
            let is_long = "/ab?".len() + length > URI_BYTES_MAX;
            for piece in [7, 8_192, 1 << 20] {
                let expected = if is_long {
                    (format!("GET /ab{rest}"), Some(query.clone()))
                } else {
                    (text.clone(), None)
                };
                assert!(received(&text, piece) == expected, "{length} {piece}");
            }
        }
        let fragment = format!("GET /?{}#f{rest}", "q".repeat(65_536));
        assert_eq!(received(&fragment, 1_000).1.unwrap().len(), 65_536);
    }

    #[test]
    fn everything_else_passes_as_it_is() {
        let long = "q".repeat(70_000);
        for text in [
            "".to_owned(),
            "GET / HTTP/1.1\r\n\r\n".to_owned(),
            "\r\nGET / HTTP/1.1\r\n\r\n".to_owned(),
            "\x16\x03\x01".to_owned(),
            format!("GET /{long} HTTP/1.1\r\n"),
            format!("GET /?{long} HTTP/2.0\r\n"),
            format!("GET http://a/?{long} HTTP/1.1\r\n"),
            format!("GET /? {long} HTTP/1.1\r\n"),
            format!("get /?{long} HTTP/1.1\r\n"),
            format!("GET /?{long}\n\n"),
        ] {
            assert!(received(&text, 10) == (text.clone(), None), "{}", &text[..text.len().min(40)]);
        }
        // A line without an end is passed on once it is longer than any that is allowed.
        let endless = "G".repeat(MAX + 10);
        assert_eq!(received(&endless, 1_000).0.len(), MAX + 10);
    }

    #[test]
    fn an_unfinished_line_is_passed_on_at_the_end() {
        let mut line = RequestLine::Start;
        assert_eq!(line.receive(b"GET /", MAX), Step::More);
        assert_eq!(line.give_up(), Step::Release(None));
        assert_eq!(line.release(3), b"GET");
        assert_eq!(line.release(3), b" /");
        assert_eq!(line.release(3), b"");
        assert_eq!(line.give_up(), Step::Pass);
    }
}
