//! The first ten of whatever comes along, for engines that leave the order to their callers.

use super::question::FIRST;

/// What decides the order: the smaller comes first. Two numbers, then the id.
pub type Key = (u64, u64, [u8; 16]);

/// The best so far, in order.
#[derive(Debug, Default)]
pub struct First {
    keys: Vec<Key>,
}

impl First {
    /// Whether something that begins like this may still come in: spares the rest of the key in nearly all cases.
    pub fn may_take(&self, beginning: u64) -> bool {
        self.keys.len() < FIRST || self.keys.last().is_some_and(|last| beginning <= last.0)
    }

    /// Takes a key in if it is one of the best; one that is there already is not taken twice.
    pub fn take(&mut self, key: Key) {
        let position = self.keys.partition_point(|known| *known < key);
        if position >= FIRST || self.keys.get(position) == Some(&key) {
            return;
        }
        self.keys.truncate(FIRST - 1);
        self.keys.insert(position, key);
    }

    pub fn ids(self) -> Vec<[u8; 16]> {
        self.keys.into_iter().map(|(_, _, id)| id).collect()
    }
}

/// The later, the smaller.
pub const fn newest(created: i64) -> u64 {
    !(created as u64)
}

/// The dearer, the smaller; unknown is the largest. Amounts are never negative, so that their bits are in their order.
pub fn dearest(price_per_meter: Option<f64>) -> u64 {
    price_per_meter.map_or(u64::MAX, |price| u64::MAX - 1 - price.to_bits())
}

/// The cheaper, the smaller.
pub fn cheapest(price: Option<f64>) -> u64 {
    price.map_or(u64::MAX, f64::to_bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_smallest_ten_stay_in_order() {
        let mut first = First::default();
        for number in [7_u8, 3, 11, 1, 12, 5, 2, 3, 10, 4, 9, 8, 6] {
            assert!(first.may_take(u64::from(number)) || number > 10);
            first.take((u64::from(number), 0, [number; 16]));
        }
        assert!(!first.may_take(11));
        let expected: Vec<[u8; 16]> = (1..=10).map(|number| [number; 16]).collect();
        assert_eq!(first.ids(), expected);
    }

    #[test]
    fn unknown_prices_come_last() {
        assert!(dearest(Some(9.0)) < dearest(Some(2.5)) && dearest(Some(0.0)) < dearest(None));
        assert!(cheapest(Some(2.5)) < cheapest(Some(9.0)) && cheapest(Some(9.0)) < cheapest(None));
        assert!(newest(20) < newest(10));
    }
}
