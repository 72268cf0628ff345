//! One ordered scale for every value that is compared.
//!
//! A price, a date, a number of rooms, an energy letter, a commune: each becomes a [`Key`], and two keys of one attribute
//! compare as the values do. So a bound is one kind of thing, whatever it bounds, and an index keeps one kind of column.

use jiff::Timestamp;

use crate::place::{Insee, Zipcode};

/// A value on the scale of its attribute. Keys of different attributes have nothing to say to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(i64);

impl Key {
    pub const LEAST: Self = Self(i64::MIN);
    pub const MOST: Self = Self(i64::MAX);

    /// A number, exactly: the order of the keys is that of the numbers, and no two numbers share a key but 0 and −0.
    pub fn number(number: f64) -> Self {
        let bits = (number + 0.0).to_bits() as i64;
        // Negative floats count backwards; turning all bits but the sign puts them in order.
        Self(bits ^ ((bits >> 63) as u64 >> 1) as i64)
    }

    /// The number a key was made of.
    pub fn as_number(self) -> f64 {
        f64::from_bits((self.0 ^ ((self.0 >> 63) as u64 >> 1) as i64) as u64)
    }

    pub fn moment(at: Timestamp) -> Self {
        Self(at.as_second())
    }

    pub fn code(code: u8) -> Self {
        Self(i64::from(code))
    }

    pub fn flag(flag: bool) -> Self {
        Self(i64::from(flag))
    }

    /// A commune or a department, by its stable id.
    pub fn place(id: u64) -> Self {
        Self(i64::try_from(id).unwrap_or(i64::MAX))
    }

    pub fn commune(insee: &Insee) -> Self {
        Self::place(insee.id())
    }

    /// A zipcode: its letters as the digits of a number. At most ten of an alphabet of 38, so that the number fits.
    pub fn zipcode(zipcode: &Zipcode) -> Self {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => i64::from(byte - b'0') + 1,
            b'A'..=b'Z' => i64::from(byte - b'A') + 11,
            b' ' => 37,
            _ => 38,
        };
        Self(zipcode.as_str().bytes().fold(0, |number, byte| number * 39 + digit(byte)))
    }

    /// The zipcode a key was made of; nothing when it was made of something else.
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

/// From one key to another, both included; open where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    pub least: Option<Key>,
    pub most: Option<Key>,
}

impl Span {
    pub fn contains(self, key: Key) -> bool {
        self.least.is_none_or(|least| least <= key) && self.most.is_none_or(|most| key <= most)
    }

    /// Whether no key lies in it.
    pub fn is_contradictory(self) -> bool {
        matches!((self.least, self.most), (Some(least), Some(most)) if least > most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_numbers_are_ordered_as_the_numbers() {
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
    fn keys_of_zipcodes_are_those_of_no_other_zipcode() {
        let key = |text: &str| Key::zipcode(&Zipcode::parse(text).unwrap());
        let zipcodes = ["01000", "1000", "10000", "0100", "AD100", "AD 100", "AD-100", "ZZZZZZZZZZ", "2A"];
        for (place, first) in zipcodes.iter().enumerate() {
            for second in &zipcodes[place + 1..] {
                assert_ne!(key(first), key(second), "{first} {second}");
            }
            assert!(key(first) > Key::place(0));
            assert_eq!(key(first).as_zipcode(), Zipcode::parse(first));
        }
    }

    #[test]
    fn what_is_no_zipcode_is_not_read_as_one() {
        for raw in [i64::MIN, -1, 0, 1, 39, 39 * 39, i64::MAX] {
            assert_eq!(Key::from_raw(raw).as_zipcode(), None, "{raw}");
        }
    }

    #[test]
    fn spans_include_their_bounds() {
        let span = Span { least: Some(Key::number(1.0)), most: Some(Key::number(2.0)) };
        assert!(span.contains(Key::number(1.0)) && span.contains(Key::number(2.0)));
        assert!(!span.contains(Key::number(2.000_001)));
        assert!(Span::default().contains(Key::LEAST));
        assert!(Span { least: span.most, most: span.least }.is_contradictory());
    }
}
