//! Every filter, once.
//!
//! One row a filter: the name clients know it by, what it reads, and what it is for. The reader of queries, the bodies of
//! saved searches, `hydra:search`, the documentation and the tests follow from these rows, so that a filter is added by
//! adding a row.

use crate::attribute::{AdvertAttribute, PropertyAttribute, Variation, VariationAttribute};
use crate::kinds::{FeesResponsibility, GeoAccuracy, PropertyType, PublisherType, TransactionType};

/// A filter of the property collection and of saved searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filter {
    /// The contract's name, which is also ours.
    pub name: &'static str,
    /// Other names live clients send it under.
    pub aliases: &'static [&'static str],
    pub kind: Kind,
    /// For documentation, in one line.
    pub meaning: &'static str,
}

/// What a filter takes and what it does with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number: at least this, bound included.
    Least(Subject),
    /// A number: at most this, bound included.
    Most(Subject),
    /// A date: from then on.
    From(Subject),
    /// A date: until then; a bare date is that whole day.
    To(Subject),
    /// Numbers of an enumeration: any of them.
    Choice(Subject, Codes),
    /// Yes or no: the value must be that.
    Is(Subject),
    /// Yes: only those that have it. No asks for nothing.
    Only(Subject),
    /// References: in any of these places, or in none.
    Place(Sense, PlaceKind),
    /// References: the advert is from one of these sites, or from none.
    Site(Sense),
    /// References: the advert is from a site of one of these categories, or of none.
    SiteCategory(Sense),
    /// References: not these properties.
    ExcludedProperty,
    Latitude,
    Longitude,
    Radius,
    /// Polygons, any of them.
    Shapes,
    SortMode,
    Expressions,
}

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Property(PropertyAttribute),
    Advert(AdvertAttribute),
    Change(Variation, VariationAttribute),
    /// The date of creation, of the property or of its adverts, as the sort mode says.
    Creation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    Included,
    Excluded,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceKind {
    /// By id; a city with districts includes them.
    City,
    /// The same by the code of the statistics office.
    Insee,
    Department,
    Zipcode,
}

/// The enumerations a choice is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codes {
    PropertyType,
    PublisherType,
    TransactionType,
    FeesResponsibility,
    Accuracy,
    /// `A` to `G`, which are codes 0 to 6.
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

/// On what the conditions of a filter are held together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Property,
    /// One and the same advert.
    Advert,
    /// One and the same event.
    Event,
}

impl Filter {
    pub fn level(&self) -> Level {
        match self.kind {
            Kind::Least(subject)
            | Kind::Most(subject)
            | Kind::From(subject)
            | Kind::To(subject)
            | Kind::Choice(subject, _)
            | Kind::Is(subject)
            | Kind::Only(subject) => match subject {
                Subject::Property(_) | Subject::Creation => Level::Property,
                Subject::Advert(_) => Level::Advert,
                Subject::Change(..) => Level::Event,
            },
            Kind::Site(_) | Kind::SiteCategory(_) => Level::Advert,
            Kind::Place(..)
            | Kind::ExcludedProperty
            | Kind::Latitude
            | Kind::Longitude
            | Kind::Radius
            | Kind::Shapes
            | Kind::SortMode
            | Kind::Expressions => Level::Property,
        }
    }

    /// Whether several values may be given.
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
        )
    }

    /// The filter of a name or of another name for it.
    pub fn named(name: &str) -> Option<&'static Self> {
        FILTERS.iter().find(|filter| filter.name == name || filter.aliases.contains(&name))
    }
}

const fn filter(name: &'static str, kind: Kind, meaning: &'static str) -> Filter {
    Filter { name, aliases: &[], kind, meaning }
}

const fn also(
    name: &'static str,
    aliases: &'static [&'static str],
    kind: Kind,
    meaning: &'static str,
) -> Filter {
    Filter { name, aliases, kind, meaning }
}

use AdvertAttribute as Ad;
use Kind::{Choice, From, Is, Least, Most, Only, Place, Site, SiteCategory, To};
use PropertyAttribute as Of;
use Sense::{Excluded, Included};
use Subject::{Advert, Change, Creation, Property};

