//! Builds the e-mail for the new matches of a search.

use delivery::{Email, EmailId, ListingSummary};
use domain::{DeliveryId, DerivedValues, Property, ShortText, Timestamp, WebAddress, Zipcode};
use store::StoredSearch;

use crate::App;
use crate::dispatch::Dispatch;

/// Returns `None` if no property can be shown, or the search has no e-mail address.
pub fn build<'a>(
    app: &App,
    dispatch: &Dispatch,
    search: &StoredSearch,
    deliveries: impl Iterator<Item = DeliveryId>,
    properties: impl Iterator<Item = &'a Property>,
    at: Timestamp,
) -> Option<Email> {
    let draft = &search.search.draft;
    let listings: Vec<ListingSummary> = properties.filter_map(|property| summary(app, property)).collect();
    let unsubscribe = format!(
        "{}/unsubscribe/{}/{}",
        dispatch.settings.public_url.trim_end_matches('/'),
        search.search.id,
        search.search.token.as_str()
    );
    (!listings.is_empty()).then_some(())?;
    Some(Email {
        id: EmailId::of(deliveries),
        to: draft.alerts.email.clone()?,
        at,
        title: draft.title.as_str().to_owned(),
        listings,
        // A batch is at most as large as an e-mail; other matches are in the next one.
        others: 0,
        unsubscribe: WebAddress::parse(&unsubscribe).ok()?,
    })
}

/// Returns the commune with the zipcode of the property, as in its document, or else the place that its publisher gave.
fn place_label(app: &App, derived: &DerivedValues<'_>) -> Option<String> {
    let (name, zipcode) = match app.city(derived) {
        Some(city) => {
            (Some(city.name.to_string()), derived.zipcode.or(city.main_zipcode()).map(Zipcode::to_string))
        }
        None => {
            let given = derived.given_place?;
            (
                given.city_name.as_ref().map(ShortText::to_string),
                given.zipcode.as_ref().map(Zipcode::to_string),
            )
        }
    };
    match (name, zipcode) {
        (Some(name), Some(zipcode)) => Some(format!("{name} ({zipcode})")),
        (name, zipcode) => name.or(zipcode),
    }
}

fn summary(app: &App, property: &Property) -> Option<ListingSummary> {
    let derived = property.derive()?;
    let reference = property.advert(derived.reference_advert)?;
    Some(ListingSummary {
        title: derived.title.map(|title| title.as_str().to_owned()),
        transaction: derived.transaction_type,
        price: derived.price,
        surface: derived.surface,
        rooms: derived.room.and_then(|rooms| u32::try_from(rooms).ok()),
        place: place_label(app, &derived),
        picture: derived.pictures.first().map(|picture| (*picture).clone()),
        link: reference.details.url.clone(),
    })
}
