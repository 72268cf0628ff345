//! The searches of one place, in columns.
//!
//! Searches that want the same kinds of property stand together in a stretch, so that a property looks at those alone that want
//! its kind; those that have something left to check stand apart from those that the columns settle. Where they stand in the stretch says nothing: to make room in the middle, one search of every later stretch moves
//! from its front to its back, whatever their number.

use super::lanes::{LANES, Line, ProbeValues};

/// Which types of property are wanted (a bit each), and which transactions (the two bits above); in the highest bit, whether
/// something is left to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kinds(pub u16);

impl Kinds {
    pub const UNSETTLED: u16 = 1 << 15;

    pub fn is_settled(self) -> bool {
        self.0 & Self::UNSETTLED == 0
    }

    fn holds(self, one: Self) -> bool {
        self.0 & one.0 == one.0
    }
}

/// The names of searches whose lines are met.
#[derive(Debug, Default)]
pub struct Met {
    pub settled: Vec<u32>,
    pub unsettled: Vec<u32>,
}

#[derive(Debug, Default)]
pub struct Bucket {
    /// The columns one behind the other, each as long as the others: the words of the lines, then the names of the searches.
    words: Box<[u32]>,
    /// In the order of their kinds, none of them empty.
    stretches: Vec<Stretch>,
}

#[derive(Debug, Clone, Copy)]
struct Stretch {
    kinds: Kinds,
    end: u32,
}

const COLUMNS: usize = Line::WORDS + 1;

/// The column of the names. It is the last: the others are read up to a few words beyond their end.
const NAMES: usize = Line::WORDS;

impl Bucket {
    pub fn len(&self) -> usize {
        self.stretches.last().map_or(0, |stretch| stretch.end as usize)
    }

    pub fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    fn capacity(&self) -> usize {
        self.words.len() / COLUMNS
    }

    fn start(&self, stretch: usize) -> usize {
        stretch.checked_sub(1).map_or(0, |before| self.stretches[before].end as usize)
    }

    pub fn put(&mut self, kinds: Kinds, line: &Line, name: u32) {
        let length = self.len();
        if length == self.capacity() {
            // Most places have few searches, and most of the memory is in them: growing by a quarter wastes little of it.
            self.resize(length + length / 4 + 1);
        }
        let at = match self.stretches.binary_search_by_key(&kinds, |stretch| stretch.kinds) {
            Ok(at) => at,
            Err(at) => {
                let end = self.start(at) as u32;
                self.stretches.reserve_exact(usize::from(self.stretches.len() == self.stretches.capacity()));
                self.stretches.insert(at, Stretch { kinds, end });
                at
            }
        };
        for later in (at + 1..self.stretches.len()).rev() {
            self.copy(self.start(later), self.stretches[later].end as usize);
            self.stretches[later].end += 1;
        }
        let row = self.stretches[at].end as usize;
        self.stretches[at].end += 1;
        let capacity = self.capacity();
        for (column, word) in line.words().into_iter().chain([name]).enumerate() {
            self.words[column * capacity + row] = word;
        }
    }

