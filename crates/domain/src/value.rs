//! Validated values: amounts, texts, URLs. A value of these types never needs to be checked again.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// An amount of money, an area, a count or a rating: finite, from 0 to 10¹².
#[derive(Debug, Clone, Copy)]
pub struct Amount(f64);

impl Amount {
    /// More than any property costs. It keeps sums and products within the exact range of a float.
    pub const MAX: f64 = 1e12;

    pub fn new(number: f64) -> Option<Self> {
        // Adding zero turns -0.0 into 0.0, so that equal amounts have equal bits.
        (number.is_finite() && (0.0..=Self::MAX).contains(&number)).then_some(Self(number + 0.0))
    }

    pub const fn get(self) -> f64 {
        self.0
    }
}

impl PartialEq for Amount {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Amount {}

impl PartialOrd for Amount {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Amount {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Hash for Amount {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl fmt::Display for Amount {
    /// Writes the shortest decimal that parses to the same number: `250000`, `48.5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Why a text is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    #[error("This value is too long: {length} characters given, at most {limit} allowed.")]
    TooLong { length: usize, limit: usize },
    #[error("This value contains a control character.")]
    ControlCharacter,
}

/// A trimmed, non-empty text of at most `MAX` characters, without control characters except line breaks and tabs.
///
/// Shared, like [`WebAddress`]: an advert is copied several times on its way into the store, and most of it is text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text<const MAX: usize>(Arc<str>);

/// A title, a name, a telephone number.
pub type ShortText = Text<1_000>;

/// A description.
pub type LongText = Text<65_536>;

impl<const MAX: usize> Text<MAX> {
    /// Trims and checks a text. `None` if it is blank.
    pub fn new(text: &str) -> Result<Option<Self>, TextError> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        // The length in bytes is a cheap upper bound of the length in characters.
        if text.len() > MAX {
            let length = text.chars().count();
            if length > MAX {
                return Err(TextError::TooLong { length, limit: MAX });
            }
        }
        if has_control_character(text) {
            return Err(TextError::ControlCharacter);
        }
        Ok(Some(Self(text.into())))
    }

