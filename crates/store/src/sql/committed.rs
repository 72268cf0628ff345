//! Properties that this process has just committed, kept in memory for the follower that indexes them.
//!
//! That follower reads every property that the log names a moment after it was written. Reading it back would mean finding,
//! decompressing and decoding a record that was in memory all along.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::Property;

use crate::contract::Position;

/// The sum of the encoded sizes up to which properties are kept; in memory they take a few times as much. It bounds what a follower
/// that has fallen behind costs. That one reads the store instead.
const BYTES_MAX: usize = 16 * 1024 * 1024;

/// A property as the log entry at a position left it.
pub struct Committed {
    pub position: Position,
    pub property: Arc<Property>,
    /// The size of the encoded record.
    pub bytes: usize,
}

/// The properties of the last commits, until they are taken.
#[derive(Default)]
pub struct CommittedProperties(Mutex<Option<Kept>>);

#[derive(Default)]
struct Kept {
    by_position: BTreeMap<Position, Committed>,
    bytes: usize,
}

impl CommittedProperties {
    /// Starts to keep them.
    pub fn keep(&self) {
        self.lock().get_or_insert_default();
    }

    /// Takes properties over, if they are kept. To be called between their commit and its announcement.
    pub fn add(&self, committed: &mut Vec<Committed>) {
        let mut kept = self.lock();
        let Some(kept) = &mut *kept else { return };
        for committed in committed.drain(..) {
            kept.bytes += committed.bytes;
            kept.by_position.insert(committed.position, committed);
        }
        while kept.bytes > BYTES_MAX
            && let Some((_, oldest)) = kept.by_position.pop_first()
        {
            kept.bytes -= oldest.bytes;
        }
    }

    /// Returns those up to a position, and forgets them.
    pub fn take(&self, until: Position) -> BTreeMap<Position, Arc<Property>> {
        let mut kept = self.lock();
        let Some(kept) = &mut *kept else { return BTreeMap::new() };
        let later = kept.by_position.split_off(&Position(until.0.saturating_add(1)));
        let taken = std::mem::replace(&mut kept.by_position, later);
        kept.bytes = kept.by_position.values().map(|committed| committed.bytes).sum();
        taken.into_iter().map(|(position, committed)| (position, committed.property)).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use testkit::build::property;

    use super::*;

    fn committed(position: u64, bytes: usize) -> Committed {
        Committed { position: Position(position), property: property(position, []).into(), bytes }
    }

    fn positions(taken: &BTreeMap<Position, Arc<Property>>) -> Vec<u64> {
        taken.keys().map(|position| position.0).collect()
    }

    #[test]
    fn nothing_is_kept_before_it_is_asked_for() {
        let properties = CommittedProperties::default();
        let mut first = vec![committed(1, 10)];
        properties.add(&mut first);
        assert_eq!(first.len(), 1);
        properties.keep();
        assert!(properties.take(Position(1)).is_empty());
    }

    #[test]
    fn each_is_taken_once_and_later_ones_stay() {
        let properties = CommittedProperties::default();
        properties.keep();
        properties.add(&mut vec![committed(1, 10), committed(2, 10)]);
        properties.add(&mut vec![committed(4, 10)]);
        assert_eq!(positions(&properties.take(Position(3))), [1, 2]);
        assert!(properties.take(Position(3)).is_empty());
        assert_eq!(positions(&properties.take(Position(4))), [4]);
    }

    #[test]
    fn the_oldest_make_room() {
        let properties = CommittedProperties::default();
        properties.keep();
        properties.add(&mut (1..=5).map(|position| committed(position, BYTES_MAX / 4)).collect());
        assert_eq!(positions(&properties.take(Position(9))), [2, 3, 4, 5]);
        // What was taken does not count any more.
        properties.add(&mut (10..=13).map(|position| committed(position, BYTES_MAX / 4)).collect());
        assert_eq!(positions(&properties.take(Position(13))), [10, 11, 12, 13]);
    }
}
