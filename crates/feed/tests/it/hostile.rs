//! Feeds that are broken or hostile: a clear message, no panic, no memory, and as little lost as possible.

use std::io::{self, Read};

use feed::{FeedItem, FeedOptions, Format, Mapping};
use proptest::prelude::*;

use crate::support::{items, mapped, options, reader, references};

fn check(format: Format, feed: &str, expected: &[&str], failure: Option<io::ErrorKind>) {
    let expected: Vec<String> = expected.iter().map(|it| (*it).to_owned()).collect();
    assert_eq!(references(reader(feed, options(format))), (expected, failure), "{feed}");
}

#[test]
fn broken_records_do_not_end_the_feed() {
    check(Format::Ndjson, "{\"reference\":\"a\"}\n{\n{\"reference\":\"b\"}\n", &["a", "-", "b"], None);
    check(Format::Json, "[{\"reference\":\"a\"},{x},{\"reference\":\"b\"}]", &["a", "-", "b"], None);
    check(Format::Csv, "reference,price\na,1\n\"b,2\nc,3\n", &["a", "-", "c"], None);
    check(
        Format::Kyero,
        "<root><property><id>a</id></property><property><id>b</property><property><id>c</id></property></root>",
        &["a", "-", "c"],
        None,
    );
    check(
        Format::Kyero,
        "<root><property><id>a</id><property><id>b</id></property></root>",
        &["-", "b"],
        None,
    );
    check(
        Format::Reso,
        "{\"value\":[{\"ListingKey\":\"a\"},7,{\"ListingKey\":\"b\"}]}",
        &["a", "-", "b"],
        None,
    );
}

#[test]
fn cut_feeds_end_with_an_error() {
    let cut = Some(io::ErrorKind::UnexpectedEof);
    check(Format::Json, "[{\"reference\":\"a\"},{\"reference\":\"b\"", &["a"], cut);
    check(Format::Json, "[{\"reference\":\"a\"},", &["a"], cut);
    check(Format::Kyero, "<root><property><id>a</id></property>", &["a"], cut);
    check(Format::Kyero, "<root><property><id>a</id></prop", &[], cut);
    check(Format::OpenImmo, "<openimmo><anbieter>", &[], cut);
    check(Format::Reso, "{\"value\":[{\"ListingKey\":\"a\"}", &["a"], cut);
}

/// Returns a record of Poliris with this reference and this many columns.
fn poliris_record(reference: &str, columns: usize) -> String {
    format!("\"AG\"!#\"{reference}\"{}", "!#\"x\"".repeat(columns - 2))
}

#[test]
fn last_record_of_a_cut_table_is_unreadable() {
    let csv = "reference;url;title;price\nR1;https://x.example/1;t1;100001\nR2;https://x.example/2;t2;100002";
    check(Format::Csv, csv, &["R1", "R2"], None);
    check(Format::Csv, &format!("{csv}\n"), &["R1", "R2"], None);
    // Cut before the last column, wherever.
    for end in csv.find("R2").unwrap() + 1..=csv.rfind(';').unwrap() {
        check(Format::Csv, &csv[..end], &["R1", "-"], None);
    }
    // Records that leave out empty columns at their end are complete if a line end follows.
    check(Format::Csv, "reference;title;price\nR1\nR2;t\nR3;t\r\n", &["R1", "R2", "R3"], None);
    // So are those of a header that ends with delimiters.
    check(Format::Csv, "reference;price;;\nR1;1\nR2;2", &["R1", "R2"], None);

    let (one, two) = (poliris_record("R1", 30), poliris_record("R2", 30));
    let whole = format!("{one}\r\n{two}");
    check(Format::Poliris, &whole, &["AG-R1", "AG-R2"], None);
    check(Format::Poliris, &format!("{whole}\r\n"), &["AG-R1", "AG-R2"], None);
    for end in one.len() + 3..whole.len() {
        check(Format::Poliris, &whole[..end], &["AG-R1", "-"], None);
    }
    check(Format::Poliris, &one, &["AG-R1"], None);
    check(Format::Poliris, &format!("{one}!#"), &["-"], None);
    // Without quotes, the last value may be cut just as in any table.
    let (one, two) = (one.replace('"', ""), two.replace('"', ""));
    check(Format::Poliris, &format!("{one}\n{two}"), &["AG-R1", "AG-R2"], None);
    check(Format::Poliris, &format!("{one}\n{}", &two[..two.len() - 3]), &["AG-R1", "-"], None);
}

#[test]
fn cut_record_names_its_columns() {
    let feed = "reference;url;title;price\nR1;https://x.example/1;t";
    let (items, _, _) = items(reader(feed, options(Format::Csv)));
    let expected =
        "the file seems to be cut: it ends in this record, after 3 of 4 columns and without a line end";
    assert_eq!(items, [FeedItem::Unreadable { number: 2, message: expected.to_owned() }]);
}

