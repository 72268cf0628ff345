//! The composition of the market: property types by size of town, and the share of rentals.

use domain::{PropertyType, TransactionType};

use crate::random::Random;
use crate::towns::TownSize;

/// Per thousand: apartments, houses, buildings, parking spaces, offices, plots, shops.
const fn shares(size: TownSize) -> [u32; 7] {
    match size {
        TownSize::Village => [95, 705, 20, 8, 5, 155, 12],
        TownSize::SmallTown => [340, 490, 22, 22, 16, 80, 30],
        TownSize::Town => [565, 280, 22, 42, 22, 34, 35],
        TownSize::City => [740, 118, 16, 52, 28, 8, 38],
    }
}

/// The percentage of adverts that are rentals.
const fn to_let_percent(property_type: PropertyType) -> f64 {
    match property_type {
        PropertyType::Apartment => 39.0,
        PropertyType::House => 24.0,
        PropertyType::Building | PropertyType::Land => 0.0,
        PropertyType::Parking => 55.0,
        PropertyType::Office => 58.0,
        PropertyType::Shop => 50.0,
    }
}

pub(super) fn draw(random: &mut Random, size: TownSize) -> (PropertyType, TransactionType) {
    let property_type = PropertyType::ALL[random.weighted(&shares(size))];
    let to_let = random.chance(to_let_percent(property_type));
    (property_type, if to_let { TransactionType::Rent } else { TransactionType::Sell })
}