    /// Restores a text that [`Text::as_str`] returned, without checking it (for stores).
    pub fn trusted(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        debug_assert!(Self::new(&text).is_ok_and(|read| read.is_some_and(|read| *read.0 == *text)));
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns `true` if a text contains a control character that is not a line break or a tab. Reads bytes, because descriptions are long:
/// the only control characters beyond ASCII are those from U+0080 to U+009F.
fn has_control_character(text: &str) -> bool {
    const BLOCK: usize = 32;
    let bytes = text.as_bytes();
    let is_control = |at: usize| match bytes[at] {
        b'\n' | b'\r' | b'\t' => false,
        0..0x20 | 0x7f => true,
        0xc2 => matches!(bytes.get(at + 1), Some(0x80..=0x9f)),
        _ => false,
    };
    // Without branches, the bytes of a block are compared all at once. Most blocks have none of these.
    let may_begin = |found, byte: &u8| found | (*byte < 0x20) | (*byte == 0x7f) | (*byte == 0xc2);
    bytes.chunks(BLOCK).enumerate().any(|(index, block)| {
        let start = index * BLOCK;
        block.iter().fold(false, may_begin) && (start..start + block.len()).any(is_control)
    })
}

impl<const MAX: usize> fmt::Display for Text<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a URL is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WebAddressError {
    #[error("This value is not a valid URL.")]
    Malformed,
    #[error("This value is not an http or https URL.")]
    OtherScheme,
    #[error("This value is too long: {length} bytes given, at most {limit} allowed.", limit = WebAddress::BYTES_MAX)]
    TooLong { length: usize },
}

/// An absolute `http` or `https` URL, stored as given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WebAddress(Arc<str>);

impl WebAddress {
    /// The length that browsers and proxies commonly support.
    pub const BYTES_MAX: usize = 2_048;

    pub fn parse(text: &str) -> Result<Self, WebAddressError> {
        let text = text.trim();
        if !is_simple(text) {
            Self::parsed(text)?;
        }
        Ok(Self(text.into()))
    }

    /// Restores a URL that [`WebAddress::as_str`] returned, without checking it.
    pub fn trusted(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        debug_assert!(Self::parse(&text).is_ok_and(|read| *read.0 == *text));
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the host in lower case; never empty.
    pub fn host(&self) -> String {
        if let Some((host, _)) = simple_parts(&self.0) {
            return host.to_owned();
        }
        Self::parsed(&self.0).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Returns a canonical form for comparison: scheme and host in lower case, without default port and fragment.
    pub fn comparison_key(&self) -> String {
        if is_simple_and_canonical(&self.0) {
            return self.0.to_string();
        }
        match Self::parsed(&self.0) {
            Ok(mut url) => {
                url.set_fragment(None);
                url.into()
            }
            Err(_) => self.0.to_string(),
        }
    }

    fn parsed(text: &str) -> Result<url::Url, WebAddressError> {
        if text.len() > Self::BYTES_MAX {
            return Err(WebAddressError::TooLong { length: text.len() });
        }
        // The parser drops these silently, and the stored text must be the checked text.
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(WebAddressError::Malformed);
        }
        let url = url::Url::parse(text).map_err(|_| WebAddressError::Malformed)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(WebAddressError::OtherScheme);
        }
        match url.host_str() {
            Some(host) if !host.is_empty() => Ok(url),
            _ => Err(WebAddressError::Malformed),
        }
    }
}

/// Fast path: returns `true` for simple URLs such as `https://host.name/path?query` in plain ASCII. Nearly all URLs are
/// simple, an advert has a dozen pictures, and the full parser takes a microsecond for each. A test compares the two.
fn is_simple(text: &str) -> bool {
    simple_parts(text).is_some()
}

/// Returns the host and the rest of a simple URL.
fn simple_parts(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let (host, path) = rest.split_at(memchr::memchr(b'/', rest.as_bytes()).unwrap_or(rest.len()));
    // Without branches, the bytes of a path are compared many at once. Nearly every URL is simple to its end.
    let is_plain = path.bytes().fold(true, |plain, byte| plain & is_plain_in_path(byte));
    let is_simple = is_plain && text.len() <= WebAddress::BYTES_MAX && is_simple_host(host);
    is_simple.then_some((host, path))
}

/// Returns `true` for a host that is its own canonical form: a name in lower case, without empty or encoded labels.
pub(crate) fn is_simple_host(host: &str) -> bool {
    let bytes = host.as_bytes();
    let is_mark = |byte: u8| (byte == b'-') | (byte == b'.');
    let is_plain_at =
        |byte: u8| (byte.wrapping_sub(b'a') < 26) | (byte.wrapping_sub(b'0') < 10) | is_mark(byte);
    // Without branches, as for the path.
    let is_plain = bytes.iter().fold(true, |plain, byte| plain & is_plain_at(*byte));
    // Two points enclose an empty label, and encoded labels (punycode) have "--": both are for the full parser.
    let behind = bytes.get(1..).unwrap_or_default();
    let pairs = bytes.iter().zip(behind);
    let is_doubled = pairs.fold(false, |found, (one, next)| found | ((one == next) & is_mark(*one)));
    // A last label that starts with a letter cannot be part of an IP address.
    let last_label = memchr::memrchr(b'.', bytes).map_or(bytes, |point| &bytes[point + 1..]);
    is_plain
        && !is_doubled
        && !bytes.starts_with(b".")
        && last_label.first().is_some_and(u8::is_ascii_lowercase)
}

/// Returns `true` for letters, digits and the marks of a simple path, without branches.
const fn is_plain_in_path(byte: u8) -> bool {
    // From `+` to `9` are the comma, the hyphen, the point, the slash and the digits.
    ((byte | 0x20).wrapping_sub(b'a') < 26)
        | (byte.wrapping_sub(b'+') <= b'9' - b'+')
        | (byte == b'_')
        | (byte == b'~')
        | (byte == b'?')
        | (byte == b'=')
        | (byte == b'&')
        | (byte == b'%')
}

/// Returns `true` if a simple URL is already canonical: it has a path, without dot segments and percent-encoding.
fn is_simple_and_canonical(text: &str) -> bool {
    let path = text.splitn(4, '/').nth(3);
    path.is_some_and(|path| !path.contains('%') && !path.starts_with('.') && !path.contains("/."))
        && is_simple(text)
}

impl fmt::Display for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_simple_paths() {
        let expected = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~?=&%,+".contains(&byte);
        assert!((0..=u8::MAX).all(|byte| is_plain_in_path(byte) == expected(byte)));
    }

    #[test]
    fn amount_is_finite_and_not_negative() {
        for wrong in [f64::NAN, f64::INFINITY, -1.0, 1.1e12] {
            assert_eq!(Amount::new(wrong), None, "{wrong}");
        }
        assert_eq!(Amount::new(-0.0), Amount::new(0.0));
        assert_eq!(Amount::new(250_000.0).map(|a| a.to_string()).as_deref(), Some("250000"));
        assert_eq!(Amount::new(48.5).map(|a| a.to_string()).as_deref(), Some("48.5"));
    }

    #[test]
    fn text_is_trimmed_and_limited_in_characters() {
        assert_eq!(Text::<5>::new("   "), Ok(None));
        assert_eq!(Text::<5>::new(" été\n").map(|t| t.map(|t| t.to_string())), Ok(Some("été".to_owned())));
        assert!(Text::<5>::new("ééééé").is_ok());
        assert_eq!(Text::<5>::new("éééééé"), Err(TextError::TooLong { length: 6, limit: 5 }));
        assert_eq!(Text::<5>::new("a\0b"), Err(TextError::ControlCharacter));
    }

    #[test]
    fn control_characters_are_found_in_bytes() {
        for c in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            let expected = c.is_control() && !matches!(c, '\n' | '\r' | '\t');
            assert_eq!(has_control_character(c.encode_utf8(&mut [0; 4])), expected, "{c:?}");
        }
        for before in 0..70 {
            let text = "a".repeat(before);
            assert!(has_control_character(&format!("{text}\u{85}")), "after {before}");
            assert!(has_control_character(&format!("{text}\0a")), "after {before}");
            assert!(!has_control_character(&format!("{text}\u{a0}\n")), "after {before}");
        }
        assert!(has_control_character("été\u{85}"));
        assert!(!has_control_character("60\u{a0}m²\r\n\t"));
    }

