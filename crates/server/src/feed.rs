//! A feed: one JSON object a line. Splits bytes into lines, reads them, takes them in; over HTTP and from files alike.

use std::sync::Arc;

use app::App;
use app::ingest::{Outcome, Receipt};
use domain::{AdvertDraft, SiteDirectory, Timestamp, Violation};
use jiff::tz::TimeZone;
use places::Certainty;
use wire::advert_draft::{ParseContext, ParsedDraft, RejectedDraft};
use wire::receipt::ReceiptBody;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// How many lines are taken in together: enough to share a sync to disk, few enough to answer soon.
pub const LINES_PER_BATCH: usize = 500;

/// A line of a feed, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub number: u64,
    pub content: LineContent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineContent {
    Text(Vec<u8>),
    /// Longer than the limit; its bytes were not kept.
    TooLong,
}

/// The most bytes of lines that are taken in together: long lines make shorter batches.
const BATCH_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Whether lines should be taken in before more are read.
pub fn is_full(lines: &[Line], lines_max: usize) -> bool {
    let bytes = |line: &Line| match &line.content {
        LineContent::Text(text) => text.len(),
        LineContent::TooLong => 0,
    };
    lines.len() >= lines_max || lines.iter().map(bytes).sum::<usize>() >= BATCH_BYTES_MAX
}

/// Cuts a stream of bytes into lines, holding back at most one line and never more of it than the limit.
#[derive(Debug)]
pub struct LineSplitter {
    line_bytes_max: usize,
    pending: Vec<u8>,
    overflowing: bool,
    /// Bytes of the unfinished line, those that were dropped included.
    held_back: u64,
    next_number: u64,
}

impl LineSplitter {
    pub const fn new(line_bytes_max: usize) -> Self {
        Self::from_line(line_bytes_max, 1)
    }

    /// Continues in the middle of a feed.
    pub const fn from_line(line_bytes_max: usize, next_number: u64) -> Self {
        Self { line_bytes_max, pending: Vec::new(), overflowing: false, held_back: 0, next_number }
    }

    /// Takes bytes and hands over the lines they complete. Blank lines count but are not handed over.
    pub fn push(&mut self, mut bytes: &[u8], lines: &mut Vec<Line>) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = bytes.split_at(end);
            self.hold(line);
            self.complete(lines);
            bytes = &rest[1..];
        }
        self.hold(bytes);
    }

    /// The last line, when it has no line break.
    pub fn finish(&mut self, lines: &mut Vec<Line>) {
        if !self.pending.is_empty() || self.overflowing {
            self.complete(lines);
        }
    }

    /// The number the next line will have, when the bytes held back are complete.
    pub const fn next_number(&self) -> u64 {
        self.next_number
    }

    /// How many bytes of an unfinished line have been taken.
    pub const fn held_back(&self) -> u64 {
        self.held_back
    }

    fn hold(&mut self, bytes: &[u8]) {
        self.held_back += bytes.len() as u64;
        if self.overflowing || self.pending.len() + bytes.len() > self.line_bytes_max {
            self.overflowing = true;
            self.pending = Vec::new();
        } else {
            self.pending.extend_from_slice(bytes);
        }
    }

    fn complete(&mut self, lines: &mut Vec<Line>) {
        let number = self.next_number;
        self.next_number += 1;
        self.held_back = 0;
        let mut text = std::mem::take(&mut self.pending);
        // Some editors put a mark in front of a file that is no part of its first line.
        if number == 1 && text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len());
        }
        if std::mem::take(&mut self.overflowing) {
            lines.push(Line { number, content: LineContent::TooLong });
        } else if !text.iter().all(u8::is_ascii_whitespace) {
            lines.push(Line { number, content: LineContent::Text(text) });
        }
    }
}

/// An advert that was read, or why it was not.
pub type Decoded = Result<ParsedDraft, RejectedDraft>;

/// What reading needs to know.
#[derive(Debug, Clone)]
pub struct Decoder {
    pub zone: TimeZone,
    pub line_bytes_max: usize,
    /// The sites that were known when reading began.
    pub sites: Arc<SiteDirectory>,
}

