//! The attributes that filters test: one row per attribute of a property, an advert or an event, with how to read it.
//!
//! A filter names an attribute, [`Criteria::accepts`](crate::Criteria::accepts) reads it, and the index has a column for
//! it. A row added here is a column there.

use crate::advert::Advert;
use crate::advert_event::{AdvertEvent, EventSubject};
use crate::advert_fields::AdvertField;
use crate::key::Key;
use crate::kinds::{FeesResponsibility, GeoAccuracy, PublisherType};
use crate::place::Zipcode;
use crate::property::{DerivedValues, Property};
use crate::value::Amount;

/// The version of the attribute values. Increment it whenever an attribute can have another value for the same property,
/// also if the rule is elsewhere (coherent prices, folding of text, derivation of the property's values): a persisted
/// index with another version is rebuilt.
pub const ATTRIBUTES_VERSION: u32 = 5;

/// A property together with its derived values, so that they are derived once.
#[derive(Debug, Clone)]
pub struct PropertyView<'a> {
    pub property: &'a Property,
    pub derived: DerivedValues<'a>,
}

impl<'a> PropertyView<'a> {
    /// `None` if the property has no adverts.
    pub fn new(property: &'a Property) -> Option<Self> {
        property.derive().map(|derived| Self { property, derived })
    }
}

/// Returns `true` if two versions of a property have the same property attributes, apart from the crawl and update dates,
/// which no saved search can test.
pub fn same_attributes(one: &Property, other: &Property) -> bool {
    use PropertyAttribute::{CrawledAt, UpdatedAt};
    let (Some(one), Some(other)) = (PropertyView::new(one), PropertyView::new(other)) else { return false };
    let compared = PropertyAttribute::ALL.iter().filter(|row| !matches!(row, CrawledAt | UpdatedAt));
    one.derived.point == other.derived.point
        && compared.into_iter().all(|attribute| attribute.read(&one) == attribute.read(&other))
}

macro_rules! attributes {
    ($(#[$about:meta])* $name:ident of $subject:ty { $($(#[$doc:meta])* $variant:ident => |$value:ident| $read:expr,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the value of the attribute. `None` if it is unknown.
            pub fn read(self, subject: $subject) -> Option<Key> {
                match self {
                    $(Self::$variant => {
                        let $value = subject;
                        $read
                    })+
                }
            }
        }
    };
}

attributes! {
    /// An attribute of a property as a whole.
    PropertyAttribute of &PropertyView<'_> {
        TransactionType => |view| Some(Key::code(view.derived.transaction_type.code())),
        PropertyType => |view| Some(Key::code(view.derived.property_type.code())),
        /// Whether every advert is expired.
        Expired => |view| Some(Key::flag(view.derived.expired_at.is_some())),
        CoherentPrice => |view| Some(Key::flag(view.derived.price_problem.is_none())),
        /// Whether no advert has a price.
        PriceOnRequest => |view| Some(Key::flag(view.derived.price.is_none())),
        Furnished => |view| view.derived.furnished.map(Key::flag),
        /// Whether an advert gives coordinates.
        Located => |view| Some(Key::flag(view.derived.given_point.is_some())),
        Accuracy => |view| view.derived.accuracy.map(GeoAccuracy::code).map(Key::code),
        Price => |view| amount(view.derived.price),
        PricePerMeter => |view| amount(view.derived.price_per_meter),
        Surface => |view| amount(view.derived.surface),
        LandSurface => |view| amount(view.derived.land_surface),
        Room => |view| whole(view.derived.room),
        Bedroom => |view| whole(view.derived.bedroom),
        CreatedAt => |view| Some(Key::timestamp(view.derived.created_at)),
        UpdatedAt => |view| Some(Key::timestamp(view.derived.updated_at)),
        CrawledAt => |view| view.derived.last_crawled_at.map(Key::timestamp),
        ExpiredAt => |view| view.derived.expired_at.map(Key::timestamp),
        /// The commune or district; the code given by the advert if the gazetteer does not know it.
        City => |view| match view.derived.placement {
            Some(placement) => Some(Key::commune(&placement.insee)),
            None => view.derived.given_place.and_then(|place| place.insee.as_ref()).map(Key::commune),
        },
        Department => |view| view.derived.placement.and_then(|placement| placement.department).map(Key::place),
        /// In the form that filters use: with the leading zero even if the advert lacks it.
        Zipcode => |view| view.derived.zipcode.map(|zipcode| match Zipcode::parse_five_digits(zipcode.as_str()) {
            Some(normalized) => Key::zipcode(&normalized),
            None => Key::zipcode(zipcode),
        }),
        LifeAnnuity => |view| Some(Key::flag(view.derived.life_annuity)),
        NewBuilding => |view| Some(Key::flag(view.derived.new_building)),
    }
}

