//! Text: HTML to plain text, wrong encodings mended, invisible characters removed.

use std::borrow::Cow;

use super::encoding;

/// Returns the plain text of a text that may be HTML or wrongly encoded. Clean text is returned as it is.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !is_suspicious(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let mended = encoding::mend_double_encoding(text).or_else(|| {
        // The second half of an "à" is a no-break space, which programs like to replace by an ordinary one.
        let is_lost = contains(text, "Ã ");
        let restored = || text.replace("Ã  ", "Ã ").replace("Ã ", "Ã\u{a0} ");
        is_lost.then(|| encoding::mend_double_encoding(&restored())).flatten()
    });
    let text = mended.as_deref().unwrap_or(text);
    let unwrapped = contains(text, CDATA).then(|| text.replace(CDATA, "").replace("]]>", ""));
    let text = unwrapped.as_deref().unwrap_or(text);
    let without_tags = if text.contains('<') { without_tags(text) } else { text.to_owned() };
    let decoded = if without_tags.contains('&') { decode_entities(&without_tags) } else { without_tags };
    // Feeds in XML often encode the tags as well: `&lt;br /&gt;`.
    let plain =
        if decoded.contains('<') && text.contains('&') { self::without_tags(&decoded) } else { decoded };
    if !any_at(plain.as_bytes(), is_cleaned_at) {
        return Cow::Owned(plain);
    }
    let mut visible = String::with_capacity(plain.len());
    let mut rest = plain.as_str();
    // Few characters are cleaned. What is between them is copied at once.
    while let Some((at, found)) = rest.char_indices().find(|(_, c)| is_cleaned(*c)) {
        visible.push_str(&rest[..at]);
        visible.extend(match found {
            '\u{80}'..='\u{9f}' => encoding::windows_1252(found as u8),
            LINE_SEPARATOR | PARAGRAPH_SEPARATOR => Some('\n'),
            _ => None,
        });
        rest = &rest[at + found.len_utf8()..];
    }
    visible.push_str(rest);
    Cow::Owned(visible)
}

/// Does what [`str::contains`] does, many bytes at a time.
fn contains(text: &str, part: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some()
}

const LINE_SEPARATOR: char = '\u{2028}';
const PARAGRAPH_SEPARATOR: char = '\u{2029}';

/// Returns `true` for characters that are left out or replaced.
fn is_cleaned(c: char) -> bool {
    !matches!(c, '\n' | '\r' | '\t')
        && (c.is_control() || is_invisible(c) || matches!(c, LINE_SEPARATOR | PARAGRAPH_SEPARATOR))
}

/// Returns `true` for characters without width or meaning: byte order marks, soft hyphens, zero-width spaces. The joiner
/// of emoji and the marks of writing direction stay.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Returns `true` if a text may need cleaning. It reads each byte once: nearly all texts are clean.
fn is_suspicious(bytes: &[u8]) -> bool {
    any_at(bytes, is_suspicious_at)
}

fn is_suspicious_at(byte: u8, tail: &[u8]) -> bool {
    match byte {
        b'<' | b'&' => true,
        // `Ã`, `Â`, `Å` and `â`, with which doubly encoded text begins.
        0xc3 => matches!(tail, [0x82 | 0x83 | 0x85, ..] | [0xa2, 0xc2 | 0xe2, ..]),
        _ => is_cleaned_at(byte, tail),
    }
}

/// Returns `true` where a character begins that is left out or replaced.
fn is_cleaned_at(byte: u8, tail: &[u8]) -> bool {
    match byte {
        b'\n' | b'\r' | b'\t' => false,
        0..0x20 | 0x7f => true,
        // C1 controls and soft hyphens.
        0xc2 => matches!(tail, [0x80..=0x9f | 0xad, ..]),
        // Zero-width characters, separators, byte order marks.
        0xe2 => matches!(tail, [0x80, 0x8b..=0x8f | 0xa8 | 0xa9, ..] | [0x81, 0xa0, ..]),
        0xef => matches!(tail, [0xbb, 0xbf, ..]),
        _ => false,
    }
}

/// Looks for a place where a test of the byte and those behind it succeeds. Only bytes that may begin such a place are tested.
///
/// Without branches, the bytes of a block are compared all at once. Most blocks have none that may.
fn any_at(bytes: &[u8], test: impl Fn(u8, &[u8]) -> bool) -> bool {
    const BLOCK: usize = 32;
    (0..bytes.len()).step_by(BLOCK).any(|start| {
        let behind = &bytes[start + 1..];
        let block = &bytes[start..bytes.len().min(start + BLOCK)];
        let pairs =
            block.iter().zip(behind).fold(false, |found, (byte, next)| found | may_begin(*byte, *next));
        // The last byte of a text has none behind it.
        let last = behind.len() < block.len() && block.last().is_some_and(|byte| may_begin(*byte, 0));
        (pairs || last)
            && block.iter().enumerate().any(|(at, byte)| {
                let next = behind.get(at).copied().unwrap_or_default();
                may_begin(*byte, next) && test(*byte, &behind[at..])
            })
    })
}

