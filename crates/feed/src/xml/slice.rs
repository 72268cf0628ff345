//! Cuts an XML document into the elements of some names, without holding more than one of them.
//!
//! A parser of a whole document stops at the first mistake. The slicer knows only markup, comments and CDATA, so that a broken
//! element does not end the feed: the elements are parsed one by one. It never expands an entity.

use std::io::{self, BufRead};

use crate::buffer::fill;

pub(crate) enum Slice {
    /// The element is in [`Slicer::element`]; the number is the position of its name in the list.
    Element(usize),
    /// The element is larger than the limit.
    TooLarge,
    /// The next element begins before the end of this one.
    Unclosed,
    End,
}

pub(crate) struct Slicer<R> {
    reader: R,
    names: &'static [&'static str],
    /// The bytes of the current element.
    pub(crate) element: Vec<u8>,
    element_bytes_max: usize,
    too_large: bool,
    /// Which of the names the current element has.
    open: Option<usize>,
    /// The current markup, from `<` to `>`.
    tag: Vec<u8>,
    /// The name of the first element of the document, until its end.
    root: Root,
}

enum Root {
    Unknown,
    Open(Vec<u8>),
    Closed,
}

/// Markup that has been read.
enum Markup {
    Start,
    Empty,
    End,
    /// Comments, CDATA, declarations.
    Other,
}

