//! The texts of a property that expressions and the filter on features search.

use super::AdvertScope;
use crate::advert::Advert;
use crate::ids::AdvertId;
use crate::property::Property;

/// The texts of an advert that expressions search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextPart {
    Title,
    Description,
    /// One entry of the list of features.
    Feature,
    /// The name of the neighbourhood.
    District,
}

/// Returns the texts of an advert that expressions search. A phrase never spans two texts. A text added here is searched
/// everywhere: by queries, saved searches and explanations.
pub fn advert_texts(advert: &Advert) -> impl Iterator<Item = (TextPart, &str)> {
    let details = &advert.details;
    let title = details.title.iter().map(|title| (TextPart::Title, title.as_str()));
    let description = details.description.iter().map(|text| (TextPart::Description, text.as_str()));
    let features = details.features.iter().map(|feature| (TextPart::Feature, feature.as_str()));
    let district = details.district.iter().map(|district| (TextPart::District, district.as_str()));
    title.chain(description).chain(features).chain(district)
}

/// Returns the texts of the adverts in scope. The texts that the property shows are among those of all adverts.
pub fn texts(property: &Property, scope: AdvertScope) -> impl Iterator<Item = &str> {
    located_texts(property, scope).map(|(_, _, text)| text)
}

/// Returns the texts of [`texts`] with their locations.
pub fn located_texts(
    property: &Property,
    scope: AdvertScope,
) -> impl Iterator<Item = (AdvertId, TextPart, &str)> {
    let adverts = property.adverts.iter().filter(move |advert| scope.includes(advert));
    adverts.flat_map(|advert| advert_texts(advert).map(|(part, text)| (advert.id, part, text)))
}

/// Returns the features of the adverts in scope, which describe the same home.
pub fn features(property: &Property, scope: AdvertScope) -> impl Iterator<Item = &str> {
    let adverts = property.adverts.iter().filter(move |advert| scope.includes(advert));
    adverts.flat_map(|advert| advert.details.features.iter().map(|feature| feature.as_str()))
}
