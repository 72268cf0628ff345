//! Keeps the headers of a response for the owner of the webhook, within the limits of [`AttemptResult`].

use domain::ResponseHeader;
use http::header::HeaderMap;

use crate::message::AttemptResult;

/// Marks a value that was cut.
const CUT: char = '…';

/// Returns the headers that fit, in order. One that does not fit is left out; smaller ones after it are kept.
pub(super) fn excerpt(headers: &HeaderMap) -> Vec<ResponseHeader> {
    let mut room = AttemptResult::HEADERS_BYTES_MAX;
    let mut kept = Vec::with_capacity(headers.len().min(AttemptResult::HEADERS_MAX));
    for (name, value) in headers {
        if kept.len() == AttemptResult::HEADERS_MAX {
            break;
        }
        let value = cut(value.as_bytes());
        let Some(left) = room.checked_sub(name.as_str().len() + value.len()) else { continue };
        room = left;
        kept.push(ResponseHeader { name: name.as_str().to_owned(), value });
    }
    kept
}

/// Decodes a value and cuts it at a character.
fn cut(value: &[u8]) -> String {
    let max = AttemptResult::HEADER_VALUE_BYTES_MAX;
    // Only the first bytes are decoded, whatever the length. One character more than is kept shows whether the value is cut.
    let mut text = String::from_utf8_lossy(&value[..value.len().min(max + CUT.len_utf8())]).into_owned();
    if text.len() > max {
        text.truncate(text.floor_char_boundary(max - CUT.len_utf8()));
        text.push(CUT);
    }
    text
}

#[cfg(test)]
mod tests {
    use http::header::{HeaderName, HeaderValue};

    use super::*;

    fn kept<V: AsRef<[u8]>>(headers: impl IntoIterator<Item = (String, V)>) -> Vec<(String, String)> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let value = HeaderValue::from_bytes(value.as_ref()).unwrap();
            map.append(HeaderName::try_from(name).unwrap(), value);
        }
        let kept = excerpt(&map);
        let bytes: usize = kept.iter().map(|header| header.name.len() + header.value.len()).sum();
        assert!(kept.len() <= AttemptResult::HEADERS_MAX && bytes <= AttemptResult::HEADERS_BYTES_MAX);
        kept.into_iter().map(|ResponseHeader { name, value }| (name, value)).collect()
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn repeated_headers_and_other_encodings_are_kept_as_text() {
        let headers = [
            ("Server".to_owned(), b"nginx".to_vec()),
            ("set-cookie".to_owned(), b"a=1".to_vec()),
            ("set-cookie".to_owned(), b"b=2".to_vec()),
            ("x-city".to_owned(), "Orléans".as_bytes().to_vec()),
            ("x-latin".to_owned(), b"Orl\xe9ans".to_vec()),
        ];
        let expected = [
            pair("server", "nginx"),
            pair("set-cookie", "a=1"),
            pair("set-cookie", "b=2"),
            pair("x-city", "Orléans"),
            pair("x-latin", "Orl\u{fffd}ans"),
        ];
        assert_eq!(kept(headers), expected);
        assert_eq!(kept::<&str>([]), []);
    }

    #[test]
    fn count_is_limited() {
        let many = kept((0..200).map(|number| (format!("x-{number}"), "1")));
        assert_eq!(many.len(), AttemptResult::HEADERS_MAX);
        assert_eq!(many[49], pair("x-49", "1"));
    }

    #[test]
    fn long_values_are_cut_at_a_character() {
        let max = AttemptResult::HEADER_VALUE_BYTES_MAX;
        let check = |value: String, expected: String| {
            assert_eq!(kept([("x".to_owned(), value)])[0].1, expected);
        };
        check("a".repeat(max), "a".repeat(max));
        check("a".repeat(max + 1), "a".repeat(max - 3) + "…");
        check("a".repeat(30_000), "a".repeat(max - 3) + "…");
        check("é".repeat(max), "é".repeat((max - 3) / 2) + "…");
    }

    #[test]
    fn header_that_does_not_fit_is_left_out() {
        let large = (0..6).map(|number| (format!("large-{number}"), "a".repeat(1_000)));
        let small = [("retry-after".to_owned(), "30".to_owned())];
        let names: Vec<String> = kept(large.chain(small)).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["large-0", "large-1", "large-2", "large-3", "retry-after"]);
    }
}
