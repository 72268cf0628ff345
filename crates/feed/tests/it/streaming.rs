//! Large feeds: a reader holds a bounded part of the feed, however long it is.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use feed::{FeedItem, FeedOptions, Format};

use crate::support::{mapped, options};

const RECORDS: u64 = 100_000;

/// The most that a reader may have read beyond the records it has returned. The buffers of decoding, decompression and
/// scanning are a few times 64 KiB; a reader that collects the feed would be at ten times this bound.
const AHEAD_BYTES_MAX: u64 = 512 * 1024;

/// Produces a feed while it is read, and counts the bytes it handed out.
struct Generated {
    opening: &'static str,
    record: fn(u64) -> String,
    closing: &'static str,
    next: u64,
    pending: Vec<u8>,
    produced: Arc<AtomicU64>,
}

impl Read for Generated {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.pending.is_empty() && self.next <= RECORDS + 1 {
            let text = match self.next {
                0 => self.opening.to_owned(),
                number if number <= RECORDS => (self.record)(number),
                _ => self.closing.to_owned(),
            };
            self.pending = text.into_bytes();
            self.next += 1;
            if self.pending.is_empty() {
                return self.read(buffer);
            }
        }
        let length = buffer.len().min(self.pending.len());
        buffer[..length].copy_from_slice(&self.pending[..length]);
        self.pending.drain(..length);
        self.produced.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

fn check(options: FeedOptions, opening: &'static str, record: fn(u64) -> String, closing: &'static str) {
    let format = options.format;
    let produced = Arc::new(AtomicU64::new(0));
    let generated =
        Generated { opening, record, closing, next: 0, pending: Vec::new(), produced: Arc::clone(&produced) };
    let reader = feed::open_reader(Box::new(generated), options).unwrap();
    let mut returned = opening.len() as u64;
    let mut count = 0;
    for item in reader {
        let FeedItem::Advert(advert) = item.unwrap() else {
            panic!("{format}: record {count} is unreadable")
        };
        count += 1;
        assert_eq!(advert.advert["reference"], format!("R{count}"), "{format}");
        returned += record(count).len() as u64;
        let ahead = produced.load(Ordering::Relaxed).saturating_sub(returned);
        assert!(ahead <= AHEAD_BYTES_MAX, "{format}: {ahead} bytes ahead at record {count}");
    }
    assert_eq!(count, RECORDS, "{format}");
}

#[test]
fn readers_can_be_sent_to_another_thread() {
    fn is_send<T: Send>(_: &T) {}
    is_send(&feed::open_reader(Box::new(io::empty()), options(Format::Csv)).unwrap());
}

#[test]
fn long_feeds_are_read_record_by_record() {
    check(options(Format::Ndjson), "", |n| format!("{{\"reference\":\"R{n}\",\"title\":\"x\"}}\n"), "");
    check(options(Format::Csv), "reference;title\n", |n| format!("R{n};\"une ligne\nou deux\"\n"), "");
    check(
        options(Format::Json),
        "{\"data\":[{\"reference\":\"R1\"}",
        |n| if n == 1 { String::new() } else { format!(",\n{{\"reference\":\"R{n}\"}}") },
        "]}",
    );
    check(
        mapped(Format::Json, "items = \"a.b[*]\"\n[fields]\nreference = \"x.y\"\n"),
        "{\"a\":{\"skipped\":[1,2],\"b\":[",
        |n| {
            if n == 1 {
                "]}}{\"a\":{\"b\":[{\"x\":{\"y\":\"R1\"}}".to_owned()
            } else {
                format!(",{{\"x\":{{\"y\":\"R{n}\"}}}}")
            }
        },
        "]}}",
    );
}

#[test]
fn long_feeds_of_the_trade_are_read_record_by_record() {
    check(
        options(Format::Kyero),
        "<root><kyero/>",
        |n| format!("<property><id>R{n}</id><type>Villa</type></property>"),
        "</root>",
    );
    check(
        options(Format::OpenImmo),
        "<openimmo><anbieter><firma>A</firma>",
        |n| {
            format!(
                "<immobilie><verwaltung_techn><objektnr_extern>R{n}</objektnr_extern></verwaltung_techn></immobilie>"
            )
        },
        "</anbieter></openimmo>",
    );
    check(
        options(Format::Reso),
        "{\"value\":[{\"ListingKey\":\"R1\"}",
        |n| if n == 1 { String::new() } else { format!(",{{\"ListingKey\":\"R{n}\"}}") },
        "]}",
    );
    check(options(Format::Poliris), "", |n| format!("\"\"!#\"R{n}\"{}\r\n", "!#\"\"".repeat(30)), "");
}
