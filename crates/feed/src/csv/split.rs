//! Splits text with separators into records and fields.
//!
//! The `csv` crate reads one-byte delimiters only, and one quote that is not closed makes it swallow the rest of the file.
//! Feeds of the trade are separated by `!#`, and contain such quotes. This splitter keeps at most one record in memory. If a
//! quote is not closed, it gives up the line where the record began, and goes on with the next line.

use std::io::{self, BufRead};
use std::ops::Range;

/// How the fields of a file are separated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Separators {
    pub(crate) delimiter: Vec<u8>,
    pub(crate) quote: Option<u8>,
    pub(crate) quotes_inside: QuotesInside,
}

/// What a quote inside a quoted field looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuotesInside {
    /// It is doubled.
    Doubled,
    /// It stands alone: a field ends only where a delimiter or a line break follows. Doubled quotes are understood as well.
    Bare,
}

pub(crate) enum Split {
    /// The fields are in [`Splitter::field`].
    Record,
    /// The line cannot be split, for this reason.
    Unreadable(String),
    End,
}

pub(crate) struct Splitter<R> {
    reader: R,
    separators: Separators,
    /// Bytes that were read and not consumed yet begin at `start`.
    buffer: Vec<u8>,
    start: usize,
    at_end: bool,
    record_bytes_max: usize,
    /// The least that is read at once.
    read_bytes: usize,
    fields: Vec<Field>,
    /// The number of columns, once known: a record over several lines must have it.
    columns: Option<usize>,
    /// The line of the current record, from 1, and that of the next.
    line: u64,
    next_line: u64,
    /// Until this many bytes are consumed, quoted fields end with their line: a search for the end of a quote has failed here.
    single_lines: usize,
    /// Whether a line end follows the current record.
    line_ended: bool,
}

/// A field in the buffer, without its quotes.
#[derive(Debug, Clone)]
struct Field {
    range: Range<usize>,
    quoted: bool,
}

/// The result of scanning the buffer for one record.
enum Scan {
    Record {
        bytes: usize,
        /// A quote inside a quoted field was neither doubled nor at its end.
        stray_quote: bool,
    },
    /// The record goes on after the buffer.
    More,
    /// A quote is not closed before the end of the file.
    Unclosed,
    /// A line ends inside a quoted field, after a quote that should have been doubled.
    StrayQuote,
}

const READ_BYTES: usize = 64 * 1024;

impl<R: BufRead> Splitter<R> {
    pub(crate) fn new(reader: R, separators: Separators, record_bytes_max: usize) -> Self {
        Self {
            reader,
            separators,
            buffer: Vec::new(),
            start: 0,
            at_end: false,
            record_bytes_max,
            read_bytes: READ_BYTES,
            fields: Vec::new(),
            columns: None,
            line: 1,
            next_line: 1,
            single_lines: 0,
            line_ended: false,
        }
    }

    pub(crate) fn set_columns(&mut self, columns: usize) {
        self.columns = Some(columns);
    }

