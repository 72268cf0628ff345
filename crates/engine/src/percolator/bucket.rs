//! The saved searches of one place, in columns.
//!
//! A bucket stores a [`Prefilter`] and a handle for each search. Searches with the same [`KindMask`] form a run, so that a
//! property is compared only with the runs that accept its kind. Searches with residual criteria are in other runs than those
//! that the prefilter decides exactly. The order within a run has no meaning: to make room in the middle, one search of every
//! later run moves from the front of the run to its back, which takes the same time for runs of any length.
//!
//! [`ProbeValues`] compares sixteen prefilters with a property at once. On x86-64 it uses the vector instructions that every such
//! processor has; elsewhere, and for fewer than sixteen, it uses plain loops.

use super::bounds::{Bounds, SmallBounds, SmallValue, Value};

/// The number of searches compared at once.
pub const LANES: usize = 16;

/// A bit for each accepted property type, above them two bits for the transactions, and in the highest bit whether criteria
/// remain that the prefilter does not decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KindMask(pub u16);

impl KindMask {
    pub const RESIDUAL: u16 = 1 << 15;

    /// Returns `true` if the prefilter decides the search.
    pub fn is_exact(self) -> bool {
        self.0 & Self::RESIDUAL == 0
    }

    fn contains(self, kind: Self) -> bool {
        self.0 & kind.0 == kind.0
    }
}

/// The criteria of a search that are stored in columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefilter {
    pub flags: u8,
    pub rooms: SmallBounds,
    /// Only the lower bound, which is the one people set.
    pub bedrooms_least: u8,
    pub price: Bounds,
    pub surface: Bounds,
}

impl Prefilter {
    /// Accepts everything.
    pub const OPEN: Self = Self {
        flags: 0,
        rooms: SmallBounds { least: 0, most: 0 },
        bedrooms_least: 0,
        price: Bounds::OPEN,
        surface: Bounds::OPEN,
    };

    /// The number of columns it takes.
    pub const WORDS: usize = 5;

    pub fn words(&self) -> [u32; Self::WORDS] {
        let Self { flags, rooms, bedrooms_least, price, surface } = *self;
        let bytes = u32::from_le_bytes([flags, rooms.least, rooms.most, bedrooms_least]);
        [bytes, price.least as u32, price.most as u32, surface.least as u32, surface.most as u32]
    }
}

/// The values of a property that are compared with prefilters.
#[derive(Debug, Clone, Copy)]
pub struct ProbeValues {
    /// The flag bits that the property does not satisfy.
    forbidden: u32,
    /// Upper limits for the bytes of a prefilter.
    bytes: u32,
    price: Value,
    surface: Value,
}

impl ProbeValues {
    pub fn new(forbidden: u8, rooms: SmallValue, bedrooms: SmallValue, price: Value, surface: Value) -> Self {
        Self {
            forbidden: u32::from(forbidden),
            bytes: u32::from_le_bytes([u8::MAX, rooms.least, rooms.most, bedrooms.least]),
            price,
            surface,
        }
    }

    /// Returns `true` if the prefilter with these words accepts the property.
    pub fn passes(&self, [bytes, price_least, price_most, surface_least, surface_most]: [u32; 5]) -> bool {
        let within =
            bytes.to_le_bytes().iter().zip(self.bytes.to_le_bytes()).all(|(bound, value)| *bound <= value);
        within
            && bytes & self.forbidden == 0
            && price_least as i32 <= self.price.floor
            && self.price.ceiling <= price_most as i32
            && surface_least as i32 <= self.surface.floor
            && self.surface.ceiling <= surface_most as i32
    }

