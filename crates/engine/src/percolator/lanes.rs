//! Sixteen searches held against one property at once.
//!
//! On x86-64 with the vector instructions that every such processor has; elsewhere, and for fewer than sixteen, in plain loops.

use super::bounds::{Bounds, SmallBounds, SmallValue, Value};

/// How many searches are looked at together.
pub const LANES: usize = 16;

/// What the columns know of a search, as it stands in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    pub flags: u8,
    pub rooms: SmallBounds,
    /// Of the least number of bedrooms, which is what people name.
    pub bedrooms_least: u8,
    pub price: Bounds,
    pub surface: Bounds,
}

impl Line {
    /// Asks for nothing.
    pub const OPEN: Self = Self {
        flags: 0,
        rooms: SmallBounds { least: 0, most: 0 },
        bedrooms_least: 0,
        price: Bounds::OPEN,
        surface: Bounds::OPEN,
    };

    /// How many words it takes.
    pub const WORDS: usize = 5;

    pub fn words(&self) -> [u32; Self::WORDS] {
        let Self { flags, rooms, bedrooms_least, price, surface } = *self;
        let bytes = u32::from_le_bytes([flags, rooms.least, rooms.most, bedrooms_least]);
        [bytes, price.least as u32, price.most as u32, surface.least as u32, surface.most as u32]
    }
}

/// The property, as it is held against lines.
#[derive(Debug, Clone, Copy)]
pub struct ProbeValues {
    /// The bits of flags that it does not satisfy.
    forbidden: u32,
    /// The bytes that those of a line must not exceed.
    bytes: u32,
    price: Value,
    surface: Value,
}

impl ProbeValues {
    pub fn new(lacking: u8, rooms: SmallValue, bedrooms: SmallValue, price: Value, surface: Value) -> Self {
        Self {
            forbidden: u32::from(lacking),
            bytes: u32::from_le_bytes([u8::MAX, rooms.least, rooms.most, bedrooms.least]),
            price,
            surface,
        }
    }

    /// Whether the line of these words is met.
    pub fn meets(&self, [bytes, price_least, price_most, surface_least, surface_most]: [u32; 5]) -> bool {
        let within = bytes.to_le_bytes().iter().zip(self.bytes.to_le_bytes()).all(|(line, own)| *line <= own);
        within
            && bytes & self.forbidden == 0
            && price_least as i32 <= self.price.floor
            && self.price.ceiling <= price_most as i32
            && surface_least as i32 <= self.surface.floor
            && self.surface.ceiling <= surface_most as i32
    }

    /// Which of sixteen lines are met, the first as the lowest bit.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn meets_of(&self, columns: [&[u32; LANES]; Line::WORDS]) -> u32 {
        (0..LANES)
            .fold(0, |met, lane| met | u32::from(self.meets(columns.map(|column| column[lane]))) << lane)
    }

    /// Which of sixteen lines are met, the first as the lowest bit.
    #[cfg(target_arch = "x86_64")]
    pub fn meets_of(&self, columns: [&[u32; LANES]; Line::WORDS]) -> u32 {
        use safe_arch::{
            cmp_eq_mask_i32_m128i, cmp_gt_mask_i32_m128i, m128i, set_splat_i32_m128i,
            sub_saturating_u8_m128i, zeroed_m128i,
        };

        let [bytes, price_least, price_most, surface_least, surface_most] =
            columns.map(|column| -> [m128i; 4] { bytemuck::must_cast(*column) });
        let (forbidden, own) =
            (set_splat_i32_m128i(self.forbidden as i32), set_splat_i32_m128i(self.bytes as i32));
        let bits = mask(std::array::from_fn(|part| {
            // What is left of a line after taking off what the property has is nothing, where the line is met.
            let left = bytes[part] & forbidden | sub_saturating_u8_m128i(bytes[part], own);
            cmp_eq_mask_i32_m128i(left, zeroed_m128i())
        }));
        if bits == 0 {
            return 0;
        }
        let [price_floor, price_ceiling, surface_floor, surface_ceiling] =
            [self.price.floor, self.price.ceiling, self.surface.floor, self.surface.ceiling]
                .map(set_splat_i32_m128i);
        let outside = mask(std::array::from_fn(|part| {
            cmp_gt_mask_i32_m128i(price_least[part], price_floor)
                | cmp_gt_mask_i32_m128i(price_ceiling, price_most[part])
                | cmp_gt_mask_i32_m128i(surface_least[part], surface_floor)
                | cmp_gt_mask_i32_m128i(surface_ceiling, surface_most[part])
        }));
        bits & !outside
    }
}

/// One bit for each of sixteen lanes that are all ones or all zeros.
#[cfg(target_arch = "x86_64")]
fn mask([a, b, c, d]: [safe_arch::m128i; 4]) -> u32 {
    use safe_arch::{move_mask_i8_m128i, pack_i16_to_i8_m128i, pack_i32_to_i16_m128i};

    let packed = pack_i16_to_i8_m128i(pack_i32_to_i16_m128i(a, b), pack_i32_to_i16_m128i(c, d));
    u32::from(move_mask_i8_m128i(packed) as u16)
}

#[cfg(test)]
mod tests {
    use testkit::Random;

    use super::*;

    #[test]
    fn sixteen_at_once_meet_as_each_alone() {
        let mut random = Random::new(testkit::random::seed());
        let mut met = 0;
        for _ in 0..20_000 {
            let byte = |random: &mut Random| *random.pick(&[0, 0, 0, 1, 2, 3, 4, 127, 128, 200, 255]);
            let half = |random: &mut Random| *random.pick(&[i32::MIN, -5, -1, 0, 1, 2, 3, 4, 5, i32::MAX]);
            let small = |random: &mut Random| SmallValue { least: byte(random), most: byte(random) };
            let value = |random: &mut Random| Value { floor: half(random), ceiling: half(random) };
            let probe = ProbeValues::new(
                byte(&mut random),
                small(&mut random),
                small(&mut random),
                value(&mut random),
                value(&mut random),
            );
            let mut columns = [[0; LANES]; Line::WORDS];
            for lane in 0..LANES {
                let bounds = |random: &mut Random| match random.once_in(2) {
                    true => Bounds::OPEN,
                    false => Bounds { least: half(random), most: half(random) },
                };
                let line = Line {
                    flags: byte(&mut random) & byte(&mut random),
                    rooms: SmallBounds { least: byte(&mut random), most: byte(&mut random) },
                    bedrooms_least: byte(&mut random),
                    price: bounds(&mut random),
                    surface: bounds(&mut random),
                };
                for (column, word) in columns.iter_mut().zip(line.words()) {
                    column[lane] = word;
                }
            }
            let found = probe.meets_of(columns.each_ref());
            for lane in 0..LANES {
                let expected = probe.meets(columns.map(|column| column[lane]));
                assert_eq!(found >> lane & 1 == 1, expected, "{probe:?} {columns:?} {lane}");
                met += usize::from(expected);
            }
        }
        assert!(met > 100, "{met}");
    }
}