impl<R: BufRead> Slicer<R> {
    pub(crate) fn new(reader: R, names: &'static [&'static str], element_bytes_max: usize) -> Self {
        Self {
            reader,
            names,
            element: Vec::new(),
            element_bytes_max,
            too_large: false,
            open: None,
            tag: Vec::new(),
            root: Root::Unknown,
        }
    }

    pub(crate) fn next(&mut self) -> io::Result<Slice> {
        // The start tag of an element that cut the one before it short.
        if self.open.is_none() {
            self.element.clear();
            self.too_large = false;
        }
        loop {
            if !self.text()? {
                return self.end_of_document();
            }
            let Some(markup) = self.markup()? else { return self.end_of_document() };
            match markup {
                Markup::Other => {}
                Markup::Start | Markup::Empty => {
                    let name = local_name(&self.tag, 1);
                    if let Root::Unknown = self.root {
                        self.root = match markup {
                            Markup::Start => Root::Open(name.to_vec()),
                            Markup::Empty | Markup::End | Markup::Other => Root::Closed,
                        };
                    }
                    let known = self.names.iter().position(|known| known.as_bytes() == name);
                    match (self.open, known) {
                        (Some(open), Some(known)) if open == known && matches!(markup, Markup::Start) => {
                            // The start tag was appended, too.
                            let too_large = self.too_large;
                            self.too_large = false;
                            self.element.clear();
                            self.element.extend_from_slice(&self.tag);
                            return Ok(if too_large { Slice::TooLarge } else { Slice::Unclosed });
                        }
                        (Some(_), _) | (None, None) => {}
                        (None, Some(known)) => {
                            self.element.clear();
                            self.too_large = false;
                            self.element.extend_from_slice(&self.tag);
                            if matches!(markup, Markup::Empty) {
                                return Ok(Slice::Element(known));
                            }
                            self.open = Some(known);
                        }
                    }
                }
                Markup::End => {
                    let name = local_name(&self.tag, 2);
                    if let Root::Open(root) = &self.root
                        && root == name
                    {
                        self.root = Root::Closed;
                    }
                    if let Some(open) = self.open
                        && self.names.get(open).is_some_and(|known| known.as_bytes() == name)
                    {
                        self.open = None;
                        return Ok(if self.too_large { Slice::TooLarge } else { Slice::Element(open) });
                    }
                }
            }
        }
    }

    fn end_of_document(&self) -> io::Result<Slice> {
        match (&self.root, self.open) {
            (Root::Closed, None) => Ok(Slice::End),
            (Root::Unknown, _) => {
                Err(io::Error::new(io::ErrorKind::InvalidData, "the feed is not an XML document"))
            }
            (Root::Open(_) | Root::Closed, _) => {
                Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the XML document is cut off"))
            }
        }
    }

    fn keep(element: &mut Vec<u8>, too_large: &mut bool, bytes_max: usize, bytes: &[u8]) {
        if element.len() + bytes.len() > bytes_max {
            *too_large = true;
            element.clear();
        }
        if !*too_large {
            element.extend_from_slice(bytes);
        }
    }

    /// Skips text up to the next `<`, and keeps it inside an element. Returns `false` at the end of the document.
    fn text(&mut self) -> io::Result<bool> {
        loop {
            let available = fill(&mut self.reader)?;
            if available.is_empty() {
                return Ok(false);
            }
            let end = available.iter().position(|byte| *byte == b'<');
            let length = end.unwrap_or(available.len());
            if self.open.is_some() {
                let text = &available[..length];
                Self::keep(&mut self.element, &mut self.too_large, self.element_bytes_max, text);
            }
            self.reader.consume(length);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// Reads markup, and keeps it inside an element. Returns `None` at the end of the document.
    fn markup(&mut self) -> io::Result<Option<Markup>> {
        self.tag.clear();
        let mut state = State::default();
        loop {
            let available = fill(&mut self.reader)?;
            if available.is_empty() {
                return Ok(None);
            }
            let mut used = 0;
            let mut ended = false;
            for byte in available {
                // A second `<` inside of a tag: the first one was text.
                if *byte == b'<' && state.is_broken_tag() {
                    ended = true;
                    break;
                }
                used += 1;
                if state.push(*byte) {
                    ended = true;
                    break;
                }
            }
            let bytes = &available[..used];
            // Comments and CDATA may be large; only the beginning of markup tells its kind and its name.
            if self.tag.len() + bytes.len() <= self.element_bytes_max {
                self.tag.extend_from_slice(bytes);
            }
            if self.open.is_some() {
                Self::keep(&mut self.element, &mut self.too_large, self.element_bytes_max, bytes);
            }
            self.reader.consume(used);
            if ended {
                return Ok(Some(kind(&self.tag)));
            }
        }
    }
}

fn kind(tag: &[u8]) -> Markup {
    match tag {
        [b'<', b'!' | b'?', ..] => Markup::Other,
        [b'<', b'/', .., b'>'] => Markup::End,
        [b'<', .., b'/', b'>'] => Markup::Empty,
        [b'<', .., b'>'] => Markup::Start,
        _ => Markup::Other,
    }
}

/// Returns the name of a tag without its prefix.
fn local_name(tag: &[u8], from: usize) -> &[u8] {
    let name = tag.get(from..).unwrap_or_default();
    let end = name.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'));
    let name = &name[..end.unwrap_or(name.len())];
    let prefix = name.iter().position(|byte| *byte == b':').map_or(0, |at| at + 1);
    &name[prefix..]
}

/// Finds the end of markup, byte by byte.
#[derive(Default)]
struct State {
    kind: Kind,
    length: usize,
    first: [u8; 9],
    last: [u8; 2],
    quote: Option<u8>,
    /// Open brackets of a document type, which may contain declarations.
    brackets: usize,
}

#[derive(Default, PartialEq, Eq, Clone, Copy)]
enum Kind {
    #[default]
    Unknown,
    Tag,
    Comment,
    CData,
    Instruction,
    Declaration,
}

impl State {
    fn is_broken_tag(&self) -> bool {
        self.length > 0 && self.kind == Kind::Tag && self.quote.is_none()
    }

    /// Adds a byte. Returns `true` if it ends the markup.
    fn push(&mut self, byte: u8) -> bool {
        if let Some(slot) = self.first.get_mut(self.length) {
            *slot = byte;
        }
        self.length += 1;
        if self.kind == Kind::Unknown || self.kind == Kind::Declaration {
            self.kind = self.recognise();
        }
        let last = self.last;
        self.last = [last[1], byte];
        match self.kind {
            Kind::Unknown => false,
            Kind::Comment => self.length > 6 && last == *b"--" && byte == b'>',
            Kind::CData => self.length > 11 && last == *b"]]" && byte == b'>',
            Kind::Instruction => self.length > 3 && last[1] == b'?' && byte == b'>',
            Kind::Tag | Kind::Declaration => {
                match (self.quote, byte) {
                    (Some(quote), byte) if quote == byte => self.quote = None,
                    (Some(_), _) => {}
                    (None, b'"' | b'\'') => self.quote = Some(byte),
                    (None, b'[') if self.kind == Kind::Declaration => self.brackets += 1,
                    (None, b']') if self.kind == Kind::Declaration => {
                        self.brackets = self.brackets.saturating_sub(1)
                    }
                    (None, b'>') => return self.brackets == 0,
                    (None, _) => {}
                }
                false
            }
        }
    }

    fn recognise(&self) -> Kind {
        let first = &self.first[..self.length.min(self.first.len())];
        match first {
            [b'<'] => Kind::Unknown,
            [b'<', b'?', ..] => Kind::Instruction,
            [b'<', b'!', b'-', b'-', ..] => Kind::Comment,
            b"<![CDATA[" => Kind::CData,
            // Not decided yet: the bracket of CDATA must not count as one of a document type.
            [b'<', b'!', rest @ ..] if b"--".starts_with(rest) || b"[CDATA[".starts_with(rest) => {
                Kind::Unknown
            }
            [b'<', b'!', ..] => Kind::Declaration,
            _ => Kind::Tag,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slices(document: &str, bytes_max: usize) -> (Vec<String>, Option<io::ErrorKind>) {
        let reader = io::BufReader::with_capacity(4, document.as_bytes());
        let mut slicer = Slicer::new(reader, &["p", "firma"], bytes_max);
        let mut slices = Vec::new();
        loop {
            match slicer.next() {
                Ok(Slice::End) => return (slices, None),
                Ok(Slice::Element(_)) => slices.push(String::from_utf8(slicer.element.clone()).unwrap()),
                Ok(Slice::TooLarge) => slices.push("too large".to_owned()),
                Ok(Slice::Unclosed) => slices.push("unclosed".to_owned()),
                Err(error) => return (slices, Some(error.kind())),
            }
        }
    }

    fn check(document: &str, expected: &[&str]) {
        let expected: Vec<String> = expected.iter().map(|it| (*it).to_owned()).collect();
        assert_eq!(slices(document, 1_000), (expected, None), "{document}");
    }

    #[test]
    fn elements_are_cut_out() {
        check(
            "<r><p>1</p>\n<q/><p a=\"</p>\">2<b/></p><p/></r>",
            &["<p>1</p>", "<p a=\"</p>\">2<b/></p>", "<p/>"],
        );
        check("<?xml version=\"1.0\"?><!-- <p>no</p> --><r><x:p>1</x:p></r>", &["<x:p>1</x:p>"]);
        check(
            "<r><p><![CDATA[</p>]]></p><p><!-- </p> --></p></r>",
            &["<p><![CDATA[</p>]]></p>", "<p><!-- </p> --></p>"],
        );
        check(
            "<r><firma>A</firma><p><firma>B</firma></p></r>",
            &["<firma>A</firma>", "<p><firma>B</firma></p>"],
        );
        check("<r><pp>1</pp></r>", &[]);
        check("<!DOCTYPE r [<!ENTITY a \"<p>]>\"><!ENTITY b \"x\">]><r><p>&a;</p></r>", &["<p>&a;</p>"]);
        check("<r><p>a < b</p><p>2</p></r>", &["<p>a < b</p>", "<p>2</p>"]);
        check("<r/>", &[]);
    }

    #[test]
    fn broken_elements_cost_only_themselves() {
        check("<r><p>1<p>2</p><p>3</p></r>", &["unclosed", "<p>2</p>", "<p>3</p>"]);
        let document = format!(
            "<r><p>{}</p><p>2</p><p><![CDATA[{}]]></p><p>3</p></r>",
            "x".repeat(5_000),
            "y".repeat(5_000)
        );
        let expected = ["too large", "<p>2</p>", "too large", "<p>3</p>"].map(str::to_owned).to_vec();
        assert_eq!(slices(&document, 1_000), (expected, None));
    }

    #[test]
    fn cut_documents_are_errors() {
        for document in
            ["<r><p>1</p>", "<r><p>1", "<r><p", "<r><p><![CDATA[x</p></r>", "<r><p a=\"x></p></r>"]
        {
            assert_eq!(slices(document, 1_000).1, Some(io::ErrorKind::UnexpectedEof), "{document}");
        }
        for document in ["", "hello", "a,b\n1,2\n"] {
            assert_eq!(slices(document, 1_000).1, Some(io::ErrorKind::InvalidData), "{document}");
        }
    }
}
