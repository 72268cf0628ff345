//! Paths into JSON: `data.listings[*]`, `photos[0].url`, `["a key with a . in it"]`.

use std::fmt;

use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    Key(String),
    Index(usize),
    /// Every item of an array.
    All,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct JsonPath(pub(crate) Vec<Segment>);

impl JsonPath {
    /// Parses a path, or says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| Err(format!("\"{text}\" is not a path: {why}"));
        let mut segments = Vec::new();
        let mut rest = text.trim();
        rest = rest.strip_prefix('$').unwrap_or(rest);
        rest = rest.strip_prefix('.').unwrap_or(rest);
        if rest.is_empty() {
            return wrong("it is empty");
        }
        while !rest.is_empty() {
            if let Some(bracket) = rest.strip_prefix('[') {
                let Some((inside, after)) = closed(bracket) else { return wrong("a bracket is not closed") };
                segments.push(match inside {
                    "*" => Segment::All,
                    _ => {
                        match (inside.strip_prefix('"').and_then(|key| key.strip_suffix('"')), inside.parse())
                        {
                            (Some(key), _) => Segment::Key(key.to_owned()),
                            (None, Ok(index)) => Segment::Index(index),
                            (None, Err(_)) => {
                                return wrong("brackets hold a number, * or a name in quotes");
                            }
                        }
                    }
                });
                rest = after;
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                let (key, after) = rest.split_at(end);
                if key.is_empty() {
                    return wrong("a name is missing");
                }
                segments.push(Segment::Key(key.to_owned()));
                rest = after;
            }
            if let Some(after) = rest.strip_prefix('.') {
                if after.is_empty() {
                    return wrong("a name is missing at its end");
                }
                rest = after;
            }
        }
        Ok(Self(segments))
    }

    /// Returns all values at this path.
    pub(crate) fn find<'a>(&self, value: &'a Value) -> Vec<&'a Value> {
        let mut found = vec![value];
        for segment in &self.0 {
            found = found
                .into_iter()
                .flat_map(|value| match (segment, value) {
                    (Segment::Key(key), Value::Object(fields)) => fields.get(key).into_iter().collect(),
                    (Segment::Index(index), Value::Array(items)) => items.get(*index).into_iter().collect(),
                    (Segment::All, Value::Array(items)) => items.iter().collect(),
                    _ => Vec::new(),
                })
                .collect();
        }
        found
    }
}

/// Splits at the bracket that closes; a name in quotes may contain one.
fn closed(text: &str) -> Option<(&str, &str)> {
    let from = match text.strip_prefix('"') {
        Some(name) => name.find('"')? + 2,
        None => 0,
    };
    let end = from + text.get(from..)?.find(']')?;
    Some((&text[..end], &text[end + 1..]))
}

impl fmt::Display for JsonPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Key(key) if index == 0 => write!(formatter, "{key}")?,
                Segment::Key(key) => write!(formatter, ".{key}")?,
                Segment::Index(number) => write!(formatter, "[{number}]")?,
                Segment::All => write!(formatter, "[*]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_find_values() {
        let document = json!({"a": {"b": [{"c": 1}, {"c": 2}]}, "x.y": 3, "list": [[1], [2, 3]]});
        let check = |path: &str, expected: Value| {
            let found: Vec<Value> =
                JsonPath::parse(path).unwrap().find(&document).into_iter().cloned().collect();
            assert_eq!(Value::Array(found), expected, "{path}");
        };
        check("a.b[*].c", json!([1, 2]));
        check("$.a.b[1].c", json!([2]));
        check("a.b[7].c", json!([]));
        check("[\"x.y\"]", json!([3]));
        check("list[*][*]", json!([1, 2, 3]));
        check("list[1][0]", json!([2]));
        check("a.b.c", json!([]));
        check("a", json!([{"b": [{"c": 1}, {"c": 2}]}]));
    }

    #[test]
    fn wrong_paths_are_explained() {
        for path in ["", "$", "a..b", "a.", "a[", "a[x]", "a[\"x]", ".[.]", "[\"", "[\"é"] {
            let message = JsonPath::parse(path).unwrap_err();
            assert!(message.contains(path), "{message}");
        }
    }
}
