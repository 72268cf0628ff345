//! JSON values that borrow their texts.
//!
//! A feed is mostly text, and nearly all of it is read once: copying each name and each text into a tree of its own takes longer than
//! finding where they begin and end. Everything else about a value is as in [`serde_json::Value`]: the members of an object are in the
//! order of their names, and the last of several with one name counts.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value};

/// A JSON value. Its texts are those of the JSON that was parsed, unless they were escaped there.
#[derive(Debug, Clone, PartialEq)]
pub enum Json<'a> {
    Null,
    Bool(bool),
    Number(Number),
    String(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    Object(JsonObject<'a>),
}

/// The members of an object, in the order of their names, each once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JsonObject<'a>(Vec<(Cow<'a, str>, Json<'a>)>);

impl<'a> Json<'a> {
    pub fn parse(json: &'a [u8]) -> Result<Self, serde_json::Error> {
        match simdutf8::basic::from_utf8(json) {
            Ok(text) => serde_json::from_str(text),
            // The parser says where the wrong byte is.
            Err(_) => serde_json::from_slice(json),
        }
    }

    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub const fn as_object(&self) -> Option<&JsonObject<'a>> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Returns a member of an object.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.get(name)
    }
}

impl<'a> JsonObject<'a> {
    pub fn get(&self, name: &str) -> Option<&Json<'a>> {
        let found = self.0.binary_search_by(|(known, _)| known.as_ref().cmp(name)).ok()?;
        self.0.get(found).map(|(_, value)| value)
    }

    pub fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Adds a member, or replaces the one of the same name.
    pub fn insert(&mut self, name: impl Into<Cow<'a, str>>, value: Json<'a>) {
        let name = name.into();
        match self.0.binary_search_by(|(known, _)| known.cmp(&name)) {
            Ok(found) => self.0[found].1 = value,
            Err(place) => self.0.insert(place, (name, value)),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json<'a>)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    pub const fn len(&self) -> usize {
        self.0.len()
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> FromIterator<(Cow<'a, str>, Json<'a>)> for JsonObject<'a> {
    fn from_iter<T: IntoIterator<Item = (Cow<'a, str>, Json<'a>)>>(members: T) -> Self {
        let mut members: Vec<_> = members.into_iter().collect();
        // Members of one name stay in their order.
        members.sort_by(|(one, _), (other, _)| one.cmp(other));
        members.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                // The earlier one is kept, with the value of the later one.
                std::mem::swap(&mut earlier.1, &mut later.1);
            }
            is_same
        });
        Self(members)
    }
}

impl<'a> From<&'a Value> for Json<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(boolean) => Self::Bool(*boolean),
            Value::Number(number) => Self::Number(number.clone()),
            Value::String(text) => Self::String(Cow::Borrowed(text)),
            Value::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            Value::Object(members) => {
                let members =
                    members.iter().map(|(name, value)| (Cow::Borrowed(name.as_str()), value.into()));
                Self::Object(members.collect())
            }
        }
    }
}

impl From<Json<'_>> for Value {
    fn from(json: Json<'_>) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(boolean) => Self::Bool(boolean),
            Json::Number(number) => Self::Number(number),
            Json::String(text) => Self::String(text.into_owned()),
            Json::Array(items) => items.into_iter().map(Self::from).collect(),
            Json::Object(JsonObject(members)) => {
                members.into_iter().map(|(name, value)| (name.into_owned(), Self::from(value))).collect()
            }
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, boolean: bool) -> Result<Self::Value, E> {
        Ok(Json::Bool(boolean))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Number::from_f64(number).map_or(Json::Null, Json::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Json::String(Cow::Borrowed(text)))
    }

    // With escaped characters, the text is not in the JSON as it is.
    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Json::String(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = object.next_entry_seed(Name, Any)? {
            members.push(member);
        }
        Ok(Json::Object(members.into_iter().collect()))
    }
}

/// Reads the name of a member. `Cow` itself would be read into a new text.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}

struct Any;

impl<'de> DeserializeSeed<'de> for Any {
    type Value = Json<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        Json::deserialize(deserializer)
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(boolean) => serializer.serialize_bool(*boolean),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => items.serialize(serializer),
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members.iter() {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

impl fmt::Display for Json<'_> {
    /// Writes JSON without spaces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 60, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::hash_map("[a-cé\"]{0,2}", inner, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_are_those_of_serde_json(value in any_value()) {
            let text = value.to_string();
            let json = Json::parse(text.as_bytes()).unwrap();
            prop_assert_eq!(&json, &Json::from(&value));
            prop_assert_eq!(json.to_string(), text.as_str());
            prop_assert_eq!(Value::from(json), value);
        }

        #[test]
        fn members_are_those_of_serde_json(
            members in prop::collection::vec(("[a-d\u{e9}]{0,2}", 0..100_u8), 0..12)
        ) {
            let member = |(name, value): &(String, u8)| format!("{}:{value}", Value::from(name.as_str()));
            let text = format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","));
            let expected: Value = serde_json::from_str(&text).unwrap();
            let json = Json::parse(text.as_bytes()).unwrap();
            prop_assert_eq!(json.to_string(), expected.to_string());
            for (name, _) in &members {
                prop_assert_eq!(json.get(name).map(ToString::to_string), expected.get(name).map(ToString::to_string));
            }
            prop_assert_eq!(json.get("e"), None);
        }

        #[test]
        fn errors_are_those_of_serde_json(bytes in prop::collection::vec(prop::sample::select(&b"{}[],:\"\\u0a19.-e \xe9\xc3\xa9tru"[..]), 0..12)) {
            let read = Json::parse(&bytes).map(Value::from).map_err(|error| error.to_string());
            prop_assert_eq!(read, serde_json::from_slice(&bytes).map_err(|error| error.to_string()));
        }
    }

    #[test]
    fn texts_are_borrowed_unless_they_are_escaped() {
        let json = Json::parse(r#"{"a":"été","b\n":"x\ty"}"#.as_bytes()).unwrap();
        let is_borrowed = |text: &Cow<'_, str>| matches!(text, Cow::Borrowed(_));
        let Json::Object(JsonObject(members)) = &json else { panic!("{json}") };
        let found: Vec<(bool, bool)> = members
            .iter()
            .map(|(name, value)| match value {
                Json::String(text) => (is_borrowed(name), is_borrowed(text)),
                _ => panic!("{value}"),
            })
            .collect();
        assert_eq!(found, [(true, true), (false, false)]);
    }

    #[test]
    fn inserted_members_are_found() {
        let mut object = JsonObject::default();
        for (name, number) in [("b", 1), ("a", 2), ("c", 3), ("b", 4)] {
            object.insert(name, Json::Number(number.into()));
        }
        assert_eq!(Json::Object(object).to_string(), r#"{"a":2,"b":4,"c":3}"#);
    }
}
