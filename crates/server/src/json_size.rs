//! Measures JSON before it is parsed.
//!
//! A tree of JSON values takes up to eighty times the memory of its text: 16 MiB of `{"a":{}}` become more than a gigabyte. So the
//! text is counted first, in one pass that allocates nothing. A parser stops at the first error, so for text that is not valid
//! JSON the result is an upper bound.

/// What a text holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JsonSize {
    /// Values, and names of members.
    pub items: usize,
    pub objects: usize,
    text_bytes: usize,
}

/// Memory of an object that is not empty: the map allocates room for eleven members at once.
const OBJECT_BYTES: usize = 640;

/// Memory of any other item besides its text: its place in a list that grows by doubling, and the header of its allocation.
const ITEM_BYTES: usize = 64;

impl JsonSize {
    pub fn of(json: &[u8]) -> Self {
        let mut size = Self { text_bytes: json.len(), ..Self::default() };
        let mut is_in_word = false;
        let mut rest = json;
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            let was_in_word = std::mem::take(&mut is_in_word);
            match byte {
                b'"' => {
                    size.items += 1;
                    rest = after_text(after);
                }
                b'{' => {
                    size.items += 1;
                    size.objects += 1;
                }
                b'[' => size.items += 1,
                b'}' | b']' | b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' => {}
                // In a number, or `true`, `false`, `null`.
                _ => {
                    size.items += usize::from(!was_in_word);
                    is_in_word = true;
                }
            }
        }
        size
    }

    /// Returns about how many bytes the parsed values take.
    pub const fn parsed_bytes(&self) -> usize {
        self.text_bytes
            .saturating_add(self.objects.saturating_mul(OBJECT_BYTES))
            .saturating_add(self.items.saturating_mul(ITEM_BYTES))
    }
}

/// Returns what follows a text that has begun. Most of an advert is text, so this looks for its end many bytes at a time.
fn after_text(mut rest: &[u8]) -> &[u8] {
    while let Some(end) = memchr::memchr2(b'"', b'\\', rest) {
        if rest[end] == b'"' {
            return &rest[end + 1..];
        }
        // The byte after a backslash ends nothing.
        rest = rest.get(end + 2..).unwrap_or_default();
    }
    &[]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    /// Counts the items of a parsed value.
    fn items(value: &Value) -> usize {
        1 + match value {
            Value::Array(values) => values.iter().map(items).sum(),
            Value::Object(members) => members.values().map(|value| 1 + items(value)).sum(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[\\\\\"\\[\\]{},: ]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 200, 10, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..10).prop_map(Value::from),
                prop::collection::hash_map(any::<String>(), inner, 0..10)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn counts_what_the_parser_builds(value in any_value()) {
            prop_assert_eq!(JsonSize::of(value.to_string().as_bytes()).items, items(&value));
            let spaced = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(JsonSize::of(spaced.as_bytes()).items, items(&value));
        }

        #[test]
        fn invalid_text_counts_no_less_than_its_valid_part(value in any_value(), rest in any::<Vec<u8>>()) {
            let mut text = value.to_string().into_bytes();
            // Numbers and words would go on.
            text.push(b' ');
            text.extend(rest);
            prop_assert!(JsonSize::of(&text).items >= items(&value));
        }
    }

    #[test]
    fn many_small_objects_are_expensive() {
        let text = json!(vec![json!({"a": {}}); 1_000]).to_string();
        let size = JsonSize::of(text.as_bytes());
        assert_eq!((size.items, size.objects), (3_001, 2_000));
        assert!(size.parsed_bytes() > 1_000_000);
    }
}
