//! Character encodings: a whole stream by its byte order mark or its declared name, or single values by their bytes.

use std::borrow::Cow;
use std::io::{self, Read};

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::compression::{Bytes, peek};

const BUFFER_BYTES: usize = 32 * 1024;

/// Returns the encoding with this name, as the web knows it: `utf-8`, `windows-1252`, `iso-8859-15`, `utf-16`.
pub(crate) fn by_name(name: &str) -> Option<&'static Encoding> {
    Encoding::for_label(name.as_bytes())
}

/// Turns a stream into UTF-8. A byte order mark decides before the declared encoding.
///
/// A stream without either is passed on as it is, and [`text`] decodes its values one by one.
pub(crate) fn decoded(reader: Bytes, declared: Option<&'static Encoding>) -> io::Result<Bytes> {
    let (first, mut reader) = peek::<4>(reader)?;
    let encoding = match Encoding::for_bom(&first) {
        Some((encoding, bytes)) => {
            reader.by_ref().take(bytes as u64).read_exact(&mut vec![0; bytes])?;
            Some(encoding)
        }
        // Markup and JSON start with a character of ASCII. In UTF-16 it has a zero next to it.
        None => match first.as_slice() {
            [b'<' | b'{' | b'[' | b'"', 0, ..] => Some(UTF_16LE),
            [0, b'<' | b'{' | b'[' | b'"', ..] => Some(UTF_16BE),
            _ => declared,
        },
    };
    Ok(match encoding {
        None => reader,
        Some(encoding) if encoding == UTF_8 => reader,
        Some(encoding) => Box::new(DecodingReader {
            reader,
            decoder: encoding.new_decoder_without_bom_handling(),
            input: vec![0; BUFFER_BYTES],
            input_start: 0,
            input_end: 0,
            at_end: false,
            finished: false,
            output: vec![0; BUFFER_BYTES],
            output_start: 0,
            output_end: 0,
        }),
    })
}

struct DecodingReader {
    reader: Bytes,
    decoder: Decoder,
    input: Vec<u8>,
    input_start: usize,
    input_end: usize,
    at_end: bool,
    /// The decoder has seen the end, and must not be called again.
    finished: bool,
    output: Vec<u8>,
    output_start: usize,
    output_end: usize,
}

impl Read for DecodingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.output_start == self.output_end {
            if self.finished {
                return Ok(0);
            }
            if self.input_start == self.input_end && !self.at_end {
                self.input_start = 0;
                self.input_end = self.reader.read(&mut self.input)?;
                self.at_end = self.input_end == 0;
            }
            let input = &self.input[self.input_start..self.input_end];
            let (result, read, written, _) =
                self.decoder.decode_to_utf8(input, &mut self.output, self.at_end);
            self.input_start += read;
            (self.output_start, self.output_end) = (0, written);
            self.finished = self.at_end && result == CoderResult::InputEmpty;
        }
        let length = buffer.len().min(self.output_end - self.output_start);
        buffer[..length].copy_from_slice(&self.output[self.output_start..self.output_start + length]);
        self.output_start += length;
        Ok(length)
    }
}

/// Decodes a value whose encoding is not declared: UTF-8 if it is valid, and otherwise the single bytes of Western Europe.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(western(bytes)),
    }
}

/// Decodes Windows-1252, or ISO-8859-15 where only that makes sense.
///
/// Both are in use under either name. Bytes from 0x80 to 0x9F are text in Windows-1252 only. Without such bytes, three
/// characters tell: the currency sign of Windows-1252 is in no advert, and a fraction inside a word is a ligature.
fn western(bytes: &[u8]) -> String {
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    if bytes.iter().any(|byte| (0x80..=0x9f).contains(byte)) {
        return text.into_owned();
    }
    let characters: Vec<char> = text.chars().collect();
    let is_letter = |index: Option<usize>| {
        index.and_then(|index| characters.get(index)).is_some_and(|character| character.is_alphabetic())
    };
    let decoded = characters.iter().enumerate().map(|(index, character)| {
        let in_word = is_letter(index.checked_sub(1)) || is_letter(Some(index + 1));
        match character {
            '¤' => '€',
            '½' if in_word => 'œ',
            '¼' if in_word => 'Œ',
            other => *other,
        }
    });
    decoded.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_text(bytes: &[u8], expected: &str) {
        assert_eq!(text(bytes), expected);
    }

    #[test]
    fn undeclared_values_are_decoded_by_their_bytes() {
        check_text("cœur 5 €".as_bytes(), "cœur 5 €");
        check_text(b"c\x9cur 5 \x80", "cœur 5 €");
        check_text(b"c\xbdur 5 \xa4", "cœur 5 €");
        check_text(b"4\xbd pi\xe8ces", "4½ pièces");
        check_text(b"l\xb4appartement", "l´appartement");
        check_text(b"", "");
    }

    fn check_stream(bytes: &[u8], declared: Option<&str>, expected: &str) {
        let declared = declared.map(|name| by_name(name).unwrap());
        let mut decoded = decoded(Box::new(io::Cursor::new(bytes.to_vec())), declared).unwrap();
        let mut text = String::new();
        decoded.read_to_string(&mut text).unwrap();
        assert_eq!(text, expected);
    }

    #[test]
    fn streams_are_decoded_by_mark_or_name() {
        check_stream(b"\xef\xbb\xbf\xc3\xa9", None, "é");
        check_stream(b"\xef\xbb\xbf\xc3\xa9", Some("windows-1252"), "é");
        check_stream(b"\xff\xfe\xe9\0", None, "é");
        check_stream(b"\xfe\xff\0\xe9", None, "é");
        check_stream(b"<\0a\0>\0", None, "<a>");
        check_stream(b"\xe9 \xa4", Some("iso-8859-15"), "é €");
        check_stream(b"\xe9 \x80", Some("windows-1252"), "é €");
        check_stream(b"a\0\xe9\0", Some("utf-16"), "aé");
        check_stream(b"", None, "");
        check_stream(b"\xc3\xa9", None, "é");
    }

    #[test]
    fn long_streams_are_decoded_across_buffers() {
        let text = "é€œ".repeat(50_000);
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        check_stream(&bytes, Some("utf-16"), &text);
    }
}
