//! The queries, the same and in the same order for every engine.
//!
//! All of them require a transaction type, a coherent price and an advert that has not expired. The result is the first ten hits and
//! the total.

use domain::{EnergyLetter, GeoPoint, PropertyType, TransactionType};
use world::{Budget, Random, SampleSearch};

use super::dataset::Dataset;
use super::words::WORDS;

/// The maximum number of hits in a result.
pub const LIMIT: usize = 10;

/// A common commuting distance.
const RADIUS_KM: f64 = 10.0;

/// The kinds of queries. The first five make up the mix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    City,
    Department,
    Radius,
    Words,
    Country,
    Energy,
    PriceDrop,
}

impl Kind {
    pub const ALL: [Self; 7] = [
        Self::City,
        Self::Department,
        Self::Radius,
        Self::Words,
        Self::Country,
        Self::Energy,
        Self::PriceDrop,
    ];

    pub const fn is_in_mix(self) -> bool {
        match self {
            Self::City | Self::Department | Self::Radius | Self::Words | Self::Country => true,
            Self::Energy | Self::PriceDrop => false,
        }
    }

    pub const fn title(self) -> &'static str {
        match self {
            Self::City => "city, budget, surface",
            Self::Department => "department, budget, surface",
            Self::Radius => "10 km round a town, budget",
            Self::Words => "two words, property type",
            Self::Country => "whole country, cheapest first",
            Self::Energy => "city, energy and year of one advert",
            Self::PriceDrop => "department, recent price drop",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    pub transaction: TransactionType,
    pub criteria: Criteria,
}

/// The criteria besides those of all queries. Places are ids.
#[derive(Debug, Clone, PartialEq)]
pub enum Criteria {
    City {
        city: u64,
        budget: Budget,
        surface_min: f64,
    },
    Department {
        department: u64,
        budget: Budget,
        surface_min: f64,
    },
    Radius {
        centre: GeoPoint,
        radius_km: f64,
        budget: Budget,
    },
    /// Both words occur in the titles and descriptions of the adverts.
    Words {
        words: [&'static str; 2],
        kind: PropertyType,
    },
    Country {
        kinds: Vec<PropertyType>,
    },
    /// One live advert has one of the energy letters and was built in this year or later.
    Energy {
        city: u64,
        letters: Vec<EnergyLetter>,
        year_min: i32,
    },
    /// One live advert had a price change of at most `percent_max` per cent at `since` or later.
    PriceDrop {
        department: u64,
        percent_max: f64,
        since: i64,
    },
}

/// The order of the hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Newest first, then highest price per square metre with unknown ones last, then smallest id.
    Newest,
    /// Lowest price first, then smallest id.
    Cheapest,
}

/// The result of a query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TopHits {
    pub total: u64,
    /// The ids of the first ten hits, in order.
    pub ids: Vec<[u8; 16]>,
}

impl Criteria {
    pub const fn order(&self) -> Order {
        match self {
            Self::Country { .. } => Order::Cheapest,
            Self::City { .. }
            | Self::Department { .. }
            | Self::Radius { .. }
            | Self::Words { .. }
            | Self::Energy { .. }
            | Self::PriceDrop { .. } => Order::Newest,
        }
    }
}

/// Draws queries of one kind, from the seed of the market.
pub fn draw(dataset: &Dataset, kind: Kind, count: usize) -> Vec<Query> {
    // Each kind has its own generator, so that more queries of one kind do not change the others.
    let seed = dataset.world().seed().wrapping_mul(100).wrapping_add(kind as u64);
    let mut random = Random::new(seed);
    (0..count).map(|_| draw_one(dataset, kind, &mut random)).collect()
}

fn draw_one(dataset: &Dataset, kind: Kind, random: &mut Random) -> Query {
    let SampleSearch { town, transaction_type, property_type, budget, surface_min, room_min: _ } =
        dataset.world().draw_search(random);
    let surface_min = surface_min.unwrap_or(SURFACE_MIN);
    let city = town.insee.id();
    let department = dataset.gazetteer().city(&town.insee).map_or(0, |city| city.department.id);
    let criteria = match kind {
        Kind::City => Criteria::City { city, budget, surface_min },
        Kind::Department => Criteria::Department { department, budget, surface_min },
        Kind::Radius => Criteria::Radius { centre: town.point, radius_km: RADIUS_KM, budget },
        Kind::Words => Criteria::Words { words: two_words(random), kind: property_type },
        Kind::Country => Criteria::Country { kinds: random.pick(&KINDS_TOGETHER).to_vec() },
        Kind::Energy => Criteria::Energy {
            city,
            letters: [EnergyLetter::A, EnergyLetter::B, EnergyLetter::C][..1 + random.below(3) as usize]
                .to_vec(),
            year_min: *random.pick(&[1975, 1990, 2000, 2010]),
        },
        Kind::PriceDrop => Criteria::PriceDrop {
            department,
            percent_max: -5.0,
            since: dataset.now().as_second() - random.pick(&[30, 60, 90]) * 86_400,
        },
    };
    Query { transaction: transaction_type, criteria }
}

/// The minimum surface of searches that have none.
const SURFACE_MIN: f64 = 15.0;

/// Property types that are searched together.
const KINDS_TOGETHER: [&[PropertyType]; 6] = [
    &[PropertyType::Apartment],
    &[PropertyType::House],
    &[PropertyType::Apartment, PropertyType::House],
    &[PropertyType::Land],
    &[PropertyType::Parking],
    &[PropertyType::Office, PropertyType::Shop],
];

fn two_words(random: &mut Random) -> [&'static str; 2] {
    let first = random.below(WORDS.len() as u64) as usize;
    let step = 1 + random.below(WORDS.len() as u64 - 1) as usize;
    [WORDS[first], WORDS[(first + step) % WORDS.len()]]
}
