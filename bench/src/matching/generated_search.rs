//! A generated saved search: as criteria for Vigie, as plain values for the peers.

use anyhow::Context;
use domain::criteria::{Entry, RawCriterion, References};
use domain::{
    Criteria, Filter, GeoPoint, Insee, PropertyType, PublisherType, RawCriteria, SiteDirectory,
    TransactionType, Zipcode,
};
use places::Gazetteer;
use world::Budget;

/// A saved search. All of them require a coherent price, which is the default.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneratedSearch {
    pub place: PlaceFilter,
    pub transaction: TransactionType,
    pub kinds: Vec<PropertyType>,
    pub budget: Budget,
    pub surface_min: Option<f64>,
    pub room_min: Option<i32>,
    pub publisher: Option<PublisherType>,
    /// Alternatives, each a list of entries that must all hold.
    pub expressions: Vec<Vec<Entry>>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum PlaceFilter {
    /// By id. A city includes its districts.
    Cities(Vec<u64>),
    Departments(Vec<u64>),
    Zipcodes(Vec<Zipcode>),
    Circle {
        centre: GeoPoint,
        radius_km: f64,
    },
    Anywhere,
}

impl GeneratedSearch {
    /// Returns the criteria as a client sends them.
    pub fn raw_criteria(&self) -> anyhow::Result<RawCriteria> {
        let kinds = self.kinds.iter().map(|kind| kind.code()).collect();
        let mut given = vec![
            ("transactionType", RawCriterion::Codes(vec![self.transaction.code()])),
            ("propertyTypes", RawCriterion::Codes(kinds)),
            ("budgetMax", RawCriterion::Number(self.budget.max)),
        ];
        given.extend(self.budget.min.map(|min| ("budgetMin", RawCriterion::Number(min))));
        given.extend(self.surface_min.map(|min| ("surfaceMin", RawCriterion::Number(min))));
        given.extend(self.room_min.map(|min| ("roomMin", RawCriterion::Number(f64::from(min)))));
        given.extend(self.publisher.map(|kind| ("publisherTypes", RawCriterion::Codes(vec![kind.code()]))));
        if !self.expressions.is_empty() {
            given.push(("expressions", RawCriterion::Expressions(self.expressions.clone())));
        }
        match &self.place {
            PlaceFilter::Cities(ids) => given.push(("includedCities", RawCriterion::Cities(ids.clone()))),
            PlaceFilter::Departments(ids) => {
                given.push(("includedDepartments", RawCriterion::Departments(ids.clone())))
            }
            PlaceFilter::Zipcodes(zipcodes) => {
                given.push(("includedZipcodes", RawCriterion::Zipcodes(zipcodes.clone())))
            }
            PlaceFilter::Circle { centre, radius_km } => {
                given.push(("lat", RawCriterion::Number(centre.lat())));
                given.push(("lon", RawCriterion::Number(centre.lon())));
                given.push(("radius", RawCriterion::Number(*radius_km)));
            }
            PlaceFilter::Anywhere => {}
        }
        let mut raw_criteria = RawCriteria::default();
        for (name, criterion) in given {
            raw_criteria.put(Filter::named(name).with_context(|| format!("no filter {name}"))?, criterion);
        }
        Ok(raw_criteria)
    }

    /// Returns the criteria as the matcher compiles them.
    pub fn criteria(&self, places: &Gazetteer) -> anyhow::Result<Criteria> {
        let sites = SiteDirectory::default();
        let city = |id: u64| city_with_districts(places, id);
        let commune = |insee: &Insee| vec![insee.id()];
        let references = References { city: &city, commune: &commune, sites: &sites };
        self.raw_criteria()?.criteria(&references).map_err(|violations| anyhow::anyhow!("{violations:?}"))
    }
}

/// Returns a city and its districts.
pub fn city_with_districts(places: &Gazetteer, id: u64) -> Vec<u64> {
    let districts = places.city_by_id(id).map(|city| city.districts.as_slice()).unwrap_or_default();
    std::iter::once(id).chain(districts.iter().map(Insee::id)).collect()
}
