//! Reads a feed, decodes its records and hands them over in batches. Runs on a thread of its own, some batches ahead of the commits.

use std::collections::HashSet;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use app::App;
use app::ingest::Creation;
use domain::{Identity, SiteKey, Violation, WebAddress};
use feed::{ColumnReport, FeedItem, FeedReader};
use serde_json::Value;
use tokio::sync::mpsc;
use wire::advert_draft::RejectedDraft;
use wire::exported;
use wire::json::Json;

use super::summary::{GROUPS_MAX, truncated};
use crate::ndjson::{Decoded, Decoder, Line, LineContent, LineSplitter, with_warnings};

/// Larger than over HTTP: no client waits for receipts, and a larger batch touches each index page less often.
const RECORDS_PER_BATCH: usize = 4_000;

/// The first batch is small, and each is twice the one before: until it is read, there is nothing to prepare and to commit.
const RECORDS_OF_FIRST_BATCH: usize = 250;

/// Maximum size of a batch: with long records, a batch has fewer of them. Half a dozen batches are in memory at a time. Twice the size
/// takes a fifth more memory and is not faster: while one batch is synced, the next one is planned.
const BATCH_BYTES_MAX: usize = 4 * 1024 * 1024;

const READ_BYTES: usize = 256 * 1024;

/// Maximum size of a line of an export: a property with hundreds of adverts, each with a long history.
const EXPORT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Where the records come from.
pub enum Input {
    /// One JSON object per line.
    Lines {
        reader: Box<dyn Read + Send>,
        /// Bytes and lines before the first one that `reader` returns.
        start: Checkpoint,
        /// Bytes of the file that were read, before decompression.
        bytes_read: Arc<AtomicU64>,
    },
    Feed(FeedReader),
}

/// A position between two lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    pub offset: u64,
    pub next_line: u64,
}

/// Records that are ingested together.
pub struct Batch {
    /// The names of the records, in order.
    pub names: Vec<RecordName>,
    /// What they say.
    pub decoded: Vec<Decoded>,
    pub creation: Creation,
    /// Ignored fields that were seen for the first time, with their value.
    pub ignored_examples: Vec<(String, String)>,
    /// The position after the last record. `None` if an import cannot resume there.
    pub checkpoint: Option<Checkpoint>,
    /// Bytes of the file that were read so far.
    pub bytes_read: u64,
}

/// Which record of the feed it is, and which advert, whether or not it is valid.
#[derive(Debug)]
pub struct RecordName {
    pub number: u64,
    /// What identifies the advert. `None` if nothing does.
    pub identity: Option<Identity>,
}

/// Decodes records and collects batches.
pub struct Collector {
    pub decoder: Arc<Decoder>,
    pub app: App,
    /// The site of adverts that name none.
    pub site: Option<String>,
    pub sender: mpsc::Sender<io::Result<Batch>>,
    names: Vec<RecordName>,
    decoded: Vec<Decoded>,
    /// How many records fill the batch.
    records_max: usize,
    bytes: usize,
    creation: Creation,
    ignored_seen: HashSet<String>,
    ignored_examples: Vec<(String, String)>,
}

/// The receiver of batches is gone: the import has failed elsewhere.
struct Abandoned;

impl Collector {
    pub fn new(
        decoder: Decoder,
        app: App,
        site: Option<String>,
        sender: mpsc::Sender<io::Result<Batch>>,
    ) -> Self {
        Self {
            decoder: Arc::new(decoder),
            app,
            site,
            sender,
            names: Vec::new(),
            decoded: Vec::new(),
            records_max: RECORDS_OF_FIRST_BATCH,
            bytes: 0,
            creation: Creation::Derived,
            ignored_seen: HashSet::new(),
            ignored_examples: Vec::new(),
        }
    }

    /// Reads everything. Returns what became of the columns, for formats that have some.
    pub fn run(mut self, input: Input) -> Option<ColumnReport> {
        match input {
            Input::Lines { reader, start, bytes_read } => {
                // Fails only if the import has failed elsewhere and takes no more batches.
                let _ = self.read_lines(reader, start, &bytes_read);
                None
            }
            Input::Feed(mut reader) => {
                let _ = self.read_feed(&mut reader);
                Some(reader.report().clone())
            }
        }
    }

