//! What references to places and sites lead to: the map and the directory put together for whoever reads filters.

use std::sync::Arc;

use domain::criteria::References;
use domain::{City, Insee, SiteDirectory};
use places::Gazetteer;

use crate::App;

impl App {
    /// The city of an id. One no longer in use leads to the commune that replaced it.
    pub fn city_with_id(&self, id: u64) -> Option<Arc<City>> {
        city_with_id(self.places(), id).cloned()
    }

    /// Hands out what it takes to understand references.
    pub fn with_references<T>(&self, sites: &SiteDirectory, read: impl FnOnce(&References<'_>) -> T) -> T {
        let places = self.places();
        let city = |id: u64| cities_meant(places, id);
        let commune = |insee: &Insee| match places.city(insee) {
            Some(city) => cities_meant(places, city.id()),
            None => vec![insee.id()],
        };
        read(&References { city: &city, commune: &commune, sites })
    }
}

fn city_with_id(places: &Gazetteer, id: u64) -> Option<&Arc<City>> {
    let former = || Insee::parse(&format!("{id:05}")).and_then(|insee| places.city(&insee));
    places.city_by_id(id).or_else(former)
}

/// A city and its districts. An id that nobody knows stands for itself, because adverts may give it all the same.
fn cities_meant(places: &Gazetteer, id: u64) -> Vec<u64> {
    match city_with_id(places, id) {
        Some(city) => std::iter::once(city.id()).chain(city.districts.iter().map(Insee::id)).collect(),
        None => vec![id],
    }
}
