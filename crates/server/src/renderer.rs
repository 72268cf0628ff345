//! Writes what webhooks carry, in the contract's words and the service's time zone.

use app::App;
use app::dispatch::{PayloadRenderer, Told};
use domain::{AdvertEvent, EventName, Property, SiteDirectory, SiteKey};
use jiff::tz::TimeZone;
use wire::document::{DocumentInput, webhook_document};
use wire::webhook;

/// Writes as `wire` spells it.
pub struct WireRenderer {
    zone: TimeZone,
}

impl WireRenderer {
    pub const fn new(zone: TimeZone) -> Self {
        Self { zone }
    }

    fn told<'a>(&'a self, told: &Told<'a>) -> webhook::WebhookMatch<'a> {
        let Told { matching, property, search, at, document } = *told;
        webhook::WebhookMatch { id: matching, property, search, at, document, zone: &self.zone }
    }
}

impl PayloadRenderer for WireRenderer {
    fn document(&self, app: &App, sites: &SiteDirectory, property: &Property) -> Option<Vec<u8>> {
        let derived = property.derive()?;
        let (city, stations) = (app.city(&derived), app.stations(property, &derived));
        let category_of = |site: &SiteKey| sites.category_of(site).map(|category| category.name.to_string());
        let zone = &self.zone;
        let parts = DocumentInput { property, derived, city, stations, zone, category_of: &category_of };
        serde_json::to_vec(&webhook_document(&parts)).ok()
    }

    fn match_body(&self, told: &Told<'_>) -> Vec<u8> {
        webhook::match_payload(&self.told(told))
    }

    fn event_body(&self, name: EventName, event: &AdvertEvent, told: &Told<'_>) -> Vec<u8> {
        webhook::event_payload(name, event, &self.told(told))
    }
}
