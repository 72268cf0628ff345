//! Bytes in the wrong encoding: Windows-1252 inside UTF-8, UTF-8 encoded twice, and JSON that other programs write.

use std::borrow::Cow;

/// The characters of the bytes 0x80 to 0x9f in Windows-1252. Five of them have none.
const HIGH: [Option<char>; 32] = [
    Some('€'),
    None,
    Some('‚'),
    Some('ƒ'),
    Some('„'),
    Some('…'),
    Some('†'),
    Some('‡'),
    Some('ˆ'),
    Some('‰'),
    Some('Š'),
    Some('‹'),
    Some('Œ'),
    None,
    Some('Ž'),
    None,
    None,
    Some('‘'),
    Some('’'),
    Some('“'),
    Some('”'),
    Some('•'),
    Some('–'),
    Some('—'),
    Some('˜'),
    Some('™'),
    Some('š'),
    Some('›'),
    Some('œ'),
    None,
    Some('ž'),
    Some('Ÿ'),
];

/// Returns the character of a byte in Windows-1252.
pub fn windows_1252(byte: u8) -> Option<char> {
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        _ => Some(char::from(byte)),
    }
}

/// Returns the byte of a character in Windows-1252. The five bytes without a character stand for the control characters
/// with the same number: that is how other programs decode them.
fn windows_1252_byte(c: char) -> Option<u8> {
    match u32::from(c) {
        code @ (0..0x80 | 0xa0..=0xff) => u8::try_from(code).ok(),
        0x80..=0x9f => u8::try_from(u32::from(c)).ok(),
        _ => HIGH.iter().position(|high| *high == Some(c)).and_then(|at| u8::try_from(at + 0x80).ok()),
    }
}

/// Decodes text that was encoded as UTF-8 twice (`Ã©` for `é`). `None` unless the whole text is: one character that cannot
/// come from it means that the others are meant as they are.
pub fn mend_double_encoding(text: &str) -> Option<String> {
    // `Ã`, `Â`, `Å` and `â`.
    if !text.as_bytes().windows(2).any(|pair| matches!(pair, [0xc3, 0x82 | 0x83 | 0x85 | 0xa2])) {
        return None;
    }
    let bytes: Vec<u8> = text.chars().map(windows_1252_byte).collect::<Option<_>>()?;
    String::from_utf8(bytes).ok()
}

/// JSON text after repair.
#[derive(Debug, PartialEq, Eq)]
pub struct Repaired {
    pub json: String,
    /// What was wrong: one sentence for each kind of fault.
    pub remarks: Vec<String>,
}

/// Decodes JSON in Windows-1252, or in a mixture of it and UTF-8. `None` if it is UTF-8.
///
/// It finds what [`repair_json`] finds wrong with valid JSON in a wrong encoding, which is nearly all that is repaired, and takes a small
/// part of the time. Anything else is left as it is.
pub fn decode_json(bytes: &[u8]) -> Option<Repaired> {
    match decode(bytes) {
        (Cow::Borrowed(_), _) => None,
        (Cow::Owned(json), foreign) => {
            Some(Repaired { json, remarks: Faults { foreign, ..Faults::default() }.remarks() })
        }
    }
}