#[test]
fn cut_table_without_a_header_is_noticed() {
    let mapping = "header = false\n[fields]\nreference = 1\nprice = 3\n";
    let check = |feed: &str, expected: &[&str]| {
        let (found, failure) = references(reader(feed, mapped(Format::Csv, mapping)));
        assert_eq!((found, failure), (expected.iter().map(|it| (*it).to_owned()).collect(), None), "{feed}");
    };
    check("R1;x;1\nR2;x;2", &["R1", "R2"]);
    check("R1;x;1\nR2;x", &["R1", "-"]);
    check("R1;x", &["-"]);
    check("R1;x\n", &["R1"]);
}

#[test]
fn feeds_of_another_format_are_errors_or_unreadable() {
    check(Format::Kyero, "reference,price\na,1\n", &[], Some(io::ErrorKind::InvalidData));
    check(Format::Ndjson, "<root><property/></root>\n", &["-"], None);
    check(Format::Json, "<root></root>", &["-"], None);
    check(Format::Poliris, "reference;price\na;1\n", &["-", "-"], None);
}

#[test]
fn entities_are_never_expanded() {
    let mut feed = String::from("<?xml version=\"1.0\"?>\n<!DOCTYPE root [<!ENTITY e0 \"boum\">\n");
    for level in 1..30 {
        let below = format!("&e{};", level - 1).repeat(10);
        feed.push_str(&format!("<!ENTITY e{level} \"{below}\">\n"));
    }
    feed.push_str("<!ENTITY file SYSTEM \"file:///etc/hostname\">]>\n");
    feed.push_str(
        "<root><property><id>a</id><desc><fr>&e29; &file; &amp; &#233;</fr></desc></property></root>",
    );
    let (items, failure, _) = items(reader(&feed, options(Format::Kyero)));
    assert!(failure.is_none());
    let FeedItem::Advert(record) = &items[0] else { panic!("{items:?}") };
    assert_eq!(record.advert["description"], "&e29; &file; & é");
}

#[test]
fn deep_documents_are_unreadable() {
    let deep = format!("{}{}", "<a>".repeat(10_000), "</a>".repeat(10_000));
    check(
        Format::Kyero,
        &format!("<root><property>{deep}</property><property><id>b</id></property></root>"),
        &["-", "b"],
        None,
    );
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    check(Format::Json, &format!("[{{\"reference\":{deep}}},{{\"reference\":\"b\"}}]"), &["-", "b"], None);
}

/// A long run of one byte, made while it is read.
fn long(opening: &'static str, bytes: u64, closing: &'static str) -> Box<dyn Read + Send> {
    Box::new(opening.as_bytes().chain(io::repeat(b'x').take(bytes)).chain(closing.as_bytes()))
}

fn check_long(format: Format, opening: &'static str, bytes: u64, closing: &'static str) {
    let reader = feed::open_reader(long(opening, bytes, closing), options(format)).unwrap();
    assert_eq!(references(reader), (vec!["-".to_owned(), "b".to_owned()], None), "{format}");
}

#[test]
fn a_gigabyte_in_one_record_is_skipped() {
    check_long(Format::Ndjson, "{\"reference\":\"", 1 << 30, "\"}\n{\"reference\":\"b\"}\n");
    check_long(Format::Csv, "reference;title\n", 1 << 30, "\nb;c\n");
    // The scanners of the others are slower in a debug build.
    let closing = "</id></property><property><id>b</id></property></root>";
    check_long(Format::Kyero, "<root><property><id>", 1 << 27, closing);
    let closing = "]]></id></property><property><id>b</id></property></root>";
    check_long(Format::Kyero, "<root><property><id><![CDATA[", 1 << 27, closing);
    check_long(Format::Json, "[{\"reference\":\"", 1 << 27, "\"},{\"reference\":\"b\"}]");
    check_long(Format::Reso, "{\"value\":[{\"ListingKey\":\"", 1 << 27, "\"},{\"ListingKey\":\"b\"}]}");
}

