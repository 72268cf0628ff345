//! Resolves references to cities and sites in filters, from the gazetteer and the site directory.

use std::sync::Arc;

use domain::criteria::References;
use domain::{City, Insee, SiteDirectory};
use places::Gazetteer;

use crate::App;

impl App {
    /// Returns the city with an id. The id of a former commune resolves to the commune that replaced it.
    pub fn city_with_id(&self, id: u64) -> Option<Arc<City>> {
        city_with_id(self.places(), id).cloned()
    }

    /// Calls `read` with the resolver of references.
    pub fn with_references<T>(&self, sites: &SiteDirectory, read: impl FnOnce(&References<'_>) -> T) -> T {
        let places = self.places();
        let city = |id: u64| city_and_districts(places, id);
        let commune = |insee: &Insee| match places.city(insee) {
            Some(city) => city_and_districts(places, city.id()),
            None => vec![insee.id()],
        };
        read(&References { city: &city, commune: &commune, sites })
    }
}

fn city_with_id(places: &Gazetteer, id: u64) -> Option<&Arc<City>> {
    let former = || Insee::parse(&format!("{id:05}")).and_then(|insee| places.city(&insee));
    places.city_by_id(id).or_else(former)
}

/// Returns the ids of a city and its districts. An unknown id resolves to itself, because adverts may contain it.
fn city_and_districts(places: &Gazetteer, id: u64) -> Vec<u64> {
    match city_with_id(places, id) {
        Some(city) => std::iter::once(city.id()).chain(city.districts.iter().map(Insee::id)).collect(),
        None => vec![id],
    }
}
