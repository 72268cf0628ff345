//! Reads XML feeds: cuts out the elements that are adverts, and converts them one by one.

mod node;
mod slice;

use std::io;
use std::sync::Arc;

use serde_json::{Map, Value};

pub(crate) use node::Node;
use slice::{Slice, Slicer};

use crate::compression::{Bytes, buffered, peek};
use crate::encoding;
use crate::json::too_large;
use crate::mapping::Mapping;
use crate::reader::{FeedItem, FeedRecord, Records};
use crate::report::ColumnReport;

/// Bytes in which an XML declaration ends.
const DECLARATION_BYTES: usize = 200;

/// An XML format.
pub(crate) trait XmlFormat: Send {
    /// The elements to cut out. The first one is an advert; the others come before it and describe its sender.
    const NAMES: &'static [&'static str];

    /// Remembers an element that is no advert.
    fn context(&mut self, node: &Node);

    /// Converts an advert.
    fn advert(&self, node: &Node) -> Map<String, Value>;
}

pub(crate) fn open<F: XmlFormat + 'static>(
    reader: Bytes,
    format: F,
    mapping: Option<Arc<Mapping>>,
    record_bytes_max: usize,
) -> io::Result<Box<dyn Records>> {
    let (first, reader) = peek::<DECLARATION_BYTES>(reader)?;
    let reader = encoding::decoded(reader, declared_encoding(&first))?;
    let slicer = Slicer::new(buffered(reader), F::NAMES, record_bytes_max);
    Ok(Box::new(Elements { slicer, format, mapping, number: 0, record_bytes_max }))
}

/// Returns the encoding that the XML declaration names.
fn declared_encoding(first: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let text = String::from_utf8_lossy(first);
    let declaration = text.trim_start().strip_prefix("<?xml")?.split("?>").next()?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    // A declaration that was readable as ASCII cannot be in UTF-16, whatever it says.
    encoding::by_name(value[1..].split(quote).next()?).filter(|encoding| encoding.is_ascii_compatible())
}

struct Elements<R, F> {
    slicer: Slicer<R>,
    format: F,
    mapping: Option<Arc<Mapping>>,
    number: u64,
    record_bytes_max: usize,
}

impl<R: io::BufRead + Send, F: XmlFormat> Records for Elements<R, F> {
    fn next(&mut self, report: &mut ColumnReport) -> io::Result<Option<FeedItem>> {
        loop {
            let slice = self.slicer.next()?;
            if let Slice::Element(kind) = slice
                && kind > 0
            {
                if let Ok(node) = Node::parse(&encoding::text(&self.slicer.element)) {
                    self.format.context(&node);
                }
                continue;
            }
            self.number += 1;
            let number = self.number;
            let unreadable = |message: String| Ok(Some(FeedItem::Unreadable { number, message }));
            match slice {
                Slice::End => return Ok(None),
                Slice::TooLarge => return Ok(Some(too_large(number, self.record_bytes_max))),
                Slice::Unclosed => {
                    return unreadable("the element is not closed before the next one begins".to_owned());
                }
                Slice::Element(_) => {}
            }
            return match Node::parse(&encoding::text(&self.slicer.element)) {
                Ok(node) => {
                    let mut advert = self.format.advert(&node);
                    node.report(report);
                    if let Some(mapping) = &self.mapping {
                        mapping.complete(&mut advert);
                    }
                    Ok(Some(FeedItem::Advert(FeedRecord { number, advert })))
                }
                Err(why) => unreadable(format!("the element is broken: {why}")),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_name_the_encoding() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(
                declared_encoding(text.as_bytes()).map(encoding_rs::Encoding::name),
                expected,
                "{text}"
            );
        };
        check("<?xml version=\"1.0\" encoding=\"ISO-8859-15\"?><a/>", Some("ISO-8859-15"));
        check("<?xml version='1.0' encoding = 'latin1' ?>", Some("windows-1252"));
        check("<?xml version='1.0' encoding='UTF-16'?>", None);
        check("<?xml version='1.0'?><a encoding='latin1'/>", None);
        check("<?xml version='1.0' encoding=latin1?>", None);
        check("<a/>", None);
    }
}
