//! The table of filters.
//!
//! One row per filter: its name in the API, the value it tests, and a description. The query parser, the bodies of saved
//! searches, `hydra:search`, the documentation and the tests are derived from this table. To add a filter, add a row.

use crate::attribute::{AdvertAttribute, PropertyAttribute, Variation, VariationAttribute};
use crate::kinds::{FeesResponsibility, GeoAccuracy, PropertyType, PublisherType, TransactionType};

/// A filter of the property collection and of saved searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filter {
    /// The name in the API.
    pub name: &'static str,
    /// Other names that existing clients use.
    pub aliases: &'static [&'static str],
    pub kind: Kind,
    /// One line for the documentation.
    pub description: &'static str,
}

/// The type of a filter's value and how it is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number: lower bound, inclusive.
    Min(FilterTarget),
    /// A number: upper bound, inclusive.
    Max(FilterTarget),
    /// A date: lower bound, inclusive.
    From(FilterTarget),
    /// A date: upper bound, inclusive. A date without a time includes the whole day.
    To(FilterTarget),
    /// Codes of an enumeration: any of them.
    Choice(FilterTarget, Codes),
    /// A boolean: the value must be equal.
    Is(FilterTarget),
    /// A boolean: `true` requires the flag, `false` means no condition.
    Only(FilterTarget),
    /// References: in any of these places, or in none of them.
    Place(Inclusion, PlaceKind),
    /// References: the advert is from one of these sites, or from none of them.
    Site(Inclusion),
    /// References: the advert is from a site in one of these categories, or in none of them.
    SiteCategory(Inclusion),
    /// References: properties to exclude.
    ExcludedProperty,
    Latitude,
    Longitude,
    Radius,
    /// Polygons: in any of them.
    Shapes,
    SortMode,
    Expressions,
    /// Words: for each value, a feature that contains them.
    Features,
}

/// The attribute that a filter tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterTarget {
    Property(PropertyAttribute),
    Advert(AdvertAttribute),
    Change(Variation, VariationAttribute),
    /// The creation date of the property or of its adverts, depending on the sort mode.
    Creation,
}

/// Whether a list selects or rejects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inclusion {
    Included,
    Excluded,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceKind {
    /// By id. A city includes its districts.
    City,
    /// The same by INSEE code.
    Insee,
    Department,
    Zipcode,
}

/// The enumerations of [`Kind::Choice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codes {
    PropertyType,
    PublisherType,
    TransactionType,
    FeesResponsibility,
    Accuracy,
    /// `A` to `G` as codes 0 to 6.
    EnergyLetter,
}

impl Codes {
    pub fn all(self) -> Vec<u8> {
        match self {
            Self::PropertyType => PropertyType::ALL.iter().map(|kind| kind.code()).collect(),
            Self::PublisherType => PublisherType::ALL.iter().map(|kind| kind.code()).collect(),
            Self::TransactionType => TransactionType::ALL.iter().map(|kind| kind.code()).collect(),
            Self::FeesResponsibility => FeesResponsibility::ALL.iter().map(|kind| kind.code()).collect(),
            Self::Accuracy => GeoAccuracy::ALL.iter().map(|kind| kind.code()).collect(),
            Self::EnergyLetter => (0..7).collect(),
        }
    }
}

/// The object on which all conditions of the same level must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Property,
    /// A single advert.
    Advert,
    /// A single event.
    Event,
}

impl Filter {
    pub fn level(&self) -> Level {
        match self.kind {
            Kind::Min(target)
            | Kind::Max(target)
            | Kind::From(target)
            | Kind::To(target)
            | Kind::Choice(target, _)
            | Kind::Is(target)
            | Kind::Only(target) => match target {
                FilterTarget::Property(_) | FilterTarget::Creation => Level::Property,
                FilterTarget::Advert(_) => Level::Advert,
                FilterTarget::Change(..) => Level::Event,
            },
            Kind::Site(_) | Kind::SiteCategory(_) => Level::Advert,
            Kind::Place(..)
            | Kind::ExcludedProperty
            | Kind::Latitude
            | Kind::Longitude
            | Kind::Radius
            | Kind::Shapes
            | Kind::SortMode
            | Kind::Expressions
            | Kind::Features => Level::Property,
        }
    }

    /// Returns `true` if the filter accepts several values.
    pub fn is_list(&self) -> bool {
        matches!(
            self.kind,
            Kind::Choice(..)
                | Kind::Place(..)
                | Kind::Site(_)
                | Kind::SiteCategory(_)
                | Kind::ExcludedProperty
                | Kind::Shapes
                | Kind::Expressions
                | Kind::Features
        )
    }

