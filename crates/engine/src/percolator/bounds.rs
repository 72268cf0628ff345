//! Bounds on numbers, in fewer bits than the numbers.
//!
//! The key of a number is an order-preserving `i64`. The bounds that people choose have zeros in the lower 32 bits (every whole
//! number up to two million, every multiple of a thousand up to sixteen million and so on), so that the upper 32 bits are exact.
//! A value is kept as two such halves: the one rounded down is compared with lower bounds, the one rounded up with upper bounds.
//! A bound that does not fit is rounded outwards, and narrowing returns [`Precision::Lossy`].

use domain::{Key, KeyRange};

/// A range of upper key halves, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub least: i32,
    pub most: i32,
}

/// A number that is compared with [`Bounds`].
///
/// Finite numbers have halves from `0x8010_0000` to `0x7ff0_0000`. An unknown value takes the extremes beyond them on both sides,
/// so that it satisfies open bounds only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value {
    pub floor: i32,
    pub ceiling: i32,
}

/// How well a prefilter represents a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Precision {
    /// It accepts exactly what the criterion accepts.
    Exact,
    /// It accepts more: the criterion has to be checked as well.
    Lossy,
}

impl Precision {
    fn exact_if(exact: bool) -> Self {
        if exact { Self::Exact } else { Self::Lossy }
    }
}

impl Bounds {
    pub const OPEN: Self = Self { least: i32::MIN, most: i32::MAX };

    /// Narrows the bounds to a range.
    pub fn narrow(&mut self, range: KeyRange) -> Precision {
        let least = range.least.map_or(i32::MIN, upper_half);
        let most = range.most.map_or(i32::MAX, rounded_up);
        self.least = self.least.max(least);
        self.most = self.most.min(most);
        let fits = |bound: Option<Key>| bound.is_none_or(|key| lower_half(key) == 0);
        // No range contains an unknown value, not even one that is open at both ends.
        let excludes_unknown = least > i32::MIN || most < i32::MAX;
        Precision::exact_if(excludes_unknown && fits(range.least) && fits(range.most))
    }
}

impl Value {
    pub fn new(key: Option<Key>) -> Self {
        match key {
            Some(key) => Self { floor: upper_half(key), ceiling: rounded_up(key) },
            None => Self { floor: i32::MIN, ceiling: i32::MAX },
        }
    }
}

fn upper_half(key: Key) -> i32 {
    (key.get() >> 32) as i32
}

fn lower_half(key: Key) -> u32 {
    key.get() as u32
}

fn rounded_up(key: Key) -> i32 {
    upper_half(key).saturating_add(i32::from(lower_half(key) != 0))
}

/// Bounds on a small whole number, one byte each. An open bound is zero and a bound grows as it narrows: a value satisfies a
/// bound if the value's byte is not smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SmallBounds {
    pub least: u8,
    pub most: u8,
}

/// A small whole number that is compared with [`SmallBounds`]. The bytes of an unknown one are zero: it satisfies open bounds
/// only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SmallValue {
    pub least: u8,
    pub most: u8,
}

/// The range of numbers that a byte distinguishes. Numbers outside it are clamped.
const SMALLEST: f64 = -1.0;
const LARGEST: f64 = 253.0;

impl SmallBounds {
    /// Narrows the bounds to the whole numbers of a range.
    pub fn narrow(&mut self, range: KeyRange) -> Precision {
        // A key that does not round-trip, such as the one of −0, lies between two numbers.
        let round_trips = |bound: Option<Key>| bound.is_none_or(|key| Key::number(key.as_number()) == key);
        let bounded = range.least.is_some() || range.most.is_some();
        let mut precision =
            Precision::exact_if(bounded && round_trips(range.least) && round_trips(range.most));
        if let Some(bound) = range.least.map(|key| key.as_number().ceil()) {
            if !(SMALLEST < bound && bound <= LARGEST) {
                precision = Precision::Lossy;
            }
            self.least = self.least.max(byte(bound) + 1);
        }
        if let Some(bound) = range.most.map(|key| key.as_number().floor()) {
            if !(SMALLEST..LARGEST).contains(&bound) {
                precision = Precision::Lossy;
            }
            // NaN is clamped to the smallest number: outwards for a lower bound, but not for an upper one.
            let bound = if bound.is_nan() { LARGEST } else { bound };
            self.most = self.most.max(u8::MAX - byte(bound));
        }
        precision
    }
}

impl SmallValue {
    pub fn new(key: Option<Key>) -> Self {
        match key {
            Some(key) => {
                let byte = byte(key.as_number());
                Self { least: byte + 1, most: u8::MAX - byte }
            }
            None => Self::default(),
        }
    }
}

