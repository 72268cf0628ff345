//! Towns of the generated market, taken from the reference geography. Used by the demo and the benchmarks.

use std::sync::Arc;

use domain::City;
use places::Gazetteer;
use world::Town;

/// Returns every commune with a centre and a zipcode. A city with districts is represented by its districts.
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
