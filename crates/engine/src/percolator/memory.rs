//! Estimates of the memory that collections of the standard library and slabs take, without what their entries own.

use std::collections::HashMap;

use slab::Slab;

/// Estimates a hash map. Its table is an eighth larger than its capacity and has one control byte for each slot.
pub fn map_bytes<K, V, S>(map: &HashMap<K, V, S>) -> usize {
    let slots = map.capacity() / 7 * 8;
    slots * (size_of::<(K, V)>() + 1)
}

/// Estimates a slab. An entry holds either a value or the key of the next vacant entry, which has the layout of this `Result`.
pub fn slab_bytes<T>(slab: &Slab<T>) -> usize {
    slab.capacity() * size_of::<Result<T, usize>>()
}

/// Estimates a B-tree at its largest: a node has room for eleven entries and is at least half full.
pub fn tree_bytes<T>(entries: usize) -> usize {
    entries.div_ceil(6) * (11 * size_of::<T>() + 2 * size_of::<usize>())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// The key of the next vacant entry fits next to the niche of the types that the percolator stores.
    #[test]
    fn slab_entries_are_no_larger_than_options() {
        fn check<T>() {
            let slab: Slab<T> = Slab::with_capacity(8);
            assert_eq!(slab_bytes(&slab), slab.capacity() * size_of::<Option<T>>());
        }
        check::<Box<[u32]>>();
        check::<[u32; 3]>();
        check::<(Arc<[u32]>, u32)>();
        check::<super::super::checks::Checks>();
    }
}