/// The table.
#[rustfmt::skip]
pub const FILTERS: &[Filter] = &[
    filter("transactionType", Choice(Property(Of::TransactionType), Codes::TransactionType), "0 for sale, 1 to let"),
    filter("propertyTypes", Choice(Property(Of::PropertyType), Codes::PropertyType), "Any of these types, 0 to 6"),

    filter("budgetMin", Least(Property(Of::Price)), "Price at least"),
    filter("budgetMax", Most(Property(Of::Price)), "Price at most"),
    filter("pricePerMeterMin", Least(Property(Of::PricePerMeter)), "Price per square metre at least"),
    filter("pricePerMeterMax", Most(Property(Of::PricePerMeter)), "Price per square metre at most"),
    filter("surfaceMin", Least(Property(Of::Surface)), "Surface at least, in square metres"),
    filter("surfaceMax", Most(Property(Of::Surface)), "Surface at most"),
    filter("landSurfaceMin", Least(Property(Of::LandSurface)), "Land at least, in square metres"),
    filter("landSurfaceMax", Most(Property(Of::LandSurface)), "Land at most"),
    filter("roomMin", Least(Property(Of::Room)), "Rooms at least"),
    filter("roomMax", Most(Property(Of::Room)), "Rooms at most"),
    filter("bedroomMin", Least(Property(Of::Bedroom)), "Bedrooms at least"),
    filter("bedroomMax", Most(Property(Of::Bedroom)), "Bedrooms at most"),
    filter("furnished", Is(Property(Of::Furnished)), "Furnished or not"),
    filter("withCoherentPrice", Only(Property(Of::CoherentPrice)), "Only with a believable price; true unless said otherwise"),
    also("expired", &["isExpired"], Is(Property(Of::Expired)), "Whether all adverts are expired; false also leaves expired adverts out of account"),
    filter("geoAccuracy", Choice(Property(Of::Accuracy), Codes::Accuracy), "Coordinates of a house (1), or of a neighbourhood or city centre (2)"),
    filter("withLocation", Only(Property(Of::Located)), "Only with coordinates"),

    filter("fromDate", From(Creation), "Created on or after"),
    filter("toDate", To(Creation), "Created on or before"),
    filter("sortMode", Kind::SortMode, "Whose creation fromDate, toDate and order[createdAt] mean: property or advert"),
    filter("fromUpdatedAt", From(Property(Of::UpdatedAt)), "Changed on or after"),
    filter("toUpdatedAt", To(Property(Of::UpdatedAt)), "Changed on or before"),
    filter("fromCrawledAt", From(Property(Of::CrawledAt)), "Last seen on or after"),
    filter("toCrawledAt", To(Property(Of::CrawledAt)), "Last seen on or before"),

    filter("includedCities", Place(Included, PlaceKind::City), "In any of these cities, or of the other included places"),
    filter("includedDepartments", Place(Included, PlaceKind::Department), "In any of these departments, or of the other included places"),
    filter("includedZipcodes", Place(Included, PlaceKind::Zipcode), "With any of these zipcodes, or in the other included places"),
    also("includedInseeCodes", &["includedZipcodesInsee"], Place(Included, PlaceKind::Insee), "In any city of these INSEE codes, or of the other included places"),
    filter("excludedCities", Place(Excluded, PlaceKind::City), "Not in these cities"),
    filter("excludedZipcodes", Place(Excluded, PlaceKind::Zipcode), "Not with these zipcodes"),
    filter("excludedInseeCodes", Place(Excluded, PlaceKind::Insee), "Not in cities of these INSEE codes"),
    filter("lat", Kind::Latitude, "Latitude of the centre of a circle, or of the point to sort by distance from"),
    filter("lon", Kind::Longitude, "Longitude of the same"),
    filter("radius", Kind::Radius, "Radius of the circle in kilometres"),
    filter("geoShapes", Kind::Shapes, "In any of these polygons: geoShapes[shape][point][0] is a longitude, [1] a latitude"),
    filter("excludedProperties", Kind::ExcludedProperty, "Not these properties"),

    filter("expressions", Kind::Expressions, "Words in title or description: expressions[group][entry][word], with [options][includes] and [options][strict]"),

    filter("includedSites", Site(Included), "An advert from any of these sites, or of the included categories"),
    filter("excludedSites", Site(Excluded), "An advert from none of these sites"),
    filter("includedSiteCategories", SiteCategory(Included), "An advert from a site of any of these categories, or from the included sites"),
    filter("excludedSiteCategories", SiteCategory(Excluded), "An advert from no site of these categories"),
    filter("publisherTypes", Choice(Advert(Ad::PublisherType), Codes::PublisherType), "Published by an individual (0) or a professional (1)"),
    filter("advertPriceMin", Least(Advert(Ad::LivePrice)), "Price of an advert that is not expired at least"),
    filter("advertPriceMax", Most(Advert(Ad::LivePrice)), "Price of an advert that is not expired at most"),
    filter("priceExcludingFeesMin", Least(Advert(Ad::PriceExcludingFees)), "Price without fees at least"),
    filter("priceExcludingFeesMax", Most(Advert(Ad::PriceExcludingFees)), "Price without fees at most"),
    filter("feesPercentageMin", Least(Advert(Ad::FeesPercentage)), "Fees in per cent at least"),
    filter("feesPercentageMax", Most(Advert(Ad::FeesPercentage)), "Fees in per cent at most"),
    filter("feesResponsibility", Choice(Advert(Ad::FeesResponsibility), Codes::FeesResponsibility), "Fees paid by the seller (0) or the buyer (1)"),
    filter("condominiumFeesMin", Least(Advert(Ad::CondominiumFees)), "Condominium fees a year at least"),
    filter("condominiumFeesMax", Most(Advert(Ad::CondominiumFees)), "Condominium fees a year at most"),
    filter("inventoryPriceMin", Least(Advert(Ad::InventoryPrice)), "Price of the inventory at least"),
    filter("inventoryPriceMax", Most(Advert(Ad::InventoryPrice)), "Price of the inventory at most"),
    filter("rentalChargesMin", Least(Advert(Ad::RentalCharges)), "Charges at least"),
    filter("rentalChargesMax", Most(Advert(Ad::RentalCharges)), "Charges at most"),
    filter("rentalPledgeMin", Least(Advert(Ad::RentalPledge)), "Deposit at least"),
    filter("rentalPledgeMax", Most(Advert(Ad::RentalPledge)), "Deposit at most"),
    filter("renterFeesMin", Least(Advert(Ad::RenterFees)), "Fees of the tenant at least"),
    filter("renterFeesMax", Most(Advert(Ad::RenterFees)), "Fees of the tenant at most"),
    filter("lotCountMin", Least(Advert(Ad::LotCount)), "Lots of the condominium at least"),
    filter("lotCountMax", Most(Advert(Ad::LotCount)), "Lots of the condominium at most"),
    filter("floorQuantityMin", Least(Advert(Ad::FloorQuantity)), "Floors of the building at least"),
    filter("floorQuantityMax", Most(Advert(Ad::FloorQuantity)), "Floors of the building at most"),
    filter("constructionYearMin", Least(Advert(Ad::ConstructionYear)), "Built in this year or later"),
    filter("constructionYearMax", Most(Advert(Ad::ConstructionYear)), "Built in this year or earlier"),
    filter("energyCategories", Choice(Advert(Ad::EnergyCategory), Codes::EnergyLetter), "Any of these energy letters, A to G"),
    filter("energyValueMin", Least(Advert(Ad::EnergyValue)), "Energy value at least"),
    filter("energyValueMax", Most(Advert(Ad::EnergyValue)), "Energy value at most"),
    filter("greenHouseGasCategories", Choice(Advert(Ad::GreenHouseGasCategory), Codes::EnergyLetter), "Any of these greenhouse-gas letters, A to G"),
    filter("greenHouseGasValueMin", Least(Advert(Ad::GreenHouseGasValue)), "Greenhouse-gas value at least"),
    filter("greenHouseGasValueMax", Most(Advert(Ad::GreenHouseGasValue)), "Greenhouse-gas value at most"),
    filter("withVirtualTour", Only(Advert(Ad::VirtualTour)), "Only with a virtual tour"),
    filter("fromExpiredAt", From(Advert(Ad::ExpiredAt)), "An advert that expired on or after"),
    filter("toExpiredAt", To(Advert(Ad::ExpiredAt)), "An advert that expired on or before"),

    filter("eventPriceVariationMin", Least(Change(Variation::Price, VariationAttribute::Percent)), "A change of price by at least so many per cent; a fall is negative"),
    filter("eventPriceVariationMax", Most(Change(Variation::Price, VariationAttribute::Percent)), "A change of price by at most so many per cent"),
    filter("eventPriceVariationFromCreatedAt", From(Change(Variation::Price, VariationAttribute::At)), "A change of price on or after"),
    filter("eventPriceVariationToCreatedAt", To(Change(Variation::Price, VariationAttribute::At)), "A change of price on or before"),
    filter("eventSurfaceVariationMin", Least(Change(Variation::Surface, VariationAttribute::Percent)), "A change of surface by at least so many per cent"),
    filter("eventSurfaceVariationMax", Most(Change(Variation::Surface, VariationAttribute::Percent)), "A change of surface by at most so many per cent"),
    filter("eventSurfaceVariationFromCreatedAt", From(Change(Variation::Surface, VariationAttribute::At)), "A change of surface on or after"),
    filter("eventSurfaceVariationToCreatedAt", To(Change(Variation::Surface, VariationAttribute::At)), "A change of surface on or before"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_name_stands_for_one_filter() {
        let mut names = BTreeSet::new();
        for filter in FILTERS {
            for name in std::iter::once(&filter.name).chain(filter.aliases) {
                assert!(names.insert(*name), "{name} is there twice");
                assert_eq!(Filter::named(name), Some(filter));
            }
            assert!(!filter.meaning.is_empty());
        }
        assert_eq!(Filter::named("budgetmin"), None);
    }

    #[test]
    fn every_bound_has_its_counterpart() {
        for filter in FILTERS {
            let counterpart = match filter.kind {
                Kind::Least(subject) => Kind::Most(subject),
                Kind::Most(subject) => Kind::Least(subject),
                Kind::From(subject) => Kind::To(subject),
                Kind::To(subject) => Kind::From(subject),
                _ => continue,
            };
            assert!(FILTERS.iter().any(|other| other.kind == counterpart), "{}", filter.name);
        }
    }

    #[test]
    fn levels_follow_from_what_is_read() {
        let level = |name| Filter::named(name).map(Filter::level);
        assert_eq!(level("budgetMax"), Some(Level::Property));
        assert_eq!(level("excludedSites"), Some(Level::Advert));
        assert_eq!(level("eventPriceVariationMin"), Some(Level::Event));
    }
}