    fn read_lines(
        &mut self,
        mut reader: Box<dyn Read + Send>,
        start: Checkpoint,
        bytes_read: &AtomicU64,
    ) -> Result<(), Abandoned> {
        let bytes_max = self.decoder.line_bytes_max.max(EXPORT_BYTES_MAX);
        let mut splitter = LineSplitter::from_line(bytes_max, start.next_line);
        let mut offset = start.offset;
        let mut buffer = vec![0; READ_BYTES];
        let mut lines = Vec::new();
        loop {
            let read = match reader.read(&mut buffer) {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    // The lines before the error were read: import them, then report it.
                    self.flush(None, bytes_read.load(Ordering::Relaxed))?;
                    return self.send(Err(error));
                }
            };
            if read == 0 {
                splitter.finish(&mut lines);
            } else {
                splitter.push(&buffer[..read], &mut lines);
                offset += read as u64;
            }
            for line in lines.drain(..) {
                self.add_line(&line, bytes_read)?;
            }
            if self.is_full() || read == 0 {
                let checkpoint =
                    Checkpoint { offset: offset - splitter.buffered(), next_line: splitter.next_number() };
                self.flush(Some(checkpoint), bytes_read.load(Ordering::Relaxed))?;
            }
            if read == 0 {
                return Ok(());
            }
        }
    }

    fn read_feed(&mut self, reader: &mut FeedReader) -> Result<(), Abandoned> {
        while let Some(item) = reader.next() {
            match item {
                Ok(FeedItem::Advert(record)) => {
                    let value = Value::Object(record.advert);
                    let bytes = approximate_bytes(&value);
                    self.add_json(record.number, Json::from(&value), Vec::new(), bytes, reader.bytes_read())?;
                }
                Ok(FeedItem::Unreadable { number, message }) => {
                    self.add_unreadable(number, Violation::malformed("", message));
                }
                Err(error) => {
                    self.flush(None, reader.bytes_read())?;
                    return self.send(Err(error));
                }
            }
            if self.is_full() {
                self.flush(None, reader.bytes_read())?;
            }
        }
        self.flush(None, reader.bytes_read())
    }

    fn add_line(&mut self, line: &Line, bytes_read: &AtomicU64) -> Result<(), Abandoned> {
        let Line { number, content } = line;
        if let LineContent::Text(text) = content
            && text.len() > self.decoder.line_bytes_max
            && !exported::starts_document(text)
        {
            let rejected = self.decoder.decode_line(&LineContent::TooLong, self.app.clock().now());
            self.push(RecordName { number: *number, identity: None }, rejected, 0);
            return Ok(());
        }
        let decoder = Arc::clone(&self.decoder);
        let read = decoder.read_line(content, |mut json, warnings| {
            if let (Some(site), Json::Object(advert)) = (&self.site, &mut json)
                && advert.get("site").is_none_or(is_blank)
                && !advert.contains_key("adverts")
            {
                advert.insert("site", Json::String(site.clone().into()));
            }
            let bytes = match content {
                LineContent::Text(text) => text.len(),
                LineContent::TooLong => 0,
            };
            self.add_json(*number, json, warnings, bytes, bytes_read.load(Ordering::Relaxed))
        });
        match read {
            Ok(added) => added,
            Err(rejected) => {
                // It identifies no advert, even if it names one: it may be a line that was cut.
                self.push(RecordName { number: *number, identity: None }, Err(rejected), 0);
                Ok(())
            }
        }
    }

    fn add_unreadable(&mut self, number: u64, violation: Violation) {
        let rejected = RejectedDraft { violations: vec![violation], ..RejectedDraft::default() };
        self.push(RecordName { number, identity: None }, Err(rejected), 0);
    }

    fn add_json(
        &mut self,
        number: u64,
        json: Json<'_>,
        warnings: Vec<Violation>,
        bytes: usize,
        bytes_read: u64,
    ) -> Result<(), Abandoned> {
        // Read the clock for every record: a pipe may stay open for days.
        let now = self.app.clock().now();
        if exported::is_exported(&json) {
            self.switch_to(Creation::Verbatim, bytes_read)?;
            for decoded in self.decoder.decode_exported(json.into(), now) {
                self.push(RecordName::of_decoded(number, &decoded, None), decoded, bytes);
            }
            return Ok(());
        }
        self.switch_to(Creation::Derived, bytes_read)?;
        let decoded = with_warnings(self.decoder.decode(&json, now), warnings);
        let ignored = match &decoded {
            Ok(parsed) => &parsed.ignored,
            Err(rejected) => &rejected.ignored,
        };
        for field in ignored {
            if self.ignored_seen.len() < GROUPS_MAX && !self.ignored_seen.contains(field) {
                self.ignored_seen.insert(field.clone());
                let example = value_at(&json, field).map(|value| truncated(&value.to_string()));
                self.ignored_examples.push((field.clone(), example.unwrap_or_default()));
            }
        }
        self.push(RecordName::of_decoded(number, &decoded, Some(&json)), decoded, bytes);
        Ok(())
    }

    fn push(&mut self, name: RecordName, decoded: Decoded, bytes: usize) {
        self.names.push(name);
        self.decoded.push(decoded);
        self.bytes += bytes;
    }

    /// Begins a new batch if the records so far are created in another way.
    fn switch_to(&mut self, creation: Creation, bytes_read: u64) -> Result<(), Abandoned> {
        if self.creation != creation {
            self.flush(None, bytes_read)?;
            self.creation = creation;
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.names.len() >= self.records_max || self.bytes >= BATCH_BYTES_MAX
    }

    fn flush(&mut self, checkpoint: Option<Checkpoint>, bytes_read: u64) -> Result<(), Abandoned> {
        if self.names.is_empty() {
            return Ok(());
        }
        self.bytes = 0;
        self.records_max = RECORDS_PER_BATCH.min(2 * self.records_max);
        // A record takes a kilobyte before its texts: a list that grows is copied again and again.
        let decoded = Vec::with_capacity(self.records_max);
        let batch = Batch {
            names: std::mem::take(&mut self.names),
            decoded: std::mem::replace(&mut self.decoded, decoded),
            creation: self.creation,
            ignored_examples: std::mem::take(&mut self.ignored_examples),
            checkpoint,
            bytes_read,
        };
        self.send(Ok(batch))
    }

    fn send(&self, batch: io::Result<Batch>) -> Result<(), Abandoned> {
        self.sender.blocking_send(batch).map_err(|_| Abandoned)
    }
}

