//! Generates saved searches from a seed, each from its number alone. A million of them take no memory, and the first hundred
//! thousand are always the same.

use std::collections::HashMap;

use domain::criteria::{Entry, Presence};
use domain::{GeoPoint, Phrase, PropertyType, PublisherType, Strictness};
use world::{Random, SampleSearch, Town};

use super::generated_search::{GeneratedSearch, PlaceFilter};
use crate::search::dataset::Dataset;
use crate::search::words::WORDS;

/// A common commuting distance.
const RADIUS_KM: f64 = 10.0;

/// The kinds of places, in per cent.
const ONE_CITY: u32 = 60;
const FEW_CITIES: u32 = 14;
const DEPARTMENTS: u32 = 12;
const ZIPCODES: u32 = 6;
const CIRCLE: u32 = 6;
const ANYWHERE: u32 = 2;

/// The same as text, for reports.
pub const DESCRIPTION: &str = "places by population: 60 % one city, 14 % two to five neighbouring cities, 12 % departments, 6 % zipcodes, 6 % \
    10 km round a town, 2 % the whole country; one transaction, one or two property types, a budget of the town's prices, most with a \
    surface and rooms; 10 % with words (one or two words or phrases, a quarter of them with one that must not be there), 3 % with a \
    publisher type";

/// Phrases that occur in the generated texts.
const PHRASES: [&str; 16] = [
    "double vitrage",
    "salle de bains",
    "sans vis-à-vis",
    "plain-pied",
    "cuisine équipée",
    "cuisine ouverte",
    "proche gare",
    "rez-de-chaussée",
    "bon état",
    "sous-sol",
    "travaux à prévoir",
    "tous commerces",
    "pompe à chaleur",
    "jardin clos",
    "place de parking",
    "centre-ville",
];

/// Phrases that searches exclude.
const UNWANTED: [&str; 6] =
    ["travaux à prévoir", "rez-de-chaussée", "studio", "vendu loué", "travaux", "copropriété"];

/// The saved searches of a market.
pub struct Searches<'a> {
    dataset: &'a Dataset,
    /// The towns of each department.
    towns: HashMap<u64, Vec<&'a Town>>,
}

impl<'a> Searches<'a> {
    pub fn new(dataset: &'a Dataset) -> Self {
        let mut towns: HashMap<u64, Vec<&Town>> = HashMap::new();
        for town in dataset.world().towns() {
            towns.entry(department(dataset, town)).or_default().push(town);
        }
        Self { dataset, towns }
    }

    pub fn dataset(&self) -> &'a Dataset {
        self.dataset
    }

    /// Generates the search with this number.
    pub fn get(&self, number: u32) -> GeneratedSearch {
        // Derived from the seed of the market, and far from its own streams.
        let seed = self.dataset.world().seed().wrapping_mul(1 << 40).wrapping_add(u64::from(number));
        let random = &mut Random::new(seed);
        let SampleSearch { town, transaction_type, property_type, budget, surface_min, room_min } =
            self.dataset.world().draw_search(random);
        let place = self.draw_place(town, random);
        let home = matches!(property_type, PropertyType::Apartment | PropertyType::House);
        let kinds = if home && random.chance(20.0) {
            vec![PropertyType::Apartment, PropertyType::House]
        } else {
            vec![property_type]
        };
        let publisher = random
            .chance(3.0)
            .then(|| *random.pick(&[PublisherType::Individual, PublisherType::Professional]));
        let expressions = if random.chance(10.0) { draw_expressions(random) } else { Vec::new() };
        GeneratedSearch {
            place,
            transaction: transaction_type,
            kinds,
            budget,
            surface_min,
            room_min,
            publisher,
            expressions,
        }
    }

    fn draw_place(&self, town: &Town, random: &mut Random) -> PlaceFilter {
        let weights = [ONE_CITY, FEW_CITIES, DEPARTMENTS, ZIPCODES, CIRCLE, ANYWHERE];
        let whole_city = random.chance(50.0);
        match random.weighted(&weights) {
            0 => {
                // In a city with districts, half of the searches cover the whole city.
                let parent = self.dataset.gazetteer().city(&town.insee).and_then(|city| city.parent_id());
                PlaceFilter::Cities(vec![parent.filter(|_| whole_city).unwrap_or(town.insee.id())])
            }
            1 => {
                let others = 1 + random.below(4) as usize;
                PlaceFilter::Cities(
                    std::iter::once(town.insee.id()).chain(self.nearest(town, others)).collect(),
                )
            }
            2 => {
                let mut departments = vec![department(self.dataset, town)];
                if random.chance(20.0) {
                    departments.push(department(self.dataset, self.dataset.world().draw_town(random)));
                }
                PlaceFilter::Departments(departments)
            }
            3 => PlaceFilter::Zipcodes(vec![town.zipcode.clone()]),
            4 => PlaceFilter::Circle { centre: town.point, radius_km: RADIUS_KM },
            _ => PlaceFilter::Anywhere,
        }
    }

    /// Returns the ids of the nearest towns in the same department.
    fn nearest(&self, town: &Town, count: usize) -> impl Iterator<Item = u64> {
        let towns = self.towns.get(&department(self.dataset, town)).map(Vec::as_slice).unwrap_or_default();
        let others = towns.iter().filter(|other| other.insee != town.insee);
        let mut others: Vec<(f64, u64)> =
            others.map(|other| (distance_squared(town.point, other.point), other.insee.id())).collect();
        if others.len() > count {
            others.select_nth_unstable_by(count, |one, other| one.0.total_cmp(&other.0));
            others.truncate(count);
        }
        others.into_iter().map(|(_, id)| id)
    }
}

/// Returns the squared distance on a flat map, in arbitrary units: enough for comparisons, and cheap, because each of a million
/// draws calls it hundreds of times.
fn distance_squared(one: GeoPoint, other: GeoPoint) -> f64 {
    // 0.68 is the cosine of 47 degrees, the latitude of central France.
    let (north, east) = (one.lat() - other.lat(), 0.68 * (one.lon() - other.lon()));
    north * north + east * east
}

fn department(dataset: &Dataset, town: &Town) -> u64 {
    dataset.gazetteer().city(&town.insee).map_or(0, |city| city.department.id)
}

fn draw_expressions(random: &mut Random) -> Vec<Vec<Entry>> {
    let two = random.chance(40.0);
    let alternatives = random.chance(25.0);
    let mut entries: Vec<Entry> = (0..1 + u8::from(two))
        .filter_map(|_| {
            let text = if random.chance(40.0) { *random.pick(&PHRASES) } else { *random.pick(&WORDS) };
            entry(text, Presence::Present, random)
        })
        .collect();
    let mut groups = Vec::with_capacity(2);
    if two && alternatives {
        groups.extend(entries.pop().map(|entry| vec![entry]));
    }
    if random.chance(25.0) {
        entries.extend(entry(random.pick::<&str>(&UNWANTED), Presence::Absent, random));
    }
    groups.push(entries);
    groups
}

fn entry(text: &str, presence: Presence, random: &mut Random) -> Option<Entry> {
    let strictness = if random.chance(30.0) { Strictness::Exact } else { Strictness::Inflected };
    Some(Entry { phrase: Phrase::new(text, strictness)?, presence })
}
