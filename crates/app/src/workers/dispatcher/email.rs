//! Builds the e-mail for the new matches of a search.

use delivery::{Email, EmailId, ListingSummary};
use domain::{DeliveryId, DerivedValues, EmailAddress, Property, ShortText, Timestamp, WebAddress, Zipcode};

use crate::App;

/// What an e-mail says.
pub struct EmailContents<'a> {
    pub to: EmailAddress,
    /// The title of the search.
    pub title: &'a str,
    pub properties: &'a [&'a Property],
    /// The number of further matches, which are not shown.
    pub others: u64,
    pub unsubscribe: Option<WebAddress>,
}

/// Returns `None` if no property can be shown, or the unsubscribe link is not valid.
pub fn build(
    app: &App,
    contents: EmailContents<'_>,
    deliveries: impl Iterator<Item = DeliveryId>,
    at: Timestamp,
) -> Option<Email> {
    let EmailContents { to, title, properties, others, unsubscribe } = contents;
    let listings: Vec<ListingSummary> =
        properties.iter().filter_map(|property| summary(app, property)).collect();
    (!listings.is_empty()).then_some(())?;
    Some(Email {
        id: EmailId::of(deliveries),
        to,
        at,
        title: title.to_owned(),
        listings,
        others,
        unsubscribe: unsubscribe?,
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
