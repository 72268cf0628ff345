//! Rooms, surfaces, floors and years that are consistent with each other.

use domain::{PropertyType, TransactionType};

use crate::random::Random;
use crate::towns::{Place, TownSize};

/// The building.
#[derive(Debug, Clone)]
pub(crate) struct Build {
    /// Square metres, to the hundredth, as a surveyor certifies them.
    pub surface: f64,
    pub land: Option<f64>,
    pub rooms: Option<i32>,
    pub bedrooms: Option<i32>,
    pub floor: Option<i32>,
    pub floors: Option<i32>,
    pub year: Option<i32>,
    pub elevator: Option<bool>,
    pub furnished: Option<bool>,
    pub condition: Condition,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    ToRenovate,
    Good,
    Renovated,
    New,
}

// Sales by number of rooms, from one room on: `data/prices/distributions_2024.json`, Paris (75) and the sum of the other
// four departments.
const ROOMS_PARIS: [u32; 8] = [7_056, 8_597, 5_333, 2_538, 1_053, 367, 131, 32];
const ROOMS_APARTMENT: [u32; 8] = [4_877, 8_041, 7_207, 3_856, 957, 157, 38, 11];
const ROOMS_HOUSE: [u32; 10] = [487, 2_274, 7_831, 14_434, 11_126, 3_973, 1_260, 451, 168, 61];

// Median surfaces for these room counts. Together they reproduce the surface quantiles of the same file.
const SURFACE_APARTMENT: [f64; 8] = [25.0, 42.0, 63.0, 82.0, 103.0, 132.0, 165.0, 200.0];
const SURFACE_HOUSE: [f64; 10] = [36.0, 52.0, 73.0, 91.0, 112.0, 138.0, 168.0, 200.0, 230.0, 265.0];

/// Quantiles of the land of houses, from 5 to 95 per cent in steps of 5: the mean of three departments of the same file.
const LAND: [f64; 19] = [
    80.0, 118.0, 152.0, 190.0, 230.0, 268.0, 308.0, 350.0, 395.0, 445.0, 500.0, 560.0, 635.0, 720.0, 830.0,
    1_000.0, 1_230.0, 1_640.0, 2_600.0,
];

impl Build {
    pub(super) fn draw(
        random: &mut Random,
        property_type: PropertyType,
        transaction_type: TransactionType,
        place: &Place,
        this_year: i32,
    ) -> Self {
        let year = year(random, this_year);
        let bare = Self {
            surface: 0.0,
            land: None,
            rooms: None,
            bedrooms: None,
            floor: None,
            floors: None,
            year: Some(year),
            elevator: None,
            furnished: None,
            // A home to let is habitable.
            condition: match condition(random, year, this_year) {
                Condition::ToRenovate if transaction_type == TransactionType::Rent => Condition::Good,
                condition => condition,
            },
        };
        let size = place.size;
        match property_type {
            PropertyType::Apartment => {
                let paris = place.town.insee.as_str().starts_with("75");
                let to_let = transaction_type == TransactionType::Rent;
                bare.apartment(random, size, paris, to_let)
            }
            PropertyType::House => {
                let rooms = random.weighted(&ROOMS_HOUSE);
                let roomy = if size == TownSize::Village { 1.06 } else { 1.0 };
                let land = quantile(random, &LAND)
                    * match size {
                        TownSize::Village => 1.6,
                        TownSize::SmallTown => 1.1,
                        TownSize::Town => 0.7,
                        TownSize::City => 0.45,
                    };
                let surface = hundredths(random, SURFACE_HOUSE[rooms] * roomy, 0.15, 18.0);
                let furnished = transaction_type == TransactionType::Rent && random.chance(15.0);
                Self {
                    surface,
                    land: Some(land.round().max(20.0)),
                    rooms: Some(rooms as i32 + 1),
                    bedrooms: Some(bedrooms(random, rooms as i32 + 1)),
                    floors: Some(1 + random.weighted(&[30, 55, 15]) as i32),
                    furnished: (transaction_type == TransactionType::Rent).then_some(furnished),
                    ..bare
                }
            }
            PropertyType::Building => Self {
                surface: hundredths(random, 260.0, 0.45, 90.0),
                rooms: Some(random.between(6, 22)),
                floors: Some(random.between(2, 5)),
                ..bare
            },
            PropertyType::Parking => Self {
                surface: hundredths(random, 13.0, 0.12, 9.0),
                floor: Some(*random.pick(&[-3, -2, -2, -1, -1, -1, 0, 0])),
                condition: Condition::Good,
                ..bare
            },
            PropertyType::Office => Self {
                surface: hundredths(random, 95.0, 0.6, 12.0),
                rooms: Some(random.between(1, 9)),
                floor: Some(random.between(0, 5)),
                floors: Some(random.between(5, 7)),
                elevator: Some(random.chance(60.0)),
                ..bare
            },
            PropertyType::Land => {
                let surface = (750.0 * random.log_normal(0.55)).round().max(120.0);
                Self { surface, land: Some(surface), year: None, condition: Condition::Good, ..bare }
            }
            PropertyType::Shop => Self {
                surface: hundredths(random, 75.0, 0.5, 12.0),
                rooms: Some(random.between(1, 4)),
                floor: Some(0),
                ..bare
            },
        }
    }