impl Decoder {
    pub fn decode_line(&self, content: &LineContent, now: Timestamp) -> Decoded {
        let refused = |message: String| {
            Err(RejectedDraft { violations: vec![Violation::malformed("", message)], ignored: Vec::new() })
        };
        match content {
            LineContent::TooLong => {
                refused(format!("The line is longer than {} bytes.", self.line_bytes_max))
            }
            LineContent::Text(text) => match serde_json::from_slice(text) {
                Ok(value) => self.decode(&value, now),
                Err(error) => refused(format!("The line is not valid JSON: {error}.")),
            },
        }
    }

    pub fn decode(&self, value: &serde_json::Value, now: Timestamp) -> Decoded {
        wire::advert_draft::parse(value, ParseContext { zone: &self.zone, now, sites: &self.sites })
    }
}

/// One advert's fate and the names in it that mean nothing to us.
#[derive(Debug)]
pub struct Taken {
    pub receipt: Receipt,
    pub ignored: Vec<String>,
}

/// Takes in what could be read, and answers for everything, in order.
pub async fn take_in(app: &App, decoded: Vec<Decoded>) -> Result<Vec<Taken>, app::Error> {
    let mut drafts: Vec<AdvertDraft> = Vec::with_capacity(decoded.len());
    let mut taken: Vec<Option<Taken>> = Vec::with_capacity(decoded.len());
    let mut accepted: Vec<(usize, Vec<String>)> = Vec::with_capacity(decoded.len());
    for (index, decoded) in decoded.into_iter().enumerate() {
        match decoded {
            Ok(ParsedDraft { draft, ignored }) => {
                drafts.push(draft);
                accepted.push((index, ignored));
                taken.push(None);
            }
            Err(RejectedDraft { violations, ignored }) => {
                taken.push(Some(Taken { receipt: Receipt::Rejected { violations }, ignored }));
            }
        }
    }
    let receipts = if drafts.is_empty() { Vec::new() } else { app.ingest(drafts).await? };
    for ((index, ignored), receipt) in accepted.into_iter().zip(receipts) {
        taken[index] = Some(Taken { receipt, ignored });
    }
    Ok(taken.into_iter().flatten().collect())
}

impl Taken {
    pub fn body(self) -> ReceiptBody {
        let Self { receipt, ignored } = self;
        match receipt {
            Receipt::Accepted { advert, property, outcome, certainty, warnings } => {
                let certainty = certainty.map(|certainty| match certainty {
                    Certainty::Exact => "exact",
                    Certainty::Likely => "likely",
                    Certainty::Nearest => "nearest",
                    Certainty::Unknown => "unknown",
                });
                let outcome = match outcome {
                    Outcome::Created => wire::receipt::Outcome::Created,
                    Outcome::Updated => wire::receipt::Outcome::Updated,
                    Outcome::Unchanged => wire::receipt::Outcome::Unchanged,
                };
                ReceiptBody::accepted(advert, property, outcome, ignored, certainty, &warnings)
            }
            Receipt::Rejected { violations } => ReceiptBody::rejected(&violations, ignored),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(chunks: &[&str]) -> Vec<String> {
        let (mut splitter, mut lines) = (LineSplitter::new(8), Vec::new());
        for chunk in chunks {
            splitter.push(chunk.as_bytes(), &mut lines);
        }
        splitter.finish(&mut lines);
        let show = |line: Line| match line.content {
            LineContent::Text(text) => format!("{} {}", line.number, String::from_utf8(text).unwrap()),
            LineContent::TooLong => format!("{} too long", line.number),
        };
        lines.into_iter().map(show).collect()
    }

    #[test]
    fn lines_are_the_same_however_the_bytes_arrive() {
        let expected = ["1 one", "3 two", "4 too long", "5 end"];
        assert_eq!(split(&["one\n\ntwo\n123456789\nend"]), expected);
        let text = "one\n \ntwo\n123456789\nend\n";
        let single: Vec<&str> = text.split_inclusive(|_| true).collect();
        assert_eq!(split(&single), expected);
    }
}
