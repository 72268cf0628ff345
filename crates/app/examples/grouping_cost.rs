//! The cost of grouping by the size of the stock: `cargo run --release -p app --example grouping_cost`.

#![expect(clippy::unwrap_used, reason = "a measurement stops at its first error")]

use std::time::{Duration, Instant};

use domain::grouping::{CommuneFacts, Signature};
use domain::{AdvertId, Timestamp, merge};
use engine::grouping_index::{GroupingEntry, GroupingIndex};
use places::Gazetteer;
use world::{Settings, Town, World};

const SEED: u64 = 14;

/// How many adverts are looked up.
const PROBES: u64 = 5_000;

/// The number of adverts of a property of the market, about.
const ADVERTS_PER_PROPERTY: f64 = 1.7;

fn main() {
    let places = Gazetteer::embedded().unwrap();
    println!("  adverts  signature       put    lookup  compared  found  bytes per advert");
    for adverts in [10_000_u32, 100_000, 1_000_000] {
        let costs = measure(adverts, &places);
        println!("{costs}");
    }
}

fn measure(adverts: u32, places: &Gazetteer) -> String {
    let start: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let properties = f64::from(adverts) / ADVERTS_PER_PROPERTY;
    let world = World::new(SEED, towns(places), Settings::new(properties as u64, start)).unwrap();
    let mut index = GroupingIndex::default();
    let mut probes = Vec::new();
    let (mut number, mut signing, mut putting) = (0_u64, Duration::ZERO, Duration::ZERO);
    for property in world.properties() {
        for draft in property.drafts {
            number += 1;
            let mut id = [0; 16];
            id[..8].copy_from_slice(&number.to_be_bytes());
            let id = AdvertId::from_bytes(id);
            let placement = draft.patch.place.value().and_then(|place| places.resolve(place).placement);
            let city = placement.as_ref().and_then(|placement| places.city(&placement.insee));
            let commune = city.map(|city| CommuneFacts {
                commune: u32::try_from(city.id()).unwrap(),
                city: u32::try_from(city.parent_id().unwrap_or(city.id())).unwrap(),
                population: city.population,
            });
            let advert = merge::create(id, draft, placement, start).advert;
            let begin = Instant::now();
            let signature = Signature::of(&advert, commune);
            signing += begin.elapsed();
            if number.is_multiple_of((u64::from(adverts) / PROBES).max(1)) {
                probes.extend(signature.clone());
            }
            let begin = Instant::now();
            index.put(id, GroupingEntry { property: property.id, signature, is_named: false });
            putting += begin.elapsed();
        }
    }
    let begin = Instant::now();
    let (mut found, mut compared) = (0, 0);
    for probe in &probes {
        let (candidates, count) = index.candidates_counted(probe);
        found += candidates.len();
        compared += count;
    }
    let lookups = begin.elapsed();
    let micros = |time: Duration, count: usize| time.as_secs_f64() * 1e6 / count as f64;
    let mean = |sum: usize| sum as f64 / probes.len() as f64;
    assert!(found >= probes.len() / 2, "adverts find themselves");
    format!(
        "{number:>9}  {:>6.1} µs {:>6.1} µs {:>6.1} µs  {:>8.1}  {:>5.2}  {:>6}",
        micros(signing, index.len()),
        micros(putting, index.len()),
        micros(lookups, probes.len()),
        mean(compared),
        mean(found),
        index.bytes() / index.len(),
    )
}

fn towns(places: &Gazetteer) -> Vec<Town> {
    let town = |city: &domain::City| {
        Some(Town {
            insee: city.insee.clone(),
            name: city.name.to_string(),
            zipcode: city.main_zipcode()?.clone(),
            population: city.population,
            point: city.centre?,
        })
    };
    let inhabited = places.cities().iter().filter(|city| city.is_open() && city.districts.is_empty());
    inhabited.filter_map(|city| town(city)).collect()
}
