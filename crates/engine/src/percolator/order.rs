//! Numbers in order, each once.

use super::SearchNumber;

/// Fewer are put in order sooner by comparing them.
const FEW: usize = 64;

/// Larger numbers are put in order by comparing them: a bit for each would be megabytes to hold and to look through.
const MOST: u32 = 1 << 24;

/// A bit a number, and a bit for each word that has one: what is found in no order is read off in order. All are zero between two
/// uses.
#[derive(Debug, Default)]
pub struct Order {
    words: Vec<u64>,
    used: Vec<u64>,
}

impl Order {
    pub fn put_in(&mut self, numbers: &mut Vec<u32>) -> Vec<SearchNumber> {
        let most = numbers.iter().copied().max().unwrap_or_default();
        if numbers.len() < FEW || most > MOST {
            numbers.sort_unstable();
            numbers.dedup();
            return numbers.iter().copied().map(SearchNumber).collect();
        }
        let words = most as usize / 64 + 1;
        self.words.resize(words.max(self.words.len()), 0);
        self.used.resize(words.div_ceil(64).max(self.used.len()), 0);
        for number in numbers.iter() {
            let word = *number as usize / 64;
            self.words[word] |= 1 << (number % 64);
            self.used[word / 64] |= 1 << (word % 64);
        }
        let mut ordered = Vec::with_capacity(numbers.len());
        for (place, used) in self.used[..words.div_ceil(64)].iter_mut().enumerate() {
            for word in crate::bits::ones(std::mem::take(used)) {
                let word = place * 64 + word;
                for bit in crate::bits::ones(std::mem::take(&mut self.words[word])) {
                    ordered.push(SearchNumber((word * 64 + bit) as u32));
                }
            }
        }
        ordered
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use testkit::Random;

    use super::*;

    #[test]
    fn numbers_come_out_in_order_and_once() {
        let mut random = Random::new(testkit::random::seed());
        let mut order = Order::default();
        for _ in 0..300 {
            let most = *random.pick(&[1, 63, 64, 4_096, 100_000, u64::from(MOST) + 1, 1 << 32]);
            let count = *random.pick(&[0, 1, 63, 64, 65, 3_000]);
            let mut numbers: Vec<u32> = (0..count).map(|_| random.below(most) as u32).collect();
            let expected: BTreeSet<u32> = numbers.iter().copied().collect();
            let found = order.put_in(&mut numbers);
            assert!(found.iter().map(|number| number.0).eq(expected));
        }
    }
}
