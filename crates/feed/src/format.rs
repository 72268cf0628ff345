//! The formats of feeds, their names, and their detection where it is safe.

use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// One advert per line, as JSON.
    Ndjson,
    /// An array of adverts, at the top or inside an object.
    Json,
    /// Columns, with a header or by number.
    Csv,
    /// The columns of Poliris, without a header, separated by `!#`.
    Poliris,
    /// OpenImmo 1.2.7.
    OpenImmo,
    /// Kyero 3.
    Kyero,
    /// JSON with the names of the RESO Data Dictionary: one document, or one advert per line.
    Reso,
}

impl Format {
    pub const ALL: &'static [Self] =
        &[Self::Ndjson, Self::Json, Self::Csv, Self::Poliris, Self::OpenImmo, Self::Kyero, Self::Reso];

    /// Returns the name that users write.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ndjson => "ndjson",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Poliris => "poliris",
            Self::OpenImmo => "openimmo",
            Self::Kyero => "kyero",
            Self::Reso => "reso",
        }
    }

    /// Recognises a format by the first bytes of a feed, already decompressed, and by the name of its file.
    ///
    /// Returns `None` where a guess could be wrong: the columns of a CSV file and the fields of JSON have no fixed names,
    /// so only the endings of their file names count.
    pub fn detect(file_name: &str, first_bytes: &[u8]) -> Option<Self> {
        let text = opening(first_bytes);
        let text = text.trim_start();
        if text.starts_with('<') {
            let root = |name: &str| text.contains(&format!("<{name}"));
            return match (root("openimmo"), root("kyero")) {
                (true, false) => Some(Self::OpenImmo),
                (false, true) => Some(Self::Kyero),
                (true, true) | (false, false) => None,
            };
        }
        if text.starts_with('"') && text.lines().next()?.contains("\"!#\"") {
            return Some(Self::Poliris);
        }
        if text.starts_with(['{', '[']) && text.contains("\"ListingKey\"") {
            return Some(Self::Reso);
        }
        let ending = file_name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        match ending.as_deref() {
            Some("ndjson" | "jsonl") => Some(Self::Ndjson),
            Some("json") => Some(Self::Json),
            Some("csv" | "tsv") => Some(Self::Csv),
            _ => None,
        }
    }
}

/// Returns the text at the beginning of a feed, good enough to recognise names in ASCII.
fn opening(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // In UTF-16, every other byte of such names is zero.
    let bytes: Vec<u8> = bytes.iter().copied().filter(|byte| !matches!(byte, 0 | 0xfe | 0xff)).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The text is not the name of a format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a format; the formats are ndjson, json, csv, poliris, openimmo, kyero and reso")]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.trim().to_ascii_lowercase();
        Self::ALL
            .iter()
            .copied()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(*format));
        }
        let message = "xls".parse::<Format>().unwrap_err().to_string();
        for format in Format::ALL {
            assert!(message.contains(format.name()), "{message}");
        }
    }

    #[test]
    fn formats_are_detected_only_where_it_is_safe() {
        let check = |name: &str, bytes: &[u8], expected: Option<Format>| {
            assert_eq!(Format::detect(name, bytes), expected, "{name} {}", String::from_utf8_lossy(bytes));
        };
        check("x.xml", b"<?xml version=\"1.0\"?>\n<openimmo><uebertragung/>", Some(Format::OpenImmo));
        check("x", b"\xef\xbb\xbf<root><kyero><feed_version>3", Some(Format::Kyero));
        check("x.xml", b"<annonces><annonce>", None);
        check("x.xml", b"\xff\xfe<\0k\0y\0e\0r\0o\0>\0", Some(Format::Kyero));
        check("Annonces.csv", b"\"AG1\"!#\"R1\"!#\"vente\"", Some(Format::Poliris));
        check("x.csv", b"\"AG1\";\"R1\"", Some(Format::Csv));
        check("x.json", b"{\"value\":[{\"ListingKey\":\"1\"", Some(Format::Reso));
        check("x.JSON", b"[{\"price\":1}]", Some(Format::Json));
        check("x.jsonl", b"{\"price\":1}", Some(Format::Ndjson));
        check("x", b"{\"price\":1}", None);
        check("x.csv", b"", Some(Format::Csv));
    }
}