/// Maps a number to a byte from 0 to 254, clamped.
fn byte(number: f64) -> u8 {
    (number.clamp(SMALLEST, LARGEST) - SMALLEST) as u8
}

#[cfg(test)]
mod tests {
    use testkit::Random;

    use super::*;

    /// Numbers on which bounds and values tend to coincide, and their neighbours.
    fn number(random: &mut Random) -> f64 {
        let number = match random.below(6) {
            0 => *random.pick(&[0.0, 0.1, -0.1, 1e300, -1e300, 5e-324, f64::MAX, f64::MIN, 249_999.99, 1e12]),
            1 => random.below(300) as f64 - 20.0,
            2 => random.below(4_000_000) as f64,
            3 => random.below(100_000) as f64 / 4.0,
            4 => Key::from_raw(random.next_u64() as i64 >> 32 << 32).as_number(),
            _ => f64::from_bits(random.next_u64()),
        };
        let number = if number.is_finite() { number } else { 1.0 };
        match random.below(6) {
            0 if number < f64::MAX => number.next_up(),
            1 if number > f64::MIN => number.next_down(),
            _ => number,
        }
    }

    fn bound(random: &mut Random) -> Option<Key> {
        match random.below(12) {
            0..4 => None,
            4 => Some(*random.pick(&[Key::MIN, Key::MAX, Key::from_raw(-1)])),
            5 => Some(Key::from_raw(random.next_u64() as i64)),
            _ => Some(Key::number(number(random))),
        }
    }

    fn range(random: &mut Random) -> KeyRange {
        KeyRange { least: bound(random), most: bound(random) }
    }

    #[test]
    fn half_keys_compare_like_keys() {
        let mut random = Random::new(testkit::random::seed());
        let mut exact = 0;
        for _ in 0..200_000 {
            let ranges = [range(&mut random), range(&mut random)];
            let mut bounds = Bounds::OPEN;
            let precision = ranges.map(|range| bounds.narrow(range));
            for key in [None, Some(Key::number(number(&mut random))), ranges[0].least, ranges[0].most] {
                // Values are finite.
                let key = key.filter(|key| key.as_number().is_finite());
                let value = Value::new(key);
                let accepted = bounds.least <= value.floor && value.ceiling <= bounds.most;
                let expected = key.is_some_and(|key| ranges.iter().all(|range| range.contains(key)));
                match precision == [Precision::Exact; 2] {
                    true => assert_eq!(accepted, expected, "{ranges:?} {key:?}"),
                    false => assert!(accepted || !expected, "{ranges:?} {key:?}"),
                }
            }
            exact += usize::from(precision == [Precision::Exact; 2]);
        }
        assert!(exact > 3_000, "{exact}");
    }

    #[test]
    fn bytes_compare_like_whole_numbers() {
        let mut random = Random::new(testkit::random::seed());
        let mut exact = 0;
        for _ in 0..200_000 {
            let range = range(&mut random);
            let mut bounds = SmallBounds::default();
            let precision = bounds.narrow(range);
            let drawn = [random.below(400) as i32 - 50, random.next_u64() as i32, -1, 253, 254];
            for number in drawn.map(Some).into_iter().chain([None]) {
                let key = number.map(|number| Key::number(f64::from(number)));
                let value = SmallValue::new(key);
                let accepted = bounds.least <= value.least && bounds.most <= value.most;
                let expected = key.is_some_and(|key| range.contains(key));
                match precision {
                    Precision::Exact => assert_eq!(accepted, expected, "{range:?} {number:?}"),
                    Precision::Lossy => assert!(accepted || !expected, "{range:?} {number:?}"),
                }
            }
            exact += usize::from(precision == Precision::Exact);
        }
        assert!(exact > 3_000, "{exact}");
    }

    #[test]
    fn common_bounds_are_exact() {
        for number in [0.0, 0.5, 1.0, 9.5, 62.5, 249_999.0, 250_000.0, 1_234_567.0, 12_345_000.0] {
            let range = KeyRange { least: Some(Key::number(number)), most: Some(Key::number(number)) };
            assert_eq!(Bounds::OPEN.clone().narrow(range), Precision::Exact, "{number}");
        }
        for rooms in [0.0, 1.0, 5.0, 100.0] {
            let range = KeyRange { least: Some(Key::number(rooms)), most: Some(Key::number(rooms)) };
            assert_eq!(SmallBounds::default().narrow(range), Precision::Exact, "{rooms}");
        }
    }
}
