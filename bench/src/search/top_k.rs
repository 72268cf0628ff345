//! The first hits of a result, for engines that leave sorting to the caller.

use super::query::LIMIT;

/// A sort key: two numbers, then the id. Smaller keys come first.
pub type Key = (u64, u64, [u8; 16]);

/// The smallest [`LIMIT`] keys so far, in order.
#[derive(Debug, Default)]
pub struct TopK {
    keys: Vec<Key>,
}

impl TopK {
    /// Adds a key if it is among the smallest. A key that is already present is not added twice.
    pub fn push(&mut self, key: Key) {
        let position = self.keys.partition_point(|known| *known < key);
        if position >= LIMIT || self.keys.get(position) == Some(&key) {
            return;
        }
        self.keys.truncate(LIMIT - 1);
        self.keys.insert(position, key);
    }

    pub fn into_ids(self) -> Vec<[u8; 16]> {
        self.keys.into_iter().map(|(_, _, id)| id).collect()
    }
}

/// Sorts lower prices first, unknown ones last. Amounts are never negative, so their bits sort like the numbers.
pub fn cheapest(price: Option<f64>) -> u64 {
    price.map_or(u64::MAX, f64::to_bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_keys_are_kept_in_order() {
        let mut top = TopK::default();
        for number in [7_u8, 3, 11, 1, 12, 5, 2, 3, 10, 4, 9, 8, 6] {
            top.push((u64::from(number), 0, [number; 16]));
        }
        let expected: Vec<[u8; 16]> = (1..=10).map(|number| [number; 16]).collect();
        assert_eq!(top.into_ids(), expected);
    }

    #[test]
    fn unknown_prices_come_last() {
        assert!(cheapest(Some(2.5)) < cheapest(Some(9.0)) && cheapest(Some(9.0)) < cheapest(None));
    }
}