    fn apartment(self, random: &mut Random, size: TownSize, paris: bool, to_let: bool) -> Self {
        let rooms = random.weighted(if paris { &ROOMS_PARIS } else { &ROOMS_APARTMENT });
        let tight = if paris { 0.93 } else { 1.0 };
        let floors = match size {
            TownSize::Village => random.between(1, 3),
            TownSize::SmallTown => random.between(2, 4),
            TownSize::Town => random.between(2, 7),
            TownSize::City => random.between(3, 9),
        };
        let elevator = match floors {
            ..=2 => 4.0,
            3 => 20.0,
            4 => 40.0,
            5 | 6 => 65.0,
            _ => 90.0,
        };
        let furnished = random.chance(if rooms == 0 { 60.0 } else { 25.0 });
        Self {
            surface: hundredths(random, SURFACE_APARTMENT[rooms] * tight, 0.14, 9.0),
            rooms: Some(rooms as i32 + 1),
            bedrooms: Some(bedrooms(random, rooms as i32 + 1)),
            floor: Some(random.between(0, floors)),
            floors: Some(floors),
            elevator: Some(random.chance(elevator)),
            furnished: to_let.then_some(furnished),
            ..self
        }
    }
}

/// Draws the number of bedrooms: one room is the living room, sometimes two.
fn bedrooms(random: &mut Random, rooms: i32) -> i32 {
    let living_rooms = if rooms >= 4 && random.chance(30.0) { 2 } else { 1 };
    rooms - living_rooms
}

fn year(random: &mut Random, this_year: i32) -> i32 {
    let year = match random.weighted(&[12, 17, 30, 16, 12, 11, 2]) {
        0 => random.between(1780, 1899),
        1 => random.between(1900, 1948),
        2 => random.between(1949, 1974),
        3 => random.between(1975, 1989),
        4 => random.between(1990, 2005),
        5 => random.between(2006, this_year - 4),
        _ => random.between(this_year - 3, this_year),
    };
    year.min(this_year)
}

fn condition(random: &mut Random, year: i32, this_year: i32) -> Condition {
    let drawn = random.weighted(&[14, 54, 32]);
    match (this_year - year, drawn) {
        (..=3, _) => Condition::New,
        (..=18, _) => Condition::Good,
        (_, 0) => Condition::ToRenovate,
        (_, 1) => Condition::Good,
        _ => Condition::Renovated,
    }
}

/// Draws a surface around a median, to the hundredth or, more often, to the whole metre.
fn hundredths(random: &mut Random, median: f64, deviation: f64, least: f64) -> f64 {
    let surface = (median * random.log_normal(deviation)).max(least);
    let precision = if random.chance(45.0) { 100.0 } else { 1.0 };
    (surface * precision).round() / precision
}

/// Draws a number from a table of quantiles, with linear interpolation.
fn quantile(random: &mut Random, table: &[f64]) -> f64 {
    let position = random.unit() * (table.len() - 1) as f64;
    let below = position as usize;
    let above = (below + 1).min(table.len() - 1);
    table[below] + (table[above] - table[below]) * (position - below as f64)
}
