//! Buckets by place: where searches are filed, and which buckets a property has to look into.
//!
//! A search for a few places is filed under each of them. One for many (a city with its districts, the communes of a valley) is
//! filed once, in the bucket of that very set, which is shared by all who look there and is reached from each of its places.

use std::sync::Arc;

use domain::GeoPoint;
use rustc_hash::FxHashMap;

use super::bucket::{Bucket, Kinds};
use super::cells::{self, GRIDS};
use super::lanes::Line;
use super::places::{Place, PlaceClass};
use super::slab::Slab;

/// So many places, and the search is filed under each. Sets that large are mostly somebody's own: a bucket for one search is found
/// by chance in memory, while a search in the bucket of a place is read together with its neighbours.
const FEW_PLACES: usize = 8;

#[derive(Debug, Default)]
pub struct PlaceBuckets {
    buckets: Slab<PlaceBucketMap>,
    by_place: FxHashMap<Place, u32>,
    by_set: FxHashMap<Arc<[Place]>, u32>,
    /// The buckets of sets, by each of the places in them.
    sets_with: FxHashMap<Place, Vec<u32>>,
    /// How many cells of each grid have a bucket.
    cells: [u32; GRIDS],
}

#[derive(Debug)]
struct PlaceBucketMap {
    bucket: Bucket,
    label: Label,
}

#[derive(Debug)]
enum Label {
    Place(Place),
    Set(Arc<[Place]>),
}

impl PlaceBuckets {
    /// Files a search and says in which buckets.
    pub fn put(&mut self, places: &[Place], kinds: Kinds, line: &Line, name: u32) -> Vec<u32> {
        // A set is reached from the names of its places. Cells have none, and are few.
        let named = places.iter().all(|place| place.class != PlaceClass::Cell);
        let buckets = match named && places.len() > FEW_PLACES {
            true => vec![self.bucket_of_set(places)],
            false => places.iter().map(|place| self.bucket_of(*place)).collect(),
        };
        for bucket in &buckets {
            if let Some(shelf) = self.buckets.get_mut(*bucket) {
                shelf.bucket.put(kinds, line, name);
            }
        }
        buckets
    }

    fn bucket_of(&mut self, place: Place) -> u32 {
        *self.by_place.entry(place).or_insert_with(|| {
            if place.class == PlaceClass::Cell {
                self.cells[cells::grid(place)] += 1;
            }
            self.buckets.put(PlaceBucketMap { bucket: Bucket::default(), label: Label::Place(place) })
        })
    }

    fn bucket_of_set(&mut self, places: &[Place]) -> u32 {
        if let Some(bucket) = self.by_set.get(places) {
            return *bucket;
        }
        let set: Arc<[Place]> = places.into();
        let bucket =
            self.buckets.put(PlaceBucketMap { bucket: Bucket::default(), label: Label::Set(set.clone()) });
        for place in places {
            self.sets_with.entry(*place).or_default().push(bucket);
        }
        self.by_set.insert(set, bucket);
        bucket
    }

    /// Takes a search out of a bucket, and the bucket away when it was the last.
    pub fn remove(&mut self, bucket: u32, kinds: Kinds, name: u32) {
        let Some(shelf) = self.buckets.get_mut(bucket) else { return };
        let was_there = shelf.bucket.remove(kinds, name);
        debug_assert!(was_there, "{name} is not where it was filed");
        if !shelf.bucket.is_empty() {
            return;
        }
        match self.buckets.take(bucket).map(|shelf| shelf.label) {
            Some(Label::Place(place)) => {
                self.by_place.remove(&place);
                if place.class == PlaceClass::Cell {
                    self.cells[cells::grid(place)] -= 1;
                }
            }
            Some(Label::Set(set)) => {
                self.by_set.remove(&set);
                for place in set.iter() {
                    let Some(sets) = self.sets_with.get_mut(place) else { continue };
                    sets.retain(|other| *other != bucket);
                    if sets.is_empty() {
                        self.sets_with.remove(place);
                    }
                }
            }
            None => {}
        }
    }

    /// Every bucket whose searches may want something with these names at this point, each once. `sets` is room to work in.
    pub fn each<'a>(
        &'a self,
        named: &[Place],
        point: Option<GeoPoint>,
        sets: &mut Vec<u32>,
        mut visit: impl FnMut(&'a Bucket),
    ) {
        let mut look = |place: Place| {
            let shelf = self.by_place.get(&place).and_then(|bucket| self.buckets.get(*bucket));
            shelf.into_iter().for_each(|shelf| visit(&shelf.bucket));
        };
        look(Place::ANYWHERE);
        named.iter().for_each(|place| look(*place));
        if let Some(point) = point {
            let used = self.cells.iter().enumerate().filter(|(_, cells)| **cells > 0);
            used.for_each(|(grid, _)| look(cells::cell(grid, point)));
        }
        sets.clear();
        named.iter().for_each(|place| sets.extend(self.sets_with.get(place).into_iter().flatten()));
        sets.sort_unstable();
        sets.dedup();
        let place_buckets = sets.iter().filter_map(|bucket| self.buckets.get(*bucket));
        place_buckets.for_each(|shelf| visit(&shelf.bucket));
    }

    pub fn bytes(&self) -> usize {
        let buckets: usize = self.buckets.iter().map(|shelf| shelf.bucket.bytes()).sum();
        let sets = self.by_set.keys().map(|set| size_of_val(&**set) + 2 * size_of::<usize>()).sum::<usize>();
        let members = self.sets_with.values().map(|sets| sets.capacity() * size_of::<u32>()).sum::<usize>();
        let maps = super::map_bytes(&self.by_place)
            + super::map_bytes(&self.by_set)
            + super::map_bytes(&self.sets_with);
        buckets + self.buckets.bytes() + sets + members + maps
    }
}