/// Returns `true` for a byte with which something to be cleaned may begin, if this one is behind it. Nearly all texts have "é",
/// "m²" and "€", which begin with the same bytes as what is cleaned, and line breaks.
fn may_begin(byte: u8, next: u8) -> bool {
    let is_space = (byte == b'\n') | (byte == b'\r') | (byte == b'\t');
    let is_ascii = ((byte < 0x20) & !is_space) | (byte == b'<') | (byte == b'&') | (byte == 0x7f);
    let is_control = (byte == 0xc2) & ((next < 0xa0) | (next == 0xad));
    let is_long = ((byte == 0xe2) & (next < 0x82)) | ((byte == 0xef) & (next == 0xbb));
    let is_double = (next == 0x82) | (next == 0x83) | (next == 0x85) | (next == 0xa2);
    is_ascii | is_control | is_long | ((byte == 0xc3) & is_double)
}

/// Begins text in XML that has no markup. Feeds write it around texts that have.
const CDATA: &str = "<![CDATA[";

/// Elements that begin and end a line.
#[rustfmt::skip]
const BLOCKS: &[&str] = &[
    "address", "article", "blockquote", "body", "center", "dd", "div", "dl", "dt", "fieldset", "figcaption",
    "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li", "main",
    "nav", "ol", "p", "pre", "section", "table", "tbody", "tfoot", "thead", "tr", "ul",
];

/// Elements within a line. Other names in angle brackets are text.
#[rustfmt::skip]
const INLINE: &[&str] = &[
    "a", "abbr", "acronym", "audio", "b", "bdi", "bdo", "big", "button", "caption", "cite", "code", "col",
    "colgroup", "del", "dfn", "em", "embed", "font", "i", "iframe", "img", "input", "ins", "kbd", "label",
    "link", "mark", "meta", "noscript", "object", "param", "picture", "q", "s", "samp", "small", "source",
    "span", "strike", "strong", "sub", "sup", "svg", "path", "time", "tt", "u", "var", "video", "wbr",
];

/// Elements whose content is not text.
const HIDDEN: &[&str] = &["head", "script", "style", "template", "title"];

#[derive(Debug, PartialEq, Eq)]
enum Tag {
    /// `<br>`: a line break, also if repeated.
    Break,
    Block,
    /// A cell of a table: separated from the next one.
    Cell,
    Inline,
    /// An element to skip with its content.
    Hidden(&'static str),
}

/// Removes tags and comments. Tags of blocks become line breaks.
fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, markup) = rest.split_at(at);
        push_text(&mut plain, before);
        let Some((kind, after)) = markup_at(markup) else {
            plain.push('<');
            rest = &markup[1..];
            continue;
        };
        rest = after;
        match kind {
            Some(Tag::Break) => {
                trim_spaces(&mut plain);
                plain.push('\n');
                // A line break in the source after `<br>` is the same line break.
                rest = rest.trim_start_matches([' ', '\t', '\r']);
                rest = rest.strip_prefix('\n').unwrap_or(rest);
            }
            Some(Tag::Block) => {
                trim_spaces(&mut plain);
                if !plain.is_empty() && !plain.ends_with('\n') {
                    plain.push('\n');
                }
                rest = rest.trim_start();
            }
            Some(Tag::Cell) => {
                if !plain.is_empty() && !plain.ends_with([' ', '\n']) {
                    plain.push(' ');
                }
            }
            Some(Tag::Inline) | None => {}
            Some(Tag::Hidden(name)) => rest = after_element(rest, name),
        }
    }
    push_text(&mut plain, rest);
    plain
}

fn push_text(plain: &mut String, text: &str) {
    if plain.is_empty() || plain.ends_with('\n') {
        plain.push_str(text.trim_start_matches([' ', '\t']));
    } else {
        plain.push_str(text);
    }
}

fn trim_spaces(plain: &mut String) {
    let length = plain.trim_end_matches([' ', '\t', '\r']).len();
    plain.truncate(length);
}

/// Reads the markup that a text begins with: what it is, if it matters, and the text after it. `None` if it is no markup.
fn markup_at(text: &str) -> Option<(Option<Tag>, &str)> {
    if let Some(comment) = text.strip_prefix("<!--") {
        let end = comment.find("-->").map_or(comment.len(), |end| end + 3);
        return Some((None, &comment[end..]));
    }
    if text.starts_with("<!") || text.starts_with("<?") {
        let end = text.find('>')?;
        return text[2..].starts_with(|c: char| c.is_ascii_alphabetic()).then_some((None, &text[end + 1..]));
    }
    let name_start = if text.starts_with("</") { 2 } else { 1 };
    let name_length = text[name_start..]
        .find(|c: char| !c.is_ascii_alphanumeric() && c != ':')
        .unwrap_or(text.len() - name_start);
    let name = text[name_start..name_start + name_length].to_ascii_lowercase();
    let kind = tag(&name)?;
    let attributes = &text[name_start + name_length..];
    let end = match tag_end(attributes) {
        Some(end) => end,
        // A text that was cut inside a tag.
        None if attributes.is_empty() || attributes.contains('=') => return Some((Some(kind), "")),
        None => return None,
    };
    let inside = attributes[..end].trim().trim_end_matches('/').trim_end();
    // `a <b et c> d` is text: short names need attributes that look like some.
    if name.len() == 1 && !inside.is_empty() && !inside.contains('=') {
        return None;
    }
    let kind = match kind {
        Tag::Hidden(_) if name_start == 2 => Tag::Inline,
        kind => kind,
    };
    Some((Some(kind), &attributes[end + 1..]))
}

