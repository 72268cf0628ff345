//! What can be asked of a property, of an advert and of an event: one row an attribute, with how it is read.
//!
//! Filters name attributes, `accepts` reads them, an index keeps a column for each. A row added here is a column there.

use crate::advert::{Advert, AdvertField};
use crate::advert_event::{AdvertEvent, EventSubject};
use crate::key::Key;
use crate::kinds::{FeesResponsibility, GeoAccuracy, PublisherType};
use crate::place::Zipcode;
use crate::price;
use crate::property::{Derived, Property};
use crate::value::Amount;

/// To be raised whenever an attribute is read differently, be it through a rule elsewhere (what a believable price is, how text
/// is folded, what a property takes from which advert): whoever keeps what was read has to read it again then.
pub const READINGS_VERSION: u32 = 2;

/// A property with its own values worked out once.
#[derive(Debug, Clone)]
pub struct Facts<'a> {
    pub property: &'a Property,
    pub derived: Derived<'a>,
}

impl<'a> Facts<'a> {
    /// Nothing for a property without adverts.
    pub fn of(property: &'a Property) -> Option<Self> {
        property.derive().map(|derived| Self { property, derived })
    }
}

/// Whether two states of a property answer alike to everything that can be asked of the property itself but for the dates that a
/// sighting moves, which nobody waits for.
pub fn read_alike(one: &Property, other: &Property) -> bool {
    use PropertyAttribute::{CrawledAt, UpdatedAt};
    let (Some(one), Some(other)) = (Facts::of(one), Facts::of(other)) else { return false };
    let lasting = PropertyAttribute::ALL.iter().filter(|row| !matches!(row, CrawledAt | UpdatedAt));
    one.derived.point == other.derived.point
        && lasting.into_iter().all(|attribute| attribute.read(&one) == attribute.read(&other))
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

            /// Its value; nothing when it is unknown.
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
    /// What is known of a property as a whole.
    PropertyAttribute of &Facts<'_> {
        TransactionType => |facts| Some(Key::code(facts.derived.transaction_type.code())),
        PropertyType => |facts| Some(Key::code(facts.derived.property_type.code())),
        /// Whether every advert is expired.
        Expired => |facts| Some(Key::flag(facts.derived.expired_at.is_some())),
        CoherentPrice => |facts| {
            let Derived { transaction_type, property_type, price, surface, .. } = facts.derived;
            Some(Key::flag(price::is_believable(transaction_type, property_type, price, surface)))
        },
        Furnished => |facts| facts.derived.furnished.map(Key::flag),
        /// Whether it has coordinates.
        Located => |facts| Some(Key::flag(facts.derived.point.is_some())),
        Accuracy => |facts| facts.derived.accuracy.map(GeoAccuracy::code).map(Key::code),
        Price => |facts| amount(facts.derived.price),
        PricePerMeter => |facts| amount(facts.derived.price_per_meter),
        Surface => |facts| amount(facts.derived.surface),
        LandSurface => |facts| amount(facts.derived.land_surface),
        Room => |facts| whole(facts.derived.room),
        Bedroom => |facts| whole(facts.derived.bedroom),
        CreatedAt => |facts| Some(Key::moment(facts.derived.created_at)),
        UpdatedAt => |facts| Some(Key::moment(facts.derived.updated_at)),
        CrawledAt => |facts| facts.derived.last_crawled_at.map(Key::moment),
        ExpiredAt => |facts| facts.derived.expired_at.map(Key::moment),
        /// The commune or district; where the reference geography does not know it, the code that was given.
        City => |facts| match facts.derived.placement {
            Some(placement) => Some(Key::commune(&placement.insee)),
            None => facts.derived.given_place.and_then(|place| place.insee.as_ref()).map(Key::commune),
        },
        Department => |facts| facts.derived.placement.and_then(|placement| placement.department).map(Key::place),
        /// As it would be looked for, be it with the zero that an advert left out.
        Zipcode => |facts| facts.derived.zipcode.map(|zipcode| match Zipcode::sought(zipcode.as_str()) {
            Some(sought) => Key::zipcode(&sought),
            None => Key::zipcode(zipcode),
        }),
    }
}

attributes! {
    /// What is known of one advert.
    AdvertAttribute of &Advert {
        Expired => |advert| Some(Key::flag(advert.is_expired())),
        CreatedAt => |advert| Some(Key::moment(advert.created_at)),
        ExpiredAt => |advert| advert.expired_at.map(Key::moment),
        PublisherType => |advert| advert.details.publisher.kind.map(PublisherType::code).map(Key::code),
        VirtualTour => |advert| Some(Key::flag(advert.details.virtual_tour.is_some())),
        FeesResponsibility => |advert| {
            advert.details.fees_responsibility.map(FeesResponsibility::code).map(Key::code)
        },
        EnergyCategory => |advert| advert.details.energy.category.map(|letter| Key::code(letter as u8)),
        GreenHouseGasCategory => |advert| advert.details.green_house_gas.category.map(|letter| Key::code(letter as u8)),
        EnergyValue => |advert| amount(advert.details.energy.value),
        GreenHouseGasValue => |advert| amount(advert.details.green_house_gas.value),
        /// The price while the advert is not expired: an offer that is gone is no offer.
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
    }
}

attributes! {
    /// What is known of a change of price or surface.
    VariationAttribute of &AdvertEvent {
        At => |event| Some(Key::moment(event.at)),
        Percent => |event| event.percent_variation.map(|percent| Key::number(percent.get())),
    }
}

/// The changes that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variation {
    Price,
    Surface,
}

impl Variation {
    pub const ALL: &'static [Self] = &[Self::Price, Self::Surface];

    /// Whether an event is such a change.
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
