//! Compressed feeds: gzip from a file or a stream, ZIP from a file.

use std::fs::File;
use std::io::{self, Cursor, Write};
use std::path::PathBuf;

use feed::{FeedError, FeedItem, FeedOptions, Format};
use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::support::{items, options, references, sample};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zip_of(entries: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Writes a file into a folder that lives as long as the test.
fn file(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    File::create(&path).unwrap().write_all(bytes).unwrap();
    path
}

const LINES: &[u8] = b"{\"reference\":\"a\"}\n{\"reference\":\"b\"}\n";

#[test]
fn gzip_is_read_from_files_and_streams() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "x.ndjson.gz", &gzip(LINES));
    assert_eq!(references(feed::open(&path, options(Format::Ndjson)).unwrap()).0, ["a", "b"]);
    assert_eq!(feed::detect(&path).unwrap(), Some(Format::Ndjson));
    // Two members, as concatenated files have.
    let twice = [gzip(LINES), gzip(LINES)].concat();
    let reader = feed::open_reader(Box::new(Cursor::new(twice)), options(Format::Ndjson)).unwrap();
    assert_eq!(references(reader).0, ["a", "b", "a", "b"]);
}

#[test]
fn cut_gzip_is_an_error() {
    let bytes = gzip(&LINES.repeat(1_000));
    let cut = bytes[..bytes.len() - 5].to_vec();
    let reader = feed::open_reader(Box::new(Cursor::new(cut)), options(Format::Ndjson)).unwrap();
    assert_eq!(references(reader).1, Some(io::ErrorKind::UnexpectedEof));
}

#[test]
fn every_feed_of_a_zip_file_is_read() {
    let folder = TempDir::new().unwrap();
    let entries: &[(&str, &[u8])] = &[
        ("Config.txt", b"Version=4.09"),
        ("b/second.ndjson", b"{\"reference\":\"1\"}\nbroken\n"),
        ("photo.jpg", b"\xff\xd8"),
        ("__MACOSX/second.ndjson", b"{\"reference\":\"hidden\"}"),
        (".hidden.ndjson", b"{\"reference\":\"hidden\"}"),
        ("A.NDJSON", b"{\"reference\":\"2\"}\n"),
    ];
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let path = file(&folder, "feed.zip", &zip_of(entries, method));
        let reader = feed::open(&path, options(Format::Ndjson)).unwrap();
        let (items, failure, _) = items(reader);
        assert!(failure.is_none());
        let numbers: Vec<u64> = items
            .iter()
            .map(|item| match item {
                FeedItem::Advert(record) => record.number,
                FeedItem::Unreadable { number, .. } => *number,
            })
            .collect();
        assert_eq!(numbers, [1, 2, 3]);
        let FeedItem::Advert(last) = &items[2] else { panic!("{items:?}") };
        assert_eq!(last.advert["reference"], "2");
    }
}

#[test]
fn poliris_in_a_zip_file_is_read_like_the_plain_file() {
    let folder = TempDir::new().unwrap();
    let bytes = std::fs::read(sample("poliris.csv")).unwrap();
    let entries: &[(&str, &[u8])] = &[("Annonces.csv", &bytes), ("Photos.cfg", b"Mode=FULL")];
    let path = file(&folder, "AG12.zip", &zip_of(entries, CompressionMethod::Deflated));
    assert_eq!(feed::detect(&path).unwrap(), Some(Format::Poliris));
    let zipped = items(feed::open(&path, options(Format::Poliris)).unwrap());
    let plain = items(feed::open(&sample("poliris.csv"), options(Format::Poliris)).unwrap());
    assert_eq!((zipped.0, zipped.2), (plain.0, plain.2));
}

#[test]
fn each_entry_has_its_own_header() {
    let folder = TempDir::new().unwrap();
    let entries: &[(&str, &[u8])] =
        &[("1.csv", b"reference;price\na;1\n"), ("2.csv", b"price,reference\n2,b\n")];
    let path = file(&folder, "feed.zip", &zip_of(entries, CompressionMethod::Deflated));
    assert_eq!(references(feed::open(&path, options(Format::Csv)).unwrap()).0, ["a", "b"]);
}

#[test]
fn damaged_zip_files_are_errors() {
    let folder = TempDir::new().unwrap();
    let lines = LINES.repeat(500);
    let bytes = zip_of(&[("x.ndjson", &lines)], CompressionMethod::Stored);
    let cut = file(&folder, "cut.zip", &bytes[..bytes.len() / 2]);
    assert!(matches!(feed::open(&cut, options(Format::Ndjson)), Err(FeedError::Zip(_))));
    let mut changed = bytes.clone();
    changed[5_000] ^= 1;
    let changed = file(&folder, "changed.zip", &changed);
    let (_, failure) = references(feed::open(&changed, options(Format::Ndjson)).unwrap());
    assert_eq!(failure, Some(io::ErrorKind::InvalidData));
    let empty = file(&folder, "empty.zip", &zip_of(&[], CompressionMethod::Stored));
    assert!(matches!(feed::open(&empty, options(Format::Ndjson)), Err(FeedError::EmptyZip)));
    let stream = feed::open_reader(Box::new(Cursor::new(bytes)), options(Format::Ndjson));
    assert!(matches!(stream, Err(FeedError::ZipFromPipe)));
}

#[test]
fn a_bomb_is_read_as_a_stream() {
    let folder = TempDir::new().unwrap();
    // 64 MiB in one line of 64 KiB of compressed data.
    let line = vec![b'x'; 64 << 20];
    let path = file(&folder, "bomb.zip", &zip_of(&[("x.ndjson", &line)], CompressionMethod::Deflated));
    let (items, failure, _) = items(feed::open(&path, options(Format::Ndjson)).unwrap());
    assert!(failure.is_none());
    assert!(matches!(items.as_slice(), [FeedItem::Unreadable { number: 1, .. }]), "{items:?}");
}

#[test]
fn progress_counts_the_bytes_of_the_file() {
    let folder = TempDir::new().unwrap();
    let bytes = gzip(&LINES.repeat(1_000));
    let path = file(&folder, "x.ndjson.gz", &bytes);
    let mut reader = feed::open(&path, options(Format::Ndjson)).unwrap();
    assert!(reader.by_ref().all(|item| item.is_ok()));
    assert_eq!(reader.bytes_read(), bytes.len() as u64);
}

#[test]
fn missing_files_are_named() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("none.csv");
    let error = feed::open(&path, FeedOptions { ..options(Format::Csv) }).err().unwrap();
    assert!(error.to_string().contains("none.csv"), "{error}");
}