impl RecordName {
    fn of_decoded(number: u64, decoded: &Decoded, json: Option<&Json<'_>>) -> Self {
        let identity = match decoded {
            Ok(parsed) => Some(parsed.draft.identity.clone()),
            Err(_) => json.and_then(identity_of_rejected),
        };
        Self { number, identity }
    }
}

/// Reads what identifies a rejected advert, as far as it can be read.
fn identity_of_rejected(json: &Json<'_>) -> Option<Identity> {
    let text = |name: &str| text_of(json.get(name)?);
    let address = text("url").and_then(|url| WebAddress::parse(&url).ok());
    let site = match text("site") {
        Some(site) => SiteKey::parse(&site),
        None => address.as_ref().map(SiteKey::of_address),
    };
    let uuid = text("uuid").and_then(|text| wire::iri::parse_advert(&text)).map(Identity::Uuid);
    uuid.or_else(|| Some(Identity::SiteReference(site?, text("reference")?.into())))
        .or_else(|| Some(Identity::Url(address?.comparison_key().into())))
}

/// Returns a text or a number as text. `None` for anything else, and for a blank text.
fn text_of(json: &Json<'_>) -> Option<String> {
    match json {
        Json::String(text) => Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned),
        Json::Number(number) => Some(number.to_string()),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

/// Returns a member of an object, or of one of its objects: `colour`, `contact.skype`.
fn value_at<'v, 'a>(json: &'v Json<'a>, path: &str) -> Option<&'v Json<'a>> {
    json.get(path).or_else(|| {
        let (name, rest) = path.split_once('.')?;
        json.get(name)?.get(rest)
    })
}

fn is_blank(json: &Json<'_>) -> bool {
    json.is_null() || json.as_str().is_some_and(|text| text.trim().is_empty())
}

/// Estimates the size of a value in bytes.
fn approximate_bytes(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(approximate_bytes).sum(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| name.len() + approximate_bytes(value)).sum()
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::AdvertId;
    use serde_json::json;

    use super::*;

    #[test]
    fn rejected_record_is_identified_as_far_as_it_can_be_read() {
        let identity = |value: Value| identity_of_rejected(&Json::from(&value));
        let site = |key: &str| SiteKey::parse(key).unwrap();
        let by_reference = Some(Identity::SiteReference(site("portail.fr"), "7".into()));
        assert_eq!(identity(json!({"site": "www.portail.fr", "reference": 7})), by_reference);
        assert_eq!(identity(json!({"url": "https://portail.fr/1", "reference": "7"})), by_reference);
        let by_url = Some(Identity::Url("https://portail.fr/1".into()));
        assert_eq!(identity(json!({"url": "https://portail.fr/1", "reference": " "})), by_url);
        let uuid = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
        let by_uuid = Some(Identity::Uuid(uuid.parse::<AdvertId>().unwrap()));
        assert_eq!(identity(json!({"uuid": uuid, "site": "a.fr", "reference": "7"})), by_uuid);
        for nothing in [json!({}), json!([1]), json!({"reference": "7"}), json!({"url": "x"})] {
            assert_eq!(identity(nothing.clone()), None, "{nothing}");
        }
    }

    #[test]
    fn examples_are_found_in_nested_objects() {
        let value = json!({"colour": "red", "contact": {"skype": 1}, "a.b": 2});
        let json = Json::from(&value);
        let found = |path: &str| value_at(&json, path).map(ToString::to_string);
        assert_eq!(found("colour").as_deref(), Some("\"red\""));
        assert_eq!(found("contact.skype").as_deref(), Some("1"));
        assert_eq!(found("a.b").as_deref(), Some("2"));
        assert_eq!(found("contact.fax"), None);
    }
}