    proptest::proptest! {
        #[test]
        fn simple_urls_are_valid(text in "https?://[a-z0-9.-]{0,12}[a-z./-]{0,4}(/[a-zA-Z0-9/_.~?=&%,+-]{0,12})?") {
            if let Some((host, _)) = simple_parts(&text) {
                let parsed = WebAddress::parsed(&text);
                let parsed_host = parsed.as_ref().ok().and_then(|url| url.host_str());
                proptest::prop_assert_eq!(parsed_host, Some(host), "{}", text);
            }
            if is_simple_and_canonical(&text) {
                let spelled = WebAddress::parsed(&text).map(String::from);
                proptest::prop_assert_eq!(spelled, Ok(text));
            }
        }
    }

    #[test]
    fn ordinary_urls_take_the_fast_path() {
        assert!(is_simple("https://img.portail.example/2026/a-1_b.jpg?w=640"));
        for unusual in [
            "https://1.2.3.4/",
            "https://xn--caf-dma.example/",
            "https://a..b/",
            "https:///x",
            "https://EX.example/",
        ] {
            assert!(!is_simple(unusual), "{unusual}");
        }
    }

    #[test]
    fn equivalent_urls_share_a_key() {
        let key = |text: &str| WebAddress::parse(text).map(|address| address.comparison_key());
        assert_eq!(
            key("HTTPS://WWW.Example.com:443/a?b=1#c"),
            Ok("https://www.example.com/a?b=1".to_owned())
        );
        assert_eq!(key("ftp://example.com/"), Err(WebAddressError::OtherScheme));
        assert_eq!(key("/annonce/1"), Err(WebAddressError::Malformed));
        assert_eq!(key("https://exa\nmple.com/"), Err(WebAddressError::Malformed));
    }
}
