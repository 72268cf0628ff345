//! Property documents: single ones, and the writer used for all of them.

use std::sync::Arc;

use app::App;
use axum::extract::State;
use axum::response::Response;
use domain::{Property, PropertyId, SiteDirectory, SiteKey, WebAddress};
use http::StatusCode;
use jiff::tz::TimeZone;
use serde_json::value::RawValue;
use wire::document::{DocumentParts, property_document};

use super::Shared;
use super::error::{Problem, json};
use super::parameters::QueryText;
use super::path::PathId;

/// `GET /documents/properties/{id}`
pub async fn one(State(shared): State<Shared>, PathId(id): PathId<PropertyId>) -> Result<Response, Problem> {
    let property = shared.app.property(id).await?.ok_or_else(Problem::not_found)?;
    present(&shared, &property).await
}

/// `GET /documents/properties/by-url?url=…`
pub async fn by_url(State(shared): State<Shared>, query: QueryText) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let text = parameters.one("url").map(str::to_owned);
    let ignored = query.finish(parameters, &[])?;
    let text = text.ok_or_else(|| Problem::bad_request("The parameter \"url\" is required."))?;
    let url = WebAddress::parse(&text)
        .map_err(|error| Problem::bad_request(format!("The parameter \"url\" is \"{text}\": {error}")))?;
    let property = shared.app.property_by_url(&url).await?.ok_or_else(Problem::not_found)?;
    Ok(ignored.on(present(&shared, &property).await?))
}

async fn present(shared: &Shared, property: &Property) -> Result<Response, Problem> {
    let document = Writer::new(shared).await?.document(property).ok_or_else(Problem::not_found)?;
    Ok(json(StatusCode::OK, &document))
}

/// Writes property documents.
#[derive(Clone)]
pub struct Writer {
    app: App,
    zone: TimeZone,
    pub sites: Arc<SiteDirectory>,
}

impl Writer {
    /// Uses the current sites.
    pub async fn new(shared: &Shared) -> Result<Self, app::Error> {
        Ok(Self::with_sites(shared, shared.app.sites().await?))
    }

    /// Uses the sites the indexer last saw. For responses with many documents.
    pub async fn for_search(shared: &Shared) -> Result<Self, app::Error> {
        Ok(Self::with_sites(shared, shared.app.sites_for_search().await?))
    }

    fn with_sites(shared: &Shared, sites: Arc<SiteDirectory>) -> Self {
        Self { app: shared.app.clone(), zone: shared.config.time_zone.clone(), sites }
    }

    /// Returns the document of a property; `None` if it has no adverts.
    pub fn document(&self, property: &Property) -> Option<Box<RawValue>> {
        let derived = property.derive()?;
        let (city, stations) = (self.app.city(&derived), self.app.stations(property, &derived));
        let category_of =
            |site: &SiteKey| self.sites.category_of(site).map(|category| category.name.to_string());
        let zone = &self.zone;
        let parts = DocumentParts { property, derived, city, stations, zone, category_of: &category_of };
        serde_json::value::to_raw_value(&property_document(&parts)).ok()
    }
}