fn tag(name: &str) -> Option<Tag> {
    if name == "br" {
        return Some(Tag::Break);
    }
    if matches!(name, "td" | "th") {
        return Some(Tag::Cell);
    }
    if BLOCKS.contains(&name) {
        return Some(Tag::Block);
    }
    if let Some(hidden) = HIDDEN.iter().find(|hidden| **hidden == name) {
        return Some(Tag::Hidden(hidden));
    }
    // Word processors write names with a prefix: `<o:p>`.
    let prefixed = name.split_once(':').is_some_and(|(prefix, name)| !prefix.is_empty() && !name.is_empty());
    (INLINE.contains(&name) || prefixed).then_some(Tag::Inline)
}

/// Returns where a tag ends. A `>` inside quotes does not end it, unless the quotes are never closed.
fn tag_end(attributes: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in attributes.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    attributes.find('>')
}

/// Returns the text after the end of an element; nothing if it does not end.
fn after_element<'a>(text: &'a str, name: &str) -> &'a str {
    let lower = text.to_ascii_lowercase();
    let Some(end) = lower.find(&format!("</{name}")) else { return "" };
    text[end..].find('>').map_or("", |close| &text[end + close + 1..])
}

/// Decodes character references: `&eacute;`, `&#233;`, `&#xe9;`. Other ampersands stay: `R&D`.
fn decode_entities(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        // Encoded more than once: `&amp;eacute;`.
        let mut reference = &rest[at + 1..];
        let mut ampersand = false;
        while let Some(after) = reference.strip_prefix("amp;") {
            (reference, ampersand) = (after, true);
        }
        match reference_at(reference) {
            Some((decoded, after)) => {
                match decoded {
                    Decoded::Text(text) => plain.push_str(text),
                    Decoded::Character(c) => plain.push(c),
                }
                rest = after;
            }
            None => {
                plain.push('&');
                rest = if ampersand { reference } else { &rest[at + 1..] };
            }
        }
    }
    plain.push_str(rest);
    plain
}

enum Decoded {
    Text(&'static str),
    Character(char),
}

/// Reads the reference that a text begins with, after its ampersand.
fn reference_at(text: &str) -> Option<(Decoded, &str)> {
    /// The longest name that is used in texts, `CounterClockwiseContourIntegral`, has 31 characters.
    const NAME_MAX: usize = 32;
    if let Some(digits) = text.strip_prefix('#') {
        let (radix, digits) = match digits.strip_prefix(['x', 'X']) {
            Some(digits) => (16, digits),
            None => (10, digits),
        };
        let length = digits.bytes().take(8).take_while(|byte| char::from(*byte).is_digit(radix)).count();
        let code = u32::from_str_radix(&digits[..length], radix).ok()?;
        let character = match code {
            // As in HTML, these codes are meant as Windows-1252.
            0x80..=0x9f => encoding::windows_1252(code as u8)?,
            code => char::from_u32(code).filter(|c| !c.is_control() || matches!(c, '\n' | '\t' | '\r'))?,
        };
        let after = &digits[length..];
        return Some((Decoded::Character(character), after.strip_prefix(';').unwrap_or(after)));
    }
    let length = text.bytes().take(NAME_MAX).take_while(u8::is_ascii_alphanumeric).count();
    let (name, after) = text.split_at(length);
    let index =
        html_escape::NAMED_ENTITIES.binary_search_by(|(known, _)| (*known).cmp(name.as_bytes())).ok()?;
    let decoded = html_escape::NAMED_ENTITIES[index].1;
    match after.strip_prefix(';') {
        Some(after) => Some((Decoded::Text(decoded), after)),
        // Old pages leave the semicolon out, but only Latin characters and the basic references may be written so. `?a=1&copy=2`
        // is an address.
        None if !after.starts_with('=') && decoded.chars().all(|c| c <= 'ÿ') => {
            Some((Decoded::Text(decoded), after))
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Also where a block of 32 bytes or the text ends.
        #[test]
        fn blocks_are_tested_like_single_bytes(
            before in "[a-zé]{0,40}",
            mark in "(|<|&|\u{2}|\n|\u{7f}|\u{85}|\u{a0}|\u{ad}|²|€|Ã©|Â|â€|à|’|\u{200b}|\u{2028}|\u{2060}|\u{feff}|ﬁ)",
            after in "[a-zé]{0,40}",
        ) {
            let text = before + &mark + &after;
            let bytes = text.as_bytes();
            for test in [is_suspicious_at, is_cleaned_at] {
                let expected = (0..bytes.len()).any(|at| test(bytes[at], &bytes[at + 1..]));
                prop_assert_eq!(any_at(bytes, test), expected);
            }
        }
    }
}
