//! Reading what was taken in.

use std::sync::Arc;

use domain::{Advert, AdvertId, City, DerivedValues, Identity, Property, PropertyId, Station, WebAddress};

use crate::{App, Error};

impl App {
    pub async fn property(&self, id: PropertyId) -> Result<Option<Property>, Error> {
        let mut found = self.store.properties(vec![id]).await?;
        Ok(found.remove(&id).map(|stored| stored.property))
    }

    /// The property that holds the advert with an address.
    pub async fn property_by_url(&self, url: &WebAddress) -> Result<Option<Property>, Error> {
        self.property_of(Identity::Url(url.comparison_key().into())).await.map(|found| found.map(|(p, _)| p))
    }

    /// An advert and the property it belongs to.
    pub async fn advert(&self, id: AdvertId) -> Result<Option<(Advert, PropertyId)>, Error> {
        let Some((property, id)) = self.property_of(Identity::Uuid(id)).await? else { return Ok(None) };
        Ok(property.advert(id).map(|advert| (advert.clone(), property.id)))
    }

    /// The commune of a property, when the reference geography knows it.
    pub fn city(&self, derived: &DerivedValues<'_>) -> Option<Arc<City>> {
        self.places.city(&derived.placement?.insee).cloned()
    }

    /// The stations in walking distance of a property that says where it is. The centre of a commune is no place to walk
    /// from.
    pub fn stations(&self, property: &Property, derived: &DerivedValues<'_>) -> Vec<Arc<Station>> {
        let located = property.adverts.iter().any(|advert| advert.details.place.point.is_some());
        derived.point.filter(|_| located).map(|point| self.places.stations_near(point)).unwrap_or_default()
    }

    async fn property_of(&self, identity: Identity) -> Result<Option<(Property, AdvertId)>, Error> {
        let located = self.store.locate(vec![identity]).await?.pop().flatten();
        let Some(located) = located else { return Ok(None) };
        // Between the two reads the advert may have been erased or moved; then it is not there, and that is the answer.
        Ok(self.property(located.property).await?.map(|property| (property, located.advert)))
    }
}
