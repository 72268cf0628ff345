//! Bounds on numbers in as few bits as tell the truth.
//!
//! The key of a number is an order-preserving `i64`. Of the bounds people choose the lower 32 bits are zero (every whole number up
//! to two million, every multiple of a thousand up to sixteen million and so on), so that the upper 32 bits say all. A value has two such
//! halves: rounded down it is held against lower bounds, rounded up against upper ones. Whatever does not fit is rounded outwards,
//! and whoever narrows bounds is told that they let too much through.

use domain::{Key, KeyRange};

/// From one half key to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub least: i32,
    pub most: i32,
}

/// A number that is held against bounds.
///
/// Finite numbers have halves from `0x8010_0000` to `0x7ff0_0000`: none is as far out as an open bound, nor as an unknown value,
/// which lies on both outer sides at once and meets open bounds alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value {
    pub floor: i32,
    pub ceiling: i32,
}

/// Whether something says all that it was made of, or lets too much through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Told {
    All,
    Part,
}

impl Told {
    fn all_if(all: bool) -> Self {
        if all { Self::All } else { Self::Part }
    }
}

impl Bounds {
    pub const OPEN: Self = Self { least: i32::MIN, most: i32::MAX };

    /// Lets in only what is in the span as well.
    pub fn narrow(&mut self, span: KeyRange) -> Told {
        let least = span.least.map_or(i32::MIN, upper_half);
        let most = span.most.map_or(i32::MAX, rounded_up);
        self.least = self.least.max(least);
        self.most = self.most.min(most);
        let whole = |bound: Option<Key>| bound.is_none_or(|key| lower_half(key) == 0);
        // An unknown value meets no span, not even the one that is open at both ends.
        let keeps_unknown_out = least > i32::MIN || most < i32::MAX;
        Told::all_if(keeps_unknown_out && whole(span.least) && whole(span.most))
    }
}

impl Value {
    pub fn of(key: Option<Key>) -> Self {
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

/// Bounds on a small whole number, each in a byte. Both are zero when they are open, and both grow as they narrow, so that a byte
/// is met exactly by values whose byte is not smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SmallBounds {
    pub least: u8,
    pub most: u8,
}

/// A small whole number that is held against bounds. The bytes of an unknown one are zero: it meets open bounds alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SmallValue {
    pub least: u8,
    pub most: u8,
}

/// Numbers from here to there are told apart; all that are less are one, and so are all that are more.
const SMALLEST: f64 = -1.0;
const LARGEST: f64 = 253.0;

impl SmallBounds {
    /// Lets in only whole numbers that are in the span as well.
    pub fn narrow(&mut self, span: KeyRange) -> Told {
        // A key that is not that of its number, which −0 has, lies between two numbers.
        let sound = |bound: Option<Key>| bound.is_none_or(|key| Key::number(key.as_number()) == key);
        let bounded = span.least.is_some() || span.most.is_some();
        let mut told = Told::all_if(bounded && sound(span.least) && sound(span.most));
        if let Some(bound) = span.least.map(|key| key.as_number().ceil()) {
            if !(SMALLEST < bound && bound <= LARGEST) {
                told = Told::Part;
            }
            self.least = self.least.max(byte(bound) + 1);
        }
        if let Some(bound) = span.most.map(|key| key.as_number().floor()) {
            if !(SMALLEST..LARGEST).contains(&bound) {
                told = Told::Part;
            }
            // What is not a number becomes the smallest one, which is outwards above but not here.
            let bound = if bound.is_nan() { LARGEST } else { bound };
            self.most = self.most.max(u8::MAX - byte(bound));
        }
        told
    }
}

impl SmallValue {
    pub fn of(key: Option<Key>) -> Self {
        match key {
            Some(key) => {
                let byte = byte(key.as_number());
                Self { least: byte + 1, most: u8::MAX - byte }
            }
            None => Self::default(),
        }
    }
}

/// The place of a number on the scale of small ones: from 0 to 254.
fn byte(number: f64) -> u8 {
    (number.clamp(SMALLEST, LARGEST) - SMALLEST) as u8
}

#[cfg(test)]
mod tests {
    use testkit::Random;

    use super::*;

    /// Numbers on which bounds and values like to meet, and the numbers just beside them.
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

    fn span(random: &mut Random) -> KeyRange {
        KeyRange { least: bound(random), most: bound(random) }
    }

    #[test]
    fn halves_of_keys_compare_as_the_keys_do() {
        let mut random = Random::new(testkit::random::seed());
        let mut told_all = 0;
        for _ in 0..200_000 {
            let spans = [span(&mut random), span(&mut random)];
            let mut bounds = Bounds::OPEN;
            let told = spans.map(|span| bounds.narrow(span));
            for key in [None, Some(Key::number(number(&mut random))), spans[0].least, spans[0].most] {
                // What is not the key of a finite number is no value.
                let key = key.filter(|key| key.as_number().is_finite());
                let value = Value::of(key);
                let met = bounds.least <= value.floor && value.ceiling <= bounds.most;
                let expected = key.is_some_and(|key| spans.iter().all(|span| span.contains(key)));
                match told == [Told::All; 2] {
                    true => assert_eq!(met, expected, "{spans:?} {key:?}"),
                    false => assert!(met || !expected, "{spans:?} {key:?}"),
                }
            }
            told_all += usize::from(told == [Told::All; 2]);
        }
        assert!(told_all > 3_000, "{told_all}");
    }

    #[test]
    fn bytes_compare_as_the_whole_numbers_do() {
        let mut random = Random::new(testkit::random::seed());
        let mut told_all = 0;
        for _ in 0..200_000 {
            let span = span(&mut random);
            let mut bounds = SmallBounds::default();
            let told = bounds.narrow(span);
            let drawn = [random.below(400) as i32 - 50, random.next_u64() as i32, -1, 253, 254];
            for number in drawn.map(Some).into_iter().chain([None]) {
                let key = number.map(|number| Key::number(f64::from(number)));
                let value = SmallValue::of(key);
                let met = bounds.least <= value.least && bounds.most <= value.most;
                let expected = key.is_some_and(|key| span.contains(key));
                match told {
                    Told::All => assert_eq!(met, expected, "{span:?} {number:?}"),
                    Told::Part => assert!(met || !expected, "{span:?} {number:?}"),
                }
            }
            told_all += usize::from(told == Told::All);
        }
        assert!(told_all > 3_000, "{told_all}");
    }

    #[test]
    fn the_bounds_people_choose_say_all() {
        for number in [0.0, 0.5, 1.0, 9.5, 62.5, 249_999.0, 250_000.0, 1_234_567.0, 12_345_000.0] {
            let span = KeyRange { least: Some(Key::number(number)), most: Some(Key::number(number)) };
            assert_eq!(Bounds::OPEN.clone().narrow(span), Told::All, "{number}");
        }
        for rooms in [0.0, 1.0, 5.0, 100.0] {
            let span = KeyRange { least: Some(Key::number(rooms)), most: Some(Key::number(rooms)) };
            assert_eq!(SmallBounds::default().narrow(span), Told::All, "{rooms}");
        }
    }
}
