//! Texts of records, without copies.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A text on disk. It borrows from the property that is written, and from the JSON that is read: most of a record is text. `Cow` itself
/// would be read into a new text, unless it is the type of a field, which these are not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct TextRecord<'a>(pub Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for TextRecord<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl<'de> Visitor<'de> for TextVisitor {
            type Value = TextRecord<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(TextRecord(Cow::Borrowed(text)))
            }

            // With escaped characters, the text is not in the JSON as it is.
            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(TextRecord(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(TextVisitor)
    }
}

impl<'a> From<&'a str> for TextRecord<'a> {
    fn from(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl From<String> for TextRecord<'_> {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text))
    }
}

impl From<TextRecord<'_>> for Arc<str> {
    fn from(text: TextRecord<'_>) -> Self {
        Self::from(&*text.0)
    }
}

impl From<TextRecord<'_>> for Box<str> {
    fn from(text: TextRecord<'_>) -> Self {
        Self::from(text.0)
    }
}

impl Deref for TextRecord<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_borrowed_unless_they_are_escaped() {
        let texts: Vec<TextRecord<'_>> = serde_json::from_str(r#"["été","a\"b"]"#).unwrap();
        assert!(matches!(&texts[..], [TextRecord(Cow::Borrowed("été")), TextRecord(Cow::Owned(_))]));
        assert_eq!(&*texts[1], "a\"b");
        assert_eq!(serde_json::to_string(&texts).unwrap(), r#"["été","a\"b"]"#);
    }
}
