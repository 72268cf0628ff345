//! NDJSON feeds of adverts, one JSON object per line: splits bytes into lines, decodes and ingests them. Used over HTTP and for files.

mod broken;

use std::sync::Arc;

use app::App;
use app::ingest::{IngestOptions, Ingesting, Outcome, PreparedDrafts, Receipt};
use domain::{AdvertDraft, SiteDirectory, Timestamp, Violation};
use jiff::tz::TimeZone;
use places::Certainty;
use wire::advert_draft::{ParseContext, ParseMode, ParsedDraft, RejectedDraft};
use wire::json::Json;
use wire::lenient::encoding::{self, Repaired};
use wire::receipt::ReceiptBody;

use crate::json_size::JsonSize;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Lines per batch: enough to share one sync to disk, few enough for prompt receipts.
pub const LINES_PER_BATCH: usize = 500;

/// A line of a feed; numbers start at 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub number: u64,
    pub content: LineContent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineContent {
    Text(Vec<u8>),
    /// Longer than the limit; its bytes were discarded.
    TooLong,
}

/// Maximum size of a batch: with long lines, a batch has fewer of them.
const BATCH_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Returns `true` if the lines fill a batch and should be ingested before reading more.
pub fn is_full(lines: &[Line], lines_max: usize) -> bool {
    let bytes = |line: &Line| match &line.content {
        LineContent::Text(text) => text.len(),
        LineContent::TooLong => 0,
    };
    lines.len() >= lines_max || lines.iter().map(bytes).sum::<usize>() >= BATCH_BYTES_MAX
}

/// Splits a stream of bytes into lines. Buffers at most one line, and of that at most `line_bytes_max` bytes.
#[derive(Debug)]
pub struct LineSplitter {
    line_bytes_max: usize,
    pending: Vec<u8>,
    overflowing: bool,
    /// Bytes of the unfinished line, including discarded ones.
    buffered: u64,
    next_number: u64,
}

impl LineSplitter {
    pub const fn new(line_bytes_max: usize) -> Self {
        Self::from_line(line_bytes_max, 1)
    }

    /// Starts in the middle of a feed.
    pub const fn from_line(line_bytes_max: usize, next_number: u64) -> Self {
        Self { line_bytes_max, pending: Vec::new(), overflowing: false, buffered: 0, next_number }
    }

