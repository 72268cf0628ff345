//! The pseudo-random generator of the generated market and of the tests.
//!
//! Tests pin the market, benchmarks quote it and bug reports reproduce it from a seed, so it must not depend on a library's
//! version or on the machine. The generator is xoshiro256++ (Blackman and Vigna), written out: crates for random numbers have
//! changed how they draw from a range between two releases. The platform's `exp`, `ln` and `cos` differ in their last bits from
//! one system to the next, so only the four operations and the square root are used, which IEEE 754 defines exactly.

/// A pseudo-random generator: the same seed draws the same numbers on every machine.
#[derive(Debug, Clone)]
pub struct Random {
    state: [u64; 4],
}

/// What a stream of random numbers is used for. Each purpose has its own stream, so that one more draw for the pictures does not
/// change the prices.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    Caller = 0,
    Home = 1,
    Advert = 2,
    SharedText = 3,
    OwnText = 4,
    Pictures = 5,
    Agency = 6,
    Person = 7,
    Timeline = 8,
    Past = 9,
    Version = 10,
    Import = 11,
    Extras = 12,
    HardCase = 13,
    Boilerplate = 14,
}

impl Random {
    /// Creates a generator for the caller's own draws, independent of those of the market.
    pub fn new(seed: u64) -> Self {
        Self::stream(seed, Purpose::Caller, [0, 0])
    }

    pub(crate) fn stream(seed: u64, purpose: Purpose, path: [u64; 2]) -> Self {
        let mut mixed = mix(seed.wrapping_add(GOLDEN));
        for step in [purpose as u64, path[0], path[1]] {
            mixed = mix(mixed ^ step.wrapping_mul(GOLDEN)).wrapping_add(GOLDEN);
        }
        let mut state = [0; 4];
        for word in &mut state {
            mixed = mixed.wrapping_add(GOLDEN);
            *word = mix(mixed);
        }
        Self { state }
    }

    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let drawn = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        drawn
    }

    /// Draws an integer below `limit`; 0 if `limit` is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        // The high half of the product. Its bias is the limit divided by 2⁶⁴, too small to be seen.
        ((u128::from(self.next_u64()) * u128::from(limit)) >> 64) as u64
    }

    /// Draws an integer from `low` to `high`, both included.
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        let span = (i64::from(high) - i64::from(low) + 1).max(1);
        (i64::from(low) + self.below(span as u64) as i64) as i32
    }

    /// Draws a number from 0 (included) to 1 (excluded).
    pub fn unit(&mut self) -> f64 {
        // 2⁻⁵³: as many steps as the mantissa holds.
        (self.next_u64() >> 11) as f64 / 9_007_199_254_740_992.0
    }

    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Returns `true` with a probability of `percent` in a hundred.
    pub fn chance(&mut self, percent: f64) -> bool {
        self.unit() * 100.0 < percent
    }

    /// Returns `true` with a probability of one in `times`.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Draws from an approximate normal distribution with mean 0 and standard deviation 1, never beyond ±3.5.
    pub fn normal(&mut self) -> f64 {
        // The sum of four uniform numbers, taken from the four quarters of one draw.
        let bits = self.next_u64();
        let sum: f64 = (0..4).map(|quarter| f64::from((bits >> (16 * quarter)) as u16) / 65_536.0).sum();
        (sum - 2.0) * 1.732_050_8
    }

    /// Draws a factor from a log-normal distribution with median 1, as prices and surfaces are distributed.
    pub fn log_normal(&mut self, deviation: f64) -> f64 {
        exponential(self.normal() * deviation)
    }

    /// Picks one of the choices, all equally likely.
    ///
    /// # Panics
    ///
    /// If there are no choices.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len() as u64) as usize]
    }

    /// Draws the position of a weight, in proportion to the weights.
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let mut left = self.below(weights.iter().map(|weight| u64::from(*weight)).sum());
        for (position, weight) in weights.iter().enumerate() {
            match left.checked_sub(u64::from(*weight)) {
                Some(rest) => left = rest,
                None => return position,
            }
        }
        weights.len().saturating_sub(1)
    }
}

/// 2⁶⁴ divided by the golden ratio: the step of SplitMix64.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of SplitMix64.
pub(crate) const fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// Returns e to a small power, with a relative error of about one in a thousand.
fn exponential(power: f64) -> f64 {
    let mut value = 1.0 + power / 1024.0;
    for _ in 0..10 {
        value *= value;
    }
    value
}

/// Returns the cosine of an angle in degrees between -90 and 90, accurate enough to place a house on a map.
pub(crate) fn cosine(degrees: f64) -> f64 {
    let square = {
        let radians = degrees * (std::f64::consts::PI / 180.0);
        radians * radians
    };
    1.0 - square / 2.0 * (1.0 - square / 12.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_of_a_seed_are_pinned() {
        let mut random = Random::new(1);
        let drawn = [random.next_u64(), random.next_u64(), random.below(1_000_000), random.next_u64()];
        assert_eq!(
            drawn,
            [15_144_767_137_130_428_873, 14_418_894_015_474_392_551, 193_913, 5_861_126_754_688_260_261]
        );
    }

    #[test]
    fn bounds_are_kept_and_reached() {
        let mut random = Random::new(7);
        let drawn: Vec<i32> = (0..1_000).map(|_| random.between(-2, 3)).collect();
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&-2), Some(&3)));
        assert_eq!(random.below(0), 0);
        assert!((0..1_000).all(|_| (0.0..1.0).contains(&random.unit())));
    }

    #[test]
    fn normal_has_mean_zero_and_deviation_one() {
        let mut random = Random::new(7);
        let drawn: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let mean = drawn.iter().sum::<f64>() / 20_000.0;
        let variance = drawn.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.03, "mean {mean}, variance {variance}");
    }

    #[test]
    fn weights_are_respected() {
        let mut random = Random::new(7);
        let mut counts = [0; 3];
        for _ in 0..10_000 {
            counts[random.weighted(&[70, 0, 30])] += 1;
        }
        assert!((6_700..7_300).contains(&counts[0]) && counts[1] == 0, "{counts:?}");
    }

    #[test]
    fn approximations_are_close() {
        for tenths in -10..=10 {
            let power = f64::from(tenths) / 10.0;
            assert!((exponential(power) / power.exp() - 1.0).abs() < 1e-3, "{power}");
            let degrees = f64::from(tenths) * 6.0;
            assert!((cosine(degrees) - degrees.to_radians().cos()).abs() < 1e-3, "{degrees}");
        }
    }
}