/// Repairs JSON that a strict parser refuses because of single bytes or words: bytes that are not UTF-8, control
/// characters inside strings, half surrogate pairs, a byte order mark, `NaN`, numbers out of range. Returns `None` if there
/// is nothing to repair. The structure is never touched: the result may still be invalid.
pub fn repair_json(bytes: &[u8]) -> Option<Repaired> {
    let (text, foreign) = decode(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut faults = Faults { foreign, ..Faults::default() };
    let json = repair_tokens(text, &mut faults);
    if json.as_bytes() == bytes {
        return None;
    }
    Some(Repaired { json, remarks: faults.remarks() })
}

#[derive(Default)]
struct Faults {
    foreign: usize,
    controls: usize,
    surrogates: usize,
    words: usize,
}

impl Faults {
    fn remarks(&self) -> Vec<String> {
        let counted = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{count} {many}")),
        };
        [
            counted(
                self.foreign,
                "byte is not UTF-8 and was read as Windows-1252.",
                "bytes are not UTF-8 and were read as Windows-1252.",
            ),
            counted(
                self.controls,
                "control character in a text was replaced by a space.",
                "control characters in texts were replaced by spaces.",
            ),
            counted(
                self.surrogates,
                "half of a character was removed.",
                "halves of characters were removed.",
            ),
            counted(
                self.words,
                "number cannot be represented and counts as not given.",
                "numbers cannot be represented and count as not given.",
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Decodes UTF-8. Each byte that does not belong to it is read as Windows-1252. Returns the number of these bytes.
fn decode(bytes: &[u8]) -> (Cow<'_, str>, usize) {
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        return (Cow::Borrowed(text), 0);
    }
    let (mut text, mut foreign) = (String::with_capacity(bytes.len() + bytes.len() / 8), 0);
    let mut rest = bytes;
    // Mostly ASCII, which is copied by runs. What follows a run is looked at one character at a time.
    while let Some((run, after)) = split_ascii(rest) {
        text.push_str(run);
        rest = after;
        let Some(chunk) = rest[..rest.len().min(CHARACTER_BYTES_MAX)].utf8_chunks().next() else { break };
        match chunk.valid().chars().next() {
            Some(letter) => {
                text.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
            None => {
                for byte in chunk.invalid() {
                    foreign += 1;
                    text.extend(windows_1252(*byte));
                }
                rest = &rest[chunk.invalid().len()..];
            }
        }
    }
    (Cow::Owned(text), foreign)
}

const CHARACTER_BYTES_MAX: usize = 4;

/// Splits bytes behind the ASCII that they begin with. `None` if there are no bytes.
fn split_ascii(bytes: &[u8]) -> Option<(&str, &[u8])> {
    const BLOCK: usize = 32;
    let blocks = bytes.chunks_exact(BLOCK).take_while(|block| block.is_ascii()).count() * BLOCK;
    let run = blocks + bytes[blocks..].iter().take_while(|byte| byte.is_ascii()).count();
    let (run, rest) = bytes.split_at(run);
    // ASCII is UTF-8.
    (!bytes.is_empty()).then(|| (str::from_utf8(run).unwrap_or_default(), rest))
}

fn repair_tokens(text: &str, faults: &mut Faults) -> String {
    let mut json = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let Some(at) =
            rest.bytes().position(|byte| matches!(byte, b'"' | b'-') || byte.is_ascii_alphanumeric())
        else {
            json.push_str(rest);
            return json;
        };
        json.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(inside) = rest.strip_prefix('"') {
            rest = repair_string(inside, &mut json, faults);
            continue;
        }
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '+' | '.'))
            .unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let out_of_range = || {
            word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E'))
                && word.parse::<f64>().is_ok_and(f64::is_infinite)
        };
        if matches!(word, "NaN" | "-NaN" | "Infinity" | "-Infinity" | "undefined" | "None") || out_of_range()
        {
            faults.words += 1;
            json.push_str("\"NaN\"");
        } else {
            json.push_str(word);
        }
        rest = after;
    }
}

/// Copies a string with its quotes and repairs it. Returns the text after it.
fn repair_string<'a>(inside: &'a str, json: &mut String, faults: &mut Faults) -> &'a str {
    json.push('"');
    let mut rest = inside;
    loop {
        // All that ends a run is ASCII, so that the run ends between two characters.
        let run = rest.bytes().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20)).count();
        json.push_str(&rest[..run]);
        rest = &rest[run..];
        let Some(byte) = rest.bytes().next() else { return rest };
        let after = &rest[1..];
        let written = match byte {
            b'"' => {
                json.push('"');
                return after;
            }
            b'\\' => {
                rest = repair_escape(rest, json, faults);
                continue;
            }
            b'\t' => "\\t",
            b'\n' => "\\n",
            b'\r' => "\\r",
            _ => {
                faults.controls += 1;
                " "
            }
        };
        json.push_str(written);
        rest = after;
    }
}

/// Copies the escape that a text begins with. Half a surrogate pair is left out.
fn repair_escape<'a>(text: &'a str, json: &mut String, faults: &mut Faults) -> &'a str {
    let unit = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let end = |characters: usize| text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
    match unit(text) {
        Some(0xd800..=0xdbff) if unit(&text[6..]).is_some_and(|low| (0xdc00..=0xdfff).contains(&low)) => {
            json.push_str(&text[..12]);
            &text[12..]
        }
        Some(0xd800..=0xdfff) => {
            faults.surrogates += 1;
            &text[6..]
        }
        _ => {
            let end = end(2);
            json.push_str(&text[..end]);
            &text[end..]
        }
    }
}