    /// Takes a search out, if it is there.
    pub fn remove(&mut self, kinds: Kinds, name: u32) -> bool {
        let Ok(at) = self.stretches.binary_search_by_key(&kinds, |stretch| stretch.kinds) else {
            return false;
        };
        let (start, end) = (self.start(at), self.stretches[at].end as usize);
        let names = &self.words[NAMES * self.capacity()..];
        let Some(place) = position(&names[start..end], name) else { return false };
        let mut hole = start + place;
        for later in at..self.stretches.len() {
            let last = self.stretches[later].end as usize - 1;
            self.copy(last, hole);
            self.stretches[later].end -= 1;
            hole = last;
        }
        if end - start == 1 {
            self.stretches.remove(at);
        }
        let length = self.len();
        if length == 0 || length < self.capacity() / 2 {
            self.resize(length + length / 8);
            self.stretches.shrink_to_fit();
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

    /// Holds the searches that want one kind of property against it and adds those whose lines are met. Says how many were looked
    /// at.
    pub fn scan(&self, kind: Kinds, probe: &ProbeValues, met: &mut Met) -> usize {
        let capacity = self.capacity();
        let columns: [&[u32]; Line::WORDS] =
            std::array::from_fn(|column| self.words.get(column * capacity..).unwrap_or_default());
        let names = self.words.get(NAMES * capacity..).unwrap_or_default();
        let (mut start, mut walked) = (0, 0);
        for stretch in &self.stretches {
            let end = stretch.end as usize;
            if stretch.kinds.holds(kind) {
                walked += end - start;
                let met = if stretch.kinds.is_settled() { &mut met.settled } else { &mut met.unsettled };
                for first in (start..end).step_by(LANES) {
                    let count = (end - first).min(LANES);
                    let mut lanes = found(&columns, probe, first, count);
                    while lanes != 0 {
                        let row = first + lanes.trailing_zeros() as usize;
                        lanes &= lanes - 1;
                        met.push(names[row]);
                    }
                }
            }
            start = end;
        }
        walked
    }

    /// Memory beside the struct itself.
    pub fn bytes(&self) -> usize {
        self.words.len() * size_of::<u32>() + self.stretches.capacity() * size_of::<Stretch>()
    }
}

/// Which of the rows from `first` on are met, of so many.
fn found(columns: &[&[u32]; Line::WORDS], probe: &ProbeValues, first: usize, count: usize) -> u32 {
    let lanes = |column: usize| columns[column].get(first..)?.first_chunk::<LANES>();
    match (lanes(0), lanes(1), lanes(2), lanes(3), lanes(4)) {
        (Some(bytes), Some(price_least), Some(price_most), Some(surface_least), Some(surface_most)) => {
            let met = probe.meets_of([bytes, price_least, price_most, surface_least, surface_most]);
            met & ((1 << count) - 1)
        }
        // At the end of a small bucket.
        _ => (0..count).fold(0, |met, lane| {
            met | u32::from(probe.meets(columns.map(|column| column[first + lane]))) << lane
        }),
    }
}

/// Where a name stands.
fn position(names: &[u32], name: u32) -> Option<usize> {
    // Looking for it in many at once, without leaving in the middle, is what the compiler makes vectors of.
    const TOGETHER: usize = 64;
    let chunk = names
        .chunks(TOGETHER)
        .position(|chunk| chunk.iter().fold(false, |found, other| found | (*other == name)))?;
    let start = chunk * TOGETHER;
    names[start..].iter().position(|other| *other == name).map(|place| start + place)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use testkit::Random;

    use super::*;
    use crate::percolator::bounds::{SmallValue, Value};

    #[test]
    fn a_bucket_holds_what_was_put_in_and_not_removed() {
        let mut random = Random::new(testkit::random::seed());
        let unknown = Value { floor: i32::MIN, ceiling: i32::MAX };
        let probe = ProbeValues::new(0, SmallValue::default(), SmallValue::default(), unknown, unknown);
        for round in 0..60 {
            let mut bucket = Bucket::default();
            let mut expected: BTreeMap<u32, Kinds> = BTreeMap::new();
            for number in 0..round * 10 {
                if random.once_in(3) {
                    let gone = random.below(u64::from(number) + 1) as u32;
                    let kinds = expected.remove(&gone);
                    assert_eq!(bucket.remove(kinds.unwrap_or(Kinds(1)), gone), kinds.is_some());
                }
                let kinds = Kinds(*random.pick(&[
                    0b1001,
                    0b1010,
                    0b1011,
                    0b111,
                    0b1111,
                    1,
                    Kinds::UNSETTLED | 0b1001,
                ]));
                bucket.put(kinds, &Line::OPEN, number);
                expected.insert(number, kinds);
                assert_eq!(bucket.len(), expected.len());
            }
            for kind in [0b1001, 0b1010, 0b1, 0b10000].map(Kinds) {
                let mut met = Met::default();
                let walked = bucket.scan(kind, &probe, &mut met);
                assert!(met.settled.iter().all(|number| expected[number].is_settled()));
                assert!(met.unsettled.iter().all(|number| !expected[number].is_settled()));
                let mut found = [met.settled, met.unsettled].concat();
                found.sort_unstable();
                let wanted = expected.iter().filter(|(_, kinds)| kinds.holds(kind));
                assert_eq!(found, wanted.map(|(number, _)| *number).collect::<Vec<_>>());
                assert_eq!(walked, found.len());
            }
            for (number, kinds) in expected {
                assert!(bucket.remove(kinds, number));
            }
            assert!(bucket.is_empty());
            assert_eq!(bucket.bytes(), 0);
        }
    }
}
