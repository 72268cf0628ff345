//! Values of parameters and columns, the same for both databases.
//!
//! The schemas use four types only: whole numbers, texts, bytes and NULL. A flag is the number 0 or 1.

use std::borrow::Cow;

use super::error::SqlError;

/// The value of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    Null,
    Integer(i64),
    Text(&'a str),
    Blob(&'a [u8]),
    /// A number that no column can hold. The statement fails.
    TooLarge,
}

/// The value of a parameter that outlives what it was made from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OwnedValue {
    Null,
    Integer(i64),
    Text(String),
    Blob(Vec<u8>),
}

impl OwnedValue {
    /// Returns the number of bytes of a text or a byte string.
    pub fn len(&self) -> usize {
        match self {
            Self::Null | Self::Integer(_) => 0,
            Self::Text(text) => text.len(),
            Self::Blob(bytes) => bytes.len(),
        }
    }
}

impl From<i64> for OwnedValue {
    fn from(integer: i64) -> Self {
        Self::Integer(integer)
    }
}

impl From<String> for OwnedValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<u8>> for OwnedValue {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Blob(bytes)
    }
}

impl From<Value<'_>> for OwnedValue {
    /// A number that is too large becomes NULL; statements check for it before.
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Null | Value::TooLarge => Self::Null,
            Value::Integer(integer) => Self::Integer(integer),
            Value::Text(text) => Self::Text(text.to_owned()),
            Value::Blob(bytes) => Self::Blob(bytes.to_vec()),
        }
    }
}

impl ToValue for OwnedValue {
    fn to_value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Integer(integer) => Value::Integer(*integer),
            Self::Text(text) => Value::Text(text),
            Self::Blob(bytes) => Value::Blob(bytes),
        }
    }
}

/// What can be a parameter.
pub trait ToValue {
    fn to_value(&self) -> Value<'_>;
}

/// The parameters of a statement.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$($crate::sql::value::ToValue::to_value(&$value)),*] as &[$crate::sql::value::Value<'_>]
    };
}
pub(crate) use params;

