//! Cuts a JSON document into the items at a path, without holding more than one of them.
//!
//! The scanner knows strings, brackets and commas, and leaves the rest to the JSON parser that reads the items. So an item that
//! is no JSON is unreadable and the document goes on, as long as its quotes and brackets are balanced.

use std::io::{self, BufRead};

use crate::buffer::fill;

use super::path::{JsonPath, Segment};

/// The names under which an object usually holds its list of adverts, if the mapping names none.
pub(crate) const WRAPPERS: &[&str] = &[
    "hydra:member",
    "member",
    "members",
    "items",
    "data",
    "results",
    "value",
    "adverts",
    "listings",
    "properties",
    "annonces",
    "biens",
];

pub(crate) enum Item {
    /// The bytes are in [`Scanner::item`].
    Complete,
    /// Larger than the limit: skipped.
    TooLarge,
}

pub(crate) struct Scanner<R> {
    reader: R,
    path: Option<JsonPath>,
    frames: Vec<Frame>,
    /// The bytes of the current item.
    pub(crate) item: Vec<u8>,
    item_bytes_max: usize,
    found: bool,
}

/// A container that the scanner is inside of, and the number of path segments that led into it.
enum Frame {
    Object { depth: usize },
    Array { depth: usize, index: usize },
}

/// What the path says about a value.
enum Step {
    Item,
    Into,
    Skip,
}

impl<R: BufRead> Scanner<R> {
    /// Scans for the items at `path`. Without a path, they are the items of the array at the top, or of the first array with
    /// one of the [`WRAPPERS`] as its name. An empty path means the documents themselves, one after the other.
    pub(crate) fn new(reader: R, path: Option<JsonPath>, item_bytes_max: usize) -> Self {
        Self { reader, path, frames: Vec::new(), item: Vec::new(), item_bytes_max, found: false }
    }

    /// Returns `true` if the path led anywhere.
    pub(crate) fn found(&self) -> bool {
        self.found
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<Item>> {
        loop {
            let Some(byte) = self.skip_space()? else {
                return if self.frames.is_empty() { Ok(None) } else { Err(cut_off()) };
            };
            let step = match self.frames.last_mut() {
                None => self.step(0, byte),
                Some(Frame::Array { depth, index }) => match byte {
                    b']' | b',' => {
                        self.reader.consume(1);
                        if byte == b']' {
                            self.frames.pop();
                        }
                        continue;
                    }
                    b'}' | b':' => return Err(broken("a bracket of an array is closed by another kind")),
                    _ => {
                        let (depth, number) = (*depth, *index);
                        *index += 1;
                        if self.selects(depth, number) { self.step(depth + 1, byte) } else { Step::Skip }
                    }
                },
                Some(Frame::Object { depth }) => match byte {
                    b'}' | b',' => {
                        self.reader.consume(1);
                        if byte == b'}' {
                            self.frames.pop();
                        }
                        continue;
                    }
                    b'"' => {
                        let depth = *depth;
                        let key = self.key()?;
                        let Some(byte) = self.skip_space()? else { return Err(cut_off()) };
                        self.member(depth, key.as_deref(), byte)
                    }
                    _ => return Err(broken("the name of a member is not in quotes")),
                },
            };
            match step {
                Step::Item => {
                    self.found = true;
                    let whole = self.value(true)?;
                    return Ok(Some(if whole { Item::Complete } else { Item::TooLarge }));
                }
                Step::Into => {}
                Step::Skip => {
                    self.value(false)?;
                }
            }
        }
    }

    /// Decides about a value that `depth` segments of the path led to, and enters it if the path goes on inside.
    fn step(&mut self, depth: usize, first: u8) -> Step {
        let frame = match &self.path {
            Some(path) => match (path.0.get(depth), first) {
                (None, _) => return Step::Item,
                (Some(Segment::Key(_)), b'{') => Frame::Object { depth },
                (Some(Segment::Index(_) | Segment::All), b'[') => Frame::Array { depth, index: 0 },
                (Some(_), _) => return Step::Skip,
            },
            None => match (depth, first) {
                (0, b'[') => Frame::Array { depth, index: 0 },
                (0, b'{') => Frame::Object { depth },
                (0, _) => return Step::Skip,
                _ => return Step::Item,
            },
        };
        self.found |= matches!(frame, Frame::Array { .. });
        self.reader.consume(1);
        self.frames.push(frame);
        Step::Into
    }

    fn member(&mut self, depth: usize, key: Option<&str>, first: u8) -> Step {
        match &self.path {
            Some(path) => match (path.0.get(depth), key) {
                (Some(Segment::Key(wanted)), Some(key)) if wanted == key => self.step(depth + 1, first),
                _ => Step::Skip,
            },
            None if first == b'[' && key.is_some_and(|key| WRAPPERS.contains(&key)) => {
                self.found = true;
                self.reader.consume(1);
                self.frames.push(Frame::Array { depth: 0, index: 0 });
                Step::Into
            }
            None => Step::Skip,
        }
    }

    fn selects(&self, depth: usize, number: usize) -> bool {
        match self.path.as_ref().and_then(|path| path.0.get(depth)) {
            Some(Segment::Index(wanted)) => *wanted == number,
            Some(Segment::Key(_)) => false,
            Some(Segment::All) | None => true,
        }
    }

    /// Reads the name of a member and its colon. Returns `None` for a name that is too long to be one we look for.
    fn key(&mut self) -> io::Result<Option<String>> {
        let whole = self.value(true)?;
        let key = whole.then(|| serde_json::from_slice(&self.item).ok()).flatten();
        match self.skip_space()? {
            Some(b':') => self.reader.consume(1),
            Some(_) => return Err(broken("the colon after a name is missing")),
            None => return Err(cut_off()),
        }
        Ok(key)
    }

    /// Returns the next byte that is no white space, without consuming it.
    fn skip_space(&mut self) -> io::Result<Option<u8>> {
        loop {
            let available = fill(&mut self.reader)?;
            if available.is_empty() {
                return Ok(None);
            }
            let spaces = available.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let next = available.get(spaces).copied();
            self.reader.consume(spaces);
            if next.is_some() {
                return Ok(next);
            }
        }
    }

    /// Consumes one value, and keeps it in `item` if asked to. Returns `false` if it was too large to keep.
    fn value(&mut self, keep: bool) -> io::Result<bool> {
        self.item.clear();
        let (mut depth, mut in_string, mut escaped, mut scalar) = (0_usize, false, false, false);
        let mut length = 0_usize;
        loop {
            let available = fill(&mut self.reader)?;
            if available.is_empty() {
                // A number at the end of a document is complete; everything else has an end of its own.
                return if scalar { Ok(true) } else { Err(cut_off()) };
            }
            let mut used = 0;
            let mut ended = false;
            for byte in available {
                if in_string {
                    used += 1;
                    match (escaped, byte) {
                        (true, _) => escaped = false,
                        (false, b'\\') => escaped = true,
                        (false, b'"') => {
                            in_string = false;
                            ended = depth == 0;
                        }
                        (false, _) => {}
                    }
                } else {
                    match byte {
                        b',' | b']' | b'}' if depth == 0 => {
                            ended = true;
                            // A value must not be empty, or the scan would not move on.
                            used += usize::from(length + used == 0);
                            break;
                        }
                        byte if depth == 0 && scalar && byte.is_ascii_whitespace() => {
                            ended = true;
                            break;
                        }
                        b'"' => in_string = true,
                        b'[' | b'{' => depth += 1,
                        b']' | b'}' => {
                            depth -= 1;
                            ended = depth == 0;
                        }
                        _ if depth == 0 => scalar = true,
                        _ => {}
                    }
                    used += 1;
                }
                if ended {
                    break;
                }
            }
            length += used;
            if keep && length <= self.item_bytes_max {
                self.item.extend_from_slice(&available[..used]);
            }
            self.reader.consume(used);
            if ended {
                return Ok(length <= self.item_bytes_max);
            }
        }
    }
}

fn cut_off() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the JSON document is cut off")
}

