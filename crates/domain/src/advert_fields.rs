//! The fields of an advert: the table, the values, and updates of them.

use std::sync::Arc;

use crate::fingerprint::Fingerprint;
use crate::kinds::{FeesResponsibility, PublisherType, RentPeriod};
use crate::place::GivenPlace;
use crate::site::SiteKey;
use crate::special_sale::{LifeAnnuity, NewBuilding};
use crate::value::{Amount, LongText, ShortText, WebAddress};

/// What a request does to a field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum FieldUpdate<T> {
    /// The request does not contain the field: the current value stays.
    #[default]
    Keep,
    /// The request contains the field. An empty value clears it.
    Set(T),
}

impl<T> FieldUpdate<T> {
    pub(crate) fn apply_to(self, current: &T) -> T
    where
        T: Clone,
    {
        match self {
            Self::Keep => current.clone(),
            Self::Set(value) => value,
        }
    }

    /// Returns the value of [`FieldUpdate::Set`].
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Keep => None,
            Self::Set(value) => Some(value),
        }
    }
}

/// Defines the fields of an advert once. One list generates the stored values ([`AdvertDetails`]), the update
/// ([`AdvertPatch`]), the field names ([`AdvertField`]) and the comparison of two versions, so that a new field cannot be
/// missed in any of them.
macro_rules! advert_fields {
    ($($(#[$doc:meta])* $field:ident: $kind:ty => $variant:ident,)+) => {
        /// The advertised values. Unknown values are `None`, unknown lists are empty.
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        pub struct AdvertDetails {
            $($(#[$doc])* pub $field: $kind,)+
        }

        /// The fields of one request: each is set, cleared or kept.
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        pub struct AdvertPatch {
            $(pub $field: FieldUpdate<$kind>,)+
        }

        /// A field whose change is recorded as an event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum AdvertField {
            TransactionType,
            PropertyType,
            $($variant,)+
        }

        impl AdvertField {
            pub const ALL: &'static [Self] = &[Self::TransactionType, Self::PropertyType, $(Self::$variant,)+];

            /// Returns the name of the field in stored records. The API uses the contract's name instead.
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

            /// Returns `true` if the value is one amount.
            pub(crate) const fn is_amount(self) -> bool {
                match self {
                    Self::TransactionType | Self::PropertyType => false,
                    $(Self::$variant => <$kind as Fingerprint>::IS_AMOUNT,)+
                }
            }
        }

        impl AdvertPatch {
            /// Visits the fields that the request contains, with the fingerprints of their values.
            pub(crate) fn for_each_given(&self, mut visit: impl FnMut(AdvertField, u64)) {
                $(if let FieldUpdate::Set(value) = &self.$field {
                    visit(AdvertField::$variant, value.fingerprint());
                })+
            }
        }

        impl AdvertDetails {
            /// Returns the values after applying `patch`.
            pub fn patched(&self, patch: AdvertPatch) -> Self {
                Self { $($field: patch.$field.apply_to(&self.$field),)+ }
            }

            /// Returns the fields whose values differ, in table order.
            pub fn differing(&self, newer: &Self) -> Vec<AdvertField> {
                let mut fields = Vec::new();
                $(if self.$field != newer.$field {
                    fields.push(AdvertField::$variant);
                })+
                fields
            }

            /// Visits all fields, with the fingerprints of their values.
            pub(crate) fn for_each_fingerprint(&self, mut visit: impl FnMut(AdvertField, u64)) {
                $(visit(AdvertField::$variant, self.$field.fingerprint());)+
            }

            /// Takes the value of one field from another version. The kinds of the advert are not among the details.
            pub(crate) fn take_field(&mut self, field: AdvertField, from: &Self) {
                match field {
                    AdvertField::TransactionType | AdvertField::PropertyType => {}
                    $(AdvertField::$variant => self.$field.clone_from(&from.$field),)+
                }
            }
        }
    };
}

advert_fields! {
    site: Option<SiteKey> => Site,
    /// The id of the advert on its site.
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
    /// Negative below ground.
    floor: Option<i32> => Floor,
    floor_quantity: Option<i32> => FloorQuantity,
    construction_year: Option<i32> => ConstructionYear,
    elevator: Option<bool> => Elevator,
    furnished: Option<bool> => Furnished,
    energy: Rating => Energy,
    green_house_gas: Rating => GreenHouseGas,
    features: Arc<[ShortText]> => Features,
    pictures: Arc<[WebAddress]> => Pictures,
    pictures_remote: Arc<[WebAddress]> => PicturesRemote,
    virtual_tour: Option<WebAddress> => VirtualTour,
    place: GivenPlace => Place,
    /// The name of the neighbourhood. It is not part of the place, because no commune is found by it.
    district: Option<ShortText> => District,
    exclusive_mandate: Option<bool> => ExclusiveMandate,
    parking_count: Option<i32> => ParkingCount,
    heating: Option<ShortText> => Heating,
    life_annuity: LifeAnnuity => LifeAnnuity,
    /// Sold with a tenant or another occupant.
    occupied: Option<bool> => Occupied,
    /// How often the price of a rental is due.
    rent_period: Option<RentPeriod> => RentPeriod,
    new_building: NewBuilding => NewBuilding,
}

/// The contact of an advert. Personal data if the publisher is an individual.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contact {
    pub agency: Option<ShortText>,
    pub email: Option<ShortText>,
    pub fax: Option<ShortText>,
    pub name: Option<ShortText>,
    pub phone: Option<ShortText>,
    pub reference: Option<ShortText>,
}

/// The publisher of an advert. The category belongs to the site and is not stored here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Publisher {
    pub name: Option<ShortText>,
    pub kind: Option<PublisherType>,
}

/// An energy or greenhouse-gas rating: a letter, a value, both or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rating {
    pub category: Option<EnergyLetter>,
    pub value: Option<Amount>,
}

/// A rating class from `A` to `G`.
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

    /// Parses a letter in upper or lower case.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut letters = text.trim().chars();
        let letter = letters.next()?.to_ascii_uppercase();
        let class = Self::ALL.iter().copied().find(|candidate| candidate.letter() == letter);
        class.filter(|_| letters.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_fields_are_listed() {
        let older = AdvertDetails { room: Some(3), ..AdvertDetails::default() };
        let newer = AdvertDetails { room: Some(4), elevator: Some(true), ..AdvertDetails::default() };
        assert_eq!(older.differing(&newer), [AdvertField::Room, AdvertField::Elevator]);
        assert_eq!(older.differing(&older), []);
    }

    #[test]
    fn patch_keeps_absent_fields_and_clears_empty_ones() {
        let current = AdvertDetails { room: Some(3), floor: Some(2), ..AdvertDetails::default() };
        let patch = AdvertPatch {
            room: FieldUpdate::Set(None),
            bedroom: FieldUpdate::Set(Some(1)),
            ..AdvertPatch::default()
        };
        let expected = AdvertDetails { floor: Some(2), bedroom: Some(1), ..AdvertDetails::default() };
        assert_eq!(current.patched(patch), expected);
    }

    #[test]
    fn energy_letter_is_a_single_letter() {
        assert_eq!(EnergyLetter::from_text(" c "), Some(EnergyLetter::C));
        assert_eq!(EnergyLetter::from_text("H"), None);
        assert_eq!(EnergyLetter::from_text("AB"), None);
    }
}
