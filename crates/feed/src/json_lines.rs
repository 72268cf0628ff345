//! Reads NDJSON: one advert per line. A line that is no JSON object is unreadable, and blank lines are skipped.

use std::io;

use serde_json::{Map, Value};

use crate::compression::{Bytes, buffered};
use crate::lines::{Line, next_line};
use crate::reader::{FeedItem, FeedRecord, Records};
use crate::report::ColumnReport;

pub(crate) struct JsonLines<R> {
    reader: R,
    line: Vec<u8>,
    number: u64,
    record_bytes_max: usize,
}

impl JsonLines<()> {
    pub(crate) fn open(reader: Bytes, record_bytes_max: usize) -> impl Records {
        JsonLines { reader: buffered(reader), line: Vec::new(), number: 0, record_bytes_max }
    }
}

impl<R: io::BufRead + Send> Records for JsonLines<R> {
    fn next(&mut self, _report: &mut ColumnReport) -> io::Result<Option<FeedItem>> {
        loop {
            let line = next_line(&mut self.reader, &mut self.line, self.record_bytes_max)?;
            self.number += 1;
            let number = self.number;
            match line {
                Line::End => return Ok(None),
                Line::TooLong => {
                    let message = format!("the line is longer than {} bytes", self.record_bytes_max);
                    return Ok(Some(FeedItem::Unreadable { number, message }));
                }
                Line::Complete if self.line.trim_ascii().is_empty() => {}
                Line::Complete => {
                    return Ok(Some(match serde_json::from_slice::<Map<String, Value>>(&self.line) {
                        Ok(advert) => FeedItem::Advert(FeedRecord { number, advert }),
                        Err(error) => FeedItem::Unreadable { number, message: error.to_string() },
                    }));
                }
            }
        }
    }
}
