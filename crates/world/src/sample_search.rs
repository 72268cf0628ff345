//! Plausible searches for the market.

use domain::{Insee, PropertyType, TransactionType};

use crate::random::Random;
use crate::towns::{Place, Town, TownSize};
use crate::world::World;

/// A budget in whole euros: a price, or a monthly rent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// `None` in most searches, which only have an upper limit.
    pub min: Option<f64>,
    pub max: f64,
}

/// A search as a user of a portal would make it.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleSearch<'a> {
    pub town: &'a Town,
    pub transaction_type: TransactionType,
    pub property_type: PropertyType,
    pub budget: Budget,
    pub surface_min: Option<f64>,
    pub room_min: Option<i32>,
}

impl World {
    /// Draws a plausible budget for a property type in a town; `None` if the town is not in this world.
    pub fn draw_budget(
        &self,
        insee: &Insee,
        property_type: PropertyType,
        transaction_type: TransactionType,
        random: &mut Random,
    ) -> Option<Budget> {
        let place = self.places().find(insee)?;
        Some(budget(place, property_type, transaction_type, usual_surface(property_type, 3), random))
    }

    /// Draws a plausible search: mostly for homes, in towns drawn by population.
    pub fn draw_search(&self, random: &mut Random) -> SampleSearch<'_> {
        let place = self.places().place(self.places().draw(random));
        let apartments = match place.size {
            TownSize::Village => 10,
            TownSize::SmallTown => 35,
            TownSize::Town => 55,
            TownSize::City => 80,
        };
        let property_type = match random.weighted(&[apartments, 92 - apartments, 8]) {
            0 => PropertyType::Apartment,
            1 => PropertyType::House,
            _ => *random.pick(&[PropertyType::Land, PropertyType::Parking, PropertyType::Shop]),
        };
        let to_let = property_type != PropertyType::Land && random.chance(30.0);
        let transaction_type = if to_let { TransactionType::Rent } else { TransactionType::Sell };
        let rooms = match property_type {
            PropertyType::Apartment => 1 + random.weighted(&[18, 34, 30, 14, 4]) as i32,
            _ => 3 + random.weighted(&[20, 45, 28, 7]) as i32,
        };
        let surface = usual_surface(property_type, rooms);
        let dwelling = matches!(property_type, PropertyType::Apartment | PropertyType::House);
        SampleSearch {
            town: &place.town,
            transaction_type,
            property_type,
            budget: budget(place, property_type, transaction_type, surface, random),
            surface_min: random.chance(60.0).then_some((surface * 0.8 / 5.0).round() * 5.0),
            room_min: (random.chance(70.0) && dwelling).then_some(rooms),
        }
    }
}

/// Returns the typical surface for a number of rooms.
fn usual_surface(property_type: PropertyType, rooms: i32) -> f64 {
    match property_type {
        PropertyType::Apartment => 6.0 + 19.0 * f64::from(rooms),
        PropertyType::House => 12.0 + 20.0 * f64::from(rooms),
        PropertyType::Building => 260.0,
        PropertyType::Parking => 13.0,
        PropertyType::Office => 95.0,
        PropertyType::Land => 750.0,
        PropertyType::Shop => 75.0,
    }
}

fn budget(
    place: &Place,
    property_type: PropertyType,
    transaction_type: TransactionType,
    surface: f64,
    random: &mut Random,
) -> Budget {
    let level = place.level;
    let usual = match property_type {
        PropertyType::Apartment => surface * level.apartment,
        PropertyType::House => surface * level.house,
        PropertyType::Building => surface * level.house * 0.75,
        PropertyType::Parking => 5_000.0 + 2.6 * level.apartment,
        PropertyType::Office | PropertyType::Shop => surface * level.apartment * 0.78,
        PropertyType::Land => surface * level.house * 0.055,
    };
    // A yearly rent is about 5 % of the price. Budgets are 10 % above the typical price.
    let (usual, step) = match transaction_type {
        TransactionType::Sell => (usual, 5_000.0),
        TransactionType::Rent => (usual * 0.05 / 12.0, 50.0),
    };
    let max = (usual * 1.1 * random.log_normal(0.25) / step).ceil() * step;
    let floor = (max * random.uniform(0.4, 0.7) / step).floor() * step;
    let has_floor = random.chance(30.0);
    Budget { min: (has_floor && floor > 0.0).then_some(floor), max }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Settings;

    #[test]
    fn budgets_follow_the_price_level_of_the_town() {
        let start = domain::Timestamp::from_second(1_750_000_000).unwrap();
        let world = World::new(1, crate::sample::towns(), Settings::new(10, start)).unwrap();
        let mut random = Random::new(5);
        let mut mean = |insee: &str| {
            let insee = Insee::parse(insee).unwrap();
            let mut draw = || {
                world
                    .draw_budget(&insee, PropertyType::Apartment, TransactionType::Sell, &mut random)
                    .unwrap()
            };
            (0..200).map(|_| draw().max).sum::<f64>() / 200.0
        };
        assert!(mean("75116") > 3.0 * mean("23096"));
        let search = world.draw_search(&mut Random::new(9));
        assert!(search.budget.max > search.budget.min.unwrap_or_default());
        assert_eq!(
            world.draw_budget(
                &Insee::parse("99999").unwrap(),
                PropertyType::House,
                TransactionType::Sell,
                &mut Random::new(1)
            ),
            None
        );
    }
}