    /// Returns a mask of the sixteen prefilters that accept the property. The first is the lowest bit.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn passing_lanes(&self, columns: [&[u32; LANES]; Prefilter::WORDS]) -> u32 {
        (0..LANES)
            .fold(0, |mask, lane| mask | u32::from(self.passes(columns.map(|column| column[lane]))) << lane)
    }

    /// Returns a mask of the sixteen prefilters that accept the property. The first is the lowest bit.
    #[cfg(target_arch = "x86_64")]
    pub fn passing_lanes(&self, columns: [&[u32; LANES]; Prefilter::WORDS]) -> u32 {
        use safe_arch::{
            cmp_eq_mask_i32_m128i, cmp_gt_mask_i32_m128i, m128i, set_splat_i32_m128i,
            sub_saturating_u8_m128i, zeroed_m128i,
        };

        let [bytes, price_least, price_most, surface_least, surface_most] =
            columns.map(|column| -> [m128i; 4] { bytemuck::must_cast(*column) });
        let (forbidden, limits) =
            (set_splat_i32_m128i(self.forbidden as i32), set_splat_i32_m128i(self.bytes as i32));
        let bits = mask(std::array::from_fn(|part| {
            // Subtracting the property's bytes from the bounds, saturating, leaves zero where they hold.
            let excess = bytes[part] & forbidden | sub_saturating_u8_m128i(bytes[part], limits);
            cmp_eq_mask_i32_m128i(excess, zeroed_m128i())
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

/// Packs sixteen lanes, each all ones or all zeros, into one bit each.
#[cfg(target_arch = "x86_64")]
fn mask([a, b, c, d]: [safe_arch::m128i; 4]) -> u32 {
    use safe_arch::{move_mask_i8_m128i, pack_i16_to_i8_m128i, pack_i32_to_i16_m128i};

    let packed = pack_i16_to_i8_m128i(pack_i32_to_i16_m128i(a, b), pack_i32_to_i16_m128i(c, d));
    u32::from(move_mask_i8_m128i(packed) as u16)
}

/// The handles of the searches that passed their prefilters.
#[derive(Debug, Default)]
pub struct PrefilterHits {
    /// Searches that match.
    pub exact: Vec<u32>,
    /// Searches with criteria left to evaluate.
    pub residual: Vec<u32>,
}

#[derive(Debug, Default)]
pub struct Bucket {
    /// Columns of equal length, one after the other: the words of the prefilters, then the handles.
    words: Box<[u32]>,
    /// Sorted by kinds; none is empty.
    runs: Vec<Run>,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    kinds: KindMask,
    end: u32,
}

const COLUMNS: usize = Prefilter::WORDS + 1;

/// The column of the handles. It is the last one because the others are read up to a few words beyond their end.
const HANDLES: usize = Prefilter::WORDS;

impl Bucket {
    pub fn len(&self) -> usize {
        self.runs.last().map_or(0, |run| run.end as usize)
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    fn capacity(&self) -> usize {
        self.words.len() / COLUMNS
    }

    fn start(&self, run: usize) -> usize {
        run.checked_sub(1).map_or(0, |before| self.runs[before].end as usize)
    }

    pub fn insert(&mut self, kinds: KindMask, prefilter: &Prefilter, handle: u32) {
        let length = self.len();
        if length == self.capacity() {
            // Most places have few searches, and most of the memory is in them: growing by a quarter wastes little.
            self.resize(length + length / 4 + 1);
        }
        let at = match self.runs.binary_search_by_key(&kinds, |run| run.kinds) {
            Ok(at) => at,
            Err(at) => {
                let end = self.start(at) as u32;
                self.runs.reserve_exact(usize::from(self.runs.len() == self.runs.capacity()));
                self.runs.insert(at, Run { kinds, end });
                at
            }
        };
        for later in (at + 1..self.runs.len()).rev() {
            self.copy(self.start(later), self.runs[later].end as usize);
            self.runs[later].end += 1;
        }
        let row = self.runs[at].end as usize;
        self.runs[at].end += 1;
        let capacity = self.capacity();
        for (column, word) in prefilter.words().into_iter().chain([handle]).enumerate() {
            self.words[column * capacity + row] = word;
        }
    }

    /// Removes a search. Returns `true` if it was there.
    pub fn remove(&mut self, kinds: KindMask, handle: u32) -> bool {
        let Ok(at) = self.runs.binary_search_by_key(&kinds, |run| run.kinds) else {
            return false;
        };
        let (start, end) = (self.start(at), self.runs[at].end as usize);
        let handles = &self.words[HANDLES * self.capacity()..];
        let Some(offset) = position(&handles[start..end], handle) else { return false };
        let mut hole = start + offset;
        for later in at..self.runs.len() {
            let last = self.runs[later].end as usize - 1;
            self.copy(last, hole);
            self.runs[later].end -= 1;
            hole = last;
        }
        if end - start == 1 {
            self.runs.remove(at);
        }
        let length = self.len();
        if length == 0 || length < self.capacity() / 2 {
            self.resize(length + length / 8);
            self.runs.shrink_to_fit();
        }
        true
    }

    fn copy(&mut self, from: usize, to: usize) {
        let capacity = self.capacity();
        for column in self.words.chunks_exact_mut(capacity) {
            column[to] = column[from];
        }
    }

    fn resize(&mut self, capacity: usize) {
        let (length, before) = (self.len(), self.capacity());
        let mut words = Vec::with_capacity(COLUMNS * capacity);
        for column in 0..COLUMNS {
            let start = column * before;
            words.extend_from_slice(&self.words[start..start + length]);
            words.resize((column + 1) * capacity, 0);
        }
        self.words = words.into_boxed_slice();
    }

    /// Compares the property with the searches that accept its kind and adds those whose prefilters it passes. Returns the number
    /// of searches compared.
    pub fn scan(&self, kind: KindMask, probe: &ProbeValues, hits: &mut PrefilterHits) -> usize {
        let capacity = self.capacity();
        let columns: [&[u32]; Prefilter::WORDS] =
            std::array::from_fn(|column| self.words.get(column * capacity..).unwrap_or_default());
        let handles = self.words.get(HANDLES * capacity..).unwrap_or_default();
        let (mut start, mut scanned) = (0, 0);
        for run in &self.runs {
            let end = run.end as usize;
            if run.kinds.contains(kind) {
                scanned += end - start;
                let hits = if run.kinds.is_exact() { &mut hits.exact } else { &mut hits.residual };
                for first in (start..end).step_by(LANES) {
                    let count = (end - first).min(LANES);
                    let mut lanes = passing_rows(&columns, probe, first, count);
                    while lanes != 0 {
                        let row = first + lanes.trailing_zeros() as usize;
                        lanes &= lanes - 1;
                        hits.push(handles[row]);
                    }
                }
            }
            start = end;
        }
        scanned
    }

    /// Returns the heap memory in use, in bytes.
    pub fn bytes(&self) -> usize {
        self.words.len() * size_of::<u32>() + self.runs.capacity() * size_of::<Run>()
    }
}

/// Returns a mask of the rows, among `count` from `first` on, whose prefilters accept the property.
fn passing_rows(
    columns: &[&[u32]; Prefilter::WORDS],
    probe: &ProbeValues,
    first: usize,
    count: usize,
) -> u32 {
    let lanes = |column: usize| columns[column].get(first..)?.first_chunk::<LANES>();
    match (lanes(0), lanes(1), lanes(2), lanes(3), lanes(4)) {
        (Some(bytes), Some(price_least), Some(price_most), Some(surface_least), Some(surface_most)) => {
            let passing = probe.passing_lanes([bytes, price_least, price_most, surface_least, surface_most]);
            passing & ((1 << count) - 1)
        }
        // At the end of a small bucket.
        _ => (0..count).fold(0, |mask, lane| {
            mask | u32::from(probe.passes(columns.map(|column| column[first + lane]))) << lane
        }),
    }
}

fn position(handles: &[u32], handle: u32) -> Option<usize> {
    // The compiler vectorizes a search through a whole chunk without early exit.
    const CHUNK: usize = 64;
    let chunk = handles
        .chunks(CHUNK)
        .position(|chunk| chunk.iter().fold(false, |found, other| found | (*other == handle)))?;
    let start = chunk * CHUNK;
    handles[start..].iter().position(|other| *other == handle).map(|offset| start + offset)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use testkit::Random;

    use super::*;

    #[test]
    fn bucket_contains_inserted_searches() {
        let mut random = Random::new(testkit::random::seed());
        let unknown = Value { floor: i32::MIN, ceiling: i32::MAX };
        let probe = ProbeValues::new(0, SmallValue::default(), SmallValue::default(), unknown, unknown);
        for round in 0..60 {
            let mut bucket = Bucket::default();
            let mut expected: BTreeMap<u32, KindMask> = BTreeMap::new();
            for number in 0..round * 10 {
                if random.once_in(3) {
                    let removed = random.below(u64::from(number) + 1) as u32;
                    let kinds = expected.remove(&removed);
                    assert_eq!(bucket.remove(kinds.unwrap_or(KindMask(1)), removed), kinds.is_some());
                }
                let kinds = KindMask(*random.pick(&[
                    0b1001,
                    0b1010,
                    0b1011,
                    0b111,
                    0b1111,
                    1,
                    KindMask::RESIDUAL | 0b1001,
                ]));
                bucket.insert(kinds, &Prefilter::OPEN, number);
                expected.insert(number, kinds);
                assert_eq!(bucket.len(), expected.len());
            }
            for kind in [0b1001, 0b1010, 0b1, 0b10000].map(KindMask) {
                let mut hits = PrefilterHits::default();
                let scanned = bucket.scan(kind, &probe, &mut hits);
                assert!(hits.exact.iter().all(|number| expected[number].is_exact()));
                assert!(hits.residual.iter().all(|number| !expected[number].is_exact()));
                let mut found = [hits.exact, hits.residual].concat();
                found.sort_unstable();
                let accepting = expected.iter().filter(|(_, kinds)| kinds.contains(kind));
                assert_eq!(found, accepting.map(|(number, _)| *number).collect::<Vec<_>>());
                assert_eq!(scanned, found.len());
            }
            for (number, kinds) in expected {
                assert!(bucket.remove(kinds, number));
            }
            assert!(bucket.is_empty());
            assert_eq!(bucket.bytes(), 0);
        }
    }

    #[test]
    fn sixteen_lanes_agree_with_single_comparisons() {
        let mut random = Random::new(testkit::random::seed());
        let mut passed = 0;
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
            let mut columns = [[0; LANES]; Prefilter::WORDS];
            for lane in 0..LANES {
                let bounds = |random: &mut Random| match random.once_in(2) {
                    true => Bounds::OPEN,
                    false => Bounds { least: half(random), most: half(random) },
                };
                let prefilter = Prefilter {
                    flags: byte(&mut random) & byte(&mut random),
                    rooms: SmallBounds { least: byte(&mut random), most: byte(&mut random) },
                    bedrooms_least: byte(&mut random),
                    price: bounds(&mut random),
                    surface: bounds(&mut random),
                };
                for (column, word) in columns.iter_mut().zip(prefilter.words()) {
                    column[lane] = word;
                }
            }
            let lanes = probe.passing_lanes(columns.each_ref());
            for lane in 0..LANES {
                let expected = probe.passes(columns.map(|column| column[lane]));
                assert_eq!(lanes >> lane & 1 == 1, expected, "{probe:?} {columns:?} {lane}");
                passed += usize::from(expected);
            }
        }
        assert!(passed > 100, "{passed}");
    }
}