fn broken(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the JSON document is broken: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(document: &str, path: Option<&str>, bytes_max: usize) -> (Vec<String>, Option<io::ErrorKind>) {
        let path = path
            .map(|path| if path.is_empty() { JsonPath::default() } else { JsonPath::parse(path).unwrap() });
        // A tiny buffer, so that every value crosses its end.
        let reader = io::BufReader::with_capacity(3, document.as_bytes());
        let mut scanner = Scanner::new(reader, path, bytes_max);
        let mut items = Vec::new();
        loop {
            match scanner.next() {
                Ok(None) => return (items, None),
                Ok(Some(Item::Complete)) => items.push(String::from_utf8(scanner.item.clone()).unwrap()),
                Ok(Some(Item::TooLarge)) => items.push("too large".to_owned()),
                Err(error) => return (items, Some(error.kind())),
            }
        }
    }

    fn check(document: &str, path: Option<&str>, expected: &[&str]) {
        assert_eq!(
            scan(document, path, 1_000),
            (expected.iter().map(|it| (*it).to_owned()).collect(), None),
            "{document}"
        );
    }

    #[test]
    fn items_are_cut_out_at_their_path() {
        check(
            r#" [ {"a":"]}"} , {"b":[1,{"c":"\"}"}]} , 3 ,"x" ] "#,
            None,
            &[r#"{"a":"]}"}"#, r#"{"b":[1,{"c":"\"}"}]}"#, "3", "\"x\""],
        );
        check(
            r#"{"total":2,"x":["no"],"data":[{"a":1},{"a":2}],"next":{"data":[3]}}"#,
            None,
            &[r#"{"a":1}"#, r#"{"a":2}"#],
        );
        check(
            r#"{"a":{"skip":[9],"b":[{"c":[1,2]},{"c":[3]},{"d":4}]}}"#,
            Some("a.b[*].c[*]"),
            &["1", "2", "3"],
        );
        check(r#"{"a":[[1],[2],[3]]}"#, Some("a[1][*]"), &["2"]);
        check("{\"a\":1}\n{\"a\":2}\n", Some(""), &["{\"a\":1}", "{\"a\":2}"]);
        check("[]", None, &[]);
        check("", None, &[]);
        check(r#"{"a":[]}"#, Some("b[*]"), &[]);
        check("[broken, {\"a\":1}]", None, &["broken", "{\"a\":1}"]);
    }

    #[test]
    fn cut_documents_are_errors() {
        for document in ["[{\"a\":1},", "[{\"a\":1", "{\"data\":[", "[\"x", "{\"data\"", "{\"data\":"] {
            assert_eq!(scan(document, None, 1_000).1, Some(io::ErrorKind::UnexpectedEof), "{document}");
        }
        for document in ["{data:[]}", "{\"data\" []}", "[1}"] {
            assert_eq!(scan(document, None, 1_000).1, Some(io::ErrorKind::InvalidData), "{document}");
        }
    }

    #[test]
    fn large_items_are_skipped() {
        let document = format!("[\"{}\",1]", "x".repeat(100));
        assert_eq!(scan(&document, None, 20), (vec!["too large".to_owned(), "1".to_owned()], None));
    }
}
