//! Opens feeds of tests, and shows what became of them.

use std::io;
use std::path::PathBuf;

use feed::{ColumnReport, FeedItem, FeedOptions, FeedReader, Format, Mapping};
use serde_json::{Value, json};

pub const RECORD_BYTES_MAX: usize = 1 << 20;

pub fn options(format: Format) -> FeedOptions {
    FeedOptions { format, mapping: None, site: None, record_bytes_max: RECORD_BYTES_MAX }
}

pub fn mapped(format: Format, mapping: &str) -> FeedOptions {
    FeedOptions { mapping: Some(Mapping::parse(mapping).unwrap()), ..options(format) }
}

pub fn sample(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name)
}

pub fn sample_text(name: &str) -> String {
    std::fs::read_to_string(sample(name)).unwrap()
}

pub fn reader(bytes: impl AsRef<[u8]>, options: FeedOptions) -> FeedReader {
    feed::open_reader(Box::new(io::Cursor::new(bytes.as_ref().to_vec())), options).unwrap()
}

/// Reads a feed to its end, or to the error that ends it.
pub fn items(mut reader: FeedReader) -> (Vec<FeedItem>, Option<io::Error>, ColumnReport) {
    let mut items = Vec::new();
    let mut failure = None;
    for item in &mut reader {
        match item {
            Ok(item) => items.push(item),
            Err(error) => failure = Some(error),
        }
    }
    assert!(reader.next().is_none(), "the feed goes on after its end");
    (items, failure, reader.report().clone())
}

/// Shows a whole feed for a snapshot.
pub fn show(reader: FeedReader) -> Value {
    let (items, failure, report) = items(reader);
    let records: Vec<Value> = items.iter().map(show_item).collect();
    let mapped: Vec<String> =
        report.mapped().map(|(name, column)| format!("{name} → {}", column.fields.join(", "))).collect();
    let unmapped: Vec<String> = report
        .unmapped()
        .map(|(name, column)| format!("{name}: {} × {:?}", column.count, column.example))
        .collect();
    json!({
        "records": records,
        "failure": failure.map(|error| error.to_string()),
        "mapped": mapped,
        "unmapped": unmapped,
    })
}

fn show_item(item: &FeedItem) -> Value {
    match item {
        FeedItem::Advert(record) => json!({"number": record.number, "advert": record.advert}),
        FeedItem::Unreadable { number, message } => json!({"number": number, "unreadable": message}),
    }
}

/// Returns the references of the adverts, and `-` for each record that is unreadable.
pub fn references(reader: FeedReader) -> (Vec<String>, Option<io::ErrorKind>) {
    let (items, failure, _) = items(reader);
    let references = items.iter().map(|item| match item {
        FeedItem::Advert(record) => match record.advert.get("reference") {
            Some(Value::String(text)) => text.clone(),
            other => format!("{other:?}"),
        },
        FeedItem::Unreadable { .. } => "-".to_owned(),
    });
    (references.collect(), failure.map(|error| error.kind()))
}