/// Copies the parameters of a statement.
pub fn owned(values: &[Value<'_>]) -> Vec<OwnedValue> {
    values.iter().copied().map(OwnedValue::from).collect()
}

/// Lists that can be the parameters of a statement.
pub trait Params {
    fn with<R>(&self, work: impl FnOnce(&[Value<'_>]) -> R) -> R;
}

impl Params for &[Value<'_>] {
    fn with<R>(&self, work: impl FnOnce(&[Value<'_>]) -> R) -> R {
        work(self)
    }
}

impl<T: ToValue, const N: usize> Params for [T; N] {
    fn with<R>(&self, work: impl FnOnce(&[Value<'_>]) -> R) -> R {
        work(&self.each_ref().map(ToValue::to_value))
    }
}

impl<T: ToValue> Params for Vec<T> {
    fn with<R>(&self, work: impl FnOnce(&[Value<'_>]) -> R) -> R {
        work(&self.iter().map(ToValue::to_value).collect::<Vec<_>>())
    }
}

macro_rules! integers {
    ($($integer:ty),*) => {$(
        impl ToValue for $integer {
            fn to_value(&self) -> Value<'_> {
                i64::try_from(*self).map_or(Value::TooLarge, Value::Integer)
            }
        }

        impl<'a> FromColumn<'a> for $integer {
            fn from_column(column: Column<'a>) -> Result<Self, &'static str> {
                <$integer>::try_from(column.integer()?).map_err(|_| "a number out of range")
            }
        }
    )*};
}
integers!(u16, i32, u32, u64);

impl ToValue for i64 {
    fn to_value(&self) -> Value<'_> {
        Value::Integer(*self)
    }
}

impl ToValue for bool {
    fn to_value(&self) -> Value<'_> {
        Value::Integer(i64::from(*self))
    }
}

impl ToValue for str {
    fn to_value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl ToValue for String {
    fn to_value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl ToValue for Box<str> {
    fn to_value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl ToValue for Cow<'_, str> {
    fn to_value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl ToValue for [u8] {
    fn to_value(&self) -> Value<'_> {
        Value::Blob(self)
    }
}

impl<const N: usize> ToValue for [u8; N] {
    fn to_value(&self) -> Value<'_> {
        Value::Blob(self)
    }
}

impl ToValue for Vec<u8> {
    fn to_value(&self) -> Value<'_> {
        Value::Blob(self)
    }
}

impl ToValue for Value<'_> {
    fn to_value(&self) -> Value<'_> {
        *self
    }
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn to_value(&self) -> Value<'_> {
        (**self).to_value()
    }
}

impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, ToValue::to_value)
    }
}

/// The value of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Column<'a> {
    Null,
    Integer(i64),
    Text(&'a [u8]),
    Blob(&'a [u8]),
    /// A value of another type, which the schema does not have: the row is damaged.
    Other,
}

impl<'a> Column<'a> {
    fn integer(self) -> Result<i64, &'static str> {
        match self {
            Self::Integer(integer) => Ok(integer),
            _ => Err("not a number"),
        }
    }

    fn text(self) -> Result<&'a str, &'static str> {
        match self {
            Self::Text(bytes) => std::str::from_utf8(bytes).map_err(|_| "a text that is not UTF-8"),
            _ => Err("not a text"),
        }
    }

    pub fn as_blob(self) -> Result<&'a [u8], SqlError> {
        match self {
            Self::Blob(bytes) => Ok(bytes),
            _ => Err(SqlError::Column("not a byte string")),
        }
    }

    pub fn as_blob_or_null(self) -> Result<Option<&'a [u8]>, SqlError> {
        match self {
            Self::Null => Ok(None),
            other => other.as_blob().map(Some),
        }
    }

    pub fn as_str_or_null(self) -> Result<Option<&'a str>, SqlError> {
        match self {
            Self::Null => Ok(None),
            other => other.text().map(Some).map_err(SqlError::Column),
        }
    }

    /// Returns the bytes of a text or a byte string.
    pub fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Text(bytes) | Self::Blob(bytes) => Some(bytes),
            Self::Null | Self::Integer(_) | Self::Other => None,
        }
    }
}

/// What a column can be read as.
pub trait FromColumn<'a>: Sized {
    /// Fails with what is wrong with the value.
    fn from_column(column: Column<'a>) -> Result<Self, &'static str>;
}

impl<'a> FromColumn<'a> for i64 {
    fn from_column(column: Column<'a>) -> Result<Self, &'static str> {
        column.integer()
    }
}

impl<'a> FromColumn<'a> for bool {
    fn from_column(column: Column<'a>) -> Result<Self, &'static str> {
        column.integer().map(|integer| integer != 0)
    }
}

impl<'a> FromColumn<'a> for String {
    fn from_column(column: Column<'a>) -> Result<Self, &'static str> {
        column.text().map(str::to_owned)
    }
}

impl<'a> FromColumn<'a> for Vec<u8> {
    fn from_column(column: Column<'a>) -> Result<Self, &'static str> {
        match column {
            Column::Blob(bytes) => Ok(bytes.to_vec()),
            _ => Err("not a byte string"),
        }
    }
}

impl<'a, const N: usize> FromColumn<'a> for [u8; N] {
    fn from_column(column: Column<'a>) -> Result<Self, &'static str> {
        match column {
            Column::Blob(bytes) => bytes.try_into().map_err(|_| "a byte string of another length"),
            _ => Err("not a byte string"),
        }
    }
}

impl<'a, T: FromColumn<'a>> FromColumn<'a> for Option<T> {
    fn from_column(column: Column<'a>) -> Result<Self, &'static str> {
        if column == Column::Null { Ok(None) } else { T::from_column(column).map(Some) }
    }
}
