//! Finds the reference and the URL in a line that is not valid JSON, so that its sender recognises it.

use serde_json::Value;

/// Finds a member of a JSON object whose text is broken elsewhere. Members of objects inside it do not count.
pub fn member(text: &[u8], name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let (mut rest, mut depth) = (&*text, 0_usize);
    while let Some(at) = rest.find(['"', '{', '[', '}', ']']) {
        let (letter, after) = (rest.as_bytes()[at], &rest[at + 1..]);
        match letter {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {
                let end = closing_quote(after)?;
                let (string, next) = (&after[..end], &after[end + 1..]);
                if let (1, true, Some(value)) = (depth, string == name, next.trim_start().strip_prefix(':')) {
                    return match first_value(value)? {
                        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
                        Value::Number(number) => Some(number.to_string()),
                        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
                    };
                }
                rest = next;
                continue;
            }
        }
        rest = after;
    }
    None
}

/// Returns the position of the quote that ends a string.
fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    })
}

fn first_value(text: &str) -> Option<Value> {
    serde_json::Deserializer::from_str(text).into_iter::<Value>().next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_line_is_named_by_its_own_members() {
        let names = |text: &str| (member(text.as_bytes(), "reference"), member(text.as_bytes(), "url"));
        let both = (Some("A-1".to_owned()), Some("https://a.example/1".to_owned()));
        let cut =
            r#"{"contact":{"reference":"C"},"reference":"A-1","url" : "https://a.example/1","title":"ca"#;
        assert_eq!(names(cut), both);
        let comma = r#"{"title":"\"reference\":","reference":"A-1",,"url":"https://a.example/1"}"#;
        assert_eq!(names(comma), both);
        assert_eq!(names(r#"{"reference": 7 x"#).0.as_deref(), Some("7"));
        for nothing in
            ["", "{broken", r#"{"a":"reference","#, r#"{"reference":"A-1"#, r#"{"reference":null,"#, "[]]{\""]
        {
            assert_eq!(names(nothing), (None, None), "{nothing}");
        }
        assert_eq!(member(b"{\"reference\":\"\xff\",", "reference").as_deref(), Some("\u{fffd}"));
    }
}