    /// Returns the line where the current record begins.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    pub(crate) fn len(&self) -> usize {
        self.fields.len()
    }

    /// Says why the current record cannot be trusted: the file ends in it, before the last of so many columns.
    ///
    /// Many programs write no line end after the last record, so that alone proves nothing. Elsewhere in the file a record may
    /// leave out empty columns at its end.
    pub(crate) fn cut(&self, columns: usize) -> Option<String> {
        let found = self.fields.len();
        (!self.line_ended && found < columns).then(|| {
            format!(
                "the file seems to be cut: it ends in this record, after {found} of {columns} columns and without a line end"
            )
        })
    }

    /// Returns `true` if the file ends with the current record, without a line end.
    pub(crate) fn ends_file(&self) -> bool {
        !self.line_ended
    }

    /// Returns `true` if a field of the current record has quotes around it.
    pub(crate) fn is_quoted(&self, index: usize) -> bool {
        self.fields.get(index).is_some_and(|field| field.quoted)
    }

    /// Returns the bytes of a field of the current record, without quotes around it.
    pub(crate) fn field(&self, index: usize) -> std::borrow::Cow<'_, [u8]> {
        let Some(field) = self.fields.get(index) else { return (&[][..]).into() };
        let bytes = &self.buffer[field.range.clone()];
        match self.separators.quote {
            Some(quote) if field.quoted && bytes.windows(2).any(|pair| pair == [quote, quote]) => {
                unescape(bytes, quote).into()
            }
            _ => bytes.into(),
        }
    }

    pub(crate) fn next(&mut self) -> io::Result<Split> {
        self.skip_blank_lines()?;
        self.line = self.next_line;
        loop {
            let (scan, fields) = if self.single_lines > 0 {
                self.scan_line()
            } else {
                self.scan(&self.buffer[self.start..], self.at_end)
            };
            match scan {
                Scan::Record { bytes, stray_quote } => {
                    let span = &self.buffer[self.start..self.start + bytes];
                    let lines = span.trim_ascii_end().iter().filter(|byte| **byte == b'\n').count();
                    if fields.len() == 1 && is_end_of_text(span) {
                        self.consume(bytes);
                        continue;
                    }
                    if bytes > self.record_bytes_max.saturating_add(2) {
                        self.consume(bytes);
                        return Ok(self.too_large());
                    }
                    let wrong_columns = self.columns.is_some_and(|columns| columns != fields.len());
                    if lines > 0 && (wrong_columns || stray_quote) {
                        self.single_lines = bytes;
                        return Ok(self.recover_line());
                    }
                    if wrong_columns && stray_quote {
                        return Ok(self.recover_line());
                    }
                    self.fields = fields;
                    self.advance(bytes);
                    return Ok(Split::Record);
                }
                Scan::More if self.buffer.len() - self.start > self.record_bytes_max => {
                    return self.give_up_record();
                }
                Scan::More if self.at_end && self.start == self.buffer.len() => return Ok(Split::End),
                Scan::More => self.fill()?,
                Scan::Unclosed => {
                    self.single_lines = self.buffer.len() - self.start;
                    return Ok(self.recover_line());
                }
                Scan::StrayQuote => return Ok(self.recover_line()),
            }
        }
    }

    /// Consumes the bytes of a record whose fields are still needed.
    fn advance(&mut self, bytes: usize) {
        let base = self.start;
        // A carriage return is the first half of a line end: the record before it is complete.
        self.line_ended = matches!(self.buffer[base..base + bytes].last(), Some(b'\n' | b'\r'));
        for field in &mut self.fields {
            field.range = field.range.start + base..field.range.end + base;
        }
        self.consume(bytes);
    }

    fn consume(&mut self, bytes: usize) {
        let span = &self.buffer[self.start..self.start + bytes];
        self.next_line += span.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.start += bytes;
        self.single_lines = self.single_lines.saturating_sub(bytes);
    }

    fn too_large(&self) -> Split {
        Split::Unreadable(format!(
            "the record is larger than {} bytes, and was skipped",
            self.record_bytes_max
        ))
    }

    /// Reads the line where the record began by itself, or skips it, because a quote in it is not closed.
    fn recover_line(&mut self) -> Split {
        let available = &self.buffer[self.start..];
        let bytes = available.iter().position(|byte| *byte == b'\n').map_or(available.len(), |at| at + 1);
        if let Some(fields) = self.literal_fields(&available[..bytes]) {
            self.fields = fields;
            self.advance(bytes);
            return Split::Record;
        }
        self.consume(bytes);
        Split::Unreadable(
            "a quote is not closed, or the quotes of the line do not fit its columns".to_owned(),
        )
    }

    /// Gives up a record that is larger than the limit. If it has a line break, a quote is not closed.
    fn give_up_record(&mut self) -> io::Result<Split> {
        if self.buffer[self.start..].contains(&b'\n') {
            self.single_lines = self.buffer.len() - self.start;
            return Ok(self.recover_line());
        }
        loop {
            let available = &self.buffer[self.start..];
            if let Some(at) = available.iter().position(|byte| *byte == b'\n') {
                self.consume(at + 1);
                return Ok(self.too_large());
            }
            self.consume(available.len());
            if self.at_end {
                return Ok(self.too_large());
            }
            self.fill()?;
        }
    }

    fn skip_blank_lines(&mut self) -> io::Result<()> {
        loop {
            if self.start == self.buffer.len() {
                if self.at_end {
                    return Ok(());
                }
                self.fill()?;
                continue;
            }
            match self.buffer[self.start] {
                b'\n' | b'\r' => self.consume(1),
                _ => return Ok(()),
            }
        }
    }

    /// Reads more bytes: as many as there are already, so that scanning again stays cheap.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let wanted = self.buffer.len() + self.buffer.len().max(self.read_bytes);
        while self.buffer.len() < wanted && !self.at_end {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            self.at_end = available.is_empty();
            let length = available.len();
            self.buffer.extend_from_slice(available);
            self.reader.consume(length);
        }
        Ok(())
    }

    /// Scans one line as a record.
    fn scan_line(&self) -> (Scan, Vec<Field>) {
        let available = &self.buffer[self.start..];
        match available.iter().position(|byte| *byte == b'\n') {
            Some(at) => self.scan(&available[..=at], true),
            None => self.scan(available, self.at_end),
        }
    }

    /// Splits a line that has fields such as `"Les Jardins" - T3`: their quotes are text. The columns must be right then, and a
    /// quote that has no partner stays a mistake.
    fn literal_fields(&self, line: &[u8]) -> Option<Vec<Field>> {
        let quote = self.separators.quote?;
        let columns = self.columns.filter(|_| self.separators.quotes_inside == QuotesInside::Doubled)?;
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let mut fields = Vec::new();
        let mut at = 0;
        loop {
            let closed = match line.get(at) {
                Some(first) if *first == quote => self.quoted_end(line, at + 1, true).ok(),
                _ => None,
            };
            let end = match closed {
                Some((end, false)) => {
                    fields.push(Field { range: at + 1..end, quoted: true });
                    end + 1
                }
                _ => {
                    let end = self.plain_end(line, at).unwrap_or(line.len());
                    let quotes = line[at..end].iter().filter(|byte| **byte == quote).count();
                    if quotes % 2 == 1 {
                        return None;
                    }
                    fields.push(Field { range: at..end, quoted: false });
                    end
                }
            };
            at = end + line[end..].iter().take_while(|byte| **byte == b' ').count();
            if at >= line.len() {
                return Some(fields).filter(|fields| fields.len() == columns);
            }
            line[at..].strip_prefix(self.separators.delimiter.as_slice())?;
            at += self.separators.delimiter.len();
        }
    }

    /// Looks for the fields of one record. `complete` means that nothing follows these bytes.
    fn scan(&self, bytes: &[u8], complete: bool) -> (Scan, Vec<Field>) {
        let mut fields = Vec::new();
        let mut stray_quote = false;
        let mut at = 0;
        loop {
            if bytes.is_empty() {
                return (Scan::More, fields);
            }
            let spaces = bytes[at..].iter().take_while(|byte| **byte == b' ').count();
            let quoted =
                self.separators.quote.is_some() && bytes.get(at + spaces) == self.separators.quote.as_ref();
            let end = if quoted {
                at += spaces + 1;
                match self.quoted_end(bytes, at, complete) {
                    Ok((end, stray)) => {
                        stray_quote |= stray;
                        end
                    }
                    Err(scan) => return (scan, fields),
                }
            } else {
                match self.plain_end(bytes, at) {
                    Some(end) => end,
                    None if complete => bytes.len(),
                    None => return (Scan::More, fields),
                }
            };
            fields.push(Field { range: at..end, quoted });
            at = end + usize::from(quoted);
            at += bytes
                .get(at..)
                .map_or(0, |rest| rest.iter().take_while(|byte| **byte == b' ' && quoted).count());
            let rest = bytes.get(at..).unwrap_or_default();
            if rest.starts_with(&self.separators.delimiter) {
                at += self.separators.delimiter.len();
                if at == bytes.len() && !complete {
                    return (Scan::More, fields);
                }
                continue;
            }
            let line_end = if rest.starts_with(b"\r\n") { 2 } else { usize::from(!rest.is_empty()) };
            return (Scan::Record { bytes: at + line_end, stray_quote }, fields);
        }
    }

    /// Returns where a field without quotes ends. A carriage return before the line break is not part of it.
    fn plain_end(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let delimiter = &self.separators.delimiter;
        let first = delimiter.first().copied().unwrap_or(b'\n');
        let mut at = from;
        loop {
            let offset = bytes[at..].iter().position(|byte| *byte == first || *byte == b'\n')?;
            at += offset;
            if bytes[at] == b'\n' {
                return Some(if at > from && bytes[at - 1] == b'\r' { at - 1 } else { at });
            }
            if bytes[at..].starts_with(delimiter) {
                return Some(at);
            }
            at += 1;
        }
    }

    /// Returns where the quote that closes a field is, and whether one before it should have been doubled.
    fn quoted_end(&self, bytes: &[u8], from: usize, complete: bool) -> Result<(usize, bool), Scan> {
        let Some(quote) = self.separators.quote else { return Err(Scan::Unclosed) };
        let unclosed = || if complete { Scan::Unclosed } else { Scan::More };
        let doubled = self.separators.quotes_inside == QuotesInside::Doubled;
        let mut stray_quote = false;
        let mut at = from;
        loop {
            let offset = bytes[at..].iter().position(|byte| *byte == quote);
            let between = &bytes[at..offset.map_or(bytes.len(), |offset| at + offset)];
            if stray_quote && between.contains(&b'\n') {
                return Err(Scan::StrayQuote);
            }
            let Some(offset) = offset else { return Err(unclosed()) };
            at += offset;
            let rest = &bytes[at + 1..];
            let spaces = rest.iter().take_while(|byte| **byte == b' ').count();
            // Whether the quote closes depends on what follows, and that may not have been read yet.
            if rest.len() - spaces < self.separators.delimiter.len().max(2) && !complete {
                return Err(Scan::More);
            }
            if doubled && rest.first() == Some(&quote) {
                at += 2;
                continue;
            }
            let rest = &rest[spaces..];
            let closes = rest.is_empty()
                || rest.starts_with(b"\n")
                || rest.starts_with(b"\r\n")
                || rest.starts_with(&self.separators.delimiter);
            if closes {
                return Ok((at, stray_quote));
            }
            stray_quote = doubled;
            at += 1;
        }
    }
}