    /// Returns the filter with this name or alias.
    pub fn named(name: &str) -> Option<&'static Self> {
        FILTERS.iter().find(|filter| filter.name == name || filter.aliases.contains(&name))
    }
}

const fn filter(name: &'static str, kind: Kind, description: &'static str) -> Filter {
    Filter { name, aliases: &[], kind, description }
}

const fn filter_with_aliases(
    name: &'static str,
    aliases: &'static [&'static str],
    kind: Kind,
    description: &'static str,
) -> Filter {
    Filter { name, aliases, kind, description }
}

use AdvertAttribute as Ad;
use FilterTarget::{Advert, Change, Creation, Property};
use Inclusion::{Excluded, Included};
use Kind::{Choice, From, Is, Max, Min, Only, Place, Site, SiteCategory, To};
use PropertyAttribute as Of;

/// All filters.
#[rustfmt::skip]
pub const FILTERS: &[Filter] = &[
    filter("transactionType", Choice(Property(Of::TransactionType), Codes::TransactionType), "0 for sale, 1 to let"),
    filter("propertyTypes", Choice(Property(Of::PropertyType), Codes::PropertyType), "Any of these types, 0 to 6"),

    filter_with_aliases("budgetMin", &["priceMin"], Min(Property(Of::Price)), "Price at least"),
    filter_with_aliases("budgetMax", &["priceMax"], Max(Property(Of::Price)), "Price at most"),
    filter("pricePerMeterMin", Min(Property(Of::PricePerMeter)), "Price per square metre at least"),
    filter("pricePerMeterMax", Max(Property(Of::PricePerMeter)), "Price per square metre at most"),
    filter("surfaceMin", Min(Property(Of::Surface)), "Surface at least, in square metres"),
    filter("surfaceMax", Max(Property(Of::Surface)), "Surface at most"),
    filter("landSurfaceMin", Min(Property(Of::LandSurface)), "Land at least, in square metres"),
    filter("landSurfaceMax", Max(Property(Of::LandSurface)), "Land at most"),
    filter("roomMin", Min(Property(Of::Room)), "Rooms at least"),
    filter("roomMax", Max(Property(Of::Room)), "Rooms at most"),
    filter("bedroomMin", Min(Property(Of::Bedroom)), "Bedrooms at least"),
    filter("bedroomMax", Max(Property(Of::Bedroom)), "Bedrooms at most"),
    filter("furnished", Is(Property(Of::Furnished)), "Furnished or not"),
    filter("withCoherentPrice", Only(Property(Of::CoherentPrice)), "Only with a plausible price; defaults to true"),
    filter("priceOnRequest", Is(Property(Of::PriceOnRequest)), "Without any price, or with one; true turns the default of withCoherentPrice off"),
    filter_with_aliases("expired", &["isExpired"], Is(Property(Of::Expired)), "Whether all adverts are expired; false also ignores the expired adverts of a property"),
    filter_with_aliases("geoAccuracy", &["geocodingAccuracy"], Choice(Property(Of::Accuracy), Codes::Accuracy), "Coordinates of a house (1), or of a neighbourhood or city centre (2)"),
    filter_with_aliases("withLocation", &["withResolvedLocation"], Only(Property(Of::Located)), "Only with coordinates that an advert gives"),
    filter("lifeAnnuity", Is(Property(Of::LifeAnnuity)), "Sold as a life annuity, or not; not if no advert says so"),
    filter("newBuilding", Is(Property(Of::NewBuilding)), "A new-building programme, or not; not if no advert says so"),

    filter("fromDate", From(Creation), "Created on or after"),
    filter("toDate", To(Creation), "Created on or before"),
    filter("sortMode", Kind::SortMode, "Whose creation fromDate, toDate and order[createdAt] mean: property or advert"),
    filter("fromUpdatedAt", From(Property(Of::UpdatedAt)), "Changed on or after"),
    filter("toUpdatedAt", To(Property(Of::UpdatedAt)), "Changed on or before"),
    filter("fromCrawledAt", From(Property(Of::CrawledAt)), "Last seen on or after"),
    filter("toCrawledAt", To(Property(Of::CrawledAt)), "Last seen on or before"),

    filter("includedCities", Place(Included, PlaceKind::City), "In any of these cities or of the other included places"),
    filter("includedDepartments", Place(Included, PlaceKind::Department), "In any of these departments or of the other included places"),
    filter("includedZipcodes", Place(Included, PlaceKind::Zipcode), "With any of these zipcodes, or in any of the other included places"),
    filter_with_aliases("includedInseeCodes", &["includedZipcodesInsee"], Place(Included, PlaceKind::Insee), "In any city with one of these INSEE codes, or in any of the other included places"),
    filter_with_aliases("excludedCities", &["excludeCities"], Place(Excluded, PlaceKind::City), "Not in these cities"),
    filter("excludedZipcodes", Place(Excluded, PlaceKind::Zipcode), "Not with these zipcodes"),
    filter("excludedInseeCodes", Place(Excluded, PlaceKind::Insee), "Not in cities with these INSEE codes"),
    filter("lat", Kind::Latitude, "Latitude of the centre of a circle, or of the point to sort by distance from"),
    filter("lon", Kind::Longitude, "Longitude of that point"),
    filter("radius", Kind::Radius, "Radius of the circle in kilometres"),
    filter("geoShapes", Kind::Shapes, "In any of these polygons: geoShapes[shape][point][0] is a longitude, [1] a latitude"),
    filter("excludedProperties", Kind::ExcludedProperty, "Not these properties"),

    filter("expressions", Kind::Expressions, "Words in title, description, features or district: expressions[group][entry][word], with [options][includes] and [options][strict]"),
    filter("features", Kind::Features, "Features with these words: one for each value, of any advert"),

    filter_with_aliases("includedSites", &["includedSources"], Site(Included), "An advert from any of these sites or of the included categories"),
    filter_with_aliases("excludedSites", &["excludedSources"], Site(Excluded), "An advert from none of these sites"),
    filter("includedSiteCategories", SiteCategory(Included), "An advert from a site in any of these categories, or from any of the included sites"),
    filter("excludedSiteCategories", SiteCategory(Excluded), "An advert from a site in none of these categories"),
    filter("publisherTypes", Choice(Advert(Ad::PublisherType), Codes::PublisherType), "Published by an individual (0) or a professional (1)"),
    filter("advertPriceMin", Min(Advert(Ad::LivePrice)), "Price of an advert that is not expired at least"),
    filter("advertPriceMax", Max(Advert(Ad::LivePrice)), "Price of an advert that is not expired at most"),
    filter("priceExcludingFeesMin", Min(Advert(Ad::PriceExcludingFees)), "Price without fees at least"),
    filter("priceExcludingFeesMax", Max(Advert(Ad::PriceExcludingFees)), "Price without fees at most"),
    filter("feesPercentageMin", Min(Advert(Ad::FeesPercentage)), "Fees in percent at least"),
    filter("feesPercentageMax", Max(Advert(Ad::FeesPercentage)), "Fees in percent at most"),
    filter("feesResponsibility", Choice(Advert(Ad::FeesResponsibility), Codes::FeesResponsibility), "Fees paid by the seller (0) or the buyer (1)"),
    filter("condominiumFeesMin", Min(Advert(Ad::CondominiumFees)), "Condominium fees per year at least"),
    filter("condominiumFeesMax", Max(Advert(Ad::CondominiumFees)), "Condominium fees per year at most"),
    filter("inventoryPriceMin", Min(Advert(Ad::InventoryPrice)), "Price of the inventory at least"),
    filter("inventoryPriceMax", Max(Advert(Ad::InventoryPrice)), "Price of the inventory at most"),
    filter("rentalChargesMin", Min(Advert(Ad::RentalCharges)), "Charges at least"),
    filter("rentalChargesMax", Max(Advert(Ad::RentalCharges)), "Charges at most"),
    filter("rentalPledgeMin", Min(Advert(Ad::RentalPledge)), "Deposit at least"),
    filter("rentalPledgeMax", Max(Advert(Ad::RentalPledge)), "Deposit at most"),
    filter("renterFeesMin", Min(Advert(Ad::RenterFees)), "Fees of the tenant at least"),
    filter("renterFeesMax", Max(Advert(Ad::RenterFees)), "Fees of the tenant at most"),
    filter("lotCountMin", Min(Advert(Ad::LotCount)), "Lots of the condominium at least"),
    filter("lotCountMax", Max(Advert(Ad::LotCount)), "Lots of the condominium at most"),
    filter_with_aliases("floorQuantityMin", &["floorsMin"], Min(Advert(Ad::FloorQuantity)), "Floors of the building at least"),
    filter_with_aliases("floorQuantityMax", &["floorsMax"], Max(Advert(Ad::FloorQuantity)), "Floors of the building at most"),
    filter("constructionYearMin", Min(Advert(Ad::ConstructionYear)), "Built in this year or later"),
    filter("constructionYearMax", Max(Advert(Ad::ConstructionYear)), "Built in this year or earlier"),
    filter("energyCategories", Choice(Advert(Ad::EnergyCategory), Codes::EnergyLetter), "Any of these energy classes, A to G"),
    filter("energyValueMin", Min(Advert(Ad::EnergyValue)), "Energy value at least"),
    filter("energyValueMax", Max(Advert(Ad::EnergyValue)), "Energy value at most"),
    filter_with_aliases("greenHouseGasCategories", &["ghgCategories", "ghgLetters"], Choice(Advert(Ad::GreenHouseGasCategory), Codes::EnergyLetter), "Any of these greenhouse-gas classes, A to G"),
    filter_with_aliases("greenHouseGasValueMin", &["ghgValueMin"], Min(Advert(Ad::GreenHouseGasValue)), "Greenhouse-gas value at least"),
    filter_with_aliases("greenHouseGasValueMax", &["ghgValueMax"], Max(Advert(Ad::GreenHouseGasValue)), "Greenhouse-gas value at most"),
    filter("parkingCountMin", Min(Advert(Ad::ParkingCount)), "Parking spaces at least"),
    filter("parkingCountMax", Max(Advert(Ad::ParkingCount)), "Parking spaces at most"),
    filter("exclusiveMandate", Is(Advert(Ad::ExclusiveMandate)), "Under an exclusive mandate or not"),
    filter("occupied", Is(Advert(Ad::Occupied)), "With a tenant or another occupant, or free"),
    filter("withVirtualTour", Only(Advert(Ad::VirtualTour)), "Only with a virtual tour"),
    filter("fromExpiredAt", From(Advert(Ad::ExpiredAt)), "An advert that expired on or after"),
    filter("toExpiredAt", To(Advert(Ad::ExpiredAt)), "An advert that expired on or before"),

    filter_with_aliases("eventPriceVariationMin", &["priceEventMin", "priceEventVariationMin"], Min(Change(Variation::Price, VariationAttribute::Percent)), "A price change of at least this percentage; negative for a decrease"),
    filter_with_aliases("eventPriceVariationMax", &["priceEventMax", "priceEventVariationMax"], Max(Change(Variation::Price, VariationAttribute::Percent)), "A price change of at most this percentage"),
    filter_with_aliases("eventPriceVariationFromCreatedAt", &["priceEventFromCreatedAt", "priceEventFromDate"], From(Change(Variation::Price, VariationAttribute::At)), "A price change on or after"),
    filter_with_aliases("eventPriceVariationToCreatedAt", &["priceEventToCreatedAt", "priceEventToDate"], To(Change(Variation::Price, VariationAttribute::At)), "A price change on or before"),
    filter_with_aliases("eventSurfaceVariationMin", &["surfaceEventMin", "surfaceEventVariationMin"], Min(Change(Variation::Surface, VariationAttribute::Percent)), "A surface change of at least this percentage"),
    filter_with_aliases("eventSurfaceVariationMax", &["surfaceEventMax", "surfaceEventVariationMax"], Max(Change(Variation::Surface, VariationAttribute::Percent)), "A surface change of at most this percentage"),
    filter_with_aliases("eventSurfaceVariationFromCreatedAt", &["surfaceEventFromCreatedAt", "surfaceEventFromDate"], From(Change(Variation::Surface, VariationAttribute::At)), "A surface change on or after"),
    filter_with_aliases("eventSurfaceVariationToCreatedAt", &["surfaceEventToCreatedAt", "surfaceEventToDate"], To(Change(Variation::Surface, VariationAttribute::At)), "A surface change on or before"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_and_aliases_are_unique() {
        let mut names = BTreeSet::new();
        for filter in FILTERS {
            for name in std::iter::once(&filter.name).chain(filter.aliases) {
                assert!(names.insert(*name), "{name} is listed twice");
                assert_eq!(Filter::named(name), Some(filter));
            }
            assert!(!filter.description.is_empty());
        }
        assert_eq!(Filter::named("budgetmin"), None);
    }

    #[test]
    fn every_bound_has_its_counterpart() {
        for filter in FILTERS {
            let counterpart = match filter.kind {
                Kind::Min(target) => Kind::Max(target),
                Kind::Max(target) => Kind::Min(target),
                Kind::From(target) => Kind::To(target),
                Kind::To(target) => Kind::From(target),
                _ => continue,
            };
            assert!(FILTERS.iter().any(|other| other.kind == counterpart), "{}", filter.name);
        }
    }

    #[test]
    fn level_follows_from_the_target() {
        let level = |name| Filter::named(name).map(Filter::level);
        assert_eq!(level("budgetMax"), Some(Level::Property));
        assert_eq!(level("excludedSites"), Some(Level::Advert));
        assert_eq!(level("eventPriceVariationMin"), Some(Level::Event));
    }
}