#[test]
fn large_records_are_skipped_in_every_format() {
    let long = "x".repeat(5_000);
    let small = |format: Format| FeedOptions { record_bytes_max: 1_000, ..options(format) };
    for (format, feed) in [
        (Format::Ndjson, format!("{{\"reference\":\"{long}\"}}\n{{\"reference\":\"b\"}}\n")),
        (Format::Json, format!("[{{\"reference\":\"{long}\"}},{{\"reference\":\"b\"}}]")),
        (Format::Csv, format!("reference,title\n{long},{long}\nb,c\n")),
        (Format::Csv, format!("reference,title\n\"{long}\n\",x\nb,c\n")),
        (
            Format::Kyero,
            format!("<root><property><id>{long}</id></property><property><id>b</id></property></root>"),
        ),
        (
            Format::Kyero,
            format!("<root><property><a b=\"{long}\"/></property><property><id>b</id></property></root>"),
        ),
        (
            Format::OpenImmo,
            format!(
                "<o><immobilie><!-- {long} --></immobilie><immobilie><verwaltung_techn><objektnr_extern>b</objektnr_extern></verwaltung_techn></immobilie></o>"
            ),
        ),
        (Format::Reso, format!("[{{\"ListingKey\":\"{long}\"}},{{\"ListingKey\":\"b\"}}]")),
        (Format::Poliris, format!("\"\"!#\"{long}\"{end}\n\"\"!#\"b\"{end}\n", end = "!#\"\"".repeat(30))),
    ] {
        let (found, failure) = references(reader(&feed, small(format)));
        assert_eq!(failure, None, "{format}");
        assert_eq!(found.last().map(String::as_str), Some("b"), "{format}: {found:?}");
        assert!(found.iter().any(|reference| reference == "-"), "{format}: {found:?}");
    }
}

#[test]
fn unclosed_quotes_cost_their_line() {
    let mut feed = String::from("reference;title\n");
    for number in 0..1_000 {
        let quote = if number % 100 == 50 { "\"" } else { "" };
        feed.push_str(&format!("{number};{quote}titre\n"));
    }
    let (found, failure) = references(reader(&feed, options(Format::Csv)));
    assert_eq!(failure, None);
    assert_eq!(found.len(), 1_000);
    assert_eq!(found.iter().filter(|reference| *reference == "-").count(), 10);
}

/// Reads to the end, and returns how many records there were.
fn drain(bytes: &[u8], options: FeedOptions) -> usize {
    match feed::open_reader(Box::new(io::Cursor::new(bytes.to_vec())), options) {
        Ok(reader) => items(reader).0.len(),
        Err(_) => 0,
    }
}

/// Bytes that look like a feed: pieces of all formats, shuffled, with random bytes between them.
fn almost_a_feed() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&'static [u8]> = vec![
        b"<root>",
        b"</root>",
        b"<property>",
        b"</property>",
        b"<property",
        b"<immobilie>",
        b"</immobilie>",
        b"<![CDATA[",
        b"]]>",
        b"<!--",
        b"-->",
        b"<!DOCTYPE a [",
        b"&amp;",
        b"&x;",
        b"<id>1</id>",
        b"a=\"",
        b"'",
        b"/>",
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"",
        b"\\",
        b",",
        b":",
        b"\"value\":[",
        b"\"reference\"",
        b"1.5e",
        b"null",
        b"!#",
        b"\"!#\"",
        b";",
        b"\t",
        b"|",
        b"\r\n",
        b"\n",
        b"sep=",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\xfe\xff",
        b"\x1f\x8b",
        b"PK\x03\x04",
        b"\xe9\x80",
        b"<?xml encoding=\"",
        b"?>",
        b" ",
    ];
    let piece = prop_oneof![
        4 => proptest::sample::select(pieces).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), max in 1_usize..400) {
        for format in Format::ALL {
            let count = drain(&bytes, FeedOptions { record_bytes_max: max, ..options(*format) });
            prop_assert!(count <= bytes.len() + 1);
            let _ = Format::detect("feed", &bytes);
        }
    }

    #[test]
    fn no_broken_feed_makes_a_reader_panic(bytes in almost_a_feed(), max in 1_usize..400) {
        for format in Format::ALL {
            let count = drain(&bytes, FeedOptions { record_bytes_max: max, ..options(*format) });
            prop_assert!(count <= bytes.len() + 1);
        }
    }

    #[test]
    fn no_text_makes_the_parser_of_mappings_panic(text in "[a-z\\[\\]=\"{}.,*0-9% \n]{0,80}") {
        let _ = Mapping::parse(&text);
    }

    /// What one reader calls unreadable must not depend on how the bytes arrive.
    #[test]
    fn records_do_not_depend_on_the_size_of_reads(bytes in almost_a_feed(), size in 1_usize..20) {
        for format in Format::ALL {
            let whole = items(match feed::open_reader(Box::new(io::Cursor::new(bytes.clone())), options(*format)) {
                Ok(reader) => reader,
                Err(_) => continue,
            });
            let slow = Slow { bytes: bytes.clone(), at: 0, size };
            let parts = items(feed::open_reader(Box::new(slow), options(*format)).unwrap());
            prop_assert_eq!(&whole.0, &parts.0, "{}", format);
            prop_assert_eq!(whole.1.map(|it| it.kind()), parts.1.map(|it| it.kind()), "{}", format);
        }
    }
}

/// Hands out a few bytes at a time.
struct Slow {
    bytes: Vec<u8>,
    at: usize,
    size: usize,
}

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.size.min(buffer.len()).min(self.bytes.len() - self.at);
        buffer[..length].copy_from_slice(&self.bytes[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}