/// Returns `true` for what may stand after the last line end and is no record: spaces, and the control character that ended
/// the text files of DOS.
fn is_end_of_text(bytes: &[u8]) -> bool {
    bytes.last() != Some(&b'\n') && bytes.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0x1a)
}

/// Replaces doubled quotes by single ones.
fn unescape(bytes: &[u8], quote: u8) -> Vec<u8> {
    let mut unescaped = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter();
    while let Some(byte) = rest.next() {
        unescaped.push(*byte);
        if *byte == quote && rest.as_slice().first() == Some(&quote) {
            rest.next();
        }
    }
    unescaped
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNREADABLE: &[&str] = &["unreadable"];

    fn split(
        text: &str,
        separators: &Separators,
        columns: Option<usize>,
        bytes_max: usize,
    ) -> Vec<Vec<String>> {
        split_by(READ_BYTES, text, separators, columns, bytes_max)
    }

    fn split_by(
        read_bytes: usize,
        text: &str,
        separators: &Separators,
        columns: Option<usize>,
        bytes_max: usize,
    ) -> Vec<Vec<String>> {
        let reader = io::BufReader::with_capacity(read_bytes, text.as_bytes());
        let mut splitter = Splitter::new(reader, separators.clone(), bytes_max);
        splitter.read_bytes = read_bytes;
        if let Some(columns) = columns {
            splitter.set_columns(columns);
        }
        let mut records = Vec::new();
        loop {
            match splitter.next().unwrap() {
                Split::End => return records,
                Split::Unreadable(_) => records.push(vec!["unreadable".to_owned()]),
                Split::Record => records.push(
                    (0..splitter.len())
                        .map(|index| String::from_utf8(splitter.field(index).into_owned()).unwrap())
                        .collect(),
                ),
            }
        }
    }

    fn comma() -> Separators {
        Separators { delimiter: b",".to_vec(), quote: Some(b'"'), quotes_inside: QuotesInside::Doubled }
    }

    fn poliris() -> Separators {
        Separators { delimiter: b"!#".to_vec(), quote: Some(b'"'), quotes_inside: QuotesInside::Bare }
    }

    fn check(text: &str, separators: &Separators, columns: Option<usize>, expected: &[&[&str]]) {
        for read_bytes in [1, 2, 3, 5, READ_BYTES] {
            assert_eq!(
                split_by(read_bytes, text, separators, columns, 1_000),
                expected,
                "{text} {read_bytes}"
            );
        }
    }

    #[test]
    fn records_are_split() {
        check("a,b\nc,d", &comma(), None, &[&["a", "b"], &["c", "d"]]);
        check("a,b\r\nc,\r\n\r\n,d\r\n", &comma(), None, &[&["a", "b"], &["c", ""], &["", "d"]]);
        check("\"a,\"\"b\"\"\nc\",\"\"\n", &comma(), None, &[&["a,\"b\"\nc", ""]]);
        check("\"a\" , \"b\"\nx", &comma(), None, &[&["a", "b"], &["x"]]);
        check("a\"b,c\"\n", &comma(), None, &[&["a\"b", "c\""]]);
        check("a,", &comma(), None, &[&["a", ""]]);
        check("", &comma(), None, &[]);
        check("\n\n", &comma(), None, &[]);
        let tab = Separators { delimiter: b"\t".to_vec(), quote: None, ..comma() };
        check("\"a\t\"b\"\n", &tab, None, &[&["\"a", "\"b\""]]);
    }

    #[test]
    fn quotes_inside_fields_of_poliris_are_text() {
        check("\"a\"!#\"b \"x\" c\"!#\"\"\n", &poliris(), None, &[&["a", "b \"x\" c", ""]]);
        check("\"a\" !# \"b!c#d\"\n\"\"!#\"e\"", &poliris(), None, &[&["a", "b!c#d"], &["", "e"]]);
        check("\"dit \"le loft\"\"!#\"b\"\n", &poliris(), None, &[&["dit \"le loft\"", "b"]]);
        check("\"dit \"\"le loft\"\" ici\"!#\"b\"\n", &poliris(), None, &[&["dit \"le loft\" ici", "b"]]);
    }

    #[test]
    fn a_quote_that_is_not_closed_costs_one_line() {
        check("a,b\n\"c,d\ne,f\n", &comma(), Some(2), &[&["a", "b"], UNREADABLE, &["e", "f"]]);
        check("\"c,d\n\"e\",f\n\"g\",h\n", &comma(), Some(2), &[UNREADABLE, &["e", "f"], &["g", "h"]]);
        check("a,\"b\n", &comma(), Some(2), &[UNREADABLE]);
        check("\"x\ny\",b\n\"c,d\ne,f\n", &comma(), Some(2), &[&["x\ny", "b"], UNREADABLE, &["e", "f"]]);
    }

    #[test]
    fn quotes_around_a_part_of_a_field_are_text() {
        let part = "\"Les Jardins\" - T3";
        check(&format!("a,{part},1\nb,x,2\n"), &comma(), Some(3), &[&["a", part, "1"], &["b", "x", "2"]]);
        check(
            &format!("a,{part},\"1\"\r\n\"b\",x,2"),
            &comma(),
            Some(3),
            &[&["a", part, "1"], &["b", "x", "2"]],
        );
        check(&format!("b,x,2\n\"a\",{part},"), &comma(), Some(3), &[&["b", "x", "2"], &["a", part, ""]]);
        let text = format!("a,{part},1\n\"b\",\"x\ny\",2\n");
        check(&text, &comma(), Some(3), &[&["a", part, "1"], &["b", "x\ny", "2"]]);
        // With a column too many, it is not clear what belongs together.
        check(&format!("a,{part},1,\nb,x,2\n"), &comma(), Some(3), &[UNREADABLE, &["b", "x", "2"]]);
        check("a,\"bel \"appart\" x\",1\n", &comma(), Some(3), &[&["a", "bel \"appart\" x", "1"]]);
    }

    #[test]
    fn large_records_are_skipped() {
        let long = "x".repeat(50);
        let text = format!("a,b\n{long},{long}\nc,d\n");
        let expected: &[&[&str]] = &[&["a", "b"], UNREADABLE, &["c", "d"]];
        assert_eq!(split(&text, &comma(), Some(2), 60), expected);
        let text = format!("a,b\n\"{long}\n{long}\nc,d\n");
        let expected: &[&[&str]] = &[&["a", "b"], UNREADABLE, &[&long], &["c", "d"]];
        assert_eq!(split(&text, &comma(), Some(2), 60), expected);
    }

    #[test]
    fn a_file_that_ends_in_a_record_seems_to_be_cut() {
        let check = |text: &str, expected: &[bool]| {
            for read_bytes in [1, 2, 3, READ_BYTES] {
                let reader = io::BufReader::with_capacity(read_bytes, text.as_bytes());
                let mut splitter = Splitter::new(reader, comma(), 1_000);
                splitter.read_bytes = read_bytes;
                splitter.set_columns(2);
                let mut cut = Vec::new();
                while let Split::Record = splitter.next().unwrap() {
                    cut.push(splitter.cut(2).is_some());
                }
                assert_eq!(cut, expected, "{text:?} {read_bytes}");
            }
        };
        check("a,b\nc,d\n", &[false, false]);
        check("a,b\nc,d", &[false, false]);
        check("a,b\nc,", &[false, false]);
        check("a,b\nc\n", &[false, false]);
        check("a\nb,c\nd", &[false, false, true]);
        check("a,b\nc\r\n", &[false, false]);
        check("a,b\nc\r", &[false, false]);
        check("a,b\n\"c\"", &[false, true]);
    }

    #[test]
    fn blanks_after_the_last_line_end_are_no_record() {
        check("a,b\n  ", &comma(), Some(2), &[&["a", "b"]]);
        check("a,b\r\n\u{1a}", &comma(), Some(2), &[&["a", "b"]]);
        check("a,b\n \nc,d\n", &comma(), Some(2), &[&["a", "b"], &[" "], &["c", "d"]]);
        let tab = Separators { delimiter: b"\t".to_vec(), ..comma() };
        check("a\tb\n\t", &tab, Some(2), &[&["a", "b"], &["", ""]]);
    }

    proptest::proptest! {
        #[test]
        fn records_do_not_depend_on_the_size_of_reads(text in "[\"!#;a \r\n]{0,40}", read_bytes in 1_usize..8) {
            for separators in [comma(), poliris(), Separators { delimiter: b";".to_vec(), ..comma() }] {
                proptest::prop_assert_eq!(
                    split_by(read_bytes, &text, &separators, Some(2), 1_000),
                    split(&text, &separators, Some(2), 1_000)
                );
            }
        }
    }

    #[test]
    fn many_open_quotes_are_read_in_linear_time() {
        let text = ",\"x\n".repeat(100_000);
        let records = split(&text, &comma(), Some(2), 1 << 20);
        assert_eq!(records.len(), 100_000);
        assert!(records.iter().all(|record| record == UNREADABLE));
    }
}