    /// Appends the lines completed by `bytes` to `lines`. Blank lines are counted but not returned.
    pub fn push(&mut self, mut bytes: &[u8], lines: &mut Vec<Line>) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end);
            self.hold(line);
            self.complete(lines);
            bytes = &rest[1..];
        }
        self.hold(bytes);
    }

    /// Appends the last line if it has no line break.
    pub fn finish(&mut self, lines: &mut Vec<Line>) {
        if !self.pending.is_empty() || self.overflowing {
            self.complete(lines);
        }
    }

    /// Returns the number of the next line, the unfinished one if there is one.
    pub const fn next_number(&self) -> u64 {
        self.next_number
    }

    /// Returns how many bytes of an unfinished line were read.
    pub const fn buffered(&self) -> u64 {
        self.buffered
    }

    fn hold(&mut self, bytes: &[u8]) {
        self.buffered += bytes.len() as u64;
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
        self.buffered = 0;
        let mut text = std::mem::take(&mut self.pending);
        // Some editors write a byte order mark at the start of a file.
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

/// A decoded advert, or the reasons why it was rejected.
pub type Decoded = Result<ParsedDraft, RejectedDraft>;

/// Decodes adverts.
#[derive(Debug, Clone)]
pub struct Decoder {
    pub zone: TimeZone,
    pub line_bytes_max: usize,
    /// Sites at the time decoding started.
    pub sites: Arc<SiteDirectory>,
    /// Strict for clients that ask for it, and for documents that must be read verbatim.
    pub mode: ParseMode,
}

impl Decoder {
    pub fn decode_line(&self, content: &LineContent, now: Timestamp) -> Decoded {
        if let LineContent::Text(text) = content {
            check_items(text)?;
        }
        self.read_line(content, |json, warnings| with_warnings(self.decode(&json, now), warnings))?
    }

    /// Reads the JSON of a line, and what it says with `read`, which also takes the warnings about its text.
    pub fn read_line<T>(
        &self,
        content: &LineContent,
        read: impl FnOnce(Json<'_>, Vec<Violation>) -> T,
    ) -> Result<T, RejectedDraft> {
        match content {
            LineContent::TooLong => {
                let message = format!("The line is longer than {} bytes.", self.line_bytes_max);
                let violations = vec![Violation::malformed("", message)];
                Err(RejectedDraft { violations, ..RejectedDraft::default() })
            }
            LineContent::Text(text) => self.read_json(text, read).map_err(|error| {
                let message = format!("The line is not valid JSON: {error}.");
                let member = |name| broken::member(text, name);
                RejectedDraft {
                    violations: vec![Violation::malformed("", message)],
                    ignored: Vec::new(),
                    reference: member("reference"),
                    url: member("url"),
                }
            }),
        }
    }

    pub fn decode(&self, json: &Json<'_>, now: Timestamp) -> Decoded {
        wire::advert_draft::parse(json, self.context(now, self.mode))
    }

    /// Decodes the adverts of a line of an export, verbatim.
    pub fn decode_exported(&self, value: serde_json::Value, now: Timestamp) -> Vec<Decoded> {
        wire::exported::parse_document(value, self.context(now, ParseMode::Strict))
    }

    fn context(&self, now: Timestamp, mode: ParseMode) -> ParseContext<'_> {
        let Self { zone, line_bytes_max: _, sites, mode: _ } = self;
        ParseContext { zone, now, sites, mode }
    }

    /// Reads JSON. In lenient mode, text in a wrong encoding is repaired; the warnings say so.
    fn read_json<T>(
        &self,
        bytes: &[u8],
        read: impl FnOnce(Json<'_>, Vec<Violation>) -> T,
    ) -> Result<T, serde_json::Error> {
        let error = match Json::parse(bytes) {
            Ok(json) => return Ok(read(json, Vec::new())),
            Err(error) => error,
        };
        // Nearly all that is repaired is text in a wrong encoding, and no more than that.
        for repair in [encoding::decode_json as Repair, encoding::repair_json] {
            if let Some((repaired, warnings)) = self.repair_by(repair, bytes)
                && let Ok(json) = Json::parse(repaired.as_bytes())
            {
                return Ok(read(json, warnings));
            }
        }
        // The first error is about what the client sent.
        Err(error)
    }

    /// Repairs text in a wrong encoding, in lenient mode. The warnings say what was wrong.
    pub fn repair(&self, bytes: &[u8]) -> Option<(String, Vec<Violation>)> {
        self.repair_by(encoding::repair_json, bytes)
    }

    fn repair_by(&self, repair: Repair, bytes: &[u8]) -> Option<(String, Vec<Violation>)> {
        let repaired = match self.mode {
            ParseMode::Lenient => repair(bytes)?,
            ParseMode::Strict => return None,
        };
        let warnings = repaired.remarks.into_iter().map(|remark| Violation::malformed("", remark)).collect();
        Some((repaired.json, warnings))
    }
}

/// Returns `None` if there is nothing to repair.
type Repair = fn(&[u8]) -> Option<Repaired>;

/// Maximum number of values and names of members in an advert: several times that of one with all fields and a thousand events.
const ADVERT_ITEMS_MAX: usize = 50_000;

/// Refuses an advert with more values than any can have, before they are parsed.
pub fn check_items(json: &[u8]) -> Result<(), RejectedDraft> {
    let JsonSize { items, .. } = JsonSize::of(json);
    if items <= ADVERT_ITEMS_MAX {
        return Ok(());
    }
    let message =
        format!("The advert has {items} values and names of members; the limit is {ADVERT_ITEMS_MAX}.");
    Err(RejectedDraft { violations: vec![Violation::too_many("", message)], ..RejectedDraft::default() })
}

/// Returns about how much memory it takes to decode these adverts one after the other, besides their text: all drafts, and the parsed
/// values of one.
pub fn decoding_bytes<'a>(adverts: impl Iterator<Item = &'a [u8]>) -> usize {
    let (mut count, mut largest) = (0_usize, 0);
    for json in adverts {
        count += 1;
        let size = JsonSize::of(json);
        if size.items <= ADVERT_ITEMS_MAX {
            largest = largest.max(size.parsed_bytes());
        }
    }
    count.saturating_mul(size_of::<Decoded>()).saturating_add(largest)
}

/// Adds the warnings about the text of an advert before those about its values.
pub fn with_warnings(decoded: Decoded, mut warnings: Vec<Violation>) -> Decoded {
    decoded.map(|parsed| {
        warnings.extend(parsed.warnings);
        ParsedDraft { warnings, ..parsed }
    })
}

/// The receipt of one advert, the names of its unknown fields, and what its sender recognises it by.
#[derive(Debug, Clone)]
pub struct Ingested {
    pub receipt: Receipt,
    pub ignored: Vec<String>,
    /// The site that the sender named; `None` if it follows from the URL.
    pub site: Option<String>,
    /// As given, if it could be read.
    pub reference: Option<String>,
    pub url: Option<String>,
}

/// What a draft leaves behind for its receipt.
struct Pending {
    index: usize,
    ignored: Vec<String>,
    warnings: Vec<Violation>,
    site: Option<String>,
    reference: Option<String>,
    url: Option<String>,
}

/// Ingests the adverts that were decoded. Returns a receipt for every input, in order.
pub async fn ingest(app: &App, decoded: Vec<Decoded>) -> Result<Vec<Ingested>, app::Error> {
    ingest_with(app, decoded, IngestOptions::default()).await
}

/// Does the same with options.
pub async fn ingest_with(
    app: &App,
    decoded: Vec<Decoded>,
    options: IngestOptions,
) -> Result<Vec<Ingested>, app::Error> {
    let Accepted { drafts, receipts } = Accepted::new(decoded);
    Ok(receipts.complete(app.ingest_with(drafts, options).await?))
}

/// The decoded adverts that can be ingested.
struct Accepted {
    drafts: Vec<AdvertDraft>,
    receipts: Receipts,
}

/// What the receipts of decoded adverts say besides those of their drafts.
struct Receipts {
    /// One for every input, without that of the drafts.
    results: Vec<Option<Ingested>>,
    accepted: Vec<Pending>,
}

/// Adverts that are ready to be ingested.
pub struct PreparedAdverts {
    drafts: PreparedDrafts,
    receipts: Receipts,
}

/// Adverts that are being committed.
pub struct IngestingAdverts {
    drafts: Ingesting,
    /// `None` once they were returned.
    receipts: Option<Receipts>,
}

impl IngestingAdverts {
    /// Waits until the commit has ended ([`Ingesting::end`]).
    pub async fn end(&mut self) {
        self.drafts.end().await;
    }
}

/// Does what can be done while earlier adverts are ingested ([`App::prepare`]).
pub async fn prepare(
    app: &App,
    decoded: Vec<Decoded>,
    options: IngestOptions,
) -> Result<PreparedAdverts, app::Error> {
    let Accepted { drafts, receipts } = Accepted::new(decoded);
    Ok(PreparedAdverts { drafts: app.prepare(drafts, options).await?, receipts })
}

/// Begins to ingest prepared adverts, and returns the receipts of those before them ([`App::ingest_next`]).
pub async fn ingest_next(
    app: &App,
    prepared: PreparedAdverts,
    before: Option<IngestingAdverts>,
) -> Result<(IngestingAdverts, Option<Vec<Ingested>>), app::Error> {
    let PreparedAdverts { drafts, receipts } = prepared;
    let (before, receipts_before) = before.map(|before| (before.drafts, before.receipts)).unzip();
    let (drafts, ingested) = app.ingest_next(drafts, before).await?;
    let ingested =
        receipts_before.flatten().zip(ingested).map(|(receipts, ingested)| receipts.complete(ingested));
    Ok((IngestingAdverts { drafts, receipts: Some(receipts) }, ingested))
}

/// Waits until adverts are durable, and returns their receipts, unless they were returned already ([`App::finish_ingesting`]).
pub async fn finish_ingesting(
    app: &App,
    ingesting: IngestingAdverts,
) -> Result<(IngestingAdverts, Option<Vec<Ingested>>), app::Error> {
    let IngestingAdverts { drafts, receipts } = ingesting;
    let (drafts, ingested) = app.finish_ingesting(drafts).await?;
    let ingested = receipts.zip(ingested).map(|(receipts, ingested)| receipts.complete(ingested));
    Ok((IngestingAdverts { drafts, receipts: None }, ingested))
}

impl Accepted {
    fn new(decoded: Vec<Decoded>) -> Self {
        let mut drafts: Vec<AdvertDraft> = Vec::with_capacity(decoded.len());
        let mut results: Vec<Option<Ingested>> = Vec::with_capacity(decoded.len());
        let mut accepted: Vec<Pending> = Vec::with_capacity(decoded.len());
        for (index, decoded) in decoded.into_iter().enumerate() {
            match decoded {
                Ok(ParsedDraft { draft, ignored, warnings }) => {
                    let patch = &draft.patch;
                    let site = patch.site.value().and_then(Option::as_ref);
                    let site = site.map(|site| site.as_str().to_owned());
                    let reference = patch.reference.value().and_then(Option::as_ref);
                    let reference = reference.map(|reference| reference.as_str().to_owned());
                    let url = patch.url.value().and_then(Option::as_ref);
                    let url = url.map(|url| url.as_str().to_owned());
                    drafts.push(draft);
                    accepted.push(Pending { index, ignored, warnings, site, reference, url });
                    results.push(None);
                }
                Err(RejectedDraft { violations, ignored, reference, url }) => {
                    let receipt = Receipt::Rejected { violations };
                    results.push(Some(Ingested { receipt, ignored, site: None, reference, url }));
                }
            }
        }
        Self { drafts, receipts: Receipts { results, accepted } }
    }
}

impl Receipts {
    /// Adds those of the drafts. Warnings of the parser come before those of the ingest.
    fn complete(self, receipts: Vec<Receipt>) -> Vec<Ingested> {
        let Self { mut results, accepted } = self;
        for (pending, mut receipt) in accepted.into_iter().zip(receipts) {
            let Pending { index, ignored, warnings: mut all, site, reference, url } = pending;
            if let Receipt::Accepted { warnings, .. } = &mut receipt
                && !all.is_empty()
            {
                all.append(warnings);
                *warnings = all;
            }
            results[index] = Some(Ingested { receipt, ignored, site, reference, url });
        }
        results.into_iter().flatten().collect()
    }
}

impl Ingested {
    /// Formats the receipt for a response.
    pub fn body(self) -> ReceiptBody {
        let Self { receipt, ignored, site: _, reference, url } = self;
        match receipt {
            Receipt::Accepted { advert, property, outcome, certainty, warnings } => {
                let certainty = certainty.map(|certainty| match certainty {
                    Certainty::Exact => "exact",
                    Certainty::Likely => "likely",
                    Certainty::Inside => "inside",
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
            Receipt::Rejected { violations } => ReceiptBody::rejected(&violations, ignored, reference, url),
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
    fn chunk_boundaries_do_not_change_the_lines() {
        let expected = ["1 one", "3 two", "4 too long", "5 end"];
        assert_eq!(split(&["one\n\ntwo\n123456789\nend"]), expected);
        let text = "one\n \ntwo\n123456789\nend\n";
        let single: Vec<&str> = text.split_inclusive(|_| true).collect();
        assert_eq!(split(&single), expected);
    }
}
