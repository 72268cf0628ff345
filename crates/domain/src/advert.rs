//! An advert: one publisher's listing, as it is known now.

use jiff::Timestamp;

use crate::advert_event::AdvertEvent;
use crate::draft::Given;
use crate::ids::AdvertId;
use crate::kinds::{FeesResponsibility, PropertyType, PublisherType, TransactionType};
use crate::place::{GivenPlace, Placement};
use crate::site::SiteKey;
use crate::value::{Amount, LongText, ShortText, WebAddress};

/// One publisher's listing of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advert {
    pub id: AdvertId,
    pub transaction_type: TransactionType,
    pub property_type: PropertyType,
    pub details: AdvertDetails,
    /// What the reference geography made of `details.place`. Derived, so it is not compared and makes no event.
    pub placement: Option<Placement>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub last_crawled_at: Timestamp,
    /// Set exactly while the advert is expired.
    pub expired_at: Option<Timestamp>,
    /// Oldest first; the first is the creation.
    pub events: Vec<AdvertEvent>,
}

impl Advert {
    pub const fn is_expired(&self) -> bool {
        self.expired_at.is_some()
    }
}

/// Defines the fields of an advert once. From the one list come the values as known ([`AdvertDetails`]), the values as
/// sent ([`AdvertPatch`]), the names of the fields ([`AdvertField`]), and the comparison of two versions: a new field
/// cannot be forgotten in any of them.
macro_rules! advert_fields {
    ($($(#[$doc:meta])* $field:ident: $kind:ty => $variant:ident,)+) => {
        /// What a publisher says of the thing advertised. Unknown values are `None`, unknown lists are empty.
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        pub struct AdvertDetails {
            $($(#[$doc])* pub $field: $kind,)+
        }

        /// What one request says: each field given (perhaps as "unknown") or left as it was.
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        pub struct AdvertPatch {
            $(pub $field: Given<$kind>,)+
        }

        /// A field whose change makes an event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum AdvertField {
            TransactionType,
            PropertyType,
            $($variant,)+
        }

        impl AdvertField {
            pub const ALL: &'static [Self] = &[Self::TransactionType, Self::PropertyType, $(Self::$variant,)+];

            /// The domain's own name of the field, under which stores keep it. Clients see the contract's name instead.
            pub const fn name(self) -> &'static str {
                match self {
                    Self::TransactionType => "transaction_type",
                    Self::PropertyType => "property_type",
                    $(Self::$variant => stringify!($field),)+
                }
            }

            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|field| field.name() == name)
            }
        }

        impl AdvertDetails {
            /// The values after a request: what it gives, and what was known where it is silent.
            pub fn patched(&self, patch: AdvertPatch) -> Self {
                Self { $($field: patch.$field.or_keep(&self.$field),)+ }
            }

            /// The fields in which two versions differ, in the order of the table.
            pub fn differing(&self, newer: &Self) -> Vec<AdvertField> {
                let mut fields = Vec::new();
                $(if self.$field != newer.$field {
                    fields.push(AdvertField::$variant);
                })+
                fields
            }
        }
    };
}

advert_fields! {
    site: Option<SiteKey> => Site,
    /// The publisher's or portal's own id of the advert.
    reference: Option<ShortText> => Reference,
    url: Option<WebAddress> => Url,
    title: Option<ShortText> => Title,
    description: Option<LongText> => Description,
    contact: Contact => Contact,
    publisher: Publisher => Publisher,
    price: Option<Amount> => Price,
    price_excluding_fees: Option<Amount> => PriceExcludingFees,
    fees_percentage: Option<Amount> => FeesPercentage,
    fees_responsibility: Option<FeesResponsibility> => FeesResponsibility,
    condominium_fees: Option<Amount> => CondominiumFees,
    inventory_price: Option<Amount> => InventoryPrice,
    property_tax: Option<Amount> => PropertyTax,
    rental_charges: Option<Amount> => RentalCharges,
    rental_pledge: Option<Amount> => RentalPledge,
    renter_fees: Option<Amount> => RenterFees,
    lot_count: Option<Amount> => LotCount,
    surface: Option<Amount> => Surface,
    land_surface: Option<Amount> => LandSurface,
    room: Option<i32> => Room,
    bedroom: Option<i32> => Bedroom,
    /// Below ground is negative.
    floor: Option<i32> => Floor,
    floor_quantity: Option<i32> => FloorQuantity,
    construction_year: Option<i32> => ConstructionYear,
    elevator: Option<bool> => Elevator,
    furnished: Option<bool> => Furnished,
    energy: Rating => Energy,
    green_house_gas: Rating => GreenHouseGas,
    features: Vec<ShortText> => Features,
    pictures: Vec<WebAddress> => Pictures,
    pictures_remote: Vec<WebAddress> => PicturesRemote,
    virtual_tour: Option<WebAddress> => VirtualTour,
    place: GivenPlace => Place,
}

/// Whom to call. Personal data when the publisher is an individual.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contact {
    pub agency: Option<ShortText>,
    pub email: Option<ShortText>,
    pub fax: Option<ShortText>,
    pub name: Option<ShortText>,
    pub phone: Option<ShortText>,
    pub reference: Option<ShortText>,
}

/// Who published the advert. The category belongs to the site and is not kept here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Publisher {
    pub name: Option<ShortText>,
    pub kind: Option<PublisherType>,
}

/// An energy or greenhouse-gas rating: a letter, a value, either or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rating {
    pub category: Option<EnergyLetter>,
    pub value: Option<Amount>,
}

/// `A` to `G`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EnergyLetter {
    A,
    B,
    C,
    D,
    E,
    F,
    G,
}

impl EnergyLetter {
    pub const ALL: &'static [Self] = &[Self::A, Self::B, Self::C, Self::D, Self::E, Self::F, Self::G];

    pub const fn letter(self) -> char {
        (b'A' + self as u8) as char
    }

    /// Reads a letter in either case.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut letters = text.trim().chars();
        let letter = letters.next()?.to_ascii_uppercase();
        let found = Self::ALL.iter().copied().find(|candidate| candidate.letter() == letter);
        found.filter(|_| letters.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_fields_that_differ_are_named() {
        let older = AdvertDetails { room: Some(3), ..AdvertDetails::default() };
        let newer = AdvertDetails { room: Some(4), elevator: Some(true), ..AdvertDetails::default() };
        assert_eq!(older.differing(&newer), [AdvertField::Room, AdvertField::Elevator]);
        assert_eq!(older.differing(&older), []);
    }

    #[test]
    fn a_patch_keeps_what_it_does_not_mention_and_clears_what_it_says_is_unknown() {
        let known = AdvertDetails { room: Some(3), floor: Some(2), ..AdvertDetails::default() };
        let patch = AdvertPatch {
            room: Given::Value(None),
            bedroom: Given::Value(Some(1)),
            ..AdvertPatch::default()
        };
        let expected = AdvertDetails { floor: Some(2), bedroom: Some(1), ..AdvertDetails::default() };
        assert_eq!(known.patched(patch), expected);
    }

    #[test]
    fn energy_letters_are_single_letters() {
        assert_eq!(EnergyLetter::from_text(" c "), Some(EnergyLetter::C));
        assert_eq!(EnergyLetter::from_text("H"), None);
        assert_eq!(EnergyLetter::from_text("AB"), None);
    }
}
