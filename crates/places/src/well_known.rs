//! Well-known places inside communes, by name: resorts, beaches, quarters of large cities.
//!
//! The list is short and our own. A name may belong to several communes (La Défense), and to a commune of its own elsewhere
//! (Les Arcs).

use std::collections::HashMap;

use domain::fold;

use crate::geography::Geography;
use crate::place_query::keys_of_name;

/// The communes of the well-known places, by the keys of their names.
pub(crate) struct WellKnownPlaces {
    cities: HashMap<String, Vec<u32>>,
}

impl WellKnownPlaces {
    pub fn new(geography: &Geography) -> Self {
        let mut cities: HashMap<String, Vec<u32>> = HashMap::new();
        for place in &geography.well_known {
            for key in keys_of_name(&place.name, &fold(&place.name)) {
                let known = cities.entry(key).or_default();
                if !known.contains(&place.city) {
                    known.push(place.city);
                }
            }
        }
        Self { cities }
    }

    /// Returns the communes with a well-known place of this name.
    pub fn cities_with(&self, key: &str) -> &[u32] {
        self.cities.get(key).map(Vec::as_slice).unwrap_or_default()
    }
}
