//! An order-preserving encoding of values as 64-bit integers.
//!
//! A price, a date, a number of rooms, an energy class, a commune: each is encoded as a [`Key`], and the keys of one
//! attribute compare like the values. So there is one type of bound for all attributes, and one type of column in the
//! index.

use jiff::Timestamp;

use crate::place::{Insee, Zipcode};

/// The encoded value of an attribute. Keys of different attributes must not be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(i64);

impl Key {
    pub const MIN: Self = Self(i64::MIN);
    pub const MAX: Self = Self(i64::MAX);

    /// Encodes a number without loss. The keys have the order of the numbers, and only 0 and −0 share a key.
    pub fn number(number: f64) -> Self {
        let bits = (number + 0.0).to_bits() as i64;
        // The bits of negative floats are in reverse order; inverting all but the sign bit corrects that.
        Self(bits ^ ((bits >> 63) as u64 >> 1) as i64)
    }

    /// Decodes a number.
    pub fn as_number(self) -> f64 {
        f64::from_bits((self.0 ^ ((self.0 >> 63) as u64 >> 1) as i64) as u64)
    }

    pub fn timestamp(at: Timestamp) -> Self {
        Self(at.as_second())
    }

    pub fn code(code: u8) -> Self {
        Self(i64::from(code))
    }

    pub fn flag(flag: bool) -> Self {
        Self(i64::from(flag))
    }

    /// Encodes a commune or a department by its stable id.
    pub fn place(id: u64) -> Self {
        Self(i64::try_from(id).unwrap_or(i64::MAX))
    }

    pub fn commune(insee: &Insee) -> Self {
        Self::place(insee.id())
    }

    /// Encodes a zipcode as a number in base 39. At most ten characters of an alphabet of 38 fit into 63 bits.
    pub fn zipcode(zipcode: &Zipcode) -> Self {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => i64::from(byte - b'0') + 1,
            b'A'..=b'Z' => i64::from(byte - b'A') + 11,
            b' ' => 37,
            _ => 38,
        };
        Self(zipcode.as_str().bytes().fold(0, |number, byte| number * 39 + digit(byte)))
    }

    /// Decodes a zipcode. `None` if the key does not encode one.
    pub fn as_zipcode(self) -> Option<Zipcode> {
        let mut letters = Vec::new();
        let mut rest = u64::try_from(self.0).ok()?;
        while rest > 0 {
            letters.push(match (rest % 39) as u8 {
                digit @ 1..=10 => b'0' + digit - 1,
                letter @ 11..=36 => b'A' + letter - 11,
                37 => b' ',
                38 => b'-',
                _ => return None,
            });
            rest /= 39;
        }
        letters.reverse();
        let zipcode = Zipcode::parse(std::str::from_utf8(&letters).ok()?)?;
        (Self::zipcode(&zipcode) == self).then_some(zipcode)
    }

    pub const fn get(self) -> i64 {
        self.0
    }

    pub const fn from_raw(raw: i64) -> Self {
        Self(raw)
    }
}

/// A range of keys, both ends inclusive. `None` means unbounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeyRange {
    pub least: Option<Key>,
    pub most: Option<Key>,
}

impl KeyRange {
    pub fn contains(self, key: Key) -> bool {
        self.least.is_none_or(|least| least <= key) && self.most.is_none_or(|most| key <= most)
    }

    /// Returns `true` if no key is in the range.
    pub fn is_empty(self) -> bool {
        matches!((self.least, self.most), (Some(least), Some(most)) if least > most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_numbers_have_the_order_of_the_numbers() {
        let numbers =
            [f64::MIN, -1e9, -2.5, -f64::MIN_POSITIVE, 0.0, 5e-324, 0.1, 0.2, 1.0, 249_999.99, 1e12];
        for pair in numbers.windows(2) {
            assert!(Key::number(pair[0]) < Key::number(pair[1]), "{pair:?}");
        }
        for number in numbers {
            assert_eq!(Key::number(number).as_number(), number);
        }
        assert_eq!(Key::number(-0.0), Key::number(0.0));
    }

    #[test]
    fn zipcodes_have_distinct_keys() {
        let key = |text: &str| Key::zipcode(&Zipcode::parse(text).unwrap());
        let zipcodes = ["01000", "1000", "10000", "0100", "AD100", "AD 100", "AD-100", "ZZZZZZZZZZ", "2A"];
        for (index, first) in zipcodes.iter().enumerate() {
            for second in &zipcodes[index + 1..] {
                assert_ne!(key(first), key(second), "{first} {second}");
            }
            assert!(key(first) > Key::place(0));
            assert_eq!(key(first).as_zipcode(), Zipcode::parse(first));
        }
    }

    #[test]
    fn other_keys_do_not_decode_as_zipcodes() {
        for raw in [i64::MIN, -1, 0, 1, 39, 39 * 39, i64::MAX] {
            assert_eq!(Key::from_raw(raw).as_zipcode(), None, "{raw}");
        }
    }

    #[test]
    fn ranges_include_their_bounds() {
        let range = KeyRange { least: Some(Key::number(1.0)), most: Some(Key::number(2.0)) };
        assert!(range.contains(Key::number(1.0)) && range.contains(Key::number(2.0)));
        assert!(!range.contains(Key::number(2.000_001)));
        assert!(KeyRange::default().contains(Key::MIN));
        assert!(KeyRange { least: range.most, most: range.least }.is_empty());
    }
}
