//! Whatever was killed, every advert is in exactly one property, and the log replays to the stored state.

use std::collections::{BTreeMap, BTreeSet};

use domain::{AdvertId, PropertyId};
use store::SqlStore;
use store::prelude::*;
use store::{Change, LogEntry};

use crate::chance::Chance;
use crate::place::Place;
use crate::process;

type Properties = BTreeMap<PropertyId, BTreeSet<AdvertId>>;

/// Judges the whole stock again, and kills that at a random time.
pub fn regroup_and_kill(place: &Place, chance: &mut Chance) {
    let mut regrouping = process::command(place, &["regroup", "--yes"]).spawn().unwrap();
    if chance.below(3) == 0 {
        assert!(regrouping.wait().unwrap().success());
        return;
    }
    // Not a wait for an event: any number of iterations is as good as another.
    for _ in 0..chance.below(400_000) {
        std::thread::yield_now();
    }
    regrouping.kill().unwrap();
    regrouping.wait().unwrap();
}

/// Replays the log and compares the result with the stored properties. Returns how many have several adverts.
pub async fn verify(store: &SqlStore, log: &[LogEntry]) -> usize {
    let mut replayed = Properties::new();
    let mut regrouped = 0;
    for entry in log {
        match &entry.change {
            Change::Property { property, version, cause, .. } => {
                let version = store.property_at(*property, *version).await.unwrap().unwrap();
                replayed.insert(*property, version.adverts.iter().map(|advert| advert.id).collect());
                regrouped += u32::from(matches!(cause, store::PropertyCause::Regrouped { .. }));
            }
            Change::PropertyRemoved { property, .. } => {
                replayed.remove(property);
            }
            Change::Search { .. } | Change::SearchRemoved { .. } | Change::Erased => {}
            Change::Damaged { .. } => panic!("{entry:?}"),
        }
    }
    let mut stored = Properties::new();
    for row in store.scan_signatures(None, usize::MAX >> 1).await.unwrap() {
        stored.entry(row.located.property).or_default().insert(row.located.advert);
    }
    assert_eq!(replayed, stored, "the log replays to another state");
    let homes: usize = stored.values().map(BTreeSet::len).sum();
    let distinct: BTreeSet<AdvertId> = stored.values().flatten().copied().collect();
    assert_eq!(homes, distinct.len(), "an advert is in two properties");
    for (property, adverts) in &stored {
        let current = store.properties(vec![*property]).await.unwrap().remove(property).unwrap().property;
        assert_eq!(&current.adverts.iter().map(|advert| advert.id).collect::<BTreeSet<_>>(), adverts);
    }
    println!("{regrouped} merges, splits and moves");
    stored.values().filter(|adverts| adverts.len() > 1).count()
}