attributes! {
    /// An attribute of one advert.
    AdvertAttribute of &Advert {
        Expired => |advert| Some(Key::flag(advert.is_expired())),
        CreatedAt => |advert| Some(Key::timestamp(advert.created_at)),
        ExpiredAt => |advert| advert.expired_at.map(Key::timestamp),
        PublisherType => |advert| advert.details.publisher.kind.map(PublisherType::code).map(Key::code),
        VirtualTour => |advert| Some(Key::flag(advert.details.virtual_tour.is_some())),
        FeesResponsibility => |advert| {
            advert.details.fees_responsibility.map(FeesResponsibility::code).map(Key::code)
        },
        EnergyCategory => |advert| advert.details.energy.category.map(|letter| Key::code(letter as u8)),
        GreenHouseGasCategory => |advert| advert.details.green_house_gas.category.map(|letter| Key::code(letter as u8)),
        EnergyValue => |advert| amount(advert.details.energy.value),
        GreenHouseGasValue => |advert| amount(advert.details.green_house_gas.value),
        /// The price, unless the advert is expired.
        LivePrice => |advert| amount(advert.details.price.filter(|_| !advert.is_expired())),
        PriceExcludingFees => |advert| amount(advert.details.price_excluding_fees),
        FeesPercentage => |advert| amount(advert.details.fees_percentage),
        CondominiumFees => |advert| amount(advert.details.condominium_fees),
        InventoryPrice => |advert| amount(advert.details.inventory_price),
        RentalCharges => |advert| amount(advert.details.rental_charges),
        RentalPledge => |advert| amount(advert.details.rental_pledge),
        RenterFees => |advert| amount(advert.details.renter_fees),
        LotCount => |advert| amount(advert.details.lot_count),
        FloorQuantity => |advert| whole(advert.details.floor_quantity),
        ConstructionYear => |advert| whole(advert.details.construction_year),
        ExclusiveMandate => |advert| advert.details.exclusive_mandate.map(Key::flag),
        Occupied => |advert| advert.details.occupied.map(Key::flag),
        ParkingCount => |advert| whole(advert.details.parking_count),
    }
}

attributes! {
    /// An attribute of a change of price or surface.
    VariationAttribute of &AdvertEvent {
        At => |event| Some(Key::timestamp(event.at)),
        Percent => |event| event.percent_variation.map(|percent| Key::number(percent.get())),
    }
}

/// The kinds of changes that filters can test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variation {
    Price,
    Surface,
}

impl Variation {
    pub const ALL: &'static [Self] = &[Self::Price, Self::Surface];

    /// Returns `true` if an event is a change of this kind.
    pub fn is(self, event: &AdvertEvent) -> bool {
        let field = match self {
            Self::Price => AdvertField::Price,
            Self::Surface => AdvertField::Surface,
        };
        event.subject == EventSubject::Field(field)
    }
}

fn amount(amount: Option<Amount>) -> Option<Key> {
    amount.map(|amount| Key::number(amount.get()))
}

fn whole(number: Option<i32>) -> Option<Key> {
    number.map(|number| Key::number(f64::from(number)))
}
