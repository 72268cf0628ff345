//! Where the generated market has its homes: the towns of the reference geography. For the demo and for measurements.

use std::sync::Arc;

use domain::City;
use places::Gazetteer;
use world::Town;

/// Every inhabited place with a centre and a zipcode; of a city with districts, the districts.
pub fn towns(places: &Gazetteer) -> Vec<Town> {
    let town = |city: &Arc<City>| {
        Some(Town {
            insee: city.insee.clone(),
            name: city.name.to_string(),
            zipcode: city.main_zipcode()?.clone(),
            population: city.population,
            point: city.centre?,
        })
    };
    let cities = places.cities().iter().filter(|city| city.districts.is_empty() && city.is_open());
    cities.filter_map(town).collect()
}
