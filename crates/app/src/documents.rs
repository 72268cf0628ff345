//! Reading properties and adverts, and rendering property documents.

use std::sync::Arc;

use domain::{
    Advert, AdvertId, City, DerivedValues, Identity, Property, PropertyId, SiteDirectory, SiteKey, Station,
    WebAddress,
};
use serde_json::value::RawValue;
use wire::document::{self, DocumentInput};

use crate::{App, Error};

impl App {
    pub async fn property(&self, id: PropertyId) -> Result<Option<Property>, Error> {
        let mut found = self.store.properties(vec![id]).await?;
        Ok(found.remove(&id).map(|stored| stored.property))
    }

    /// Returns the property that contains the advert with this URL.
    pub async fn property_by_url(&self, url: &WebAddress) -> Result<Option<Property>, Error> {
        self.property_of(Identity::Url(url.comparison_key().into())).await.map(|found| found.map(|(p, _)| p))
    }

    /// Returns an advert and the id of its property.
    pub async fn advert(&self, id: AdvertId) -> Result<Option<(Advert, PropertyId)>, Error> {
        let Some((property, id)) = self.property_of(Identity::Uuid(id)).await? else { return Ok(None) };
        Ok(property.advert(id).map(|advert| (advert.clone(), property.id)))
    }

    /// Returns the commune of a property, or `None` if the reference geography does not contain it.
    pub fn city(&self, derived: &DerivedValues<'_>) -> Option<Arc<City>> {
        self.places.city(&derived.placement?.insee).cloned()
    }

    /// Returns the stations within walking distance of a property whose adverts give a point. The centre of a commune is not
    /// precise enough to measure a walk from.
    pub fn stations(&self, derived: &DerivedValues<'_>) -> Vec<Arc<Station>> {
        derived.given_point.map(|point| self.places.stations_near(point)).unwrap_or_default()
    }

    /// Returns a renderer with the current site directory.
    pub async fn document_renderer(&self) -> Result<DocumentRenderer, Error> {
        Ok(DocumentRenderer { sites: self.sites().await?, app: self.clone() })
    }

    async fn property_of(&self, identity: Identity) -> Result<Option<(Property, AdvertId)>, Error> {
        let located = self.store.locate(vec![identity]).await?.pop().flatten();
        let Some(located) = located else { return Ok(None) };
        // The advert may have been erased or moved between the two reads; it then counts as not found.
        Ok(self.property(located.property).await?.map(|property| (property, located.advert)))
    }
}

/// Renders property documents. A document shows the category of its sites, so the renderer holds the site directory.
#[derive(Clone)]
pub struct DocumentRenderer {
    pub(crate) app: App,
    pub(crate) sites: Arc<SiteDirectory>,
}

impl DocumentRenderer {
    pub fn sites(&self) -> &SiteDirectory {
        &self.sites
    }

    /// Renders the document of a property as the API returns it. `None` if the property has no adverts.
    pub fn render(&self, property: &Property) -> Option<Box<RawValue>> {
        self.with_parts(property, |parts| {
            serde_json::value::to_raw_value(&document::property_document(parts)).ok()
        })
    }

    /// Renders the document of a property for an export: with everything that another service needs to import it.
    pub fn render_for_export(&self, property: &Property) -> Option<Vec<u8>> {
        self.with_parts(property, |parts| serde_json::to_vec(&document::export_document(parts)).ok())
    }

    /// Renders the document of a property as webhooks carry it. `None` if the property has no adverts.
    pub(crate) fn render_for_webhook(&self, property: &Property) -> Option<Vec<u8>> {
        self.with_parts(property, |parts| serde_json::to_vec(&document::webhook_document(parts)).ok())
    }

    fn with_parts<T>(
        &self,
        property: &Property,
        render: impl FnOnce(&DocumentInput<'_>) -> Option<T>,
    ) -> Option<T> {
        let derived = property.derive()?;
        let (city, stations) = (self.app.city(&derived), self.app.stations(&derived));
        let category_of =
            |site: &SiteKey| self.sites.category_of(site).map(|category| category.name.to_string());
        let zone = &self.app.time_zone;
        render(&DocumentInput { property, derived, city, stations, zone, category_of: &category_of })
    }
}
